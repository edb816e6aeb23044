//! The fastest motions of a cloth, for the longest step an explicit scheme may take.
//!
//! They are those of the solver's matrix, whose slack links are as stiff as taut ones: a link that
//! is slack now may be taut before the next estimate. Holds are left out; they only slow things
//! down.

use crate::forces::air::Air;
use crate::model::{Materials, Model};
use crate::solve::system::ClothSystem;
use toile_numerics::integrate::stability::largest_eigenvalue;
use toile_numerics::integrate::{ImplicitSystem, Rates, Weights};

/// Steps between two estimates. An estimate costs about as much as ten evaluations of the forces.
pub const STEPS_BETWEEN_ESTIMATES: u64 = 32;

impl ClothSystem<'_> {
    /// The fastest motions around a state.
    pub fn rates(&mut self, x: &[f64], v: &[f64]) -> Rates {
        let stiffness = Weights {
            stiffness_s2: 1.0,
            matrix_only_stiffness: 1.0,
            ..Weights::default()
        };
        let damping = Weights {
            damping_s: 1.0,
            ..Weights::default()
        };
        let damped = has_dampers(self.model, self.materials);
        Rates {
            frequency_per_s: self.largest(x, v, &stiffness).sqrt(),
            damping_per_s: if damped {
                self.largest(x, v, &damping)
            } else {
                0.0
            },
        }
    }

    /// The largest eigenvalue of `M⁻¹ (A − M)`.
    fn largest(&mut self, x: &[f64], v: &[f64], weights: &Weights) -> f64 {
        let mut force = vec![0.0; x.len()];
        self.linearise(x, v, v, weights, &mut force);
        let masses = &self.model.coordinate_masses;
        largest_eigenvalue(masses, |p, image| {
            image.copy_from_slice(&self.work.product(p));
            for ((image, mass), p) in image.iter_mut().zip(masses).zip(p) {
                *image -= mass * p;
            }
        })
    }
}

fn has_dampers(model: &Model, materials: &Materials) -> bool {
    let Air {
        damping_per_s,
        wind,
    } = &model.air;
    *damping_per_s > 0.0
        || wind.is_some()
        || materials.families().any(|family| family.has_dampers())
}
