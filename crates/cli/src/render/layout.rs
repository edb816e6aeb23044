//! How views are put together: one after the other, side by side, or as a sheet of many.

use super::args::RenderArgs;
use crate::exit::Failure;
use toile::view::Image;
use toile::view::plot::ColorScale;

/// Space between views, pixels.
const GAP: usize = 4;

/// Smallest side of a view, pixels.
const SMALLEST: usize = 16;

/// Sizes and places, in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The whole picture.
    pub size: [usize; 2],
    /// The views that belong to one moment.
    pub cell: [usize; 2],
    /// What one camera sees.
    pub view: [usize; 2],
    /// Columns of a contact sheet; none for pictures that follow each other.
    columns: Option<usize>,
    beside: bool,
}

impl Layout {
    /// For one source, or two beside each other.
    pub fn new(args: &RenderArgs, sources: usize) -> Result<Self, Failure> {
        let size = args.size.0;
        let [columns, rows] = args.contact_sheet.map_or([1, 1], |sheet| sheet.0);
        // A sheet has its key below the cells, so that it hides none of them.
        let keyed = args.contact_sheet.is_some() && args.color.quantity().is_some();
        let foot = if keyed {
            ColorScale::key_height(size[0], size[1])
        } else {
            0
        };
        let share = |whole: usize, parts: usize| whole.saturating_sub((parts - 1) * GAP) / parts;
        let cell = [
            share(size[0], columns),
            share(size[1].saturating_sub(foot), rows),
        ];
        let view = [share(cell[0], sources.max(1)), cell[1]];
        if view.into_iter().any(|side| side < SMALLEST) {
            return Err(Failure::input(format!(
                "--size: {}×{} leaves views of {}×{} pixels: expected {SMALLEST} at least",
                size[0], size[1], view[0], view[1]
            )));
        }
        Ok(Self {
            size,
            cell,
            view,
            columns: args.contact_sheet.map(|_| columns),
            beside: sources > 1,
        })
    }

    /// An empty contact sheet, if there is to be one.
    pub fn sheet(&self) -> Option<Image> {
        self.columns
            .map(|_| Image::filled(self.size[0], self.size[1], [255; 3]))
    }

    /// Upper left corner of cell number `index` of a contact sheet.
    pub fn cell_corner(&self, index: usize) -> [usize; 2] {
        let columns = self.columns.unwrap_or(1);
        let step = self.cell.map(|side| side + GAP);
        [index % columns * step[0], index / columns * step[1]]
    }

    /// Left edge of the view of source number `index` in its cell.
    pub fn view_left(&self, index: usize) -> usize {
        index * (self.view[0] + GAP)
    }

    /// What stands in the corner of a view: which run where there are two, which frame on a sheet.
    pub fn caption(&self, name: &str, index: usize, frame: u64, time_s: f64) -> Option<String> {
        let moment = self
            .columns
            .filter(|_| index == 0)
            .map(|_| format!("frame {frame}, {time_s:.2} s"));
        let name = self.beside.then(|| name.to_owned());
        match (name, moment) {
            (Some(name), Some(moment)) => Some(format!("{name}: {moment}")),
            (name, moment) => name.or(moment),
        }
    }
}
