//! How cloth meets cloth, as written.

use super::Interpolation;
use crate::scene::strict;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How cloth meets cloth, and what rubs how.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Contact {
    /// Whether cloth meets itself and other cloth, or passes through.
    pub cloth: bool,
    /// Coefficient of friction between cloths. Default: the lesser of the two fabrics'.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub friction: Option<f64>,
    /// Whether cloth that is crossed with itself, with other cloth or with a mesh collider, as it may be
    /// at the start, is freed over some steps. Otherwise it stays crossed, as every pair is kept on the
    /// side it is on.
    pub untangle: bool,
    /// What contact of cloth with cloth and mesh colliders does.
    pub response: Response,
    /// Share of the normal velocity of a blow that comes back, 0 to 1; with `response = "impulses"`.
    #[schemars(range(min = 0, max = 1))]
    pub restitution: f64,
    /// Friction of pairs of a cloth and another cloth or a collider, instead of what they would have
    /// otherwise.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "strict::tables"
    )]
    pub pair: Vec<ContactPair>,
}

/// What contact of cloth with cloth and mesh colliders does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Response {
    /// Forces in the implicit solve.
    #[default]
    Solver,
    /// The same between cloths, but of particles that come near each other alone, and without friction, as
    /// published with the quad model: simple, and the guard has more to do.
    Particles,
    /// Impulses that follow from where a solve without contact leads: repulsion, and impacts in the order
    /// of time. Cloth that friction should hold on a slope of fine triangles creeps by a millimetre a second.
    Impulses,
}

impl Default for Contact {
    fn default() -> Self {
        Self {
            cloth: false,
            friction: None,
            untangle: true,
            response: Response::default(),
            restitution: 0.0,
            pair: Vec::new(),
        }
    }
}

/// Friction between two things.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContactPair {
    /// Names of a cloth and of another cloth or a collider; the same cloth twice is the cloth on
    /// itself.
    pub between: [String; 2],
    /// Coefficient of friction, for a collider in the units of its law.
    #[schemars(range(min = 0))]
    pub friction: f64,
    /// The coefficient later on, ascending in time. At time 0 it is `friction`; after the last it stays.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "strict::tables"
    )]
    pub keyframes: Vec<FrictionKeyframe>,
    /// With `keyframes`: the way from one to the next. Default: smooth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interpolation: Option<Interpolation>,
}

/// The friction of a pair at one time.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FrictionKeyframe {
    /// When, s.
    pub time_s: f64,
    /// Coefficient of friction.
    pub friction: f64,
}
