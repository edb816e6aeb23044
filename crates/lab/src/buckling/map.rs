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

/// Where the map must show rest.
pub fn checks(maps: &[Map]) -> Vec<Check> {
    let mut checks = Vec::new();
    // A limp strip at a short step must come to rest in either model, and the stiff, fine one of
    // buckling links at any step: a strip that is left as fast as its ends were pushed has not.
    for map in maps {
        let limp = [(MAP_BENDING_N_M[1], MAP_STEPS_S[0])];
        let stiff = MAP_STEPS_S.map(|step_s| (MAP_BENDING_N_M[3], step_s));
        let is_corner = map.model == MODELS[1].1 && map.columns == MAP_COLUMNS[2];
        let stiff = if is_corner { &stiff[..] } else { &[] };
        for at in limp.iter().chain(stiff) {
            let cell = |(case, _): &&(Case, Outcome)| (case.bending_n_m, case.step_s) == *at;
            let unrest = map.cells.iter().find(cell);
            checks.push(Check::new(
                format!(
                    "{}, {} columns, B = {:e} N·m, step {} s: unrest (m/s)",
                    map.model,
                    map.columns,
                    at.0,
                    number(at.1)
                ),
                unrest.map_or(f64::NAN, |(_, outcome)| outcome.unrest_m_per_s),
                Band::AtMost(0.1),
            ));
        }
    }
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
