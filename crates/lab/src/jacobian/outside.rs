//! Forces from outside: air, wind and soft pins.

use super::{Line, SHIFT_M_PER_S, SIDE, SPACING_M, by_position, stiffness, still_only};
use crate::experiment::Error;
use crate::jacobian::dense::{combine, differences, zeros};
use crate::probe::Probe;
use crate::specimen;
use glam::DVec3;
use std::sync::Arc;
use toile_sim::{AirSpec, Model, ModelSpec, PinHold, PinRegion, PinSpec, WindSpec};

/// Air and wind.
pub fn air_lines(x: &[DVec3], v: &[DVec3]) -> Result<Vec<Line>, Error> {
    let mut lines = Vec::new();
    let wind = WindSpec {
        velocity_m_per_s: DVec3::new(1.0, 2.0, -0.5),
        ..WindSpec::default()
    };
    for (force, air) in [
        (
            "air damping",
            AirSpec {
                damping_per_s: 3.0,
                wind: None,
            },
        ),
        (
            "wind",
            AirSpec {
                damping_per_s: 0.0,
                wind: Some(wind),
            },
        ),
    ] {
        let mut probe = Probe::new(Arc::new(Model::build(&ModelSpec {
            air,
            cloths: vec![specimen::sheet(SIDE, SIDE, SPACING_M, still_only())],
            ..ModelSpec::default()
        })?));
        let frozen = differences(v, SHIFT_M_PER_S, |moved| probe.frozen_force(x, v, moved));
        let whole = differences(v, SHIFT_M_PER_S, |moved| probe.force(x, moved));
        let (_, built) = stiffness(&mut probe, x, v);
        let named = combine(&whole, -1.0, &frozen);
        let dropped = if air.wind.is_some() {
            "change of the coefficients with v"
        } else {
            "nothing"
        };
        lines.push(Line::compare(
            (force, "∂f/∂v", dropped),
            &built,
            &whole,
            &named,
        ));
    }
    Ok(lines)
}

/// Soft pins.
pub fn soft_pin_line(x: &[DVec3], v: &[DVec3]) -> Result<Line, Error> {
    let mut sheet = specimen::sheet(SIDE, SIDE, SPACING_M, still_only());
    for (index, hold) in [
        (0, PinHold::All),
        (5, PinHold::Normal(DVec3::new(1.0, 2.0, 0.5))),
    ] {
        sheet.pins.push(PinSpec {
            hold,
            soft_n_per_m: Some(40.0),
            ..PinSpec::fixed(PinRegion::Indices(vec![index]))
        });
    }
    let mut probe = Probe::new(specimen::model(sheet, 0.0)?);
    let measured = by_position(&mut probe, x, v);
    let built = stiffness(&mut probe, x, v).0;
    Ok(Line::compare(
        ("soft pins", "∂f/∂x", "nothing"),
        &built,
        &measured,
        &zeros(x.len()),
    ))
}
