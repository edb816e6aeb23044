//! Several figures in one picture.

use super::Figure;
use super::drawing::{Drawing, Frame};

/// Figures in rows of equal cells.
#[derive(Default)]
pub struct Panel {
    columns: usize,
    figures: Vec<Box<dyn Draw>>,
    size: Option<[u32; 2]>,
}

/// The part of a [`Figure`] that works for figures of different kinds together.
trait Draw {
    fn draw(&self, frame: Frame, on: &mut Drawing);
}

impl<F: Figure> Draw for F {
    fn draw(&self, frame: Frame, on: &mut Drawing) {
        Figure::draw(self, frame, on);
    }
}

impl Panel {
    /// An empty panel, to be filled row by row.
    pub fn new(columns: usize) -> Self {
        Self {
            columns: columns.max(1),
            ..Self::default()
        }
    }

    /// Puts a figure into the next cell.
    pub fn with(mut self, figure: impl Figure + 'static) -> Self {
        self.figures.push(Box::new(figure));
        self
    }

    /// Makes the panel some pixels wide and high, instead of 900 by 600 for each figure.
    pub fn sized(mut self, width: u32, height: u32) -> Self {
        self.size = Some([width, height]);
        self
    }

    fn cells(&self) -> [usize; 2] {
        let columns = self.columns.min(self.figures.len()).max(1);
        [columns, self.figures.len().div_ceil(columns).max(1)]
    }
}

impl Figure for Panel {
    fn size(&self) -> [u32; 2] {
        let [columns, rows] = self.cells().map(|n| n.min(16) as u32);
        self.size.unwrap_or([900 * columns, 600 * rows])
    }

    fn draw(&self, frame: Frame, on: &mut Drawing) {
        let [columns, rows] = self.cells();
        let (width, height) = (frame.width() / columns as f32, frame.height() / rows as f32);
        for (index, figure) in self.figures.iter().enumerate() {
            let left = frame.left + (index % columns) as f32 * width;
            let top = frame.top + (index / columns) as f32 * height;
            let cell = Frame {
                left,
                top,
                right: left + width,
                bottom: top + height,
            };
            figure.draw(cell, on);
        }
    }
}
