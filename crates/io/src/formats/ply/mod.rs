//! Stanford PLY, a file a frame: written in binary, read in binary and as text.
//!
//! Holds velocities (`vx vy vz`), normals, texture coordinates (`s t`) and colours; these as
//! bytes, since that is what programs read. Parts and units are comments.

mod body;
pub(crate) mod columns;
mod header;

pub(crate) use body::Body;
pub(crate) use columns::Columns;
pub(crate) use header::Element;

use super::mesh::plain_name;
use super::stills::Still;
use super::{Error, Frame, Header, Part, Place, Unwritable, stamp};
use crate::atomic::Pending;
use glam::{DVec3, Vec2, Vec3};
use header::PlyHeader;
use std::fs;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;
use toile_geometry::TriMesh;

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
    let (mut body, header) = Body::open(path, &bytes)?;
    let mut still = Still::default();
    read_comments(&header, &mut still.header);
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

/// The triangles of a file with its coordinates unrounded.
pub(super) fn read_mesh(path: &Path) -> Result<TriMesh, Error> {
    let bytes = fs::read(path).map_err(Error::io(path))?;
    let (mut body, header) = Body::open(path, &bytes)?;
    let mut positions = Vec::new();
    let mut faces = Header::default();
    for element in &header.elements {
        body.require(element)?;
        match element.name.as_str() {
            "vertex" => read_places(&mut body, element, &mut positions)?,
            "face" => read_faces(&mut body, element, &mut faces)?,
            _ => body.skip(element)?,
        }
    }
    if let Some(face) = faces.faces.iter().position(|face| face.len() < 3) {
        let place = Place::Field("element face".to_owned());
        let (expected, found) = ("faces of at least three corners", format!("face {face}"));
        return Err(Error::malformed(path, place, expected, found));
    }
    let all = 0..faces.faces.len();
    let mesh = TriMesh {
        positions,
        faces: faces.faces.triangles(all).collect(),
    };
    match mesh.validate() {
        Ok(()) => Ok(mesh),
        Err(error) => {
            let place = Place::Field("element face".to_owned());
            Err(Error::malformed(path, place, "a mesh", error.to_string()))
        }
    }
}

fn read_places(
    body: &mut Body<'_>,
    element: &Element,
    positions: &mut Vec<DVec3>,
) -> Result<(), Error> {
    let columns = Columns::of(element);
    if !columns.has(columns::POSITION) || !positions.is_empty() {
        return Err(body.malformed("one list of vertices with x, y and z", "another"));
    }
    for _ in 0..element.count {
        let row = columns.row(body, element)?;
        let position = DVec3::from_slice(&row[columns::POSITION]);
        if !position.is_finite() {
            return Err(body.malformed("finite coordinates", position.to_string()));
        }
        positions.push(position);
    }
    Ok(())
}

/// Takes over what Toile's own comments say.
pub(crate) fn read_comments(ply: &PlyHeader, header: &mut Header) {
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

fn read_vertices(body: &mut Body<'_>, element: &Element, still: &mut Still) -> Result<(), Error> {
    let columns = Columns::of(element);
    if !columns.has(columns::POSITION) || !still.frame.positions.is_empty() {
        return Err(body.malformed("one list of vertices with x, y and z", "another"));
    }
    let normals = columns.has(columns::NORMAL);
    let velocities = columns.has(columns::VELOCITY);
    let uvs = columns.has(columns::TEXTURE);
    let colours = columns.has(columns::COLOUR);
    let frame = &mut still.frame;
    for _ in 0..element.count {
        let row = columns.row(body, element)?.map(|number| number as f32);
        let triple = |columns: Range<usize>| Vec3::from_slice(&row[columns]);
        frame.positions.push(triple(columns::POSITION));
        if normals {
            frame.normals.push(triple(columns::NORMAL));
        }
        if velocities {
            frame.velocities.push(triple(columns::VELOCITY));
        }
        if uvs {
            still
                .header
                .uvs
                .push(Vec2::from_slice(&row[columns::TEXTURE]));
        }
        if colours {
            frame.colours.push(triple(columns::COLOUR));
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
            if property.is_corners() {
                body.corners(property, &mut corners)?;
                header.faces.push(&corners);
            } else {
                body.skip_property(property)?;
            }
        }
    }
    Ok(())
}
