//! A run: from a scene to everything it leaves in its folder.

use crate::checkpoint::Checkpoint;
use crate::error::RunError;
use crate::film::{Recording, Shoot};
use crate::job::Job;
use crate::observer::Observer;
use crate::outputs::{Outputs, Written};
use crate::proof::Proof;
use crate::rows::Rows;
use crate::sink::{Frame, FrameSink};
use crate::stop::Stop;
use crate::tally::Tally;
use crate::warnings::{self, Warnings};
use crate::{overview, threads};
use std::path::{Path, PathBuf};
use std::time::Instant;
use toile_io::formats::Manifest;
use toile_io::{FrameMetrics, Report, dump, scene};
use toile_sim::Simulation;

/// How a run is made.
pub struct Options {
    /// The folder for all that it leaves; made if it is not there.
    pub out: PathBuf,
    /// Whether it goes on from the checkpoint in that folder.
    pub resume: bool,
    /// The step, counted from 1, whose linear system is written.
    pub dump_step: Option<u64>,
    /// Who receives the frames, besides the files of the folder.
    pub sinks: Vec<Box<dyn FrameSink>>,
}

impl Options {
    /// From the start, into this folder.
    pub fn new(out: impl Into<PathBuf>) -> Self {
        Self {
            out: out.into(),
            resume: false,
            dump_step: None,
            sinks: Vec::new(),
        }
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With the last frame.
    Done,
    /// Before it, because somebody wanted it so.
    Interrupted,
    /// Because the next frame could not be simulated or is not sound, and why.
    Failed(String),
}

/// What a run has left.
pub struct Finished {
    /// How it ended.
    pub ending: Ending,
    /// Its numbers.
    pub report: Report,
    /// Its files.
    pub written: Vec<PathBuf>,
    /// What there is to know about these.
    pub notes: Vec<String>,
}

/// A run that goes on: a scene with its simulation, and where it is.
///
/// [`Runner::run`] takes it to its end. Whoever wants to look in between calls
/// [`Runner::next_frame`], and at last [`Runner::finish`]. Loops run on the thread pool it is called
/// in, and results do not depend on that.
pub struct Runner {
    job: Job,
    out: PathBuf,
    dump_step: Option<u64>,
    clock: Instant,
    simulation: Simulation,
    /// The frame the simulation is at.
    frame: u64,
    /// That it was at when it began.
    began_at: u64,
    /// Why there is no next frame, if that is so.
    failure: Option<String>,
    proof: Proof,
    tally: Tally,
    warnings: Warnings,
    sinks: Sinks,
}

impl Runner {
    /// Begins a run, or goes on with one; frames go to the sinks from here on.
    pub fn start(
        job: Job,
        options: Options,
        observer: &mut dyn Observer,
    ) -> Result<Self, RunError> {
        let clock = Instant::now();
        let out = options.out;
        std::fs::create_dir_all(&out)
            .map_err(|e| RunError::output(format!("{} cannot be created: {e}", out.display())))?;
        let mut simulation = Simulation::new(job.model.clone(), job.scene.config);
        if let Some(step) = options.dump_step {
            simulation.dump_step(step);
        }
        let checkpoint = Checkpoint::of(&job, &out);
        let frame = match options.resume {
            true => checkpoint.restore(&job, &mut simulation)?,
            false => 0,
        };
        save_scene(&job, &out)?;
        observer.simulating(job.last_frame(), frame);
        let outputs = Outputs::start(&job, &out, frame)?;
        let (proof, start) = Proof::start(&out, &simulation, job.scene.verify, frame)?;
        for warning in &start.warnings {
            observer.warning(warning);
        }
        let note = warnings::fallback(&job.model, &job.scene.config);
        note.iter().for_each(|note| observer.note(note));
        let (rows, earlier) = Rows::open(&out, frame)?;
        let mut runner = Self {
            dump_step: options.dump_step,
            clock,
            frame,
            began_at: frame,
            failure: None,
            proof,
            tally: Tally::new(&simulation, earlier),
            warnings: Warnings::default(),
            sinks: Sinks {
                rows,
                outputs,
                checkpoint,
                others: options.sinks,
            },
            job,
            out,
            simulation,
        };
        if frame == 0 {
            let start = runner.tally.start(&runner.simulation, start.intersections);
            runner.hand_on(&start)?;
        }
        Ok(runner)
    }

    /// What is run.
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// The frame the simulation is at.
    pub fn frame(&self) -> u64 {
        self.frame
    }

    /// The simulation, in the state of that frame.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// The metrics of all frames up to that one.
    pub fn metrics(&self) -> &[FrameMetrics] {
        self.tally.rows()
    }

    /// How the run has ended, if it went no further than it has.
    pub fn ending(&self) -> Ending {
        match &self.failure {
            Some(error) => Ending::Failed(error.clone()),
            None if self.frame < self.job.last_frame() => Ending::Interrupted,
            None => Ending::Done,
        }
    }

    /// Simulates the next frame and hands it to the sinks. False if there is none: the scene is at
    /// its end, or its simulation cannot go on.
    pub fn next_frame(&mut self, observer: &mut dyn Observer) -> Result<bool, RunError> {
        if self.frame >= self.job.last_frame() || self.failure.is_some() {
            return Ok(false);
        }
        let (clock, next) = (Instant::now(), self.frame + 1);
        let scene = &self.job.scene;
        self.proof.begin_frame(&mut self.simulation);
        let steps = match self.simulation.advance(1.0 / scene.fps, scene.max_step_s) {
            Ok(steps) => steps,
            Err(error) => {
                self.tally.failed_frame(self.simulation.last_frame());
                self.failure = Some(self.proof.explain(&self.simulation, next, &error)?);
                return Ok(false);
            }
        };
        for warning in self.warnings.of(&steps, scene) {
            observer.warning(&warning);
        }
        let proved = self.proof.end_frame(&mut self.simulation, next, &steps)?;
        let crossings = match proved {
            Ok(crossings) => crossings,
            Err(error) => {
                self.tally.failed_frame(&steps);
                self.failure = Some(error);
                return Ok(false);
            }
        };
        let wall = clock.elapsed();
        let metrics = self.tally.frame(&self.simulation, &steps, crossings, wall);
        self.frame = next;
        let waiting = Instant::now();
        self.hand_on(&metrics)?;
        self.tally.waiting_for_outputs_s += waiting.elapsed().as_secs_f64();
        observer.frame(next, &metrics);
        Ok(true)
    }

    /// Simulates all frames that are left, unless it is to stop, and finishes.
    pub fn run(mut self, stop: &Stop, observer: &mut dyn Observer) -> Result<Finished, RunError> {
        while !stop.is_asked() && self.next_frame(observer)? {}
        self.finish(stop, observer)
    }

    /// Ends the run where it is: waits for its files, and makes report, film and overview.
    pub fn finish(
        mut self,
        stop: &Stop,
        observer: &mut dyn Observer,
    ) -> Result<Finished, RunError> {
        observer.ended();
        let waiting = Instant::now();
        let files = self.sinks.close()?;
        self.tally.waiting_for_outputs_s += waiting.elapsed().as_secs_f64();
        let ending = self.ending();
        let mut report = self.report(&ending);
        let warning = warnings::unconverged(&report, &self.job.scene.config);
        warning.iter().for_each(|text| observer.warning(text));
        report.written = files.finishing;
        // Before the film, which takes a while: whatever happens then, the numbers are safe.
        self.write(&report)?;
        let mut written = self.listed(&files.meshes);
        written.extend(self.proof.pictures());
        written.extend(self.dumped(&ending)?);
        if let Some(recording) = files.recording.filter(|recording| !recording.is_empty()) {
            written.extend(self.film(recording, &mut report, stop, observer)?);
        }
        written.extend([Rows::NAME, REPORT].map(|name| self.out.join(name)));
        Ok(Finished {
            ending,
            report,
            written,
            notes: files.meshes.notes,
        })
    }

    fn hand_on(&mut self, metrics: &FrameMetrics) -> Result<(), RunError> {
        self.sinks.frame(&Frame {
            number: self.frame,
            simulation: &self.simulation,
            metrics,
        })
    }

    fn report(&mut self, ending: &Ending) -> Report {
        self.tally.verify_s += self.proof.verify_s;
        let mut report = self.tally.report(&self.simulation, &self.job.scene);
        report.wall_s = self.clock.elapsed().as_secs_f64();
        report.body_self_intersections = self.proof.of_bodies();
        match ending {
            Ending::Done => {}
            Ending::Interrupted => report.interrupted = true,
            Ending::Failed(error) => report.error = Some(error.clone()),
        }
        report
    }

    fn write(&self, report: &Report) -> Result<(), RunError> {
        let path = self.out.join(REPORT);
        report.write(&path).map_err(RunError::output)
    }

    /// The sequences and their manifest.
    fn listed(&self, meshes: &Manifest) -> Vec<PathBuf> {
        let files = meshes.files.iter().map(|entry| entry.file.as_str());
        let manifest = (!meshes.files.is_empty()).then_some(Manifest::NAME);
        files.chain(manifest).map(|f| self.out.join(f)).collect()
    }

    /// Writes the linear system that was asked for, which a run that is done must have met.
    fn dumped(&mut self, ending: &Ending) -> Result<Vec<PathBuf>, RunError> {
        if let Some(system) = self.simulation.take_dump() {
            return dump::write(&self.out, &system).map_err(RunError::output);
        }
        let Some(step) = self.dump_step.filter(|_| *ending == Ending::Done) else {
            return Ok(Vec::new());
        };
        let steps = self.simulation.state().steps;
        Err(RunError::NoSystem(match steps < step {
            true => format!("step {step} was not taken; the run ended with step {steps}"),
            false => format!("no linear system was solved in step {step}: the integrator has none"),
        }))
    }

    /// Makes film, poster and overview, and adds to the report what that took. A resumed run films
    /// only its own frames, under another name.
    fn film(
        &self,
        recording: Recording,
        report: &mut Report,
        stop: &Stop,
        observer: &mut dyn Observer,
    ) -> Result<Vec<PathBuf>, RunError> {
        let filming = Instant::now();
        let name = match self.began_at {
            0 => "film.mp4".to_owned(),
            done => format!("film-from-{done:04}.mp4"),
        };
        let shoot = Shoot {
            job: &self.job,
            // The start is recorded only by a run that begins with it.
            first_frame: match self.began_at {
                0 => 0,
                done => done + 1,
            },
            film: self.out.join(name),
            poster: self.out.join("poster.png"),
        };
        let poster = shoot.run(recording, stop, observer)?;
        let film_s = filming.elapsed().as_secs_f64();
        report.phase_s.insert("film".to_owned(), film_s);
        report.wall_s = self.clock.elapsed().as_secs_f64();
        report.memory_peak_bytes = threads::peak_memory_bytes();
        self.write(report)?;
        let mut written = vec![shoot.film, shoot.poster];
        written.extend(overview::write(&self.out, self.metrics(), report, &poster)?);
        Ok(written)
    }
}

const REPORT: &str = "report.json";

/// With the scene beside it, a run can be drawn and repeated whatever becomes of its file.
fn save_scene(job: &Job, out: &Path) -> Result<(), RunError> {
    let path = out.join("scene.toml");
    scene::save(&job.scene, &path)
        .map_err(|e| RunError::output(format!("{} cannot be written: {e}", path.display())))
}

/// Where frames go, one after the other.
struct Sinks {
    rows: Rows,
    outputs: Outputs,
    checkpoint: Checkpoint,
    others: Vec<Box<dyn FrameSink>>,
}

impl Sinks {
    fn frame(&mut self, frame: &Frame<'_>) -> Result<(), RunError> {
        self.rows.frame(frame)?;
        self.outputs.frame(frame)?;
        self.checkpoint.frame(frame)?;
        let mut others = self.others.iter_mut();
        others.try_for_each(|sink| sink.frame(frame))
    }

    fn close(&mut self) -> Result<Written, RunError> {
        let written = self.outputs.close()?;
        let mut others = self.others.iter_mut();
        others.try_for_each(|sink| sink.finish())?;
        Ok(written)
    }
}
