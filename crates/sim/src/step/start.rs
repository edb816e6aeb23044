//! Where a step starts, and how long it is.

use crate::model::{Materials, Model};
use crate::state::State;
use std::sync::Arc;

/// A step about to be tried.
#[derive(Clone, Copy)]
pub struct StepStart<'a> {
    /// What is stepped.
    pub model: &'a Model,
    /// What it is made of at the end of the step.
    pub materials: &'a Arc<Materials>,
    /// Where it is.
    pub state: &'a State,
    /// Length of the step, s.
    pub step_s: f64,
    /// Whether forces come out of a solve, so that some of them may be stiff.
    pub is_solved: bool,
}

impl<'a> StepStart<'a> {
    /// A step of an implicit scheme, of a model made of what it starts with.
    pub fn new(model: &'a Model, state: &'a State, step_s: f64) -> Self {
        Self {
            model,
            materials: &model.materials,
            state,
            step_s,
            is_solved: true,
        }
    }

    /// Time at the end of the step, s.
    pub fn end_s(&self) -> f64 {
        self.state.time_s + self.step_s
    }
}
