//! Things cloth meets, as signed distances.

mod plane;
mod sphere;

use glam::DVec3;

/// The surface of a collider.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// A half space: everything with `normal · x < offset_m` is inside.
    Plane {
        /// Unit normal, pointing to the free side.
        normal: DVec3,
        /// Distance of the plane from the origin along the normal, m.
        offset_m: f64,
    },
    /// A solid ball.
    Sphere {
        /// Middle, m.
        center: DVec3,
        /// Radius, m.
        radius_m: f64,
    },
}

/// The surface as seen from a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// Signed distance, m; negative inside.
    pub distance_m: f64,
    /// Unit gradient of the distance: the way out.
    pub normal: DVec3,
}

impl Shape {
    /// Signed distance and outward normal at `point`.
    pub fn surface(&self, point: DVec3) -> Surface {
        match *self {
            Self::Plane { normal, offset_m } => plane::surface(normal, offset_m, point),
            Self::Sphere { center, radius_m } => sphere::surface(center, radius_m, point),
        }
    }
}
