//! Progress: a bar on a terminal, plain lines otherwise.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;

/// Shows how far a run has come, on stderr.
pub enum Progress {
    /// Nothing.
    Quiet,
    /// A bar.
    Bar(ProgressBar),
    /// A line every tenth of the run.
    Lines {
        /// Frames in all.
        total: u64,
        /// Tenths shown.
        shown: u64,
    },
}

impl Progress {
    /// For `total` frames of which `done` exist already.
    pub fn new(quiet: bool, total: u64, done: u64) -> Self {
        if quiet {
            Self::Quiet
        } else if std::io::stderr().is_terminal() {
            let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template(
                "{bar:32.cyan/black.bright} {pos}/{len} frames  {elapsed} + {eta}  {msg}",
            );
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_position(done);
            Self::Bar(bar)
        } else {
            Self::Lines {
                total,
                shown: 10 * done / total.max(1),
            }
        }
    }

    /// `done` frames exist; `message` says how it is going.
    pub fn frame(&mut self, done: u64, message: &str) {
        match self {
            Self::Quiet => {}
            Self::Bar(bar) => {
                bar.set_message(message.to_owned());
                bar.set_position(done);
            }
            Self::Lines { total, shown } => {
                let tenths = 10 * done / (*total).max(1);
                if tenths > *shown {
                    *shown = tenths;
                    eprintln!("frame {done} of {total}  {message}");
                }
            }
        }
    }

    /// Says something in between that may be wrong.
    pub fn warn(&self, message: &str) {
        self.say("warning", message);
    }

    /// Says something in between that is good to know.
    pub fn note(&self, message: &str) {
        self.say("note", message);
    }

    fn say(&self, what: &str, message: &str) {
        match self {
            Self::Quiet => {}
            Self::Bar(bar) => bar.suspend(|| eprintln!("{what}: {message}")),
            Self::Lines { .. } => eprintln!("{what}: {message}"),
        }
    }

    /// Clears the bar.
    pub fn finish(&self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}
