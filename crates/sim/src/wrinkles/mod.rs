//! Bringing cloth out of a solid without flattening its wrinkles.
//!
//! Projection puts every point that is inside on the surface, and what was a wrinkle is flat. Instead, a
//! monotone map `f` of the distance `φ` brings all that is below a tolerance `τ` into the range from an
//! offset `ε` to `τ`, and every point goes along the normal to where the distance is `f(φ)`:
//!
//! ```text
//! f(φ) = φ                                 φ ≥ τ
//!      = ε + (τ − ε) ((φ + d)/(τ + d))^p   −d < φ < τ,   p = (τ + d)/(τ − ε)
//!      = ε                                 φ ≤ −d
//! ```
//!
//! with `d` the deepest that is expected. `f` and its slope are continuous, and it ascends strictly above
//! `−d`: what is deeper stays deeper.
//!
//! A point pinched between two solids belongs between them and is not moved.
//!
//! Source: *Simulation of Clothing with Folds and Wrinkles*, section 5.3; the map is our own choice.
//! Units: m. Verified by: `tests/wrinkles.rs`.

mod apart;
mod finish;

pub use finish::{Finish, Finished, finer};

use glam::DVec3;
use thiserror::Error;
use toile_geometry::levelset::{Field, Stencil};

/// Moves of a point, at most, until its distance is the one it should have.
const MOST_MOVES: usize = 20;

/// Distance that is the one wished for, m.
const THERE_M: f64 = 1e-9;

/// How wrinkles are kept: the map of distances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keeping {
    tolerance_m: f64,
    offset_m: f64,
    depth_m: f64,
}

/// Why there is no such map.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum KeepingError {
    /// No room above the surface.
    #[error("the offset, {offset_m} m, is not from 0 to less than the tolerance, {tolerance_m} m")]
    Offset {
        /// The offset, m.
        offset_m: f64,
        /// The tolerance, m.
        tolerance_m: f64,
    },
    /// A depth that is none.
    #[error("the depth, {depth_m} m, is not a number of at least 0")]
    Depth {
        /// The depth, m.
        depth_m: f64,
    },
}

impl Keeping {
    /// Brings what is below `tolerance_m` above `offset_m`, expecting nothing below `-depth_m`.
    pub fn new(tolerance_m: f64, offset_m: f64, depth_m: f64) -> Result<Self, KeepingError> {
        // Numbers that are none compare with nothing.
        if !(0.0 <= offset_m && offset_m < tolerance_m && tolerance_m.is_finite()) {
            return Err(KeepingError::Offset {
                offset_m,
                tolerance_m,
            });
        }
        if !(depth_m.is_finite() && depth_m >= 0.0) {
            return Err(KeepingError::Depth { depth_m });
        }
        Ok(Self {
            tolerance_m,
            offset_m,
            depth_m,
        })
    }

    /// Distances above this are left as they are, m.
    pub fn tolerance_m(&self) -> f64 {
        self.tolerance_m
    }

    /// No distance is less than this afterwards, m.
    pub fn offset_m(&self) -> f64 {
        self.offset_m
    }

    /// The deepest that is expected, m.
    pub fn depth_m(&self) -> f64 {
        self.depth_m
    }

    /// The distance that takes the place of another, m.
    pub fn map_m(&self, distance_m: f64) -> f64 {
        if distance_m >= self.tolerance_m {
            return distance_m;
        }
        let room = self.tolerance_m - self.offset_m;
        let span = self.tolerance_m + self.depth_m;
        let share = ((distance_m + self.depth_m) / span).max(0.0);
        self.offset_m + room * share.powf(span / room)
    }

    /// Where a point goes, if it does. Distances above the tolerance and pinched points stay.
    pub fn place(&self, field: &impl Field, point: DVec3, is_pinched: bool) -> Option<DVec3> {
        let distance_m = field.distance_m(point);
        if is_pinched || distance_m >= self.tolerance_m {
            return None;
        }
        Some(on_level(field, point, self.map_m(distance_m)))
    }
}

/// Where plain projection puts a point that is nearer than `offset_m`.
pub fn project(field: &impl Field, point: DVec3, offset_m: f64) -> Option<DVec3> {
    let is_near = field.distance_m(point) < offset_m;
    is_near.then(|| on_level(field, point, offset_m))
}

/// The point along normals whose distance is `level_m`.
pub fn on_level(field: &impl Field, point: DVec3, level_m: f64) -> DVec3 {
    let mut at = point;
    for _ in 0..MOST_MOVES {
        let short = level_m - field.distance_m(at);
        if short.abs() <= THERE_M {
            break;
        }
        let gradient = field.gradient(Stencil::Central, at);
        let Some(normal) = gradient.try_normalize() else {
            break;
        };
        at += short * normal;
    }
    at
}
