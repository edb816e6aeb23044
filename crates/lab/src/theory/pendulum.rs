//! Periods of what swings: a point, a rigid strip, a limp sheet. All in units of √(L/g).

use super::elliptic;
use std::f64::consts::TAU;

/// First zero of the Bessel function J₀.
const FIRST_ZERO: f64 = 2.404_825_557_695_773;

/// A point on a rod that swings out to `amplitude`, rad: `4 K(sin²(θ/2))`.
pub fn point(amplitude: f64) -> f64 {
    4.0 * elliptic::complete((0.5 * amplitude).sin().powi(2)).0
}

/// A rigid strip hung by its edge, small amplitudes: `2π √(2/3)`.
pub fn rigid_strip() -> f64 {
    TAU * (2.0_f64 / 3.0).sqrt()
}

/// A sheet without bending stiffness hung by its edge, first mode, small amplitudes: `4π/j`.
pub fn limp_sheet() -> f64 {
    2.0 * TAU / FIRST_ZERO
}

/// Shape of that mode at a share `height` of the length above the free end: `J₀(j √height)`.
pub fn limp_mode(height: f64) -> f64 {
    // J₀(2√q) = Σ (−q)^k/k!²; q is at most j²/4 = 1.45, so it ends soon.
    let q = 0.25 * FIRST_ZERO * FIRST_ZERO * height;
    let mut term = 1.0;
    let mut sum = 1.0;
    for k in 1..25 {
        term *= -q / f64::from(k * k);
        sum += term;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_are_those_of_the_table() {
        for (degrees, share) in [
            (5.0_f64, 1.000476),
            (10.0, 1.001907),
            (30.0, 1.017409),
            (60.0, 1.073182),
            (90.0, 1.180341),
        ] {
            let period = point(degrees.to_radians());
            assert!((period / TAU - share).abs() < 1e-6, "{degrees}: {period}");
        }
        assert!((rigid_strip() - 5.13020).abs() < 1e-5);
        assert!((limp_sheet() - 5.22548).abs() < 1e-5);
        assert!(limp_mode(1.0).abs() < 1e-12 && limp_mode(0.0) == 1.0);
    }
}
