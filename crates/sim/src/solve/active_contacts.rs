//! Contacts of cloth with cloth and bodies in the equations of a step.

use crate::config::Solve;
use crate::contact::{ContactStencil, part};
use crate::solve::system::ClothSystem;
use glam::{DMat3, DVec3};
use toile_geometry::distance::between;
use toile_numerics::{Coupling, Filter, par};

/// Friction forces that differ by no more than this share of their limit are the same.
const SAME_DRAG: f64 = 0.05;

/// Halvings in search of the share of a way along which the potential falls.
const BISECTIONS: u32 = 6;

/// Where a solve has led, and what the contacts had to answer there.
pub(crate) struct Settled {
    p: Vec<DVec3>,
    answers: Vec<DVec3>,
}

impl Settled {
    /// Goes only a share of the way from `before`.
    fn mix(&mut self, before: &Self, share: f64) {
        let fields = [
            (&mut self.p, &before.p),
            (&mut self.answers, &before.answers),
        ];
        for (now, before) in fields {
            for (now, before) in now.iter_mut().zip(before) {
                *now = before.lerp(*now, share);
            }
        }
    }
}

/// What a look at the contacts found.
#[derive(Default)]
struct Looked {
    potential_j: f64,
    /// Whether a contact is made or slides otherwise than when last looked at.
    changed: bool,
}

impl ClothSystem<'_> {
    /// Adds the contacts' forces at `x`, and their share of the matrix to the diagonal and to the
    /// couplings; returns their potential.
    pub(crate) fn linearise_touches(
        &mut self,
        x: &[DVec3],
        v: &[DVec3],
        force: &mut [DVec3],
    ) -> f64 {
        self.couple_ties();
        let work = &mut *self.work;
        let first_look = std::mem::take(&mut work.first_look);
        if work.touches.is_empty() {
            return 0.0;
        }
        work.diagonal.resize(self.model.particles(), DMat3::ZERO);
        work.diagonal_without_touches.clone_from(&work.diagonal);
        work.settled = None;
        // A single solve starts where the step does, but friction must be seen where cloth is carried: as
        // if it had all slid, it could not be held.
        let looked = if first_look && self.config.solve.in_step(self.holds.step_s) != Solve::Newton
        {
            let step_s = self.holds.step_s;
            let at: Vec<DVec3> = x.iter().zip(v).map(|(x, v)| *x + step_s * *v).collect();
            self.look_at_touches(x, &at, first_look)
        } else {
            self.look_at_touches(x, x, first_look)
        };
        for (force, touching) in force.iter_mut().zip(&self.work.touching_forces) {
            *force += *touching;
        }
        looked.potential_j
    }

    /// Looks at the contacts again where the last solve led, from `x` by `p`; what they do there
    /// replaces, in the matrix and in its right-hand side `b`, what they were expected to do. Returns
    /// whether that makes a difference.
    ///
    /// The cloth as linearised and the contacts together have a convex potential. Of the way from the
    /// place before to the new one, which may be wrong about contacts, only as much is taken as brings
    /// it down.
    pub(crate) fn reconsider_touches(
        &mut self,
        x: &[DVec3],
        p: &mut [DVec3],
        b: &mut [DVec3],
    ) -> bool {
        if self.work.touches.is_empty() {
            return false;
        }
        let answers = self.linear_touching_forces(p);
        let before = self.work.settled.take();
        let mut settled = Settled {
            p: p.to_vec(),
            answers,
        };
        if let Some(before) = before {
            let share = self.share_down(x, &before, &settled);
            settled.mix(&before, share);
            p.copy_from_slice(&settled.p);
        }
        self.work.settled = Some(settled);
        let at: Vec<DVec3> = x.iter().zip(&*p).map(|(x, p)| *x + *p).collect();
        let before = std::mem::take(&mut self.work.touching_forces);
        let diagonal = &mut self.work.diagonal;
        diagonal.clone_from(&self.work.diagonal_without_touches);
        let looked = self.look_at_touches(x, &at, false);
        let square_s2 = self.weights.stiffness_s2;
        let changes = before.iter().zip(&self.work.touching_forces);
        for (b, (before, now)) in b.iter_mut().zip(changes) {
            *b += square_s2 * (*now - *before);
        }
        looked.changed
    }

    /// The contacts' forces after the way `p`, as linearised. Where a solve has led they are the answer
    /// to all other forces and to inertia.
    pub(crate) fn linear_touching_forces(&self, p: &[DVec3]) -> Vec<DVec3> {
        let mut forces = vec![DVec3::ZERO; p.len()];
        for touch in self.work.touches.iter().filter(|touch| touch.is_made) {
            let push = touch.push_n - touch.stiffness * way_of(touch, p);
            for (k, particle) in touch.particles() {
                forces[particle] += touch.weights[k] * push;
            }
        }
        forces
    }

    /// The share of the way between two places along which the potential falls.
    fn share_down(&self, x: &[DVec3], from: &Settled, to: &Settled) -> f64 {
        let way: Vec<DVec3> = to.p.iter().zip(&from.p).map(|(b, a)| *b - *a).collect();
        let along = |forces: &[DVec3]| par::sum(way.len(), |i| forces[i].dot(way[i]));
        let (at_start, at_end) = (along(&from.answers), along(&to.answers));
        let slope = |share: f64| {
            let at: Vec<DVec3> = (0..way.len())
                .map(|i| x[i] + from.p[i] + share * way[i])
                .collect();
            let touches = self.work.touches.iter();
            let touches = touches.map(|touch| touch.force(&touch.at(&at)).dot(way_of(touch, &way)));
            (1.0 - share) * at_start + share * at_end - touches.sum::<f64>()
        };
        if slope(1.0) <= 0.0 {
            return 1.0;
        }
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..BISECTIONS {
            let middle = 0.5 * (low + high);
            if slope(middle) <= 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        0.5 * (low + high)
    }

    /// Linearises the contacts at `at`, into forces as seen from `x`, blocks and couplings.
    ///
    /// When first looked at, in a step, a contact that free flight would make counts as made: its
    /// force pulls where the points are still apart, and is right when they arrive. One linear solve
    /// then stops what it would otherwise not see coming.
    fn look_at_touches(&mut self, x: &[DVec3], at: &[DVec3], first_look: bool) -> Looked {
        let square_s2 = self.weights.stiffness_s2;
        self.couple_ties();
        let work = &mut *self.work;
        work.touching_forces.clear();
        work.touching_forces
            .resize(self.model.particles(), DVec3::ZERO);
        let mut looked = Looked::default();
        for touch in &mut work.touches {
            let there = touch.at(at);
            let depth = touch.depth_m(&there);
            let was_made = touch.is_made;
            touch.is_made = depth > 0.0 || first_look && touch.expected;
            looked.changed |= was_made != touch.is_made;
            if !touch.is_made {
                touch.normal_force_n = 0.0;
                touch.drag_n = DVec3::ZERO;
                continue;
            }
            let kappa = touch.stiffness_n_per_m;
            if !first_look {
                touch.normal_force_n = kappa * depth;
            }
            let drag = touch.drag(&there);
            let most = touch.friction * touch.normal_force_n;
            looked.changed |= drag.slides && drag.force.distance(touch.drag_n) > SAME_DRAG * most;
            touch.drag_n = drag.force;
            looked.potential_j += touch.energy_j(&there) + drag.potential_j;
            let n = touch.normal;
            let across = DMat3::from_cols(n * n.x, n * n.y, n * n.z);
            let stiffness = kappa * across + drag.stiffness;
            let way = between(&touch.weights, &there) - between(&touch.weights, &touch.at(x));
            let push = kappa * depth * n + drag.force + stiffness * way;
            (touch.push_n, touch.stiffness) = (push, stiffness);
            let block = square_s2 * stiffness;
            for (k, particle) in touch.particles() {
                let weight = touch.weights[k];
                work.touching_forces[particle] += weight * push;
                work.diagonal[particle] += (weight * weight) * block;
            }
            work.couplings.push(coupling(touch, &block));
        }
        looked
    }

    /// Makes the couplings those of cloth that sticks to cloth, and no others.
    fn couple_ties(&mut self) {
        let square_s2 = self.weights.stiffness_s2;
        let couplings = &mut self.work.couplings;
        couplings.clear();
        couplings.extend(self.holds.ties.iter().map(|tie| tie.coupling(square_s2)));
    }

    /// Moves the points of contacts apart in a first guess `p` of the way from `x`. A guess that passes
    /// through would leave forces many times those that matter.
    pub(crate) fn part_touching(&self, x: &[DVec3], p: &mut [DVec3]) {
        if self.work.touches.is_empty() {
            return;
        }
        let mut ahead: Vec<DVec3> = x.iter().zip(&*p).map(|(x, p)| *x + *p).collect();
        part::part(&self.work.touches, &mut ahead);
        for ((p, x), ahead) in p.iter_mut().zip(x).zip(&ahead) {
            *p = *ahead - *x;
        }
    }

    /// How far the bodies that cloth at `x` lies on move in this step, on the mean of the forces with
    /// which they carry it; nothing if it lies on none.
    ///
    /// Friction holds cloth within micrometres: a solve that starts from free flight begins with all of
    /// it sliding, and then there is little that a linear solve can tell of what sticks.
    pub(crate) fn carried_by_bodies(&self, x: &[DVec3]) -> Option<DVec3> {
        let (mut moment, mut total_n) = (DVec3::ZERO, 0.0);
        for touch in &self.work.touches {
            let own: f64 = touch.particles().map(|(k, _)| touch.weights[k]).sum();
            let is_on_body = touch.on_bodies.iter().any(Option::is_some);
            if !is_on_body || own == 0.0 || touch.force_before_n <= 0.0 {
                continue;
            }
            let change = between(&touch.weights, &touch.at(x)) - touch.start;
            moment -= (touch.force_before_n / own) * change;
            total_n += touch.force_before_n;
        }
        (total_n > 0.0).then(|| moment / total_n)
    }

    /// Norm of the right-hand side `b` without the contacts' part, as the solver's measure; where contacts are
    /// looked at again, that of what they carry. Forces are all that is left to find there, and `b` has the
    /// way that the cloth goes in any case: beside that, friction of what slides fast counts for nothing.
    pub(crate) fn reference_without_touching(&self, b: &[f64]) -> Option<f64> {
        // Of the couplings, those that are not ties are contacts.
        if self.work.couplings.len() == self.holds.ties.len() {
            return None;
        }
        let b: &[DVec3] = bytemuck::cast_slice(b);
        let square_s2 = self.weights.stiffness_s2;
        let touching = &self.work.touching_forces;
        let mut rest: Vec<DVec3> = b.to_vec();
        for (rest, force) in rest.iter_mut().zip(touching) {
            *rest -= square_s2 * *force;
        }
        self.holds
            .filter
            .project(bytemuck::cast_slice_mut(&mut rest));
        let norm = |all: &[DVec3]| par::sum(all.len(), |i| all[i].length_squared()).sqrt();
        let settled = self.work.settled.as_ref();
        let carried = settled.map_or(f64::INFINITY, |settled| square_s2 * norm(&settled.answers));
        Some(norm(&rest).min(carried))
    }

    /// Adds the contacts' forces at `x`.
    pub(crate) fn add_touching_forces(&self, x: &[DVec3], force: &mut [DVec3]) {
        for touch in &self.work.touches {
            let at = touch.at(x);
            let depth = touch.depth_m(&at);
            if depth <= 0.0 {
                continue;
            }
            let push = touch.stiffness_n_per_m * depth * touch.normal + touch.drag(&at).force;
            for (k, particle) in touch.particles() {
                force[particle] += touch.weights[k] * push;
            }
        }
    }

    /// The contacts' potential at `x`, with friction as last linearised.
    pub(crate) fn touching_potential(&self, x: &[DVec3]) -> f64 {
        let touches = self.work.touches.iter();
        touches
            .map(|touch| {
                let at = touch.at(x);
                touch.energy_j(&at) + touch.drag(&at).potential_j
            })
            .sum()
    }
}

/// How the two points of a contact move to each other when the particles move by `p`.
fn way_of(touch: &ContactStencil, p: &[DVec3]) -> DVec3 {
    let ways = touch.particles().map(|(k, i)| touch.weights[k] * p[i]);
    ways.sum()
}

fn coupling(touch: &ContactStencil, block: &DMat3) -> Coupling<f64> {
    let [x, y, z] = [block.x_axis, block.y_axis, block.z_axis];
    // Vertices of bodies are no unknowns.
    let (mut places, mut weights) = ([0; 4], [0.0; 4]);
    for (k, particle) in touch.particles() {
        (places[k], weights[k]) = (3 * particle as u32, touch.weights[k]);
    }
    Coupling {
        places,
        strides: [1; 4],
        weights,
        block: [x.x, x.y, x.z, y.y, y.z, z.z],
    }
}

/// What contacts add to the product `A p` off the diagonal, particle by particle; empty where there
/// are none.
pub(crate) fn product(couplings: &[Coupling<f64>], p: &[DVec3]) -> Vec<DVec3> {
    if couplings.is_empty() {
        return Vec::new();
    }
    let mut sums = vec![DVec3::ZERO; p.len()];
    let p: &[f64] = bytemuck::cast_slice(p);
    for coupling in couplings {
        for (k, place) in coupling.places.iter().enumerate() {
            sums[*place as usize / 3] += DVec3::from_array(coupling.row(p, k));
        }
    }
    sums
}
