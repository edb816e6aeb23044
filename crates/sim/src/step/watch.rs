//! The exact intersection test of every step's end, before it becomes the state.
//!
//! The guard and the forces of contact know nothing of it: it is there to catch them when they are
//! wrong. It needs no tolerance and no memory of the steps before.

use crate::bodies;
use crate::error::StepError;
use crate::model::Model;
use glam::DVec3;
use toile_geometry::intersections::{
    FacePair, Findings, PairCheckError, intersections_between, self_intersections,
};
use toile_geometry::{CheckError, TriMesh};

/// What is done about triangles of cloth that meet others of cloth, or of bodies, at the end of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Watch {
    /// Nothing: nobody looks.
    #[default]
    Off,
    /// They are counted.
    Count,
    /// Those of cloth and bodies make the step fail with [`StepError::CrossedBody`]; those of cloth and
    /// cloth are counted.
    ForbidBodies,
    /// Those of cloth and cloth make it fail with [`StepError::Crossed`]; those of cloth and bodies are
    /// counted.
    ForbidCloth,
    /// The step fails with [`StepError::Crossed`] or [`StepError::CrossedBody`].
    Forbid,
}

impl Watch {
    /// What is forbidden.
    pub fn forbidding(cloth: bool, bodies: bool) -> Self {
        match (cloth, bodies) {
            (true, true) => Self::Forbid,
            (true, false) => Self::ForbidCloth,
            (false, true) => Self::ForbidBodies,
            (false, false) => Self::Count,
        }
    }

    /// The same where cloth may be in bodies.
    pub(crate) fn for_cloth_alone(self) -> Self {
        match self {
            Self::Off => Self::Off,
            other => Self::forbidding(other.forbids_cloth(), false),
        }
    }

    fn forbids_cloth(self) -> bool {
        matches!(self, Self::Forbid | Self::ForbidCloth)
    }

    fn forbids_bodies(self) -> bool {
        matches!(self, Self::Forbid | Self::ForbidBodies)
    }
}

/// All triangles of a model, and where they were last. Edges of no face are not among them: rods are the guard's alone.
#[derive(Default)]
pub(crate) struct Watcher {
    /// What is done about what meets.
    pub watch: Watch,
    cloth: TriMesh,
    bodies: TriMesh,
}

/// Pairs of triangles that meet; nothing if nobody looked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Both of cloth.
    pub crossings: Option<usize>,
    /// Of cloth and of a body.
    pub body_crossings: Option<usize>,
}

impl Watcher {
    /// The number of pairs of triangles that meet with the particles at `positions` at `time_s`.
    pub(crate) fn look(
        &mut self,
        watch: Watch,
        model: &Model,
        positions: &[DVec3],
        time_s: f64,
    ) -> Result<Seen, StepError> {
        if watch == Watch::Off {
            return Ok(Seen::default());
        }
        if self.cloth.faces.is_empty() {
            self.cloth.faces.clone_from(&model.mesh.faces);
            self.bodies = bodies::mesh(&model.bodies, time_s);
        }
        self.cloth.positions.clear();
        self.cloth.positions.extend_from_slice(positions);
        let found = self_intersections(&self.cloth, 1).map_err(unsuitable)?;
        if let (true, Some((triangles, pairs))) = (watch.forbids_cloth(), first(&found)) {
            return Err(StepError::Crossed { triangles, pairs });
        }
        let mut seen = Seen {
            crossings: Some(found.count),
            body_crossings: None,
        };
        if !model.bodies.is_empty() {
            self.bodies.positions.clear();
            bodies::place_all(&model.bodies, time_s, &mut self.bodies.positions);
            let found = intersections_between(&self.cloth, &self.bodies, 1);
            let found = found.map_err(unsuitable_pair)?;
            if let (true, Some((triangles, pairs))) = (watch.forbids_bodies(), first(&found)) {
                return Err(StepError::CrossedBody { triangles, pairs });
            }
            seen.body_crossings = Some(found.count);
        }
        Ok(seen)
    }
}

/// The first two triangles, and how many pairs there are.
fn first(found: &Findings) -> Option<([u32; 2], usize)> {
    let FacePair { a, b, .. } = found.pairs.first()?;
    Some(([*a, *b], found.count))
}

/// Coordinates that the exact test refuses are those of a cloth that has flown apart.
pub(crate) fn unsuitable(error: CheckError) -> StepError {
    let particle = match error {
        CheckError::Span { vertex, .. } => vertex as u32,
        CheckError::Mesh(_) => 0,
    };
    StepError::NotFinite { particle }
}

/// The same of two meshes.
pub(crate) fn unsuitable_pair(error: PairCheckError) -> StepError {
    match error {
        PairCheckError::First(error) | PairCheckError::Second(error) => unsuitable(error),
    }
}
