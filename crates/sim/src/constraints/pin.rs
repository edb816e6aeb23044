//! Pins: which particles they hold, where, and how.
//!
//! A firm pin is part of the solve: its held directions end exactly where its motion says. A soft
//! one is a spring to that place:
//!
//! - Energy: `½ k |H (x − g)|²`, with the goal `g` at the end of the step and the projector `H` on
//!   the held directions.
//! - Force: `−k H (x − g)`. Jacobian: `−k H`, constant, symmetric, negative semidefinite.
//! - Units: k in N/m. Degenerate cases: none.
//! - Verified by: `tests/pins.rs`, `tests/pin_motion.rs`, `tests/pin_release.rs`.

use super::motion::{Motion, Pose};
use crate::constraints::Target;
use crate::error::BuildError;
use crate::model::Model;
use crate::model::spec::{Border, Corner, PinHold, PinRegion, PinSpec};
use crate::state::State;
use glam::{DMat3, DVec2, DVec3};
use toile_numerics::Hold;

/// What the particles of one pin share.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    motion: Motion,
    middle: DVec3,
    hold: Hold,
    soft_n_per_m: Option<f64>,
    release_s: Option<f64>,
}

/// Two times nearer than this are the same: sums of steps are not exact.
pub(crate) const SAME_TIME_S: f64 = 1e-9;

impl Group {
    /// The group of `chosen` particles, whose indices are within `positions`.
    pub fn new(spec: &PinSpec, chosen: &[u32], positions: &[DVec3]) -> Result<Self, BuildError> {
        spec.motion.validate()?;
        let error = |key: &str, message: &str| BuildError {
            key: key.into(),
            message: message.into(),
        };
        let direction = |key: &str, along: DVec3| {
            along
                .try_normalize()
                .ok_or_else(|| error(key, "expected a direction"))
        };
        let hold = match spec.hold {
            PinHold::All => Hold::Fixed,
            PinHold::FreeAxis(axis) => Hold::Axis(direction("free_axis", axis)?),
            PinHold::Normal(normal) => Hold::Normal(direction("hold_normal", normal)?),
        };
        if spec
            .soft_n_per_m
            .is_some_and(|k| !(k.is_finite() && k > 0.0))
        {
            return Err(error("soft_n_per_m", "expected a positive number"));
        }
        if spec.release_s.is_some_and(|t| !(t.is_finite() && t >= 0.0)) {
            return Err(error("release_s", "expected a number of at least 0"));
        }
        let sum: DVec3 = chosen.iter().map(|&i| positions[i as usize]).sum();
        Ok(Self {
            motion: spec.motion.clone(),
            middle: sum / chosen.len().max(1) as f64,
            hold,
            soft_n_per_m: spec.soft_n_per_m,
            release_s: spec.release_s,
        })
    }

    fn is_released(&self, time_s: f64) -> bool {
        self.release_s.is_some_and(|t| time_s >= t - SAME_TIME_S)
    }
}

/// A firmly pinned particle during a step.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    /// Where it must end.
    pub target: Target,
    /// Its mean velocity on the way there, m/s.
    pub velocity: DVec3,
    /// What holds it.
    pub by: HeldBy,
}

/// What holds a particle firmly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeldBy {
    /// A pin.
    Pin {
        /// Whether it lets go at the end of the step.
        is_released: bool,
    },
    /// Colliders that close on it.
    Squeeze,
}

/// A particle drawn to a place during a step: softly pinned, or kept to its way over a collider.
#[derive(Clone, Copy, Debug)]
pub struct Spring {
    /// The particle.
    pub particle: u32,
    /// The directions it is drawn in.
    pub hold: Hold,
    /// Where it is drawn at the end of the step, m.
    pub goal: DVec3,
    /// How far that is from where it is drawn at the step's start, m.
    pub way: DVec3,
    /// Force by distance, N/m.
    pub stiffness_n_per_m: f64,
}

impl Spring {
    /// Where the particle is drawn at a share of the step, m.
    fn goal(&self, share: f64) -> DVec3 {
        self.goal - (1.0 - share) * self.way
    }

    /// Force on the particle at `position` and at a share of the step, N.
    pub fn force(&self, position: DVec3, share: f64) -> DVec3 {
        -self.stiffness_n_per_m * self.hold.held_part(position - self.goal(share))
    }

    /// Energy stored with the particle at `position` and at a share of the step, J.
    pub fn energy(&self, position: DVec3, share: f64) -> f64 {
        let away = self.hold.held_part(position - self.goal(share));
        0.5 * self.stiffness_n_per_m * away.length_squared()
    }

    /// Minus the derivative of the force, N/m.
    pub fn stiffness(&self) -> DMat3 {
        let held = DMat3::from_cols(
            self.hold.held_part(DVec3::X),
            self.hold.held_part(DVec3::Y),
            self.hold.held_part(DVec3::Z),
        );
        self.stiffness_n_per_m * held
    }
}

/// What `model`'s pins do in a step of `step_s` from `state`: the firm ones to `held`, the soft
/// ones to `springs`, both ascending.
pub fn begin(
    model: &Model,
    state: &State,
    step_s: f64,
    held: &mut Vec<Held>,
    springs: &mut Vec<Spring>,
) {
    held.clear();
    springs.clear();
    let end_s = state.time_s + step_s;
    let poses_at = |time_s: f64| -> Vec<Pose> {
        let pose = |group: &Group| group.motion.pose(time_s, group.middle);
        model.pin_groups.iter().map(pose).collect()
    };
    let (poses_before, poses) = (poses_at(state.time_s), poses_at(end_s));
    for (&particle, &group) in model.pins.iter().zip(&model.pin_group_of) {
        let (before, pose) = (&poses_before[group as usize], &poses[group as usize]);
        let group = &model.pin_groups[group as usize];
        if group.is_released(state.time_s) {
            continue;
        }
        let start = model.start_positions[particle as usize];
        let goal = pose.place(start);
        match group.soft_n_per_m {
            Some(stiffness_n_per_m) => springs.push(Spring {
                particle,
                hold: group.hold,
                goal,
                way: goal - before.place(start),
                stiffness_n_per_m,
            }),
            None => held.push(Held {
                target: Target {
                    particle,
                    hold: group.hold,
                    position: goal,
                },
                velocity: (goal - state.positions[particle as usize]) / step_s,
                by: HeldBy::Pin {
                    is_released: group.is_released(end_s),
                },
            }),
        }
    }
}

/// Indices within the cloth of the particles in `region`, ascending; `pattern` and `positions` are
/// where they lie at rest and at the start. Holding nothing is an error: it is always a mistake in
/// the scene.
pub fn select(
    region: &PinRegion,
    pattern: &[DVec2],
    positions: &[DVec3],
) -> Result<Vec<u32>, BuildError> {
    let error = |key: &str, message: String| BuildError {
        key: key.into(),
        message,
    };
    let count = positions.len();
    let matching = |holds: &dyn Fn(usize) -> bool| -> Vec<u32> {
        (0..count).filter(|&i| holds(i)).map(|i| i as u32).collect()
    };
    if pattern.is_empty() && matches!(region, PinRegion::Corners { .. } | PinRegion::Borders(_)) {
        let message = "only what has a pattern has corners and borders";
        return Err(error("region", message.into()));
    }
    let sides = Sides::of(pattern);
    let (key, chosen) = match region {
        PinRegion::Indices(indices) => {
            if let Some(index) = indices.iter().find(|&&i| i as usize >= count) {
                return Err(error(
                    "indices",
                    format!("there is no particle {index}: expected 0 to {}", count - 1),
                ));
            }
            let mut sorted = indices.clone();
            sorted.sort_unstable();
            sorted.dedup();
            ("indices", sorted)
        }
        PinRegion::Box(bounds) => ("box", matching(&|i| bounds.contains(positions[i]))),
        PinRegion::Ball { center, radius_m } => {
            // A particle exactly on the sphere belongs to it, whatever rounding says.
            let reach = (1.0 + 1e-9) * radius_m;
            let inside = |i: usize| positions[i].distance(*center) <= reach;
            ("ball", matching(&inside))
        }
        PinRegion::Corners { corners, patch_m } => {
            let inside = |i: usize| {
                corners.iter().any(|corner| {
                    let borders = match corner {
                        Corner::UMinVMin => [Border::UMin, Border::VMin],
                        Corner::UMaxVMin => [Border::UMax, Border::VMin],
                        Corner::UMinVMax => [Border::UMin, Border::VMax],
                        Corner::UMaxVMax => [Border::UMax, Border::VMax],
                    };
                    borders.map(|b| sides.is_within(*patch_m, b, pattern[i])) == [true; 2]
                })
            };
            ("corners", matching(&inside))
        }
        PinRegion::Borders(borders) => {
            let inside = |i: usize| {
                borders
                    .iter()
                    .any(|border| sides.is_within(0.0, *border, pattern[i]))
            };
            ("borders", matching(&inside))
        }
    };
    if chosen.is_empty() {
        return Err(error(
            key,
            "holds no particle: expected at least one inside".into(),
        ));
    }
    Ok(chosen)
}

/// The sides of the rectangle around a pattern.
pub struct Sides {
    low: DVec2,
    high: DVec2,
    /// A particle exactly on a line belongs to it, whatever rounding says.
    rounding_m: f64,
}

impl Sides {
    /// Those around these pattern coordinates.
    pub fn of(pattern: &[DVec2]) -> Self {
        let low = pattern.iter().copied().reduce(DVec2::min);
        let high = pattern.iter().copied().reduce(DVec2::max);
        let (low, high) = (low.unwrap_or_default(), high.unwrap_or_default());
        Self {
            low,
            high,
            rounding_m: 1e-9 * (high - low).max_element(),
        }
    }

    /// Whether a place is no further than `reach_m` from a side.
    pub fn is_within(&self, reach_m: f64, border: Border, place: DVec2) -> bool {
        let distance = match border {
            Border::UMin => place.x - self.low.x,
            Border::UMax => self.high.x - place.x,
            Border::VMin => place.y - self.low.y,
            Border::VMax => self.high.y - place.y,
        };
        distance <= reach_m + self.rounding_m
    }
}
