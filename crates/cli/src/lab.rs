//! `toile lab`: experiments with a known answer.

use crate::args::LabArgs;
use crate::exit::{self, Failure, Outcome};
use std::process::ExitCode;
use toile::lab::{Experiment, experiments};

/// Lists the experiments, or runs one or all; the answer is yes only if all are within their
/// bands.
pub fn lab(args: &LabArgs) -> Outcome {
    let all = experiments();
    let chosen: Vec<&Experiment> = match &args.name {
        None if !args.all => {
            for experiment in all {
                println!("{:<14} {}", experiment.name, experiment.about);
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
    let mut within = true;
    for experiment in chosen {
        let result = (experiment.run)().map_err(Failure::simulation)?;
        println!(
            "{}: {}\n\n{}",
            experiment.name, experiment.about, result.table
        );
        let written = result
            .write(&args.out, experiment.name)
            .map_err(Failure::input)?;
        for path in written {
            println!("wrote {}", path.display());
        }
        for check in &result.checks {
            let verdict = if check.holds() { "ok  " } else { "FAIL" };
            println!("{verdict} {check}");
            within &= check.holds();
        }
        println!();
    }
    Ok(if within {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(exit::NO)
    })
}
