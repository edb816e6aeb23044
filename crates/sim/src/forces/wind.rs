//! Wind: drag and lift of every face in moving air, with gusts.
//!
//! - Energy: non-conservative; see [`super::air`] for the potential of the frozen force.
//! - Force: a face of area A and normal n that meets the air with the relative velocity
//!   `u = w − v` feels `S u`, `S = ½ ρ A |u| (C_n nnᵀ + C_t (I − nnᵀ))`. At an angle of attack
//!   with cosine c and sine s that is a drag `½ ρ A u² (C_n c² + C_t s²)` along the air and a lift
//!   `½ ρ A u² (C_n − C_t) c s` across it: so the drag coefficient of a face that meets the air
//!   squarely is `C_d = C_n`, and the lift coefficient `C_l = C_n − C_t`. Each corner gets a share
//!   of S, acting with the corner's own velocity: its Voronoi share of the face at rest, which is
//!   also its share of the mass, so that even pressure moves a flat sheet evenly.
//! - Jacobian: with S frozen, `∂f/∂v = −share · S` at each corner: symmetric, and negative
//!   semidefinite because `C_l ≤ C_d` is asked for. The dependence of S and of the wind on
//!   position and velocity is left out.
//! - Units: ρ in kg/m³, velocities in m/s, coefficients without.
//! - Degenerate cases: a face without area has no normal and feels nothing.
//! - Source: the quadratic drag of a flat plate, split along and across it; gusts are a sum of
//!   waves of fixed random direction and phase.
//! - Verified by: `tests/wind.rs`.

use super::air::{Drag, Instant};
use crate::error::BuildError;
use crate::model::spec::WindSpec;
use glam::{DMat3, DVec2, DVec3};
use std::f64::consts::TAU;
use toile_numerics::par;

/// Density of air at sea level and 15 °C.
pub const AIR_DENSITY_KG_PER_M3: f64 = 1.225;

/// Velocity of the air at every place and time: a pure function, so that a run can be repeated
/// and resumed.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    base: DVec3,
    waves: Vec<Wave>,
}

/// One wave of the gusts: `amplitude · sin(k·x + ω t + φ)`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Wave {
    amplitude: DVec3,
    wave_vector_per_m: DVec3,
    angular_frequency_per_s: f64,
    phase: f64,
}

/// Enough for gusts that do not visibly repeat.
const WAVES: usize = 12;

impl Field {
    /// The field that `spec` describes.
    pub fn new(spec: &WindSpec) -> Self {
        let mut random = SplitMix(u64::from(spec.seed));
        // Every wave carries the same power; a sine's mean square is one half.
        let strength = spec.gust_m_per_s * (2.0 / WAVES as f64).sqrt();
        let mut wave = || Wave {
            amplitude: strength * random.direction(),
            wave_vector_per_m: random.between(0.5, 1.5) * TAU / spec.gust_size_m
                * random.direction(),
            angular_frequency_per_s: random.between(0.5, 1.5) * TAU / spec.gust_period_s,
            phase: random.between(0.0, TAU),
        };
        let waves = if spec.gust_m_per_s > 0.0 { WAVES } else { 0 };
        Self {
            base: spec.velocity_m_per_s,
            waves: (0..waves).map(|_| wave()).collect(),
        }
    }

    /// Velocity of the air, m/s.
    pub fn velocity(&self, position: DVec3, time_s: f64) -> DVec3 {
        self.waves.iter().fold(self.base, |sum, wave| {
            let phase = wave.wave_vector_per_m.dot(position)
                + wave.angular_frequency_per_s * time_s
                + wave.phase;
            sum + phase.sin() * wave.amplitude
        })
    }
}

/// Steele, Lea and Flood's generator: a few numbers from a seed, the same everywhere.
struct SplitMix(u64);

impl SplitMix {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        low + (high - low) * ((z >> 11) as f64 / (1_u64 << 53) as f64)
    }

    /// A unit vector, all directions equally likely.
    fn direction(&mut self) -> DVec3 {
        let height = self.between(-1.0, 1.0);
        let (sin, cos) = self.between(0.0, TAU).sin_cos();
        let around = (1.0 - height * height).sqrt();
        DVec3::new(around * cos, height, around * sin)
    }
}

/// Wind on the faces of a model.
#[derive(Clone, Debug)]
pub struct Wind {
    field: Field,
    normal_coefficient: f64,
    tangential_coefficient: f64,
    first_of_particle: Vec<u32>,
    of_particle: Vec<Corner>,
}

/// A face, as one of its corners sees it.
#[derive(Clone, Copy, Debug, Default)]
struct Corner {
    face: u32,
    share: f64,
}

/// How a face's area at rest is shared among its corners: by Voronoi cells, or in thirds where
/// an obtuse angle puts their common point outside.
fn shares([a, b, c]: [DVec2; 3]) -> [f64; 3] {
    let area = 0.5 * (b - a).perp_dot(c - a).abs();
    // The part of a corner's cell along the side from `p` to `q`, seen from the third corner `r`:
    // |pq|² cot(r) / 8.
    let side = |p: DVec2, q: DVec2, r: DVec2| {
        (q - p).length_squared() * (p - r).dot(q - r) / (16.0 * area * area)
    };
    let sides = [side(b, c, a), side(c, a, b), side(a, b, c)];
    if sides.iter().all(|part| *part >= -1e-9) {
        let [at_a, at_b, at_c] = sides;
        [at_b + at_c, at_c + at_a, at_a + at_b]
    } else {
        [1.0 / 3.0; 3]
    }
}

impl Wind {
    /// The wind that `spec` describes, on `faces` of so many particles with these rest shapes.
    pub fn new(spec: &WindSpec, particles: usize, faces: &[[u32; 3]], rest: &[[DVec2; 3]]) -> Self {
        let mut of_each = vec![Vec::new(); particles];
        for (face, corners) in faces.iter().enumerate() {
            let shares = shares(rest[face]);
            for (&corner, share) in corners.iter().zip(shares) {
                of_each[corner as usize].push(Corner {
                    face: face as u32,
                    share,
                });
            }
        }
        let mut first_of_particle = vec![0];
        let mut of_particle = Vec::with_capacity(3 * faces.len());
        for list in of_each {
            of_particle.extend(list);
            first_of_particle.push(of_particle.len() as u32);
        }
        Self {
            field: Field::new(spec),
            normal_coefficient: spec.drag,
            tangential_coefficient: spec.drag - spec.lift,
            first_of_particle,
            of_particle,
        }
    }

    /// Freezes every face at an instant.
    pub(super) fn freeze(&self, faces: &[[u32; 3]], now: &Instant<'_>, panels: &mut Vec<Drag>) {
        panels.resize(faces.len(), Drag::ZERO);
        par::fill(panels, |face| {
            let corners = faces[face].map(|i| i as usize);
            let [a, b, c] = corners.map(|i| now.positions[i]);
            let velocity = corners.iter().map(|&i| now.velocities[i]).sum::<DVec3>() / 3.0;
            let air = self.field.velocity((a + b + c) / 3.0, now.time_s);
            let resistance = self.resistance((b - a).cross(c - a), air - velocity);
            Drag {
                resistance,
                push: resistance * air,
            }
        });
    }

    /// S of a face whose normal has twice its area as length.
    fn resistance(&self, twice_area: DVec3, relative: DVec3) -> DMat3 {
        let Some(n) = twice_area.try_normalize() else {
            return DMat3::ZERO;
        };
        let area = 0.5 * twice_area.length();
        let pressure = 0.5 * AIR_DENSITY_KG_PER_M3 * area * relative.length();
        let along = pressure * self.tangential_coefficient;
        let across = pressure * self.normal_coefficient - along;
        // Column by column, so that the block is symmetric to the last bit.
        let scaled = across * n;
        let (xy, xz, yz) = (scaled.x * n.y, scaled.x * n.z, scaled.y * n.z);
        DMat3::from_cols(
            DVec3::new(along + scaled.x * n.x, xy, xz),
            DVec3::new(xy, along + scaled.y * n.y, yz),
            DVec3::new(xz, yz, along + scaled.z * n.z),
        )
    }

    /// Adds what the frozen faces around a particle do to it.
    pub(super) fn gather(&self, particle: usize, panels: &[Drag], drag: &mut Drag) {
        let range = self.first_of_particle[particle]..self.first_of_particle[particle + 1];
        for corner in &self.of_particle[range.start as usize..range.end as usize] {
            let panel = &panels[corner.face as usize];
            drag.resistance += corner.share * panel.resistance;
            drag.push += corner.share * panel.push;
        }
    }
}

impl WindSpec {
    /// Refuses values outside their range; keys are named as in scene files.
    pub(crate) fn validate(&self) -> Result<(), BuildError> {
        let refuse = |name: &str, expected: &str| {
            Err(BuildError {
                key: format!("wind.{name}"),
                message: format!("expected {expected}"),
            })
        };
        if !self.velocity_m_per_s.is_finite() {
            return refuse("velocity_m_per_s", "finite numbers");
        }
        for (name, value) in [("gust_m_per_s", self.gust_m_per_s), ("drag", self.drag)] {
            if !(value.is_finite() && value >= 0.0) {
                return refuse(name, "a number of at least 0");
            }
        }
        for (name, value) in [
            ("gust_size_m", self.gust_size_m),
            ("gust_period_s", self.gust_period_s),
        ] {
            if !(value.is_finite() && value > 0.0) {
                return refuse(name, "a positive number");
            }
        }
        if !(0.0..=self.drag).contains(&self.lift) {
            return refuse("lift", "0 to `drag`");
        }
        Ok(())
    }
}
