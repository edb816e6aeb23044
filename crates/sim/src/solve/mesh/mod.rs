//! The fast path of cloths on triangles: block rows in single precision, with block-Jacobi plus a
//! cycle over coarse lattices in pattern space.
//!
//! As on grids, positions, forces and the residual stay in double precision, and the assembled
//! matrix is the reference this is tested against.
//!
//! Verified by: `tests/mesh_solver.rs`.

mod chart;

use crate::constraints::StepConstraints;
use crate::forces::{At, Terms};
use crate::model::{Materials, Model, Structure};
use crate::solve::held::{HeldPlace, HeldPlaces};
use chart::{Chart, Corners, Follower, Neighbour, Panel, key};
use glam::{DMat3, DVec2, DVec3};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use toile_numerics::operator::{Operator, Preconditioner};
use toile_numerics::single_csr::{STRIDE, SingleCsr};
use toile_numerics::single_sum::Blocks;
use toile_numerics::{Coupled, Coupling, Csr, Hold, par, pcg};
use wide::f32x4;

/// Particles one task handles.
const PARTICLE_GRAIN: usize = 256;
/// A cloth in more pieces than one for so many faces has no pattern worth the name.
const FACES_PER_PANEL: usize = 8;

/// The matrix, what inverts it nearly, and vectors.
pub struct MeshSolver {
    matrix: SingleCsr,
    /// The elements' blocks, and which of them each family has.
    blocks: Blocks,
    of_family: Vec<Range<usize>>,
    charts: Vec<Chart>,
    cloth_of_chart: Vec<usize>,
    /// How every particle follows the charts' lattices.
    followers: Csr<Follower>,
    held: Vec<bool>,
    filter: HeldPlaces,
    couplings: Vec<Coupling<f32>>,
    rhs: Vec<f32>,
    guess: Vec<f32>,
    x: Vec<f32>,
    /// The way everything would fall.
    fall: Vec<f32>,
    /// Scratch memory of the iteration.
    pub work: pcg::Workspace<f32>,
}

impl MeshSolver {
    /// Memory for `model`; `None` unless all its cloths are triangles.
    pub fn new(model: &Model) -> Option<Self> {
        let on_triangles = |structure: &Structure| matches!(structure, Structure::Triangles { .. });
        let mut shells = model.shells();
        if !model.is_all_shells() || !shells.all(|(_, shell)| on_triangles(&shell.structure)) {
            return None;
        }
        let particles = model.particles();
        let panels = panels(model);
        // A particle with several places follows each of them by an equal share.
        let mut count = vec![0_u32; particles];
        for (particle, _) in panels.iter().flat_map(|panel| &panel.places) {
            count[*particle as usize] += 1;
        }
        let shares: Vec<f64> = count.iter().map(|n| 1.0 / f64::from(*n).max(1.0)).collect();
        let mut of_particle: Vec<Vec<Follower>> = vec![Vec::new(); particles];
        let charts = panels.iter().enumerate();
        let charts = charts
            .map(|(chart, panel)| {
                Chart::new(chart as u32, panel, &shares, |particle, follower| {
                    of_particle[particle as usize].push(follower);
                })
            })
            .collect();
        let vector = vec![0.0; STRIDE * particles];
        let mut fall = vector.clone();
        pack(&vec![model.gravity_m_per_s2; particles], &mut fall);
        let symmetric = model
            .materials
            .families()
            .all(|family| family.has_symmetric_blocks());
        let (mut of_family, mut couplings, mut count) = (Vec::new(), Vec::new(), 0);
        for family in &model.materials.elements {
            let mut block = count as u32;
            family.for_each_coupling(&mut |pair| {
                couplings.push((block, pair));
                block += 1;
            });
            of_family.push(count..count + family.blocks());
            count += family.blocks();
        }
        Some(Self {
            matrix: SingleCsr::zeros(model.matrix_pattern.clone(), symmetric, &couplings),
            blocks: Blocks::new(count, symmetric),
            of_family,
            charts,
            cloth_of_chart: panels.iter().map(|panel| panel.cloth).collect(),
            followers: Csr::from_rows(of_particle),
            held: vec![false; particles],
            filter: HeldPlaces::default(),
            couplings: Vec::new(),
            rhs: vector.clone(),
            guess: vector.clone(),
            x: vector,
            fall,
            work: pcg::Workspace::default(),
        })
    }

    /// Linearises all elements; their blocks stay here.
    pub fn linearise(&mut self, materials: &Materials, at: &At<'_>, terms: &mut [Terms]) {
        let families = materials.elements.iter().zip(&self.of_family);
        for ((family, range), terms) in families.zip(terms) {
            family.linearise_single(at, self.blocks.range_mut(range.clone()), terms);
        }
    }

    /// Forms `A = M − αD − sK` as linearised, and prepares a solve.
    pub fn refresh(&mut self, model: &Model, extra_diagonal: &[DMat3], holds: &StepConstraints) {
        let own = |row: usize| {
            let mut own = [0.0; 6];
            if let Some(extra) = extra_diagonal.get(row) {
                let (x, y, z) = (extra.x_axis, extra.y_axis, extra.z_axis);
                own = [x.x, x.y, x.z, y.y, y.z, z.z];
            }
            for diagonal in [0, 3, 5] {
                own[diagonal] += model.masses[row];
            }
            own
        };
        self.matrix.fill(&self.blocks, &own);
        self.held.fill(false);
        self.filter.clear();
        for target in &holds.targets {
            self.held[target.particle as usize] = target.hold == Hold::Fixed;
            self.filter.push(HeldPlace {
                place: STRIDE * target.particle as usize,
                stride: 1,
                hold: target.hold,
            });
        }
        let held = &self.held;
        for (chart, cloth) in self.charts.iter_mut().zip(&self.cloth_of_chart) {
            let cloth = &model.deformables[*cloth];
            let Some(Structure::Triangles { membrane }) = cloth.shell().map(|s| s.structure) else {
                continue;
            };
            let triangles = self.blocks.halves(self.of_family[membrane].clone());
            let blocks = |face: u32| {
                let first = 3 * (face as usize - cloth.faces.start);
                [triangles[first], triangles[first + 1], triangles[first + 2]]
            };
            chart.refresh(&blocks, held, &|particle| {
                own(particle as usize).map(|value| value as f32)
            });
        }
    }

    /// Takes over what contacts add off the diagonal; after [`Self::refresh`].
    pub fn couple(&mut self, couplings: &[Coupling<f64>]) {
        self.couplings.clear();
        self.couplings
            .extend(couplings.iter().map(|coupling| Coupling {
                places: coupling.places.map(|place| place / 3 * STRIDE as u32),
                strides: [1; 4],
                weights: coupling.weights.map(|weight| weight as f32),
                block: coupling.block.map(|value| value as f32),
            }));
    }

    /// One block row of `A p`.
    pub fn row_product(&self, row: usize, p: &[DVec3]) -> DVec3 {
        self.matrix.row_product(row, p)
    }

    /// `image = A p`, in single precision.
    pub fn product(&mut self, p: &[f64], image: &mut [f64]) {
        pack(bytemuck::cast_slice(p), &mut self.x);
        let operator = Coupled {
            inner: &self.matrix,
            couplings: &self.couplings,
        };
        operator.apply(&self.x, &mut self.rhs);
        self.guess.fill(0.0);
        image.fill(0.0);
        unpack_change(&self.guess, &self.rhs, bytemuck::cast_slice_mut(image));
    }

    /// Solves `A p = b`; see [`pcg::solve`]. A rough solve, which another one corrects, may guess more freely
    /// how far cloth falls.
    pub fn solve(
        &mut self,
        b: &[f64],
        p: &mut [f64],
        params: &pcg::Params,
        is_rough: bool,
    ) -> Result<pcg::Info, pcg::Error> {
        pack(bytemuck::cast_slice(b), &mut self.rhs);
        pack(bytemuck::cast_slice(p), &mut self.guess);
        par::copy(&self.guess, &mut self.x);
        let problem = pcg::Problem {
            operator: &Coupled {
                inner: &self.matrix,
                couplings: &self.couplings,
            },
            filter: &self.filter,
            rhs: &self.rhs,
            doubt: is_rough.then_some(&self.fall),
        };
        let mut preconditioner = Additive {
            matrix: &self.matrix,
            charts: &mut self.charts,
            followers: &self.followers,
        };
        let info = pcg::solve(
            &problem,
            &mut preconditioner,
            params,
            &mut self.x,
            &mut self.work,
        )?;
        unpack_change(&self.guess, &self.x, bytemuck::cast_slice_mut(p));
        Ok(info)
    }
}

/// The panels of all cloths: faces that share edges in the pattern. Where every face has a place of
/// its own instead, the whole cloth lies over one lattice, seen along the axis it is flattest in.
fn panels(model: &Model) -> Vec<Panel> {
    let mut panels = Vec::new();
    for (index, (cloth, shell)) in model.shells().enumerate() {
        let (faces, rest) = (&model.mesh.faces[cloth.faces.clone()], &shell.rest);
        let panel_of = panel_of_faces(faces, rest);
        let count = panel_of.iter().max().map_or(0, |last| last + 1);
        if count > (faces.len() / FACES_PER_PANEL).max(1) {
            panels.push(Panel {
                cloth: index,
                triangles: seen_flat(model, cloth.faces.start, faces),
                ..Panel::default()
            });
            continue;
        }
        let first = panels.len();
        let panel = Panel {
            cloth: index,
            ..Panel::default()
        };
        panels.resize(first + count, panel);
        for (k, panel) in panel_of.iter().enumerate() {
            panels[first + panel].triangles.push(Corners {
                face: (cloth.faces.start + k) as u32,
                particles: faces[k],
                places: rest[k],
            });
        }
    }
    for panel in &mut panels {
        let mut seen = HashSet::new();
        for triangle in &panel.triangles {
            for (&particle, &place) in triangle.particles.iter().zip(&triangle.places) {
                if seen.insert(key(particle, place)) {
                    panel.places.push((particle, place));
                }
            }
        }
    }
    find_neighbours(model.particles(), &mut panels);
    panels
}

/// Tells every panel of the triangles that its seams move.
fn find_neighbours(particles: usize, panels: &mut [Panel]) {
    let mut places_of: Vec<Vec<(usize, DVec2)>> = vec![Vec::new(); particles];
    for (k, panel) in panels.iter().enumerate() {
        for &(particle, place) in &panel.places {
            places_of[particle as usize].push((k, place));
        }
    }
    let mut found: Vec<Vec<Neighbour>> = vec![Vec::new(); panels.len()];
    for (own, panel) in panels.iter().enumerate() {
        for triangle in &panel.triangles {
            // Other places of its corners, panel by panel.
            let mut elsewhere: BTreeMap<usize, [Option<DVec2>; 3]> = BTreeMap::new();
            for corner in 0..3 {
                let here = (own, triangle.places[corner]);
                for place in &places_of[triangle.particles[corner] as usize] {
                    if *place != here {
                        elsewhere.entry(place.0).or_default()[corner] = Some(place.1);
                    }
                }
            }
            for (panel, places) in elsewhere {
                found[panel].push(Neighbour {
                    face: triangle.face,
                    particles: triangle.particles,
                    places,
                });
            }
        }
    }
    for (panel, neighbours) in panels.iter_mut().zip(found) {
        panel.neighbours = neighbours;
    }
}

/// Numbers the panels of a cloth's faces from 0, in order of their first face.
fn panel_of_faces(faces: &[[u32; 3]], rest: &[[DVec2; 3]]) -> Vec<usize> {
    // Faces are joined through corners at the same place of the same particle.
    let mut parent: Vec<usize> = (0..faces.len()).collect();
    fn root(parent: &mut [usize], mut k: usize) -> usize {
        while parent[k] != k {
            parent[k] = parent[parent[k]];
            k = parent[k];
        }
        k
    }
    let mut first = HashMap::new();
    for (k, (particles, places)) in faces.iter().zip(rest).enumerate() {
        for (particle, place) in particles.iter().zip(places) {
            let other = *first.entry(key(*particle, *place)).or_insert(k);
            let (a, b) = (root(&mut parent, k), root(&mut parent, other));
            parent[a.max(b)] = a.min(b);
        }
    }
    let mut number = HashMap::new();
    (0..faces.len())
        .map(|k| {
            let next = number.len();
            *number.entry(root(&mut parent, k)).or_insert(next)
        })
        .collect()
}

fn seen_flat(model: &Model, first_face: usize, faces: &[[u32; 3]]) -> Vec<Corners> {
    let start = |particle: u32| model.start_positions[particle as usize];
    let all = || faces.iter().flatten().map(|particle| start(*particle));
    let low = all().reduce(DVec3::min).unwrap_or_default();
    let high = all().reduce(DVec3::max).unwrap_or_default();
    let size = (high - low).to_array();
    let flattest = (0..3)
        .min_by(|a, b| size[*a].total_cmp(&size[*b]))
        .unwrap_or(1);
    let place = |particle: u32| {
        let p = start(particle).to_array();
        DVec2::new(p[(flattest + 1) % 3], p[(flattest + 2) % 3])
    };
    let corners = |(k, particles): (usize, &[u32; 3])| Corners {
        face: (first_face + k) as u32,
        particles: *particles,
        places: particles.map(place),
    };
    faces.iter().enumerate().map(corners).collect()
}

fn pack(from: &[DVec3], to: &mut [f32]) {
    par::for_each_row(to, STRIDE, PARTICLE_GRAIN, |k, to| {
        let value = from[k].as_vec3();
        to.copy_from_slice(&[value.x, value.y, value.z, 0.0]);
    });
}

/// Adds what the solve changed, so that a guess that was right stays right to the last bit.
fn unpack_change(guess: &[f32], x: &[f32], to: &mut [DVec3]) {
    par::for_each_leaf(to, PARTICLE_GRAIN, |first, leaf| {
        for (k, value) in leaf.iter_mut().enumerate() {
            let at = STRIDE * (first + k);
            let change = |i: usize| f64::from(x[at + i] - guess[at + i]);
            *value += DVec3::new(change(0), change(1), change(2));
        }
    });
}

/// Block-Jacobi plus the answers of the charts' lattices.
struct Additive<'a> {
    matrix: &'a SingleCsr,
    charts: &'a mut [Chart],
    followers: &'a Csr<Follower>,
}

impl Preconditioner<f32> for Additive<'_> {
    fn apply(&mut self, r: &[f32], z: &mut [f32]) {
        for chart in &mut *self.charts {
            chart.solve(r);
        }
        let (charts, followers) = (&*self.charts, self.followers);
        self.matrix.apply_inverse_diagonal(r, z, &|particle| {
            let answer = |f: &Follower| charts[f.chart as usize].answer(f);
            match followers.row(particle) {
                [only] => answer(only),
                several => several.iter().map(answer).fold(f32x4::ZERO, |a, b| a + b),
            }
        });
    }
}
