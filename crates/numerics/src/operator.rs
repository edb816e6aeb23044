//! What conjugate gradients needs to know of a linear system.

use crate::{Scalar, par};

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
    /// The same, and `xᵀA x`: what has just been computed need not be read again.
    fn apply_dot(&self, x: &[T], y: &mut [T]) -> f64 {
        self.apply(x, y);
        par::dot(x, y)
    }
}

/// A symmetric positive definite approximation of the inverse.
pub trait Preconditioner<T: Scalar> {
    /// `z = P⁻¹ r`. Takes `&mut self` because multilevel cycles need scratch memory.
    fn apply(&mut self, r: &[T], z: &mut [T]);
    /// The same, and `rᵀP⁻¹ r`.
    fn apply_dot(&mut self, r: &[T], z: &mut [T]) -> f64 {
        self.apply(r, z);
        par::dot(r, z)
    }
}

/// An orthogonal projection onto the motions that the constraints leave free.
pub trait Filter<T: Scalar>: Sync {
    /// `v = S v`.
    fn project(&self, v: &mut [T]);
    /// The same; returns by how much it changes `vᵀw`.
    fn project_beside(&self, v: &mut [T], w: &[T]) -> f64;
}

/// Everything is free.
pub struct NoFilter;

impl<T: Scalar> Filter<T> for NoFilter {
    fn project(&self, _v: &mut [T]) {}

    fn project_beside(&self, _v: &mut [T], _w: &[T]) -> f64 {
        0.0
    }
}

/// `P = I`: plain conjugate gradients.
pub struct Identity;

impl<T: Scalar> Preconditioner<T> for Identity {
    fn apply(&mut self, r: &[T], z: &mut [T]) {
        z.copy_from_slice(r);
    }
}
