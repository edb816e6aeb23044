//! How links and edges change their lengths in a step.

use crate::model::Materials;
use glam::DVec3;
use toile_numerics::par;

/// Links whose lengths one task compares.
const LINK_GRAIN: usize = 2048;

/// The largest change of any strain, either way.
pub(crate) fn largest_change(materials: &Materials, before: &[DVec3], after: &[DVec3]) -> f64 {
    largest(materials, |[i, j], rest_length_m| {
        (after[i].distance(after[j]) - before[i].distance(before[j])) / rest_length_m
    })
}

/// The most by which anything is stretched further, if that is more than `limit`; what only becomes less
/// slack does not count.
pub(crate) fn growth_above(
    materials: &Materials,
    before: &[DVec3],
    after: &[DVec3],
    limit: f64,
) -> f64 {
    largest(materials, |[i, j], rest_length_m| {
        let least_m = (1.0 + limit) * rest_length_m;
        if after[i].distance_squared(after[j]) <= least_m * least_m {
            return 0.0;
        }
        let taut_m = before[i].distance(before[j]).max(rest_length_m);
        (after[i].distance(after[j]) - taut_m).max(0.0) / rest_length_m
    })
}

/// The largest magnitude of `f(ends, length at rest)`.
fn largest(materials: &Materials, f: impl Fn([usize; 2], f64) -> f64 + Sync) -> f64 {
    let mut largest = 0.0_f64;
    for family in &materials.stretch {
        // Asked for once, not link by link: families are known by their trait alone.
        let (ends, classes) = (family.ends(), family.class_of_links());
        let rest_lengths_m: Vec<f64> = (0..family.classes())
            .map(|class| family.class_rest_length_m(class))
            .collect();
        largest = largest.max(par::max(ends.len(), LINK_GRAIN, |link| {
            let rest_length_m = rest_lengths_m[usize::from(classes[link])];
            f(ends[link].map(|end| end as usize), rest_length_m).abs()
        }));
    }
    largest.max(par::max(materials.edges.len(), LINK_GRAIN, |k| {
        let edge = &materials.edges[k];
        f(edge.ends.map(|end| end as usize), edge.rest_length_m).abs()
    }))
}
