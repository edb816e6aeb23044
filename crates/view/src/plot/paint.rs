//! Drawings as pixels.

use super::drawing::{Drawing, Frame, Ink, Mark, Style};
use crate::Image;
use tiny_skia::{FillRule, LineCap, LineJoin, Paint, Path, Pixmap, Stroke, StrokeDash, Transform};

/// Paints a drawing on white paper.
pub fn image(drawing: &Drawing) -> Image {
    let [width, height] = drawing.size.map(|s| s as usize);
    let mut image = Image {
        width,
        height,
        rgb: vec![255; 3 * width * height],
    };
    over(drawing, &mut image);
    image
}

/// Paints a drawing over a picture, from its upper left corner.
pub fn over(drawing: &Drawing, image: &mut Image) {
    let size = [image.width, image.height].map(|s| u32::try_from(s).unwrap_or(0));
    let Some(mut page) = Pixmap::new(size[0], size[1]) else {
        return;
    };
    let pixels = page.data_mut().as_chunks_mut::<4>().0;
    for (to, [r, g, b]) in pixels.iter_mut().zip(image.rgb.as_chunks::<3>().0) {
        *to = [*r, *g, *b, 255];
    }
    for mark in &drawing.marks {
        match mark {
            Mark::Shape { path, ink, style } => paint(path, *ink, *style, &mut page),
            Mark::Cells {
                frame,
                columns,
                inks,
            } => paint_cells(frame, *columns, inks, &mut page),
        }
    }
    // The page is opaque, so its colours are not scaled by any opacity.
    let pixels = page.data().as_chunks::<4>().0;
    for ([r, g, b, _], to) in pixels.iter().zip(image.rgb.as_chunks_mut::<3>().0) {
        *to = [*r, *g, *b];
    }
}

pub fn channels(ink: Ink) -> [u8; 3] {
    [16, 8, 0].map(|shift| (ink >> shift & 0xff) as u8)
}

fn paint(path: &Path, ink: Ink, style: Style, page: &mut Pixmap) {
    let [r, g, b] = channels(ink);
    let mut paint = Paint::default();
    let opacity = match style {
        Style::Fill(opacity) => opacity.clamp(0.0, 1.0),
        _ => 1.0,
    };
    paint.set_color_rgba8(r, g, b, (255.0 * opacity).round() as u8);
    let still = Transform::identity();
    if matches!(style, Style::Fill(_) | Style::Heavy(_)) {
        page.fill_path(path, &paint, FillRule::Winding, still, None);
    }
    let mut stroke = Stroke {
        line_join: LineJoin::Round,
        ..Stroke::default()
    };
    match style {
        Style::Fill(_) => return,
        Style::Stroke(width) | Style::Heavy(width) => stroke.width = width,
        Style::Dashes(width) => {
            stroke.width = width;
            stroke.line_cap = LineCap::Butt;
            stroke.dash = StrokeDash::new(dashes(width).to_vec(), 0.0);
        }
    }
    page.stroke_path(path, &paint, &stroke, still, None);
}

/// Lengths of dash and gap for a line of some width.
pub fn dashes(width: f32) -> [f32; 2] {
    [5.0 * width, 3.0 * width]
}

/// Fills whole pixels with the cell at their middle: smoothed edges would let the paper through.
fn paint_cells(frame: &Frame, columns: usize, inks: &[Ink], page: &mut Pixmap) {
    let rows = inks.len() / columns.max(1);
    if rows == 0 {
        return;
    }
    let (width, height) = (page.width(), page.height());
    let span = |low: f32, high: f32, limit: u32| {
        let [low, high] = [low, high].map(|v| v.round().clamp(0.0, limit as f32) as usize);
        low..high
    };
    let cell = |at: usize, low: f32, length: f32, count: usize| {
        let share = (at as f32 + 0.5 - low) / length;
        ((share * count as f32) as usize).min(count - 1)
    };
    let data = page.data_mut();
    for y in span(frame.top, frame.bottom, height) {
        let row = cell(y, frame.top, frame.height(), rows);
        for x in span(frame.left, frame.right, width) {
            let column = cell(x, frame.left, frame.width(), columns);
            let at = 4 * (y * width as usize + x);
            data[at..at + 3].copy_from_slice(&channels(inks[row * columns + column]));
        }
    }
}
