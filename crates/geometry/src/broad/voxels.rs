//! Points near each other, by voxels.
//!
//! Space is divided into cells as wide as the distance asked for, and every point is registered in the one
//! it is in: whatever is near it is there or in one of the 26 cells around. Sorted by their cells, points of
//! three cells in a row are found together.
//!
//! Source: the voxels of Choi and Ko 2002, section 5.

use glam::DVec3;

/// Cells of other columns that come after a point's own, by their steps along the first two axes.
const LATER_COLUMNS: [[i64; 2]; 4] = [[0, 1], [1, -1], [1, 0], [1, 1]];

/// Lists the pairs of `points` that are nearer than `distance_m`, in ascending order, the lower first.
///
/// Points that are not finite are near nothing, and so is everything where the distance is not above zero.
pub fn near_points(points: &[DVec3], distance_m: f64, pairs: &mut Vec<[u32; 2]>) {
    pairs.clear();
    if distance_m.is_nan() || distance_m <= 0.0 {
        return;
    }
    let cell = |x: DVec3| (x / distance_m).floor().to_array().map(|k| k as i64);
    let mut cells: Vec<([i64; 3], u32)> = (0_u32..)
        .zip(points)
        .filter(|(_, x)| x.is_finite())
        .map(|(k, x)| (cell(*x), k))
        .collect();
    cells.sort_unstable();
    let square_m2 = distance_m * distance_m;
    let mut add = |a: u32, b: u32| {
        if a != b && points[a as usize].distance_squared(points[b as usize]) < square_m2 {
            pairs.push([a.min(b), a.max(b)]);
        }
    };
    for (at, &([x, y, z], point)) in cells.iter().enumerate() {
        let above = |(other, _): &&([i64; 3], u32)| *other <= [x, y, z.saturating_add(1)];
        for (_, other) in cells[at + 1..].iter().take_while(above) {
            add(point, *other);
        }
        for [right, up] in LATER_COLUMNS {
            let column = [x.saturating_add(right), y.saturating_add(up)];
            let place = |z: i64| [column[0], column[1], z];
            let (low, high) = (place(z.saturating_sub(1)), place(z.saturating_add(1)));
            let from = cells.partition_point(|(other, _)| *other < low);
            let near = cells[from..].iter().take_while(|(other, _)| *other <= high);
            near.for_each(|(_, other)| add(point, *other));
        }
    }
    // Cells at the ends of the range of numbers are their own neighbours.
    pairs.sort_unstable();
    pairs.dedup();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brute_force(points: &[DVec3], distance_m: f64) -> Vec<[u32; 2]> {
        let mut pairs = Vec::new();
        for a in 0..points.len() {
            for b in a + 1..points.len() {
                if points[a].distance_squared(points[b]) < distance_m * distance_m {
                    pairs.push([a as u32, b as u32]);
                }
            }
        }
        pairs
    }

    #[test]
    fn all_near_points_are_found_and_no_others() {
        let mut seed = 7_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 40) as f64 / f64::from(1 << 24) - 0.5
        };
        let mut found = Vec::new();
        for (count, size, distance_m) in [(400, 1.0, 0.1), (300, 1e-3, 0.1), (200, 30.0, 3.0)] {
            let mut point = || size * DVec3::new(random(), random(), random());
            let points: Vec<DVec3> = (0..count).map(|_| point()).collect();
            near_points(&points, distance_m, &mut found);
            assert_eq!(found, brute_force(&points, distance_m));
            assert!(found.len() > 50, "{} pairs", found.len());
        }
    }

    #[test]
    fn points_on_borders_of_cells_and_far_away_are_found_too() {
        let grid =
            (0..125).map(|k| DVec3::new(f64::from(k % 5), f64::from(k / 5 % 5), f64::from(k / 25)));
        let mut points: Vec<DVec3> = grid.map(|x| x - 2.0).collect();
        points.extend([
            DVec3::splat(1e300),
            DVec3::splat(1e300),
            DVec3::splat(f64::NAN),
        ]);
        let mut found = Vec::new();
        for distance_m in [1.0, 1.0 + 1e-12, 1.5, 0.0, -1.0, f64::NAN] {
            near_points(&points, distance_m, &mut found);
            assert_eq!(found, brute_force(&points[..127], distance_m.max(0.0)));
        }
    }
}
