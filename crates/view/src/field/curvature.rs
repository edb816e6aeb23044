//! Curvature of a triangle mesh, from the angles between its faces.
//!
//! Every edge bends the surface across itself by its dihedral angle θ. The tensors `½ θ |e| ê êᵀ`
//! of a face's edges, summed and divided by its area, tend to the curvature tensor with its
//! directions exchanged (after Cohen-Steiner and Morvan, 2003); its larger eigenvalue is the
//! larger principal curvature.

use glam::{DMat3, DVec3};
use std::collections::HashMap;
use toile_geometry::dihedral::Hinge;
use toile_geometry::mesh::vertex_normals;

/// The larger principal curvature at every vertex, 1/m: positive where the surface bulges towards
/// its front, negative where it is hollow there.
///
/// It is the mean over the faces around a vertex. Faces at a border, whose bending is known on
/// some sides only, do not count; a vertex that has no others takes the mean of its neighbours.
pub fn curvatures_per_m(positions: &[DVec3], faces: &[[u32; 3]]) -> Vec<f64> {
    let known = |face: &&[u32; 3]| face.iter().all(|v| (*v as usize) < positions.len());
    let faces: Vec<[u32; 3]> = faces.iter().filter(known).copied().collect();
    let edges = edges(&faces);
    let bends: Vec<Option<DMat3>> = edges.iter().map(|edge| edge.bend(positions)).collect();
    let places: HashMap<[u32; 2], usize> = (0..).zip(&edges).map(|(i, e)| (e.key(), i)).collect();
    let mut area_m2 = vec![0.0; positions.len()];
    let mut tensor = vec![DMat3::ZERO; positions.len()];
    for face in &faces {
        let sides = sides(*face).map(|[p, q, _]| bends[places[&key(p, q)]]);
        let [Some(a), Some(b), Some(c)] = sides else {
            continue;
        };
        let [x, y, z] = face.map(|v| positions[v as usize]);
        let area = 0.5 * (y - x).cross(z - x).length();
        for v in face.map(|v| v as usize) {
            tensor[v] += a + b + c;
            area_m2[v] += area;
        }
    }
    let normals = vertex_normals(positions, &faces);
    let values: Vec<f64> = (0..positions.len())
        .map(|v| larger_eigenvalue(&tensor[v], normals[v]) / area_m2[v])
        .collect();
    let neighbours = neighbour_means(&edges, &values);
    let settled = values.iter().zip(neighbours);
    settled
        .map(|(value, mean)| if value.is_finite() { *value } else { mean })
        .collect()
}

/// An edge with the vertices opposite to it, the left one as the face on its left goes round.
struct Edge {
    ends: [u32; 2],
    left: Option<u32>,
    right: Option<u32>,
}

impl Edge {
    fn key(&self) -> [u32; 2] {
        key(self.ends[0], self.ends[1])
    }

    /// Its share in the tensor of either face, `½ θ |e| ê êᵀ`; none where there is only one.
    fn bend(&self, positions: &[DVec3]) -> Option<DMat3> {
        let at = |v: u32| positions[v as usize];
        let hinge = Hinge {
            opposite: [at(self.left?), at(self.right?)],
            edge: self.ends.map(at),
        };
        let angle_rad = hinge.angle()?;
        let along = hinge.edge[1] - hinge.edge[0];
        let outer = DMat3::from_cols(along * along.x, along * along.y, along * along.z);
        Some(outer * (0.5 * angle_rad / along.length()))
    }
}

/// The same for an edge from either end.
fn key(p: u32, q: u32) -> [u32; 2] {
    [p.min(q), p.max(q)]
}

/// Both ends of each side of a face, and the vertex opposite.
fn sides([a, b, c]: [u32; 3]) -> [[u32; 3]; 3] {
    [[a, b, c], [b, c, a], [c, a, b]]
}

/// All edges, in the order in which faces first use them: sums do not depend on chance. Of more
/// than two faces at an edge, the last on each side counts.
fn edges(faces: &[[u32; 3]]) -> Vec<Edge> {
    let mut edges: Vec<Edge> = Vec::new();
    let mut places = HashMap::new();
    for &face in faces {
        for [p, q, opposite] in sides(face) {
            let place = *places.entry(key(p, q)).or_insert(edges.len());
            if place == edges.len() {
                edges.push(Edge {
                    ends: [p, q],
                    left: None,
                    right: None,
                });
            }
            let edge = &mut edges[place];
            if edge.ends == [p, q] {
                edge.left = Some(opposite);
            } else {
                edge.right = Some(opposite);
            }
        }
    }
    edges
}

/// The eigenvalue of larger size of a symmetric tensor, among directions across `normal`.
fn larger_eigenvalue(tensor: &DMat3, normal: DVec3) -> f64 {
    let Some(normal) = normal.try_normalize() else {
        return f64::NAN;
    };
    let (s, t) = normal.any_orthonormal_pair();
    let (a, b, d) = (s.dot(*tensor * s), s.dot(*tensor * t), t.dot(*tensor * t));
    let (middle, reach) = (0.5 * (a + d), (0.5 * (a - d)).hypot(b));
    if middle >= 0.0 {
        middle + reach
    } else {
        middle - reach
    }
}

/// For every vertex, the mean of its neighbours' values, as far as they have one.
fn neighbour_means(edges: &[Edge], values: &[f64]) -> Vec<f64> {
    let mut sums = vec![[0.0; 2]; values.len()];
    for edge in edges {
        let [i, j] = edge.ends.map(|v| v as usize);
        for (v, other) in [(i, values[j]), (j, values[i])] {
            if other.is_finite() {
                sums[v] = [sums[v][0] + other, sums[v][1] + 1.0];
            }
        }
    }
    sums.into_iter().map(|[sum, count]| sum / count).collect()
}
