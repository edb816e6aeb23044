//! The surface: the cage split, drawn onto the clay and evened out.

use super::cage::{Half, Part, cage};
use super::sculpt::{Clay, Plan};
use glam::DVec3;
use rayon::prelude::*;
use toile_geometry::TriMesh;

/// How often the cage is split.
const SPLITS: usize = 2;

/// Rounds of evening out for which a list of what is near to a vertex lasts.
const LISTED: usize = 6;
/// How much of the way to the middle of its neighbours a vertex goes in a round.
const EVENING: f64 = 0.5;
/// The same in the hand, whose vertices are mostly left where the cage has them: evened out like the
/// others, they would slip off the thumb and leave its tip to a few large triangles.
const EVENING_HAND: f64 = 0.15;
/// Steps onto the clay at the end, without evening out.
const SETTLES: usize = 3;

/// What is the same for every figure: who is whose neighbour and mirror image.
#[derive(Clone, Debug)]
pub struct Topology {
    /// Triangles, counter-clockwise from outside.
    pub faces: Vec<[u32; 3]>,
    /// Which part of the figure a vertex is of; on borders, the part listed last.
    pub parts: Vec<Part>,
    /// Vertices of the left half, the middle included, come first: this many.
    pub half: usize,
    /// The mirror image of each vertex; of the middle, the vertex itself.
    pub mirror: Vec<u32>,
    /// Neighbours along the sides of quadrilaterals, vertex by vertex of the left half.
    neighbors: Vec<Vec<u32>>,
}

impl Topology {
    /// The topology of a split cage, and its rough places.
    pub fn of(plan: &Plan) -> (Self, Vec<DVec3>) {
        let mut fine = cage(plan);
        for _ in 0..SPLITS {
            fine = fine.split();
        }
        let half = fine.positions.len();
        let mut positions = fine.positions.clone();
        let mut mirror: Vec<u32> = (0..half as u32).collect();
        for v in 0..half {
            if positions[v].x != 0.0 {
                mirror[v] = positions.len() as u32;
                mirror.push(v as u32);
                positions.push(mirrored(positions[v]));
            }
        }
        let mut parts = vec![Part::Trunk; positions.len()];
        for (quad, &part) in fine.quads.iter().zip(&fine.parts) {
            for &v in quad {
                parts[v as usize] = part;
                parts[mirror[v as usize] as usize] = part;
            }
        }
        let neighbors = neighbors(&fine, &mirror);
        let faces = triangles(&fine.quads, &mirror);
        let topology = Self {
            faces,
            parts,
            half,
            mirror,
            neighbors,
        };
        (topology, positions)
    }

    /// Brings the left half onto the clay, evens it out along the surface, and mirrors it.
    pub fn relax(&self, clay: &Clay, positions: &mut [DVec3], rounds: usize) {
        let mut near = Vec::new();
        for round in 0..rounds {
            if round % LISTED == 0 {
                near = self.each(|v| clay.near(positions[v]));
            }
            let moved = self.each(|v| {
                let (step, normal) = clay.step(&near[v], positions[v]);
                let pull = self.evening(v) * self.pull(v, positions);
                let along = pull - pull.dot(normal) * normal;
                self.kept(v, positions[v] + along + step)
            });
            self.place(&moved, positions);
        }
        let near = self.each(|v| clay.near(positions[v]));
        for _ in 0..SETTLES {
            let settled = self.each(|v| {
                let at = positions[v];
                self.kept(v, at + clay.step(&near[v], at).0)
            });
            self.place(&settled, positions);
        }
    }

    /// Something for each vertex of the left half.
    fn each<T: Send>(&self, of: impl Fn(usize) -> T + Send + Sync) -> Vec<T> {
        (0..self.half)
            .into_par_iter()
            .with_min_len(256)
            .map(of)
            .collect()
    }

    /// How much of the way to the middle of its neighbours a vertex goes in a round.
    fn evening(&self, v: usize) -> f64 {
        match self.parts[v] {
            Part::Hand => EVENING_HAND,
            _ => EVENING,
        }
    }

    /// The way to the middle of the neighbours.
    fn pull(&self, v: usize, positions: &[DVec3]) -> DVec3 {
        let around = &self.neighbors[v];
        let sum: DVec3 = around.iter().map(|&n| positions[n as usize]).sum();
        sum / around.len() as f64 - positions[v]
    }

    /// Vertices of the middle stay there.
    fn kept(&self, v: usize, p: DVec3) -> DVec3 {
        if self.mirror[v] as usize == v {
            DVec3::new(0.0, p.y, p.z)
        } else {
            p
        }
    }

    fn place(&self, half: &[DVec3], positions: &mut [DVec3]) {
        for (v, &p) in half.iter().enumerate() {
            positions[self.mirror[v] as usize] = mirrored(p);
            positions[v] = p;
        }
    }

    /// Neighbours of a vertex of the left half along the sides of quadrilaterals.
    pub fn around(&self, v: usize) -> &[u32] {
        &self.neighbors[v]
    }

    /// As a mesh.
    pub fn mesh(&self, positions: &[DVec3]) -> TriMesh {
        TriMesh {
            positions: positions.to_vec(),
            faces: self.faces.clone(),
        }
    }
}

/// On the other side of x = 0.
fn mirrored(p: DVec3) -> DVec3 {
    DVec3::new(-p.x, p.y, p.z)
}

fn neighbors(fine: &Half, mirror: &[u32]) -> Vec<Vec<u32>> {
    let half = fine.positions.len();
    let mut neighbors = vec![Vec::new(); half];
    for quad in &fine.quads {
        for k in 0..4 {
            let (a, b) = (quad[k], quad[(k + 1) % 4]);
            for (a, b) in [(a, b), (b, a)] {
                // A vertex of the middle sees what is on the other side too.
                for b in [b, mirror[b as usize]] {
                    let seen = mirror[a as usize] == a || (b as usize) < half;
                    let list = &mut neighbors[a as usize];
                    if seen && !list.contains(&b) {
                        list.push(b);
                    }
                }
            }
        }
    }
    neighbors
}

/// Two triangles a quadrilateral, and their mirror images.
fn triangles(quads: &[[u32; 4]], mirror: &[u32]) -> Vec<[u32; 3]> {
    let mut faces = Vec::with_capacity(4 * quads.len());
    for &[a, b, c, d] in quads {
        faces.extend([[a, b, c], [a, c, d]]);
    }
    for &quad in quads {
        let [a, b, c, d] = quad.map(|v| mirror[v as usize]);
        faces.extend([[a, c, b], [a, d, c]]);
    }
    faces
}
