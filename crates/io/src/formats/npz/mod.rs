//! NPZ for NumPy: `numpy.load("cloth.npz")` gives these arrays.
//!
//! | name | shape and type | is |
//! |---|---|---|
//! | `positions` | frames, vertices, 3; f4 | positions |
//! | `velocities`, `normals`, `colors` | the same | where there are any; units per second |
//! | `times_s` | frames; f8 | time of each frame |
//! | `faces` | faces, corners; i4 | indices of vertices, −1 behind the last of a smaller face |
//! | `uv` | vertices, 2; f4 | texture coordinates, where there are any |
//! | `rest` | vertices, 3; f4 | rest positions |
//! | `names` | parts; text | names of the parts |
//! | `part_ends` | parts, 2; i8 | where vertices and faces of each part end |
//! | `frame_rate_hz`, `metres_per_unit` | f8 | |
//! | `first_frame` | i8 | |
//! | `up_axis` | text | `Y` or `Z` |
//!
//! The archive is stored, not compressed, so a frame is read where it stands.

mod read;

pub(super) use read::open;

use super::binary;
use super::staging::{List, Staging};
use super::{Entry, Error, Format, Frame, Header, SequenceWriter};
use crate::atomic::Pending;
use crate::npy;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// Writes an archive. All frames of one list stand together, so frames are staged.
pub(super) struct Writer {
    path: PathBuf,
    header: Header,
    staging: Staging,
}

impl Writer {
    pub(super) fn begin(path: &Path, header: Header) -> Result<Self, Error> {
        Ok(Self {
            path: path.to_owned(),
            staging: Staging::create(path, header.vertices, header.channels)?,
            header,
        })
    }

    fn fill(&mut self, mut archive: Archive<'_>) -> Result<(), Error> {
        let channels = self.header.channels;
        for (name, list, there) in [
            ("positions", List::Positions, true),
            ("velocities", List::Velocities, channels.velocities),
            ("normals", List::Normals, channels.normals),
            ("colors", List::Colours, channels.colours),
        ] {
            if there {
                self.put_list(&mut archive, name, list)?;
            }
        }
        put_header(&mut archive, &self.header, self.staging.frames())
            .and_then(|()| archive.zip.finish().map(drop).map_err(io::Error::from))
            .map_err(Error::io(&self.path))
    }

    /// All frames of one list.
    fn put_list(&mut self, archive: &mut Archive<'_>, name: &str, list: List) -> Result<(), Error> {
        let (frames, vertices) = (self.staging.frames(), self.header.vertices);
        let io = |error| Error::io(&self.path)(error);
        archive
            .begin(name, "<f4", &[frames as usize, vertices, 3])
            .map_err(io)?;
        for k in 0..frames {
            let vectors = self.staging.read(k, list, &(0..vertices))?;
            let bytes = binary::bytes(&vectors, f32::to_le_bytes);
            archive.zip.write_all(&bytes).map_err(io)?;
        }
        Ok(())
    }
}

impl SequenceWriter for Writer {
    fn frame(&mut self, frame: &Frame) -> Result<(), Error> {
        self.staging.push(frame)
    }

    fn finish(mut self: Box<Self>) -> Result<Vec<Entry>, Error> {
        let path = self.path.clone();
        let mut pending = Pending::create(&path).map_err(Error::io(&path))?;
        self.fill(Archive {
            zip: ZipWriter::new(pending.writer()),
        })?;
        let bytes = pending.commit().map_err(Error::io(&path))?;
        let frames = self.staging.frames();
        let entry = Entry::new(&path, Format::Npz, &self.header, frames, bytes);
        Ok(vec![entry])
    }
}

/// A zip file of arrays.
struct Archive<'a> {
    zip: ZipWriter<&'a mut BufWriter<File>>,
}

impl Archive<'_> {
    /// Begins an array; its numbers follow.
    fn begin(&mut self, name: &str, kind: &str, shape: &[usize]) -> io::Result<()> {
        // Sizes are written in 64 bits: they are not known when an entry begins.
        let stored = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .large_file(true);
        self.zip.start_file(format!("{name}.npy"), stored)?;
        self.zip.write_all(&npy::header(kind, shape))
    }

    fn put<const N: usize>(
        &mut self,
        name: &str,
        kind: &str,
        shape: &[usize],
        numbers: impl IntoIterator<Item = [u8; N]>,
    ) -> io::Result<()> {
        self.begin(name, kind, shape)?;
        let bytes: Vec<u8> = numbers.into_iter().flatten().collect();
        self.zip.write_all(&bytes)
    }

    /// Texts of fixed width, four bytes a letter.
    fn put_texts(&mut self, name: &str, shape: &[usize], texts: &[&str]) -> io::Result<()> {
        let width = texts.iter().map(|text| text.chars().count()).max();
        let width = width.unwrap_or(0).max(1);
        let letters = texts.iter().flat_map(|text| {
            let letters = text.chars().map(u32::from);
            letters.chain(std::iter::repeat(0)).take(width)
        });
        self.put(
            name,
            &format!("<U{width}"),
            shape,
            letters.map(u32::to_le_bytes),
        )
    }
}

fn put_header(archive: &mut Archive<'_>, header: &Header, frames: u64) -> io::Result<()> {
    let times = (0..frames).map(|k| header.time_s(k).to_le_bytes());
    archive.put("times_s", "<f8", &[frames as usize], times)?;
    let width = header.faces.widest().max(3);
    let corners = header.faces.iter().flat_map(|face| {
        let corners = face.iter().map(|corner| *corner as i32);
        corners.chain(std::iter::repeat(-1)).take(width)
    });
    let shape = [header.faces.len(), width];
    archive.put("faces", "<i4", &shape, corners.map(i32::to_le_bytes))?;
    if !header.uvs.is_empty() {
        let numbers = header.uvs.iter().flat_map(|uv| uv.to_array());
        archive.put(
            "uv",
            "<f4",
            &[header.vertices, 2],
            numbers.map(f32::to_le_bytes),
        )?;
    }
    let rest = header.rest.iter().flat_map(|p| p.to_array());
    archive.put(
        "rest",
        "<f4",
        &[header.rest.len(), 3],
        rest.map(f32::to_le_bytes),
    )?;
    let names: Vec<&str> = header.parts.iter().map(|part| part.name.as_str()).collect();
    archive.put_texts("names", &[names.len()], &names)?;
    let ends = header
        .parts
        .iter()
        .flat_map(|part| [part.vertices.end, part.faces.end]);
    let ends = ends.map(|end| (end as i64).to_le_bytes());
    archive.put("part_ends", "<i8", &[names.len(), 2], ends)?;
    for (name, number) in [
        ("frame_rate_hz", header.frame_rate_hz),
        ("metres_per_unit", header.metres_per_unit),
    ] {
        archive.put(name, "<f8", &[], number.map(f64::to_le_bytes))?;
    }
    archive.put(
        "first_frame",
        "<i8",
        &[],
        [header.first_frame.to_le_bytes()],
    )?;
    let up = format!("{:?}", header.up.unwrap_or_default());
    archive.put_texts("up_axis", &[], &[&up])
}
