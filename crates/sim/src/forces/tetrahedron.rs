//! A tetrahedron of an isotropic elastic solid: what solids are made of.
//!
//! - Energy: `V (μ E:E + ½ λ tr² E)` with the volume at rest V, Green's strain `E = ½ (FᵀF − I)` and the
//!   deformation gradient `F = Σ x_a b_aᵀ` from the gradients `b_a` of the corners' shape functions at rest.
//! - Force: `−V F S b_a` on corner a, with the stress `S = 2μE + λ tr E I`.
//! - Jacobian: between the corners a and b `−V (μ (b_a·b_b) FFᵀ + μ (F b_b)(F b_a)ᵀ + λ (F b_a)(F b_b)ᵀ)`,
//!   which is negative semidefinite over all corners. The part of the stress, `−V (b_a·S b_b) I`, is left out
//!   unless `exact`: it is indefinite where the solid is compressed, and small where strains are.
//! - Dampers: on the rate of the strain, `τ` times as stiff: a Kelvin–Voigt solid. With `F` frozen.
//! - Units: λ, μ in Pa, V in m³, τ in s.
//! - Degenerate cases: pressed flat or turned inside out, every number stays finite, but compressed to less
//!   than about 0.6 of its length it resists the less the more it is compressed, as the law is known to. One
//!   without a volume at rest is refused when the model is built.
//! - Source: St. Venant–Kirchhoff's law on linear tetrahedra, as in any text on finite elements.
//! - Verified by: `tests/tetrahedron.rs`.

use super::triangle::outer;
use crate::assembly::elements::{Element, Linearised, Local, pairs_of};
use crate::assembly::links::Jacobian;
use glam::{DMat3, DVec3};

/// Lamé's constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lame {
    /// λ, Pa.
    pub lambda_pa: f64,
    /// μ, Pa: the shear modulus.
    pub mu_pa: f64,
}

impl Lame {
    /// From Young's modulus and Poisson's ratio.
    pub fn of(young_pa: f64, poisson: f64) -> Self {
        Self {
            lambda_pa: young_pa * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)),
            mu_pa: 0.5 * young_pa / (1.0 + poisson),
        }
    }

    /// The stress of a strain, Pa.
    fn stress(&self, strain: &DMat3) -> DMat3 {
        let pressure = DMat3::from_diagonal(DVec3::splat(self.lambda_pa * trace(strain)));
        2.0 * self.mu_pa * *strain + pressure
    }

    /// Half the product of a strain and its stress, Pa.
    fn density(&self, strain: &DMat3) -> f64 {
        let columns = [strain.x_axis, strain.y_axis, strain.z_axis];
        let square: f64 = columns.iter().map(|column| column.length_squared()).sum();
        self.mu_pa * square + 0.5 * self.lambda_pa * trace(strain).powi(2)
    }
}

/// One tetrahedron.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tetrahedron {
    /// Gradients of its corners' shape functions at rest, 1/m.
    gradients_per_m: [DVec3; 4],
    /// Its volume at rest, m³.
    volume_m3: f64,
    lame: Lame,
    /// Its viscosity as a share of its stiffness, s.
    damping_s: f64,
    /// What the matrix keeps.
    jacobian: Jacobian,
}

impl Tetrahedron {
    /// One with these corners at rest, which are not in a plane.
    pub fn new([a, b, c, d]: [DVec3; 4], lame: Lame, damping_s: f64, jacobian: Jacobian) -> Self {
        let edges = DMat3::from_cols(b - a, c - a, d - a);
        let rows = edges.inverse().transpose();
        let [b, c, d] = [rows.x_axis, rows.y_axis, rows.z_axis];
        Self {
            gradients_per_m: [-(b + c + d), b, c, d],
            volume_m3: edges.determinant().abs() / 6.0,
            lame,
            damping_s,
            jacobian,
        }
    }

    /// `Σ x_a b_aᵀ`, from differences, which do not change with where it is.
    fn gradient(&self, x: &[DVec3; 4]) -> DMat3 {
        let of = |corner: usize| outer(x[corner] - x[0], self.gradients_per_m[corner]);
        of(1) + of(2) + of(3)
    }

    /// The rate of Green's strain with these velocities where the gradient is `f`, 1/s.
    fn strain_rate(&self, f: &DMat3, v: &[DVec3; 4]) -> DMat3 {
        symmetric(f.transpose() * self.gradient(v))
    }

    /// The block between two corners, with these weights of the stiffness and of the stress's part.
    fn block(&self, f: &DMat3, stress: &DMat3, [stiffness, of_stress]: [f64; 2]) -> [DMat3; 6] {
        let Lame { lambda_pa, mu_pa } = self.lame;
        let b = self.gradients_per_m;
        let (square, carried) = (*f * f.transpose(), b.map(|gradient| *f * gradient));
        pairs_of::<4, 6>(|i, j| {
            let material = mu_pa * (b[i].dot(b[j]) * square + outer(carried[j], carried[i]))
                + lambda_pa * outer(carried[i], carried[j]);
            let stressed = of_stress * b[i].dot(*stress * b[j]);
            self.volume_m3 * (stiffness * material + DMat3::from_diagonal(DVec3::splat(stressed)))
        })
    }
}

impl Element<4> for Tetrahedron {
    type Pairs = [DMat3; 6];
    /// Its deformation gradient.
    type Frozen = DMat3;
    const SYMMETRIC: bool = false;

    fn energy(&self, x: [DVec3; 4], _memory: &[f64]) -> f64 {
        self.volume_m3 * self.lame.density(&green(&self.gradient(&x)))
    }

    fn linearise(&self, local: &Local<'_, 4>) -> Linearised<[DMat3; 6], DMat3, 4> {
        let f = self.gradient(&local.x);
        let strain = green(&f);
        let rate = self.strain_rate(&f, &local.v);
        let elastic = self.lame.stress(&strain);
        let stress = elastic + self.damping_s * self.lame.stress(&rate);
        let on = |corner: usize| -self.volume_m3 * (f * (stress * self.gradients_per_m[corner]));
        let [b, c, d] = [on(1), on(2), on(3)];
        let weights = &local.weights;
        let of_stress = match self.jacobian {
            Jacobian::Exact => weights.stiffness_s2,
            Jacobian::DropOrthogonal | Jacobian::Projected => 0.0,
        };
        let stiffness = weights.stiffness_s2 + self.damping_s * weights.damping_s;
        Linearised {
            forces: [-(b + c + d), b, c, d],
            pairs: self.block(&f, &elastic, [stiffness, of_stress]),
            energy_j: self.volume_m3 * self.lame.density(&strain),
            dissipation_w: self.volume_m3 * self.damping_s * self.lame.density(&rate),
            frozen: f,
        }
    }

    fn energy_near(&self, _frozen: &DMat3, x: [DVec3; 4]) -> f64 {
        self.energy(x, &[])
    }

    fn dissipation(&self, f: &DMat3, v: [DVec3; 4]) -> f64 {
        self.volume_m3 * self.damping_s * self.lame.density(&self.strain_rate(f, &v))
    }

    fn has_dampers(&self) -> bool {
        self.damping_s > 0.0
    }

    fn is_definite(&self) -> bool {
        self.jacobian != Jacobian::Exact
    }
}

/// Green's strain of a deformation gradient.
fn green(f: &DMat3) -> DMat3 {
    0.5 * (f.transpose() * *f - DMat3::IDENTITY)
}

fn symmetric(m: DMat3) -> DMat3 {
    0.5 * (m + m.transpose())
}

fn trace(m: &DMat3) -> f64 {
    m.x_axis.x + m.y_axis.y + m.z_axis.z
}
