//! Words as outlines.

use epaint_default_fonts::UBUNTU_LIGHT;
use std::sync::LazyLock;
use tiny_skia::{Path, PathBuilder, Transform};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

static FACE: LazyLock<Option<Face<'static>>> = LazyLock::new(|| Face::parse(UBUNTU_LIGHT, 0).ok());

/// The typeface has raised digits, but no raised minus sign: a smaller one is put there.
const RAISED_MINUS: char = '⁻';
const RAISED_SIZE: f32 = 0.62;
const RAISED_EM: f32 = 0.28;

/// Width of a line around letters that gives the light typeface the weight of a book face.
pub fn weight(size: f32) -> f32 {
    0.022 * size
}

/// Width of `words` in pixels, at `size` pixels an em.
pub fn width(words: &str, size: f32) -> f32 {
    let Some(face) = FACE.as_ref() else {
        return 0.0;
    };
    words
        .chars()
        .map(|c| Letter::new(face, c).advance)
        .sum::<f32>()
        * size
}

/// Outlines of `words`, so that the point `share` of the way along their width and down the
/// height of their capitals comes to lie at `at`; turned to read upwards if asked.
pub fn path(words: &str, size: f32, at: [f32; 2], share: [f32; 2], upwards: bool) -> Option<Path> {
    let face = FACE.as_ref()?;
    let capitals = f32::from(face.capital_height().unwrap_or(700)) / f32::from(face.units_per_em());
    let mut pen = Pen {
        path: PathBuilder::new(),
        x: -share[0] * width(words, size),
        y: (1.0 - share[1]) * capitals * size,
        scale: 1.0,
    };
    for c in words.chars() {
        let letter = Letter::new(face, c);
        let y = pen.y;
        pen.y -= letter.raised * size;
        pen.scale = letter.size * size / f32::from(face.units_per_em());
        // Blanks have no outline.
        let _ = face.outline_glyph(letter.glyph, &mut pen);
        pen.y = y;
        pen.x += letter.advance * size;
    }
    let turn = if upwards {
        Transform::from_rotate(-90.0)
    } else {
        Transform::identity()
    };
    let path = pen.path.finish()?.transform(turn)?;
    path.transform(Transform::from_translate(at[0], at[1]))
}

/// A letter in units of the type size.
struct Letter {
    glyph: GlyphId,
    advance: f32,
    size: f32,
    raised: f32,
}

impl Letter {
    fn new(face: &Face, c: char) -> Self {
        let (c, size, raised) = match c {
            RAISED_MINUS => ('−', RAISED_SIZE, RAISED_EM),
            c => (c, 1.0, 0.0),
        };
        // A letter that is missing shows as the typeface's empty box.
        let glyph = face.glyph_index(c).unwrap_or(GlyphId(0));
        let advance = face.glyph_hor_advance(glyph).unwrap_or(0);
        Self {
            glyph,
            advance: size * f32::from(advance) / f32::from(face.units_per_em()),
            size,
            raised,
        }
    }
}

/// Draws outlines, which have y upwards, onto a page, which has it downwards.
struct Pen {
    path: PathBuilder,
    x: f32,
    y: f32,
    scale: f32,
}

impl Pen {
    fn at(&self, x: f32, y: f32) -> [f32; 2] {
        [self.x + self.scale * x, self.y - self.scale * y]
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let [x, y] = self.at(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let [x, y] = self.at(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let [[x1, y1], [x, y]] = [self.at(x1, y1), self.at(x, y)];
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let [[x1, y1], [x2, y2], [x, y]] = [self.at(x1, y1), self.at(x2, y2), self.at(x, y)];
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lie_where_they_are_put() {
        let bounds = |share, upwards| {
            path("HHH", 40.0, [100.0, 50.0], share, upwards)
                .unwrap()
                .bounds()
        };
        let middle = bounds([0.5, 0.5], false);
        assert!((middle.left() + middle.right() - 200.0).abs() < 0.5);
        assert!((middle.top() + middle.bottom() - 100.0).abs() < 0.5);
        assert!((middle.width() / width("HHH", 40.0) - 0.93).abs() < 0.07);
        // Hanging below the line, and standing on it.
        assert!((bounds([0.0, 0.0], false).top() - 50.0).abs() < 0.5);
        assert!((bounds([0.0, 1.0], false).bottom() - 50.0).abs() < 0.5);
        let up = bounds([0.5, 0.5], true);
        assert!((up.width() - middle.height()).abs() < 1e-3);
        assert!((up.height() - middle.width()).abs() < 1e-3);
    }

    #[test]
    fn every_sign_of_the_labels_is_in_the_typeface() {
        let face = FACE.as_ref().unwrap();
        for c in "0123456789.−×()⁰¹²³⁴⁵⁶⁷⁸⁹·°µσρεΔ√".chars() {
            assert!(face.glyph_index(c).is_some(), "{c}");
        }
        assert!(width("⁻", 10.0) > 1.0 && width("⁻", 10.0) < width("−", 10.0));
    }
}
