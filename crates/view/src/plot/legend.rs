//! Which line is which.

use super::axis::SMALL;
use super::chart::{POINT, Series};
use super::drawing::{BLACK, Drawing, Frame, WHITE};
use super::text;

/// What a legend must not hide, in pixels.
#[derive(Default)]
pub struct Data {
    /// Middles of points.
    pub points: Vec<[f64; 2]>,
    /// Pieces of lines, by their ends.
    pub segments: Vec<[[f64; 2]; 2]>,
}

/// The list of a chart's series that have a name.
pub struct Legend<'a> {
    /// Each with its number in the chart.
    rows: Vec<(usize, &'a Series)>,
    size: [f32; 2],
    s: f32,
}

/// Length of a sample of each line; space after it, between lines, around all of them and between
/// the legend and the edge of the field. Of a figure of the usual size.
const SAMPLE: f32 = 44.0;
const GAP: f32 = 12.0;
const LINE: f32 = 1.5 * SMALL;
const RIM: f32 = 14.0;
const INSET: f32 = 12.0;

/// Shares of the free width and height at the left and above of the best places: corners first,
/// then sides, then the middle.
const PLACES: [[f32; 2]; 9] = [
    [1.0, 0.0],
    [0.0, 0.0],
    [1.0, 1.0],
    [0.0, 1.0],
    [1.0, 0.5],
    [0.0, 0.5],
    [0.5, 0.0],
    [0.5, 1.0],
    [0.5, 0.5],
];

/// Steps from one side to the other of the places that are tried after those.
const STEPS: u16 = 8;

impl<'a> Legend<'a> {
    /// In a figure `s` times the usual size; `None` if no series has a name.
    pub fn new(series: &'a [Series], s: f32) -> Option<Self> {
        let rows: Vec<_> = series
            .iter()
            .enumerate()
            .filter(|(_, series)| !series.name.is_empty())
            .collect();
        let names = rows.iter().map(|(_, r)| text::width(&r.name, SMALL * s));
        let widest = names.reduce(f32::max)?;
        let height = rows.len() as f32 * LINE + 2.0 * RIM - 0.5 * SMALL;
        let width = (SAMPLE + GAP + 2.0 * RIM) * s + widest;
        Some(Self {
            rows,
            size: [width, height * s],
            s,
        })
    }

    /// The first place in `field` where it hides nothing.
    pub fn free_place(&self, data: &Data, field: Frame) -> Option<Frame> {
        free_place(self.size, INSET * self.s, POINT * self.s, data, field)
    }

    /// The place at the upper right corner of `field`, inside it.
    pub fn corner(&self, field: Frame) -> Frame {
        at(PLACES[0], self.size, INSET * self.s, field)
    }

    /// Room it needs beside the field.
    pub fn beside(&self) -> f32 {
        self.size[0] + INSET * self.s
    }

    /// The place at the right of `field`, level with its top.
    pub fn outside(&self, field: Frame) -> Frame {
        let [width, height] = self.size;
        let left = field.right + INSET * self.s;
        Frame {
            left,
            top: field.top,
            right: left + width,
            bottom: field.top + height,
        }
    }

    /// Draws it in a frame of its size.
    pub fn draw(&self, frame: Frame, on: &mut Drawing) {
        let s = self.s;
        on.fill(frame, WHITE, 0.85);
        for (row, (index, series)) in self.rows.iter().enumerate() {
            let y = frame.top + s * (RIM + 0.5 * SMALL + row as f32 * LINE);
            let left = frame.left + RIM * s;
            let right = left + SAMPLE * s;
            series.draw_sample(series.ink(*index), [left, right], y, s, on);
            let at = [right + GAP * s, y];
            on.text(&series.name, SMALL * s, at, [0.0, 0.5], BLACK);
        }
    }
}

/// A frame of some size in `field`, as a share of the free width and height.
fn at([across, down]: [f32; 2], [width, height]: [f32; 2], inset: f32, field: Frame) -> Frame {
    let free = [field.width() - width, field.height() - height].map(|f| f - 2.0 * inset);
    let left = field.left + inset + across * free[0];
    let top = field.top + inset + down * free[1];
    Frame {
        left,
        top,
        right: left + width,
        bottom: top + height,
    }
}

fn free_place(size: [f32; 2], inset: f32, point: f32, data: &Data, field: Frame) -> Option<Frame> {
    if size[0] + 2.0 * inset > field.width() || size[1] + 2.0 * inset > field.height() {
        return None;
    }
    let share = |step: u16| f32::from(step) / f32::from(STEPS);
    let grid = (0..=STEPS).flat_map(|x| (0..=STEPS).map(move |y| [share(STEPS - x), share(y)]));
    PLACES
        .into_iter()
        .chain(grid)
        .map(|place| at(place, size, inset, field))
        .find(|frame| {
            let near = Frame {
                left: frame.left - point,
                top: frame.top - point,
                right: frame.right + point,
                bottom: frame.bottom + point,
            };
            !data.points.iter().any(|p| near.contains(*p))
                && !data
                    .segments
                    .iter()
                    .any(|[p, q]| frame.clip(*p, *q).is_some())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELD: Frame = Frame {
        left: 0.0,
        top: 0.0,
        right: 100.0,
        bottom: 100.0,
    };

    fn place(points: &[[f64; 2]], segments: &[[[f64; 2]; 2]]) -> Option<Frame> {
        let data = Data {
            points: points.to_vec(),
            segments: segments.to_vec(),
        };
        free_place([30.0, 30.0], 5.0, 2.0, &data, FIELD)
    }

    #[test]
    fn the_legend_avoids_points() {
        // Points everywhere but at the lower left.
        let points = [[90.0, 10.0], [10.0, 10.0], [90.0, 90.0]];
        let frame = place(&points, &[]).unwrap();
        assert_eq!((frame.left, frame.bottom), (5.0, 95.0));
        assert_eq!(place(&[], &[]).unwrap().right, 95.0);
        // With a point in every corner, a side is free.
        let points = [[90.0, 10.0], [10.0, 10.0], [90.0, 90.0], [10.0, 90.0]];
        let frame = place(&points, &[]).unwrap();
        assert_eq!((frame.right, frame.top), (95.0, 35.0));
        // A point has a size: its middle is outside, its rim would be hidden.
        let frame = place(&[[64.0, 20.0]], &[]).unwrap();
        assert_eq!(frame.left, 5.0);
    }

    #[test]
    fn the_legend_avoids_lines_between_points_and_gives_up_where_they_are_all_over() {
        // The ends are outside every place, the line goes right through the upper right one.
        let frame = place(&[], &[[[0.0, 20.0], [100.0, 20.0]]]).unwrap();
        assert_eq!((frame.right, frame.bottom), (95.0, 95.0));
        // Only between the usual places is there room.
        let rows = [15.0, 48.0, 90.0].map(|y| [[0.0, y], [100.0, y]]);
        let frame = place(&[], &rows).unwrap();
        assert_eq!(frame.right, 95.0);
        assert!(frame.top > 48.0 && frame.bottom < 90.0, "{frame:?}");
        let rows = [20.0, 50.0, 80.0].map(|y| [[0.0, y], [100.0, y]]);
        assert_eq!(place(&[], &rows), None);
        // Nor does one fit that is larger than the field.
        let data = Data::default();
        assert_eq!(free_place([120.0, 30.0], 5.0, 2.0, &data, FIELD), None);
    }
}
