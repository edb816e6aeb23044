//! A moment about the z axis that turns with what it acts on.

use glam::{DMat3, DVec2, DVec3};
use toile_numerics::BlockCsr;

/// A moment on the line between two particles.
///
/// - Energy: `−M φ`, with φ the angle of `d = x_to − x_from` in the plane of x and y, from the
///   direction `from_direction`, within half a turn of it.
/// - Force on `to`: `M (−d_y, d_x, 0)/|d|²`, and the opposite on `from`: a pair normal to the line.
#[derive(Clone, Copy, Debug)]
pub struct Couple {
    /// One end.
    pub from: usize,
    /// The other.
    pub to: usize,
    /// M, N·m; positive turns x towards y.
    pub moment_n_m: f64,
    /// The direction from which the angle counts.
    pub from_direction: DVec2,
}

impl Couple {
    fn line(&self, x: &[DVec3]) -> DVec2 {
        (x[self.to] - x[self.from]).truncate()
    }

    /// Its energy, J.
    pub fn energy(&self, x: &[DVec3]) -> f64 {
        -self.moment_n_m * self.from_direction.angle_to(self.line(x))
    }

    /// Force on `to`, N.
    pub fn force(&self, x: &[DVec3]) -> DVec3 {
        let d = self.line(x);
        (self.moment_n_m / d.length_squared() * d.perp()).extend(0.0)
    }

    /// Adds its share of `−s K` to a matrix in which the two particles are neighbours.
    pub fn add_stiffness(&self, x: &[DVec3], weight_s2: f64, matrix: &mut BlockCsr) {
        let d = self.line(x);
        let (twice, difference) = (2.0 * d.x * d.y, d.y * d.y - d.x * d.x);
        let turn = DMat3::from_cols(
            DVec3::new(twice, difference, 0.0),
            DVec3::new(difference, -twice, 0.0),
            DVec3::ZERO,
        );
        let share = -weight_s2 * self.moment_n_m / d.length_squared().powi(2) * turn;
        let pattern = matrix.pattern().clone();
        let ends = [self.from, self.to];
        matrix.for_each_row(|row, blocks| {
            if !ends.contains(&row) {
                return;
            }
            let first = pattern.row(row).start;
            for other in ends {
                if let Some(place) = pattern.place(row, other as u32) {
                    let sign = if other == row { 1.0 } else { -1.0 };
                    blocks[place - first] += sign * share;
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_force_is_the_gradient_of_the_energy() {
        let couple = Couple {
            from: 0,
            to: 1,
            moment_n_m: 2.5,
            from_direction: DVec2::new(0.6, 0.8),
        };
        let x = [DVec3::new(0.1, 0.2, 0.3), DVec3::new(-0.4, 0.9, 0.1)];
        let force = couple.force(&x);
        for axis in 0..3 {
            let h = 1e-6;
            let moved = |by: f64| {
                let mut x = x;
                x[1][axis] += by;
                couple.energy(&x)
            };
            let slope = (moved(h) - moved(-h)) / (2.0 * h);
            assert!((slope + force[axis]).abs() < 1e-8, "{axis}");
        }
    }
}
