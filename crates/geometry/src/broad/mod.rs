//! The broad phase of contact: which moving points, edges and triangles may come near each other.
//!
//! Every primitive has a box around where it is at the start and at the end of a step, with some
//! padding. Listed are all pairs of a point and a face, and of two edges, whose boxes overlap or
//! touch, except pairs with a vertex in common; in ascending order, each once, the same for any
//! number of threads and for both methods.
//!
//! ```
//! use glam::DVec3;
//! use toile_geometry::broad::{Method, Pairs, Sweep};
//!
//! // Two triangles, one above the other.
//! let corners = [DVec3::ZERO, DVec3::X, DVec3::Z];
//! let start: Vec<DVec3> = corners.into_iter().chain(corners.map(|p| p + DVec3::Y)).collect();
//! let mut sweep = Sweep::new(Method::Tree, 6, &[[0, 1, 2], [3, 4, 5]]);
//! let mut pairs = Pairs::default();
//!
//! sweep.update(&start, &start, 0.1);
//! sweep.self_pairs(&mut pairs);
//! assert!(pairs.point_face.is_empty() && pairs.edge_edge.is_empty());
//!
//! // The upper one falls through the lower one.
//! let end: Vec<DVec3> = start.iter().map(|p| DVec3::new(p.x, -p.y, p.z)).collect();
//! sweep.update(&start, &end, 0.1);
//! sweep.self_pairs(&mut pairs);
//! assert_eq!(pairs.point_face[..2], [[0, 1], [1, 1]]);
//! assert_eq!(pairs.edge_edge.len(), 9);
//! ```
//!
//! Only faces are searched for: each vertex and each edge is owned by one face that has it, and
//! whoever meets it meets the box of its owner. Pairs of faces come from a tree of boxes that is
//! refitted to the motion (`tree`), or from a grid of cells in which each face is registered
//! wherever it reaches (`grid`, after Choi and Ko 2002).

mod cuboid;
mod found;
mod grid;
mod ownership;
mod tree;

use cuboid::Cuboid;
use found::{Found, Order};
use glam::DVec3;
use grid::Grid;
use ownership::Ownership;
use toile_numerics::par;
use tree::Tree;

/// How pairs of faces are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// A bounding volume tree, built once and refitted at every update.
    #[default]
    Tree,
    /// A grid of cells about as large as the faces' boxes.
    Grid,
}

/// Pairs within one mesh.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    /// A vertex and a face it is no corner of.
    pub point_face: Vec<[u32; 2]>,
    /// Two edges without a common vertex, the lower number first.
    pub edge_edge: Vec<[u32; 2]>,
}

/// Pairs of a primitive of one mesh and a primitive of another, in this order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CrossPairs {
    /// A vertex of the first and a face of the second.
    pub point_face: Vec<[u32; 2]>,
    /// A face of the first and a vertex of the second.
    pub face_point: Vec<[u32; 2]>,
    /// An edge of the first and an edge of the second.
    pub edge_edge: Vec<[u32; 2]>,
}

/// Boxes of a mesh in motion, and the search among them.
///
/// Made once for the faces of a mesh; all memory is kept from one update to the next.
#[derive(Clone, Debug)]
pub struct Sweep {
    mesh: Ownership,
    boxes: Boxes,
    /// With [`Method::Tree`], built at the first update.
    tree: Option<Tree>,
    method: Method,
    scratch: Scratch,
}

/// The boxes of all primitives of a mesh.
#[derive(Clone, Debug, Default)]
struct Boxes {
    vertices: Vec<Cuboid>,
    edges: Vec<Cuboid>,
    faces: Vec<Cuboid>,
}

/// Memory of a search.
#[derive(Clone, Debug, Default)]
struct Scratch {
    tasks: Vec<Task>,
    order: Order,
    grids: [Grid; 2],
}

/// A part of a search that one thread does.
#[derive(Clone, Debug, Default)]
struct Task {
    /// Two nodes of trees, or the first and the last bucket of a grid.
    part: [u32; 2],
    found: Found,
}

impl Sweep {
    /// For a mesh with these faces, whose corners must be below `vertex_count`. Vertices of no face
    /// take part in nothing.
    pub fn new(method: Method, vertex_count: usize, faces: &[[u32; 3]]) -> Self {
        Self {
            mesh: Ownership::new(vertex_count, faces),
            boxes: Boxes::default(),
            tree: None,
            method,
            scratch: Scratch::default(),
        }
    }

    /// The edges, numbered by their place: every side of a face once, the lower vertex first, in
    /// ascending order.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.mesh.edges
    }

    /// Moves the boxes: from the positions `start` to the positions `end`, and `pad_m` further on all
    /// sides.
    ///
    /// Boxes are rounded to single precision, which is monotonic: primitives whose unrounded boxes
    /// overlap are never lost, and some that are a ten-millionth of their coordinates apart are listed.
    pub fn update(&mut self, start: &[DVec3], end: &[DVec3], pad_m: f64) {
        let Self { mesh, boxes, .. } = self;
        assert_eq!(start.len(), mesh.vertex_count);
        assert_eq!(end.len(), mesh.vertex_count);
        boxes.vertices.resize(start.len(), Cuboid::EMPTY);
        boxes.edges.resize(mesh.edges.len(), Cuboid::EMPTY);
        boxes.faces.resize(mesh.faces.len(), Cuboid::EMPTY);
        par::fill(&mut boxes.vertices, |v| {
            Cuboid::around(start[v], end[v], pad_m)
        });
        let vertices = &boxes.vertices;
        let of = |v: u32| vertices[v as usize];
        par::fill(&mut boxes.edges, |e| {
            let [a, b] = mesh.edges[e];
            of(a).union(of(b))
        });
        par::fill(&mut boxes.faces, |f| {
            let [a, b, c] = mesh.faces[f].corners;
            of(a).union(of(b)).union(of(c))
        });
        if self.method == Method::Tree {
            match &mut self.tree {
                Some(tree) => tree.refit(&boxes.faces),
                None => self.tree = Some(Tree::build(&boxes.faces)),
            }
        }
    }

    /// Builds the tree anew for the boxes as they are now, for cloth that has come to lie quite
    /// differently: a refitted tree stays right, but its boxes grow.
    pub fn rebuild(&mut self) {
        if self.tree.is_some() {
            self.tree = Some(Tree::build(&self.boxes.faces));
        }
    }

    /// Lists the pairs within this mesh.
    pub fn self_pairs(&mut self, pairs: &mut Pairs) {
        let Self {
            mesh,
            boxes,
            tree,
            scratch,
            ..
        } = self;
        let whole = (&*mesh, &*boxes);
        match tree {
            Some(tree) => {
                scratch.set_tasks(tree.self_tasks());
                scratch.run(|[a, b], found| {
                    tree.pairs_under(a, b, &mut |f, g| found.add_within(whole, f, g));
                });
            }
            None => {
                let Scratch { tasks, grids, .. } = scratch;
                let [grid, _] = grids;
                grid.fill(&boxes.faces, grid::cell_size(&[&boxes.faces]));
                set_tasks(tasks, grid.tasks());
                run(tasks, |part, found| {
                    grid.pairs_in(part, &boxes.faces, &mut |f, g| {
                        found.add_within(whole, f, g);
                    });
                });
            }
        }
        let Scratch { tasks, order, .. } = scratch;
        let lists = |list: fn(&Found) -> &Vec<u64>| tasks.iter().map(move |t| list(&t.found));
        order.sort(
            lists(|f| &f.point_face),
            mesh.vertex_count,
            &mut pairs.point_face,
        );
        order.sort(
            lists(|f| &f.edge_edge),
            mesh.edges.len(),
            &mut pairs.edge_edge,
        );
    }

    /// Lists the pairs of this mesh and another; by tree if both have one, or else by grid.
    pub fn pairs_with(&mut self, other: &Self, pairs: &mut CrossPairs) {
        let Self {
            mesh,
            boxes,
            tree,
            scratch,
            ..
        } = self;
        let (first, second) = ((&*mesh, &*boxes), (&other.mesh, &other.boxes));
        match (tree, &other.tree) {
            (Some(tree), Some(other)) => {
                scratch.set_tasks(tree.cross_tasks(other));
                scratch.run(|[a, b], found| {
                    tree.pairs_between(a, other, b, &mut |f, g| {
                        found.add_between(first, f, second, g);
                    });
                });
            }
            _ => {
                let Scratch { tasks, grids, .. } = scratch;
                let faces = [&boxes.faces[..], &other.boxes.faces[..]];
                let size = grid::cell_size(&faces);
                let [grid, other_grid] = grids;
                grid.fill(faces[0], size);
                other_grid.fill(faces[1], size);
                set_tasks(tasks, grid.tasks());
                run(tasks, |part, found| {
                    grid.pairs_between(part, other_grid, faces, &mut |f, g| {
                        found.add_between(first, f, second, g);
                    });
                });
            }
        }
        let Scratch { tasks, order, .. } = scratch;
        let lists = |list: fn(&Found) -> &Vec<u64>| tasks.iter().map(move |t| list(&t.found));
        order.sort(
            lists(|f| &f.point_face),
            mesh.vertex_count,
            &mut pairs.point_face,
        );
        order.sort(
            lists(|f| &f.face_point),
            mesh.faces.len(),
            &mut pairs.face_point,
        );
        order.sort(
            lists(|f| &f.edge_edge),
            mesh.edges.len(),
            &mut pairs.edge_edge,
        );
    }
}

impl Scratch {
    fn set_tasks(&mut self, parts: Vec<[u32; 2]>) {
        set_tasks(&mut self.tasks, parts);
    }

    fn run(&mut self, search: impl Fn([u32; 2], &mut Found) + Sync) {
        run(&mut self.tasks, search);
    }
}

/// Makes a task of each part, with the memory of the tasks before.
fn set_tasks(tasks: &mut Vec<Task>, parts: Vec<[u32; 2]>) {
    tasks.resize_with(parts.len(), Task::default);
    for (task, part) in tasks.iter_mut().zip(parts) {
        task.part = part;
    }
}

/// Does all tasks.
fn run(tasks: &mut [Task], search: impl Fn([u32; 2], &mut Found) + Sync) {
    par::for_each_leaf(tasks, 1, &|_, tasks| {
        for task in tasks {
            task.found.clear();
            search(task.part, &mut task.found);
        }
    });
}
