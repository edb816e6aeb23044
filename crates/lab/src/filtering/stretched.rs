//! What one linear solve keeps of a motion of cloth that is stretched, with the exact matrix and
//! with the one that lacks its second term, `(T/r)(I − nnᵀ)`.
//!
//! The solve is linear in the velocities that it starts from. What it makes of a motion is
//! therefore the difference of two steps from the same places, with the motion and without:
//! `(M − Δt²K)⁻¹ M v`. All three motions here are eigenvectors of it:
//!
//! - a translation stretches nothing, whatever the matrix: all of it is kept;
//! - a rotation `ω × x` meets `K(ω × x) = ω × f`, and in a square of four particles, whose forces
//!   point to its middle, `ω × f = −c ω × x` with `c = (k + 2k_sh)(1 − 1/λ)`;
//! - a ripple up and down from particle to particle meets the sideways stiffness `T/r` of its axis
//!   links, `8k(1 − 1/λ)` a particle of mass `ρh²`.
//!
//! Without the second term the last two meet nothing: they go along no link.

use super::{Notebook, SIDE, SPACING_M, SPIN_RAD_PER_S, STEP_S, exact, material, ripple};
use crate::check::Band;
use crate::experiment::Error;
use crate::specimen;
use glam::DVec3;
use std::sync::Arc;
use toile_sim::{ClothModel, Integrator, Jacobian, Material, Model, Simulation, Solve, State};

/// What cloth hanging from a seam may have.
const STRAINS: [f64; 2] = [0.0, 1e-4];

/// Springs, whose matrix lacks the term altogether, and links that keep it where they are taut.
const MODELS: [(&str, ClothModel); 2] = [
    ("quad-hookean", ClothModel::QuadHookean),
    ("quad-buckling", ClothModel::QuadBuckling),
];
const MATRICES: [(&str, Jacobian); 2] = [
    ("exact", Jacobian::Exact),
    ("drop-orthogonal", Jacobian::DropOrthogonal),
];

/// A motion, and the stiffness over mass that it meets per `1 − 1/λ` with all terms, 1/s².
struct Trial {
    motion: &'static str,
    side: usize,
    velocity: fn(DVec3) -> DVec3,
    square_per_s2: f64,
}

fn trials(material: &Material) -> [Trial; 3] {
    let (k, shear) = (material.stretch_warp_n_per_m, material.shear_n_per_m);
    let mass = material.area_density_kg_per_m2 * SPACING_M * SPACING_M;
    [
        Trial {
            motion: "translation",
            side: SIDE,
            velocity: |_| DVec3::new(1.0, 2.0, -0.5),
            square_per_s2: 0.0,
        },
        Trial {
            motion: "rotation",
            side: 2,
            velocity: |x| (SPIN_RAD_PER_S * DVec3::Y).cross(x),
            square_per_s2: (k + 2.0 * shear) / (0.25 * mass),
        },
        Trial {
            motion: "out-of-plane ripple",
            side: SIDE,
            velocity: |x| ripple(x, 1.0),
            square_per_s2: 8.0 * k / mass,
        },
    ]
}

/// Measures every motion, model, matrix and strain.
pub fn measure(notes: &mut Notebook) -> Result<(), Error> {
    for (model_name, cloth_model) in MODELS {
        for (matrix, jacobian) in MATRICES {
            let material = Material {
                jacobian,
                bending_warp_n_m: 0.0,
                bending_weft_n_m: 0.0,
                ..material(None)
            };
            for trial in trials(&material) {
                let mut sheet = specimen::sheet(trial.side, trial.side, SPACING_M, material);
                sheet.model = cloth_model;
                let model = specimen::model(sheet, 0.0)?;
                let omitted = cloth_model == ClothModel::QuadHookean && jacobian != Jacobian::Exact;
                for strain in STRAINS {
                    let kept = kept(&model, strain, trial.velocity)?;
                    let met = if omitted { 0.0 } else { trial.square_per_s2 };
                    let square = met * (1.0 - 1.0 / (1.0 + strain)) * STEP_S * STEP_S;
                    let theory = (1.0 + square).powi(-2);
                    let motion = format!("{}, strain {strain:e}, {model_name}", trial.motion);
                    notes.row(
                        &motion,
                        ("no", "backward-euler"),
                        &format!("energy kept by one solve, {matrix}"),
                        kept,
                        Some(theory),
                    );
                    notes.check(
                        format!("{motion}, {matrix} matrix: energy kept by one solve over theory"),
                        kept / theory,
                        Band::Between(1.0 - 1e-6, 1.0 + 1e-6),
                    );
                }
            }
        }
    }
    Ok(())
}

/// Share of its energy that a motion of evenly stretched cloth has after one solve.
fn kept(model: &Arc<Model>, strain: f64, velocity: fn(DVec3) -> DVec3) -> Result<f64, Error> {
    let mut start = State::start(model);
    let motion: Vec<DVec3> = start.positions.iter().map(|x| velocity(*x)).collect();
    for x in &mut start.positions {
        *x *= 1.0 + strain;
    }
    let mut config = exact(Integrator::BackwardEuler);
    config.solve = Solve::Once;
    let end = |velocities: &[DVec3]| -> Result<Vec<DVec3>, Error> {
        let mut simulation = Simulation::new(model.clone(), config);
        let mut state = start.clone();
        state.velocities = velocities.to_vec();
        simulation.restore(state);
        simulation.step(STEP_S)?;
        Ok(simulation.state().velocities.clone())
    };
    let (with, without) = (end(&motion)?, end(&vec![DVec3::ZERO; motion.len()])?);
    let change = with.iter().zip(&without).map(|(a, b)| *a - *b);
    let energy = |velocities: &mut dyn Iterator<Item = DVec3>| -> f64 {
        let particles = model.masses.iter().zip(velocities);
        particles.map(|(m, v)| 0.5 * m * v.length_squared()).sum()
    };
    Ok(energy(&mut change.into_iter()) / energy(&mut motion.iter().copied()))
}
