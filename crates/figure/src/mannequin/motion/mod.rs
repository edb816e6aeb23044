//! Motions of the mannequin, written as rules and sampled into clips.

pub mod figures;
pub mod gait;
pub mod limits;
pub mod stance;

use crate::mannequin::skeleton::{BONES, Bone};
use gait::Gait;
use stance::{Poser, Stance};
use toile_geometry::character::{Channel, CharacterError, Clip, Curve, Path, Pose};

/// A motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// Upright, still.
    Stand,
    /// Standing and breathing; repeats.
    Breathe,
    /// Four strides of an easy walk, moving on.
    Walk,
    /// One stride of it on the spot; repeats.
    WalkInPlace,
    /// Four strides in a hurry, moving on.
    FastWalk,
    /// One stride of it on the spot; repeats.
    FastWalkInPlace,
    /// A jump; repeats.
    Jump,
    /// Three turns on the ball of a foot; repeats.
    Spin,
    /// A sway of eight beats; repeats.
    Dance,
}

/// Keys a second.
const RATE: f64 = 120.0;
/// Strides of a walk that moves on.
const STRIDES: f64 = 4.0;
/// Time of a breath, s.
const BREATH_S: f64 = 4.0;

impl Motion {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Stand,
        Self::Breathe,
        Self::Walk,
        Self::WalkInPlace,
        Self::FastWalk,
        Self::FastWalkInPlace,
        Self::Jump,
        Self::Spin,
        Self::Dance,
    ];

    /// As it is called in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stand => "stand",
            Self::Breathe => "breathe",
            Self::Walk => "walk",
            Self::WalkInPlace => "walk-in-place",
            Self::FastWalk => "fast-walk",
            Self::FastWalkInPlace => "fast-walk-in-place",
            Self::Jump => "jump",
            Self::Spin => "spin",
            Self::Dance => "dance",
        }
    }

    /// What a name means.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|m| m.name() == name)
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Self::Stand => "upright and still",
            Self::Breathe => "standing and breathing (repeats)",
            Self::Walk => "four strides of an easy walk, moving on",
            Self::WalkInPlace => "one stride of the walk on a moving floor (repeats)",
            Self::FastWalk => "four strides in a hurry, moving on",
            Self::FastWalkInPlace => "one stride in a hurry on a moving floor (repeats)",
            Self::Jump => "a jump on the spot (repeats)",
            Self::Spin => "three turns on the ball of one foot (repeats)",
            Self::Dance => "eight beats from foot to foot (repeats)",
        }
    }

    fn gait(self, poser: &Poser) -> Gait {
        match self {
            Self::FastWalk | Self::FastWalkInPlace => Gait::fast(poser),
            _ => Gait::walk(poser),
        }
    }

    /// How long it lasts, s.
    pub fn length_s(self, poser: &Poser) -> f64 {
        match self {
            Self::Stand => 1.0,
            Self::Breathe => BREATH_S,
            Self::Walk | Self::FastWalk => STRIDES * self.gait(poser).stride_s,
            Self::WalkInPlace | Self::FastWalkInPlace => self.gait(poser).stride_s,
            Self::Jump => figures::JUMP_S,
            Self::Spin => figures::SPIN_S,
            Self::Dance => figures::DANCE_S,
        }
    }

    /// How fast the floor moves under it, along z, m/s.
    pub fn floor_m_per_s(self, poser: &Poser) -> f64 {
        match self {
            Self::WalkInPlace | Self::FastWalkInPlace => {
                let gait = self.gait(poser);
                -gait.stride_m / gait.stride_s
            }
            _ => 0.0,
        }
    }

    /// The motion as a clip.
    pub fn clip(self, poser: &Poser) -> Result<Clip, CharacterError> {
        let gait = self.gait(poser);
        let stance = |t: f64| -> Stance {
            match self {
                Self::Stand => figures::stand(poser),
                Self::Breathe => figures::breathe(poser, t, BREATH_S),
                Self::Walk | Self::FastWalk => gait.at(poser, t / gait.stride_s, 1.0),
                Self::WalkInPlace | Self::FastWalkInPlace => gait.at(poser, t / gait.stride_s, 0.0),
                Self::Jump => figures::jump(poser, t),
                Self::Spin => figures::spin(poser, t),
                Self::Dance => figures::dance(poser, t),
            }
        };
        let length_s = self.length_s(poser);
        let keys = (length_s * RATE).round().max(1.0) as usize;
        let times: Vec<f64> = (0..=keys)
            .map(|k| length_s * k as f64 / keys as f64)
            .collect();
        let poses: Vec<Pose> = times.iter().map(|&t| poser.pose(&stance(t))).collect();
        channels(self.name(), &times, &poses)
    }
}

/// A clip through poses: every rotation, where the hips are, and the breath.
fn channels(name: &str, times: &[f64], poses: &[Pose]) -> Result<Clip, CharacterError> {
    let mut clip = Clip {
        name: name.to_owned(),
        channels: Vec::new(),
    };
    let keys = || times.to_vec();
    let of = |joint: usize| poses.iter().map(move |p| p.locals[joint]);
    for joint in 0..BONES {
        let mut turns: Vec<_> = of(joint).map(|t| t.rotation).collect();
        // A quaternion and its negative are the same turn; neighbours must be on one side.
        for k in 1..turns.len() {
            if turns[k].dot(turns[k - 1]) < 0.0 {
                turns[k] = -turns[k];
            }
        }
        let curve = Curve::new(keys(), turns, Path::Linear)?;
        clip.channels.push(Channel::Rotation(joint, curve));
    }
    let hips = Bone::Hips as usize;
    let moves = of(hips).map(|t| t.translation).collect();
    let curve = Curve::new(keys(), moves, Path::Linear)?;
    clip.channels.push(Channel::Translation(hips, curve));
    let breath = Bone::Breath as usize;
    let scales = of(breath).map(|t| t.scale).collect();
    let curve = Curve::new(keys(), scales, Path::Linear)?;
    clip.channels.push(Channel::Scale(breath, curve));
    Ok(clip)
}

/// From 0 to 1, level at both ends.
fn ease(share: f64) -> f64 {
    share * share * share * (10.0 - 15.0 * share + 6.0 * share * share)
}
