//! The time integrators that experiments put side by side.

use toile_sim::Integrator;
use toile_sim::integrators::Newmark;
use toile_view::plot::Series;

/// How many there are.
pub const COUNT: usize = 10;

/// Every scheme. Newmark's average acceleration is the trapezoidal rule to the letter, so its
/// family is represented by a member that damps: β = 0.3025, γ = 0.6.
pub fn all() -> [Integrator; COUNT] {
    let damping = Newmark::new(0.3025, 0.6);
    [
        Integrator::BackwardEuler,
        Integrator::Bdf2,
        Integrator::Trapezoidal,
        damping.map_or(Integrator::AVERAGE_ACCELERATION, Integrator::Newmark),
        Integrator::SymplecticEuler,
        Integrator::CentralDifference,
        Integrator::Rk4,
        Integrator::LeapfrogTrapezoid,
        Integrator::CentralNewmark,
        Integrator::ImprovedVariableStep,
    ]
}

/// How a scheme treats forces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// All at the end of the step.
    Implicit,
    /// All at known states.
    Explicit,
    /// Elastic ones at known states, dampers at the end.
    Mixed,
}

/// How `integrator` treats forces.
pub fn kind(integrator: Integrator) -> Kind {
    match integrator {
        Integrator::BackwardEuler
        | Integrator::Bdf2
        | Integrator::Trapezoidal
        | Integrator::Newmark(_) => Kind::Implicit,
        Integrator::SymplecticEuler | Integrator::CentralDifference | Integrator::Rk4 => {
            Kind::Explicit
        }
        Integrator::LeapfrogTrapezoid
        | Integrator::CentralNewmark
        | Integrator::ImprovedVariableStep => Kind::Mixed,
    }
}

/// The line of `integrator` in every chart: always the same colour.
pub fn line(integrator: Integrator, points: impl IntoIterator<Item = [f64; 2]>) -> Series {
    Series::line(integrator.name(), points).color(color(integrator))
}

/// Its colour. The mixed schemes are shades of green, the implicit ones of blue and purple.
pub fn color(integrator: Integrator) -> u32 {
    match integrator {
        Integrator::BackwardEuler => 0x0072b2,
        Integrator::Bdf2 => 0x56b4e9,
        Integrator::Trapezoidal => 0x7b3fa0,
        Integrator::Newmark(_) => 0xcc79a7,
        Integrator::SymplecticEuler => 0xe69f00,
        Integrator::CentralDifference => 0xd55e00,
        Integrator::Rk4 => 0x4d4d4d,
        Integrator::LeapfrogTrapezoid => 0x009e73,
        Integrator::CentralNewmark => 0x8fbf3f,
        Integrator::ImprovedVariableStep => 0x00564a,
    }
}
