//! What an element is: a few particles and their energy.

use crate::assembly::elements::{Batch, LaneTerms};
use crate::assembly::lanes::LANES;
use bytemuck::Zeroable;
use glam::{DMat3, DVec3};
use std::array;
use toile_numerics::integrate::Weights;
use toile_numerics::single_sum::BlocksMut;

/// An energy of `N` particles.
pub trait Element<const N: usize>: Send + Sync + Sized {
    /// Blocks between different particles, one for every two, ordered 01, 02, …, 12, ….
    type Pairs: AsRef<[DMat3]> + Clone + Zeroable + Send + Sync;
    /// What its dampers and its energy elsewhere need of where it was linearised.
    type Frozen: Copy + Default + Send + Sync;
    /// How many numbers it remembers from step to step.
    const MEMORY: usize = 0;
    /// Whether the blocks are symmetric, each for itself.
    const SYMMETRIC: bool;

    /// Elastic energy, J.
    fn energy(&self, x: [DVec3; N], memory: &[f64]) -> f64;
    /// Linearises it.
    fn linearise(&self, local: &Local<'_, N>) -> Linearised<Self::Pairs, Self::Frozen, N>;
    /// Linearises eight of them and writes their blocks, element after element. Forces must have
    /// the bits of [`Self::linearise`].
    fn linearise_lanes(
        batch: &Batch<'_, Self, N>,
        blocks: BlocksMut<'_>,
        terms: &mut LaneTerms<Self::Frozen, N>,
    ) {
        batch.one_by_one_rounded(blocks, terms);
    }
    /// Elastic energy of eight elsewhere, plus `velocity_s` times half the power their dampers
    /// dissipate, J.
    fn potential_lanes(
        batch: &Batch<'_, Self, N>,
        frozen: &[Self::Frozen; LANES],
        velocity_s: f64,
    ) -> f64 {
        batch.potential_one_by_one(frozen, velocity_s)
    }
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
