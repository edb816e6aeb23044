//! The form in which a model's linear systems are solved, and why.

use crate::config::{Preconditioner, StepConfig};
use crate::model::{Model, Structure};
use crate::solve::grid;
use std::fmt;

/// The form of the linear systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The fast path: single precision, multilevel.
    Fast,
    /// Assembled in double precision, by conjugate gradients.
    Assembled,
    /// Assembled in double precision, by complete factors.
    Direct,
    /// The integrator has none.
    None,
}

impl Form {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Assembled => "assembled",
            Self::Direct => "direct",
            Self::None => "none",
        }
    }

    /// The form for `model`, and why it is not the fast one if that was asked for.
    pub fn of(model: &Model, config: &StepConfig) -> (Self, Option<Fallback>) {
        if !config.integrator.is_implicit() {
            return (Self::None, None);
        }
        match config.preconditioner {
            Preconditioner::Direct => (Self::Direct, None),
            Preconditioner::Multilevel => match Fallback::of(model, config) {
                None => (Self::Fast, None),
                why => (Self::Assembled, why),
            },
            _ => (Self::Assembled, None),
        }
    }
}

/// Why the fast path cannot be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fallback {
    /// More digits are asked for than single precision has.
    Tolerance,
    /// The matrix may be indefinite.
    Indefinite,
    /// Some cloths are grids of links and some are triangles.
    Mixture,
}

impl Fallback {
    /// Why it cannot be taken for `model`, if it cannot.
    pub fn of(model: &Model, config: &StepConfig) -> Option<Self> {
        let is_grid = |structure: &Structure| matches!(structure, Structure::Links(_));
        let grids = model
            .cloths
            .iter()
            .filter(|c| is_grid(&c.structure))
            .count();
        if config.linear_tolerance < grid::TIGHTEST_TOLERANCE {
            Some(Self::Tolerance)
        } else if !model
            .materials
            .families()
            .all(|family| family.is_definite())
        {
            Some(Self::Indefinite)
        } else if grids > 0 && grids < model.cloths.len() {
            Some(Self::Mixture)
        } else {
            None
        }
    }
}

impl fmt::Display for Fallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tolerance => write!(
                f,
                "the linear tolerance is below {:e}, the least that single precision reaches",
                grid::TIGHTEST_TOLERANCE
            ),
            Self::Indefinite => f.write_str("with an exact Jacobian the matrix may be indefinite"),
            Self::Mixture => f.write_str("some cloths are grids of links and some are triangles"),
        }
    }
}
