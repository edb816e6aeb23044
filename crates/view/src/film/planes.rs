//! Pictures as the encoder wants them: brightness for each pixel, colour for every four.

use crate::Image;
use openh264::formats::YUVSource;
use rayon::prelude::*;

/// BT.709 in studio range, 4:2:0.
pub struct Planes {
    width: usize,
    height: usize,
    luma: Vec<u8>,
    blue: Vec<u8>,
    red: Vec<u8>,
}

impl Planes {
    /// Both sizes are even.
    pub fn new(width: usize, height: usize) -> Self {
        let quarter = width / 2 * (height / 2);
        Self {
            width,
            height,
            luma: vec![16; width * height],
            blue: vec![128; quarter],
            red: vec![128; quarter],
        }
    }

    /// Takes over a picture; refuses one of another size.
    pub fn read(&mut self, image: &Image) -> bool {
        let width = self.width;
        let fits = (image.width, image.height) == (width, self.height);
        if !fits || image.rgb.len() != 3 * width * self.height {
            return false;
        }
        image
            .rgb
            .par_chunks_exact(6 * width)
            .zip(self.luma.par_chunks_exact_mut(2 * width))
            .zip(self.blue.par_chunks_exact_mut(width / 2))
            .zip(self.red.par_chunks_exact_mut(width / 2))
            .for_each(|(((rgb, luma), blue), red)| {
                for (y, p) in luma.iter_mut().zip(rgb.chunks_exact(3)) {
                    *y = brightness([p[0], p[1], p[2]].map(f32::from));
                }
                for x in 0..width / 2 {
                    let mut mean = [0.0; 3];
                    for at in [2 * x, 2 * x + 1, width + 2 * x, width + 2 * x + 1] {
                        for (m, v) in mean.iter_mut().zip(&rgb[3 * at..3 * at + 3]) {
                            *m += 0.25 * f32::from(*v);
                        }
                    }
                    [blue[x], red[x]] = chroma(mean);
                }
            });
        true
    }
}

/// Weights of red, green and blue in brightness (BT.709).
const WEIGHTS: [f32; 3] = [0.2126, 0.7152, 0.0722];

fn weighted(rgb: [f32; 3]) -> f32 {
    WEIGHTS[0] * rgb[0] + WEIGHTS[1] * rgb[1] + WEIGHTS[2] * rgb[2]
}

fn brightness(rgb: [f32; 3]) -> u8 {
    (16.5 + 219.0 / 255.0 * weighted(rgb)) as u8
}

fn chroma(rgb: [f32; 3]) -> [u8; 2] {
    let y = weighted(rgb);
    let scaled = |v: f32, weight: f32| 128.5 + 112.0 / 255.0 * (v - y) / (1.0 - weight);
    [
        scaled(rgb[2], WEIGHTS[2]) as u8,
        scaled(rgb[0], WEIGHTS[0]) as u8,
    ]
}

impl YUVSource for Planes {
    fn dimensions(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    fn strides(&self) -> (usize, usize, usize) {
        (self.width, self.width / 2, self.width / 2)
    }

    fn y(&self) -> &[u8] {
        &self.luma
    }

    fn u(&self) -> &[u8] {
        &self.blue
    }

    fn v(&self) -> &[u8] {
        &self.red
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primaries_have_their_standard_codes() {
        // Reference values of 8-bit BT.709, studio range.
        let codes = |rgb: [f32; 3]| {
            let [blue, red] = chroma(rgb);
            [brightness(rgb), blue, red]
        };
        assert_eq!(codes([0.0; 3]), [16, 128, 128]);
        assert_eq!(codes([255.0; 3]), [235, 128, 128]);
        assert_eq!(codes([255.0, 0.0, 0.0]), [63, 102, 240]);
        assert_eq!(codes([0.0, 255.0, 0.0]), [173, 42, 26]);
        assert_eq!(codes([0.0, 0.0, 255.0]), [32, 240, 118]);
    }
}
