//! The command line.

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Cloth and garment simulation: from a scene file to a film, with numbers you can trust.
#[derive(Debug, Parser)]
#[command(name = "toile", version, propagate_version = true, after_help = EXIT_CODES)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 done; 1 the work ran and the answer is no; 2 bad input or \
usage; 3 the simulation failed (what was computed is kept); 130 interrupted (kept too); 141 whoever \
read the output has gone.";

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Simulate a scene: film, meshes, metrics and a report
    Run(RunArgs),
    /// Make pictures and films of a run, or of any mesh or mesh cache
    Render(crate::render::RenderArgs),
    /// Prove that meshes and all frames of caches do not pass through themselves, or show where they do
    Check(crate::check::CheckArgs),
    /// Turn meshes and mesh caches into another format
    Convert(crate::convert::ConvertArgs),
    /// Say what is in a file: a mesh, a cache, a scene, anything a run leaves
    Info(crate::info::InfoArgs),
    /// Make a mannequin from measurements, or measure any body
    Body(crate::body::BodyArgs),
    /// Run an experiment with a known answer; without a name, list them
    Lab(LabArgs),
    /// Measure a standard scene
    Bench(BenchArgs),
    /// Write a commented scene to start from
    New(NewArgs),
    /// Print the JSON Schema of scene files
    Schema,
    /// List fabrics, show one, or fit one to measurements
    Fabrics(crate::fabrics::FabricsArgs),
    /// List the built-in scenes
    Scenes,
}

/// `toile run`.
#[derive(Args, Debug)]
#[command(allow_negative_numbers = true)]
pub struct RunArgs {
    /// Scene file, or the name of a built-in scene
    pub scene: PathBuf,
    /// Folder for the results [default: out/NAME]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Simulate this many frames instead of the scene's
    #[arg(long, value_name = "N", value_parser = frames)]
    pub frames: Option<u32>,
    /// Threads to use; results do not depend on it [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Go on from the checkpoint in the output folder
    #[arg(long)]
    pub resume: bool,
    /// Change a value of the scene, such as cloth.material.bending_n_m=1e-4 (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Mesh formats to write, instead of the scene's: obj, ply, pc2, mdd, npz, usda, glb (repeatable);
    /// "" for none
    #[arg(long, value_name = "FORMATS", value_delimiter = ',')]
    pub format: Option<Vec<String>>,
    /// Make no film, no poster and no plots
    #[arg(long)]
    pub no_film: bool,
    /// Write the linear system of this step, counted from 1 (Matrix Market and NPZ)
    #[arg(long, value_name = "STEP", value_parser = step)]
    pub dump_system: Option<u64>,
    /// Print nothing but errors
    #[arg(long)]
    pub quiet: bool,
    /// Print the resolved scene and the report as JSON on stdout
    #[arg(long)]
    pub json: bool,
}

fn frames(text: &str) -> Result<u32, &'static str> {
    text.parse()
        .map_err(|_| "expected a whole number from 0 to 4294967295")
}

fn step(text: &str) -> Result<u64, &'static str> {
    let step = text.parse().ok().filter(|step| *step > 0);
    step.ok_or("expected a whole number greater than 0")
}

/// `toile lab`.
#[derive(Args, Debug)]
pub struct LabArgs {
    /// The experiment
    pub name: Option<String>,
    /// Run all of them
    #[arg(long, conflicts_with = "name")]
    pub all: bool,
    /// Folder for tables and pictures
    #[arg(long, value_name = "DIR", default_value = "out/lab")]
    pub out: PathBuf,
    /// Threads to use; nothing but times depends on it [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
}

/// `toile bench`.
#[derive(Args, Debug)]
#[command(allow_negative_numbers = true)]
pub struct BenchArgs {
    /// The scene: hang, drape, drape-self or tablecloth
    pub name: String,
    /// Particles along each side
    #[arg(long, default_value_t = 51, value_parser = clap::value_parser!(u32).range(3..=2000))]
    pub n: u32,
    /// Energies of the cloth: quad-buckling, quad-hookean, triangle-buckling or baraff-witkin
    #[arg(long, default_value = "quad-buckling")]
    pub model: String,
    /// Simulated time
    #[arg(long, default_value_t = 2.0)]
    pub seconds: f64,
    /// Threads to use
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: u16,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    /// Write the final mesh
    #[arg(long, value_name = "FILE")]
    pub obj: Option<PathBuf>,
}

/// `toile new`.
#[derive(Args, Debug)]
pub struct NewArgs {
    /// Name of the scene; NAME.toml is written
    pub name: String,
}
