//! Motions of a character: curves for its joints and its morphs.

use super::{CharacterError, Curve, Pose};
use glam::{DQuat, DVec3};

/// What moves one number, vector or rotation of a pose.
#[derive(Clone, Debug, PartialEq)]
pub enum Channel {
    /// A joint's place in its parent's axes.
    Translation(usize, Curve<DVec3>),
    /// How a joint is turned in its parent's axes.
    Rotation(usize, Curve<DQuat>),
    /// A joint's scaling.
    Scale(usize, Curve<DVec3>),
    /// The weight of a morph.
    Weight(usize, Curve<f64>),
}

/// A motion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clip {
    /// Its name.
    pub name: String,
    /// What moves; everything else stays as it is at rest.
    pub channels: Vec<Channel>,
}

impl Channel {
    /// The times of its keys, s.
    pub fn times_s(&self) -> &[f64] {
        match self {
            Self::Translation(_, curve) | Self::Scale(_, curve) => curve.times_s(),
            Self::Rotation(_, curve) => curve.times_s(),
            Self::Weight(_, curve) => curve.times_s(),
        }
    }
}

impl Clip {
    /// The times of its first key and of its last, s; zero for a clip without any.
    pub fn span_s(&self) -> [f64; 2] {
        let ends = |c: &Channel| Some([*c.times_s().first()?, *c.times_s().last()?]);
        let all = self.channels.iter().filter_map(ends);
        let widest = all.reduce(|[a, b], [c, d]| [a.min(c), b.max(d)]);
        widest.unwrap_or([0.0; 2])
    }

    /// Sets what it moves to where that is at a time of its own.
    pub fn apply(&self, time_s: f64, pose: &mut Pose) {
        for channel in &self.channels {
            match channel {
                Channel::Translation(joint, curve) => {
                    pose.locals[*joint].translation = curve.at(time_s);
                }
                Channel::Rotation(joint, curve) => pose.locals[*joint].rotation = curve.at(time_s),
                Channel::Scale(joint, curve) => pose.locals[*joint].scale = curve.at(time_s),
                Channel::Weight(morph, curve) => pose.weights[*morph] = curve.at(time_s),
            }
        }
    }

    /// Refuses what moves joints or morphs that do not exist.
    pub(super) fn validate(&self, joints: usize, morphs: usize) -> Result<(), CharacterError> {
        for (k, channel) in self.channels.iter().enumerate() {
            let of = || format!("channel {k} of clip `{}`", self.name);
            match channel {
                Channel::Translation(joint, _)
                | Channel::Rotation(joint, _)
                | Channel::Scale(joint, _)
                    if *joint >= joints =>
                {
                    return Err(CharacterError::NoJoint {
                        of: of(),
                        joint: *joint,
                        joints,
                    });
                }
                Channel::Weight(morph, _) if *morph >= morphs => {
                    return Err(CharacterError::NoMorph {
                        of: of(),
                        morph: *morph,
                        morphs,
                    });
                }
                _ => {}
            }
        }
        Ok(())
    }
}
