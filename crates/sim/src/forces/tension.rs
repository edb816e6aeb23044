//! Stretch and shear of `triangle-buckling`: tension along warp, weft and both diagonals, and
//! nothing in compression, since a cloth buckles at once.
//!
//! - Energy: per area, `Σ_q ½ k_q (s_q − 1)²` over the directions with `s_q > 1`, where `s_q = |S_q|`,
//!   `S_q = q_u w_u + q_v w_v`, and q is u, v, (1, 1)/√2 and (−1, 1)/√2.
//! - Force: by the stress `∂ψ/∂w_r = Σ_q k_q (s_q − 1) q_r n`, `n = S_q/s_q`.
//! - Jacobian: `k_q q_r q_t (nnᵀ + (1 − 1/s_q)(I − nnᵀ))`: exact, and positive semidefinite because
//!   `s_q > 1` is asked of all four directions. The matrix alone keeps `σ k_q q_r q_t nnᵀ` of a slack
//!   direction.
//! - Small strains, all taut: `C₁₁ = k_u + k_d/2`, `C₁₂ = k_d/2`, `G = k_d/2`.
//! - Dampers: along each direction, slack or not.
//! - Units: k in N/m, viscosities in N·s/m.
//! - Degenerate cases: a direction shorter than 1e-9 of its rest length has none and is left out.
//! - Source: the fourth source, equations 2–4 with its footnote, whose rule holds for all of them.
//! - Verified by: `tests/triangles.rs`.

use super::triangle::{Axes, Membrane, Response, ResponseLanes, Strained, StrainedLanes};
use crate::assembly::lanes::{
    LANES, Lanes, Number, SingleLanes, VectorLanes, difference, dot, each_lane, rounded, scaled,
    single, sum,
};
use crate::forces::Jacobian;
use glam::{DMat3, DVec3};
use std::f64::consts::FRAC_1_SQRT_2;
use toile_numerics::integrate::Weights;

/// Warp, weft and the two diagonals, in pattern coordinates.
pub const DIRECTIONS: [[f64; 2]; 4] = [
    [1.0, 0.0],
    [0.0, 1.0],
    [FRAC_1_SQRT_2, FRAC_1_SQRT_2],
    [-FRAC_1_SQRT_2, FRAC_1_SQRT_2],
];

/// The tension-only law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tension {
    /// Stiffness along each direction, N/m.
    pub stiffness_n_per_m: [f64; 4],
    /// Viscosity along each direction, N·s/m.
    pub viscosity_n_s_per_m: [f64; 4],
    /// Share of a slack direction's stiffness kept in the matrix.
    pub slack_factor: f64,
    /// What the matrix keeps.
    pub jacobian: Jacobian,
}

/// An image no longer than this has no direction.
const SHORTEST: f64 = 1e-9;

/// Length and direction of an image, if it has any.
pub(super) fn split(image: DVec3) -> Option<(f64, DVec3)> {
    let length = image.length();
    (length > SHORTEST).then(|| (length, image / length))
}

/// A symmetric matrix `[xx, xy, xz, yy, yz, zz]`.
type Symmetric<R> = [R; 6];

fn full([xx, xy, xz, yy, yz, zz]: Symmetric<f64>) -> DMat3 {
    DMat3::from_cols_array(&[xx, xy, xz, xy, yy, yz, xz, yz, zz])
}

impl Tension {
    fn image(q: [f64; 2], w: Axes) -> DVec3 {
        q[0] * w[0] + q[1] * w[1]
    }

    /// Share of a slack direction's stiffness in the matrix.
    fn slack(&self, weights: &Weights) -> f64 {
        match self.jacobian {
            Jacobian::Exact => 0.0,
            Jacobian::DropOrthogonal | Jacobian::Projected => {
                weights.matrix_only_stiffness * self.slack_factor
            }
        }
    }
}

/// The law of one triangle, or of one a lane, where it is linearised.
struct Stretched<R> {
    stiffness: [R; 4],
    viscosity: [R; 4],
    slack: R,
    w: [[R; 3]; 2],
    rates: [[R; 3]; 2],
    weights: Weights,
}

/// One direction's share of the matrix, `isotropic I + axial nnᵀ`.
#[derive(Clone, Copy)]
struct Share<R> {
    isotropic: R,
    axial: R,
    n: [R; 3],
}

impl<R: Number> Share<R> {
    #[inline(always)]
    fn block(&self) -> Symmetric<R> {
        let (isotropic, n, m) = (self.isotropic, &self.n, scaled(self.axial, &self.n));
        [
            isotropic + m[0] * n[0],
            m[0] * n[1],
            m[0] * n[2],
            isotropic + m[1] * n[1],
            m[1] * n[2],
            isotropic + m[2] * n[2],
        ]
    }
}

impl Share<Lanes> {
    #[inline(always)]
    fn rounded(&self) -> Share<SingleLanes> {
        Share {
            isotropic: single(self.isotropic),
            axial: single(self.axial),
            n: rounded(&self.n),
        }
    }
}

/// One parameter of eight laws.
#[inline(always)]
fn each(laws: &[&Tension; LANES], number: impl Fn(&Tension) -> f64) -> Lanes {
    Lanes::from(each_lane(|lane| number(laws[lane])))
}

/// What the law says, but for the matrix.
struct Said<R> {
    energy: R,
    dissipation: R,
    stress: [[R; 3]; 2],
}

/// The images of all [`DIRECTIONS`].
#[inline(always)]
fn images<R: Number>([u, v]: &[[R; 3]; 2]) -> [[R; 3]; 4] {
    let half = R::of(FRAC_1_SQRT_2);
    let (a, b) = (scaled(half, u), scaled(half, v));
    [*u, *v, sum(&a, &b), difference(&b, &a)]
}

impl<R: Number> Stretched<R> {
    #[inline(always)]
    fn respond(&self) -> (Said<R>, [Share<R>; 4]) {
        let (zero, half) = (R::of(0.0), R::of(0.5));
        let (mut energy, mut dissipation) = (zero, zero);
        let mut pulls = [[zero; 3]; 4];
        let square = R::of(self.weights.stiffness_s2);
        let mut shares = [Share {
            isotropic: zero,
            axial: zero,
            n: [zero; 3],
        }; 4];
        let (images, rates) = (images(&self.w), images(&self.rates));
        for k in 0..4 {
            let (stiffness, viscosity) = (self.stiffness[k], self.viscosity[k]);
            let length = dot(&images[k], &images[k]).root();
            let inverse = length.above(SHORTEST, length.inverse(), zero);
            let n = scaled(inverse, &images[k]);
            let rate = dot(&n, &rates[k]);
            let strain = (length - R::of(1.0)).positive_part();
            let tension = stiffness * strain + viscosity * rate;
            energy = energy + half * stiffness * strain * strain;
            dissipation = dissipation + half * viscosity * rate * rate;
            pulls[k] = scaled(tension, &n);
            let isotropic = square * stiffness * strain * inverse;
            let along = length.above(1.0, R::of(1.0), self.slack);
            let axial =
                square * stiffness * along - isotropic + R::of(self.weights.damping_s) * viscosity;
            shares[k] = Share {
                isotropic,
                axial,
                n,
            };
        }
        let [u, v, one, other] = &pulls;
        let share = R::of(FRAC_1_SQRT_2);
        let stress = [
            sum(u, &scaled(share, &difference(one, other))),
            sum(v, &scaled(share, &sum(one, other))),
        ];
        let said = Said {
            energy,
            dissipation,
            stress,
        };
        (said, shares)
    }
}

/// The matrix by the axes uu, uv and vv.
#[inline(always)]
fn hessian<R: Number>(shares: &[Share<R>; 4]) -> [Symmetric<R>; 3] {
    let [u, v, one, other] = shares;
    let [u, v, one, other] = [u.block(), v.block(), one.block(), other.block()];
    // The diagonals have q_u² = q_v² = ½ and q_u q_v = ±½.
    let half = R::of(0.5);
    let mut blocks = [[R::of(0.0); 6]; 3];
    for i in 0..6 {
        let diagonals = half * (one[i] + other[i]);
        blocks[0][i] = u[i] + diagonals;
        blocks[1][i] = half * (one[i] - other[i]);
        blocks[2][i] = v[i] + diagonals;
    }
    blocks
}

impl Membrane for Tension {
    const SYMMETRIC: bool = true;

    #[inline]
    fn respond(&self, at: &Strained) -> Response {
        let (said, shares) = Stretched {
            stiffness: self.stiffness_n_per_m,
            viscosity: self.viscosity_n_s_per_m,
            slack: self.slack(&at.weights),
            w: at.w.map(|axis| axis.to_array()),
            rates: at.rates.map(|axis| axis.to_array()),
            weights: at.weights,
        }
        .respond();
        Response {
            energy: said.energy,
            dissipation: said.dissipation,
            stress: said.stress.map(DVec3::from),
            hessian: hessian(&shares).map(full),
        }
    }

    #[inline(always)]
    fn respond_lanes(laws: &[&Self; LANES], at: &StrainedLanes) -> ResponseLanes {
        let (said, shares) = Stretched {
            stiffness: [0, 1, 2, 3].map(|k| each(laws, |law| law.stiffness_n_per_m[k])),
            viscosity: [0, 1, 2, 3].map(|k| each(laws, |law| law.viscosity_n_s_per_m[k])),
            slack: each(laws, |law| law.slack(&at.weights)),
            w: at.w,
            rates: at.rates,
            weights: at.weights,
        }
        .respond();
        ResponseLanes {
            energy: said.energy,
            dissipation: said.dissipation,
            stress: said.stress,
            hessian: hessian(&[
                shares[0].rounded(),
                shares[1].rounded(),
                shares[2].rounded(),
                shares[3].rounded(),
            ]),
            skew: [SingleLanes::ZERO; 3],
        }
    }

    fn energy(&self, w: Axes) -> f64 {
        let directions = DIRECTIONS.into_iter().zip(self.stiffness_n_per_m);
        directions
            .map(|(q, k)| {
                let strain = (Self::image(q, w).length() - 1.0).max(0.0);
                0.5 * k * strain * strain
            })
            .sum()
    }

    #[inline(always)]
    fn energy_lanes(laws: &[&Self; LANES], w: &[VectorLanes; 2]) -> Lanes {
        let mut energy = Lanes::ZERO;
        for (k, image) in images(w).iter().enumerate() {
            let strain = (dot(image, image).root() - Lanes::ONE).positive_part();
            energy += each(laws, |law| law.stiffness_n_per_m[k]) * strain * strain * 0.5;
        }
        energy
    }

    #[inline(always)]
    fn dissipation_lanes(
        laws: &[&Self; LANES],
        w: &[VectorLanes; 2],
        rates: &[VectorLanes; 2],
    ) -> Lanes {
        let mut dissipation = Lanes::ZERO;
        for (k, (image, rate)) in images(w).iter().zip(images(rates)).enumerate() {
            let length = dot(image, image).root();
            let inverse = length.above(SHORTEST, length.inverse(), Lanes::ZERO);
            let rate = dot(image, &rate) * inverse;
            dissipation += each(laws, |law| law.viscosity_n_s_per_m[k]) * rate * rate * 0.5;
        }
        dissipation
    }

    fn dissipation(&self, w: Axes, rates: Axes) -> f64 {
        let directions = DIRECTIONS.into_iter().zip(self.viscosity_n_s_per_m);
        directions
            .map(|(q, viscosity)| {
                let rate =
                    split(Self::image(q, w)).map_or(0.0, |(_, n)| n.dot(Self::image(q, rates)));
                0.5 * viscosity * rate * rate
            })
            .sum()
    }

    fn has_dampers(&self) -> bool {
        self.viscosity_n_s_per_m.iter().any(|c| *c > 0.0)
    }

    fn is_definite(&self) -> bool {
        true
    }
}
