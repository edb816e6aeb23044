//! Static equilibrium by minimising the energy: Newton with the exact Jacobian, a shift that keeps
//! the matrix definite, and a banded Cholesky factorisation.
//!
//! Independent of the simulator's time integration and of its linear solvers: only forces,
//! energies and the exact matrix are the model's.

use crate::probe::Probe;
use glam::{DMat3, DVec3};

/// Where the search ended.
pub struct Rest {
    /// Positions, m.
    pub positions: Vec<DVec3>,
    /// The largest force left on a free particle, as a share of the model's weight, or of the
    /// largest force on a pin where nothing has weight.
    pub residual: f64,
}

/// Symmetric band matrix, lower half by rows: row `i` holds columns `i − width ..= i`.
struct Band {
    width: usize,
    rows: Vec<Vec<f64>>,
}

impl Band {
    fn zeros(n: usize, width: usize) -> Self {
        Self {
            width,
            rows: vec![vec![0.0; width + 1]; n],
        }
    }

    fn at(&mut self, i: usize, j: usize) -> &mut f64 {
        &mut self.rows[i][j + self.width - i]
    }

    /// Replaces the matrix by its Cholesky factor; `None` if it is not positive definite.
    fn factorise(mut self) -> Option<Self> {
        let w = self.width;
        for i in 0..self.rows.len() {
            let (above, below) = self.rows.split_at_mut(i);
            let row = &mut below[0];
            let first = i.saturating_sub(w);
            for j in first..i {
                let from = first.max(j.saturating_sub(w));
                let own = &row[from + w - i..j + w - i];
                let other = &above[j][from + w - j..w];
                let sum: f64 = own.iter().zip(other).map(|(a, b)| a * b).sum();
                row[j + w - i] = (row[j + w - i] - sum) / above[j][w];
            }
            let square: f64 = row[first + w - i..w].iter().map(|a| a * a).sum();
            let pivot = row[w] - square;
            if pivot.is_nan() || pivot <= 0.0 {
                return None;
            }
            row[w] = pivot.sqrt();
        }
        Some(self)
    }

    /// Solves with the factor.
    fn solve(&self, b: &mut [f64]) {
        let w = self.width;
        for i in 0..b.len() {
            for j in i.saturating_sub(w)..i {
                b[i] -= self.rows[i][j + w - i] * b[j];
            }
            b[i] /= self.rows[i][w];
        }
        for i in (0..b.len()).rev() {
            b[i] /= self.rows[i][w];
            for j in i.saturating_sub(w)..i {
                b[j] -= self.rows[i][j + w - i] * b[i];
            }
        }
    }
}

/// Minimises the energy from `start`, moving no particle further than `max_move_m` at once.
pub fn rest(probe: &mut Probe, start: Vec<DVec3>, max_move_m: f64, max_iterations: u32) -> Rest {
    let still = vec![DVec3::ZERO; start.len()];
    let mut x = start;
    let mut energy = probe.energy(&x);
    // A shift of M/Δt² is a backward Euler step of Δt from rest.
    let mut shift = 1e4;
    let mut iterations = 0;
    while iterations < max_iterations && shift < MAX_SHIFT {
        iterations += 1;
        let Some(mut move_by) = direction(probe, &x, &still, shift) else {
            shift *= 8.0;
            continue;
        };
        let largest = move_by.iter().map(|p| p.length()).fold(0.0, f64::max);
        if largest > max_move_m {
            move_by.iter_mut().for_each(|p| *p *= max_move_m / largest);
        }
        let trial: Vec<DVec3> = x.iter().zip(&move_by).map(|(x, p)| *x + *p).collect();
        let found = probe.energy(&trial);
        if found < energy {
            (x, energy) = (trial, found);
            shift = (0.25 * shift).max(1e-6);
        } else {
            shift *= 8.0;
        }
        if largest < 1e-9 * max_move_m {
            break;
        }
    }
    let largest = |forces: Vec<DVec3>| forces.iter().map(|f| f.length()).fold(0.0, f64::max);
    let model = probe.model();
    let weight = model.masses.iter().sum::<f64>() * model.gravity_m_per_s2.length();
    let scale = if weight > 0.0 {
        weight
    } else {
        largest(probe.force(&x, &still))
    };
    Rest {
        residual: largest(free_force(probe, &x, &still)) / scale,
        positions: x,
    }
}

/// Whether a rest state is stable: no small displacement lowers the energy.
pub fn is_stable(probe: &mut Probe, x: &[DVec3]) -> bool {
    direction(probe, x, &vec![DVec3::ZERO; x.len()], 0.0).is_some()
}

/// A shift at which steps are lost in rounding: nothing lower is to be found.
const MAX_SHIFT: f64 = 1e18;

/// Forces, without what pins bear.
fn free_force(probe: &mut Probe, x: &[DVec3], still: &[DVec3]) -> Vec<DVec3> {
    let mut force = probe.force(x, still);
    for (particle, hold) in probe.held() {
        let force = &mut force[*particle as usize];
        *force = hold.free_part(*force);
    }
    force
}

/// Solves `(shift M − K) p = f` with pins held; `None` if the matrix is not positive definite.
fn direction(probe: &mut Probe, x: &[DVec3], still: &[DVec3], shift: f64) -> Option<Vec<DVec3>> {
    let mut force = free_force(probe, x, still);
    let matrix = probe.matrix(x, still, 1.0);
    let model = probe.model();
    // Held directions are projected out, and an identity is put in their place.
    let mut free = vec![DMat3::IDENTITY; x.len()];
    for (particle, hold) in probe.held() {
        free[*particle as usize] = hold.projection();
    }
    let pattern = matrix.pattern();
    let reach = (0..x.len())
        .flat_map(|i| pattern.row(i).map(move |place| (i, place)))
        .map(|(i, place)| i.saturating_sub(pattern.column(place) as usize))
        .max()?;
    let mut band = Band::zeros(3 * x.len(), 3 * reach + 2);
    for i in 0..x.len() {
        for place in pattern.row(i) {
            let j = pattern.column(place) as usize;
            if j > i {
                continue;
            }
            let mut block = matrix.blocks()[place];
            if i == j {
                // The matrix asked for holds the mass once.
                let share = (shift - 1.0) * model.masses[i];
                block += DMat3::from_diagonal(DVec3::splat(share));
            }
            block = free[i] * block * free[j];
            if i == j {
                block += DMat3::IDENTITY - free[i];
            }
            for (a, b) in (0..3).flat_map(|a| (0..3).map(move |b| (a, b))) {
                if 3 * j + b <= 3 * i + a {
                    *band.at(3 * i + a, 3 * j + b) = block.col(b)[a];
                }
            }
        }
    }
    let factor = band.factorise()?;
    factor.solve(bytemuck::cast_slice_mut(&mut force));
    Some(force)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Band {
        let mut band = Band::zeros(6, 2);
        for i in 0..6_usize {
            for j in i.saturating_sub(2)..=i {
                *band.at(i, j) = if i == j {
                    4.0 + i as f64
                } else {
                    1.0 / (1.0 + i as f64 + j as f64)
                };
            }
        }
        band
    }

    #[test]
    fn the_factor_solves_the_system() {
        let wanted = [1.0, -2.0, 3.0, 0.5, -1.5, 2.5];
        let mut dense = example();
        let mut b = [0.0; 6];
        for i in 0..6_usize {
            for j in i.saturating_sub(2)..=i {
                let a = *dense.at(i, j);
                b[i] += a * wanted[j];
                if i != j {
                    b[j] += a * wanted[i];
                }
            }
        }
        example().factorise().unwrap().solve(&mut b);
        assert!(b.iter().zip(wanted).all(|(b, w)| (b - w).abs() < 1e-13));
    }

    #[test]
    fn an_indefinite_matrix_has_no_factor() {
        let mut band = example();
        *band.at(3, 3) = -1.0;
        assert!(band.factorise().is_none());
    }
}
