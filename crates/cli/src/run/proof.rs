//! The exact intersection test while a run goes on: what it asks of each frame, and the pictures of
//! what it finds.
//!
//! Where cloth meets cloth, a state that is clean must be followed by clean ones: anything else is a
//! fault, which ends the run. A start that is not clean is shown, and looked at again until it is.
//! Where cloth passes through cloth, pairs that cross are counted.

use crate::evidence::{Evidence, MOST_PAIRS};
use crate::exit::Failure;
use std::path::{Path, PathBuf};
use std::time::Instant;
use toile::geometry::intersections::{CheckError, self_intersections};
use toile::geometry::{FacePair, Findings, TriMesh};
use toile::io::scene::Verify;
use toile::sim::{FrameReport, Model, Simulation, State, StepError, Watch};

/// Pairs that a warning names; all are counted.
const NAMED_PAIRS: usize = 5;

/// Names of the pictures.
const START: &str = "start.png";
const FAILURE: &str = "failure.png";

/// The test, and what it knows of the last frame.
pub struct Proof {
    verify: Verify,
    /// Whether cloth meets cloth.
    contact: bool,
    /// Whether the last state that was looked at was clean.
    clean: bool,
    out: PathBuf,
    /// The last frame, while the next one is not proved.
    before: Option<State>,
    /// Time it has taken, s.
    pub verify_s: f64,
}

/// What was found at the start.
pub struct Start {
    /// Pairs of triangles that meet, if they were looked for.
    pub intersections: Option<u64>,
    /// What the user should know.
    pub warning: Option<String>,
}

impl Proof {
    /// For a run of which `done` frames exist. Looks at the state it goes on from.
    pub fn start(
        out: &Path,
        simulation: &Simulation,
        verify: Verify,
        done: u64,
    ) -> Result<(Self, Start), Failure> {
        let mut proof = Self {
            verify,
            contact: simulation.config().contact.is_some(),
            clean: true,
            out: out.to_owned(),
            before: None,
            verify_s: 0.0,
        };
        // Pictures of a run before this one would be taken for its own.
        let _ = std::fs::remove_file(out.join(FAILURE));
        if done == 0 {
            let _ = std::fs::remove_file(out.join(START));
        }
        let mut start = Start {
            intersections: None,
            warning: None,
        };
        if proof.contact || verify != Verify::Off {
            let mesh = mesh_of(simulation.model(), &simulation.state().positions);
            let found = proof.look(&mesh, MOST_PAIRS).map_err(Failure::input)?;
            proof.clean = found.is_clean();
            start.intersections = Some(found.count as u64);
            if done == 0 && proof.contact && !found.is_clean() {
                let caption = format!("at the start, {}", meet(found.count));
                let path = proof.out.join(START);
                draw(
                    Evidence::of_pairs(&mesh, None, &found.pairs, caption),
                    &path,
                )?;
                start.warning = Some(format!(
                    "at the start, {}: {}; the run goes on, but nothing is promised of them (see {})",
                    meet(found.count),
                    listed(simulation.model(), &found),
                    path.display()
                ));
            }
        }
        Ok((proof, start))
    }

    /// The pictures that were drawn.
    pub fn pictures(&self) -> impl Iterator<Item = PathBuf> {
        let paths = [START, FAILURE].map(|name| self.out.join(name));
        paths.into_iter().filter(|path| path.exists())
    }

    /// Before a frame is computed.
    pub fn begin_frame(&mut self, simulation: &mut Simulation) {
        let forbid = self.contact && self.clean;
        simulation.watch(match self.verify {
            Verify::Step if forbid => Watch::Forbid,
            Verify::Step => Watch::Count,
            Verify::Frame | Verify::Off => Watch::Off,
        });
        let keep = self.verify == Verify::Frame && forbid;
        self.before = keep.then(|| simulation.state().clone());
    }

    /// After a frame was computed: the pairs to put down for it, or why the run must end. Then the
    /// state is that of the frame before.
    pub fn end_frame(
        &mut self,
        simulation: &mut Simulation,
        frame: u64,
        steps: &FrameReport,
    ) -> Result<Result<Option<u64>, String>, Failure> {
        match self.verify {
            Verify::Step => {
                self.clean = steps.crossings_last == Some(0);
                return Ok(Ok(steps.crossings_max.map(|count| count as u64)));
            }
            // The guard has nothing to say about what was crossed when it came.
            Verify::Off if !self.contact || self.clean => return Ok(Ok(None)),
            Verify::Off | Verify::Frame => {}
        }
        let mesh = mesh_of(simulation.model(), &simulation.state().positions);
        let found = self.look(&mesh, MOST_PAIRS).map_err(Failure::simulation)?;
        self.clean = found.is_clean();
        match self.before.take() {
            Some(before) if !self.clean => {
                let error = self.crossed(simulation.model(), &mesh, &found, frame)?;
                simulation.restore(before);
                Ok(Err(error))
            }
            _ => Ok(Ok(Some(found.count as u64))),
        }
    }

    /// Why a frame failed, in words; what can be drawn of it is.
    pub fn explain(
        &mut self,
        simulation: &Simulation,
        frame: u64,
        error: &StepError,
    ) -> Result<String, Failure> {
        let model = simulation.model();
        let tried = || mesh_of(model, simulation.tried_positions());
        match error {
            StepError::Crossed { .. } => {
                let mesh = tried();
                let found = self.look(&mesh, MOST_PAIRS).map_err(Failure::simulation)?;
                self.crossed(model, &mesh, &found, frame)
            }
            StepError::Crushed { vertices } => {
                let mesh = tried();
                let caption = format!("frame {frame}: particles {vertices:?} are crushed");
                let evidence = Evidence::of_features(&mesh, *vertices, caption);
                let path = self.out.join(FAILURE);
                draw(evidence, &path)?;
                Ok(format!("{error} (see {})", path.display()))
            }
            other => Ok(other.to_string()),
        }
    }

    /// Draws what crossed in a frame, and puts it into words.
    fn crossed(
        &self,
        model: &Model,
        mesh: &TriMesh,
        found: &Findings,
        frame: u64,
    ) -> Result<String, Failure> {
        let caption = format!("frame {frame}: {}", meet(found.count));
        let path = self.out.join(FAILURE);
        draw(Evidence::of_pairs(mesh, None, &found.pairs, caption), &path)?;
        Ok(format!(
            "cloth has passed through cloth: {}: {} (see {})",
            meet(found.count),
            listed(model, found),
            path.display()
        ))
    }

    fn look(&mut self, mesh: &TriMesh, keep: usize) -> Result<Findings, CheckError> {
        let clock = Instant::now();
        let found = self_intersections(mesh, keep);
        self.verify_s += clock.elapsed().as_secs_f64();
        found
    }
}

fn mesh_of(model: &Model, positions: &[glam::DVec3]) -> TriMesh {
    TriMesh {
        positions: positions.to_vec(),
        faces: model.faces.clone(),
    }
}

fn draw(evidence: Evidence<'_>, path: &Path) -> Result<(), Failure> {
    evidence.draw().write_png(path).map_err(Failure::input)
}

fn meet(count: usize) -> String {
    match count {
        1 => "1 pair of triangles meets".to_owned(),
        count => format!("{count} pairs of triangles meet"),
    }
}

/// The first pairs, with the cloths where there are several.
fn listed(model: &Model, found: &Findings) -> String {
    let named = |face: u32| {
        let of = |cloth: &&toile::sim::model::Cloth| cloth.faces.contains(&(face as usize));
        match model.cloths.iter().find(of) {
            Some(cloth) if model.cloths.len() > 1 => format!("{face} of `{}`", cloth.name),
            _ => face.to_string(),
        }
    };
    let first = found.pairs.iter().take(NAMED_PAIRS);
    let pair = |FacePair { a, b, .. }: &FacePair| format!("{} and {}", named(*a), named(*b));
    let mut text = first.map(pair).collect::<Vec<_>>().join(", ");
    if found.count > NAMED_PAIRS {
        text.push_str(", …");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use toile::io::scene;

    /// Sheets that pass through each other, as if contact had been asked for and had failed.
    const PASSING: &str = r#"
        frames = 9
        [[cloth]]
        name = "still"
        grid = { size_m = [0.2, 0.2], particles = [6, 6], center = [0, 0.5, 0] }
        pin = [{ borders = ["u-min", "u-max", "v-min", "v-max"] }]
        [[cloth]]
        name = "driven"
        grid = { size_m = [0.2, 0.2], particles = [7, 7], center = [0.013, 0.55, 0.017] }
        pin = [{ borders = ["u-min", "u-max", "v-min", "v-max"], velocity_m_per_s = [0, -0.5, 0] }]
    "#;

    #[test]
    fn what_crosses_ends_a_run_that_was_clean() {
        for verify in [Verify::Frame, Verify::Step] {
            let folder = tempfile::tempdir().unwrap();
            let scene = scene::parse(PASSING, "passing", &[]).ok().unwrap();
            let model = Arc::new(Model::build(&scene.model).unwrap());
            let mut simulation = Simulation::new(model, scene.config);
            let started = Proof::start(folder.path(), &simulation, verify, 0);
            let (mut proof, start) = started.ok().unwrap();
            assert_eq!(start.intersections, Some(0));
            proof.contact = true;
            let mut error = None;
            for frame in 1..10 {
                let before = simulation.state().clone();
                proof.begin_frame(&mut simulation);
                let advanced = simulation.advance(1.0 / scene.fps, scene.max_step_s);
                let ended = match advanced {
                    Ok(steps) => proof
                        .end_frame(&mut simulation, frame, &steps)
                        .ok()
                        .unwrap(),
                    Err(e) => Err(proof.explain(&simulation, frame, &e).ok().unwrap()),
                };
                match ended {
                    Ok(count) => assert_eq!(count, Some(0)),
                    Err(words) => {
                        if verify == Verify::Frame {
                            let (now, before) = (simulation.state(), &before);
                            assert_eq!(now.positions, before.positions, "the frame before");
                            assert_eq!(now.steps, before.steps);
                        }
                        error = Some(words);
                        break;
                    }
                }
            }
            let error = error.unwrap();
            assert!(error.contains("of `still` and "), "{error}");
            assert!(error.contains("pairs of triangles meet"), "{error}");
            assert!(folder.path().join(FAILURE).exists());
            let mesh = mesh_of(simulation.model(), &simulation.state().positions);
            assert!(
                self_intersections(&mesh, 0).unwrap().is_clean(),
                "what is kept is clean"
            );
        }
    }
}
