//! A surface while it is read: faces of any number of corners become triangles.

use super::groups::Groups;
use super::{GroupKind, SurfaceFile};
use glam::{DVec2, DVec3};
use toile_geometry::polygon::triangulate;

/// Most corners of a face: more take too long to cut.
pub(super) const MAX_CORNERS: usize = 255;

/// A surface while it is read.
#[derive(Default)]
pub(super) struct Builder {
    /// Positions, in the file's unit and axes.
    pub positions: Vec<DVec3>,
    /// Colours of the vertices; dropped if not every vertex has one.
    pub colours: Vec<[f32; 4]>,
    /// What was passed over, in words.
    pub notes: Vec<String>,
    triangles: Vec<[u32; 3]>,
    uvs: Vec<[DVec2; 3]>,
    groups: Groups,
}

impl Builder {
    /// From the next triangle on, triangles belong to this name.
    pub(super) fn begin(&mut self, kind: GroupKind, name: String) {
        self.groups.begin(kind, name, self.triangles.len());
    }

    /// From the next triangle on, triangles belong to no name of this kind.
    pub(super) fn end(&mut self, kind: GroupKind) {
        self.groups.end(kind, self.triangles.len());
    }

    /// Adds a face of at most [`MAX_CORNERS`] corners, which exist; with as many texture
    /// coordinates, or with none.
    pub(super) fn face(&mut self, corners: &[u32], uvs: &[DVec2]) {
        let cut = match corners.len() {
            3 => vec![[0, 1, 2]],
            _ => {
                let places = corners.iter().map(|v| self.positions[*v as usize]);
                triangulate(&places.collect::<Vec<_>>())
            }
        };
        for triangle in cut {
            self.triangles.push(triangle.map(|k| corners[k]));
            if uvs.len() == corners.len() {
                self.uvs.push(triangle.map(|k| uvs[k]));
            }
        }
    }

    pub(super) fn finish(mut self) -> SurfaceFile {
        let has_uvs = !self.triangles.is_empty() && self.uvs.len() == self.triangles.len();
        if !self.uvs.is_empty() && !has_uvs {
            let note = "only some faces have texture coordinates: they are passed over";
            self.notes.push(note.to_owned());
        }
        let has_colours = !self.positions.is_empty() && self.colours.len() == self.positions.len();
        SurfaceFile {
            groups: self.groups.finish(self.triangles.len()),
            positions: self.positions,
            triangles: self.triangles,
            uvs: has_uvs.then_some(self.uvs),
            colours: has_colours.then_some(self.colours),
            notes: self.notes,
        }
    }
}
