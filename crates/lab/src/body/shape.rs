//! The mannequin at rest: girths, volume, and whether its surface is one closed manifold.

use std::collections::HashMap;
use toile_figure::mannequin::{Mannequin, Measurements};
use toile_geometry::TriMesh;

/// What was found of a figure at rest.
pub struct Shape {
    /// The measurement that is most off, and by how much of what was asked.
    pub worst: (&'static str, f64),
    /// Volume, m³.
    pub volume_m3: f64,
    /// Edges that do not have exactly two faces, once in each direction.
    pub loose_edges: usize,
    /// Vertices whose faces are not one fan.
    pub pinched_vertices: usize,
    /// Vertices, less edges, plus faces: 2 for a ball.
    pub euler: i64,
    /// Smallest angle of a triangle, degrees, at the first hundredth.
    pub angle_deg: f64,
}

impl Shape {
    pub fn of(mannequin: &Mannequin, asked: &Measurements) -> Self {
        let mesh = &mannequin.character.mesh;
        let both = asked.named().into_iter().zip(mannequin.taken.named());
        let errors =
            both.map(|((name, asked), (_, got))| (name, got.map_or(f64::NAN, |g| g / asked - 1.0)));
        let worst = errors
            .max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))
            .unwrap_or(("nothing", f64::NAN));
        let edges = mesh.edges().len() as i64;
        Self {
            worst,
            volume_m3: volume_m3(mesh),
            loose_edges: loose_edges(mesh),
            pinched_vertices: pinched_vertices(mesh),
            euler: mesh.positions.len() as i64 - edges + mesh.faces.len() as i64,
            angle_deg: first_hundredth_deg(mesh),
        }
    }
}

fn volume_m3(mesh: &TriMesh) -> f64 {
    let cone = |f: &[u32; 3]| {
        let [a, b, c] = f.map(|v| mesh.positions[v as usize]);
        a.dot(b.cross(c)) / 6.0
    };
    mesh.faces.iter().map(cone).sum()
}

/// Edges that are not used once in each direction.
fn loose_edges(mesh: &TriMesh) -> usize {
    let mut uses: HashMap<[u32; 2], [u32; 2]> = HashMap::new();
    for &[a, b, c] in &mesh.faces {
        for [a, b] in [[a, b], [b, c], [c, a]] {
            uses.entry([a.min(b), a.max(b)]).or_default()[usize::from(a > b)] += 1;
        }
    }
    uses.values().filter(|uses| **uses != [1, 1]).count()
}

/// Vertices around which faces do not lead from each to the next, all the way round.
fn pinched_vertices(mesh: &TriMesh) -> usize {
    let mut next: Vec<HashMap<u32, u32>> = vec![HashMap::new(); mesh.positions.len()];
    for &[a, b, c] in &mesh.faces {
        for [a, b, c] in [[a, b, c], [b, c, a], [c, a, b]] {
            next[a as usize].insert(b, c);
        }
    }
    let is_fan = |next: &HashMap<u32, u32>| {
        let Some(&first) = next.keys().min() else {
            return false;
        };
        let mut at = first;
        for seen in 1..=next.len() {
            match next.get(&at) {
                Some(&to) if to == first => return seen == next.len(),
                Some(&to) => at = to,
                None => return false,
            }
        }
        false
    };
    next.iter().filter(|next| !is_fan(next)).count()
}

fn first_hundredth_deg(mesh: &TriMesh) -> f64 {
    let smallest = |f: &[u32; 3]| {
        let [a, b, c] = f.map(|v| mesh.positions[v as usize]);
        let angles = [(a, b, c), (b, c, a), (c, a, b)]
            .map(|(a, b, c)| (b - a).angle_between(c - a).to_degrees());
        angles.into_iter().fold(f64::INFINITY, f64::min)
    };
    let mut angles: Vec<f64> = mesh.faces.iter().map(smallest).collect();
    angles.sort_by(f64::total_cmp);
    angles.get(angles.len() / 100).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    fn tetrahedron() -> TriMesh {
        TriMesh {
            positions: vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z],
            faces: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
        }
    }

    #[test]
    fn a_solid_is_closed_and_has_its_volume() {
        let mut mesh = tetrahedron();
        assert_eq!((loose_edges(&mesh), pinched_vertices(&mesh)), (0, 0));
        assert!((volume_m3(&mesh) - 1.0 / 6.0).abs() < 1e-12);
        // A second one that shares a vertex only is no manifold there.
        let far = mesh.positions.iter().skip(1).map(|p| -*p);
        mesh.positions.extend(far.collect::<Vec<_>>());
        mesh.faces
            .extend([[0, 4, 5], [0, 6, 4], [0, 5, 6], [4, 6, 5]]);
        assert_eq!((loose_edges(&mesh), pinched_vertices(&mesh)), (0, 1));
        mesh.faces.pop();
        assert_eq!(loose_edges(&mesh), 3);
    }
}
