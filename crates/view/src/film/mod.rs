//! Films: H.264 in MP4, which every player and browser understands; and GIF.

mod gif;
mod planes;

pub use gif::{Gif, GifError};

use crate::Image;
use crate::image::part_path;
use muxide::api::{Muxer, MuxerBuilder, MuxerError, VideoCodec};
use openh264::OpenH264API;
use openh264::encoder::{
    BitRate, Complexity, Encoder, EncoderConfig, FrameRate, FrameType, IntraFramePeriod, QpRange,
    RateControlMode, UsageType, VuiConfig,
};
use planes::Planes;
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Quantiser range: fine enough that no block is seen, even in slow gradients.
const QUANTISER: QpRange = QpRange::new(12, 16);

/// A player can jump to any whole multiple of this.
const SEEK_S: f64 = 1.0;

/// Bits the encoder may spend on a pixel of a frame; a ceiling that quiet frames stay far below.
const BITS_PER_PIXEL: f64 = 0.5;

/// Why a film could not be made.
#[derive(Debug, Error)]
pub enum FilmError {
    /// H.264 wants even sizes from 16 to 3840 by 2160 pixels.
    #[error("a film cannot be {width}×{height}: sizes are even, at least 16 and at most 3840×2160")]
    Size {
        /// Pixels in a row.
        width: usize,
        /// Rows.
        height: usize,
    },
    /// The frame rate is not between 1 and 1000.
    #[error("a film cannot have {fps} frames a second: from 1 to 1000 is possible")]
    Rate {
        /// What was asked for.
        fps: f64,
    },
    /// A frame has another size than the film.
    #[error("frame {frame} is {width}×{height}, unlike the film")]
    Frame {
        /// Which frame, counted from 0.
        frame: u64,
        /// Its pixels in a row.
        width: usize,
        /// Its rows.
        height: usize,
    },
    /// No frame was ever pushed, so there is nothing to write.
    #[error("a film without frames cannot be written")]
    Empty,
    /// The encoder failed.
    #[error("the video encoder failed")]
    Encode(#[from] openh264::Error),
    /// The container could not be written.
    #[error("cannot write the film")]
    Mux(#[from] MuxerError),
    /// The file could not be written.
    #[error("cannot write {path}")]
    Write {
        /// The file asked for.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// A film being made. It takes its name when it is finished; a film that is dropped before is
/// finished with the frames it has.
pub struct Film {
    path: PathBuf,
    part: PathBuf,
    fps: f64,
    frames: u64,
    planes: Planes,
    encoder: Encoder,
    packet: Vec<u8>,
    /// Gone once the film is finished.
    muxer: Option<Muxer<BufWriter<File>>>,
}

impl Film {
    /// Begins a film of `width` by `height` pixels at `path`.
    pub fn create(
        path: impl AsRef<Path>,
        width: usize,
        height: usize,
        fps: f64,
    ) -> Result<Self, FilmError> {
        let (long, short) = (width.max(height), width.min(height));
        if width % 2 == 1 || height % 2 == 1 || short < 16 || long > 3840 || short > 2160 {
            return Err(FilmError::Size { width, height });
        }
        if !(1.0..=1000.0).contains(&fps) {
            return Err(FilmError::Rate { fps });
        }
        let path = path.as_ref().to_owned();
        let part = part_path(&path);
        let file = File::create(&part).map_err(|source| FilmError::Write {
            path: path.clone(),
            source,
        })?;
        let muxer = MuxerBuilder::new(BufWriter::new(file))
            .video(VideoCodec::H264, width as u32, height as u32, fps)
            .with_fast_start(true)
            .build()?;
        let config = encoder_config(width, height, fps);
        Ok(Self {
            path,
            part,
            fps,
            frames: 0,
            planes: Planes::new(width, height),
            encoder: Encoder::with_api_config(OpenH264API::from_source(), config)?,
            packet: Vec::new(),
            muxer: Some(muxer),
        })
    }

    /// Frames so far.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Adds a frame.
    pub fn push(&mut self, image: &Image) -> Result<(), FilmError> {
        if !self.planes.read(image) {
            return Err(FilmError::Frame {
                frame: self.frames,
                width: image.width,
                height: image.height,
            });
        }
        let Some(muxer) = &mut self.muxer else {
            return Err(FilmError::Empty);
        };
        let encoded = self.encoder.encode(&self.planes)?;
        let key = matches!(encoded.frame_type(), FrameType::IDR | FrameType::I);
        self.packet.clear();
        encoded.write_vec(&mut self.packet);
        muxer.write_video(self.frames as f64 / self.fps, &self.packet, key)?;
        self.frames += 1;
        Ok(())
    }

    /// Writes the film and returns how many frames it has.
    pub fn finish(mut self) -> Result<u64, FilmError> {
        self.close()?;
        Ok(self.frames)
    }

    fn close(&mut self) -> Result<(), FilmError> {
        let Some(mut muxer) = self.muxer.take() else {
            return Ok(());
        };
        let written = if self.frames == 0 {
            Err(FilmError::Empty)
        } else {
            muxer
                .finish_in_place()
                .map_err(FilmError::from)
                .and_then(|()| self.settle(muxer))
        };
        if written.is_err() {
            // What is left of a failed film is of no use to anyone.
            let _ = fs::remove_file(&self.part);
        }
        written
    }

    /// Flushes the file and gives it its name.
    fn settle(&self, muxer: Muxer<BufWriter<File>>) -> Result<(), FilmError> {
        let file = muxer.into_writer().into_inner();
        file.map_err(io::IntoInnerError::into_error)
            .and_then(|file| file.sync_all())
            .and_then(|()| fs::rename(&self.part, &self.path))
            .map_err(|source| FilmError::Write {
                path: self.path.clone(),
                source,
            })
    }
}

impl Drop for Film {
    fn drop(&mut self) {
        // Nobody is left to tell of an error; `finish` is there for those who want to know.
        let _ = self.close();
    }
}

fn encoder_config(width: usize, height: usize, fps: f64) -> EncoderConfig {
    let pixels_per_s = (width * height) as f64 * fps;
    let ceiling = (BITS_PER_PIXEL * pixels_per_s).clamp(1e6, 2e8);
    EncoderConfig::new()
        .usage_type(UsageType::CameraVideoRealTime)
        // With no receiver to report back, this mode holds the coarsest quantiser allowed.
        .rate_control_mode(RateControlMode::Bufferbased)
        .bitrate(BitRate::from_bps(ceiling as u32))
        .max_frame_rate(FrameRate::from_hz(fps as f32))
        .qp(QUANTISER)
        // The quantiser alone decides quality; a longer search would only save a few bytes.
        .complexity(Complexity::Low)
        .intra_frame_period(IntraFramePeriod::from_num_frames(
            (SEEK_S * fps).ceil() as u32
        ))
        // Every frame pushed is a frame of the film.
        .skip_frames(false)
        .scene_change_detect(false)
        .background_detection(false)
        .adaptive_quantization(false)
        .vui(VuiConfig::bt709())
}
