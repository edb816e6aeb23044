//! Meshes of round solids: those that are a ball swept over a simpler one, and those turned on a
//! lathe.

use super::{SPLITS, divided_sphere, rod, sphere, tube};
use glam::DVec3;
use std::collections::HashMap;
use std::f64::consts::{FRAC_PI_2, TAU};
use toile_geometry::TriMesh;

/// Sides of what is turned, of the tube of a ring, and of the quarter circle of a rim.
const SIDES: u32 = 96;
const TUBE_SIDES: u32 = 32;
const RIM_SIDES: u32 = 16;

/// A rod with round ends; a ball if the ends are the same.
pub fn capsule(from: DVec3, to: DVec3, radius_m: f64) -> TriMesh {
    match (to - from).try_normalize() {
        Some(axis) => {
            let end = radius_m * axis;
            rounded_rod(from - end, to + end, radius_m, radius_m)
        }
        None => sphere(from, radius_m),
    }
}

/// A box with its sides along the axes and edges of this radius, around `center`.
pub fn rounded_box(center: DVec3, size_m: DVec3, radius_m: f64) -> TriMesh {
    let core = 0.5 * size_m - radius_m;
    swept(radius_m, |way| center + core * DVec3::ONE.copysign(way))
}

/// A rod with flat ends whose rims have this radius.
pub fn rounded_rod(from: DVec3, to: DVec3, radius_m: f64, rim_m: f64) -> TriMesh {
    let Some(axis) = (to - from).try_normalize() else {
        return TriMesh::default();
    };
    if rim_m <= 0.0 {
        return rod(from, to, radius_m);
    }
    // Radius and height of every ring, from one end to the other.
    let length_m = from.distance(to);
    let rim = (0..=RIM_SIDES).map(|k| {
        let (sin, cos) = (FRAC_PI_2 * f64::from(k) / f64::from(RIM_SIDES)).sin_cos();
        (radius_m - rim_m + rim_m * sin, rim_m * (1.0 - cos))
    });
    let low: Vec<(f64, f64)> = rim.collect();
    let high = low.iter().rev().map(|&(r, y)| (r, length_m - y));
    let profile: Vec<(f64, f64)> = low.iter().copied().chain(high).collect();
    turned(from, axis, &profile, length_m)
}

/// A ring as large in the picture as what lies on it.
pub fn torus(center: DVec3, axis: DVec3, ring_m: f64, tube_m: f64) -> TriMesh {
    tube(center, axis, [ring_m, tube_m], [SIDES, TUBE_SIDES])
}

/// The same surface with edges no longer than this, or of some ten thousand triangles.
pub fn divided(mut mesh: TriMesh, longest_m: f64) -> TriMesh {
    const MOST_FACES: usize = 20_000;
    let is_long = |mesh: &TriMesh| {
        let edges = mesh.faces.iter();
        let mut edges = edges.flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        let at = |v: u32| mesh.positions[v as usize];
        edges.any(|[a, b]| at(a).distance(at(b)) > longest_m)
    };
    while mesh.faces.len() < MOST_FACES && is_long(&mesh) {
        let mut middles = HashMap::new();
        let positions = &mut mesh.positions;
        let mut middle = |p: u32, q: u32| {
            *middles.entry((p.min(q), p.max(q))).or_insert_with(|| {
                positions.push(positions[p as usize].midpoint(positions[q as usize]));
                positions.len() as u32 - 1
            })
        };
        let mut finer = Vec::with_capacity(4 * mesh.faces.len());
        for &[a, b, c] in &mesh.faces {
            let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
            finer.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        mesh.faces = finer;
    }
    mesh
}

/// A ball whose every direction is moved to where it touches the core first.
fn swept(radius_m: f64, core: impl Fn(DVec3) -> DVec3) -> TriMesh {
    let mut mesh = divided_sphere(DVec3::ZERO, 1.0, SPLITS);
    for p in &mut mesh.positions {
        *p = core(*p) + radius_m * *p;
    }
    mesh
}

/// Rings of given radius and height above `foot`, the same from both ends, closed by flat ends.
fn turned(foot: DVec3, axis: DVec3, profile: &[(f64, f64)], length_m: f64) -> TriMesh {
    let (across, up) = axis.any_orthonormal_pair();
    let mut mesh = TriMesh::default();
    for &(radius_m, height_m) in profile {
        let ring = (0..SIDES).map(|k| {
            let (sin, cos) = (TAU * f64::from(k) / f64::from(SIDES)).sin_cos();
            foot + height_m * axis + radius_m * (cos * across + sin * up)
        });
        mesh.positions.extend(ring);
    }
    let rings = profile.len() as u32;
    let at = |ring: u32, k: u32| ring * SIDES + k % SIDES;
    for ring in 1..rings {
        for k in 0..SIDES {
            let [a, b] = [at(ring - 1, k), at(ring - 1, k + 1)];
            let [c, d] = [at(ring, k), at(ring, k + 1)];
            mesh.faces.extend([[a, b, d], [a, d, c]]);
        }
    }
    let [low, high] = [0, 1].map(|k| rings * SIDES + k);
    mesh.positions.extend([foot, foot + length_m * axis]);
    // Round ends come to a point of their own.
    if profile.first().is_none_or(|&(radius_m, _)| radius_m <= 0.0) {
        mesh.positions.truncate(low as usize);
        return mesh;
    }
    for k in 0..SIDES {
        mesh.faces.push([low, at(0, k + 1), at(0, k)]);
        mesh.faces
            .push([high, at(rings - 1, k), at(rings - 1, k + 1)]);
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::super::tests::volume;
    use super::*;
    use std::f64::consts::PI;

    /// The divergence theorem gives the volume only of closed surfaces that face outwards.
    #[test]
    fn round_solids_have_their_volumes() {
        let (from, to) = (DVec3::new(0.2, 0.1, -0.4), DVec3::new(0.5, 1.2, 0.3));
        let (r, e, length) = (0.2, 0.05, from.distance(to));
        let size = DVec3::new(0.6, 0.4, 0.5);
        let core = size - 2.0 * e;
        let faces = 2.0 * (core.x * core.y + core.y * core.z + core.z * core.x);
        let boxed = core.element_product()
            + faces * e
            + PI * e * e * core.element_sum()
            + 4.0 / 3.0 * PI * e * e * e;
        // A disc and half a circle around it, turned: Pappus.
        let thin = r - e;
        let rim =
            2.0 * e * PI * thin * thin + PI * e * e * TAU * (thin + 4.0 * e / (3.0 * PI)) / 2.0;
        let lathed = PI * r * r * (length - 2.0 * e) + rim;
        for (mesh, expected) in [
            (
                capsule(from, to, r),
                PI * r * r * length + 4.0 / 3.0 * PI * r * r * r,
            ),
            (capsule(from, from, r), 4.0 / 3.0 * PI * r * r * r),
            (rounded_box(from, size, e), boxed),
            (rounded_rod(from, to, r, e), lathed),
            (
                torus(from, DVec3::new(0.6, 0.0, 0.8), 0.3, 0.1),
                TAU * 0.3 * PI * 0.01,
            ),
        ] {
            assert_eq!(mesh.validate(), Ok(()));
            let share = volume(&mesh) / expected;
            assert!((0.98..1.0).contains(&share), "{share}");
            let finer = divided(mesh.clone(), 0.05);
            assert_eq!(finer.validate(), Ok(()));
            assert!((volume(&finer) / volume(&mesh) - 1.0).abs() < 1e-9);
        }
        assert!(rounded_rod(from, from, r, e).faces.is_empty());
        assert_eq!(rounded_rod(from, to, r, 0.0), rod(from, to, r));
    }
}
