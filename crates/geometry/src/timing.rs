//! The time of a scene and that of a motion, whatever is moved by it.
//!
//! Verified by: `tests/character.rs`, `tests/travel.rs`.

/// When a motion is played, and how fast.
///
/// The scene begins with what there is at rest, which turns into the beginning of the motion within
/// `settle_s`, starting and ending gently. There everything waits for `hold_s`; then the motion goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// How much of the motion is cut off at its beginning, s of the motion.
    pub start_s: f64,
    /// Seconds of the motion in a second; negative plays it backwards.
    pub speed: f64,
    /// What happens at its end.
    pub repeat: Repeat,
    /// How long the way from rest to the beginning takes, s.
    pub settle_s: f64,
    /// How long the beginning is held after that, s.
    pub hold_s: f64,
}

/// What happens at the end of a motion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Repeat {
    /// What was last stays.
    #[default]
    Never,
    /// It begins again where it began.
    Again,
    /// It begins again where it ended: who walks goes on.
    Travel,
}

/// A time of a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Played {
    /// Seconds since its beginning, up to its length.
    pub since_s: f64,
    /// How often it has begun again; negative if it is played backwards.
    pub rounds: f64,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            start_s: 0.0,
            speed: 1.0,
            repeat: Repeat::Never,
            settle_s: 0.0,
            hold_s: 0.0,
        }
    }
}

impl Timing {
    /// Where in a motion of some length a time of the scene is.
    pub fn at(&self, length_s: f64, time_s: f64) -> Played {
        let gone_s = (time_s - self.settle_s - self.hold_s).max(0.0);
        let at_s = self.start_s + self.speed * gone_s;
        if self.repeat == Repeat::Never || length_s <= 0.0 {
            return Played {
                since_s: at_s.clamp(0.0, length_s.max(0.0)),
                rounds: 0.0,
            };
        }
        // The round is found from the rest, so that the two agree to the last bit.
        let since_s = at_s.rem_euclid(length_s);
        let before = |at_s: f64, since_s: f64| ((at_s - since_s) / length_s).round();
        let first = before(self.start_s, self.start_s.rem_euclid(length_s));
        Played {
            since_s,
            rounds: before(at_s, since_s) - first,
        }
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

    /// Whether all its numbers are finite.
    pub fn is_finite(&self) -> bool {
        let numbers = [self.start_s, self.speed, self.settle_s, self.hold_s];
        numbers.iter().all(|number| number.is_finite())
    }
}
