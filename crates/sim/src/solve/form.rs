//! The forms of a model's linear systems: what each of them does, and which one is chosen.

use crate::config::{Preconditioner, StepConfig};
use crate::constraints::StepConstraints;
use crate::forces::{At, Terms};
use crate::model::{Layout, Materials, Model};
use crate::solve::assembled::AssembledForm;
use crate::solve::grid::GridForm;
use crate::solve::mesh::MeshForm;
use crate::solve::single::TIGHTEST_TOLERANCE;
use glam::{DMat3, DVec3};
use std::fmt;
use thiserror::Error;
use toile_numerics::single_sum::BlocksMut;
use toile_numerics::{Coupling, pcg};

/// A form of the linear systems `A p = b` with `A = M − αD − sK`: how the matrix is kept, multiplied and
/// inverted.
pub trait LinearForm: Send + Sync {
    /// Whether it can take the systems of `model`, as exactly as `config` asks for, and if not why.
    fn supports(model: &Model, config: &StepConfig) -> Result<(), Fallback>
    where
        Self: Sized;

    /// Memory for a model that it supports.
    fn new(model: &Model, config: &StepConfig) -> Self
    where
        Self: Sized;

    /// What reports call it.
    fn kind(config: &StepConfig) -> Form
    where
        Self: Sized;

    /// Whether the correction is found in single precision.
    fn is_single(&self) -> bool;

    /// A form with a way of its own linearises all elements here: it takes over their share of the matrix,
    /// adds their forces, and returns their potential, J. For others each family does that for itself, and
    /// leaves its blocks in the room that [`Self::blocks_of`] has for them, or else in its terms.
    fn linearise(
        &mut self,
        _materials: &Materials,
        _at: &At<'_>,
        _forces: &mut [DVec3],
    ) -> Option<f64> {
        None
    }

    /// Room for the blocks of a family's elements in single precision.
    fn blocks_of(&mut self, _family: usize) -> Option<BlocksMut<'_>> {
        None
    }

    /// The potential elsewhere, J, of elements that were linearised here, with the dampers' directions as
    /// linearised.
    fn potential(
        &mut self,
        _materials: &Materials,
        _x: &[DVec3],
        _v: &[DVec3],
        _velocity_s: f64,
    ) -> Option<f64> {
        None
    }

    /// Makes the matrix of its parts, and prepares to solve.
    fn refresh(&mut self, parts: &Parts<'_>);

    /// Solves `A p = b`; see [`pcg::solve`]. A rough solve, which another one corrects, may guess more freely
    /// how far cloth falls.
    fn solve(
        &mut self,
        parts: &Parts<'_>,
        b: &[f64],
        p: &mut [f64],
        params: &pcg::Params,
        is_rough: bool,
    ) -> Result<pcg::Info, pcg::Error>;

    /// One block row of `A p` in double precision, without what couplings add.
    fn row_product(&self, parts: &Parts<'_>, row: usize, p: &[DVec3]) -> DVec3;

    /// `image = A p` as the solver multiplies, with the couplings as given, or, in a form that has its own of them, as
    /// last refreshed.
    fn product(&mut self, couplings: &[Coupling<f64>], p: &[f64], image: &mut [f64]);

    /// From now on, solves keep their residuals, or not.
    fn record(&mut self, record: bool);

    /// Relative residual of the last solve at its start and after every iteration; empty unless recorded.
    fn residuals(&self) -> &[f64];
}

/// What the matrix is made of, as last linearised.
#[derive(Clone, Copy)]
pub struct Parts<'a> {
    /// Masses and the pattern.
    pub model: &'a Model,
    /// The families of elements.
    pub materials: &'a Materials,
    /// What is held.
    pub constraints: &'a StepConstraints,
    /// What each family left.
    pub terms: &'a [Terms],
    /// A further block for every particle, or nothing.
    pub diagonal: &'a [DMat3],
    /// What couples particles besides.
    pub couplings: &'a [Coupling<f64>],
}

impl Parts<'_> {
    /// One row of the product of `p` with masses and further blocks.
    pub fn own_product(&self, row: usize, p: &[DVec3]) -> DVec3 {
        let mut own = self.model.masses[row] * p[row];
        if let Some(extra) = self.diagonal.get(row) {
            own += *extra * p[row];
        }
        own
    }
}

/// A form that can be chosen.
#[derive(Clone, Copy)]
struct Choice {
    supports: fn(&Model, &StepConfig) -> Result<(), Fallback>,
    make: fn(&Model, &StepConfig) -> Box<dyn LinearForm>,
    kind: fn(&StepConfig) -> Form,
}

impl Choice {
    const fn of<F: LinearForm + 'static>() -> Self {
        Self {
            supports: F::supports,
            make: |model, config| Box::new(F::new(model, config)),
            kind: F::kind,
        }
    }
}

/// Forms that are fast, the best first.
const FAST: [Choice; 2] = [Choice::of::<GridForm>(), Choice::of::<MeshForm>()];

/// The form of `model`'s linear systems, and why it is not a fast one if that was asked for.
fn choose(model: &Model, config: &StepConfig) -> (Choice, Option<Fallback>) {
    let mut why = None;
    if config.preconditioner == Preconditioner::Multilevel {
        for choice in FAST {
            match (choice.supports)(model, config) {
                Ok(()) => return (choice, None),
                Err(reason) => why = why.or(Some(reason)),
            }
        }
    }
    (Choice::of::<AssembledForm>(), why)
}

/// Memory for the linear systems of `model`, solved as `config` says.
pub fn make(model: &Model, config: &StepConfig) -> Box<dyn LinearForm> {
    let (choice, _) = choose(model, config);
    (choice.make)(model, config)
}

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
        let (choice, why) = choose(model, config);
        ((choice.kind)(config), why)
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

impl fmt::Display for Fallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tolerance => write!(
                f,
                "the linear tolerance is below {TIGHTEST_TOLERANCE:e}, the least that single precision reaches"
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
