//! Fields of an animation, one a time, mixed in between.

use super::{Field, LevelSetError};
use crate::Bounds;
use glam::DVec3;

/// Fields at ascending times.
///
/// In between, distances and velocities are mixed in proportion. That is right while the surface moves
/// by less than the cells' size between two times or stays nearly flat over its way; a limb that moves
/// by its own width needs times in between.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence<F> {
    times_s: Vec<f64>,
    fields: Vec<F>,
}

/// A moving field at one time, between two that are known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment<F> {
    /// The field before.
    pub before: F,
    /// The field after.
    pub after: F,
    /// 0 at the first, 1 at the second.
    pub share: f64,
}

impl<F: Field> Sequence<F> {
    /// One field a time, at ascending times, at least one.
    pub fn new(times_s: Vec<f64>, fields: Vec<F>) -> Result<Self, LevelSetError> {
        let ascend = times_s.windows(2).all(|pair| pair[0] < pair[1]);
        let finite = times_s.iter().all(|time| time.is_finite());
        if times_s.len() != fields.len() || fields.is_empty() || !ascend || !finite {
            return Err(LevelSetError::Times {
                times: times_s.len(),
                fields: fields.len(),
            });
        }
        Ok(Self { times_s, fields })
    }

    /// The times, s.
    pub fn times_s(&self) -> &[f64] {
        &self.times_s
    }

    /// The fields, one a time.
    pub fn fields(&self) -> &[F] {
        &self.fields
    }

    /// The field at a time: the first before all times, the last after them.
    pub fn at(&self, time_s: f64) -> Moment<&F> {
        let last = self.fields.len() - 1;
        let later = self.times_s.partition_point(|time| *time <= time_s);
        let before = later.saturating_sub(1);
        let after = later.min(last);
        let [from, to] = [before, after].map(|k| self.times_s[k]);
        let share = if to > from {
            ((time_s - from) / (to - from)).clamp(0.0, 1.0)
        } else {
            0.0
        };
        Moment {
            before: &self.fields[before],
            after: &self.fields[after],
            share,
        }
    }
}

impl<F: Field> Moment<F> {
    /// `of` both fields, mixed; the second is not asked when it has no share.
    fn mix<T>(&self, of: impl Fn(&F) -> T) -> T
    where
        T: std::ops::Mul<f64, Output = T> + std::ops::Add<Output = T>,
    {
        if self.share == 0.0 {
            of(&self.before)
        } else {
            of(&self.before) * (1.0 - self.share) + of(&self.after) * self.share
        }
    }
}

impl<F: Field> Field for Moment<F> {
    fn bounds(&self) -> Bounds {
        self.before.bounds().union(self.after.bounds())
    }

    fn distance_m(&self, point: DVec3) -> f64 {
        self.mix(|field| field.distance_m(point))
    }

    fn velocity(&self, point: DVec3) -> DVec3 {
        self.mix(|field| field.velocity(point))
    }

    fn cell_m(&self, point: DVec3) -> f64 {
        self.before.cell_m(point).max(self.after.cell_m(point))
    }
}
