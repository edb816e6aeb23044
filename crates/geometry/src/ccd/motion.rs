//! The relative motion of two primitives with four corners in all.

use glam::DVec3;

/// Where the corners 1, 2 and 3 are as seen from corner 0.
pub(super) type Pose = [DVec3; 3];

/// Four corners in straight motion, as seen from corner 0; the first `FIRST` corners are one
/// primitive, the others the second.
///
/// Contact does not depend on where corner 0 goes, and as differences coordinates are as small, and
/// their errors with them, as the primitives are near.
pub(super) struct Motion<const FIRST: usize> {
    /// At time 0; every coordinate within half a unit in its last place.
    pub start: Pose,
    /// At time 1.
    pub end: Pose,
    /// Largest magnitude of any coordinate of `start` and `end`.
    pub reach: f64,
    /// The distance that counts as contact.
    pub separation: f64,
}

impl<const FIRST: usize> Motion<FIRST> {
    /// The motion from `start` to `end`, in a unit of length in which no product of three
    /// coordinates overflows or loses digits at the small end.
    #[inline]
    pub fn new(start: &[DVec3; 4], end: &[DVec3; 4], separation: f64) -> Self {
        let relative = |x: &[DVec3; 4]| [x[1] - x[0], x[2] - x[0], x[3] - x[0]];
        let (start, end) = (relative(start), relative(end));
        let largest = |p: &Pose| p[0].abs().max(p[1].abs()).max(p[2].abs());
        let reach = largest(&start).max(largest(&end)).max_element();
        let motion = Self {
            start,
            end,
            reach,
            separation,
        };
        if (1e-30..1e30).contains(&reach) {
            motion
        } else {
            motion.rescaled()
        }
    }

    /// The same in another unit, a power of two so that nothing is rounded but what is lost beside
    /// `reach`. Motions that are not finite, or no larger than the smallest numbers, stay as they are.
    #[cold]
    fn rescaled(self) -> Self {
        if !(f64::MIN_POSITIVE..f64::MAX).contains(&self.reach) {
            return self;
        }
        let exponent = ((self.reach.to_bits() >> 52) as i32) - 1023;
        // In two factors: one alone may not be representable.
        let half = -exponent / 2;
        let factors = [half, -exponent - half].map(|e| 2.0_f64.powi(e));
        let scaled = |x: DVec3| x * factors[0] * factors[1];
        Self {
            start: self.start.map(scaled),
            end: self.end.map(scaled),
            reach: self.reach * factors[0] * factors[1],
            // Growing by a unit in the last place covers what is rounded here.
            separation: if self.separation > 0.0 {
                (self.separation * factors[0] * factors[1]).next_up()
            } else {
                0.0
            },
        }
    }

    /// The pose at time `t`. With the rounding of `start` and `end`, every coordinate is within
    /// 4.1 u `reach` of the true one, u = 2⁻⁵³: three relative errors of u in each term of the convex
    /// combination, and one in their sum.
    #[inline]
    pub fn pose(&self, t: f64) -> Pose {
        std::array::from_fn(|i| (1.0 - t) * self.start[i] + t * self.end[i])
    }
}

/// Whether some coordinate axis keeps the two primitives more than `separation` apart at both
/// ends, and so at all times.
///
/// Exact: a difference that is rounded to more than `separation` is more than `separation`.
#[inline]
pub(super) fn apart_along_axes<const FIRST: usize>(
    start: &[DVec3; 4],
    end: &[DVec3; 4],
    separation: f64,
) -> bool {
    let gaps = |x: &[DVec3; 4]| {
        let [(low, high), (other_low, other_high)] = if FIRST == 1 {
            [
                (x[0], x[0]),
                (x[1].min(x[2]).min(x[3]), x[1].max(x[2]).max(x[3])),
            ]
        } else {
            [
                (x[0].min(x[1]), x[0].max(x[1])),
                (x[2].min(x[3]), x[2].max(x[3])),
            ]
        };
        [low - other_high, other_low - high]
    };
    let ([above, below], [above_later, below_later]) = (gaps(start), gaps(end));
    let least = DVec3::splat(separation);
    (above.min(above_later).cmpgt(least) | below.min(below_later).cmpgt(least)).any()
}
