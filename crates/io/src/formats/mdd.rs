//! MDD point caches, as LightWave, Modo and Blender read them. Big-endian.
//!
//! | bytes | is |
//! |---|---|
//! | 4 | frames |
//! | 4 | points |
//! | 4 a frame | times, s, floats |
//! | | positions of all points, frame after frame |
//!
//! Holds positions only. All times stand before all positions, so frames are staged.

use super::binary::{self, Binary};
use super::point_cache::{self, Layout, Reader};
use super::staging::{List, Staging};
use super::{Channels, Entry, Error, Format, Frame, Header};
use super::{SequenceReader, SequenceWriter, Unwritable, mesh};
use crate::atomic::Pending;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Bytes before the times.
const COUNTS: u64 = 8;

/// Writes a cache.
pub(super) struct Writer {
    path: PathBuf,
    header: Header,
    staging: Staging,
}

impl Writer {
    pub(super) fn begin(path: &Path, header: Header) -> Result<Self, Error> {
        Ok(Self {
            path: path.to_owned(),
            staging: Staging::create(path, header.vertices, Channels::default())?,
            header,
        })
    }
}

impl SequenceWriter for Writer {
    fn frame(&mut self, frame: &Frame) -> Result<(), Error> {
        self.staging.push(frame)
    }

    fn finish(mut self: Box<Self>) -> Result<Vec<Entry>, Error> {
        let (path, frames, points) = (&self.path, self.staging.frames(), self.header.vertices);
        let whole = |count: u64, what| {
            i32::try_from(count).map_err(|_| {
                Error::unwritable(
                    path,
                    Unwritable::TooLarge {
                        format: "MDD",
                        what,
                    },
                )
            })
        };
        let counts = [whole(frames, "frames")?, whole(points as u64, "vertices")?];
        let rest = point_cache::write_rest(path, &self.header)?;
        let mut pending = Pending::create(path).map_err(Error::io(path))?;
        let mut put = |bytes: &[u8]| pending.writer().write_all(bytes).map_err(Error::io(path));
        put(&counts.map(i32::to_be_bytes).concat())?;
        for k in 0..frames {
            put(&(self.header.time_s(k) as f32).to_be_bytes())?;
        }
        for k in 0..frames {
            let positions = self.staging.read(k, List::Positions, &(0..points))?;
            put(&binary::bytes(&positions, f32::to_be_bytes))?;
        }
        let bytes = pending.commit().map_err(Error::io(path))?;
        let cache = Entry::new(path, Format::Mdd, &self.header, frames, bytes);
        Ok(vec![cache, rest])
    }
}

/// Opens a cache.
pub(super) fn open(path: &Path) -> Result<Box<dyn SequenceReader>, Error> {
    let mut file = Binary::open(path)?;
    let mut count = |at| {
        let count = i32::from_be_bytes(file.array(at, "an MDD header")?);
        u64::try_from(count).map_err(|_| file.malformed(at, "a count", count.to_string()))
    };
    let (frames, points) = (count(0)?, count(4)?);
    let times = file.read(COUNTS, 4 * frames, &format!("times of {frames} frames"))?;
    let (times, _) = times.as_chunks();
    let times: Vec<f32> = times.iter().copied().map(f32::from_be_bytes).collect();
    let disorder = |pair: &[f32]| !(pair[0] <= pair[1] && pair[1].is_finite());
    if let Some(k) = times.windows(2).position(disorder) {
        let found = format!("{} after {}", times[k + 1], times[k]);
        return Err(file.malformed(COUNTS + 4 * (k as u64 + 1), "times in order", found));
    }
    let layout = Layout {
        format: Format::Mdd,
        vertices: points,
        frames,
        data: COUNTS + 4 * frames,
        number: f32::from_be_bytes,
    };
    let mut reader = Reader::new(file, layout)?;
    let header = reader.header_mut();
    if let (Some(first), Some(last)) = (times.first(), times.last()) {
        let timed = mesh::rate_hz(frames - 1, f64::from(*last) - f64::from(*first));
        header.frame_rate_hz = header.frame_rate_hz.or(timed);
        header.first_frame = (f64::from(*first) * header.rate_hz()).round() as i64;
    }
    Ok(Box::new(reader))
}
