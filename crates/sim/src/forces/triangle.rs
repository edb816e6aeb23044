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

use crate::assembly::elements::{Batch, Element, LaneTerms, Linearised, Local, pairs_of};
use crate::assembly::lanes::{
    LANES, Lanes, SingleLanes, VectorLanes, difference, each_lane, scaled, single, sum, vector,
    vectors,
};
use glam::{DMat3, DVec2, DVec3};
use std::sync::Arc;
use toile_numerics::integrate::Weights;
use toile_numerics::single_sum::{BlocksMut, half, skew};

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

/// Where the laws of eight triangles are linearised; see [`Strained`].
#[derive(Clone, Copy, Debug)]
pub struct StrainedLanes {
    /// The deformed axes.
    pub w: [VectorLanes; 2],
    /// Their velocities, 1/s.
    pub rates: [VectorLanes; 2],
    /// Weights of the matrix.
    pub weights: Weights,
}

/// What the laws of eight triangles say; see [`Response`].
#[derive(Clone, Copy, Debug)]
pub struct ResponseLanes {
    /// Energies, J/m².
    pub energy: Lanes,
    /// Half the power the dampers dissipate, W/m².
    pub dissipation: Lanes,
    /// Gradients of the energy, and what the dampers add, N/m.
    pub stress: [VectorLanes; 2],
    /// Symmetric parts `[xx, xy, xz, yy, yz, zz]` of what the matrix keeps, by the axes uu, uv and
    /// vv, kg/m².
    pub hessian: [[SingleLanes; 6]; 3],
    /// By which `xy, xz, yz` of the part uv exceed their symmetric parts.
    pub skew: [SingleLanes; 3],
}

impl ResponseLanes {
    /// Asks for one triangle after the other.
    fn one_by_one(at: &StrainedLanes, respond: impl Fn(usize, &Strained) -> Response) -> Self {
        let responses: [Response; LANES] = std::array::from_fn(|lane| {
            respond(
                lane,
                &Strained {
                    w: axes_of(&at.w, lane),
                    rates: axes_of(&at.rates, lane),
                    weights: at.weights,
                },
            )
        });
        let halves = [0, 1, 2].map(|k| responses.map(|r| half(&r.hessian[k])));
        let skews = responses.map(|r| SingleLanes::from(wide_of(skew(&r.hessian[1]).to_array())));
        Self {
            energy: responses.map(|r| r.energy).into(),
            dissipation: responses.map(|r| r.dissipation).into(),
            stress: [0, 1].map(|axis| vectors(|lane| responses[lane].stress[axis])),
            hessian: halves.map(|halves| first_of(SingleLanes::transpose(halves))),
            skew: first_of(SingleLanes::transpose(skews)),
        }
    }
}

/// The axes of one lane.
#[inline(always)]
fn axes_of(axes: &[VectorLanes; 2], lane: usize) -> Axes {
    [vector(&axes[0], lane), vector(&axes[1], lane)]
}

fn wide_of([a, b, c, d]: [f32; 4]) -> [f32; LANES] {
    [a, b, c, d, 0.0, 0.0, 0.0, 0.0]
}

/// The first few of eight.
#[inline(always)]
fn first_of<const K: usize>(all: [SingleLanes; LANES]) -> [SingleLanes; K] {
    std::array::from_fn(|k| all[k])
}

/// An energy per area as a function of the deformed axes, with dampers.
pub trait Membrane: Send + Sync {
    /// Whether the kept second derivative by both axes is symmetric, as those by one are.
    const SYMMETRIC: bool;
    /// The response.
    fn respond(&self, at: &Strained) -> Response;
    /// The responses of eight triangles, with the same bits but for the second derivatives.
    fn respond_lanes(laws: &[&Self; LANES], at: &StrainedLanes) -> ResponseLanes {
        ResponseLanes::one_by_one(at, |lane, at| laws[lane].respond(at))
    }
    /// Energy alone, J/m².
    fn energy(&self, w: Axes) -> f64;
    /// That of eight triangles.
    fn energy_lanes(laws: &[&Self; LANES], w: &[VectorLanes; 2]) -> Lanes {
        each_lane(|lane| laws[lane].energy(axes_of(w, lane))).into()
    }
    /// Half the power its dampers dissipate, W/m², when they act as at the axes `w`.
    fn dissipation(&self, w: Axes, rates: Axes) -> f64;
    /// That of eight triangles.
    fn dissipation_lanes(
        laws: &[&Self; LANES],
        w: &[VectorLanes; 2],
        rates: &[VectorLanes; 2],
    ) -> Lanes {
        each_lane(|lane| laws[lane].dissipation(axes_of(w, lane), axes_of(rates, lane))).into()
    }
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
    /// Triangles of one material share it.
    law: Arc<M>,
}

impl<M: Membrane> Triangle<M> {
    /// With these pattern coordinates, whose area must be positive.
    pub fn new(rest: [DVec2; 3], law: impl Into<Arc<M>>) -> Self {
        let [a, b, c] = rest;
        let (e, f) = (b - a, c - a);
        let twice_area = e.perp_dot(f);
        // Rows of the inverse of the matrix whose columns are e and f.
        let at_b = DVec2::new(f.y, -f.x) / twice_area;
        let at_c = DVec2::new(-e.y, e.x) / twice_area;
        Self {
            area_m2: 0.5 * twice_area,
            shape: [-at_b - at_c, at_b, at_c],
            law: law.into(),
        }
    }

    /// The pattern's axes as deformed.
    pub fn axes(&self, x: [DVec3; 3]) -> Axes {
        // Differences first: positions may be far from the origin.
        let (e, f) = (x[1] - x[0], x[2] - x[0]);
        let [_, b, c] = self.shape;
        [b.x * e + c.x * f, b.y * e + c.y * f]
    }

    /// `β^u` and `β^v` of the second and third corners.
    #[inline(always)]
    fn shapes(batch: &Batch<'_, Self, 3>) -> [[Lanes; 2]; 2]
    where
        M: 'static,
    {
        let number =
            |corner: usize, axis: usize| batch.gather(|triangle| triangle.shape[corner][axis]);
        [[number(1, 0), number(1, 1)], [number(2, 0), number(2, 1)]]
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

    fn linearise_lanes(
        batch: &Batch<'_, Self, 3>,
        blocks: BlocksMut<'_>,
        terms: &mut LaneTerms<Axes, 3>,
    ) {
        let shape = Self::shapes(batch);
        let area_m2 = batch.gather(|triangle| triangle.area_m2);
        let w = axes(&shape, |corner| batch.positions(corner));
        let response = M::respond_lanes(
            &each_lane(|lane| &*batch.elements[lane].law),
            &StrainedLanes {
                w,
                rates: axes(&shape, |corner| batch.velocities(corner)),
                weights: batch.at.weights,
            },
        );
        write_pairs::<M>(&response, area_m2, &shape, blocks);
        let [u, v] = &response.stress;
        let share = |[along_u, along_v]: [Lanes; 2]| {
            scaled(-area_m2, &sum(&scaled(along_u, u), &scaled(along_v, v)))
        };
        let (at_b, at_c) = (share(shape[0]), share(shape[1]));
        let [x, y, z] = sum(&at_b, &at_c);
        terms.set_forces(&[[-x, -y, -z], at_b, at_c]);
        terms.energy_j = batch.sum(area_m2 * response.energy);
        terms.dissipation_w = batch.sum(area_m2 * response.dissipation);
        for (lane, frozen) in terms.frozen.iter_mut().enumerate() {
            *frozen = axes_of(&w, lane);
        }
    }

    fn potential_lanes(batch: &Batch<'_, Self, 3>, frozen: &[Axes; LANES], velocity_s: f64) -> f64 {
        let shape = Self::shapes(batch);
        let area_m2 = batch.gather(|triangle| triangle.area_m2);
        let laws = each_lane(|lane| &*batch.elements[lane].law);
        let w = axes(&shape, |corner| batch.positions(corner));
        let mut potential = M::energy_lanes(&laws, &w);
        if laws.iter().any(|law| law.has_dampers()) {
            let frozen = [
                vectors(|lane| frozen[lane][0]),
                vectors(|lane| frozen[lane][1]),
            ];
            let rates = axes(&shape, |corner| batch.velocities(corner));
            potential += M::dissipation_lanes(&laws, &frozen, &rates) * velocity_s;
        }
        batch.sum(area_m2 * potential)
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

/// The pattern's axes as deformed, of eight triangles; see [`Triangle::axes`].
#[inline(always)]
fn axes([b, c]: &[[Lanes; 2]; 2], at: impl Fn(usize) -> VectorLanes) -> [VectorLanes; 2] {
    let first = at(0);
    let (e, f) = (difference(&at(1), &first), difference(&at(2), &first));
    [
        sum(&scaled(b[0], &e), &scaled(c[0], &f)),
        sum(&scaled(b[1], &e), &scaled(c[1], &f)),
    ]
}

/// Blocks between the corners 01, 02 and 12 of eight triangles.
#[inline(always)]
fn write_pairs<M: Membrane>(
    response: &ResponseLanes,
    area_m2: Lanes,
    [b, c]: &[[Lanes; 2]; 2],
    (halves, skews): BlocksMut<'_>,
) {
    let [uu, uv, vv] = &response.hessian;
    let area = single(area_m2);
    let (b, c) = ([single(b[0]), single(b[1])], [single(c[0]), single(c[1])]);
    let shape = [[-(b[0] + c[0]), -(b[1] + c[1])], b, c];
    for (pair, (p, s)) in [(0, 1), (0, 2), (1, 2)].into_iter().enumerate() {
        let ([p_u, p_v], [s_u, s_v]) = ([area * shape[p][0], area * shape[p][1]], shape[s]);
        let (both_u, both_v) = (p_u * s_u, p_v * s_v);
        let mixed = p_u * s_v + p_v * s_u;
        let mut rows = [SingleLanes::ZERO; LANES];
        for part in 0..6 {
            rows[part] = both_u * uu[part] + mixed * uv[part] + both_v * vv[part];
        }
        for (lane, block) in SingleLanes::transpose(rows).into_iter().enumerate() {
            halves[3 * lane + pair] = block;
        }
        if !M::SYMMETRIC {
            let turned = p_u * s_v - p_v * s_u;
            let [a, b, c] = response.skew.map(|skew| (turned * skew).to_array());
            for lane in 0..LANES {
                skews[3 * lane + pair] = [a[lane], b[lane], c[lane], 0.0].into();
            }
        }
    }
}

/// `a bᵀ`.
#[inline]
pub fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(b.x * a, b.y * a, b.z * a)
}
