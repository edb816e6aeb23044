//! Bodies made of triangles, as written.

use super::UpAxis;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A solid made of triangles: a still mesh, or an animated one. Cloth stays on the side of it that it
/// starts on. It may cross itself.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("anyOf" = [{ "required": ["file"] }, { "required": ["frames"] }]))]
pub struct BodyMesh {
    /// An .obj, .ply, .gltf, .glb or .stl file; a relative name is looked for beside the scene. With
    /// `frames` it gives the triangles alone, as .pc2 and .mdd need it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Where its vertices are from frame to frame, and on straight lines in between: a .pc2, .mdd,
    /// .glb, .usda or .npz file, or numbered files as `body_####.obj`. After the last frame it stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frames: Option<String>,
    /// With `frames`: frames per second. Default: as the file says, or those of the scene.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub fps: Option<f64>,
    /// Length of the files' unit, m. Default: as they say, or metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub metres_per_unit: Option<f64>,
    /// Which axis of the files points up. Default: as they say, or y.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub up: Option<UpAxis>,
    /// Moved by this after turning, m.
    pub offset_m: [f64; 3],
    /// Turned about the origin by these angles around world x, then y, then z, degrees.
    pub rotation_deg: [f64; 3],
    /// Its own thickness, m: cloth keeps half of it away, besides half of its own.
    #[schemars(range(min = 0))]
    pub thickness_m: f64,
}
