//! Elements of a few particles each: the assembly shared by every energy of triangles and hinges.
//!
//! An element says its energy, forces and matrix; here every particle gathers from its own elements
//! in a fixed order, so that the bits do not depend on threads. An energy that does not change when
//! all its particles move together has `Σ_b K_ab = 0`, so only blocks between different particles
//! are kept.

use crate::family::{At, Family, Terms};
use bytemuck::Zeroable;
use glam::{DMat3, DVec3};
use std::array;
use toile_numerics::integrate::Weights;
use toile_numerics::{Pattern, par};

/// Particles whose forces one task gathers.
const PARTICLE_GRAIN: usize = 256;
/// Elements that one task linearises.
const ELEMENT_GRAIN: usize = 256;

/// An energy of `N` particles.
pub trait Element<const N: usize>: Send + Sync {
    /// Blocks between different particles, one for every two, ordered 01, 02, …, 12, ….
    type Pairs: AsRef<[DMat3]> + Clone + Zeroable + Send + Sync;
    /// What its dampers and its energy elsewhere need of where it was linearised.
    type Frozen: Clone + Default + Send + Sync;
    /// How many numbers it remembers from step to step.
    const MEMORY: usize = 0;
    /// Whether the blocks are symmetric, each for itself.
    const SYMMETRIC: bool;

    /// Elastic energy, J.
    fn energy(&self, x: [DVec3; N], memory: &[f64]) -> f64;
    /// Linearises it.
    fn linearise(&self, local: &Local<'_, N>) -> Linearised<Self::Pairs, Self::Frozen, N>;
    /// Elastic energy elsewhere, J.
    fn energy_near(&self, frozen: &Self::Frozen, x: [DVec3; N]) -> f64;
    /// Half the power its dampers dissipate, W, with their directions as linearised.
    fn dissipation(&self, frozen: &Self::Frozen, v: [DVec3; N]) -> f64;
    /// Whether it dissipates.
    fn has_dampers(&self) -> bool;
    /// Whether its matrix is positive semidefinite.
    fn is_definite(&self) -> bool;
    /// What it remembers before the start.
    fn forget(&self, _memory: &mut [f64]) {}
    /// What it will remember of these positions.
    fn remember(&self, _x: [DVec3; N], _memory: &mut [f64]) {}
}

/// Where an element is linearised.
pub struct Local<'a, const N: usize> {
    /// Its particles' positions, m.
    pub x: [DVec3; N],
    /// Their velocities, m/s.
    pub v: [DVec3; N],
    /// What it remembers; empty before the first step.
    pub memory: &'a [f64],
    /// Weights of the matrix.
    pub weights: Weights,
    /// Share of the stiffness that only the matrix has.
    pub padding: f64,
}

/// An element's linearisation.
#[derive(Clone)]
pub struct Linearised<P, F, const N: usize> {
    /// Force on each particle, dampers included, N.
    pub forces: [DVec3; N],
    /// Off-diagonal blocks of its share `−α D − s K` of the matrix.
    pub pairs: P,
    /// Elastic energy, J.
    pub energy_j: f64,
    /// Half the power its dampers dissipate, W.
    pub dissipation_w: f64,
    /// What is needed elsewhere.
    pub frozen: F,
}

impl<P: Zeroable, F: Default, const N: usize> Default for Linearised<P, F, N> {
    /// Nothing at all.
    fn default() -> Self {
        Self {
            forces: [DVec3::ZERO; N],
            // The default of a matrix is the identity.
            pairs: P::zeroed(),
            energy_j: 0.0,
            dissipation_w: 0.0,
            frozen: F::default(),
        }
    }
}

/// The linearisation of all elements. Blocks lie apart: who needs them needs nothing else.
#[derive(Clone)]
pub struct Stored<P, F, const N: usize> {
    /// Off-diagonal blocks of every element.
    pub pairs: Vec<P>,
    others: Vec<Other<F, N>>,
}

impl<P, F, const N: usize> Default for Stored<P, F, N> {
    fn default() -> Self {
        Self {
            pairs: Vec::new(),
            others: Vec::new(),
        }
    }
}

/// All of [`Linearised`] but the blocks.
#[derive(Clone)]
struct Other<F, const N: usize> {
    forces: [DVec3; N],
    energy_j: f64,
    dissipation_w: f64,
    frozen: F,
}

type StoredOf<E, const N: usize> = Stored<<E as Element<N>>::Pairs, <E as Element<N>>::Frozen, N>;

/// Place of the block between particles `a < b` of `n`.
const fn pair(n: usize, a: usize, b: usize) -> usize {
    a * n - a * (a + 1) / 2 + b - a - 1
}

/// One corner of an element, as its particle sees it.
#[derive(Clone, Copy)]
struct Corner<const N: usize> {
    element: u32,
    corner: u8,
    /// Places of the blocks with the element's particles within the particle's row.
    places: [u32; N],
}

/// All elements of one kind.
pub struct Elements<E, const N: usize> {
    particles: Vec<[u32; N]>,
    elements: Vec<E>,
    first_of_particle: Vec<u32>,
    of_particle: Vec<Corner<N>>,
    first_memory: usize,
}

impl<E: Element<N>, const N: usize> Elements<E, N> {
    /// These elements in a model of so many particles.
    pub fn new(total: usize, elements: impl IntoIterator<Item = ([u32; N], E)>) -> Self {
        let (particles, elements): (Vec<[u32; N]>, Vec<E>) = elements.into_iter().unzip();
        let mut first_of_particle = vec![0_u32; total + 1];
        for particle in particles.iter().flatten() {
            first_of_particle[*particle as usize + 1] += 1;
        }
        for k in 0..total {
            first_of_particle[k + 1] += first_of_particle[k];
        }
        let mut next = first_of_particle.clone();
        let unset = Corner {
            element: 0,
            corner: 0,
            places: [u32::MAX; N],
        };
        let mut of_particle = vec![unset; N * particles.len()];
        for (element, corners) in particles.iter().enumerate() {
            for (corner, particle) in corners.iter().enumerate() {
                let slot = &mut next[*particle as usize];
                of_particle[*slot as usize] = Corner {
                    element: element as u32,
                    corner: corner as u8,
                    ..unset
                };
                *slot += 1;
            }
        }
        Self {
            particles,
            elements,
            first_of_particle,
            of_particle,
            first_memory: 0,
        }
    }

    /// The elements.
    pub fn elements(&self) -> &[E] {
        &self.elements
    }

    fn corners_of(&self, particle: usize) -> &[Corner<N>] {
        let [first, end] = [0, 1].map(|k| self.first_of_particle[particle + k] as usize);
        &self.of_particle[first..end]
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

    fn others<'t>(&self, terms: &'t Terms) -> &'t [Other<E::Frozen, N>]
    where
        E: 'static,
    {
        terms
            .get::<StoredOf<E, N>>()
            .map_or(&[], |stored| &stored.others)
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

    fn bind(&mut self, pattern: &Pattern) {
        for row in 0..pattern.rows() {
            let first = pattern.row(row).start;
            let [start, end] = [0, 1].map(|k| self.first_of_particle[row + k] as usize);
            for corner in &mut self.of_particle[start..end] {
                corner.places = self.particles[corner.element as usize].map(|other| {
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

    fn linearise(&self, at: &At<'_>, terms: &mut Terms) {
        let Stored { pairs, others } = terms.make::<StoredOf<E, N>>();
        pairs.resize(self.elements.len(), E::Pairs::zeroed());
        others.resize_with(self.elements.len(), || Other {
            forces: [DVec3::ZERO; N],
            energy_j: 0.0,
            dissipation_w: 0.0,
            frozen: E::Frozen::default(),
        });
        let arrays = (pairs.as_mut_slice(), others.as_mut_slice());
        par::for_each_row_pair(arrays, (1, 1), ELEMENT_GRAIN, &|k, pairs, others| {
            let linearised = self.elements[k].linearise(&Local {
                x: self.of(k, at.x),
                v: self.of(k, at.v),
                memory: self.memory_of(k, at.memory),
                weights: at.weights,
                padding: at.padding,
            });
            pairs[0] = linearised.pairs;
            others[0] = Other {
                forces: linearised.forces,
                energy_j: linearised.energy_j,
                dissipation_w: linearised.dissipation_w,
                frozen: linearised.frozen,
            };
        });
    }

    fn linearised_potential(&self, terms: &Terms, velocity_s: f64) -> f64 {
        let others = self.others(terms);
        par::sum(others.len(), |k| {
            others[k].energy_j + velocity_s * others[k].dissipation_w
        })
    }

    fn potential(
        &self,
        terms: &Terms,
        positions: &[DVec3],
        velocities: &[DVec3],
        velocity_s: f64,
    ) -> f64 {
        let others = self.others(terms);
        par::sum(others.len(), |k| {
            let (element, frozen) = (&self.elements[k], &others[k].frozen);
            let energy_j = element.energy_near(frozen, self.of(k, positions));
            energy_j + velocity_s * element.dissipation(frozen, self.of(k, velocities))
        })
    }

    fn add_forces(&self, terms: &Terms, forces: &mut [DVec3]) {
        let others = self.others(terms);
        par::for_each_leaf(forces, PARTICLE_GRAIN, &|first, leaf| {
            for (k, force) in leaf.iter_mut().enumerate() {
                for corner in self.corners_of(first + k) {
                    *force += others[corner.element as usize].forces[usize::from(corner.corner)];
                }
            }
        });
    }

    fn add_row(&self, row: usize, place_of_diagonal: usize, terms: &Terms, blocks: &mut [DMat3]) {
        let pairs = self.pairs(terms);
        let mut diagonal = DMat3::ZERO;
        for corner in self.corners_of(row) {
            let pairs = pairs[corner.element as usize].as_ref();
            let here = usize::from(corner.corner);
            for other in (0..N).filter(|other| *other != here) {
                let block = block(pairs, N, here, other);
                diagonal -= block;
                blocks[corner.places[other] as usize] += block;
            }
        }
        // Blocks of one element need not be symmetric, but their sum is.
        blocks[place_of_diagonal] += 0.5 * (diagonal + diagonal.transpose());
    }

    fn row_product(&self, row: usize, terms: &Terms, p: &[DVec3]) -> DVec3 {
        let pairs = self.pairs(terms);
        let mut sum = DVec3::ZERO;
        for corner in self.corners_of(row) {
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

/// The blocks of `Σ c g gᵀ`: one rank-one matrix over all particles.
pub fn rank_one<const N: usize>(c: f64, g: &[DVec3; N], a: usize, b: usize) -> DMat3 {
    let scaled = c * g[a];
    DMat3::from_cols(g[b].x * scaled, g[b].y * scaled, g[b].z * scaled)
}

/// All blocks between different particles.
pub fn pairs_of<const N: usize, const P: usize>(
    block: impl Fn(usize, usize) -> DMat3,
) -> [DMat3; P] {
    let mut places = (0..N).flat_map(|a| (a + 1..N).map(move |b| (a, b)));
    array::from_fn(|_| {
        let (a, b) = places.next().expect("as many blocks as pairs");
        block(a, b)
    })
}

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
