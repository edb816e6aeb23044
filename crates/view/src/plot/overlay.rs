//! Words and keys on top of pictures.

use super::drawing::{BLACK, Drawing, Frame, WHITE};
use super::scale::ColorScale;
use super::{paint, text};
use crate::Image;

/// Type size of captions in a picture of the usual size.
const CAPTION: f32 = 22.0;

/// What is written over a picture. It is as large as the picture it is made for.
#[derive(Clone, Debug)]
pub struct Overlay {
    drawing: Drawing,
}

impl Overlay {
    /// Nothing yet, for pictures of this size.
    pub fn new(width: usize, height: usize) -> Self {
        let size = [width, height].map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        Self {
            drawing: Drawing::new(size),
        }
    }

    /// The key of a colour scale, in the lower left corner.
    pub fn key(mut self, scale: &ColorScale) -> Self {
        scale.draw_key(self.drawing.frame(), &mut self.drawing);
        self
    }

    /// Words in the upper left corner of the rectangle at `left`, `top` of this width and height.
    pub fn caption(mut self, words: &str, [left, top, width, height]: [usize; 4]) -> Self {
        let [left, top, width, height] = [left, top, width, height].map(|v| v as f32);
        let frame = Frame {
            left,
            top,
            right: left + width,
            bottom: top + height,
        };
        let s = frame.scale();
        let (rim, size) = (10.0 * s, CAPTION * s);
        let ground = Frame {
            right: left + text::width(words, size) + 2.0 * rim,
            bottom: top + size + 2.0 * rim,
            ..frame
        };
        self.drawing.fill(ground, WHITE, 0.72);
        let at = [left + rim, 0.5 * (ground.top + ground.bottom)];
        self.drawing.text(words, size, at, [0.0, 0.5], BLACK);
        self
    }

    /// Draws it over a picture.
    pub fn draw(&self, on: &mut Image) {
        if !self.drawing.marks.is_empty() {
            paint::over(&self.drawing, on);
        }
    }
}
