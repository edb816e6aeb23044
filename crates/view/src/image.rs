//! Finished pictures.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A picture of 8-bit sRGB pixels, rows from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Red, green and blue of each pixel.
    pub rgb: Vec<u8>,
}

/// Why a picture could not be written or read.
#[derive(Debug, Error)]
pub enum ImageError {
    /// The file could not be read.
    #[error("cannot read {path}")]
    Read {
        /// The file asked for.
        path: PathBuf,
        /// What the system said, or what is wrong with the file.
        source: io::Error,
    },
    /// The file could not be written.
    #[error("cannot write {path}")]
    Write {
        /// The file asked for.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The picture has no pixels, or not as many as its size says.
    #[error("a picture of {width}×{height} cannot have {bytes} bytes")]
    Size {
        /// Pixels in a row.
        width: usize,
        /// Rows.
        height: usize,
        /// Bytes it holds.
        bytes: usize,
    },
}

impl Image {
    /// The colour of one pixel, if it exists.
    pub fn pixel(&self, x: usize, y: usize) -> Option<[u8; 3]> {
        if x >= self.width {
            return None;
        }
        let at = 3 * (y * self.width + x);
        self.rgb.get(at..at + 3)?.try_into().ok()
    }

    /// A picture of one colour.
    pub fn filled(width: usize, height: usize, color: [u8; 3]) -> Self {
        Self {
            width,
            height,
            rgb: color.repeat(width * height),
        }
    }

    /// Copies `other` so that its upper left corner lies at (`left`, `top`); what does not fit is
    /// cut off.
    pub fn paste(&mut self, other: &Self, left: usize, top: usize) {
        let columns = other.width.min(self.width.saturating_sub(left));
        let rows = other.height.min(self.height.saturating_sub(top));
        if columns == 0 {
            return;
        }
        for row in 0..rows {
            let to = 3 * ((top + row) * self.width + left);
            let from = 3 * row * other.width;
            self.rgb[to..to + 3 * columns].copy_from_slice(&other.rgb[from..from + 3 * columns]);
        }
    }

    /// Reads a PNG of 8-bit red, green and blue, such as [`Image::write_png`] leaves.
    pub fn read_png(path: impl AsRef<Path>) -> Result<Self, ImageError> {
        let path = path.as_ref();
        let failed = |source: io::Error| ImageError::Read {
            path: path.to_owned(),
            source,
        };
        let file = File::open(path).map_err(failed)?;
        let decode = || -> Result<Self, png::DecodingError> {
            let mut reader = png::Decoder::new(io::BufReader::new(file)).read_info()?;
            let mut rgb = vec![0; reader.output_buffer_size().unwrap_or(0)];
            let info = reader.next_frame(&mut rgb)?;
            let kind = (info.color_type, info.bit_depth);
            if kind != (png::ColorType::Rgb, png::BitDepth::Eight) {
                return Err(io::Error::other("expected 8-bit red, green and blue").into());
            }
            Ok(Self {
                width: info.width as usize,
                height: info.height as usize,
                rgb,
            })
        };
        decode().map_err(|error| failed(io::Error::other(error)))
    }

    /// Writes a PNG. The file appears whole or not at all.
    pub fn write_png(&self, path: impl AsRef<Path>) -> Result<(), ImageError> {
        let path = path.as_ref();
        if self.rgb.is_empty() || self.rgb.len() != 3 * self.width * self.height {
            return Err(ImageError::Size {
                width: self.width,
                height: self.height,
                bytes: self.rgb.len(),
            });
        }
        let part = part_path(path);
        self.encode_png(&part)
            .and_then(|()| fs::rename(&part, path))
            .map_err(|source| {
                // What is left of a failed write is of no use to anyone.
                let _ = fs::remove_file(&part);
                ImageError::Write {
                    path: path.to_owned(),
                    source,
                }
            })
    }

    fn encode_png(&self, path: &Path) -> io::Result<()> {
        let mut file = BufWriter::new(File::create(path)?);
        let size = |n: usize| u32::try_from(n).map_err(io::Error::other);
        let mut encoder = png::Encoder::new(&mut file, size(self.width)?, size(self.height)?);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.rgb)?;
        writer.finish()?;
        file.flush()
    }
}

/// Where a file is written before it takes its final name; in the same folder, so that the
/// renaming is atomic.
pub(crate) fn part_path(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    path.with_file_name(name)
}
