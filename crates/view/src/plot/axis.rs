//! Axes: from values to pixels, with ticks and titles.

use super::drawing::{BLACK, Drawing, FAINT, Frame, GREY, Style};
use super::text;
use super::ticks::{self, Ticks};

/// Type sizes of a figure of the usual size.
pub const TITLE: f32 = 32.0;
pub const LABEL: f32 = 26.0;
pub const SMALL: f32 = 22.0;

/// What an axis shows.
#[derive(Clone, Debug, Default)]
pub struct Axis {
    pub name: String,
    pub unit: String,
    pub log: bool,
    /// Asked for, instead of that of the data.
    pub range: Option<[f64; 2]>,
}

/// An axis with its range fixed.
#[derive(Clone, Copy)]
pub struct Scale {
    log: bool,
    low: f64,
    high: f64,
}

impl Axis {
    /// Whether a value can be shown at all.
    pub fn shows(&self, value: f64) -> bool {
        value.is_finite() && (!self.log || value > 0.0)
    }

    /// Covers all `values` that can be shown; with a little room around them if `roomy`.
    pub fn scale(&self, values: impl Iterator<Item = f64>, roomy: bool) -> Scale {
        let mut low = f64::INFINITY;
        let mut high = f64::NEG_INFINITY;
        let asked = self
            .range
            .filter(|r| self.shows(r[0]) && self.shows(r[1]) && r[0] != r[1]);
        let room = if asked.is_none() && roomy { 0.04 } else { 0.0 };
        let values: &mut dyn Iterator<Item = f64> = match &asked {
            Some(range) => &mut range.iter().copied(),
            None => &mut values.filter(|v| self.shows(*v)),
        };
        for value in values {
            let value = self.transform(value);
            (low, high) = (low.min(value), high.max(value));
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        // A range too narrow for the numbers' precision is taken as a single value.
        let least = 1e-9 * low.abs().max(high.abs());
        if high - low <= least {
            let half = if self.log || low == 0.0 {
                0.5
            } else {
                0.1 * low.abs()
            };
            (low, high) = (low - half, high + half);
        }
        let room = room * (high - low);
        Scale {
            log: self.log,
            low: low - room,
            high: high + room,
        }
    }

    fn transform(&self, value: f64) -> f64 {
        if self.log { value.log10() } else { value }
    }

    /// Name and unit, with the power of ten that the labels leave out.
    pub fn title(&self, power: i32) -> String {
        let power = (power != 0).then(|| ticks::power_of_ten(power));
        let unit = match (power, self.unit.as_str()) {
            (None, "") => return self.name.clone(),
            (None, unit) => unit.to_owned(),
            (Some(power), "") => format!("×{power}"),
            (Some(power), unit) => format!("{power} {unit}"),
        };
        format!("{} ({unit})", self.name).trim_start().to_owned()
    }
}

impl Scale {
    /// Where a value is between the ends of the axis: 0 to 1.
    pub fn share(&self, value: f64) -> f64 {
        let value = if self.log { value.log10() } else { value };
        (value - self.low) / (self.high - self.low)
    }

    pub fn ticks(&self, most: usize) -> Ticks {
        if self.log {
            ticks::logarithmic(10f64.powf(self.low), 10f64.powf(self.high), most)
        } else {
            ticks::linear(self.low, self.high, most)
        }
    }
}

/// Both axes around the field where data is drawn.
pub struct Axes {
    pub field: Frame,
    pub x: Scale,
    pub y: Scale,
}

impl Axes {
    /// Draws titles, ticks and grid lines into `frame` and finds the field that is left, with
    /// `beside` pixels free at its right.
    pub fn draw(
        title: &str,
        [x_axis, y_axis]: [&Axis; 2],
        [x, y]: [Scale; 2],
        frame: Frame,
        beside: f32,
        on: &mut Drawing,
    ) -> Self {
        let s = frame.scale();
        let mut field = frame;
        field.top += s * if title.is_empty() { 24.0 } else { 40.0 + TITLE };
        field.bottom -= s
            * (2.0 * 18.0
                + SMALL
                + LABEL
                + if x_axis.title(0).is_empty() {
                    -LABEL
                } else {
                    0.0
                });
        field.right -= 40.0 * s + beside;
        let y_ticks = y.ticks((field.height() / (75.0 * s)) as usize);
        let widest = widest(&y_ticks, SMALL * s);
        let named = !y_axis.title(y_ticks.power).is_empty();
        field.left += widest + s * if named { 46.0 + LABEL } else { 30.0 };
        field = whole(field);
        let axes = Self { field, x, y };
        let middle = 0.5 * (field.left + field.right);
        on.text(
            title,
            TITLE * s,
            [middle, field.top - 22.0 * s],
            [0.5, 1.0],
            BLACK,
        );
        axes.draw_x(x_axis, s, frame, on);
        axes.draw_y(y_axis, &y_ticks, s, frame, on);
        axes
    }

    fn draw_x(&self, axis: &Axis, s: f32, frame: Frame, on: &mut Drawing) {
        let field = self.field;
        let most = (field.width() / (120.0 * s)) as usize;
        let mut ticks = self.x.ticks(most);
        // Long labels need more room than most.
        let room = widest(&ticks, SMALL * s) + 24.0 * s;
        if room * ticks.ticks.iter().filter(|t| t.label.is_some()).count() as f32 > field.width() {
            ticks = self.x.ticks((field.width() / room) as usize);
        }
        for tick in &ticks.ticks {
            let [x, _] = self.place([tick.value, 1.0]);
            let x = crisp(x as f32);
            let length = s * if tick.label.is_some() { 8.0 } else { 4.0 };
            if tick.label.is_some() {
                on.line(
                    &[[x, field.top], [x, field.bottom]],
                    FAINT,
                    Style::Stroke(1.0),
                );
            }
            on.line(
                &[[x, field.bottom], [x, field.bottom + length]],
                GREY,
                Style::Stroke(1.0),
            );
            let label = tick.label.as_deref().unwrap_or_default();
            on.text(
                label,
                SMALL * s,
                [x, field.bottom + 16.0 * s],
                [0.5, 0.0],
                BLACK,
            );
        }
        let at = [0.5 * (field.left + field.right), frame.bottom - 16.0 * s];
        on.text(&axis.title(ticks.power), LABEL * s, at, [0.5, 1.0], BLACK);
    }

    fn draw_y(&self, axis: &Axis, ticks: &Ticks, s: f32, frame: Frame, on: &mut Drawing) {
        let field = self.field;
        for tick in &ticks.ticks {
            let [_, y] = self.place([1.0, tick.value]);
            let y = crisp(y as f32);
            let length = s * if tick.label.is_some() { 8.0 } else { 4.0 };
            if tick.label.is_some() {
                on.line(
                    &[[field.left, y], [field.right, y]],
                    FAINT,
                    Style::Stroke(1.0),
                );
            }
            on.line(
                &[[field.left - length, y], [field.left, y]],
                GREY,
                Style::Stroke(1.0),
            );
            let label = tick.label.as_deref().unwrap_or_default();
            on.text(
                label,
                SMALL * s,
                [field.left - 14.0 * s, y],
                [1.0, 0.5],
                BLACK,
            );
        }
        let at = [frame.left + 16.0 * s, 0.5 * (field.top + field.bottom)];
        on.text_up(&axis.title(ticks.power), LABEL * s, at, [0.5, 0.0], BLACK);
    }

    /// The lines of the axes; drawn last, over what touches them.
    pub fn draw_lines(&self, on: &mut Drawing) {
        let Frame {
            left,
            top,
            right,
            bottom,
        } = self.field;
        let (left, bottom) = (crisp(left), crisp(bottom));
        on.line(
            &[[left, top], [left, bottom], [right, bottom]],
            GREY,
            Style::Stroke(1.0),
        );
    }

    /// Pixel position of a point.
    pub fn place(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let field = self.field;
        let (x, y) = (self.x.share(x), self.y.share(y));
        [
            f64::from(field.left) + x * f64::from(field.width()),
            f64::from(field.bottom) - y * f64::from(field.height()),
        ]
    }
}

pub fn widest(ticks: &Ticks, size: f32) -> f32 {
    let labels = ticks.ticks.iter().filter_map(|t| t.label.as_deref());
    labels.map(|l| text::width(l, size)).fold(0.0, f32::max)
}

/// The middle of a pixel, where a line one pixel wide is sharp.
pub fn crisp(v: f32) -> f32 {
    v.floor() + 0.5
}

/// Rounded to whole pixels, and never inside out.
pub fn whole(frame: Frame) -> Frame {
    let [left, top] = [frame.left, frame.top].map(f32::round);
    Frame {
        left,
        top,
        right: frame.right.round().max(left + 1.0),
        bottom: frame.bottom.round().max(top + 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_cover_what_can_be_shown() {
        let axis = Axis::default();
        let values = [f64::NAN, 2.0, f64::INFINITY, 12.0];
        let scale = axis.scale(values.into_iter(), false);
        assert_eq!([scale.share(2.0), scale.share(12.0)], [0.0, 1.0]);
        let log = Axis {
            log: true,
            ..Axis::default()
        };
        let scale = log.scale([-5.0, 0.0, 0.1, 1000.0].into_iter(), false);
        assert!((scale.share(10.0) - 0.5).abs() < 1e-12);
        // Nothing at all, and a single value.
        assert_eq!(axis.scale([f64::NAN].into_iter(), true).share(0.5), 0.5);
        assert_eq!(axis.scale([7.0, 7.0].into_iter(), true).share(7.0), 0.5);
    }

    #[test]
    fn titles_name_the_unit_and_the_power() {
        let axis = Axis {
            name: "stretch".into(),
            unit: "m".into(),
            ..Axis::default()
        };
        assert_eq!(axis.title(0), "stretch (m)");
        assert_eq!(axis.title(-3), "stretch (10⁻³ m)");
        assert_eq!(Axis::default().title(0), "");
    }
}
