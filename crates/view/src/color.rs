//! Colours in linear light, and the way from there to the screen.

use glam::Vec3;

/// A colour in linear light with sRGB primaries; 1 is a perfect white reflector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Color {
    /// Red.
    pub r: f32,
    /// Green.
    pub g: f32,
    /// Blue.
    pub b: f32,
}

impl Color {
    /// A colour from its linear components.
    pub const fn linear(r: f32, g: f32, b: f32) -> Self {
        Self { r, g, b }
    }

    /// A colour as written on the web: `0xRRGGBB` in sRGB.
    pub fn srgb(hex: u32) -> Self {
        let channel = |shift: u32| decode_srgb(((hex >> shift) & 0xff) as f32 / 255.0);
        Self::linear(channel(16), channel(8), channel(0))
    }

    /// The components as a vector, with anything that is not a colour taken as black.
    pub(crate) fn vec(self) -> Vec3 {
        let v = Vec3::new(self.r, self.g, self.b);
        if v.is_finite() {
            v.max(Vec3::ZERO)
        } else {
            Vec3::ZERO
        }
    }
}

fn decode_srgb(v: f32) -> f32 {
    if v <= 0.04045 {
        v / 12.92
    } else {
        ((v + 0.055) / 1.055).powf(2.4)
    }
}

fn encode_srgb(v: f32) -> f32 {
    if v <= 0.003_130_8 {
        12.92 * v
    } else {
        1.055 * v.powf(1.0 / 2.4) - 0.055
    }
}

/// Film-like tone curve: a soft toe, a straight middle that keeps a colour close to what was
/// asked for, and a shoulder that rolls highlights off instead of clipping them.
#[inline]
pub(crate) fn tone_map(light: Vec3) -> Vec3 {
    let curve = |x: f32| {
        let x = x.max(0.0);
        let toe = x * (x + 0.035) / (x + 0.05);
        let over = toe - KNEE;
        if over < 0.0 {
            toe
        } else {
            KNEE + over / (1.0 + over / (1.0 - KNEE))
        }
    };
    Vec3::new(curve(light.x), curve(light.y), curve(light.z))
}

/// Where the roll-off begins.
const KNEE: f32 = 0.5;

/// Few enough steps to stay in the nearest cache; interpolation does the rest.
const TABLE: usize = 1024;

/// Table of the sRGB transfer curve, in 8-bit steps not yet rounded.
pub(crate) struct Encoder {
    table: Vec<f32>,
}

impl Encoder {
    pub fn new() -> Self {
        let level = |i: usize| 255.0 * encode_srgb(i as f32 / TABLE as f32);
        let table = (0..=TABLE + 1).map(level).collect();
        Self { table }
    }

    /// 8-bit sRGB of linear `light`; `dither` in [0, 1) decides which way fractions round.
    #[inline]
    pub fn encode(&self, light: Vec3, dither: f32) -> [u8; 3] {
        let channel = |v: f32| {
            let at = v.clamp(0.0, 1.0) * TABLE as f32;
            let i = at as i32 as usize;
            let level = self.table[i] + (self.table[i + 1] - self.table[i]) * (at - i as f32);
            (level + dither).min(255.0) as i32 as u8
        };
        [channel(light.x), channel(light.y), channel(light.z)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn srgb_survives_the_round_trip() {
        let encoder = Encoder::new();
        for level in 0..=255u32 {
            let color = Color::srgb(level << 16 | level << 8 | level);
            assert_eq!(encoder.encode(color.vec(), 0.5), [level as u8; 3]);
        }
    }

    #[test]
    fn tone_curve_rises_and_never_clips() {
        let mut last = -1.0;
        for i in 0..2000 {
            let y = tone_map(Vec3::splat(i as f32 * 0.01)).x;
            assert!(y > last && y < 1.0, "at {i}: {y} after {last}");
            last = y;
        }
    }
}
