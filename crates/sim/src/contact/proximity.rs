//! Which pairs touch in a step: those nearer than the distance they keep, or about to be.

use super::listing::Listing;
use super::surfaces::{Pair, Surfaces};
use super::touch::{Remembered, Touch};
use glam::DVec3;
use rayon::prelude::*;
use toile_geometry::distance::{Kind, between};

/// `κ` in units of what stops the points within a step.
const STOPS: f64 = 100.0;
/// Edges nearly parallel have no normal to speak of, and vertices do their work: least `sin²`.
const LEAST_SINE_SQUARED: f64 = 0.01;
/// A vertex beside a triangle would push it sideways, and flat cloth would catch on its own mesh:
/// least `|cos|` of normal and face where the border of the triangle is nearest.
const LEAST_COSINE: f64 = 0.99;
/// Two triangles near a vertex are one and the same surface if their normals are this much alike.
const SAME_SIDE: f64 = 0.5;
/// Pairs one task looks at.
const PAIR_GRAIN: usize = 512;

/// A step about to be taken.
pub struct Ahead<'a> {
    /// Positions at the start, m.
    pub positions: &'a [DVec3],
    /// Where free flight and what is prescribed would lead, m.
    pub expected: &'a [DVec3],
    /// Inverse masses, 1/kg; 0 where motion is prescribed.
    pub inverse_masses: &'a [f64],
    /// Whether nothing at all holds a vertex.
    pub free: &'a [bool],
    /// Contacts of the step before, ascending.
    pub remembered: &'a [Remembered],
    /// Square of the effective step, s².
    pub square_s2: f64,
    /// Coefficient of friction.
    pub friction: f64,
}

/// Finds all contacts of a step, ascending by pair.
pub fn find(surfaces: &Surfaces, ahead: &Ahead<'_>, listing: &mut Listing, out: &mut Vec<Touch>) {
    // The distance itself is half in each box.
    listing.find(
        surfaces,
        ahead.positions,
        ahead.expected,
        surfaces.reach_m(),
    );
    out.clear();
    out.par_extend(
        listing
            .pairs
            .par_iter()
            .with_min_len(PAIR_GRAIN)
            .filter_map(|pair| touch(surfaces, ahead, pair)),
    );
    keep_nearest(out);
}

fn touch(surfaces: &Surfaces, ahead: &Ahead<'_>, pair: &Pair) -> Option<Touch> {
    let x = pair.of(ahead.positions);
    let distance_m = surfaces.distance_m(pair);
    if pair.kind == Kind::EdgeEdge {
        let (a, b) = (x[1] - x[0], x[3] - x[2]);
        let square = a.length_squared() * b.length_squared();
        if a.cross(b).length_squared() < LEAST_SINE_SQUARED * square {
            return None;
        }
    }
    let weights = pair.kind.closest(&x);
    // Where an edge's end is nearest, another pair has that point inside.
    if pair.kind == Kind::EdgeEdge && weights.contains(&0.0) {
        return None;
    }
    let start = between(&weights, &x);
    let normal = start.try_normalize()?;
    if pair.kind == Kind::PointTriangle && weights[1..].contains(&0.0) {
        let face = (x[2] - x[1]).cross(x[3] - x[1]).normalize_or_zero();
        if face.dot(normal).abs() < LEAST_COSINE {
            return None;
        }
    }
    let gap = normal.dot(start);
    let ahead_gap = normal.dot(between(&weights, &pair.of(ahead.expected)));
    if gap.min(ahead_gap) >= distance_m {
        return None;
    }
    let inverse = pair.of(ahead.inverse_masses);
    let free = pair.of(ahead.free);
    let gives = [0, 1, 2, 3].map(|k| {
        if free[k] {
            weights[k] * inverse[k]
        } else {
            0.0
        }
    });
    let total: f64 = weights.iter().zip(gives).map(|(a, g)| a * g).sum();
    let lightness: f64 = weights.iter().zip(inverse).map(|(a, w)| a * a * w).sum();
    if lightness == 0.0 {
        return None;
    }
    let known = ahead
        .remembered
        .binary_search_by(|contact| contact.pair.cmp(pair))
        .map(|k| ahead.remembered[k]);
    let (slip, normal_force_n) = known.map_or((DVec3::ZERO, 0.0), |contact| {
        let along = contact.slip.reject_from_normalized(normal);
        let along = along.normalize_or_zero() * contact.slip.length();
        (along, contact.normal_force_n)
    });
    Some(Touch {
        pair: *pair,
        weights,
        normal,
        distance_m,
        stiffness_n_per_m: STOPS / (lightness * ahead.square_s2),
        friction: ahead.friction,
        start,
        slip,
        give: gives.map(|g| if total > 0.0 { g / total } else { 0.0 }),
        expected: ahead_gap < distance_m,
        force_before_n: normal_force_n,
        normal_force_n,
    })
}

/// Of the triangles near a vertex, keeps the nearest on each side of it: the others are the same
/// surface, and vertices would be caught at the borders between them. Edges that another surface lies
/// between are none of each other's business either: in a free flight of several layers they would
/// meet, but the layer between stops them.
fn keep_nearest(touches: &mut Vec<Touch>) {
    let points = touches.partition_point(|touch| touch.pair.kind == Kind::PointTriangle);
    let crossings = touches.split_off(points);
    let mut kept = 0;
    let mut first = 0;
    while first < points {
        let vertex = touches[first].pair.vertices[0];
        let same = |touch: &&Touch| touch.pair.vertices[0] == vertex;
        let count = touches[first..].iter().take_while(same).count();
        touches[first..first + count].sort_by(|a, b| {
            let gaps = gap_m(a).total_cmp(&gap_m(b));
            gaps.then(a.pair.cmp(&b.pair))
        });
        let start = kept;
        for k in first..first + count {
            let touch = touches[k];
            let alike = |other: &Touch| other.normal.dot(touch.normal) > SAME_SIDE;
            if !touches[start..kept].iter().any(alike) {
                touches[kept] = touch;
                kept += 1;
            }
        }
        touches[start..kept].sort_by_key(|touch| touch.pair);
        first += count;
    }
    touches.truncate(kept);
    let is_behind = |crossing: &Touch, vertex: u32, side: DVec3| {
        let from = touches.partition_point(|touch| touch.pair.vertices[0] < vertex);
        let own = touches[from..]
            .iter()
            .take_while(|touch| touch.pair.vertices[0] == vertex);
        let nearest = gap_m(crossing) - 0.5 * crossing.distance_m;
        own.into_iter()
            .any(|touch| touch.normal.dot(side) > SAME_SIDE && gap_m(touch) < nearest)
    };
    let seen = |crossing: &Touch| {
        let [a, b, c, d] = crossing.pair.vertices;
        let n = crossing.normal;
        ![(a, n), (b, n), (c, -n), (d, -n)]
            .into_iter()
            .any(|(vertex, side)| is_behind(crossing, vertex, side))
    };
    let seen: Vec<Touch> = crossings.into_iter().filter(seen).collect();
    touches.extend(seen);
}

/// Distance of the two points at the start, m.
fn gap_m(touch: &Touch) -> f64 {
    touch.normal.dot(touch.start)
}
