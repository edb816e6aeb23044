//! What an implicit step damps, and what it leaves alone: rigid translation, rigid rotation,
//! out-of-plane motion, in-plane vibration.

mod brake;
mod stretched;
mod vibration;

use crate::check::{Band, Check, number};
use crate::experiment::{Error, Findings};
use crate::probe::Probe;
use crate::specimen;
use crate::table::Table;
use crate::theory::steps;
use glam::DVec3;
use std::f64::consts::TAU;
use toile_sim::{
    DampingKind, Integrator, Material, Preconditioner, Simulation, Solve, State, StepConfig,
};
use toile_view::plot::{Chart, Panel, Series};

const SIDE: usize = 7;
const SPACING_M: f64 = 0.02;
const STEP_S: f64 = 1.0 / 90.0;
const STEPS: u32 = 90;
/// Strong enough to be seen within a second, N·s/m.
const DAMPER: f64 = 1e-5;
const SPIN_RAD_PER_S: f64 = TAU;

const INTEGRATORS: [(&str, Integrator); 2] = [
    ("backward-euler", Integrator::BackwardEuler),
    ("bdf2", Integrator::Bdf2),
];

/// Dampers, by name.
const DAMPERS: [(&str, Option<DampingKind>); 3] = [
    ("no", None),
    ("axial", Some(DampingKind::Axial)),
    ("isotropic", Some(DampingKind::Isotropic)),
];

/// What is gathered on the way.
struct Notebook {
    table: Table,
    checks: Vec<Check>,
}

impl Notebook {
    fn row(
        &mut self,
        motion: &str,
        scheme: (&str, &str),
        quantity: &str,
        value: f64,
        theory: Option<f64>,
    ) {
        self.table.row([
            motion.to_owned(),
            scheme.0.to_owned(),
            scheme.1.to_owned(),
            quantity.to_owned(),
            format!("{value:.9}"),
            theory.map_or("-".into(), |t| format!("{t:.9}")),
        ]);
    }

    fn check(&mut self, what: String, value: f64, band: Band) {
        self.checks.push(Check::new(what, value, band));
    }
}

/// Measures all motions.
pub fn run() -> Result<Findings, Error> {
    let mut notes = Notebook {
        table: Table::new([
            "motion",
            "dampers",
            "integrator",
            "quantity",
            "measured",
            "theory",
        ]),
        checks: Vec::new(),
    };
    damper_power(&mut notes)?;
    for dampers in DAMPERS {
        for integrator in INTEGRATORS {
            translation(&mut notes, dampers, integrator)?;
            rotation(&mut notes, dampers, integrator)?;
            out_of_plane(&mut notes, dampers, integrator)?;
        }
    }
    stretched::measure(&mut notes)?;
    let mut chart = Chart::new("In-plane vibration: energy kept per step")
        .x("ω Δt", "")
        .y("share kept", "")
        .log_x();
    for integrator in INTEGRATORS {
        chart = vibration::measure(&mut notes, chart, integrator)?;
    }
    Ok(Findings {
        table: notes.table,
        checks: notes.checks,
        figure: Box::new(Panel::new(2).with(chart).with(rotation_chart())),
        notes: text(),
    })
}

fn material(dampers: Option<DampingKind>) -> Material {
    Material {
        damping_n_s_per_m: if dampers.is_some() { DAMPER } else { 0.0 },
        damping: dampers.unwrap_or_default(),
        slack_factor: 0.0,
        ..Material::default()
    }
}

/// A free weightless sheet, solved to rounding, that starts with the given velocities.
fn launched(
    dampers: Option<DampingKind>,
    integrator: Integrator,
    velocity: impl Fn(DVec3) -> DVec3,
) -> Result<Simulation, Error> {
    let sheet = specimen::sheet(SIDE, SIDE, SPACING_M, material(dampers));
    let model = specimen::model(sheet, 0.0)?;
    let mut state = State::start(&model);
    state.velocities = state.positions.iter().map(|x| velocity(*x)).collect();
    let mut simulation = Simulation::new(model, exact(integrator));
    simulation.restore(state);
    Ok(simulation)
}

fn exact(integrator: Integrator) -> StepConfig {
    StepConfig {
        integrator,
        solve: Solve::Newton,
        preconditioner: Preconditioner::BlockDiagonal,
        linear_tolerance: 1e-10,
        linear_max_iterations: 5000,
        newton_tolerance: 1e-9,
        newton_max_iterations: 200,
        strain_limit: None,
        adaptive: None,
        contact: None,
        ..StepConfig::default()
    }
}

fn kinetic(simulation: &Simulation) -> f64 {
    let masses = &simulation.model().masses;
    let velocities = &simulation.state().velocities;
    masses
        .iter()
        .zip(velocities)
        .map(|(m, v)| 0.5 * m * v.length_squared())
        .sum()
}

fn angular_momentum(simulation: &Simulation) -> DVec3 {
    let state = simulation.state();
    let particles = simulation
        .model()
        .masses
        .iter()
        .zip(&state.positions)
        .zip(&state.velocities);
    particles.map(|((m, x), v)| *m * x.cross(*v)).sum()
}

/// Torque and power of the dampers on a sheet that turns as a whole.
fn damper_power(notes: &mut Notebook) -> Result<(), Error> {
    let spin = DVec3::new(0.3, 1.0, -0.2) * SPIN_RAD_PER_S;
    for (name, dampers) in &DAMPERS[1..] {
        let sheet = specimen::sheet(SIDE, SIDE, SPACING_M, material(*dampers));
        let mut probe = Probe::new(specimen::model(sheet, 0.0)?);
        let x = probe.model().start_positions.clone();
        let v: Vec<DVec3> = x.iter().map(|x| spin.cross(*x)).collect();
        let force = probe.force(&x, &v);
        let power: f64 = force.iter().zip(&v).map(|(f, v)| f.dot(*v)).sum();
        let torque: DVec3 = x.iter().zip(&force).map(|(x, f)| x.cross(*f)).sum();
        let braked: f64 = brake::links(probe.model())
            .map(|[i, j]| (v[i] - v[j]).length_squared())
            .sum();
        let full = DAMPER * braked;
        let expected = if *dampers == Some(DampingKind::Isotropic) {
            -1.0
        } else {
            0.0
        };
        notes.row(
            "rotation",
            (name, "-"),
            "damper power (of isotropic)",
            power / full,
            Some(expected),
        );
        notes.check(
            format!("{name} dampers in rigid rotation: power against theory"),
            (power / full - expected).abs(),
            Band::AtMost(1e-12),
        );
        // An isotropic damper pulls its ends back by k_d ω × d.
        let isotropic: DVec3 = brake::links(probe.model())
            .map(|[i, j]| x[j] - x[i])
            .map(|d| -DAMPER * d.cross(spin.cross(d)))
            .sum();
        let theory = -expected * isotropic;
        notes.check(
            format!("{name} dampers in rigid rotation: torque against theory"),
            torque.distance(theory) / isotropic.length(),
            Band::AtMost(1e-12),
        );
    }
    Ok(())
}

fn translation(
    notes: &mut Notebook,
    (dampers, kind): (&str, Option<DampingKind>),
    (integrator, scheme): (&str, Integrator),
) -> Result<(), Error> {
    let mut simulation = launched(kind, scheme, |_| DVec3::new(1.0, 2.0, -0.5))?;
    let start = kinetic(&simulation);
    for _ in 0..STEPS {
        simulation.step(STEP_S)?;
    }
    let kept = kinetic(&simulation) / start;
    notes.row(
        "translation",
        (dampers, integrator),
        "energy kept per second",
        kept,
        Some(1.0),
    );
    notes.check(
        format!("translation, {dampers} dampers, {integrator}: energy lost in a second"),
        (1.0 - kept).abs(),
        Band::AtMost(1e-12),
    );
    Ok(())
}

fn rotation(
    notes: &mut Notebook,
    (dampers, kind): (&str, Option<DampingKind>),
    (integrator, scheme): (&str, Integrator),
) -> Result<(), Error> {
    let mut simulation = launched(kind, scheme, |x| (SPIN_RAD_PER_S * DVec3::Y).cross(x))?;
    let start = angular_momentum(&simulation);
    for _ in 0..STEPS {
        simulation.step(STEP_S)?;
    }
    let kept = angular_momentum(&simulation).length() / start.length();
    let brake = match kind {
        Some(DampingKind::Isotropic) => STEP_S * brake::rate_per_s(simulation.model()),
        _ => 0.0,
    };
    let rigid = steps::braked_rotor(scheme, SPIN_RAD_PER_S * STEP_S, brake, STEPS);
    notes.row(
        "rotation",
        (dampers, integrator),
        "spin kept per second",
        kept,
        Some(rigid),
    );
    notes.check(
        format!(
            "rotation, {dampers} dampers, {integrator}: spin kept in a second, less that of a rigid body"
        ),
        kept - rigid,
        Band::Between(-1e-5, 1e-5),
    );
    Ok(())
}

/// Up and down alternately, at this speed.
fn ripple(x: DVec3, speed_m_per_s: f64) -> DVec3 {
    let cell = (x / SPACING_M).round();
    let even = (cell.x + cell.z).rem_euclid(2.0) < 0.5;
    DVec3::Y * if even { speed_m_per_s } else { -speed_m_per_s }
}

/// A flat sheet whose particles move up and down alternately, so little that nothing stretches.
fn out_of_plane(
    notes: &mut Notebook,
    (dampers, kind): (&str, Option<DampingKind>),
    (integrator, scheme): (&str, Integrator),
) -> Result<(), Error> {
    let mut simulation = launched(kind, scheme, |x| ripple(x, 1e-7))?;
    let velocities = simulation.state().velocities.clone();
    let start = kinetic(&simulation);
    simulation.step(STEP_S)?;
    let kept = kinetic(&simulation) / start;
    let theory = if kind == Some(DampingKind::Isotropic) {
        let end = brake::out_of_plane(simulation.model(), &velocities, scheme);
        let masses = simulation.model().masses.iter();
        let energies = masses.zip(&end).map(|(m, v)| 0.5 * m * v.length_squared());
        energies.sum::<f64>() / start
    } else {
        1.0
    };
    notes.row(
        "out of plane",
        (dampers, integrator),
        "energy kept per step",
        kept,
        Some(theory),
    );
    notes.check(
        format!(
            "out of plane, {dampers} dampers, {integrator}: energy kept in a step, less theory's"
        ),
        kept - theory,
        Band::Between(-1e-6, 1e-6),
    );
    Ok(())
}

fn rotation_chart() -> Chart {
    let mut chart = Chart::new("Rigid rotation: spin kept per turn")
        .x("steps per turn", "")
        .y("share kept", "")
        .log_x();
    for (name, integrator) in INTEGRATORS {
        let counts = (0..40).map(|k| (10.0 * 100_f64.powf(f64::from(k) / 39.0)).round());
        let points = counts.map(|n| [n, steps::rotor(integrator, TAU / n, n as u32)]);
        chart = chart.series(Series::line(name, points.collect::<Vec<_>>()));
    }
    chart
}

fn text() -> String {
    format!(
        "Weightless sheets of {SIDE} × {SIDE} particles, steps of 1/90 s, dampers of {} N·s/m where there are any; \
         Newton to rounding, so that only the scheme itself is seen.\n\
         Translation: every row of K and D sums to zero, so no implicit step damps it, stretched or \
         not, whatever the dampers. The slides ask for more (orthogonal motion, unstretched cloth); nothing \
         more is needed.\n\
         Rotation: not so. Backward Euler loses a share (ωΔt)² of the spin each step even of a perfectly \
         rigid body, BDF2 far less; the theory column is such a body stepped by the same rule. The \
         axial damper adds exactly nothing. The isotropic one, printed in the source and said to act \
         along the link, brakes it, as it would a rigid body: at the rate k_d Σd²/Σmx².\n\
         Out of plane: a flat sheet's links feel such motion to second order only; axial dampers and \
         both schemes leave it alone, the isotropic damper takes a part of it at every step.\n\
         Stretched cloth: one solve multiplies velocities by (M − Δt²K)⁻¹M. It keeps all of a translation. With \
         the exact matrix it takes from rotations and ripples what the sideways stiffness T/r of taut links \
         asks for: most of a ripple at a strain of one in ten thousand. Springs without that second term in \
         their matrix keep both in full, as the slides say: forces across a link are integrated explicitly. \
         quad-buckling omits the term of links that push only, so that its taut links filter ripples \
         with either matrix.\n\
         In-plane vibration is what the scheme is meant to remove: 1/(1 + ω²Δt²) of the energy stays with \
         backward Euler, about 1 − (ωΔt)⁴/2 with BDF2.",
        number(DAMPER)
    )
}
