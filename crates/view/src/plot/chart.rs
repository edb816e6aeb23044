//! Line and scatter charts.

use super::Figure;
use super::axis::{Axes, Axis};
use super::drawing::{Drawing, Frame, Ink, Style, WHITE};
use super::legend::{Data, Legend};
use super::palette;
use tiny_skia::PathBuilder;

/// Radius of a point of the usual size.
pub(super) const POINT: f32 = 6.0;
/// Width of a line of the usual size.
const LINE: f32 = 3.0;

/// A legend beside the field takes at most this share of a chart's width.
const WIDEST_LEGEND: f32 = 0.4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    Line,
    Dashes,
    Points,
}

/// Points that belong together, with a name for the legend. Points that are not finite, or not
/// positive on a logarithmic axis, are left out and interrupt a line.
#[derive(Clone, Debug)]
pub struct Series {
    pub(super) name: String,
    pub(super) look: Look,
    points: Vec<[f64; 2]>,
    color: Option<Ink>,
}

impl Series {
    /// Points joined by a line. Without a name, a series does not appear in the legend.
    pub fn line(name: impl Into<String>, points: impl IntoIterator<Item = [f64; 2]>) -> Self {
        Self {
            name: name.into(),
            look: Look::Line,
            points: points.into_iter().collect(),
            color: None,
        }
    }

    /// Points joined by a dashed line: for theory, bounds and comparisons.
    pub fn dashed(name: impl Into<String>, points: impl IntoIterator<Item = [f64; 2]>) -> Self {
        Self {
            look: Look::Dashes,
            ..Self::line(name, points)
        }
    }

    /// Points by themselves.
    pub fn points(name: impl Into<String>, points: impl IntoIterator<Item = [f64; 2]>) -> Self {
        Self {
            look: Look::Points,
            ..Self::line(name, points)
        }
    }

    /// In a colour of its own, `0xRRGGBB`, instead of the next one of the house palette.
    pub fn color(mut self, hex: u32) -> Self {
        self.color = Some(hex & 0xff_ffff);
        self
    }

    /// The colour of the series that is number `index` of a chart.
    pub(super) fn ink(&self, index: usize) -> Ink {
        self.color.unwrap_or_else(|| palette::series(index))
    }

    fn draw(
        &self,
        ink: Ink,
        axes: &Axes,
        shown: impl Fn(&[f64; 2]) -> bool,
        on: &mut Drawing,
        s: f32,
    ) {
        if self.look == Look::Points {
            for point in self.points.iter().filter(|p| shown(p)) {
                let at = axes.place(*point);
                if axes.field.contains(at) {
                    draw_point(at.map(|v| v as f32), ink, s, on);
                }
            }
            return;
        }
        for piece in self.points.split(|p| !shown(p)) {
            for part in inside(&axes.field, piece.iter().map(|p| axes.place(*p))) {
                on.line(&part, ink, self.stroke(s));
            }
        }
    }

    /// A specimen for the legend, from `left` to `right`.
    pub(super) fn draw_sample(
        &self,
        ink: Ink,
        [left, right]: [f32; 2],
        y: f32,
        s: f32,
        on: &mut Drawing,
    ) {
        match self.look {
            Look::Points => draw_point([0.5 * (left + right), y], ink, s, on),
            _ => on.line(&[[left, y], [right, y]], ink, self.stroke(s)),
        }
    }

    fn stroke(&self, s: f32) -> Style {
        match self.look {
            Look::Dashes => Style::Dashes(LINE * s),
            _ => Style::Stroke(LINE * s),
        }
    }
}

fn draw_point([x, y]: [f32; 2], ink: Ink, s: f32, on: &mut Drawing) {
    // A thin light rim keeps points apart where they crowd.
    on.shape(
        PathBuilder::from_circle(x, y, (POINT + 1.0) * s),
        WHITE,
        Style::Fill(0.7),
    );
    on.shape(
        PathBuilder::from_circle(x, y, POINT * s),
        ink,
        Style::Fill(1.0),
    );
}

/// The parts of a line through `points` that are in `field`.
fn inside(field: &Frame, points: impl Iterator<Item = [f64; 2]>) -> Vec<Vec<[f32; 2]>> {
    let mut parts: Vec<Vec<[f32; 2]>> = Vec::new();
    let mut last: Option<[f64; 2]> = None;
    for q in points {
        if let Some(cut) = last.and_then(|p| field.clip(p, q)) {
            let [from, to] = cut.map(|p| p.map(|v| v as f32));
            match parts.last_mut() {
                Some(part) if part.last() == Some(&from) => part.push(to),
                _ => parts.push(vec![from, to]),
            }
        }
        last = Some(q);
    }
    parts
}

/// A chart of any number of series over two axes.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    title: String,
    x: Axis,
    y: Axis,
    series: Vec<Series>,
    size: Option<[u32; 2]>,
}

impl Chart {
    /// An empty chart.
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            ..Self::default()
        }
    }

    /// Names the horizontal axis; an empty unit is not shown.
    pub fn x(mut self, name: impl Into<String>, unit: impl Into<String>) -> Self {
        (self.x.name, self.x.unit) = (name.into(), unit.into());
        self
    }

    /// Names the vertical axis; an empty unit is not shown.
    pub fn y(mut self, name: impl Into<String>, unit: impl Into<String>) -> Self {
        (self.y.name, self.y.unit) = (name.into(), unit.into());
        self
    }

    /// Makes the horizontal axis logarithmic.
    pub fn log_x(mut self) -> Self {
        self.x.log = true;
        self
    }

    /// Makes the vertical axis logarithmic.
    pub fn log_y(mut self) -> Self {
        self.y.log = true;
        self
    }

    /// Shows this range of x, instead of all the data; what is outside is cut off.
    pub fn x_range(mut self, low: f64, high: f64) -> Self {
        self.x.range = Some([low, high]);
        self
    }

    /// Shows this range of y, instead of all the data; what is outside is cut off.
    pub fn y_range(mut self, low: f64, high: f64) -> Self {
        self.y.range = Some([low, high]);
        self
    }

    /// Adds a series; later ones are drawn over earlier ones.
    pub fn series(mut self, series: Series) -> Self {
        self.series.push(series);
        self
    }

    /// Makes the chart some pixels wide and high, instead of 1200 by 800.
    pub fn sized(mut self, width: u32, height: u32) -> Self {
        self.size = Some([width, height]);
        self
    }

    fn shows(&self, [x, y]: &[f64; 2]) -> bool {
        self.x.shows(*x) && self.y.shows(*y)
    }

    /// Where everything is drawn.
    fn data(&self, axes: &Axes) -> Data {
        let mut data = Data::default();
        for series in &self.series {
            for piece in series.points.split(|p| !self.shows(p)) {
                let places: Vec<[f64; 2]> = piece.iter().map(|p| axes.place(*p)).collect();
                if series.look == Look::Points {
                    data.points.extend(places);
                } else {
                    data.segments
                        .extend(places.windows(2).map(|w| [w[0], w[1]]));
                }
            }
        }
        data
    }
}

impl Figure for Chart {
    fn size(&self) -> [u32; 2] {
        self.size.unwrap_or([1200, 800])
    }

    fn draw(&self, frame: Frame, on: &mut Drawing) {
        let points = || {
            self.series
                .iter()
                .flat_map(|s| &s.points)
                .filter(|p| self.shows(p))
        };
        let scales = [
            self.x.scale(points().map(|p| p[0]), true),
            self.y.scale(points().map(|p| p[1]), true),
        ];
        let s = frame.scale();
        let draw_axes = |beside: f32, on: &mut Drawing| {
            let axes = [&self.x, &self.y];
            Axes::draw(&self.title, axes, scales, frame, beside, on)
        };
        // A legend that finds no place among the data goes beside the field, which is then
        // narrower.
        let legend = Legend::new(&self.series, s);
        let mut trial = Drawing::new(on.size);
        let wide = draw_axes(0.0, &mut trial);
        let free = |legend: &Legend| legend.free_place(&self.data(&wide), wide.field);
        let place = legend.as_ref().and_then(free);
        let beside = legend
            .as_ref()
            .filter(|_| place.is_none())
            .map_or(0.0, Legend::beside);
        let beside = if beside > WIDEST_LEGEND * frame.width() {
            0.0
        } else {
            beside
        };
        let axes = draw_axes(beside, on);
        for (index, series) in self.series.iter().enumerate() {
            series.draw(series.ink(index), &axes, |p| self.shows(p), on, s);
        }
        axes.draw_lines(on);
        if let Some(legend) = legend {
            let place = place.unwrap_or_else(|| match beside {
                0.0 => legend.corner(axes.field),
                _ => legend.outside(axes.field),
            });
            legend.draw(place, on);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_where_it_leaves_and_goes_on_where_it_returns() {
        let field = Frame {
            left: 0.0,
            top: 0.0,
            right: 10.0,
            bottom: 10.0,
        };
        let points = [[2.0, 5.0], [4.0, 5.0], [4.0, 15.0], [8.0, 15.0], [8.0, 5.0]];
        assert_eq!(
            inside(&field, points.into_iter()),
            [
                vec![[2.0, 5.0], [4.0, 5.0], [4.0, 10.0]],
                vec![[8.0, 10.0], [8.0, 5.0]]
            ]
        );
    }
}
