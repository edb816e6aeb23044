//! The arguments of `toile fabrics`.

use clap::{Args, Subcommand};
use std::path::PathBuf;
use toile::lab::fit::{TensilePoint, Thread};

/// `toile fabrics`.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub struct FabricsArgs {
    /// Show this one whole, with the source of every number
    pub name: Option<String>,
    /// Fabrics of this file instead of the built-in ones
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
    /// What else to do
    #[command(subcommand)]
    pub action: Option<Action>,
}

/// What else to do with fabrics.
#[derive(Debug, Subcommand)]
pub enum Action {
    /// Make a fabric from what a ruler and a kitchen scale can measure
    #[command(after_help = HOW)]
    Fit(FitArgs),
}

const HOW: &str =
    "Cut a strip of about 25 × 200 mm along warp, and one along weft. Push it over the
edge of a table until the straight line from the edge to its tip falls at the angle
(41.5 degrees: down 88 mm for every 100 mm out). The overhang is the length of cloth
beyond the edge.";

/// `toile fabrics fit`.
#[derive(Args, Debug)]
pub struct FitArgs {
    /// Weight of a square metre
    #[arg(long, value_name = "GRAMS")]
    pub weight_g_per_m2: f64,
    /// Overhang of a strip cut along warp
    #[arg(long, value_name = "MM")]
    pub overhang_warp_mm: f64,
    /// Overhang of a strip cut along weft
    #[arg(long, value_name = "MM")]
    pub overhang_weft_mm: f64,
    /// Angle of the line from the edge to the tip below the level
    #[arg(long, value_name = "DEGREES", default_value_t = toile::lab::fit::USUAL_ANGLE_DEG)]
    pub angle_deg: f64,
    /// How far off an overhang may have been read
    #[arg(long, value_name = "MM", default_value_t = 1.0)]
    pub reading_error_mm: f64,
    /// Drape coefficient by Cusick's test, as a check
    #[arg(long, value_name = "PERCENT")]
    pub drape_percent: Option<f64>,
    /// A point of a tensile test, such as warp:100@0.05 or weft:80@4% (repeatable)
    #[arg(long, value_name = "THREAD:N_PER_M@STRAIN", value_parser = tensile_point)]
    pub tensile: Vec<TensilePoint>,
    /// What the fabric is to be called
    #[arg(long, default_value = "my-fabric")]
    pub name: String,
    /// Write the fabric into this file, which must be new
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

fn tensile_point(text: &str) -> Result<TensilePoint, String> {
    let parts = || {
        let (thread, rest) = text.split_once(':')?;
        let thread = match thread {
            "warp" => Thread::Warp,
            "weft" => Thread::Weft,
            _ => return None,
        };
        let (force, strain) = rest.split_once('@')?;
        let (strain, unit) = match strain.strip_suffix('%') {
            Some(percent) => (percent, 0.01),
            None => (strain, 1.0),
        };
        Some(TensilePoint {
            thread,
            force_n_per_m: force.trim().parse().ok()?,
            strain: unit * strain.trim().parse::<f64>().ok()?,
        })
    };
    parts()
        .ok_or_else(|| "expected warp:FORCE@STRAIN or weft:FORCE@STRAIN, force in N/m".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tensile_points_take_shares_and_per_cents() {
        let point = tensile_point("weft:80@4%").unwrap();
        assert_eq!((point.thread, point.force_n_per_m), (Thread::Weft, 80.0));
        assert!((point.strain - 0.04).abs() < 1e-15);
        assert_eq!(tensile_point("warp:1e2@0.5").unwrap().strain, 0.5);
        for bad in [
            "", "warp", "warp:1", "bias:1@2", "warp:x@1", "warp:1@", "1@2",
        ] {
            assert!(tensile_point(bad).is_err(), "{bad}");
        }
    }
}
