//! The options of `toile render`.

use clap::{Args, ValueEnum};
use glam::DVec3;
use std::path::PathBuf;
use std::str::FromStr;
use toile::run::coloring::Quantity;

/// `toile render`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct RenderArgs {
    /// Folder of a run, or a mesh or mesh cache: .obj, .ply, .pc2, .mdd, .npz, .usda, .glb
    #[arg(value_name = "RUN_OR_FILE")]
    pub input: PathBuf,
    /// What to write, by its ending: .mp4, .gif, .png (the last picture), or NAME%04d.png for all
    /// [default: render.mp4 beside the input; render.png for a contact sheet or a single frame]
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// fit (all that happens), orbit:AZIMUTH,ELEVATION[,DISTANCE] (degrees, m), or given (--eye)
    #[arg(long, value_name = "CAMERA", default_value = "fit")]
    pub camera: CameraChoice,
    /// Where the camera is, m; implies --camera given
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    pub eye: Option<Point>,
    /// What the camera looks at, m [default: the middle of what there is to see]
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    pub look_at: Option<Point>,
    /// Angle between top and bottom of the picture, degrees
    #[arg(long, value_name = "DEGREES", default_value_t = 32.0)]
    pub fov: f64,
    /// Size of the pictures
    #[arg(long, value_name = "WxH", default_value = "1280x720")]
    pub size: Pair,
    /// First and last frame, counted from 0: A..B, A.., ..B or one frame
    #[arg(long, value_name = "A..B", default_value = "..")]
    pub frames: FrameRange,
    /// Pictures a second [default: as the input says, or 24]
    #[arg(long, value_name = "N")]
    pub fps: Option<f64>,
    /// Quantity that the colours show
    #[arg(long, value_enum, value_name = "QUANTITY", default_value = "plain")]
    pub color: ColorBy,
    /// Values at the ends of the colours, in the unit of the key [default: nearly all that occur]
    #[arg(long, value_name = "LO,HI", allow_hyphen_values = true)]
    pub range: Option<Bounds>,
    /// Draw the edges of the mesh
    #[arg(long)]
    pub wireframe: bool,
    /// Another run or file, shown at the right with the same camera and colours
    #[arg(long, value_name = "RUN_OR_FILE")]
    pub beside: Option<PathBuf>,
    /// One picture of that many frames, evenly spread
    #[arg(long, value_name = "COLSxROWS", conflicts_with = "turntable")]
    pub contact_sheet: Option<Pair>,
    /// The last frame from all sides, in that many pictures
    #[arg(long, value_name = "PICTURES", value_parser = clap::value_parser!(u32).range(2..=10_000))]
    pub turntable: Option<u32>,
    /// Write plots.png, plots.svg and overview.png of a run, and nothing else
    #[arg(long)]
    pub overview: bool,
    /// Print nothing but errors
    #[arg(long)]
    pub quiet: bool,
}

const EXAMPLES: &str = "Examples:
  toile render out/flag --color strain-warp --range=-2,2 -o strain.mp4
  toile render flag.usda --camera orbit:30,20 --turntable 90 -o flag.gif
  toile render out/flag --contact-sheet 4x3 -o sheet.png
  toile render out/a --beside out/b --frames 100 -o compare.png";

/// What the colours show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColorBy {
    /// Front and back of the fabric
    Plain,
    /// Strain along warp, %
    StrainWarp,
    /// Strain along weft, %
    StrainWeft,
    /// Shear angle between warp and weft, degrees
    Shear,
    /// The larger principal curvature, 1/m
    Curvature,
    /// Speed from frame to frame, m/s
    Speed,
    /// Elastic energy without bending, J/m²; needs a run, which knows its material
    EnergyDensity,
}

impl ColorBy {
    /// None for plain fabric.
    pub fn quantity(self) -> Option<Quantity> {
        match self {
            Self::Plain => None,
            Self::StrainWarp => Some(Quantity::StrainWarp),
            Self::StrainWeft => Some(Quantity::StrainWeft),
            Self::Shear => Some(Quantity::Shear),
            Self::Curvature => Some(Quantity::Curvature),
            Self::Speed => Some(Quantity::Speed),
            Self::EnergyDensity => Some(Quantity::EnergyDensity),
        }
    }
}

/// Where the camera stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CameraChoice {
    /// In front, as near as all that happens allows.
    Fit,
    /// On a sphere around what there is to see.
    Orbit {
        /// From the z axis towards the x axis, degrees.
        azimuth_deg: f64,
        /// Above the horizon, degrees.
        elevation_deg: f64,
        /// From the middle of what there is to see, m; as near as possible if not given.
        distance_m: Option<f64>,
    },
    /// Where `--eye` says.
    Given,
}

impl FromStr for CameraChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = "expected fit, orbit:AZIMUTH,ELEVATION[,DISTANCE] or given";
        match (text, text.strip_prefix("orbit:")) {
            ("fit", _) => Ok(Self::Fit),
            ("given", _) => Ok(Self::Given),
            (_, Some(rest)) => {
                let (azimuth_deg, elevation_deg, distance_m) = match numbers(rest)?[..] {
                    [azimuth, elevation] => (azimuth, elevation, None),
                    [azimuth, elevation, distance] => (azimuth, elevation, Some(distance)),
                    _ => return Err(expected.to_owned()),
                };
                if elevation_deg.abs() > 90.0 {
                    return Err("the elevation is an angle from -90 to 90 degrees".to_owned());
                }
                if distance_m.is_some_and(|m| m <= 0.0) {
                    return Err("the distance is a length greater than 0".to_owned());
                }
                Ok(Self::Orbit {
                    azimuth_deg,
                    elevation_deg,
                    distance_m,
                })
            }
            _ => Err(expected.to_owned()),
        }
    }
}

/// A point in space, as `X,Y,Z`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point(pub DVec3);

impl FromStr for Point {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match numbers(text)?[..] {
            [x, y, z] => Ok(Self(DVec3::new(x, y, z))),
            _ => Err("expected three numbers: X,Y,Z".to_owned()),
        }
    }
}

/// Two different numbers, the lower first, as `LO,HI`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds(pub [f64; 2]);

impl FromStr for Bounds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match numbers(text)?[..] {
            [low, high] if low < high => Ok(Self([low, high])),
            _ => Err("expected two numbers, the lower first: LO,HI".to_owned()),
        }
    }
}

fn numbers(text: &str) -> Result<Vec<f64>, String> {
    let number = |word: &str| match word.trim().parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err(format!("`{word}` is not a number")),
    };
    text.split(',').map(number).collect()
}

/// Two counts, as `AxB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair(pub [usize; 2]);

impl FromStr for Pair {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let count = |word: &str| word.parse().ok().filter(|n| (1..=16_384).contains(n));
        text.split_once('x')
            .and_then(|(a, b)| Some(Self([count(a)?, count(b)?])))
            .ok_or_else(|| "expected two whole numbers from 1 to 16384, such as 4x3".to_owned())
    }
}

/// Frames from the first to the last, both included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameRange {
    /// The first; the beginning if not given.
    pub first: Option<u64>,
    /// The last; the end if not given.
    pub last: Option<u64>,
}

impl FromStr for FrameRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let end = |word: &str| match word {
            "" => Ok(None),
            word => word
                .parse()
                .map(Some)
                .map_err(|_| "expected frames as A..B, A.., ..B or one number".to_owned()),
        };
        let (first, last) = match text.split_once("..") {
            Some((first, last)) => (end(first)?, end(last)?),
            None if text.is_empty() => return Err("expected frames as A..B".to_owned()),
            None => (end(text)?, end(text)?),
        };
        if first.zip(last).is_some_and(|(first, last)| first > last) {
            return Err(format!("{text} ends before it begins"));
        }
        Ok(Self { first, last })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_may_leave_an_end_open() {
        let range = |first, last| Ok(FrameRange { first, last });
        assert_eq!("3..9".parse(), range(Some(3), Some(9)));
        assert_eq!("3..".parse(), range(Some(3), None));
        assert_eq!("..9".parse(), range(None, Some(9)));
        assert_eq!("..".parse(), range(None, None));
        assert_eq!("7".parse(), range(Some(7), Some(7)));
        for odd in ["", "a..b", "9..3", "-1", "1...3"] {
            assert!(odd.parse::<FrameRange>().is_err(), "{odd}");
        }
    }

    #[test]
    fn cameras_are_read_as_they_are_written() {
        assert_eq!("fit".parse(), Ok(CameraChoice::Fit));
        assert_eq!("given".parse(), Ok(CameraChoice::Given));
        let orbit = |distance_m| CameraChoice::Orbit {
            azimuth_deg: -30.0,
            elevation_deg: 20.5,
            distance_m,
        };
        assert_eq!("orbit:-30,20.5".parse(), Ok(orbit(None)));
        assert_eq!("orbit:-30,20.5,4".parse(), Ok(orbit(Some(4.0))));
        for odd in [
            "",
            "orbit",
            "orbit:1",
            "orbit:0,91",
            "orbit:0,0,0",
            "orbit:nan,0",
        ] {
            assert!(odd.parse::<CameraChoice>().is_err(), "{odd}");
        }
    }

    #[test]
    fn pairs_and_bounds_are_checked() {
        assert_eq!("4x3".parse(), Ok(Pair([4, 3])));
        assert_eq!("-2,2".parse(), Ok(Bounds([-2.0, 2.0])));
        for odd in ["0x3", "4", "4x3x2", "4 x 3", "99999x2"] {
            assert!(odd.parse::<Pair>().is_err(), "{odd}");
        }
        for odd in ["2,-2", "1", "1,inf", "1,1"] {
            assert!(odd.parse::<Bounds>().is_err(), "{odd}");
        }
    }
}
