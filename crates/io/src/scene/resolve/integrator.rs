//! The integrator's name and parameters, from the file and back.

use super::{Checked, Fault, key, raw};
use toile_sim::Integrator;
use toile_sim::integrators::{BadNewmark, Newmark};

/// The integrator that `solver` names; `path` is that of the solver.
pub fn chosen(path: &key::Path, solver: &raw::Solver) -> Checked<Integrator> {
    if solver.integrator != raw::Integrator::Newmark {
        for (name, value) in [
            ("newmark_beta", solver.newmark_beta),
            ("newmark_gamma", solver.newmark_gamma),
        ] {
            if value.is_some() {
                let message = "belongs to the integrator `newmark`, which is not chosen";
                return Err(Fault::new(path.with(name), message));
            }
        }
    }
    Ok(match solver.integrator {
        raw::Integrator::Bdf2 => Integrator::Bdf2,
        raw::Integrator::BackwardEuler => Integrator::BackwardEuler,
        raw::Integrator::Trapezoidal => Integrator::Trapezoidal,
        raw::Integrator::AverageAcceleration => Integrator::AVERAGE_ACCELERATION,
        raw::Integrator::Newmark => Integrator::Newmark(newmark(path, solver)?),
        raw::Integrator::SymplecticEuler => Integrator::SymplecticEuler,
        raw::Integrator::CentralDifference => Integrator::CentralDifference,
        raw::Integrator::Rk4 => Integrator::Rk4,
        raw::Integrator::LeapfrogTrapezoid => Integrator::LeapfrogTrapezoid,
        raw::Integrator::CentralNewmark => Integrator::CentralNewmark,
        raw::Integrator::ImprovedVariableStep => Integrator::ImprovedVariableStep,
    })
}

fn newmark(path: &key::Path, solver: &raw::Solver) -> Checked<Newmark> {
    let usual = Newmark::AVERAGE_ACCELERATION;
    let beta = solver.newmark_beta.unwrap_or(usual.beta());
    let gamma = solver.newmark_gamma.unwrap_or(usual.gamma());
    Newmark::new(beta, gamma).map_err(|error| {
        let name = match error {
            BadNewmark::Beta(_) => "newmark_beta",
            BadNewmark::Gamma(_) => "newmark_gamma",
        };
        Fault::new(path.with(name), error.to_string())
    })
}

/// How a file names `integrator`: its name, β and γ.
pub fn written(integrator: Integrator) -> (raw::Integrator, Option<f64>, Option<f64>) {
    let name = match integrator {
        Integrator::Bdf2 => raw::Integrator::Bdf2,
        Integrator::BackwardEuler => raw::Integrator::BackwardEuler,
        Integrator::Trapezoidal => raw::Integrator::Trapezoidal,
        Integrator::AVERAGE_ACCELERATION => raw::Integrator::AverageAcceleration,
        Integrator::Newmark(member) => {
            return (
                raw::Integrator::Newmark,
                Some(member.beta()),
                Some(member.gamma()),
            );
        }
        Integrator::SymplecticEuler => raw::Integrator::SymplecticEuler,
        Integrator::CentralDifference => raw::Integrator::CentralDifference,
        Integrator::Rk4 => raw::Integrator::Rk4,
        Integrator::LeapfrogTrapezoid => raw::Integrator::LeapfrogTrapezoid,
        Integrator::CentralNewmark => raw::Integrator::CentralNewmark,
        Integrator::ImprovedVariableStep => raw::Integrator::ImprovedVariableStep,
    };
    (name, None, None)
}
