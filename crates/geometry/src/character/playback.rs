//! The pose that a character has at a time of a scene.

use super::{Character, Clip, Pose, Travel};
use crate::timing::{Repeat, Timing};

/// How a character plays a clip: it begins at rest and settles into the clip's first pose.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Playback {
    /// The clip; without one the character stays at rest.
    pub clip: Option<usize>,
    /// When, and how fast.
    pub timing: Timing,
}

impl Playback {
    /// A clip as it is.
    pub fn of(clip: usize) -> Self {
        Self {
            clip: Some(clip),
            ..Self::default()
        }
    }

    /// The same at other times.
    pub fn timed(self, timing: Timing) -> Self {
        Self { timing, ..self }
    }

    /// The time of the clip at a time of the scene.
    pub fn clip_time_s(&self, clip: &Clip, time_s: f64) -> f64 {
        let [first_s, last_s] = clip.span_s();
        first_s + self.timing.at(last_s - first_s, time_s).since_s
    }

    /// Makes `pose` the one at a time of the scene.
    pub fn pose(&self, character: &Character, time_s: f64, pose: &mut Pose) {
        character.rest_into(pose);
        let Some(clip) = self.clip.and_then(|clip| character.clips.get(clip)) else {
            return;
        };
        let share = self.timing.share(time_s);
        if share == 0.0 {
            return;
        }
        let [first_s, last_s] = clip.span_s();
        let played = self.timing.at(last_s - first_s, time_s);
        clip.apply(first_s + played.since_s, pose);
        if self.timing.repeat == Repeat::Travel
            && played.rounds != 0.0
            && let Some(travel) = Travel::of(character, clip)
        {
            travel.carry(played.rounds, &character.rig, pose);
        }
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
