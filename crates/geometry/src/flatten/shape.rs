//! The 3D shape as rest shape.

use super::{FlattenError, Plane, planes};
use crate::TriMesh;
use glam::{DVec2, DVec3};

/// How much of a direction must lie in a triangle's plane to give it an axis.
const LEAST_PART: f64 = 1e-6;

/// Every triangle laid flat on its own, with the edges it has in the world. Its u axis lies along
/// `warp`, or where that is at a right angle to the triangle, along the world's x or y axis.
///
/// Triangles of one plane fit together. Others do not, so every fold counts as a seam, and what
/// bends there must take the angle of the mesh for its angle of rest.
pub fn from_shape(mesh: &TriMesh, warp: DVec3) -> Result<Vec<[DVec2; 3]>, FlattenError> {
    let planes = planes(mesh)?;
    let bounds = mesh.bounds();
    let centre = 0.5 * (bounds.min + bounds.max);
    let warp = warp.normalize_or(DVec3::X);
    // No triangle stands at right angles to both x and y.
    let directions = [warp, DVec3::X, DVec3::Y];
    let lay = |(triangle, plane): (usize, &Plane)| {
        let parts = directions.map(|direction| plane.project(direction));
        let part = parts.into_iter().find(|part| part.length() > LEAST_PART);
        let along = part.unwrap_or(DVec2::X).normalize();
        let u = plane.axes[0] * along.x + plane.axes[1] * along.y;
        let v = plane.axes[1] * along.x - plane.axes[0] * along.y;
        mesh.faces[triangle].map(|vertex| {
            let from_centre = mesh.positions[vertex as usize] - centre;
            DVec2::new(from_centre.dot(u), from_centre.dot(v))
        })
    };
    Ok(planes.iter().enumerate().map(lay).collect())
}
