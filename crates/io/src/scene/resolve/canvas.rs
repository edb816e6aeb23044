//! What can be painted on: triangles that have places in a picture, or colours at their corners.

use super::{Checked, cut};
use crate::scene::error::Fault;
use crate::scene::{key, raw};
use crate::surface::SurfaceFile;
use crate::texture::Texture;
use glam::DVec2;
use std::path::Path;

/// Triangles that can be painted on; nothing can be painted on the default.
#[derive(Clone, Debug, Default)]
pub(super) struct Canvas {
    /// Where the corners of every triangle are in a picture.
    uvs: Option<Vec<[DVec2; 3]>>,
    /// Red, green, blue and opacity of every triangle: the mean of its corners.
    colours: Option<Vec<[f64; 4]>>,
}

impl Canvas {
    /// The triangles of a file, in its order.
    pub(super) fn of_file(file: &SurfaceFile) -> Self {
        let mean = |colours: &Vec<[f32; 4]>, face: &[u32; 3]| {
            [0, 1, 2, 3].map(|channel| {
                let at = |vertex: u32| f64::from(colours[vertex as usize][channel]);
                face.map(at).iter().sum::<f64>() / 3.0
            })
        };
        let faces = || file.triangles.iter();
        let colours = file.colours.as_ref();
        Self {
            uvs: file.uvs.clone(),
            colours: colours.map(|colours| faces().map(|face| mean(colours, face)).collect()),
        }
    }

    /// The triangles of a cloth. A picture is spread over the pattern of one that has no file.
    pub(super) fn of_cloth(shape: &cut::Shape) -> Self {
        if let Some(file) = &shape.file {
            return Self::of_file(file);
        }
        let surface = shape.surface();
        let rest = &surface.rest;
        let corners = || rest.iter().flatten();
        let low = corners().fold(DVec2::INFINITY, |a, b| a.min(*b));
        let high = corners().fold(DVec2::NEG_INFINITY, |a, b| a.max(*b));
        let spread = |face: &[DVec2; 3]| face.map(|p| (p - low) / (high - low));
        Self {
            uvs: Some(rest.iter().map(spread).collect()),
            colours: None,
        }
    }

    /// Of these triangles alone.
    pub(super) fn after(self, kept: &[u32]) -> Self {
        fn chosen<T: Copy>(all: &[T], kept: &[u32]) -> Vec<T> {
            kept.iter().map(|k| all[*k as usize]).collect()
        }
        Self {
            uvs: self.uvs.map(|uvs| chosen(&uvs, kept)),
            colours: self.colours.map(|colours| chosen(&colours, kept)),
        }
    }

    /// What a channel of a picture says of every triangle; nothing without texture coordinates.
    pub(super) fn textured(&self, picture: &Texture, channel: raw::Channel) -> Option<Vec<f64>> {
        let uvs = self.uvs.as_ref()?.iter();
        Some(uvs.map(|uv| mean(picture, *uv, channel as usize)).collect())
    }

    /// What a channel of the vertex colours says of every triangle; nothing without colours.
    pub(super) fn coloured(&self, channel: raw::Channel) -> Option<Vec<f64>> {
        let colours = self.colours.as_ref()?.iter();
        Some(colours.map(|colour| colour[channel as usize]).collect())
    }
}

/// Reads the picture called `name` in `folder`, and makes the name whole: a scene that is written
/// elsewhere must find it again.
pub(super) fn picture(path: &key::Path, name: &mut String, folder: &Path) -> Checked<Texture> {
    let file = folder.join(&*name);
    let picture = Texture::read(&file).map_err(|e| Fault::new(path.clone(), e.to_string()))?;
    if let Ok(whole) = file.canonicalize() {
        *name = whole.display().to_string();
    }
    Ok(picture)
}

/// Mean of a channel over a triangle, of three points inside: right for what varies evenly across
/// it, and no other triangle's border is looked at.
fn mean(picture: &Texture, [a, b, c]: [DVec2; 3], channel: usize) -> f64 {
    let middle = (a + b + c) / 3.0;
    let inside = [a, b, c].map(|corner| picture.sample(corner.midpoint(middle), channel));
    inside.iter().sum::<f64>() / 3.0
}
