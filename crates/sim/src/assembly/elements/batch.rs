//! Eight elements at a time.

use crate::assembly::elements::{Element, Elements, Local};
use crate::assembly::family::At;
use crate::assembly::lanes::{LANES, Lanes, VectorLanes, each_lane, rows, vectors};
use glam::DVec3;
use toile_numerics::single_sum::{BlocksMut, half, skew};
use wide::f64x4;

/// Eight elements where they are linearised. The last batch of a family is filled up with its last
/// element.
pub struct Batch<'a, E, const N: usize> {
    /// The elements.
    pub elements: [&'a E; LANES],
    /// Where and how.
    pub at: &'a At<'a>,
    particles: [[u32; N]; LANES],
    memory: [&'a [f64]; LANES],
    /// How many of them exist.
    count: usize,
}

/// What eight elements leave behind when they are linearised, but for their blocks.
#[derive(Clone)]
pub struct LaneTerms<F, const N: usize> {
    /// Forces on each element's particles, dampers included, with a zero behind, N.
    pub forces: [[f64x4; N]; LANES],
    /// Elastic energy of all eight, J.
    pub energy_j: f64,
    /// Half the power their dampers dissipate, W.
    pub dissipation_w: f64,
    /// What is needed elsewhere.
    pub frozen: [F; LANES],
}

impl<F, const N: usize> LaneTerms<F, N> {
    /// Takes over the forces on each corner's particles.
    #[inline(always)]
    pub fn set_forces(&mut self, forces: &[VectorLanes; N]) {
        for (corner, forces) in forces.iter().enumerate() {
            for (own, force) in self.forces.iter_mut().zip(rows(forces)) {
                own[corner] = force;
            }
        }
    }
}

impl<F: Copy + Default, const N: usize> Default for LaneTerms<F, N> {
    fn default() -> Self {
        Self {
            forces: [[f64x4::ZERO; N]; LANES],
            energy_j: 0.0,
            dissipation_w: 0.0,
            frozen: [F::default(); LANES],
        }
    }
}

impl<E: Element<N>, const N: usize> Elements<E, N> {
    /// The elements of one batch.
    #[inline(always)]
    pub(crate) fn batch<'a>(&'a self, batch: usize, at: &'a At<'a>) -> Batch<'a, E, N> {
        let first = LANES * batch;
        let last = self.elements.len() - 1;
        let index = |lane: usize| (first + lane).min(last);
        Batch {
            elements: each_lane(|lane| &self.elements[index(lane)]),
            particles: each_lane(|lane| self.particles[index(lane)]),
            memory: each_lane(|lane| match E::MEMORY {
                0 => &[][..],
                _ => self.memory_of(index(lane), at.memory),
            }),
            at,
            count: (self.elements.len() - first).min(LANES),
        }
    }
}

impl<E: Element<N>, const N: usize> Batch<'_, E, N> {
    /// One number an element.
    #[inline(always)]
    pub fn gather(&self, of: impl Fn(&E) -> f64) -> Lanes {
        Lanes::from(each_lane(|lane| of(self.elements[lane])))
    }

    /// Positions of the elements' particles in one corner, m.
    #[inline(always)]
    pub fn positions(&self, corner: usize) -> VectorLanes {
        vectors(|lane| self.at.x[self.particles[lane][corner] as usize])
    }

    /// Their velocities, m/s.
    #[inline(always)]
    pub fn velocities(&self, corner: usize) -> VectorLanes {
        vectors(|lane| self.at.v[self.particles[lane][corner] as usize])
    }

    /// The sum of what the elements have each, in order.
    #[inline(always)]
    pub fn sum(&self, of_each: Lanes) -> f64 {
        of_each.as_array()[..self.count].iter().sum()
    }

    /// Asks one element after the other, and hands on its blocks.
    pub fn one_by_one(
        &self,
        mut keep: impl FnMut(usize, &E::Pairs),
        terms: &mut LaneTerms<E::Frozen, N>,
    ) {
        let (mut energy_j, mut dissipation_w) = ([0.0; LANES], [0.0; LANES]);
        for lane in 0..LANES {
            let linearised = self.elements[lane].linearise(&Local {
                x: self.of(lane, self.at.x),
                v: self.of(lane, self.at.v),
                memory: self.memory[lane],
                weights: self.at.weights,
            });
            terms.forces[lane] = linearised
                .forces
                .map(|force| f64x4::from([force.x, force.y, force.z, 0.0]));
            energy_j[lane] = linearised.energy_j;
            dissipation_w[lane] = linearised.dissipation_w;
            terms.frozen[lane] = linearised.frozen;
            keep(lane, &linearised.pairs);
        }
        terms.energy_j = self.sum(energy_j.into());
        terms.dissipation_w = self.sum(dissipation_w.into());
    }

    /// The same, with the blocks in single precision.
    pub fn one_by_one_rounded(
        &self,
        (halves, skews): BlocksMut<'_>,
        terms: &mut LaneTerms<E::Frozen, N>,
    ) {
        let keep = |lane: usize, pairs: &E::Pairs| {
            let pairs = pairs.as_ref();
            let first = lane * pairs.len();
            for (k, block) in pairs.iter().enumerate() {
                halves[first + k] = half(block);
                if let Some(place) = skews.get_mut(first + k) {
                    *place = skew(block);
                }
            }
        };
        self.one_by_one(keep, terms);
    }

    /// The potential of one element after the other.
    pub fn potential_one_by_one(&self, frozen: &[E::Frozen; LANES], velocity_s: f64) -> f64 {
        let potential = |lane: usize| {
            let (element, frozen) = (self.elements[lane], &frozen[lane]);
            element.energy_near(frozen, self.of(lane, self.at.x))
                + velocity_s * element.dissipation(frozen, self.of(lane, self.at.v))
        };
        (0..self.count).map(potential).sum()
    }

    fn of(&self, lane: usize, all: &[DVec3]) -> [DVec3; N] {
        self.particles[lane].map(|particle| all[particle as usize])
    }
}
