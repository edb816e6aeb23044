//! Where vertices go in a pass of the guard, and the boxes that they must not leave.

use crate::contact::guard::GuardReport;
use crate::contact::tuning::TUNING;
use glam::DVec3;
use toile_geometry::Bounds;

/// The ways of all vertices, m.
#[derive(Default)]
pub(super) struct Ways {
    /// Where the passes so far have led.
    pub now: Vec<DVec3>,
    /// Where this pass leads.
    pub next: Vec<DVec3>,
    /// Where all passes are to lead.
    pub goal: Vec<DVec3>,
}

impl Ways {
    /// Sets out `from` a place `to` another.
    pub fn begin(&mut self, from: &[DVec3], to: &[DVec3]) {
        self.now.clear();
        self.now.extend_from_slice(from);
        self.goal.clear();
        self.goal.extend_from_slice(to);
        self.next.resize(from.len(), DVec3::ZERO);
    }

    /// Makes the way of the next pass its share of what is left to go, in passes.
    pub fn set_out(&mut self, left: f64) {
        let ends = self.now.iter().zip(&self.goal);
        for (next, (now, goal)) in self.next.iter_mut().zip(ends) {
            *next = if left == 1.0 {
                *goal
            } else {
                *now + (*goal - *now) / left
            };
        }
    }

    /// Makes where the pass led where the next one begins.
    pub fn arrive(&mut self) {
        std::mem::swap(&mut self.now, &mut self.next);
    }

    /// Notes in `done` what has become of the ways that should have led `to` a place.
    pub fn compare(&self, to: &[DVec3], done: &mut GuardReport) {
        for (to, end) in to.iter().zip(&self.now) {
            if *to != *end {
                done.touched += 1;
                done.change_m += to.distance(*end);
                done.largest_change_m = done.largest_change_m.max(to.distance(*end));
            }
        }
    }
}

/// The boxes around the ways for which pairs are listed: outside of its own, a vertex could meet what is not on
/// the list.
#[derive(Default)]
pub(super) struct Room {
    boxes: Vec<Bounds>,
    /// Whether nothing may leave them. Otherwise what wants to is let go, and pairs are listed again.
    is_last: bool,
    /// How far outside it got, m.
    pub outside_m: f64,
}

impl Room {
    /// Nothing has left anything yet; in the last attempt, nothing may.
    pub fn begin(&mut self, is_last: bool) {
        self.is_last = is_last;
        self.outside_m = 0.0;
    }

    /// Makes the boxes larger by `pad_m` than the ways `from` a place `to` another.
    pub fn enclose(&mut self, from: &[DVec3], to: &[DVec3], pad_m: f64) {
        self.boxes.clear();
        self.boxes
            .extend(from.iter().zip(to).map(|(from, to)| Bounds {
                min: from.min(*to) - pad_m,
                max: from.max(*to) + pad_m,
            }));
    }

    /// The place in the box of a vertex that is nearest to one.
    pub fn hold(&self, vertex: usize, place: DVec3) -> DVec3 {
        let Bounds { min, max } = self.boxes[vertex];
        place.clamp(min, max)
    }

    /// The same where a rigid zone takes the vertex, unless it may leave its box: then that is noted.
    pub fn hold_in_zone(&mut self, vertex: usize, place: DVec3) -> DVec3 {
        let inside = self.hold(vertex, place);
        if self.is_last {
            return inside;
        }
        let outside_m = (place - inside).abs().max_element();
        self.outside_m = self.outside_m.max(outside_m);
        place
    }
}

/// How many passes a motion takes in which vertices move by `relative_m` to each other.
pub(super) fn passes(relative_m: f64, shortest_edge_m: f64) -> u32 {
    let passes = (relative_m / (TUNING.guard_pass_edges * shortest_edge_m)).ceil();
    passes.clamp(1.0, f64::from(TUNING.guard_max_passes)) as u32
}
