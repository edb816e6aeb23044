//! How cloth meets cloth, as written.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How cloth meets cloth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Contact {
    /// Whether cloth meets itself and other cloth, or passes through.
    pub cloth: bool,
    /// Coefficient of friction between cloths. Default: that of the first cloth's fabric.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub friction: Option<f64>,
}
