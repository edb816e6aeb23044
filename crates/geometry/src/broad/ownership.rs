//! Which face answers for which vertex and edge.

/// Faces, edges, and the face that owns each vertex and each edge: the first that has it.
#[derive(Clone, Debug)]
pub(super) struct Ownership {
    pub vertex_count: usize,
    /// The lower vertex first, in ascending order.
    pub edges: Vec<[u32; 2]>,
    pub faces: Vec<Face>,
}

/// A face with what it owns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Face {
    pub corners: [u32; 3],
    /// Its sides: side k joins the corners k and k + 1.
    sides: [u32; 3],
    owned_corners: [bool; 3],
    owned_sides: [bool; 3],
}

impl Ownership {
    pub fn new(vertex_count: usize, faces: &[[u32; 3]]) -> Self {
        let sides = |&[a, b, c]: &[u32; 3]| [[a, b], [b, c], [c, a]].map(ascending);
        let mut edges: Vec<[u32; 2]> = faces.iter().flat_map(sides).collect();
        edges.sort_unstable();
        edges.dedup();
        let mut corner_taken = vec![false; vertex_count];
        let mut side_taken = vec![false; edges.len()];
        let take = |taken: &mut [bool], i: u32| !std::mem::replace(&mut taken[i as usize], true);
        let face = |corners: &[u32; 3]| {
            let number = |side: [u32; 2]| edges.partition_point(|e| *e < side) as u32;
            let sides = sides(corners).map(number);
            Face {
                corners: *corners,
                sides,
                owned_corners: corners.map(|v| take(&mut corner_taken, v)),
                owned_sides: sides.map(|e| take(&mut side_taken, e)),
            }
        };
        let faces = faces.iter().map(face).collect();
        Self {
            vertex_count,
            edges,
            faces,
        }
    }
}

impl Face {
    /// The vertices it owns.
    #[inline]
    pub fn own_vertices(&self) -> impl Iterator<Item = u32> {
        owned(self.corners, self.owned_corners)
    }

    /// The edges it owns.
    #[inline]
    pub fn own_edges(&self) -> impl Iterator<Item = u32> {
        owned(self.sides, self.owned_sides)
    }
}

#[inline]
fn owned(items: [u32; 3], owned: [bool; 3]) -> impl Iterator<Item = u32> {
    items
        .into_iter()
        .zip(owned)
        .filter_map(|(item, owned)| owned.then_some(item))
}

fn ascending([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}
