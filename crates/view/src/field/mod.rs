//! Quantities of a surface that can be shown in colour: strain, curvature, speed, energy.
//!
//! All are found from positions and pattern coordinates alone, so they can be shown of any mesh
//! that has both, whatever program made it. Values belong to vertices; where a quantity has no
//! value, because a face has no extent or a vertex no face, it is not a number.

mod curvature;
mod energy;
mod gradient;

pub use curvature::curvatures_per_m;
pub use energy::Stiffness;
pub use gradient::Gradient;

use glam::{DVec2, DVec3};

/// A piece of cloth: its faces, and where its vertices are in the flat pattern.
#[derive(Clone, Copy, Debug)]
pub struct Pattern<'a> {
    /// Three vertices a face.
    pub faces: &'a [[u32; 3]],
    /// Pattern coordinates of every vertex in metres: u along warp, v along weft.
    pub uv: &'a [DVec2],
}

impl Pattern<'_> {
    /// The mean of a quantity of the faces around each vertex, weighted with their area in the
    /// pattern. Faces that name a missing vertex, or have no area, do not count.
    pub fn at_vertices(&self, positions: &[DVec3], of: impl Fn(&Gradient) -> f64) -> Vec<f64> {
        let mut sums = vec![[0.0; 2]; positions.len()];
        for face in self.faces {
            let Some(corners) = corners(face, positions).zip(corners(face, self.uv)) else {
                continue;
            };
            let Some((gradient, area_m2)) = Gradient::of(corners.0, corners.1) else {
                continue;
            };
            let value = of(&gradient);
            for &v in face {
                let sum = &mut sums[v as usize];
                *sum = [sum[0] + area_m2 * value, sum[1] + area_m2];
            }
        }
        let mean = |[sum, weight]: [f64; 2]| if weight > 0.0 { sum / weight } else { f64::NAN };
        sums.into_iter().map(mean).collect()
    }
}

/// Speed of every vertex that moved from one place to another in `duration_s`.
pub fn speeds_m_per_s(from: &[DVec3], to: &[DVec3], duration_s: f64) -> Vec<f64> {
    let speed = |(p, q): (&DVec3, &DVec3)| p.distance(*q) / duration_s;
    from.iter().zip(to).map(speed).collect()
}

/// What `list` holds for the corners of a face, if it has all three.
fn corners<T: Copy>(face: &[u32; 3], list: &[T]) -> Option<[T; 3]> {
    let [a, b, c] = face.map(|v| list.get(v as usize).copied());
    Some([a?, b?, c?])
}
