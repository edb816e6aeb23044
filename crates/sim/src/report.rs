//! What a step and a state have to say in numbers.

use crate::colliders::Shape;
use crate::constraints::stick::Bond;
use crate::constraints::strain_limit::Limited;
use crate::contact::{GuardReport, Struck};
use crate::model::{Materials, Model};
use crate::state::State;
use glam::DVec3;
use std::collections::BTreeSet;
use std::ops::AddAssign;
use toile_geometry::{TriMesh, intersections_between};
use toile_numerics::integrate::Info;
use toile_numerics::par;

/// Where the time of a step went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Phases {
    /// Finding and settling contacts, s.
    pub contact_s: f64,
    /// Of it, listing the pairs of cloth that touch or are about to, s.
    pub proximity_s: f64,
    /// Of it, the guard against passing through, s.
    pub guard_s: f64,
    /// The exact intersection test, s.
    pub verify_s: f64,
    /// Forces and matrices, s.
    pub assembly_s: f64,
    /// Linear solves, s.
    pub solve_s: f64,
    /// The whole step, s.
    pub total_s: f64,
}

impl AddAssign<&Self> for Phases {
    fn add_assign(&mut self, more: &Self) {
        self.contact_s += more.contact_s;
        self.proximity_s += more.proximity_s;
        self.guard_s += more.guard_s;
        self.verify_s += more.verify_s;
        self.assembly_s += more.assembly_s;
        self.solve_s += more.solve_s;
        self.total_s += more.total_s;
    }
}

/// What one step did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Particles in contact with colliders.
    pub contacts: usize,
    /// Contacts of cloth with cloth and with bodies.
    pub touches: usize,
    /// Places that particles stick to at its end.
    pub bonds: usize,
    /// What impulses did, where they are the response to contact.
    pub struck: Struck,
    /// What the guard against passing through did.
    pub guarded: GuardReport,
    /// What it took out of the motion.
    pub guard_took: Took,
    /// Particles that bodies or colliders pinched.
    pub pinched: usize,
    /// Those of them that were let through bodies, as there was no room for them.
    pub let_through: usize,
    /// Pairs of triangles of cloth that crossed at the start of the step and are being freed.
    pub tangled: usize,
    /// Pairs of triangles that meet at the end; nothing if nobody looked.
    pub crossings: Option<usize>,
    /// Pairs of a triangle of cloth and one of a body that meet at the end; nothing if nobody looked
    /// or there is no body.
    pub body_crossings: Option<usize>,
    /// What the integrator did.
    pub integration: Info,
    /// What the strain limit did.
    pub limited: Limited,
    /// The step as a share of the longest stable one; 0 where every step is stable.
    pub share_of_limit: f64,
    /// Its length as a share of the longest wise one, 0 where there is none.
    pub share_of_advice: f64,
    /// Where the time went.
    pub phases: Phases,
}

/// What a change of velocities took out of a motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Took {
    /// Kinetic energy, J; negative where it was added.
    pub energy_j: f64,
    /// Length of the change of momentum, N s.
    pub momentum_n_s: f64,
}

impl Took {
    /// By the change from `before` to `after`.
    pub(crate) fn between(model: &Model, before: &[DVec3], after: &[DVec3]) -> Self {
        let mut took = Self::default();
        let mut momentum = DVec3::ZERO;
        let changed = before.iter().zip(after).zip(&model.masses);
        for ((before, after), mass) in changed.filter(|((b, a), _)| a != b) {
            took.energy_j += 0.5 * mass * (before.length_squared() - after.length_squared());
            momentum += *mass * (*before - *after);
        }
        took.momentum_n_s = momentum.length();
        took
    }
}

/// Energies of a state, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// Of motion.
    pub kinetic_j: f64,
    /// Stored in stretch, shear and bending.
    pub elastic_j: f64,
    /// Of height.
    pub gravitational_j: f64,
}

impl Energy {
    /// Of `state`.
    pub fn of(model: &Model, state: &State) -> Self {
        let materials = model.materials_at(state.time_s);
        Self::at(
            (model, &materials),
            &state.positions,
            &state.velocities,
            &state.memory,
        )
    }

    /// Of particles anywhere, with what elements remember.
    pub(crate) fn at(
        (model, materials): (&Model, &Materials),
        x: &[DVec3],
        v: &[DVec3],
        memory: &[f64],
    ) -> Self {
        let n = model.particles();
        Self {
            kinetic_j: kinetic_j(model, v),
            elastic_j: materials
                .families()
                .map(|family| family.energy(x, memory))
                .sum(),
            gravitational_j: par::sum(n, |i| -model.masses[i] * model.gravity_m_per_s2.dot(x[i])),
        }
    }

    /// Of place.
    pub fn potential_j(&self) -> f64 {
        self.elastic_j + self.gravitational_j
    }

    /// Sum of all.
    pub fn total_j(&self) -> f64 {
        self.kinetic_j + self.potential_j()
    }
}

/// Energy of motion, J.
pub(crate) fn kinetic_j(model: &Model, velocities: &[DVec3]) -> f64 {
    par::sum(velocities.len(), |i| {
        0.5 * model.masses[i] * velocities[i].length_squared()
    })
}

/// How far the stretch and shear links, or the edges of triangles, are extended, as shares of their rest length; slack links
/// count as 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stretch {
    /// The largest.
    pub max: f64,
    /// The mean.
    pub mean: f64,
    /// 99 links of 100 are below this.
    pub p99: f64,
}

impl Stretch {
    /// Of `state`.
    pub fn of(model: &Model, state: &State) -> Self {
        let materials = model.materials_at(state.time_s);
        let mut all = Vec::new();
        for family in &materials.stretch {
            family.stretch(&state.positions, &mut all);
        }
        all.extend(materials.edges.iter().map(|edge| {
            let [i, j] = edge.ends.map(|end| state.positions[end as usize]);
            (i.distance(j) / edge.rest_length_m - 1.0).max(0.0)
        }));
        if all.is_empty() {
            return Self::default();
        }
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let at = (all.len() - 1) * 99 / 100;
        let (_, &mut p99, above) = all.select_nth_unstable_by(at, f64::total_cmp);
        Self {
            max: above.iter().copied().fold(p99, f64::max),
            mean,
            p99,
        }
    }
}

/// How cloth sticks in a frame, and what has changed since the one before. What is fastened for good is
/// not counted, and what is letting go has let go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sticking {
    /// Particles that stick, once for each way in which they do.
    pub stuck: usize,
    /// Of them, those that did not before.
    pub attached: usize,
    /// Those that did before and no longer do.
    pub released: usize,
}

impl Sticking {
    /// From the bonds of the frame before and those of the frame.
    pub fn between(model: &Model, before: &[Bond], after: &[Bond]) -> Self {
        let [before, after] = [before, after].map(|bonds| {
            let holds = |bond: &&Bond| {
                let is_fastened = model.sticks[bond.stick as usize].particles.is_empty();
                !bond.letting_go && !is_fastened
            };
            let keys = bonds.iter().filter(holds);
            keys.map(|bond| (bond.particle, bond.stick))
                .collect::<BTreeSet<_>>()
        });
        Self {
            stuck: after.len(),
            attached: after.difference(&before).count(),
            released: before.difference(&after).count(),
        }
    }
}

/// Depth of the deepest particle inside a collider's true surface, m; 0 when none is.
pub fn collider_penetration_m(model: &Model, state: &State) -> f64 {
    let colliders = model.colliders.iter();
    let each = colliders.map(|collider| collider.deepest_m(&state.positions, state.time_s));
    each.fold(0.0, f64::max)
}

/// Pairs of a triangle of cloth and one of a level set, where it is posed, that cross: level sets keep out
/// particles alone. Nothing without level sets.
pub fn level_set_crossings(model: &Model, state: &State) -> Option<usize> {
    let cloth = TriMesh {
        positions: state.positions.clone(),
        faces: model.mesh.faces.clone(),
    };
    let colliders = model.colliders.iter();
    let solids = colliders.filter_map(|collider| match &collider.shape {
        Shape::LevelSet(solid) => Some((collider.pose(state.time_s), solid)),
        _ => None,
    });
    let counts = solids.map(|(pose, solid)| {
        let mut positions = Vec::new();
        solid.place(state.time_s, &mut positions);
        positions.iter_mut().for_each(|p| *p = pose.place(*p));
        let faces = solid.mesh().faces.clone();
        let posed = TriMesh { positions, faces };
        // Both are finite and sound: a state and a solid that were accepted.
        intersections_between(&cloth, &posed, 0).map_or(0, |found| found.count)
    });
    counts.reduce(|sum, count| sum + count)
}
