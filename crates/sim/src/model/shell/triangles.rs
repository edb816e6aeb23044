//! Cloth on triangles: a membrane law on every face, a bending law across every inner edge.
//!
//! Calibration, so that the *sheet* has the given stiffness on every mesh:
//!
//! - Tension: `k_u`, `k_v` are the sheet's stiffness along warp and weft. A diagonal link of the quad
//!   model stands for twice its stiffness per area, so `k_d = 2 k_shear`, which makes the shear
//!   modulus of a taut sheet `k_shear` in both models.
//! - Pairs: each pair sees the curvature along its own direction only, and rigid triangles fold
//!   instead of lying on an arc; on equilateral triangles the sheet has ¾ of the pairs' k, so
//!   `k = 4B/3`. On right-angled triangles with alternating diagonals that is 1 to 1.5 times B,
//!   and 0.54 to 2.3 times where all diagonals are parallel.
//! - Hinges: `k = 4B |E|²/(2(A_1 + A_2))` is right on equilateral triangles, 1.2–1.3 times B on
//!   irregular and 1–3 times on one-diagonal ones.
//! - Anisotropy: k of a pair whose corners lie in the direction (u, v) is
//!   `√((k_u² u² + k_v² v²)/(u² + v²))`; a hinge bends across its edge with
//!   `(√B_u cos²φ + √B_v sin²φ)²`.
//! - Mass: a third of a face's mass to each corner.
//! - Seams: the pair is unfolded about the edge with each face's own rest lengths, so panels may
//!   lie anywhere in the pattern.
//!
//! Source: the fourth source, section 3, with the calibration it lacks; *Simulation of Clothing
//! with Folds and Wrinkles*, section 4.
//! Verified by: `tests/triangles.rs`, `tests/hinges.rs`.

use crate::assembly::elements::Elements;
use crate::assembly::family::ElementFamily;
use crate::error::BuildError;
use crate::forces::baraff_witkin::BaraffWitkin;
use crate::forces::green::MeasuredMembrane;
use crate::forces::hinge;
use crate::forces::hinge::{Angle, Form};
use crate::forces::measured::Measured;
use crate::forces::pair_bend::PairBend;
use crate::forces::tension::Tension;
use crate::forces::triangle::Triangle;
use crate::forces::{BucklingLink, Curve};
use crate::model::keyed::KeyedScalar;
use crate::model::material::{Compression, Material};
use crate::model::shell::quad::Thread;
use crate::model::shell::unfolded::Unfolded;
use crate::model::spec::{Bending, ClothSpec, Membrane};
use glam::DVec2;
use std::collections::HashMap;
use std::sync::Arc;
use toile_geometry::{Hinge, Surface};

/// Pairs of a cloth that changes over time keep this share of their rigidity, for they cannot have none.
const LEAST_RIGIDITY: f64 = 1e-9;

/// A surface as part of a model.
pub struct Placement<'a> {
    /// The triangles, with their lengths at rest as they are at `time_s`.
    pub surface: &'a Surface,
    /// What they are made of.
    pub cloth: &'a ClothSpec,
    /// The time whose material they have, s.
    pub time_s: f64,
    /// Index of the first particle in the model.
    pub first_particle: u32,
    /// Particles of the whole model.
    pub total: usize,
}

/// An edge with its length at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// Its particles.
    pub ends: [u32; 2],
    /// Its length at rest, m: the mean of both sides' at a seam.
    pub rest_length_m: f64,
    /// Its direction in the weave, in the first face that has it.
    pub thread: Thread,
}

impl Placement<'_> {
    /// The families of elements that `membrane` and `bending` stand for.
    pub fn families(
        &self,
        membrane: Membrane,
        bending: Bending,
    ) -> Result<Vec<Arc<dyn ElementFamily>>, BuildError> {
        let mut families: Vec<Arc<dyn ElementFamily>> = vec![match membrane {
            Membrane::Tension => Arc::new(self.triangles(tension)),
            Membrane::BaraffWitkin => Arc::new(self.triangles(baraff_witkin)),
            Membrane::Measured => {
                let law = self.cloth.measured.ok_or_else(|| BuildError {
                    key: "fabric".into(),
                    message: "this fabric has no table of measurements: expected one that has, \
                              or another `membrane`"
                        .into(),
                })?;
                Arc::new(self.triangles(|material| self.measured(law, material)))
            }
        }];
        let hinges = self.surface.hinges().map_err(refused)?;
        match bending {
            Bending::Limp => {}
            Bending::Pairs => families.push(Arc::new(self.pairs(&hinges)?)),
            Bending::Hinges(form) => families.push(Arc::new(self.hinges(&hinges, form)?)),
        }
        Ok(families)
    }

    fn triangles<M: crate::forces::triangle::Membrane + 'static>(
        &self,
        law: impl Fn(&Material) -> M,
    ) -> Elements<Triangle<M>, 3> {
        let faces = self.surface.mesh.faces.iter().enumerate();
        let mut last: Option<(Material, Arc<M>)> = None;
        let triangles = faces.map(|(face, particles)| {
            let material = self.cloth.material_of(face, self.time_s);
            let law = match &last {
                Some((same, law)) if *same == material => law.clone(),
                _ => Arc::new(law(&material)),
            };
            last = Some((material, law.clone()));
            let triangle = Triangle::new(self.surface.rest[face], law);
            (particles.map(|p| p + self.first_particle), triangle)
        });
        Elements::new(self.total, triangles)
    }

    /// The measured law of a face, scaled as the face's stretch is.
    fn measured(&self, law: Measured, material: &Material) -> MeasuredMembrane {
        let whole = &self.cloth.material;
        MeasuredMembrane {
            law,
            factor: material.stretch_warp_n_per_m / whole.stretch_warp_n_per_m,
            viscosity_n_s_per_m: material.damping_n_s_per_m,
            jacobian: material.jacobian,
        }
    }

    /// What the two faces of a hinge are made of.
    fn materials(&self, hinge: &Hinge) -> [Material; 2] {
        hinge
            .faces
            .map(|face| self.cloth.material_of(face as usize, self.time_s))
    }

    fn pairs(&self, hinges: &[Hinge]) -> Result<Elements<PairBend, 2>, BuildError> {
        let material = &self.cloth.material;
        let curve = Curve::new(material.curve, material.evaluation).map_err(|_| BuildError {
            key: "material.eval".into(),
            message: "there is a fit for the arc alone: expected \"newton\" or \"table\" with \
                      the elastica"
                .into(),
        })?;
        let changes = self.cloth.changes();
        let mut pairs = Vec::with_capacity(hinges.len());
        for hinge in hinges {
            let unfolded = Unfolded::of(self.surface, hinge);
            let [one, other] = self.materials(hinge);
            let [here, there] = unfolded.chord_directions;
            let mut rigidity = 0.5 * (along_ellipse(&one, here) + along_ellipse(&other, there));
            if changes {
                // What does not bend now may do so later, and must have its place.
                let whole = 0.5 * (along_ellipse(material, here) + along_ellipse(material, there));
                rigidity = rigidity.max(LEAST_RIGIDITY * whole);
            }
            if rigidity == 0.0 {
                continue;
            }
            // Another curve than the arc, with another critical load, needs as much more.
            let k = 4.0 / 3.0 * rigidity * 12.0 / curve.critical_load();
            let k_b = unfolded.area_m2 * k / unfolded.chord_m;
            let stretch = 0.25
                * (one.stretch_warp_n_per_m
                    + one.stretch_weft_n_per_m
                    + other.stretch_warp_n_per_m
                    + other.stretch_weft_n_per_m);
            let limit = stretch * unfolded.area_m2 / unfolded.chord_m.powi(2);
            let law = buckling_link(curve, k_b, unfolded.chord_m, material.compression, limit)?;
            let [i, l, ..] = hinge.vertices.map(|p| p + self.first_particle);
            let damping_n_s_per_m = 0.5 * (one.damping_n_s_per_m + other.damping_n_s_per_m);
            pairs.push((
                [i, l],
                PairBend {
                    law,
                    damping_n_s_per_m,
                    jacobian: material.jacobian,
                },
            ));
        }
        Ok(Elements::new(self.total, pairs))
    }

    fn hinges(
        &self,
        hinges: &[Hinge],
        form: Form,
    ) -> Result<Elements<hinge::Hinge, 4>, BuildError> {
        let painted = self.painted(hinges)?;
        let changes = self.cloth.changes();
        let elements = hinges.iter().filter_map(|hinge| {
            let unfolded = Unfolded::of(self.surface, hinge);
            let [one, other] = self.materials(hinge);
            let [here, there] = unfolded.across_directions;
            let rigidity = 0.5 * (across_edge(&one, here) + across_edge(&other, there));
            let slenderness = unfolded.edge_m.powi(2) / (2.0 * unfolded.area_m2);
            let damping_s = 0.5 * (one.bending_damping_s + other.bending_damping_s);
            let [_, _, a, b] = hinge.vertices;
            let rest_angle_rad = match painted.get(&unordered([a, b])) {
                Some(angle) => angle.at(self.time_s),
                None if self.cloth.rest_angles.as_started => {
                    let positions = &self.surface.mesh.positions;
                    let x = hinge.vertices.map(|p| positions[p as usize]);
                    Angle::of(x).map_or(0.0, |angle| angle.theta)
                }
                None => 0.0,
            };
            let angle_factor = self.cloth.angle_factor_of(hinge.faces, self.time_s);
            let element = hinge::Hinge {
                stiffness_n_m: 4.0 * rigidity * slenderness,
                // A viscosity of k^d acts on an equilateral mesh as one of k^d/2.
                damping_n_m_s: 2.0 * damping_s * rigidity * slenderness,
                rest_angle_rad: angle_factor * rest_angle_rad,
                form,
                jacobian: self.cloth.material.jacobian,
            };
            let particles = hinge.vertices.map(|p| p + self.first_particle);
            // What does not bend now may do so later, and must have its place.
            (rigidity > 0.0 || changes).then_some((particles, element))
        });
        Ok(Elements::new(self.total, elements))
    }

    /// Rest angles given for single edges, which must exist.
    fn painted(&self, hinges: &[Hinge]) -> Result<HashMap<[u32; 2], &KeyedScalar>, BuildError> {
        let given = &self.cloth.rest_angles.painted;
        let edges = hinges
            .iter()
            .map(|hinge| unordered([hinge.vertices[2], hinge.vertices[3]]));
        let edges: std::collections::HashSet<[u32; 2]> = edges.collect();
        let mut painted = HashMap::new();
        for (edge, angle) in given {
            if !edges.contains(&unordered(*edge)) {
                return Err(BuildError {
                    key: "rest_angles".into(),
                    message: format!(
                        "there are no two faces that share the edge from particle {} to {}",
                        edge[0], edge[1]
                    ),
                });
            }
            painted.insert(unordered(*edge), angle);
        }
        Ok(painted)
    }

    /// Mass of every particle, kg.
    pub fn masses(&self) -> Vec<f64> {
        let mut masses = vec![0.0; self.surface.mesh.positions.len()];
        for (face, particles) in self.surface.mesh.faces.iter().enumerate() {
            let density = self
                .cloth
                .material_of(face, self.time_s)
                .area_density_kg_per_m2;
            for particle in particles {
                masses[*particle as usize] += density * self.surface.rest_area_m2(face) / 3.0;
            }
        }
        masses
    }

    /// All edges.
    pub fn edges(&self) -> Vec<Edge> {
        let mut place: HashMap<[u32; 2], usize> = HashMap::new();
        let mut edges: Vec<(Edge, f64)> = Vec::new();
        for (face, rest) in self.surface.mesh.faces.iter().zip(&self.surface.rest) {
            for corner in 0..3 {
                let next = (corner + 1) % 3;
                let ends = unordered([face[corner], face[next]]);
                let length = rest[corner].distance(rest[next]);
                let at = *place.entry(ends).or_insert(edges.len());
                match edges.get_mut(at) {
                    Some((edge, sides)) => {
                        *sides += 1.0;
                        edge.rest_length_m += (length - edge.rest_length_m) / *sides;
                    }
                    None => edges.push((
                        Edge {
                            ends: ends.map(|p| p + self.first_particle),
                            rest_length_m: length,
                            thread: Thread::nearest(rest[next] - rest[corner]),
                        },
                        1.0,
                    )),
                }
            }
        }
        edges.into_iter().map(|(edge, _)| edge).collect()
    }

    /// Pattern coordinates of every particle, m: those in the first face that has it.
    pub fn pattern(&self) -> Vec<DVec2> {
        let mut pattern = vec![None; self.surface.mesh.positions.len()];
        for (face, rest) in self.surface.mesh.faces.iter().zip(&self.surface.rest) {
            for (particle, place) in face.iter().zip(rest) {
                pattern[*particle as usize].get_or_insert(*place);
            }
        }
        pattern.into_iter().map(Option::unwrap_or_default).collect()
    }
}

/// Says what is wrong with a surface.
pub fn refused(error: toile_geometry::SurfaceError) -> BuildError {
    BuildError {
        key: "mesh".into(),
        message: error.to_string(),
    }
}

fn unordered([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

fn tension(material: &Material) -> Tension {
    let (shear, damper) = (2.0 * material.shear_n_per_m, material.damping_n_s_per_m);
    Tension {
        stiffness_n_per_m: [
            material.stretch_warp_n_per_m,
            material.stretch_weft_n_per_m,
            shear,
            shear,
        ],
        viscosity_n_s_per_m: [damper, damper, 2.0 * damper, 2.0 * damper],
        slack_factor: material.slack_factor,
        jacobian: material.jacobian,
    }
}

fn baraff_witkin(material: &Material) -> BaraffWitkin {
    BaraffWitkin {
        stretch_n_per_m: [material.stretch_warp_n_per_m, material.stretch_weft_n_per_m],
        shear_n_per_m: material.shear_n_per_m,
        viscosity_n_s_per_m: [material.damping_n_s_per_m; 3],
        jacobian: material.jacobian,
    }
}

/// `√((B_u² u² + B_v² v²)/(u² + v²))` for a pair whose corners lie in this direction.
fn along_ellipse(material: &Material, direction: DVec2) -> f64 {
    let (b_u, b_v) = (material.bending_warp_n_m, material.bending_weft_n_m);
    (b_u * direction.x).hypot(b_v * direction.y)
}

/// `(√B_u cos²φ + √B_v sin²φ)²` for bending in this direction.
fn across_edge(material: &Material, direction: DVec2) -> f64 {
    let (b_u, b_v) = (material.bending_warp_n_m, material.bending_weft_n_m);
    (b_u.sqrt() * direction.x.powi(2) + b_v.sqrt() * direction.y.powi(2)).powi(2)
}

/// A buckling link; where the curvature threshold is too large for a coarse pair, as much of it as
/// the link can buckle with. `limit_n_per_m` is the stiffness of the membrane between its ends.
fn buckling_link(
    curve: Curve,
    k_b: f64,
    chord_m: f64,
    compression: Compression,
    limit_n_per_m: f64,
) -> Result<BucklingLink, BuildError> {
    let at = |kappa: f64| curve.critical_load() * k_b / (kappa.powi(2) * (0.5 * chord_m).powi(5));
    let wished = match compression {
        Compression::CurvatureThreshold(kappa) => at(kappa),
        Compression::Limited(kappa) => at(kappa).min(limit_n_per_m),
        Compression::Stiffness(stiffness) => stiffness,
        Compression::Rigid => f64::INFINITY,
    };
    let least = (1.0 + 1e-9) * curve.min_gamma() * k_b / chord_m.powi(3);
    BucklingLink::bent_as(curve, k_b, chord_m, wished.max(least)).map_err(|_| BuildError {
        key: "material.bending_n_m".into(),
        message: "expected a finite bending rigidity".into(),
    })
}
