//! Two features that move along straight lines do not meet if one plane is between them at the start
//! and, turned no way, at the end.
//!
//! For a direction `n`, the gap is `g(n) = min n·p − max n·q` over the vertices `p` of the first
//! feature and `q` of the second. Every `n·(p − q)` is linear in time; if all of them are positive at
//! the start and at the end, they are so in between. So one direction with two positive gaps proves a
//! pair safe: no root finding, and no dependence on the order in which pairs are looked at.
//!
//! Verified by: `tests/guard.rs`.

use crate::contact::surfaces::Pair;
use crate::contact::tuning::TUNING;
use glam::DVec3;
use toile_geometry::distance::{Kind, between};

/// A direction between two features, with the gaps along it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// Unit normal, from the second feature to the first.
    pub normal: DVec3,
    /// Gap at the end, m; negative where the features overlap along the normal.
    pub gap_m: f64,
    /// The least gap that must be left at the end, m.
    pub wanted_m: f64,
}

impl Plane {
    /// Whether it separates the features all the way.
    pub fn separates(&self) -> bool {
        self.gap_m >= self.wanted_m
    }
}

/// `min n·p − max n·q`.
pub fn gap_m(kind: Kind, n: DVec3, x: &[DVec3; 4]) -> f64 {
    let [a, b, c, d] = x.map(|x| n.dot(x));
    match kind {
        Kind::PointTriangle => a - b.max(c).max(d),
        Kind::EdgeEdge => a.min(b) - c.max(d),
    }
}

/// The best plane between the features of a pair that move from `start` to `end`: the first that
/// separates them, or else the one that comes nearest to it. `None` if the features were not apart at
/// the start.
///
/// `least_m` is the gap that is always kept, unless the features were nearer at the start: then nearly
/// all of that is. Any one direction may see less of it.
pub fn between_features(
    pair: &Pair,
    start: &[DVec3; 4],
    end: &[DVec3; 4],
    least_m: f64,
) -> Option<Plane> {
    let kind = pair.kind;
    // Differences are exact enough; sums far from the origin would not be.
    let origin = start[0];
    let start = &start.map(|x| x - origin);
    let end = &end.map(|x| x - origin);
    let mut search = Search {
        kind,
        start,
        end,
        least_m,
        best: None,
    };
    if search.tries_axes() {
        return search.best;
    }
    let closest = |x: &[DVec3; 4]| between(&kind.closest(x), x);
    let across = |x: &[DVec3; 4]| match kind {
        Kind::PointTriangle => (x[2] - x[1]).cross(x[3] - x[1]),
        Kind::EdgeEdge => (x[1] - x[0]).cross(x[3] - x[2]),
    };
    let at_start = closest(start);
    let nearest_m = TUNING.guard_kept_tiny * at_start.length();
    if nearest_m < least_m {
        (search.least_m, search.best) = (nearest_m, None);
        if search.tries_axes() {
            return search.best;
        }
    }
    if search.tries(at_start) || search.tries(across(start)) || search.tries(across(end)) {
        return search.best;
    }
    let at_end = closest(end);
    let motion = at_end - at_start;
    let blend = at_start.normalize_or_zero() + at_end.normalize_or_zero();
    let aside = at_start.reject_from(motion.try_normalize().unwrap_or(DVec3::X));
    let _ = search.tries(at_end)
        || search.tries(blend)
        || search.tries(aside)
        || search.tries(across(start).normalize_or_zero() + across(end).normalize_or_zero());
    search.best
}

struct Search<'a> {
    kind: Kind,
    start: &'a [DVec3; 4],
    end: &'a [DVec3; 4],
    least_m: f64,
    best: Option<Plane>,
}

impl Search<'_> {
    /// Looks along the axes until one separates: most pairs need no more, and all three cost little.
    fn tries_axes(&mut self) -> bool {
        let (before, after) = (
            axis_gaps_m(self.kind, self.start),
            axis_gaps_m(self.kind, self.end),
        );
        (0..3).any(|axis| {
            let side = usize::from(before[0][axis] <= 0.0);
            let normal = [DVec3::AXES[axis], -DVec3::AXES[axis]][side];
            self.takes(normal, before[side][axis], after[side][axis])
        })
    }

    /// Looks along `direction`, whichever way it points; whether it separates.
    fn tries(&mut self, direction: DVec3) -> bool {
        let Some(mut normal) = direction.try_normalize() else {
            return false;
        };
        let mut before = gap_m(self.kind, normal, self.start);
        if before <= 0.0 {
            normal = -normal;
            before = gap_m(self.kind, normal, self.start);
        }
        self.takes(normal, before, gap_m(self.kind, normal, self.end))
    }

    /// Keeps a direction with these gaps if it is the best so far; whether it separates.
    #[inline]
    fn takes(&mut self, normal: DVec3, before_m: f64, gap_m: f64) -> bool {
        if before_m <= 0.0 {
            return false;
        }
        let plane = Plane {
            normal,
            gap_m,
            wanted_m: (TUNING.guard_kept_share * before_m).max(self.least_m),
        };
        let lack = |plane: &Plane| plane.wanted_m - plane.gap_m;
        if self.best.is_none_or(|best| lack(&plane) < lack(&best)) {
            self.best = Some(plane);
        }
        plane.separates()
    }
}

/// The gaps along the axes, and against them.
#[inline]
fn axis_gaps_m(kind: Kind, x: &[DVec3; 4]) -> [DVec3; 2] {
    let [a, b, c, d] = *x;
    match kind {
        Kind::PointTriangle => [a - b.max(c).max(d), b.min(c).min(d) - a],
        Kind::EdgeEdge => [a.min(b) - c.max(d), c.min(d) - a.max(b)],
    }
}
