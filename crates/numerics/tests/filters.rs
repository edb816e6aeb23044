//! Where each scheme calls the filters, and what becomes of a filtered velocity.

mod support;

use std::convert::Infallible;
use support::{Run, Scheme};
use toile_numerics::integrate::newmark::Newmark;
use toile_numerics::integrate::{
    ImplicitSystem, LinearInfo, Method, Potential, Stage, System, Weights,
};

/// A free particle of unit mass, whose velocity a filter halves, and which notes every call.
#[derive(Default)]
struct Watched {
    calls: Vec<Call>,
    halve: Option<Stage>,
    matrix: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Call {
    Force,
    Velocity { stage: Stage, from: f64 },
    Position(f64),
}

impl System for Watched {
    type Error = Infallible;

    fn coordinate_masses(&self) -> &[f64] {
        &[1.0]
    }

    fn force(&mut self, _x: &[f64], _v: &[f64], out: &mut [f64]) {
        self.calls.push(Call::Force);
        out[0] = 0.0;
    }

    fn prescribe(&self, _x: &[f64], _p: &mut [f64]) {}

    fn prescribe_velocity(&self, _x: &[f64], _step_s: f64, _v: &mut [f64]) {}

    fn project(&self, _a: &mut [f64]) {}

    fn solve_damped(
        &mut self,
        _x: &[f64],
        _damping_s: f64,
        b: &[f64],
        p: &mut [f64],
    ) -> Result<LinearInfo, Infallible> {
        p.copy_from_slice(b);
        Ok(LinearInfo::default())
    }

    fn filter_velocity(&mut self, stage: Stage, from: &[f64], step_s: f64, v: &mut [f64]) -> bool {
        assert!(step_s > 0.0);
        self.calls.push(Call::Velocity {
            stage,
            from: from[0],
        });
        let changes = self.halve == Some(stage);
        if changes {
            v[0] *= 0.5;
        }
        changes
    }

    fn filter_position(&mut self, x: &mut [f64]) {
        self.calls.push(Call::Position(x[0]));
    }
}

impl ImplicitSystem for Watched {
    fn linearise(
        &mut self,
        _x: &[f64],
        _frozen_v: &[f64],
        _v: &[f64],
        _weights: &Weights,
        force: &mut [f64],
    ) -> Potential {
        self.matrix = 1.0;
        force[0] = 0.0;
        Potential::default()
    }

    fn potential(&mut self, _x: &[f64], _v: &[f64], _velocity_s: f64) -> f64 {
        0.0
    }

    fn solve(&mut self, b: &[f64], p: &mut [f64], _slack: f64) -> Result<LinearInfo, Infallible> {
        p[0] = b[0] / self.matrix;
        Ok(LinearInfo::default())
    }
}

/// One step of 0.5 s from 1 m at 2 m/s: the end, and the calls.
fn step(scheme: Scheme, halve: Option<Stage>) -> ((f64, f64), Vec<Call>) {
    let mut system = Watched {
        halve,
        ..Watched::default()
    };
    let mut run = Run {
        system: &mut system,
        scheme,
        method: Method::Once,
    };
    let states = run.through(&[1.0], &[2.0], [0.5]);
    // The first force is that of the ghost history, which only BDF2 uses.
    ((states[1].0[0], states[1].1[0]), system.calls[1..].to_vec())
}

const TRIAL: Call = Call::Velocity {
    stage: Stage::Trial,
    from: 1.0,
};

fn end(from: f64) -> Call {
    Call::Velocity {
        stage: Stage::End,
        from,
    }
}

const PUSH: Call = Call::Position(2.0);

#[test]
fn filters_are_called_where_the_sources_say() {
    use Call::Force;
    for (scheme, expected) in [
        // The end velocity, then positions with it.
        (Scheme::SymplecticEuler, vec![Force, end(1.0), PUSH]),
        (Scheme::BackwardEuler, vec![end(1.0), PUSH]),
        (Scheme::Trapezoidal, vec![Force, end(1.5), PUSH]),
        // A copy moves positions; the end velocity has its own.
        (
            Scheme::CentralDifference,
            vec![Force, TRIAL, PUSH, Force, end(2.0)],
        ),
        (
            Scheme::LeapfrogTrapezoid,
            vec![Force, TRIAL, PUSH, Force, end(2.0)],
        ),
        (
            Scheme::ImprovedVariableStep,
            vec![Force, TRIAL, PUSH, Force, end(2.0)],
        ),
        (
            Scheme::Rk4,
            vec![Force, Force, Force, Force, TRIAL, PUSH, end(2.0)],
        ),
        // The half-step velocity itself.
        (Scheme::CentralNewmark, vec![Force, TRIAL, PUSH, Force]),
    ] {
        let (state, calls) = step(scheme, None);
        assert_eq!(calls, expected, "{scheme:?}");
        assert_eq!(state, (2.0, 2.0), "{scheme:?}");
    }
}

/// What is thrown away moves positions and leaves the velocity alone; what is kept changes both.
#[test]
fn a_filtered_copy_is_thrown_away() {
    for scheme in [
        Scheme::CentralDifference,
        Scheme::LeapfrogTrapezoid,
        Scheme::ImprovedVariableStep,
        Scheme::Rk4,
    ] {
        assert_eq!(step(scheme, Some(Stage::Trial)).0, (1.5, 2.0), "{scheme:?}");
        assert_eq!(step(scheme, Some(Stage::End)).0, (2.0, 1.0), "{scheme:?}");
    }
    assert_eq!(
        step(Scheme::CentralNewmark, Some(Stage::Trial)).0,
        (1.5, 1.0)
    );
    for scheme in [Scheme::SymplecticEuler, Scheme::BackwardEuler] {
        assert_eq!(step(scheme, Some(Stage::End)).0, (1.5, 1.0), "{scheme:?}");
    }
    // x₁ = base + ½Δt v₁ with base = x₀ + ½Δt v₀.
    let average = Scheme::Newmark(Newmark::AVERAGE_ACCELERATION);
    assert_eq!(step(average, Some(Stage::End)).0, (1.75, 1.0));
}
