//! `toile run`: from a scene file to a film.

mod film;
mod outputs;
mod proof;
mod summary;
mod tally;
mod warnings;

use crate::args::RunArgs;
use crate::exit::{self, Failure, Outcome};
use crate::overview;
use crate::progress::Progress;
use crate::threads;
use film::{Recording, Shoot};
use outputs::{FrameToWrite, Outputs, Written};
use proof::Proof;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use tally::Tally;
use toile::geometry::Subdivision;
use toile::io::checkpoint::{self, Snapshot};
use toile::io::formats::{Format, Manifest};
use toile::io::scene::Source;
use toile::io::{Scene, builtin};
use toile::sim::contact::Surfaces;
use toile::sim::wrinkles::finer;
use toile::sim::{Model, Simulation};
use toile::view::Image;
use warnings::Warnings;

/// A scene, ready to run.
struct Job {
    scene: Scene,
    model: Arc<Model>,
    /// What is written of it.
    mesh: Arc<Subdivision>,
    out: PathBuf,
    threads: usize,
}

/// How the frames ended.
enum Ending {
    Done,
    Interrupted,
    Failed(String),
}

/// Where the results of a run go while it is computed.
struct Desk<'a> {
    outputs: &'a mut Outputs,
    tally: &'a mut Tally,
    proof: &'a mut Proof,
    progress: &'a mut Progress,
}

/// Runs a scene.
pub fn run(args: &RunArgs) -> Outcome {
    let (scene, model, mesh) = load(args)?;
    let out = args
        .out
        .clone()
        .unwrap_or_else(|| PathBuf::from("out").join(&scene.name));
    if args.resume && !out.join("checkpoint").exists() {
        return Err(Failure::input(format!(
            "{}: there is no checkpoint to go on from, so run without --resume first",
            out.display()
        )));
    }
    std::fs::create_dir_all(&out)
        .map_err(|e| Failure::input(format!("{} cannot be created: {e}", out.display())))?;
    let stop = Arc::new(AtomicUsize::new(0));
    let signal = stop.clone();
    // A handler that cannot be set only means that Ctrl-C ends the program at once.
    let _ = ctrlc::set_handler(move || {
        signal.fetch_add(1, Ordering::SeqCst);
    });
    threads::with(args.threads, |threads| {
        let job = Job {
            scene,
            model,
            mesh,
            out,
            threads,
        };
        job.run(args, &stop)
    })?
}

fn load(args: &RunArgs) -> Result<(Scene, Arc<Model>, Arc<Subdivision>), Failure> {
    let name = args.scene.to_string_lossy();
    let built_in = builtin::scenes()
        .iter()
        .find(|scene| scene.name == name && !args.scene.exists());
    let mut sets = args.set.clone();
    if let Some(formats) = &args.format {
        sets.push(format_set(formats)?);
    }
    let source = match built_in {
        Some(scene) => Source::parse(scene.text, scene.name, &sets),
        None => Source::read(&args.scene, &sets),
    };
    let source = source.map_err(Failure::input)?;
    let mut scene = source.scene().map_err(Failure::input)?;
    if let Some(frames) = args.frames {
        scene.frames = frames;
    }
    scene.output.film &= !args.no_film;
    let model = Model::build(&scene.model).map_err(|e| Failure::input(source.locate(&e)))?;
    let thinner = thinner(&scene, &model);
    scene.notes.extend(thinner);
    let mesh = finer(&model, scene.output.subdivide);
    outputs::check(&scene, &model, &mesh)?;
    Ok((scene, Arc::new(model), Arc::new(mesh)))
}

/// The cloths that contact takes for thinner than they are.
fn thinner(scene: &Scene, model: &Model) -> Vec<String> {
    if scene.config.contact.is_none() && model.bodies.is_empty() {
        return Vec::new();
    }
    let met_m = Surfaces::new(model, false).thickness_m;
    let cloths = model.cloths.iter();
    let notes = cloths.filter_map(|cloth| {
        let met_m = *met_m.get(cloth.particles.start)?;
        (met_m < cloth.thickness_m).then(|| {
            format!(
                "cloth `{}` is met as {:.3} mm thick, not as {:.3} mm: half of the shortest edge is \
                 the most",
                cloth.name,
                1e3 * met_m,
                1e3 * cloth.thickness_m
            )
        })
    });
    notes.collect()
}

/// What `--format` means as a `--set`, so that it is checked with the rest of the scene.
fn format_set(names: &[String]) -> Result<String, Failure> {
    // An empty list is how a shell says "none".
    let names = names.iter().filter(|name| !name.is_empty());
    let formats = names
        .map(|name| {
            name.parse::<Format>()
                .map(|f| format!("{:?}", f.extension()))
        })
        .collect::<Result<Vec<_>, _>>()
        .map_err(|e| Failure::input(format!("--format: {e}")))?;
    Ok(format!("output.formats=[{}]", formats.join(", ")))
}

impl Job {
    fn run(&self, args: &RunArgs, stop: &AtomicUsize) -> Outcome {
        let clock = Instant::now();
        let mut simulation = Simulation::new(self.model.clone(), self.scene.config);
        if let Some(step) = args.dump_system {
            simulation.dump_step(step);
        }
        let done = if args.resume {
            self.resume(&mut simulation)?
        } else {
            0
        };
        // With the scene beside it, a run can be drawn and repeated whatever becomes of its file.
        let path = self.out.join("scene.toml");
        toile::io::scene::save(&self.scene, &path)
            .map_err(|e| Failure::input(format!("{} cannot be written: {e}", path.display())))?;
        let quiet = args.quiet || args.json;
        let mut progress = Progress::new(quiet, u64::from(self.scene.frames), done);
        let mut outputs = Outputs::start(&self.scene, (&self.model, &self.mesh), &self.out, done)?;
        let (mut proof, start) = Proof::start(&self.out, &simulation, self.scene.verify, done)?;
        for warning in &start.warnings {
            progress.warn(warning);
        }
        let note = summary::fallback(&self.model, &self.scene.config);
        note.iter().for_each(|note| progress.note(note));
        let mut tally = Tally::start(&self.out, &simulation, done, start.intersections)?;
        if done == 0 {
            outputs.send(FrameToWrite::of(&simulation))?;
            self.checkpoint(&simulation, 0)?;
        }
        let mut desk = Desk {
            outputs: &mut outputs,
            tally: &mut tally,
            proof: &mut proof,
            progress: &mut progress,
        };
        let ending = self.frames(&mut simulation, done, stop, &mut desk)?;
        tally.verify_s += proof.verify_s;
        progress.finish();
        let writing = Instant::now();
        let Written {
            meshes,
            recording,
            finishing,
        } = outputs.finish()?;
        tally.waiting_for_outputs_s += writing.elapsed().as_secs_f64();

        let mut report = tally.report(&simulation, &self.scene, self.threads);
        report.wall_s = clock.elapsed().as_secs_f64();
        let warning = summary::unconverged(&report, &self.scene.config);
        warning.iter().for_each(|warning| progress.warn(warning));
        report.written = finishing;
        report.body_self_intersections = start.of_bodies;
        report.interrupted = matches!(ending, Ending::Interrupted);
        if let Ending::Failed(error) = &ending {
            report.error = Some(error.clone());
        }
        // Before the film, which takes a while: whatever happens then, the numbers are safe.
        let path = self.out.join("report.json");
        report.write(&path).map_err(Failure::input)?;
        let mut written = self.files(&meshes);
        written.extend(proof.pictures());
        if let Some(system) = simulation.take_dump() {
            written.extend(toile::io::dump::write(&self.out, &system).map_err(Failure::input)?);
        } else if let (Some(step), Ending::Done) = (args.dump_system, &ending) {
            let steps = simulation.state().steps;
            return Err(Failure::input(if steps < step {
                format!("--dump-system: step {step} was not taken; the run ended with step {steps}")
            } else {
                format!(
                    "--dump-system: no linear system was solved in step {step}: the integrator has none"
                )
            }));
        }
        if let Some(recording) = recording.filter(|recording| !recording.is_empty()) {
            let filming = Instant::now();
            let (poster, pictures) = self.film(recording, done, quiet, stop)?;
            written.extend(pictures);
            let film_s = filming.elapsed().as_secs_f64();
            report.phase_s.insert("film".to_owned(), film_s);
            report.wall_s = clock.elapsed().as_secs_f64();
            report.memory_peak_bytes = threads::peak_memory_bytes();
            report.write(&path).map_err(Failure::input)?;
            written.extend(overview::write(&self.out, tally.rows(), &report, &poster)?);
        }
        written.extend(["metrics.csv", "report.json"].map(|name| self.out.join(name)));
        if args.json {
            let scene = toile::io::scene::resolved_json(&self.scene);
            println!(
                "{:#}",
                serde_json::json!({ "scene": scene, "report": report })
            );
        } else if !args.quiet {
            summary::print(&report, self.scene.verify, &written, &meshes.notes);
        }
        match ending {
            Ending::Done => Ok(ExitCode::SUCCESS),
            Ending::Interrupted => Ok(ExitCode::from(exit::INTERRUPTED)),
            Ending::Failed(error) => Err(Failure::simulation(format!(
                "{}: the simulation failed in frame {}: {error}\nwhat was computed is in {}",
                self.scene.name,
                report.frames + 1,
                self.out.display()
            ))),
        }
    }

    fn frames(
        &self,
        simulation: &mut Simulation,
        done: u64,
        stop: &AtomicUsize,
        desk: &mut Desk<'_>,
    ) -> Result<Ending, Failure> {
        let Desk {
            outputs,
            tally,
            proof,
            progress,
        } = desk;
        let mut warnings = Warnings::default();
        for frame in done + 1..=u64::from(self.scene.frames) {
            if stop.load(Ordering::SeqCst) > 0 {
                return Ok(Ending::Interrupted);
            }
            let clock = Instant::now();
            proof.begin_frame(simulation);
            let advanced = simulation.advance(1.0 / self.scene.fps, self.scene.max_step_s);
            let steps = match advanced {
                Ok(steps) => steps,
                Err(error) => {
                    tally.failed_frame(simulation.last_frame());
                    return Ok(Ending::Failed(proof.explain(simulation, frame, &error)?));
                }
            };
            for warning in warnings.of(&steps, &self.scene) {
                progress.warn(&warning);
            }
            let intersections = match proof.end_frame(simulation, frame, &steps)? {
                Ok(intersections) => intersections,
                Err(error) => {
                    tally.failed_frame(&steps);
                    return Ok(Ending::Failed(error));
                }
            };
            let row = tally.frame(simulation, &steps, intersections, clock.elapsed())?;
            let waiting = Instant::now();
            outputs.send(FrameToWrite::of(simulation))?;
            self.checkpoint(simulation, frame)?;
            tally.waiting_for_outputs_s += waiting.elapsed().as_secs_f64();
            progress.frame(
                frame,
                &format!(
                    "stretch {:.2} %, {:.0} iterations",
                    100.0 * row.stretch_max,
                    row.pcg_iterations_mean
                ),
            );
        }
        Ok(Ending::Done)
    }

    /// Makes the film; the next Ctrl-C from now on cuts it short. A resumed run films only its own
    /// frames, under another name.
    fn film(
        &self,
        recording: Recording,
        done: u64,
        quiet: bool,
        stop: &AtomicUsize,
    ) -> Result<(Image, Vec<PathBuf>), Failure> {
        let name = if done == 0 {
            "film.mp4".to_owned()
        } else {
            format!("film-from-{done:04}.mp4")
        };
        let shoot = Shoot {
            scene: &self.scene,
            model: &self.model,
            mesh: &self.mesh,
            // The start is recorded only by a run that begins with it.
            first_frame: if done == 0 { 0 } else { done + 1 },
            film: self.out.join(name),
            poster: self.out.join("poster.png"),
        };
        let signals = stop.load(Ordering::SeqCst);
        let stopped = || stop.load(Ordering::SeqCst) > signals;
        let poster = shoot.run(recording, quiet, &stopped)?;
        Ok((poster, vec![shoot.film, shoot.poster]))
    }

    fn checkpoint(&self, simulation: &Simulation, frame: u64) -> Result<(), Failure> {
        let snapshot = Snapshot::of(simulation.state(), frame);
        let path = self.out.join("checkpoint");
        checkpoint::write(&path, self.scene.fingerprint(), &snapshot).map_err(Failure::input)
    }

    /// Takes over the state of the checkpoint; returns the frames it has.
    fn resume(&self, simulation: &mut Simulation) -> Result<u64, Failure> {
        let path = self.out.join("checkpoint");
        let snapshot = checkpoint::read(&path, self.scene.fingerprint()).map_err(Failure::input)?;
        let state = snapshot
            .state(&self.model)
            .map_err(|e| Failure::input(format!("{}: {e}", path.display())))?;
        if snapshot.frame > u64::from(self.scene.frames) {
            return Err(Failure::input(format!(
                "{}: the checkpoint is at frame {}, but the scene ends at frame {}",
                path.display(),
                snapshot.frame,
                self.scene.frames
            )));
        }
        simulation.restore(state);
        Ok(snapshot.frame)
    }

    /// The sequences and their manifest.
    fn files(&self, meshes: &Manifest) -> Vec<PathBuf> {
        let files = meshes.files.iter().map(|entry| entry.file.as_str());
        let manifest = (!meshes.files.is_empty()).then_some(Manifest::NAME);
        files.chain(manifest).map(|f| self.out.join(f)).collect()
    }
}
