//! Where the meshes to be drawn are, and what is written beside them.

use crate::error::RunError;
use std::path::{Path, PathBuf};
use toile_io::formats::{Entry, Format, Manifest, UpAxis};
use toile_io::{Scene, scene};

/// A sequence, and what is known of it besides what it says itself.
pub struct Found {
    /// The file, or the name its numbered files have in common.
    pub path: PathBuf,
    /// The scene of the run it belongs to.
    pub scene: Option<Scene>,
    /// Which frame of that run its first one is; below 0 before the start.
    pub run_frame: i64,
    /// Frames a second.
    pub frame_rate_hz: Option<f64>,
    /// Length of its unit, m.
    pub metres_per_unit: Option<f64>,
    /// Which axis points up.
    pub up: Option<UpAxis>,
}

impl Found {
    /// In the folder of a run, or a file: by itself, or one that a run has left.
    pub fn at(path: &Path) -> Result<Self, RunError> {
        if path.is_dir() {
            return Self::in_folder(path);
        }
        let alone = Self::alone(path.to_owned());
        let folder = path.parent().unwrap_or(Path::new(""));
        // A file that a manifest lists has its unit and its axes from there, and so fits the scene.
        let Some((entry, skipped)) = entries(folder).find_map(|entry| {
            let skipped = skipped(path, &entry)?;
            Some((entry, skipped))
        }) else {
            return Ok(alone);
        };
        Ok(Self {
            scene: read_scene(folder)?,
            run_frame: first_run_frame(&entry) + skipped,
            ..alone.listed(&entry)
        })
    }

    /// A file without anything beside it.
    fn alone(path: PathBuf) -> Self {
        Self {
            path,
            scene: None,
            run_frame: 0,
            frame_rate_hz: None,
            metres_per_unit: None,
            up: None,
        }
    }

    fn listed(self, entry: &Entry) -> Self {
        Self {
            frame_rate_hz: Some(entry.frame_rate_hz),
            metres_per_unit: Some(entry.metres_per_unit),
            up: Some(entry.up_axis),
            ..self
        }
    }

    /// The longest sequence of a run's folder.
    fn in_folder(folder: &Path) -> Result<Self, RunError> {
        let scene = read_scene(folder)?;
        // Of equally long ones, the first.
        let entries = entries(folder).collect::<Vec<_>>();
        if let Some(entry) = entries.iter().rev().max_by_key(|entry| entry.frames) {
            return Ok(Self {
                scene,
                run_frame: first_run_frame(entry),
                ..Self::alone(folder.join(&entry.file)).listed(entry)
            });
        }
        let path = any_sequence(folder).ok_or_else(|| {
            RunError::input(format!(
                "{}: there are no meshes here to draw; a run leaves some with --format obj",
                folder.display()
            ))
        })?;
        // Without a manifest, the scene says what its run was asked to write.
        let choice = Format::of(&path).is_ok_and(|format| !format.is_fixed_frame());
        let asked = scene.as_ref().filter(|_| choice).map(|s| s.output.cache);
        Ok(Self {
            scene,
            metres_per_unit: asked.map(|cache| cache.metres_per_unit),
            up: asked.map(|cache| cache.up_axis),
            ..Self::alone(path)
        })
    }
}

/// What the manifest of a folder lists; nothing if there is none that can be read.
fn entries(folder: &Path) -> impl Iterator<Item = Entry> + use<> {
    let manifest = Manifest::read(&folder.join(Manifest::NAME));
    manifest.into_iter().flat_map(|manifest| manifest.files)
}

/// Which frame of its run a sequence starts with; below 0 before the start.
fn first_run_frame(entry: &Entry) -> i64 {
    entry.run_frame as i64 - i64::from(entry.pre_roll_frames)
}

/// How many frames of a listed sequence come before those of `path`, if that is all or one of it.
fn skipped(path: &Path, entry: &Entry) -> Option<i64> {
    let name = path.file_name()?.to_str()?;
    let (pattern, number) = without_number(name)?;
    if name == entry.file {
        return Some(0);
    }
    if pattern == entry.file {
        return Some(number? - entry.first_frame);
    }
    // `flag.obj` stands for `flag_####.obj`.
    let (stem, ending) = name.rsplit_once('.')?;
    (format!("{stem}_####.{ending}") == entry.file).then_some(0)
}

/// A name with `#` for the digits its stem ends with, and the number these are.
fn without_number(name: &str) -> Option<(String, Option<i64>)> {
    let (stem, ending) = name.rsplit_once('.')?;
    let before = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = &stem[before.len()..];
    let hashes = "#".repeat(digits.len());
    Some((format!("{before}{hashes}.{ending}"), digits.parse().ok()))
}

/// The scene that a run has left, if there is one.
fn read_scene(folder: &Path) -> Result<Option<Scene>, RunError> {
    let path = folder.join("scene.toml");
    if !path.exists() {
        return Ok(None);
    }
    scene::load(&path, &[]).map(Some).map_err(RunError::input)
}

/// A sequence in a folder without a manifest. Of several, the first by name; numbered files only if
/// there is nothing else.
fn any_sequence(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let mut files: Vec<(bool, PathBuf)> = entries
        .filter_map(|entry| {
            let path = entry.path();
            let format = Format::of(&path).ok()?;
            Some((format.is_numbered(), path))
        })
        .collect();
    files.sort();
    let (numbered, path) = files.into_iter().next()?;
    if !numbered {
        return Some(path);
    }
    // `flag_0000.obj` belongs to the files that `flag_####.obj` stands for.
    let (pattern, _) = without_number(path.file_name()?.to_str()?)?;
    Some(folder.join(pattern))
}
