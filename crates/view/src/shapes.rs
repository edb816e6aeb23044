//! Meshes of simple solids, for showing colliders.

use glam::DVec3;
use std::collections::HashMap;
use toile_geometry::TriMesh;

/// How often each face of the icosahedron is split in four: 5,120 triangles, a silhouette of
/// about ninety sides.
const SPLITS: usize = 4;

/// A sphere of nearly equal triangles, wound to face outwards, its vertices on the surface.
pub fn sphere(center: DVec3, radius_m: f64) -> TriMesh {
    let (mut directions, mut faces) = icosahedron();
    for _ in 0..SPLITS {
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

    fn volume(mesh: &TriMesh) -> f64 {
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
