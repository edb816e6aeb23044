//! `manifest.json`: what was written, for those who come after.

use super::{Error, Format, Header, Place, UpAxis};
use crate::atomic;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::Write;
use std::path::Path;

/// A file, or the numbered files of one sequence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Name of the file; of numbered files with `#` for each digit.
    pub file: String,
    /// The format.
    pub format: Format,
    /// Number of the first frame.
    pub first_frame: i64,
    /// Number of frames, pre-roll included; 1 for a rest mesh.
    pub frames: u64,
    /// How many of them are pre-roll.
    #[serde(default)]
    pub pre_roll_frames: u32,
    /// Which frame of the run comes after the pre-roll, counted from 0: more than 0 where a run
    /// was resumed without the frames before.
    #[serde(default)]
    pub run_frame: u64,
    /// Frames per second.
    pub frame_rate_hz: f64,
    /// Number of vertices.
    pub vertices: u64,
    /// Number of faces.
    pub faces: u64,
    /// Names of the parts.
    pub parts: Vec<String>,
    /// Size of all files together.
    pub bytes: u64,
    /// Length of the unit of all lengths, m.
    pub metres_per_unit: f64,
    /// Which axis points up.
    pub up_axis: UpAxis,
}

impl Entry {
    pub(super) fn new(
        path: &Path,
        format: Format,
        header: &Header,
        frames: u64,
        bytes: u64,
    ) -> Self {
        let file = path.file_name().unwrap_or_default();
        Self {
            file: file.to_string_lossy().into_owned(),
            format,
            first_frame: header.first_frame,
            frames,
            pre_roll_frames: 0,
            run_frame: 0,
            frame_rate_hz: header.rate_hz(),
            vertices: header.vertices as u64,
            faces: header.faces.len() as u64,
            parts: header.parts.iter().map(|part| part.name.clone()).collect(),
            bytes,
            metres_per_unit: header.metres_per_unit.unwrap_or(1.0),
            up_axis: header.up.unwrap_or_default(),
        }
    }
}

/// All sequences that were written into a folder.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the program.
    pub toile_version: String,
    /// Whether all files are complete; until then sizes and numbers of frames are 0.
    #[serde(default)]
    pub finished: bool,
    /// The files.
    pub files: Vec<Entry>,
    /// What else there is to know about them, in words.
    #[serde(default)]
    pub notes: Vec<String>,
}

impl Manifest {
    /// Its name in every folder.
    pub const NAME: &str = "manifest.json";

    /// Of these complete files, written by this version.
    pub fn new(files: Vec<Entry>) -> Self {
        Self {
            toile_version: env!("CARGO_PKG_VERSION").to_owned(),
            finished: true,
            files,
            notes: Vec::new(),
        }
    }

    /// Writes `manifest.json` into `folder`.
    pub fn write(&self, folder: &Path) -> Result<(), Error> {
        let path = folder.join(Self::NAME);
        atomic::write(&path, |writer| {
            serde_json::to_writer_pretty(&mut *writer, self)?;
            writeln!(writer)
        })
        .map_err(Error::io(&path))
    }

    /// Reads a manifest.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let bytes = fs::read(path).map_err(Error::io(path))?;
        serde_json::from_slice(&bytes).map_err(|error| {
            let place = Place::Line(error.line() as u64);
            Error::malformed(path, place, "a manifest", error.to_string())
        })
    }
}
