//! How a group of pinned particles or a collider is moved: the pose of the whole at a time.
//!
//! A pose maps a starting place `p` to `c + o + R S (p − c)`: scaled and turned about the pivot
//! `c`, then shifted. Between keyframes the shift, the scale and the rotation vector (axis times
//! angle) are interpolated, so that turns of more than half a circle mean what they say.
//!
//! Verified by: `tests/pin_motion.rs`, `tests/moving_colliders.rs`.

use crate::error::BuildError;
use glam::{DMat3, DQuat, DVec3};

/// How a group of pinned particles or a collider is moved.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Motion {
    /// Not at all.
    #[default]
    Still,
    /// With this constant velocity, m/s.
    Velocity(DVec3),
    /// From pose to pose.
    Keyframes(Keyframes),
}

/// Poses of a group at several times.
#[derive(Clone, Debug, PartialEq)]
pub struct Keyframes {
    /// The poses, ascending in time. At time 0 the group is where it starts, and after the last
    /// pose it stays there.
    pub keys: Vec<Keyframe>,
    /// What scaling and turning leave in place, m; `None` is the middle of the group.
    pub pivot: Option<DVec3>,
    /// The way from one pose to the next.
    pub interpolation: Interpolation,
}

/// The pose of a group at one time, relative to its start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keyframe {
    /// When, s.
    pub time_s: f64,
    /// Shift, m.
    pub offset_m: DVec3,
    /// Turn: the direction is the axis, the length the angle, rad.
    pub rotation_rad: DVec3,
    /// Stretch of the group along x, y and z, before it is turned.
    pub scale: DVec3,
}

impl Keyframe {
    /// Where the group starts.
    pub const START: Self = Self {
        time_s: 0.0,
        offset_m: DVec3::ZERO,
        rotation_rad: DVec3::ZERO,
        scale: DVec3::ONE,
    };
}

/// The way from one keyframe to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// At constant speed, with a jerk at every keyframe.
    Linear,
    /// Starting and ending at rest.
    #[default]
    Smooth,
}

impl Interpolation {
    /// How much of the way is made after a share of the time.
    pub(crate) fn ease(self, share: f64) -> f64 {
        match self {
            Self::Linear => share,
            Self::Smooth => share * share * (3.0 - 2.0 * share),
        }
    }
}

impl Motion {
    /// The map of places at `time_s`; `middle` is the pivot of keyframes that name none.
    pub fn pose(&self, time_s: f64, middle: DVec3) -> Pose {
        match self {
            Self::Still => Pose::IDENTITY,
            Self::Velocity(velocity) => Pose {
                shift: time_s * *velocity,
                ..Pose::IDENTITY
            },
            Self::Keyframes(keyframes) => {
                let key = keyframes.at(time_s);
                let angle = key.rotation_rad.length();
                let turn = if angle > 0.0 {
                    DMat3::from_quat(DQuat::from_axis_angle(key.rotation_rad / angle, angle))
                } else {
                    DMat3::IDENTITY
                };
                Pose {
                    pivot: keyframes.pivot.unwrap_or(middle),
                    linear: turn * DMat3::from_diagonal(key.scale) - DMat3::IDENTITY,
                    shift: key.offset_m,
                }
            }
        }
    }

    /// Refuses what is no motion of a rigid thing; keys are named as in scene files.
    pub(crate) fn validate_rigid(&self) -> Result<(), BuildError> {
        self.validate()?;
        if let Self::Keyframes(keyframes) = self {
            let scaled = keyframes
                .keys
                .iter()
                .position(|key| key.scale != DVec3::ONE);
            if let Some(k) = scaled {
                return Err(BuildError {
                    key: format!("keyframes[{k}].scale"),
                    message: "a collider keeps its size: expected 1".into(),
                });
            }
        }
        Ok(())
    }

    /// Refuses what is no motion; keys are named as in scene files.
    pub(crate) fn validate(&self) -> Result<(), BuildError> {
        let error = |key: String, message: &str| {
            Err(BuildError {
                key,
                message: message.into(),
            })
        };
        match self {
            Self::Still => Ok(()),
            Self::Velocity(velocity) if velocity.is_finite() => Ok(()),
            Self::Velocity(_) => error("velocity_m_per_s".into(), "expected finite numbers"),
            Self::Keyframes(keyframes) => {
                if keyframes.pivot.is_some_and(|pivot| !pivot.is_finite()) {
                    return error("pivot".into(), "expected finite numbers");
                }
                if keyframes.keys.is_empty() {
                    return error("keyframes".into(), "expected at least one");
                }
                let mut last_s = 0.0;
                for (k, key) in keyframes.keys.iter().enumerate() {
                    let place = [key.offset_m, key.rotation_rad, key.scale];
                    if !place.iter().all(|v| v.is_finite()) {
                        return error(format!("keyframes[{k}]"), "expected finite numbers");
                    }
                    if k == 0 && key.time_s == 0.0 {
                        if *key != Keyframe::START {
                            let message = "at time 0 all is where it starts: expected no \
                                           offset, turn or scale";
                            return error(format!("keyframes[{k}]"), message);
                        }
                    } else if !(key.time_s.is_finite() && key.time_s > last_s) {
                        let message = "expected a time after 0 and after the keyframe before";
                        return error(format!("keyframes[{k}].time_s"), message);
                    }
                    last_s = key.time_s;
                }
                Ok(())
            }
        }
    }
}

impl Keyframes {
    fn at(&self, time_s: f64) -> Keyframe {
        let after = self.keys.partition_point(|key| key.time_s <= time_s);
        let from = match after.checked_sub(1) {
            Some(before) => self.keys[before],
            None => Keyframe::START,
        };
        let Some(to) = self.keys.get(after) else {
            return from;
        };
        let share = (time_s - from.time_s) / (to.time_s - from.time_s);
        let share = self.interpolation.ease(share);
        Keyframe {
            time_s,
            offset_m: from.offset_m.lerp(to.offset_m, share),
            rotation_rad: from.rotation_rad.lerp(to.rotation_rad, share),
            scale: from.scale.lerp(to.scale, share),
        }
    }
}

/// A map of places.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    pivot: DVec3,
    /// Scale and turn, less the identity: a group at rest then stays to the last bit.
    linear: DMat3,
    shift: DVec3,
}

impl Pose {
    const IDENTITY: Self = Self {
        pivot: DVec3::ZERO,
        linear: DMat3::ZERO,
        shift: DVec3::ZERO,
    };

    /// Where a particle that starts at `start` is.
    pub fn place(&self, start: DVec3) -> DVec3 {
        start + (self.linear * (start - self.pivot) + self.shift)
    }

    /// What scaling and turning leave in place, m.
    pub fn pivot(&self) -> DVec3 {
        self.pivot
    }

    /// Where that starts which is at `place`, for a pose that does not scale.
    pub fn unplace(&self, place: DVec3) -> DVec3 {
        let shifted = place - self.shift;
        shifted + self.linear.transpose() * (shifted - self.pivot)
    }

    /// A direction, turned (and scaled) with the rest.
    pub fn turn(&self, direction: DVec3) -> DVec3 {
        direction + self.linear * direction
    }
}
