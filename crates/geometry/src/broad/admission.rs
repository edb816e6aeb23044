//! Which overlapping boxes are listed as pairs.

use super::eight::LANES;
use super::flat::Flatness;
use super::ownership::Ownership;
use super::tiling::Span;
use super::tree::Tree;
use wide::u32x8;

/// Says which boxes of a first tree may be listed with which of a second.
pub(super) trait Admission: Sync {
    /// Whether any two boxes of these leaves may.
    fn of_leaves(&self, first: usize, second: usize) -> bool;

    /// For a box of the second tree: a bit for each box of a leaf of the first.
    fn of_box(&self, second: u32) -> impl Fn(usize) -> u32;
}

/// Any may.
pub(super) struct Any;

impl Admission for Any {
    fn of_leaves(&self, _: usize, _: usize) -> bool {
        true
    }

    #[inline]
    fn of_box(&self, _: u32) -> impl Fn(usize) -> u32 {
        |_| u32::MAX
    }
}

/// Vertices of a mesh with those of its faces they are no corner of.
pub(super) struct NoCorner<'a> {
    pub mesh: &'a Ownership,
    pub vertices: &'a Tree,
}

impl Admission for NoCorner<'_> {
    fn of_leaves(&self, _: usize, _: usize) -> bool {
        true
    }

    #[inline]
    fn of_box(&self, face: u32) -> impl Fn(usize) -> u32 {
        let [a, b, c] = self.mesh.owners[face as usize].corners;
        let [a, b, c] = [u32x8::splat(a), u32x8::splat(b), u32x8::splat(c)];
        let leaves = self.vertices.leaves();
        move |leaf| {
            let vertices = u32x8::new(leaves[leaf]);
            let corners = vertices.simd_eq(a) | vertices.simd_eq(b) | vertices.simd_eq(c);
            !corners.to_bitmask()
        }
    }
}

/// Edges of a mesh with later ones that have no vertex in common with them.
pub(super) struct Later<'a> {
    pub mesh: &'a Ownership,
    pub edges: &'a Tree,
    /// The vertices of the edges in each leaf.
    pub ends: &'a [[[u32; LANES]; 2]],
}

/// The vertices of the edges in each leaf of their tree.
pub(super) fn ends(mesh: &Ownership, edges: &Tree) -> Vec<[[u32; LANES]; 2]> {
    let end = |edge: u32, k: usize| mesh.edges.get(edge as usize).map_or(u32::MAX, |e| e[k]);
    (edges.leaves().iter())
        .map(|leaf| [0, 1].map(|k| leaf.map(|edge| end(edge, k))))
        .collect()
}

impl Admission for Later<'_> {
    fn of_leaves(&self, first: usize, second: usize) -> bool {
        let leaves = self.edges.leaves();
        // Numbers ascend within a leaf.
        leaves[first][0] < leaves[second][LANES - 1]
    }

    #[inline]
    fn of_box(&self, edge: u32) -> impl Fn(usize) -> u32 {
        let [p, q] = self.mesh.edges[edge as usize];
        let (p, q) = (u32x8::splat(p), u32x8::splat(q));
        let (number, leaves, ends) = (u32x8::splat(edge), self.edges.leaves(), self.ends);
        move |leaf| {
            let [r, s] = ends[leaf];
            let (r, s) = (u32x8::new(r), u32x8::new(s));
            let common = r.simd_eq(p) | r.simd_eq(q) | s.simd_eq(p) | s.simd_eq(q);
            u32x8::new(leaves[leaf]).simd_lt(number).to_bitmask() & !common.to_bitmask()
        }
    }
}

/// Those of another admission that are not in a part of the pattern that lies flat.
///
/// Leaf by leaf: single pairs of leaves that are not may well be.
pub(super) struct Uneven<'a, A> {
    pub inner: A,
    pub flatness: &'a Flatness,
    /// Where the boxes in the leaves of either tree are.
    pub first: &'a [Span],
    pub second: &'a [Span],
}

impl<A: Admission> Admission for Uneven<'_, A> {
    #[inline]
    fn of_leaves(&self, first: usize, second: usize) -> bool {
        let span = || self.first[first].with(&self.second[second]);
        self.inner.of_leaves(first, second) && !self.flatness.is_span_flat(&span())
    }

    #[inline]
    fn of_box(&self, second: u32) -> impl Fn(usize) -> u32 {
        self.inner.of_box(second)
    }
}
