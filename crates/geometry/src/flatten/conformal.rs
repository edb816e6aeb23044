//! Angle-preserving maps of a disc: the start of an unrolling.
//!
//! Minimises `½ Σ A |∇v − ⟂∇u|²` over all maps that keep two far vertices apart, which is zero for
//! maps that keep angles; so a developable disc comes out exact but for its scale. Source:
//! Lévy, Petitjean, Ray, Maillot, "Least squares conformal maps", 2002.

use super::charts::Disc;
use glam::DVec2;
use toile_numerics::Cholesky;
use toile_numerics::cholesky::NoFactors;

/// A map of the disc's vertices into the plane, at some scale.
pub(super) fn conformal(disc: &Disc) -> Result<Vec<DVec2>, NoFactors> {
    let [first, second] = disc.far_apart();
    let mut places = vec![DVec2::ZERO; disc.positions.len()];
    places[second].x = disc.positions[first].distance(disc.positions[second]);
    let pinned = |vertex: usize| vertex == first || vertex == second;
    // Where the unknowns of a vertex stand; those of pinned ones are not asked for.
    let free = (0..places.len()).scan(0, |next, vertex| {
        let place = *next;
        *next += 2 * usize::from(!pinned(vertex));
        Some(place)
    });
    let free: Vec<usize> = free.collect();
    let size = 2 * places.len() - 4;
    let mut entries = Vec::with_capacity(27 * disc.planes.len());
    let mut right = vec![0.0; size];
    for (corners, plane) in disc.triangles.iter().zip(&disc.planes) {
        let gradients = plane.gradients();
        for (j, g) in corners.iter().zip(gradients) {
            for (k, h) in corners.iter().zip(gradients) {
                let (same, cross) = (plane.area_m2 * g.dot(h), plane.area_m2 * g.perp_dot(h));
                let block = [[same, -cross], [cross, same]];
                let (j, k) = (*j as usize, *k as usize);
                if pinned(j) {
                    continue;
                }
                for (row, numbers) in block.iter().enumerate() {
                    for (column, number) in numbers.iter().enumerate() {
                        if pinned(k) {
                            right[free[j] + row] -= number * places[k][column];
                        } else if free[j] + row >= free[k] + column {
                            entries.push((free[j] + row, free[k] + column, *number));
                        }
                    }
                }
            }
        }
    }
    if size > 0 {
        Cholesky::new(size, &entries)?.solve(&mut right);
    }
    for vertex in (0..places.len()).filter(|vertex| !pinned(*vertex)) {
        places[vertex] = DVec2::new(right[free[vertex]], right[free[vertex] + 1]);
    }
    Ok(places)
}
