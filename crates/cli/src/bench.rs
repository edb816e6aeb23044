//! `toile bench`: seconds a frame, with the numbers that show the frame was worth it.

use crate::args::BenchArgs;
use crate::exit::{Failure, Outcome};
use serde_json::json;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;
use toile::geometry::TriMesh;
use toile::geometry::intersections::self_intersections;
use toile::io::obj::{self, Object};
use toile::io::state_hash;
use toile::lab::bench::{self, BenchScene};
use toile::run::threads;
use toile::sim::report::{Stretch, collider_penetration_m};
use toile::sim::{Model, Simulation, State};

/// Frames at which the mean height is printed.
const HEIGHT_FRAMES: [u64; 4] = [12, 18, 60, 120];

/// Particles along a side of the scene that is played before the one that is measured.
const WARM_UP_N: usize = 9;

/// Worst values over a run, and where its time went.
#[derive(Default)]
struct Result {
    frames: u64,
    steps: u64,
    wall_s: f64,
    cpu_s: Option<f64>,
    /// Memory that model and simulation added at the most.
    peak_bytes: Option<u64>,
    stretch: Stretch,
    penetration_m: f64,
    heights: Vec<(u64, f64)>,
    solves: u64,
    iterations: u64,
    iterations_max: u32,
    retries: u32,
    intersections_max: usize,
    touches_max: usize,
    caught: usize,
    guard_change_m: f64,
    guard_motion_m: f64,
    phases: toile::sim::report::Phases,
}

/// Measures a standard scene.
pub fn bench(args: &BenchArgs) -> Outcome {
    let model = bench::MODELS.iter().find(|(name, _)| *name == args.model);
    let (_, model) = model.ok_or_else(|| {
        Failure::input(format!(
            "there is no model `{}`: expected one of {}",
            args.model,
            bench::MODELS.map(|(name, _)| name).join(", ")
        ))
    })?;
    let scene = |n: usize| {
        bench::scene(&args.name, n, *model).ok_or_else(|| {
            Failure::input(format!(
                "there is no bench `{}`: expected one of {}",
                args.name,
                bench::NAMES.join(", ")
            ))
        })
    };
    let (small, scene) = (scene(WARM_UP_N)?, scene(args.n as usize)?);
    if !(args.seconds > 0.0 && args.seconds <= 3600.0) {
        return Err(Failure::input(format!(
            "--seconds {}: expected more than 0 and at most 3600",
            args.seconds
        )));
    }
    threads::with(Some(args.threads), |_| {
        warm_up(&small)?;
        measure(args, &scene)
    })?
}

/// Plays a frame of a small scene, so that the program itself is in memory before that of the particles
/// is counted.
fn warm_up(scene: &BenchScene) -> std::result::Result<(), Failure> {
    let model = Model::build(&scene.model).map_err(Failure::input)?;
    Simulation::new(Arc::new(model), scene.config)
        .advance(1.0 / bench::FPS, scene.max_step_s)
        .map_err(Failure::simulation)?;
    Ok(())
}

fn measure(args: &BenchArgs, scene: &BenchScene) -> Outcome {
    let mut last_peak = threads::peak_memory_bytes();
    let model = Arc::new(Model::build(&scene.model).map_err(Failure::input)?);
    let mut simulation = Simulation::new(model.clone(), scene.config);
    let mut result = Result::default();
    for frame in 1..=(args.seconds * bench::FPS).round().max(1.0) as u64 {
        let (clock, cpu) = (Instant::now(), threads::cpu_time_s());
        let steps = simulation
            .advance(1.0 / bench::FPS, scene.max_step_s)
            .map_err(Failure::simulation)?;
        result.wall_s += clock.elapsed().as_secs_f64();
        if let (Some(before), Some(after)) = (cpu, threads::cpu_time_s()) {
            *result.cpu_s.get_or_insert(0.0) += after - before;
        }
        // Whatever checks the frames has memory of its own, which is not the simulation's.
        if let (Some(before), Some(peak)) = (last_peak, threads::peak_memory_bytes()) {
            *result.peak_bytes.get_or_insert(0) += peak.saturating_sub(before);
        }
        result.frames = frame;
        result.steps += u64::from(steps.steps);
        result.solves += u64::from(steps.solver.solves);
        result.iterations += steps.solver.iterations;
        result.iterations_max = result.iterations_max.max(steps.solver.iterations_max);
        result.retries += steps.retries;
        result.touches_max = result.touches_max.max(steps.contact.touches_max);
        result.caught += steps.guard.caught;
        result.guard_change_m += steps.guard.change_m;
        result.guard_motion_m += steps.guard.motion_m;
        result.phases += &steps.phases;
        let state = simulation.state();
        let stretch = Stretch::of(&model, state);
        result.stretch.max = result.stretch.max.max(stretch.max);
        result.stretch.mean = result.stretch.mean.max(stretch.mean);
        result.stretch.p99 = result.stretch.p99.max(stretch.p99);
        result.penetration_m = result
            .penetration_m
            .max(collider_penetration_m(&model, state));
        result.intersections_max = result.intersections_max.max(intersections(&model, state)?);
        if HEIGHT_FRAMES.contains(&frame) {
            let sum: f64 = state.positions.iter().map(|p| p.y).sum();
            result
                .heights
                .push((frame, sum / state.positions.len() as f64));
        }
        last_peak = threads::peak_memory_bytes();
    }
    // What follows is not part of the measurement and needs memory of its own.
    let state = simulation.state().clone();
    drop(simulation);
    report(args, scene, (&model, &state), &result)
}

fn report(
    args: &BenchArgs,
    scene: &BenchScene,
    (model, state): (&Model, &State),
    result: &Result,
) -> Outcome {
    if let Some(path) = &args.obj {
        let object = Object {
            name: scene.name,
            positions: &state.positions,
            pattern: &model.pattern_positions(),
            faces: &model.mesh.faces,
        };
        obj::write(path, &[object]).map_err(Failure::input)?;
    }
    let per_frame = |s: f64| s / result.frames as f64;
    let per_solve = |all: f64| all / result.solves.max(1) as f64;
    let iterations_mean = per_solve(result.iterations as f64);
    let particles = model.particles() as f64;
    let bytes_per_particle = result.peak_bytes.map(|bytes| bytes as f64 / particles);
    let within = result.stretch.p99 <= bench::STRETCH_P99_LIMIT
        && result.stretch.max <= bench::STRETCH_MAX_LIMIT;
    if args.json {
        let heights: serde_json::Map<String, serde_json::Value> = result
            .heights
            .iter()
            .map(|(frame, height)| (frame.to_string(), json!(height)))
            .collect();
        let value = json!({
            "bench": scene.name,
            "model": args.model,
            "n": args.n,
            "frames": result.frames,
            "steps": result.steps,
            "threads": args.threads,
            "wall_s_per_frame": per_frame(result.wall_s),
            "cpu_s_per_frame": result.cpu_s.map(per_frame),
            "bytes_per_particle": bytes_per_particle,
            "phase_s_per_frame": {
                "assembly": per_frame(result.phases.assembly_s),
                "solve": per_frame(result.phases.solve_s),
                "contact": per_frame(result.phases.contact_s),
            },
            "triangles": model.mesh.faces.len(),
            "solves": result.solves,
            "assembly_s_per_solve": per_solve(result.phases.assembly_s),
            "pcg_iterations_mean": iterations_mean,
            "pcg_iterations_max": result.iterations_max,
            "retries": result.retries,
            "stretch_max": result.stretch.max,
            "stretch_mean": result.stretch.mean,
            "stretch_p99": result.stretch.p99,
            "within_limits": within,
            "collider_penetration_max_m": result.penetration_m,
            "self_intersections_max": result.intersections_max,
            "touches_max": result.touches_max,
            "caught": result.caught,
            "guard_share_of_motion": result.guard_change_m / result.guard_motion_m.max(f64::MIN_POSITIVE),
            "mean_height_m": heights,
            "state_hash": state_hash(&state.positions, &state.velocities),
        });
        println!("{value:#}");
        return Ok(ExitCode::SUCCESS);
    }
    println!(
        "{} {n}×{n}: {} frames, {} thread(s)",
        scene.name,
        result.frames,
        args.threads,
        n = args.n
    );
    println!(
        "  {:.5} s wall, {:.5} s CPU a frame (assembly {:.5}, solve {:.5}, contact {:.5})",
        per_frame(result.wall_s),
        result.cpu_s.map_or(f64::NAN, per_frame),
        per_frame(result.phases.assembly_s),
        per_frame(result.phases.solve_s),
        per_frame(result.phases.contact_s),
    );
    println!(
        "  {iterations_mean:.1} iterations a solve, at most {}; {:.2} kB a particle",
        result.iterations_max,
        bytes_per_particle.map_or(f64::NAN, |bytes| 1e-3 * bytes),
    );
    println!(
        "  stretch at most {:.2} %, 99th percentile {:.2} %: {} the limits of {} % and {} %",
        100.0 * result.stretch.max,
        100.0 * result.stretch.p99,
        if within { "within" } else { "OUTSIDE" },
        100.0 * bench::STRETCH_MAX_LIMIT,
        100.0 * bench::STRETCH_P99_LIMIT,
    );
    println!(
        "  penetration {:.2e} m, {} intersecting pairs in a frame at most",
        result.penetration_m, result.intersections_max
    );
    if result.guard_motion_m > 0.0 {
        println!(
            "  {} contacts of cloth with cloth at most; the guard caught {} pairs and changed {:.4} % \
             of the motion",
            result.touches_max,
            result.caught,
            100.0 * result.guard_change_m / result.guard_motion_m
        );
    }
    for (frame, height) in &result.heights {
        println!("  mean height after {frame} frames: {height:.4} m");
    }
    Ok(ExitCode::SUCCESS)
}

/// Pairs of faces that meet.
fn intersections(model: &Model, state: &State) -> std::result::Result<usize, Failure> {
    let mesh = TriMesh {
        positions: state.positions.clone(),
        faces: model.mesh.faces.clone(),
    };
    let found = self_intersections(&mesh, 0).map_err(Failure::simulation)?;
    Ok(found.count)
}
