//! Hinges: two triangles resist a change of the angle between them, from any angle at rest.
//!
//! Corners 1 and 2 are opposite to the edge from 3 to 4; `E = x4 − x3`,
//! `N1 = (x1 − x3)×(x1 − x4)`, `N2 = (x2 − x4)×(x2 − x3)`; θ is the angle from N1 to N2 about E, and
//! `g = ∇θ`.
//!
//! - Energy: in the `sine` form `k [2cos(θ0/2) − 2cos(θ/2) − (θ − θ0) sin(θ0/2)]`, with
//!   `k = 4B |E|²/(2(A1 + A2))` **of the rest shape**: on the deformed one there would be no energy.
//!   `quadratic` form, that of discrete shells: `½ B |E|²/(A1 + A2) (θ − θ0)²`. Both are the same
//!   for small angles.
//! - Force: `−k (sin(θ/2) − sin(θ0/2)) g`, or `−(k/2)(θ − θ0) g`.
//! - Jacobian: `½ k cos(θ/2) g gᵀ`, or `(k/2) g gᵀ`: rank one, and never negative. `exact` adds the
//!   moment times ∇²θ, which is indefinite.
//! - Damper: `−c (g·v) g`, `c = k^d |E|²/(2(A1 + A2))`: a viscosity that does not depend on the mesh.
//! - Units: B in N·m, k^d in N·m·s.
//! - Degenerate cases: a triangle without area (|N| < 1e-12 |E|²) has no angle; the hinge is then
//!   left out. Angles are followed through full folds: the hinge remembers the angle of the last
//!   step and takes the nearest branch.
//! - Source: *Simulation of Clothing with Folds and Wrinkles*, section 4, with the sign of its
//!   gradient put right (u there is −∇θ) and its coefficient frozen at rest.
//! - Verified by: `tests/hinges.rs`.

use super::triangle::outer;
use crate::assembly::elements::{Element, Linearised, Local, pairs_of, rank_one};
use crate::assembly::links::Jacobian;
use glam::{DMat3, DVec3};
use std::f64::consts::TAU;

/// How the moment grows with the angle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// With the sine of half the angle: softer as the fold closes.
    #[default]
    Sine,
    /// With the angle: discrete shells.
    Quadratic,
}

/// One hinge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hinge {
    /// `k = 4B |E|²/(2(A1 + A2))`, N·m.
    pub stiffness_n_m: f64,
    /// `c`, N·m·s.
    pub damping_n_m_s: f64,
    /// θ0, rad.
    pub rest_angle_rad: f64,
    /// How the moment grows.
    pub form: Form,
    /// What the matrix keeps.
    pub jacobian: Jacobian,
}

/// The angle at some place, and its gradient.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Angle {
    /// θ in (−π, π], rad.
    pub theta: f64,
    /// ∇θ by the four corners, 1/m.
    pub gradient: [DVec3; 4],
    shape: Shape,
}

/// What the derivatives of the angle are made of.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Shape {
    length: f64,
    along: DVec3,
    /// `N/|N|²` of both triangles.
    inverse: [DVec3; 2],
    square: [f64; 2],
    /// Coordinates along the edge, from its end and from its start, of corners 1 and 2.
    from_end: [f64; 2],
    from_start: [f64; 2],
}

impl Angle {
    /// Of the hinge with corners at `x`, if both triangles have an area.
    pub fn of(x: [DVec3; 4]) -> Option<Self> {
        let edge = x[3] - x[2];
        let normals = [
            (x[0] - x[2]).cross(x[0] - x[3]),
            (x[1] - x[3]).cross(x[1] - x[2]),
        ];
        let length = edge.length();
        let square = normals.map(|n| n.length_squared());
        let least = (1e-12 * length * length).powi(2);
        if length == 0.0 || !square.iter().all(|s| *s > least) {
            return None;
        }
        let along = edge / length;
        let sine = normals[0].cross(normals[1]).dot(along);
        let theta = sine.atan2(normals[0].dot(normals[1]));
        let inverse = [normals[0] / square[0], normals[1] / square[1]];
        let from_end = [0, 1].map(|k| (x[k] - x[3]).dot(along));
        let from_start = [0, 1].map(|k| (x[k] - x[2]).dot(along));
        let gradient = [
            -length * inverse[0],
            -length * inverse[1],
            -from_end[0] * inverse[0] - from_end[1] * inverse[1],
            from_start[0] * inverse[0] + from_start[1] * inverse[1],
        ];
        Some(Self {
            theta,
            gradient,
            shape: Shape {
                length,
                along,
                inverse,
                square,
                from_end,
                from_start,
            },
        })
    }

    /// θ on the branch nearest to `before`.
    pub fn near(&self, before: f64) -> f64 {
        self.theta + TAU * ((before - self.theta) / TAU).round()
    }

    /// Block `∂²θ/∂x_a∂x_b`, 1/m².
    pub fn hessian(&self, x: &[DVec3; 4], a: usize, b: usize) -> DMat3 {
        let s = &self.shape;
        let across = DMat3::IDENTITY - outer(s.along, s.along);
        // Derivatives by corner b: of the edge's length, ...
        let d_length = [DVec3::ZERO, DVec3::ZERO, -s.along, s.along][b];
        // ... of N/|N|² of triangle t, ...
        let d_inverse = |t: usize| {
            let n = s.inverse[t];
            let mirrored =
                (DMat3::IDENTITY - (2.0 * s.square[t]) * outer(n, n)) * (1.0 / s.square[t]);
            mirrored * self.normal_derivative(x, t, b)
        };
        // ... and of a corner's coordinate along the edge, measured from the edge's vertex `from`.
        let d_along = |t: usize, from: usize| {
            let turn = across * (x[t] - x[from]) / s.length;
            let mut d = DVec3::ZERO;
            if b == t {
                d += s.along;
            }
            if b == from {
                d -= s.along;
            }
            match b {
                2 => d - turn,
                3 => d + turn,
                _ => d,
            }
        };
        match a {
            0 | 1 => -(outer(s.inverse[a], d_length) + s.length * d_inverse(a)),
            2 => {
                let part =
                    |t: usize| outer(s.inverse[t], d_along(t, 3)) + s.from_end[t] * d_inverse(t);
                -(part(0) + part(1))
            }
            _ => {
                let part =
                    |t: usize| outer(s.inverse[t], d_along(t, 2)) + s.from_start[t] * d_inverse(t);
                part(0) + part(1)
            }
        }
    }

    /// `∂N_t/∂x_b`.
    fn normal_derivative(&self, x: &[DVec3; 4], t: usize, b: usize) -> DMat3 {
        // N1 = (x1 − x3)×(x1 − x4); N2 has 3 and 4 exchanged.
        let (first, second) = if t == 0 { (2, 3) } else { (3, 2) };
        if b == t {
            cross_matrix(x[second] - x[first])
        } else if b == first {
            cross_matrix(x[t] - x[second])
        } else if b == second {
            cross_matrix(x[first] - x[t])
        } else {
            DMat3::ZERO
        }
    }
}

/// The matrix of `v ↦ a×v`.
fn cross_matrix(a: DVec3) -> DMat3 {
    DMat3::from_cols(
        DVec3::new(0.0, a.z, -a.y),
        DVec3::new(-a.z, 0.0, a.x),
        DVec3::new(a.y, -a.x, 0.0),
    )
}

impl Hinge {
    /// Energy, J, moment `dE/dθ`, N·m, and its slope, at an angle.
    pub fn respond(&self, theta: f64) -> (f64, f64, f64) {
        let (k, rest) = (self.stiffness_n_m, self.rest_angle_rad);
        let from_rest = theta - rest;
        match self.form {
            Form::Sine => {
                let (sine, cosine) = (0.5 * theta).sin_cos();
                let (rest_sine, _) = (0.5 * rest).sin_cos();
                // cos a − cos b as a product keeps the digits near rest.
                let difference = 4.0 * (0.25 * (theta + rest)).sin() * (0.25 * from_rest).sin();
                let energy = k * (difference - from_rest * rest_sine);
                (energy, k * (sine - rest_sine), 0.5 * k * cosine)
            }
            Form::Quadratic => (
                0.25 * k * from_rest * from_rest,
                0.5 * k * from_rest,
                0.5 * k,
            ),
        }
    }

    fn branch(&self, angle: &Angle, memory: &[f64]) -> f64 {
        angle.near(memory.first().copied().unwrap_or(self.rest_angle_rad))
    }
}

/// Where a hinge was linearised.
#[derive(Clone, Copy, Debug, Default)]
pub struct Frozen {
    theta: f64,
    gradient: [DVec3; 4],
}

impl Element<4> for Hinge {
    type Pairs = [DMat3; 6];
    type Frozen = Frozen;
    const MEMORY: usize = 1;
    const SYMMETRIC: bool = false;

    fn energy(&self, x: [DVec3; 4], memory: &[f64]) -> f64 {
        Angle::of(x).map_or(0.0, |angle| self.respond(self.branch(&angle, memory)).0)
    }

    fn linearise(&self, local: &Local<'_, 4>) -> Linearised<[DMat3; 6], Frozen, 4> {
        let Some(angle) = Angle::of(local.x) else {
            return Linearised::default();
        };
        let theta = self.branch(&angle, local.memory);
        let (energy_j, moment, slope) = self.respond(theta);
        let g = angle.gradient;
        let rate: f64 = g.iter().zip(local.v).map(|(g, v)| g.dot(v)).sum();
        let strength = moment + self.damping_n_m_s * rate;
        let weights = &local.weights;
        let exact = self.jacobian == Jacobian::Exact;
        let slope = if exact { slope } else { slope.max(0.0) };
        let along = weights.stiffness_s2 * slope + weights.damping_s * self.damping_n_m_s;
        Linearised {
            forces: g.map(|g| -strength * g),
            pairs: pairs_of::<4, 6>(|a, b| {
                let mut block = rank_one(along, &g, a, b);
                if exact {
                    block += weights.stiffness_s2 * moment * angle.hessian(&local.x, a, b);
                }
                block
            }),
            energy_j,
            dissipation_w: 0.5 * self.damping_n_m_s * rate * rate,
            frozen: Frozen { theta, gradient: g },
        }
    }

    fn energy_near(&self, frozen: &Frozen, x: [DVec3; 4]) -> f64 {
        Angle::of(x).map_or(0.0, |angle| self.respond(angle.near(frozen.theta)).0)
    }

    fn dissipation(&self, frozen: &Frozen, v: [DVec3; 4]) -> f64 {
        let rate: f64 = frozen.gradient.iter().zip(v).map(|(g, v)| g.dot(v)).sum();
        0.5 * self.damping_n_m_s * rate * rate
    }

    fn has_dampers(&self) -> bool {
        self.damping_n_m_s > 0.0
    }

    fn is_definite(&self) -> bool {
        self.jacobian != Jacobian::Exact
    }

    fn forget(&self, memory: &mut [f64]) {
        memory[0] = self.rest_angle_rad;
    }

    fn remember(&self, x: [DVec3; 4], memory: &mut [f64]) {
        if let Some(angle) = Angle::of(x) {
            memory[0] = self.branch(&angle, memory);
        }
    }
}
