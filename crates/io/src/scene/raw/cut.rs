//! Shapes of cloths as written.

use super::UpAxis;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Size, particles and place of a rectangular cloth. u is warp, v is weft.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Grid {
    /// Extent along u and v, m.
    pub size_m: [f64; 2],
    /// Particles along u and v; at least 2 each.
    pub particles: [u32; 2],
    /// World position of the middle, m.
    #[serde(default)]
    pub center: [f64; 3],
    /// The plane it starts in.
    #[serde(default)]
    pub plane: Plane,
    /// Turned about its middle by these angles around world x, then y, then z, degrees.
    #[serde(default)]
    pub rotation_deg: [f64; 3],
    /// Starts bent along u with this curvature, 1/m; positive bends its front outwards. With
    /// `rest_angles = "start"` that is its shape at rest.
    #[serde(default)]
    pub curvature_per_m: f64,
}

/// The plane a cloth starts in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Plane {
    /// u along +x, v along −z; the front looks up.
    #[default]
    Horizontal,
    /// u along +x, v along +y; the front looks along +z.
    Vertical,
}

/// A mesh from a file.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mesh {
    /// An .obj, .ply, .gltf, .glb or .stl file; a relative name is looked for beside the scene.
    pub file: String,
    /// Length of the file's unit, m. Default: as the file says, or metres.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metres_per_unit: Option<f64>,
    /// Which axis of the file points up. Default: as the file says, or y.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up: Option<UpAxis>,
    /// Distance within which vertices become one, m. Default: a millionth of the mesh's size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weld_m: Option<f64>,
    /// Moved by this after turning, m.
    #[serde(default)]
    pub offset_m: [f64; 3],
    /// Turned about the origin by these angles around world x, then y, then z, degrees.
    #[serde(default)]
    pub rotation_deg: [f64; 3],
    /// What it is like at rest.
    #[serde(default)]
    pub rest: Rest,
    /// With texture coordinates as pattern: length of their unit, m. Default: so long that the
    /// pattern has the mesh's area.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uv_metres_per_unit: Option<f64>,
    /// Without texture coordinates: the world direction that warp follows on the mesh.
    #[serde(default = "along_y")]
    pub warp: [f64; 3],
}

/// What a mesh is like at rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rest {
    /// As its texture coordinates say if it has any that can be a pattern, else as `shape`.
    #[default]
    Auto,
    /// Cut from its texture coordinates.
    Uv,
    /// Every piece laid flat with as little change of lengths as possible.
    Flatten,
    /// Every triangle as it is.
    Shape,
}

fn along_y() -> [f64; 3] {
    [0.0, 1.0, 0.0]
}

/// A round cloth that starts flat; warp is along +x, weft along −z.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Disc {
    /// Its radius, m.
    pub radius_m: f64,
    /// Wished distance of neighbouring particles, m.
    pub spacing_m: f64,
    /// World position of the middle, m.
    #[serde(default)]
    pub center: [f64; 3],
}
