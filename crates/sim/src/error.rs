//! What can go wrong, typed.

use crate::solve::form::Unsupported;
use thiserror::Error;

/// Why a model could not be built. `key` is the path of the offending value in the vocabulary of
/// scene files, such as `cloth[0].material.bending_n_m`, so that the reader of a scene can point
/// at its line.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{key}: {message}")]
pub struct BuildError {
    /// Path of the value.
    pub key: String,
    /// What is wrong and what was expected.
    pub message: String,
}

impl BuildError {
    /// The same error, one level further down: `key` becomes `parent.key`.
    pub(crate) fn under(self, parent: &str) -> Self {
        Self {
            key: format!("{parent}.{}", self.key),
            message: self.message,
        }
    }
}

/// Why a step failed. The state is as it was before.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum StepError {
    /// The linear solver found no answer.
    #[error("the linear solver failed: {0}")]
    Solver(#[from] toile_numerics::pcg::Error),
    /// The candidate end of the step is not finite.
    #[error("particle {particle} is no longer at a finite place")]
    NotFinite {
        /// The first such particle.
        particle: u32,
    },
    /// The step is longer than an explicit or mixed scheme can take.
    #[error(
        "a step of {step_s:.3e} s is too long for `{scheme}`, which is stable up to \
         {limit_s:.3e} s here: shorten the steps, or take an implicit integrator"
    )]
    Unstable {
        /// Name of the scheme.
        scheme: &'static str,
        /// What was asked for.
        step_s: f64,
        /// The longest stable step.
        limit_s: f64,
    },
    /// Two features are pressed into each other by motion that is prescribed.
    #[error(
        "prescribed motion presses particles {vertices:?} into each other: nothing between them \
         can give way"
    )]
    Crushed {
        /// A vertex and a triangle, or two edges.
        vertices: [u32; 4],
    },
    /// A body or a collider comes to cloth so fast that the step sees too little of how they meet.
    #[error(
        "a body or a collider and cloth come together by {motion_m:.3e} m in one step: expected at most \
         {limit_m:.3e} m, the shortest edge of the cloth"
    )]
    TooFast {
        /// How far the two move to each other in the step.
        motion_m: f64,
        /// The most that is possible.
        limit_m: f64,
    },
    /// The step stretches cloth so much that it sees too little of what happens.
    #[error(
        "cloth is stretched by {growth:.3} of its length in one step: expected at most {limit:.3}"
    )]
    TooStretched {
        /// By how much, as a share of the length at rest.
        growth: f64,
        /// The most that is taken.
        limit: f64,
    },
    /// Contact gave energy to cloth.
    #[error(
        "contact gave cloth an energy of {gained_j:.3e} J in one step: expected no more than the step \
         takes out"
    )]
    Gained {
        /// How much, J.
        gained_j: f64,
    },
    /// Triangles pass through each other at the end of the step, against everything that was done
    /// to keep them apart.
    #[error(
        "triangles {} and {} of the cloth pass through each other at the end of a step{}",
        triangles[0],
        triangles[1],
        and_more(*pairs)
    )]
    Crossed {
        /// The first two that do.
        triangles: [u32; 2],
        /// How many pairs do.
        pairs: usize,
    },
    /// Triangles of cloth and of a body pass through each other at the end of the step, against
    /// everything that was done to keep them apart.
    #[error(
        "triangle {} of the cloth and triangle {} of a body pass through each other at the end of a \
         step{}",
        triangles[0],
        triangles[1],
        and_more(*pairs)
    )]
    CrossedBody {
        /// The first two that do; those of bodies are numbered one body after the other.
        triangles: [u32; 2],
        /// How many pairs do.
        pairs: usize,
    },
    /// A material with keyframes is not one at the end of the step.
    #[error("what a cloth is made of at {time_s} s cannot be simulated")]
    BadMaterial {
        /// When the step would end.
        time_s: f64,
    },
    /// The model has unknowns that the form of its linear systems has no place for.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// The step length is not a positive number.
    #[error("a step of {step_s} s is not possible: expected a positive number")]
    BadStep {
        /// What was asked for.
        step_s: f64,
    },
}

impl StepError {
    /// Whether something passed through something: a fault, and not to be hidden by luck with
    /// another step.
    pub fn is_fault(&self) -> bool {
        matches!(self, Self::Crossed { .. } | Self::CrossedBody { .. })
    }
}

/// The pairs beside the first, in words.
fn and_more(pairs: usize) -> String {
    match pairs {
        0 | 1 => String::new(),
        2 => ", and another pair does".to_owned(),
        _ => format!(", and {} more pairs do", pairs - 1),
    }
}
