//! What is drawn: the frames of a run or of a file, in metres with y up.

mod found;

use crate::error::RunError;
use crate::set::{Cloths, Set};
use found::Found;
use glam::{DVec3, Vec3};
use std::path::Path;
use std::sync::Arc;
use toile_io::Scene;
use toile_io::formats::{self, Header, SequenceReader, UpAxis};
use toile_sim::ClothModel;
use toile_view::field::Stiffness;

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
    /// Which frame of the run the first one is; below 0 before its start.
    run_frame: i64,
    metres_per_unit: f64,
    up: UpAxis,
    recent: Vec<(u64, Arc<Vec<DVec3>>)>,
}

impl Source {
    /// Opens the folder of a run, or a file.
    pub fn open(path: &Path) -> Result<Self, RunError> {
        let found = Found::at(path)?;
        let reader = formats::open(&found.path).map_err(RunError::input)?;
        let header = reader.header();
        if header.faces.is_empty() {
            return Err(RunError::input(format!(
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
            run_frame: found.run_frame,
            recent: Vec::new(),
            reader,
        };
        if let Some(scene) = &found.scene {
            source.know(scene);
            if path.is_dir() {
                source.name.clone_from(&scene.name);
            }
        }
        Ok(source)
    }

    /// Takes over what a scene says of its run.
    fn know(&mut self, scene: &Scene) {
        self.fps = Some(scene.fps);
        let cloths = &scene.model.cloths;
        let parts = &self.reader.header().parts;
        let firsts: Vec<usize> = match parts.len() == cloths.len() {
            true => parts.iter().map(|part| part.vertices.start).collect(),
            false => Vec::new(),
        };
        self.set = Set::new(&scene.model, &scene.output.props, &firsts);
        self.knows_floor = true;
        if cloths.len() == self.cloths.faces().len() {
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

    /// Time since the run's start in frame `k`, counted from 0, at so many frames a second.
    pub fn time_s(&self, k: u64, fps: f64) -> f64 {
        (self.run_frame as f64 + k as f64) / fps
    }

    /// Positions in frame `k`, counted from 0.
    pub fn positions(&mut self, k: u64) -> Result<Arc<Vec<DVec3>>, RunError> {
        if let Some((_, positions)) = self.recent.iter().find(|(frame, _)| *frame == k) {
            return Ok(positions.clone());
        }
        let frame = self.reader.read_frame(k).map_err(RunError::input)?;
        let place = |p: &Vec3| {
            let p = p.as_dvec3() * self.metres_per_unit;
            match self.up {
                UpAxis::Y => p,
                UpAxis::Z => DVec3::new(p.x, p.z, -p.y),
            }
        };
        let positions = Arc::new(frame.positions.iter().map(place).collect::<Vec<_>>());
        if self.recent.len() == KEPT {
            self.recent.remove(0);
        }
        self.recent.push((k, positions.clone()));
        Ok(positions)
    }
}

fn cloths(header: &Header) -> Cloths {
    let parts = header.parts.iter();
    let faces = parts.map(|part| header.faces.triangles(part.faces.clone()).collect());
    let uv = header.uvs.iter().map(|uv| uv.as_dvec2());
    Cloths::new(faces.collect(), uv.collect())
}
