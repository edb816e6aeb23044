//! A collider: a shape, how it moves, and how it resists cloth that slides on it.

use super::{Passage, Shape, Surface};
use crate::constraints::motion::{Motion, Pose};
use crate::error::BuildError;
use glam::DVec3;

/// A thing cloth meets.
#[derive(Clone, Debug, PartialEq)]
pub struct ColliderSpec {
    /// Its surface.
    pub shape: Shape,
    /// How it moves; as a rigid whole, so without scaling.
    pub motion: Motion,
    /// Friction coefficient against cloth, in the units of the law.
    pub friction: f64,
    /// What the coefficient means.
    pub friction_law: FrictionLaw,
    /// Relaxation time of forecasting, s: what would be inside after it is slowed down, so as to be on
    /// the surface then; `None` stops it when it is there. Less than a step is a step.
    pub forecast_s: Option<f64>,
    /// Whether pictures show it; nothing else depends on it.
    pub drawn: bool,
}

/// How a collider resists cloth that slides on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrictionLaw {
    /// Coulomb's: cloth sticks up to `μ` times the push, and slides against as much. `μ` has no
    /// unit.
    #[default]
    Coulomb,
    /// That of *Stable but Responsive Cloth*: the force is `c` times the push times the velocity
    /// along the surface, with `c` in s/m. Nothing ever sticks.
    Viscous,
}

impl ColliderSpec {
    /// A still collider with Coulomb friction.
    pub fn new(shape: Shape, friction: f64) -> Self {
        Self {
            shape,
            motion: Motion::Still,
            friction,
            friction_law: FrictionLaw::Coulomb,
            forecast_s: None,
            drawn: true,
        }
    }

    /// Its place at a time, relative to the start.
    pub fn pose(&self, time_s: f64) -> Pose {
        self.motion.pose(time_s, self.shape.middle())
    }

    /// Signed distance and outward normal at `point` at a time.
    pub fn surface(&self, point: DVec3, time_s: f64) -> Surface {
        match &self.shape {
            Shape::LevelSet(_) => Passage::new(self, time_s, time_s).surface(self, point),
            _ => self.surface_in(&self.pose(time_s), point),
        }
    }

    /// How deep the deepest of some points is inside of it at a time, m; 0 when none is. In what is made
    /// of triangles, that is measured against the triangles.
    pub fn deepest_m(&self, points: &[DVec3], time_s: f64) -> f64 {
        let pose = self.pose(time_s);
        match &self.shape {
            Shape::LevelSet(solid) => {
                let depths = solid.depths(time_s);
                let each = points.iter().map(|p| depths.depth_m(pose.unplace(*p)));
                each.fold(0.0, f64::max)
            }
            _ => {
                let distances = points.iter().map(|p| self.surface_in(&pose, *p).distance_m);
                distances.fold(0.0, |deepest, distance| deepest.max(-distance))
            }
        }
    }

    /// The same in a pose; of what is animated, as it is at the start.
    pub fn surface_in(&self, pose: &Pose, point: DVec3) -> Surface {
        let surface = self.shape.surface(pose.unplace(point));
        Surface {
            normal: pose.turn(surface.normal),
            ..surface
        }
    }

    /// Refuses what is no collider; keys are named as in scene files.
    pub(crate) fn validate(&self) -> Result<(), BuildError> {
        self.shape.validate().map_err(|e| e.under("shape"))?;
        self.motion.validate_rigid()?;
        if !(self.friction.is_finite() && self.friction >= 0.0) {
            return Err(BuildError {
                key: "friction".into(),
                message: "expected a number of at least 0".into(),
            });
        }
        if self.forecast_s.is_some_and(|s| !(s.is_finite() && s > 0.0)) {
            return Err(BuildError {
                key: "forecast_s".into(),
                message: "expected a positive number".into(),
            });
        }
        if let Shape::LevelSet(solid) = &self.shape
            && solid.frames().is_some()
            && self.motion != Motion::Still
        {
            return Err(BuildError {
                key: "shape.mesh.frames".into(),
                message: "a body that is animated is not moved besides".into(),
            });
        }
        Ok(())
    }
}
