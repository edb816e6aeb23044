//! What is drawn: the frames of a run or of a file, in metres with y up.

use crate::exit::Failure;
use crate::set::{Cloths, Set};
use glam::{DVec3, Vec3};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use toile::io::formats::{self, Format, Header, SequenceReader, UpAxis};
use toile::io::{Scene, scene};
use toile::sim::ClothModel;
use toile::view::field::Stiffness;

/// Frames that are kept, because the next picture may need them again.
const KEPT: usize = 2;

/// A sequence of meshes, with what is known of the run it comes from.
pub struct Source {
    /// What to call it.
    pub name: String,
    /// The meshes without their positions.
    pub cloths: Cloths,
    /// What stands around them.
    pub set: Set,
    /// Frames a second, where that is known.
    pub fps: Option<f64>,
    /// Stiffness of each cloth; empty where that is not known.
    pub stiffness: Vec<Stiffness>,
    /// Whether it is known if there is a floor.
    pub knows_floor: bool,
    reader: Box<dyn SequenceReader>,
    metres_per_unit: f64,
    up: UpAxis,
    recent: Vec<(u64, Rc<Vec<DVec3>>)>,
}

impl Source {
    /// Opens the folder of a run, or a file.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let found = if path.is_dir() {
            Found::in_folder(path)?
        } else {
            Found::file(path.to_owned())
        };
        let reader = formats::open(&found.path).map_err(Failure::input)?;
        let header = reader.header();
        if header.faces.is_empty() {
            return Err(Failure::input(format!(
                "{}: there are no faces to draw",
                found.path.display()
            )));
        }
        let mut source = Self {
            name: path
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into(),
            cloths: cloths(header),
            set: Set::default(),
            fps: header.frame_rate_hz.or(found.frame_rate_hz),
            stiffness: Vec::new(),
            knows_floor: false,
            metres_per_unit: header
                .metres_per_unit
                .or(found.metres_per_unit)
                .unwrap_or(1.0),
            up: header.up.or(found.up).unwrap_or_default(),
            recent: Vec::new(),
            reader,
        };
        if let Some(scene) = &found.scene {
            source.know(scene);
        }
        Ok(source)
    }

    /// Takes over what a scene says of its run.
    fn know(&mut self, scene: &Scene) {
        self.name.clone_from(&scene.name);
        self.fps = Some(scene.fps);
        self.set = Set::new(&scene.model.colliders, &scene.output.props);
        self.knows_floor = true;
        let cloths = &scene.model.cloths;
        if cloths.len() == self.cloths.faces.len() {
            let stiffness = cloths.iter().map(|cloth| Stiffness {
                warp_n_per_m: cloth.material.stretch_warp_n_per_m,
                weft_n_per_m: cloth.material.stretch_weft_n_per_m,
                shear_n_per_m: cloth.material.shear_n_per_m,
                pushes: cloth.model == ClothModel::QuadHookean,
            });
            self.stiffness = stiffness.collect();
        }
    }

    /// Number of frames.
    pub fn frames(&self) -> u64 {
        self.reader.frames()
    }

    /// Positions in frame `k`, counted from 0.
    pub fn positions(&mut self, k: u64) -> Result<Rc<Vec<DVec3>>, Failure> {
        if let Some((_, positions)) = self.recent.iter().find(|(frame, _)| *frame == k) {
            return Ok(positions.clone());
        }
        let frame = self.reader.read_frame(k).map_err(Failure::input)?;
        let place = |p: &Vec3| {
            let p = p.as_dvec3() * self.metres_per_unit;
            match self.up {
                UpAxis::Y => p,
                UpAxis::Z => DVec3::new(p.x, p.z, -p.y),
            }
        };
        let positions = Rc::new(frame.positions.iter().map(place).collect::<Vec<_>>());
        if self.recent.len() == KEPT {
            self.recent.remove(0);
        }
        self.recent.push((k, positions.clone()));
        Ok(positions)
    }
}

fn cloths(header: &Header) -> Cloths {
    let parts = header.parts.iter();
    Cloths {
        faces: parts
            .map(|part| header.faces.triangles(part.faces.clone()).collect())
            .collect(),
        uv: header.uvs.iter().map(|uv| uv.as_dvec2()).collect(),
    }
}

/// A sequence, and what is written beside it.
struct Found {
    path: PathBuf,
    scene: Option<Scene>,
    frame_rate_hz: Option<f64>,
    metres_per_unit: Option<f64>,
    up: Option<UpAxis>,
}

/// The part of `manifest.json` that says where meshes are and how to read them.
#[derive(Deserialize)]
struct Listed {
    file: String,
    frames: u64,
    frame_rate_hz: f64,
    metres_per_unit: f64,
    up_axis: UpAxis,
}

impl Found {
    fn file(path: PathBuf) -> Self {
        Self {
            path,
            scene: None,
            frame_rate_hz: None,
            metres_per_unit: None,
            up: None,
        }
    }

    /// The longest sequence of a run's folder.
    fn in_folder(folder: &Path) -> Result<Self, Failure> {
        let scene = read_scene(folder)?;
        let mut found = match listed(folder) {
            Some(entry) => Self {
                frame_rate_hz: Some(entry.frame_rate_hz),
                metres_per_unit: Some(entry.metres_per_unit),
                up: Some(entry.up_axis),
                ..Self::file(folder.join(entry.file))
            },
            None => Self::file(any_sequence(folder).ok_or_else(|| {
                Failure::input(format!(
                    "{}: there are no meshes here to draw; a run leaves some with --format obj",
                    folder.display()
                ))
            })?),
        };
        found.scene = scene;
        Ok(found)
    }
}

/// The scene that a run has left, if there is one.
pub fn read_scene(folder: &Path) -> Result<Option<Scene>, Failure> {
    let path = folder.join("scene.toml");
    if !path.exists() {
        return Ok(None);
    }
    scene::load(&path, &[]).map(Some).map_err(Failure::input)
}

/// The longest sequence a manifest lists; none if there is no manifest that can be read.
fn listed(folder: &Path) -> Option<Listed> {
    #[derive(Deserialize)]
    struct Manifest {
        files: Vec<Listed>,
    }
    let text = std::fs::read_to_string(folder.join("manifest.json")).ok()?;
    let manifest: Manifest = serde_json::from_str(&text).ok()?;
    // Of equally long ones, the first.
    manifest
        .files
        .into_iter()
        .rev()
        .max_by_key(|file| file.frames)
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
    let stem = path.file_stem()?.to_str()?;
    let before = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    let hashes = "#".repeat(stem.len() - before.len());
    let ending = path.extension()?.to_str()?;
    Some(folder.join(format!("{before}{hashes}.{ending}")))
}
