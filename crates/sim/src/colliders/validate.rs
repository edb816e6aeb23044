//! What is no shape; keys are named as in scene files.

use super::Shape;
use crate::error::BuildError;
use glam::DVec3;

impl Shape {
    /// Refuses what has no inside, no outside, or crosses itself.
    pub(crate) fn validate(&self) -> Result<(), BuildError> {
        match *self {
            Self::Plane { normal, offset_m } => {
                unit("plane.normal", normal)?;
                finite("plane.offset_m", DVec3::splat(offset_m))
            }
            Self::Sphere { center, radius_m } => {
                finite("sphere.center", center)?;
                positive("sphere.radius_m", radius_m)
            }
            Self::Capsule { from, to, radius_m } => {
                finite("capsule.from", from)?;
                finite("capsule.to", to)?;
                positive("capsule.radius_m", radius_m)
            }
            Self::Cuboid {
                center,
                size_m,
                radius_m,
            } => {
                finite("box.center", center)?;
                finite("box.size_m", size_m)?;
                positive("box.size_m", size_m.min_element())?;
                edge("box.radius_m", radius_m, 0.5 * size_m.min_element())
            }
            Self::Cylinder {
                from,
                to,
                radius_m,
                edge_radius_m,
            } => {
                finite("cylinder.from", from)?;
                finite("cylinder.to", to)?;
                if from == to {
                    return error("cylinder.to", "expected another place than `from`");
                }
                positive("cylinder.radius_m", radius_m)?;
                let most = radius_m.min(0.5 * from.distance(to));
                edge("cylinder.edge_radius_m", edge_radius_m, most)
            }
            Self::Torus {
                center,
                axis,
                ring_m,
                tube_m,
            } => {
                finite("torus.center", center)?;
                unit("torus.axis", axis)?;
                positive("torus.ring_m", ring_m)?;
                positive("torus.tube_m", tube_m)?;
                if tube_m >= ring_m {
                    return error("torus.tube_m", "expected less than `ring_m`");
                }
                Ok(())
            }
            Self::Union { blend_m, ref of } => {
                if !(blend_m.is_finite() && blend_m >= 0.0) {
                    return error("union.blend_m", "expected a number of at least 0");
                }
                if of.is_empty() {
                    return error("union.of", "expected at least one shape");
                }
                for (k, shape) in of.iter().enumerate() {
                    shape
                        .validate()
                        .map_err(|e| e.under(&format!("union.of[{k}]")))?;
                }
                Ok(())
            }
            Self::LevelSet(ref solid) => solid.validate(),
        }
    }
}

fn error(key: &str, message: &str) -> Result<(), BuildError> {
    Err(BuildError {
        key: key.into(),
        message: message.into(),
    })
}

fn finite(key: &str, vector: DVec3) -> Result<(), BuildError> {
    if vector.is_finite() {
        return Ok(());
    }
    error(key, "expected finite numbers")
}

fn positive(key: &str, value: f64) -> Result<(), BuildError> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    error(key, "expected a positive number")
}

fn unit(key: &str, vector: DVec3) -> Result<(), BuildError> {
    if vector.is_normalized() {
        return Ok(());
    }
    error(key, "expected a unit vector")
}

fn edge(key: &str, radius_m: f64, most_m: f64) -> Result<(), BuildError> {
    if (0.0..=most_m).contains(&radius_m) {
        return Ok(());
    }
    let message = format!("expected 0 to {most_m}, where the edges meet");
    error(key, &message)
}
