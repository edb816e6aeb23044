//! Rods: lines of particles, in their smallest form. They resist being stretched and compressed, but neither
//! bending nor twisting, as a chain does.
//!
//! Calibration: a link of length L at rest stands for so much of the rod, `k = EA/L`; half of its mass is at
//! each of its ends.

use crate::assembly::elements::Elements;
use crate::error::BuildError;
use crate::forces::HookeanLink;
use crate::forces::spring::Spring;
use crate::model::build::{Builder, Part};
use crate::model::deformable::Kind;
use crate::model::shell::quad::Thread;
use crate::model::shell::triangles::Edge;
use crate::model::spec::PinSpec;
use glam::DVec3;
use std::sync::Arc;

/// One rod, as long at rest as it starts.
#[derive(Clone, Debug, PartialEq)]
pub struct RodSpec {
    /// Name, for messages and files.
    pub name: String,
    /// Where its particles start, m: one after the other along it.
    pub points: Vec<DVec3>,
    /// Whether its last particle is linked to its first.
    pub is_closed: bool,
    /// Half its thickness, m.
    pub radius_m: f64,
    /// Its mass per length, kg/m.
    pub kg_per_m: f64,
    /// Force by strain, N: Young's modulus times the area of its section.
    pub stretch_n: f64,
    /// Its viscosity as a share of that, s.
    pub damping_s: f64,
    /// Velocity of every particle at the start, m/s.
    pub velocity_m_per_s: DVec3,
    /// Where it is held; it has no corners and borders.
    pub pins: Vec<PinSpec>,
}

impl RodSpec {
    /// A free chain at rest, 4 mm thick and of 20 g/m, that a weight of 1 kg stretches by 2 %.
    pub fn new(name: impl Into<String>, points: Vec<DVec3>) -> Self {
        Self {
            name: name.into(),
            points,
            is_closed: false,
            radius_m: 2e-3,
            kg_per_m: 0.02,
            stretch_n: 500.0,
            damping_s: 1e-3,
            velocity_m_per_s: DVec3::ZERO,
            pins: Vec::new(),
        }
    }

    /// Its links, by its own particles.
    pub fn links(&self) -> Vec<[u32; 2]> {
        let count = self.points.len() as u32;
        let open = (1..count).map(|k| [k - 1, k]);
        let last = (self.is_closed && count > 2).then(|| [count - 1, 0]);
        open.chain(last).collect()
    }

    fn length_m(&self, [a, b]: [u32; 2]) -> f64 {
        self.points[a as usize].distance(self.points[b as usize])
    }

    /// Refuses what is no rod.
    pub(super) fn validate(&self) -> Result<(), BuildError> {
        let refuse = |key: &str, message: &str| {
            Err(BuildError {
                key: key.into(),
                message: message.into(),
            })
        };
        if self.points.len() < 2 || !self.points.iter().all(|point| point.is_finite()) {
            return refuse("points", "expected at least 2 points of finite numbers");
        }
        if self.links().iter().any(|link| self.length_m(*link) <= 0.0) {
            return refuse("points", "expected no point in the place of the one before");
        }
        let positive = [
            ("radius_m", self.radius_m),
            ("kg_per_m", self.kg_per_m),
            ("stretch_n", self.stretch_n),
        ];
        for (key, value) in positive {
            if !(value.is_finite() && value > 0.0) {
                return refuse(key, "expected a positive number");
            }
        }
        if !(self.damping_s.is_finite() && self.damping_s >= 0.0) {
            return refuse("damping_s", "expected a number of at least 0");
        }
        Ok(())
    }
}

impl Builder {
    /// Adds a rod and its pins.
    pub fn add_rod(&mut self, rod: &RodSpec) -> Result<(), BuildError> {
        self.add_pins(&rod.pins, &[], &rod.points)?;
        let first = self.first_particle();
        let links = rod.links();
        let mut masses = vec![0.0; rod.points.len()];
        let mut lengths_m = [f64::INFINITY, 0.0];
        for link in &links {
            let length_m = rod.length_m(*link);
            lengths_m = [lengths_m[0].min(length_m), lengths_m[1].max(length_m)];
            for end in link {
                masses[*end as usize] += 0.5 * rod.kg_per_m * length_m;
            }
        }
        let springs = links.iter().map(|link| {
            let rest_length_m = rod.length_m(*link);
            let stiffness_n_per_m = rod.stretch_n / rest_length_m;
            let spring = Spring {
                law: HookeanLink {
                    stiffness_n_per_m,
                    rest_length_m,
                },
                damping_n_s_per_m: rod.damping_s * stiffness_n_per_m,
            };
            (link.map(|end| end + first), spring)
        });
        let springs = Elements::new(self.total, springs);
        self.materials.elements.push(Arc::new(springs));
        let edges = links.iter().map(|link| Edge {
            ends: link.map(|end| end + first),
            rest_length_m: rod.length_m(*link),
            thread: Thread::Warp,
        });
        self.materials.edges.extend(edges);
        self.add(Part {
            name: rod.name.clone(),
            kind: Kind::Rod,
            positions: rod.points.clone(),
            velocity_m_per_s: rod.velocity_m_per_s,
            masses,
            faces: Vec::new(),
            lone_edges: links,
            thickness_m: 2.0 * rod.radius_m,
            lengths_m,
        });
        Ok(())
    }
}
