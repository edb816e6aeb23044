//! Wavefront OBJ: polygons with their own texture coordinates, objects, groups and materials.

use super::builder::{Builder, MAX_CORNERS};
use super::{Frame, GroupKind, SurfaceFile};
use crate::formats::mesh::plain_name;
use crate::formats::{self, Error, stamp};
use crate::obj::{self, Corner, Problem, numbers};
use glam::DVec2;
use std::fs;
use std::path::Path;

/// Reads a file.
pub(super) fn read(path: &Path) -> Result<(SurfaceFile, Frame), Error> {
    let bytes = fs::read(path).map_err(Error::io(path))?;
    let wrong = |(line, problem)| obj::Error::Line {
        path: path.to_owned(),
        line,
        problem,
    };
    Ok(parse(&bytes).map_err(wrong)?)
}

fn parse(bytes: &[u8]) -> Result<(SurfaceFile, Frame), (usize, Problem)> {
    let mut builder = Builder::default();
    let mut texture: Vec<DVec2> = Vec::new();
    let mut normals = 0;
    let mut stamped = formats::Header::default();
    for (number, line) in obj::statements(obj::text(bytes)?) {
        if let Some(comment) = line.strip_prefix('#') {
            stamp::read(&mut stamped, comment);
        }
        let mut words = obj::words(&line);
        let keyword = words.next().unwrap_or_default();
        let done = match keyword {
            "v" => vertex(words, &mut builder),
            "vt" => numbers(words).map(|uv: [f64; 2]| texture.push(uv.into())),
            "vn" => {
                normals += 1;
                Ok(())
            }
            "f" => face(words, &texture, normals, &mut builder),
            "o" | "g" | "usemtl" => {
                let kind = match keyword {
                    "o" => GroupKind::Object,
                    "g" => GroupKind::Group,
                    _ => GroupKind::Material,
                };
                // A name may hold spaces and signs, so it is the whole rest of the line.
                let name = line.trim_start().strip_prefix(keyword).unwrap_or_default();
                builder.begin(kind, plain_name(name));
                Ok(())
            }
            _ => Ok(()),
        };
        done.map_err(|problem| (number, problem))?;
    }
    let frame = Frame {
        metres_per_unit: stamped.metres_per_unit,
        up: stamped.up,
    };
    Ok((builder.finish(), frame))
}

/// A position; six numbers are a position and a colour, four or five have a weight.
fn vertex<'a>(words: impl Iterator<Item = &'a str>, builder: &mut Builder) -> Result<(), Problem> {
    let words: Vec<&str> = words.take(7).collect();
    let position: [f64; 3] = numbers(words.iter().copied())?;
    builder.positions.push(position.into());
    if words.len() >= 6 {
        let [r, g, b]: [f32; 3] = numbers(words[3..].iter().copied())?;
        let alpha = words.get(6).map_or(Ok(1.0), |word| obj::number(word))?;
        builder.colours.push([r, g, b, alpha]);
    }
    Ok(())
}

fn face<'a>(
    words: impl Iterator<Item = &'a str>,
    texture: &[DVec2],
    normals: usize,
    builder: &mut Builder,
) -> Result<(), Problem> {
    let counts = [builder.positions.len(), texture.len(), normals];
    let mut corners = Vec::with_capacity(4);
    let mut uvs = Vec::with_capacity(4);
    for word in words {
        let corner = Corner::parse(word, counts)?;
        corners.push(corner.vertex);
        uvs.extend(corner.texture.map(|t| texture[t as usize]));
    }
    match corners.len() {
        0..3 => Err(Problem::ShortFace(corners.len())),
        3..=MAX_CORNERS => {
            builder.face(&corners, &uvs);
            Ok(())
        }
        count => Err(Problem::LongFace(count)),
    }
}
