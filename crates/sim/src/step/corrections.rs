//! What is corrected after a solve, in the only order there is: [`Solved`] → [`Settled`] → [`OnColliders`] →
//! [`Guarded`]. Each takes the one before, so no other order can be written, and only what is guarded can become
//! the state.

use super::StepStart;
use crate::constraints::{End, StepConstraints};
use crate::contact::collider::ColliderContact;
use crate::contact::feature_contact::WhenCrushed;
use crate::contact::{FeatureContact, GuardReport, StepContacts};
use crate::error::StepError;
use crate::model::Model;
use crate::report::Took;
use glam::DVec3;

/// Contact of features in the step, if there is any.
type Features<'f> = Option<(&'f mut FeatureContact, &'f mut StepContacts)>;

/// The end of a step as the solver left it.
pub(crate) struct Solved<'a>(pub End<'a>);

/// The same where what impulses left to meet has stopped approaching. Colliders come after it: what it leads into
/// one is put out.
pub(crate) struct Settled<'a>(End<'a>);

/// The same where nothing is in a collider.
pub(crate) struct OnColliders<'a> {
    end: End<'a>,
    on_colliders: Vec<ColliderContact>,
}

/// The same where nothing has passed through anything.
pub(crate) struct Guarded<'a> {
    /// The end.
    pub end: End<'a>,
    /// Contacts with colliders that go on.
    pub on_colliders: Vec<ColliderContact>,
    /// What the guard took out of the motion.
    pub took: Took,
}

impl<'a> Solved<'a> {
    /// Ends the approach of what impulses have left to meet.
    pub fn settle(self, contact: Features<'_>) -> Settled<'a> {
        let Self(mut end) = self;
        if let Some((features, contacts)) = contact {
            features.settle(contacts, &mut end);
        }
        Settled(end)
    }
}

impl<'a> Settled<'a> {
    /// Puts contacts with colliders in order, as the solve's `reactions` have it, and what got in on the surface.
    pub fn put_on_colliders(
        self,
        start: &StepStart<'_>,
        constraints: &StepConstraints,
        reactions: &[DVec3],
    ) -> OnColliders<'a> {
        let Self(mut end) = self;
        let on_colliders = constraints.finish(start.model, reactions, &mut end);
        OnColliders { end, on_colliders }
    }
}

impl<'a> OnColliders<'a> {
    /// Frees what is crossed and keeps apart what would pass through each other; what that did goes to `report`.
    pub fn guard(
        self,
        model: &Model,
        contact: Features<'_>,
        when_crushed: WhenCrushed,
        report: &mut GuardReport,
    ) -> Result<Guarded<'a>, StepError> {
        let Self {
            mut end,
            on_colliders,
        } = self;
        let mut took = Took::default();
        if let Some((features, contacts)) = contact {
            features.free_and_carry(contacts, &mut end);
            let before = end.velocities.to_vec();
            report.add(&features.guard(contacts, when_crushed, &mut end)?);
            took = Took::between(model, &before, end.velocities);
        }
        Ok(Guarded {
            end,
            on_colliders,
            took,
        })
    }
}
