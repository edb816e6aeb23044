//! `measured`: an orthotropic membrane whose stiffness depends on how far and in which direction it
//! is stretched, from a table of measurements. A pure law: strain in, stress out, no mesh.
//!
//! Strain is Green's in pattern axes, `e = (e_uu, e_vv, γ)` with `γ = 2 e_uv`; its larger principal
//! value is `e₁ = (λ² − 1)/2`, at the angle `φ` to warp. A row `(C₁₁, C₁₂, C₂₂, C₃₃)` of the table
//! multiplies the strain `FᵀF − I`, twice Green's, so in terms of `e` its matrix is
//! `D = [2C₁₁ 2C₁₂ 0; 2C₁₂ 2C₂₂ 0; 0 0 C₃₃]`: `C₃₃` is the shear modulus, and a thread's stiffness at
//! small strain is near `2C₁₁`.
//!
//! The published law is `σ = D(λ, φ) e`, from row 0 unstretched to rows 1 to 5 at a stretch of 7/6
//! along 0, 22.5, 45, 67.5 and 90° to warp, linear in the stretch between, constant beyond. It has no
//! potential, and jumps where both principal strains are equal. This is the nearest law that has one:
//!
//! - Energy per pattern area: the work of the published law along the ray to `e`,
//!   `W = ∫₀¹ σ(te)·e dt = ½ eᵀD₀e + g(ρ) eᵀQe`, `g(ρ) = ∫₀¹ t w(tρ) dt`, with the weight
//!   `w(ρ) = 6(√(1 + 2ρ) − 1)` between 0 and 1, and `Q = M − D₀ + a (D(φ) − M)`, `M` of the
//!   largest `C₁₁`, `C₁₂`, `C₂₂` and `C₃₃` of any direction. With the mean strain `m = (e₁ + e₂)/2`
//!   and the difference `d = (e₁ − e₂)/2`: unless `e₂ > e₁/3`, as in no tensile test, `ρ = e₁` and
//!   `a = 1`. There `y = 2d/m < 1` and `ρ = m (19 + 6y² − y⁴)/16`, `a = y³(10 − 15y + 6y²)`, so that
//!   directions fade out where there is none: towards the stiffest, or a strip in tension could save
//!   energy by becoming wider. Between neighbouring directions of the table the same polynomial of the
//!   angle blends.
//! - Force: second Piola–Kirchhoff stress `S = ∂W/∂e`, per length of pattern. In the
//!   directions of the table `S·e` is the published law's exactly; tensile curves along warp and weft
//!   differ by 3 % at the most in the ten fabrics published.
//! - Jacobian: `∂S/∂e`, exact, or with its negative eigenvalues put to zero. It jumps where the
//!   stretch leaves the measured range.
//! - Compression: where no principal strain is positive, the law is linear with `D₀`; it does not
//!   know of buckling.
//! - Units: strain is a number; table, stress and Jacobian in N/m, energy in J/m².
//! - Degenerate cases: a row that is no stiffness (a negative eigenvalue) loses a negative shear modulus
//!   and a negative coupling, as in the authors' simulator, and is replaced by the nearest that is a
//!   stiffness if it still is none; such rows are listed. The energy need not be convex: where the
//!   table is softer in a neighbouring direction, a strip may gain by shearing towards it. Finite for
//!   every strain whose fourth power is.
//! - Source: Wang, O'Brien and Ramamoorthi, *Data-Driven Elastic Models for Cloth*, 2011; the meaning
//!   of rows and of the strain as in the authors' public simulator; the potential is ours.
//! - Verified by: `tests/measured.rs`.

use glam::{DMat3, DVec3};
use std::f64::consts::FRAC_PI_4;

/// Rows of a table: unstretched, then stretched along five directions.
pub const ROWS: usize = 6;

/// Stretch up to which rows 1 to 5 were measured, less one.
pub const MEASURED_STRAIN: f64 = 1.0 / 6.0;

/// Stiffnesses as measured, each row `C₁₁, C₁₂, C₂₂, C₃₃` in N/m.
pub type Table = [[f64; 4]; ROWS];

/// A row of a table that was no stiffness, and what stands in for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Repair {
    /// Which row.
    pub row: usize,
    /// As measured, N/m.
    pub measured_n_per_m: [f64; 4],
    /// As used, N/m.
    pub used_n_per_m: [f64; 4],
}

/// What a membrane answers to a strain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MembraneResponse {
    /// Energy per pattern area, J/m².
    pub energy_j_per_m2: f64,
    /// Second Piola–Kirchhoff stress `S_uu, S_vv, S_uv`, N/m.
    pub stress_n_per_m: DVec3,
    /// Its derivative by `e_uu, e_vv, 2e_uv`, N/m; symmetric.
    pub tangent_n_per_m: DMat3,
}

/// A thread direction of a tensile test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pull {
    /// Along u.
    Warp,
    /// Along v.
    Weft,
}

/// A point of a tensile curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tension {
    /// Force per unstretched width, N/m.
    pub force_n_per_m: f64,
    /// Strain across the pull, as a change of length: negative where the strip becomes narrower.
    pub lateral_strain: f64,
}

/// The law of one fabric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// `D₀`.
    rest: DMat3,
    /// `M − D₀`.
    stiffest_change: DMat3,
    /// `D(φ) − M` at the five directions.
    directions: [DMat3; ROWS - 1],
}

impl Measured {
    /// The law of a table, and the rows that had to be repaired for it.
    pub fn new(table: &Table) -> (Self, Vec<Repair>) {
        let mut repairs = Vec::new();
        let mut rows = [DMat3::ZERO; ROWS];
        let mut stiffest = [0.0_f64; 4];
        for (row, measured) in table.iter().enumerate() {
            let used = nearest_stiffness(*measured);
            if used != *measured {
                repairs.push(Repair {
                    row,
                    measured_n_per_m: *measured,
                    used_n_per_m: used,
                });
            }
            rows[row] = matrix(used);
            if row > 0 {
                stiffest = std::array::from_fn(|k| used[k].max(stiffest[k]));
            }
        }
        let stiffest = matrix(stiffest);
        let [rest, directions @ ..] = rows;
        let law = Self {
            rest,
            stiffest_change: stiffest - rest,
            directions: directions.map(|at| at - stiffest),
        };
        (law, repairs)
    }

    /// Energy, stress and a positive semidefinite Jacobian at the Green strain `e_uu, e_vv, 2e_uv`.
    pub fn respond(&self, strain: DVec3) -> MembraneResponse {
        let exact = self.exact(strain);
        MembraneResponse {
            tangent_n_per_m: semidefinite(exact.tangent_n_per_m),
            ..exact
        }
    }

    /// The same with the exact Jacobian, which may be indefinite.
    pub fn exact(&self, strain: DVec3) -> MembraneResponse {
        let mut energy = Jet::quadratic(self.rest, strain).scaled(0.5);
        let mean = 0.5 * (strain.x + strain.y);
        let half = DVec3::new(0.5 * (strain.x - strain.y), 0.5 * strain.z.abs(), 0.0);
        let difference = half.length();
        let size = mean.abs() + difference;
        // So near to rest all but the linear part is below rounding.
        if mean + difference > 0.0 && size > 1e-20 {
            let magnitude;
            let mut change = Jet::quadratic(self.stiffest_change, strain);
            let mean = Jet::linear(mean, DVec3::new(0.5, 0.5, 0.0));
            let z = difference / mean.value;
            if mean.value > 0.0 && z < DIRECTED {
                let square = Jet::quadratic(DIFFERENCE_SQUARED, strain);
                let share = (mean * mean).scaled(DIRECTED * DIRECTED).map(inverse);
                let z_square = square * share;
                magnitude = mean * z_square.map(near_equal);
                if z > 1e-6 * DIRECTED {
                    let fade = z_square.map(square_root).map(blend);
                    change = change + fade * self.directional(strain, half);
                }
            } else {
                magnitude = mean + Jet::quadratic(DIFFERENCE_SQUARED, strain).map(square_root);
                change = change + self.directional(strain, half);
            }
            energy = energy + magnitude.map(ray_weight) * change;
        }
        MembraneResponse {
            energy_j_per_m2: energy.value,
            stress_n_per_m: energy.gradient,
            tangent_n_per_m: symmetric(energy.hessian),
        }
    }

    /// `eᵀ(D(φ) − M)e`; `half` is half the difference of the normal strains and the absolute value
    /// of the shear strain `e_uv`, which are `d cos 2φ` and `d sin 2φ`.
    fn directional(&self, strain: DVec3, half: DVec3) -> Jet {
        let segment = (half.y.atan2(half.x) / FRAC_PI_4).clamp(0.0, 4.0);
        let from = (segment as usize).min(3);
        // Second derivatives of the angle by (x, y), and those by strain.
        let square = half.length_squared();
        let [x, y] = [half.x, half.y];
        let by_x = DVec3::new(0.5, -0.5, 0.0);
        let by_y = DVec3::new(0.0, 0.0, 0.5_f64.copysign(strain.z));
        let [xx, xy] = [
            2.0 * (x / square) * (y / square),
            (y - x) * (y + x) / square / square,
        ];
        let angle = Jet {
            value: segment - from as f64,
            gradient: (x / square * by_y - y / square * by_x) / FRAC_PI_4,
            hessian: (xx * (outer(by_x, by_x) - outer(by_y, by_y))
                + xy * (outer(by_x, by_y) + outer(by_y, by_x)))
                * (1.0 / FRAC_PI_4),
        };
        let share = angle.map(blend);
        let start = Jet::quadratic(self.directions[from], strain);
        let step = self.directions[from + 1] - self.directions[from];
        start + share * Jet::quadratic(step, strain)
    }

    /// A strip pulled to `1 + strain` times its length along a thread, free across it: the lateral
    /// strain is the one without lateral stress.
    pub fn tension(&self, pull: Pull, strain: f64) -> Tension {
        let along = 0.5 * strain * (2.0 + strain);
        let stress = |across: f64| {
            let e = match pull {
                Pull::Warp => DVec3::new(along, across, 0.0),
                Pull::Weft => DVec3::new(across, along, 0.0),
            };
            let s = self.exact(e).stress_n_per_m;
            match pull {
                Pull::Warp => (s.x, s.y),
                Pull::Weft => (s.y, s.x),
            }
        };
        // From a strip of no width to one as much wider as it is longer.
        let (mut low, mut high) = (-0.5, along.abs());
        for _ in 0..80 {
            let middle = 0.5 * (low + high);
            if stress(middle).1 > 0.0 {
                high = middle;
            } else {
                low = middle;
            }
        }
        let across = 0.5 * (low + high);
        Tension {
            force_n_per_m: (1.0 + strain) * stress(across).0,
            lateral_strain: (1.0 + 2.0 * across).max(0.0).sqrt() - 1.0,
        }
    }
}

/// Difference of the principal strains over their mean from which on their direction counts in full:
/// where the smaller is a third of the larger.
const DIRECTED: f64 = 0.5;

/// `d² = (e_uu − e_vv)²/4 + e_uv²` as a quadratic form of `e_uu, e_vv, 2e_uv`.
const DIFFERENCE_SQUARED: DMat3 =
    DMat3::from_cols_array(&[0.25, -0.25, 0.0, -0.25, 0.25, 0.0, 0.0, 0.0, 0.25]);

/// The matrix of a row, by Green strain.
fn matrix([c11, c12, c22, c33]: [f64; 4]) -> DMat3 {
    DMat3::from_cols(
        DVec3::new(2.0 * c11, 2.0 * c12, 0.0),
        DVec3::new(2.0 * c12, 2.0 * c22, 0.0),
        DVec3::new(0.0, 0.0, c33),
    )
}

/// The row itself without a negative shear modulus if it is positive semidefinite; else without a
/// negative coupling; else the nearest that is.
fn nearest_stiffness([c11, c12, c22, c33]: [f64; 4]) -> [f64; 4] {
    let shear = c33.max(0.0);
    let (mean, half) = (0.5 * (c11 + c22), 0.5 * (c11 - c22));
    if mean >= half.hypot(c12) {
        return [c11, c12, c22, shear];
    }
    let c12 = c12.max(0.0);
    let radius = half.hypot(c12);
    if mean >= radius {
        return [c11, c12, c22, shear];
    }
    // Only the larger eigenvalue remains: half of it times (1 + cos, sin, 1 − cos) of its direction.
    let large = 0.5 * (mean + radius).max(0.0);
    let [cosine, sine] = [half / radius, c12 / radius];
    [
        large * (1.0 + cosine),
        large * sine,
        large * (1.0 - cosine),
        shear,
    ]
}

/// `g(ρ) = ∫₀¹ t w(tρ) dt` with its first two derivatives, for `ρ > 0`. With `u = √(1 + 2ρ) − 1`,
/// `∫₀^ρ y w(y) dy = 2u³ + 9u⁴/4 + 3u⁵/5`.
fn ray_weight(rho: f64) -> [f64; 3] {
    const LIMIT: f64 = 0.5 * MEASURED_STRAIN * (2.0 + MEASURED_STRAIN);
    let sum = |u: f64| u * u * u * (2.0 + u * (2.25 + 0.6 * u));
    if rho >= LIMIT {
        let missing = sum(MEASURED_STRAIN) - 0.5 * LIMIT * LIMIT;
        let term = missing / (rho * rho);
        return [0.5 + term, -2.0 * term / rho, 6.0 * term / (rho * rho)];
    }
    let root = (1.0 + 2.0 * rho).sqrt();
    let u = 2.0 * rho / (1.0 + root);
    // g = u p/q², by u, then by ρ: du/dρ = 1/(1 + u).
    let [p, p1, p2] = [2.0 + u * (2.25 + 0.6 * u), 2.25 + 1.2 * u, 1.2];
    let q = 1.0 + 0.5 * u;
    let [n, n1, n2] = [u * p, p + u * p1, 2.0 * p1 + u * p2];
    let by_u = n1 / (q * q) - n / (q * q * q);
    let by_uu = n2 / (q * q) - 2.0 * n1 / (q * q * q) + 1.5 * n / (q * q * q * q);
    [
        n / (q * q),
        by_u / root,
        by_uu / (root * root) - by_u / (root * root * root),
    ]
}

/// `ρ/m` as a function of `s = z²` where both principal strains are alike: even in `z`, and `1 + z`
/// with its two derivatives where directions count in full.
fn near_equal(s: f64) -> [f64; 3] {
    [
        1.0 + DIRECTED * (0.375 + s * (0.75 - 0.125 * s)),
        DIRECTED * (0.75 - 0.25 * s),
        -0.25 * DIRECTED,
    ]
}

/// The polynomial from 0 to 1 without slope or curvature at either end.
fn blend(t: f64) -> [f64; 3] {
    let rest = 1.0 - t;
    [
        t * t * t * (10.0 + t * (6.0 * t - 15.0)),
        30.0 * t * t * rest * rest,
        60.0 * t * rest * (1.0 - 2.0 * t),
    ]
}

fn square_root(x: f64) -> [f64; 3] {
    let root = x.sqrt();
    [root, 0.5 / root, -0.25 / (root * x)]
}

fn inverse(x: f64) -> [f64; 3] {
    [1.0 / x, -1.0 / (x * x), 2.0 / (x * x * x)]
}

fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// A number that depends on the strain, with its first and second derivatives.
#[derive(Clone, Copy)]
struct Jet {
    value: f64,
    gradient: DVec3,
    hessian: DMat3,
}

impl Jet {
    fn linear(value: f64, gradient: DVec3) -> Self {
        Self {
            value,
            gradient,
            hessian: DMat3::ZERO,
        }
    }

    /// `eᵀ A e` for a symmetric `A`.
    fn quadratic(a: DMat3, strain: DVec3) -> Self {
        let half = a * strain;
        Self {
            value: strain.dot(half),
            gradient: 2.0 * half,
            hessian: 2.0 * a,
        }
    }

    fn scaled(self, factor: f64) -> Self {
        Self {
            value: factor * self.value,
            gradient: factor * self.gradient,
            hessian: factor * self.hessian,
        }
    }

    /// A function of this number, given as value and two derivatives.
    fn map(self, function: impl Fn(f64) -> [f64; 3]) -> Self {
        let [value, first, second] = function(self.value);
        Self {
            value,
            gradient: first * self.gradient,
            hessian: first * self.hessian + second * outer(self.gradient, self.gradient),
        }
    }
}

impl std::ops::Add for Jet {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            value: self.value + other.value,
            gradient: self.gradient + other.gradient,
            hessian: self.hessian + other.hessian,
        }
    }
}

impl std::ops::Mul for Jet {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let cross = outer(self.gradient, other.gradient);
        Self {
            value: self.value * other.value,
            gradient: self.value * other.gradient + other.value * self.gradient,
            hessian: self.value * other.hessian
                + other.value * self.hessian
                + cross
                + cross.transpose(),
        }
    }
}

/// The matrix with its negative eigenvalues put to zero.
fn semidefinite(matrix: DMat3) -> DMat3 {
    let (values, vectors) = eigen(matrix);
    if values.min_element() >= 0.0 {
        return matrix;
    }
    let kept = values.max(DVec3::ZERO);
    let parts = (0..3).map(|k| outer(kept[k] * vectors.col(k), vectors.col(k)));
    symmetric(parts.sum())
}

/// Symmetric to the last bit: products in another order round otherwise.
fn symmetric(matrix: DMat3) -> DMat3 {
    (matrix + matrix.transpose()) * 0.5
}

/// Eigenvalues and eigenvectors of a symmetric matrix, by Jacobi's rotations.
fn eigen(mut a: DMat3) -> (DVec3, DMat3) {
    let mut vectors = DMat3::IDENTITY;
    for _ in 0..12 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let off = a.col(q)[p];
            if off == 0.0 {
                continue;
            }
            let angle = 0.5 * (2.0 * off).atan2(a.col(q)[q] - a.col(p)[p]);
            let (sine, cosine) = angle.sin_cos();
            let mut turn = DMat3::IDENTITY;
            turn.col_mut(p)[p] = cosine;
            turn.col_mut(p)[q] = -sine;
            turn.col_mut(q)[p] = sine;
            turn.col_mut(q)[q] = cosine;
            a = turn.transpose() * a * turn;
            vectors *= turn;
        }
    }
    (DVec3::new(a.x_axis.x, a.y_axis.y, a.z_axis.z), vectors)
}
