//! Solids: bodies of tetrahedra, in their smallest form. They start as they are at rest.
//!
//! A quarter of a tetrahedron's mass is at each of its corners. What meets other things is the surface: the
//! triangles that one tetrahedron alone has.

use crate::assembly::elements::Elements;
use crate::error::BuildError;
use crate::forces::Jacobian;
use crate::forces::tetrahedron::{Lame, Tetrahedron};
use crate::model::build::{Builder, Part};
use crate::model::deformable::Kind;
use crate::model::shell::quad::Thread;
use crate::model::shell::triangles::Edge;
use crate::model::spec::PinSpec;
use glam::DVec3;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A tetrahedron that fills less of the cube of its longest edge than this has no volume.
const LEAST_VOLUME: f64 = 1e-9;

/// One solid, as large at rest as it starts.
#[derive(Clone, Debug, PartialEq)]
pub struct SolidSpec {
    /// Name, for messages and files.
    pub name: String,
    /// Where its particles start, m.
    pub points: Vec<DVec3>,
    /// Their tetrahedra, in any orientation.
    pub tets: Vec<[u32; 4]>,
    /// Its density, kg/m³.
    pub density_kg_per_m3: f64,
    /// Young's modulus, Pa.
    pub young_pa: f64,
    /// Poisson's ratio, above −1 and below ½.
    pub poisson: f64,
    /// Its viscosity as a share of its stiffness, s.
    pub damping_s: f64,
    /// What the solver's matrix keeps of the exact Jacobian.
    pub jacobian: Jacobian,
    /// Distance it keeps from what it touches, m.
    pub thickness_m: f64,
    /// Velocity of every particle at the start, m/s.
    pub velocity_m_per_s: DVec3,
    /// Where it is held; it has no corners and borders.
    pub pins: Vec<PinSpec>,
}

impl SolidSpec {
    /// A free solid of soft rubber at rest.
    pub fn new(name: impl Into<String>, points: Vec<DVec3>, tets: Vec<[u32; 4]>) -> Self {
        Self {
            name: name.into(),
            points,
            tets,
            density_kg_per_m3: 1000.0,
            young_pa: 1e5,
            poisson: 0.4,
            damping_s: 1e-3,
            jacobian: Jacobian::default(),
            thickness_m: 1e-3,
            velocity_m_per_s: DVec3::ZERO,
            pins: Vec::new(),
        }
    }

    fn corners(&self, tet: &[u32; 4]) -> [DVec3; 4] {
        tet.map(|corner| self.points[corner as usize])
    }

    /// Every edge of a tetrahedron once, by its own particles.
    fn edges(&self) -> BTreeSet<[u32; 2]> {
        let edges = self.tets.iter().flat_map(|&[a, b, c, d]| {
            [[a, b], [a, c], [a, d], [b, c], [b, d], [c, d]].map(|[p, q]| [p.min(q), p.max(q)])
        });
        edges.collect()
    }

    /// The triangles that one tetrahedron alone has, their fronts outwards.
    pub fn surface(&self) -> Vec<[u32; 3]> {
        let mut uses: BTreeMap<[u32; 3], (usize, [u32; 3])> = BTreeMap::new();
        for tet in &self.tets {
            let [a, b, c, d] = match volume_m3(&self.corners(tet)) < 0.0 {
                true => [tet[1], tet[0], tet[2], tet[3]],
                false => *tet,
            };
            for face in [[a, c, b], [a, b, d], [b, c, d], [c, a, d]] {
                let mut key = face;
                key.sort_unstable();
                uses.entry(key).or_insert((0, face)).0 += 1;
            }
        }
        let single = uses.into_values().filter(|(count, _)| *count == 1);
        single.map(|(_, face)| face).collect()
    }

    /// Refuses what is no solid.
    pub(super) fn validate(&self) -> Result<(), BuildError> {
        let refuse = |key: &str, message: &str| {
            Err(BuildError {
                key: key.into(),
                message: message.into(),
            })
        };
        if !self.points.iter().all(|point| point.is_finite()) {
            return refuse("points", "expected finite numbers");
        }
        let exists = |corner: &u32| (*corner as usize) < self.points.len();
        if self.tets.is_empty() || !self.tets.iter().flatten().all(exists) {
            return refuse("tets", "expected tetrahedra of points that exist");
        }
        let mut used = vec![false; self.points.len()];
        for tet in &self.tets {
            tet.iter().for_each(|corner| used[*corner as usize] = true);
            let x = self.corners(tet);
            let longest_m = x.iter().flat_map(|a| x.map(|b| a.distance(b)));
            let longest_m = longest_m.fold(0.0, f64::max);
            if volume_m3(&x).abs() <= LEAST_VOLUME * longest_m.powi(3) {
                return refuse("tets", "expected every tetrahedron to have a volume");
            }
        }
        if used.contains(&false) {
            return refuse("points", "expected every point to have a tetrahedron");
        }
        let positive = [
            ("density_kg_per_m3", self.density_kg_per_m3),
            ("young_pa", self.young_pa),
            ("thickness_m", self.thickness_m),
        ];
        for (key, value) in positive {
            if !(value.is_finite() && value > 0.0) {
                return refuse(key, "expected a positive number");
            }
        }
        if !(self.poisson > -1.0 && self.poisson < 0.5) {
            return refuse("poisson", "expected a number above -1 and below 0.5");
        }
        if !(self.damping_s.is_finite() && self.damping_s >= 0.0) {
            return refuse("damping_s", "expected a number of at least 0");
        }
        Ok(())
    }
}

/// Volume of a tetrahedron, m³; negative where its corners turn the other way.
fn volume_m3([a, b, c, d]: &[DVec3; 4]) -> f64 {
    (*b - *a).cross(*c - *a).dot(*d - *a) / 6.0
}

impl Builder {
    /// Adds a solid and its pins.
    pub fn add_solid(&mut self, solid: &SolidSpec) -> Result<(), BuildError> {
        self.add_pins(&solid.pins, &[], &solid.points)?;
        let first = self.first_particle();
        let mut masses = vec![0.0; solid.points.len()];
        for tet in &solid.tets {
            let mass_kg = solid.density_kg_per_m3 * volume_m3(&solid.corners(tet)).abs();
            for corner in tet {
                masses[*corner as usize] += 0.25 * mass_kg;
            }
        }
        let lame = Lame::of(solid.young_pa, solid.poisson);
        let elements = solid.tets.iter().map(|tet| {
            let corners = solid.corners(tet);
            let element = Tetrahedron::new(corners, lame, solid.damping_s, solid.jacobian);
            (tet.map(|corner| corner + first), element)
        });
        let elements = Elements::new(self.total, elements);
        self.materials.elements.push(Arc::new(elements));
        let mut lengths_m = [f64::INFINITY, 0.0];
        for [a, b] in solid.edges() {
            let length_m = solid.points[a as usize].distance(solid.points[b as usize]);
            lengths_m = [lengths_m[0].min(length_m), lengths_m[1].max(length_m)];
            self.materials.edges.push(Edge {
                ends: [a, b].map(|end| end + first),
                rest_length_m: length_m,
                thread: Thread::Diagonal,
            });
        }
        self.add(Part {
            name: solid.name.clone(),
            kind: Kind::Solid,
            positions: solid.points.clone(),
            velocity_m_per_s: solid.velocity_m_per_s,
            masses,
            faces: solid.surface(),
            lone_edges: Vec::new(),
            thickness_m: solid.thickness_m,
            lengths_m,
        });
        Ok(())
    }
}
