//! Whether a step is taken: every rule of refusal, and what becomes of what it refuses.
//!
//! | rule | refuses | then |
//! |---|---|---|
//! | the length of a step | what is no positive number | fails |
//! | [`Form::takes`](crate::Form) | a layout that the form of the linear system cannot take | fails |
//! | [`Materials::at`](crate::model::Materials::at) | what a cloth cannot be made of at the end | shorter |
//! | [`refuse_fast_colliders`] | a collider that comes to cloth by more than an edge | shorter |
//! | [`refuse_fast_bodies`] | the same of a body | shorter |
//! | the search for what starts crossed or pinched | coordinates too large for its arithmetic | shorter |
//! | [`refuse_unstable`] | a step above what an explicit or mixed scheme bears | shorter; fails if somebody asked for more than twice that |
//! | the linear solver, [`refuse_infinite`] | no answer, or none that is a number | shorter |
//! | the guard | what prescribed motion presses into each other | shorter; let through where nothing helped, or fails |
//! | [`refuse_stretch`] | cloth stretched by more than [`StepConfig::max_stretch_step`] by an implicit scheme | shorter, while that may help |
//! | [`super::energy_check`] | contact that gives energy, with `auto` and an implicit scheme: other settings ask for a fixed amount of work | shorter, twice at the most |
//! | [`super::watch`] | what passed through something | fails: a fault is not to be hidden by luck with another step |
//! | [`super::watch`] | coordinates too large for its arithmetic | shorter |
//!
//! The rules of stretch and energy judge how well a step was resolved. One that cannot be any shorter is taken
//! whatever they say: [`Policy::can_shorten`] means the same for every driver.

use super::{StepStart, stretch};
use crate::config::{Integrator, StepConfig};
use crate::constraints::StepConstraints;
use crate::contact::feature_contact::WhenCrushed;
use crate::contact::tuning::TUNING;
use crate::contact::{FeatureContact, StepContacts};
use crate::error::StepError;
use glam::DVec3;
use std::ops::Range;
use toile_numerics::integrate::Rates;
use toile_numerics::par;

/// Times that a step is shortened for how it was resolved, whether that helps or not: a blow may come anywhere in a
/// step, so that one half tells nothing yet (`drop-on-sphere` at 1/60 s). Beyond that stretch must become less
/// with it, and energy is no reason any more: it is prescribed motion that presses.
pub(super) const HALVINGS_ON_TRIAL: u32 = 2;
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
    /// Whether somebody asked for this length, and may have been wrong.
    pub is_asked_for: bool,
    /// Whether it can be taken shorter still.
    pub can_shorten: bool,
    /// What becomes of cloth that solids press into each other.
    pub when_crushed: WhenCrushed,
}

impl Policy {
    /// A step that can be taken shorter, and was not yet.
    pub const FIRST: Self = Self {
        shortened: 0,
        growth: f64::INFINITY,
        is_asked_for: true,
        can_shorten: true,
        when_crushed: WhenCrushed::Refuse,
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
            when_crushed: WhenCrushed::LetThrough,
            ..self
        }
    }

    /// What becomes of a step that was refused for `reason`.
    pub fn verdict(&self, reason: &StepError) -> Verdict {
        match *reason {
            StepError::BadStep { .. } => Verdict::Fail,
            reason if reason.is_fault() => Verdict::Fail,
            StepError::Unsupported(_) => Verdict::Fail,
            StepError::Unstable {
                step_s, limit_s, ..
            } if self.is_asked_for && step_s > FAR_TOO_LONG * limit_s => Verdict::Fail,
            _ if self.can_shorten => Verdict::Shorten,
            StepError::Crushed { .. } if self.when_crushed == WhenCrushed::Refuse => {
                Verdict::LetThrough
            }
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

/// A collider that goes by several edges in a step meets all of the cloth in its way at once, and would draw it out
/// instead of pushing it.
pub(crate) fn refuse_fast_colliders(
    start: &StepStart<'_>,
    constraints: &StepConstraints,
) -> Result<(), StepError> {
    let motion_m = constraints.colliders.longest_strike_m();
    let limit_m = TUNING.most_approach_edges * start.model.shortest_link_m;
    if motion_m > limit_m {
        return Err(StepError::TooFast { motion_m, limit_m });
    }
    Ok(())
}

/// Contacts are looked for where the step begins: a body that moves by several edges meets other
/// features than those, and would tear cloth along with it instead of pushing it.
pub(crate) fn refuse_fast_bodies(
    features: &FeatureContact,
    contacts: &StepContacts,
) -> Result<(), StepError> {
    let motion_m = contacts.body_approach_m;
    let limit_m = TUNING.most_approach_edges * features.shortest_edge_m();
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
    let may_help = growth < policy.growth || policy.shortened < HALVINGS_ON_TRIAL;
    if growth > limit && may_help {
        return Err(StepError::TooStretched { growth, limit });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CRUSHED: StepError = StepError::Crushed { vertices: [0; 4] };
    const STRETCHED: StepError = StepError::TooStretched {
        growth: 0.2,
        limit: 0.05,
    };

    fn unstable(step_s: f64) -> StepError {
        StepError::Unstable {
            scheme: "rk4",
            step_s,
            limit_s: 1.0,
        }
    }

    #[test]
    fn what_can_be_shorter_is_tried_shorter_but_for_faults_and_mistakes() {
        let verdict = |reason| Policy::FIRST.verdict(&reason);
        assert_eq!(verdict(STRETCHED), Verdict::Shorten);
        assert_eq!(verdict(CRUSHED), Verdict::Shorten);
        assert_eq!(verdict(unstable(1.9)), Verdict::Shorten);
        assert_eq!(verdict(unstable(2.1)), Verdict::Fail);
        let crossed = StepError::Crossed {
            triangles: [0, 1],
            pairs: 1,
        };
        assert_eq!(verdict(crossed), Verdict::Fail);
    }

    #[test]
    fn what_cannot_be_shorter_fails_or_lets_through_once() {
        let policy = Policy::AS_IT_IS;
        assert_eq!(policy.verdict(&unstable(1.5)), Verdict::Fail);
        assert_eq!(policy.verdict(&CRUSHED), Verdict::LetThrough);
        assert_eq!(policy.letting_through().verdict(&CRUSHED), Verdict::Fail);
    }

    #[test]
    fn parts_remember_what_the_whole_did() {
        let once = Policy::FIRST.shorter(Some(STRETCHED));
        assert_eq!((once.shortened, once.growth), (1, 0.2));
        let twice = once.shorter(Some(CRUSHED));
        assert_eq!((twice.shortened, twice.growth), (2, 0.2));
    }

    #[test]
    fn the_first_number_that_is_none_is_named() {
        let (mut x, v) = (vec![0.0; 3000], vec![1.0; 3000]);
        assert_eq!(refuse_infinite(&x, &v), Ok(()));
        x[1501] = f64::NAN;
        let refused = refuse_infinite(&x, &v);
        assert_eq!(refused, Err(StepError::NotFinite { particle: 500 }));
    }
}
