//! What isotropic dampers take by theory.

use super::{DAMPER, STEP_S};
use glam::DVec3;
use toile_sim::{Integrator, Model};

/// Pairs of particles with a damper between them.
pub fn links(model: &Model) -> impl Iterator<Item = [usize; 2]> {
    let families = model.materials.link_families();
    families.flat_map(|family| {
        family
            .ends()
            .iter()
            .map(|ends| ends.map(|end| end as usize))
    })
}

/// How fast they brake a rigid, flat body that turns in its plane, 1/s: `k_d Σd²/Σmx²`.
pub fn rate_per_s(model: &Model) -> f64 {
    let x = &model.start_positions;
    let squares = links(model).map(|[i, j]| x[i].distance_squared(x[j]));
    let arms = model.masses.iter().zip(x);
    let inertia: f64 = arms.map(|(m, x)| m * x.length_squared()).sum();
    DAMPER * squares.sum::<f64>() / inertia
}

/// Velocities out of plane after a first step of isotropic dampers alone, with their graph
/// Laplacian L: `(M + αL) v' = M v − cΔt L v`, since BDF2 begins as if the acceleration had been
/// the same before. By sweeps: masses are far larger than what dampers move in a step.
pub fn out_of_plane(model: &Model, start: &[DVec3], scheme: Integrator) -> Vec<DVec3> {
    let (alpha, c) = match scheme {
        Integrator::Bdf2 => (2.0 / 3.0, 1.0 / 3.0),
        _ => (1.0, 0.0),
    };
    let pull = STEP_S * DAMPER;
    let mut still: Vec<DVec3> = start
        .iter()
        .zip(&model.masses)
        .map(|(v, m)| *m * *v)
        .collect();
    let mut weights = model.masses.clone();
    for [i, j] in links(model) {
        for (at, other) in [(i, j), (j, i)] {
            still[at] -= c * pull * (start[at] - start[other]);
            weights[at] += alpha * pull;
        }
    }
    let mut v = start.to_vec();
    for _ in 0..60 {
        let mut sums = still.clone();
        for [i, j] in links(model) {
            sums[i] += alpha * pull * v[j];
            sums[j] += alpha * pull * v[i];
        }
        v = sums
            .iter()
            .zip(&weights)
            .map(|(sum, weight)| *sum / *weight)
            .collect();
    }
    v
}
