//! Colliders as written.

use super::body::BodyMesh;
use super::pin::{Interpolation, Keyframe};
use crate::scene::strict;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A thing cloth meets, still or moved.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Collider {
    /// Its name. Default: `collider`, then `collider-2` and so on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its surface, where it is at the start.
    #[serde(deserialize_with = "strict::table")]
    pub shape: Shape,
    /// Friction coefficient: without unit for `coulomb`, s/m for `viscous`. Default: that of
    /// each cloth's fabric.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub friction: Option<f64>,
    /// What the coefficient means.
    #[serde(default)]
    pub friction_law: FrictionLaw,
    /// Relaxation time of forecasting, s: particles that would be inside after this time are slowed down
    /// so as to come to the surface within it. Not for meshes met by their triangles. Default: none;
    /// they are stopped where the surface is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub forecast_s: Option<f64>,
    /// Moved with this constant velocity, m/s. Excludes `keyframes`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub velocity_m_per_s: Option<[f64; 3]>,
    /// Moved from pose to pose, ascending in time, without scaling. At time 0 the collider is where
    /// it starts; after the last pose it stays.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "strict::tables"
    )]
    pub keyframes: Vec<Keyframe>,
    /// With `keyframes`: the point that turning leaves in place, m. Default: the middle of the
    /// shape.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pivot: Option<[f64; 3]>,
    /// With `keyframes`: the way from one pose to the next. Default: smooth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interpolation: Option<Interpolation>,
    /// Whether pictures show it; what would hide the cloth, such as the walls of a box, may be
    /// felt without being seen.
    #[serde(default = "yes")]
    pub draw: bool,
}

fn yes() -> bool {
    true
}

/// How a collider resists cloth that slides on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FrictionLaw {
    /// Cloth sticks while the force along the surface is below the coefficient times the push of
    /// the collider, and slides against that force otherwise.
    #[default]
    Coulomb,
    /// The force is the coefficient, in s/m, times the push of the collider times the velocity along
    /// the surface; nothing ever sticks.
    Viscous,
}

/// The surface of a collider: exactly one of the shapes.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
pub struct Shape {
    /// A half space, such as a floor.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::optional"
    )]
    pub plane: Option<HalfSpace>,
    /// A ball.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::optional"
    )]
    pub sphere: Option<Sphere>,
    /// A rod with round ends.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::optional"
    )]
    pub capsule: Option<Capsule>,
    /// A box along the axes; turn it with `keyframes`.
    #[serde(
        rename = "box",
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::optional"
    )]
    pub cuboid: Option<Cuboid>,
    /// A rod with flat ends.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::optional"
    )]
    pub cylinder: Option<Cylinder>,
    /// A ring.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::optional"
    )]
    pub torus: Option<Torus>,
    /// Several shapes as one, with fillets where they meet.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::optional"
    )]
    pub union: Option<Union>,
    /// A mesh from a file, still or animated. Cloth meets its triangles, whatever `[contact]` says
    /// of cloth and cloth, or its signed distance.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::optional"
    )]
    pub mesh: Option<BodyMesh>,
}

impl Shape {
    /// Whether it is a mesh and nothing else.
    pub fn is_body(&self) -> bool {
        let mesh = self.mesh.clone();
        mesh.is_some()
            && *self
                == Self {
                    mesh,
                    ..Self::default()
                }
    }
}

/// A half space: everything behind a plane is solid.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HalfSpace {
    /// Direction of the free side; any length.
    pub normal: [f64; 3],
    /// Distance of the plane from the origin along the normal, m.
    #[serde(default)]
    pub offset_m: f64,
}

/// A solid ball.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sphere {
    /// Middle, m.
    pub center: [f64; 3],
    /// Radius, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub radius_m: f64,
}

/// A rod with round ends: all points within a distance of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Capsule {
    /// Middle of one end, m.
    pub from: [f64; 3],
    /// Middle of the other, m; the same makes a ball.
    pub to: [f64; 3],
    /// Radius, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub radius_m: f64,
}

/// A box with round edges.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cuboid {
    /// Middle, m.
    pub center: [f64; 3],
    /// Size along x, y and z, m.
    pub size_m: [f64; 3],
    /// Radius of its edges, m, at most half the smallest size. The smaller it is, the further cloth
    /// keeps away, so that the edges do not show between its particles: by its longest link
    /// squared over eight radii, at most half a link. Default: 0.01, or less for what is smaller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub radius_m: Option<f64>,
}

/// A rod with flat ends and round rims.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cylinder {
    /// Middle of one end, m.
    pub from: [f64; 3],
    /// Middle of the other, m.
    pub to: [f64; 3],
    /// Radius, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub radius_m: f64,
    /// Radius of its rims, m, at most the radius and half the length; see that of a box. Default:
    /// 0.01, or less for what is smaller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub edge_radius_m: Option<f64>,
}

/// A ring: a tube around a circle.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Torus {
    /// Middle, m.
    pub center: [f64; 3],
    /// Normal of the circle's plane; any length.
    #[serde(default = "up")]
    pub axis: [f64; 3],
    /// Radius of the circle, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub ring_m: f64,
    /// Radius of the tube, m, less than that of the circle.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tube_m: f64,
}

fn up() -> [f64; 3] {
    [0.0, 1.0, 0.0]
}

/// Several shapes as one, with fillets where they meet.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Union {
    /// Shapes whose distances from a point differ by less than this are blended there, m; fillets
    /// are up to a quarter of it thick. 0 leaves sharp creases.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub blend_m: f64,
    /// The shapes.
    #[schemars(length(min = 1))]
    #[serde(deserialize_with = "strict::tables")]
    pub of: Vec<Shape>,
}
