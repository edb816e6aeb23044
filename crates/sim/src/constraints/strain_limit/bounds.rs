//! Shortest and longest lengths that a strain limit allows a family's links.

use super::StrainLimit;
use crate::cloth::quad::{self, Thread};
use crate::forces::LinkFamily;
use glam::DVec3;
use toile_numerics::par;

/// A link outside its bounds by less than this share of the largest extension is left alone.
const NOTICED: f64 = 1e-3;
/// Links whose length one task compares.
const LINK_GRAIN: usize = 2048;

/// The bounds of one family's links during one step.
pub struct Bounds<'a> {
    /// The links.
    pub family: &'a dyn LinkFamily,
    classes: Vec<ClassBounds>,
    /// Where the step starts, and the largest change of a length as a share of the rest length;
    /// `None` without a limit on the rate.
    rate: Option<(&'a [DVec3], f64)>,
}

/// Bounds of the links of one class, m.
struct ClassBounds {
    rest: f64,
    shortest: f64,
    longest: f64,
    /// How far outside a link must be to be noticed.
    noticed: f64,
}

impl<'a> Bounds<'a> {
    /// Those of a step of `step_s` from `x`.
    pub fn new(
        limit: &StrainLimit,
        family: &'a dyn LinkFamily,
        (x, step_s): (&'a [DVec3], f64),
    ) -> Self {
        let class_bounds = |class: usize| {
            let rest = family.class_rest_length_m(class);
            let (extension, compression) = match quad::thread_of_class(class) {
                Thread::Warp => (limit.max_extension.warp, limit.max_compression.warp),
                Thread::Weft => (limit.max_extension.weft, limit.max_compression.weft),
                Thread::Diagonal => (limit.max_extension.shear, 1.0),
            };
            ClassBounds {
                rest,
                shortest: (1.0 - compression).max(0.0) * rest,
                longest: (1.0 + extension) * rest,
                noticed: NOTICED * extension * rest,
            }
        };
        let rate = limit.max_rate_per_s;
        Self {
            family,
            classes: (0..family.classes()).map(class_bounds).collect(),
            rate: rate.is_finite().then_some((x, rate * step_s)),
        }
    }

    fn class_of(&self, link: usize) -> &ClassBounds {
        &self.classes[usize::from(self.family.class_of_links()[link])]
    }

    /// Shortest and longest length of a link, m.
    pub fn of(&self, link: usize) -> (f64, f64) {
        let class = self.class_of(link);
        let Some((x, change)) = self.rate else {
            return (class.shortest, class.longest);
        };
        let [i, j] = self.family.ends()[link].map(|end| x[end as usize]);
        let (now, change) = (i.distance(j), change * class.rest);
        let reach = |length: f64| length.clamp(now - change, now + change);
        (reach(class.shortest), reach(class.longest))
    }

    /// Appends the links that `predicted` ends take noticeably outside their bounds, in the order
    /// of `among`, or of all links.
    pub fn select_outside(&self, among: Option<&[u32]>, predicted: &[DVec3], out: &mut Vec<u32>) {
        let square = |bound: f64| bound.max(0.0).powi(2);
        let squares: Vec<(f64, f64)> = self
            .classes
            .iter()
            .map(|c| {
                (
                    square(c.shortest - c.noticed),
                    square(c.longest + c.noticed),
                )
            })
            .collect();
        let outside = |link: usize| {
            let [i, j] = self.family.ends()[link].map(|end| predicted[end as usize]);
            let length = i.distance_squared(j);
            let (least, most) = if self.rate.is_some() {
                let noticed = self.class_of(link).noticed;
                let (shortest, longest) = self.of(link);
                (square(shortest - noticed), square(longest + noticed))
            } else {
                squares[usize::from(self.family.class_of_links()[link])]
            };
            length > most || length < least
        };
        match among {
            None => par::select(self.family.ends().len(), LINK_GRAIN, &outside, out),
            Some(links) => {
                let wanted = |k: usize| outside(links[k] as usize);
                par::select(links.len(), LINK_GRAIN, &wanted, out);
                for k in out.iter_mut() {
                    *k = links[*k as usize];
                }
            }
        }
    }
}
