//! What is in a file: a sequence of any format, or one of those a run leaves.

mod character;
mod problems;
mod sequence;
mod surface;

pub use character::{CharacterInfo, ClipInfo, MotionInfo};
pub use problems::Problem;
pub use sequence::{SequenceInfo, describe_sequence};
pub use surface::SurfaceInfo;

use super::{Error, Format, Manifest, Place, open};
use crate::character::gltf_skins;
use crate::dump::{self, SystemInfo};
use crate::surface::is_surface;
use crate::{Report, SceneError, SceneSource, checkpoint, metrics};
use serde::Serialize;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use thiserror::Error as ThisError;

/// What is in a file. Its `Display` is for people.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Info {
    /// An animated mesh.
    Sequence(SequenceInfo),
    /// A mesh that does not move.
    Surface(SurfaceInfo),
    /// A body with a skeleton.
    Character(CharacterInfo),
    /// The motion of a skeleton.
    Motion(MotionInfo),
    /// A state to go on from.
    Checkpoint {
        /// Frames done.
        frame: u64,
        /// Steps done.
        step: u64,
        /// Simulated time, s.
        time_s: f64,
        /// Names and lengths of its lists.
        lists: Vec<(String, usize)>,
    },
    /// A scene.
    Scene {
        /// Its name.
        name: String,
        /// Frames to simulate.
        frames: u32,
        /// Frames per second.
        frame_rate_hz: f64,
        /// Names of the cloths, and how many particles each has.
        cloths: Vec<(String, usize)>,
        /// Number of colliders.
        colliders: usize,
    },
    /// What a run reported.
    Report(Box<Report>),
    /// What a run wrote.
    Manifest(Manifest),
    /// Numbers of every frame of a run.
    Metrics {
        /// Rows: a frame each, the start included.
        rows: usize,
        /// Simulated time, s.
        time_s: f64,
        /// Largest stretch of all frames.
        stretch_max: f64,
    },
    /// A matrix or a vector of a linear system.
    System(SystemInfo),
}

/// Why nothing can be said about a file.
#[derive(Debug, ThisError)]
pub enum DescribeError {
    /// It is no sequence, or not even a file.
    #[error(transparent)]
    Sequence(#[from] Error),
    /// It is no mesh.
    #[error(transparent)]
    Surface(#[from] crate::surface::Error),
    /// It is no checkpoint.
    #[error(transparent)]
    Checkpoint(#[from] checkpoint::Error),
    /// It is no scene.
    #[error("{0}")]
    Scene(SceneError),
    /// It is no table of metrics.
    #[error(transparent)]
    Metrics(#[from] metrics::Error),
    /// A name that says nothing.
    #[error(
        "{path}: expected a run's folder or file, a scene, or a name that ends in one of {}, .gltf, .stl, .fbx, .bvh",
        Format::endings()
    )]
    Unknown {
        /// The file.
        path: PathBuf,
    },
}

/// Looks into a file of any kind Toile knows, or at what a run left in a folder. Reads every frame,
/// one at a time.
pub fn describe(path: &Path) -> Result<Info, DescribeError> {
    if path.is_dir() {
        return describe_json(&path.join(Manifest::NAME));
    }
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("toml") => describe_scene(path).map_err(DescribeError::Scene),
        Some("json") => describe_json(path),
        Some("csv") => describe_metrics(path),
        Some("npz" | "mtx") if let Some(system) = dump::inspect(path) => Ok(Info::System(system)),
        Some("bvh") => Ok(Info::Motion(MotionInfo::of(path)?)),
        Some("glb" | "gltf") if path.is_file() && gltf_skins(path)? > 0 => {
            Ok(Info::Character(CharacterInfo::of(path)?))
        }
        Some("fbx") => Ok(Info::Character(CharacterInfo::of(path)?)),
        _ if Format::of(path).is_ok() => {
            let info = describe_sequence(open(path)?.as_mut());
            Ok(Info::Sequence(info))
        }
        // Formats of motions have been looked for before.
        Some(_) if is_surface(path) => Ok(Info::Surface(SurfaceInfo::of(path)?)),
        // Checkpoints have no ending.
        None => describe_checkpoint(path),
        Some(_) => Err(DescribeError::Unknown {
            path: path.to_owned(),
        }),
    }
}

fn describe_checkpoint(path: &Path) -> Result<Info, DescribeError> {
    let snapshot = checkpoint::inspect(path)?;
    let real = snapshot
        .arrays
        .iter()
        .map(|(name, list)| (name.clone(), list.len()));
    let whole = snapshot
        .integers
        .iter()
        .map(|(name, list)| (name.clone(), list.len()));
    Ok(Info::Checkpoint {
        frame: snapshot.frame,
        step: snapshot.step,
        time_s: snapshot.time_s,
        lists: real.chain(whole).collect(),
    })
}

/// A manifest has files; a report has none.
fn describe_json(path: &Path) -> Result<Info, DescribeError> {
    let text = fs::read(path).map_err(Error::io(path))?;
    let wrong = |error: serde_json::Error| {
        let place = Place::Line(error.line() as u64);
        let found = error.to_string();
        Error::malformed(path, place, "a report or a manifest", found)
    };
    let value: serde_json::Value = serde_json::from_slice(&text).map_err(wrong)?;
    if value.get("files").is_some() {
        return Ok(Info::Manifest(Manifest::read(path)?));
    }
    let report = serde_json::from_slice(&text).map_err(wrong)?;
    Ok(Info::Report(report))
}

fn describe_metrics(path: &Path) -> Result<Info, DescribeError> {
    let rows = metrics::read(path)?;
    Ok(Info::Metrics {
        rows: rows.len(),
        time_s: rows.last().map_or(0.0, |row| row.time_s),
        stretch_max: rows.iter().map(|row| row.stretch_max).fold(0.0, f64::max),
    })
}

fn describe_scene(path: &Path) -> Result<Info, SceneError> {
    let scene = SceneSource::read(path, &[])?.scene()?;
    let cloth = |cloth: &toile_sim::ClothSpec| (cloth.name.clone(), cloth.particles());
    Ok(Info::Scene {
        name: scene.name.clone(),
        frames: scene.frames,
        frame_rate_hz: scene.fps,
        cloths: scene.model.cloths.iter().map(cloth).collect(),
        colliders: scene.model.colliders.len() + scene.model.bodies.len(),
    })
}

impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sequence(info) => info.fmt(f),
            Self::Surface(info) => info.fmt(f),
            Self::Character(info) => info.fmt(f),
            Self::Motion(info) => info.fmt(f),
            Self::Checkpoint {
                frame,
                step,
                time_s,
                lists,
            } => {
                writeln!(f, "checkpoint after frame {frame}, step {step}, {time_s} s")?;
                { lists.iter() }.try_for_each(|(name, n)| writeln!(f, "  {name}: {n} numbers"))
            }
            Self::Scene {
                name,
                frames,
                frame_rate_hz,
                cloths,
                colliders,
            } => {
                writeln!(
                    f,
                    "scene {name}: {frames} frames at {frame_rate_hz} a second"
                )?;
                for (name, particles) in cloths {
                    writeln!(f, "  cloth {name}: {particles} particles")?;
                }
                writeln!(f, "  {colliders} colliders")
            }
            Self::Report(report) => report_lines(f, report),
            Self::Manifest(manifest) => manifest_lines(f, manifest),
            Self::Metrics {
                rows,
                time_s,
                stretch_max,
            } => {
                writeln!(f, "metrics of {rows} frames, {time_s} s")?;
                writeln!(f, "  stretch at most {:.2} %", 100.0 * stretch_max)
            }
            Self::System(system) => writeln!(f, "{system}"),
        }
    }
}

fn report_lines(f: &mut fmt::Formatter<'_>, report: &Report) -> fmt::Result {
    let Report {
        scene,
        frames,
        steps,
        wall_s,
        ..
    } = report;
    writeln!(
        f,
        "report of {scene}: {frames} frames, {steps} steps in {wall_s:.2} s"
    )?;
    match &report.error {
        Some(error) => writeln!(f, "  failed: {error}"),
        None => writeln!(f, "  state {}", report.state_hash),
    }
}

fn manifest_lines(f: &mut fmt::Formatter<'_>, manifest: &Manifest) -> fmt::Result {
    let state = match manifest.finished {
        true => "complete",
        false => "unfinished: the run is still writing or was killed",
    };
    writeln!(f, "manifest of {} sequences, {state}", manifest.files.len())?;
    for entry in &manifest.files {
        let (frames, first) = (entry.frames, entry.first_frame);
        let (file, bytes) = (&entry.file, entry.bytes);
        writeln!(
            f,
            "  {file}: {frames} frames from {first}, {bytes} bytes, {} vertices, unit {} m, {:?} up",
            entry.vertices, entry.metres_per_unit, entry.up_axis
        )?;
    }
    { manifest.notes.iter() }.try_for_each(|note| writeln!(f, "  note: {note}"))
}
