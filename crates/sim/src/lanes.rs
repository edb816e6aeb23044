//! Many links of one class at once, one a lane: what the fast path asks of laws and families.

use crate::forces::Response;
use wide::f64x8;

/// Links handled at once.
pub const LANES: usize = 8;

/// One number a link.
pub type Lanes = f64x8;

/// What a law says of links of some lengths; see [`Response`].
#[derive(Clone, Copy, Debug, Default)]
pub struct LawLanes {
    /// Energy, J.
    pub energy_j: Lanes,
    /// Tension, N; positive pulls together.
    pub tension_n: Lanes,
    /// Exact derivative of tension by length, N/m.
    pub slope_n_per_m: Lanes,
    /// Axial stiffness that only the matrix has, N/m.
    pub slack_stiffness_n_per_m: Lanes,
}

impl LawLanes {
    /// Asks for one link after the other.
    pub fn one_by_one(lengths_m: Lanes, respond: impl Fn(f64) -> Response) -> Self {
        let responses = lengths_m.to_array().map(respond);
        Self {
            energy_j: responses.map(|r| r.energy_j).into(),
            tension_n: responses.map(|r| r.tension_n).into(),
            slope_n_per_m: responses.map(|r| r.slope_n_per_m).into(),
            slack_stiffness_n_per_m: responses.map(|r| r.slack_stiffness_n_per_m).into(),
        }
    }
}

/// What force and matrix need of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct LaneResponses {
    /// What the law says.
    pub law: LawLanes,
    /// Axial stiffness in the matrix, N/m.
    pub axial_n_per_m: Lanes,
    /// Transverse stiffness in the matrix, N/m.
    pub transverse_n_per_m: Lanes,
}
