//! Sets of vertices, and which pairs a vertex has a part in.

use crate::contact::surfaces::Pair;

/// A set of vertices, in the order they were added.
#[derive(Default)]
pub(super) struct Marks {
    /// Which.
    pub list: Vec<u32>,
    marked: Vec<bool>,
}

impl Marks {
    /// Empties it, for so many `vertices`.
    pub fn clear(&mut self, vertices: usize) {
        for vertex in self.list.drain(..) {
            self.marked[vertex as usize] = false;
        }
        self.marked.resize(vertices, false);
    }

    /// Adds a vertex, once.
    pub fn add(&mut self, vertex: u32) {
        if !std::mem::replace(&mut self.marked[vertex as usize], true) {
            self.list.push(vertex);
        }
    }
}

/// The pairs of every vertex.
#[derive(Default)]
pub(super) struct Incidence {
    first: Vec<u32>,
    pairs: Vec<u32>,
}

impl Incidence {
    /// Makes it that of `pairs`.
    pub fn fill(&mut self, vertices: usize, pairs: &[Pair]) {
        self.first.clear();
        self.first.resize(vertices + 1, 0);
        for vertex in pairs.iter().flat_map(|pair| pair.vertices) {
            self.first[vertex as usize + 1] += 1;
        }
        for i in 0..vertices {
            self.first[i + 1] += self.first[i];
        }
        let mut at = self.first.clone();
        self.pairs.clear();
        self.pairs.resize(4 * pairs.len(), 0);
        for (k, pair) in pairs.iter().enumerate() {
            for vertex in pair.vertices {
                let place = &mut at[vertex as usize];
                self.pairs[*place as usize] = k as u32;
                *place += 1;
            }
        }
    }

    /// Those of one vertex.
    pub fn of(&self, vertex: u32) -> &[u32] {
        let i = vertex as usize;
        &self.pairs[self.first[i] as usize..self.first[i + 1] as usize]
    }
}
