//! Elements of a few particles each: the assembly shared by every energy of triangles and hinges.
//!
//! An element says its energy, forces and matrix; here every particle gathers from its own elements
//! in a fixed order, so that the bits do not depend on threads. An energy that does not change when
//! all its particles move together has `Σ_b K_ab = 0`, so only blocks between different particles
//! are kept.
//!
//! Elements are evaluated eight at a time (`batch.rs`). The reference asks each of the eight for itself
//! and keeps its blocks in double precision; the fast path lets an element answer for all eight, and
//! rounds.

mod batch;
mod element;

pub use batch::{Batch, LaneTerms};
pub use element::{Element, Linearised, Local, pairs_of, rank_one};

use crate::assembly::family::{At, ElementFamily, Family, Terms};
use crate::assembly::lanes::LANES;
use bytemuck::Zeroable;
use glam::{DMat3, DVec3};
use std::sync::Arc;
use toile_numerics::integrate::Weights;
use toile_numerics::single_sum::BlocksMut;
use toile_numerics::{Csr, Pattern, par};
use wide::f64x4;

/// Particles whose forces one task gathers.
const PARTICLE_GRAIN: usize = 256;
/// Batches of elements that one task linearises.
const BATCH_GRAIN: usize = 32;

/// The linearisation of all elements.
struct Stored<P, F, const N: usize> {
    /// Off-diagonal blocks of every element, for the reference.
    pairs: Vec<P>,
    batches: Vec<LaneTerms<F, N>>,
}

impl<P, F, const N: usize> Default for Stored<P, F, N> {
    fn default() -> Self {
        Self {
            pairs: Vec::new(),
            batches: Vec::new(),
        }
    }
}

type StoredOf<E, const N: usize> = Stored<<E as Element<N>>::Pairs, <E as Element<N>>::Frozen, N>;

/// Place of the block between particles `a < b` of `n`.
const fn pair(n: usize, a: usize, b: usize) -> usize {
    a * n - a * (a + 1) / 2 + b - a - 1
}

/// One corner of an element, as its particle sees it.
#[derive(Clone, Copy)]
struct Corner {
    element: u32,
    corner: u8,
}

/// All elements of one kind.
pub struct Elements<E, const N: usize> {
    particles: Vec<[u32; N]>,
    elements: Vec<E>,
    of_particle: Csr<Corner>,
    /// For every corner, places of the blocks with its element's particles within its particle's row.
    places: Vec<[u32; N]>,
    first_memory: usize,
}

impl<E: Element<N>, const N: usize> Elements<E, N> {
    /// These elements in a model of so many particles.
    pub fn new(total: usize, elements: impl IntoIterator<Item = ([u32; N], E)>) -> Self {
        let (particles, elements): (Vec<[u32; N]>, Vec<E>) = elements.into_iter().unzip();
        let corners = particles.iter().enumerate().flat_map(|(element, own)| {
            own.iter().enumerate().map(move |(corner, particle)| {
                let corner = Corner {
                    element: element as u32,
                    corner: corner as u8,
                };
                (*particle as usize, corner)
            })
        });
        let of_particle = Csr::from_pairs(total, corners);
        Self {
            particles,
            elements,
            places: vec![[u32::MAX; N]; of_particle.items().len()],
            of_particle,
            first_memory: 0,
        }
    }

    /// The elements.
    pub fn elements(&self) -> &[E] {
        &self.elements
    }

    fn of<T: Copy>(&self, element: usize, all: &[T]) -> [T; N] {
        self.particles[element].map(|particle| all[particle as usize])
    }

    fn memory_of<'a>(&self, element: usize, memory: &'a [f64]) -> &'a [f64] {
        let first = self.first_memory + element * E::MEMORY;
        memory.get(first..first + E::MEMORY).unwrap_or_default()
    }

    fn pairs<'t>(&self, terms: &'t Terms) -> &'t [E::Pairs]
    where
        E: 'static,
    {
        terms
            .get::<StoredOf<E, N>>()
            .map_or(&[], |stored| &stored.pairs)
    }

    fn batches<'t>(&self, terms: &'t Terms) -> &'t [LaneTerms<E::Frozen, N>]
    where
        E: 'static,
    {
        terms
            .get::<StoredOf<E, N>>()
            .map_or(&[], |stored| &stored.batches)
    }

    fn for_each_memory(&self, memory: &mut [f64], f: &(impl Fn(usize, &mut [f64]) + Sync)) {
        if E::MEMORY > 0 {
            let end = self.first_memory + E::MEMORY * self.elements.len();
            let mine = &mut memory[self.first_memory..end];
            par::for_each_row(mine, E::MEMORY, PARTICLE_GRAIN, f);
        }
    }
}

/// The block `K_ab` among the kept ones.
fn block(pairs: &[DMat3], n: usize, a: usize, b: usize) -> DMat3 {
    if a < b {
        pairs[pair(n, a, b)]
    } else {
        pairs[pair(n, b, a)].transpose()
    }
}

impl<E: Element<N> + 'static, const N: usize> Family for Elements<E, N> {
    fn for_each_coupling(&self, f: &mut dyn FnMut([u32; 2])) {
        for particles in &self.particles {
            for a in 0..N {
                for b in a + 1..N {
                    f([particles[a], particles[b]]);
                }
            }
        }
    }

    fn bind(&mut self, pattern: &Arc<Pattern>) {
        for row in 0..pattern.rows() {
            let first = pattern.row(row).start;
            for k in self.of_particle.range(row) {
                let element = self.of_particle.items()[k].element as usize;
                self.places[k] = self.particles[element].map(|other| {
                    let place = match other as usize == row {
                        true => pattern.diagonal(row),
                        false => pattern
                            .place(row, other)
                            .expect("the pattern holds every coupling of the model"),
                    };
                    (place - first) as u32
                });
            }
        }
    }

    fn energy(&self, positions: &[DVec3], memory: &[f64]) -> f64 {
        par::sum(self.elements.len(), |k| {
            self.elements[k].energy(self.of(k, positions), self.memory_of(k, memory))
        })
    }

    fn linearise(&self, at: &At<'_>, blocks: Option<BlocksMut<'_>>, terms: &mut Terms) {
        let Stored { pairs, batches } = terms.make::<StoredOf<E, N>>();
        let count = self.elements.len().div_ceil(LANES);
        batches.resize_with(count, LaneTerms::default);
        let width = LANES * PAIRS[N];
        match blocks {
            None => {
                pairs.resize(LANES * count, E::Pairs::zeroed());
                let arrays = (pairs.as_mut_slice(), batches.as_mut_slice());
                par::for_each_row_pair(arrays, (LANES, 1), BATCH_GRAIN, |k, pairs, batch| {
                    let keep = |lane: usize, blocks: &E::Pairs| pairs[lane] = blocks.clone();
                    self.batch(k, at).one_by_one(keep, &mut batch[0]);
                });
            }
            Some((halves, [])) => {
                let arrays = (halves, batches.as_mut_slice());
                par::for_each_row_pair(arrays, (width, 1), BATCH_GRAIN, |k, halves, batch| {
                    E::linearise_lanes(&self.batch(k, at), (halves, &mut []), &mut batch[0]);
                });
            }
            Some((halves, skews)) => {
                let pairs = batches.iter_mut().zip(skews.chunks_exact_mut(width));
                let mut rest: Vec<_> = pairs.collect();
                let arrays = (halves, rest.as_mut_slice());
                par::for_each_row_pair(arrays, (width, 1), BATCH_GRAIN, |k, halves, rest| {
                    let (batch, skews) = &mut rest[0];
                    E::linearise_lanes(&self.batch(k, at), (halves, skews), batch);
                });
            }
        }
    }

    fn linearised_potential(&self, terms: &Terms, velocity_s: f64) -> f64 {
        let batches = self.batches(terms);
        par::sum(batches.len(), |k| {
            batches[k].energy_j + velocity_s * batches[k].dissipation_w
        })
    }

    fn potential(
        &self,
        terms: &Terms,
        positions: &[DVec3],
        velocities: &[DVec3],
        velocity_s: f64,
    ) -> f64 {
        let batches = self.batches(terms);
        let at = At {
            x: positions,
            v: velocities,
            memory: &[],
            weights: Weights::default(),
        };
        par::sum(batches.len(), |k| {
            E::potential_lanes(&self.batch(k, &at), &batches[k].frozen, velocity_s)
        })
    }

    fn add_forces(&self, terms: &Terms, forces: &mut [DVec3]) {
        let batches = self.batches(terms);
        par::for_each_leaf(forces, PARTICLE_GRAIN, |first, leaf| {
            for (k, force) in leaf.iter_mut().enumerate() {
                let mut sum = f64x4::from([force.x, force.y, force.z, 0.0]);
                for corner in self.of_particle.row(first + k) {
                    let element = corner.element as usize;
                    let batch = &batches[element / LANES];
                    sum += batch.forces[element % LANES][usize::from(corner.corner)];
                }
                let [x, y, z, _] = sum.to_array();
                *force = DVec3::new(x, y, z);
            }
        });
    }

    fn add_row(&self, row: usize, place_of_diagonal: usize, terms: &Terms, blocks: &mut [DMat3]) {
        let pairs = self.pairs(terms);
        let mut diagonal = DMat3::ZERO;
        let places = &self.places[self.of_particle.range(row)];
        for (corner, places) in self.of_particle.row(row).iter().zip(places) {
            let pairs = pairs[corner.element as usize].as_ref();
            let here = usize::from(corner.corner);
            for other in (0..N).filter(|other| *other != here) {
                let block = block(pairs, N, here, other);
                diagonal -= block;
                blocks[places[other] as usize] += block;
            }
        }
        // Blocks of one element need not be symmetric, but their sum is.
        blocks[place_of_diagonal] += 0.5 * (diagonal + diagonal.transpose());
    }

    fn row_product(&self, row: usize, terms: &Terms, p: &[DVec3]) -> DVec3 {
        let pairs = self.pairs(terms);
        let mut sum = DVec3::ZERO;
        for corner in self.of_particle.row(row) {
            let element = corner.element as usize;
            let (pairs, here) = (pairs[element].as_ref(), usize::from(corner.corner));
            let p = self.of(element, p);
            for other in (0..N).filter(|other| *other != here) {
                sum += block(pairs, N, here, other) * (p[other] - p[here]);
            }
        }
        sum
    }

    fn has_dampers(&self) -> bool {
        self.elements.iter().any(E::has_dampers)
    }

    fn is_definite(&self) -> bool {
        self.elements.iter().all(E::is_definite)
    }

    fn has_symmetric_blocks(&self) -> bool {
        E::SYMMETRIC
    }

    fn claim_memory(&mut self, first: usize) -> usize {
        self.first_memory = first;
        E::MEMORY * self.elements.len()
    }

    fn forget(&self, memory: &mut [f64]) {
        self.for_each_memory(memory, &|k, mine| self.elements[k].forget(mine));
    }

    fn remember(&self, positions: &[DVec3], memory: &mut [f64]) {
        self.for_each_memory(memory, &|k, mine| {
            self.elements[k].remember(self.of(k, positions), mine);
        });
    }
}

impl<E: Element<N> + 'static, const N: usize> ElementFamily for Elements<E, N> {
    fn blocks(&self) -> usize {
        self.elements.len().next_multiple_of(LANES) * PAIRS[N]
    }
}

/// How many blocks an element of so many particles has.
const PAIRS: [usize; 5] = [0, 0, 1, 3, 6];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_numbered_row_by_row() {
        let mut expected = 0;
        for a in 0..4 {
            for b in a + 1..4 {
                assert_eq!(pair(4, a, b), expected);
                expected += 1;
            }
        }
    }
}
