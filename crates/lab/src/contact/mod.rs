//! Cloth that meets cloth in standard scenes: does anything pass through, what does it cost, and what
//! does it do to the motion?

mod builtin;
mod growth;
pub mod scenes;
pub mod trial;

use crate::check::{Band, Check, number};
use crate::experiment::{Error, Findings};
use crate::table::Table;
use growth::{Cost, SIDES};
use scenes::Scene;
use toile_view::plot::{Chart, Panel, Series};
use trial::Trial;

/// A healthy run leaves the guard less than this share of the motion.
pub const GUARDED: f64 = 1e-3;
/// Energy that may appear in one step beyond what appears without contact of cloth with cloth, as a
/// share of the largest kinetic energy: rounding of a solve that stops early.
pub const ENERGY_RISE: f64 = 1e-3;
/// Depth in a collider that is rounding, m.
pub const PENETRATION_M: f64 = 1e-9;
/// How much faster than `n log n` the pairs may grow from one size to the next, as a factor: finer
/// cloth has finer folds.
const GROWTH: f64 = 1.5;

/// Carries out all scenes, then measures the growth.
pub fn run() -> Result<Findings, Error> {
    let mut table = Table::new([
        "scene",
        "size",
        "step (s)",
        "steps",
        "halved",
        "crossings",
        "contacts",
        "depth (nm)",
        "energy rise (%)",
        "without contact (%)",
        "guard: motion (%)",
        "guard: energy (%)",
        "pairs/step",
        "ms/step",
        "proximity (%)",
        "guard (%)",
        "assembly (%)",
        "solve (%)",
    ]);
    let mut checks = Vec::new();
    let mut chart = Chart::new("Energy above that of the end")
        .x("time", "s")
        .y("share of the largest kinetic energy", "");
    for scene in scenes::all().into_iter().chain(builtin::all()?) {
        let trial = Trial::of(&scene)?;
        table.row(row(&scene, &trial));
        checks.extend(verdicts(&scene, &trial));
        // Long steps would hide the others, and what is led has energy from outside.
        if scene.step_s < 0.1 && scene.judged.energy {
            chart = chart.series(Series::line(name(&scene), trial.energy));
        }
    }
    let costs = growth()?;
    let mut growing = Chart::new("Self-contact of a drape")
        .x("particles", "")
        .y("relative to the smallest", "")
        .log_x()
        .log_y();
    let curve = |of: &dyn Fn(&Cost) -> f64| -> Vec<[f64; 2]> {
        let points = costs.iter();
        points
            .map(|cost| [(cost.side * cost.side) as f64, of(cost) / of(&costs[0])])
            .collect()
    };
    growing = growing
        .series(Series::points("pairs", curve(&|cost| cost.pairs)))
        .series(Series::points("time", curve(&|cost| cost.contact_s)))
        .series(Series::dashed("n log n", curve(&|cost| cost.yardstick())));
    for pair in costs.windows(2) {
        let beyond = pair[1].pairs / pair[0].pairs * pair[0].yardstick() / pair[1].yardstick();
        checks.push(Check::new(
            format!(
                "drape-self: growth of the pairs from {0}² to {1}² particles, over that of n log n",
                pair[0].side, pair[1].side
            ),
            beyond,
            Band::AtMost(GROWTH),
        ));
    }
    Ok(Findings {
        table,
        checks,
        figure: Box::new(Panel::new(1).with(chart).with(growing)),
        notes: notes(&costs),
    })
}

/// The costs of all sizes, on one thread.
fn growth() -> Result<Vec<Cost>, Error> {
    let measure = || SIDES.into_iter().map(Cost::of).collect();
    match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
        Ok(pool) => pool.install(measure),
        Err(_) => measure(),
    }
}

fn name(scene: &Scene) -> String {
    let step = if scene.step_s < 0.1 {
        format!("1/{:.0}", scene.step_s.recip())
    } else {
        number(scene.step_s)
    };
    format!("{} {}, {step} s", scene.name, scene.size)
}

fn row(scene: &Scene, trial: &Trial) -> Vec<String> {
    let phases = &trial.phases;
    let simulated_s = trial.time_s();
    let share = |seconds: f64| format!("{:.0}", 100.0 * seconds / simulated_s);
    vec![
        scene.name.to_owned(),
        scene.size.clone(),
        number(scene.step_s),
        trial.steps.to_string(),
        trial.retries.to_string(),
        trial.crossings.to_string(),
        trial.touches.to_string(),
        format!("{:.2}", 1e9 * trial.penetration_m),
        format!("{:.3}", 100.0 * trial.energy_rise),
        format!("{:.3}", 100.0 * trial.rise_without),
        format!("{:.3}", 100.0 * trial.guarded),
        format!("{:.3}", 100.0 * trial.guard_took),
        (trial.pairs / trial.steps.max(1) as usize).to_string(),
        format!("{:.2}", 1e3 * trial.step_time_s()),
        share(phases.proximity_s),
        share(phases.guard_s),
        share(phases.assembly_s),
        share(phases.solve_s),
    ]
}

fn verdicts(scene: &Scene, trial: &Trial) -> Vec<Check> {
    let check =
        |what: &str, value: f64, band| Check::new(format!("{}: {what}", name(scene)), value, band);
    let mut checks = vec![
        check(
            "most crossings after a step",
            trial.crossings as f64,
            Band::AtMost(0.0),
        ),
        check(
            "depth in colliders (m)",
            trial.penetration_m,
            Band::AtMost(PENETRATION_M),
        ),
    ];
    if scene.judged.energy {
        checks.push(check(
            "energy that contact adds in a step, over the largest kinetic energy",
            trial.energy_rise - trial.rise_without,
            Band::AtMost(ENERGY_RISE),
        ));
    }
    if scene.judged.guard {
        checks.push(check(
            "share of the motion that the guard changed",
            trial.guarded,
            Band::AtMost(GUARDED),
        ));
    }
    if scene.judged.contacts {
        checks.push(check("contacts", trial.touches as f64, Band::AtLeast(1.0)));
    }
    checks
}

fn notes(costs: &[Cost]) -> String {
    let mut notes = String::from(
        "After every step all triangles are tested against each other by the exact test, whose time is \
         left out. The energy is that of motion, deformation, height and contact; where nothing is led, thrown or \
         turned it should only fall; without contact of cloth with cloth, what rises is the integrator's, the \
         colliders' and the strain limit's doing, and long steps of BDF2 do let it rise. 'guard: motion' is the share of all motion that the guard against \
         passing through changed. Times are of this machine now and not checked.\n\
         Growth of self-contact, one thread, means over the first second of a drape:",
    );
    for cost in costs {
        let relative = |of: fn(&Cost) -> f64| of(cost) / of(&costs[0]);
        notes += &format!(
            " {0}²: {1:.0} pairs (×{2:.1}), {3:.0} contacts, {4:.1} ms of {5:.1} ms a step (×{6:.1}); n log n ×{7:.1}.",
            cost.side,
            cost.pairs,
            relative(|c| c.pairs),
            cost.touches,
            1e3 * cost.contact_s,
            1e3 * cost.step_s,
            relative(|c| c.contact_s),
            relative(Cost::yardstick),
        );
    }
    notes
}
