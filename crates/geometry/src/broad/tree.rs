//! A perfect binary tree of boxes over faces.
//!
//! Node 1 is the root, and node i has the children 2i and 2i + 1, so the tree needs no pointers and
//! is refitted in one pass from the end. Its shape is decided once: faces are divided at the median
//! of the axis along which they are spread most, again and again.

use super::cuboid::Cuboid;
use glam::Vec3A;
use toile_numerics::par;

/// Most faces in a leaf.
const LEAF: usize = 4;
/// Depth of the nodes that tasks begin with: enough tasks for many threads, and few enough to list.
const TASK_DEPTH: u32 = 6;

/// A tree over numbered boxes.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    /// Boxes of the nodes from 1; leaves are the second half.
    nodes: Vec<Cuboid>,
    /// Faces a leaf.
    width: usize,
    /// Numbers of the faces, leaf by leaf; the last leaves may have fewer or none.
    faces: Vec<u32>,
    /// Their boxes.
    boxes: Vec<Cuboid>,
}

impl Tree {
    pub fn build(boxes: &[Cuboid]) -> Self {
        let leaves = boxes.len().div_ceil(LEAF).next_power_of_two();
        let width = boxes.len().div_ceil(leaves).max(1);
        let mut faces: Vec<(u32, Vec3A)> = (boxes.iter().enumerate())
            .map(|(f, b)| (f as u32, b.min + b.max))
            .collect();
        divide(&mut faces, leaves, width);
        let mut tree = Self {
            nodes: vec![Cuboid::EMPTY; 2 * leaves],
            width,
            faces: faces.iter().map(|(f, _)| *f).collect(),
            boxes: vec![Cuboid::EMPTY; boxes.len()],
        };
        tree.refit(boxes);
        tree
    }

    /// Moves the boxes and keeps the shape.
    pub fn refit(&mut self, boxes: &[Cuboid]) {
        let Self { faces, .. } = self;
        par::fill(&mut self.boxes, |slot| boxes[faces[slot] as usize]);
        let leaves = self.leaves();
        let (inner, outer) = self.nodes.split_at_mut(leaves);
        let (boxes, width) = (&self.boxes, self.width);
        par::fill(outer, |leaf| {
            let end = ((leaf + 1) * width).min(boxes.len());
            let inside = boxes.get(leaf * width..end).unwrap_or_default();
            inside.iter().fold(Cuboid::EMPTY, |all, b| all.union(*b))
        });
        for i in (1..leaves).rev() {
            let child = |k: usize| {
                if k < leaves {
                    inner[k]
                } else {
                    outer[k - leaves]
                }
            };
            inner[i] = child(2 * i).union(child(2 * i + 1));
        }
    }

    fn leaves(&self) -> usize {
        self.nodes.len() / 2
    }

    fn is_leaf(&self, node: u32) -> bool {
        node as usize >= self.leaves()
    }

    fn overlap(&self, a: u32, other: &Self, b: u32) -> bool {
        self.nodes[a as usize].overlaps(&other.nodes[b as usize])
    }

    /// Slots of the faces in a leaf.
    fn slots(&self, leaf: u32) -> std::ops::Range<usize> {
        let begin = (leaf as usize - self.leaves()) * self.width;
        begin.min(self.faces.len())..(begin + self.width).min(self.faces.len())
    }

    /// Pairs of nodes below which all pairs within the tree are found, the lower node first.
    pub fn self_tasks(&self) -> Vec<[u32; 2]> {
        let nodes = self.nodes_at_task_depth();
        let later = |a: u32| (a..nodes.end).filter(move |&b| a == b || self.overlap(a, self, b));
        nodes
            .clone()
            .flat_map(|a| later(a).map(move |b| [a, b]))
            .collect()
    }

    /// Pairs of nodes of this tree and `other` below which all pairs between them are found.
    pub fn cross_tasks(&self, other: &Self) -> Vec<[u32; 2]> {
        let others = other.nodes_at_task_depth();
        let met = |a: u32| others.clone().filter(move |&b| self.overlap(a, other, b));
        self.nodes_at_task_depth()
            .flat_map(|a| met(a).map(move |b| [a, b]))
            .collect()
    }

    fn nodes_at_task_depth(&self) -> std::ops::Range<u32> {
        let first = (self.leaves() as u32).min(1 << TASK_DEPTH);
        first..2 * first
    }

    /// Calls `visit` for all pairs of faces with overlapping boxes, one under the node `a` and one
    /// under the node `b` of the same depth, each pair once if they are the same.
    pub fn pairs_under(&self, a: u32, b: u32, visit: &mut impl FnMut(u32, u32)) {
        if a != b {
            return self.pairs_between(a, self, b, visit);
        }
        if self.is_leaf(a) {
            let slots = self.slots(a);
            for i in slots.clone() {
                for j in i + 1..slots.end {
                    if self.boxes[i].overlaps(&self.boxes[j]) {
                        visit(self.faces[i], self.faces[j]);
                    }
                }
            }
            return;
        }
        let (left, right) = (2 * a, 2 * a + 1);
        self.pairs_under(left, left, visit);
        self.pairs_under(right, right, visit);
        self.pairs_between(left, self, right, visit);
    }

    /// Calls `visit` for all pairs of a face under the node `a` and a face under the node `b` of
    /// `other` with overlapping boxes.
    pub fn pairs_between(&self, a: u32, other: &Self, b: u32, visit: &mut impl FnMut(u32, u32)) {
        if !self.overlap(a, other, b) {
            return;
        }
        match (self.is_leaf(a), other.is_leaf(b)) {
            (true, true) => {
                for i in self.slots(a) {
                    for j in other.slots(b) {
                        if self.boxes[i].overlaps(&other.boxes[j]) {
                            visit(self.faces[i], other.faces[j]);
                        }
                    }
                }
            }
            (true, false) => {
                self.pairs_between(a, other, 2 * b, visit);
                self.pairs_between(a, other, 2 * b + 1, visit);
            }
            (false, true) => {
                self.pairs_between(2 * a, other, b, visit);
                self.pairs_between(2 * a + 1, other, b, visit);
            }
            (false, false) => {
                for a in [2 * a, 2 * a + 1] {
                    for b in [2 * b, 2 * b + 1] {
                        self.pairs_between(a, other, b, visit);
                    }
                }
            }
        }
    }
}

/// Orders faces, given with their centres, so that `leaves` leaves of `width` are compact.
fn divide(faces: &mut [(u32, Vec3A)], leaves: usize, width: usize) {
    let half = leaves / 2 * width;
    if leaves <= 1 || faces.len() <= half {
        if leaves > 1 {
            divide(faces, leaves / 2, width);
        }
        return;
    }
    let low = faces.iter().fold(Vec3A::INFINITY, |m, (_, c)| m.min(*c));
    let high = faces
        .iter()
        .fold(Vec3A::NEG_INFINITY, |m, (_, c)| m.max(*c));
    let axis = (high - low).max_position();
    faces.select_nth_unstable_by(half, |(f, a), (g, b)| {
        a[axis].total_cmp(&b[axis]).then(f.cmp(g))
    });
    let (left, right) = faces.split_at_mut(half);
    divide(left, leaves / 2, width);
    divide(right, leaves / 2, width);
}
