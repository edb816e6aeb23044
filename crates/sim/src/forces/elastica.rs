//! The elastica: the true shape of a buckled strip of rigidity `k_b` and length `L`, hinged at
//! both ends, whose chord has shrunk by the share `ε`.
//!
//! With the complete elliptic integrals `K(m)`, `E(m)` of parameter `m` and `1 − E/K = ε/2`:
//!
//! - Energy: `E = (k_b/L) 8 K² (m − ε/2)`.
//! - Force along the chord: `f = (k_b/L²) f̂(ε)`, `f̂ = −4 K²`: Euler's critical load `−π²` at
//!   `ε = 0`, `−21.55` where the ends meet. The circular arc starts at −12.
//! - Jacobian: `df/dr = (k_b/L³) f̂'`, `f̂' = −df̂/dε`, rising from `π²/2`.
//! - Units: everything here is dimensionless.
//! - Degenerate cases: none. `K` and `1 − E/K` come from the arithmetic–geometric mean, the latter
//!   as a sum of positive terms, so that nothing cancels as `ε → 0`.
//! - Source: classical; e.g. Love, *A Treatise on the Mathematical Theory of Elasticity*, §263.
//! - Verified by: `tests/curves.rs`.

use super::curve::Point;
use std::f64::consts::PI;

/// `K(m)` and `1 − E(m)/K(m)`, for `0 ≤ m < 1`.
fn integrals(m: f64) -> (f64, f64) {
    // aₙ, gₙ → their mean; cₙ² = aₙ² − gₙ²; 1 − E/K = Σ 2ⁿ⁻¹ cₙ².
    let (mut a, mut g, mut c) = (1.0, (1.0 - m).sqrt(), m.sqrt());
    let (mut sum, mut weight) = (0.5 * m, 0.5);
    while c > 1e-9 * a {
        let mean = 0.5 * (a + g);
        g = (a * g).sqrt();
        c = c * c / (4.0 * mean);
        a = mean;
        weight *= 2.0;
        sum += weight * c * c;
    }
    (0.5 * PI / a, sum)
}

/// The elastica whose chord is shorter than its length by the share `compression`, 0 to 1.
pub fn at(compression: f64) -> Point {
    let e = compression.clamp(1e-300, 1.0);
    // ε = m + m²/8 + …; Newton reaches rounding from there in four steps at the most.
    let mut m = e * (1.0 - 0.174 * e);
    let mut rest = integrals(m);
    for _ in 0..5 {
        let (_, s) = rest;
        m -= (s - 0.5 * e) / slope(m, s);
        rest = integrals(m);
    }
    let (k, s) = rest;
    let log_k_slope = (m - s) / (2.0 * m * (1.0 - m));
    Point {
        energy: 8.0 * k * k * (m - 0.5 * e),
        force: -4.0 * k * k,
        // d(4K²)/dm over dε/dm = 2 d(1 − E/K)/dm.
        slope: 8.0 * k * k * log_k_slope / (2.0 * slope(m, s)),
    }
}

/// Derivative of `s = 1 − E/K` by `m`.
fn slope(m: f64, s: f64) -> f64 {
    (s + (1.0 - s) * (m - s) / (1.0 - m)) / (2.0 * m)
}
