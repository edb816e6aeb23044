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
//! By tree, vertices, edges and faces have a tree of boxes each, which is refitted to the motion and
//! compared eight boxes at a time (`forest`, `search`). By grid, only faces are searched for: each is
//! registered in all cells it reaches (`grid`, after Choi and Ko 2002), each vertex and each edge is
//! owned by one face that has it, and whoever meets it meets the box of its owner (`ownership`). Edges and
//! points of no face, such as those of rods, take part where they are given ([`Lone`]).
//!
//! Where cloth moves by more than its edges in a step, such boxes overlap with all they pass by. With
//! [`Sweep::update_along`] a box is around the start alone and has a way to go; two of them meet where one,
//! moved by the difference of their ways, passes through the other.
//!
//! Most of what boxes find in a smooth cloth are neighbours that cannot meet: [`Flatness`] knows them, and
//! [`Sweep::uneven_pairs`] does not look for them.

mod admission;
mod cuboid;
mod eight;
mod flat;
mod forest;
mod found;
mod gradients;
mod grid;
mod ownership;
mod search;
mod tiling;
mod tree;
mod voxels;

use cuboid::Cuboid;
pub use flat::{Flatness, Ways};
use forest::{Forest, Searches};
use found::{Found, Order};
use glam::{DVec2, DVec3, Vec3A};
use grid::Grid;
use ownership::Ownership;
pub use ownership::{Lone, edges_of};
use std::borrow::Cow;
use tiling::Span;
use toile_numerics::par;
use tree::Moving;
pub use voxels::near_points;

/// Roundings to single precision that boxes which go along are wider by.
const ROUNDINGS: f64 = 4.0;

/// How pairs are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Bounding volume trees, built once and refitted at every update.
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
    forest: Option<Forest>,
    /// What is known of the pattern, if there is one.
    flatness: Option<Flatness>,
    /// Where edges and faces are in it.
    edge_spans: Vec<Span>,
    face_spans: Vec<Span>,
    method: Method,
    scratch: Scratch,
}

/// The boxes of the vertices of a mesh, and of its other primitives where they are looked up often.
#[derive(Clone, Debug, Default)]
struct Boxes {
    vertices: Vec<Cuboid>,
    /// How far the box of each vertex moves; none if they stay where they are.
    ways: Vec<Vec3A>,
    /// With [`Method::Grid`].
    edges: Vec<Cuboid>,
    /// With [`Method::Grid`].
    faces: Vec<Cuboid>,
}

impl Boxes {
    fn go_along(&self) -> bool {
        !self.ways.is_empty()
    }

    #[inline]
    fn vertex(&self, v: u32) -> Moving {
        let own = self.vertices[v as usize];
        if self.go_along() {
            let ways = Cuboid::at(self.ways[v as usize]);
            Moving { own, ways }
        } else {
            Moving::still(own)
        }
    }

    #[inline]
    fn edge(&self, mesh: &Ownership, e: usize) -> Moving {
        let [a, b] = mesh.edges[e].map(|v| self.vertex(v));
        a.union(b)
    }

    #[inline]
    fn face(&self, mesh: &Ownership, f: usize) -> Moving {
        let [a, b, c] = mesh.owners[f].corners.map(|v| self.vertex(v));
        a.union(b).union(c)
    }

    /// Looks up the boxes of all primitives.
    fn look_up(&mut self, mesh: &Ownership) {
        let [mut edges, mut faces] = [&mut self.edges, &mut self.faces].map(std::mem::take);
        edges.resize(mesh.edges.len(), Cuboid::EMPTY);
        faces.resize(mesh.owners.len(), Cuboid::EMPTY);
        par::fill(&mut edges, |e| self.edge(mesh, e).own);
        par::fill(&mut faces, |f| self.face(mesh, f).own);
        (self.edges, self.faces) = (edges, faces);
    }

    /// The same with all primitives, and where they are all the way.
    fn whole(&self, mesh: &Ownership) -> Cow<'_, Self> {
        if self.faces.len() == mesh.owners.len() {
            return Cow::Borrowed(self);
        }
        let around = |v: usize| self.vertex(v as u32).around();
        let mut whole = Self {
            vertices: (0..self.vertices.len()).map(around).collect(),
            ..Self::default()
        };
        whole.look_up(mesh);
        Cow::Owned(whole)
    }
}

/// Memory of a search.
#[derive(Clone, Debug, Default)]
struct Scratch {
    searches: Searches,
    tasks: Vec<Task>,
    order: Order,
    grids: [Grid; 2],
}

/// A part of a search by grid that one thread does.
#[derive(Clone, Debug, Default)]
struct Task {
    /// The first and the last bucket.
    part: [u32; 2],
    found: Found,
}

impl Sweep {
    /// For a mesh with these faces, whose corners must be below `vertex_count`. Vertices of no face
    /// take part in nothing.
    pub fn new(method: Method, vertex_count: usize, faces: &[[u32; 3]]) -> Self {
        Self::with_lone(method, vertex_count, faces, Lone::default())
    }

    /// The same where some edges and points of no face take part too.
    pub fn with_lone(
        method: Method,
        vertex_count: usize,
        faces: &[[u32; 3]],
        lone: Lone<'_>,
    ) -> Self {
        Self {
            mesh: Ownership::new(vertex_count, faces, lone),
            boxes: Boxes::default(),
            forest: None,
            flatness: None,
            edge_spans: Vec::new(),
            face_spans: Vec::new(),
            method,
            scratch: Scratch::default(),
        }
    }

    /// The same for a mesh whose faces have their corners at `rest` in a flat pattern, so that
    /// [`Self::uneven_pairs`] can leave out what lies flat.
    pub fn with_pattern(
        method: Method,
        vertex_count: usize,
        faces: &[[u32; 3]],
        rest: &[[DVec2; 3]],
    ) -> Self {
        Self::new(method, vertex_count, faces).knowing_pattern(rest)
    }

    /// The same, knowing where in a flat pattern the first faces have their corners; of the others, and of
    /// what is lone, no pattern is known. Before the first update.
    pub fn knowing_pattern(mut self, rest: &[[DVec2; 3]]) -> Self {
        let corners = |face: &ownership::Face| face.corners;
        let faces: Vec<[u32; 3]> = self.mesh.faces().iter().map(corners).collect();
        let flatness = Flatness::new(self.mesh.vertex_count, &faces[..rest.len()], rest);
        let span = |corners: &[u32; 3]| flatness.span(*corners);
        self.face_spans = faces.iter().map(span).collect();
        self.edge_spans = self.mesh.edge_spans(&flatness);
        self.flatness = Some(flatness);
        self
    }

    /// The edges, numbered by their place: every side of a face and every lone edge once, the lower vertex first, in
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
        self.boxes.ways.clear();
        self.place(start, end, |_| pad_m, |v| end[v]);
        if self.method == Method::Grid {
            self.boxes.look_up(&self.mesh);
        }
    }

    /// The same with boxes that go along: each vertex has one `pad_m` around where it is at `start`, which
    /// moves with it straight to `end`. What moves together is then not listed for the way it goes, but the
    /// pairs listed are only those of these very ways. By grid it is the same as [`Self::update`].
    pub fn update_along(&mut self, start: &[DVec3], end: &[DVec3], pad_m: f64) {
        if self.method == Method::Grid {
            return self.update(start, end, pad_m);
        }
        self.boxes.ways.resize(start.len(), Vec3A::ZERO);
        par::fill(&mut self.boxes.ways, |v| (end[v] - start[v]).as_vec3a());
        let pad_m = |v: usize| pad_m + rounding_m(start[v], end[v]);
        self.place(start, end, pad_m, |v| start[v]);
    }

    /// Puts boxes around `start` and `other` of every vertex.
    fn place(
        &mut self,
        start: &[DVec3],
        end: &[DVec3],
        pad_m: impl Fn(usize) -> f64 + Sync,
        other: impl Fn(usize) -> DVec3 + Sync,
    ) {
        let Self { mesh, boxes, .. } = self;
        assert_eq!(start.len(), mesh.vertex_count);
        assert_eq!(end.len(), mesh.vertex_count);
        boxes.vertices.resize(start.len(), Cuboid::EMPTY);
        par::fill(&mut boxes.vertices, |v| {
            Cuboid::around(start[v], other(v), pad_m(v))
        });
        if self.method == Method::Tree {
            match &mut self.forest {
                Some(forest) => forest.refit(mesh, boxes),
                None => self.forest = Some(Forest::build(mesh, boxes, self.flatness.as_ref())),
            }
        }
    }

    /// Whether boxes go along with their vertices.
    pub fn goes_along(&self) -> bool {
        self.boxes.go_along()
    }

    /// Builds the trees anew for the boxes as they are now, for cloth that has come to lie quite
    /// differently: refitted trees stay right, but their boxes grow.
    pub fn rebuild(&mut self) {
        if self.forest.is_some() {
            self.forest = Some(Forest::build(
                &self.mesh,
                &self.boxes,
                self.flatness.as_ref(),
            ));
        }
    }

    /// Lists the pairs within this mesh.
    pub fn self_pairs(&mut self, pairs: &mut Pairs) {
        self.list_own(false, pairs);
    }

    /// Lists the pairs within this mesh that may come near each other on these ways: without those in
    /// parts of the pattern that lie flat. The boxes are to be those of the ways.
    ///
    /// What is left out depends on which boxes share a leaf, and so on the boxes of the first update.
    pub fn uneven_pairs(&mut self, ways: &Ways<'_>, pairs: &mut Pairs) {
        if let Some(flatness) = &mut self.flatness {
            flatness.find(ways);
        }
        self.list_own(true, pairs);
        let Some(flatness) = &self.flatness else {
            return;
        };
        let (edges, faces) = (&self.edge_spans, &self.face_spans);
        keep(&mut pairs.point_face, |[vertex, face]| {
            let span = flatness.span([vertex]).with(&faces[face as usize]);
            !flatness.is_span_flat(&span)
        });
        keep(&mut pairs.edge_edge, |[first, second]| {
            let span = edges[first as usize].with(&edges[second as usize]);
            !flatness.is_span_flat(&span)
        });
    }

    /// Whether the boxes hold those around the ways from `start` to `end`, `pad_m` wider on all sides: then
    /// what was listed for them has all pairs of these ways. With boxes that go along, at every moment of the
    /// way.
    pub fn holds(&self, start: &[DVec3], end: &[DVec3], pad_m: f64) -> bool {
        let Boxes { vertices, ways, .. } = &self.boxes;
        let holds = |v: usize| {
            let (start, end) = (start[v], end[v]);
            let wanted = match ways.get(v) {
                None => Cuboid::around(start, end, pad_m),
                Some(way) => {
                    let stray_m = (end - start - way.as_dvec3()).abs().max_element();
                    Cuboid::around(start, start, pad_m + stray_m + rounding_m(start, end))
                }
            };
            vertices[v].contains(&wanted)
        };
        vertices.len() == start.len() && (0..start.len()).all(holds)
    }

    /// Whether all that [`Self::uneven_pairs`] left out last also lies flat on these ways.
    pub fn stays_flat(&mut self, ways: &Ways<'_>) -> bool {
        let flatness = self.flatness.as_mut();
        flatness.is_none_or(|flatness| flatness.stay(ways))
    }

    /// Lists the pairs within this mesh, all of them or without many that lie flat.
    fn list_own(&mut self, uneven: bool, pairs: &mut Pairs) {
        let Self { mesh, boxes, .. } = self;
        let Scratch {
            searches,
            tasks,
            order,
            grids: [grid, _],
        } = &mut self.scratch;
        if let Some(forest) = &self.forest {
            let flatness = self.flatness.as_ref().filter(|_| uneven);
            return forest.self_pairs(mesh, flatness, searches, pairs);
        }
        grid.fill(&boxes.faces, grid::cell_size(&[&boxes.faces]));
        run(tasks, grid.tasks(), |part, found| {
            grid.pairs_in(part, &boxes.faces, &mut |f, g| {
                found.add_within((mesh, boxes), f, g);
            });
        });
        let mut sort = |list: fn(&Found) -> &Vec<u64>, count: usize, out: &mut Vec<_>| {
            order.sort(tasks.iter().map(|task| list(&task.found)), count, out);
        };
        sort(|f| &f.point_face, mesh.vertex_count, &mut pairs.point_face);
        sort(|f| &f.edge_edge, mesh.edges.len(), &mut pairs.edge_edge);
    }

    /// Lists the pairs of this mesh and another; by tree if both have them, or else by grid.
    pub fn pairs_with(&mut self, other: &Self, pairs: &mut CrossPairs) {
        let Self { mesh, boxes, .. } = self;
        let Scratch {
            searches,
            tasks,
            order,
            grids: [grid, other_grid],
        } = &mut self.scratch;
        if let (Some(forest), Some(other)) = (&self.forest, &other.forest) {
            return forest.pairs_with(other, searches, pairs);
        }
        let (own, theirs) = (boxes.whole(mesh), other.boxes.whole(&other.mesh));
        let (first, second) = ((&*mesh, &*own), (&other.mesh, &*theirs));
        let faces = [&own.faces[..], &theirs.faces[..]];
        let size = grid::cell_size(&faces);
        grid.fill(faces[0], size);
        other_grid.fill(faces[1], size);
        run(tasks, grid.tasks(), |part, found| {
            grid.pairs_between(part, other_grid, faces, &mut |f, g| {
                found.add_between(first, f, second, g);
            });
        });
        let mut sort = |list: fn(&Found) -> &Vec<u64>, count: usize, out: &mut Vec<_>| {
            order.sort(tasks.iter().map(|task| list(&task.found)), count, out);
        };
        sort(|f| &f.point_face, mesh.vertex_count, &mut pairs.point_face);
        sort(|f| &f.face_point, mesh.face_count, &mut pairs.face_point);
        sort(|f| &f.edge_edge, mesh.edges.len(), &mut pairs.edge_edge);
    }
}

/// Keeps the pairs that are wanted. Without a branch: half of them are, and which cannot be predicted.
fn keep(pairs: &mut Vec<[u32; 2]>, is_wanted: impl Fn([u32; 2]) -> bool) {
    let mut kept = 0;
    for k in 0..pairs.len() {
        pairs[kept] = pairs[k];
        kept += usize::from(is_wanted(pairs[k]));
    }
    pairs.truncate(kept);
}

/// What a box that goes along is wider by, as sums of places and ways are rounded too.
fn rounding_m(start: DVec3, end: DVec3) -> f64 {
    ROUNDINGS * f64::from(f32::EPSILON) * start.abs().max(end.abs()).max_element()
}

/// Does a search by parts, with the memory of the tasks before.
fn run(tasks: &mut Vec<Task>, parts: Vec<[u32; 2]>, search: impl Fn([u32; 2], &mut Found) + Sync) {
    tasks.resize_with(parts.len(), Task::default);
    for (task, part) in tasks.iter_mut().zip(parts) {
        task.part = part;
    }
    par::for_each_leaf(tasks, 1, |_, tasks| {
        for task in tasks {
            task.found.clear();
            search(task.part, &mut task.found);
        }
    });
}
