//! The potential of contact with friction: value, force and Hessian at one place, written once.
//!
//! - **Energy.** `E = κ/2 (h − d)²` where the distance `d = n·Σ aᵢ xᵢ` is below `h`, with the weights `aᵢ` and
//!   the normal `n` of a [`ContactStencil`]. Friction has the potential `κ|s|²/2`, and `F|s|` less a constant
//!   where that is steeper than `F = μ fₙ`, for the slip `s`: the tangential motion since the two points first
//!   met, as far as friction held it.
//! - **Force.** `aᵢ f` on vertex `i`, with `f = κ(h − d) n − min(κ|s|, F) ŝ` on the first point.
//! - **Jacobian.** `−aᵢ aⱼ H` with `H = κ nnᵀ + κ (1 − nnᵀ)` sticking, and
//!   `H = κ nnᵀ + (F/|s|)(1 − nnᵀ − ŝŝᵀ)` sliding: positive semidefinite. The normal force `fₙ` in `F` lags
//!   by a linearisation ([`crate::contact::active`]), so that there is a potential at all.
//! - **Units.** `κ` N/m, `h`, `d`, `s` m, `F` N.
//! - **Degenerate cases.** A slip of zero has no direction and no force. Points that are apart keep their
//!   friction as long as the lagged normal force is not zero: the potential has no steps.
//! - **Source.** Penalty contact with lagged Coulomb friction and an elastic slip that the cone bounds, as in
//!   the return mapping of plasticity.
//! - **Verified by.** `tests/touching.rs`.

use crate::contact::stencil::ContactStencil;
use glam::{DMat3, DVec3};

/// A potential at one place of the two points of a stencil, and its derivatives by what is between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPotential {
    /// How far the points are inside the distance kept, m; negative outside.
    pub depth_m: f64,
    /// Its value, J.
    pub value_j: f64,
    /// Minus its gradient: the force on the first point, N.
    pub force_n: DVec3,
    /// Its Hessian, N/m.
    pub hessian_n_per_m: DMat3,
    /// Friction's part of the force, N.
    pub friction_n: DVec3,
    /// Whether the points slide on each other.
    pub slides: bool,
}

impl ContactPotential {
    /// That of `stencil` with its vertices at `x`, with friction under a lagged normal force.
    #[inline]
    pub fn at(stencil: &ContactStencil, x: &[DVec3; 4], lagged_n: f64) -> Self {
        let depth_m = stencil.depth_m(x);
        let pressed = Part::pressing(stencil, depth_m.max(0.0), depth_m > 0.0);
        Self::sum(stencil, x, depth_m, pressed, lagged_n)
    }

    /// The same for a contact that acts though its points may still be apart: force and Hessian go on outside
    /// as they are inside. They pull there, and are right when the points arrive.
    #[inline]
    pub fn acting(stencil: &ContactStencil, x: &[DVec3; 4], lagged_n: f64) -> Self {
        let depth_m = stencil.depth_m(x);
        let pressed = Part::pressing(stencil, depth_m, true);
        Self::sum(stencil, x, depth_m, pressed, lagged_n)
    }

    #[inline]
    fn sum(
        stencil: &ContactStencil,
        x: &[DVec3; 4],
        depth_m: f64,
        pressed: Part,
        lagged_n: f64,
    ) -> Self {
        let (friction, slides) = Part::friction(stencil, x, lagged_n);
        Self {
            depth_m,
            value_j: pressed.value_j + friction.value_j,
            force_n: pressed.force_n + friction.force_n,
            hessian_n_per_m: pressed.hessian_n_per_m + friction.hessian_n_per_m,
            friction_n: friction.force_n,
            slides,
        }
    }
}

/// One of the two parts of the potential, with its derivatives.
struct Part {
    value_j: f64,
    force_n: DVec3,
    hessian_n_per_m: DMat3,
}

impl Part {
    const NOTHING: Self = Self {
        value_j: 0.0,
        force_n: DVec3::ZERO,
        hessian_n_per_m: DMat3::ZERO,
    };

    /// What keeps the points apart. Only what is inside has a value.
    #[inline]
    fn pressing(stencil: &ContactStencil, depth_m: f64, acts: bool) -> Self {
        if !acts {
            return Self::NOTHING;
        }
        let kappa = stencil.law.stiffness_n_per_m;
        let n = stencil.normal;
        Self {
            value_j: 0.5 * kappa * depth_m.max(0.0).powi(2),
            force_n: kappa * depth_m * n,
            hessian_n_per_m: kappa * outer(n, n),
        }
    }

    /// What keeps them from sliding, and whether they slide all the same.
    #[inline]
    fn friction(stencil: &ContactStencil, x: &[DVec3; 4], lagged_n: f64) -> (Self, bool) {
        let most_n = stencil.law.friction * lagged_n;
        if most_n <= 0.0 {
            return (Self::NOTHING, false);
        }
        let kappa = stencil.law.stiffness_n_per_m;
        let slip = stencil.slip_at(x);
        let length_m = slip.length();
        let tangent = DMat3::IDENTITY - outer(stencil.normal, stencil.normal);
        if kappa * length_m <= most_n {
            let held = Self {
                value_j: 0.5 * kappa * length_m * length_m,
                force_n: -kappa * slip,
                hessian_n_per_m: kappa * tangent,
            };
            return (held, false);
        }
        let along = slip / length_m;
        let sliding = Self {
            value_j: most_n * (length_m - 0.5 * most_n / kappa),
            force_n: -most_n * along,
            hessian_n_per_m: (most_n / length_m) * (tangent - outer(along, along)),
        };
        (sliding, true)
    }
}

/// `a bᵀ`.
fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}
