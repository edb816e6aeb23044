//! The last stage of a step: whatever the solver left, no two features pass through each other.
//!
//! All pairs whose swept boxes overlap must have a plane between them ([`crate::contact::guard::planes`]). Pairs that
//! have none are pushed apart along the best direction, sweep by sweep in a fixed order, each vertex
//! staying in the box its pairs were listed for: outside of it, it could meet what is not on the list.
//! What still fails moves as rigid bodies ([`crate::contact::guard::zones`]), and if even these meet, half as far, a
//! quarter, and at last not at all. Standing still is always safe, so this ends. Where the motion is long beside the mesh, it is made in several passes, as
//! straight lines over a long way stop each other for nothing.
//!
//! It is no model of contact: it takes motion away, and says how much.
//!
//! Verified by: `tests/guard.rs`.

mod marks;
mod pass;
pub mod planes;
mod ways;
pub mod zones;

use super::surfaces::{Pair, Surfaces};
use crate::contact::collect::chosen::Chosen;
use crate::contact::collect::f32_reject::F32Reject;
use crate::contact::collect::listing::{Flat, Listing, Wanted};
use crate::contact::guard::marks::Marks;
use crate::contact::guard::ways::{Room, Ways};
use crate::contact::guard::zones::Zones;
use crate::contact::movable::Movable;
use crate::contact::tuning::TUNING;
use glam::DVec3;
use toile_numerics::Csr;

/// Pairs one task looks at.
const PAIR_GRAIN: usize = 512;

/// What the guard did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GuardReport {
    /// Pairs whose boxes overlapped and that might have met.
    pub pairs: usize,
    /// Pairs that had to be kept apart.
    pub caught: usize,
    /// Vertices whose motion was changed.
    pub touched: usize,
    /// Vertices that moved as parts of rigid zones.
    pub in_zones: usize,
    /// Vertices that were stopped altogether.
    pub stopped: usize,
    /// Passes.
    pub passes: u32,
    /// Sum of all changes of motion, m.
    pub change_m: f64,
    /// The largest change of one vertex's motion, m.
    pub largest_change_m: f64,
    /// Solves of the step that the guard followed: one, and one for each time it began again from a safe place.
    pub solves_guarded: u32,
    /// Sum of all motion, m.
    pub motion_m: f64,
}

impl GuardReport {
    /// Goes on with `next`, after a further solve of the same step. What earlier ones changed is no longer
    /// there.
    pub fn add(&mut self, next: &Self) {
        *self = Self {
            pairs: self.pairs.max(next.pairs),
            caught: self.caught + next.caught,
            passes: self.passes.max(next.passes),
            motion_m: self.motion_m + next.motion_m,
            solves_guarded: self.solves_guarded + next.solves_guarded,
            ..*next
        };
    }
}

/// A pair that cannot be kept apart: one of its sides is moved into the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crushed {
    /// Which.
    pub pair: Pair,
}

/// The gap that is always kept, m.
fn least_gap_m(surfaces: &Surfaces, from: &[DVec3], to: &[DVec3]) -> f64 {
    let farther = |most: DVec3, (from, to): (&DVec3, &DVec3)| most.max(from.abs()).max(to.abs());
    let most = from.iter().zip(to).fold(DVec3::ZERO, farther);
    let rounding = TUNING.guard_least_roundings * f64::from(f32::EPSILON) * most.max_element();
    rounding.max(TUNING.guard_least_edges * surfaces.shortest_edge_m)
}

/// Which pairs are safe on their ways.
#[derive(Default)]
struct PairTest {
    f32_reject: F32Reject,
    chosen: Chosen,
    /// The gap that is always kept, m.
    least_m: f64,
}

impl PairTest {
    /// Lists in `bad` the pairs that have no plane between them on these ways.
    fn find_bad(&mut self, pairs: &[Pair], from: &[DVec3], to: &[DVec3], bad: &mut Vec<u32>) {
        self.f32_reject.fill(from, to);
        let mut chosen = std::mem::take(&mut self.chosen);
        chosen.find(pairs.len(), |k| {
            let pair = &pairs[k];
            !self.f32_reject.separates(pair, self.least_m) && !self.is_safe(pair, from, to)
        });
        bad.clear();
        bad.extend(chosen.iter().map(|k| k as u32));
        self.chosen = chosen;
    }

    /// Whether a plane is between the features all the way, or never was.
    fn is_safe(&self, pair: &Pair, from: &[DVec3], to: &[DVec3]) -> bool {
        planes::between_features(pair, &pair.of(from), &pair.of(to), self.least_m)
            .is_none_or(|plane| plane.separates())
    }
}

/// The guard, with scratch memory.
#[derive(Default)]
pub struct Guard {
    test: PairTest,
    ways: Ways,
    room: Room,
    /// How far vertices strayed from their straight ways, m.
    strayed_m: f64,
    /// The pairs that have no plane between them, by their places in the list, ascending.
    bad: Vec<u32>,
    /// Those that had none to begin with, ascending.
    caught: Vec<Pair>,
    pairs_of: Csr<u32>,
    zones: Zones,
    /// Where vertices would go that are to move in zones.
    candidate: Vec<DVec3>,
    /// How often the motion of each vertex was halved.
    level: Vec<u8>,
    /// Vertices turned away in this pass, and in this sweep.
    turned: Marks,
    moved: Marks,
}

impl Guard {
    /// Changes `to` until nothing meets on the straight way from `from`. Pairs that overlap at the
    /// start are left alone.
    pub fn keep_apart(
        &mut self,
        surfaces: &Surfaces,
        listing: &mut Listing,
        movable: &Movable,
        from: &[DVec3],
        to: &mut [DVec3],
    ) -> Result<GuardReport, Crushed> {
        let done = self.find_way(surfaces, listing, movable, from, to)?;
        if done.touched > 0 {
            to.copy_from_slice(&self.ways.now);
        }
        Ok(done)
    }

    /// Finds a safe way; its end is in `ways` if any vertex was touched.
    fn find_way(
        &mut self,
        surfaces: &Surfaces,
        listing: &mut Listing,
        movable: &Movable,
        from: &[DVec3],
        to: &[DVec3],
    ) -> Result<GuardReport, Crushed> {
        let reach_m = surfaces.reach_m();
        // What lies flat is left out at first, and that is right as long as no vertex strays far.
        self.test.least_m = least_gap_m(surfaces, from, to);
        let mut wanted = Wanted {
            from,
            to,
            pad_m: reach_m,
            flat: Some(Flat {
                distance_m: self.test.least_m,
                stray_m: reach_m,
            }),
            straight: true,
        };
        self.room.begin(false);
        let done = self.attempt(surfaces, listing, movable, &wanted);
        if self.strayed_m <= reach_m && self.room.outside_m == 0.0 {
            return done;
        }
        (wanted.flat, wanted.straight) = (None, false);
        for widening in 0..=TUNING.guard_max_widenings {
            self.room.begin(widening == TUNING.guard_max_widenings);
            let done = self.attempt(surfaces, listing, movable, &wanted);
            if self.room.outside_m == 0.0 {
                return done;
            }
            wanted.pad_m += 2.0 * self.room.outside_m;
        }
        unreachable!("in the last attempt no vertex leaves its box")
    }

    /// Finds a safe way, with all vertices in the boxes of the `wanted` motion unless `room` says
    /// otherwise, and no further from their straight ways than `strayed_m` says. Its end is in `ways` if
    /// any vertex was touched.
    fn attempt(
        &mut self,
        surfaces: &Surfaces,
        listing: &mut Listing,
        movable: &Movable,
        wanted: &Wanted<'_>,
    ) -> Result<GuardReport, Crushed> {
        let &Wanted {
            from, to, pad_m, ..
        } = wanted;
        self.strayed_m = 0.0;
        // Straight ways need no room beside them; what is turned away does.
        let room_m = if wanted.straight {
            self.test.least_m
        } else {
            pad_m
        };
        listing.provide(
            surfaces,
            &Wanted {
                pad_m: room_m,
                ..*wanted
            },
        );
        self.test.find_bad(&listing.pairs, from, to, &mut self.bad);
        if wanted.straight && !self.bad.is_empty() {
            let straight = false;
            listing.provide(
                surfaces,
                &Wanted {
                    straight,
                    ..*wanted
                },
            );
            self.test.find_bad(&listing.pairs, from, to, &mut self.bad);
        }
        let pairs = &listing.pairs;
        let mut done = GuardReport {
            pairs: pairs.len(),
            passes: 1,
            solves_guarded: 1,
            motion_m: from[..surfaces.particles()]
                .iter()
                .zip(to)
                .map(|(a, b)| a.distance(*b))
                .sum(),
            ..GuardReport::default()
        };
        self.caught.clear();
        self.caught
            .extend(self.bad.iter().map(|k| pairs[*k as usize]));
        self.caught.sort_unstable();
        if self.bad.is_empty() {
            return Ok(done);
        }
        done.caught = self.bad.len();
        let relative = self.bad.iter().fold(0.0, |m: f64, &k| {
            let pair = &pairs[k as usize];
            m.max(relative_motion_m(pair, from, to))
        });
        done.passes = ways::passes(relative, surfaces.shortest_edge_m);
        let of_vertices = pairs.iter().enumerate().flat_map(|(k, pair)| {
            let listed = move |vertex: u32| (vertex as usize, k as u32);
            pair.vertices.map(listed)
        });
        self.pairs_of.fill(from.len(), of_vertices);
        self.room.enclose(from, to, pad_m);
        self.ways.begin(from, to);
        for pass in 0..done.passes {
            let left = f64::from(done.passes - pass);
            self.ways.set_out(left);
            self.pass(pairs, movable, &mut done)?;
            let gone = 1.0 - (left - 1.0) / f64::from(done.passes);
            self.go_on_as_turned((from, to), gone, left);
            self.ways.arrive();
        }
        self.ways.compare(to, &mut done);
        // What was turned away in an earlier pass only has come ever nearer to this since.
        self.strayed_m = self.strayed_m.max(done.largest_change_m);
        Ok(done)
    }

    /// Whatever was turned away in a pass goes on as it was turned, and has strayed from its straight way, of which
    /// the share `gone` is behind it and so many passes are left.
    fn go_on_as_turned(&mut self, (from, to): (&[DVec3], &[DVec3]), gone: f64, left: f64) {
        let Ways { now, next, goal } = &mut self.ways;
        for &vertex in &self.turned.list {
            let i = vertex as usize;
            let straight = from[i].lerp(to[i], gone);
            self.strayed_m = self.strayed_m.max(next[i].distance(straight));
            let turned = next[i] + (left - 1.0) * (next[i] - now[i]);
            goal[i] = self.room.hold(i, turned);
        }
    }

    /// The pairs that the last call had to keep apart, ascending.
    pub fn caught(&self) -> &[Pair] {
        &self.caught
    }
}

/// The longest motion of a vertex of one feature as seen from one of the other.
fn relative_motion_m(pair: &Pair, from: &[DVec3], to: &[DVec3]) -> f64 {
    let (from, to) = (pair.of(from), pair.of(to));
    let motion = [0, 1, 2, 3].map(|k| to[k] - from[k]);
    let (first, second) = motion.split_at(pair.first());
    let apart = first
        .iter()
        .flat_map(|a| second.iter().map(|b| a.distance(*b)));
    apart.fold(0.0, f64::max)
}
