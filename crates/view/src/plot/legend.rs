//! Which line is which.

use super::axis::SMALL;
use super::chart::Series;
use super::drawing::{BLACK, Drawing, Frame, WHITE};
use super::text;

/// Lists the series that have a name, where they hide the fewest points: in a corner if one is as
/// good as any other place.
pub fn draw(series: &[Series], places: &[[f64; 2]], field: Frame, s: f32, on: &mut Drawing) {
    let named = || {
        series
            .iter()
            .enumerate()
            .filter(|(_, s)| !s.name.is_empty())
    };
    let names = named().map(|(_, series)| text::width(&series.name, SMALL * s));
    let (count, widest) = names.fold((0, 0f32), |(n, w), width| (n + 1, w.max(width)));
    if count == 0 {
        return;
    }
    let (sample, gap, line, rim) = (44.0 * s, 12.0 * s, 1.5 * SMALL * s, 14.0 * s);
    let width = sample + gap + widest + 2.0 * rim;
    let height = count as f32 * line + 2.0 * rim - 0.5 * SMALL * s;
    let frame = emptiest_place(places, field, [width, height], 12.0 * s);
    on.fill(frame, WHITE, 0.85);
    for (row, (index, series)) in named().enumerate() {
        let y = frame.top + rim + 0.5 * SMALL * s + row as f32 * line;
        let left = frame.left + rim;
        series.draw_sample(series.ink(index), [left, left + sample], y, s, on);
        on.text(
            &series.name,
            SMALL * s,
            [left + sample + gap, y],
            [0.0, 0.5],
            BLACK,
        );
    }
}

/// Shares of the free width and height at the left and above of each place: corners first, then
/// sides, then the middle.
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

fn emptiest_place(
    places: &[[f64; 2]],
    field: Frame,
    [width, height]: [f32; 2],
    inset: f32,
) -> Frame {
    let place = |[across, down]: [f32; 2]| {
        let free = [field.width() - width, field.height() - height].map(|f| f - 2.0 * inset);
        let left = field.left + inset + across * free[0];
        let top = field.top + inset + down * free[1];
        Frame {
            left,
            top,
            right: left + width,
            bottom: top + height,
        }
    };
    let hidden = |frame: &Frame| places.iter().filter(|p| frame.contains(**p)).count();
    // Of equally good ones, the first.
    let best = PLACES.map(place).into_iter().min_by_key(hidden);
    best.unwrap_or(field)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_legend_avoids_the_data() {
        let field = Frame {
            left: 0.0,
            top: 0.0,
            right: 100.0,
            bottom: 100.0,
        };
        // Points everywhere but at the lower left.
        let places = [[90.0, 10.0], [10.0, 10.0], [90.0, 90.0]];
        let frame = emptiest_place(&places, field, [30.0, 30.0], 5.0);
        assert_eq!((frame.left, frame.bottom), (5.0, 95.0));
        assert_eq!(emptiest_place(&[], field, [30.0, 30.0], 5.0).right, 95.0);
        // With a point in every corner, a side is free.
        let places = [[90.0, 10.0], [10.0, 10.0], [90.0, 90.0], [10.0, 90.0]];
        let frame = emptiest_place(&places, field, [30.0, 30.0], 5.0);
        assert_eq!((frame.right, frame.top), (95.0, 35.0));
    }
}
