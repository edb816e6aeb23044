//! Deformation gradients of eight faces at once, in single precision.

use super::eight::LANES;
use glam::{DMat2, DVec3, Vec3};
use wide::f32x8;

/// Faces with the inverses of their edges in the pattern; the last of a group may be there several times.
#[derive(Clone, Debug)]
pub(super) struct EightFaces {
    corners: [[u32; 3]; LANES],
    /// Of the matrix of two edges, column by column.
    inverse: [[f32x8; 2]; 2],
}

/// Eight vectors, coordinate by coordinate.
pub(super) type Vectors = [f32x8; 3];

impl EightFaces {
    /// Groups of eight of the `own` faces, each given with its inverse.
    pub fn groups(own: &[u32], faces: &[[u32; 3]], inverse: impl Fn(u32) -> DMat2) -> Vec<Self> {
        let group = |eight: &[u32]| {
            let last = eight.len() - 1;
            let face = |lane: usize| eight[lane.min(last)];
            let part = |column: usize, row: usize| {
                let value = |lane| inverse(face(lane)).col(column)[row] as f32;
                f32x8::new(std::array::from_fn(value))
            };
            Self {
                corners: std::array::from_fn(|lane| faces[face(lane) as usize]),
                inverse: [0, 1].map(|column| [0, 1].map(|row| part(column, row))),
            }
        };
        own.chunks(LANES).map(group).collect()
    }

    /// The two columns of each gradient, with vertices at `x`.
    #[inline]
    pub fn gradients(&self, x: &[DVec3]) -> [Vectors; 2] {
        let [mut first, mut second] = [[[0.0; LANES]; 3]; 2];
        for (lane, corners) in self.corners.iter().enumerate() {
            let [a, b, c] = corners.map(|corner| x[corner as usize]);
            let (b, c) = ((b - a).as_vec3(), (c - a).as_vec3());
            for k in 0..3 {
                (first[k][lane], second[k][lane]) = (b[k], c[k]);
            }
        }
        let (first, second) = (first.map(f32x8::new), second.map(f32x8::new));
        self.inverse
            .map(|[p, q]| [0, 1, 2].map(|k| p * first[k] + q * second[k]))
    }
}

/// Dot products with one vector.
#[inline]
pub(super) fn dot(a: Vec3, b: &Vectors) -> f32x8 {
    f32x8::splat(a.x) * b[0] + f32x8::splat(a.y) * b[1] + f32x8::splat(a.z) * b[2]
}
