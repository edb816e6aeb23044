//! Whether a step is taken: every rule of refusal, and what becomes of what it refuses.
//!
//! | rule | refuses | then |
//! |---|---|---|
//! | [`refuse_fast_colliders`] | a collider that comes to cloth by more than an edge | shorter |
//! | [`FeatureContact::begin`](crate::contact::FeatureContact) | the same of a body | shorter |
//! | [`refuse_unstable`] | a step above what an explicit or mixed scheme bears | shorter; fails if more than twice too long |
//! | the linear solver, [`refuse_infinite`] | no answer, or none that is a number | shorter |
//! | the guard | what prescribed motion presses into each other | shorter; let through where nothing helped |
//! | [`refuse_stretch`] | cloth stretched by more than [`StepConfig::max_stretch_step`] | shorter, while that may help |
//! | [`super::energy_check`] | contact that gives energy | shorter, twice at the most |
//! | [`super::watch`] | what passed through something | fails: a fault is not to be hidden by luck with another step |
//!
//! The last three before the watch judge how well a step was resolved. One that cannot be any shorter is taken
//! whatever they say: [`Policy::can_shorten`] is the same for every driver.

use super::{StepStart, stretch};
use crate::config::{Integrator, StepConfig};
use crate::constraints::StepConstraints;
use crate::error::StepError;
use glam::DVec3;
use std::ops::Range;
use toile_numerics::integrate::Rates;
use toile_numerics::par;

/// The most that a collider's surface may go in a step in which it comes to cloth, in shortest links: beyond that it
/// would meet all of the cloth in its way at once, and draw it out instead of pushing it.
const MOST_STRIKE: f64 = 1.0;
/// Times that a step which stretches cloth is shortened even if that does not help at first: a blow may come
/// anywhere in a step, so that one half tells nothing yet (`drop-on-sphere` at 1/60 s).
const LEAST_HALVINGS: u32 = 2;
/// A step is refused above this share of the estimated limit. Above it rounding decides.
const SAME: f64 = 1.0 + 1e-9;
/// A step that is this many times too long for its scheme is a mistake of whoever asked for it.
const FAR_TOO_LONG: f64 = 2.0;

/// What a driver can do about a step that is refused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Policy {
    /// Times that it was shortened already.
    pub shortened: u32,
    /// How much it stretched cloth when it was longer, as a share of the length at rest.
    pub growth: f64,
    /// Whether it can be taken shorter still.
    pub can_shorten: bool,
    /// Whether cloth that solids press into each other is let through: when nothing else has helped.
    pub lets_through: bool,
}

impl Policy {
    /// A step that can be taken shorter, and was not yet.
    pub const FIRST: Self = Self {
        shortened: 0,
        growth: f64::INFINITY,
        can_shorten: true,
        lets_through: false,
    };

    /// A step that is taken as it is, or not at all.
    pub const AS_IT_IS: Self = Self {
        can_shorten: false,
        ..Self::FIRST
    };

    /// That of the parts of a step that was refused for `reason`, or did too much.
    pub fn shorter(self, reason: Option<StepError>) -> Self {
        Self {
            shortened: self.shortened + 1,
            growth: match reason {
                Some(StepError::TooStretched { growth, .. }) => growth,
                _ => self.growth,
            },
            ..self
        }
    }

    /// The same, and cloth that is crushed is let through.
    pub fn letting_through(self) -> Self {
        Self {
            lets_through: true,
            ..self
        }
    }

    /// What becomes of a step that was refused for `reason`.
    pub fn verdict(&self, reason: &StepError) -> Verdict {
        match *reason {
            reason if reason.is_fault() => Verdict::Fail,
            StepError::Unsupported(_) => Verdict::Fail,
            StepError::Unstable {
                step_s, limit_s, ..
            } if step_s > FAR_TOO_LONG * limit_s => Verdict::Fail,
            _ if self.can_shorten => Verdict::Shorten,
            StepError::Crushed { .. } if !self.lets_through => Verdict::LetThrough,
            _ => Verdict::Fail,
        }
    }
}

/// What becomes of a step that is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is taken again in shorter ones.
    Shorten,
    /// It is taken again as it is, and what is crushed is let through.
    LetThrough,
    /// That is the end.
    Fail,
}

/// A collider that goes by several edges in a step meets all of the cloth in its way at once.
pub(crate) fn refuse_fast_colliders(
    start: &StepStart<'_>,
    constraints: &StepConstraints,
) -> Result<(), StepError> {
    let motion_m = constraints.colliders.longest_strike_m();
    let limit_m = MOST_STRIKE * start.model.shortest_link_m;
    if motion_m > limit_m {
        return Err(StepError::TooFast { motion_m, limit_m });
    }
    Ok(())
}

/// An explicit or mixed scheme explodes above its longest stable step.
pub(crate) fn refuse_unstable(
    integrator: &Integrator,
    rates: &Rates,
    step_s: f64,
) -> Result<(), StepError> {
    let limit_s = integrator.longest_step_s(rates);
    if step_s > SAME * limit_s {
        return Err(StepError::Unstable {
            scheme: integrator.name(),
            step_s,
            limit_s,
        });
    }
    Ok(())
}

/// Every number that goes on is finite.
pub(crate) fn refuse_infinite(x: &[f64], v: &[f64]) -> Result<(), StepError> {
    let is_finite = |(x, v): (&f64, &f64)| (x + v).is_finite();
    let are_finite = |range: Range<usize>| {
        let both = x[range.clone()].iter().zip(&v[range]);
        both.fold(true, |all, one| all & is_finite(one))
    };
    if par::sum_leaves_with(x.len(), are_finite, |a, b| a && b) {
        return Ok(());
    }
    let first = x.iter().zip(v).position(|one| !is_finite(one));
    Err(StepError::NotFinite {
        particle: (first.unwrap_or_default() / 3) as u32,
    })
}

/// A step that sees cloth slack at its beginning, and far beyond its length at its end, has seen
/// nothing of what holds it back between.
pub(crate) fn refuse_stretch(
    start: &StepStart<'_>,
    config: &StepConfig,
    policy: &Policy,
    end: &[DVec3],
) -> Result<(), StepError> {
    if !policy.can_shorten || config.integrator.has_limit() {
        return Ok(());
    }
    let limit = config.max_stretch_step;
    let growth = stretch::growth_above(start.materials, &start.state.positions, end, limit);
    // Where shorter steps stretch as much as long ones, still shorter ones do not help.
    let may_help = growth < policy.growth || policy.shortened < LEAST_HALVINGS;
    if growth > limit && may_help {
        return Err(StepError::TooStretched { growth, limit });
    }
    Ok(())
}
