//! Drawings as SVG.

use super::drawing::{Drawing, Frame, Ink, Mark, Style};
use super::paint::dashes;
use std::fmt::Write;
use tiny_skia::{Path, PathSegment};

/// A complete document.
pub fn document(drawing: &Drawing) -> String {
    let [width, height] = drawing.size;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" stroke-linejoin=\"round\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    for mark in &drawing.marks {
        match mark {
            Mark::Shape { path, ink, style } => shape(path, *ink, *style, &mut text),
            Mark::Cells {
                frame,
                columns,
                inks,
            } => cells(frame, *columns, inks, &mut text),
        }
    }
    text.push_str("</svg>\n");
    text
}

/// Appends to a string, which cannot fail.
macro_rules! put {
    ($to:expr, $($what:tt)*) => { let _ = write!($to, $($what)*); };
}

fn shape(path: &Path, ink: Ink, style: Style, text: &mut String) {
    put!(text, "<path d=\"");
    for segment in path.segments() {
        match segment {
            PathSegment::MoveTo(p) => put_step('M', &[p], text),
            PathSegment::LineTo(p) => put_step('L', &[p], text),
            PathSegment::QuadTo(a, p) => put_step('Q', &[a, p], text),
            PathSegment::CubicTo(a, b, p) => put_step('C', &[a, b, p], text),
            PathSegment::Close => text.push('Z'),
        }
    }
    text.push_str("\" ");
    match style {
        Style::Fill(opacity) if opacity < 1.0 => {
            put!(text, "fill=\"#{ink:06x}\" fill-opacity=\"{opacity}\"");
        }
        Style::Fill(_) => {
            put!(text, "fill=\"#{ink:06x}\"");
        }
        Style::Stroke(width) => {
            put!(
                text,
                "fill=\"none\" stroke=\"#{ink:06x}\" stroke-width=\"{}\"",
                short(width)
            );
        }
        Style::Dashes(width) => {
            let [dash, gap] = dashes(width).map(short);
            put!(
                text,
                "fill=\"none\" stroke=\"#{ink:06x}\" stroke-width=\"{}\" stroke-dasharray=\"{dash} {gap}\"",
                short(width)
            );
        }
        Style::Heavy(width) => {
            put!(
                text,
                "fill=\"#{ink:06x}\" stroke=\"#{ink:06x}\" stroke-width=\"{}\"",
                short(width)
            );
        }
    }
    text.push_str("/>\n");
}

fn put_step(letter: char, points: &[tiny_skia::Point], text: &mut String) {
    text.push(letter);
    for (i, p) in points.iter().enumerate() {
        let gap = if i == 0 { "" } else { " " };
        put!(text, "{gap}{} {}", short(p.x), short(p.y));
    }
}

/// A hundredth of a pixel is fine enough.
fn short(v: f32) -> f64 {
    (f64::from(v) * 100.0).round() / 100.0
}

fn cells(frame: &Frame, columns: usize, inks: &[Ink], text: &mut String) {
    let rows = inks.len() / columns.max(1);
    if rows == 0 {
        return;
    }
    let (width, height) = (frame.width() / columns as f32, frame.height() / rows as f32);
    text.push_str("<g shape-rendering=\"crispEdges\">\n");
    for (index, ink) in inks.iter().enumerate() {
        let x = frame.left + (index % columns) as f32 * width;
        let y = frame.top + (index / columns) as f32 * height;
        put!(
            text,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#{ink:06x}\"/>\n",
            short(x),
            short(y),
            short(width),
            short(height)
        );
    }
    text.push_str("</g>\n");
}
