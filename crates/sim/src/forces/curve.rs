//! A compression curve as a table: dimensionless force against compression, for laws that are
//! costly to evaluate.
//!
//! - Energy: the exact integral of the tabulated force, so that line searches see one consistent
//!   function.
//! - Force: cubic Hermite interpolation of `f̂(ε)` between equidistant nodes, C¹, within 1e-8 of
//!   the curve it stands for.
//! - Jacobian: the derivative of the interpolant.
//! - Units: everything here is dimensionless.
//! - Degenerate cases: compressions outside 0 to 1 are clamped.
//! - Source: ours; the source of the quad model suggests tabulating its equation 9.
//! - Verified by: `tests/arc.rs`.

use super::arc::{self, Arc};
use std::sync::LazyLock;

const INTERVALS: usize = 256;

/// One interval: a cubic in the local coordinate and the energy at its start.
#[derive(Clone, Copy)]
struct Piece {
    force: [f64; 4],
    /// Half the integral of `−f̂` up to here: `b` for the arc.
    energy: f64,
}

/// A tabulated curve.
pub struct Curve {
    pieces: Vec<Piece>,
}

impl Curve {
    /// Tabulates a curve given as force and derivative by chord length.
    pub fn tabulate(curve: impl Fn(f64) -> (f64, f64)) -> Self {
        let width = 1.0 / INTERVALS as f64;
        let mut energy = 0.0;
        let mut pieces = Vec::with_capacity(INTERVALS);
        for k in 0..INTERVALS {
            let (f0, s0) = curve(k as f64 * width);
            let (f1, s1) = curve((k + 1) as f64 * width);
            // The chord shrinks as ε grows, hence the signs.
            let (d0, d1) = (-s0 * width, -s1 * width);
            let rise = f1 - f0;
            let force = [f0, d0, 3.0 * rise - 2.0 * d0 - d1, d0 + d1 - 2.0 * rise];
            pieces.push(Piece { force, energy });
            let integral: f64 = force
                .iter()
                .zip([1.0, 2.0, 3.0, 4.0])
                .map(|(c, n)| c / n)
                .sum();
            energy -= 0.5 * width * integral;
        }
        Self { pieces }
    }

    /// The curve at one compression.
    pub fn at(&self, compression: f64) -> Arc {
        let place = compression.clamp(0.0, 1.0) * INTERVALS as f64;
        let k = (place as usize).min(INTERVALS - 1);
        let t = place - k as f64;
        let Piece {
            force: [a, b, c, d],
            energy,
        } = self.pieces[k];
        let integral = t * (a + t * (0.5 * b + t * (c / 3.0 + t * 0.25 * d)));
        Arc {
            angle_squared: energy - 0.5 * integral / INTERVALS as f64,
            force: a + t * (b + t * (c + t * d)),
            slope: -(b + t * (2.0 * c + t * 3.0 * d)) * INTERVALS as f64,
        }
    }
}

/// The circular arc of the source.
pub static ARC: LazyLock<Curve> = LazyLock::new(|| {
    Curve::tabulate(|compression| {
        let arc = arc::at(compression);
        (arc.force, arc.slope)
    })
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_agrees_with_the_arc() {
        let mut worst = [0.0_f64; 3];
        for k in 0..=10_000 {
            let compression = f64::from(k) / 10_000.0;
            let (exact, table) = (arc::at(compression), ARC.at(compression));
            let relative = |a: f64, b: f64| {
                if a == 0.0 {
                    b.abs()
                } else {
                    (b / a - 1.0).abs()
                }
            };
            worst[0] = worst[0].max(relative(exact.force, table.force));
            worst[1] = worst[1].max(relative(exact.slope, table.slope));
            worst[2] = worst[2].max(relative(exact.angle_squared, table.angle_squared));
        }
        assert!(worst[0] < 1e-8, "{worst:?}");
        assert!(worst[1] < 1e-5, "{worst:?}");
        assert!(worst[2] < 1e-8, "{worst:?}");
    }

    #[test]
    fn the_force_is_the_derivative_of_the_energy() {
        for k in 1..1000 {
            let (e, h) = (f64::from(k) / 1000.0, 1e-5);
            let difference = ARC.at(e + h).angle_squared - ARC.at(e - h).angle_squared;
            let force = -2.0 * difference / (2.0 * h);
            assert!((force / ARC.at(e).force - 1.0).abs() < 1e-7);
        }
    }
}
