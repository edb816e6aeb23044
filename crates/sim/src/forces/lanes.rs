//! Many links of one class at once, one a lane: what the fast path asks of laws and families.

use super::axial::Response;

/// Links handled at once.
pub const LANES: usize = 8;

/// One number a link.
pub type Lanes = [f64; LANES];

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
    /// Takes over one link's response.
    #[inline(always)]
    pub fn set(&mut self, lane: usize, response: Response) {
        self.energy_j[lane] = response.energy_j;
        self.tension_n[lane] = response.tension_n;
        self.slope_n_per_m[lane] = response.slope_n_per_m;
        self.slack_stiffness_n_per_m[lane] = response.slack_stiffness_n_per_m;
    }

    /// One link's response.
    #[inline(always)]
    pub fn get(&self, lane: usize) -> Response {
        Response {
            energy_j: self.energy_j[lane],
            tension_n: self.tension_n[lane],
            slope_n_per_m: self.slope_n_per_m[lane],
            slack_stiffness_n_per_m: self.slack_stiffness_n_per_m[lane],
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
