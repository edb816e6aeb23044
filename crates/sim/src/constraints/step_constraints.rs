//! Contact of particles with colliders, held in the solver's filter, with friction.
//!
//! - Before a step, a particle is held along a collider's normal if it was held before and the
//!   reaction pushed, or if its velocity would carry it in. A sticking particle is held
//!   altogether and goes with the collider; a sliding one ends on its surface as it will be then,
//!   and feels the friction of the last reaction.
//! - After the step, the reaction decides: one that pulls releases the particle, one outside the
//!   friction cone lets it slide, and a slide that has come to its end sticks.
//! - Particles that got in unannounced are put on the surface, lose their approaching velocity
//!   and the friction impulse that goes with it.
//! - A collider that forecasts holds what would be inside after its relaxation time, and lets it come
//!   down slowly ([`crate::contact::collider::forecast`]).
//! - Whatever is held or stopped has its memory of the past repaired, so that a multistep scheme
//!   does not bounce it back: it has always moved as the collider does now.
//! - All velocities are taken relative to the collider's surface.
//!
//! Invariant: after a step no particle is nearer to a collider than its cloth's margin.
//! Source: *Stable but Responsive Cloth*, section 5.1 (constraint in the solver, release when the
//! constraint force pulls).
//! Verified by: `tests/contact.rs`, `tests/moving_colliders.rs`.

use crate::colliders::{ColliderSpec, Passage};
pub use crate::constraints::end::End;
use crate::constraints::pin;
use crate::constraints::pin::{Held, Spring};
use crate::constraints::stick::{Bonds, Tie};
use crate::contact::collider::approach::{Meeting, rounding_m, way_to};
use crate::contact::collider::forecast::Forecast;
use crate::contact::collider::friction;
use crate::contact::collider::friction::{Grip, Sliding, SlidingFriction};
use crate::contact::collider::squeeze::Squeeze;
use crate::model::Model;
use crate::model::spec::Thing;
use crate::state::State;
use glam::DVec3;
use toile_numerics::{Hold, ParticleFilter};

/// How a particle in contact moves along the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Slip {
    /// It does not.
    Stick,
    /// In this unit direction.
    Slide(DVec3),
}

/// A particle on a collider, as remembered from one step to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColliderContact {
    /// The particle.
    pub particle: u32,
    /// The collider it touches.
    pub collider: u32,
    /// Sticking or sliding.
    pub slip: Slip,
    /// Force with which the collider pushes, N.
    pub normal_force_n: f64,
}

impl ColliderContact {
    /// One that has yet to be felt.
    fn begun(particle: u32, collider: u32) -> Self {
        Self {
            particle,
            collider,
            slip: Slip::Stick,
            normal_force_n: 0.0,
        }
    }
}

/// A contact during a step.
#[derive(Clone, Copy, Debug)]
struct Active {
    contact: ColliderContact,
    /// Whether it is only about to touch.
    arriving: bool,
    normal: DVec3,
    /// Velocity at which it comes down to the surface, m/s.
    closing_m_per_s: f64,
    target: Target,
    rubbing: Option<SlidingFriction>,
}

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

/// All that is decided before a step is solved: pins and contacts, the springs of soft pins and of
/// what sticks, and the friction of sliding contacts.
#[derive(Clone, Debug, Default)]
pub struct StepConstraints {
    /// Time at the end of the step, s.
    pub end_s: f64,
    /// Length of the step, s.
    pub step_s: f64,
    /// Whether no system is solved for the forces, so that none may be stiff.
    pub explicit: bool,
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
    passages: Vec<Passage>,
    /// What is firmly pinned or squeezed between colliders, ascending.
    pins: Vec<Held>,
    /// Those of them that are squeezed, ascending.
    squeezed: Vec<u32>,
    active: Vec<Active>,
}

/// A particle at one instant.
#[derive(Clone, Copy)]
struct Point {
    particle: u32,
    position: DVec3,
    velocity: DVec3,
    mass_kg: f64,
}

impl Point {
    fn of(model: &Model, particle: u32, positions: &[DVec3], velocities: &[DVec3]) -> Self {
        let i = particle as usize;
        Self {
            particle,
            position: positions[i],
            velocity: velocities[i],
            mass_kg: model.masses[i],
        }
    }

    fn forecast(
        &self,
        collider: &ColliderSpec,
        passage: &Passage,
        margin_m: f64,
        step_s: f64,
    ) -> Option<Forecast> {
        let motion = (self.position, self.velocity);
        Forecast::new(collider, passage, motion, margin_m, step_s)
    }
}

impl StepConstraints {
    /// Decides what is held in a step of `step_s` from `state`.
    pub fn begin(&mut self, model: &Model, state: &State, step_s: f64) {
        self.active.clear();
        self.end_s = state.time_s + step_s;
        self.step_s = step_s;
        let colliders = model.colliders.iter();
        self.passages.clear();
        self.passages
            .extend(colliders.map(|c| Passage::new(c, state.time_s, self.end_s)));
        pin::begin(model, state, step_s, &mut self.pins, &mut self.springs);
        self.bonds.begin(model, state, step_s);
        self.springs.extend(self.bonds.springs());
        self.lasting_springs = self.springs.len();
        self.ties.clear();
        self.ties.extend(self.bonds.ties());
        self.find_squeezed(model, state);
        self.find_contacts(model, state, step_s);
        self.list_targets();
    }

    /// StepConstraints what colliders close on from opposing sides.
    fn find_squeezed(&mut self, model: &Model, state: &State) {
        self.squeezed.clear();
        if self.passages.len() < 2 {
            return;
        }
        let squeeze = Squeeze {
            model,
            passages: &self.passages,
            step_s: self.step_s,
        };
        let free = free_particles(model, &self.pins);
        let held: Vec<Held> = free
            .filter_map(|particle| squeeze.held(state, particle))
            .collect();
        self.squeezed
            .extend(held.iter().map(|held| held.target.particle));
        if !held.is_empty() {
            self.pins.extend(held);
            self.pins.sort_by_key(|held| held.target.particle);
        }
    }

    /// How many particles are squeezed between colliders in the step.
    pub fn squeezed(&self) -> usize {
        self.squeezed.len()
    }

    /// Lists what pins and contacts hold, and the friction of contacts.
    fn list_targets(&mut self) {
        let sliding =
            || (self.active.iter()).filter_map(|a| Some((a.contact.particle, a.rubbing?)));
        self.friction.clear();
        self.friction
            .extend(sliding().map(|(particle, rubbing)| (particle, rubbing.force_n)));
        self.springs.truncate(self.lasting_springs);
        self.springs
            .extend(sliding().filter_map(|(_, rubbing)| rubbing.across));
        self.targets.clear();
        self.filter.clear();
        let mut contacts = self.active.iter().peekable();
        let mut pins = self.pins.iter().map(|held| held.target).peekable();
        // Both lists ascend; a firmly pinned particle has no contacts.
        loop {
            let pin_first = match (pins.peek(), contacts.peek()) {
                (None, None) => break,
                (Some(pin), Some(active)) => pin.particle < active.contact.particle,
                (pin, _) => pin.is_some(),
            };
            let target = if pin_first {
                pins.next()
            } else {
                contacts.next().map(|active| active.target)
            };
            let Some(target) = target else { break };
            self.filter.push(target.particle, target.hold);
            self.targets.push(target);
        }
    }

    fn find_contacts(&mut self, model: &Model, state: &State, step_s: f64) {
        if model.colliders.is_empty() {
            return;
        }
        let pins = std::mem::take(&mut self.pins);
        let mut remembered = state.contacts.iter().copied().peekable();
        for particle in free_particles(model, &pins) {
            let point = Point::of(model, particle, &state.positions, &state.velocities);
            while remembered.next_if(|c| c.particle < particle).is_some() {}
            if let Some(contact) = remembered.next_if(|c| c.particle == particle) {
                self.hold(model, contact, &point, false);
            } else if let Some(contact) = self.arrival(model, &point, step_s) {
                self.hold(model, contact, &point, true);
            }
        }
        self.pins = pins;
    }

    fn hold(&mut self, model: &Model, contact: ColliderContact, point: &Point, arriving: bool) {
        let (collider, passage) = self.collider(model, contact.collider);
        let carried = match contact.slip {
            Slip::Stick => passage.carry(point.position),
            Slip::Slide(_) => point.position,
        };
        let normal = passage.surface(collider, carried).normal;
        let margin = margin_m(model, contact.particle, contact.collider);
        let forecast = point.forecast(collider, passage, margin, self.step_s);
        let left_m = forecast.map_or(0.0, |forecast| forecast.left_m());
        let closing_m_per_s = forecast.map_or(0.0, |forecast| forecast.closing_m_per_s());
        let way = way_to(collider, passage, carried, margin + left_m);
        let (hold, rubbing) = match contact.slip {
            Slip::Stick => (Hold::Fixed, None),
            Slip::Slide(direction) => {
                let sliding = Sliding {
                    push_n: contact.normal_force_n,
                    normal,
                    direction,
                    velocity: point.velocity - passage.velocity_at(point.position),
                    mass_kg: point.mass_kg,
                };
                let ends = [point.position, passage.carry(point.position)];
                let grip = grip(model, contact);
                let mut rubbing =
                    SlidingFriction::new(grip, &sliding, contact.particle, ends, self.step_s);
                rubbing.across = rubbing.across.filter(|_| !self.explicit);
                (Hold::Normal(normal), Some(rubbing))
            }
        };
        self.active.push(Active {
            contact,
            arriving,
            normal,
            closing_m_per_s,
            target: Target {
                particle: contact.particle,
                hold,
                position: carried + way,
            },
            rubbing,
        });
    }

    /// The contact that a particle's velocity leads to within the step: the deepest, if any.
    fn arrival(&self, model: &Model, point: &Point, step_s: f64) -> Option<ColliderContact> {
        let ahead = point.position + step_s * point.velocity;
        let mut deepest = 0.0;
        let mut found = None;
        for k in 0..model.colliders.len() as u32 {
            let (collider, passage) = self.collider(model, k);
            let contact = ColliderContact::begun(point.particle, k);
            let margin = margin_m(model, point.particle, k);
            let forecast = point.forecast(collider, passage, margin, step_s);
            let gap = match &forecast {
                Some(forecast) => forecast.ahead_m(),
                None => passage.distance_m(collider, ahead) - margin,
            };
            if gap < deepest {
                deepest = gap;
                let normal = match &forecast {
                    Some(forecast) => forecast.normal(),
                    None => passage.surface(collider, point.position).normal,
                };
                let meeting = Meeting::new(
                    grip(model, contact),
                    passage,
                    (point.position, point.velocity),
                    normal,
                );
                let mut touch = meeting.touch(contact, point.mass_kg, step_s);
                if let Some(forecast) = forecast {
                    touch.normal_force_n = point.mass_kg * forecast.stop_m_per_s() / step_s;
                }
                found = Some(touch);
            }
        }
        found
    }

    /// A collider, and its motion in the step.
    fn collider<'a>(&'a self, model: &'a Model, k: u32) -> (&'a ColliderSpec, &'a Passage) {
        (&model.colliders[k as usize], &self.passages[k as usize])
    }

    /// Whether a collider moves in the step, or what is pinned is drawn somewhere.
    pub fn leads(&self) -> bool {
        let is_led = |held: &Held| held.velocity != DVec3::ZERO;
        self.passages.iter().any(Passage::is_led)
            || self.pins.iter().any(is_led)
            || self.springs[..self.lasting_springs]
                .iter()
                .any(|spring| spring.way != DVec3::ZERO)
    }

    /// Particles whose motion pins prescribe.
    pub fn pinned(&self) -> impl Iterator<Item = u32> {
        let pins = self.pins.iter().map(|held| held.target.particle);
        pins.filter(|particle| self.squeezed.binary_search(particle).is_err())
    }

    /// What is held and has a reaction that matters when all moves by `p`: every contact, and pins that
    /// are led, as they do work.
    pub fn answering<'a>(&'a self, p: &'a [DVec3]) -> impl Iterator<Item = &'a Target> {
        let pins = self.pins.iter().map(|held| &held.target);
        let led = pins.filter(|pin| pin.hold.held_part(p[pin.particle as usize]) != DVec3::ZERO);
        led.chain(self.active.iter().map(|active| &active.target))
    }

    /// The longest way that a collider's surface goes in the step where it comes to a particle, m.
    pub fn longest_strike_m(&self) -> f64 {
        let arriving = self.active.iter().filter(|active| active.arriving);
        let way = |active: &Active| {
            let passage = &self.passages[active.contact.collider as usize];
            (passage.carry(active.target.position) - active.target.position).length()
        };
        arriving.map(way).fold(0.0, f64::max)
    }

    /// Particles that are only about to touch a collider.
    pub fn arriving(&self) -> impl Iterator<Item = u32> {
        let arriving = self.active.iter().filter(|active| active.arriving);
        arriving.map(|active| active.contact.particle)
    }

    /// Lets go of particles that something else stops before they touch a collider.
    pub fn release_arriving(&mut self, stopped: impl Fn(u32) -> bool) {
        let is_stopped = |active: &Active| active.arriving && stopped(active.contact.particle);
        let released: Vec<u32> = (self.active.iter())
            .filter(|active| is_stopped(active))
            .map(|active| active.contact.particle)
            .collect();
        if released.is_empty() {
            return;
        }
        let kept = |particle: u32| released.binary_search(&particle).is_err();
        self.active.retain(|active| kept(active.contact.particle));
        self.list_targets();
    }

    /// Particles that rest on a collider, with the way out of it.
    pub fn supported(&self) -> impl Iterator<Item = (u32, DVec3)> {
        let active = self.active.iter();
        active.map(|active| (active.contact.particle, active.normal))
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

    /// Work of holds on the way `from` the start `to` the end of the step that no surface can do, J: what is about
    /// to touch is drawn to it, even where it would not have come, and friction drives back what it has stopped.
    pub fn drawn_j(&self, reactions: &[DVec3], (from, to): (&[DVec3], &[DVec3])) -> f64 {
        let works = self.active.iter().map(|active| {
            let i = active.contact.particle as usize;
            let driven_j = active
                .rubbing
                .map_or(0.0, |rubbing| rubbing.driven_j(to[i], active.normal));
            if !active.arriving {
                return driven_j;
            }
            let passage = &self.passages[active.contact.collider as usize];
            let carried = self.step_s * passage.velocity_at(from[i]);
            let approach_m = (from[i] + carried - to[i]).dot(active.normal);
            let pull_n = -reactions[i].dot(active.normal);
            driven_j + pull_n.max(0.0) * approach_m.max(0.0)
        });
        works.sum()
    }

    /// Decides the next step's contacts from the reactions, and puts the held and the intruding
    /// parts of the new state in order.
    pub fn finish(
        &self,
        model: &Model,
        reactions: &[DVec3],
        step_s: f64,
        end: &mut End<'_>,
    ) -> Vec<ColliderContact> {
        let mut next = Vec::with_capacity(self.active.len());
        for &Held {
            target: Target { particle, hold, .. },
            velocity,
            released,
        } in &self.pins
        {
            end.follow(particle as usize, hold, velocity, step_s);
            if released {
                end.let_go(particle as usize, hold, model.gravity_m_per_s2);
            }
        }
        for active in &self.active {
            let particle = active.contact.particle as usize;
            let (_, passage) = self.collider(model, active.contact.collider);
            let grip = grip(model, active.contact);
            let surface_velocity = passage.velocity_at(end.positions[particle])
                - active.closing_m_per_s * active.normal;
            // What is held has moved with its collider for ever, or come down to it.
            end.follow(particle, active.target.hold, surface_velocity, step_s);
            let reaction = reactions[particle];
            let push = reaction.dot(active.normal);
            if push <= 0.0 {
                continue;
            }
            let slip = match (active.contact.slip, active.rubbing) {
                (Slip::Slide(direction), Some(rubbing)) => {
                    let position = end.positions[particle];
                    // Velocities are no measure of it: that of a turning surface is a tangent, a
                    // particle's the chord of its way.
                    let way_m = (position - rubbing.carried).reject_from_normalized(active.normal);
                    let resisted = rubbing.at_end(position);
                    let slip = friction::after_sliding(grip, direction, way_m, resisted);
                    if slip == Slip::Stick {
                        end.follow(particle, Hold::Fixed, surface_velocity, step_s);
                    }
                    slip
                }
                _ => friction::after_sticking(grip, push, reaction - push * active.normal),
            };
            next.push(ColliderContact {
                slip,
                normal_force_n: push,
                ..active.contact
            });
        }
        let intruders = self.push_out(model, step_s, end);
        merge(next, intruders)
    }

    /// Puts every particle inside a margin on its surface, with the friction of the push.
    fn push_out(&self, model: &Model, step_s: f64, end: &mut End<'_>) -> Vec<ColliderContact> {
        let mut intruders = Vec::new();
        if model.colliders.is_empty() {
            return intruders;
        }
        for particle in free_particles(model, &self.pins) {
            let i = particle as usize;
            for k in 0..model.colliders.len() as u32 {
                let (collider, passage) = self.collider(model, k);
                let contact = ColliderContact::begun(particle, k);
                let margin = margin_m(model, particle, k);
                let distance_m = passage.distance_m(collider, end.positions[i]);
                // Rounding leaves held particles a few units inside; that is no intrusion.
                if margin - distance_m <= rounding_m(end.positions[i]) {
                    continue;
                }
                let surface = passage.surface(collider, end.positions[i]);
                let point = Point::of(model, particle, end.positions, end.velocities);
                let meeting = Meeting::new(
                    grip(model, contact),
                    passage,
                    (point.position, point.velocity),
                    surface.normal,
                );
                end.jump(
                    i,
                    meeting.stop(),
                    way_to(collider, passage, point.position, margin),
                );
                intruders.push(meeting.touch_stopped(contact, point.mass_kg, step_s));
            }
        }
        intruders
    }
}

/// Distance a particle keeps from a collider: its cloth's thickness, and on a curved surface the
/// height by which the cloth between particles would cut in.
pub(crate) fn margin_m(model: &Model, particle: u32, collider: u32) -> f64 {
    let cloth = &model.cloths[model.cloth_of(particle)];
    let shape = &model.colliders[collider as usize].shape;
    cloth.thickness_m + shape.sagitta_m(cloth.longest_link_m)
}

/// How the collider of a contact resists the cloth of its particle.
fn grip(model: &Model, contact: ColliderContact) -> Grip {
    let collider = &model.colliders[contact.collider as usize];
    let own = if model.friction.is_empty() {
        None
    } else {
        let cloth = Thing::Cloth(model.cloth_of(contact.particle));
        model.own_friction(cloth, Thing::Collider(contact.collider as usize))
    };
    Grip {
        coefficient: own.unwrap_or(collider.friction),
        law: collider.friction_law,
    }
}

/// Particles that are not firmly pinned, ascending.
fn free_particles<'a>(model: &Model, pins: &'a [Held]) -> impl Iterator<Item = u32> + 'a {
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
