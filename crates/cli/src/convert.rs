//! `toile convert`: from any mesh format to any other.

use crate::exit::{Failure, Outcome};
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;
use toile::io::formats::{self, Assumptions, Entry, Options, UpAxis};

/// `toile convert`.
#[derive(Args, Debug)]
#[command(allow_negative_numbers = true)]
pub struct ConvertArgs {
    /// A mesh cache, numbered files as NAME.obj or NAME_####.obj, or several OBJ or PLY files
    #[arg(required = true, value_name = "IN")]
    inputs: Vec<PathBuf>,
    /// What to write; its ending says the format: obj, ply, pc2, mdd, npz, usda, glb
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// Which axis points up in OUT: y or z
    #[arg(long, value_name = "AXIS", value_parser = up_axis)]
    up_axis: Option<UpAxis>,
    /// Unit of lengths in OUT: m, cm, mm or a number of metres
    #[arg(long, value_name = "UNIT", value_parser = unit_m)]
    unit: Option<f64>,
    /// Make everything so many times as large
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    scale: f64,
    /// Frames per second of OUT: the same frames, faster or slower
    #[arg(long, value_name = "RATE")]
    fps: Option<f64>,
    /// Frames from the rest pose to the first one, before it
    #[arg(long, value_name = "FRAMES", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    pre_roll: u32,
    /// Number of the first frame of OUT
    #[arg(long, value_name = "N")]
    first_frame: Option<i64>,
    /// Leave velocities out
    #[arg(long)]
    no_velocities: bool,
    /// Which axis points up in IN, whatever it says
    #[arg(long, value_name = "AXIS", value_parser = up_axis)]
    from_up_axis: Option<UpAxis>,
    /// Unit of lengths in IN, whatever it says
    #[arg(long, value_name = "UNIT", value_parser = unit_m)]
    from_unit: Option<f64>,
    /// Frames per second of IN, whatever it says
    #[arg(long, value_name = "RATE")]
    from_fps: Option<f64>,
}

/// Converts, and says what was written, assumed and lost.
pub fn convert(args: &ConvertArgs) -> Outcome {
    let options = Options {
        up: args.up_axis,
        metres_per_unit: args.unit,
        enlargement: args.scale,
        frame_rate_hz: args.fps,
        first_frame: args.first_frame,
        preroll_frames: args.pre_roll,
        velocities: !args.no_velocities,
        assume: Assumptions {
            up: args.from_up_axis,
            metres_per_unit: args.from_unit,
            frame_rate_hz: args.from_fps,
        },
    };
    let done = formats::convert(&args.inputs, &args.output, &options).map_err(Failure::input)?;
    for entry in &done.files {
        let path = args.output.with_file_name(&entry.file);
        println!("wrote {}: {}", path.display(), contents(entry));
    }
    for note in &done.notes {
        println!("note: {note}");
    }
    Ok(ExitCode::SUCCESS)
}

fn contents(entry: &Entry) -> String {
    let Entry {
        frames,
        vertices,
        faces,
        bytes,
        ..
    } = entry;
    let frames = match frames {
        1 => "1 frame".to_owned(),
        frames => format!("{frames} frames from {}", entry.first_frame),
    };
    format!("{frames}, {vertices} vertices, {faces} faces, {bytes} bytes")
}

fn up_axis(word: &str) -> Result<UpAxis, &'static str> {
    match word {
        "y" | "Y" => Ok(UpAxis::Y),
        "z" | "Z" => Ok(UpAxis::Z),
        _ => Err("expected y or z"),
    }
}

/// Length of a unit, m.
pub fn unit_m(word: &str) -> Result<f64, &'static str> {
    let number = match word {
        "m" => Ok(1.0),
        "cm" => Ok(0.01),
        "mm" => Ok(0.001),
        _ => word.parse::<f64>(),
    };
    let usable = |n: &f64| n.is_finite() && *n > 0.0;
    { number.ok().filter(usable) }.ok_or("expected m, cm, mm or a number of metres above 0")
}
