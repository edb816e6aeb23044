//! Where and when a cloth differs from its fabric, as written.

use super::{Interpolation, Region};
use crate::scene::strict;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A fold pressed into the cloth: hinges along a line, or given edges, rest at an angle.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("oneOf" = [{ "required": ["from", "to"] }, { "required": ["edges"] }]))]
pub struct Crease {
    /// Start of the line in pattern coordinates u and v, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<[f64; 2]>,
    /// Its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<[f64; 2]>,
    /// Edges by their particles' indices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edges: Option<Vec<[u32; 2]>>,
    /// Angle at rest, degrees: 0 is flat, ±180 folds onto itself; positive folds the fronts apart.
    pub angle_deg: f64,
    /// The angle later on, ascending in time. At time 0 it is `angle_deg`; after the last it stays.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "strict::tables"
    )]
    pub keyframes: Vec<AngleKeyframe>,
    /// With `keyframes`: the way from one to the next. Default: smooth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interpolation: Option<Interpolation>,
}

/// The angle of a crease at one time.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AngleKeyframe {
    /// When, s.
    pub time_s: f64,
    /// Angle at rest, degrees.
    pub angle_deg: f64,
}

/// A value of the material that differs from place to place or over time: multiplied by `factor` in a
/// `box`, in a `group` of the mesh, by a share of it that a `channel` of the vertex colours or of a
/// `texture` gives, or, with none of these, everywhere.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [
    { "required": ["box"] },
    { "required": ["group"] },
    { "required": ["texture"] },
    { "required": ["channel"], "not": { "required": ["texture"] } },
    { "not": { "anyOf": [
        { "required": ["box"] },
        { "required": ["group"] },
        { "required": ["texture"] },
        { "required": ["channel"] }
    ] } }
]))]
pub struct Map {
    /// Which value.
    pub value: Mapped,
    /// What it is multiplied by; with `channel` or `texture`, where that is 1. Default with
    /// `keyframes`: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub factor: Option<f64>,
    /// The factor later on, ascending in time. At time 0 it is `factor`; after the last it stays. Not for
    /// `area-density`.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "strict::tables"
    )]
    pub keyframes: Vec<FactorKeyframe>,
    /// With `keyframes`: the way from one to the next. Default: smooth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interpolation: Option<Interpolation>,
    /// Faces whose middle starts inside this box.
    #[serde(
        default,
        rename = "box",
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::optional"
    )]
    pub region: Option<Region>,
    /// A named set of faces of the mesh: an object, group or material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// A picture in PNG format, read as plain numbers. It lies on the mesh's texture coordinates,
    /// (0, 0) its lower left corner, and repeats beyond (1, 1); on a grid or a disc it fills the
    /// pattern.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub texture: Option<String>,
    /// A channel of the texture, or without one of the mesh's vertex colours. Default with a
    /// texture: red, which in grey pictures is the brightness.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<Channel>,
    /// With `channel` or `texture`: what the value is multiplied by where that is 0. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub factor_at_zero: Option<f64>,
}

/// The factor of a map at one time.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FactorKeyframe {
    /// When, s.
    pub time_s: f64,
    /// What the value is multiplied by.
    pub factor: f64,
}

/// Values of a material that can differ from place to place and over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mapped {
    /// Mass per area.
    AreaDensity,
    /// Stretch stiffness.
    Stretch,
    /// Shear stiffness.
    Shear,
    /// Bending rigidity.
    Bending,
    /// Dampers.
    Damping,
    /// Lengths at rest along warp and weft: cloth that shrinks or grows, and keeps its mass.
    RestLength,
    /// Lengths at rest along warp.
    RestLengthWarp,
    /// Lengths at rest along weft.
    RestLengthWeft,
    /// Angles at which hinges rest: those of creases, and those the cloth starts with.
    RestAngle,
}

/// A channel of colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Channel {
    /// Red.
    Red,
    /// Green.
    Green,
    /// Blue.
    Blue,
    /// Opacity.
    Alpha,
}
