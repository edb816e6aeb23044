//! A disc of cloth on a round support, let down from level until it rests.
//!
//! The tester lowers the specimen's rim slowly. Cloth that is dropped folds while it is still
//! nearly flat, into as many folds as grow fastest, a dozen, and is then jammed between them; the
//! weight is therefore let on in stages, each twice the one before. Steps are large and solved by
//! Newton's method, whose line search only ever lowers the energy: only the rest state counts.

use super::shadow;
use crate::experiment::Error;
use crate::probe::Probe;
use crate::specimen::{self, GRAVITY};
use glam::{DVec2, DVec3};
use std::f64::consts::PI;
use std::sync::Arc;
use toile_geometry::{Flat, TriMesh, self_intersections};
use toile_sim::{
    AirSpec, ClothModel, ClothSpec, Cut, Integrator, Material, Model, ModelSpec, PinRegion,
    PinSpec, Preconditioner, Simulation, Solve, State, StepConfig,
};

/// Radius of the specimen, m.
pub const SPECIMEN_M: f64 = 0.15;
/// Radius of the discs it is held between, m.
pub const SUPPORT_M: f64 = 0.09;
/// Uneven heights that folds begin from, m.
pub const ROUGHNESS_M: f64 = 1e-4;
/// How far the points of the overhang are moved at random in the flat mesh, in shortest edges: so
/// much that no two seeds have the same triangles, so little that hinges stay as stiff as asked.
pub const JITTER: f64 = 0.1;
/// The golden angle, rad: however many discs are turned by its multiples, they lie evenly spread.
const GOLDEN_RAD: f64 = 2.399_963_229_728_653;
/// A fold stands out by this much from its neighbours, m.
pub const PROMINENCE_M: f64 = 2e-3;
/// Step, s.
pub const STEP_S: f64 = 0.1;
/// Newton iterations a step takes at most.
const NEWTON_ITERATIONS: u32 = 10;
/// Rate at which air takes motion away, 1/s.
pub const AIR_PER_S: f64 = 1.0;
/// At rest, nothing is faster than this, m/s, for some steps in a row.
pub const REST_M_PER_S: f64 = 1e-3;
const REST_STEPS: u32 = 5;
/// With part of the weight on, this is slow enough to let on more, m/s.
const CALM_M_PER_S: f64 = 1e-2;
/// What does not rest by then is measured as it is, s.
const PATIENCE_S: f64 = 20.0;

/// How a fabric is tested.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Rings of the disc; a multiple of five, so that one of them lies on the support's edge.
    pub rings: usize,
    /// The cloth's energies.
    pub model: ClothModel,
    /// Stages in which the weight is let on, each doubling it; 1 lets it fall.
    pub stages: u32,
}

/// A disc that has come to rest, or has not in the time it was given.
#[derive(Clone, Debug)]
pub struct Draped {
    /// The disc as it lies, m.
    pub mesh: TriMesh,
    /// Drape coefficient, per cent.
    pub coefficient: f64,
    /// How far the rim reaches, m.
    pub outline_m: Vec<f64>,
    /// How many folds it has.
    pub folds: usize,
    /// The fastest particle at the end, m/s.
    pub speed_m_per_s: f64,
    /// The largest static force on a free particle, in weights of that particle.
    pub force_left: f64,
    /// Pairs of faces that cross.
    pub crossings: usize,
}

/// The flat disc of a seed: its triangles lie differently to the threads, and differ themselves
/// beyond the support.
fn disc(rings: usize, seed: u64) -> Flat {
    let overhangs = |point: DVec2| point.length() > SUPPORT_M * (1.0 + 1e-9);
    Flat::disc(SPECIMEN_M, rings)
        .jittered_where(JITTER, seed, overhangs)
        .turned(seed as f64 * GOLDEN_RAD)
}

/// Drapes a fabric; `seed` chooses the mesh and the unevenness it starts with.
pub fn drape(material: &Material, setting: Setting, seed: u64) -> Result<Draped, Error> {
    let flat = disc(setting.rings, seed);
    let surface = Arc::new(flat.surface());
    let radius = |k: usize| flat.points[k].length();
    let held = (0..flat.points.len()).filter(|k| radius(*k) < SUPPORT_M * (1.0 + 1e-9));
    let held: Vec<u32> = held.map(|k| k as u32).collect();
    let mut cloth = ClothSpec::new("disc", Cut::Mesh(surface.clone()), *material);
    cloth.model = setting.model;
    cloth.pins.push(PinSpec::fixed(PinRegion::Indices(held)));

    let mut model = weighing(&cloth, 0.5_f64.powi(setting.stages as i32 - 1))?;
    let mut state = uneven(&model, seed);
    for stage in 1..setting.stages {
        state = settle(&model, state, CALM_M_PER_S, 1)?;
        model = weighing(&cloth, 0.5_f64.powi((setting.stages - 1 - stage) as i32))?;
    }
    let state = settle(&model, state, REST_M_PER_S, REST_STEPS)?;
    let mesh = TriMesh {
        positions: state.positions.clone(),
        faces: surface.mesh.faces.clone(),
    };
    let positions = &mesh.positions;
    // Points on the border are the last, one after the other.
    let border = flat.border();
    let rim: Vec<DVec3> = (positions.iter().zip(border))
        .filter_map(|(x, on_border)| on_border.then_some(*x))
        .collect();
    let outline_m = shadow::outline_m(&rim);
    // The specimen is the polygon that the disc's rim is.
    let coefficient = shadow::drape_coefficient(
        shadow::shadow_m2(positions, &mesh.faces),
        PI * SUPPORT_M * SUPPORT_M,
        flat.area_m2(),
    );
    Ok(Draped {
        coefficient,
        folds: shadow::folds(&outline_m, PROMINENCE_M),
        outline_m,
        speed_m_per_s: speed(&state),
        force_left: force_left(&model, positions),
        // Cloth does not meet cloth here.
        crossings: self_intersections(&mesh, 0).map_or(0, |findings| findings.count),
        mesh,
    })
}

/// Steps until nothing has been faster than a bound for some steps, or patience is at an end.
fn settle(
    model: &Arc<Model>,
    start: State,
    bound_m_per_s: f64,
    steps: u32,
) -> Result<State, Error> {
    let config = StepConfig {
        integrator: Integrator::BackwardEuler,
        solve: Solve::Newton,
        preconditioner: Preconditioner::Direct,
        newton_max_iterations: NEWTON_ITERATIONS,
        ..StepConfig::default()
    };
    let until_s = start.time_s + PATIENCE_S;
    let mut simulation = Simulation::new(model.clone(), config);
    simulation.restore(start);
    let mut calm = 0;
    while calm < steps && simulation.state().time_s < until_s {
        simulation.advance(STEP_S, STEP_S)?;
        let slow = speed(simulation.state()) < bound_m_per_s;
        calm = if slow { calm + 1 } else { 0 };
    }
    Ok(simulation.state().clone())
}

/// The fastest particle, m/s.
fn speed(state: &State) -> f64 {
    let speeds = state.velocities.iter().map(|v| v.length());
    speeds.fold(0.0, f64::max)
}

/// The disc with a share of its weight.
fn weighing(cloth: &ClothSpec, share: f64) -> Result<Arc<Model>, Error> {
    let model = Model::build(&ModelSpec {
        gravity_m_per_s2: DVec3::new(0.0, -share * GRAVITY, 0.0),
        air: AirSpec {
            damping_per_s: AIR_PER_S,
            wind: None,
        },
        cloths: vec![cloth.clone()],
        ..ModelSpec::default()
    })?;
    Ok(Arc::new(model))
}

/// The model's start with uneven heights.
fn uneven(model: &Model, seed: u64) -> State {
    let mut state = State::start(model);
    let mut random = specimen::noise(seed);
    for (particle, x) in (0..).zip(&mut state.positions) {
        let height = ROUGHNESS_M * random();
        if !model.pins.contains(&particle) {
            x.y += height;
        }
    }
    state
}

/// The largest static force on a free particle, in weights of that particle.
fn force_left(model: &Arc<Model>, x: &[DVec3]) -> f64 {
    let forces = Probe::new(model.clone()).force(x, &vec![DVec3::ZERO; x.len()]);
    let shares = forces.iter().zip(&model.masses).zip(0..);
    shares
        .filter(|(_, particle)| !model.pins.contains(particle))
        .map(|((force, mass), _)| force.length() / (mass * GRAVITY))
        .fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disc of ten rings whose weight number is Γ = ρ g (R − r)³/B.
    fn of_weight(gamma: f64) -> Draped {
        let density = 0.15;
        let rigidity = density * GRAVITY * (SPECIMEN_M - SUPPORT_M).powi(3) / gamma;
        let material = Material {
            area_density_kg_per_m2: density,
            stretch_warp_n_per_m: 500.0,
            stretch_weft_n_per_m: 500.0,
            shear_n_per_m: 20.0,
            bending_warp_n_m: rigidity,
            bending_weft_n_m: rigidity,
            ..Material::default()
        };
        let setting = Setting {
            rings: 10,
            model: ClothModel::BARAFF_WITKIN,
            stages: 4,
        };
        drape(&material, setting, 1).unwrap()
    }

    #[test]
    fn every_seed_has_a_mesh_of_its_own_held_by_the_same_circle() {
        let discs = [1, 2].map(|seed| disc(10, seed));
        assert_eq!(discs[0], disc(10, 1));
        for flat in &discs {
            let on_edge = |p: &&DVec2| (p.length() / SUPPORT_M - 1.0).abs() < 1e-12;
            assert_eq!(flat.points.iter().filter(on_edge).count(), 33);
            assert!(flat.smallest_angle_rad() > 0.5);
        }
        let radii = discs.map(|flat| flat.points.iter().map(|p| p.length()).collect::<Vec<_>>());
        let moved = radii[0].iter().zip(&radii[1]);
        let moved = moved.filter(|(a, b)| (*a - *b).abs() > 1e-6).count();
        assert!(moved > 100, "{moved}");
    }

    #[test]
    fn boards_stay_level_and_limp_cloth_hangs() {
        let discs = [0.03, 3.0, 15.0, 60.0, 2000.0].map(of_weight);
        for pair in discs.windows(2) {
            let [stiff, limp] = [&pair[0], &pair[1]].map(|disc| disc.coefficient);
            assert!(limp < stiff - 1.0, "{stiff} {limp}");
        }
        let [board, .., limp] = &discs;
        assert!((99.0..=100.01).contains(&board.coefficient), "{board:?}");
        assert_eq!(board.folds, 0);
        assert!(limp.coefficient < 35.0, "{}", limp.coefficient);
        assert!(limp.folds >= 4, "{}", limp.folds);
        for disc in &discs {
            assert!(disc.speed_m_per_s < REST_M_PER_S, "{disc:?}");
        }
    }
}
