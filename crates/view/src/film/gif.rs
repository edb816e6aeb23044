//! Animated GIF, for places that show no films.
//!
//! A picture has at most 256 colours, chosen for each picture by itself, and lasts a whole number
//! of hundredths of a second, of which players honour no fewer than two. Pictures that come
//! faster than that are left out, so that time passes as fast as it should.

use crate::Image;
use crate::image::part_path;
use gif::{Encoder, EncodingError, Frame, Repeat};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Hundredths of a second that a picture lasts at least.
const SHORTEST_CS: u64 = 2;

/// How coarsely pixels are looked at when colours are chosen: 1 is all, 30 is fewest.
const QUANTISER_SPEED: i32 = 8;

/// Why a GIF could not be made.
#[derive(Debug, Error)]
pub enum GifError {
    /// Sides are stored in 16 bits.
    #[error("a GIF cannot be {width}×{height}: sides are from 1 to 65535")]
    Size {
        /// Pixels in a row.
        width: usize,
        /// Rows.
        height: usize,
    },
    /// The frame rate is not between 1 and 1000.
    #[error("a GIF cannot have {fps} frames a second: from 1 to 1000 is possible")]
    Rate {
        /// What was asked for.
        fps: f64,
    },
    /// A frame has another size than the GIF.
    #[error("frame {frame} is {width}×{height}, unlike the GIF")]
    Frame {
        /// Which frame, counted from 0.
        frame: u64,
        /// Its pixels in a row.
        width: usize,
        /// Its rows.
        height: usize,
    },
    /// No frame was ever pushed, so there is nothing to write.
    #[error("a GIF without frames cannot be written")]
    Empty,
    /// The encoder failed.
    #[error("cannot write the GIF")]
    Encode(#[from] EncodingError),
    /// The file could not be written.
    #[error("cannot write {path}")]
    Write {
        /// The file asked for.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// A GIF being made; it takes its name when it is finished, and leaves nothing behind if it is
/// not.
pub struct Gif {
    path: PathBuf,
    part: PathBuf,
    size: [u16; 2],
    fps: f64,
    /// Pictures pushed.
    frames: u64,
    /// The picture that is shown now, and when it came, cs. How long it lasts is known only when
    /// the next one comes.
    waiting: Option<(Frame<'static>, u64)>,
    encoder: Option<Encoder<BufWriter<File>>>,
}

impl Gif {
    /// Begins a GIF of `width` by `height` pixels at `path`, which repeats for ever.
    pub fn create(
        path: impl AsRef<Path>,
        width: usize,
        height: usize,
        fps: f64,
    ) -> Result<Self, GifError> {
        let side = |n: usize| u16::try_from(n).ok().filter(|n| *n > 0);
        let (Some(w), Some(h)) = (side(width), side(height)) else {
            return Err(GifError::Size { width, height });
        };
        if !(1.0..=1000.0).contains(&fps) {
            return Err(GifError::Rate { fps });
        }
        let path = path.as_ref().to_owned();
        let part = part_path(&path);
        let file = File::create(&part).map_err(|source| GifError::Write {
            path: path.clone(),
            source,
        })?;
        let mut encoder = Encoder::new(BufWriter::new(file), w, h, &[])?;
        encoder.set_repeat(Repeat::Infinite)?;
        Ok(Self {
            path,
            part,
            size: [w, h],
            fps,
            frames: 0,
            waiting: None,
            encoder: Some(encoder),
        })
    }

    /// Adds a frame.
    pub fn push(&mut self, image: &Image) -> Result<(), GifError> {
        let [width, height] = self.size.map(usize::from);
        if (image.width, image.height) != (width, height) || image.rgb.len() != 3 * width * height {
            return Err(GifError::Frame {
                frame: self.frames,
                width: image.width,
                height: image.height,
            });
        }
        let now = self.time_cs(self.frames);
        self.frames += 1;
        let shown = self.waiting.as_ref().map(|(_, since)| now - since);
        if shown.is_none_or(|shown| shown >= SHORTEST_CS) {
            self.show(now)?;
            let [w, h] = self.size;
            let frame = Frame::from_rgb_speed(w, h, &image.rgb, QUANTISER_SPEED);
            self.waiting = Some((frame, now));
        }
        Ok(())
    }

    /// Writes the GIF and returns how many pictures were pushed.
    pub fn finish(mut self) -> Result<u64, GifError> {
        if self.frames == 0 {
            return Err(GifError::Empty);
        }
        self.show(self.time_cs(self.frames))?;
        let failed = |source| GifError::Write {
            path: self.path.clone(),
            source,
        };
        if let Some(encoder) = self.encoder.take() {
            encoder.into_inner()?.flush().map_err(failed)?;
        }
        fs::rename(&self.part, &self.path).map_err(failed)?;
        Ok(self.frames)
    }

    /// Writes the waiting picture, which lasts until `now`.
    fn show(&mut self, now: u64) -> Result<(), GifError> {
        if let (Some((mut frame, since)), Some(encoder)) = (self.waiting.take(), &mut self.encoder)
        {
            frame.delay = (now - since).max(SHORTEST_CS).min(u64::from(u16::MAX)) as u16;
            encoder.write_frame(&frame)?;
        }
        Ok(())
    }

    fn time_cs(&self, frame: u64) -> u64 {
        (100.0 * frame as f64 / self.fps).round() as u64
    }
}

impl Drop for Gif {
    fn drop(&mut self) {
        // A finished GIF has its own name by now; what is left of another is of no use.
        self.encoder = None;
        let _ = fs::remove_file(&self.part);
    }
}
