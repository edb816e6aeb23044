//! The time of a scene and that of a clip.

use super::{Character, Clip, Pose};

/// How a character plays a clip.
///
/// The scene begins with the pose at rest, which turns into the first one of the motion within
/// `settle_s`, beginning and ending gently. There the character waits for `hold_s`; then the motion
/// goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Playback {
    /// The clip; without one the character stays at rest.
    pub clip: Option<usize>,
    /// How much of the clip is cut off at its beginning, s of the clip.
    pub start_s: f64,
    /// Seconds of the clip in a second; negative plays it backwards.
    pub speed: f64,
    /// Whether it begins again at its end; otherwise the last pose stays.
    pub repeat: bool,
    /// How long the way from rest to the first pose takes, s.
    pub settle_s: f64,
    /// How long the first pose is held after that, s.
    pub hold_s: f64,
}

impl Default for Playback {
    fn default() -> Self {
        Self {
            clip: None,
            start_s: 0.0,
            speed: 1.0,
            repeat: false,
            settle_s: 0.0,
            hold_s: 0.0,
        }
    }
}

impl Playback {
    /// A clip as it is.
    pub fn of(clip: usize) -> Self {
        Self {
            clip: Some(clip),
            ..Self::default()
        }
    }

    /// The time of the clip at a time of the scene.
    pub fn clip_time_s(&self, clip: &Clip, time_s: f64) -> f64 {
        let [first, last] = clip.span_s();
        let length_s = last - first;
        let gone_s = (time_s - self.settle_s - self.hold_s).max(0.0);
        let at = self.start_s + self.speed * gone_s;
        let at = match self.repeat && length_s > 0.0 {
            true => at.rem_euclid(length_s),
            false => at.clamp(0.0, length_s),
        };
        first + at
    }

    /// How much of the motion there is at a time of the scene: 0 at rest, 1 once settled.
    pub fn share(&self, time_s: f64) -> f64 {
        if self.settle_s <= 0.0 {
            return 1.0;
        }
        let s = (time_s / self.settle_s).clamp(0.0, 1.0);
        // Neither speed nor acceleration at either end.
        s * s * s * (10.0 + s * (6.0 * s - 15.0))
    }

    /// Makes `pose` the one at a time of the scene.
    pub fn pose(&self, character: &Character, time_s: f64, pose: &mut Pose) {
        character.rest_into(pose);
        let Some(clip) = self.clip.and_then(|clip| character.clips.get(clip)) else {
            return;
        };
        let share = self.share(time_s);
        if share == 0.0 {
            return;
        }
        clip.apply(self.clip_time_s(clip, time_s), pose);
        if share < 1.0 {
            for (local, joint) in pose.locals.iter_mut().zip(character.rig.joints()) {
                *local = joint.rest.blended(local, share);
            }
            for (weight, morph) in pose.weights.iter_mut().zip(&character.morphs) {
                *weight = morph.weight + share * (*weight - morph.weight);
            }
        }
    }
}
