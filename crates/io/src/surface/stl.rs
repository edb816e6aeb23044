//! STL: triangles without connections, as text or binary. Every corner is a vertex of its own here;
//! welding joins them. Normals follow from the corners and are passed over.

use super::builder::Builder;
use super::{Frame, GroupKind, SurfaceFile};
use crate::formats::mesh::plain_name;
use crate::formats::{Error, Place};
use crate::obj;
use glam::{DVec3, Vec3};
use std::fs;
use std::path::Path;

/// Bytes before the triangles of a binary file: a title and their number.
const HEAD: usize = 84;
/// Bytes of a triangle: a normal, three corners, and two bytes nobody agrees about.
const TRIANGLE: usize = 50;

/// Reads a file.
pub(super) fn read(path: &Path) -> Result<(SurfaceFile, Frame), Error> {
    let bytes = fs::read(path).map_err(Error::io(path))?;
    let file = match is_text(&bytes) {
        true => read_text(path, &bytes)?,
        false => read_binary(path, &bytes)?,
    };
    Ok((file, Frame::default()))
}

/// Number of triangles a binary file says it has.
fn announced(bytes: &[u8]) -> Option<usize> {
    let count = bytes.get(HEAD - 4..HEAD)?;
    Some(u32::from_le_bytes(count.try_into().ok()?) as usize)
}

/// Texts begin with `solid`; so do some binary files, which have the right length or zeros.
fn is_text(bytes: &[u8]) -> bool {
    let right = announced(bytes).and_then(|count| count.checked_mul(TRIANGLE)?.checked_add(HEAD));
    let begins = bytes.trim_ascii_start().get(..5);
    begins.is_some_and(|word| word.eq_ignore_ascii_case(b"solid"))
        && right != Some(bytes.len())
        && !bytes.iter().take(512).any(|byte| *byte == 0)
}

fn read_binary(path: &Path, bytes: &[u8]) -> Result<SurfaceFile, Error> {
    let wrong = |at: usize, expected: String, found: String| {
        Err(Error::malformed(
            path,
            Place::Byte(at as u64),
            expected,
            found,
        ))
    };
    let Some(count) = announced(bytes) else {
        let expected = format!("`solid`, or a binary head of {HEAD} bytes");
        return wrong(0, expected, format!("{} bytes", bytes.len()));
    };
    let (triangles, rest) = bytes[HEAD..].as_chunks::<TRIANGLE>();
    if triangles.len() < count {
        let expected = format!("{count} triangles");
        return wrong(HEAD - 4, expected, format!("bytes for {}", triangles.len()));
    }
    let mut builder = Builder::default();
    for triangle in &triangles[..count] {
        // The first three numbers are the normal.
        let (numbers, _) = triangle[12..].as_chunks::<4>();
        let (corners, _) = numbers.as_chunks::<3>();
        let corner = |c: &[[u8; 4]; 3]| Vec3::from(c.map(f32::from_le_bytes)).as_dvec3();
        push(
            &mut builder,
            [&corners[0], &corners[1], &corners[2]].map(corner),
        );
    }
    let behind = rest.len() + TRIANGLE * (triangles.len() - count);
    if behind > 0 {
        let note = format!("{behind} bytes behind the last triangle are passed over");
        builder.notes.push(note);
    }
    Ok(builder.finish())
}

fn push(builder: &mut Builder, corners: [DVec3; 3]) {
    let first = builder.positions.len() as u32;
    builder.positions.extend(corners);
    builder.face(&[first, first + 1, first + 2], &[]);
}

fn read_text(path: &Path, bytes: &[u8]) -> Result<SurfaceFile, Error> {
    let mut builder = Builder::default();
    // Corners of the facet that is open, and whether a solid is.
    let mut corners: Option<Vec<DVec3>> = None;
    let mut solid = false;
    let mut number = 0;
    for line in bytes.split(|byte| *byte == b'\n') {
        number += 1;
        // Titles may be in any encoding.
        let line = String::from_utf8_lossy(line);
        let mut words = line.split_ascii_whitespace();
        let Some(keyword) = words.next() else {
            continue;
        };
        let wrong = |expected: &str, found: String| {
            Err(Error::malformed(path, Place::Line(number), expected, found))
        };
        let keyword = keyword.to_ascii_lowercase();
        match (keyword.as_str(), &mut corners) {
            ("solid", None) if !solid => {
                solid = true;
                let title = line.trim_start().get(5..).unwrap_or_default();
                builder.begin(GroupKind::Object, plain_name(title));
            }
            ("endsolid", None) if solid => solid = false,
            ("facet", open @ None) if solid => *open = Some(Vec::with_capacity(3)),
            ("vertex", Some(corners)) if corners.len() < 3 => match obj::numbers::<f64, 3>(words) {
                Ok(corner) => corners.push(corner.into()),
                Err(problem) => return wrong("a corner", problem.to_string()),
            },
            ("outer" | "endloop", Some(_)) => {}
            ("endfacet", open @ Some(_)) => match open.take().as_deref() {
                Some(&[a, b, c]) => push(&mut builder, [a, b, c]),
                found => {
                    let found = found.map_or(0, <[DVec3]>::len);
                    return wrong("three corners", found.to_string());
                }
            },
            _ => {
                let expected = match (solid, &corners) {
                    (false, _) => "`solid`",
                    (true, None) => "`facet` or `endsolid`",
                    (true, Some(_)) => "three corners and `endfacet`",
                };
                let found: String = line.trim().chars().take(40).collect();
                return wrong(expected, format!("`{found}`"));
            }
        }
    }
    if solid {
        let (place, end) = (Place::Line(number), "the end of the file");
        return Err(Error::malformed(path, place, "`endsolid`", end));
    }
    Ok(builder.finish())
}
