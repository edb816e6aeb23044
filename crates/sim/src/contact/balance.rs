//! Contacts that go on have no more energy than they had.
//!
//! Contacts are found anew in every step, with other weights and normals, and stiffer in a shorter step.
//! Each has then the energy `κ/2 (d² + s²)` of its depth `d` and its slip `s` where the step begins, and
//! together these may be more than what the step before had left in them: stiff cloth would hum for ever,
//! and a step taken in halves would throw it up. So what they have too much is taken from those that have
//! gained, each in proportion to its gain: it keeps a little less distance, and of a slip that alone is too
//! much what there is energy for. Where something is led it gives energy in any case, and nothing is taken:
//! tight cloth would come ever nearer. From bodies cloth keeps its whole distance.
//!
//! Units: `κ` N/m, `d`, `s` m. Force and Jacobian are those of [`crate::contact::potential`]. Source: our own.
//! Verified by: `tests/standing.rs`.

use super::memory;
use super::memory::Remembered;
use super::surfaces::{Pair, Surfaces};
use crate::contact::stencil::ContactStencil;
use crate::contact::tuning::TUNING;

/// Takes from `stencils` what they have more than those `remembered`.
pub fn balance(surfaces: &Surfaces, remembered: &[Remembered], stencils: &mut [ContactStencil]) {
    let is_counted = |pair: &Pair| surfaces.is_between_cloths(pair);
    let gain_j = |stencil: &ContactStencil| {
        let had_j = memory::same_pair(remembered, &stencil.pair).map_or(0.0, Remembered::energy_j);
        (energy_j(stencil) - had_j).max(0.0)
    };
    let had = remembered
        .iter()
        .filter(|contact| is_counted(&contact.pair));
    let had_j: f64 = had.map(Remembered::energy_j).sum();
    let counted = || stencils.iter().filter(|stencil| is_counted(&stencil.pair));
    let have_j: f64 = counted().map(energy_j).sum();
    let excess_j = have_j - had_j;
    if excess_j <= 0.0 {
        return;
    }
    // No less than the excess, as no contact had less than nothing.
    let gained_j: f64 = counted().map(gain_j).sum();
    for stencil in stencils
        .iter_mut()
        .filter(|stencil| is_counted(&stencil.pair))
    {
        let taken_j = excess_j / gained_j * gain_j(stencil);
        if taken_j > 0.0 {
            let least_m = TUNING.least_kept * surfaces.distance_m(&stencil.pair);
            lower(stencil, energy_j(stencil) - taken_j, least_m);
        }
    }
}

/// Energy of a contact where the step begins, J.
fn energy_j(stencil: &ContactStencil) -> f64 {
    let depth_m = depth_m(stencil).max(0.0);
    if depth_m == 0.0 {
        return 0.0;
    }
    0.5 * stencil.law.stiffness_n_per_m * (depth_m.powi(2) + stencil.before.slip.length_squared())
}

fn depth_m(stencil: &ContactStencil) -> f64 {
    stencil.law.distance_m - stencil.normal.dot(stencil.before.apart)
}

/// Leaves a contact this energy, or what it has at the least distance.
fn lower(stencil: &mut ContactStencil, energy_j: f64, least_m: f64) {
    let square_m2 = 2.0 * energy_j.max(0.0) / stencil.law.stiffness_n_per_m;
    stencil.before.slip = stencil.before.slip.clamp_length_max(square_m2.sqrt());
    let depth_m = (square_m2 - stencil.before.slip.length_squared())
        .max(0.0)
        .sqrt();
    let kept_m = stencil.normal.dot(stencil.before.apart) + depth_m;
    stencil.law.distance_m = kept_m.max(least_m).min(stencil.law.distance_m);
}
