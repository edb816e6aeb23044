//! `toile body`: the mannequin, and measurements of any body.

use crate::exit::{Failure, Outcome};
use clap::Args;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use toile::figure::mannequin::{Given, Mannequin, Measurements, Motion, Sex, Size};
use toile::figure::measure::{Taken, measure};
use toile::geometry::TriMesh;
use toile::geometry::character::{Character, Joint, Rig};
use toile::io::obj::Object;
use toile::io::{character, obj, surface};

/// `toile body`.
#[derive(Args, Debug)]
pub struct BodyArgs {
    /// What to write: .glb has skeleton, skin and motions; .obj the surface in one pose
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// A size to start from: XS, S, M, L, XL or XXL
    #[arg(long, default_value = "M", value_parser = size)]
    size: Size,
    /// female or male
    #[arg(long, default_value = "female", value_parser = sex)]
    sex: Sex,
    /// Sole to crown, m
    #[arg(long, value_name = "M")]
    height: Option<f64>,
    /// Around the fullest part of the chest, m
    #[arg(long, value_name = "M")]
    bust: Option<f64>,
    /// Around the narrowest part of the trunk, m
    #[arg(long, value_name = "M")]
    waist: Option<f64>,
    /// Around the fullest part of the seat, m
    #[arg(long, value_name = "M")]
    hip: Option<f64>,
    /// From one shoulder point to the other, m
    #[arg(long, value_name = "M")]
    shoulder: Option<f64>,
    /// Shoulder point to wrist, m
    #[arg(long, value_name = "M")]
    arm: Option<f64>,
    /// Inside of the leg, m
    #[arg(long, value_name = "M")]
    leg: Option<f64>,
    /// Around the neck, m
    #[arg(long, value_name = "M")]
    neck: Option<f64>,
    /// Around the upper arm, m
    #[arg(long, value_name = "M")]
    upper_arm: Option<f64>,
    /// Around the wrist, m
    #[arg(long, value_name = "M")]
    wrist: Option<f64>,
    /// Around the thigh, m
    #[arg(long, value_name = "M")]
    thigh: Option<f64>,
    /// Around the calf, m
    #[arg(long, value_name = "M")]
    calf: Option<f64>,
    /// Around the ankle, m
    #[arg(long, value_name = "M")]
    ankle: Option<f64>,
    /// The pose: rest, or a motion at --time
    #[arg(long, value_name = "MOTION", default_value = "rest", value_parser = pose)]
    pose: Pose,
    /// Time in the motion of --pose, s
    #[arg(long, value_name = "S", default_value_t = 0.0)]
    time: f64,
    /// Motions that a .glb file has (repeatable) [default: all]
    #[arg(long, value_name = "MOTION", value_parser = motion)]
    motion: Vec<Motion>,
    /// List sizes and motions
    #[arg(long)]
    list: bool,
    /// Measure the body of a mesh file (OBJ, PLY, STL, glTF) that stands upright, arms held away; what no
    /// adult measures is doubted
    #[arg(long, value_name = "FILE", conflicts_with_all = ["out", "list"])]
    measure: Option<PathBuf>,
    /// Unit of lengths in the file to measure, whatever it says: m, cm, mm or a number of metres
    #[arg(long, value_name = "UNIT", requires = "measure", value_parser = crate::convert::unit_m)]
    unit: Option<f64>,
    /// Measure only what is called this in the file: an object, a group or a material
    #[arg(long, value_name = "NAME", requires = "measure")]
    group: Option<String>,
    /// Print measurements as JSON
    #[arg(long)]
    json: bool,
}

/// The rest pose, or one of a motion.
#[derive(Clone, Copy, Debug)]
enum Pose {
    Rest,
    Of(Motion),
}

/// What can be written.
#[derive(Clone, Copy, Debug)]
enum Format {
    Obj,
    Glb,
}

impl Format {
    fn of(path: &Path) -> Result<Self, Failure> {
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("");
        match ending.to_ascii_lowercase().as_str() {
            "obj" => Ok(Self::Obj),
            "glb" => Ok(Self::Glb),
            _ => Err(Failure::input(format!(
                "{} must end in .glb or .obj",
                path.display()
            ))),
        }
    }
}

/// Makes, lists or measures.
pub fn body(args: &BodyArgs) -> Outcome {
    if args.list {
        list();
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(path) = &args.measure {
        let mesh = measurable(path, args)?;
        let taken = measure(&mesh);
        let doubts = taken.doubts();
        print(None, &taken, &doubts, args.json);
        return Ok(ExitCode::SUCCESS);
    }
    if !args.time.is_finite() {
        return Err(Failure::input("--time must be a number of seconds"));
    }
    let format = args.out.as_deref().map(Format::of).transpose()?;
    let asked = asked(args);
    let mannequin = Mannequin::new(&asked).map_err(Failure::input)?;
    if let (Some(path), Some(format)) = (&args.out, format) {
        write(path, format, &mannequin, args)?;
        if !args.json {
            println!("wrote {}", path.display());
        }
    }
    print(Some(&asked), &mannequin.taken, &[], args.json);
    Ok(ExitCode::SUCCESS)
}

/// The mesh of a file, or what is called as asked in it.
fn measurable(path: &Path, args: &BodyArgs) -> Result<TriMesh, Failure> {
    let options = surface::Options {
        metres_per_unit: args.unit,
        ..surface::Options::default()
    };
    let mut file = surface::read(path, &options).map_err(Failure::input)?;
    if let Some(group) = &args.group {
        file = file.only(group, path).map_err(Failure::input)?;
    }
    let mesh_error = |problem| surface::Error::Mesh {
        path: path.to_owned(),
        problem,
    };
    let (file, _) = file
        .repaired(None)
        .map_err(|e| Failure::input(mesh_error(e)))?;
    Ok(TriMesh {
        positions: file.positions,
        faces: file.triangles,
    })
}

fn asked(args: &BodyArgs) -> Measurements {
    let given = Given {
        height_m: args.height,
        bust_m: args.bust,
        waist_m: args.waist,
        hip_m: args.hip,
        shoulder_m: args.shoulder,
        arm_m: args.arm,
        leg_m: args.leg,
        neck_m: args.neck,
        upper_arm_m: args.upper_arm,
        wrist_m: args.wrist,
        thigh_m: args.thigh,
        calf_m: args.calf,
        ankle_m: args.ankle,
    };
    Measurements::given(args.sex, args.size, &given)
}

fn write(
    path: &Path,
    format: Format,
    mannequin: &Mannequin,
    args: &BodyArgs,
) -> Result<(), Failure> {
    match format {
        Format::Obj => {
            let positions = match args.pose {
                Pose::Rest => mannequin.character.mesh.positions.clone(),
                Pose::Of(motion) => mannequin.at(motion, args.time),
            };
            let object = Object {
                name: "mannequin",
                positions: &positions,
                faces: &mannequin.character.mesh.faces,
                pattern: &[],
            };
            obj::write(path, &[object]).map_err(Failure::input)
        }
        Format::Glb => {
            let character = posed(mannequin, args).map_err(Failure::input)?;
            character::write_glb(path, &character).map_err(Failure::input)
        }
    }
}

/// The character with the motions asked for, standing as asked.
fn posed(
    mannequin: &Mannequin,
    args: &BodyArgs,
) -> Result<Character, toile::geometry::character::CharacterError> {
    let mut character = mannequin.character.clone();
    if let Pose::Of(motion) = args.pose
        && let Some(clip) = character.clip(motion.name())
    {
        let mut pose = character.rest();
        character.clips[clip].apply(args.time, &mut pose);
        let joints = character.rig.joints().iter().zip(pose.locals);
        let joints = joints.map(|(joint, rest)| Joint {
            rest,
            ..joint.clone()
        });
        character.rig = Rig::new(joints.collect())?;
    }
    if !args.motion.is_empty() {
        let asked = |name: &str| args.motion.iter().any(|m| m.name() == name);
        character.clips.retain(|clip| asked(&clip.name));
    }
    Ok(character)
}

fn list() {
    println!("sizes, in cm:");
    println!(
        "{:>12} {:>6} {:>6} {:>6} {:>6} {:>9}",
        "", "height", "bust", "waist", "hip", "shoulder"
    );
    for sex in [Sex::Female, Sex::Male] {
        for size in Size::ALL {
            let m = Measurements::of_size(sex, size);
            let [height, bust, waist, hip, shoulder] =
                [m.height_m, m.bust_m, m.waist_m, m.hip_m, m.shoulder_m].map(|m| 100.0 * m);
            let name = format!("{} {}", sex.name(), size.name());
            println!(
                "{name:>12} {height:>6.0} {bust:>6.0} {waist:>6.0} {hip:>6.0} {shoulder:>9.1}"
            );
        }
    }
    println!("motions:");
    for motion in Motion::ALL {
        println!("{:>20}  {}", motion.name(), motion.about());
    }
}

/// A measurement that cannot be believed, and why.
type Doubt = (&'static str, String);

/// Measurements in the order of the tailor's list; what was asked beside what was found, and doubts
/// instead of what cannot be believed.
fn print(asked: Option<&Measurements>, taken: &Taken, doubts: &[Doubt], as_json: bool) {
    let asked = asked.map(Measurements::named);
    let doubt = |name: &str| doubts.iter().find(|(of, _)| *of == name);
    if as_json {
        let found: Map<String, Value> = taken
            .named()
            .into_iter()
            .map(|(name, m)| (name.to_owned(), json!(m.filter(|_| doubt(name).is_none()))))
            .collect();
        let mut value = json!({ "measured_m": found });
        if asked.is_none() {
            let doubts = doubts
                .iter()
                .map(|(name, why)| (name.to_string(), json!(why)));
            value["doubts"] = Value::Object(doubts.collect());
        }
        if let Some(asked) = asked {
            let asked: Map<String, Value> = asked
                .into_iter()
                .map(|(name, m)| (name.to_owned(), json!(m)))
                .collect();
            value["asked_m"] = Value::Object(asked);
        }
        println!("{value:#}");
        return;
    }
    for (k, (name, found)) in taken.named().into_iter().enumerate() {
        let found = match (found, doubt(name)) {
            (Some(_), Some((_, why))) => format!("doubtful: {why}"),
            (Some(m), None) => format!("{:7.1} cm", 100.0 * m),
            (None, _) => "not found".to_owned(),
        };
        match asked {
            Some(asked) => println!("{name:>10} {found}  (asked {:.1})", 100.0 * asked[k].1),
            None => println!("{name:>10} {found}"),
        }
    }
}

fn size(word: &str) -> Result<Size, &'static str> {
    Size::named(word).ok_or("expected XS, S, M, L, XL or XXL")
}

fn sex(word: &str) -> Result<Sex, &'static str> {
    Sex::named(word).ok_or("expected female or male")
}

fn motion(word: &str) -> Result<Motion, String> {
    Motion::named(word).ok_or_else(|| {
        let names: Vec<&str> = Motion::ALL.iter().map(|m| m.name()).collect();
        format!("expected one of {}", names.join(", "))
    })
}

fn pose(word: &str) -> Result<Pose, String> {
    match word {
        "rest" => Ok(Pose::Rest),
        word => motion(word).map(Pose::Of),
    }
}
