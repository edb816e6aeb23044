//! The mannequin as written.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A mannequin made from measurements. Those that are not given are of its size, or usually go with
/// those that are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Mannequin {
    /// Which of the two figures.
    pub sex: Sex,
    /// A size to start from.
    pub size: Size,
    /// Sole to crown, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height_m: Option<f64>,
    /// Around the fullest part of the chest, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bust_m: Option<f64>,
    /// Around the narrowest part of the trunk, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waist_m: Option<f64>,
    /// Around the fullest part of the seat, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hip_m: Option<f64>,
    /// From one shoulder point to the other, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shoulder_m: Option<f64>,
    /// Shoulder point to wrist, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arm_m: Option<f64>,
    /// Inside of the leg, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leg_m: Option<f64>,
    /// Around the neck, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub neck_m: Option<f64>,
    /// Around the upper arm, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upper_arm_m: Option<f64>,
    /// Around the wrist, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrist_m: Option<f64>,
    /// Around the thigh, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thigh_m: Option<f64>,
    /// Around the calf, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calf_m: Option<f64>,
    /// Around the ankle, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ankle_m: Option<f64>,
}

/// Which of the two figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sex {
    /// With a bust, a narrow waist and wide hips.
    #[default]
    Female,
    /// With wide shoulders and a flat chest.
    Male,
}

/// A size of our charts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Size {
    /// Extra small.
    Xs,
    /// Small.
    S,
    /// Medium.
    #[default]
    M,
    /// Large.
    L,
    /// Extra large.
    Xl,
    /// Twice extra large.
    Xxl,
}
