//! The `toile` program.

mod args;
mod bench;
mod check;
mod convert;
mod exit;
mod fabrics;
mod fixtures;
mod info;
mod lab;
mod lists;
mod overview;
mod progress;
mod recorder;
mod render;
mod run;
mod set;
mod threads;

use args::{Cli, Command};
use clap::Parser;
use exit::Failure;
use std::process::ExitCode;

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Run(args) => run::run(&args),
        Command::Render(args) => render::render(&args),
        Command::Check(args) => check::check(&args),
        Command::Convert(args) => convert::convert(&args),
        Command::Info(args) => info::info(&args),
        Command::Bench(args) => bench::bench(&args),
        Command::Lab(args) => lab::lab(&args),
        Command::New(args) => lists::new(&args),
        Command::Schema => lists::schema(),
        Command::Fabrics(args) => fabrics::fabrics(&args),
        Command::Scenes => lists::scenes(),
    };
    match result {
        Ok(code) => code,
        Err(Failure { code, error }) => {
            eprintln!("{error}");
            code
        }
    }
}
