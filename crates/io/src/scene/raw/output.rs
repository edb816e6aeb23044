//! What a run writes.

use crate::formats::{Format, Options, UpAxis};
use crate::scene::strict;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is written.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Output {
    /// Mesh formats, any number of them; each takes every frame.
    pub formats: Vec<Format>,
    /// How meshes are written.
    #[serde(deserialize_with = "strict::table")]
    pub cache: Cache,
    /// Whether a film and a poster are made.
    pub film: bool,
    /// Boxes that are only drawn, such as a table under the particles it holds. Where no collider
    /// is a floor, one is drawn under the lowest box.
    #[serde(deserialize_with = "strict::tables")]
    pub props: Vec<Prop>,
    /// How often written cloth is made finer, 0 to 3 times: four triangles for each, by Loop's smooth
    /// subdivision. It starts on the simulated surface and goes only as far as nothing crosses.
    #[schemars(range(max = 3))]
    pub subdivide: u32,
    /// Brings written cloth out of colliders that are level sets, wrinkles kept; what is simulated stays
    /// as it is.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::optional"
    )]
    pub keep_wrinkles: Option<KeepWrinkles>,
}

impl Default for Output {
    fn default() -> Self {
        Self {
            formats: vec![Format::Obj],
            cache: Cache::default(),
            film: true,
            props: Vec::new(),
            subdivide: 0,
            keep_wrinkles: None,
        }
    }
}

/// How meshes are written, for programs that differ in axes, units and numbering.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Cache {
    /// Which axis points up. GLB is always y up.
    pub up_axis: UpAxis,
    /// Length of the unit of all lengths, m: 0.01 for centimetres. GLB is always in metres.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub metres_per_unit: f64,
    /// Whether velocities are written where the format holds them: PLY, NPZ and USDA.
    pub velocities: bool,
    /// Frames before the first, in which the cloth stands as it starts.
    #[schemars(range(max = 1_000_000))]
    pub pre_roll_frames: u32,
    /// Number of the first frame written, pre-roll included. Files a frame cannot start below 0.
    #[schemars(range(min = -1_000_000, max = 1_000_000))]
    pub first_frame: i64,
}

impl Default for Cache {
    fn default() -> Self {
        Self {
            up_axis: UpAxis::default(),
            metres_per_unit: 1.0,
            velocities: true,
            pre_roll_frames: 0,
            first_frame: 0,
        }
    }
}

impl Cache {
    /// What this asks of a format that leaves the choice.
    pub fn options(&self, format: Format) -> Options {
        let choice = !format.is_fixed_frame();
        Options {
            up: choice.then_some(self.up_axis),
            metres_per_unit: choice.then_some(self.metres_per_unit),
            first_frame: Some(self.first_frame),
            preroll_frames: self.pre_roll_frames,
            velocities: self.velocities,
            ..Options::default()
        }
    }
}

/// Cloth nearer to a level set than the tolerance goes to a distance between offset and tolerance: the
/// deeper it was, the nearer, so that wrinkles stay wrinkles. Points pinched between two solids stay, and
/// cloth never passes cloth nor meshes met by their triangles: what would is held back, and counted in
/// the report.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeepWrinkles {
    /// Distances above this are left as they are, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tolerance_m: f64,
    /// Distance of the deepest, m, less than the tolerance.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub offset_m: f64,
    /// The deepest that is expected, m; what is deeper goes to the offset. A quarter of the tolerance
    /// leaves half the height of wrinkles that are wholly inside.
    #[schemars(range(min = 0))]
    pub depth_m: f64,
}

/// A box that is drawn but not felt.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Prop {
    /// Lowest corner, m.
    pub min: [f64; 3],
    /// Highest corner, m.
    pub max: [f64; 3],
}
