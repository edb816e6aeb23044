//! The exact intersection test while a run goes on: what it asks of each frame, and the pictures of
//! what it finds.
//!
//! Where cloth meets cloth, a state that is clean must be followed by clean ones: anything else is a
//! fault, which ends the run. A start that is not clean is shown, and looked at again until it is.
//! Where cloth passes through cloth, pairs that cross are counted. Bodies are always met, and may
//! cross themselves, which is said once.

mod names;
mod seen;
#[cfg(test)]
mod tests;

use crate::error::RunError;
use crate::evidence::Evidence;
use names::{Of, listed, meet};
use seen::{Seen, append, mesh_of, of_bodies};
use std::path::{Path, PathBuf};
use std::time::Instant;
use toile_geometry::Findings;
use toile_io::scene::Verify;
use toile_sim::{FrameReport, Model, Simulation, State, StepError, Watch, bodies};

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
    /// Pairs of triangles of the same body that meet at the start.
    of_bodies: u64,
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
#[derive(Default)]
pub struct Start {
    /// Pairs of triangles that meet.
    pub intersections: Crossings,
    /// What the user should know.
    pub warnings: Vec<String>,
}

impl Proof {
    /// For a run of which `done` frames exist. Looks at the state it goes on from.
    pub fn start(
        out: &Path,
        simulation: &Simulation,
        verify: Verify,
        done: u64,
    ) -> Result<(Self, Start), RunError> {
        let mut proof = Self {
            verify,
            contact: simulation.config().contact.is_some(),
            untangles: simulation.config().untangle,
            bodies: !simulation.model().bodies.is_empty(),
            clean: true,
            clean_of_bodies: true,
            out: out.to_owned(),
            before: None,
            of_bodies: 0,
            verify_s: 0.0,
        };
        // Pictures of a run before this one would be taken for its own.
        let _ = std::fs::remove_file(out.join(FAILURE));
        if done == 0 {
            let _ = std::fs::remove_file(out.join(START));
        }
        let model = simulation.model();
        let mut start = Start::default();
        if proof.contact || proof.bodies || verify != Verify::Off {
            let clock = Instant::now();
            // However far the run has come: the report is of all of it.
            let of_bodies = of_bodies(model).map_err(RunError::input)?;
            proof.verify_s += clock.elapsed().as_secs_f64();
            let looked = proof.look(model, simulation.state());
            let seen = looked.map_err(RunError::input)?;
            proof.take_over(&seen);
            start.intersections = seen.counts();
            proof.of_bodies = of_bodies.iter().map(|found| found.count as u64).sum();
            if done == 0 {
                start.warnings = proof.unclean_start(model, &seen, &of_bodies)?;
            }
        }
        Ok((proof, start))
    }

    /// Draws what crosses at the start though it should not, and puts it into words.
    fn unclean_start(
        &self,
        model: &Model,
        seen: &Seen,
        of_bodies: &[Findings],
    ) -> Result<Vec<String>, RunError> {
        let mut shown = seen.shown();
        let mut warnings = Vec::new();
        if self.contact && !self.clean {
            let (meet, pairs) = (meet(seen.own.count), listed(model, &seen.own, Of::Cloth));
            let prospect = self.prospect("they are freed over some steps, until which");
            warnings.push(format!("{meet}: {pairs}; {prospect}"));
            shown.add(&seen.own, [0, 0], meet);
        }
        let first = seen.cloth.faces.len() as u32;
        if let (false, Some((_, found))) = (self.clean_of_bodies, &seen.with_bodies) {
            let (meet, pairs) = (meet(found.count), listed(model, found, Of::ClothAndBodies));
            let prospect = self.prospect(match of_bodies.iter().all(Findings::is_clean) {
                true => "cloth that can come out is freed over some steps, until which",
                false => {
                    "cloth that can come out is freed over some steps, and out of a body that passes \
                     through itself it cannot always; until then"
                }
            });
            warnings.push(format!("cloth is in bodies: {meet}: {pairs}; {prospect}"));
            shown.add(found, [0, first], format!("{meet} of cloth and bodies"));
        }
        let mut first = first;
        for (body, found) in model.bodies.iter().zip(of_bodies) {
            if !found.is_clean() {
                let (name, meet) = (&body.name, meet(found.count));
                warnings.push(format!(
                    "body `{name}` passes through itself: {meet}: {}; such pairs are ignored, and cloth \
                     that is pinched there is flagged",
                    listed(model, found, Of::OneBody)
                ));
                shown.add(found, [first, first], format!("{meet} of body {name}"));
            }
            first += body.mesh.faces.len() as u32;
        }
        if warnings.is_empty() {
            return Ok(warnings);
        }
        let path = self.out.join(START);
        draw(shown.evidence(), &path)?;
        let place = path.display();
        let said = warnings.iter();
        Ok(said
            .map(|w| format!("at the start, {w} (see {place})"))
            .collect())
    }

    /// What becomes of a start that is not clean, with what is `freed`.
    fn prospect(&self, freed: &str) -> String {
        let freed = match self.untangles {
            true => freed,
            false => "the run goes on, but",
        };
        format!("{freed} nothing is promised of them, and the report counts what is left")
    }

    /// Pairs of triangles of the same body that meet at the start.
    pub fn of_bodies(&self) -> u64 {
        self.of_bodies
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
    ) -> Result<Result<Crossings, String>, RunError> {
        let is_let_through = steps.contact.let_through_max > 0;
        let is_dirty = (self.contact && !self.clean) || !self.clean_of_bodies || is_let_through;
        match self.verify {
            Verify::Step => {
                self.clean = steps.crossings.cloth_last == Some(0);
                self.clean_of_bodies = steps.crossings.bodies_last.unwrap_or(0) == 0;
                return Ok(Ok(Crossings {
                    own: steps.crossings.cloth_max.map(|count| count as u64),
                    with_bodies: steps.crossings.bodies_max.map(|count| count as u64),
                }));
            }
            // The guard has nothing to say about what was crossed when it came.
            Verify::Off if !is_dirty => return Ok(Ok(Crossings::default())),
            Verify::Off | Verify::Frame => {}
        }
        let looked = self.look(simulation.model(), simulation.state());
        let seen = looked.map_err(RunError::simulation)?;
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
    ) -> Result<String, RunError> {
        let model = simulation.model();
        match error {
            StepError::Crossed { .. } | StepError::CrossedBody { .. } => {
                let state = State {
                    positions: simulation.tried_positions().to_vec(),
                    time_s: simulation.tried_time_s(),
                    ..simulation.state().clone()
                };
                let seen = self.look(model, &state).map_err(RunError::simulation)?;
                let own = matches!(error, StepError::Crossed { .. });
                self.crossed(model, &seen, frame, own)
            }
            StepError::Crushed { vertices } => {
                let mut mesh = mesh_of(model, simulation.tried_positions());
                let bodies = bodies::mesh(&model.bodies, simulation.tried_time_s());
                append(&mut mesh, &bodies);
                let crushed = names::vertices(model, *vertices);
                let caption = format!("frame {frame}: {crushed} are crushed");
                let evidence = Evidence::of_features(&mesh, *vertices, caption);
                let path = self.out.join(FAILURE);
                draw(evidence, &path)?;
                Ok(format!(
                    "prescribed motion presses {crushed} into each other: nothing between them \
                     can give way (see {})",
                    path.display()
                ))
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
    ) -> Result<String, RunError> {
        let path = self.out.join(FAILURE);
        let (what, other, found, of) = match &seen.with_bodies {
            Some((bodies, found)) if !own => ("bodies", Some(bodies), found, Of::ClothAndBodies),
            _ => ("cloth", None, &seen.own, Of::Cloth),
        };
        let caption = format!("frame {frame}: {}", meet(found.count));
        draw(
            Evidence::of_pairs(&seen.cloth, other, &found.pairs, caption),
            &path,
        )?;
        Ok(format!(
            "cloth has passed through {what}: {}: {} (see {})",
            meet(found.count),
            listed(model, found, of),
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
        let seen = Seen::of(model, state);
        self.verify_s += clock.elapsed().as_secs_f64();
        seen
    }
}

fn draw(evidence: Evidence<'_>, path: &Path) -> Result<(), RunError> {
    evidence.draw().write_png(path).map_err(RunError::picture)
}
