//! Meshes of simple solids, for showing colliders and what holds a cloth.

mod rounded;

pub use rounded::{capsule, divided, rounded_box, rounded_rod, torus};

use glam::{DMat3, DVec3};
use std::collections::HashMap;
use std::f64::consts::TAU;
use toile_geometry::TriMesh;

/// How often each face of the icosahedron is split in four: 5,120 triangles, a silhouette of
/// about ninety sides.
const SPLITS: usize = 4;

/// Sides of rods and rings, and of the tube of a ring.
const SIDES: u32 = 28;
const TUBE_SIDES: u32 = 10;

/// The same for balls that are small in the picture: 320 triangles.
const BALL_SPLITS: usize = 2;

/// A sphere of nearly equal triangles, wound to face outwards, its vertices on the surface.
pub fn sphere(center: DVec3, radius_m: f64) -> TriMesh {
    divided_sphere(center, radius_m, SPLITS)
}

/// A sphere of fewer triangles, for what is small in the picture: knobs and pin heads.
pub fn ball(center: DVec3, radius_m: f64) -> TriMesh {
    divided_sphere(center, radius_m, BALL_SPLITS)
}

fn divided_sphere(center: DVec3, radius_m: f64, splits: usize) -> TriMesh {
    let (mut directions, mut faces) = icosahedron();
    for _ in 0..splits {
        faces = split(&mut directions, &faces);
    }
    TriMesh {
        positions: directions.iter().map(|d| center + radius_m * *d).collect(),
        faces,
    }
}

/// A box with its sides along the axes, wound to face outwards. Each side has corners of its own,
/// so that edges stay sharp however it is shaded.
pub fn cuboid(min: DVec3, max: DVec3) -> TriMesh {
    let mut mesh = TriMesh {
        positions: Vec::with_capacity(24),
        faces: Vec::with_capacity(12),
    };
    let (min, max) = (min.min(max), min.max(max));
    for axis in 0..3 {
        let (across, along) = ((axis + 1) % 3, (axis + 2) % 3);
        for (side, high) in [(min, false), (max, true)] {
            let first = mesh.positions.len() as u32;
            for (a, b) in [(min, min), (max, min), (max, max), (min, max)] {
                let mut corner = side;
                corner[across] = a[across];
                corner[along] = b[along];
                mesh.positions.push(corner);
            }
            // Seen from the high side, the corners go round counter-clockwise.
            let faces = if high {
                [[0, 1, 2], [0, 2, 3]]
            } else {
                [[0, 2, 1], [0, 3, 2]]
            };
            mesh.faces.extend(faces.map(|f| f.map(|v| v + first)));
        }
    }
    mesh
}

/// A box around `center` whose half edges are `half`, at right angles to each other; wound to face
/// outwards, with sharp edges like those of a [`cuboid`].
pub fn block(center: DVec3, half: [DVec3; 3]) -> TriMesh {
    let mut mesh = cuboid(DVec3::NEG_ONE, DVec3::ONE);
    let axes = DMat3::from_cols(half[0], half[1], half[2]);
    for p in &mut mesh.positions {
        *p = center + axes * *p;
    }
    // Left-handed edges would turn it inside out.
    if axes.determinant() < 0.0 {
        for face in &mut mesh.faces {
            face.swap(1, 2);
        }
    }
    mesh
}

/// A round rod from one end to the other, closed by flat ends with sharp edges. Nothing at all if
/// the ends are the same.
pub fn rod(from: DVec3, to: DVec3, radius_m: f64) -> TriMesh {
    let mut mesh = TriMesh {
        positions: Vec::new(),
        faces: Vec::new(),
    };
    let Some(along) = (to - from).try_normalize() else {
        return mesh;
    };
    let (across, up) = along.any_orthonormal_pair();
    let rim = |center: DVec3| {
        (0..SIDES).map(move |k| {
            let (sin, cos) = (TAU * f64::from(k) / f64::from(SIDES)).sin_cos();
            center + radius_m * (cos * across + sin * up)
        })
    };
    mesh.positions.extend(rim(from).chain(rim(to)));
    for k in 0..SIDES {
        let next = (k + 1) % SIDES;
        let [a, b, c, d] = [k, next, SIDES + k, SIDES + next];
        mesh.faces.extend([[a, b, d], [a, d, c]]);
    }
    // The ends have corners of their own, so that their edges stay sharp.
    for (center, turn) in [(from, true), (to, false)] {
        let first = mesh.positions.len() as u32;
        mesh.positions.extend(rim(center));
        mesh.positions.push(center);
        for k in 0..SIDES {
            let (here, next) = (first + k, first + (k + 1) % SIDES);
            let [second, third] = if turn { [next, here] } else { [here, next] };
            mesh.faces.push([first + SIDES, second, third]);
        }
    }
    mesh
}

/// A ring: a tube of radius `tube_m` around a circle of radius `radius_m`, whose plane is normal to
/// the unit vector `axis`.
pub fn ring(center: DVec3, axis: DVec3, radius_m: f64, tube_m: f64) -> TriMesh {
    tube(center, axis, [radius_m, tube_m], [SIDES, TUBE_SIDES])
}

/// A tube around a circle, with the radii and the sides of both.
fn tube(
    center: DVec3,
    axis: DVec3,
    [radius_m, tube_m]: [f64; 2],
    [sides, tube_sides]: [u32; 2],
) -> TriMesh {
    let (across, up) = axis.any_orthonormal_pair();
    let turn = |k: u32, of: u32| (TAU * f64::from(k) / f64::from(of)).sin_cos();
    let mut mesh = TriMesh {
        positions: Vec::with_capacity((sides * tube_sides) as usize),
        faces: Vec::with_capacity((2 * sides * tube_sides) as usize),
    };
    for k in 0..sides {
        let (sin, cos) = turn(k, sides);
        let outward = cos * across + sin * up;
        for j in 0..tube_sides {
            let (sin, cos) = turn(j, tube_sides);
            let from_tube = tube_m * (cos * outward + sin * axis);
            mesh.positions.push(center + radius_m * outward + from_tube);
        }
        for j in 0..tube_sides {
            let at = |k: u32, j: u32| k % sides * tube_sides + j % tube_sides;
            let [a, b, c, d] = [at(k, j), at(k + 1, j), at(k, j + 1), at(k + 1, j + 1)];
            mesh.faces.extend([[a, b, d], [a, d, c]]);
        }
    }
    mesh
}

fn icosahedron() -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let golden = 0.5 * (1.0 + 5f64.sqrt());
    let mut directions = Vec::with_capacity(12);
    for (a, b) in [
        (1.0, golden),
        (-1.0, golden),
        (1.0, -golden),
        (-1.0, -golden),
    ] {
        directions.push(DVec3::new(0.0, a, b).normalize());
        directions.push(DVec3::new(a, b, 0.0).normalize());
        directions.push(DVec3::new(b, 0.0, a).normalize());
    }
    // Neighbours are the pairs at the edge angle, whose cosine is 1/√5; a face is any three.
    let near = |i: usize, j: usize| (directions[i].dot(directions[j]) - 0.2f64.sqrt()).abs() < 1e-9;
    let mut faces = Vec::with_capacity(20);
    for i in 0..12 {
        for j in i + 1..12 {
            for k in j + 1..12 {
                if near(i, j) && near(j, k) && near(i, k) {
                    let [a, b, c] = [i, j, k].map(|v| directions[v]);
                    let outward = (b - a).cross(c - a).dot(a) > 0.0;
                    let [i, j, k] = [i, j, k].map(|v| v as u32);
                    faces.push(if outward { [i, j, k] } else { [i, k, j] });
                }
            }
        }
    }
    (directions, faces)
}

fn split(directions: &mut Vec<DVec3>, faces: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let mut middles = HashMap::new();
    let mut middle = |p: u32, q: u32| {
        *middles.entry((p.min(q), p.max(q))).or_insert_with(|| {
            let sum = directions[p as usize] + directions[q as usize];
            directions.push(sum.normalize());
            directions.len() as u32 - 1
        })
    };
    let mut finer = Vec::with_capacity(4 * faces.len());
    for &[a, b, c] in faces {
        let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
        finer.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
    }
    finer
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn volume(mesh: &TriMesh) -> f64 {
        let corners = mesh
            .faces
            .iter()
            .map(|f| f.map(|v| mesh.positions[v as usize]));
        corners.map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum()
    }

    #[test]
    fn cuboid_is_closed_outward_and_sharp() {
        let (min, max) = (DVec3::new(-0.3, 1.0, 2.0), DVec3::new(0.5, 1.1, 2.6));
        // Corners may be given in any order.
        let mixed = [DVec3::new(0.5, 1.0, 2.6), DVec3::new(-0.3, 1.1, 2.0)];
        for mesh in [cuboid(min, max), cuboid(mixed[0], mixed[1])] {
            assert_eq!(mesh.validate(), Ok(()));
            // The divergence theorem holds only for closed surfaces that face outwards.
            assert!((volume(&mesh) - 0.8 * 0.1 * 0.6).abs() < 1e-12);
            for face in &mesh.faces {
                let [a, b, c] = face.map(|v| mesh.positions[v as usize]);
                let normal = (b - a).cross(c - a).normalize();
                assert!((normal.abs().max_element() - 1.0).abs() < 1e-12);
                assert!(normal.dot(a - 0.5 * (min + max)) > 0.0);
            }
            let smooth = toile_geometry::mesh::vertex_normals(&mesh.positions, &mesh.faces);
            assert!(
                smooth
                    .iter()
                    .all(|n| (n.abs().max_element() - 1.0).abs() < 1e-12)
            );
        }
    }

    #[test]
    fn rods_rings_and_blocks_are_closed_and_face_outwards() {
        // The divergence theorem gives the volume only of closed surfaces that face outwards.
        let area = |radius_m: f64| {
            let side = TAU / f64::from(SIDES);
            0.5 * f64::from(SIDES) * side.sin() * radius_m * radius_m
        };
        let rod = rod(DVec3::new(0.2, 0.1, -0.4), DVec3::new(0.5, 1.2, 0.3), 0.02);
        assert_eq!(rod.validate(), Ok(()));
        let length = DVec3::new(0.3, 1.1, 0.7).length();
        assert!((volume(&rod) / (area(0.02) * length) - 1.0).abs() < 1e-9);

        let axis = DVec3::new(0.6, 0.0, 0.8);
        let ring = ring(DVec3::new(1.0, 2.0, 3.0), axis, 0.3, 0.05);
        assert_eq!(ring.validate(), Ok(()));
        // Pappus: the section times the way of its middle.
        let exact = TAU * 0.3 * std::f64::consts::PI * 0.05 * 0.05;
        let share = volume(&ring) / exact;
        assert!((0.9..1.0).contains(&share), "{share}");

        let half = [
            DVec3::new(0.3, 0.0, 0.4),
            DVec3::new(0.0, 0.1, 0.0),
            DVec3::new(0.8, 0.0, -0.6),
        ];
        for half in [half, [half[1], half[0], half[2]]] {
            let block = block(DVec3::ONE, half);
            assert_eq!(block.validate(), Ok(()));
            assert!((volume(&block) - 8.0 * 0.5 * 0.1).abs() < 1e-12);
        }
        assert!(super::rod(DVec3::ONE, DVec3::ONE, 0.1).faces.is_empty());
    }

    #[test]
    fn sphere_is_closed_outward_and_on_the_radius() {
        let center = DVec3::new(1.0, -2.0, 0.5);
        let mesh = sphere(center, 0.3);
        assert_eq!(mesh.validate(), Ok(()));
        assert_eq!(mesh.faces.len(), 20 << (2 * SPLITS));
        // Euler's formula for a closed surface without holes.
        assert_eq!(
            mesh.positions.len() + mesh.faces.len(),
            mesh.edges().len() + 2
        );
        for p in &mesh.positions {
            assert!((p.distance(center) - 0.3).abs() < 1e-12);
        }
        let volume = volume(&TriMesh {
            positions: mesh.positions.iter().map(|p| *p - center).collect(),
            faces: mesh.faces,
        });
        let exact = 4.0 / 3.0 * std::f64::consts::PI * 0.3f64.powi(3);
        assert!((volume / exact - 1.0).abs() < 3e-3, "{volume} vs {exact}");
    }
}
