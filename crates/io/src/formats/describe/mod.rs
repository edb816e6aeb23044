//! What is in a file: a sequence of any format, a checkpoint, a scene or a report.

mod problems;

pub use problems::Problem;

use super::{Channels, Error, Format, Part, SequenceReader, UpAxis, open};
use crate::{Report, SceneError, SceneSource, checkpoint};
use glam::Vec3;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use thiserror::Error as ThisError;

/// What is in a file. Its `Display` is for people.
#[derive(Clone, Debug, PartialEq)]
pub enum Info {
    /// An animated mesh.
    Sequence(SequenceInfo),
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
}

/// What is in a sequence.
#[derive(Clone, Debug, PartialEq)]
pub struct SequenceInfo {
    /// The file, or the first of several.
    pub path: PathBuf,
    /// The format.
    pub format: Format,
    /// Number of vertices.
    pub vertices: usize,
    /// Number of faces.
    pub faces: usize,
    /// The parts.
    pub parts: Vec<Part>,
    /// Number of frames.
    pub frames: u64,
    /// Number of the first frame.
    pub first_frame: i64,
    /// Frames per second, if the file says.
    pub frame_rate_hz: Option<f64>,
    /// What frames hold besides positions.
    pub channels: Channels,
    /// Whether there are texture coordinates.
    pub uvs: bool,
    /// Lowest and highest corner of a box around all finite positions of all frames.
    pub bounds: Option<(Vec3, Vec3)>,
    /// Which axis points up, if the file says.
    pub up: Option<UpAxis>,
    /// Length of its unit, m, if the file says.
    pub metres_per_unit: Option<f64>,
    /// What is wrong.
    pub problems: Vec<Problem>,
    /// What was passed over, in words.
    pub notes: Vec<String>,
}

/// Why nothing can be said about a file.
#[derive(Debug, ThisError)]
pub enum DescribeError {
    /// It is no sequence.
    #[error(transparent)]
    Sequence(#[from] Error),
    /// It is no checkpoint.
    #[error(transparent)]
    Checkpoint(#[from] checkpoint::Error),
    /// It is no scene.
    #[error("{0}")]
    Scene(SceneError),
    /// It is no report.
    #[error("{path}: expected a report: {source}")]
    Report {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: serde_json::Error,
    },
}

/// Looks into a file of any kind Toile knows. Reads every frame, one at a time.
pub fn describe(path: &Path) -> Result<Info, DescribeError> {
    if Format::of(path).is_ok() {
        let info = describe_sequence(open(path)?.as_mut());
        return Ok(Info::Sequence(info));
    }
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("toml") => describe_scene(path).map_err(DescribeError::Scene),
        Some("json") => {
            let text = fs::read(path).map_err(Error::io(path))?;
            let report = serde_json::from_slice(&text).map_err(|source| DescribeError::Report {
                path: path.to_owned(),
                source,
            })?;
            Ok(Info::Report(report))
        }
        Some(_) => Err(Error::UnknownFormat {
            path: path.to_owned(),
        }
        .into()),
        // Checkpoints have no ending.
        None => {
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
    }
}

fn describe_scene(path: &Path) -> Result<Info, SceneError> {
    let scene = SceneSource::read(path, &[])?.scene()?;
    let cloth = |cloth: &toile_sim::ClothSpec| (cloth.name.clone(), cloth.grid.len());
    Ok(Info::Scene {
        name: scene.name.clone(),
        frames: scene.frames,
        frame_rate_hz: scene.fps,
        cloths: scene.model.cloths.iter().map(cloth).collect(),
        colliders: scene.model.colliders.len(),
    })
}

/// Reads all frames of a sequence and says what is in it.
pub fn describe_sequence(reader: &mut dyn SequenceReader) -> SequenceInfo {
    let header = reader.header().clone();
    let mut bounds: Option<(Vec3, Vec3)> = None;
    let mut pose = Some(header.rest.clone()).filter(|rest| !rest.is_empty());
    let mut not_finite: Option<(u64, u64)> = None;
    let mut unreadable: Option<(u64, u64, String)> = None;
    for k in 0..reader.frames() {
        let frame = match reader.read_stored(k) {
            Ok(frame) => frame,
            Err(error) => {
                let (count, ..) = unreadable.get_or_insert((0, k, error.to_string()));
                *count += 1;
                continue;
            }
        };
        if frame.non_finite().is_some() {
            not_finite.get_or_insert((0, k)).0 += 1;
        }
        for p in frame.positions.iter().filter(|p| p.is_finite()) {
            let (low, high) = bounds.get_or_insert((*p, *p));
            (*low, *high) = (low.min(*p), high.max(*p));
        }
        pose.get_or_insert(frame.positions);
    }
    let mut problems = pose.map_or(Vec::new(), |pose| problems::of_mesh(&header, &pose));
    problems.extend(not_finite.map(|(count, first)| Problem::NotFinite { count, first }));
    problems.extend(unreadable.map(|(count, first, why)| Problem::Unreadable {
        count,
        first,
        why,
    }));
    SequenceInfo {
        path: reader.path().to_owned(),
        format: reader.format(),
        vertices: header.vertices,
        faces: header.faces.len(),
        frames: reader.frames(),
        first_frame: header.first_frame,
        frame_rate_hz: header.frame_rate_hz,
        channels: header.channels,
        uvs: !header.uvs.is_empty(),
        bounds,
        up: header.up,
        metres_per_unit: header.metres_per_unit,
        parts: header.parts,
        problems,
        notes: reader.notes().to_vec(),
    }
}

impl SequenceInfo {
    /// The unit a cloth of this size is probably measured in: most are between a handkerchief and
    /// a sail.
    pub fn likely_unit(&self) -> &'static str {
        let size = self
            .bounds
            .map_or(0.0, |(low, high)| (high - low).max_element());
        match size {
            0.0..20.0 => "metres",
            20.0..2000.0 => "centimetres",
            _ => "millimetres",
        }
    }
}

impl fmt::Display for SequenceInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, name) = (self.path.display(), self.format.name());
        writeln!(
            f,
            "{path}: {name}, {} frames from {}",
            self.frames, self.first_frame
        )?;
        let rate = self
            .frame_rate_hz
            .map(|rate| format!("{rate} frames a second"));
        writeln!(f, "  rate      {}", rate.as_deref().unwrap_or("not stated"))?;
        writeln!(
            f,
            "  mesh      {} vertices, {} faces",
            self.vertices, self.faces
        )?;
        for part in &self.parts {
            let (vertices, faces) = (part.vertices.len(), part.faces.len());
            writeln!(
                f,
                "  part      {}: {vertices} vertices, {faces} faces",
                part.name
            )?;
        }
        let channels = self.channels;
        let held = [
            ("texture coordinates", self.uvs),
            ("velocities", channels.velocities),
            ("normals", channels.normals),
            ("colours", channels.colours),
        ];
        let held: Vec<&str> = held
            .into_iter()
            .filter(|(_, there)| *there)
            .map(|(n, _)| n)
            .collect();
        if !held.is_empty() {
            writeln!(f, "  holds     {}", held.join(", "))?;
        }
        if let Some((low, high)) = self.bounds {
            writeln!(f, "  bounds    {low} to {high}")?;
        }
        match self.metres_per_unit {
            Some(metres) => writeln!(f, "  unit      {metres} m")?,
            None => writeln!(
                f,
                "  unit      not stated, {} by its size",
                self.likely_unit()
            )?,
        }
        match self.up {
            Some(up) => writeln!(f, "  up axis   {up:?}")?,
            None => writeln!(f, "  up axis   not stated")?,
        }
        for note in &self.notes {
            writeln!(f, "  note      {note}")?;
        }
        for problem in &self.problems {
            writeln!(f, "  problem   {problem}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sequence(info) => info.fmt(f),
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
            Self::Report(report) => {
                let Report {
                    scene,
                    frames,
                    steps,
                    wall_s,
                    ..
                } = report.as_ref();
                writeln!(
                    f,
                    "report of {scene}: {frames} frames, {steps} steps in {wall_s:.2} s"
                )?;
                match &report.error {
                    Some(error) => writeln!(f, "  failed: {error}"),
                    None => writeln!(f, "  state {}", report.state_hash),
                }
            }
        }
    }
}
