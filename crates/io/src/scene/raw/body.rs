//! Bodies made of triangles, as written.

use super::{Character, Lathe, Repeat, UpAxis};
use crate::scene::strict;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A solid made of triangles: a still mesh, or an animated one. Cloth stays on the side of it that it
/// starts on. It may cross itself.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("anyOf" = [
    { "required": ["file"] }, { "required": ["frames"] }, { "required": ["lathe"] },
    { "required": ["character"] }
]))]
pub struct BodyMesh {
    /// An .obj, .ply, .gltf, .glb or .stl file; a relative name is looked for beside the scene. With
    /// `frames` it gives the triangles, as .pc2 and .mdd need it, and what `settle_s` begins with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// A profile turned about an axis, instead of a file.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::optional"
    )]
    pub lathe: Option<Lathe>,
    /// Where its vertices are from frame to frame, and on straight lines in between: a .pc2, .mdd,
    /// .glb, .usda or .npz file, or numbered files as `body_####.obj`. After the last frame it stays,
    /// unless `loop` says otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frames: Option<String>,
    /// A body with a skeleton, instead of all these.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::optional"
    )]
    pub character: Option<Character>,
    /// With `frames`: frames per second. With a character that is met as a level set: how often its
    /// field is made. Default: as the file says, or those of the scene.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub fps: Option<f64>,
    /// With `frames`: how much of them is cut off at the beginning, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub start_s: Option<f64>,
    /// With `frames`: seconds of them in a second. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed: Option<f64>,
    /// With `frames`: whether they begin again at their end, false or true. Default: false, the last
    /// frame stays.
    #[serde(rename = "loop", skip_serializing_if = "Option::is_none")]
    pub repeat: Option<Repeat>,
    /// With `frames`: how long it takes from where the vertices are in `file`, where the scene begins
    /// then, to the first frame, s. Default: 0 begins with the frames.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub settle_s: Option<f64>,
    /// With `frames`: how long the first of them is held then, s. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub hold_s: Option<f64>,
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
    /// How cloth meets it.
    #[serde(rename = "as")]
    pub met_as: MetAs,
    /// As a level set: distance of the nodes of its field, m. Default: 0.01.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub cell_m: Option<f64>,
    /// As a level set: what cloth keeps away besides its own thickness, m, so that neither what is
    /// between nodes of the field nor what is between particles of the cloth shows. Default: a tenth of
    /// a cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub margin_m: Option<f64>,
    /// As a level set: how its field is stored. Default: "grid".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storage: Option<FieldStorage>,
    /// As a level set: a folder in which fields are kept from run to run, beside the scene if relative;
    /// it is made if it is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<String>,
}

impl BodyMesh {
    /// A source of triangles that is given besides a character, which has its own.
    pub(crate) fn beside_character(&self) -> Option<&'static str> {
        let given = [
            ("file", self.file.is_some()),
            ("lathe", self.lathe.is_some()),
            ("frames", self.frames.is_some()),
        ];
        let mut others = given.iter().filter(|(_, is_given)| *is_given);
        others
            .next()
            .filter(|_| self.character.is_some())
            .map(|(key, _)| *key)
    }
}

/// How the field of a level set is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FieldStorage {
    /// One number a cell: quick to ask.
    #[default]
    Grid,
    /// Large cells where the distance hardly bends: small, for large bodies in fine cells. Contact takes
    /// about half as long again, and while it is made the grid is there too.
    Octree,
}

/// How cloth meets a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MetAs {
    /// By its triangles, which nothing passes.
    #[default]
    Triangles,
    /// By its signed distance, sampled on a grid: particles are kept out of it, but an edge between them
    /// may cross it, and thin parts may be passed. The mesh must be closed, but for holes of up to two
    /// cells.
    LevelSet,
}
