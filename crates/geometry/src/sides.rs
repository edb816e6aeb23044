//! Which triangles lie beside each other: the sides of triangles, sorted by the edge they lie on.

/// A side of a triangle, named by the corner opposite to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Side {
    /// Its ends, the lower first.
    pub edge: [u32; 2],
    /// The triangle.
    pub triangle: u32,
    /// The corner opposite to it, 0 to 2.
    pub corner: u8,
}

impl Side {
    /// Its ends as the triangle's order runs.
    pub(crate) fn directed(self, triangles: &[[u32; 3]]) -> [u32; 2] {
        let corner = usize::from(self.corner);
        let corners = triangles[self.triangle as usize];
        [corners[(corner + 1) % 3], corners[(corner + 2) % 3]]
    }
}

/// All sides, those of one edge together, in order of their triangles.
pub(crate) fn sorted(triangles: &[[u32; 3]]) -> Vec<Side> {
    let mut sides = Vec::with_capacity(3 * triangles.len());
    for (triangle, corners) in triangles.iter().enumerate() {
        for corner in 0..3_u8 {
            let [a, b] = [1, 2].map(|k| corners[(usize::from(corner) + k) % 3]);
            sides.push(Side {
                edge: [a.min(b), a.max(b)],
                triangle: triangle as u32,
                corner,
            });
        }
    }
    sides.sort_unstable();
    sides
}

/// The sides of every edge that has two, the lower triangle first.
pub(crate) fn pairs(triangles: &[[u32; 3]]) -> Vec<[Side; 2]> {
    let sides = sorted(triangles);
    let edges = sides.chunk_by(|a, b| a.edge == b.edge);
    edges
        .filter_map(|sides| sides.try_into().ok())
        .collect::<Vec<[Side; 2]>>()
}

/// The set of each of `count` triangles when all pairs are joined; sets are numbered from 0 in
/// order of their first triangles.
pub(crate) fn components(count: usize, pairs: impl IntoIterator<Item = [u32; 2]>) -> Vec<u32> {
    // Every triangle points to an earlier one of its set, or to itself.
    let mut root: Vec<u32> = (0..count as u32).collect();
    fn find(root: &mut [u32], mut at: u32) -> u32 {
        while root[at as usize] != at {
            let above = root[root[at as usize] as usize];
            root[at as usize] = above;
            at = above;
        }
        at
    }
    for [one, other] in pairs {
        let (one, other) = (find(&mut root, one), find(&mut root, other));
        root[one.max(other) as usize] = one.min(other);
    }
    let mut next = 0;
    let mut set = vec![0; count];
    for triangle in 0..count as u32 {
        let first = find(&mut root, triangle);
        set[triangle as usize] = if first == triangle {
            next += 1;
            next - 1
        } else {
            set[first as usize]
        };
    }
    set
}
