//! Discs of rings.
//!
//! Points are 2/√3 times as far apart along a ring as rings are, as in rows of equilateral
//! triangles; that takes 5.44 points more from ring to ring, rounded. Six more, all starting at
//! the same angle, would make a mesh of six equal sectors, and a cloth might fold as they lie.
//! Where points of two rings face each other and where they face gaps changes around the disc; the
//! golden section lets this pattern start elsewhere between any two rings. The triangles between
//! them are chosen by Delaunay's rule.

use super::{Flat, delaunay::make_delaunay};
use glam::DVec2;
use std::f64::consts::TAU;

/// Its multiples, whole parts left out, fill the interval from 0 to 1 evenly.
const GOLDEN: f64 = 0.618_033_988_749_895;

pub(super) fn disc(radius_m: f64, rings: usize) -> Flat {
    let rings = rings.max(1);
    let mut points = vec![DVec2::ZERO];
    let mut faces = Vec::new();
    let mut inner = Ring { first: 0, count: 1 };
    let mut turn = 0.0;
    for ring in 1..=rings {
        let outer = Ring {
            first: points.len() as u32,
            count: count(ring),
        };
        let radius = radius_m * ring as f64 / rings as f64;
        turn += (ring as f64 * GOLDEN).fract();
        let angles = (0..outer.count).map(|k| TAU * (f64::from(k) + turn) / f64::from(outer.count));
        points.extend(angles.map(|angle| radius * DVec2::from_angle(angle)));
        inner.join(&outer, &mut faces);
        inner = outer;
    }
    make_delaunay(&points, &mut faces);
    Flat { points, faces }
}

/// Points on a ring.
fn count(ring: usize) -> u32 {
    (TAU * 0.75_f64.sqrt() * ring as f64).round() as u32
}

/// Points on a circle, counter-clockwise, one after the other.
struct Ring {
    first: u32,
    count: u32,
}

impl Ring {
    fn point(&self, k: u32) -> u32 {
        self.first + k % self.count
    }

    /// Fills the space to the next ring, going round on whichever of the two is behind.
    fn join(&self, outer: &Self, faces: &mut Vec<[u32; 3]>) {
        let (mut i, mut o) = (0, 0);
        // A single point in the middle has nowhere to go.
        let inner_sides = if self.count == 1 { 0 } else { self.count };
        while i < inner_sides || o < outer.count {
            if i < inner_sides && i * outer.count < o * self.count {
                faces.push([self.point(i), outer.point(o), self.point(i + 1)]);
                i += 1;
            } else {
                faces.push([self.point(i), outer.point(o), outer.point(o + 1)]);
                o += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn discs_are_round_and_their_triangles_good() {
        for rings in [1, 2, 5, 15, 30, 60] {
            let flat = Flat::disc(0.15, rings);
            flat.surface().validate().unwrap();
            let sides = f64::from(count(rings));
            let polygon = 0.5 * sides * 0.15_f64.powi(2) * (TAU / sides).sin();
            assert!((flat.area_m2() - polygon).abs() < 1e-12);
            assert!(polygon < PI * 0.15_f64.powi(2));
            for (point, on_border) in flat.points.iter().zip(flat.border()) {
                assert_eq!(on_border, (point.length() - 0.15).abs() < 1e-12);
            }
            let smallest = flat.smallest_angle_rad().to_degrees();
            assert!(smallest > 35.0, "{rings} rings: {smallest}°");
        }
    }

    #[test]
    fn no_direction_is_favoured() {
        // Directions of edges, counted six times over, would add up in a mesh of six sectors; with
        // rings all turned by the same share they add up to 0.3.
        for rings in [15, 30] {
            let flat = Flat::disc(0.15, rings);
            let mut sum = DVec2::ZERO;
            let mut count = 0.0;
            for &[a, b, c] in &flat.faces {
                for [from, to] in [[a, b], [b, c], [c, a]] {
                    let edge = flat.points[to as usize] - flat.points[from as usize];
                    sum += DVec2::from_angle(6.0 * edge.to_angle());
                    count += 1.0;
                }
            }
            assert!(sum.length() / count < 0.1, "{}", sum.length() / count);
        }
    }
}
