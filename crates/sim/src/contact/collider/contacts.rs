//! The contacts with colliders during one step: found before it, put in order after it.

use super::approach::{Meeting, rounding_m, way_to};
use super::forecast::Forecast;
use super::friction::{self, Grip, Sliding, SlidingFriction};
use super::squeeze::Squeeze;
use super::{ColliderContact, Slip, margin_m};
use crate::colliders::{ColliderSpec, Passage};
use crate::constraints::end::End;
use crate::constraints::pin::Held;
use crate::constraints::{Target, free_particles};
use crate::model::spec::Thing;
use crate::model::{Materials, Model};
use crate::state::State;
use crate::step::StepStart;
use glam::DVec3;
use std::sync::Arc;
use toile_numerics::Hold;

/// A contact during a step.
#[derive(Clone, Copy, Debug)]
struct HeldContact {
    contact: ColliderContact,
    /// Whether it is only about to touch.
    arriving: bool,
    normal: DVec3,
    /// Velocity at which it comes down to the surface, m/s.
    closing_m_per_s: f64,
    target: Target,
    rubbing: Option<SlidingFriction>,
}

/// All contacts with colliders in a step.
#[derive(Clone, Default)]
pub struct ColliderContacts {
    step_s: f64,
    /// Every collider's motion in the step.
    passages: Vec<Passage>,
    /// Says which pairs have a friction of their own.
    materials: Arc<Materials>,
    /// Ascending by particle.
    contacts: Vec<HeldContact>,
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

impl ColliderContacts {
    /// Moves the colliders to the step's end.
    pub fn begin(&mut self, start: &StepStart<'_>) {
        let colliders = start.model.colliders.iter();
        self.step_s = start.step_s;
        self.materials = start.materials.clone();
        self.passages.clear();
        self.passages
            .extend(colliders.map(|c| Passage::new(c, start.state.time_s, start.end_s())));
    }

    /// What colliders close on from opposing sides, of what is not firmly pinned, with how it is held.
    pub fn find_squeezed(&self, model: &Model, state: &State, pins: &[Held]) -> Vec<Held> {
        if self.passages.len() < 2 {
            return Vec::new();
        }
        let squeeze = Squeeze {
            model,
            passages: &self.passages,
            step_s: self.step_s,
        };
        let free = free_particles(model, pins);
        free.filter_map(|particle| squeeze.held(state, particle))
            .collect()
    }

    /// Finds what is in contact in the step, of what is not firmly pinned.
    pub fn find(&mut self, start: &StepStart<'_>, pins: &[Held]) {
        let StepStart { model, state, .. } = *start;
        self.contacts.clear();
        if model.colliders.is_empty() {
            return;
        }
        let mut remembered = state.contacts.iter().copied().peekable();
        for particle in free_particles(model, pins) {
            let point = Point::of(model, particle, &state.positions, &state.velocities);
            while remembered.next_if(|c| c.particle < particle).is_some() {}
            if let Some(contact) = remembered.next_if(|c| c.particle == particle) {
                self.hold(start, contact, &point, false);
            } else if let Some(contact) = self.arrival(model, &point) {
                self.hold(start, contact, &point, true);
            }
        }
    }

    fn hold(
        &mut self,
        start: &StepStart<'_>,
        contact: ColliderContact,
        point: &Point,
        arriving: bool,
    ) {
        let model = start.model;
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
                let grip = self.grip(model, contact);
                let mut rubbing =
                    SlidingFriction::new(grip, &sliding, contact.particle, ends, self.step_s);
                rubbing.across = rubbing.across.filter(|_| start.is_solved);
                (Hold::Normal(normal), Some(rubbing))
            }
        };
        self.contacts.push(HeldContact {
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
    fn arrival(&self, model: &Model, point: &Point) -> Option<ColliderContact> {
        let step_s = self.step_s;
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
                    self.grip(model, contact),
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

    /// How the collider of a contact resists the cloth of its particle.
    fn grip(&self, model: &Model, contact: ColliderContact) -> Grip {
        let collider = &model.colliders[contact.collider as usize];
        let cloth = Thing::Deformable(model.deformable_of(contact.particle));
        let own = self
            .materials
            .own_friction(cloth, Thing::Collider(contact.collider as usize));
        Grip {
            coefficient: own.unwrap_or(collider.friction),
            law: collider.friction_law,
        }
    }

    /// Where each particle in contact must end, ascending.
    pub fn targets(&self) -> impl Iterator<Item = &Target> {
        self.contacts.iter().map(|contact| &contact.target)
    }

    /// Friction on what slides, with the particle it acts on.
    pub fn sliding(&self) -> impl Iterator<Item = (u32, &SlidingFriction)> {
        let contacts = self.contacts.iter();
        contacts.filter_map(|c| Some((c.contact.particle, c.rubbing.as_ref()?)))
    }

    /// Whether any collider moves in the step.
    pub fn is_led(&self) -> bool {
        self.passages.iter().any(Passage::is_led)
    }

    /// The longest way that a collider's surface goes in the step where it comes to a particle, m.
    pub fn longest_strike_m(&self) -> f64 {
        let arriving = self.contacts.iter().filter(|active| active.arriving);
        let way = |active: &HeldContact| {
            let passage = &self.passages[active.contact.collider as usize];
            (passage.carry(active.target.position) - active.target.position).length()
        };
        arriving.map(way).fold(0.0, f64::max)
    }

    /// Particles that are only about to touch a collider.
    pub fn arriving(&self) -> impl Iterator<Item = u32> {
        let arriving = self.contacts.iter().filter(|active| active.arriving);
        arriving.map(|active| active.contact.particle)
    }

    /// Lets go of particles that something else stops before they touch a collider; returns whether there are any.
    pub fn release_arriving(&mut self, is_stopped: impl Fn(u32) -> bool) -> bool {
        let before = self.contacts.len();
        self.contacts
            .retain(|held| !(held.arriving && is_stopped(held.contact.particle)));
        self.contacts.len() < before
    }

    /// Particles that rest on a collider, with the way out of it.
    pub fn supported(&self) -> impl Iterator<Item = (u32, DVec3)> {
        let active = self.contacts.iter();
        active.map(|active| (active.contact.particle, active.normal))
    }

    /// Work of holds on the way `from` the start `to` the end of the step that no surface can do, J: what is about
    /// to touch is drawn to it, even where it would not have come, and friction drives back what it has stopped.
    pub fn drawn_j(&self, reactions: &[DVec3], (from, to): (&[DVec3], &[DVec3])) -> f64 {
        let works = self.contacts.iter().map(|active| {
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

    /// Decides from the reactions which contacts go on, and puts the held parts of the `end` in order.
    pub fn follow(
        &self,
        model: &Model,
        reactions: &[DVec3],
        end: &mut End<'_>,
    ) -> Vec<ColliderContact> {
        let mut next = Vec::with_capacity(self.contacts.len());
        for held in &self.contacts {
            let particle = held.contact.particle as usize;
            let (_, passage) = self.collider(model, held.contact.collider);
            let surface_velocity =
                passage.velocity_at(end.positions[particle]) - held.closing_m_per_s * held.normal;
            // What is held has moved with its collider for ever, or come down to it.
            end.follow(particle, held.target.hold, surface_velocity, self.step_s);
            let reaction = reactions[particle];
            let push = reaction.dot(held.normal);
            if push <= 0.0 {
                continue;
            }
            let grip = self.grip(model, held.contact);
            let slip = match (held.contact.slip, held.rubbing) {
                (Slip::Slide(direction), Some(rubbing)) => {
                    let position = end.positions[particle];
                    // Velocities are no measure of it: that of a turning surface is a tangent, a
                    // particle's the chord of its way.
                    let way_m = (position - rubbing.carried).reject_from_normalized(held.normal);
                    let resisted = rubbing.at_end(position);
                    let slip = friction::after_sliding(grip, direction, way_m, resisted);
                    if slip == Slip::Stick {
                        end.follow(particle, Hold::Fixed, surface_velocity, self.step_s);
                    }
                    slip
                }
                _ => friction::after_sticking(grip, push, reaction - push * held.normal),
            };
            next.push(ColliderContact {
                slip,
                normal_force_n: push,
                ..held.contact
            });
        }
        next
    }

    /// Puts every particle inside a margin on its surface, with the friction of the push.
    pub fn push_out(
        &self,
        model: &Model,
        pins: &[Held],
        end: &mut End<'_>,
    ) -> Vec<ColliderContact> {
        let mut intruders = Vec::new();
        if model.colliders.is_empty() {
            return intruders;
        }
        for particle in free_particles(model, pins) {
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
                    self.grip(model, contact),
                    passage,
                    (point.position, point.velocity),
                    surface.normal,
                );
                end.jump(
                    i,
                    meeting.stop(),
                    way_to(collider, passage, point.position, margin),
                );
                intruders.push(meeting.touch_stopped(contact, point.mass_kg, self.step_s));
            }
        }
        intruders
    }
}
