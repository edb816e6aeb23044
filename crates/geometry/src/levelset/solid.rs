//! What a closed mesh is, and how one with small holes becomes closed.
//!
//! The boundary of a surface is what is left of its directed edges when opposite ones have cancelled.
//! What is left is made of loops. Each is closed by a fan of triangles around its middle, and then
//! every line crosses the surface as often inwards as outwards: the number of times the surface winds
//! around a point is whole, whatever overlaps whatever.

use super::LevelSetError;
use crate::{Bounds, TriMesh, sides};
use glam::DVec3;
use std::collections::BTreeMap;

/// A hole that was closed, or was too wide to be.
#[derive(Clone, Debug, PartialEq)]
pub struct Hole {
    /// Its middle, m.
    pub center: DVec3,
    /// Twice the distance of its farthest vertex from the middle, m.
    pub width_m: f64,
    /// Edges around it.
    pub edges: usize,
}

/// The triangles of a solid, holes closed, fronts outside; its vertices may be anywhere.
///
/// Parts may overlap each other and themselves: what is inside of any is inside. Parts inside out
/// within others are cavities.
#[derive(Clone, Debug, PartialEq)]
pub struct Solid {
    vertices: usize,
    /// The mesh's own triangles in their order, then those that close holes.
    faces: Vec<[u32; 3]>,
    /// Vertices around each hole; the vertex in its middle is numbered after the mesh's own.
    loops: Vec<Vec<u32>>,
    /// The holes where the mesh stood.
    holes: Vec<Hole>,
    turned: bool,
}

impl Solid {
    /// Closes holes of at most `hole_limit_m` and refuses wider ones. A mesh that is inside out as a
    /// whole, with a negative volume, is accepted and turned over.
    pub fn new(mesh: &TriMesh, hole_limit_m: f64) -> Result<Self, LevelSetError> {
        mesh.validate()?;
        if mesh.faces.is_empty() {
            return Err(LevelSetError::Empty);
        }
        let loops = boundary_loops(&mesh.faces);
        let holes: Vec<Hole> = loops.iter().map(|l| hole(l, &mesh.positions)).collect();
        let wide = holes.iter().filter(|h| h.width_m > hole_limit_m);
        if let Some(widest) = wide.clone().max_by(|a, b| a.width_m.total_cmp(&b.width_m)) {
            return Err(LevelSetError::Open {
                count: wide.count(),
                widest: widest.clone(),
                limit_m: hole_limit_m,
            });
        }
        let mut solid = Self {
            vertices: mesh.positions.len(),
            faces: mesh.faces.clone(),
            loops,
            holes,
            turned: false,
        };
        for (k, around) in solid.loops.iter().enumerate() {
            let middle = (solid.vertices + k) as u32;
            let next = around.iter().cycle().skip(1);
            let fan = around.iter().zip(next);
            solid.faces.extend(fan.map(|(&a, &b)| [a, b, middle]));
        }
        let volume_m3 = solid.volume_m3(&mesh.positions)?;
        if volume_m3.is_nan() || volume_m3.abs() <= least_volume_m3(&mesh.positions) {
            return Err(LevelSetError::NoVolume { volume_m3 });
        }
        if volume_m3 < 0.0 {
            solid.turned = true;
            for face in &mut solid.faces {
                face.swap(1, 2);
            }
        }
        Ok(solid)
    }

    /// Number of vertices of the mesh.
    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// All triangles, those that close holes last; they name vertices of [`Solid::extended`].
    pub fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }

    /// The holes that were closed.
    pub fn holes(&self) -> &[Hole] {
        &self.holes
    }

    /// Whether the mesh was inside out.
    pub fn was_turned(&self) -> bool {
        self.turned
    }

    /// One vector a vertex of the mesh, followed by those in the middle of holes, which are means:
    /// positions or velocities of a pose.
    pub fn extended(&self, of_vertices: &[DVec3]) -> Result<Vec<DVec3>, LevelSetError> {
        if of_vertices.len() != self.vertices {
            return Err(LevelSetError::Count {
                expected: self.vertices,
                found: of_vertices.len(),
            });
        }
        if let Some(vertex) = of_vertices.iter().position(|v| !v.is_finite()) {
            return Err(crate::MeshError::NotFinite { vertex }.into());
        }
        let mut all = Vec::with_capacity(self.vertices + self.loops.len());
        all.extend_from_slice(of_vertices);
        all.extend(self.loops.iter().map(|around| mean(around, of_vertices)));
        Ok(all)
    }

    /// Refuses a pose in which nothing is inside: collapsed, or turned inside out.
    pub fn check_pose(&self, positions: &[DVec3]) -> Result<(), LevelSetError> {
        let volume_m3 = self.volume_m3(positions)?;
        if volume_m3.is_nan() || volume_m3 <= least_volume_m3(positions) {
            return Err(LevelSetError::NoVolume { volume_m3 });
        }
        Ok(())
    }

    /// Volume enclosed in a pose, m³; overlaps count as often as they are covered.
    pub fn volume_m3(&self, positions: &[DVec3]) -> Result<f64, LevelSetError> {
        let all = self.extended(positions)?;
        // Seen from a vertex, as rounding grows with the distance.
        let apex = all[self.faces[0][0] as usize];
        let sixfold = |face: &[u32; 3]| {
            let [a, b, c] = face.map(|v| all[v as usize] - apex);
            a.dot(b.cross(c))
        };
        Ok(self.faces.iter().map(sixfold).sum::<f64>() / 6.0)
    }
}

/// A solid of this size with no more volume than this has none, but for rounding, m³.
fn least_volume_m3(positions: &[DVec3]) -> f64 {
    1e-12 * Bounds::of(positions).size().max_element().powi(3)
}

fn mean(around: &[u32], positions: &[DVec3]) -> DVec3 {
    let sum: DVec3 = around.iter().map(|&v| positions[v as usize]).sum();
    sum / around.len() as f64
}

fn hole(around: &[u32], positions: &[DVec3]) -> Hole {
    let center = mean(around, positions);
    let distances = around
        .iter()
        .map(|&v| positions[v as usize].distance(center));
    Hole {
        center,
        width_m: 2.0 * distances.fold(0.0, f64::max),
        edges: around.len(),
    }
}

/// The loops around all holes, each in the order in which triangles that close it must run.
fn boundary_loops(faces: &[[u32; 3]]) -> Vec<Vec<u32>> {
    let mut onward: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for sides in sides::sorted(faces).chunk_by(|a, b| a.edge == b.edge) {
        let [low, high] = sides[0].edge;
        let up = sides.iter().filter(|s| s.directed(faces) == [low, high]);
        let surplus = 2 * up.count() as i64 - sides.len() as i64;
        // What closes a hole runs against the triangles around it.
        let (from, to) = if surplus > 0 {
            (high, low)
        } else {
            (low, high)
        };
        for _ in 0..surplus.abs() {
            onward.entry(from).or_default().push(to);
        }
    }
    let mut loops = Vec::new();
    while let Some((&start, _)) = onward.first_key_value() {
        // As many edges end in a vertex as start there, so a walk can only end where it began; each
        // time it meets itself, a loop is cut off.
        let mut path = vec![start];
        let mut place = BTreeMap::from([(start, 0)]);
        let mut at = start;
        while let Some(next) = take(&mut onward, at) {
            if let Some(&first) = place.get(&next) {
                let closed = path.split_off(first);
                for vertex in &closed {
                    place.remove(vertex);
                }
                loops.push(closed);
            }
            place.insert(next, path.len());
            path.push(next);
            at = next;
        }
    }
    loops
}

/// Takes one of the edges that start at a vertex.
fn take(onward: &mut BTreeMap<u32, Vec<u32>>, from: u32) -> Option<u32> {
    let ends = onward.get_mut(&from)?;
    let end = ends.pop();
    if ends.is_empty() {
        onward.remove(&from);
    }
    end
}
