//! What conjugate gradients needs to know of a linear system.

use crate::Scalar;

/// A symmetric positive definite linear map, assembled or matrix-free.
pub trait Operator<T: Scalar>: Sync {
    /// Number of unknowns.
    fn len(&self) -> usize;
    /// Whether there are no unknowns.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// `y = A x`.
    fn apply(&self, x: &[T], y: &mut [T]);
}

/// A symmetric positive definite approximation of the inverse.
pub trait Preconditioner<T: Scalar> {
    /// `z = P⁻¹ r`. Takes `&mut self` because multilevel cycles need scratch memory.
    fn apply(&mut self, r: &[T], z: &mut [T]);
}

/// An orthogonal projection onto the motions that the constraints leave free.
pub trait Filter<T: Scalar>: Sync {
    /// `v = S v`.
    fn project(&self, v: &mut [T]);
}

/// Everything is free.
pub struct NoFilter;

impl<T: Scalar> Filter<T> for NoFilter {
    fn project(&self, _v: &mut [T]) {}
}

/// `P = I`: plain conjugate gradients.
pub struct Identity;

impl<T: Scalar> Preconditioner<T> for Identity {
    fn apply(&mut self, r: &[T], z: &mut [T]) {
        z.copy_from_slice(r);
    }
}
