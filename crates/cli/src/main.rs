//! The `toile` program.

mod args;
mod bench;
mod body;
mod check;
mod convert;
mod exit;
mod fabrics;
mod info;
mod interrupt;
mod lab;
mod lists;
mod progress;
mod render;
mod run;

use args::{Cli, Command};
use clap::Parser;
use exit::Failure;
use std::io::Write;
use std::process::ExitCode;

/// What a shell reports of a program whose reader has gone.
const NOBODY_READS: i32 = 141;

/// What is printed may find no reader: `println!` and `eprintln!` panic then, where a word or none
/// would do. A reader that has seen enough, such as `head`, ends the program without one.
fn end_plainly_when_printing_fails() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let message = panic.payload_as_str().unwrap_or_default();
        let failed = message.strip_prefix("failed printing to std");
        let Some((stream, reason)) = failed.and_then(|rest| rest.split_once(": ")) else {
            return report(panic);
        };
        if reason.starts_with("Broken pipe") {
            std::process::exit(NOBODY_READS);
        }
        if stream == "out" {
            let said = format!("error: standard output cannot be written: {reason}");
            // There is no third place to say that this failed too.
            let _ = writeln!(std::io::stderr(), "{said}");
        }
        std::process::exit(i32::from(exit::BAD_INPUT));
    }));
}

fn main() -> ExitCode {
    end_plainly_when_printing_fails();
    let result = match Cli::parse().command {
        Command::Run(args) => run::run(&args),
        Command::Render(args) => render::render(&args),
        Command::Check(args) => check::check(&args),
        Command::Convert(args) => convert::convert(&args),
        Command::Info(args) => info::info(&args),
        Command::Body(args) => body::body(&args),
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
