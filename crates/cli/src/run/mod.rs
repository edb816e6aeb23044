//! `toile run`: from a scene file to a film.

mod summary;
mod telling;

use crate::args::RunArgs;
use crate::exit::{self, Failure, Outcome};
use crate::interrupt;
use std::path::PathBuf;
use std::process::ExitCode;
use telling::Telling;
use toile::io::builtin;
use toile::io::formats::Format;
use toile::io::scene::{Source, resolved_json};
use toile::run::{Ending, Job, Options, Runner, threads};

/// Runs a scene.
pub fn run(args: &RunArgs) -> Outcome {
    let job = job(args)?;
    let scene = &job.scene;
    let out = args.out.clone();
    let out = out.unwrap_or_else(|| PathBuf::from("out").join(&scene.name));
    if args.resume && !out.join("checkpoint").exists() {
        return Err(Failure::input(format!(
            "{}: there is no checkpoint to go on from, so run without --resume first",
            out.display()
        )));
    }
    let (name, verify) = (scene.name.clone(), scene.verify);
    let resolved = args.json.then(|| resolved_json(scene));
    let options = Options {
        resume: args.resume,
        dump_step: args.dump_system,
        ..Options::new(&out)
    };
    let stop = interrupt::stop();
    let finished = threads::with(args.threads, |_| {
        let mut telling = Telling::new(args.quiet || args.json);
        Runner::start(job, options, &mut telling)?.run(&stop, &mut telling)
    })??;
    if let Some(scene) = resolved {
        let said = serde_json::json!({ "scene": scene, "report": finished.report });
        println!("{said:#}");
    } else if !args.quiet {
        summary::print(&finished, verify);
    }
    match finished.ending {
        Ending::Done => Ok(ExitCode::SUCCESS),
        Ending::Interrupted => Ok(ExitCode::from(exit::INTERRUPTED)),
        Ending::Failed(error) => Err(Failure::simulation(format!(
            "{name}: the simulation failed in frame {}: {error}\nwhat was computed is in {}",
            finished.report.frames + 1,
            out.display()
        ))),
    }
}

/// The scene asked for, with what the options change in it.
fn job(args: &RunArgs) -> Result<Job, Failure> {
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
    Ok(Job::new(scene, &source)?)
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
