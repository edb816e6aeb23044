//! Vertices at one place become one vertex.

use crate::Bounds;
use glam::{DVec3, I64Vec3};
use std::collections::HashMap;

/// For each vertex the one that stands for it: the nearest within `distance_m` of those that stand
/// for themselves, or itself. Those are farther than that from each other, so that no chain of near
/// vertices collapses into a point. Unused vertices are let alone; they need not even be finite.
pub(super) fn weld(positions: &[DVec3], used: &[bool], distance_m: f64) -> Vec<u32> {
    let each = || positions.iter().enumerate();
    let bounds = Bounds::of(each().filter(|(v, _)| used[*v]).map(|(_, p)| p));
    let size_m = (bounds.max - bounds.min).length();
    // Cells must not be smaller than the distance, nor so small that they cannot be counted.
    let cell_m = distance_m.max(1e-15 * size_m).max(f64::MIN_POSITIVE);
    let mut cells: HashMap<I64Vec3, Vec<u32>> = HashMap::with_capacity(positions.len());
    let mut stands_for = Vec::with_capacity(positions.len());
    for (vertex, position) in each() {
        if !used[vertex] {
            stands_for.push(vertex as u32);
            continue;
        }
        let cell = ((*position - bounds.min) / cell_m).floor().as_i64vec3();
        let mut nearest: Option<(f64, u32)> = None;
        for around in NEIGHBOURS {
            for &other in cells.get(&(cell + around)).into_iter().flatten() {
                let distance = position.distance(positions[other as usize]);
                let nearer = nearest.is_none_or(|nearest| (distance, other) < nearest);
                if distance <= distance_m && nearer {
                    nearest = Some((distance, other));
                }
            }
        }
        let first = nearest.map_or(vertex as u32, |(_, other)| other);
        if nearest.is_none() {
            cells.entry(cell).or_default().push(first);
        }
        stands_for.push(first);
    }
    stands_for
}

/// A cell and those around it.
const NEIGHBOURS: [I64Vec3; 27] = {
    let mut all = [I64Vec3::ZERO; 27];
    let mut k = 0;
    while k < 27 {
        let n = k as i64;
        all[k] = I64Vec3::new(n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1);
        k += 1;
    }
    all
};
