//! Reads NPZ archives: those Toile writes, and any with an array `positions` of frames, vertices
//! and 3. The archive must be stored, as `numpy.savez` does, so that frames can be read where they
//! stand.

use crate::formats::binary::Binary;
use crate::formats::mesh::{self, plain_name};
use crate::formats::{Error, Format, Frame, Header, Part, Place, SequenceReader, UpAxis};
use crate::npy;
use glam::{DVec3, Vec2, Vec3};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use zip::{CompressionMethod, ZipArchive};

/// An array and where its numbers are.
#[derive(Clone, Debug)]
struct Array {
    name: &'static str,
    kind: String,
    shape: Vec<u64>,
    /// Where its numbers begin.
    at: u64,
}

/// Arrays that are read.
const NAMES: [&str; 13] = [
    "positions",
    "velocities",
    "normals",
    "colors",
    "times_s",
    "faces",
    "uv",
    "rest",
    "names",
    "part_ends",
    "frame_rate_hz",
    "metres_per_unit",
    "first_frame",
];

/// Reads an archive.
pub(super) struct Reader {
    file: Binary,
    arrays: BTreeMap<&'static str, Array>,
    header: Header,
    frames: u64,
}

/// Opens an archive.
pub(crate) fn open(path: &Path) -> Result<Box<dyn SequenceReader>, Error> {
    let mut file = Binary::open(path)?;
    let mut arrays = catalogue(path, &mut file)?;
    let Some(positions) = arrays.get_mut("positions") else {
        let place = Place::Field("positions.npy".to_owned());
        return Err(Error::malformed(path, place, "an array", "none"));
    };
    // A single frame may stand alone.
    if positions.shape.len() == 2 {
        positions.shape.insert(0, 1);
    }
    let positions = positions.clone();
    let [frames, vertices, 3] = positions.shape[..] else {
        let expected = "a shape of frames, vertices and 3";
        return Err(positions.wrong(path, expected, format!("{:?}", positions.shape)));
    };
    if frames == 0 {
        return Err(positions.wrong(path, "at least one frame", "none"));
    }
    let mut reader = Reader {
        file,
        arrays,
        header: Header {
            vertices: vertices as usize,
            ..Header::default()
        },
        frames,
    };
    let channels = &mut reader.header.channels;
    for (name, there) in [
        ("positions", &mut false),
        ("velocities", &mut channels.velocities),
        ("normals", &mut channels.normals),
        ("colors", &mut channels.colours),
    ] {
        let Some(list) = reader.arrays.get(name) else {
            continue;
        };
        if list.shape != positions.shape && name != "positions" {
            let expected = format!("the shape of `positions`, {:?}", positions.shape);
            return Err(list.wrong(path, expected, format!("{:?}", list.shape)));
        }
        list.require(&reader.file)?;
        *there = true;
    }
    reader.read_header()?;
    Ok(Box::new(reader))
}

/// Finds the arrays in the archive.
fn catalogue(path: &Path, file: &mut Binary) -> Result<BTreeMap<&'static str, Array>, Error> {
    let no_archive = |error: zip::result::ZipError| {
        Error::malformed(path, Place::Byte(0), "an NPZ archive", error.to_string())
    };
    let archive = File::open(path).map_err(Error::io(path))?;
    let mut archive = ZipArchive::new(BufReader::new(archive)).map_err(no_archive)?;
    let mut arrays = BTreeMap::new();
    for name in NAMES.into_iter().chain(["up_axis"]) {
        let entry = format!("{name}.npy");
        let Some(index) = archive.index_for_name(&entry) else {
            continue;
        };
        let member = archive.by_index_raw(index).map_err(no_archive)?;
        let place = || Place::Field(entry.clone());
        if member.compression() != CompressionMethod::Stored || member.encrypted() {
            let expected = "a stored array, as numpy.savez writes it";
            return Err(Error::malformed(
                path,
                place(),
                expected,
                "a compressed one",
            ));
        }
        let (size, start) = (member.size(), member.data_start().unwrap_or(0));
        drop(member);
        file.require(start, Some(size), &entry)?;
        let head = file.read(start, size.min(npy::MAX_HEADER), &entry)?;
        let array = npy::parse(&head)
            .map_err(|expected| Error::malformed(path, place(), expected, "something else"))?;
        let array = Array {
            name,
            kind: array.kind,
            shape: array.shape,
            at: start + array.data,
        };
        // The member's size and the array's shape are two accounts of the same thing.
        let bytes = array.bytes().and_then(|bytes| bytes.checked_add(array.at));
        if bytes != start.checked_add(size) {
            let found = format!("{:?} of {}", array.shape, array.kind);
            let expected = format!("an array that fills {size} bytes");
            return Err(array.wrong(path, expected, found));
        }
        arrays.insert(name, array);
    }
    Ok(arrays)
}

impl Array {
    fn wrong(&self, path: &Path, expected: impl Into<String>, found: impl Into<String>) -> Error {
        let place = Place::Field(format!("{}.npy", self.name));
        Error::malformed(path, place, expected, found)
    }

    /// Bytes of one value.
    fn width(&self) -> Option<u64> {
        let digits = self.kind.get(2..)?;
        let count: u64 = digits.parse().ok()?;
        match self.kind.get(..2)? {
            "<U" => count.checked_mul(4),
            "<f" | "<i" | "<u" | "|i" | "|u" => Some(count).filter(|n| [1, 2, 4, 8].contains(n)),
            _ => None,
        }
    }

    fn count(&self) -> Option<u64> {
        self.shape
            .iter()
            .try_fold(1u64, |n, length| n.checked_mul(*length))
    }

    fn bytes(&self) -> Option<u64> {
        self.count()?.checked_mul(self.width()?)
    }

    fn require(&self, file: &Binary) -> Result<(), Error> {
        file.require(self.at, self.bytes(), self.name)
    }

    /// `count` values from the value `first` on.
    fn numbers(&self, file: &mut Binary, first: u64, count: u64) -> Result<Vec<f64>, Error> {
        self.require(file)?;
        let width = self.width().unwrap_or(1);
        let bytes = file.read(self.at + first * width, count * width, self.name)?;
        let number: fn(&[u8]) -> f64 = match self.kind.as_str() {
            "<f4" => |b| f64::from(f32::from_le_bytes(fixed(b))),
            "<f8" => |b| f64::from_le_bytes(fixed(b)),
            "<i4" => |b| f64::from(i32::from_le_bytes(fixed(b))),
            "<i8" => |b| i64::from_le_bytes(fixed(b)) as f64,
            "<u4" => |b| f64::from(u32::from_le_bytes(fixed(b))),
            "<u8" => |b| u64::from_le_bytes(fixed(b)) as f64,
            _ => {
                let expected = "numbers of type f4, f8, i4, i8, u4 or u8";
                return Err(self.wrong(file.path(), expected, self.kind.as_str()));
            }
        };
        Ok(bytes.chunks_exact(width as usize).map(number).collect())
    }

    fn all(&self, file: &mut Binary) -> Result<Vec<f64>, Error> {
        self.numbers(file, 0, self.count().unwrap_or(0))
    }

    fn texts(&self, file: &mut Binary) -> Result<Vec<String>, Error> {
        if !self.kind.starts_with("<U") || self.width() == Some(0) {
            return Err(self.wrong(file.path(), "text", self.kind.as_str()));
        }
        let bytes = self.bytes().unwrap_or(0);
        let bytes = file.read(self.at, bytes, self.name)?;
        let (letters, _) = bytes.as_chunks();
        let letters: Vec<u32> = letters.iter().copied().map(u32::from_le_bytes).collect();
        let width = self.width().unwrap_or(4) as usize / 4;
        let text = |letters: &[u32]| -> String {
            let letters = letters.iter().take_while(|letter| **letter != 0);
            letters
                .filter_map(|letter| char::from_u32(*letter))
                .collect()
        };
        Ok(letters.chunks_exact(width).map(text).collect())
    }
}

/// The first bytes of a value that is as long.
fn fixed<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.first_chunk().copied().unwrap_or([0; N])
}

fn triples(numbers: &[f64]) -> Vec<Vec3> {
    let (triples, _) = numbers.as_chunks();
    { triples.iter() }
        .map(|v: &[f64; 3]| Vec3::from(v.map(|x| x as f32)))
        .collect()
}

impl Reader {
    fn array(&mut self, name: &str) -> Result<Option<Vec<f64>>, Error> {
        let array = self.arrays.get(name);
        array.map(|array| array.all(&mut self.file)).transpose()
    }

    fn scalar(&mut self, name: &str) -> Result<Option<f64>, Error> {
        Ok(self
            .array(name)?
            .and_then(|numbers| numbers.first().copied()))
    }

    fn read_header(&mut self) -> Result<(), Error> {
        let path = self.file.path().to_owned();
        self.read_faces()?;
        if let Some(uv) = self.array("uv")? {
            let (pairs, _) = uv.as_chunks();
            let pair = |uv: &[f64; 2]| Vec2::new(uv[0] as f32, uv[1] as f32);
            self.header.uvs = pairs.iter().map(pair).collect();
        }
        if let Some(rest) = self.array("rest")? {
            self.header.rest = triples(&rest);
        }
        self.header.metres_per_unit = self.scalar("metres_per_unit")?;
        self.header.first_frame = self.scalar("first_frame")?.unwrap_or(0.0) as i64;
        self.header.frame_rate_hz = self.scalar("frame_rate_hz")?;
        if let (None, Some([first, .., last])) =
            (self.header.frame_rate_hz, self.array("times_s")?.as_deref())
        {
            self.header.frame_rate_hz = mesh::rate_hz(self.frames - 1, last - first);
        }
        if let Some(up) = self.arrays.get("up_axis") {
            self.header.up = match up.texts(&mut self.file)?.first().map(String::as_str) {
                Some("Y") => Some(UpAxis::Y),
                Some("Z") => Some(UpAxis::Z),
                _ => None,
            };
        }
        self.read_parts()?;
        let header = self.header.validate();
        header.map_err(|problem| Error::Header { path, problem })
    }

    fn read_faces(&mut self) -> Result<(), Error> {
        let Some(faces) = self.arrays.get("faces") else {
            return Ok(());
        };
        let wrong = |found: String| {
            let expected = "rows of indices, -1 behind the last";
            faces.wrong(self.file.path(), expected, found)
        };
        let (2, Some(width @ 3..)) = (faces.shape.len(), faces.shape.get(1)) else {
            return Err(wrong(format!("{:?}", faces.shape)));
        };
        let corners = faces.all(&mut self.file)?;
        let mut face = Vec::new();
        for row in corners.chunks_exact(*width as usize) {
            face.clear();
            for corner in row.iter().take_while(|corner| **corner >= 0.0) {
                let index = *corner as u32;
                if f64::from(index) != *corner {
                    let found = corner.to_string();
                    return Err(faces.wrong(self.file.path(), "an index", found));
                }
                face.push(index);
            }
            self.header.faces.push(&face);
        }
        Ok(())
    }

    fn read_parts(&mut self) -> Result<(), Error> {
        let names = match self.arrays.get("names") {
            Some(names) => names.texts(&mut self.file)?,
            None => Vec::new(),
        };
        let ends = self.array("part_ends")?.unwrap_or_default();
        let (ends, _) = ends.as_chunks();
        let mut start = (0, 0);
        for (name, end) in names.iter().zip(ends) {
            let [vertices, faces] = end.map(|end: f64| end as usize);
            self.header.parts.push(Part {
                name: plain_name(name),
                vertices: start.0..vertices,
                faces: start.1..faces,
            });
            start = (vertices, faces);
        }
        if self.header.parts.is_empty() {
            let name = plain_name(names.first().map_or("mesh", String::as_str));
            let whole = Header::single(&name, self.header.vertices, self.header.faces.clone());
            self.header.parts = whole.parts;
        }
        Ok(())
    }

    /// A list of frame `k`.
    fn list(&mut self, k: u64, name: &str, there: bool) -> Result<Vec<Vec3>, Error> {
        let count = 3 * self.header.vertices as u64;
        match self.arrays.get(name).filter(|_| there) {
            Some(array) => Ok(triples(&array.numbers(&mut self.file, k * count, count)?)),
            None => Ok(Vec::new()),
        }
    }
}

impl SequenceReader for Reader {
    fn path(&self) -> &Path {
        self.file.path()
    }

    fn format(&self) -> Format {
        Format::Npz
    }

    fn header(&self) -> &Header {
        &self.header
    }

    fn frames(&self) -> u64 {
        self.frames
    }

    fn notes(&self) -> &[String] {
        &[]
    }

    fn read_stored(&mut self, k: u64) -> Result<Frame, Error> {
        self.require(k)?;
        let channels = self.header.channels;
        Ok(Frame {
            positions: self.list(k, "positions", true)?,
            velocities: self.list(k, "velocities", channels.velocities)?,
            normals: self.list(k, "normals", channels.normals)?,
            colours: self.list(k, "colors", channels.colours)?,
        })
    }

    fn read_positions(&mut self, k: u64) -> Result<Vec<DVec3>, Error> {
        self.require(k)?;
        let count = 3 * self.header.vertices as u64;
        let Some(array) = self.arrays.get("positions") else {
            return Ok(Vec::new());
        };
        let numbers = array.numbers(&mut self.file, k * count, count)?;
        if let Some(at) = numbers.iter().position(|x| !x.is_finite()) {
            return Err(Error::malformed(
                self.file.path(),
                Place::Frame(k),
                "finite numbers",
                format!("positions of vertex {} that are not", at / 3),
            ));
        }
        let (triples, _) = numbers.as_chunks::<3>();
        Ok(triples.iter().map(|p| DVec3::from(*p)).collect())
    }
}
