//! The buckled arc: an inextensible strip of rigidity `k_b` and length `L` bent into a circular
//! arc whose chord has shrunk by the share `ε`.
//!
//! With `sinc a = 1 − ε` and `b = a²`:
//!
//! - Energy: `E = 2 k_b b / L`.
//! - Force along the chord: `f = (k_b/L²) f̂(ε)`, `f̂ = 4/Q(b) ≤ −12` (it pushes apart).
//! - Its derivative by chord length: `df/dr = (k_b/L³) f̂'(ε)`, `f̂' = 4 R(b)/Q(b)³ > 0`, rising
//!   from 36/5 (straight) to 12π² (ends meeting).
//! - Units: everything here is dimensionless.
//! - Degenerate cases: none; `b` stays well conditioned at both ends, where `a` does not.
//! - Source: *Stable but Responsive Cloth*, equations 7–10 (with the unnormalised sinc).
//! - Verified by: `tests/arc.rs`.
//!
//! `Q`, `S` and `R` are entire functions of `b`; on `0 ≤ b ≤ π²` their power series lose less than
//! a digit to cancellation, so no case distinction is needed.

/// The arc at one compression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arc {
    /// Square of half the opening angle.
    pub angle_squared: f64,
    /// Dimensionless force, −12 to −4π².
    pub force: f64,
    /// Dimensionless stiffness, 7.2 to 12π².
    pub slope: f64,
}

const TERMS: usize = 16;

const fn factorial(n: usize) -> f64 {
    let mut product = 1.0;
    let mut k = 2;
    while k <= n {
        product *= k as f64;
        k += 1;
    }
    product
}

const fn sign(k: usize) -> f64 {
    if k.is_multiple_of(2) { 1.0 } else { -1.0 }
}

/// `Q(b) = (cos√b − sinc√b)/b = Σ_{k≥1} (−1)^k 2k b^{k−1}/(2k+1)!`.
const Q: [f64; TERMS] = {
    let mut c = [0.0; TERMS];
    let mut i = 0;
    while i < TERMS {
        let k = i + 1;
        c[i] = sign(k) * 2.0 * k as f64 / factorial(2 * k + 1);
        i += 1;
    }
    c
};

/// `S(b)/b = (1 − sinc√b)/b = Σ_{k≥1} (−1)^{k+1} b^{k−1}/(2k+1)!`.
const S: [f64; TERMS] = {
    let mut c = [0.0; TERMS];
    let mut i = 0;
    while i < TERMS {
        let k = i + 1;
        c[i] = sign(k + 1) / factorial(2 * k + 1);
        i += 1;
    }
    c
};

/// `R(b) = (3(cos√b − sinc√b) + √b sin√b)/b² = Σ_{k≥2} (−1)^k [6k/(2k+1)! − 1/(2k−1)!] b^{k−2}`.
const R: [f64; TERMS] = {
    let mut c = [0.0; TERMS];
    let mut i = 0;
    while i < TERMS {
        let k = i + 2;
        c[i] = sign(k) * (6.0 * k as f64 / factorial(2 * k + 1) - 1.0 / factorial(2 * k - 1));
        i += 1;
    }
    c
};

/// First guess of `b/ε`, to 1.1e-3; three Newton steps then reach rounding.
const GUESS: [f64; 5] = [
    6.006_535_862_19,
    1.511_340_606_55,
    2.785_821_955_64,
    -3.875_009_340_34,
    3.430_164_270_5,
];

fn polynomial<const N: usize>(coefficients: &[f64; N], b: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * b + c)
}

/// The arc whose chord is shorter than its length by the share `compression`, 0 to 1.
pub fn at(compression: f64) -> Arc {
    let e = compression.clamp(0.0, 1.0);
    let mut b = e * polynomial(&GUESS, e);
    for _ in 0..3 {
        b += 2.0 * (b * polynomial(&S, b) - e) / polynomial(&Q, b);
    }
    let q = polynomial(&Q, b);
    Arc {
        angle_squared: b,
        force: 4.0 / q,
        slope: 4.0 * polynomial(&R, b) / (q * q * q),
    }
}
