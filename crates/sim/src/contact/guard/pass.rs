//! One pass of the guard: pairs are pushed apart, then move in rigid zones, and at last not at all.

use crate::contact::guard::planes::Plane;
use crate::contact::guard::ways::Ways;
use crate::contact::guard::zones::Motion;
use crate::contact::guard::{Crushed, Guard, GuardReport, PAIR_GRAIN, planes};
use crate::contact::movable::Movable;
use crate::contact::surfaces::Pair;
use crate::contact::tuning::TUNING;
use glam::{DQuat, DVec3};
use rayon::prelude::*;

impl Guard {
    /// Makes the way from `now` to `next` safe, and leaves the vertices that were turned away in
    /// `turned`.
    pub(super) fn pass(
        &mut self,
        pairs: &[Pair],
        movable: &Movable,
        done: &mut GuardReport,
    ) -> Result<(), Crushed> {
        self.turned.clear(self.ways.now.len());
        self.moved.clear(self.ways.now.len());
        self.test
            .find_bad(pairs, &self.ways.now, &self.ways.next, &mut self.bad);
        for _ in 0..TUNING.guard_max_sweeps {
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
    fn move_in_zones(&mut self, pairs: &[Pair], movable: &Movable) -> usize {
        self.zones.clear(self.ways.now.len());
        self.candidate.clear();
        self.candidate.extend_from_slice(&self.ways.next);
        let (mut count, mut turn) = (0, true);
        for _ in 0..TUNING.guard_max_rounds {
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
            self.moved.clear(self.ways.now.len());
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

    fn move_zone(&mut self, zone: &[u32], turn: bool, movable: &Movable) {
        let mut motion = Motion::of(zone, movable, &self.ways.now, &self.candidate);
        if !turn {
            motion.turn = DQuat::IDENTITY;
        }
        for &vertex in zone {
            let i = vertex as usize;
            if movable.inverse_masses[i] == 0.0 {
                continue;
            }
            let mut end = motion.end(self.ways.now[i]);
            // The last resort goes a little into the distance kept from a solid: the next step mends it.
            if turn {
                end -= movable.into_support(i, end - self.candidate[i]);
            }
            let end = self.room.hold_in_zone(i, end);
            if end != self.ways.next[i] {
                self.ways.next[i] = end;
                self.mark(vertex);
            }
        }
    }

    /// Pushes every bad pair apart, in order, and lists what is bad then.
    fn sweep(&mut self, pairs: &[Pair], movable: &Movable) {
        let bad = std::mem::take(&mut self.bad);
        self.moved.clear(self.ways.now.len());
        for &k in &bad {
            let pair = pairs[k as usize];
            let (start, end) = (pair.of(&self.ways.now), pair.of(&self.ways.next));
            match planes::between_features(&pair, &start, &end, self.test.least_m) {
                Some(plane) if !plane.separates() => self.push(&pair, &plane, movable),
                _ => {}
            }
        }
        self.recheck(pairs, bad);
    }

    /// Moves the vertices of a pair to their sides of a plane.
    fn push(&mut self, pair: &Pair, plane: &Plane, movable: &Movable) {
        let n = plane.normal;
        let weights = pair.of(&movable.inverse_masses);
        let (first, second) = weights.split_at(pair.first());
        let heaviest = |side: &[f64]| side.iter().copied().fold(0.0, f64::max);
        let (first, second) = (heaviest(first), heaviest(second));
        let lack = plane.wanted_m - plane.gap_m;
        if first + second == 0.0 {
            return;
        }
        // A little more, so that rounding does not undo it.
        let lack = lack + TUNING.guard_overshoot * plane.wanted_m;
        let end = pair.of(&self.ways.next).map(|x| n.dot(x));
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
            change -= movable.into_support(i, change);
            if change != DVec3::ZERO {
                self.ways.next[i] = self.room.hold(i, self.ways.next[i] + change);
                self.mark(vertex);
            }
        }
    }

    fn mark(&mut self, vertex: u32) {
        self.turned.add(vertex);
        self.moved.add(vertex);
    }

    /// Halves the motion of what fails, and halves it again, until nothing fails.
    fn take_back(&mut self, pairs: &[Pair], movable: &Movable) -> Result<usize, Crushed> {
        const STILL: u8 = TUNING.guard_halvings;
        self.level.clear();
        self.level.resize(self.ways.now.len(), 0);
        while !self.bad.is_empty() {
            let bad = std::mem::take(&mut self.bad);
            self.moved.clear(self.ways.now.len());
            let mut changed = false;
            for &k in &bad {
                for vertex in pairs[k as usize].vertices {
                    let i = vertex as usize;
                    if movable.inverse_masses[i] == 0.0 || self.level[i] == STILL {
                        continue;
                    }
                    changed = true;
                    self.level[i] += 1;
                    let Ways { now, next, .. } = &mut self.ways;
                    next[i] = if self.level[i] == STILL {
                        now[i]
                    } else {
                        0.5 * (now[i] + next[i])
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
        let Ways { now, next, .. } = &self.ways;
        let test = &self.test;
        self.bad.clear();
        self.bad.par_extend(
            bad.par_iter()
                .copied()
                .with_min_len(PAIR_GRAIN)
                .filter(|k| !test.is_safe(&pairs[*k as usize], now, next)),
        );
    }
}
