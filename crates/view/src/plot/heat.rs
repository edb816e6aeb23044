//! Heat maps: a colour for each cell of a grid.

use super::Figure;
use super::axis::{Axes, Axis, LABEL, SMALL, crisp, whole, widest};
use super::drawing::{BLACK, Drawing, Frame, GREY, Mark, Style};
use super::palette;

/// Steps of the colour bar.
const BAR: usize = 256;

/// Values over a grid, with a colour bar beside it. Cells without a finite value are grey; what is
/// too small for powers of ten, such as 0, has the lowest colour.
#[derive(Clone, Debug)]
pub struct HeatMap {
    title: String,
    x: Axis,
    y: Axis,
    z: Axis,
    columns: usize,
    values: Vec<f64>,
    size: Option<[u32; 2]>,
}

impl HeatMap {
    /// `values` go along x first, in rows of `columns`, with y growing from row to row. Axes
    /// count cells until they are told otherwise. Values that do not fill a row are left out.
    pub fn new(title: impl Into<String>, columns: usize, values: impl Into<Vec<f64>>) -> Self {
        let (columns, mut values) = (columns.max(1), values.into());
        let rows = values.len() / columns;
        values.truncate(rows * columns);
        let counted = |cells: usize| Axis {
            range: Some([0.0, cells.max(1) as f64]),
            ..Axis::default()
        };
        Self {
            title: title.into(),
            x: counted(columns),
            y: counted(rows),
            z: Axis::default(),
            columns,
            values,
            size: None,
        }
    }

    /// Names the horizontal axis, which goes from `low` at the left edge of the first cell to
    /// `high` at the right edge of the last.
    pub fn x(
        self,
        name: impl Into<String>,
        unit: impl Into<String>,
        [low, high]: [f64; 2],
    ) -> Self {
        Self {
            x: named(name, unit, [low, high]),
            ..self
        }
    }

    /// Names the vertical axis, which goes from `low` to `high`.
    pub fn y(
        self,
        name: impl Into<String>,
        unit: impl Into<String>,
        [low, high]: [f64; 2],
    ) -> Self {
        Self {
            y: named(name, unit, [low, high]),
            ..self
        }
    }

    /// Names the colours.
    pub fn z(mut self, name: impl Into<String>, unit: impl Into<String>) -> Self {
        (self.z.name, self.z.unit) = (name.into(), unit.into());
        self
    }

    /// Gives the colours to this range of values, instead of all that occur.
    pub fn z_range(mut self, low: f64, high: f64) -> Self {
        self.z.range = Some([low, high]);
        self
    }

    /// Spreads the colours over powers of ten.
    pub fn log_z(mut self) -> Self {
        self.z.log = true;
        self
    }

    /// Makes the map some pixels wide and high, instead of 1200 by 800.
    pub fn sized(mut self, width: u32, height: u32) -> Self {
        self.size = Some([width, height]);
        self
    }
}

fn named(name: impl Into<String>, unit: impl Into<String>, range: [f64; 2]) -> Axis {
    Axis {
        name: name.into(),
        unit: unit.into(),
        range: Some(range),
        log: false,
    }
}

impl Figure for HeatMap {
    fn size(&self) -> [u32; 2] {
        self.size.unwrap_or([1200, 800])
    }

    fn draw(&self, frame: Frame, on: &mut Drawing) {
        let s = frame.scale();
        let z = self.z.scale(self.values.iter().copied(), false);
        let ticks = z.ticks((0.7 * frame.height() / (75.0 * s)) as usize);
        let title = self.z.title(ticks.power);
        let (bar, gap) = (30.0 * s, 14.0 * s);
        let labels = widest(&ticks, SMALL * s) + gap;
        let beside = bar
            + labels
            + if title.is_empty() {
                0.0
            } else {
                1.6 * LABEL * s
            };
        let scales = [&self.x, &self.y].map(|axis| axis.scale(std::iter::empty(), false));
        let axes = Axes::draw(&self.title, [&self.x, &self.y], scales, frame, beside, on);
        let field = axes.field;
        // Rows grow upwards, the page downwards.
        let rows = self.values.chunks_exact(self.columns).rev();
        let ink = |v: &f64| {
            if v.is_finite() && !self.z.shows(*v) {
                palette::heat(0.0)
            } else {
                palette::heat(z.share(*v))
            }
        };
        on.marks.push(Mark::Cells {
            frame: field,
            columns: self.columns,
            inks: rows.flatten().map(ink).collect(),
        });
        axes.draw_lines(on);

        let left = field.right + 26.0 * s;
        let bar = whole(Frame {
            left,
            right: left + bar,
            ..field
        });
        let share = |i: usize| 1.0 - (i as f64 + 0.5) / BAR as f64;
        on.marks.push(Mark::Cells {
            frame: bar,
            columns: 1,
            inks: (0..BAR).map(|i| palette::heat(share(i))).collect(),
        });
        for tick in &ticks.ticks {
            let Some(label) = &tick.label else { continue };
            let y = crisp(bar.bottom - z.share(tick.value) as f32 * bar.height());
            on.line(
                &[[bar.right, y], [bar.right + 6.0 * s, y]],
                GREY,
                Style::Stroke(1.0),
            );
            on.text(label, SMALL * s, [bar.right + gap, y], [0.0, 0.5], BLACK);
        }
        let at = [bar.right + labels + 14.0 * s, 0.5 * (bar.top + bar.bottom)];
        on.text_up(&title, LABEL * s, at, [0.5, 0.0], BLACK);
    }
}
