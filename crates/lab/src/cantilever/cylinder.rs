//! The rigidity a bending law has on a mesh that is bent to a cylinder, in all directions: what
//! the mesh alone does, before anything finds its rest.

use super::SPACING_M;
use super::overhang::{clamped, strip};
use crate::experiment::Error;
use crate::probe::Probe;
use crate::specimen;
use crate::strip::{Kind, Mesh, Strip};
use glam::{DVec2, DVec3};
use std::collections::BTreeMap;
use std::sync::Arc;
use toile_geometry::{Surface, TriMesh};
use toile_sim::{ClothSpec, Cut, Material};

/// Least and greatest rigidity over all directions, over the one asked for.
pub struct Imposed {
    /// Of these laws.
    pub laws: Kind,
    /// As the laws have it.
    pub found: [f64; 2],
    /// As worked out by hand; on jittered meshes, as on others of their kind.
    pub expected: [f64; 2],
}

/// Directions that are tried.
const DIRECTIONS: u32 = 36;

fn directions() -> impl Iterator<Item = DVec2> {
    (0..DIRECTIONS)
        .map(|k| DVec2::from_angle(std::f64::consts::PI * f64::from(k) / f64::from(DIRECTIONS)))
}

fn range(shares: impl Iterator<Item = f64>) -> [f64; 2] {
    shares.fold([f64::INFINITY, 0.0], |[low, high], share| {
        [low.min(share), high.max(share)]
    })
}

/// Hinges with every particle of a large sheet on the cylinder.
pub fn hinges(mesh: Mesh) -> Result<Imposed, Error> {
    const CELLS: f64 = 60.0;
    let laws = Kind::BARAFF_WITKIN.on(mesh);
    let strip = Strip {
        size_m: DVec2::splat(CELLS * SPACING_M),
        ..strip(laws)
    };
    let cloth = clamped(&strip, 1.0, 1.0, 0.5 * SPACING_M);
    let flat = cloth.positions();
    let probe = Probe::new(specimen::model(cloth, 0.0)?);
    let curvature = 1e-3 / strip.size_m.y;
    let area = strip.size_m.x * strip.size_m.y;
    let share = |direction: DVec2| {
        let to = DVec3::new(direction.x, 0.0, direction.y);
        let axis = to.cross(DVec3::Y);
        let bent = |x: &DVec3| {
            let angle = curvature * to.dot(*x);
            let point = angle.sin() * to + (1.0 - angle.cos()) * DVec3::Y;
            point / curvature + axis.dot(*x) * axis
        };
        let bent: Vec<DVec3> = flat.iter().map(bent).collect();
        probe.energy(&bent) / (0.5 * curvature * curvature * area)
    };
    Ok(Imposed {
        laws,
        found: range(directions().map(share)),
        expected: match mesh {
            Mesh::OneDiagonal => [0.75, 3.0],
            Mesh::Alternating => [1.0, 1.5],
            Mesh::Jittered => [1.2, 1.3],
            _ => [1.0, 1.0],
        },
    })
}

/// Pairs of rigid triangles, folded by the angles that their edges have on the cylinder: a sheet
/// that does not stretch leaves them no other choice. (With their corners on the cylinder itself,
/// edges would be shorter than they are.)
pub fn pairs(mesh: Mesh) -> Result<Imposed, Error> {
    const CELLS: f64 = 20.0;
    let laws = Kind::BUCKLING.on(mesh);
    let strip = Strip {
        size_m: DVec2::splat(CELLS * SPACING_M),
        ..strip(laws)
    };
    let cloth = clamped(&strip, 1.0, 1e-3, 0.0);
    let Cut::Mesh(surface) = &cloth.cut else {
        unreachable!("strips of triangles are meshes");
    };
    let pairs = pairs_of(surface, &cloth.material)?;
    // Each edge has a third of both its triangles.
    let area: f64 = pairs.iter().map(|pair| pair.area_m2 / 3.0).sum();
    let share = |direction: DVec2| {
        let energy = |pair: &Pair| 0.5 * pair.stiffness_n_m * pair.angle(direction).powi(2);
        pairs.iter().map(energy).sum::<f64>() / (0.5 * area)
    };
    Ok(Imposed {
        laws,
        found: range(directions().map(share)),
        expected: match mesh {
            // 4/3 (0.48 (1 + 2cs) + 3c²s²), c and s the direction's cosine and sine.
            Mesh::OneDiagonal => [0.538, 2.28],
            Mesh::Alternating => [1.0, 1.5],
            Mesh::Jittered => [0.93, 0.99],
            _ => [1.0, 1.0],
        },
    })
}

/// Two triangles with an edge in common.
struct Pair {
    /// The corner opposite to the edge, the edge's ends, and the other corner, m.
    corners: [DVec2; 4],
    area_m2: f64,
    /// Twice its energy over its angle squared, N·m.
    stiffness_n_m: f64,
}

impl Pair {
    /// The angle at its edge, per curvature of a cylinder that bends in a direction, m.
    fn angle(&self, direction: DVec2) -> f64 {
        let [i, from, to, l] = self.corners;
        let height = |p: DVec2| 0.5 * direction.dot(p).powi(2);
        let slope = |corner: DVec2| {
            let edge = to - from;
            let share = (corner - from).dot(edge) / edge.length_squared();
            let foot = from.lerp(to, share);
            let below = height(from) + share * (height(to) - height(from));
            (height(corner) - below) / corner.distance(foot)
        };
        slope(i) + slope(l)
    }
}

/// All pairs of a flat surface, with what the law says to a small fold of each by itself.
fn pairs_of(surface: &Surface, material: &Material) -> Result<Vec<Pair>, Error> {
    const FOLD_RAD: f64 = 0.05;
    let TriMesh { positions, faces } = &surface.mesh;
    // One panel: a vertex has the same place in the pattern in all its faces.
    let mut flat = vec![DVec2::ZERO; positions.len()];
    for (corners, places) in faces.iter().zip(&surface.rest) {
        for (vertex, place) in corners.iter().zip(places) {
            flat[*vertex as usize] = *place;
        }
    }
    let mut open: BTreeMap<[u32; 2], u32> = BTreeMap::new();
    let mut pairs = Vec::new();
    for corners in faces {
        for k in 0..3 {
            let [i, from, to] = [0, 1, 2].map(|c| corners[(k + c) % 3]);
            let Some(l) = open.remove(&[to, from]) else {
                open.insert([from, to], i);
                continue;
            };
            let corners = [i, from, to, l].map(|vertex| flat[vertex as usize]);
            pairs.push(pair(corners, material, FOLD_RAD)?);
        }
    }
    Ok(pairs)
}

fn pair(corners: [DVec2; 4], material: &Material, fold_rad: f64) -> Result<Pair, Error> {
    let [i, from, to, l] = corners;
    let rest = vec![[i, from, to], [l, to, from]];
    let level = |p: DVec2| DVec3::new(p.x, 0.0, -p.y);
    let mesh = TriMesh {
        positions: corners.map(level).to_vec(),
        faces: vec![[0, 1, 2], [3, 2, 1]],
    };
    let mut bent = mesh.positions.clone();
    let axis = (bent[2] - bent[1]).normalize();
    bent[3] = bent[1] + glam::DQuat::from_axis_angle(axis, fold_rad) * (bent[3] - bent[1]);
    let mut cloth = ClothSpec::new(
        "pair",
        Cut::Mesh(Arc::new(Surface { rest, mesh })),
        *material,
    );
    cloth.model = Kind::BUCKLING.laws;
    let probe = Probe::new(specimen::model(cloth, 0.0)?);
    let area = |[a, b, c]: [DVec2; 3]| 0.5 * (b - a).perp_dot(c - a).abs();
    Ok(Pair {
        corners,
        area_m2: area([i, from, to]) + area([l, to, from]),
        stiffness_n_m: 2.0 * probe.energy(&bent) / (fold_rad * fold_rad),
    })
}
