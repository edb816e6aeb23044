//! Finer meshes by Loop's subdivision.
//!
//! Every triangle becomes four: its edges get a vertex each. [`Subdivision::flat`] leaves them in the
//! middle of their edges, on the very surface of the coarse mesh. [`Subdivision::smooth`] moves old and
//! new vertices by Loop's weights, which tend to a surface with continuous curvature:
//!
//! - a new vertex: 3/8 of both ends of its edge and 1/8 of both vertices opposite to it;
//! - an old vertex with `n` neighbours: `β` of each and `1 − nβ` of its own, with
//!   `β = (5/8 − (3/8 + cos(2π/n)/4)²)/n`;
//! - on a border: halves for the new vertex, and 3/4 of its own and 1/8 of both neighbours along the
//!   border for the old one, so that a border depends on itself alone.
//!
//! A border is every edge that has not exactly two triangles. Vertices where other than two borders meet
//! stay where they are, and so do those that are told to, as corners of a cloth.
//!
//! Source: C. Loop, *Smooth Subdivision Surfaces Based on Triangles* (1987).
//! Verified by: `tests/subdivide.rs`.

use crate::sides::{self, Side};
use std::iter::Sum;
use std::ops::{Mul, Range};

/// Values that can be mixed: positions, velocities, texture coordinates.
pub trait Mixed: Copy + Mul<f64, Output = Self> + Sum {}

impl<T: Copy + Mul<f64, Output = T> + Sum> Mixed for T {}

/// A mesh to be made finer: parts that share no vertex, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pieces {
    /// Corners of all triangles.
    pub faces: Vec<[u32; 3]>,
    /// Vertices of every part, each range beginning where the one before ends.
    pub vertices: Vec<Range<usize>>,
    /// Triangles of every part, likewise.
    pub triangles: Vec<Range<usize>>,
}

impl Pieces {
    fn vertex_count(&self) -> usize {
        self.vertices.last().map_or(0, |part| part.end)
    }
}

/// A mesh made finer some times, or not at all.
#[derive(Clone, Debug, PartialEq)]
pub struct Subdivision {
    levels: Vec<Level>,
    finest: Pieces,
}

/// What vertices of a finer mesh are made of.
#[derive(Clone, Debug, PartialEq)]
struct Level {
    /// Where the weights of each vertex end.
    ends: Vec<u32>,
    /// Coarse vertices and their weights.
    weights: Vec<(u32, f64)>,
    /// The coarse vertices around it: itself, or the ends of its edge.
    middles: Vec<[u32; 2]>,
}

impl Level {
    fn smooth<T: Mixed>(&self, coarse: &[T]) -> Vec<T> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, end)| {
                let weights = &self.weights[start as usize..*end as usize];
                weights.iter().map(|(v, w)| coarse[*v as usize] * *w).sum()
            })
            .collect()
    }

    fn flat<T: Mixed>(&self, coarse: &[T]) -> Vec<T> {
        let middle = |[a, b]: &[u32; 2]| match a == b {
            true => coarse[*a as usize],
            false => {
                let ends = [a, b].map(|v| coarse[*v as usize] * 0.5);
                ends.into_iter().sum()
            }
        };
        self.middles.iter().map(middle).collect()
    }
}

impl Subdivision {
    /// Makes `mesh` finer `levels` times. Vertices for which `stays` is true stay where they are.
    pub fn new(mesh: Pieces, stays: &[bool], levels: u32) -> Self {
        let mut stays = stays.to_vec();
        stays.resize(mesh.vertex_count(), false);
        let mut all = Self {
            levels: Vec::new(),
            finest: mesh,
        };
        for _ in 0..levels {
            let (level, finer, still) = divide(&all.finest, &stays);
            all.levels.push(level);
            all.finest = finer;
            stays = still;
        }
        all
    }

    /// Whether it leaves the mesh as it is.
    pub fn is_none(&self) -> bool {
        self.levels.is_empty()
    }

    /// The finer mesh. Of every part the old vertices come first, in their order.
    pub fn mesh(&self) -> &Pieces {
        &self.finest
    }

    /// Number of vertices of the finer mesh.
    pub fn vertices(&self) -> usize {
        self.finest.vertex_count()
    }

    /// Values of the finer vertices, on the coarse surface.
    pub fn flat<T: Mixed>(&self, coarse: &[T]) -> Vec<T> {
        let finer = |values: Vec<T>, level: &Level| level.flat(&values);
        self.levels.iter().fold(coarse.to_vec(), finer)
    }

    /// Values of the finer vertices, by Loop's weights.
    pub fn smooth<T: Mixed>(&self, coarse: &[T]) -> Vec<T> {
        let finer = |values: Vec<T>, level: &Level| level.smooth(&values);
        self.levels.iter().fold(coarse.to_vec(), finer)
    }
}

/// One level: its weights, the finer mesh, and which of its vertices stay.
fn divide(mesh: &Pieces, stays: &[bool]) -> (Level, Pieces, Vec<bool>) {
    let sides = sides::sorted(&mesh.faces);
    let edges: Vec<&[Side]> = sides.chunk_by(|a, b| a.edge == b.edge).collect();
    let around = Around::new(mesh.vertex_count(), &edges);
    let mut level = Level {
        ends: Vec::new(),
        weights: Vec::new(),
        middles: Vec::new(),
    };
    let mut still = Vec::new();
    let mut finer = Pieces::default();
    // Edges are sorted by their lower vertex, and so by part; each part's follow its old vertices.
    let mut first_edge = 0;
    let (mut moved, mut of_edge) = (vec![0_u32; mesh.vertex_count()], Vec::new());
    for part in &mesh.vertices {
        let start = level.ends.len();
        for v in part.clone() {
            moved[v] = level.ends.len() as u32;
            level.weights.extend(around.weights(v as u32, stays[v]));
            level.push([v as u32; 2]);
            still.push(stays[v]);
        }
        let is_own = |edge: &&&[Side]| (edge[0].edge[0] as usize) < part.end;
        let own = edges[first_edge..].iter().take_while(is_own);
        for edge in own {
            of_edge.push(level.ends.len() as u32);
            level.weights.extend(middle(edge, &mesh.faces));
            level.push(edge[0].edge);
            still.push(false);
            first_edge += 1;
        }
        finer.vertices.push(start..level.ends.len());
    }
    let on_side = corner_edges(mesh.faces.len(), &edges);
    for part in &mesh.triangles {
        for face in part.clone() {
            let [a, b, c] = mesh.faces[face].map(|v| moved[v as usize]);
            let [x, y, z] = on_side[face].map(|edge| of_edge[edge as usize]);
            let four = [[a, z, y], [z, b, x], [y, x, c], [x, y, z]];
            finer.faces.extend(four);
        }
        finer.triangles.push(4 * part.start..4 * part.end);
    }
    (level, finer, still)
}

impl Level {
    /// Ends the weights of a vertex.
    fn push(&mut self, middle: [u32; 2]) {
        self.ends.push(self.weights.len() as u32);
        self.middles.push(middle);
    }
}

/// The edge opposite to each corner of each triangle.
fn corner_edges(faces: usize, edges: &[&[Side]]) -> Vec<[u32; 3]> {
    let mut on_side = vec![[0; 3]; faces];
    for (k, edge) in (0_u32..).zip(edges) {
        for side in *edge {
            on_side[side.triangle as usize][usize::from(side.corner)] = k;
        }
    }
    on_side
}

/// What the new vertex of an edge is made of.
fn middle(edge: &[Side], faces: &[[u32; 3]]) -> Vec<(u32, f64)> {
    let [a, b] = edge[0].edge;
    let opposite = |side: &Side| faces[side.triangle as usize][usize::from(side.corner)];
    match edge {
        [one, other] => vec![
            (a, 0.375),
            (b, 0.375),
            (opposite(one), 0.125),
            (opposite(other), 0.125),
        ],
        _ => vec![(a, 0.5), (b, 0.5)],
    }
}

/// Neighbours of every vertex, and of them those along borders.
struct Around {
    neighbours: Vec<Vec<u32>>,
    along_border: Vec<Vec<u32>>,
}

impl Around {
    fn new(vertices: usize, edges: &[&[Side]]) -> Self {
        let mut all = Self {
            neighbours: vec![Vec::new(); vertices],
            along_border: vec![Vec::new(); vertices],
        };
        for edge in edges {
            let [a, b] = edge[0].edge;
            for (from, to) in [(a, b), (b, a)] {
                all.neighbours[from as usize].push(to);
                if edge.len() != 2 {
                    all.along_border[from as usize].push(to);
                }
            }
        }
        all
    }

    /// What an old vertex is made of.
    fn weights(&self, vertex: u32, stays: bool) -> Vec<(u32, f64)> {
        let neighbours = &self.neighbours[vertex as usize];
        let mixed = |own: f64, others: &[u32], each: f64| {
            let others = others.iter().map(|v| (*v, each));
            std::iter::once((vertex, own)).chain(others).collect()
        };
        match (&self.along_border[vertex as usize][..], neighbours.len()) {
            _ if stays => mixed(1.0, &[], 0.0),
            (ends @ [_, _], _) => mixed(0.75, ends, 0.125),
            ([], count @ 1..) => {
                let n = count as f64;
                let c = 0.375 + 0.25 * (std::f64::consts::TAU / n).cos();
                let each = (0.625 - c * c) / n;
                mixed(1.0 - n * each, neighbours, each)
            }
            _ => mixed(1.0, &[], 0.0),
        }
    }
}
