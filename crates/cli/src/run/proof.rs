//! The exact intersection test while a run goes on: what it asks of each frame, and the pictures of
//! what it finds.
//!
//! Where cloth meets cloth, a state that is clean must be followed by clean ones: anything else is a
//! fault, which ends the run. A start that is not clean is shown, and looked at again until it is.
//! Where cloth passes through cloth, pairs that cross are counted. Bodies are always met.

use crate::evidence::{Evidence, MOST_PAIRS};
use crate::exit::Failure;
use std::path::{Path, PathBuf};
use std::time::Instant;
use toile::geometry::intersections::{intersections_between, self_intersections};
use toile::geometry::{FacePair, Findings, TriMesh};
use toile::io::scene::Verify;
use toile::sim::{FrameReport, Model, Simulation, State, StepError, Watch, bodies};

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
    /// Whether cloth that starts crossed is freed.
    untangles: bool,
    /// Whether there are bodies in its way.
    bodies: bool,
    /// Whether the last state that was looked at was clean.
    clean: bool,
    /// The same of cloth and bodies.
    clean_of_bodies: bool,
    out: PathBuf,
    /// The last frame, while the next one is not proved.
    before: Option<State>,
    /// Time it has taken, s.
    pub verify_s: f64,
}

/// Pairs of triangles that meet, if they were looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Crossings {
    /// Both of cloth.
    pub own: Option<u64>,
    /// Of cloth and of a body.
    pub with_bodies: Option<u64>,
}

/// What was found at the start.
pub struct Start {
    /// Pairs of triangles that meet.
    pub intersections: Crossings,
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
            untangles: simulation.config().untangle,
            bodies: !simulation.model().bodies.is_empty(),
            clean: true,
            clean_of_bodies: true,
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
            intersections: Crossings::default(),
            warning: None,
        };
        if proof.contact || proof.bodies || verify != Verify::Off {
            let looked = proof.look(simulation.model(), simulation.state());
            let seen = looked.map_err(Failure::input)?;
            proof.take_over(&seen);
            start.intersections = seen.counts();
            if done == 0 {
                start.warning = proof.unclean_start(simulation.model(), &seen)?;
            }
        }
        Ok((proof, start))
    }

    /// Draws what crosses at the start though it should not, and puts it into words.
    fn unclean_start(&self, model: &Model, seen: &Seen) -> Result<Option<String>, Failure> {
        let path = self.out.join(START);
        if self.contact && !self.clean {
            let found = &seen.own;
            let caption = format!("at the start, {}", meet(found.count));
            draw(
                Evidence::of_pairs(&seen.cloth, None, &found.pairs, caption),
                &path,
            )?;
            let prospect = self.prospect();
            return Ok(Some(format!(
                "at the start, {}: {}; {prospect} (see {})",
                meet(found.count),
                listed(model, found),
                path.display()
            )));
        }
        if let (false, Some((bodies, found))) = (self.clean_of_bodies, &seen.with_bodies) {
            let caption = format!("at the start, {} of cloth and bodies", meet(found.count));
            draw(
                Evidence::of_pairs(&seen.cloth, Some(bodies), &found.pairs, caption),
                &path,
            )?;
            return Ok(Some(format!(
                "at the start, cloth is in bodies: {}; {} (see {})",
                meet(found.count),
                self.prospect(),
                path.display()
            )));
        }
        Ok(None)
    }

    /// What becomes of a start that is not clean.
    fn prospect(&self) -> &'static str {
        match self.untangles {
            true => "they are freed over some steps, until which nothing is promised of them",
            false => "the run goes on, but nothing is promised of them",
        }
    }

    /// The pictures that were drawn.
    pub fn pictures(&self) -> impl Iterator<Item = PathBuf> {
        let paths = [START, FAILURE].map(|name| self.out.join(name));
        paths.into_iter().filter(|path| path.exists())
    }

    /// Before a frame is computed.
    pub fn begin_frame(&mut self, simulation: &mut Simulation) {
        let own = self.contact && self.clean;
        let of_bodies = self.bodies && self.clean_of_bodies;
        simulation.watch(match self.verify {
            Verify::Step => Watch::forbidding(own, of_bodies),
            Verify::Frame | Verify::Off => Watch::Off,
        });
        let keep = self.verify == Verify::Frame && (own || of_bodies);
        self.before = keep.then(|| simulation.state().clone());
    }

    /// After a frame was computed: the pairs to put down for it, or why the run must end. Then the
    /// state is that of the frame before.
    pub fn end_frame(
        &mut self,
        simulation: &mut Simulation,
        frame: u64,
        steps: &FrameReport,
    ) -> Result<Result<Crossings, String>, Failure> {
        let is_let_through = steps.let_through_max > 0;
        let is_dirty = (self.contact && !self.clean) || !self.clean_of_bodies || is_let_through;
        match self.verify {
            Verify::Step => {
                self.clean = steps.crossings_last == Some(0);
                self.clean_of_bodies = steps.body_crossings_last.unwrap_or(0) == 0;
                return Ok(Ok(Crossings {
                    own: steps.crossings_max.map(|count| count as u64),
                    with_bodies: steps.body_crossings_max.map(|count| count as u64),
                }));
            }
            // The guard has nothing to say about what was crossed when it came.
            Verify::Off if !is_dirty => return Ok(Ok(Crossings::default())),
            Verify::Off | Verify::Frame => {}
        }
        let looked = self.look(simulation.model(), simulation.state());
        let seen = looked.map_err(Failure::simulation)?;
        let own = self.contact && self.clean && !seen.own.is_clean();
        let with_bodies = self.clean_of_bodies && !seen.is_clean_of_bodies() && !is_let_through;
        self.take_over(&seen);
        match self.before.take() {
            Some(before) if own || with_bodies => {
                let error = self.crossed(simulation.model(), &seen, frame, own)?;
                simulation.restore(before);
                Ok(Err(error))
            }
            _ => Ok(Ok(seen.counts())),
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
        match error {
            StepError::Crossed { .. } | StepError::CrossedBody { .. } => {
                let state = State {
                    positions: simulation.tried_positions().to_vec(),
                    time_s: simulation.tried_time_s(),
                    ..simulation.state().clone()
                };
                let seen = self.look(model, &state).map_err(Failure::simulation)?;
                let own = matches!(error, StepError::Crossed { .. });
                self.crossed(model, &seen, frame, own)
            }
            StepError::Crushed { vertices } => {
                let mut mesh = mesh_of(model, simulation.tried_positions());
                // Bodies are numbered after the particles.
                let first = mesh.positions.len() as u32;
                let bodies = bodies::mesh(&model.bodies, simulation.tried_time_s());
                mesh.positions.extend(bodies.positions);
                let faces = bodies.faces.iter();
                mesh.faces
                    .extend(faces.map(|face| face.map(|vertex| vertex + first)));
                let caption = format!("frame {frame}: particles {vertices:?} are crushed");
                let evidence = Evidence::of_features(&mesh, *vertices, caption);
                let path = self.out.join(FAILURE);
                draw(evidence, &path)?;
                Ok(format!("{error} (see {})", path.display()))
            }
            other => Ok(other.to_string()),
        }
    }

    /// Draws what crossed in a frame, and puts it into words: cloth and cloth, or cloth and bodies.
    fn crossed(
        &self,
        model: &Model,
        seen: &Seen,
        frame: u64,
        own: bool,
    ) -> Result<String, Failure> {
        let path = self.out.join(FAILURE);
        let (what, other, found) = match &seen.with_bodies {
            Some((bodies, found)) if !own => ("bodies", Some(bodies), found),
            _ => ("cloth", None, &seen.own),
        };
        let caption = format!("frame {frame}: {}", meet(found.count));
        draw(
            Evidence::of_pairs(&seen.cloth, other, &found.pairs, caption),
            &path,
        )?;
        let pairs = match other {
            None => format!(": {}", listed(model, found)),
            Some(_) => String::new(),
        };
        Ok(format!(
            "cloth has passed through {what}: {}{pairs} (see {})",
            meet(found.count),
            path.display()
        ))
    }

    /// Remembers what is clean.
    fn take_over(&mut self, seen: &Seen) {
        self.clean = seen.own.is_clean();
        self.clean_of_bodies = seen.is_clean_of_bodies();
    }

    fn look(&mut self, model: &Model, state: &State) -> Result<Seen, String> {
        let clock = Instant::now();
        let cloth = mesh_of(model, &state.positions);
        let own = self_intersections(&cloth, MOST_PAIRS).map_err(|e| e.to_string())?;
        let with_bodies = if self.bodies {
            let bodies = bodies::mesh(&model.bodies, state.time_s);
            let found = intersections_between(&cloth, &bodies, MOST_PAIRS);
            Some((bodies, found.map_err(|e| e.to_string())?))
        } else {
            None
        };
        self.verify_s += clock.elapsed().as_secs_f64();
        Ok(Seen {
            cloth,
            own,
            with_bodies,
        })
    }
}

/// What the test found.
struct Seen {
    cloth: TriMesh,
    own: Findings,
    /// The bodies, and what crosses them.
    with_bodies: Option<(TriMesh, Findings)>,
}

impl Seen {
    fn is_clean_of_bodies(&self) -> bool {
        let with_bodies = self.with_bodies.as_ref();
        with_bodies.is_none_or(|(_, found)| found.is_clean())
    }

    fn counts(&self) -> Crossings {
        let with_bodies = self.with_bodies.as_ref();
        Crossings {
            own: Some(self.own.count as u64),
            with_bodies: with_bodies.map(|(_, found)| found.count as u64),
        }
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
            assert_eq!(start.intersections.own, Some(0));
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
                    Ok(count) => assert_eq!(count.own, Some(0)),
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
