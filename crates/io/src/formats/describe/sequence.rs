//! What is in an animated mesh.

use super::problems::{self, Problem};
use crate::formats::{Channels, Format, Part, SequenceReader, UpAxis};
use glam::Vec3;
use serde::{Serialize, Serializer};
use std::fmt;
use std::path::PathBuf;

/// What is in a sequence.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
    #[serde(serialize_with = "corners")]
    pub bounds: Option<(Vec3, Vec3)>,
    /// Which axis points up, if the file says.
    pub up: Option<UpAxis>,
    /// Length of its unit, m, if the file says.
    pub metres_per_unit: Option<f64>,
    /// The unit it is probably measured in, by its size.
    pub likely_unit: &'static str,
    /// What is wrong.
    pub problems: Vec<Problem>,
    /// What was passed over, in words.
    pub notes: Vec<String>,
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
        likely_unit: likely_unit(bounds),
        up: header.up,
        metres_per_unit: header.metres_per_unit,
        parts: header.parts,
        problems,
        notes: reader.notes().to_vec(),
    }
}

/// The unit a cloth of this size is probably measured in: most are between a handkerchief and a
/// sail.
fn likely_unit(bounds: Option<(Vec3, Vec3)>) -> &'static str {
    let size = bounds.map_or(0.0, |(low, high)| (high - low).max_element());
    match size {
        0.0..20.0 => "metres",
        20.0..2000.0 => "centimetres",
        _ => "millimetres",
    }
}

fn corners<S: Serializer>(bounds: &Option<(Vec3, Vec3)>, s: S) -> Result<S::Ok, S::Error> {
    bounds
        .map(|(low, high)| [low.to_array(), high.to_array()])
        .serialize(s)
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
                self.likely_unit
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
