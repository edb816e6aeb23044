//! A list of numbers with their names.

use super::Figure;
use super::axis::{LABEL, TITLE};
use super::drawing::{BLACK, Drawing, FAINT, Frame, GREY, Style};
use super::text;

/// A title, and below it names with their values.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    title: String,
    rows: Vec<[String; 2]>,
    size: Option<[u32; 2]>,
}

impl Facts {
    /// No facts yet.
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            ..Self::default()
        }
    }

    /// Adds a fact.
    pub fn with(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.rows.push([name.into(), value.into()]);
        self
    }

    /// Makes the list some pixels wide and high, instead of 640 by 720.
    pub fn sized(mut self, width: u32, height: u32) -> Self {
        self.size = Some([width, height]);
        self
    }
}

impl Figure for Facts {
    fn size(&self) -> [u32; 2] {
        self.size.unwrap_or([640, 720])
    }

    fn draw(&self, frame: Frame, on: &mut Drawing) {
        let rim = 0.06 * frame.width();
        let (left, right) = (frame.left + rim, frame.right - rim);
        // Lines as high as the frame allows, but no larger than titles and labels elsewhere.
        let lines = self.rows.len() as f32 + 2.5;
        let line = ((frame.height() - 2.0 * rim) / lines).min(2.0 * LABEL);
        let scale = (line / (2.0 * LABEL)).min(frame.width() / 640.0);
        let longest = |size: f32| {
            let width =
                |[name, value]: &[String; 2]| text::width(&format!("{name}   {value}"), size);
            self.rows.iter().map(width).fold(0.0, f32::max)
        };
        let fitting = ((right - left) / longest(LABEL * scale).max(1.0)).min(1.0);
        let size = LABEL * scale * fitting;
        let title = (TITLE * 1.3 * scale)
            .min(TITLE * scale * (right - left) / text::width(&self.title, TITLE * scale).max(1.0));
        let mut y = frame.top + rim;
        on.text(&self.title, title, [left, y], [0.0, 0.0], BLACK);
        y += 1.7 * line;
        for [name, value] in &self.rows {
            on.text(name, size, [left, y], [0.0, 0.5], GREY);
            on.text(value, size, [right, y], [1.0, 0.5], BLACK);
            let below = y + 0.5 * line;
            on.line(&[[left, below], [right, below]], FAINT, Style::Stroke(1.0));
            y += line;
        }
    }
}
