//! Keeping count: a row of metrics a frame, and the report at the end.

use super::proof::Crossings;
use crate::threads;
use std::time::{Duration, Instant};
use toile_geometry::levelset::Storage;
use toile_io::report::{self, Contact, Guarantee, LevelSetField};
use toile_io::{FrameMetrics, Report, Scene, state_hash};
use toile_sim::colliders::Shape;
use toile_sim::constraints::stick::{Bond, Stick};
use toile_sim::report::{
    Energy, Phases, Sticking, Stretch, collider_penetration_m, level_set_crossings,
};
use toile_sim::{Form, FrameReport, Model, Simulation};

/// Numbers of a run so far. Counts and worst values include the frames of a resumed run's first part.
pub struct Tally {
    rows: Vec<FrameMetrics>,
    /// What sticks in the last frame.
    bonds: Vec<Bond>,
    /// What was done for a frame that failed, if one did.
    unfinished: Option<FrameMetrics>,
    phases: Phases,
    metrics_s: f64,
    /// Time for exact intersection tests between steps, s.
    pub verify_s: f64,
    /// Time the simulation waited for those who receive its frames, s.
    pub waiting_for_outputs_s: f64,
    simulated_frames: u64,
    stepping_s: f64,
}

impl Tally {
    /// Goes on after these rows, where the simulation is now.
    pub fn new(simulation: &Simulation, rows: Vec<FrameMetrics>) -> Self {
        Self {
            rows,
            bonds: simulation.state().bonds.clone(),
            unfinished: None,
            phases: Phases::default(),
            metrics_s: 0.0,
            verify_s: 0.0,
            waiting_for_outputs_s: 0.0,
            simulated_frames: 0,
            stepping_s: 0.0,
        }
    }

    /// Adds the start, to which no step led.
    pub fn start(&mut self, simulation: &Simulation, crossings: Crossings) -> FrameMetrics {
        let row = self.frame(
            simulation,
            &FrameReport::default(),
            crossings,
            Duration::ZERO,
        );
        self.simulated_frames = 0;
        row
    }

    /// Adds a frame.
    pub fn frame(
        &mut self,
        simulation: &Simulation,
        steps: &FrameReport,
        crossings: Crossings,
        wall: Duration,
    ) -> FrameMetrics {
        let clock = Instant::now();
        let (model, state) = (simulation.model(), simulation.state());
        let stretch = Stretch::of(model, state);
        let energy = Energy::of(model, state);
        let sticking = Sticking::between(model, &self.bonds, &state.bonds);
        self.bonds.clone_from(&state.bonds);
        let heights = state.positions.iter().map(|p| p.y);
        let row = FrameMetrics {
            frame: self.rows.len() as u64,
            time_s: state.time_s,
            stretch_max: stretch.max,
            stretch_mean: stretch.mean,
            stretch_p99: stretch.p99,
            self_intersections: crossings.own,
            collider_penetration_m: collider_penetration_m(model, state),
            kinetic_j: energy.kinetic_j,
            elastic_j: energy.elastic_j,
            gravitational_j: energy.gravitational_j,
            mean_height_m: heights.clone().sum::<f64>() / state.positions.len() as f64,
            lowest_height_m: heights.fold(f64::INFINITY, f64::min),
            wall_s: wall.as_secs_f64(),
            body_intersections: crossings.with_bodies,
            stuck: sticking.stuck as u64,
            stuck_attached: sticking.attached as u64,
            stuck_released: sticking.released as u64,
            // Where crossings are looked for at all.
            level_set_intersections: (crossings.own)
                .and_then(|_| level_set_crossings(model, state))
                .map(|count| count as u64),
            ..work(steps)
        };
        self.rows.push(row.clone());
        self.simulated_frames += 1;
        self.phases += &steps.phases;
        self.stepping_s += steps.phases.total_s - steps.phases.verify_s;
        self.metrics_s += clock.elapsed().as_secs_f64();
        row
    }

    /// Adds what was done for a frame that failed.
    pub fn failed_frame(&mut self, steps: &FrameReport) {
        self.unfinished = Some(work(steps));
        self.phases += &steps.phases;
    }

    /// All frames, and what was done for one that failed.
    fn work(&self) -> impl Iterator<Item = &FrameMetrics> + Clone {
        self.rows.iter().chain(&self.unfinished)
    }

    /// A row a frame.
    pub fn rows(&self) -> &[FrameMetrics] {
        &self.rows
    }

    /// The report of the run; wall time, ending and what proofs say and take are the caller's.
    pub fn report(&self, simulation: &Simulation, scene: &Scene) -> Report {
        let (model, state) = (simulation.model(), simulation.state());
        let worst = |of: fn(&FrameMetrics) -> f64| self.rows.iter().map(of).fold(0.0, f64::max);
        let most = |of: fn(&FrameMetrics) -> u64| self.work().map(of).max().unwrap_or(0);
        let sum = |of: fn(&FrameMetrics) -> u64| self.work().map(of).sum();
        let (form, fallback) = Form::of(model, &scene.config);
        let phases = [
            ("assembly", self.phases.assembly_s),
            ("solve", self.phases.solve_s),
            ("contact", self.phases.contact_s),
            ("contact_proximity", self.phases.proximity_s),
            ("contact_guard", self.phases.guard_s),
            ("metrics", self.metrics_s),
            ("verify", self.verify_s + self.phases.verify_s),
            ("waiting_for_outputs", self.waiting_for_outputs_s),
        ];
        Report {
            toile_version: env!("CARGO_PKG_VERSION").to_owned(),
            scene: scene.name.clone(),
            frames: self.rows.len().saturating_sub(1) as u64,
            steps: state.steps,
            particles: model.particles() as u64,
            triangles: model.mesh.faces.len() as u64,
            threads: rayon::current_num_threads() as u64,
            wall_s: 0.0,
            wall_s_per_frame: self.stepping_s / self.simulated_frames.max(1) as f64,
            cpu_s: threads::cpu_time_s(),
            memory_peak_bytes: threads::peak_memory_bytes(),
            phase_s: phases
                .into_iter()
                .map(|(name, s)| (name.to_owned(), s))
                .collect(),
            solver: form.name().to_owned(),
            solver_fallback: fallback.map(|why| why.to_string()),
            solves: sum(|row| row.solves),
            unconverged_solves: sum(|row| row.unconverged_solves),
            pcg_iterations_mean: self.iterations_mean(),
            pcg_iterations_max: most(|row| row.pcg_iterations_max),
            stretch_max: worst(|row| row.stretch_max),
            stretch_mean: worst(|row| row.stretch_mean),
            stretch_p99: worst(|row| row.stretch_p99),
            self_intersections_max: self.intersections_max(|row| row.self_intersections),
            body_intersections_max: self.intersections_max(|row| row.body_intersections),
            level_set_intersections_max: self.intersections_max(|row| row.level_set_intersections),
            start_intersections: self.rows.first().and_then(|row| row.self_intersections),
            start_body_intersections: self.rows.first().and_then(|row| row.body_intersections),
            body_self_intersections: 0,
            clean_from_frame: self.clean_from_frame(),
            contact: (scene.config.contact.is_some()
                || !model.bodies.is_empty()
                || meets_level_sets(model))
            .then(|| self.contact(model)),
            sticking: self.sticking(model),
            written: None,
            level_sets: level_sets(model, state.time_s),
            collider_penetration_max_m: worst(|row| row.collider_penetration_m),
            contacts_max: most(|row| row.contacts),
            energy_drift: energy_drift(&self.rows),
            retries: self.work().map(|row| row.retries).sum(),
            finite: state
                .positions
                .iter()
                .chain(&state.velocities)
                .all(|v| v.is_finite()),
            state_hash: state_hash(&state.positions, &state.velocities),
            notes: scene.notes.clone(),
            interrupted: false,
            error: None,
        }
    }

    /// The mean over all solves.
    fn iterations_mean(&self) -> f64 {
        // A row has the quotient of two whole numbers, of which one is given back exactly.
        let iterations = |row: &FrameMetrics| row.pcg_iterations_mean * row.solves as f64;
        let iterations: f64 = self.work().map(|row| iterations(row).round()).sum();
        mean(iterations as u64, self.work().map(|row| row.solves).sum())
    }

    /// The worst of all frames. That none was found says something only if all were checked.
    fn intersections_max(&self, of: fn(&FrameMetrics) -> Option<u64>) -> Option<u64> {
        let all = self.rows.iter().all(|row| of(row).is_some());
        let counts = self.rows.iter().filter_map(of);
        counts.max().filter(|most| all || *most > 0)
    }

    /// The frame after the last one in which something crosses.
    fn clean_from_frame(&self) -> Option<u64> {
        self.rows.first()?.self_intersections?;
        let crosses = |row: &FrameMetrics| {
            let counts = [row.self_intersections, row.body_intersections];
            counts.iter().flatten().any(|n| *n > 0)
        };
        let clean = self.rows.iter().rposition(crosses).map_or(0, |k| k + 1);
        self.rows.get(clean).map(|row| row.frame)
    }

    fn contact(&self, model: &Model) -> Contact {
        let sum = |of: fn(&FrameMetrics) -> f64| self.work().map(of).sum::<f64>();
        let count = |of: fn(&FrameMetrics) -> u64| self.work().map(of).sum::<u64>();
        let most = |of: fn(&FrameMetrics) -> u64| self.work().map(of).max().unwrap_or(0);
        let shares = self.work().map(|row| row.guard_motion_removed);
        let let_through_max = most(|row| row.contact_let_through);
        Contact {
            guarantee: match (meets_level_sets(model), let_through_max) {
                (true, _) => Guarantee::Off,
                (false, 0) => Guarantee::On,
                (false, _) => Guarantee::Lapsed,
            },
            let_through_max,
            pairs_max: most(|row| row.contact_pairs),
            touches_max: most(|row| row.contact_touches),
            pinched_max: most(|row| row.contact_pinched),
            impacts: count(|row| row.contact_impacts),
            guard_caught: count(|row| row.guard_caught),
            guard_particles: count(|row| row.guard_particles),
            guard_stopped: count(|row| row.guard_stopped),
            guard_motion_removed: share(
                sum(|row| row.guard_change_m),
                sum(|row| row.guard_motion_m),
            ),
            guard_motion_removed_max: shares.fold(0.0, f64::max),
            guard_energy_j: sum(|row| row.guard_energy_j),
            guard_momentum_n_s: sum(|row| row.guard_momentum_n_s),
        }
    }

    fn sticking(&self, model: &Model) -> Option<report::Sticking> {
        let sticks = |stick: &Stick| !stick.particles.is_empty();
        let sum = |of: fn(&FrameMetrics) -> u64| self.rows.iter().map(of).sum();
        model.sticks.iter().any(sticks).then(|| report::Sticking {
            stuck_max: self.rows.iter().map(|row| row.stuck).max().unwrap_or(0),
            stuck_last: self.rows.last().map_or(0, |row| row.stuck),
            attached: sum(|row| row.stuck_attached),
            released: sum(|row| row.stuck_released),
        })
    }
}

/// What steps did, as a row that says nothing of where they led.
fn work(steps: &FrameReport) -> FrameMetrics {
    FrameMetrics {
        steps: u64::from(steps.steps),
        retries: u64::from(steps.retries),
        solves: u64::from(steps.solver.solves),
        unconverged_solves: u64::from(steps.solver.unconverged_solves),
        contacts: steps.contact.contacts_max as u64,
        pcg_iterations_mean: mean(steps.solver.iterations, u64::from(steps.solver.solves)),
        pcg_iterations_max: u64::from(steps.solver.iterations_max),
        contact_s: steps.phases.contact_s,
        assembly_s: steps.phases.assembly_s,
        solve_s: steps.phases.solve_s,
        contact_pairs: steps.contact.pairs_max as u64,
        contact_touches: steps.contact.touches_max as u64,
        guard_caught: steps.guard.caught as u64,
        guard_particles: steps.guard.touched as u64,
        guard_stopped: steps.guard.stopped as u64,
        guard_change_m: steps.guard.change_m,
        guard_motion_m: steps.guard.motion_m,
        guard_motion_removed: share(steps.guard.change_m, steps.guard.motion_m),
        guard_energy_j: steps.guard.energy_j,
        guard_momentum_n_s: steps.guard.momentum_n_s,
        proximity_s: steps.phases.proximity_s,
        guard_s: steps.phases.guard_s,
        contact_pinched: steps.contact.pinched_max as u64,
        contact_impacts: steps.contact.impacts as u64,
        contact_let_through: steps.contact.let_through_max as u64,
        ..FrameMetrics::default()
    }
}

/// Change of total energy from first to last frame, as a share of what was exchanged on the way:
/// negative when energy was lost, and then -1 at the least.
fn energy_drift(rows: &[FrameMetrics]) -> f64 {
    let total = |row: &FrameMetrics| row.kinetic_j + row.elastic_j + row.gravitational_j;
    let moving = rows.iter().map(|row| row.kinetic_j + row.elastic_j);
    let heights = rows.iter().map(|row| row.gravitational_j);
    let highest = heights.clone().fold(f64::NEG_INFINITY, f64::max);
    let lowest = heights.fold(f64::INFINITY, f64::min);
    let exchanged = moving.fold(0.0, f64::max) + (highest - lowest);
    match (rows.first(), rows.last()) {
        (Some(first), Some(last)) if exchanged > 0.0 => (total(last) - total(first)) / exchanged,
        _ => 0.0,
    }
}

fn mean(sum: u64, count: u64) -> f64 {
    if count == 0 {
        0.0
    } else {
        sum as f64 / count as f64
    }
}

/// What the fields of level sets take.
fn level_sets(model: &Model, time_s: f64) -> Vec<LevelSetField> {
    let shapes = model.colliders.iter().map(|collider| &collider.shape);
    let field = |shape: &Shape| match shape {
        Shape::LevelSet(solid) => {
            let field = solid.at(time_s).before;
            Some(LevelSetField {
                storage: match field.storage() {
                    Storage::Grid => "grid".to_owned(),
                    Storage::Octree => "octree".to_owned(),
                },
                cell_m: solid.sampling().cell_m,
                bytes: field.bytes() as u64,
            })
        }
        _ => None,
    };
    shapes.filter_map(field).collect()
}

/// Whether a mesh collider is met by its signed distance.
fn meets_level_sets(model: &Model) -> bool {
    let mut shapes = model.colliders.iter().map(|collider| &collider.shape);
    shapes.any(|shape| matches!(shape, Shape::LevelSet(_)))
}

fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row with these kinetic, elastic and gravitational energies.
    fn row([kinetic_j, elastic_j, gravitational_j]: [f64; 3]) -> FrameMetrics {
        FrameMetrics {
            kinetic_j,
            elastic_j,
            gravitational_j,
            ..FrameMetrics::default()
        }
    }

    #[test]
    fn energy_that_is_lost_is_a_share_of_what_was_exchanged() {
        let drift = |energies: &[[f64; 3]]| {
            let rows: Vec<_> = energies.iter().copied().map(row).collect();
            energy_drift(&rows)
        };
        // Sinking so slowly that hardly anything moves loses all there was to lose.
        let sinks = drift(&[[0.0, 0.0, 3.0], [1e-9, 0.0, 2.0], [1e-9, 0.0, 1.0]]);
        assert!((sinks + 1.0).abs() < 1e-8, "{sinks}");
        // Falling freely loses nothing; what is gained stands out.
        assert_eq!(drift(&[[0.0, 0.0, 3.0], [2.0, 0.0, 1.0]]), 0.0);
        assert_eq!(drift(&[[0.0, 0.0, 3.0], [3.0, 1.0, 3.0]]), 1.0);
        assert_eq!(drift(&[[1.0, 3.0, 0.0], [1.0, 1.0, 0.0]]), -0.5);
        assert_eq!(drift(&[[0.0, 0.0, 3.0]]), 0.0);
        assert_eq!(drift(&[]), 0.0);
    }
}
