//! An operator with a few further couplings, `Σ (Σ aᵢ eᵢ)(Σ aᵢ eᵢ)ᵀ ⊗ H` over groups of four
//! particles: contacts, which come and go while the pattern of a matrix stays.
//!
//! The diagonal blocks `aᵢ² H` are left to the operator underneath, so that its preconditioner knows
//! of them; only what is off the diagonal is added here.

use crate::operator::Operator;
use crate::{Scalar, par};
use glam::DMat3;

/// One coupling of four particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coupling<T> {
    /// Where the particles' first components are.
    pub places: [u32; 4],
    /// How far their further components are.
    pub strides: [u32; 4],
    /// `a`; particles that are not unknowns have 0, and any place.
    pub weights: [T; 4],
    /// `H`: xx, xy, xz, yy, yz, zz.
    pub block: [T; 6],
}

impl<T: Scalar> Coupling<T> {
    fn multiply(&self, [x, y, z]: [T; 3]) -> [T; 3] {
        let [xx, xy, xz, yy, yz, zz] = self.block;
        [
            xx * x + xy * y + xz * z,
            xy * x + yy * y + yz * z,
            xz * x + yz * y + zz * z,
        ]
    }

    fn component(&self, particle: usize, axis: usize) -> usize {
        (self.places[particle] + axis as u32 * self.strides[particle]) as usize
    }

    fn at(&self, x: &[T], particle: usize) -> [T; 3] {
        [0, 1, 2].map(|axis| x[self.component(particle, axis)])
    }

    /// What the coupling adds to `particle`'s row of the product: the other particles' share.
    pub fn row(&self, x: &[T], particle: usize) -> [T; 3] {
        let mut sum = [T::default(); 3];
        for other in (0..4).filter(|other| *other != particle) {
            let value = self.at(x, other);
            for axis in 0..3 {
                sum[axis] += self.weights[other] * value[axis];
            }
        }
        let own = self.weights[particle];
        self.multiply(sum).map(|value| own * value)
    }
}

impl Coupling<f64> {
    /// The blocks off the diagonal, each once with the two particles it couples, where their components
    /// follow each other.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = ([u32; 2], DMat3)> + Clone {
        const PAIRS: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
        let [xx, xy, xz, yy, yz, zz] = self.block;
        let block = DMat3::from_cols_array(&[xx, xy, xz, xy, yy, yz, xz, yz, zz]);
        let (places, weights) = (self.places, self.weights);
        PAIRS.into_iter().filter_map(move |[a, b]| {
            let weight = weights[a] * weights[b];
            (weight != 0.0).then(|| ([places[a] / 3, places[b] / 3], weight * block))
        })
    }
}

/// An operator with couplings on top.
pub struct Coupled<'a, T: Scalar> {
    /// The operator underneath.
    pub inner: &'a dyn Operator<T>,
    /// What couples its particles besides, in a fixed order.
    pub couplings: &'a [Coupling<T>],
}

impl<T: Scalar> Operator<T> for Coupled<'_, T> {
    fn len(&self) -> usize {
        self.inner.len()
    }

    fn apply(&self, x: &[T], y: &mut [T]) {
        self.inner.apply(x, y);
        for coupling in self.couplings {
            let values = [0, 1, 2, 3].map(|particle| coupling.at(x, particle));
            let weights = coupling.weights;
            let sum = [0, 1, 2].map(|axis| {
                (weights[0] * values[0][axis] + weights[1] * values[1][axis])
                    + (weights[2] * values[2][axis] + weights[3] * values[3][axis])
            });
            for (particle, own) in values.iter().enumerate() {
                let weight = weights[particle];
                let others = [0, 1, 2].map(|axis| sum[axis] - weight * own[axis]);
                let image = coupling.multiply(others);
                for (axis, image) in image.into_iter().enumerate() {
                    let at = coupling.component(particle, axis);
                    y[at] += weight * image;
                }
            }
        }
    }

    fn apply_dot(&self, x: &[T], y: &mut [T]) -> f64 {
        if self.couplings.is_empty() {
            return self.inner.apply_dot(x, y);
        }
        // Stiff couplings cancel stiff blocks of the diagonal where particles move together. What rounding
        // leaves of that is in `y`, and the product must be that of `y` as it is.
        self.apply(x, y);
        par::dot(x, y)
    }
}
