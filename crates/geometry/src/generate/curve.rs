//! Smooth curves through given points.
//!
//! Centripetal Catmull–Rom splines: every stretch between two points is a cubic that leaves each
//! of them along the direction its neighbours suggest, and the square roots of distances as
//! parameters keep it from looping or overshooting where points are unevenly spaced. Points on a
//! line give that line.

use super::ShapeError;
use glam::DVec3;

/// Pieces into which the length of a stretch is measured.
const PIECES: usize = 64;

/// A curve with its length measured.
pub(super) struct Curve {
    /// The given points, with one more at each end.
    points: Vec<DVec3>,
    /// Length of the curve up to the end of every piece, m.
    lengths: Vec<f64>,
}

impl Curve {
    /// The curve through at least two points, no two neighbours the same. The neighbours that the
    /// end points lack are those they have, mirrored in them.
    pub fn through(points: &[DVec3]) -> Result<Self, ShapeError> {
        Self::with_ends(points, |end, neighbour| 2.0 * end - neighbour)
    }

    /// The same with other neighbours: what `beyond` makes of an end point and the next one.
    pub fn with_ends(
        points: &[DVec3],
        beyond: impl Fn(DVec3, DVec3) -> DVec3,
    ) -> Result<Self, ShapeError> {
        let ([first, second, ..], [.., before, last]) = (points, points) else {
            return Err(ShapeError::TooShort(points.len()));
        };
        if let Some(at) = points.windows(2).position(|pair| pair[0] == pair[1]) {
            return Err(ShapeError::Repeated(at + 1));
        }
        let mut all = Vec::with_capacity(points.len() + 2);
        all.push(beyond(*first, *second));
        all.extend_from_slice(points);
        all.push(beyond(*last, *before));
        let mut curve = Self {
            points: all,
            lengths: Vec::new(),
        };
        let mut total = 0.0;
        let mut from = *first;
        for piece in 1..=PIECES * (points.len() - 1) {
            let to = curve.at(piece as f64 / PIECES as f64);
            total += from.distance(to);
            curve.lengths.push(total);
            from = to;
        }
        Ok(curve)
    }

    /// Its length, m.
    pub fn length_m(&self) -> f64 {
        self.lengths.last().copied().unwrap_or(0.0)
    }

    /// Points after equal parts of its length, both ends included, with its direction there.
    pub fn divided(&self, parts: usize) -> Vec<(DVec3, DVec3)> {
        let step = self.length_m() / parts as f64;
        let place = |k: usize| {
            let length = step * k as f64;
            let piece = self.lengths.partition_point(|end| *end < length);
            let piece = piece.min(self.lengths.len() - 1);
            let start = if piece == 0 {
                0.0
            } else {
                self.lengths[piece - 1]
            };
            let share = (length - start) / (self.lengths[piece] - start);
            let at = |share: f64| self.at((piece as f64 + share) / PIECES as f64);
            let along = (at(1.0) - at(0.0)).normalize_or_zero();
            (at(share.clamp(0.0, 1.0)), along)
        };
        (0..=parts).map(place).collect()
    }

    /// The point at a parameter that counts the given points.
    fn at(&self, parameter: f64) -> DVec3 {
        let last = self.points.len() - 4;
        let stretch = (parameter.floor() as usize).min(last);
        let points = [0, 1, 2, 3].map(|k| self.points[stretch + k]);
        let mut knots = [0.0; 4];
        for k in 1..4 {
            knots[k] = knots[k - 1] + points[k].distance(points[k - 1]).sqrt();
        }
        let at = knots[1] + (parameter - stretch as f64) * (knots[2] - knots[1]);
        // Neville's scheme: lines, then parabolas through three points, then their blend.
        let between = |[p, q]: [DVec3; 2], [a, b]: [f64; 2]| p.lerp(q, (at - a) / (b - a));
        let lines =
            [0, 1, 2].map(|k| between([points[k], points[k + 1]], [knots[k], knots[k + 1]]));
        let bows = [0, 1].map(|k| between([lines[k], lines[k + 1]], [knots[k], knots[k + 2]]));
        between(bows, [knots[1], knots[2]])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_stays_a_line_in_equal_parts() {
        let points = [0.0, 0.1, 1.0, 3.0].map(|x| DVec3::new(x, 2.0 * x, 0.0));
        let curve = Curve::through(&points).unwrap();
        assert!((curve.length_m() - 3.0 * 5.0_f64.sqrt()).abs() < 1e-12);
        for (k, (place, along)) in curve.divided(7).into_iter().enumerate() {
            let x = 3.0 * k as f64 / 7.0;
            assert!(place.distance(DVec3::new(x, 2.0 * x, 0.0)) < 1e-4);
            assert!(along.distance(DVec3::new(1.0, 2.0, 0.0).normalize()) < 1e-12);
        }
    }

    #[test]
    fn it_goes_through_its_points_and_is_round() {
        let circle = |angle: f64| DVec3::new(angle.cos(), angle.sin(), 0.0);
        let points: Vec<_> = (0..=12).map(|k| circle(0.25 * f64::from(k))).collect();
        let curve = Curve::through(&points).unwrap();
        for (k, point) in points.iter().enumerate() {
            assert!(curve.at(k as f64).distance(*point) < 1e-12);
        }
        // Away from the ends, whose neighbours are guessed.
        for (place, _) in &curve.divided(100)[10..90] {
            assert!((place.length() - 1.0).abs() < 1e-3, "{place}");
        }
        let steps = curve.divided(100);
        let steps = steps.windows(2).map(|two| two[0].0.distance(two[1].0));
        let (least, most) = steps.fold((f64::MAX, 0.0_f64), |(a, b), s| (a.min(s), b.max(s)));
        assert!(most / least < 1.001, "{least} to {most}");
    }

    #[test]
    fn points_that_make_no_curve_are_refused() {
        let refused = |points: &[DVec3]| Curve::through(points).err();
        assert_eq!(refused(&[]), Some(ShapeError::TooShort(0)));
        assert_eq!(refused(&[DVec3::X]), Some(ShapeError::TooShort(1)));
        let twice = [DVec3::X, DVec3::Y, DVec3::Y];
        assert_eq!(refused(&twice), Some(ShapeError::Repeated(2)));
    }
}
