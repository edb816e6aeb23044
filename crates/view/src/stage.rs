//! What there is to see.

use crate::Color;
use glam::{DVec2, DVec3};
use toile_geometry::Bounds;

/// A triangle surface, seen from both sides.
///
/// Faces that name a missing vertex, or a vertex that is not finite, are not drawn: one bad
/// particle must not cost a whole film.
#[derive(Clone, Debug)]
pub struct Surface<'a> {
    /// Vertex positions in metres.
    pub positions: &'a [DVec3],
    /// Three vertex indices a face, counter-clockwise seen from the front.
    pub faces: &'a [[u32; 3]],
    /// Colour of the front.
    pub front: Color,
    /// Colour of the back.
    pub back: Color,
    /// Whether shading flows across edges, or each face is flat.
    pub smooth: bool,
    /// A colour for each vertex, instead of `front` and `back`; ignored unless there are as
    /// many as vertices.
    pub colors: Option<&'a [Color]>,
    /// A faint woven texture.
    pub weave: Option<Weave<'a>>,
    /// Thickness that is seen at the border.
    pub rim: Option<Rim<'a>>,
    /// Whether the edges of faces are drawn as fine lines.
    pub wireframe: bool,
}

/// A faint woven texture.
#[derive(Clone, Copy, Debug)]
pub struct Weave<'a> {
    /// Pattern coordinates of each vertex in metres; ignored unless there are as many as
    /// vertices.
    pub uv: &'a [DVec2],
    /// Distance from one thread to the next in metres.
    pub pitch_m: f64,
}

/// The border of a surface, drawn as a narrow band across it: without it, cloth seen from the side
/// would have no thickness at all.
#[derive(Clone, Copy, Debug)]
pub struct Rim<'a> {
    /// Edges of the border by their ends, in the order in which the face beside them has these;
    /// those with a missing end are not drawn.
    pub edges: &'a [[u32; 2]],
    /// Width of the band in metres.
    pub thickness_m: f64,
}

/// The floor: a level plane that goes on for ever and fades into the background.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ground {
    /// Height in metres.
    pub height_m: f64,
}

/// Everything a picture shows.
#[derive(Clone, Debug)]
pub struct Stage<'a> {
    /// Cloths and colliders.
    pub surfaces: Vec<Surface<'a>>,
    /// The floor, if there is one.
    pub ground: Option<Ground>,
    /// Colour behind everything; the floor takes it on too.
    pub background: Color,
    /// The way from the scene to the key light; `None` puts it over the camera's left shoulder.
    pub light: Option<DVec3>,
}

impl<'a> Surface<'a> {
    /// A cloth: smooth, with a lighter back so that both sides are told apart.
    pub fn cloth(positions: &'a [DVec3], faces: &'a [[u32; 3]]) -> Self {
        Self {
            positions,
            faces,
            front: Color::srgb(0xb0523f),
            back: Color::srgb(0xdcc09a),
            smooth: true,
            colors: None,
            weave: None,
            rim: None,
            wireframe: false,
        }
    }

    /// A solid body: smooth, matte and pale grey, so that the cloth stands out.
    pub fn solid(positions: &'a [DVec3], faces: &'a [[u32; 3]]) -> Self {
        let clay = Color::srgb(0xa9a7a2);
        Self {
            front: clay,
            back: clay,
            ..Self::cloth(positions, faces)
        }
    }
}

impl Default for Stage<'_> {
    fn default() -> Self {
        Self {
            surfaces: Vec::new(),
            ground: None,
            background: Color::srgb(0xd6d6d6),
            light: None,
        }
    }
}

impl Stage<'_> {
    /// The box around all finite vertices.
    pub fn bounds(&self) -> Bounds {
        let points = self.surfaces.iter().flat_map(|s| s.positions);
        Bounds::of(points.filter(|p| p.is_finite()))
    }
}
