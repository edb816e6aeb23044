//! The mesh of a simulation.

use super::mesh::plain_name;
use super::{Channels, Header, Part, UpAxis};
use std::ops::Range;
use toile_geometry::Subdivision;
use toile_sim::Model;

impl Header {
    /// What `model` writes at so many frames a second: vertices are its particles in their order,
    /// parts what deforms, texture coordinates the pattern's, and rest is where it starts.
    pub fn of(model: &Model, frame_rate_hz: f64) -> Self {
        let part = |cloth: &toile_sim::model::Deformable| Part {
            name: plain_name(&cloth.name),
            vertices: cloth.particles.clone(),
            faces: cloth.faces.clone(),
        };
        let (uvs, rest) = (&model.pattern_positions(), &model.start_positions);
        Self {
            vertices: model.particles(),
            faces: model.mesh.faces.iter().copied().collect(),
            parts: model.deformables.iter().map(part).collect(),
            uvs: uvs.iter().map(|uv| uv.as_vec2()).collect(),
            rest: rest.iter().map(|p| p.as_vec3()).collect(),
            channels: Channels {
                velocities: true,
                ..Channels::default()
            },
            frame_rate_hz: Some(frame_rate_hz),
            first_frame: 0,
            up: Some(UpAxis::Y),
            metres_per_unit: Some(1.0),
        }
    }

    /// The same of the finer mesh that `subdivision` makes of the model's. Texture coordinates are
    /// smoothed as positions are, so that a flat cloth keeps its texture as it is.
    pub fn finer(model: &Model, frame_rate_hz: f64, subdivision: &Subdivision) -> Self {
        let coarse = Self::of(model, frame_rate_hz);
        let mesh = subdivision.mesh();
        let ranges = mesh.vertices.iter().zip(&mesh.triangles);
        let part = |(part, (vertices, faces)): (Part, (&Range<usize>, &Range<usize>))| Part {
            vertices: vertices.clone(),
            faces: faces.clone(),
            ..part
        };
        let uvs = subdivision.smooth(&model.pattern_positions());
        let rest = subdivision.smooth(&model.start_positions);
        Self {
            vertices: subdivision.vertices(),
            faces: mesh.faces.iter().copied().collect(),
            parts: coarse.parts.into_iter().zip(ranges).map(part).collect(),
            uvs: uvs.iter().map(|uv| uv.as_vec2()).collect(),
            rest: rest.iter().map(|p| p.as_vec3()).collect(),
            ..coarse
        }
    }
}
