//! A tree of boxes that finds the pairs that overlap.
//!
//! Boxes are kept in double precision and only ever compared or joined, never rounded, so no
//! overlapping pair is lost, not even one that touches in a single point.

use crate::Bounds;
use glam::DVec3;
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};

/// A bounding volume tree over numbered boxes: faces, edges, or whatever has finite bounds.
#[derive(Clone)]
pub struct BoxTree {
    tree: Bvh,
    len: usize,
}

/// The boxes around `faces`, in the order of the faces.
pub fn face_boxes(positions: &[DVec3], faces: &[[u32; 3]]) -> Vec<Bounds> {
    let around = |face: &[u32; 3]| {
        let [a, b, c] = face.map(|v| positions[v as usize]);
        Bounds {
            min: a.min(b).min(c),
            max: a.max(b).max(c),
        }
    };
    faces.iter().map(around).collect()
}

impl BoxTree {
    /// Builds the tree. Boxes are numbered by their place in `boxes`, and must be finite and not
    /// empty.
    pub fn build(boxes: &[Bounds]) -> Self {
        let leaves: Vec<Aabb> = boxes.iter().map(aabb).collect();
        Self {
            tree: Bvh::from_leaves(BvhBuildStrategy::Binned, &leaves),
            len: boxes.len(),
        }
    }

    /// Number of boxes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no boxes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Moves the boxes and keeps the shape of the tree, which suits boxes that moved little.
    /// A different number of boxes builds a new tree.
    pub fn refit(&mut self, boxes: &[Bounds]) {
        if boxes.len() != self.len {
            *self = Self::build(boxes);
            return;
        }
        for (i, bounds) in boxes.iter().enumerate() {
            self.tree
                .insert_or_update_partially(aabb(bounds), i as u32, 0.0);
        }
        self.tree.refit_without_opt();
    }

    /// All pairs of boxes that overlap or touch, the lower number first, in ascending order.
    pub fn self_pairs(&self) -> Vec<[u32; 2]> {
        let mut pairs = Vec::new();
        self.tree.traverse_bvtt_single_tree::<false>(
            &mut BvhWorkspace::default(),
            &mut |a: u32, b: u32| pairs.push([a.min(b), a.max(b)]),
        );
        pairs.sort_unstable();
        pairs
    }

    /// All pairs of a box of this tree and a box of `other` that overlap or touch, in ascending
    /// order.
    pub fn pairs_with(&self, other: &Self) -> Vec<[u32; 2]> {
        // The traversal does not test the pairs it starts from, so leaves are tested here.
        let overlap = |a: u32, b: u32| match (self.tree.leaf_node(a), other.tree.leaf_node(b)) {
            (Some(a), Some(b)) => a.intersects(b),
            _ => false,
        };
        let mut pairs: Vec<_> = self
            .tree
            .leaf_pairs(&other.tree, |a, b| a.intersects(b))
            .filter(|&(a, b)| overlap(a, b))
            .map(|(a, b)| [a, b])
            .collect();
        pairs.sort_unstable();
        pairs
    }

    /// The numbers of all boxes that overlap or touch `bounds`, in no particular order.
    pub fn overlapping(&self, bounds: &Bounds) -> impl Iterator<Item = u32> {
        let bounds = aabb(bounds);
        self.tree.leaves(move |node| {
            node.mins().cmple(bounds.maxs).all() && bounds.mins.cmple(node.maxs()).all()
        })
    }
}

fn aabb(bounds: &Bounds) -> Aabb {
    Aabb::new(bounds.min, bounds.max)
}
