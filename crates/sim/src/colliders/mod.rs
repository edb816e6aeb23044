//! Things cloth meets: solid shapes as signed distances, and how they move.
//!
//! Verified by: `tests/colliders.rs`, `tests/moving_colliders.rs`, `tests/level_sets.rs`.

mod capsule;
mod collider;
mod cuboid;
mod cylinder;
mod level_set;
mod passage;
mod plane;
mod sphere;
mod torus;
mod union;
mod validate;

pub use collider::{ColliderSpec, FrictionLaw};
pub use level_set::{FieldAt, LevelSet, Sampling};
pub use passage::Passage;

use cylinder::Cylinder;
use glam::DVec3;
use torus::Torus;

/// Radius of edges that are not said to have another, m. Cloth cannot follow a sharp edge: its
/// particles would pass on both sides, and the edge between them.
pub const EDGE_RADIUS_M: f64 = 0.01;

/// The surface of a collider, where it stands at the start.
#[derive(Clone, Debug, PartialEq)]
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
    /// A rod with round ends.
    Capsule {
        /// Middle of one end, m.
        from: DVec3,
        /// Middle of the other, m; the same makes a ball.
        to: DVec3,
        /// Radius, m.
        radius_m: f64,
    },
    /// A box with its sides along the axes.
    Cuboid {
        /// Middle, m.
        center: DVec3,
        /// Size along x, y and z, m.
        size_m: DVec3,
        /// Radius of its edges, m, at most half the smallest size; they round off what the size
        /// says. Sharp ones cut into cloth between its particles.
        radius_m: f64,
    },
    /// A rod with flat ends.
    Cylinder {
        /// Middle of one end, m.
        from: DVec3,
        /// Middle of the other, m.
        to: DVec3,
        /// Radius, m.
        radius_m: f64,
        /// Radius of its rims, m, at most the radius and half the length.
        edge_radius_m: f64,
    },
    /// A ring.
    Torus {
        /// Middle, m.
        center: DVec3,
        /// Unit normal of the ring's plane.
        axis: DVec3,
        /// Radius of the circle in the middle of the tube, m.
        ring_m: f64,
        /// Radius of the tube, m, less than that of the ring.
        tube_m: f64,
    },
    /// Several shapes as one, with fillets where they meet.
    Union {
        /// Shapes whose distances differ by less than this are blended, m; a fillet is up to a
        /// quarter of it thick.
        blend_m: f64,
        /// The shapes.
        of: Vec<Shape>,
    },
    /// A closed mesh as a field of distances.
    LevelSet(LevelSet),
}

/// The surface as seen from a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// Signed distance, m; negative inside. Near the fillets of a union it is a lower bound.
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
            Self::Capsule { from, to, radius_m } => capsule::surface(from, to, radius_m, point),
            Self::Cuboid {
                center,
                size_m,
                radius_m,
            } => cuboid::surface(center, size_m, radius_m, point),
            Self::Cylinder {
                from,
                to,
                radius_m,
                edge_radius_m,
            } => {
                let cylinder = Cylinder {
                    from,
                    to,
                    radius_m,
                    edge_radius_m,
                };
                cylinder::surface(&cylinder, point)
            }
            Self::Torus {
                center,
                axis,
                ring_m,
                tube_m,
            } => {
                let torus = Torus {
                    center,
                    axis,
                    ring_m,
                    tube_m,
                };
                torus::surface(&torus, point)
            }
            Self::Union { blend_m, ref of } => union::surface(blend_m, of, point),
            Self::LevelSet(ref solid) => level_set::surface(&solid.at(0.0), point),
        }
    }

    /// Its middle, which it turns about unless something else is asked for; of a plane, the point
    /// nearest to the origin.
    pub fn middle(&self) -> DVec3 {
        match *self {
            Self::Plane { normal, offset_m } => offset_m * normal,
            Self::Sphere { center, .. }
            | Self::Cuboid { center, .. }
            | Self::Torus { center, .. } => center,
            Self::Capsule { from, to, .. } | Self::Cylinder { from, to, .. } => from.midpoint(to),
            Self::Union { ref of, .. } => {
                of.iter().map(Self::middle).sum::<DVec3>() / of.len().max(1) as f64
            }
            Self::LevelSet(ref solid) => solid.mesh().bounds().center(),
        }
    }

    /// Height by which a straight link of this length between two points of the surface can cut
    /// into it, m: that of the smallest radius at which it bulges.
    ///
    /// It falls off with the radius, but never beyond half the link. A box keeps cloth away from
    /// its flat sides as its edges need it: round edges keep it nearer. A level set has its own margin
    /// instead.
    pub fn sagitta_m(&self, link_m: f64) -> f64 {
        let of_radius = |radius_m: f64| (link_m * link_m / (8.0 * radius_m)).min(0.5 * link_m);
        match *self {
            Self::Plane { .. } => 0.0,
            Self::Sphere { radius_m, .. }
            | Self::Capsule { radius_m, .. }
            | Self::Cuboid { radius_m, .. } => of_radius(radius_m),
            Self::Cylinder { edge_radius_m, .. } => of_radius(edge_radius_m),
            Self::Torus { tube_m, .. } => of_radius(tube_m),
            // Fillets are hollow.
            Self::Union { ref of, .. } => {
                let each = of.iter().map(|shape| shape.sagitta_m(link_m));
                each.fold(0.0, f64::max)
            }
            Self::LevelSet(ref solid) => solid.sampling().margin_m,
        }
    }
}

/// Height along a unit axis, distance from it, and the unit direction away from it; on the axis,
/// any direction across it.
fn about(axis: DVec3, from_middle: DVec3) -> (f64, f64, DVec3) {
    let height = from_middle.dot(axis);
    // Near the axis the first difference is mostly rounding, which need not be across.
    let across = from_middle - height * axis;
    let across = across - across.dot(axis) * axis;
    let radius = across.length();
    if radius > 1e-14 * height.abs() {
        (height, radius, across / radius)
    } else {
        (height, 0.0, axis.any_orthonormal_vector())
    }
}
