//! What keeps a step in check, as written.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// No link leaves a step longer, and no edge shorter, than this allows.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StrainLimit {
    /// Largest extension, as a share of the rest length.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub max_extension: f64,
    /// The same along the warp. Default: `max_extension`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub max_extension_warp: Option<f64>,
    /// The same along the weft. Default: `max_extension`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub max_extension_weft: Option<f64>,
    /// The same along the diagonals. Default: `max_extension`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub max_extension_shear: Option<f64>,
    /// Largest compression of warp and weft edges, as a share of the rest length; 1 is no limit.
    #[schemars(range(min = 0, max = 1))]
    pub max_compression: f64,
    /// The same along the warp. Default: `max_compression`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub max_compression_warp: Option<f64>,
    /// The same along the weft. Default: `max_compression`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub max_compression_weft: Option<f64>,
    /// Fastest change of a link's length, as a share of its rest length a second. Default: no
    /// limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub max_rate_per_s: Option<f64>,
    /// In which order the links are met.
    pub order: Order,
    /// Sweeps over the links at the most.
    #[schemars(range(min = 1))]
    pub max_sweeps: u32,
}

impl Default for StrainLimit {
    fn default() -> Self {
        Self {
            max_extension: 0.1,
            max_extension_warp: None,
            max_extension_weft: None,
            max_extension_shear: None,
            max_compression: 0.0,
            max_compression_warp: None,
            max_compression_weft: None,
            max_rate_per_s: None,
            order: Order::default(),
            max_sweeps: 30,
        }
    }
}

/// In which order a strain limit meets the links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// One after the other: fewer sweeps.
    #[default]
    Sequential,
    /// In groups that share no particle, on all threads.
    Coloured,
}

/// Steps that choose their own length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Adaptive {
    /// What must not become too large in a step.
    pub control: Control,
    /// The most of it that a step may do. Default: an error of 0.01 of the shortest link, or a
    /// change of strain of 0.02.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tolerance: Option<f64>,
    /// Shortest step, s. Default: `max_step_s` / 1024.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub min_step_s: Option<f64>,
}

/// What must not become too large in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Control {
    /// The error of positions, estimated by taking every step in halves as well; as a share of the
    /// shortest link.
    #[default]
    Error,
    /// The change of any link's strain.
    Strain,
}
