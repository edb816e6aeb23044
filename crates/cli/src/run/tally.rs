//! Keeping count: a row of metrics a frame, and the report at the end.

use crate::exit::Failure;
use std::path::Path;
use std::time::Duration;
use toile::geometry::TriMesh;
use toile::geometry::intersections::{CheckError, self_intersections};
use toile::io::metrics::{self, Writer};
use toile::io::scene::Verify;
use toile::io::{FrameMetrics, Report, Scene, state_hash};
use toile::sim::report::{Energy, Stretch, collider_penetration_m};
use toile::sim::{FrameReport, Simulation};

/// Numbers of a run so far. Worst values include the frames of a resumed run's first part.
pub struct Tally {
    writer: Writer,
    rows: Vec<FrameMetrics>,
    steps: u64,
    solves: u64,
    iterations: u64,
    retries: u64,
    assembly_s: f64,
    solve_s: f64,
    contact_s: f64,
    metrics_s: f64,
    verify_s: f64,
    /// Time the simulation waited for files to be written, s.
    pub waiting_for_outputs_s: f64,
    simulated_frames: u64,
    stepping_s: f64,
}

impl Tally {
    /// Starts counting at frame `done`.
    pub fn start(
        out: &Path,
        simulation: &Simulation,
        done: u64,
        verify: Verify,
    ) -> Result<Self, Failure> {
        let path = out.join("metrics.csv");
        let (writer, rows) = if done == 0 {
            (Writer::create(&path), Vec::new())
        } else {
            let writer = Writer::resume(&path, done);
            (writer, metrics::read(&path).map_err(Failure::input)?)
        };
        let mut tally = Self {
            writer: writer.map_err(Failure::input)?,
            rows,
            steps: 0,
            solves: 0,
            iterations: 0,
            retries: 0,
            assembly_s: 0.0,
            solve_s: 0.0,
            contact_s: 0.0,
            metrics_s: 0.0,
            verify_s: 0.0,
            waiting_for_outputs_s: 0.0,
            simulated_frames: 0,
            stepping_s: 0.0,
        };
        if done == 0 {
            let intersections = match verify {
                Verify::Off => None,
                Verify::Frame => Some(tally.verify(simulation).map_err(Failure::input)?),
            };
            let nothing = FrameReport::default();
            tally.frame(simulation, &nothing, intersections, Duration::ZERO)?;
            tally.simulated_frames = 0;
        }
        Ok(tally)
    }

    /// Counts the pairs of faces that meet.
    pub fn verify(&mut self, simulation: &Simulation) -> Result<u64, CheckError> {
        let clock = std::time::Instant::now();
        let mesh = TriMesh {
            positions: simulation.state().positions.clone(),
            faces: simulation.model().faces.clone(),
        };
        let findings = self_intersections(&mesh, 0)?;
        self.verify_s += clock.elapsed().as_secs_f64();
        Ok(findings.count as u64)
    }

    /// Adds a frame.
    pub fn frame(
        &mut self,
        simulation: &Simulation,
        steps: &FrameReport,
        self_intersections: Option<u64>,
        wall: Duration,
    ) -> Result<FrameMetrics, Failure> {
        let clock = std::time::Instant::now();
        let (model, state) = (simulation.model(), simulation.state());
        let stretch = Stretch::of(model, state);
        let energy = Energy::of(model, state);
        let heights = state.positions.iter().map(|p| p.y);
        let row = FrameMetrics {
            frame: self.rows.len() as u64,
            time_s: state.time_s,
            steps: u64::from(steps.steps),
            stretch_max: stretch.max,
            stretch_mean: stretch.mean,
            stretch_p99: stretch.p99,
            self_intersections,
            collider_penetration_m: collider_penetration_m(model, state),
            contacts: steps.contacts_max as u64,
            kinetic_j: energy.kinetic_j,
            elastic_j: energy.elastic_j,
            gravitational_j: energy.gravitational_j,
            pcg_iterations_mean: mean(steps.iterations, u64::from(steps.solves)),
            pcg_iterations_max: u64::from(steps.iterations_max),
            mean_height_m: heights.clone().sum::<f64>() / state.positions.len() as f64,
            lowest_height_m: heights.fold(f64::INFINITY, f64::min),
            wall_s: wall.as_secs_f64(),
            contact_s: steps.phases.contact_s,
            assembly_s: steps.phases.assembly_s,
            solve_s: steps.phases.solve_s,
        };
        self.writer.write(&row).map_err(Failure::input)?;
        self.rows.push(row.clone());
        self.simulated_frames += 1;
        self.steps += u64::from(steps.steps);
        self.solves += u64::from(steps.solves);
        self.iterations += steps.iterations;
        self.retries += u64::from(steps.retries);
        self.assembly_s += steps.phases.assembly_s;
        self.solve_s += steps.phases.solve_s;
        self.contact_s += steps.phases.contact_s;
        self.stepping_s += steps.phases.total_s;
        self.metrics_s += clock.elapsed().as_secs_f64();
        Ok(row)
    }

    /// A row a frame.
    pub fn rows(&self) -> &[FrameMetrics] {
        &self.rows
    }

    /// The report of the run; wall time and ending are the caller's.
    pub fn report(&self, simulation: &Simulation, scene: &Scene, threads: usize) -> Report {
        let (model, state) = (simulation.model(), simulation.state());
        let worst = |of: fn(&FrameMetrics) -> f64| self.rows.iter().map(of).fold(0.0, f64::max);
        let phases = [
            ("assembly", self.assembly_s),
            ("solve", self.solve_s),
            ("contact", self.contact_s),
            ("metrics", self.metrics_s),
            ("verify", self.verify_s),
            ("waiting_for_outputs", self.waiting_for_outputs_s),
        ];
        Report {
            toile_version: env!("CARGO_PKG_VERSION").to_owned(),
            scene: scene.name.clone(),
            frames: self.rows.len().saturating_sub(1) as u64,
            steps: state.steps,
            particles: model.particles() as u64,
            triangles: model.faces.len() as u64,
            threads: threads as u64,
            wall_s: 0.0,
            wall_s_per_frame: self.stepping_s / self.simulated_frames.max(1) as f64,
            cpu_s: crate::threads::cpu_time_s(),
            phase_s: phases
                .into_iter()
                .map(|(name, s)| (name.to_owned(), s))
                .collect(),
            pcg_iterations_mean: mean(self.iterations, self.solves),
            pcg_iterations_max: self
                .rows
                .iter()
                .map(|row| row.pcg_iterations_max)
                .max()
                .unwrap_or(0),
            stretch_max: worst(|row| row.stretch_max),
            stretch_mean: worst(|row| row.stretch_mean),
            stretch_p99: worst(|row| row.stretch_p99),
            self_intersections_max: self
                .rows
                .iter()
                .filter_map(|row| row.self_intersections)
                .max(),
            collider_penetration_max_m: worst(|row| row.collider_penetration_m),
            contacts_max: self.rows.iter().map(|row| row.contacts).max().unwrap_or(0),
            energy_drift: self.energy_drift(),
            retries: self.retries,
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

    /// Change of total energy from first to last frame, relative to the largest kinetic and
    /// elastic energy on the way: negative when energy was lost.
    fn energy_drift(&self) -> f64 {
        let total = |row: &FrameMetrics| row.kinetic_j + row.elastic_j + row.gravitational_j;
        let exchanged = self
            .rows
            .iter()
            .map(|row| row.kinetic_j + row.elastic_j)
            .fold(0.0, f64::max);
        match (self.rows.first(), self.rows.last()) {
            (Some(first), Some(last)) if exchanged > 0.0 => {
                (total(last) - total(first)) / exchanged
            }
            _ => 0.0,
        }
    }
}

fn mean(sum: u64, count: u64) -> f64 {
    if count == 0 {
        0.0
    } else {
        sum as f64 / count as f64
    }
}
