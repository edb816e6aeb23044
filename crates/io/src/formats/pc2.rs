//! PC2 point caches, as 3ds Max, Maya, Blender and Houdini read them. Little-endian.
//!
//! | bytes | is |
//! |---|---|
//! | 12 | `POINTCACHE2`, zero |
//! | 4 | version, 1 |
//! | 4 | points |
//! | 4 | number of the first frame, a float |
//! | 4 | frames from one sample to the next, a float |
//! | 4 | samples |
//! | | positions of all points, sample after sample |
//!
//! Holds positions only, and no frame rate: that is in the rest mesh.

use super::binary::{self, Binary};
use super::point_cache::{self, Layout, Reader};
use super::{Entry, Error, Format, Frame, Header, SequenceReader, SequenceWriter, Unwritable};
use crate::atomic::Pending;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

const MAGIC: [u8; 12] = *b"POINTCACHE2\0";
const HEADER: u64 = 32;
/// Where the number of samples stands.
const SAMPLES_AT: u64 = 28;

/// Writes a cache; the number of samples is filled in at the end.
pub(super) struct Writer {
    path: PathBuf,
    pending: Pending,
    header: Header,
    samples: i32,
}

impl Writer {
    pub(super) fn begin(path: &Path, header: Header) -> Result<Self, Error> {
        let points = i32::try_from(header.vertices).map_err(|_| too_many(path, "vertices"))?;
        let mut pending = Pending::create(path).map_err(Error::io(path))?;
        let mut bytes = MAGIC.to_vec();
        bytes.extend(1i32.to_le_bytes());
        bytes.extend(points.to_le_bytes());
        bytes.extend((header.first_frame as f32).to_le_bytes());
        bytes.extend(1f32.to_le_bytes());
        bytes.extend(0i32.to_le_bytes());
        { pending.writer() }
            .write_all(&bytes)
            .map_err(Error::io(path))?;
        Ok(Self {
            path: path.to_owned(),
            pending,
            header,
            samples: 0,
        })
    }
}

fn too_many(path: &Path, what: &'static str) -> Error {
    Error::unwritable(
        path,
        Unwritable::TooLarge {
            format: "PC2",
            what,
        },
    )
}

impl SequenceWriter for Writer {
    fn frame(&mut self, frame: &Frame) -> Result<(), Error> {
        self.samples = self
            .samples
            .checked_add(1)
            .ok_or_else(|| too_many(&self.path, "frames"))?;
        let bytes = binary::bytes(&frame.positions, f32::to_le_bytes);
        { self.pending.writer() }
            .write_all(&bytes)
            .map_err(Error::io(&self.path))
    }

    fn finish(mut self: Box<Self>) -> Result<Vec<Entry>, Error> {
        let rest = point_cache::write_rest(&self.path, &self.header)?;
        let writer = self.pending.writer();
        writer
            .seek(SeekFrom::Start(SAMPLES_AT))
            .and_then(|_| writer.write_all(&self.samples.to_le_bytes()))
            .map_err(Error::io(&self.path))?;
        let bytes = self.pending.commit().map_err(Error::io(&self.path))?;
        let frames = self.samples as u64;
        let cache = Entry::new(&self.path, Format::Pc2, &self.header, frames, bytes);
        Ok(vec![cache, rest])
    }
}

/// Opens a cache.
pub(super) fn open(path: &Path) -> Result<Box<dyn SequenceReader>, Error> {
    let mut file = Binary::open(path)?;
    let magic: [u8; 12] = file.array(0, "a PC2 header")?;
    if magic != MAGIC {
        return Err(file.malformed(0, "`POINTCACHE2`", "another kind of file"));
    }
    let version = i32::from_le_bytes(file.array(12, "a version")?);
    if version != 1 {
        return Err(file.malformed(12, "version 1", format!("version {version}")));
    }
    let points = count(&mut file, 16)?;
    let start = f32::from_le_bytes(file.array(20, "the first frame")?);
    let rate = f32::from_le_bytes(file.array(24, "the sample rate")?);
    let samples = count(&mut file, SAMPLES_AT)?;
    if !(start.is_finite() && rate.is_finite() && rate > 0.0) {
        let found = format!("{start} and {rate}");
        return Err(file.malformed(20, "a first frame and a positive sample rate", found));
    }
    let layout = Layout {
        format: Format::Pc2,
        vertices: points,
        frames: samples,
        data: HEADER,
        number: f32::from_le_bytes,
    };
    let mut reader = Reader::new(file, layout)?;
    let header = reader.header_mut();
    header.first_frame = start.round() as i64;
    if rate != 1.0 {
        // Samples closer than frames play faster.
        header.frame_rate_hz = Some(header.rate_hz() / f64::from(rate));
    }
    Ok(Box::new(reader))
}

fn count(file: &mut Binary, at: u64) -> Result<u64, Error> {
    let count = i32::from_le_bytes(file.array(at, "a count")?);
    u64::try_from(count).map_err(|_| file.malformed(at, "a count", count.to_string()))
}
