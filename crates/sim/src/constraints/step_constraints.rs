//! All that is decided before a step is solved: pins and contacts with colliders, the springs of soft pins and of
//! what sticks, and the friction of what slides.

use crate::constraints::end::End;
use crate::constraints::pin::{self, Held, HeldBy, Spring};
use crate::constraints::stick::{Bonds, Tie};
use crate::contact::collider::{ColliderContact, ColliderContacts};
use crate::model::Model;
use crate::step::StepStart;
use glam::DVec3;
use toile_numerics::{Hold, ParticleFilter};

/// A particle held during a step, with where it must end.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The particle.
    pub particle: u32,
    /// The directions it is held in.
    pub hold: Hold,
    /// Where the held directions must end, m.
    pub position: DVec3,
}

/// What is decided before a step is solved.
#[derive(Clone, Default)]
pub struct StepConstraints {
    /// Time at the end of the step, s.
    pub end_s: f64,
    /// Length of the step, s.
    pub step_s: f64,
    /// Held particles, ascending.
    pub targets: Vec<Target>,
    /// The same as the solver wants it.
    pub filter: ParticleFilter,
    /// Friction forces on sliding particles, N.
    pub friction: Vec<(u32, DVec3)>,
    /// Soft pins, bonds to what moves as prescribed, and what keeps sliding particles to their
    /// direction.
    pub springs: Vec<Spring>,
    /// How many of them are pins and bonds.
    lasting_springs: usize,
    /// Bonds of cloth to cloth.
    pub ties: Vec<Tie>,
    /// What sticks.
    pub bonds: Bonds,
    /// What is firmly pinned or squeezed between colliders, ascending.
    pins: Vec<Held>,
    /// What is in contact with colliders.
    pub colliders: ColliderContacts,
}

impl StepConstraints {
    /// Decides what is held in a step.
    pub fn begin(&mut self, start: &StepStart<'_>) {
        let StepStart {
            model,
            state,
            step_s,
            ..
        } = *start;
        (self.end_s, self.step_s) = (start.end_s(), step_s);
        pin::begin(model, state, step_s, &mut self.pins, &mut self.springs);
        self.bonds.begin(model, state, step_s);
        self.springs.extend(self.bonds.springs());
        self.lasting_springs = self.springs.len();
        self.ties.clear();
        self.ties.extend(self.bonds.ties());
        self.colliders.begin(start);
        let squeezed = self.colliders.find_squeezed(model, state, &self.pins);
        if !squeezed.is_empty() {
            self.pins.extend(squeezed);
            self.pins.sort_by_key(|held| held.target.particle);
        }
        self.colliders.find(start, &self.pins);
        self.list_targets();
    }

    /// Lists what pins and contacts hold, and the friction of contacts.
    fn list_targets(&mut self) {
        let sliding = || self.colliders.sliding();
        self.friction.clear();
        self.friction
            .extend(sliding().map(|(particle, rubbing)| (particle, rubbing.force_n)));
        self.springs.truncate(self.lasting_springs);
        self.springs
            .extend(sliding().filter_map(|(_, rubbing)| rubbing.across));
        self.targets.clear();
        self.filter.clear();
        let mut contacts = self.colliders.targets().copied().peekable();
        let mut pins = self.pins.iter().map(|held| held.target).peekable();
        // Both lists ascend; a firmly pinned particle has no contacts.
        loop {
            let pin_first = match (pins.peek(), contacts.peek()) {
                (None, None) => break,
                (Some(pin), Some(contact)) => pin.particle < contact.particle,
                (pin, _) => pin.is_some(),
            };
            let target = if pin_first {
                pins.next()
            } else {
                contacts.next()
            };
            let Some(target) = target else { break };
            self.filter.push(target.particle, target.hold);
            self.targets.push(target);
        }
    }

    /// How many particles are squeezed between colliders in the step.
    pub fn squeezed(&self) -> usize {
        let is_squeezed = |held: &&Held| held.by == HeldBy::Squeeze;
        self.pins.iter().filter(is_squeezed).count()
    }

    /// Whether a collider moves in the step, or what is pinned is drawn somewhere.
    pub fn leads(&self) -> bool {
        let is_led = |held: &Held| held.velocity != DVec3::ZERO;
        self.colliders.is_led()
            || self.pins.iter().any(is_led)
            || self.springs[..self.lasting_springs]
                .iter()
                .any(|spring| spring.way != DVec3::ZERO)
    }

    /// Particles whose motion pins prescribe.
    pub fn pinned(&self) -> impl Iterator<Item = u32> {
        let pins = self.pins.iter();
        pins.filter(|held| held.by != HeldBy::Squeeze)
            .map(|held| held.target.particle)
    }

    /// What is held and has a reaction that matters when all moves by `p`: every contact, and pins that
    /// are led, as they do work.
    pub fn answering<'a>(&'a self, p: &'a [DVec3]) -> impl Iterator<Item = &'a Target> {
        let pins = self.pins.iter().map(|held| &held.target);
        let led = pins.filter(|pin| pin.hold.held_part(p[pin.particle as usize]) != DVec3::ZERO);
        led.chain(self.colliders.targets())
    }

    /// Lets go of particles that something else stops before they touch a collider.
    pub fn release_arriving(&mut self, is_stopped: impl Fn(u32) -> bool) {
        if self.colliders.release_arriving(is_stopped) {
            self.list_targets();
        }
    }

    /// Time at a share of the step, s.
    pub fn time_s(&self, share: f64) -> f64 {
        self.end_s - (1.0 - share) * self.step_s
    }

    /// The held part of every held particle's vector.
    pub fn held_parts(&self, vectors: &[DVec3]) -> Vec<DVec3> {
        let held = |target: &Target| target.hold.held_part(vectors[target.particle as usize]);
        self.targets.iter().map(held).collect()
    }

    /// Makes `held` the held parts again.
    pub fn restore_held(&self, held: &[DVec3], vectors: &mut [DVec3]) {
        for (target, held) in self.targets.iter().zip(held) {
            let vector = &mut vectors[target.particle as usize];
            *vector = target.hold.free_part(*vector) + *held;
        }
    }

    /// Puts the held parts of the `end` in order, and what got into colliders on their surface; returns the
    /// contacts of the next step, as the reactions have it.
    pub fn finish(
        &self,
        model: &Model,
        reactions: &[DVec3],
        end: &mut End<'_>,
    ) -> Vec<ColliderContact> {
        for held in &self.pins {
            let Target { particle, hold, .. } = held.target;
            end.follow(particle as usize, hold, held.velocity, self.step_s);
            if held.by == (HeldBy::Pin { is_released: true }) {
                end.let_go(particle as usize, hold, model.gravity_m_per_s2);
            }
        }
        let next = self.colliders.follow(model, reactions, end);
        let intruders = self.colliders.push_out(model, &self.pins, end);
        merge(next, intruders)
    }
}

/// Particles that are not firmly pinned, ascending.
pub fn free_particles<'a>(model: &Model, pins: &'a [Held]) -> impl Iterator<Item = u32> + 'a {
    let mut pins = pins.iter().map(|held| held.target.particle).peekable();
    (0..model.particles() as u32).filter(move |i| pins.next_if_eq(i).is_none())
}

/// Joins two ascending lists, the first winning where both name a particle.
fn merge(held: Vec<ColliderContact>, intruders: Vec<ColliderContact>) -> Vec<ColliderContact> {
    let mut all = held;
    all.extend(intruders);
    all.sort_by_key(|contact| contact.particle);
    all.dedup_by_key(|contact| contact.particle);
    all
}
