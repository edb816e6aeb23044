//! Several fields as one: the nearest counts, and what is between two is known to be.
//!
//! A point that is inside of two parts, or within some distance of both, is pinched: there is no
//! direction in which pushing it out of one does not push it into the other. It belongs on the surface
//! halfway between them, and should not be moved by either alone.

use super::{Field, Sample, Stencil};
use crate::Bounds;
use glam::DVec3;

/// The union of several parts.
#[derive(Clone, Debug)]
pub struct Parts<F> {
    parts: Vec<(F, Bounds)>,
    pinch_m: f64,
}

/// A union at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartSample {
    /// Of the nearest part.
    pub sample: Sample,
    /// Which part that is.
    pub part: usize,
    /// The next nearest part and its distance, m, if the point is pinched.
    pub other: Option<(usize, f64)>,
}

impl PartSample {
    /// Whether the point is inside or within the pinching distance of two parts.
    pub fn is_pinched(&self) -> bool {
        self.other.is_some()
    }
}

impl<F: Field> Parts<F> {
    /// The union of `parts`; points nearer than `pinch_m` to two of them are pinched.
    pub fn new(parts: impl IntoIterator<Item = F>, pinch_m: f64) -> Self {
        let with_box = |field: F| {
            let bounds = field.bounds();
            (field, bounds)
        };
        Self {
            parts: parts.into_iter().map(with_box).collect(),
            pinch_m,
        }
    }

    /// The parts, in order.
    pub fn parts(&self) -> impl Iterator<Item = &F> {
        self.parts.iter().map(|(field, _)| field)
    }

    /// The nearest part and its distance if that is less than `within_m`. Parts whose boxes are farther
    /// are not asked; most particles are near none.
    pub fn nearest(&self, point: DVec3, within_m: f64) -> Option<(usize, f64)> {
        self.two_nearest(point, within_m)[0]
    }

    /// All about a point if a part is nearer than `within_m`.
    pub fn sample(&self, point: DVec3, within_m: f64) -> Option<PartSample> {
        let [first, second] = self.two_nearest(point, within_m.max(self.pinch_m));
        let (part, distance_m) = first.filter(|(_, distance)| *distance < within_m)?;
        let field = &self.parts[part].0;
        let is_pinching = |(_, distance): &(usize, f64)| *distance < self.pinch_m;
        Some(PartSample {
            sample: Sample {
                distance_m,
                gradient: field.gradient(Stencil::Central, point),
                velocity: field.velocity(point),
            },
            part,
            other: second.filter(is_pinching),
        })
    }

    /// The nearest two parts that are nearer than `within_m`, the lower number first among equals.
    fn two_nearest(&self, point: DVec3, within_m: f64) -> [Option<(usize, f64)>; 2] {
        let mut found = [None; 2];
        for (part, (field, bounds)) in self.parts.iter().enumerate() {
            let beyond = point - point.clamp(bounds.min, bounds.max);
            if beyond.length_squared() >= within_m * within_m && beyond != DVec3::ZERO {
                continue;
            }
            let distance = field.distance_m(point);
            if distance >= within_m {
                continue;
            }
            let is_less = |than: Option<(usize, f64)>| than.is_none_or(|(_, d)| distance < d);
            if is_less(found[0]) {
                found = [Some((part, distance)), found[0]];
            } else if is_less(found[1]) {
                found[1] = Some((part, distance));
            }
        }
        found
    }
}
