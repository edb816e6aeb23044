//! Pins as written.

use crate::scene::strict;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A group of particles held where they start, or moved: exactly one of `indices`, `box`,
/// `ball`, `corners`, `borders` and `group`. A particle that several pins name belongs to the first.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("oneOf" = [
    { "required": ["indices"] },
    { "required": ["box"] },
    { "required": ["ball"] },
    { "required": ["corners"] },
    { "required": ["borders"] },
    { "required": ["group"] }
]))]
pub struct Pin {
    /// Particles by index: row · columns + column, from the corner of lowest u and v.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indices: Option<Vec<u32>>,
    /// All particles that start inside this box.
    #[serde(
        rename = "box",
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::optional"
    )]
    pub region: Option<Region>,
    /// All particles that start inside this ball.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::optional"
    )]
    pub ball: Option<Ball>,
    /// Corners of the cloth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub corners: Option<Vec<Corner>>,
    /// With `corners`: side of the square held at each corner, m; 0 holds one particle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch_m: Option<f64>,
    /// Whole sides of the cloth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub borders: Option<Vec<Border>>,
    /// All particles of a named set of the mesh's faces: an object, group or material.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Moved with this constant velocity, m/s. Excludes `keyframes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub velocity_m_per_s: Option<[f64; 3]>,
    /// Moved from pose to pose, ascending in time. At time 0 the group is where it starts; after
    /// the last pose it stays.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "strict::tables"
    )]
    pub keyframes: Vec<Keyframe>,
    /// With `keyframes`: the point that turning and scaling leave in place, m. Default: the middle
    /// of the group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pivot: Option<[f64; 3]>,
    /// With `keyframes`: the way from one pose to the next. Default: smooth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interpolation: Option<Interpolation>,
    /// The particles slide freely along this direction and are held across it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub free_axis: Option<[f64; 3]>,
    /// The particles are held along this direction alone and slide freely across it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold_normal: Option<[f64; 3]>,
    /// Stiffness of a spring that draws each particle to its place, N/m, instead of holding it
    /// there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub soft_n_per_m: Option<f64>,
    /// When the particles are let go, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub release_s: Option<f64>,
}

/// The pose of a group of pinned particles or of a collider at one time, relative to its start:
/// scaled, then turned about the pivot, then shifted.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Keyframe {
    /// When, s.
    pub time_s: f64,
    /// Shift, m.
    #[serde(default)]
    pub offset_m: [f64; 3],
    /// Axis of the turn; any length.
    #[serde(default = "default_axis")]
    pub axis: [f64; 3],
    /// Angle of the turn, degrees; more than 360 makes several turns.
    #[serde(default)]
    pub angle_deg: f64,
    /// Factors along x, y and z by which the group is spread or gathered; a collider keeps its size.
    #[serde(default = "default_scale")]
    pub scale: [f64; 3],
}

fn default_axis() -> [f64; 3] {
    [0.0, 1.0, 0.0]
}

fn default_scale() -> [f64; 3] {
    [1.0; 3]
}

/// The way from one pose to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Interpolation {
    /// Starting and ending at rest.
    #[default]
    Smooth,
    /// At constant speed, with a jerk at every pose.
    Linear,
}

/// A world-space box.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// Lowest corner, m.
    pub min: [f64; 3],
    /// Highest corner, m.
    pub max: [f64; 3],
}

/// A ball in the world.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ball {
    /// Its middle, m.
    pub center: [f64; 3],
    /// Its radius, m.
    pub radius_m: f64,
}

/// A corner of a cloth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[expect(
    clippy::enum_variant_names,
    reason = "a corner is one end of u and one of v"
)]
pub enum Corner {
    UMinVMin,
    UMaxVMin,
    UMinVMax,
    UMaxVMax,
}

/// A side of a cloth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Border {
    UMin,
    UMax,
    VMin,
    VMax,
}
