//! A number that changes over time: from keyframe to keyframe, in the way that pins move.

use crate::constraints::motion::Interpolation;
use crate::error::BuildError;
use std::sync::Arc;

/// A number over time.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyedScalar {
    /// What it is at time 0.
    pub start: f64,
    /// What it becomes, ascending in time; after the last it stays. Usually nothing.
    pub keys: Arc<[Key]>,
    /// The way from one keyframe to the next.
    pub interpolation: Interpolation,
}

/// A number at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key {
    /// When, s.
    pub time_s: f64,
    /// The number then.
    pub value: f64,
}

impl From<f64> for KeyedScalar {
    /// It never changes.
    fn from(start: f64) -> Self {
        Self {
            start,
            keys: Arc::new([]),
            interpolation: Interpolation::default(),
        }
    }
}

impl KeyedScalar {
    /// The number at a time.
    pub fn at(&self, time_s: f64) -> f64 {
        let after = self.keys.partition_point(|key| key.time_s <= time_s);
        let from = match after.checked_sub(1) {
            Some(before) => self.keys[before],
            None => Key {
                time_s: 0.0,
                value: self.start,
            },
        };
        let Some(to) = self.keys.get(after) else {
            return from.value;
        };
        let share = (time_s - from.time_s) / (to.time_s - from.time_s);
        let share = self.interpolation.ease(share);
        from.value + share * (to.value - from.value)
    }

    /// Whether it ever changes.
    pub fn changes(&self) -> bool {
        !self.keys.is_empty()
    }

    /// All numbers that it goes between.
    pub fn values(&self) -> impl Iterator<Item = f64> + '_ {
        std::iter::once(self.start).chain(self.keys.iter().map(|key| key.value))
    }

    /// Refuses what is no course; keys are named as in scene files.
    pub(crate) fn validate(&self) -> Result<(), BuildError> {
        let mut last_s = 0.0;
        for (k, key) in self.keys.iter().enumerate() {
            let ascends = key.time_s.is_finite() && key.time_s > last_s;
            if !ascends {
                return Err(BuildError {
                    key: format!("keyframes[{k}].time_s"),
                    message: "expected a time after 0 and after the keyframe before".into(),
                });
            }
            last_s = key.time_s;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn course(interpolation: Interpolation) -> KeyedScalar {
        let key = |time_s, value| Key { time_s, value };
        KeyedScalar {
            start: 1.0,
            keys: [key(2.0, 5.0), key(4.0, 5.0), key(5.0, 0.0)].into(),
            interpolation,
        }
    }

    #[test]
    fn it_goes_from_key_to_key_and_stays_at_the_last() {
        let linear = course(Interpolation::Linear);
        for (time_s, value) in [
            (0.0, 1.0),
            (0.5, 2.0),
            (2.0, 5.0),
            (3.3, 5.0),
            (4.25, 3.75),
            (5.0, 0.0),
            (9.0, 0.0),
        ] {
            assert_eq!(linear.at(time_s), value, "{time_s}");
        }
        let smooth = course(Interpolation::Smooth);
        // 3s² − 2s³ at a quarter of the way.
        assert_eq!(smooth.at(0.5), 1.0 + 4.0 * 0.15625);
        assert_eq!(KeyedScalar::from(3.0).at(7.0), 3.0);
    }

    #[test]
    fn keys_that_do_not_ascend_are_refused() {
        let mut course = course(Interpolation::Linear);
        assert_eq!(course.validate(), Ok(()));
        let mut keys = course.keys.to_vec();
        keys[1].time_s = 2.0;
        course.keys = keys.into();
        assert_eq!(course.validate().unwrap_err().key, "keyframes[1].time_s");
    }
}
