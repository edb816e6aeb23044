//! glTF 2.0: all meshes of the scene where their nodes put them, in the pose of the first frame.

use super::builder::Builder;
use super::{Frame, GroupKind, SurfaceFile};
use crate::formats::glb::open_any;
use crate::formats::{Error, SequenceReader};
use glam::DVec2;
use std::path::Path;

/// Reads a file, binary or not.
pub(super) fn read(path: &Path) -> Result<(SurfaceFile, Frame), Error> {
    let mut reader = open_any(path)?;
    let frame = reader.read_frame(0)?;
    let header = reader.header();
    let mut builder = Builder::default();
    builder.positions = frame.positions.iter().map(|p| p.as_dvec3()).collect();
    builder.colours = frame.colours.iter().map(|c| [c.x, c.y, c.z, 1.0]).collect();
    builder.notes = reader.notes().to_vec();
    let uvs: Vec<DVec2> = header.uvs.iter().map(|uv| uv.as_dvec2()).collect();
    let mut materials = reader.materials().peekable();
    for part in &header.parts {
        builder.begin(GroupKind::Object, part.name.clone());
        match materials.next_if(|(faces, _)| *faces == part.faces) {
            Some((_, name)) => builder.begin(GroupKind::Material, name.to_owned()),
            None => builder.end(GroupKind::Material),
        }
        for corners in header.faces.range(part.faces.clone()) {
            let uvs: Vec<DVec2> = match uvs.is_empty() {
                true => Vec::new(),
                false => corners.iter().map(|v| uvs[*v as usize]).collect(),
            };
            builder.face(corners, &uvs);
        }
    }
    let frame = Frame {
        metres_per_unit: header.metres_per_unit,
        up: header.up,
    };
    Ok((builder.finish(), frame))
}
