//! Fast marching: distances from those already known, nearest first.
//!
//! A node's distance `u` solves `|∇u| = 1` with differences towards the nearer neighbour on each axis,
//! of second order where that neighbour's own is known and nearer still. Smooth fields are of second
//! order in the cell size, kinks (where two sides of the surface are equally far) of first. A node
//! learns from nodes of its own side of the surface only.
//!
//! Source: Sethian, "Fast marching methods", SIAM Review 41 (1999), sections 3 and 4.

use super::lattice::Lattice;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Makes all infinite `values` finite, with the signs they have: marched up to `limit_m`, and
/// ±`limit_m` beyond. Velocities, one a node or none, follow from the nearest neighbour.
pub(super) fn march(
    lattice: &Lattice,
    values: &mut [f32],
    velocities: &mut [[f32; 3]],
    limit_m: f64,
) {
    let mut front = Front {
        counts: lattice.counts(),
        cell_m: lattice.cell_m,
        limit: limit_m as f32,
        values,
        queue: BinaryHeap::new(),
        trial: vec![f32::INFINITY; lattice.nodes()],
    };
    for index in 0..front.values.len() {
        if front.values[index].is_finite() {
            front.tell_neighbours(index);
        }
    }
    while let Some(Reverse(entry)) = front.queue.pop() {
        let (bits, index) = ((entry >> 32) as u32, (entry & 0xffff_ffff) as usize);
        // Queued again since with a smaller distance.
        if front.values[index].is_finite() {
            continue;
        }
        front.values[index] = f32::from_bits(bits).copysign(front.values[index]);
        if !velocities.is_empty() {
            velocities[index] = velocities[front.nearest_neighbour(index)];
        }
        front.tell_neighbours(index);
    }
    for value in values {
        if value.is_infinite() {
            *value = (limit_m as f32).copysign(*value);
        }
    }
}

struct Front<'a> {
    counts: [usize; 3],
    cell_m: f64,
    limit: f32,
    /// Final where finite.
    values: &'a mut [f32],
    /// Smallest distance found yet.
    trial: Vec<f32>,
    /// Distance above, node below: non-negative numbers are ordered as their bits are.
    queue: BinaryHeap<Reverse<u64>>,
}

impl Front<'_> {
    /// Neighbours along an axis, and the step between their places among all nodes.
    fn neighbours(&self, index: usize) -> [([bool; 2], usize); 3] {
        let [nx, ny, nz] = self.counts;
        let at = [index % nx, index / nx % ny, index / (nx * ny)];
        let step = [1, nx, nx * ny];
        let count = [nx, ny, nz];
        [0, 1, 2].map(|axis| ([at[axis] > 0, at[axis] + 1 < count[axis]], step[axis]))
    }

    fn tell_neighbours(&mut self, index: usize) {
        let side = self.values[index].is_sign_negative();
        for ([below, above], step) in self.neighbours(index) {
            let both = [below.then(|| index - step), above.then(|| index + step)];
            for neighbour in both.into_iter().flatten() {
                let value = self.values[neighbour];
                if value.is_infinite() && value.is_sign_negative() == side {
                    self.try_node(neighbour);
                }
            }
        }
    }

    fn try_node(&mut self, index: usize) {
        let Some(distance) = self.solve(index) else {
            return;
        };
        let distance = distance as f32;
        if distance < self.trial[index] && distance <= self.limit {
            self.trial[index] = distance;
            let entry = u64::from(distance.to_bits()) << 32 | index as u64;
            self.queue.push(Reverse(entry));
        }
    }

    /// Distance of a final node of the given side.
    fn known(&self, index: usize, side: bool) -> Option<f64> {
        let value = self.values[index];
        let of_side = value.is_finite() && value.is_sign_negative() == side;
        of_side.then(|| f64::from(value.abs()))
    }

    fn nearest_neighbour(&self, index: usize) -> usize {
        let side = self.values[index].is_sign_negative();
        let mut best = (f64::INFINITY, index);
        for ([below, above], step) in self.neighbours(index) {
            let both = [below.then(|| index - step), above.then(|| index + step)];
            for neighbour in both.into_iter().flatten() {
                if let Some(distance) = self.known(neighbour, side)
                    && distance < best.0
                {
                    best = (distance, neighbour);
                }
            }
        }
        best.1
    }

    /// The distance that final neighbours imply.
    fn solve(&self, index: usize) -> Option<f64> {
        let side = self.values[index].is_sign_negative();
        // Terms c (u − t)² of |∇u|², at most one an axis.
        let mut terms = [(f64::INFINITY, 0.0); 3];
        let mut simple = terms;
        for (axis, ([below, above], step)) in self.neighbours(index).into_iter().enumerate() {
            let low = below.then(|| self.known(index - step, side)).flatten();
            let high = above.then(|| self.known(index + step, side)).flatten();
            let (near, is_low) = match (low, high) {
                (Some(low), Some(high)) if high < low => (high, false),
                (Some(low), _) => (low, true),
                (None, Some(high)) => (high, false),
                (None, None) => continue,
            };
            simple[axis] = (near, 1.0);
            terms[axis] = simple[axis];
            if let Some(far) = self.beyond(index, step, is_low, axis)
                && let Some(far) = self.known(far, side)
                && far <= near
            {
                terms[axis] = ((4.0 * near - far) / 3.0, 2.25);
            }
        }
        upwind(terms, self.cell_m)
            .filter(|u| {
                simple
                    .iter()
                    .all(|(t, c)| *c == 0.0 || u >= t || !t.is_finite())
            })
            .or_else(|| upwind(simple, self.cell_m))
    }

    /// The node two steps away on one side.
    fn beyond(&self, index: usize, step: usize, is_low: bool, axis: usize) -> Option<usize> {
        let [nx, ny, _] = self.counts;
        let at = [index % nx, index / nx % ny, index / (nx * ny)][axis];
        match is_low {
            true => (at >= 2).then(|| index - 2 * step),
            false => (at + 2 < self.counts[axis]).then(|| index + 2 * step),
        }
    }
}

/// The largest `u` with `Σ c (u − t)² = h²` over the terms below it.
fn upwind(mut terms: [(f64, f64); 3], h: f64) -> Option<f64> {
    terms.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let (mut a, mut b, mut c) = (0.0, 0.0, -h * h);
    let mut solution: Option<f64> = None;
    for (t, weight) in terms {
        if weight == 0.0 || solution.is_some_and(|u| u <= t) {
            break;
        }
        a += weight;
        b += weight * t;
        c += weight * t * t;
        let discriminant = b * b - a * c;
        if discriminant < 0.0 {
            break;
        }
        solution = Some((b + discriminant.sqrt()) / a);
    }
    solution
}
