//! `toile lab`: experiments with a known answer.

use crate::args::LabArgs;
use crate::exit::{self, Failure, Outcome};
use std::path::Path;
use std::process::ExitCode;
use toile::lab::{Experiment, experiments};
use toile::run::threads;

/// Lists the experiments, or runs one or all; the answer is yes only if all are within their
/// bands.
pub fn lab(args: &LabArgs) -> Outcome {
    let all = experiments();
    let chosen: Vec<&Experiment> = match &args.name {
        None if !args.all => {
            for experiment in all {
                println!("{:<16} {}", experiment.name, experiment.about);
            }
            return Ok(ExitCode::SUCCESS);
        }
        None => all.iter().collect(),
        Some(name) => {
            let known = || {
                let names: Vec<&str> = all.iter().map(|e| e.name).collect();
                Failure::input(format!(
                    "there is no experiment `{name}`: expected one of {}",
                    names.join(", ")
                ))
            };
            vec![all.iter().find(|e| e.name == name).ok_or_else(known)?]
        }
    };
    threads::with(args.threads, |_| {
        let mut within = true;
        for experiment in chosen {
            within &= carry_out(experiment, &args.out)?;
        }
        Ok(if within {
            ExitCode::SUCCESS
        } else {
            ExitCode::from(exit::NO)
        })
    })?
}

/// Runs one experiment, prints and writes what it found, and says whether it is within its bands.
fn carry_out(experiment: &Experiment, folder: &Path) -> Result<bool, Failure> {
    let Experiment { name, about, run } = experiment;
    println!("{name}: {about}\n");
    let findings = run().map_err(Failure::simulation)?;
    println!("{}", findings.table);
    for paragraph in findings.notes.lines() {
        println!("{paragraph}\n");
    }
    for check in &findings.checks {
        let verdict = if check.holds() { "ok  " } else { "FAIL" };
        println!("{verdict} {check}");
    }
    let written = findings.write(folder, name).map_err(Failure::input)?;
    for path in written {
        println!("wrote {}", path.display());
    }
    println!();
    Ok(findings.hold())
}
