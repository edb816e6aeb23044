//! A spring between a particle and a place on cloth.
//!
//! - **Energy.** `E = k/2 |Σ aᵢ xᵢ − c|²`, with the weights of the place in its triangle, Σ aᵢ = 0, and
//!   the height `c` of the particle above it, as the triangle is expected to be turned at the end of
//!   the step.
//! - **Force.** `−k aᵢ (Σ aⱼ xⱼ − c)` on particle `i`. **Jacobian.** `−k aᵢ aⱼ I`: constant, symmetric,
//!   negative semidefinite.
//! - **Units.** `k` N/m, `c` m. **Degenerate cases.** None.
//! - **Source.** As for touches, see [`crate::contact::stencil`].
//! - **Verified by.** `tests/fastening.rs`.

use glam::DVec3;
use toile_numerics::Coupling;

/// A particle drawn to a place on cloth during a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tie {
    /// The particle and those that carry the place.
    pub particles: [u32; 4],
    /// `a`; 0 where fewer than three carry it.
    pub weights: [f64; 4],
    /// `c`, m.
    pub offset: DVec3,
    /// `k`, N/m.
    pub stiffness_n_per_m: f64,
}

impl Tie {
    /// How far the particle is from its place when all are at `x`, m.
    fn stretch(&self, x: &[DVec3]) -> DVec3 {
        let shares = self.particles.iter().zip(&self.weights);
        let sum: DVec3 = shares.map(|(i, weight)| *weight * x[*i as usize]).sum();
        sum - self.offset
    }

    /// Force on the particle at `x`, N; those that carry the place feel the opposite of it together.
    pub fn force(&self, x: &[DVec3]) -> DVec3 {
        -self.stiffness_n_per_m * self.stretch(x)
    }

    /// Adds the forces at `x`.
    pub fn add_forces(&self, x: &[DVec3], out: &mut [DVec3]) {
        let force = self.force(x);
        for (i, weight) in self.particles.iter().zip(&self.weights) {
            out[*i as usize] += *weight * force;
        }
    }

    /// Energy at `x`, J.
    pub fn energy(&self, x: &[DVec3]) -> f64 {
        0.5 * self.stiffness_n_per_m * self.stretch(x).length_squared()
    }

    /// Its part of a matrix `M − s K` off the diagonal, three coordinates a particle; on the diagonal
    /// are `s k aᵢ² I`.
    pub fn coupling(&self, square_s2: f64) -> Coupling<f64> {
        let k = square_s2 * self.stiffness_n_per_m;
        Coupling {
            places: self.particles.map(|i| 3 * i),
            strides: [1; 4],
            weights: self.weights,
            block: [k, 0.0, 0.0, k, 0.0, k],
        }
    }
}
