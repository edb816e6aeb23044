//! Complete elliptic integrals by the arithmetic–geometric mean.

use std::f64::consts::FRAC_PI_2;

/// `K(m)` and `E(m)` of the parameter `0 ≤ m < 1`.
pub fn complete(m: f64) -> (f64, f64) {
    let (mut a, mut b, mut c) = (1.0_f64, (1.0 - m).sqrt(), m.sqrt());
    let mut weight = 0.5;
    let mut sum = weight * c * c;
    while c.abs() > f64::EPSILON * a {
        (a, b, c) = (0.5 * (a + b), (a * b).sqrt(), 0.5 * (a - b));
        weight *= 2.0;
        sum += weight * c * c;
    }
    let k = FRAC_PI_2 / a;
    (k, k * (1.0 - sum))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Simpson's rule on the defining integrals.
    fn by_quadrature(m: f64) -> (f64, f64) {
        let n = 2000;
        let mut sums = (0.0, 0.0);
        for i in 0..=n {
            let angle = FRAC_PI_2 * f64::from(i) / f64::from(n);
            let root = (1.0 - m * angle.sin().powi(2)).sqrt();
            let weight = match i {
                0 => 1.0,
                i if i == n => 1.0,
                i if i % 2 == 1 => 4.0,
                _ => 2.0,
            };
            sums.0 += weight / root;
            sums.1 += weight * root;
        }
        let h = FRAC_PI_2 / f64::from(n) / 3.0;
        (h * sums.0, h * sums.1)
    }

    #[test]
    fn the_mean_agrees_with_the_integrals() {
        for m in [0.0, 0.1, 0.5, 0.826, 0.95] {
            let ((k, e), (k_sum, e_sum)) = (complete(m), by_quadrature(m));
            assert!((k / k_sum - 1.0).abs() < 1e-12, "K({m}) = {k}, {k_sum}");
            assert!((e / e_sum - 1.0).abs() < 1e-12, "E({m}) = {e}, {e_sum}");
        }
    }

    #[test]
    fn legendres_relation_holds() {
        for m in [0.01, 0.3, 0.7, 0.99] {
            let ((k, e), (k1, e1)) = (complete(m), complete(1.0 - m));
            assert!((e * k1 + e1 * k - k * k1 - FRAC_PI_2).abs() < 1e-13);
        }
    }
}
