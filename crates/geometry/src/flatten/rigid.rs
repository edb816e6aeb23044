//! Maps that change lengths as little as possible.
//!
//! Minimises `½ Σ A |J − R|²` over the map and over a rotation `R` for every triangle, in turns:
//! the best rotations of a map are known in closed form, and the best map of given rotations solves
//! a linear system that stays the same. Every turn lowers the energy. Source: Liu, Zhang, Xu,
//! Gotsman, Gortler, "A local/global approach to mesh parameterization", 2008.

use super::Plane;
use super::charts::Disc;
use glam::{DMat2, DVec2};
use toile_numerics::Cholesky;
use toile_numerics::cholesky::NoFactors;

/// Most turns.
const TURNS: usize = 200;
/// Improvement below which a turn is the last one, as a part of the energy.
const LEAST_GAIN: f64 = 1e-4;
/// Energy below which a map is exact, as a part of the area.
const EXACT: f64 = 1e-20;

/// Improves a map; returns how many turns it took.
pub(super) fn stiffen(disc: &Disc, places: &mut [DVec2]) -> Result<usize, NoFactors> {
    // The map is known up to a translation: the first vertex stays.
    let size = places.len() - 1;
    let mut entries = Vec::with_capacity(6 * disc.planes.len());
    for (corners, plane) in disc.triangles.iter().zip(&disc.planes) {
        let gradients = plane.gradients();
        for (j, g) in corners.iter().zip(gradients) {
            for (k, h) in corners.iter().zip(gradients) {
                if *j > 0 && *k > 0 && j >= k {
                    let entry = plane.area_m2 * g.dot(h);
                    entries.push((*j as usize - 1, *k as usize - 1, entry));
                }
            }
        }
    }
    let factors = Cholesky::new(size, &entries)?;
    let area_m2: f64 = disc.planes.iter().map(|plane| plane.area_m2).sum();
    let mut right = vec![0.0; 2 * size];
    let mut before = f64::INFINITY;
    for turn in 0..TURNS {
        right.fill(0.0);
        let mut energy = 0.0;
        for (corners, plane) in disc.triangles.iter().zip(&disc.planes) {
            let jacobian = jacobian(plane, corners.map(|v| places[v as usize]));
            let rotation = nearest_rotation(jacobian);
            let difference = jacobian - rotation;
            energy += 0.5 * plane.area_m2 * squares(difference);
            for (corner, gradient) in corners.iter().zip(plane.gradients()) {
                if let Some(row) = (*corner as usize).checked_sub(1) {
                    let pull = plane.area_m2 * (rotation * gradient);
                    right[row] += pull.x;
                    right[size + row] += pull.y;
                }
            }
        }
        if energy <= EXACT * area_m2 || before - energy <= LEAST_GAIN * energy {
            return Ok(turn);
        }
        before = energy;
        factors.solve(&mut right);
        places[0] = DVec2::ZERO;
        for (row, place) in places[1..].iter_mut().enumerate() {
            *place = DVec2::new(right[row], right[size + row]);
        }
    }
    Ok(TURNS)
}

/// How a map changes directions of a triangle's plane.
pub(super) fn jacobian(plane: &Plane, places: [DVec2; 3]) -> DMat2 {
    let gradients = plane.gradients();
    let [a, b, c] = [0, 1, 2].map(|k| {
        let (place, gradient): (DVec2, DVec2) = (places[k], gradients[k]);
        DMat2::from_cols(place * gradient.x, place * gradient.y)
    });
    a + b + c
}

fn nearest_rotation(jacobian: DMat2) -> DMat2 {
    let (x, y) = (jacobian.x_axis, jacobian.y_axis);
    let along = DVec2::new(x.x + y.y, x.y - y.x).normalize_or(DVec2::X);
    DMat2::from_cols(along, along.perp())
}

fn squares(matrix: DMat2) -> f64 {
    matrix.x_axis.length_squared() + matrix.y_axis.length_squared()
}
