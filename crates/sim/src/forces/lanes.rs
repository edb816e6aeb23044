//! Many links of one class at once, one a lane: what the fast path asks of a family.

/// Links handled at once.
pub const LANES: usize = 8;

/// One number a link.
pub type Lanes = [f64; LANES];

/// What a law says of links of some lengths.
#[derive(Clone, Copy, Debug)]
pub struct LaneResponses {
    /// Energy, J.
    pub energy_j: Lanes,
    /// Tension, N; positive pulls together.
    pub tension_n: Lanes,
    /// Axial stiffness in the matrix, N/m.
    pub axial_n_per_m: Lanes,
    /// Transverse stiffness in the matrix, N/m.
    pub transverse_n_per_m: Lanes,
}

impl Default for LaneResponses {
    fn default() -> Self {
        Self {
            energy_j: [0.0; LANES],
            tension_n: [0.0; LANES],
            axial_n_per_m: [0.0; LANES],
            transverse_n_per_m: [0.0; LANES],
        }
    }
}
