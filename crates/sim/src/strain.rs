//! How links and edges change their lengths in a step.

use crate::model::Model;
use glam::DVec3;
use toile_numerics::par;

/// The largest change of any strain, either way.
pub(crate) fn largest_change(model: &Model, before: &[DVec3], after: &[DVec3]) -> f64 {
    largest(model, |[i, j], rest_length_m| {
        (after[i].distance(after[j]) - before[i].distance(before[j])) / rest_length_m
    })
}

/// The most by which anything is stretched further, if that is more than `limit`; what only becomes less
/// slack does not count.
pub(crate) fn growth_above(model: &Model, before: &[DVec3], after: &[DVec3], limit: f64) -> f64 {
    largest(model, |[i, j], rest_length_m| {
        let least_m = (1.0 + limit) * rest_length_m;
        if after[i].distance_squared(after[j]) <= least_m * least_m {
            return 0.0;
        }
        let taut_m = before[i].distance(before[j]).max(rest_length_m);
        (after[i].distance(after[j]) - taut_m).max(0.0) / rest_length_m
    })
}

/// The largest magnitude of `f(ends, length at rest)`.
fn largest(model: &Model, f: impl Fn([usize; 2], f64) -> f64 + Sync) -> f64 {
    let mut all = Vec::new();
    let mut largest = 0.0_f64;
    for family in &model.stretch {
        all.resize(family.ends().len(), 0.0);
        par::fill(&mut all, |link| {
            let class = usize::from(family.class_of_links()[link]);
            let ends = family.ends()[link].map(|end| end as usize);
            f(ends, family.class_rest_length_m(class))
        });
        largest = largest.max(par::max_abs(&all));
    }
    all.resize(model.edges.len(), 0.0);
    par::fill(&mut all, |k| {
        let edge = &model.edges[k];
        f(edge.ends.map(|end| end as usize), edge.rest_length_m)
    });
    largest.max(par::max_abs(&all))
}
