//! Colours for values: the same scale colours a surface and draws its key.

use super::axis::{Axis, LABEL, SMALL, crisp, whole};
use super::drawing::{BLACK, Drawing, Frame, GREY, Mark, Style, WHITE};
use super::{palette, text};
use crate::Color;

/// Steps of the bar.
const STEPS: usize = 256;

/// Height of title, bar and numbers, and the space around them, in a picture of the usual size.
const KEY_HEIGHT: f32 = LABEL + SMALL + 54.0;
const KEY_RIM: f32 = 18.0;
const KEY_MARGIN: f32 = 24.0;

/// A key is a little smaller than the labels of a chart of the same size.
fn key_size(frame: Frame) -> f32 {
    0.8 * frame.scale()
}

/// A range of values with a name and a unit, and a colour for each value. Values outside take the
/// colour of the nearer end; what is not a number is grey.
#[derive(Clone, Debug, PartialEq)]
pub struct ColorScale {
    name: String,
    unit: String,
    low: f64,
    high: f64,
    signed: bool,
}

impl ColorScale {
    /// From dark to bright, for values that have a least and a largest.
    pub fn new(name: impl Into<String>, unit: impl Into<String>, [low, high]: [f64; 2]) -> Self {
        Self {
            name: name.into(),
            unit: unit.into(),
            low,
            high,
            signed: false,
        }
    }

    /// From blue through pale to red, for values whose sign matters: the middle of the range is
    /// pale.
    pub fn signed(mut self) -> Self {
        self.signed = true;
        self
    }

    /// The values at both ends.
    pub fn range(&self) -> [f64; 2] {
        [self.low, self.high]
    }

    /// The colour of a value.
    pub fn color(&self, value: f64) -> Color {
        Color::srgb(self.ink((value - self.low) / (self.high - self.low)))
    }

    fn ink(&self, share: f64) -> u32 {
        if self.signed {
            palette::signed(share)
        } else {
            palette::heat(share)
        }
    }

    /// Rows that the key takes of a picture of this size, its margins included.
    pub fn key_height(width: usize, height: usize) -> usize {
        let frame = Frame {
            left: 0.0,
            top: 0.0,
            right: width as f32,
            bottom: height as f32,
        };
        ((KEY_HEIGHT + 2.0 * KEY_RIM + 2.0 * KEY_MARGIN) * key_size(frame)).ceil() as usize
    }

    /// Draws the key into the lower left corner of `frame`, on a pale ground of its own.
    pub(super) fn draw_key(&self, frame: Frame, on: &mut Drawing) {
        let s = key_size(frame);
        let axis = Axis {
            name: self.name.clone(),
            unit: self.unit.clone(),
            range: Some([self.low, self.high]),
            log: false,
        };
        let scale = axis.scale(std::iter::empty(), false);
        let ticks = scale.ticks(6);
        let title = axis.title(ticks.power);
        let rim = KEY_RIM * s;
        let width = (360.0 * s).max(text::width(&title, LABEL * s));
        let margin = KEY_MARGIN * s;
        let (left, bottom) = (frame.left + margin, frame.bottom - margin);
        let ground = Frame {
            left,
            top: bottom - KEY_HEIGHT * s - 2.0 * rim,
            right: left + width + 4.0 * rim,
            bottom,
        };
        on.fill(ground, WHITE, 0.82);
        let top = ground.top + rim;
        let at = [ground.left + 2.0 * rim, top];
        on.text(&title, LABEL * s, at, [0.0, 0.0], BLACK);
        let bar = whole(Frame {
            left: at[0],
            top: top + (LABEL + 12.0) * s,
            right: at[0] + width,
            bottom: top + (LABEL + 38.0) * s,
        });
        let share = |i: usize| (i as f64 + 0.5) / STEPS as f64;
        on.marks.push(Mark::Cells {
            frame: bar,
            columns: STEPS,
            inks: (0..STEPS).map(|i| self.ink(share(i))).collect(),
        });
        for tick in &ticks.ticks {
            let Some(label) = &tick.label else { continue };
            let x = crisp(bar.left + scale.share(tick.value) as f32 * bar.width());
            let foot = bar.bottom + 6.0 * s;
            on.line(&[[x, bar.bottom], [x, foot]], GREY, Style::Stroke(1.0));
            on.text(label, SMALL * s, [x, foot + 8.0 * s], [0.5, 0.0], BLACK);
        }
    }
}
