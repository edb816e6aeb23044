//! Sets of vertices.

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
