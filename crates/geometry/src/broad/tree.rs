//! A tree of boxes with eight children a node.
//!
//! Its shape is decided once and needs no pointers: primitives are put in an order in which
//! neighbours are near each other, and node i of a level holds the boxes 8i to 8i + 7 of the level
//! below. Refitting passes over the levels from below.

use super::cuboid::Cuboid;
use super::eight::{Eight, LANES};
use glam::Vec3A;
use toile_numerics::par;

/// A tree over numbered boxes.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    /// All numbers are below this.
    count: usize,
    /// Numbers of the boxes in the leaves; [`NOTHING`] fills the last.
    leaves: Vec<[u32; LANES]>,
    /// The leaves, the nodes above them and so on to the root.
    levels: Vec<Vec<Node>>,
}

/// Stands in a leaf for no box.
pub(super) const NOTHING: u32 = u32::MAX;

/// A box, and the ways by which its parts move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moving {
    /// Where they begin.
    pub own: Cuboid,
    pub ways: Cuboid,
}

impl Moving {
    /// Contains nothing.
    pub const EMPTY: Self = Self {
        own: Cuboid::EMPTY,
        ways: Cuboid::EMPTY,
    };

    /// One that stays where it is.
    #[inline]
    pub fn still(own: Cuboid) -> Self {
        let ways = Cuboid::at(Vec3A::ZERO);
        Self { own, ways }
    }

    /// The smallest around both.
    #[inline]
    pub fn union(self, other: Self) -> Self {
        Self {
            own: self.own.union(other.own),
            ways: self.ways.union(other.ways),
        }
    }

    /// What it passes through.
    #[inline]
    pub fn around(&self) -> Cuboid {
        self.own.along(self.ways)
    }

    /// What it passes through as seen from something else that moves.
    #[inline]
    pub fn seen_from(&self, other: &Self) -> Cuboid {
        self.own.along(self.ways.minus(other.ways))
    }
}

/// Eight boxes of the level below.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub boxes: Eight,
    pub all: Moving,
}

impl Node {
    #[inline]
    fn new(child: impl Fn(usize) -> Moving) -> Self {
        let (mut boxes, mut all) = ([Cuboid::EMPTY; LANES], Moving::EMPTY);
        for (lane, cuboid) in boxes.iter_mut().enumerate() {
            let moving = child(lane);
            *cuboid = moving.own;
            all = all.union(moving);
        }
        Self {
            boxes: Eight::new(&boxes),
            all,
        }
    }
}

impl Tree {
    /// A tree over those of `count` boxes whose numbers are in `numbers`.
    pub fn build(
        count: usize,
        boxes: impl Fn(usize) -> Moving + Sync,
        numbers: impl Iterator<Item = u32>,
    ) -> Self {
        let centre = |b: Cuboid| b.min + b.max;
        let mut order: Vec<(u32, Vec3A)> = numbers
            .map(|number| (number, centre(boxes(number as usize).around())))
            .collect();
        let leaf_count = order.len().div_ceil(LANES);
        divide(&mut order, leaf_count.next_power_of_two());
        let mut leaves = vec![[NOTHING; LANES]; leaf_count];
        for (slot, (number, _)) in order.into_iter().enumerate() {
            leaves[slot / LANES][slot % LANES] = number;
        }
        // Ascending numbers make for ascending memory.
        leaves.iter_mut().for_each(|leaf| leaf.sort_unstable());
        let mut tree = Self {
            count,
            leaves,
            levels: Vec::new(),
        };
        let mut count = leaf_count;
        while count > 0 {
            tree.levels.push(vec![Node::new(|_| Moving::EMPTY); count]);
            count = if count == 1 { 0 } else { count.div_ceil(LANES) };
        }
        tree.refit(boxes);
        tree
    }

    /// Moves the boxes and keeps the shape.
    pub fn refit(&mut self, boxes: impl Fn(usize) -> Moving + Sync) {
        let Self {
            count,
            leaves,
            levels,
        } = self;
        for level in 0..levels.len() {
            let (below, here) = levels.split_at_mut(level);
            let below = below.last();
            par::fill(&mut here[0], |i| match below {
                None => Node::new(|lane| {
                    let number = leaves[i][lane] as usize;
                    if number < *count {
                        boxes(number)
                    } else {
                        Moving::EMPTY
                    }
                }),
                Some(nodes) => Node::new(|lane| {
                    let child = nodes.get(LANES * i + lane);
                    child.map_or(Moving::EMPTY, |child| Moving::still(child.all.around()))
                }),
            });
        }
    }

    /// All numbers are below this.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The numbers of the boxes in each leaf, in ascending order and then [`NOTHING`].
    pub fn leaves(&self) -> &[[u32; LANES]] {
        &self.leaves
    }

    /// The boxes in each leaf, and the box around them.
    pub fn nodes(&self) -> &[Node] {
        self.levels.first().map_or(&[], Vec::as_slice)
    }

    /// Adds to `met` the leaves whose boxes overlap with `cuboid`, in ascending order.
    pub fn add_leaves(&self, cuboid: Cuboid, met: &mut Vec<u32>) {
        let all = Eight::splat(cuboid);
        match self.levels.len() {
            0 => {}
            1 => met.push(0),
            levels => self.descend(levels - 1, 0, &all, met),
        }
    }

    fn descend(&self, level: usize, node: usize, all: &Eight, met: &mut Vec<u32>) {
        let mut overlap = self.levels[level][node].boxes.overlaps(all);
        while overlap != 0 {
            let child = LANES * node + overlap.trailing_zeros() as usize;
            overlap &= overlap - 1;
            if level == 1 {
                met.push(child as u32);
            } else {
                self.descend(level - 1, child, all, met);
            }
        }
    }
}

/// Orders boxes, given with their centres, so that `leaves` leaves, of which the last may be empty,
/// are compact: divided at a power of two of leaves along the axis in which they are spread most.
fn divide(boxes: &mut [(u32, Vec3A)], leaves: usize) {
    let half = leaves / 2;
    if half == 0 {
        return;
    }
    if boxes.len() <= half * LANES {
        return divide(boxes, half);
    }
    let low = boxes.iter().fold(Vec3A::INFINITY, |m, (_, c)| m.min(*c));
    let high = (boxes.iter()).fold(Vec3A::NEG_INFINITY, |m, (_, c)| m.max(*c));
    let axis = (high - low).max_position();
    boxes.select_nth_unstable_by(half * LANES, |(f, a), (g, b)| {
        a[axis].total_cmp(&b[axis]).then(f.cmp(g))
    });
    let (left, right) = boxes.split_at_mut(half * LANES);
    divide(left, half);
    divide(right, half);
}
