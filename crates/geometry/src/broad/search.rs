//! All overlapping boxes of two trees, in ascending order.
//!
//! For each box of the second tree those of the first are listed, in any order. Taking the second
//! boxes in ascending order and putting each behind what its partners already have then sorts the
//! pairs by both numbers, without comparing any.

use super::admission::Admission;
use super::cuboid::Cuboid;
use super::eight::{Eight, LANES, append};
use super::tree::{Moving, NOTHING, Node, Tree};
use toile_numerics::csr::Places;
use toile_numerics::par;

/// Leaves of the second tree that one task looks at.
const LEAVES_PER_TASK: usize = 4 * GROUP;
/// Leaves of the second tree that look for their surroundings together.
const GROUP: usize = 8;

/// Memory of a search.
#[derive(Clone, Debug, Default)]
pub(super) struct Search {
    tasks: Vec<Task>,
    /// Where the partners of each numbered box of the second tree are.
    places: Vec<Place>,
    /// Where the pairs of each box of the first tree go.
    order: Places,
}

/// What a task found.
#[derive(Clone, Debug, Default)]
struct Task {
    /// Numbers of boxes of the first tree.
    found: Vec<u32>,
    /// Where those of each box of the second end.
    ends: Vec<u32>,
    /// Near a group of leaves.
    around: Near,
    /// Near a leaf.
    near: Near,
}

/// Leaves of the first tree near something of the second.
#[derive(Clone, Debug, Default)]
struct Near {
    leaves: Vec<u32>,
    /// The boxes around them.
    boxes: Vec<Eight>,
    /// Those near one box.
    chosen: Vec<u32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Place {
    task: u32,
    begin: u32,
    end: u32,
}

impl Search {
    /// Lists in `pairs` the numbers of boxes of `first` and `second` that overlap and are admitted; on their
    /// ways, if anything `moves`.
    pub fn run(
        &mut self,
        first: &Tree,
        second: &Tree,
        moves: bool,
        admission: &impl Admission,
        pairs: &mut Vec<[u32; 2]>,
    ) {
        let parts = second.leaves().len().div_ceil(LEAVES_PER_TASK);
        self.tasks.resize_with(parts, Task::default);
        par::for_each_leaf(&mut self.tasks, 1, |begin, tasks| {
            for (i, task) in tasks.iter_mut().enumerate() {
                task.search(begin + i, (first, second), moves, admission);
            }
        });
        self.order(first.count(), second, pairs);
    }

    fn order(&mut self, count: usize, second: &Tree, pairs: &mut Vec<[u32; 2]>) {
        let Self {
            tasks,
            places,
            order,
        } = self;
        order.clear(count);
        places.clear();
        places.resize(second.count(), Place::default());
        let numbers = second.leaves().chunks(LEAVES_PER_TASK);
        for (k, (task, numbers)) in tasks.iter().zip(numbers).enumerate() {
            let mut begin = 0;
            for (&number, &end) in numbers.as_flattened().iter().zip(&task.ends) {
                places[number as usize] = Place {
                    task: k as u32,
                    begin,
                    end,
                };
                begin = end;
            }
            for number in &task.found[..begin as usize] {
                order.count(*number as usize);
            }
        }
        // What is there already is overwritten.
        pairs.resize(order.sum(), [0; 2]);
        for (number, place) in places.iter().enumerate() {
            let Some(task) = tasks.get(place.task as usize) else {
                continue;
            };
            for &other in &task.found[place.begin as usize..place.end as usize] {
                pairs[order.next(other as usize)] = [other, number as u32];
            }
        }
    }
}

impl Task {
    fn search(
        &mut self,
        part: usize,
        (first, second): (&Tree, &Tree),
        moves: bool,
        admission: &impl Admission,
    ) {
        let Self {
            found,
            ends,
            around,
            near,
        } = self;
        let begin = part * LEAVES_PER_TASK;
        let end = second.leaves().len().min(begin + LEAVES_PER_TASK);
        let (leaves, nodes) = (first.leaves(), first.nodes());
        ends.clear();
        let mut count = 0;
        for leaf in begin..end {
            let (numbers, node) = (&second.leaves()[leaf], &second.nodes()[leaf]);
            if (leaf - begin).is_multiple_of(GROUP) {
                let group = &second.nodes()[leaf..end.min(leaf + GROUP)];
                let union = |all: Cuboid, node: &Node| all.union(node.all.around());
                around.find(first, group.iter().fold(Cuboid::EMPTY, union));
            }
            near.narrow(around, first, &node.all, |other| {
                let seen = || nodes[other].all.seen_from(&node.all);
                (!moves || seen().overlaps(&node.all.own)) && admission.of_leaves(other, leaf)
            });
            if near.leaves.is_empty() {
                let used = numbers.iter().filter(|n| **n != NOTHING).count();
                ends.resize(ends.len() + used, count as u32);
                continue;
            }
            // Room for all there can be, as whole leaves are written at the end.
            let most = count + (near.leaves.len() + 1) * LANES * LANES;
            if found.len() < most {
                found.resize(most, 0);
            }
            let used = numbers.iter().take_while(|n| **n != NOTHING);
            for (lane, &number) in used.enumerate() {
                let own = node.boxes.lane(lane);
                let query = Eight::splat(own);
                let admitted = admission.of_box(number);
                for &other in near.of(&query) {
                    let other = other as usize;
                    let seen = if moves {
                        Eight::splat(own.along(node.all.ways.minus(nodes[other].all.ways)))
                    } else {
                        query
                    };
                    let listed = nodes[other].boxes.overlaps(&seen) & admitted(other);
                    count = append(found, count, leaves[other], listed);
                }
                ends.push(count as u32);
            }
        }
    }
}

impl Near {
    /// Finds the leaves of `tree` that pass through `cuboid`.
    fn find(&mut self, tree: &Tree, cuboid: Cuboid) {
        self.leaves.clear();
        tree.add_leaves(cuboid, &mut self.leaves);
        self.gather_boxes(tree, Moving::around);
    }

    /// Takes from `wider` the leaves that pass through what `moving` does and are admitted; their boxes are
    /// then those seen from it.
    fn narrow(
        &mut self,
        wider: &mut Self,
        tree: &Tree,
        moving: &Moving,
        admitted: impl Fn(usize) -> bool,
    ) {
        let overlapping = wider.of(&Eight::splat(moving.around())).iter().copied();
        self.leaves.clear();
        self.leaves
            .extend(overlapping.filter(|leaf| admitted(*leaf as usize)));
        self.gather_boxes(tree, |leaf| leaf.seen_from(moving));
    }

    fn gather_boxes(&mut self, tree: &Tree, box_of: impl Fn(&Moving) -> Cuboid) {
        let nodes = tree.nodes();
        self.boxes.clear();
        self.boxes.extend(self.leaves.chunks(LANES).map(|eight| {
            let mut cuboids = [Cuboid::EMPTY; LANES];
            for (cuboid, leaf) in cuboids.iter_mut().zip(eight) {
                *cuboid = box_of(&nodes[*leaf as usize].all);
            }
            Eight::new(&cuboids)
        }));
        // The last eight are filled up with any, as their boxes are empty.
        self.leaves.resize(self.boxes.len() * LANES, 0);
        let room = self.leaves.len() + LANES;
        if self.chosen.len() < room {
            self.chosen.resize(room, 0);
        }
    }

    /// Those whose boxes overlap with the query's.
    #[inline]
    fn of(&mut self, query: &Eight) -> &[u32] {
        let mut count = 0;
        let (leaves, _) = self.leaves.as_chunks();
        for (eight, boxes) in leaves.iter().zip(&self.boxes) {
            count = append(&mut self.chosen, count, *eight, boxes.overlaps(query));
        }
        &self.chosen[..count]
    }
}
