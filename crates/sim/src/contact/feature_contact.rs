//! Contact of the features of cloth and bodies, as phases of a step.
//!
//! A step calls them in this order; each needs what the ones before it made:
//!
//! 1. [`begin`](FeatureContact::begin) finds what touches: a [`StepContacts`] for the phases that follow, and the
//!    stencils that the solver is to know of.
//! 2. After a solve, [`strike`](FeatureContact::strike) says whether impulses call for another one.
//! 3. [`settle`](FeatureContact::settle) ends what impulses have left, before particles are put out of colliders:
//!    what it leads into one is put out again.
//! 4. [`free_and_carry`](FeatureContact::free_and_carry) leads out what is crossed and carries what is pinched.
//! 5. [`guard`](FeatureContact::guard) lets the step come as far as nothing passes through anything.
//! 6. Where that [changed much](FeatureContact::wants_to_resolve), the step is
//!    [solved again from the safe place](FeatureContact::resolve_from_safe), and goes on with 3.
//! 7. [`finish`](FeatureContact::finish) takes over what the next step must know, and ends the [`StepContacts`].

use crate::config::StepConfig;
use crate::constraints::{End, StepConstraints};
use crate::contact::balance::balance;
use crate::contact::collect::proximity;
use crate::contact::collect::proximity::Ahead;
use crate::contact::response;
use crate::contact::response::{ContactResponse, SolverKnows};
use crate::contact::step_contacts::{StepContacts, StepPath};
use crate::contact::tuning::TUNING;
use crate::contact::{
    ContactStencil, Crushed, FrictionTable, Guard, GuardReport, Listing, Surfaces, Untangler,
};
use crate::error::StepError;
use crate::model::Model;
use crate::state::State;
use crate::step::StepStart;
use glam::DVec3;
use toile_geometry::FacePair;
use toile_geometry::distance::between;

/// The surfaces of a model, and what answers their contact.
pub struct FeatureContact {
    friction: FrictionTable,
    gravity_m_per_s2: f64,
    surfaces: Surfaces,
    listing: Listing,
    guard: Guard,
    /// What frees cloth that starts crossed, if that is wanted.
    untangler: Option<Untangler>,
    response: Box<dyn ContactResponse>,
    /// Memory for the next step.
    spare: StepContacts,
}

/// What becomes of cloth that solids press into each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WhenCrushed {
    /// The step fails.
    #[default]
    Refuse,
    /// It is let through and counted: when nothing else has helped.
    LetThrough,
}

impl FeatureContact {
    /// For `model`; without contact in `config`, cloth meets bodies alone.
    pub fn new(model: &Model, config: &StepConfig) -> Self {
        let contact = config.contact;
        let surfaces = Surfaces::new(model, contact.is_none());
        let on_cloth = contact.map_or(0.0, |contact| contact.friction);
        let mut start = model.start_positions.clone();
        crate::bodies::place_all(&model.bodies, 0.0, &mut start);
        Self {
            friction: FrictionTable::new(model, on_cloth),
            gravity_m_per_s2: model.gravity_m_per_s2.length(),
            listing: Listing::new(&surfaces, &start),
            response: response::chosen(config, &surfaces),
            surfaces,
            guard: Guard::default(),
            untangler: config.untangle.then(Untangler::default),
            spare: StepContacts::default(),
        }
    }

    /// The next step goes on from a state that does not follow from the last one.
    pub fn restart(&mut self) {
        if let Some(untangler) = &mut self.untangler {
            untangler.forget();
        }
    }

    /// Particles that are pinched between bodies and colliders in the last step.
    pub fn pinched(&self) -> usize {
        self.listing.pinches.pinched
    }

    /// Particles that are let through bodies in the last step, as there is no room for them.
    pub fn let_through(&self) -> usize {
        self.listing.pinches.let_through()
    }

    /// Whether cloth may be in bodies at the end of the last step: it was where the step began, or is let
    /// through.
    pub fn is_in_bodies(&self) -> bool {
        let untangler = self.untangler.as_ref();
        let began = untangler.is_some_and(|untangler| !untangler.in_bodies().is_empty());
        began || self.listing.pinches.is_busy()
    }

    /// Pairs of triangles that crossed where the step begins and are being freed.
    pub fn crossings(&self) -> usize {
        let untangler = self.untangler.as_ref();
        untangler.map_or(0, |untangler| untangler.crossings)
    }

    /// Begins a step: returns what the phases after it need, and the contacts that the
    /// solver is to know of.
    pub fn begin(
        &mut self,
        start: &StepStart<'_>,
        constraints: &mut StepConstraints,
    ) -> Result<(StepContacts, Vec<ContactStencil>), StepError> {
        let StepStart {
            model,
            state,
            step_s,
            ..
        } = *start;
        if model.friction.iter().any(|pair| pair.friction.changes()) {
            self.friction.refresh(model, start.materials);
        }
        let mut step = std::mem::take(&mut self.spare);
        step.begin(model, state, constraints, step_s);
        self.find_crossings(&step, state)?;
        let mut found = self.collect(&step, state, &[]);
        let pinches = &mut self.listing.pinches;
        pinches.squeeze(model, state, step_s, &step.motion.start, &mut found);
        if let (true, Some(untangler)) = (pinches.is_busy(), &mut self.untangler) {
            untangler.doubt();
        }
        step.body_approach_m = Self::body_approach_m(&step.path, &found);
        step.release_stopped(constraints, &found);
        let told = self.response.tell_solver(found);
        Ok((step, told))
    }

    /// Finds what is crossed or pinched where a step begins, and is not to be held.
    fn find_crossings(&mut self, step: &StepContacts, state: &State) -> Result<(), StepError> {
        let motion = &step.motion;
        let mut in_bodies: &[FacePair] = &[];
        if let Some(untangler) = &mut self.untangler {
            untangler.begin(&self.surfaces, &motion.start, state.steps)?;
            self.listing.loose.clear();
            self.listing.loose.extend_from_slice(untangler.loose());
            in_bodies = untangler.in_bodies();
        }
        let pinches = &mut self.listing.pinches;
        pinches.begin(&self.surfaces, &motion.start, &motion.body_ends, in_bodies)
    }

    /// How far the fastest body and cloth would come together in the step where they touch, m.
    fn body_approach_m(path: &StepPath, stencils: &[ContactStencil]) -> f64 {
        let approach = |stencil: &ContactStencil| {
            let ends = stencil.pair.of(&path.expected);
            (between(&stencil.weights, &ends) - stencil.before.apart).length()
        };
        let on_bodies = stencils.iter().filter(|stencil| stencil.is_on_body());
        on_bodies.map(approach).fold(0.0, f64::max)
    }

    /// The shortest edge of cloth at rest, m.
    pub fn shortest_edge_m(&self) -> f64 {
        self.surfaces.shortest_edge_m
    }

    /// Finds what touches where the step has got so far, given the contacts of an earlier solve of the same step.
    fn collect(
        &mut self,
        step: &StepContacts,
        state: &State,
        earlier: &[ContactStencil],
    ) -> Vec<ContactStencil> {
        let ahead = Ahead {
            step,
            remembered: &state.touches,
            gravity_m_per_s2: self.gravity_m_per_s2,
            friction: &self.friction,
            is_potential: self.response.solver_knows() != SolverKnows::Nothing,
        };
        let mut found = proximity::find(&self.surfaces, &ahead, &mut self.listing, earlier);
        self.response.select(&self.surfaces, &ahead, &mut found);
        if let Some(untangler) = &self.untangler {
            untangler.drop_near(&mut found);
        }
        if !step.motion.is_led && self.knows_features() {
            balance(&self.surfaces, &state.touches, &mut found);
        }
        found
    }

    /// Goes on from where the guard stopped the way, [`StepContacts::reached`], for the solver to begin from:
    /// returns what touches there, given what did in the solve before.
    pub fn resolve_from_safe(
        &mut self,
        step: &mut StepContacts,
        state: &State,
        constraints: &mut StepConstraints,
        earlier: &[ContactStencil],
    ) -> Vec<ContactStencil> {
        let found = self.collect(step, state, earlier);
        step.release_stopped(constraints, &found);
        found
    }

    /// Whether the guard changed the way so much that the step should be solved again from there. A solver that
    /// knows nothing of contacts would do the same again.
    pub fn wants_to_resolve(&self, guarded: &GuardReport) -> bool {
        let most_m = TUNING.resolve_change_edges * self.surfaces.shortest_edge_m;
        self.knows_features() && guarded.largest_change_m > most_m
    }

    /// Changes the end of a step by the impulses of what meets on the way there, where contact is not the
    /// solver's business. Returns whether there were any.
    pub fn strike(&mut self, step: &mut StepContacts, end: &mut End<'_>) -> bool {
        let as_struck = step.struck_by(&self.friction, self.gravity_m_per_s2);
        let response = &mut self.response;
        let struck = response.strike(&self.surfaces, &mut self.listing, &as_struck, end);
        step.struck.add(&struck);
        struck.hardest_m_per_s > 0.0
    }

    /// Changes the end of a step as last solved: ends the approach of what impulses have left to meet.
    pub fn settle(&mut self, step: &mut StepContacts, end: &mut End<'_>) {
        let as_struck = step.struck_by(&self.friction, self.gravity_m_per_s2);
        let response = &mut self.response;
        let struck = response.settle(&self.surfaces, &mut self.listing, &as_struck, end);
        step.struck.add(&struck);
    }

    /// Changes the end of a step: leads out what is crossed, and carries what is pinched.
    pub fn free_and_carry(&mut self, step: &StepContacts, end: &mut End<'_>) {
        let motion = &step.motion;
        if let Some(untangler) = &mut self.untangler {
            let particles = self.surfaces.particles();
            let ways = motion.body_ends.iter().zip(&motion.start[particles..]);
            let ways = ways.map(|(end, start)| *end - *start);
            untangler.push(&self.surfaces, &step.movable, ways, step.step_s, end);
        }
        let pinches = &self.listing.pinches;
        pinches.push(&step.movable, &motion.start, step.step_s, end);
    }

    /// Whether contact is answered by impulses.
    pub fn uses_impulses(&self) -> bool {
        self.response.solver_knows() == SolverKnows::Nothing
    }

    /// Whether the solver knows of all features.
    fn knows_features(&self) -> bool {
        self.response.solver_knows() == SolverKnows::Features
    }

    /// Whether impulses of this step are a blow, after which the past is no guide.
    pub fn is_struck(&self, step: &StepContacts) -> bool {
        step.struck.hardest_m_per_s > step.gentle_m_per_s(self.gravity_m_per_s2)
    }

    /// Keeps apart what would pass through each other on the way from where the step has got so far to
    /// its end.
    pub fn guard(
        &mut self,
        step: &mut StepContacts,
        when_crushed: WhenCrushed,
        end: &mut End<'_>,
    ) -> Result<GuardReport, StepError> {
        let guarded = loop {
            let StepPath {
                reached,
                expected,
                safe,
            } = &mut step.path;
            expected.clear();
            expected.extend_from_slice(end.positions);
            expected.extend_from_slice(&step.motion.body_ends);
            safe.clone_from(expected);
            let (surfaces, listing) = (&self.surfaces, &mut self.listing);
            let guard = &mut self.guard;
            match guard.keep_apart(surfaces, listing, &step.movable, reached, safe) {
                Ok(guarded) => break guarded,
                Err(crushed) => self.let_through_or_fail(step, when_crushed, crushed, end)?,
            }
        };
        let StepPath {
            reached,
            expected,
            safe,
        } = &mut step.path;
        if guarded.touched > 0 {
            for i in 0..end.positions.len() {
                let (before, safe) = (expected[i], safe[i]);
                if safe != before {
                    end.jump(i, (safe - before) / step.step_s, safe - before);
                    // Sums round: only the very place that was proved safe is.
                    end.positions[i] = safe;
                }
            }
        }
        reached.copy_from_slice(safe);
        step.caught.clear();
        step.caught.extend_from_slice(self.guard.caught());
        Ok(guarded)
    }

    /// Lets cloth go that is pressed between solids, if that is wanted and news.
    fn let_through_or_fail(
        &mut self,
        step: &StepContacts,
        when_crushed: WhenCrushed,
        Crushed { pair }: Crushed,
        end: &mut End<'_>,
    ) -> Result<(), StepError> {
        let motion = &step.motion;
        let pinches = &mut self.listing.pinches;
        let is_new = when_crushed == WhenCrushed::LetThrough
            && pinches.let_go(&pair, &step.movable, &motion.start, &motion.body_ends);
        if !is_new {
            let vertices = pair.vertices;
            return Err(StepError::Crushed { vertices });
        }
        pinches.push(&step.movable, &motion.start, step.step_s, end);
        if let Some(untangler) = &mut self.untangler {
            untangler.doubt();
        }
        Ok(())
    }

    /// Takes over into `state` what the next step must know of the contacts. Returns whether there was a
    /// blow: a change of velocity by contact that no multistep scheme may take for an acceleration that
    /// goes on.
    pub fn finish(
        &mut self,
        step: StepContacts,
        stencils: &[ContactStencil],
        (positions, velocities): (&[DVec3], &[DVec3]),
        state: &mut State,
    ) -> bool {
        state.touches.clear();
        let gentle_m_per_s = step.gentle_m_per_s(self.gravity_m_per_s2);
        let mut blow = self.is_struck(&step);
        for stencil in stencils {
            let Some(contact) = stencil.remember(&stencil.at(positions)) else {
                continue;
            };
            state.touches.push(contact);
            let gained: DVec3 = stencil
                .particles()
                .map(|(k, i)| stencil.weights[k] * (velocities[i] - state.velocities[i]))
                .sum();
            blow |= stencil.normal.dot(gained) > gentle_m_per_s;
        }
        self.spare = step;
        blow
    }
}
