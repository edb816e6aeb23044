//! Cloths of simple shapes as written: tubes, ribbons, turned surfaces.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A tube, sewn from a flat strip; warp goes around it, weft along the axis. The front is outside.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tube {
    /// Its radius, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub radius_m: f64,
    /// Its length, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub length_m: f64,
    /// Particles around it, at least 3, and rings of them along it, at least 2.
    pub particles: [u32; 2],
    /// World position of the middle, m.
    #[serde(default)]
    pub center: [f64; 3],
    /// World direction of its axis; any length.
    #[serde(default = "up")]
    pub axis: [f64; 3],
}

/// A ribbon along a path; warp goes along it. At rest it is flat and straight.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ribbon {
    /// Points that the middle line goes through, smoothly, m. The ribbon is as long as that line.
    #[schemars(length(min = 2))]
    pub path: Vec<[f64; 3]>,
    /// Its width, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub width_m: f64,
    /// World direction that the width lies along, as far as it is at a right angle to the path; in
    /// bends along that direction the ribbon leans.
    #[serde(default = "towards_viewer")]
    pub across: [f64; 3],
    /// Particles along the path and across it, at least 2 each.
    pub particles: [u32; 2],
}

/// A profile turned about an axis, smooth, with lobes if wished; every triangle is at rest as it
/// is. With `rest_angles = "start"` so are the angles between them. The front is outside. Warp runs along
/// the profile, weft around the axis.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lathe {
    /// Points that the outline goes through, smoothly: distance from the axis and height, m. Where
    /// it starts or ends with distance 0, the surface is closed; elsewhere it is open.
    #[schemars(length(min = 2))]
    pub profile: Vec<[f64; 2]>,
    /// Wished distance of neighbouring particles, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub spacing_m: f64,
    /// Number of lobes around the axis.
    #[serde(default)]
    #[schemars(range(max = 1000))]
    pub lobes: u32,
    /// With `lobes`: how much nearer to the axis than the profile the valleys between them are, as
    /// a share of the distance, below 1.
    #[serde(default)]
    #[schemars(range(min = 0), extend("exclusiveMaximum" = 1))]
    pub lobe_depth: f64,
    /// World position of the axis at height 0, m.
    #[serde(default)]
    pub center: [f64; 3],
    /// World direction of its axis, in which heights are counted; any length.
    #[serde(default = "up")]
    pub axis: [f64; 3],
}

fn up() -> [f64; 3] {
    [0.0, 1.0, 0.0]
}

fn towards_viewer() -> [f64; 3] {
    [0.0, 0.0, 1.0]
}
