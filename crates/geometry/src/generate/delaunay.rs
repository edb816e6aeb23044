//! Delaunay's triangles by flipping edges.
//!
//! Lawson's method: an edge between two triangles of which one has the other's far corner inside
//! its circle is replaced by the other diagonal of the two. It ends because every flip lowers the
//! surface that the triangles make on the paraboloid above the points; the test is exact, so
//! rounding cannot make it go round in circles. The result has the largest smallest angle of all
//! triangulations of the points within the same border.

use crate::predicates::{Sign, in_circle};
use glam::DVec2;
use std::collections::HashMap;

/// Flips edges until all triangles, given counter-clockwise, are Delaunay's.
pub(super) fn make_delaunay(points: &[DVec2], faces: &mut [[u32; 3]]) {
    let mut done = false;
    while !done {
        done = true;
        // Which face has an edge as it runs; valid until one of the faces of a pair is flipped.
        let mut owner: HashMap<[u32; 2], usize> = HashMap::with_capacity(3 * faces.len());
        for (face, &[a, b, c]) in faces.iter().enumerate() {
            owner.extend([([a, b], face), ([b, c], face), ([c, a], face)]);
        }
        let mut changed = vec![false; faces.len()];
        for one in 0..faces.len() {
            for corner in 0..3 {
                if changed[one] {
                    break;
                }
                let [far, start, end] = [0, 1, 2].map(|k| faces[one][(corner + k) % 3]);
                let Some(&other) = owner.get(&[end, start]) else {
                    continue;
                };
                if changed[other] {
                    continue;
                }
                let opposite = faces[other].into_iter().find(|p| *p != start && *p != end);
                let Some(opposite) = opposite else { continue };
                let [a, b, c, d] = [far, start, end, opposite].map(|p| points[p as usize]);
                if in_circle(a, b, c, d) == Sign::Positive {
                    faces[one] = [far, start, opposite];
                    faces[other] = [far, opposite, end];
                    changed[one] = true;
                    changed[other] = true;
                    done = false;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_diagonal_is_flipped_and_a_short_one_kept() {
        let points = [(0.0, 0.0), (2.0, -0.3), (4.0, 0.0), (2.0, 0.3)].map(DVec2::from);
        let mut faces = [[0, 1, 2], [0, 2, 3]];
        make_delaunay(&points, &mut faces);
        assert!(
            faces
                .iter()
                .all(|face| face.contains(&1) && face.contains(&3))
        );
        let kept = faces;
        make_delaunay(&points, &mut faces);
        assert_eq!(faces, kept);
    }

    #[test]
    fn no_circle_has_a_point_inside() {
        let flat = super::super::Flat::rectangle(DVec2::ONE, 0.1, super::super::Tiling::Parallel)
            .jittered(0.3, 3);
        for face in &flat.faces {
            let [a, b, c] = face.map(|p| flat.points[p as usize]);
            let inside = |d: &DVec2| in_circle(a, b, c, *d) == Sign::Positive;
            // Circles of triangles on the border reach outside, where there are no points.
            assert!(!flat.points.iter().any(inside));
        }
    }
}
