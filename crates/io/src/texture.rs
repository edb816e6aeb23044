//! Pictures that are read as data: one channel of a PNG, sampled at texture coordinates.
//!
//! Coordinates are those of OBJ: u to the right, v upwards, (0, 0) the lower left corner of the
//! picture and (1, 1) the upper right one. (In glTF v points down; its reader turns it.) Beyond
//! that the picture repeats, but neighbouring copies are not blended, so that what was painted at
//! one border never shows at the opposite one. Values are the stored numbers over the largest that
//! fits, without any gamma: paint 50 % grey to mean a half.

use glam::DVec2;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// Red, green, blue and opacity of every pixel, from 0 to 1, rows from the top.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Texture {
    width: usize,
    pixels: Vec<[f32; 4]>,
}

/// Why a picture cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// There is no such file, or it may not be opened.
    #[error("cannot open {}: {source}", path.display())]
    Open {
        path: PathBuf,
        source: std::io::Error,
    },
    /// It is no PNG, or a broken one.
    #[error("{} is no picture in PNG format: {source}", path.display())]
    Decode {
        path: PathBuf,
        source: png::DecodingError,
    },
    /// More pixels than a picture may have, or than its bytes can hold.
    #[error(
        "{} says that it has {width} × {height} pixels: expected as many as its {bytes} bytes \
         can hold, and at most {MAX_PIXELS}",
        path.display()
    )]
    TooLarge {
        path: PathBuf,
        width: u32,
        height: u32,
        bytes: u64,
    },
}

/// Pixels a picture may have: 8192 × 8192.
const MAX_PIXELS: u64 = 1 << 26;

/// The most that a byte can be unpacked to, as PNG packs.
const UNPACKED: u64 = 1032;

impl Texture {
    /// Reads a PNG of any kind: grey, coloured or with a palette, with or without opacity, of up to
    /// 16 bits. What has no colour is grey, what has no opacity is opaque.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let path = || path.to_owned();
        let unopened = |source| Error::Open {
            path: path(),
            source,
        };
        let broken = |source| Error::Decode {
            path: path(),
            source,
        };
        let file = File::open(path()).map_err(unopened)?;
        let bytes = file.metadata().map_err(unopened)?.len();
        let mut decoder = png::Decoder::new(BufReader::new(file));
        // Palettes become colours and 1, 2 and 4 bits become 8.
        decoder.set_transformations(png::Transformations::EXPAND);
        let reader = decoder.read_info().map_err(broken)?;
        let (width, height) = reader.info().size();
        // A row has no fewer bytes than an eighth of its pixels.
        let pixels = u64::from(width) * u64::from(height);
        if pixels > MAX_PIXELS || pixels / 8 > bytes.saturating_mul(UNPACKED) {
            return Err(Error::TooLarge {
                path: path(),
                width,
                height,
                bytes,
            });
        }
        Self::decode(reader).map_err(broken)
    }

    fn decode(mut reader: png::Reader<BufReader<File>>) -> Result<Self, png::DecodingError> {
        let size = reader.output_buffer_size();
        let size = size.ok_or(png::DecodingError::LimitsExceeded)?;
        let mut bytes = vec![0; size];
        let info = reader.next_frame(&mut bytes)?;
        let bytes = &bytes[..info.buffer_size()];
        let values: Vec<f32> = match info.bit_depth {
            png::BitDepth::Sixteen => bytes
                .chunks_exact(2)
                .map(|pair| f32::from(u16::from_be_bytes([pair[0], pair[1]])) / 65535.0)
                .collect(),
            _ => bytes.iter().map(|byte| f32::from(*byte) / 255.0).collect(),
        };
        let pixel = |of: &[f32]| match *of {
            [grey] => [grey, grey, grey, 1.0],
            [grey, alpha] => [grey, grey, grey, alpha],
            [red, green, blue] => [red, green, blue, 1.0],
            _ => [of[0], of[1], of[2], of[3]],
        };
        Ok(Self {
            width: info.width as usize,
            pixels: values
                .chunks_exact(info.color_type.samples())
                .map(pixel)
                .collect(),
        })
    }

    /// A channel at texture coordinates, blended between the middles of the nearest four pixels.
    pub fn sample(&self, uv: DVec2, channel: usize) -> f64 {
        let height = self.pixels.len() / self.width;
        // Pixels, from the upper left corner; the middle of the first is at ½.
        let across = place(uv.x.rem_euclid(1.0), uv.x, self.width);
        let down = place((1.0 - uv.y).rem_euclid(1.0), 1.0 - uv.y, height);
        let at = |x: usize, y: usize| f64::from(self.pixels[y * self.width + x][channel]);
        let row = |y: usize| {
            let (left, right, share) = across;
            at(left, y) + share * (at(right, y) - at(left, y))
        };
        let (upper, lower, share) = down;
        row(upper) + share * (row(lower) - row(upper))
    }
}

/// The two pixels around a place from 0 to 1 across `count` of them, and how far it is from the
/// first to the second. A whole number is the end of the copy that comes before it, as long as that
/// is the first one: the border of a picture belongs to it.
fn place(share: f64, whole: f64, count: usize) -> (usize, usize, f64) {
    let share = if whole == 1.0 { 1.0 } else { share };
    let last = (count - 1) as f64;
    let at = (share * count as f64 - 0.5).clamp(0.0, last);
    let first = at.floor();
    let second = (first + 1.0).min(last);
    (first as usize, second as usize, at - first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(
        color: png::ColorType,
        depth: png::BitDepth,
        size: [u32; 2],
        data: &[u8],
    ) -> Texture {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("picture.png");
        let mut encoder = png::Encoder::new(File::create(&path).unwrap(), size[0], size[1]);
        encoder.set_color(color);
        encoder.set_depth(depth);
        if color == png::ColorType::Indexed {
            encoder.set_palette(vec![255, 0, 0, 0, 51, 255]);
        }
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(data).unwrap();
        writer.finish().unwrap();
        Texture::read(&path).unwrap()
    }

    #[test]
    fn v_points_up_and_pixels_are_blended() {
        // Upper row 0 and 255, lower row 102 and 51.
        let grey = [0, 255, 102, 51];
        let picture = written(
            png::ColorType::Grayscale,
            png::BitDepth::Eight,
            [2, 2],
            &grey,
        );
        let at = |u: f64, v: f64| picture.sample(DVec2::new(u, v), 0);
        for (u, v, expected) in [
            (0.0, 1.0, 0.0),
            (1.0, 1.0, 1.0),
            (0.0, 0.0, 0.4),
            (1.0, 0.0, 0.2),
            (0.25, 0.75, 0.0),
            (0.5, 0.75, 0.5),
            (0.25, 0.5, 0.2),
            (0.5, 0.5, 0.4),
            // The same one and two copies further, without blending into them.
            (1.25, -0.25, 0.0),
            (-0.75, 2.75, 0.0),
            (1.999, 0.75, 1.0),
        ] {
            assert!((at(u, v) - expected).abs() < 1e-6, "{u} {v}: {}", at(u, v));
        }
        assert_eq!(picture.sample(DVec2::ZERO, 3), 1.0);
    }

    #[test]
    fn every_kind_of_png_is_read() {
        use png::{BitDepth, ColorType};
        let first = |picture: Texture| picture.pixels[0];
        let colours = written(ColorType::Rgba, BitDepth::Eight, [1, 1], &[255, 51, 0, 102]);
        assert_eq!(first(colours), [1.0, 0.2, 0.0, 0.4]);
        let opaque = written(ColorType::Rgb, BitDepth::Eight, [1, 1], &[0, 51, 255]);
        assert_eq!(first(opaque), [0.0, 0.2, 1.0, 1.0]);
        let deep = [0x80, 0x00, 0xff, 0xff];
        let deep = written(ColorType::GrayscaleAlpha, BitDepth::Sixteen, [1, 1], &deep);
        assert_eq!(
            first(deep),
            [32768.0 / 65535.0, 32768.0 / 65535.0, 32768.0 / 65535.0, 1.0]
        );
        let palette = written(ColorType::Indexed, BitDepth::One, [2, 1], &[0b0100_0000]);
        assert_eq!(palette.pixels, [[1.0, 0.0, 0.0, 1.0], [0.0, 0.2, 1.0, 1.0]]);
    }

    #[test]
    fn what_is_no_picture_is_said_to_be_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("note.png");
        let missing = Texture::read(&path).unwrap_err().to_string();
        assert!(
            missing.contains("cannot open") && missing.contains("note.png"),
            "{missing}"
        );
        std::fs::write(&path, "words").unwrap();
        let words = Texture::read(&path).unwrap_err().to_string();
        assert!(
            words.contains("note.png is no picture in PNG format"),
            "{words}"
        );
    }
}
