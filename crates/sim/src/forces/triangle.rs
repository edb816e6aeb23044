//! Triangles of a membrane: a law of the deformed pattern axes, per area.
//!
//! - Energy: `A ψ(w_u, w_v)`, where `w_u = Σ β^u_p x_p` and `w_v = Σ β^v_p x_p` are the images of
//!   the pattern's unit axes, and A is the area **in the pattern**.
//! - Force: `f_p = −A (β^u_p P_u + β^v_p P_v)`, `P_q = ∂ψ/∂w_q`. It is the gradient of the total
//!   energy, not of a third of it per corner.
//! - Jacobian: `−∂f_p/∂x_s = A Σ_qr β^q_p β^r_s H_qr`, `H = ∂²ψ/∂w²` as far as the law keeps it.
//! - Dampers: `½ A Σ_j c_j (a_j·ẇ_u + b_j·ẇ_v)²`, on the rates of what the law resists.
//! - Units: ψ in J/m², P in N/m.
//! - Degenerate cases: the pattern's area must be positive; a deformed triangle without area is
//!   nothing special.
//! - Source: Narain and others' notation of Baraff and Witkin's triangles; section 6.1 of the
//!   fourth source.
//! - Verified by: `tests/triangles.rs`.

use crate::elements::{Element, Linearised, Local, pairs_of};
use glam::{DMat3, DVec2, DVec3};
use toile_numerics::integrate::Weights;

/// The images of the pattern's unit axes.
pub type Axes = [DVec3; 2];

/// Where a law is linearised, and how.
#[derive(Clone, Copy, Debug)]
pub struct Strained {
    /// The deformed axes.
    pub w: Axes,
    /// Their velocities, 1/s.
    pub rates: Axes,
    /// Weights of the matrix.
    pub weights: Weights,
    /// Share of the stiffness that only the matrix has.
    pub padding: f64,
}

/// What a law says of some deformation, per area.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Response {
    /// Energy, J/m².
    pub energy: f64,
    /// Half the power its dampers dissipate, W/m².
    pub dissipation: f64,
    /// Gradient of the energy, and what the dampers add, N/m.
    pub stress: Axes,
    /// What the matrix keeps of `s ∂²ψ/∂w²` and of the dampers, by the axes uu, uv and vv, kg/m².
    pub hessian: [DMat3; 3],
}

impl Response {
    /// Of nothing.
    pub const ZERO: Self = Self {
        energy: 0.0,
        dissipation: 0.0,
        stress: [DVec3::ZERO; 2],
        hessian: [DMat3::ZERO; 3],
    };

    /// Adds a damper: on the rate `a·ẇ_u + b·ẇ_v`, whose gradient is given, with a viscosity.
    pub fn damp(&mut self, at: &Strained, [a, b]: Axes, viscosity_n_s_per_m: f64) {
        let force = viscosity_n_s_per_m * (a.dot(at.rates[0]) + b.dot(at.rates[1]));
        self.dissipation += 0.5 * force * force / viscosity_n_s_per_m;
        self.stress[0] += force * a;
        self.stress[1] += force * b;
        let weight = at.weights.damping_s * viscosity_n_s_per_m;
        self.hessian[0] += outer(weight * a, a);
        self.hessian[1] += outer(weight * a, b);
        self.hessian[2] += outer(weight * b, b);
    }
}

/// An energy per area as a function of the deformed axes, with dampers.
pub trait Membrane: Send + Sync {
    /// Whether the kept second derivative by both axes is symmetric, as those by one are.
    const SYMMETRIC: bool;
    /// The response.
    fn respond(&self, at: &Strained) -> Response;
    /// Energy alone, J/m².
    fn energy(&self, w: Axes) -> f64;
    /// Half the power its dampers dissipate, W/m², when they act as at the axes `w`.
    fn dissipation(&self, w: Axes, rates: Axes) -> f64;
    /// Whether there are dampers.
    fn has_dampers(&self) -> bool;
    /// Whether the kept second derivative is positive semidefinite.
    fn is_definite(&self) -> bool;
}

/// One triangle.
pub struct Triangle<M> {
    area_m2: f64,
    /// `(β^u, β^v)` of its corners, 1/m.
    shape: [DVec2; 3],
    law: M,
}

impl<M: Membrane> Triangle<M> {
    /// With these pattern coordinates, whose area must be positive.
    pub fn new(rest: [DVec2; 3], law: M) -> Self {
        let [a, b, c] = rest;
        let (e, f) = (b - a, c - a);
        let twice_area = e.perp_dot(f);
        // Rows of the inverse of the matrix whose columns are e and f.
        let at_b = DVec2::new(f.y, -f.x) / twice_area;
        let at_c = DVec2::new(-e.y, e.x) / twice_area;
        Self {
            area_m2: 0.5 * twice_area,
            shape: [-at_b - at_c, at_b, at_c],
            law,
        }
    }

    /// The pattern's axes as deformed.
    pub fn axes(&self, x: [DVec3; 3]) -> Axes {
        // Differences first: positions may be far from the origin.
        let (e, f) = (x[1] - x[0], x[2] - x[0]);
        let [_, b, c] = self.shape;
        [b.x * e + c.x * f, b.y * e + c.y * f]
    }

    fn at_corners(&self, axes: Axes) -> [DVec3; 3] {
        let share = |shape: DVec2| -self.area_m2 * (shape.x * axes[0] + shape.y * axes[1]);
        let [_, b, c] = self.shape.map(share);
        [-(b + c), b, c]
    }
}

impl<M: Membrane + 'static> Element<3> for Triangle<M> {
    type Pairs = [DMat3; 3];
    /// The deformed axes.
    type Frozen = Axes;
    const SYMMETRIC: bool = M::SYMMETRIC;

    fn energy(&self, x: [DVec3; 3], _memory: &[f64]) -> f64 {
        self.area_m2 * self.law.energy(self.axes(x))
    }

    #[inline]
    fn linearise(&self, local: &Local<'_, 3>) -> Linearised<[DMat3; 3], Axes, 3> {
        let w = self.axes(local.x);
        let response = self.law.respond(&Strained {
            w,
            rates: self.axes(local.v),
            weights: local.weights,
            padding: local.padding,
        });
        let [uu, uv, vv] = response.hessian;
        let vu = uv.transpose();
        let pairs = pairs_of::<3, 3>(|p, s| {
            let (p, s) = (self.area_m2 * self.shape[p], self.shape[s]);
            (p.x * s.x) * uu + (p.x * s.y) * uv + (p.y * s.x) * vu + (p.y * s.y) * vv
        });
        Linearised {
            forces: self.at_corners(response.stress),
            pairs,
            energy_j: self.area_m2 * response.energy,
            dissipation_w: self.area_m2 * response.dissipation,
            frozen: w,
        }
    }

    fn energy_near(&self, _frozen: &Axes, x: [DVec3; 3]) -> f64 {
        self.energy(x, &[])
    }

    fn dissipation(&self, w: &Axes, v: [DVec3; 3]) -> f64 {
        match self.law.has_dampers() {
            true => self.area_m2 * self.law.dissipation(*w, self.axes(v)),
            false => 0.0,
        }
    }

    fn has_dampers(&self) -> bool {
        self.law.has_dampers()
    }

    fn is_definite(&self) -> bool {
        self.law.is_definite()
    }
}

/// `a bᵀ`.
#[inline]
pub fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(b.x * a, b.y * a, b.z * a)
}
