//! What stays the same over a sequence: the mesh, its parts, its units and its clock.

use super::Channels;
use glam::{Vec2, Vec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use thiserror::Error;

/// Frames per second where a file does not say.
pub const DEFAULT_FRAME_RATE_HZ: f64 = 24.0;

/// Which axis points up; all frames of reference are right-handed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UpAxis {
    /// y up, as in Toile, Maya, glTF.
    #[default]
    Y,
    /// z up, as in Blender, 3ds Max.
    Z,
}

/// Polygons of three or more corners, each corner the index of a vertex.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faces {
    corners: Vec<u32>,
    /// Where in `corners` each face ends.
    ends: Vec<usize>,
}

impl Faces {
    /// Appends a face.
    pub fn push(&mut self, corners: &[u32]) {
        self.corners.extend_from_slice(corners);
        self.ends.push(self.corners.len());
    }

    /// Number of faces.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Corners of all faces, one face after the other.
    pub fn corners(&self) -> &[u32] {
        &self.corners
    }

    /// All faces.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.range(0..self.len())
    }

    /// The faces with these indices, which must exist.
    pub fn range(&self, faces: Range<usize>) -> impl Iterator<Item = &[u32]> {
        faces.map(|face| {
            let start = face.checked_sub(1).map_or(0, |before| self.ends[before]);
            &self.corners[start..self.ends[face]]
        })
    }

    /// The same faces as fans of triangles from each first corner.
    pub fn triangles(&self, faces: Range<usize>) -> impl Iterator<Item = [u32; 3]> {
        self.range(faces).flat_map(|face| {
            let (first, rest) = face.split_first().unwrap_or((&0, &[]));
            rest.windows(2).map(|edge| [*first, edge[0], edge[1]])
        })
    }

    /// Most corners of any face.
    pub fn widest(&self) -> usize {
        self.iter().map(<[u32]>::len).max().unwrap_or(0)
    }
}

impl<const N: usize> FromIterator<[u32; N]> for Faces {
    fn from_iter<I: IntoIterator<Item = [u32; N]>>(faces: I) -> Self {
        let mut all = Self::default();
        for face in faces {
            all.push(&face);
        }
        all
    }
}

/// A named piece of the mesh: one cloth.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// Its vertices.
    pub vertices: Range<usize>,
    /// Its faces, which use no vertices of other parts.
    pub faces: Range<usize>,
}

/// All of a sequence but its frames.
///
/// What a file does not say is `None`; who needs it takes metres, y up and
/// [`DEFAULT_FRAME_RATE_HZ`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Header {
    /// Number of vertices of every frame.
    pub vertices: usize,
    /// The faces, in the vertex order of the source.
    pub faces: Faces,
    /// The parts, in order; together they hold every vertex and every face.
    pub parts: Vec<Part>,
    /// Texture coordinates of every vertex; empty for none.
    pub uvs: Vec<Vec2>,
    /// Rest positions of every vertex; empty where the first frame is the rest pose.
    pub rest: Vec<Vec3>,
    /// What every frame holds besides positions.
    pub channels: Channels,
    /// Frames per second.
    pub frame_rate_hz: Option<f64>,
    /// Number of the first frame.
    pub first_frame: i64,
    /// Which axis points up.
    pub up: Option<UpAxis>,
    /// Length of the unit of all lengths, m.
    pub metres_per_unit: Option<f64>,
}

/// What makes a header senseless.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum HeaderProblem {
    /// Nothing there.
    #[error("there is no vertex")]
    Empty,
    /// A part of nothing.
    #[error("part \"{0}\" has no vertex")]
    EmptyPart(String),
    /// Parts leave something out or overlap.
    #[error("part \"{0}\" does not begin where the part before it ends")]
    Gap(String),
    /// The parts end before the mesh does, or after it.
    #[error("the parts hold {0} vertices and {1} faces, but the mesh {2} and {3}")]
    Cover(usize, usize, usize, usize),
    /// A face of fewer than three corners.
    #[error("face {0} has fewer than three corners")]
    ShortFace(usize),
    /// A face that uses a vertex outside its part.
    #[error("face {face} of part \"{part}\" uses vertex {vertex}, which the part does not have")]
    Corner {
        /// The part.
        part: String,
        /// The face, counted from 0.
        face: usize,
        /// The vertex.
        vertex: u32,
    },
    /// A list of the wrong length.
    #[error("{0}: {1} values for {2} vertices")]
    Length(&'static str, usize, usize),
    /// A number that is infinite or not a number.
    #[error("{0} of vertex {1} is not finite")]
    NotFinite(&'static str, usize),
    /// A rate or a unit that is not a positive number.
    #[error("{0} is {1}, expected a positive number")]
    NotPositive(&'static str, f64),
    /// A name files cannot hold.
    #[error("part name {0:?} is empty, has spaces around it or holds control characters")]
    Name(String),
}

impl Header {
    /// The whole mesh as one part.
    pub fn single(name: &str, vertices: usize, faces: Faces) -> Self {
        let part = Part {
            name: name.to_owned(),
            vertices: 0..vertices,
            faces: 0..faces.len(),
        };
        Self {
            vertices,
            faces,
            parts: vec![part],
            ..Self::default()
        }
    }

    /// Frames per second, or what is taken where a file does not say.
    pub fn rate_hz(&self) -> f64 {
        self.frame_rate_hz.unwrap_or(DEFAULT_FRAME_RATE_HZ)
    }

    /// Time of frame `k`, counted from the first, s.
    pub fn time_s(&self, k: u64) -> f64 {
        (self.first_frame as f64 + k as f64) / self.rate_hz()
    }

    /// Whether everything fits together.
    pub fn validate(&self) -> Result<(), HeaderProblem> {
        if self.vertices == 0 {
            return Err(HeaderProblem::Empty);
        }
        self.validate_parts()?;
        let length = |what, found| match found == 0 || found == self.vertices {
            true => Ok(()),
            false => Err(HeaderProblem::Length(what, found, self.vertices)),
        };
        length("texture coordinates", self.uvs.len())?;
        length("rest positions", self.rest.len())?;
        if let Some(vertex) = self.uvs.iter().position(|uv| !uv.is_finite()) {
            return Err(HeaderProblem::NotFinite("texture coordinate", vertex));
        }
        if let Some(vertex) = self.rest.iter().position(|p| !p.is_finite()) {
            return Err(HeaderProblem::NotFinite("rest position", vertex));
        }
        let rate = ("the frame rate", self.frame_rate_hz);
        for (what, number) in [rate, ("the unit of length", self.metres_per_unit)] {
            if let Some(number) = number.filter(|n| !(n.is_finite() && *n > 0.0)) {
                return Err(HeaderProblem::NotPositive(what, number));
            }
        }
        Ok(())
    }

    fn validate_parts(&self) -> Result<(), HeaderProblem> {
        let (mut vertices, mut faces) = (0, 0);
        for part in &self.parts {
            let begins = part.vertices.start == vertices && part.faces.start == faces;
            if !begins || part.vertices.end < vertices || part.faces.end < faces {
                return Err(HeaderProblem::Gap(part.name.clone()));
            }
            if part.vertices.is_empty() {
                return Err(HeaderProblem::EmptyPart(part.name.clone()));
            }
            (vertices, faces) = (part.vertices.end, part.faces.end);
            if !is_plain_name(&part.name) {
                return Err(HeaderProblem::Name(part.name.clone()));
            }
        }
        if (vertices, faces) != (self.vertices, self.faces.len()) {
            let (of, and) = (self.vertices, self.faces.len());
            return Err(HeaderProblem::Cover(vertices, faces, of, and));
        }
        for part in &self.parts {
            for (face, corners) in part.faces.clone().zip(self.faces.range(part.faces.clone())) {
                if corners.len() < 3 {
                    return Err(HeaderProblem::ShortFace(face));
                }
                let outside = |v: &&u32| !part.vertices.contains(&(**v as usize));
                if let Some(&vertex) = corners.iter().find(outside) {
                    return Err(HeaderProblem::Corner {
                        part: part.name.clone(),
                        face,
                        vertex,
                    });
                }
            }
        }
        Ok(())
    }
}

fn is_plain_name(name: &str) -> bool {
    !name.is_empty() && name.trim() == name && !name.contains(char::is_control)
}

/// `name` as a part may be called, whatever a file holds.
pub(crate) fn plain_name(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    match plain.trim() {
        "" => "mesh".to_owned(),
        plain => plain.to_owned(),
    }
}

/// `numerator / denominator` as a frame rate. Times in files are rounded, so a rate that close to
/// a whole number is meant to be one.
pub(super) fn rate_hz(frames: u64, duration_s: f64) -> Option<f64> {
    let rate = frames as f64 / duration_s;
    let whole = rate.round();
    let meant = if (rate - whole).abs() <= 1e-4 * whole {
        whole
    } else {
        rate
    };
    Some(meant).filter(|r| frames > 0 && r.is_finite() && *r > 0.0)
}
