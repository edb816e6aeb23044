//! A scene, ready to run.

use crate::error::RunError;
use crate::outputs;
use std::sync::Arc;
use toile_geometry::Subdivision;
use toile_io::Scene;
use toile_io::scene::Source;
use toile_sim::Model;
use toile_sim::wrinkles::finer;

/// A scene with what is made of it before the first step.
#[derive(Clone)]
pub struct Job {
    /// The scene.
    pub scene: Scene,
    /// What is simulated.
    pub model: Arc<Model>,
    /// What is written and drawn of it: the same, or finer.
    pub mesh: Arc<Subdivision>,
}

impl Job {
    /// Builds a scene that was read from `source`, whatever was changed in it since. Refuses what its
    /// formats could not hold.
    pub fn new(mut scene: Scene, source: &Source) -> Result<Self, RunError> {
        let model = Model::build(&scene.model);
        let model = model.map_err(|e| RunError::input(source.locate(&e)))?;
        let thinner = thinner(&scene, &model);
        scene.notes.extend(thinner);
        let mesh = finer(&model, scene.output.subdivide);
        outputs::check(&scene, &model, &mesh)?;
        Ok(Self {
            scene,
            model: Arc::new(model),
            mesh: Arc::new(mesh),
        })
    }

    /// Number of the last frame.
    pub fn last_frame(&self) -> u64 {
        u64::from(self.scene.frames)
    }
}

/// What deforms and is taken for thinner than it is by contact.
fn thinner(scene: &Scene, model: &Model) -> Vec<String> {
    if scene.config.contact.is_none() && model.bodies.is_empty() {
        return Vec::new();
    }
    let notes = model.deformables.iter().enumerate();
    let notes = notes.filter_map(|(k, cloth)| {
        let met_m = model.met_thickness_m(k);
        (met_m < cloth.thickness_m).then(|| {
            format!(
                "cloth `{}` is met as {:.3} mm thick, not as {:.3} mm: half of the shortest edge is \
                 the most",
                cloth.name,
                1e3 * met_m,
                1e3 * cloth.thickness_m
            )
        })
    });
    notes.collect()
}
