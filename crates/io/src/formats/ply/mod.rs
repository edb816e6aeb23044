//! Stanford PLY, a file a frame: written in binary, read in binary (little-endian) and as text.
//!
//! Holds velocities (`vx vy vz`), normals, texture coordinates (`s t`) and colours; these as
//! bytes, since that is what programs read. Parts and units are comments.

mod header;

use super::mesh::plain_name;
use super::stills::Still;
use super::{Error, Frame, Header, Part, Place, Unwritable, stamp};
use crate::atomic::Pending;
use glam::{Vec2, Vec3};
use header::{Element, Encoding, PlyHeader, Scalar};
use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// Writes one frame; returns the size of the file.
pub(super) fn write(path: &Path, header: &Header, frame: &Frame) -> Result<u64, Error> {
    if header.faces.widest() > 255 {
        let reason = Unwritable::TooLarge {
            format: "PLY",
            what: "corners of a face",
        };
        return Err(Error::unwritable(path, reason));
    }
    let mut pending = Pending::create(path).map_err(Error::io(path))?;
    write_header(pending.writer(), header, frame).map_err(Error::io(path))?;
    write_body(pending.writer(), header, frame).map_err(Error::io(path))?;
    pending.commit().map_err(Error::io(path))
}

fn write_header(w: &mut impl Write, header: &Header, frame: &Frame) -> io::Result<()> {
    writeln!(w, "ply\nformat binary_little_endian 1.0")?;
    for line in stamp::lines(header) {
        writeln!(w, "comment {line}")?;
    }
    for Part {
        name,
        vertices,
        faces,
    } in &header.parts
    {
        let (v, f) = (vertices.end, faces.end);
        writeln!(w, "comment toile part_ends {v} {f} {name}")?;
    }
    writeln!(w, "element vertex {}", header.vertices)?;
    let floats = |w: &mut dyn Write, names: &str, there: bool| {
        let names = names.split(' ').filter(|_| there);
        { names }.try_for_each(|name| writeln!(w, "property float {name}"))
    };
    floats(w, "x y z", true)?;
    floats(w, "nx ny nz", !frame.normals.is_empty())?;
    floats(w, "vx vy vz", !frame.velocities.is_empty())?;
    floats(w, "s t", !header.uvs.is_empty())?;
    if !frame.colours.is_empty() {
        writeln!(
            w,
            "property uchar red\nproperty uchar green\nproperty uchar blue"
        )?;
    }
    writeln!(w, "element face {}", header.faces.len())?;
    writeln!(w, "property list uchar uint vertex_indices\nend_header")
}

fn write_body(w: &mut impl Write, header: &Header, frame: &Frame) -> io::Result<()> {
    for v in 0..header.vertices {
        for list in [&frame.positions, &frame.normals, &frame.velocities] {
            for number in list.get(v).map(Vec3::to_array).iter().flatten() {
                w.write_all(&number.to_le_bytes())?;
            }
        }
        for number in header.uvs.get(v).map(Vec2::to_array).iter().flatten() {
            w.write_all(&number.to_le_bytes())?;
        }
        if let Some(colour) = frame.colours.get(v) {
            // A colour beyond what a byte holds becomes the nearest there is.
            w.write_all(&colour.to_array().map(|c| (c * 255.0).round() as u8))?;
        }
    }
    for face in header.faces.iter() {
        w.write_all(&[face.len() as u8])?;
        for corner in face {
            w.write_all(&corner.to_le_bytes())?;
        }
    }
    Ok(())
}

/// Reads one frame.
pub(super) fn read(path: &Path) -> Result<Still, Error> {
    let bytes = fs::read(path).map_err(Error::io(path))?;
    let header = header::parse(path, &bytes)?;
    let mut still = Still::default();
    read_comments(&header, &mut still.header);
    let mut body = Body {
        path,
        bytes: &bytes,
        at: header.length,
        line: header.lines + 1,
        encoding: header.encoding,
    };
    for element in &header.elements {
        body.require(element)?;
        match element.name.as_str() {
            "vertex" => read_vertices(&mut body, element, &mut still)?,
            "face" => read_faces(&mut body, element, &mut still.header)?,
            _ => body.skip(element)?,
        }
    }
    still.settle_parts(path)?;
    Ok(still)
}

fn read_comments(ply: &PlyHeader, header: &mut Header) {
    for comment in &ply.comments {
        stamp::read(header, comment);
        let Some(part) = comment.strip_prefix("toile part_ends ") else {
            continue;
        };
        let mut words = part.splitn(3, ' ');
        let mut count = || words.next().and_then(|word| word.parse::<usize>().ok());
        let (Some(vertices), Some(faces)) = (count(), count()) else {
            continue;
        };
        let last = header.parts.last();
        let start = last.map_or((0, 0), |part| (part.vertices.end, part.faces.end));
        header.parts.push(Part {
            name: plain_name(words.next().unwrap_or_default()),
            vertices: start.0..vertices,
            faces: start.1..faces,
        });
    }
}

/// Names of the vertex's numbers this reader knows, in the order it keeps them.
const KNOWN: [&[&str]; 14] = [
    &["x"],
    &["y"],
    &["z"],
    &["nx"],
    &["ny"],
    &["nz"],
    &["vx"],
    &["vy"],
    &["vz"],
    &["s", "u", "texture_u"],
    &["t", "v", "texture_v"],
    &["red", "r"],
    &["green", "g"],
    &["blue", "b"],
];

fn read_vertices(body: &mut Body<'_>, element: &Element, still: &mut Still) -> Result<(), Error> {
    let mut slots = Vec::with_capacity(element.properties.len());
    let mut known = [false; KNOWN.len()];
    let mut scale = [1.0; KNOWN.len()];
    for property in &element.properties {
        let names = |names: &&[&str]| names.contains(&property.name.as_str());
        let slot = KNOWN
            .iter()
            .position(names)
            .filter(|_| property.count.is_none());
        if let Some(slot) = slot {
            known[slot] = true;
            // Colours are bytes or fractions.
            if slot >= 11 && property.scalar == Scalar::U8 {
                scale[slot] = 1.0 / 255.0;
            }
        }
        slots.push(slot);
    }
    let has = |slots: std::ops::Range<usize>| known[slots].iter().all(|known| *known);
    if !has(0..3) || !still.frame.positions.is_empty() {
        return Err(body.malformed("one list of vertices with x, y and z", "another"));
    }
    let (normals, velocities, uvs, colours) = (has(3..6), has(6..9), has(9..11), has(11..14));
    let frame = &mut still.frame;
    for _ in 0..element.count {
        let mut row = [0.0; KNOWN.len()];
        for (property, slot) in element.properties.iter().zip(&slots) {
            if let Some(count) = property.count {
                body.skip_list(count, property.scalar)?;
                continue;
            }
            let number = body.number(property.scalar)?;
            if let Some(slot) = *slot {
                row[slot] = (number * scale[slot]) as f32;
            }
        }
        let triple = |first: usize| Vec3::new(row[first], row[first + 1], row[first + 2]);
        frame.positions.push(triple(0));
        if normals {
            frame.normals.push(triple(3));
        }
        if velocities {
            frame.velocities.push(triple(6));
        }
        if uvs {
            still.header.uvs.push(Vec2::new(row[9], row[10]));
        }
        if colours {
            frame.colours.push(triple(11));
        }
    }
    still.header.vertices = frame.positions.len();
    let empty = frame.positions.is_empty();
    still.header.channels = super::Channels {
        velocities: velocities && !empty,
        normals: normals && !empty,
        colours: colours && !empty,
    };
    Ok(())
}

fn read_faces(body: &mut Body<'_>, element: &Element, header: &mut Header) -> Result<(), Error> {
    let mut corners = Vec::new();
    for _ in 0..element.count {
        for property in &element.properties {
            let Some(count) = property.count else {
                body.number(property.scalar)?;
                continue;
            };
            if !matches!(property.name.as_str(), "vertex_indices" | "vertex_index") {
                body.skip_list(count, property.scalar)?;
                continue;
            }
            corners.clear();
            for _ in 0..body.list(count, property.scalar)? {
                let corner = body.number(property.scalar)?;
                let whole = corner as u32;
                if f64::from(whole) != corner {
                    return Err(body.malformed("the index of a vertex", corner.to_string()));
                }
                corners.push(whole);
            }
            header.faces.push(&corners);
        }
    }
    Ok(())
}

/// What follows the header.
struct Body<'a> {
    path: &'a Path,
    bytes: &'a [u8],
    at: usize,
    line: u64,
    encoding: Encoding,
}

impl Body<'_> {
    fn malformed(&self, expected: impl Into<String>, found: impl Into<String>) -> Error {
        let place = match self.encoding {
            Encoding::Ascii => Place::Line(self.line),
            Encoding::LittleEndian => Place::Byte(self.at as u64),
        };
        Error::malformed(self.path, place, expected, found)
    }

    /// Fewest bytes one number takes.
    fn least(&self, scalar: Scalar) -> u64 {
        match self.encoding {
            // A digit and a space.
            Encoding::Ascii => 2,
            Encoding::LittleEndian => scalar.size() as u64,
        }
    }

    /// The file must be able to hold as many numbers as are announced.
    fn require_bytes(&self, bytes: Option<u64>, what: &str) -> Result<(), Error> {
        // The last word of a text needs no space behind it.
        let left = (self.bytes.len() - self.at) as u64 + 1;
        match bytes {
            Some(bytes) if bytes <= left => Ok(()),
            _ => Err(self.malformed(what, format!("{} bytes to the end of the file", left - 1))),
        }
    }

    fn require(&self, element: &Element) -> Result<(), Error> {
        let row = element.properties.iter();
        let row: u64 = { row }
            .map(|p| self.least(p.count.unwrap_or(p.scalar)))
            .sum();
        let (count, name) = (element.count, &element.name);
        // Rows of nothing would take no bytes, however many there are.
        self.require_bytes(
            count.checked_mul(row.max(1)),
            &format!("{count} of `{name}`"),
        )
    }

    fn number(&mut self, scalar: Scalar) -> Result<f64, Error> {
        match self.encoding {
            Encoding::Ascii => self.word(),
            Encoding::LittleEndian => self.binary(scalar),
        }
    }

    fn binary(&mut self, scalar: Scalar) -> Result<f64, Error> {
        let end = self.at + scalar.size();
        let Some(bytes) = self.bytes.get(self.at..end) else {
            return Err(self.malformed("a number", "the end of the file"));
        };
        self.at = end;
        let mut padded = [0; 8];
        padded[..bytes.len()].copy_from_slice(bytes);
        let bits = u64::from_le_bytes(padded);
        Ok(match scalar {
            Scalar::I8 => f64::from(bits as i8),
            Scalar::U8 => f64::from(bits as u8),
            Scalar::I16 => f64::from(bits as i16),
            Scalar::U16 => f64::from(bits as u16),
            Scalar::I32 => f64::from(bits as i32),
            Scalar::U32 => f64::from(bits as u32),
            Scalar::F32 => f64::from(f32::from_bits(bits as u32)),
            Scalar::F64 => f64::from_bits(bits),
        })
    }

    fn word(&mut self) -> Result<f64, Error> {
        while let Some(byte) = self.bytes.get(self.at).filter(|b| b.is_ascii_whitespace()) {
            self.line += u64::from(*byte == b'\n');
            self.at += 1;
        }
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(u8::is_ascii_whitespace);
        let word = &rest[..length.unwrap_or(rest.len())];
        let number = std::str::from_utf8(word).ok().and_then(|w| w.parse().ok());
        let number = number.ok_or_else(|| {
            let found = String::from_utf8_lossy(&word[..word.len().min(40)]);
            self.malformed("a number", format!("`{found}`"))
        })?;
        self.at += word.len();
        Ok(number)
    }

    /// The length of a list, whose numbers must still be there.
    fn list(&mut self, count: Scalar, scalar: Scalar) -> Result<u64, Error> {
        let found = self.number(count)?;
        let length = found as u64;
        if length as f64 != found {
            return Err(self.malformed("the length of a list", found.to_string()));
        }
        let bytes = length.checked_mul(self.least(scalar));
        self.require_bytes(bytes, &format!("a list of {length}"))?;
        Ok(length)
    }

    fn skip_list(&mut self, count: Scalar, scalar: Scalar) -> Result<(), Error> {
        for _ in 0..self.list(count, scalar)? {
            self.number(scalar)?;
        }
        Ok(())
    }

    fn skip(&mut self, element: &Element) -> Result<(), Error> {
        if element.properties.is_empty() {
            return Ok(());
        }
        for _ in 0..element.count {
            for property in &element.properties {
                match property.count {
                    Some(count) => self.skip_list(count, property.scalar)?,
                    None => self.number(property.scalar).map(drop)?,
                }
            }
        }
        Ok(())
    }
}
