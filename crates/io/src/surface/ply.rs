//! Stanford PLY: text or binary, texture coordinates of vertices or of the corners of faces.

use super::builder::{Builder, MAX_CORNERS};
use super::{Frame, GroupKind, SurfaceFile};
use crate::formats::ply::{Body, Columns, Element, columns, read_comments};
use crate::formats::{self, Error};
use glam::{DVec2, DVec3};
use std::fs;
use std::path::Path;

/// Reads a file.
pub(super) fn read(path: &Path) -> Result<(SurfaceFile, Frame), Error> {
    let bytes = fs::read(path).map_err(Error::io(path))?;
    let (mut body, ply) = Body::open(path, &bytes)?;
    let mut stamped = formats::Header::default();
    read_comments(&ply, &mut stamped);
    let mut builder = Builder::default();
    let mut uvs = Vec::new();
    let mut parts = stamped.parts.into_iter().peekable();
    for element in &ply.elements {
        body.require(element)?;
        match element.name.as_str() {
            "vertex" => read_vertices(&mut body, element, &mut builder, &mut uvs)?,
            "face" => {
                for face in 0..element.count as usize {
                    while let Some(part) = parts.next_if(|part| part.faces.start <= face) {
                        builder.begin(GroupKind::Object, part.name);
                    }
                    read_face(&mut body, element, &mut builder, &uvs)?;
                }
            }
            _ => body.skip(element)?,
        }
    }
    let frame = Frame {
        metres_per_unit: stamped.metres_per_unit,
        up: stamped.up,
    };
    Ok((builder.finish(), frame))
}

fn read_vertices(
    body: &mut Body<'_>,
    element: &Element,
    builder: &mut Builder,
    uvs: &mut Vec<DVec2>,
) -> Result<(), Error> {
    let columns = Columns::of(element);
    if !columns.has(columns::POSITION) || !builder.positions.is_empty() {
        return Err(body.malformed("one list of vertices with x, y and z", "another"));
    }
    let has_alpha = columns.has(columns::ALPHA..columns::ALPHA + 1);
    for _ in 0..element.count {
        let row = columns.row(body, element)?;
        builder
            .positions
            .push(DVec3::from_slice(&row[columns::POSITION]));
        if columns.has(columns::TEXTURE) {
            uvs.push(DVec2::from_slice(&row[columns::TEXTURE]));
        }
        if columns.has(columns::COLOUR) {
            let [r, g, b, a] = [0, 1, 2, 3].map(|k| row[columns::COLOUR.start + k] as f32);
            builder
                .colours
                .push([r, g, b, if has_alpha { a } else { 1.0 }]);
        }
    }
    Ok(())
}

fn read_face(
    body: &mut Body<'_>,
    element: &Element,
    builder: &mut Builder,
    of_vertices: &[DVec2],
) -> Result<(), Error> {
    let mut corners = Vec::new();
    let mut uvs: Vec<DVec2> = Vec::new();
    for property in &element.properties {
        if property.is_corners() {
            body.corners(property, &mut corners)?;
        } else if property.name == "texcoord" {
            let numbers = body.numbers(property)?;
            uvs = numbers
                .as_chunks::<2>()
                .0
                .iter()
                .map(|uv| (*uv).into())
                .collect();
        } else {
            body.skip_property(property)?;
        }
    }
    let count = builder.positions.len();
    if !(3..=MAX_CORNERS).contains(&corners.len()) {
        let expected = format!("a face of 3 to {MAX_CORNERS} corners");
        return Err(body.malformed(expected, corners.len().to_string()));
    }
    if let Some(vertex) = corners.iter().find(|v| **v as usize >= count) {
        let expected = format!("the index of one of {count} vertices before the faces");
        return Err(body.malformed(expected, vertex.to_string()));
    }
    if uvs.len() != corners.len() && !of_vertices.is_empty() {
        uvs = corners.iter().map(|v| of_vertices[*v as usize]).collect();
    }
    builder.face(&corners, &uvs);
    Ok(())
}
