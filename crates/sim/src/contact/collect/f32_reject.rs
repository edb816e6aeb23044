//! A first look at pairs in motion, in single precision: most of them it tells apart for certain, in a
//! quarter of the time that an exact look takes.
//!
//! Rounding is on the safe side. What it says of a pair holds for the exact positions; where it says
//! nothing, these decide. So the answer as a whole does not depend on it.

use crate::contact::surfaces::Pair;
use crate::contact::tuning::TUNING;
use glam::DVec3;
use toile_geometry::distance::Kind;
use toile_numerics::par;
use wide::{f32x4, f32x8};

/// The ways of all vertices.
#[derive(Clone, Debug, Default)]
pub struct F32Reject {
    /// Start and end, with nothing in the fourth place of each, m.
    ways: Vec<f32x8>,
    rounding_m: f32,
}

impl F32Reject {
    /// At vertices that go from `from` to `to`.
    pub fn fill(&mut self, from: &[DVec3], to: &[DVec3]) {
        self.ways.resize(from.len(), f32x8::ZERO);
        par::fill(&mut self.ways, |v| {
            let (from, to) = (from[v].as_vec3(), to[v].as_vec3());
            f32x8::new([from.x, from.y, from.z, 0.0, to.x, to.y, to.z, 0.0])
        });
        let farther = |most: f32x8, way: &f32x8| most.fast_max(way.abs());
        let most = self.ways.iter().fold(f32x8::ZERO, farther).to_array();
        self.rounding_m =
            TUNING.f32_roundings * f32::EPSILON * most.into_iter().fold(0.0, f32::max);
    }

    /// Whether an axis separates the features of a pair all the way, as the guard wants a plane to.
    #[inline]
    pub fn separates(&self, pair: &Pair, least_m: f64) -> bool {
        let [first, second] = self.sides(pair);
        let (rounding, least) = (f32x4::splat(self.rounding_m), f32x4::splat(least_m as f32));
        let share = f32x4::splat(TUNING.guard_kept_share as f32);
        [(first, second), (second, first)].iter().any(|(a, b)| {
            let [start, end] = halves(a.low - b.high).map(|gap| gap - rounding);
            let wanted = (share * (start + rounding + rounding)).fast_max(least);
            (start.simd_gt(f32x4::ZERO) & end.simd_ge(wanted)).any()
        })
    }

    /// Whether the boxes around the ways of the features are further apart than this.
    #[inline]
    pub fn is_beyond(&self, pair: &Pair, distance_m: f64) -> bool {
        let [first, second] = self.sides(pair).map(|side| {
            let (low, high) = (halves(side.low), halves(side.high));
            (low[0].fast_min(low[1]), high[0].fast_max(high[1]))
        });
        let apart = (first.0 - second.1).fast_max(second.0 - first.1);
        let least = f32x4::splat(distance_m as f32 + self.rounding_m);
        apart.simd_gt(least).any()
    }

    #[inline]
    fn sides(&self, pair: &Pair) -> [Side; 2] {
        let [a, b, c, d] = pair.of(&self.ways);
        match pair.kind {
            Kind::PointTriangle => [Side { low: a, high: a }, Side::of(b, c).with(d)],
            Kind::EdgeEdge => [Side::of(a, b), Side::of(c, d)],
        }
    }
}

/// The lowest and highest coordinates of a feature, at start and end.
#[derive(Clone, Copy)]
struct Side {
    low: f32x8,
    high: f32x8,
}

impl Side {
    #[inline]
    fn of(a: f32x8, b: f32x8) -> Self {
        Self {
            low: a.fast_min(b),
            high: a.fast_max(b),
        }
    }

    #[inline]
    fn with(self, c: f32x8) -> Self {
        Self {
            low: self.low.fast_min(c),
            high: self.high.fast_max(c),
        }
    }
}

/// Start and end.
#[inline]
fn halves(way: f32x8) -> [f32x4; 2] {
    let [a, b, c, d, e, f, g, h] = way.to_array();
    [f32x4::new([a, b, c, d]), f32x4::new([e, f, g, h])]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::guard::planes;
    use proptest::prelude::*;

    fn pair() -> impl Strategy<Value = Pair> {
        let kind = prop_oneof![Just(Kind::PointTriangle), Just(Kind::EdgeEdge)];
        kind.prop_map(|kind| Pair {
            kind,
            vertices: [0, 1, 2, 3],
        })
    }

    /// Four vertices near each other somewhere, at the start and at the end.
    fn ways() -> impl Strategy<Value = [[DVec3; 4]; 2]> {
        let place = |size: f64| {
            (-size..size, -size..size, -size..size).prop_map(|(x, y, z)| DVec3::new(x, y, z))
        };
        let size = (-9..=0_i32).prop_map(|power| 10_f64.powi(power));
        let around = size.prop_flat_map(move |size| prop::array::uniform8(place(size)));
        (place(3.0), around).prop_map(|(origin, way)| {
            let [a, b, c, d, e, f, g, h] = way.map(|x| origin + x);
            [[a, b, c, d], [e, f, g, h]]
        })
    }

    /// Boxes around the ways of both features: their distance along the axis in which it is largest, m.
    fn apart_m(pair: &Pair, from: &[DVec3; 4], to: &[DVec3; 4]) -> f64 {
        let (first, second) = (0..pair.first(), pair.first()..4);
        let low = |side: std::ops::Range<usize>| {
            side.fold(DVec3::INFINITY, |low, k| low.min(from[k]).min(to[k]))
        };
        let high = |side: std::ops::Range<usize>| {
            side.fold(DVec3::NEG_INFINITY, |high, k| high.max(from[k]).max(to[k]))
        };
        let one = low(first.clone()) - high(second.clone());
        one.max(low(second) - high(first)).max_element()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn it_never_says_what_is_not_so(
            pair in pair(),
            [from, to] in ways(),
            power in -9..=-2_i32,
        ) {
            let distance_m = 10_f64.powi(power);
            let mut f32_reject = F32Reject::default();
            f32_reject.fill(&from, &to);
            if f32_reject.separates(&pair, distance_m) {
                let plane = planes::between_features(&pair, &from, &to, distance_m);
                prop_assert!(plane.is_some_and(|plane| plane.separates()));
            }
            if f32_reject.is_beyond(&pair, distance_m) {
                prop_assert!(apart_m(&pair, &from, &to) > distance_m);
            }
        }

        #[test]
        fn it_says_what_is_plainly_so(pair in pair(), [from, to] in ways(), least_m in 1e-6..1e-3) {
            let mut f32_reject = F32Reject::default();
            f32_reject.fill(&from, &to);
            let apart_m = apart_m(&pair, &from, &to);
            let clear_m = least_m + 1e-5;
            prop_assert!(apart_m < clear_m || f32_reject.is_beyond(&pair, least_m));
            // What stands still as far apart along an axis as is wanted, and a little more.
            let (first, second) = from.split_at(pair.first());
            let lowest = first.iter().fold(DVec3::INFINITY, |low, x| low.min(*x));
            let highest = second.iter().fold(DVec3::NEG_INFINITY, |high, x| high.max(*x));
            let mut raised = from;
            for x in &mut raised[..pair.first()] {
                x.y += clear_m - (lowest - highest).y;
            }
            f32_reject.fill(&raised, &raised);
            prop_assert!(f32_reject.separates(&pair, least_m));
        }
    }
}
