//! The exact intersection test of every step's end, before it becomes the state.
//!
//! The guard and the forces of contact know nothing of it: it is there to catch them when they are
//! wrong. It needs no tolerance and no memory of the steps before.

use crate::error::StepError;
use crate::model::Model;
use glam::DVec3;
use toile_geometry::intersections::{FacePair, self_intersections};
use toile_geometry::{CheckError, TriMesh};

/// What is done about triangles of cloth that meet at the end of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Watch {
    /// Nothing: nobody looks.
    #[default]
    Off,
    /// They are counted.
    Count,
    /// The step fails with [`StepError::Crossed`].
    Forbid,
}

/// All triangles of a model, and where they were last.
#[derive(Default)]
pub(crate) struct Watcher {
    mesh: TriMesh,
}

impl Watcher {
    /// The number of pairs of triangles that meet at `positions`; nothing if nobody looks.
    pub(crate) fn look(
        &mut self,
        watch: Watch,
        model: &Model,
        positions: &[DVec3],
    ) -> Result<Option<usize>, StepError> {
        if watch == Watch::Off {
            return Ok(None);
        }
        if self.mesh.faces.is_empty() {
            self.mesh.faces.clone_from(&model.faces);
        }
        self.mesh.positions.clear();
        self.mesh.positions.extend_from_slice(positions);
        let found = self_intersections(&self.mesh, 1).map_err(unsuitable)?;
        match (watch, found.pairs.first()) {
            (Watch::Forbid, Some(FacePair { a, b, .. })) => Err(StepError::Crossed {
                triangles: [*a, *b],
                pairs: found.count,
            }),
            _ => Ok(Some(found.count)),
        }
    }
}

/// Coordinates that the exact test refuses are those of a cloth that has flown apart.
fn unsuitable(error: CheckError) -> StepError {
    let particle = match error {
        CheckError::Span { vertex, .. } => vertex as u32,
        CheckError::Mesh(_) => 0,
    };
    StepError::NotFinite { particle }
}
