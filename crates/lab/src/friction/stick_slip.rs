//! A strip that stands on a floor and is pressed down: when its foot slips.
//!
//! It is clamped upright at its upper end, which comes down slowly; the lower end stands on the floor
//! like a hinge and is held in place by friction alone. Nothing has weight. The elastica says how much
//! friction that takes at each shortening.

use crate::experiment::Error;
use crate::strip::{self, Kind, Mesh, Strip};
use glam::{DVec2, DVec3};
use std::f64::consts::{SQRT_2, TAU};
use std::sync::Arc;
use toile_sim::colliders::Shape;
use toile_sim::{
    AirSpec, ColliderSpec, Integrator, Interpolation, Keyframe, Keyframes, Material, Model,
    ModelSpec, Motion, PinHold, Preconditioner, Simulation, Solve, StepConfig,
};

const LENGTH_M: f64 = 0.1;
const SPACING_M: f64 = 0.005;
const WIDTH_M: f64 = 0.01;
const RIGIDITY_N_M: f64 = 1e-4;
/// Two rows are held, and the bend between the second and the first free one begins half-way to it.
const FREE_M: f64 = LENGTH_M - 0.5 * SPACING_M;
/// Time in which the upper end comes down, s: it begins and ends at rest, as the first load would
/// otherwise be a blow.
const PRESSED_S: f64 = 40.0;
const STEP_S: f64 = 0.01;
/// It starts with a bulge of this height in the middle, so that it knows which way to bend.
const CAMBER_M: f64 = 1e-4;
/// How far the floor reaches beyond the foot, m.
const EDGE_M: f64 = 2e-4;
/// A foot that has moved this far has slipped, m.
const SLIPPED_M: f64 = 1e-3;

/// Shortening at which the foot slips with each friction, by the elastica.
pub const THEORY: [[f64; 2]; 4] = [[0.05, 0.1035], [0.10, 0.1528], [0.20, 0.238], [0.40, 0.434]];

/// What was seen.
pub struct Slipped {
    /// Shortening at which the foot had slipped; nothing if it never did.
    pub shortening: Option<f64>,
    /// Way of the foot at each shortening, m.
    pub history: Vec<[f64; 2]>,
}

/// Presses a strip down on a floor with this friction, to at most `until`.
pub fn press(friction: f64, until: f64) -> Result<Slipped, Error> {
    let flat = Strip {
        kind: Kind::BARAFF_WITKIN.on(Mesh::Alternating),
        size_m: DVec2::new(WIDTH_M, LENGTH_M),
        spacing_m: SPACING_M,
        across: DVec3::Z,
        along: DVec3::Y,
        grain_rad: 0.0,
    };
    let material = Material {
        bending_warp_n_m: RIGIDITY_N_M,
        bending_weft_n_m: RIGIDITY_N_M,
        // The load of buckling shortens it by 0.01 %.
        stretch_warp_n_per_m: 2e3,
        stretch_weft_n_per_m: 2e3,
        ..Material::default()
    };
    let mut cloth = flat.cloth(material);
    let mut foot = Vec::new();
    if let toile_sim::Cut::Mesh(surface) = &mut cloth.cut {
        let surface = Arc::make_mut(surface);
        for (i, x) in surface.mesh.positions.iter_mut().enumerate() {
            let along = flat.arc_m(*x);
            if along < 1e-9 {
                foot.push(i);
            }
            x.x = 0.5 * CAMBER_M * (1.0 - (TAU * along / LENGTH_M).cos());
            x.y = along;
        }
    }
    // Two rows hold the direction.
    let clamped = |x: DVec3| x.y > LENGTH_M - 1.5 * SPACING_M;
    let mut cloth = strip::held(cloth, PinHold::All, clamped);
    cloth.rest_angles.as_started = true;
    let pressed = Keyframe {
        time_s: PRESSED_S,
        offset_m: DVec3::NEG_Y * (until * FREE_M),
        ..Keyframe::START
    };
    cloth.pins[0].motion = Motion::Keyframes(Keyframes {
        keys: vec![pressed],
        pivot: None,
        interpolation: Interpolation::Smooth,
    });
    let floor = ledge();
    let spec = ModelSpec {
        air: AirSpec {
            damping_per_s: 5.0,
            ..AirSpec::default()
        },
        cloths: vec![cloth],
        colliders: vec![ColliderSpec::new(floor, friction)],
        ..ModelSpec::default()
    };
    let config = StepConfig {
        integrator: Integrator::BackwardEuler,
        solve: Solve::Newton,
        // Reactions decide what slips, and here they are small beside what the strip could bear.
        newton_tolerance: 1e-9,
        newton_max_iterations: 60,
        linear_tolerance: 1e-9,
        preconditioner: Preconditioner::Direct,
        ..StepConfig::default()
    };
    let mut simulation = Simulation::new(Arc::new(Model::build(&spec)?), config);
    let mut found = Slipped {
        shortening: None,
        history: Vec::new(),
    };
    let head = (0..simulation.state().positions.len())
        .max_by(|i, j| {
            let x = &simulation.state().positions;
            x[*i].y.total_cmp(&x[*j].y)
        })
        .unwrap_or_default();
    let top = simulation.state().positions[head].y;
    while found.shortening.is_none() && simulation.state().time_s < PRESSED_S {
        simulation.step(STEP_S)?;
        let state = simulation.state();
        let shortening = (top - state.positions[head].y) / FREE_M;
        let way = foot.iter().map(|i| state.positions[*i].x).sum::<f64>() / foot.len() as f64;
        found.history.push([shortening, way]);
        if way.abs() > SLIPPED_M {
            found.shortening = Some(shortening);
        }
    }
    Ok(found)
}

/// The floor ends just beyond the foot: bent far, the strip comes to lie lower than it stands, and there
/// a whole floor would hold it. Particles keep a distance from its edge, so it is lower by as much.
fn ledge() -> Shape {
    let floor = |top_m: f64| {
        let [from, to] = [-0.1, 0.1].map(|z| DVec3::new(EDGE_M, top_m, z));
        let from = from - DVec3::new(0.1, 0.1, 0.0);
        Shape::Cuboid {
            center: 0.5 * (from + to),
            size_m: to - from,
            radius_m: 0.0,
        }
    };
    let kept_m = floor(0.0).sagitta_m(SPACING_M * SQRT_2) + Material::default().thickness_m;
    floor(-kept_m)
}
