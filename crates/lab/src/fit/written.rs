//! A fit as a fabric that says of each number how it was found.

use super::{Readings, Rigidity, Stiffness};
use std::collections::BTreeMap;
use toile_io::fabric::{Drape, Fabric};

/// Stretch where it was not measured, N/m: cheap to solve, and hardly visible.
const STRETCH_N_PER_M: f64 = 2000.0;
/// Shear of a woven fabric of ordinary density, 1 gf/(cm·°), N/m.
const SHEAR_N_PER_M: f64 = 56.0;

/// The fabric of a fit; what was not measured is chosen, and says so.
pub fn fabric(
    readings: &Readings,
    bending: [Rigidity; 2],
    stretch: [Option<Stiffness>; 2],
) -> Fabric {
    let mut sources = BTreeMap::new();
    let mut say = |key: &str, source: String| sources.insert(key.to_owned(), source);
    say("area_density_kg_per_m2", "weighed".to_owned());
    for (key, rigidity, overhang) in [
        ("bending_n_m", bending[0], readings.overhang_m[0]),
        ("bending_weft_n_m", bending[1], readings.overhang_m[1]),
    ] {
        let [low, high] = rigidity.bounds_n_m;
        let source = format!(
            "cantilever: {:.1} mm at {}°, between {low:.2e} and {high:.2e} N·m",
            1e3 * overhang,
            readings.angle_deg
        );
        say(key, source);
    }
    for (key, own, other, name) in [
        ("stretch_n_per_m", stretch[0], stretch[1], "weft"),
        ("stretch_weft_n_per_m", stretch[1], stretch[0], "warp"),
    ] {
        let source = match (own, other) {
            (Some(line), _) => format!(
                "tensile test of {} points, {:.2} N/m off the line",
                line.points, line.residual_n_per_m
            ),
            (None, Some(_)) => format!("as along {name}, not measured"),
            (None, None) => "chosen for cheap solving, not measured".to_owned(),
        };
        say(key, source);
    }
    say("shear_n_per_m", "estimate by class: 1 gf/(cm·°)".to_owned());
    let slope = |own: Option<Stiffness>, other: Option<Stiffness>| {
        rounded(
            own.or(other)
                .map_or(STRETCH_N_PER_M, |line| line.stretch_n_per_m),
        )
    };
    Fabric {
        name: readings.name.clone(),
        description: "fitted from readings".to_owned(),
        fibre: None,
        used_for: None,
        area_density_kg_per_m2: rounded(readings.area_density_kg_per_m2),
        stretch_n_per_m: slope(stretch[0], stretch[1]),
        stretch_weft_n_per_m: Some(slope(stretch[1], stretch[0])),
        poisson: None,
        shear_n_per_m: SHEAR_N_PER_M,
        bending_n_m: rounded(bending[0].bending_n_m),
        bending_weft_n_m: Some(rounded(bending[1].bending_n_m)),
        bending_bias_n_m: None,
        thickness_m: 1e-3,
        friction: 0.3,
        drape: readings.drape_percent.map(|percent| Drape {
            min_percent: percent,
            max_percent: percent,
            source: "measured".to_owned(),
        }),
        source: "chosen, not measured".to_owned(),
        sources,
        table: None,
    }
}

/// To four digits: no ruler gives more.
fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}
