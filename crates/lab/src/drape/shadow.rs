//! What Cusick's test reads off a draped disc: the shadow below it, and how many folds it has.

use glam::{DVec2, DVec3};

/// Side of the squares that shadows are counted in, m.
pub const PIXEL_M: f64 = 2.5e-4;
/// Directions in which an outline is looked at.
const DIRECTIONS: usize = 720;

/// Area that triangles cover when seen from above, m²: each square of 0.25 mm counts if a triangle
/// covers its middle, so cloth that lies over cloth counts once. On a disc of 15 cm this is right
/// to 0.01 %.
pub fn shadow_m2(positions: &[DVec3], faces: &[[u32; 3]]) -> f64 {
    let plan: Vec<DVec2> = positions.iter().map(|x| above(*x) / PIXEL_M).collect();
    let low = plan.iter().fold(DVec2::INFINITY, |a, b| a.min(*b)).floor();
    let high = plan
        .iter()
        .fold(DVec2::NEG_INFINITY, |a, b| a.max(*b))
        .ceil();
    if !(high - low).is_finite() {
        return f64::NAN;
    }
    let [width, height] = [high.x - low.x, high.y - low.y].map(|n| n as usize);
    let mut covered = vec![false; width * height];
    for face in faces {
        let [a, b, c] = face.map(|p| plan[p as usize] - low);
        let twice_area = (b - a).perp_dot(c - a);
        let (from, to) = (a.min(b).min(c).floor(), a.max(b).max(c).ceil());
        for row in from.y as usize..to.y as usize {
            for column in from.x as usize..to.x as usize {
                let p = DVec2::new(column as f64 + 0.5, row as f64 + 0.5);
                let sides = [[a, b], [b, c], [c, a]];
                let inside =
                    |[from, to]: [DVec2; 2]| (to - from).perp_dot(p - from) * twice_area >= 0.0;
                covered[row * width + column] |= sides.into_iter().all(inside);
            }
        }
    }
    covered.iter().filter(|pixel| **pixel).count() as f64 * PIXEL_M * PIXEL_M
}

/// Drape coefficient by Cusick, per cent: the share of the ring between the support and the flat
/// specimen that is still in shadow.
pub fn drape_coefficient(shadow_m2: f64, support_m2: f64, specimen_m2: f64) -> f64 {
    100.0 * (shadow_m2 - support_m2) / (specimen_m2 - support_m2)
}

/// How far a closed rim reaches from the vertical axis, seen from above, in evenly spaced
/// directions; where it passes a direction more than once, the farthest.
pub fn outline_m(rim: &[DVec3]) -> Vec<f64> {
    let mut outline = vec![0.0_f64; DIRECTIONS];
    let spacing = std::f64::consts::TAU / DIRECTIONS as f64;
    for (k, from) in rim.iter().enumerate() {
        let [from, to] = [*from, rim[(k + 1) % rim.len()]].map(above);
        let start = from.to_angle();
        let turn = from.angle_to(to);
        let (low, high) = (start.min(start + turn), start.max(start + turn));
        let first = (low / spacing).ceil() as i64;
        let last = (high / spacing).floor() as i64;
        for direction in first..=last {
            let ray = DVec2::from_angle(direction as f64 * spacing);
            // Where the side meets the ray's line.
            let along = (to - from).perp_dot(ray);
            if along != 0.0 {
                let radius = (to - from).perp_dot(from) / along;
                let place = direction.rem_euclid(DIRECTIONS as i64) as usize;
                outline[place] = outline[place].max(radius);
            }
        }
    }
    outline
}

/// Folds of an outline: maxima that rise by at least `prominence_m` above the minima on both sides.
pub fn folds(outline_m: &[f64], prominence_m: f64) -> usize {
    let lowest = (0..outline_m.len()).min_by(|a, b| outline_m[*a].total_cmp(&outline_m[*b]));
    let Some(lowest) = lowest else { return 0 };
    let round = (0..=outline_m.len()).map(|k| outline_m[(lowest + k) % outline_m.len()]);
    let mut folds = 0;
    let mut rising = true;
    // The lowest since the last fold, or the highest of the one that has begun.
    let mut extreme = f64::INFINITY;
    for radius in round {
        if rising {
            extreme = extreme.min(radius);
            if radius >= extreme + prominence_m {
                (rising, extreme) = (false, radius);
            }
        } else {
            extreme = extreme.max(radius);
            if radius <= extreme - prominence_m {
                folds += 1;
                (rising, extreme) = (true, radius);
            }
        }
    }
    folds
}

/// A place as seen from above, as the pattern lies: right along x, up against z.
fn above(x: DVec3) -> DVec2 {
    DVec2::new(x.x, -x.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{PI, TAU};
    use toile_geometry::{Flat, Tiling};

    #[test]
    fn the_shadow_of_a_disc_is_its_area() {
        let disc = Flat::disc(0.15, 30);
        let mesh = disc.surface().mesh;
        let shadow = shadow_m2(&mesh.positions, &mesh.faces);
        assert!((shadow / disc.area_m2() - 1.0).abs() < 1e-4, "{shadow}");
        // Standing on edge at 60°, half of it; turned over, the same.
        let tilted: Vec<DVec3> = mesh
            .positions
            .iter()
            .map(|x| DVec3::new(-0.5 * x.x, 0.75_f64.sqrt() * x.x, x.z))
            .collect();
        let half = shadow_m2(&tilted, &mesh.faces);
        assert!((half / disc.area_m2() - 0.5).abs() < 1e-4, "{half}");
    }

    #[test]
    fn cloth_over_cloth_counts_once() {
        let size = DVec2::new(0.2, 0.1);
        let mesh = Flat::rectangle(size, 0.01, Tiling::Parallel).surface().mesh;
        let once = shadow_m2(&mesh.positions, &mesh.faces);
        assert!((once / 0.02 - 1.0).abs() < 1e-3, "{once}");
        let twice: Vec<[u32; 3]> = [&mesh.faces[..], &mesh.faces[..]].concat();
        assert_eq!(once, shadow_m2(&mesh.positions, &twice));
        // Folded along a line of edges: half.
        let fold = |x: &DVec3| DVec3::new(x.x.abs(), 0.0, x.z);
        let folded: Vec<DVec3> = mesh.positions.iter().map(fold).collect();
        let half = shadow_m2(&folded, &mesh.faces);
        assert!((half / once - 0.5).abs() < 1e-3, "{}", half / once);
    }

    #[test]
    fn coefficients_go_from_limp_to_board() {
        let [support, specimen] = [0.09_f64, 0.15].map(|r| PI * r * r);
        assert_eq!(drape_coefficient(support, support, specimen), 0.0);
        let middle = 0.5 * (support + specimen);
        assert!((drape_coefficient(middle, support, specimen) - 50.0).abs() < 1e-12);
        assert!((drape_coefficient(specimen, support, specimen) - 100.0).abs() < 1e-12);
    }

    fn wavy(folds: f64, amplitude_m: f64) -> Vec<DVec3> {
        let angles = (0..163).map(|k| TAU * f64::from(k) / 163.0);
        angles
            .map(|angle| {
                let radius = 0.12 + amplitude_m * (folds * angle).cos();
                DVec3::new(radius * angle.cos(), 0.0, -radius * angle.sin())
            })
            .collect()
    }

    #[test]
    fn folds_are_counted_if_they_are_deep_enough() {
        for count in [2, 5, 7, 12] {
            let outline = outline_m(&wavy(f64::from(count), 0.01));
            let highest = outline.iter().copied().fold(0.0, f64::max);
            assert!((highest - 0.13).abs() < 1e-3);
            assert!(outline.iter().all(|r| *r > 0.1));
            assert_eq!(folds(&outline, 0.002), count as usize);
        }
        assert_eq!(folds(&outline_m(&wavy(5.0, 0.0005)), 0.002), 0);
        assert_eq!(folds(&[], 0.002), 0);
    }

    #[test]
    fn of_a_rim_that_turns_back_the_farthest_counts() {
        let mut rim = wavy(0.0, 0.0);
        // A spike that leans over its neighbours.
        rim[10] = 1.5 * rim[13];
        let outline = outline_m(&rim);
        let highest = outline.iter().copied().fold(0.0, f64::max);
        // Its sides fall by 27 mm a degree, and the nearest direction is up to a quarter of one off.
        assert!((highest - 0.18).abs() < 7e-3, "{highest}");
        assert!(outline.iter().all(|r| *r > 0.119));
        assert_eq!(folds(&outline, 0.002), 1);
    }
}
