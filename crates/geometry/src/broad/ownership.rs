//! Which face answers for which vertex and edge.
//!
//! Edges and points of no face answer for themselves: they are put behind the faces as triangles without an
//! area, which own what they are made of and are met by nothing as faces.

use super::flat::Flatness;
use super::tiling::Span;

/// Edges and points that take part for themselves, beside the sides and corners of faces.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lone<'a> {
    /// Edges between two different vertices; those that are sides of faces count as these.
    pub edges: &'a [[u32; 2]],
    /// Vertices; those of faces and of edges take part anyway.
    pub points: &'a [u32],
}

/// Every side of a face and every lone edge once, the lower vertex first, in ascending order.
pub fn edges_of(faces: &[[u32; 3]], lone_edges: &[[u32; 2]]) -> Vec<[u32; 2]> {
    let lone = lone_edges.iter().copied().map(ascending);
    let mut edges: Vec<[u32; 2]> = faces.iter().flat_map(sides).chain(lone).collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Faces, edges, and the face that owns each vertex and each edge: the first that has it.
#[derive(Clone, Debug)]
pub(super) struct Ownership {
    pub vertex_count: usize,
    /// The lower vertex first, in ascending order.
    pub edges: Vec<[u32; 2]>,
    /// The faces, and behind them what is lone.
    pub owners: Vec<Face>,
    /// How many of them are faces.
    pub face_count: usize,
}

/// A face, or a lone edge or point as one, with what it owns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Face {
    pub corners: [u32; 3],
    own_vertices: Few,
    own_edges: Few,
}

/// At most three numbers.
#[derive(Clone, Copy, Debug, Default)]
struct Few {
    numbers: [u32; 3],
    count: u32,
}

impl Ownership {
    pub fn new(vertex_count: usize, faces: &[[u32; 3]], lone: Lone<'_>) -> Self {
        let edges = edges_of(faces, lone.edges);
        let mut corner_taken = vec![false; vertex_count];
        let mut side_taken = vec![false; edges.len()];
        let take = |taken: &mut [bool], numbers: &mut dyn Iterator<Item = u32>| {
            let free = |i: &u32| !std::mem::replace(&mut taken[*i as usize], true);
            Few::new(numbers.filter(free))
        };
        let number = |side: [u32; 2]| edges.partition_point(|e| *e < side) as u32;
        let mut owner = |corners: [u32; 3], sides: &[[u32; 2]]| Face {
            corners,
            own_vertices: take(&mut corner_taken, &mut corners.into_iter()),
            own_edges: take(&mut side_taken, &mut sides.iter().map(|side| number(*side))),
        };
        let mut owners: Vec<Face> = faces
            .iter()
            .map(|face| owner(*face, &sides(face)))
            .collect();
        let of_edges = lone.edges.iter().map(|edge| ascending(*edge));
        owners.extend(of_edges.map(|[a, b]| owner([a, b, b], &[[a, b]])));
        owners.extend(lone.points.iter().map(|point| owner([*point; 3], &[])));
        Self {
            vertex_count,
            edges,
            owners,
            face_count: faces.len(),
        }
    }

    /// The faces themselves.
    pub fn faces(&self) -> &[Face] {
        &self.owners[..self.face_count]
    }

    /// Whether an owner is a face, and not lone.
    #[inline]
    pub fn is_face(&self, owner: u32) -> bool {
        (owner as usize) < self.face_count
    }

    /// Where each edge is in a pattern: lone ones nowhere, as the pattern says nothing of them.
    pub fn edge_spans(&self, flatness: &Flatness) -> Vec<Span> {
        let mut spans: Vec<Span> = self.edges.iter().map(|ends| flatness.span(*ends)).collect();
        for owner in &self.owners[self.face_count..] {
            for edge in owner.own_edges() {
                spans[*edge as usize] = Span::NOWHERE;
            }
        }
        spans
    }
}

impl Face {
    /// The vertices it owns.
    #[inline]
    pub fn own_vertices(&self) -> &[u32] {
        self.own_vertices.as_slice()
    }

    /// The edges it owns.
    #[inline]
    pub fn own_edges(&self) -> &[u32] {
        self.own_edges.as_slice()
    }
}

impl Few {
    fn new(numbers: impl Iterator<Item = u32>) -> Self {
        let mut few = Self::default();
        for number in numbers {
            few.numbers[few.count as usize] = number;
            few.count += 1;
        }
        few
    }

    #[inline]
    fn as_slice(&self) -> &[u32] {
        &self.numbers[..self.count as usize]
    }
}

fn sides([a, b, c]: &[u32; 3]) -> [[u32; 2]; 3] {
    [[*a, *b], [*b, *c], [*c, *a]].map(ascending)
}

fn ascending([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}
