//! The map of stability over B × n × Δt.

use super::{Case, MODELS, Outcome};
use crate::check::{Band, Check, number};
use crate::experiment::Error;
use rayon::prelude::*;
use toile_sim::{Jacobian, Solve};
use toile_view::plot::{HeatMap, Panel};

const MAP_BENDING_N_M: [f64; 4] = [1e-6, 1e-5, 1e-4, 1e-3];
const MAP_STEPS_S: [f64; 4] = [1.0 / 270.0, 1.0 / 90.0, 1.0 / 30.0, 0.1];
const MAP_COLUMNS: [usize; 3] = [11, 21, 31];

/// What came of every B (across) and step (up), for each model and resolution.
pub struct Map {
    pub model: &'static str,
    columns: usize,
    pub cells: Vec<(Case, Outcome)>,
}

/// Compresses all strips of the map.
pub fn maps() -> Result<Vec<Map>, Error> {
    let mut maps = Vec::new();
    for (model, name) in MODELS {
        for columns in MAP_COLUMNS {
            let cells = MAP_STEPS_S
                .into_iter()
                .flat_map(|step_s| MAP_BENDING_N_M.map(|bending_n_m| (step_s, bending_n_m)));
            let cells: Vec<(f64, f64)> = cells.collect();
            let cells = cells.into_par_iter().map(|(step_s, bending_n_m)| {
                let case = Case {
                    model,
                    jacobian: Jacobian::DropOrthogonal,
                    columns,
                    bending_n_m,
                    step_s,
                    solve: Solve::Once,
                };
                Ok((case, case.compress(false)?))
            });
            maps.push(Map {
                model: name,
                columns,
                cells: cells.collect::<Result<_, Error>>()?,
            });
        }
    }
    Ok(maps)
}

/// Solves that see the kink a buckling link starts with.
const THOROUGH: [(Solve, &str); 2] = [(Solve::Auto, "auto"), (Solve::Newton, "newton")];

/// The stiff, fine corner of buckling links, at every step, with more than one solve a step.
pub fn corner() -> Result<Vec<(&'static str, Case, Outcome)>, Error> {
    let cases = THOROUGH.into_iter().flat_map(|(solve, name)| {
        MAP_STEPS_S.map(|step_s| {
            let case = Case {
                model: MODELS[1].0,
                jacobian: Jacobian::DropOrthogonal,
                columns: MAP_COLUMNS[2],
                bending_n_m: MAP_BENDING_N_M[3],
                step_s,
                solve,
            };
            (name, case)
        })
    });
    let cases: Vec<(&str, Case)> = cases.collect();
    let outcomes = cases.into_par_iter();
    outcomes
        .map(|(name, case)| Ok((name, case, case.compress(false)?)))
        .collect()
}

/// Strips that must come to rest: limp ones at a short step in either model, and the stiff, fine corner where
/// it is solved thoroughly. With one solve a step nothing says that it rests there; it must only stay finite.
pub fn checks(maps: &[Map], corner: &[(&str, Case, Outcome)]) -> Vec<Check> {
    let name = |model: &str, solve: &str, case: &Case| {
        let (columns, b, step) = (case.columns, case.bending_n_m, number(case.step_s));
        format!("{model}, {solve}, {columns} columns, B = {b:e} N·m, step {step} s")
    };
    // One that is left as fast as its ends were pushed has not come to rest.
    let rest = |model: &str, solve: &str, case: &Case, outcome: &Outcome| {
        let what = format!("{}: unrest (m/s)", name(model, solve, case));
        Check::new(what, outcome.unrest_m_per_s, Band::AtMost(0.1))
    };
    let mut checks = Vec::new();
    for map in maps {
        for (case, outcome) in &map.cells {
            if (case.bending_n_m, case.step_s) == (MAP_BENDING_N_M[1], MAP_STEPS_S[0]) {
                checks.push(rest(map.model, "once", case, outcome));
            } else if map.columns == MAP_COLUMNS[2] && case.bending_n_m == MAP_BENDING_N_M[3] {
                let what = format!("{}: failed runs", name(map.model, "once", case));
                let failed = f64::from(u8::from(outcome.failed));
                checks.push(Check::new(what, failed, Band::AtMost(0.0)));
            }
        }
    }
    let corner = corner.iter();
    checks.extend(corner.map(|(solve, case, outcome)| rest(MODELS[1].1, solve, case, outcome)));
    checks
}

/// The map as a picture.
pub fn figure(maps: &[Map]) -> Panel {
    let edges = |values: &[f64]| {
        let half = 0.5 * (values[1] / values[0]).log10();
        [
            values[0].log10() - half,
            values[values.len() - 1].log10() + half,
        ]
    };
    let mut panel = Panel::new(MAP_COLUMNS.len());
    for map in maps {
        let title = format!("{}, {} columns", map.model, map.columns);
        let unrest = map.cells.iter().map(|(_, outcome)| outcome.unrest_m_per_s);
        let heat = HeatMap::new(title, MAP_BENDING_N_M.len(), unrest.collect::<Vec<_>>())
            .x("log₁₀ B", "N·m", edges(&MAP_BENDING_N_M))
            .y("log₁₀ step", "s", edges(&MAP_STEPS_S))
            .z("unrest", "m/s")
            .z_range(1e-4, 1.0)
            .log_z();
        panel = panel.with(heat);
    }
    panel
}
