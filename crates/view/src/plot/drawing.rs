//! What a figure consists of: filled and stroked shapes, in pixels.

use super::text;
use tiny_skia::{Path, PathBuilder, Rect};

/// A colour as written on the web: `0xRRGGBB` in sRGB.
pub type Ink = u32;

pub const BLACK: Ink = 0x22262b;
pub const GREY: Ink = 0x7a8087;
pub const FAINT: Ink = 0xe4e7ea;
pub const WHITE: Ink = 0xffffff;

/// A rectangle of a drawing; y points down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Left edge.
    pub left: f32,
    /// Upper edge.
    pub top: f32,
    /// Right edge.
    pub right: f32,
    /// Lower edge.
    pub bottom: f32,
}

impl Frame {
    /// Pixels across.
    pub fn width(&self) -> f32 {
        self.right - self.left
    }

    /// Pixels down.
    pub fn height(&self) -> f32 {
        self.bottom - self.top
    }

    /// How large text and lines are, compared with a figure of the usual size.
    pub(super) fn scale(&self) -> f32 {
        (self.width() / 1200.0)
            .min(self.height() / 800.0)
            .clamp(0.4, 4.0)
    }

    pub(super) fn rect(&self) -> Option<Rect> {
        Rect::from_ltrb(self.left, self.top, self.right, self.bottom)
    }

    pub(super) fn contains(&self, [x, y]: [f64; 2]) -> bool {
        let Self {
            left,
            top,
            right,
            bottom,
        } = *self;
        (f64::from(left)..=f64::from(right)).contains(&x)
            && (f64::from(top)..=f64::from(bottom)).contains(&y)
    }

    /// The part of the segment from `p` to `q` that is inside, if any. The ends may be very far
    /// outside, hence double precision.
    pub(super) fn clip(&self, p: [f64; 2], q: [f64; 2]) -> Option<[[f64; 2]; 2]> {
        // Where the segment crosses each pair of parallel edges, as a share of its length.
        let (mut enter, mut leave) = (0f64, 1f64);
        let sides = [(self.left, self.right), (self.top, self.bottom)];
        for (axis, (low, high)) in sides.into_iter().enumerate() {
            let (from, to) = (p[axis], q[axis]);
            let [low, high] = [low, high].map(f64::from);
            if from == to {
                if from < low || from > high {
                    return None;
                }
                continue;
            }
            let at = [low, high].map(|edge| (edge - from) / (to - from));
            enter = enter.max(at[0].min(at[1]));
            leave = leave.min(at[0].max(at[1]));
        }
        // Ends that are inside stay what they are, to the last bit, so that the next segment
        // goes on from there.
        let along = |share: f64| match share {
            0.0 => p,
            1.0 => q,
            _ => [0, 1].map(|k| p[k] + share * (q[k] - p[k])),
        };
        (enter <= leave).then(|| [along(enter), along(leave)])
    }
}

/// How a shape is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Style {
    /// Filled, with an opacity from 0 to 1.
    Fill(f32),
    /// A line of the given width.
    Stroke(f32),
    /// A line of dashes as long as five widths.
    Dashes(f32),
    /// Filled, with a line of the same colour around it: letters that would be too thin.
    Heavy(f32),
}

#[derive(Clone, Debug)]
pub(super) enum Mark {
    Shape {
        path: Path,
        ink: Ink,
        style: Style,
    },
    /// Equal cells that fill a frame without gaps, row by row from the top.
    Cells {
        frame: Frame,
        columns: usize,
        inks: Vec<Ink>,
    },
}

/// A list of shapes on a white page.
#[derive(Clone, Debug)]
pub struct Drawing {
    pub(super) size: [u32; 2],
    pub(super) marks: Vec<Mark>,
}

impl Drawing {
    /// An empty page of some pixels by some pixels.
    pub fn new(size: [u32; 2]) -> Self {
        Self {
            size: size.map(|s| s.clamp(16, 16_384)),
            marks: Vec::new(),
        }
    }

    /// The whole page.
    pub fn frame(&self) -> Frame {
        Frame {
            left: 0.0,
            top: 0.0,
            right: self.size[0] as f32,
            bottom: self.size[1] as f32,
        }
    }

    pub(super) fn shape(&mut self, path: Option<Path>, ink: Ink, style: Style) {
        // Shapes without any extent have no path and leave no mark.
        self.marks
            .extend(path.map(|path| Mark::Shape { path, ink, style }));
    }

    pub(super) fn fill(&mut self, frame: Frame, ink: Ink, opacity: f32) {
        let path = frame.rect().map(PathBuilder::from_rect);
        self.shape(path, ink, Style::Fill(opacity));
    }

    pub(super) fn line(&mut self, points: &[[f32; 2]], ink: Ink, style: Style) {
        let mut path = PathBuilder::new();
        for (i, [x, y]) in points.iter().enumerate() {
            if i == 0 {
                path.move_to(*x, *y);
            } else {
                path.line_to(*x, *y);
            }
        }
        self.shape(path.finish(), ink, style);
    }

    /// Writes `words` so that the point `share` of the way along their width and down their
    /// height comes to lie at `at`.
    pub(super) fn text(&mut self, words: &str, size: f32, at: [f32; 2], share: [f32; 2], ink: Ink) {
        let style = Style::Heavy(text::weight(size));
        self.shape(text::path(words, size, at, share, false), ink, style);
    }

    /// Like [`Drawing::text`], reading upwards.
    pub(super) fn text_up(
        &mut self,
        words: &str,
        size: f32,
        at: [f32; 2],
        share: [f32; 2],
        ink: Ink,
    ) {
        let style = Style::Heavy(text::weight(size));
        self.shape(text::path(words, size, at, share, true), ink, style);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: Frame = Frame {
        left: 0.0,
        top: 0.0,
        right: 10.0,
        bottom: 5.0,
    };

    #[test]
    fn segments_are_cut_at_the_frame() {
        assert_eq!(
            FRAME.clip([-5.0, 0.0], [15.0, 5.0]),
            Some([[0.0, 1.25], [10.0, 3.75]])
        );
        assert_eq!(
            FRAME.clip([2.0, 1.0], [3.0, 4.0]),
            Some([[2.0, 1.0], [3.0, 4.0]])
        );
        assert_eq!(
            FRAME.clip([4.0, -1.0], [4.0, 9.0]),
            Some([[4.0, 0.0], [4.0, 5.0]])
        );
        assert_eq!(FRAME.clip([11.0, -1.0], [11.0, 9.0]), None);
        // Crosses both lines that bound the frame's corner, but not the frame.
        assert_eq!(FRAME.clip([-3.0, 2.0], [2.0, -3.0]), None);
    }

    #[test]
    fn ends_far_away_do_no_harm() {
        let [p, q] = FRAME
            .clip([-1e12, -0.5e12], [1e12 + 20.0, 0.5e12 + 10.0])
            .unwrap();
        for (got, exact) in [(p[0], 0.0), (p[1], 0.0), (q[0], 10.0), (q[1], 5.0)] {
            assert!((got - exact).abs() < 1e-3, "{p:?} {q:?}");
        }
    }
}
