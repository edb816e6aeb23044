//! The form in which a model's linear systems are solved, and why.

use crate::config::{Preconditioner, StepConfig};
use crate::model::{Layout, Model, Structure};
use crate::solve::grid;
use std::fmt;
use thiserror::Error;

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

    /// Refuses unknowns that it has no place for: so far, every form refuses all but positions.
    pub fn takes(self, layout: &Layout) -> Result<(), Unsupported> {
        match layout.scalars {
            0 => Ok(()),
            scalars => Err(Unsupported {
                form: self,
                scalars,
            }),
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

/// A form that cannot solve for all that a model has.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
#[error(
    "the linear systems have the form `{}`, which knows positions alone, and not the {scalars} numbers that the \
     model has beside them",
    form.name()
)]
pub struct Unsupported {
    /// The form.
    pub form: Form,
    /// What it has no place for.
    pub scalars: usize,
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
    /// There are rods or solids.
    NoShells,
}

impl Fallback {
    /// Why it cannot be taken for `model`, if it cannot.
    pub fn of(model: &Model, config: &StepConfig) -> Option<Self> {
        let is_grid = |structure: Structure| matches!(structure, Structure::Links(_));
        let shells = || model.shells().map(|(_, shell)| shell.structure);
        let grids = shells().filter(|structure| is_grid(*structure)).count();
        if config.linear_tolerance < grid::TIGHTEST_TOLERANCE {
            Some(Self::Tolerance)
        } else if !model
            .materials
            .families()
            .all(|family| family.is_definite())
        {
            Some(Self::Indefinite)
        } else if !model.is_all_shells() {
            Some(Self::NoShells)
        } else if grids > 0 && grids < shells().count() {
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
            Self::NoShells => f.write_str("it is for cloths alone, and there are rods or solids"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_says_that_it_knows_positions_alone() {
        let layout = |scalars| Layout {
            particles: 3,
            scalars,
        };
        assert_eq!(Form::Direct.takes(&layout(0)), Ok(()));
        let refused = Form::Fast.takes(&layout(2)).unwrap_err();
        assert_eq!((refused.form, refused.scalars), (Form::Fast, 2));
        assert!(refused.to_string().contains("`fast`"), "{refused}");
    }
}
