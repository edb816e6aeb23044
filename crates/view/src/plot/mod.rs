//! Charts in one house style, as PNG and as SVG.
//!
//! ```no_run
//! use toile_view::plot::{Chart, Figure, Series};
//!
//! let fall = (0..100).map(|i| 0.01 * f64::from(i)).map(|t| [t, 1.0 - 4.905 * t * t]);
//! Chart::new("Free fall")
//!     .x("time", "s")
//!     .y("height", "m")
//!     .series(Series::line("exact", fall))
//!     .write("fall.png")?;
//! # Ok::<(), toile_view::ImageError>(())
//! ```
//!
//! A [`Figure`] lists what is to be drawn once, in pixels; painting and SVG start from the same
//! list and show the same. Text is drawn as outlines of a typeface that comes with the program,
//! so a chart looks the same everywhere.

mod axis;
mod chart;
mod drawing;
mod facts;
mod heat;
mod legend;
mod overlay;
mod paint;
mod palette;
mod panel;
mod scale;
mod svg;
mod text;
mod ticks;

use crate::image::{Image, ImageError, part_path};
pub use chart::{Chart, Series};
pub use drawing::{Drawing, Frame};
pub use facts::Facts;
pub use heat::HeatMap;
pub use overlay::Overlay;
pub use panel::Panel;
pub use scale::ColorScale;
use std::fs;
use std::path::Path;

/// Something that can be drawn into a rectangle.
pub trait Figure {
    /// Width and height in pixels when nothing else is asked for.
    fn size(&self) -> [u32; 2] {
        [1200, 800]
    }

    /// Adds the figure to a drawing.
    fn draw(&self, frame: Frame, on: &mut Drawing);

    /// The figure as a drawing of its own.
    fn drawing(&self) -> Drawing {
        let mut drawing = Drawing::new(self.size());
        self.draw(drawing.frame(), &mut drawing);
        drawing
    }

    /// The figure as a picture.
    fn image(&self) -> Image {
        paint::image(&self.drawing())
    }

    /// Writes the figure as PNG.
    fn write(&self, path: impl AsRef<Path>) -> Result<(), ImageError>
    where
        Self: Sized,
    {
        self.image().write_png(path)
    }

    /// Writes the figure as SVG. The file appears whole or not at all.
    fn write_svg(&self, path: impl AsRef<Path>) -> Result<(), ImageError>
    where
        Self: Sized,
    {
        let path = path.as_ref();
        let part = part_path(path);
        fs::write(&part, svg::document(&self.drawing()))
            .and_then(|()| fs::rename(&part, path))
            .map_err(|source| {
                // What is left of a failed write is of no use to anyone.
                let _ = fs::remove_file(&part);
                ImageError::Write {
                    path: path.to_owned(),
                    source,
                }
            })
    }
}
