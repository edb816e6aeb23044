//! Strain limit: no stretch or shear link leaves a step longer than `(1 + limit)` times its rest
//! length.
//!
//! - Projection: for a link of predicted ends `p = x + Δt v`, direction `n`, length `ℓ` and longest
//!   length `ℓ_max`, `J = (ℓ − ℓ_max)/(Δt (w_i + w_j))`, `v_i += w_i J n`, `v_j −= w_j J n`, with
//!   inverse masses `w`; a held particle has none, and one on a surface moves along it.
//! - Links are met one after the other in their fixed order, forwards and backwards in turn, until
//!   none is too long or the sweeps run out: the same bits on any number of threads.
//! - Momentum: each projection conserves it between free particles.
//! - Units: m, m/s, kg.
//! - Degenerate cases: links between two held particles are left alone.
//! - Source: *Simulation of Clothing with Folds and Wrinkles*, section 3.1, as velocity projection.
//! - Verified by: `tests/strain_limit.rs`.

use super::contact::Holds;
use crate::model::Model;
use glam::DVec3;
use toile_numerics::{Hold, par};

/// The limit's settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrainLimit {
    /// Largest extension, as a share of the rest length.
    pub max_extension: f64,
    /// Sweeps at the most.
    pub max_sweeps: u32,
}

/// What limiting a step did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limited {
    /// Projections made.
    pub projections: u32,
    /// Sweeps made.
    pub sweeps: u32,
}

/// Scratch memory.
#[derive(Default)]
pub struct Workspace {
    predicted: Vec<DVec3>,
    moved: Vec<u32>,
    too_long: Vec<u32>,
    holds: Vec<Option<Hold>>,
}

/// A link that exceeds the limit by less than this share of it is left alone.
const NOTICED: f64 = 1e-3;

/// Changes `v` so that `x + step_s v` meets the limit.
pub fn project(
    limit: &StrainLimit,
    model: &Model,
    holds: &Holds,
    (x, step_s): (&[DVec3], f64),
    v: &mut [DVec3],
    work: &mut Workspace,
) -> Limited {
    let Workspace {
        predicted,
        moved,
        too_long,
        holds: hold_of,
    } = work;
    predicted.resize(x.len(), DVec3::ZERO);
    let from = &*v;
    par::fill(predicted, |i| x[i] + step_s * from[i]);
    let longest = 1.0 + limit.max_extension;
    let noticed = longest + NOTICED * limit.max_extension;
    let mut limited = Limited::default();
    moved.clear();
    for sweep in 0..limit.max_sweeps {
        let before = limited.projections;
        for family in &model.stretch {
            too_long.clear();
            family.links_beyond(noticed, predicted, too_long);
            if too_long.is_empty() {
                continue;
            }
            if hold_of.is_empty() {
                hold_of.resize(x.len(), None);
                for target in &holds.targets {
                    hold_of[target.particle as usize] = Some(target.hold);
                }
            }
            if sweep % 2 == 1 {
                too_long.reverse();
            }
            for &link in &*too_long {
                let ends = family.ends()[link as usize];
                let length_m = longest * family.rest_length_m(link as usize);
                if shorten(model, hold_of, ends, length_m, predicted) {
                    limited.projections += 1;
                    moved.extend(ends);
                }
            }
        }
        if limited.projections == before {
            break;
        }
        limited.sweeps += 1;
    }
    hold_of.clear();
    moved.sort_unstable();
    moved.dedup();
    for &particle in &*moved {
        let i = particle as usize;
        v[i] = (predicted[i] - x[i]) / step_s;
    }
    limited
}

/// Brings a link's ends together to `length_m` if they are further apart.
fn shorten(
    model: &Model,
    holds: &[Option<Hold>],
    ends: [u32; 2],
    length_m: f64,
    predicted: &mut [DVec3],
) -> bool {
    let [i, j] = ends.map(|end| end as usize);
    let between = predicted[j] - predicted[i];
    let length = between.length();
    if length <= length_m {
        return false;
    }
    let n = between / length;
    // How far each end goes for a unit pull along the link.
    let [give_i, give_j] = [i, j].map(|particle| {
        let inverse_mass = 1.0 / model.masses[particle];
        match holds[particle] {
            None => inverse_mass * n,
            Some(hold) => inverse_mass * hold.free_part(n),
        }
    });
    let give = give_i.dot(n) + give_j.dot(n);
    // What lets go of less than this share is held across the link.
    let least = 1e-6 / model.masses[i].max(model.masses[j]);
    if give <= least {
        return false;
    }
    let pull = (length - length_m) / give;
    predicted[i] += pull * give_i;
    predicted[j] -= pull * give_j;
    true
}
