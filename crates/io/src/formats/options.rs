//! How a sequence is to be written: axes, units, clock, pre-roll.

use super::UpAxis;

/// How a sequence is to be written. `None` keeps what the source has.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Which axis points up.
    pub up: Option<UpAxis>,
    /// Length of the unit of all lengths, m: 0.01 for centimetres.
    pub metres_per_unit: Option<f64>,
    /// How much larger the cloth is to be; 1 keeps its size.
    pub enlargement: f64,
    /// Frames per second. The same frames play faster or slower; velocities follow.
    pub frame_rate_hz: Option<f64>,
    /// Number of the first frame written, pre-roll included.
    pub first_frame: Option<i64>,
    /// Frames before the first, moving in a straight line from rest to the first pose. They take
    /// the first numbers, and the frames of the source follow.
    pub preroll_frames: u32,
    /// Whether velocities are written where there are any.
    pub velocities: bool,
    /// What to believe of the source.
    pub assume: Assumptions,
}

/// What to believe of a source, whatever it says itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Assumptions {
    /// Which axis points up.
    pub up: Option<UpAxis>,
    /// Length of its unit, m.
    pub metres_per_unit: Option<f64>,
    /// Frames per second.
    pub frame_rate_hz: Option<f64>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            up: None,
            metres_per_unit: None,
            enlargement: 1.0,
            frame_rate_hz: None,
            first_frame: None,
            preroll_frames: 0,
            velocities: true,
            assume: Assumptions::default(),
        }
    }
}

impl Options {
    /// The number that is none, with its name.
    pub(super) fn unusable(&self) -> Option<(&'static str, f64)> {
        let numbers = [
            ("the unit of length", self.metres_per_unit),
            ("the frame rate", self.frame_rate_hz),
            ("the enlargement", Some(self.enlargement)),
        ];
        numbers.into_iter().find_map(|(what, number)| {
            let number = number.filter(|n| !(n.is_finite() && *n > 0.0))?;
            Some((what, number))
        })
    }
}
