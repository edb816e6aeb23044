//! The classical response to contact: velocities changed by impulses.
//!
//! With `response = "impulses"` a first solve knows nothing of cloth and bodies in its way. Then, on
//! the mean velocities of the step it has made:
//!
//! 1. **Repulsion.** Pairs nearer than the distance they keep stop approaching, and a tenth of what is
//!    missing is undone in the step, so that nothing pops.
//! 2. **Impacts.** Pairs that meet on their straight ways are struck, in the order of time, and then
//!    again as long as impulses make new ones meet, for some sweeps.
//! 3. **Zones.** What meets even then stops approaching, all pairs that share vertices at once
//!    ([`crate::contact::impulses::inelastic`]), in rounds in which zones grow by what they now meet.
//!
//! For the weights `a` of the two points, their normal velocity `vₙ = n·Σ aᵢ vᵢ` and inverse masses `wᵢ`,
//! the impulse `γ = −(1 + e) vₙ / Σ wᵢ aᵢ²` changes `vᵢ` by `wᵢ aᵢ γ n`; restitution `e` is for blows
//! faster than what gravity makes in a step. Friction takes away at most `μγ` of the tangential motion.
//! The sum of all momenta does not change, but for what is held.
//!
//! Cloth that is moved where it is struck and nowhere else is torn: the impulses are therefore handed to
//! a further solve as forces, which spreads them over the cloth, and this is repeated with what still
//! meets, a few times. What meets after the last solve goes to zones at once. What is left is the business of
//! the guard and its rigid zones.
//!
//! Source: Bridson, Fedkiw and Anderson 2002.
//!
//! Verified by: `tests/impulses.rs`.

pub mod impact;
pub mod inelastic;

pub use inelastic::Inelastic;

use super::movable::Movable;
use super::surfaces::{Pair, Surfaces};
use crate::constraints::End;
use crate::contact::collect::listing::{Flat, Listing, Wanted};
use crate::contact::friction_table::FrictionTable;
use crate::contact::impulses::impact::Impact;
use crate::contact::stencil::ContactStencil;
use crate::contact::tuning::TUNING;
use glam::DVec3;
use rayon::prelude::*;
use toile_geometry::distance::{Weights, between};

/// Pairs one task looks at.
const PAIR_GRAIN: usize = 64;

/// What impulses did in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Struck {
    /// Pairs nearer than the distance they keep that were pushed.
    pub repelled: usize,
    /// Impacts on the way.
    pub impacts: usize,
    /// Sweeps over impacts.
    pub sweeps: u32,
    /// Rounds in which inelastic zones grew.
    pub rounds: u32,
    /// Vertices in them.
    pub in_zones: usize,
    /// The largest change of velocity by an impulse, m/s.
    pub hardest_m_per_s: f64,
}

impl Struck {
    /// Goes on with `next`, a further response in the same step.
    pub fn add(&mut self, next: &Self) {
        *self = Self {
            repelled: self.repelled.max(next.repelled),
            impacts: self.impacts + next.impacts,
            sweeps: self.sweeps + next.sweeps,
            rounds: self.rounds + next.rounds,
            in_zones: self.in_zones.max(next.in_zones),
            hardest_m_per_s: self.hardest_m_per_s.max(next.hardest_m_per_s),
        };
    }
}

/// The step whose end is changed.
pub struct Step<'a> {
    /// Who may be moved, and how.
    pub movable: &'a Movable,
    /// Coefficients of friction.
    pub friction: &'a FrictionTable,
    /// Where everything is at the start, particles and bodies, m.
    pub start: &'a [DVec3],
    /// Where bodies are at the end, m.
    pub body_ends: &'a [DVec3],
    /// Length of the step, s.
    pub step_s: f64,
    /// Gravity, m/s².
    pub gravity_m_per_s2: f64,
}

/// The response, with its memory.
#[derive(Default)]
pub struct Impulses {
    restitution: f64,
    /// What is near where the step begins.
    pub near: Vec<ContactStencil>,
    /// What each of those has been given in the step.
    given: Vec<Given>,
    velocities: Vec<DVec3>,
    ends: Vec<DVec3>,
    zones: Inelastic,
}

/// Changes of the velocity between two points in a step so far, m/s.
#[derive(Clone, Copy, Debug, Default)]
struct Given {
    along_normal: f64,
    by_friction: DVec3,
}

/// Two points that are to part.
struct Blow<'a> {
    pair: &'a Pair,
    weights: &'a Weights,
    normal: DVec3,
    friction: f64,
    /// The velocity apart that is wanted even of what does not approach, m/s.
    apart_m_per_s: f64,
}

impl Impulses {
    /// With the share of a blow's normal velocity that comes back.
    pub fn new(restitution: f64) -> Self {
        Self {
            restitution,
            ..Self::default()
        }
    }

    /// Begins a step with what is near.
    pub fn begin(&mut self, near: Vec<ContactStencil>) {
        self.near = near;
        self.given.clear();
        self.given.resize(self.near.len(), Given::default());
    }

    /// Changes the `end` of a step.
    pub fn respond(
        &mut self,
        surfaces: &Surfaces,
        listing: &mut Listing,
        step: &Step<'_>,
        end: &mut End<'_>,
    ) -> Struck {
        let mut struck = Struck::default();
        self.set_out(step, end);
        let before = self.velocities[..end.positions.len()].to_vec();
        self.repel(step, &mut struck);
        for _ in 0..TUNING.impact_sweeps {
            let impacts = self.find_impacts(surfaces, listing, step);
            if impacts.is_empty() {
                break;
            }
            struck.impacts += impacts.len();
            struck.sweeps += 1;
            for impact in &impacts {
                self.meet(step, impact, &mut struck);
            }
        }
        if struck.sweeps == TUNING.impact_sweeps {
            self.end_in_zones(surfaces, listing, step, &mut struck);
        }
        self.carry_over(&before, step, end);
        struck
    }

    /// Changes the `end` of a step after which no solve comes: what still meets goes to zones.
    pub fn settle(
        &mut self,
        surfaces: &Surfaces,
        listing: &mut Listing,
        step: &Step<'_>,
        end: &mut End<'_>,
    ) -> Struck {
        let mut struck = Struck::default();
        self.set_out(step, end);
        let before = self.velocities[..end.positions.len()].to_vec();
        self.end_in_zones(surfaces, listing, step, &mut struck);
        self.carry_over(&before, step, end);
        struck
    }

    /// Takes the mean velocities of the ways to the `end` of a step.
    fn set_out(&mut self, step: &Step<'_>, end: &End<'_>) {
        let ends = end.positions.iter().chain(step.body_ends);
        let ways = step.start.iter().zip(ends);
        self.velocities.clear();
        self.velocities
            .extend(ways.map(|(from, to)| (*to - *from) / step.step_s));
    }

    /// Changes the `end` of a step by what has become of the velocities `before`.
    fn carry_over(&self, before: &[DVec3], step: &Step<'_>, end: &mut End<'_>) {
        for (i, before) in before.iter().enumerate() {
            let change = self.velocities[i] - *before;
            if change != DVec3::ZERO {
                end.jump(i, change, step.step_s * change);
            }
        }
    }

    /// Pushes apart what is too near at the start.
    fn repel(&mut self, step: &Step<'_>, struck: &mut Struck) {
        let (near, mut given) = (
            std::mem::take(&mut self.near),
            std::mem::take(&mut self.given),
        );
        struck.repelled = near.iter().filter(|stencil| is_too_near(stencil)).count();
        for _ in 0..TUNING.repulsion_sweeps {
            let all = near.iter().zip(&mut given);
            for (stencil, given) in all.filter(|(stencil, _)| is_too_near(stencil)) {
                let blow = Blow {
                    pair: &stencil.pair,
                    weights: &stencil.weights,
                    normal: stencil.normal,
                    friction: stencil.law.friction,
                    apart_m_per_s: TUNING.repulsion_undone
                        * (stencil.law.distance_m - stencil.gap_m)
                        / step.step_s,
                };
                self.strike(step, &blow, given, struck);
            }
        }
        (self.near, self.given) = (near, given);
    }

    /// What meets on the way, in the order of time.
    fn find_impacts(
        &mut self,
        surfaces: &Surfaces,
        listing: &mut Listing,
        step: &Step<'_>,
    ) -> Vec<Impact> {
        self.ends.clear();
        let ways = step.start.iter().zip(&self.velocities);
        self.ends.extend(ways.map(|(x, v)| *x + step.step_s * *v));
        let wanted = Wanted {
            from: step.start,
            to: &self.ends,
            pad_m: 0.0,
            flat: Some(Flat {
                distance_m: 2.0 * surfaces.reach_m(),
                stray_m: 0.0,
            }),
            straight: false,
        };
        listing.find(surfaces, &wanted);
        let (start, end) = (step.start, &self.ends);
        let pairs = listing.pairs.par_iter().with_min_len(PAIR_GRAIN);
        let meets = |pair: &Pair| Impact::of(pair, &pair.of(start), &pair.of(end));
        let mut impacts: Vec<Impact> = pairs.filter_map(meets).collect();
        impacts.sort_by(|a, b| a.time.total_cmp(&b.time).then(a.pair.cmp(&b.pair)));
        impacts
    }

    /// Ends the approach of what meets, in zones: impulses one by one have not.
    fn end_in_zones(
        &mut self,
        surfaces: &Surfaces,
        listing: &mut Listing,
        step: &Step<'_>,
        struck: &mut Struck,
    ) {
        self.zones.clear(self.velocities.len());
        for _ in 0..TUNING.impact_zone_rounds {
            let impacts = self.find_impacts(surfaces, listing, step);
            if impacts.is_empty() {
                break;
            }
            struck.rounds += 1;
            self.zones.add(&impacts, step.movable, &self.velocities);
            self.zones.solve(step.movable, &mut self.velocities);
        }
        struck.in_zones = self.zones.vertices();
        struck.hardest_m_per_s = struck.hardest_m_per_s.max(self.zones.hardest_m_per_s());
    }

    /// Strikes a pair that meets, as it was on the ways last looked at.
    fn meet(&mut self, step: &Step<'_>, impact: &Impact, struck: &mut Struck) {
        let [first, .., last] = impact.pair.vertices;
        let blow = Blow {
            pair: &impact.pair,
            weights: &impact.weights,
            normal: impact.normal,
            friction: step.friction.between(first, last),
            apart_m_per_s: 0.0,
        };
        self.strike(step, &blow, &mut Given::default(), struck);
    }

    /// Parts two points, and holds them by friction as far as what they were `given` along the normal
    /// allows: what others do to them later in the step is held too.
    fn strike(&mut self, step: &Step<'_>, blow: &Blow<'_>, given: &mut Given, struck: &mut Struck) {
        let inverse = blow.pair.of(&step.movable.inverse_masses);
        let lightness = blow.weights.iter().zip(inverse).map(|(a, w)| a * a * w);
        let lightness: f64 = lightness.sum();
        let relative = between(blow.weights, &blow.pair.of(&self.velocities));
        let approach = -blow.normal.dot(relative);
        if lightness == 0.0 {
            return;
        }
        let gentle = TUNING.gentle_falls * step.step_s * step.gravity_m_per_s2;
        let back = if approach > gentle {
            self.restitution * approach
        } else {
            0.0
        };
        let gained = (approach + back.max(blow.apart_m_per_s)).max(0.0);
        given.along_normal += gained;
        let along = relative + approach * blow.normal;
        let most = blow.friction * given.along_normal;
        let by_friction = (given.by_friction + along).clamp_length_max(most);
        let rubbed = by_friction - given.by_friction;
        given.by_friction = by_friction;
        let change_m_per_s = gained.max(rubbed.length());
        struck.hardest_m_per_s = struck.hardest_m_per_s.max(change_m_per_s);
        let impulse = (gained * blow.normal - rubbed) / lightness;
        for (k, &vertex) in blow.pair.vertices.iter().enumerate() {
            let i = vertex as usize;
            let mut change = blow.weights[k] * inverse[k] * impulse;
            change -= step.movable.into_support(i, change);
            self.velocities[i] += change;
        }
    }
}

fn is_too_near(stencil: &ContactStencil) -> bool {
    stencil.gap_m < stencil.law.distance_m
}
