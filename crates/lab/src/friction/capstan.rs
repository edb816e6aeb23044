//! A strip over a drum that turns: how many times more one end pulls than the other.
//!
//! Both ends are held and nothing has weight. The drum drags the strip until all of it slips; then one
//! end pulls `e^{μθ}` times as much as the other, `θ` being the angle of wrap.

use crate::experiment::Error;
use crate::probe::Probe;
use crate::strip::{Kind, Mesh, Strip};
use glam::{DVec2, DVec3};
use std::f64::consts::{FRAC_PI_2, PI};
use std::sync::Arc;
use toile_sim::colliders::Shape;
use toile_sim::{
    AirSpec, ClothSpec, ColliderSpec, Cut, Interpolation, Keyframe, Keyframes, Material, Model,
    ModelSpec, Motion, PinRegion, PinSpec, Preconditioner, Simulation, Solve, StepConfig,
};

const RADIUS_M: f64 = 0.1;
const SPACING_M: f64 = 0.02;
const WIDTH_M: f64 = 0.04;
/// Length of each of the two straight ends, m.
const END_M: f64 = 0.1;
/// The strip starts this far from the drum, m, and is then drawn tight.
const CLEARANCE_M: f64 = 0.004;
/// Strain of the strip then. What sticks for one step is stretched by as much as the drum turns in it:
/// that must be little beside what friction can hold, `μ` strain spacing²/radius.
const STRAIN: f64 = 0.1;
/// How long that takes, and how long and fast the drum then turns.
const TIGHTENED_S: f64 = 5.0;
const TURNED_S: f64 = 100.0;
const TURN_RAD: f64 = 0.6;
const STEP_S: f64 = 1.0 / 60.0;

/// What was measured.
pub struct Capstan {
    /// Ratio of the forces at the ends, mean of the last quarter of the turn.
    pub ratio: f64,
    /// Its lowest and highest value in that time.
    pub range: [f64; 2],
    /// Angle of wrap at the end: half a turn and a little, as the strip keeps its distance.
    pub wrap_rad: f64,
    /// The ratio at each moment of the turn.
    pub history: Vec<[f64; 2]>,
}

/// Turns the drum under a strip with this friction.
pub fn turn(friction: f64) -> Result<Capstan, Error> {
    let (cloth, ends) = strip();
    let rest = Keyframe {
        time_s: TIGHTENED_S,
        ..Keyframe::START
    };
    let turned = Keyframe {
        time_s: TIGHTENED_S + TURNED_S,
        rotation_rad: DVec3::new(0.0, 0.0, TURN_RAD),
        ..Keyframe::START
    };
    let drum = ColliderSpec {
        motion: Motion::Keyframes(Keyframes {
            keys: vec![rest, turned],
            pivot: Some(DVec3::ZERO),
            interpolation: Interpolation::Linear,
        }),
        ..ColliderSpec::new(
            // Its round ends are far away.
            Shape::Capsule {
                from: DVec3::NEG_Z * WIDTH_M,
                to: DVec3::Z * WIDTH_M,
                radius_m: RADIUS_M,
            },
            friction,
        )
    };
    let model = Arc::new(Model::build(&ModelSpec {
        air: AirSpec {
            damping_per_s: 20.0,
            ..AirSpec::default()
        },
        cloths: vec![cloth],
        colliders: vec![drum],
        ..ModelSpec::default()
    })?);
    let config = StepConfig {
        solve: Solve::Newton,
        newton_tolerance: 1e-9,
        newton_max_iterations: 60,
        linear_tolerance: 1e-9,
        preconditioner: Preconditioner::Direct,
        ..StepConfig::default()
    };
    let mut probe = Probe::new(model.clone());
    let mut simulation = Simulation::new(model, config);
    let mut history = Vec::new();
    let still = vec![DVec3::ZERO; simulation.state().positions.len()];
    while simulation.state().time_s < TIGHTENED_S + TURNED_S - 0.5 * STEP_S {
        simulation.step(STEP_S)?;
        let state = simulation.state();
        if state.time_s > TIGHTENED_S {
            let force = probe.force(&state.positions, &still);
            let pull = |end: &[u32]| {
                let sum: DVec3 = end.iter().map(|i| force[*i as usize]).sum();
                sum.length()
            };
            let [left, right] = [&ends[0], &ends[1]].map(|end| pull(end));
            // The drum turns to the left and draws the right end up.
            history.push([state.time_s - TIGHTENED_S, right / left]);
        }
    }
    let force = probe.force(&simulation.state().positions, &still);
    let [left, right] = [&ends[0], &ends[1]].map(|end| -> DVec3 {
        let pulls = end.iter().map(|i| force[*i as usize]);
        pulls.sum::<DVec3>().normalize_or_zero()
    });
    let last = &history[history.len() * 3 / 4..];
    let ratios = || last.iter().map(|p| p[1]);
    Ok(Capstan {
        ratio: ratios().sum::<f64>() / last.len() as f64,
        range: [
            ratios().fold(f64::INFINITY, f64::min),
            ratios().fold(f64::NEG_INFINITY, f64::max),
        ],
        wrap_rad: wrap_rad(left, right),
        history,
    })
}

/// Angle by which a strip turns whose ends are pulled up in these directions.
fn wrap_rad(left: DVec3, right: DVec3) -> f64 {
    // Ends that lean towards each other enclose more than half a turn.
    let lean = |up: DVec3, inwards: f64| (inwards * up.x).atan2(up.y);
    PI - lean(left, 1.0) - lean(right, -1.0)
}

/// The strip around the drum with both ends straight down, and the particles of the left and of the
/// right end, which are drawn down.
fn strip() -> (ClothSpec, [Vec<u32>; 2]) {
    let radius = RADIUS_M + CLEARANCE_M;
    let arc = PI * radius;
    let flat = Strip {
        kind: Kind::BARAFF_WITKIN.on(Mesh::Alternating),
        size_m: DVec2::new(WIDTH_M, 2.0 * END_M + arc),
        spacing_m: SPACING_M,
        across: DVec3::Z,
        along: DVec3::X,
        grain_rad: 0.0,
    };
    let mut cloth = flat.cloth(Material {
        bending_warp_n_m: 1e-6,
        bending_weft_n_m: 1e-6,
        ..Material::default()
    });
    let mut ends = [Vec::new(), Vec::new()];
    if let Cut::Mesh(surface) = &mut cloth.cut {
        let surface = Arc::make_mut(surface);
        for (i, x) in surface.mesh.positions.iter_mut().enumerate() {
            let along = flat.arc_m(*x);
            if along < 1e-9 {
                ends[0].push(i as u32);
            } else if along > flat.size_m.y - 1e-9 {
                ends[1].push(i as u32);
            }
            *x = wrapped(along - 0.5 * flat.size_m.y, x.z, radius);
        }
    }
    let drawn = Keyframe {
        time_s: TIGHTENED_S,
        // Half the circumference is shorter by π times the clearance; the rest stretches the strip.
        offset_m: DVec3::NEG_Y * (FRAC_PI_2 * CLEARANCE_M + 0.5 * STRAIN * flat.size_m.y),
        ..Keyframe::START
    };
    for end in &ends {
        cloth.pins.push(PinSpec {
            motion: Motion::Keyframes(Keyframes {
                keys: vec![drawn],
                pivot: None,
                interpolation: Interpolation::Smooth,
            }),
            ..PinSpec::fixed(PinRegion::Indices(end.clone()))
        });
    }
    (cloth, ends)
}

/// The place of a point that is `along` from the top.
fn wrapped(along: f64, z: f64, radius: f64) -> DVec3 {
    let angle = (along / radius).clamp(-FRAC_PI_2, FRAC_PI_2);
    let straight = along.abs() - FRAC_PI_2 * radius;
    DVec3::new(
        radius * angle.sin(),
        radius * angle.cos() - straight.max(0.0),
        z,
    )
}

/// Ratio by the law of the capstan.
pub fn theory(friction: f64, wrap_rad: f64) -> f64 {
    (friction * wrap_rad).exp()
}

/// Ratio that a polygon of the strip's edges around the drum has: at every corner the force along
/// it jumps by the friction of what presses there.
pub fn polygon(friction: f64, wrap_rad: f64) -> f64 {
    let turn = SPACING_M / RADIUS_M;
    let corner = friction * (0.5 * turn).tan();
    ((1.0 + corner) / (1.0 - corner)).powf(wrap_rad / turn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_polygon_is_nearly_a_circle() {
        for friction in [0.1, 0.3, 0.5] {
            let share = polygon(friction, PI) / theory(friction, PI) - 1.0;
            assert!(share > 0.0 && share < 0.01, "{share}");
        }
    }

    #[test]
    fn straight_ends_are_half_a_turn_and_narrow_ones_more() {
        assert!((wrap_rad(DVec3::Y, DVec3::Y) - PI).abs() < 1e-15);
        let (left, right) = (DVec3::new(-0.1, 1.0, 0.0), DVec3::new(0.1, 1.0, 0.0));
        assert!((wrap_rad(left, right) - PI - 2.0 * 0.1_f64.atan()).abs() < 1e-12);
    }

    #[test]
    fn the_strip_starts_around_the_drum() {
        let (cloth, ends) = strip();
        assert!(ends.iter().all(|end| end.len() == 3));
        let least = cloth
            .positions()
            .iter()
            .filter(|x| x.y > 0.0)
            .map(|x| x.truncate().length())
            .fold(f64::INFINITY, f64::min);
        assert!((least - RADIUS_M - CLEARANCE_M).abs() < 1e-9);
    }
}
