//! A cloth stretched in a frame: every link is taut and stays so, so the motion is smooth, and its
//! smallest vibrations have closed forms.
//!
//! The frame holds the whole border at `1 + strain` times the rest size. Without shear links, the
//! grid is a lattice of strings: a product of sines, `sin(πpi/n) sin(πqj/n)`, vibrates by itself
//! along each of the three axes, with `ω² m = k' (2 − 2 cos(πp/n)) + k'' (2 − 2 cos(πq/n))`, where
//! `k'` and `k''` are `k` along a link and `k (1 − L/r)` across it.

use crate::experiment::Error;
use crate::specimen;
use glam::DVec3;
use std::f64::consts::PI;
use std::sync::Arc;
use toile_sim::{
    ClothModel, Interpolation, Keyframe, Keyframes, Material, Model, Motion, PinRegion, PinSpec,
    State,
};

/// What is stretched, and how far.
#[derive(Clone, Copy, Debug)]
pub struct Taut {
    /// Cells along a side.
    pub cells: usize,
    /// Side of a cell at rest, m.
    pub spacing_m: f64,
    /// Extension of every link, as a share of its rest length.
    pub strain: f64,
    /// Its laws.
    pub laws: ClothModel,
    /// Its fabric.
    pub material: Material,
}

/// The frame has long been opened when a run starts.
const START_S: f64 = 1.0;

impl Taut {
    /// A fabric that stretches and shears but does not bend.
    pub fn limp(stretch_n_per_m: f64, shear_n_per_m: f64) -> Material {
        Material {
            stretch_warp_n_per_m: stretch_n_per_m,
            stretch_weft_n_per_m: stretch_n_per_m,
            shear_n_per_m,
            bending_warp_n_m: 0.0,
            bending_weft_n_m: 0.0,
            damping_n_s_per_m: 0.0,
            ..Material::default()
        }
    }

    /// The cloth in its frame, and its state at rest there.
    pub fn build(&self) -> Result<(Arc<Model>, State), Error> {
        let side = self.cells + 1;
        let mut cloth = specimen::sheet(side, side, self.spacing_m, self.material);
        cloth.model = self.laws;
        let motion = Motion::Keyframes(Keyframes {
            keys: vec![Keyframe {
                time_s: 0.5 * START_S,
                scale: DVec3::splat(1.0 + self.strain),
                ..Keyframe::START
            }],
            pivot: Some(DVec3::ZERO),
            interpolation: Interpolation::Linear,
        });
        let border = (0..cloth.particles()).filter(|i| self.is_held(*i));
        let border = PinRegion::Indices(border.map(|i| i as u32).collect());
        cloth.pins.push(PinSpec {
            motion: motion.clone(),
            ..PinSpec::fixed(border)
        });
        let model = specimen::model(cloth, 0.0)?;
        let pose = motion.pose(START_S, DVec3::ZERO);
        let mut state = State::start(&model);
        state.time_s = START_S;
        for x in &mut state.positions {
            *x = pose.place(*x);
        }
        Ok((model, state))
    }

    fn cell_of(&self, particle: usize) -> [usize; 2] {
        [particle % (self.cells + 1), particle / (self.cells + 1)]
    }

    /// Whether the frame holds a particle.
    pub fn is_held(&self, particle: usize) -> bool {
        let on_border = |k: usize| k == 0 || k == self.cells;
        self.cell_of(particle).into_iter().any(on_border)
    }

    /// The product of sines with `p` and `q` half waves along u and v, at every particle.
    pub fn mode(&self, p: u32, q: u32) -> Vec<f64> {
        let side = self.cells + 1;
        let wave =
            |count: u32, k: usize| (PI * f64::from(count * k as u32) / self.cells as f64).sin();
        let at = |i: usize| {
            let [column, row] = self.cell_of(i);
            if self.is_held(i) {
                0.0
            } else {
                wave(p, column) * wave(q, row)
            }
        };
        (0..side * side).map(at).collect()
    }

    /// Frequency, rad/s, of [`Taut::mode`] without shear links: within the plane along u, or out of
    /// it.
    pub fn frequency_per_s(&self, p: u32, q: u32, in_plane: bool) -> f64 {
        let k = self.material.stretch_warp_n_per_m;
        let across = k * self.strain / (1.0 + self.strain);
        let bend = |count: u32| 2.0 - 2.0 * (PI * f64::from(count) / self.cells as f64).cos();
        let along = if in_plane { k } else { across };
        let mass = self.material.area_density_kg_per_m2 * self.spacing_m * self.spacing_m;
        ((along * bend(p) + across * bend(q)) / mass).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::Probe;

    /// The closed form against the forces: `f = −m ω² x` for a small displacement, and none at all
    /// without.
    #[test]
    fn modes_are_eigenvectors_of_the_forces() {
        let taut = Taut {
            cells: 5,
            spacing_m: 0.02,
            strain: 0.03,
            laws: ClothModel::QuadBuckling,
            material: Taut::limp(200.0, 0.0),
        };
        let (model, state) = taut.build().unwrap();
        let (rest, v) = (&state.positions, &state.velocities);
        let free = |f: Vec<DVec3>| {
            (0..f.len())
                .filter(|i| !taut.is_held(*i))
                .map(|i| (i, f[i]))
                .collect::<Vec<_>>()
        };
        let mut probe = Probe::new(model.clone());
        assert!(
            free(probe.force(rest, v))
                .iter()
                .all(|(_, f)| f.length() < 1e-12)
        );
        for (direction, in_plane) in [(DVec3::X, true), (DVec3::Y, false)] {
            let mode = taut.mode(1, 2);
            let size_m = 1e-8;
            let x: Vec<DVec3> = rest
                .iter()
                .zip(&mode)
                .map(|(x, s)| *x + size_m * *s * direction)
                .collect();
            let omega = taut.frequency_per_s(1, 2, in_plane);
            for (i, force) in free(probe.force(&x, v)) {
                let expected = -model.masses[i] * omega * omega * size_m * mode[i] * direction;
                assert!(
                    (force - expected).length() < 1e-5 * 200.0 * size_m,
                    "{i}: {force} {expected}"
                );
            }
        }
    }
}
