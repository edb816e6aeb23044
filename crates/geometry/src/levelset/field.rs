//! What every distance field answers.

use super::Stencil;
use crate::Bounds;
use glam::DVec3;

/// A signed distance, negative inside.
pub trait Field: Sync {
    /// The box in which the field is stored. Beyond it, the distance to the box is added to the
    /// field at the box's nearest point, which is never less than the true distance.
    fn bounds(&self) -> Bounds;

    /// Signed distance, m.
    fn distance_m(&self, point: DVec3) -> f64;

    /// Velocity of the surface's closest point, carried off the surface, m/s; zero for what is still.
    fn velocity(&self, point: DVec3) -> DVec3;

    /// Length over which differences make sense at a point: its cell's size, m.
    fn cell_m(&self, point: DVec3) -> f64;

    /// Gradient of the distance, with differences over half a cell, not normalised: shorter than 1
    /// across a kink.
    ///
    /// Between nodes, a field's slope along an axis jumps from cell to cell; two halves make it the mean
    /// over one cell around the point, which is continuous, and of second order as the field is.
    fn gradient(&self, stencil: Stencil, point: DVec3) -> DVec3 {
        stencil.gradient(0.5 * self.cell_m(point), point, |p| self.distance_m(p))
    }

    /// All of it at once, the gradient by central differences.
    fn sample(&self, point: DVec3) -> Sample {
        Sample {
            distance_m: self.distance_m(point),
            gradient: self.gradient(Stencil::Central, point),
            velocity: self.velocity(point),
        }
    }
}

/// A field at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Signed distance, m.
    pub distance_m: f64,
    /// Its gradient, not normalised.
    pub gradient: DVec3,
    /// Velocity of the surface, m/s.
    pub velocity: DVec3,
}

impl Sample {
    /// Outward unit normal; zero where the gradient is.
    pub fn normal(&self) -> DVec3 {
        self.gradient.normalize_or_zero()
    }
}

/// What leads to a field is one.
macro_rules! forward {
    ($($parameters:tt)*) => {
        $($parameters)* {
            fn bounds(&self) -> Bounds {
                (**self).bounds()
            }

            fn distance_m(&self, point: DVec3) -> f64 {
                (**self).distance_m(point)
            }

            fn velocity(&self, point: DVec3) -> DVec3 {
                (**self).velocity(point)
            }

            fn cell_m(&self, point: DVec3) -> f64 {
                (**self).cell_m(point)
            }

            fn gradient(&self, stencil: Stencil, point: DVec3) -> DVec3 {
                (**self).gradient(stencil, point)
            }
        }
    };
}

forward!(impl<F: Field + ?Sized> Field for &F);
forward!(impl<F: Field + ?Sized + Send> Field for std::sync::Arc<F>);
