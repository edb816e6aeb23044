//! The answers to contact side by side: forces in the implicit solve, impulses after it, and forces
//! between particles alone. Which of them is the default is decided here.

mod cases;

use crate::check::{Band, Check, number};
use crate::contact::{ENERGY_RISE, GUARDED, PENETRATION_M};
use crate::experiment::{Error, Findings};
use crate::friction::CREEP_M_PER_S;
use crate::table::Table;
use cases::{Asked, Case, Outcome, RESPONSES};
use toile_sim::Response;
use toile_view::plot::{Chart, Panel, Series};

/// What counts as no change of momentum in a frame: its linear systems are solved to 1e-12, some dozens.
const MOMENTUM: f64 = 1e-9;
/// How much worse than the best the default may be, as a factor.
const NEAR_BEST: f64 = 1.1;
/// What counts as stretch that users accept.
const STRETCH: f64 = crate::bench::STRETCH_MAX_LIMIT;

/// A scene with what every answer did in it.
struct Compared {
    case: Case,
    outcomes: Vec<Outcome>,
}

/// A number in which the default must be near the best: less is better, and up to `none` nothing.
struct Merit {
    what: &'static str,
    of: fn(&Outcome) -> f64,
    none: f64,
}

const CREEP: Merit = Merit {
    what: "creep",
    of: |outcome| outcome.creep_m_per_s,
    none: CREEP_M_PER_S,
};
const GUARD: Merit = Merit {
    what: "share of the motion that the guard changed",
    of: |outcome| outcome.trial.guarded,
    none: GUARDED,
};
const RISE: Merit = Merit {
    what: "energy that contact adds",
    of: Outcome::energy_rise,
    none: ENERGY_RISE,
};

/// Carries out all scenes with all answers.
pub fn run() -> Result<Findings, Error> {
    let all = compared()?;
    let mut table = Table::new([
        "scene",
        "response",
        "steps",
        "halved",
        "crossings",
        "contacts",
        "depth (nm)",
        "creep (µm/s)",
        "momentum",
        "without the guard's",
        "energy rise (%)",
        "energy lost (%)",
        "guard: motion (%)",
        "stretch (%)",
        "iterations/step",
        "ms/frame",
    ]);
    let mut checks = Vec::new();
    for compared in &all {
        for outcome in &compared.outcomes {
            table.row(row(&compared.case, outcome));
            checks.extend(verdicts(&compared.case, outcome));
        }
        checks.extend(compared.merits());
    }
    Ok(Findings {
        table,
        checks,
        figure: Box::new(figure(&all)),
        notes: notes(&all),
    })
}

/// All scenes on one thread, so that times compare.
fn compared() -> Result<Vec<Compared>, Error> {
    let measure = || -> Result<Vec<Compared>, Error> {
        let each = cases::all().into_iter();
        each.map(|case| {
            let outcomes = case.outcomes()?;
            Ok(Compared { case, outcomes })
        })
        .collect()
    };
    match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
        Ok(pool) => pool.install(measure),
        Err(_) => measure(),
    }
}

fn default_name() -> &'static str {
    let default = RESPONSES.iter().find(|r| r.1 == Response::default());
    default.map_or("", |(name, _)| name)
}

fn row(case: &Case, outcome: &Outcome) -> Vec<String> {
    let trial = &outcome.trial;
    let only = |asked, text: String| match case.asked == asked {
        true => text,
        false => "-".to_owned(),
    };
    let percent = |share: f64| format!("{:.3}", 100.0 * share);
    let not_slope = |text: String| match case.asked {
        Asked::Creep => "-".to_owned(),
        Asked::Motion | Asked::Momentum => text,
    };
    vec![
        format!("{} {}", case.scene.name, case.scene.size),
        outcome.response.to_owned(),
        trial.steps.to_string(),
        trial.retries.to_string(),
        trial.crossings.to_string(),
        trial.touches.to_string(),
        format!("{:.2}", 1e9 * trial.penetration_m),
        only(Asked::Creep, number(1e6 * outcome.creep_m_per_s)),
        only(Asked::Momentum, number(outcome.momentum_change())),
        only(Asked::Momentum, number(outcome.momentum_own)),
        not_slope(percent(outcome.energy_rise())),
        only(Asked::Momentum, percent(outcome.energy_lost())),
        percent(trial.guarded),
        percent(trial.stretch_max),
        format!(
            "{:.1}",
            trial.iterations as f64 / f64::from(trial.steps.max(1))
        ),
        format!("{:.2}", 1e3 * outcome.frame_time_s()),
    ]
}

/// What every answer promises.
fn verdicts(case: &Case, outcome: &Outcome) -> Vec<Check> {
    let named = |what: &str| format!("{}, {}: {what}", case.scene.name, outcome.response);
    let trial = &outcome.trial;
    let mut checks = vec![
        Check::new(
            named("most crossings after a step"),
            trial.crossings as f64,
            Band::AtMost(0.0),
        ),
        Check::new(
            named("depth in colliders (m)"),
            trial.penetration_m,
            Band::AtMost(PENETRATION_M),
        ),
    ];
    // Friction that is part of the solve holds. Impulses find out about it between solves, of which there are a
    // few, and only brake; particles that push each other know none.
    if case.asked == Asked::Creep && outcome.response == "solver" {
        checks.push(Check::new(
            named("creep (µm/s)"),
            1e6 * outcome.creep_m_per_s,
            Band::AtMost(1e6 * CREEP_M_PER_S),
        ));
    }
    if case.asked == Asked::Momentum {
        checks.push(Check::new(
            named("change of momentum in a frame beyond the guard's, over that of all particles"),
            outcome.momentum_own,
            Band::AtMost(MOMENTUM),
        ));
    }
    if case.scene.name == "drape-self" {
        checks.push(Check::new(
            named("largest stretch"),
            trial.stretch_max,
            Band::AtMost(STRETCH),
        ));
    }
    checks
}

impl Compared {
    fn of(&self, response: &str) -> Option<&Outcome> {
        self.outcomes.iter().find(|o| o.response == response)
    }

    /// How far the default is from the best.
    fn merits(&self) -> Vec<Check> {
        let merits: &[Merit] = match self.case.asked {
            Asked::Creep => &[CREEP],
            Asked::Motion | Asked::Momentum => &[GUARD, RISE],
        };
        let check = |merit: &Merit| {
            let value = |outcome: &Outcome| (merit.of)(outcome).max(merit.none);
            let best = self
                .outcomes
                .iter()
                .map(value)
                .fold(f64::INFINITY, f64::min);
            let default = self.of(default_name()).map_or(f64::INFINITY, value);
            Check::new(
                format!(
                    "{}: {} with the default, over that of the best (below {} is none)",
                    self.case.scene.name,
                    merit.what,
                    number(merit.none)
                ),
                default / best,
                Band::AtMost(NEAR_BEST),
            )
        };
        merits.iter().map(check).collect()
    }
}

/// A line for every answer.
fn lines(mut chart: Chart, compared: &Compared, of: fn(&Outcome) -> Vec<[f64; 2]>) -> Chart {
    for outcome in &compared.outcomes {
        chart = chart.series(Series::line(outcome.response, of(outcome)));
    }
    chart
}

fn figure(all: &[Compared]) -> Panel {
    let chart = |compared: &Compared, what: &str| {
        let name = compared.case.scene.name;
        Chart::new(format!("{name}: {what}")).x("time", "s")
    };
    let mut panel = Panel::new(2);
    for compared in all {
        let way = chart(compared, "way down, 1 pm at the least");
        let way = way.y("way", "µm").log_y();
        if compared.case.asked == Asked::Creep {
            panel = panel.with(lines(way, compared, |o| scaled(&o.way, 1e6, 1e-6)));
        }
    }
    for compared in all {
        let momentum = chart(compared, "change of momentum, 1e-16 at the least");
        let momentum = momentum.y("share of that of all particles", "").log_y();
        if compared.case.asked == Asked::Momentum {
            panel = panel.with(lines(momentum, compared, |o| {
                scaled(&o.momentum, 1.0, 1e-16)
            }));
        }
    }
    for compared in all.iter().filter(|c| c.case.asked != Asked::Creep) {
        let energy = chart(compared, "energy above that of the end");
        let energy = energy.y("share of the largest kinetic energy", "");
        let guard = chart(compared, "what the guard changed");
        let guard = guard.y("share of all motion so far", "%");
        panel = panel
            .with(lines(energy, compared, |o| o.trial.energy.clone()))
            .with(lines(guard, compared, |o| {
                scaled(&o.trial.guarded_so_far, 100.0, 0.0)
            }));
    }
    panel
}

/// Points with their sizes in another unit, and at least so large.
fn scaled(points: &[[f64; 2]], factor: f64, least: f64) -> Vec<[f64; 2]> {
    let size = |y: f64| (factor * y.abs()).max(least);
    points.iter().map(|[x, y]| [*x, size(*y)]).collect()
}

fn notes(all: &[Compared]) -> String {
    let mut notes = String::from(
        "The same scenes with each answer to contact, all else the same, on one thread. The guard is the same for all \
         and lets nothing through. The slope ends when the cloth has slid by half a metre: particles that push each \
         other know no friction, as published. Energy is that beyond what rises without contact of cloth with cloth. \
         Momentum: the largest change, over the sum of that of all particles, and the largest in a frame beyond what \
         the guard has changed. Every answer keeps it; the guard does not, where it moves vertices to their sides of a \
         plane, so that what is changed says how much was left to it. The impact is solved to 1e-12 for that. Times \
         are of this machine now and not checked.\n",
    );
    notes += &format!("The default is `{}`.", default_name());
    for (name, _) in RESPONSES {
        notes += &of_response(all, name);
    }
    notes += "\nForces in the solve are the default because they alone do what they are there for: cloth at rest stays at \
              rest, nothing is gained, and the guard finds next to nothing to do. They are not the cheapest in a pile, where \
              the solver needs the most iterations. Impulses only brake what friction should hold, as a solve and the \
              impulses that follow from it do not come to agree in the few rounds there are. Particles keep three quarters \
              of an edge apart: sheets that start nearer, as in the stack, or come nearer within a step, get energy from that.";
    notes
}

/// What one answer did, in a sentence.
fn of_response(all: &[Compared], name: &str) -> String {
    let each = all.iter().filter_map(|compared| {
        let outcome = compared.of(name)?;
        Some((&compared.case, outcome))
    });
    let rests = |case: &Case| case.asked == Asked::Creep;
    let creeps = each.clone().filter(|(case, _)| rests(case));
    let creep: f64 = creeps.map(|(_, outcome)| outcome.creep_m_per_s).sum();
    let moving = each.clone().filter(|(case, _)| !rests(case));
    let most = |of: &dyn Fn(&Outcome) -> f64| {
        let values = moving.clone().map(|(_, outcome)| of(outcome));
        values.fold(0.0, f64::max)
    };
    let times = each.map(|(case, outcome)| {
        format!("{:.0} ({})", 1e3 * outcome.frame_time_s(), case.scene.name)
    });
    let times = Vec::from_iter(times).join(", ");
    format!(
        " `{name}`: down the slope with {:.1e} µm/s; adds {:.1} % of energy in a step at the most, leaves the guard \
         {:.4} % of the motion and {:.0e} of the momentum; ms a frame: {times}.",
        1e6 * creep,
        100.0 * most(&Outcome::energy_rise),
        100.0 * most(&|outcome| outcome.trial.guarded),
        most(&Outcome::momentum_change),
    )
}
