//! Where filters look: points spread over a disk, turned differently in each pixel.

/// Turns of the pattern: one for each pixel of a 4 by 4 square, so that a blur over such a
/// square adds all turns up to a dense pattern, and no noise is left.
const TURNS: usize = 16;

/// Neighbouring pixels get turns that are far apart.
const ORDER: [usize; TURNS] = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5];

/// Points of the unit disk.
pub struct Taps {
    turns: Vec<Vec<[f32; 2]>>,
}

impl Taps {
    /// `count` points along a golden-angle spiral. With `exponent` ½ they are evenly spread;
    /// with 1 they crowd at the centre.
    pub fn spiral(count: usize, exponent: f32) -> Self {
        let golden = std::f32::consts::PI * (3.0 - 5f32.sqrt());
        let turn = |t: usize| {
            // Besides turning, a pattern grows a little, so that the rings interleave as well.
            let phase = t as f32 / TURNS as f32;
            let point = |i: usize| {
                let radius = ((i as f32 + 0.1 + 0.8 * phase) / count as f32).powf(exponent);
                let (sin, cos) = (golden * i as f32 + std::f32::consts::TAU * phase).sin_cos();
                [radius * cos, radius * sin]
            };
            (0..count).map(point).collect()
        };
        Self {
            turns: (0..TURNS).map(turn).collect(),
        }
    }

    /// The pattern of a pixel.
    pub fn at(&self, x: usize, y: usize) -> &[[f32; 2]] {
        &self.turns[ORDER[(y & 3) * 4 + (x & 3)]]
    }
}
