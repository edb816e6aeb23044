//! Scene files: TOML in, a validated [`Scene`] out, every error located.
//!
//! [`Source`] keeps the text, so that what goes wrong later, while the model is built, can still
//! be shown where it was written.

mod error;
mod key;
mod overrides;
mod raw;
mod resolve;
mod source;
pub(crate) mod strict;
mod wording;

pub use error::Error;
pub use raw::{Cache, Verify};
pub use source::Source;
pub use wording::nearest;

use crate::formats::Format;
use crate::{atomic, hash};
use std::io::Write;
use std::path::Path;
use toile_geometry::Bounds;
use toile_sim::wrinkles::Keeping;
use toile_sim::{Cut, ModelSpec, Preconditioner, Solve, StepConfig};

/// Everything a run needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Name of the scene and of its output folder.
    pub name: String,
    /// Frames per second of simulated time.
    pub fps: f64,
    /// Number of frames to simulate.
    pub frames: u32,
    /// A frame is split into equal steps no longer than this, s.
    pub max_step_s: f64,
    /// When the exact intersection checker is run.
    pub verify: Verify,
    /// What the model is built from.
    pub model: ModelSpec,
    /// How the model is stepped.
    pub config: StepConfig,
    /// What is written.
    pub output: OutputSpec,
    /// What became of meshes from files: repairs, and where their rest shapes come from.
    pub notes: Vec<String>,
    /// The file it came from, with every default filled in.
    resolved: raw::File,
}

/// What a run writes.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputSpec {
    /// Mesh formats.
    pub formats: Vec<Format>,
    /// How meshes are written.
    pub cache: Cache,
    /// Whether a film and a poster are made.
    pub film: bool,
    /// Boxes that are only drawn.
    pub props: Vec<Bounds>,
    /// How often written cloth is made finer.
    pub subdivide: u32,
    /// How written cloth is brought out of level sets, if it is.
    pub keep_wrinkles: Option<Keeping>,
}

impl Scene {
    /// Number of equal steps a frame is split into.
    pub fn steps_per_frame(&self) -> u32 {
        steps_per_frame(self.fps, self.max_step_s) as u32
    }

    /// Length of a step, s.
    pub fn step_s(&self) -> f64 {
        1.0 / (self.fps * f64::from(self.steps_per_frame()))
    }

    /// Hash of all that decides the motion: two scenes with the same fingerprint move alike,
    /// however long they run and whatever they write.
    pub fn fingerprint(&self) -> u64 {
        let mut colliders = self.current().collider;
        colliders.iter_mut().for_each(|c| c.draw = true);
        let motion = raw::File {
            name: None,
            collider: colliders,
            frames: 0,
            output: raw::Output::default(),
            solver: raw::Solver {
                verify: Verify::Off,
                ..self.current().solver
            },
            ..self.current()
        };
        let text = serde_json::to_vec(&motion).unwrap_or_default();
        // Files may change while their names stay.
        let cuts = self.model.cloths.iter().map(|cloth| match &cloth.cut {
            Cut::Mesh(surface) => hash::surface(surface),
            Cut::Sheet(_) => 0,
        });
        let maps = self.model.cloths.iter().flat_map(|cloth| &cloth.maps);
        let maps = maps.map(|map| hash::numbers(&map.shares));
        let bodies = self.model.bodies.iter().map(hash::body);
        let sticks = self.model.cloths.iter().flat_map(|cloth| &cloth.sticks);
        let chosen = sticks.filter_map(|stick| stick.to_faces.as_ref());
        let chosen = chosen.map(|faces| hash::lists(faces));
        let solids = self.model.colliders.iter().map(hash::collider);
        cuts.chain(maps)
            .chain(bodies)
            .chain(chosen)
            .chain(solids.filter(|one| *one != 0))
            .fold(hash::checksum(&text), |all, one| all.rotate_left(7) ^ one)
    }

    /// The resolved file, with what may have been changed in this scene since it was read.
    fn current(&self) -> raw::File {
        let mut file = self.resolved.clone();
        file.name = Some(self.name.clone());
        file.fps = self.fps;
        file.frames = self.frames;
        file.gravity_m_per_s2 = self.model.gravity_m_per_s2.to_array();
        let (integrator, newmark_beta, newmark_gamma) =
            resolve::integrator::written(self.config.integrator);
        file.solver = raw::Solver {
            integrator,
            newmark_beta,
            newmark_gamma,
            solve: match self.config.solve {
                Solve::Auto => raw::Solve::Auto,
                Solve::Once => raw::Solve::Once,
                Solve::Newton => raw::Solve::Newton,
            },
            preconditioner: match self.config.preconditioner {
                Preconditioner::Multilevel => raw::Preconditioner::Multilevel,
                Preconditioner::BlockDiagonal => raw::Preconditioner::BlockDiagonal,
                Preconditioner::Diagonal => raw::Preconditioner::Diagonal,
                Preconditioner::None => raw::Preconditioner::None,
                Preconditioner::IncompleteCholesky => raw::Preconditioner::IncompleteCholesky,
                Preconditioner::IncompleteLu => raw::Preconditioner::IncompleteLu,
                Preconditioner::Direct => raw::Preconditioner::Direct,
            },
            max_step_s: self.max_step_s,
            linear_tolerance: self.config.linear_tolerance,
            linear_max_iterations: self.config.linear_max_iterations,
            newton_tolerance: self.config.newton_tolerance,
            newton_max_iterations: self.config.newton_max_iterations,
            max_stretch_step: self.config.max_stretch_step,
            strain_limit: self
                .config
                .strain_limit
                .as_ref()
                .map(resolve::control::written_limit),
            adaptive: self
                .config
                .adaptive
                .as_ref()
                .map(resolve::control::written_adaptive),
            verify: self.verify,
        };
        file.output = raw::Output {
            formats: self.output.formats.clone(),
            cache: self.output.cache,
            film: self.output.film,
            props: self
                .output
                .props
                .iter()
                .map(|bounds| raw::Prop {
                    min: bounds.min.to_array(),
                    max: bounds.max.to_array(),
                })
                .collect(),
            subdivide: self.output.subdivide,
            keep_wrinkles: self.output.keep_wrinkles.map(|keeping| raw::KeepWrinkles {
                tolerance_m: keeping.tolerance_m(),
                offset_m: keeping.offset_m(),
                depth_m: keeping.depth_m(),
            }),
        };
        file
    }
}

/// Reads and validates a scene file; `sets` are `path.to.key=value`.
pub fn load(path: &Path, sets: &[String]) -> Result<Scene, Error> {
    Source::read(path, sets)?.scene()
}

/// Validates `text` as a scene file called `origin`.
pub fn parse(text: &str, origin: &str, sets: &[String]) -> Result<Scene, Error> {
    Source::parse(text, origin, sets)?.scene()
}

/// The JSON Schema of scene files.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(raw::File).to_value()
}

/// The scene with every default filled in.
pub fn resolved_json(scene: &Scene) -> serde_json::Value {
    json(&scene.current())
}

/// Writes the scene with every default filled in, as a scene file that gives the same run.
pub fn save(scene: &Scene, path: &Path) -> std::io::Result<()> {
    let text = toml::to_string(&scene.current()).map_err(std::io::Error::other)?;
    atomic::write(path, |writer| writer.write_all(text.as_bytes()))
}

/// A commented scene to start from.
pub fn starter(name: &str) -> String {
    // A quoted TOML string, so that any name gives a file that can be read.
    let name = toml::Value::String(name.to_owned());
    include_str!("../../data/starter.toml").replace("\"NAME\"", &name.to_string())
}

fn steps_per_frame(fps: f64, max_step_s: f64) -> f64 {
    // The allowance keeps 1/90 s steps at 90 fps from becoming two for a rounding error.
    (1.0 / (fps * max_step_s) - 1e-9).ceil().max(1.0)
}

fn json(file: &raw::File) -> serde_json::Value {
    // Plain structs of numbers, strings and lists: nothing in them can fail to serialise.
    serde_json::to_value(file).unwrap_or_default()
}
