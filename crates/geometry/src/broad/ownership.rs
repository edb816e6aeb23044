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
    pub fn new(vertex_count: usize, faces: &[[u32; 3]]) -> Self {
        let sides = |&[a, b, c]: &[u32; 3]| [[a, b], [b, c], [c, a]].map(ascending);
        let mut edges: Vec<[u32; 2]> = faces.iter().flat_map(sides).collect();
        edges.sort_unstable();
        edges.dedup();
        let mut corner_taken = vec![false; vertex_count];
        let mut side_taken = vec![false; edges.len()];
        let take = |taken: &mut [bool], numbers: [u32; 3]| {
            let free = |i: &u32| !std::mem::replace(&mut taken[*i as usize], true);
            Few::new(numbers.into_iter().filter(free))
        };
        let face = |corners: &[u32; 3]| {
            let number = |side: [u32; 2]| edges.partition_point(|e| *e < side) as u32;
            Face {
                corners: *corners,
                own_vertices: take(&mut corner_taken, *corners),
                own_edges: take(&mut side_taken, sides(corners).map(number)),
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

fn ascending([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}
