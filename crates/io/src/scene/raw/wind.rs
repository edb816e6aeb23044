//! Wind as written.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toile_sim::WindSpec;

/// Moving or still air that presses on the faces of the cloths.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Wind {
    /// Mean velocity, m/s; zero is still air, which resists all the same.
    pub velocity_m_per_s: [f64; 3],
    /// Root mean square of the gusts on top of it, m/s.
    #[schemars(range(min = 0))]
    pub gust_m_per_s: f64,
    /// Distance over which gusts differ, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub gust_size_m: f64,
    /// Time in which gusts change, s.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub gust_period_s: f64,
    /// Chooses the gusts: the same number, the same gusts.
    pub seed: u32,
    /// Drag coefficient of a face that meets the air squarely.
    #[schemars(range(min = 0))]
    pub drag: f64,
    /// Lift coefficient of an inclined face, at most `drag`. The rest, `drag` − `lift`, is the
    /// drag coefficient of a face that the air passes along.
    #[schemars(range(min = 0))]
    pub lift: f64,
}

impl Default for Wind {
    fn default() -> Self {
        let WindSpec {
            velocity_m_per_s,
            gust_m_per_s,
            gust_size_m,
            gust_period_s,
            seed,
            drag,
            lift,
        } = WindSpec::default();
        Self {
            velocity_m_per_s: velocity_m_per_s.to_array(),
            gust_m_per_s,
            gust_size_m,
            gust_period_s,
            seed,
            drag,
            lift,
        }
    }
}
