//! Values that change in time, from key to key.

use super::CharacterError;
use glam::{DQuat, DVec3};

/// A value that can stand at a key.
pub trait Keyed: Copy {
    /// The value `share` of the way to `other`.
    fn between(self, other: Self, share: f64) -> Self;

    /// `self · weights[0] + …`, put right where a sum of such values is none.
    fn sum(terms: [(Self, f64); 4]) -> Self;

    /// Whether it is one.
    fn is_valid(self) -> bool;

    /// Whether it can be a tangent.
    fn is_finite(self) -> bool;
}

impl Keyed for f64 {
    fn between(self, other: Self, share: f64) -> Self {
        self + share * (other - self)
    }

    fn sum(terms: [(Self, f64); 4]) -> Self {
        terms.iter().map(|(value, weight)| value * weight).sum()
    }

    fn is_valid(self) -> bool {
        self.is_finite()
    }

    fn is_finite(self) -> bool {
        f64::is_finite(self)
    }
}

impl Keyed for DVec3 {
    fn between(self, other: Self, share: f64) -> Self {
        self.lerp(other, share)
    }

    fn sum(terms: [(Self, f64); 4]) -> Self {
        terms.iter().map(|(value, weight)| *value * *weight).sum()
    }

    fn is_valid(self) -> bool {
        self.is_finite()
    }

    fn is_finite(self) -> bool {
        DVec3::is_finite(self)
    }
}

impl Keyed for DQuat {
    /// On the sphere, the short way round.
    fn between(self, other: Self, share: f64) -> Self {
        self.slerp(other, share)
    }

    /// Component by component, then made a rotation; none where the terms cancel.
    fn sum(terms: [(Self, f64); 4]) -> Self {
        let sum = { terms.iter() }.fold(DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), |sum, (q, w)| {
            sum + *q * *w
        });
        if sum.length_squared() > 0.0 && sum.is_finite() {
            sum.normalize()
        } else {
            DQuat::IDENTITY
        }
    }

    fn is_valid(self) -> bool {
        self.is_finite() && self.is_normalized()
    }

    fn is_finite(self) -> bool {
        DQuat::is_finite(self)
    }
}

/// What happens between keys.
#[derive(Clone, Debug, PartialEq)]
pub enum Path<T> {
    /// A value stays until the next key.
    Step,
    /// Straight, rotations on the sphere.
    Linear,
    /// Cubic Hermite splines; at every key the slope before it and after it, per second.
    Cubic(Vec<[T; 2]>),
}

/// A value at ascending times.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve<T> {
    times_s: Vec<f64>,
    values: Vec<T>,
    path: Path<T>,
}

impl<T: Keyed> Curve<T> {
    /// A value a time, at least one. Of two keys at one time the later counts from there on.
    pub fn new(times_s: Vec<f64>, values: Vec<T>, path: Path<T>) -> Result<Self, CharacterError> {
        let keys = times_s.len();
        if keys == 0 || values.len() != keys {
            let values = values.len();
            return Err(CharacterError::Keys { keys, values });
        }
        let ascend = times_s.windows(2).all(|pair| pair[0] <= pair[1]);
        if !ascend || !times_s.iter().all(|time| time.is_finite()) {
            return Err(CharacterError::Times);
        }
        if let Some(key) = values.iter().position(|value| !value.is_valid()) {
            return Err(CharacterError::Value { key });
        }
        if let Path::Cubic(slopes) = &path {
            if slopes.len() != keys {
                let values = slopes.len();
                return Err(CharacterError::Keys { keys, values });
            }
            let wrong = |slopes: &[T; 2]| slopes.iter().any(|slope| !slope.is_finite());
            if let Some(key) = slopes.iter().position(wrong) {
                return Err(CharacterError::Value { key });
            }
        }
        Ok(Self {
            times_s,
            values,
            path,
        })
    }

    /// The times of its keys, s.
    pub fn times_s(&self) -> &[f64] {
        &self.times_s
    }

    /// The values at its keys.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// What happens between keys.
    pub fn path(&self) -> &Path<T> {
        &self.path
    }

    /// The value at a time: the first before all keys, the last after them.
    pub fn at(&self, time_s: f64) -> T {
        let after = self.times_s.partition_point(|time| *time <= time_s);
        let last = self.values.len() - 1;
        if after == 0 || after > last {
            return self.values[after.min(last)];
        }
        let before = after - 1;
        let [from, to] = [self.values[before], self.values[after]];
        let length_s = self.times_s[after] - self.times_s[before];
        let share = (time_s - self.times_s[before]) / length_s;
        match &self.path {
            Path::Step => from,
            _ if share == 0.0 => from,
            Path::Linear => from.between(to, share),
            Path::Cubic(slopes) => {
                let (s2, s3) = (share * share, share * share * share);
                T::sum([
                    (from, 2.0 * s3 - 3.0 * s2 + 1.0),
                    (slopes[before][1], length_s * (s3 - 2.0 * s2 + share)),
                    (to, 3.0 * s2 - 2.0 * s3),
                    (slopes[after][0], length_s * (s3 - s2)),
                ])
            }
        }
    }
}
