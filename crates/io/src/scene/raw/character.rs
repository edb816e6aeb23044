//! Characters as written.

use super::{Mannequin, Repeat, UpAxis};
use crate::scene::strict;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A body with a skeleton, moved by one of its own motions or by that of another skeleton.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Character {
    /// A .glb, .gltf or .fbx file with a skin, or with `skeleton` a mesh of any kind; a relative name is looked
    /// for beside the scene.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// A mannequin of our own, instead. Its motions are listed by `toile body --list`, its parts are
    /// trunk, head, legs, feet, arms and hands.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::optional"
    )]
    pub mannequin: Option<Mannequin>,
    /// A .mhskel file, MakeHuman's: the skeleton of the mesh in `file`. The unit is the decimetre then,
    /// unless `metres_per_unit` says otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skeleton: Option<String>,
    /// Which of the file's motions it plays: a name, or a number counted from 0. Default: the first, if
    /// there is one; otherwise it stays as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<ClipChoice>,
    /// A .bvh file with the motion of another skeleton, instead. Its size does not matter: ways are
    /// taken in proportion to the legs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<String>,
    /// Which axis of `motion` points up. Default: y.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion_up: Option<UpAxis>,
    /// With `motion`: which joint of it a joint of the character follows; "" for none. Joints that are
    /// not named here are found by the names that are in use for human skeletons.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub joints: BTreeMap<String, String>,
    /// How much of the motion is cut off at its beginning, s.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub start_s: f64,
    /// Seconds of the motion in a second.
    #[serde(default = "one")]
    pub speed: f64,
    /// Whether it begins again at its end; otherwise the last pose stays. `true` begins again where it
    /// began, `"travel"` where it ended: who walks goes on, along the ground and in the direction taken.
    #[serde(default, rename = "loop")]
    pub repeat: Repeat,
    /// How long it takes from the pose at rest, in which a scene begins, to the first one of the
    /// motion, s; so that clothes can be put on at rest. 0 begins with the motion.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub settle_s: f64,
    /// How long the first pose of the motion is held then, s.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub hold_s: f64,
    /// Only the triangles of these materials, or of these meshes where there is no material. Default:
    /// all. Several colliders of one file may so differ in friction and all else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<String>,
    /// Only the triangles that follow these joints, or those below them, most. Default: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bones: Vec<String>,
    /// Instead, all triangles but those that `parts` and `bones` name.
    #[serde(default)]
    pub except: bool,
}

fn one() -> f64 {
    1.0
}

/// A motion of a file.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ClipChoice {
    /// Counted from 0.
    Number(usize),
    /// By its name.
    Name(String),
}
