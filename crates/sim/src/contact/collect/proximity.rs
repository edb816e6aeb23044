//! Which pairs touch in a step: those nearer than the distance they keep, or about to be.

use crate::contact::collect::closest_points::ClosestPoints;
use crate::contact::collect::listing::{Flat, Listing, Wanted};
use crate::contact::collect::nearest::keep_nearest;
use crate::contact::friction_table::FrictionTable;
use crate::contact::memory;
use crate::contact::memory::{Precursor, Remembered};
use crate::contact::stencil::ContactStencil;
use crate::contact::step_contacts::StepContacts;
use crate::contact::surfaces::{Pair, Surfaces};
use crate::contact::tuning::TUNING;
use glam::DVec3;
use rayon::prelude::*;
use toile_geometry::distance::{Kind, between};

/// Pairs one task looks at.
const PAIR_GRAIN: usize = 512;

/// A step about to be taken, and what is known of contacts before it.
pub struct Ahead<'a> {
    /// Where it begins, where it has got and where it is expected to lead.
    pub step: &'a StepContacts,
    /// Contacts of the step before, ascending.
    pub remembered: &'a [Remembered],
    /// Gravity, m/s².
    pub gravity_m_per_s2: f64,
    /// Coefficients of friction.
    pub friction: &'a FrictionTable,
    /// Whether contacts are potentials in the solve; otherwise they are pairs to be repelled.
    pub is_potential: bool,
}

/// What earlier solves of the same step say of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PairStatus {
    /// Nothing.
    New,
    /// It is a contact, and stays one: what is forgotten would meet again in the next solve.
    Contact,
    /// The guard had to keep it apart: it is a contact, however unlikely it looks.
    Caught,
}

/// What earlier steps and solves say of a pair.
struct PairHistory {
    status: PairStatus,
    /// How deep cloth is pressed into cloth around it, m.
    pressed_m: f64,
    /// Whether it held two cloths apart.
    is_held: bool,
}

impl Ahead<'_> {
    /// The contact of the step before that a pair goes on from.
    pub fn precursor(&self, pair: &Pair) -> Precursor<'_> {
        let same = memory::same_pair(self.remembered, pair).map(Precursor::SamePair);
        let near = || {
            let near = memory::same_surface(self.remembered, pair, self.friction);
            near.map(Precursor::SameSurface)
        };
        same.or_else(near).unwrap_or(Precursor::None)
    }

    /// How far from free flight the step is expected to end at most, m.
    fn slack_m(&self, surfaces: &Surfaces) -> f64 {
        let step_s = self.step.step_s;
        let fall_m = step_s * step_s * self.gravity_m_per_s2;
        (TUNING.slack_falls * fall_m).min(TUNING.slack_edges * surfaces.shortest_edge_m)
    }

    /// Square of the time in which a contact stops what arrives: the step, but no longer than it takes to
    /// fall through the distance kept, or else cloth would sink in that carries its own weight.
    pub fn stopping_s2(&self, distance_m: f64) -> f64 {
        let step_s = self.step.step_s;
        let square_s2 = step_s * step_s;
        square_s2.min(2.0 * distance_m / self.gravity_m_per_s2)
    }
}

/// What earlier steps and solves say of all pairs.
struct History<'a> {
    surfaces: &'a Surfaces,
    ahead: &'a Ahead<'a>,
    /// Contacts of an earlier solve of the same step, ascending.
    earlier: Vec<Pair>,
    /// How deep the deepest contact of each vertex is pressed in, m.
    pressed_m: Vec<f64>,
}

impl History<'_> {
    fn status(&self, pair: &Pair) -> PairStatus {
        if self.ahead.step.caught.binary_search(pair).is_ok() {
            PairStatus::Caught
        } else if self.earlier.binary_search(pair).is_ok() {
            PairStatus::Contact
        } else {
            PairStatus::New
        }
    }

    /// How deep cloth is pressed around a pair, m.
    fn pressed_m(&self, pair: &Pair) -> f64 {
        let side = |vertices: &[u32]| {
            let depths = vertices.iter();
            let depths = depths.map(|vertex| self.pressed_m[*vertex as usize]);
            depths.fold(0.0, f64::max)
        };
        let (first, second) = pair.vertices.split_at(pair.first());
        side(first).min(side(second))
    }

    /// What held cloths apart goes on to, however unlikely it has become: stiff cloth that is let go of and
    /// caught again with every tremor never comes to rest. Most vertices hold nothing, and need no search.
    fn of(&self, pair: &Pair, status: PairStatus) -> PairHistory {
        let pressed_m = self.pressed_m(pair);
        let own = || memory::same_pair(self.ahead.remembered, pair);
        PairHistory {
            status,
            pressed_m,
            is_held: pressed_m > 0.0 && self.surfaces.is_between_cloths(pair) && own().is_some(),
        }
    }
}

/// Finds all contacts of a step, ascending by pair, given those of an earlier solve of the same step.
pub fn find(
    surfaces: &Surfaces,
    ahead: &Ahead<'_>,
    listing: &mut Listing,
    earlier: &[ContactStencil],
) -> Vec<ContactStencil> {
    let earlier: Vec<Pair> = earlier.iter().map(|stencil| stencil.pair).collect();
    list(surfaces, ahead, &earlier, listing);
    let history = History {
        surfaces,
        ahead,
        earlier,
        pressed_m: memory::pressed_m(ahead.remembered, surfaces),
    };
    let Listing {
        pairs, f32_reject, ..
    } = listing;
    let path = &ahead.step.path;
    f32_reject.fill(&path.reached, &path.expected);
    let near_m = 2.0 * surfaces.reach_m();
    let find = |pair: &Pair| {
        let status = history.status(pair);
        let is_far = || f32_reject.is_beyond(pair, near_m) || !comes_near(pair, ahead, near_m);
        if status == PairStatus::New && is_far() {
            return None;
        }
        contact(surfaces, ahead, pair, &history.of(pair, status))
    };
    let mut found = Vec::new();
    found.par_extend(pairs.par_iter().with_min_len(PAIR_GRAIN).filter_map(find));
    keep_nearest(surfaces, &mut found);
    found
}

/// Lists the pairs that may touch, and all those that an earlier solve of the same step had.
fn list(surfaces: &Surfaces, ahead: &Ahead<'_>, earlier: &[Pair], listing: &mut Listing) {
    // The distance itself is half in each box. The rest is for the guard, which then need not search again.
    let reach_m = surfaces.reach_m();
    let StepContacts { path, caught, .. } = ahead.step;
    let wanted = Wanted {
        from: &path.reached,
        to: &path.expected,
        pad_m: reach_m + ahead.slack_m(surfaces),
        flat: Some(Flat {
            distance_m: 2.0 * reach_m,
            stray_m: reach_m,
        }),
        straight: true,
    };
    listing.find(surfaces, &wanted);
    if !(earlier.is_empty() && caught.is_empty()) {
        listing.pairs.extend_from_slice(earlier);
        listing.pairs.extend_from_slice(caught);
        listing.pairs.sort_unstable();
        listing.pairs.dedup();
    }
}

/// Whether the boxes around the ways of the two features are no further apart than this, m.
fn comes_near(pair: &Pair, ahead: &Ahead<'_>, distance_m: f64) -> bool {
    let path = &ahead.step.path;
    let (from, to) = (pair.of(&path.reached), pair.of(&path.expected));
    let bounds = |side: std::ops::Range<usize>| {
        let low = side.clone().map(|k| from[k].min(to[k]));
        let high = side.map(|k| from[k].max(to[k]));
        (
            low.fold(DVec3::INFINITY, DVec3::min),
            high.fold(DVec3::NEG_INFINITY, DVec3::max),
        )
    };
    let (first, second) = (bounds(0..pair.first()), bounds(pair.first()..4));
    let apart = (first.0 - second.1).max(second.0 - first.1);
    apart.max_element() <= distance_m
}

/// The contact of a pair, if it is one.
fn contact(
    surfaces: &Surfaces,
    ahead: &Ahead<'_>,
    pair: &Pair,
    past: &PairHistory,
) -> Option<ContactStencil> {
    let is_new = past.status == PairStatus::New;
    let path = &ahead.step.path;
    let x = pair.of(&path.reached);
    let distance_m = surfaces.distance_m(pair);
    let is_choosy = past.status != PairStatus::Caught && !past.is_held;
    // Only where vertices and faces can do the work of edges.
    let have_faces = surfaces.have_faces(pair);
    if is_choosy && pair.kind == Kind::EdgeEdge && have_faces.contains(&true) {
        let (a, b) = (x[1] - x[0], x[3] - x[2]);
        let square = a.length_squared() * b.length_squared();
        if a.cross(b).length_squared() < TUNING.edge_least_sine_squared * square {
            return None;
        }
    }
    let weights = pair.kind.closest(&x);
    // Where an edge's end is nearest, another pair has that point inside: if there is a face for it.
    let ends = [weights[..2].contains(&0.0), weights[2..].contains(&0.0)];
    let is_inside = ends[0] && have_faces[1] || ends[1] && have_faces[0];
    if is_choosy && pair.kind == Kind::EdgeEdge && is_inside {
        return None;
    }
    let apart = between(&weights, &x);
    let normal = apart.try_normalize()?;
    if is_choosy && pair.kind == Kind::PointTriangle && weights[1..].contains(&0.0) {
        let face = (x[2] - x[1]).cross(x[3] - x[1]).normalize_or_zero();
        if face.dot(normal).abs() < TUNING.border_least_cosine {
            return None;
        }
    }
    let motion = between(&weights, &pair.of(&path.expected)) - apart;
    // Along any normal that there may be, this much is left at the end.
    let left_m = TUNING.normal_least_cosine * apart.length() - motion.length();
    if is_new && left_m > TUNING.certainly * distance_m {
        return None;
    }
    let stars = &surfaces.stars;
    let normal = stars.normal(pair, &weights, &path.reached, normal);
    let gap_along = |x: &[DVec3]| normal.dot(between(&weights, &pair.of(x)));
    let least_m = gap_along(&path.reached).min(gap_along(&path.expected));
    let is_apart = |distance_m: f64| is_new && least_m >= distance_m;
    if is_apart(distance_m) {
        return None;
    }
    let precursor = ahead.precursor(pair);
    let kept_m = if surfaces.is_between_cloths(pair) && ahead.is_potential {
        precursor.kept_m(
            gap_along(&ahead.step.motion.start),
            distance_m,
            past.pressed_m,
        )
    } else {
        distance_m
    };
    if is_apart(kept_m) {
        return None;
    }
    let points = ClosestPoints {
        pair: *pair,
        weights,
        normal,
        distance_m,
        kept_m,
        friction: ahead.friction.between(pair.vertices[0], pair.vertices[3]),
    };
    points.stencil(surfaces, ahead, precursor)
}
