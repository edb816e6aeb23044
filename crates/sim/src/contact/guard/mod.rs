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

pub mod planes;
pub mod zones;

use super::surfaces::{Pair, Surfaces};
use crate::contact::collect::chosen::Chosen;
use crate::contact::collect::f32_reject::Glance;
use crate::contact::collect::listing::{Flat, Listing, Wanted};
use crate::contact::guard::planes::Plane;
use crate::contact::guard::zones::{Motion, Zones};
use glam::{DQuat, DVec3};
use rayon::prelude::*;
use toile_geometry::Bounds;
use toile_numerics::Csr;

/// Length of motion that one pass makes, in shortest edges.
const PASS_EDGES: f64 = 0.25;
const MAX_PASSES: u32 = 16;
/// Sweeps of pushing apart before motion is taken away.
const MAX_SWEEPS: u32 = 12;
/// Rounds in which zones grow, before motion is taken away.
const MAX_ROUNDS: u32 = 24;
/// How often the pairs are listed again for wider boxes, where zones want to leave theirs.
const MAX_WIDENINGS: u32 = 2;
/// The gap that is always kept, in shortest edges, and in roundings of the largest coordinate to single
/// precision: meshes written so must be clean too.
const LEAST_EDGES: f64 = 5e-5;
const LEAST_ROUNDINGS: f64 = 4.0;
/// Pairs one task looks at.
const PAIR_GRAIN: usize = 512;

/// What the guard did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Guarded {
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
    /// How often the step was looked at: once, or again from where it had been stopped.
    pub looks: u32,
    /// Sum of all motion, m.
    pub motion_m: f64,
}

impl Guarded {
    /// Goes on with `next`, a further look at the same step. What earlier looks changed is no longer
    /// there.
    pub fn add(&mut self, next: &Self) {
        *self = Self {
            pairs: self.pairs.max(next.pairs),
            caught: self.caught + next.caught,
            passes: self.passes.max(next.passes),
            motion_m: self.motion_m + next.motion_m,
            looks: self.looks + next.looks,
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

/// Who may be moved, and how.
pub struct Movable<'a> {
    /// Inverse mass of every vertex, 1/kg; 0 where its motion is prescribed.
    pub inverse_masses: &'a [f64],
    /// The way out of what a vertex rests on, which it must not be pushed against; zero elsewhere.
    pub supports: &'a [DVec3],
}

/// The gap that is always kept, m.
fn least_gap_m(surfaces: &Surfaces, from: &[DVec3], to: &[DVec3]) -> f64 {
    let farther = |most: DVec3, (from, to): (&DVec3, &DVec3)| most.max(from.abs()).max(to.abs());
    let most = from.iter().zip(to).fold(DVec3::ZERO, farther);
    let rounding = LEAST_ROUNDINGS * f64::from(f32::EPSILON) * most.max_element();
    rounding.max(LEAST_EDGES * surfaces.shortest_edge_m)
}

/// Scratch memory of the guard.
#[derive(Default)]
pub struct Guard {
    /// The box around every vertex's way, which it must not leave.
    boxes: Vec<Bounds>,
    bad: Vec<u32>,
    glance: Glance,
    chosen: Chosen,
    /// The pairs that had no plane between them to begin with, ascending.
    pub caught: Vec<Pair>,
    /// The pairs of every vertex.
    pairs_of: Csr<u32>,
    now: Vec<DVec3>,
    next: Vec<DVec3>,
    goal: Vec<DVec3>,
    level: Vec<u8>,
    zones: Zones,
    candidate: Vec<DVec3>,
    /// The gap that is always kept, m.
    least_m: f64,
    /// Whether vertices may not leave their boxes, and by how much they would have, m.
    is_last: bool,
    outside_m: f64,
    /// How far vertices strayed from their straight ways, m.
    strayed_m: f64,
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
        movable: &Movable<'_>,
        from: &[DVec3],
        to: &mut [DVec3],
    ) -> Result<Guarded, Crushed> {
        let done = self.find_way(surfaces, listing, movable, from, to)?;
        if done.touched > 0 {
            to.copy_from_slice(&self.now);
        }
        Ok(done)
    }

    /// Finds a safe way; its end is in `now` if any vertex was touched.
    fn find_way(
        &mut self,
        surfaces: &Surfaces,
        listing: &mut Listing,
        movable: &Movable<'_>,
        from: &[DVec3],
        to: &[DVec3],
    ) -> Result<Guarded, Crushed> {
        let reach_m = surfaces.reach_m();
        // What lies flat is left out at first, and that is right as long as no vertex strays far.
        self.is_last = false;
        self.least_m = least_gap_m(surfaces, from, to);
        let mut wanted = Wanted {
            from,
            to,
            pad_m: reach_m,
            flat: Some(Flat {
                distance_m: self.least_m,
                stray_m: reach_m,
            }),
            straight: true,
        };
        let done = self.attempt(surfaces, listing, movable, &wanted);
        if self.strayed_m <= reach_m && self.outside_m == 0.0 {
            return done;
        }
        (wanted.flat, wanted.straight) = (None, false);
        for widening in 0..=MAX_WIDENINGS {
            self.is_last = widening == MAX_WIDENINGS;
            let done = self.attempt(surfaces, listing, movable, &wanted);
            if self.outside_m == 0.0 {
                return done;
            }
            wanted.pad_m += 2.0 * self.outside_m;
        }
        unreachable!("in the last attempt no vertex leaves its box")
    }

    /// Finds a safe way, with all vertices in the boxes of the `wanted` motion unless `outside_m` says
    /// otherwise, and no further from their straight ways than `strayed_m` says. Its end is in `now` if
    /// any vertex was touched.
    fn attempt(
        &mut self,
        surfaces: &Surfaces,
        listing: &mut Listing,
        movable: &Movable<'_>,
        wanted: &Wanted<'_>,
    ) -> Result<Guarded, Crushed> {
        let &Wanted {
            from, to, pad_m, ..
        } = wanted;
        (self.outside_m, self.strayed_m) = (0.0, 0.0);
        // Straight ways need no room beside them; what is turned away does.
        let room_m = if wanted.straight { self.least_m } else { pad_m };
        listing.provide(
            surfaces,
            &Wanted {
                pad_m: room_m,
                ..*wanted
            },
        );
        self.find_bad(&listing.pairs, from, to);
        if wanted.straight && !self.bad.is_empty() {
            let straight = false;
            listing.provide(
                surfaces,
                &Wanted {
                    straight,
                    ..*wanted
                },
            );
            self.find_bad(&listing.pairs, from, to);
        }
        let pairs = &listing.pairs;
        let mut done = Guarded {
            pairs: pairs.len(),
            passes: 1,
            looks: 1,
            motion_m: from[..surfaces.particles()]
                .iter()
                .zip(to)
                .map(|(a, b)| a.distance(*b))
                .sum(),
            ..Guarded::default()
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
        let passes = (relative / (PASS_EDGES * surfaces.shortest_edge_m)).ceil();
        done.passes = passes.clamp(1.0, f64::from(MAX_PASSES)) as u32;
        let of_vertices = pairs.iter().enumerate().flat_map(|(k, pair)| {
            let listed = move |vertex: u32| (vertex as usize, k as u32);
            pair.vertices.map(listed)
        });
        self.pairs_of.fill(from.len(), of_vertices);
        self.boxes.clear();
        self.boxes
            .extend(from.iter().zip(to).map(|(from, to)| Bounds {
                min: from.min(*to) - pad_m,
                max: from.max(*to) + pad_m,
            }));
        self.now.clear();
        self.now.extend_from_slice(from);
        self.goal.clear();
        self.goal.extend_from_slice(to);
        self.next.resize(from.len(), DVec3::ZERO);
        for pass in 0..done.passes {
            let left = f64::from(done.passes - pass);
            for i in 0..from.len() {
                let way = self.goal[i] - self.now[i];
                self.next[i] = if left == 1.0 {
                    self.goal[i]
                } else {
                    self.now[i] + way / left
                };
            }
            self.pass(pairs, movable, &mut done)?;
            // Whatever was turned away goes on as it was turned.
            let gone = 1.0 - (left - 1.0) / f64::from(done.passes);
            for &vertex in &self.turned.list {
                let i = vertex as usize;
                let straight = from[i].lerp(to[i], gone);
                self.strayed_m = self.strayed_m.max(self.next[i].distance(straight));
                let turned = self.next[i] + (left - 1.0) * (self.next[i] - self.now[i]);
                self.goal[i] = turned.clamp(self.boxes[i].min, self.boxes[i].max);
            }
            std::mem::swap(&mut self.now, &mut self.next);
        }
        for (to, end) in to.iter().zip(&self.now) {
            if *to != *end {
                done.touched += 1;
                done.change_m += to.distance(*end);
                done.largest_change_m = done.largest_change_m.max(to.distance(*end));
            }
        }
        // What was turned away in an earlier pass only has come ever nearer to this since.
        self.strayed_m = self.strayed_m.max(done.largest_change_m);
        Ok(done)
    }

    /// Makes the way from `now` to `next` safe, and leaves the vertices that were turned away in
    /// `turned`.
    fn pass(
        &mut self,
        pairs: &[Pair],
        movable: &Movable<'_>,
        done: &mut Guarded,
    ) -> Result<(), Crushed> {
        self.turned.clear(self.now.len());
        self.moved.clear(self.now.len());
        let (now, next) = (
            std::mem::take(&mut self.now),
            std::mem::take(&mut self.next),
        );
        self.find_bad(pairs, &now, &next);
        (self.now, self.next) = (now, next);
        for _ in 0..MAX_SWEEPS {
            if self.bad.is_empty() {
                return Ok(());
            }
            self.sweep(pairs, movable);
        }
        done.in_zones += self.move_in_zones(pairs, movable);
        done.stopped += self.take_back(pairs, movable)?;
        Ok(())
    }

    /// Lets the vertices of bad pairs move as rigid zones, which grow until no pair is bad or nothing
    /// new joins; returns how many vertices are in zones.
    fn move_in_zones(&mut self, pairs: &[Pair], movable: &Movable<'_>) -> usize {
        self.zones.clear(self.now.len());
        self.candidate.clear();
        self.candidate.extend_from_slice(&self.next);
        let (mut count, mut turn) = (0, true);
        for _ in 0..MAX_ROUNDS {
            let bad = std::mem::take(&mut self.bad);
            let mut news = false;
            for &k in &bad {
                news |= self.zones.join(pairs[k as usize].vertices);
            }
            if !news && !turn || bad.is_empty() {
                self.bad = bad;
                break;
            }
            // No one plane is between layers that nearly touch while they turn.
            turn &= news;
            self.moved.clear(self.now.len());
            count = 0;
            let mut zones = std::mem::take(&mut self.zones);
            zones.each(|zone| {
                count += zone.len();
                self.move_zone(zone, turn, movable);
            });
            self.zones = zones;
            self.recheck(pairs, bad);
        }
        count
    }

    fn move_zone(&mut self, zone: &[u32], turn: bool, movable: &Movable<'_>) {
        let mut motion = Motion::of(zone, movable, &self.now, &self.candidate);
        if !turn {
            motion.turn = DQuat::IDENTITY;
        }
        for &vertex in zone {
            let i = vertex as usize;
            if movable.inverse_masses[i] == 0.0 {
                continue;
            }
            let mut end = motion.end(self.now[i]);
            // The last resort goes a little into the distance kept from a solid: the next step mends it.
            if turn {
                let support = movable.supports[i];
                end -= (end - self.candidate[i]).dot(support).min(0.0) * support;
            }
            let Bounds { min, max } = self.boxes[i];
            let inside = end.clamp(min, max);
            if self.is_last {
                end = inside;
            } else {
                self.outside_m = self.outside_m.max((end - inside).abs().max_element());
            }
            if end != self.next[i] {
                self.next[i] = end;
                self.mark(vertex);
            }
        }
    }

    /// Pushes every bad pair apart, in order, and lists what is bad then.
    fn sweep(&mut self, pairs: &[Pair], movable: &Movable<'_>) {
        let bad = std::mem::take(&mut self.bad);
        self.moved.clear(self.now.len());
        for &k in &bad {
            let pair = pairs[k as usize];
            let (start, end) = (pair.of(&self.now), pair.of(&self.next));
            match planes::between_features(&pair, &start, &end, self.least_m) {
                Some(plane) if !plane.separates() => self.push(&pair, &plane, movable),
                _ => {}
            }
        }
        self.recheck(pairs, bad);
    }

    /// Moves the vertices of a pair to their sides of a plane.
    fn push(&mut self, pair: &Pair, plane: &Plane, movable: &Movable<'_>) {
        let n = plane.normal;
        let weights = pair.of(movable.inverse_masses);
        let (first, second) = weights.split_at(pair.first());
        let heaviest = |side: &[f64]| side.iter().copied().fold(0.0, f64::max);
        let (first, second) = (heaviest(first), heaviest(second));
        let lack = plane.wanted_m - plane.gap_m;
        if first + second == 0.0 {
            return;
        }
        // A little more, so that rounding does not undo it.
        let lack = lack + 1e-3 * plane.wanted_m;
        let end = pair.of(&self.next).map(|x| n.dot(x));
        let (own, other) = end.split_at(pair.first());
        let lowest = own.iter().copied().fold(f64::INFINITY, f64::min);
        let highest = other.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let floor = lowest + lack * first / (first + second);
        let ceiling = highest - lack * second / (first + second);
        for (k, &vertex) in pair.vertices.iter().enumerate() {
            let i = vertex as usize;
            if weights[k] == 0.0 {
                continue;
            }
            let change = if k < pair.first() {
                (floor - end[k]).max(0.0)
            } else {
                (ceiling - end[k]).min(0.0)
            };
            let mut change = change * n;
            let support = movable.supports[i];
            change -= change.dot(support).min(0.0) * support;
            if change != DVec3::ZERO {
                let Bounds { min, max } = self.boxes[i];
                self.next[i] = (self.next[i] + change).clamp(min, max);
                self.mark(vertex);
            }
        }
    }

    fn mark(&mut self, vertex: u32) {
        self.turned.add(vertex);
        self.moved.add(vertex);
    }

    /// Halves the motion of what fails, and halves it again, until nothing fails.
    fn take_back(&mut self, pairs: &[Pair], movable: &Movable<'_>) -> Result<usize, Crushed> {
        const STILL: u8 = 3;
        self.level.clear();
        self.level.resize(self.now.len(), 0);
        while !self.bad.is_empty() {
            let bad = std::mem::take(&mut self.bad);
            self.moved.clear(self.now.len());
            let mut changed = false;
            for &k in &bad {
                for vertex in pairs[k as usize].vertices {
                    let i = vertex as usize;
                    if movable.inverse_masses[i] == 0.0 || self.level[i] == STILL {
                        continue;
                    }
                    changed = true;
                    self.level[i] += 1;
                    self.next[i] = if self.level[i] == STILL {
                        self.now[i]
                    } else {
                        0.5 * (self.now[i] + self.next[i])
                    };
                    self.mark(vertex);
                }
            }
            if !changed {
                let pair = pairs[bad[0] as usize];
                return Err(Crushed { pair });
            }
            self.recheck(pairs, bad);
        }
        Ok(self.level.iter().filter(|level| **level == STILL).count())
    }

    /// Looks again at `bad` and at all pairs of vertices moved since.
    fn recheck(&mut self, pairs: &[Pair], mut bad: Vec<u32>) {
        for &vertex in &self.moved.list {
            bad.extend_from_slice(self.pairs_of.row(vertex as usize));
        }
        bad.sort_unstable();
        bad.dedup();
        let (now, next, least_m) = (&self.now, &self.next, self.least_m);
        self.bad.clear();
        self.bad.par_extend(
            bad.par_iter()
                .copied()
                .with_min_len(PAIR_GRAIN)
                .filter(|k| !is_safe(&pairs[*k as usize], now, next, least_m)),
        );
    }

    /// Lists the pairs that have no plane between them on these ways.
    fn find_bad(&mut self, pairs: &[Pair], from: &[DVec3], to: &[DVec3]) {
        let Self {
            glance,
            chosen,
            least_m,
            ..
        } = self;
        let least_m = *least_m;
        glance.fill(from, to);
        chosen.find(pairs.len(), |k| {
            let pair = &pairs[k];
            !glance.separates(pair, least_m) && !is_safe(pair, from, to, least_m)
        });
        self.bad.clear();
        self.bad.extend(self.chosen.iter().map(|k| k as u32));
    }
}

/// Whether a plane is between the features all the way, or never was.
fn is_safe(pair: &Pair, from: &[DVec3], to: &[DVec3], least_m: f64) -> bool {
    planes::between_features(pair, &pair.of(from), &pair.of(to), least_m)
        .is_none_or(|plane| plane.separates())
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

/// A set of vertices, in the order they were added.
#[derive(Default)]
struct Marks {
    list: Vec<u32>,
    marked: Vec<bool>,
}

impl Marks {
    fn clear(&mut self, vertices: usize) {
        for vertex in self.list.drain(..) {
            self.marked[vertex as usize] = false;
        }
        self.marked.resize(vertices, false);
    }

    fn add(&mut self, vertex: u32) {
        if !std::mem::replace(&mut self.marked[vertex as usize], true) {
            self.list.push(vertex);
        }
    }
}
