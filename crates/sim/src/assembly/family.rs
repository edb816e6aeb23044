//! What the step asks of a family of elements, whatever their energy.

use glam::{DMat3, DVec3};
use std::any::Any;
use std::sync::Arc;
use toile_numerics::Pattern;
use toile_numerics::integrate::Weights;
use toile_numerics::single_sum::BlocksMut;

/// Where and how elements are linearised.
#[derive(Clone, Copy)]
pub struct At<'a> {
    /// Positions, m.
    pub x: &'a [DVec3],
    /// Velocities, m/s.
    pub v: &'a [DVec3],
    /// What elements remember of the last committed step; see [`Family::remember`].
    pub memory: &'a [f64],
    /// Weights of the matrix `M − αD − sK`.
    pub weights: Weights,
}

/// A family's linearisation. What it holds is the family's own business.
#[derive(Default)]
pub struct Terms(Option<Box<dyn Any + Send + Sync>>);

impl Terms {
    /// What the family left, if it has linearised and left a `T`.
    pub fn get<T: 'static>(&self) -> Option<&T> {
        self.0.as_ref().and_then(|terms| terms.downcast_ref())
    }

    /// What it left before, to be written anew.
    pub fn make<T: Default + Send + Sync + 'static>(&mut self) -> &mut T {
        if self.get::<T>().is_none() {
            self.0 = Some(Box::<T>::default());
        }
        let terms = self.0.as_mut().and_then(|terms| terms.downcast_mut());
        terms.expect("a T was put there")
    }

    /// The terms of all elements of a family that keeps a list; none before it has linearised.
    pub fn all<T: 'static>(&self) -> &[T] {
        self.get::<Vec<T>>().map_or(&[], |terms| terms)
    }

    /// Room for the terms of so many elements.
    pub fn room<T: Clone + Default + Send + Sync + 'static>(
        &mut self,
        elements: usize,
    ) -> &mut [T] {
        let terms: &mut Vec<T> = self.make();
        terms.resize(elements, T::default());
        terms
    }
}

/// Elements of one kind: an energy each, with its force, its dampers, and its share of the matrix.
pub trait Family: Send + Sync {
    /// Calls `f` with every two particles that an element couples.
    fn for_each_coupling(&self, f: &mut dyn FnMut([u32; 2]));
    /// Fixes where in the matrix each element goes.
    fn bind(&mut self, pattern: &Arc<Pattern>);
    /// Elastic energy, J.
    fn energy(&self, positions: &[DVec3], memory: &[f64]) -> f64;
    /// Linearises every element. Its share of the matrix goes to `blocks`, where there is room for it in single
    /// precision and the family is an [`ElementFamily`], and else to its terms.
    fn linearise(&self, at: &At<'_>, blocks: Option<BlocksMut<'_>>, terms: &mut Terms);
    /// Elastic energy plus `velocity_s` times half the dissipated power, where the elements were
    /// linearised, J.
    fn linearised_potential(&self, terms: &Terms, velocity_s: f64) -> f64;
    /// The same elsewhere, with the dampers' directions as linearised.
    fn potential(
        &self,
        terms: &Terms,
        positions: &[DVec3],
        velocities: &[DVec3],
        velocity_s: f64,
    ) -> f64;
    /// Adds every element's force as linearised.
    fn add_forces(&self, terms: &Terms, forces: &mut [DVec3]);
    /// Adds `−α D − s K` to one block row.
    fn add_row(&self, row: usize, place_of_diagonal: usize, terms: &Terms, blocks: &mut [DMat3]);
    /// One block row of `(−α D − s K) p`.
    fn row_product(&self, row: usize, terms: &Terms, p: &[DVec3]) -> DVec3;
    /// Whether any element dissipates.
    fn has_dampers(&self) -> bool;
    /// Whether the share of the matrix is positive semidefinite wherever it is linearised.
    fn is_definite(&self) -> bool;
    /// Whether its blocks between different particles are symmetric, each for itself.
    fn has_symmetric_blocks(&self) -> bool;
    /// How many numbers the family remembers, from `first` on; it learns its place.
    fn claim_memory(&mut self, _first: usize) -> usize {
        0
    }
    /// Writes what is remembered before the start.
    fn forget(&self, _memory: &mut [f64]) {}
    /// Takes over what must be remembered of committed positions.
    fn remember(&self, _positions: &[DVec3], _memory: &mut [f64]) {}
}

/// A family that can write its share of the matrix in single precision, block by block. The k-th block
/// belongs to the k-th coupling.
pub trait ElementFamily: Family {
    /// Room for its blocks, at least one for every coupling.
    fn blocks(&self) -> usize;
}
