//! The buckled arc as a formula: a fifth-order polynomial over a square root.
//!
//! ```text
//! f̂(ε) ≈ p(ε)/√(c − ε),   c = 1.2172336…
//! ```
//!
//! - Energy: `∫ −f̂ dε = 2 [Q(√(c − ε)) − Q(√c)]` with `Q` the antiderivative of `p(c − t²)` by `t`,
//!   a polynomial: the exact integral of the fit, so that its forces are conservative.
//! - Force: within 0.027 % of the arc's. The root carries the arc's branch point, which lies
//!   outside at `ε = c`; a plain polynomial of the same order is 0.7 % off.
//! - Jacobian: the derivative of the fit, within 3 %.
//! - Units: everything here is dimensionless.
//! - Degenerate cases: none; `c − ε ≥ 0.217`.
//! - Source: *Stable but Responsive Cloth*, figure 6, which names a fifth-order fit without its
//!   coefficients; these are ours.
//! - Verified by: `tests/curves.rs`.

use super::curve::Point;

/// Where the arc's curve branches: the compression at which `tan a = a`.
const BRANCH: f64 = 1.217_233_628_211_221_7;

const P: [f64; 6] = [
    -13.235_770_913_1,
    -2.725_431_629_94,
    1.076_236_451_59,
    -7.943_513_606_8,
    10.247_855_611_8,
    -5.815_979_944_99,
];

/// Coefficients of `p(c − u)` in powers of `u`, the `k`-th divided by `2k + 1`: those of
/// `Q(t)/t` in powers of `t²`.
const Q: [f64; 6] = {
    let mut shifted = [0.0; 6];
    // Horner's scheme on polynomials: multiply by (c − u), add the next coefficient.
    let mut n = 6;
    while n > 0 {
        n -= 1;
        let mut k = 5;
        while k > 0 {
            shifted[k] = BRANCH * shifted[k] - shifted[k - 1];
            k -= 1;
        }
        shifted[0] = BRANCH * shifted[0] + P[n];
    }
    let mut k = 0;
    while k < 6 {
        shifted[k] /= (2 * k + 1) as f64;
        k += 1;
    }
    shifted
};

fn antiderivative(t: f64) -> f64 {
    t * Q.iter().rev().fold(0.0, |sum, q| sum * t * t + q)
}

/// The fitted arc whose chord is shorter than its length by the share `compression`, 0 to 1.
pub fn at(compression: f64) -> Point {
    let e = compression.clamp(0.0, 1.0);
    let t = (BRANCH - e).sqrt();
    let (p, p_slope) = P
        .iter()
        .rev()
        .fold((0.0, 0.0), |(p, d), c| (p * e + c, d * e + p));
    Point {
        energy: 2.0 * (antiderivative(t) - antiderivative(BRANCH.sqrt())),
        force: p / t,
        slope: -(p_slope + 0.5 * p / (t * t)) / t,
    }
}
