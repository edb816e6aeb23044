//! How links and edges change their lengths in a step.

use crate::cloth::triangles::Edge;
use crate::model::Model;
use glam::DVec3;
use toile_numerics::par;

/// Links whose lengths one task compares.
const LINK_GRAIN: usize = 2048;

/// The largest change of any strain, either way.
pub(crate) fn largest_change(model: &Model, before: &[DVec3], after: &[DVec3]) -> f64 {
    largest(model, |[i, j], rest_length_m| {
        (after[i].distance(after[j]) - before[i].distance(before[j])) / rest_length_m
    })
}

/// The most by which anything is stretched further, if that is more than `limit`; what only becomes less
/// slack does not count.
pub(crate) fn growth_above(model: &Model, before: &[DVec3], after: &[DVec3], limit: f64) -> f64 {
    let square_of_least = |rest_length_m: f64| ((1.0 + limit) * rest_length_m).powi(2);
    // Hardly ever is anything as long as that, which is seen without a root.
    let is_long = |[i, j]: [usize; 2], square_m2| after[i].distance_squared(after[j]) > square_m2;
    let any_is_long = Lengths::of(model).any(|lengths| lengths.any(square_of_least, is_long));
    if !any_is_long {
        return 0.0;
    }
    largest(model, |[i, j], rest_length_m| {
        if !is_long([i, j], square_of_least(rest_length_m)) {
            return 0.0;
        }
        let taut_m = before[i].distance(before[j]).max(rest_length_m);
        (after[i].distance(after[j]) - taut_m).max(0.0) / rest_length_m
    })
}

/// The largest magnitude of `f(ends, length at rest)`.
fn largest(model: &Model, f: impl Fn([usize; 2], f64) -> f64 + Sync) -> f64 {
    let of_family = |lengths: Lengths<'_>| lengths.largest(&f);
    Lengths::of(model).map(of_family).fold(0.0, f64::max)
}

/// Things with a length at rest.
enum Lengths<'a> {
    /// Links: their ends, classes, and the length of each class, m.
    Links(&'a [[u32; 2]], &'a [u8], Vec<f64>),
    Edges(&'a [Edge]),
}

impl<'a> Lengths<'a> {
    /// All of a model. Families are known by their trait alone, so they are asked once and not link by link.
    fn of(model: &'a Model) -> impl Iterator<Item = Self> {
        let links = model.stretch.iter().map(|family| {
            let rest_length_m = |class| family.class_rest_length_m(class);
            let rest_lengths_m = (0..family.classes()).map(rest_length_m).collect();
            Self::Links(family.ends(), family.class_of_links(), rest_lengths_m)
        });
        links.chain([Self::Edges(&model.edges)])
    }

    /// Whether `f(ends, of the length at rest)` holds for any.
    fn any(
        &self,
        of_rest_length: impl Fn(f64) -> f64 + Sync,
        f: impl Fn([usize; 2], f64) -> bool + Sync,
    ) -> bool {
        match self {
            Self::Links(ends, classes, rest_lengths_m) => {
                let of_class: Vec<f64> =
                    rest_lengths_m.iter().map(|m| of_rest_length(*m)).collect();
                par::any(ends.len(), LINK_GRAIN, &|range| {
                    let mut links = ends[range.clone()].iter().zip(&classes[range]);
                    links.any(|(ends, class)| {
                        f(ends.map(|end| end as usize), of_class[usize::from(*class)])
                    })
                })
            }
            Self::Edges(edges) => par::any(edges.len(), LINK_GRAIN, &|range| {
                edges[range].iter().any(|edge| {
                    let of_rest = of_rest_length(edge.rest_length_m);
                    f(edge.ends.map(|end| end as usize), of_rest)
                })
            }),
        }
    }

    /// The largest magnitude of `f(ends, length at rest)`.
    fn largest(&self, f: &(impl Fn([usize; 2], f64) -> f64 + Sync)) -> f64 {
        match self {
            Self::Links(ends, classes, rest_lengths_m) => {
                par::max(ends.len(), LINK_GRAIN, &|link| {
                    let rest_length_m = rest_lengths_m[usize::from(classes[link])];
                    f(ends[link].map(|end| end as usize), rest_length_m).abs()
                })
            }
            Self::Edges(edges) => par::max(edges.len(), LINK_GRAIN, &|k| {
                let edge = &edges[k];
                f(edge.ends.map(|end| end as usize), edge.rest_length_m).abs()
            }),
        }
    }
}
