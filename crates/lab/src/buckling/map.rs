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

/// Strips that must come to rest. One that is left as fast as its ends were pushed has not.
pub fn checks(maps: &[Map], corner: &[(&str, Case, Outcome)]) -> Vec<Check> {
    let rest = |model: &str, solve: &str, (case, outcome): (&Case, &Outcome)| {
        let Case {
            columns,
            bending_n_m: b,
            step_s,
            ..
        } = case;
        let step = number(*step_s);
        Check::new(
            format!(
                "{model}, {solve}, {columns} columns, B = {b:e} N·m, step {step} s: unrest (m/s)"
            ),
            outcome.unrest_m_per_s,
            Band::AtMost(0.1),
        )
    };
    let mut checks = Vec::new();
    for map in maps {
        // A limp strip at a short step, in either model; the stiff, fine one at any step.
        let is_stiff = map.model == MODELS[1].1 && map.columns == MAP_COLUMNS[2];
        let is_checked = |case: &Case| {
            (case.bending_n_m, case.step_s) == (MAP_BENDING_N_M[1], MAP_STEPS_S[0])
                || is_stiff && case.bending_n_m == MAP_BENDING_N_M[3]
        };
        let cells = map.cells.iter().filter(|(case, _)| is_checked(case));
        checks.extend(cells.map(|(case, outcome)| rest(map.model, "once", (case, outcome))));
    }
    let corner = corner.iter();
    checks.extend(corner.map(|(solve, case, outcome)| rest(MODELS[1].1, solve, (case, outcome))));
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
