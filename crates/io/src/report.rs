//! `report.json`: the numbers a run leaves behind.

use crate::{atomic, finite};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The numbers of a whole run. Stretch, penetration and intersections are the worst of all
/// frames, not those of the last. Counts and worst values of a resumed run go on from those of the run
/// before, up to the frame that it goes on from; times are its own. A frame that fails in the end counts
/// with what was done for it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Version of the program.
    pub toile_version: String,
    /// Name of the scene.
    pub scene: String,
    /// Frames computed.
    pub frames: u64,
    /// Steps computed.
    pub steps: u64,
    /// Particles of all cloths.
    pub particles: u64,
    /// Triangles of all cloths.
    pub triangles: u64,
    /// Threads used.
    pub threads: u64,
    /// Wall-clock time of the run, s.
    pub wall_s: f64,
    /// Wall-clock time of a frame that was finished, s.
    pub wall_s_per_frame: f64,
    /// Processor time of all threads, s, where the system tells.
    pub cpu_s: Option<f64>,
    /// Most memory the program had resident, bytes, where the system tells.
    #[serde(default)]
    pub memory_peak_bytes: Option<u64>,
    /// Wall-clock time of each phase, s.
    pub phase_s: BTreeMap<String, f64>,
    /// Form of the linear systems: `fast`, `assembled`, `direct`, or `none` for integrators that have none.
    #[serde(default)]
    pub solver: String,
    /// Why it is `assembled` where the fast one was asked for; null if it was not.
    #[serde(default)]
    pub solver_fallback: Option<String>,
    /// Linear solves.
    #[serde(default)]
    pub solves: u64,
    /// Those of them that ended before their tolerance, at the most iterations or where precision ran out.
    #[serde(default)]
    pub unconverged_solves: u64,
    /// Iterations of the linear solver, mean over all solves.
    pub pcg_iterations_mean: f64,
    /// Most iterations of the linear solver in one solve.
    pub pcg_iterations_max: u64,
    /// Largest stretch of any edge: length over rest length, less 1.
    pub stretch_max: f64,
    /// Largest mean stretch of any frame.
    pub stretch_mean: f64,
    /// Largest 99th percentile of stretch of any frame.
    pub stretch_p99: f64,
    /// Most pairs of triangles that cross in any frame, or after any step where every step is
    /// checked; null if none was found and not all frames were checked.
    pub self_intersections_max: Option<u64>,
    /// The same of a triangle of cloth and one of a mesh collider; null without such colliders too.
    #[serde(default)]
    pub body_intersections_max: Option<u64>,
    /// The same of a triangle of cloth and one of a level set: nothing keeps edges out of these.
    #[serde(default)]
    pub level_set_intersections_max: Option<u64>,
    /// Pairs of triangles that cross at the start; null if that was not checked.
    #[serde(default)]
    pub start_intersections: Option<u64>,
    /// The same of a triangle of cloth and one of a mesh collider; null without such colliders too.
    #[serde(default)]
    pub start_body_intersections: Option<u64>,
    /// Pairs of triangles of the same mesh collider that cross at the start: they are ignored.
    #[serde(default)]
    pub body_self_intersections: u64,
    /// The frame from which on no check has found triangles that cross; null if the last one did,
    /// or if there was none.
    #[serde(default)]
    pub clean_from_frame: Option<u64>,
    /// How cloth met cloth and mesh colliders; null if it meets neither.
    #[serde(default)]
    pub contact: Option<Contact>,
    /// How cloth stuck to things; null if none does.
    #[serde(default)]
    pub sticking: Option<Sticking>,
    /// How written cloth was made from that simulated; null if it is the same.
    #[serde(default)]
    pub written: Option<WrittenCloth>,
    /// The fields of mesh colliders met as level sets, in the order of the scene.
    #[serde(default)]
    pub level_sets: Vec<LevelSetField>,
    /// Deepest any particle was inside a collider, m; in a level set, inside its posed triangles.
    pub collider_penetration_max_m: f64,
    /// Most contacts in any step.
    pub contacts_max: u64,
    /// Change of total energy over the run, as a share of what was exchanged: the largest kinetic and
    /// elastic energy, and the gravitational energy between the highest and the lowest frame. Negative
    /// when energy was lost, and then -1 at the least.
    pub energy_drift: f64,
    /// Steps repeated with a smaller size, those of a frame that failed included.
    pub retries: u64,
    /// Whether every number of the final state is finite.
    pub finite: bool,
    /// Hash of the bits of the final positions and velocities.
    pub state_hash: String,
    /// What became of meshes from files: repairs, and where their rest shapes come from.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Whether the user ended the run early.
    pub interrupted: bool,
    /// Why the run failed; null if it did not.
    pub error: Option<String>,
}

/// How cloth met cloth in a whole run, a frame that failed included. The guard is the stage that lets nothing pass through
/// anything whatever the forces did; a healthy run leaves it little to do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Contact {
    /// Whether nothing can pass mesh colliders, nor cloth if cloth meets cloth.
    #[serde(default)]
    pub guarantee: Guarantee,
    /// Most pairs of features near each other in any step.
    pub pairs_max: u64,
    /// Most contacts after any step.
    pub touches_max: u64,
    /// Most particles that colliders pinched from two sides in a step: there was less room for them than
    /// the distances they keep.
    #[serde(default)]
    pub pinched_max: u64,
    /// Most of them that were let through mesh colliders in a step, as there was no room for them.
    #[serde(default)]
    pub let_through_max: u64,
    /// Impacts answered by impulses, over all steps.
    #[serde(default)]
    pub impacts: u64,
    /// Pairs that the guard kept apart, over all steps.
    pub guard_caught: u64,
    /// Particles that the guard moved, over all steps.
    pub guard_particles: u64,
    /// Particles that the guard stopped altogether, over all steps.
    pub guard_stopped: u64,
    /// Motion that the guard changed, as a share of all motion.
    pub guard_motion_removed: f64,
    /// The largest such share in a frame.
    pub guard_motion_removed_max: f64,
    /// Kinetic energy that the guard took, J; negative where it gave some.
    pub guard_energy_j: f64,
    /// Momentum that the guard took or gave, N s: the sum over steps of its length.
    pub guard_momentum_n_s: f64,
}

/// Cloth that is written finer than it is simulated, or brought out of bodies. Counts are of the frames
/// that this run has written itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenCloth {
    /// Vertices of what is written.
    pub vertices: u64,
    /// Its triangles.
    pub triangles: u64,
    /// Most vertices in a frame that were moved off the simulated surface.
    pub moved_max: u64,
    /// Most vertices in a frame that went less far than they should, because something was in the way.
    pub held_back_max: u64,
    /// The same, added up over all frames.
    pub held_back: u64,
}

impl WrittenCloth {
    /// Counts a frame.
    pub fn add(&mut self, moved: usize, held_back: usize) {
        self.moved_max = self.moved_max.max(moved as u64);
        self.held_back_max = self.held_back_max.max(held_back as u64);
        self.held_back += held_back as u64;
    }
}

/// How cloth stuck to things in a whole run, counted from frame to frame.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sticking {
    /// Most particles that stuck in a frame.
    pub stuck_max: u64,
    /// Particles that stick at the end.
    pub stuck_last: u64,
    /// How often particles came to stick.
    pub attached: u64,
    /// How often they let go.
    pub released: u64,
}

/// The signed distance of a mesh collider.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LevelSetField {
    /// How it is stored: `grid` or `octree`.
    pub storage: String,
    /// Distance of its finest nodes, m.
    pub cell_m: f64,
    /// Memory that it takes at the end of the run.
    pub bytes: u64,
}

/// What a run promises of crossings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Guarantee {
    /// What starts apart stays apart.
    #[default]
    On,
    /// The same, but for cloth that mesh colliders pinched and that was let through them.
    Lapsed,
    /// A mesh collider is met as a level set, which keeps out particles alone.
    Off,
}

/// Why a report could not be written.
#[derive(Debug, Error)]
pub enum WriteError {
    /// A number is infinite or not a number.
    #[error("{path}: `{field}` is not a finite number")]
    NotFinite {
        /// The file that was to be written.
        path: PathBuf,
        /// The field.
        field: String,
    },
    /// The file system refused.
    #[error("{path} cannot be written: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl Report {
    /// Fields that may be null.
    const NULLABLE: [&str; 13] = [
        "cpu_s",
        "memory_peak_bytes",
        "solver_fallback",
        "self_intersections_max",
        "body_intersections_max",
        "level_set_intersections_max",
        "start_intersections",
        "start_body_intersections",
        "clean_from_frame",
        "contact",
        "sticking",
        "written",
        "error",
    ];

    /// Writes the report as JSON.
    pub fn write(&self, path: &Path) -> Result<(), WriteError> {
        if self.cpu_s.is_some_and(|s| !s.is_finite()) {
            return Err(not_finite(path, "cpu_s".to_owned()));
        }
        if let Some(field) = finite::non_finite_field(self, &Self::NULLABLE) {
            return Err(not_finite(path, field));
        }
        atomic::write(path, |writer| {
            serde_json::to_writer_pretty(&mut *writer, self)?;
            writeln!(writer)
        })
        .map_err(|source| WriteError::Io {
            path: path.to_owned(),
            source,
        })
    }
}

fn not_finite(path: &Path, field: String) -> WriteError {
    WriteError::NotFinite {
        path: path.to_owned(),
        field,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_hold_every_promised_field_and_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.json");
        let report = Report {
            scene: "tablecloth".to_owned(),
            wall_s: 1.25,
            phase_s: [("solve".to_owned(), 0.1)].into(),
            finite: true,
            ..Report::default()
        };
        report.write(&path).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(serde_json::from_str::<Report>(&text).unwrap(), report);
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        for field in "toile_version scene frames steps particles triangles threads wall_s memory_peak_bytes \
            wall_s_per_frame phase_s pcg_iterations_mean pcg_iterations_max stretch_max \
            stretch_mean stretch_p99 self_intersections_max body_intersections_max collider_penetration_max_m \
            level_set_intersections_max start_intersections start_body_intersections body_self_intersections \
            clean_from_frame contact sticking written level_sets contacts_max energy_drift retries finite \
            state_hash interrupted error solver solver_fallback solves unconverged_solves"
            .split_whitespace()
        {
            assert!(value.get(field).is_some(), "{field}");
        }
        assert!(value["self_intersections_max"].is_null());
    }

    #[test]
    fn numbers_that_are_none_are_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.json");
        let refused = |report: Report| match report.write(&path) {
            Err(WriteError::NotFinite { field, .. }) => field,
            other => panic!("{other:?}"),
        };
        let mut report = Report {
            stretch_p99: f64::NAN,
            ..Report::default()
        };
        assert_eq!(refused(report.clone()), "stretch_p99");
        report.stretch_p99 = 0.0;
        report.phase_s.insert("solve".to_owned(), f64::INFINITY);
        assert_eq!(refused(report.clone()), "phase_s.solve");
        report.phase_s.clear();
        report.cpu_s = Some(f64::NAN);
        assert_eq!(refused(report), "cpu_s");
        assert!(!path.exists());
    }
}
