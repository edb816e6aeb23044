//! `metrics.csv`: a row a frame, on disk as soon as the frame is done.

use crate::{atomic, finite};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The numbers of one frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FrameMetrics {
    /// Frame, counted from 0, the start.
    pub frame: u64,
    /// Simulated time, s.
    pub time_s: f64,
    /// Steps since the frame before.
    pub steps: u64,
    /// Largest stretch of any edge: length over rest length, less 1.
    pub stretch_max: f64,
    /// Mean stretch.
    pub stretch_mean: f64,
    /// 99th percentile of stretch.
    pub stretch_p99: f64,
    /// Pairs of triangles that cross, the most after any step where every step is checked; empty
    /// if not checked.
    pub self_intersections: Option<u64>,
    /// Deepest any particle is inside a collider, m.
    pub collider_penetration_m: f64,
    /// Contacts in the last step.
    pub contacts: u64,
    /// Kinetic energy, J.
    pub kinetic_j: f64,
    /// Elastic energy, J.
    pub elastic_j: f64,
    /// Potential energy in gravity, J.
    pub gravitational_j: f64,
    /// Iterations of the linear solver, mean over the frame's solves.
    pub pcg_iterations_mean: f64,
    /// Most iterations of the linear solver in one solve.
    pub pcg_iterations_max: u64,
    /// Mean height of the particles, m.
    pub mean_height_m: f64,
    /// Lowest height of any particle, m.
    pub lowest_height_m: f64,
    /// Wall-clock time of the frame, s.
    pub wall_s: f64,
    /// Of it, time for contacts, s.
    #[serde(default)]
    pub contact_s: f64,
    /// Time for forces and matrices, s.
    #[serde(default)]
    pub assembly_s: f64,
    /// Time for linear solves, s.
    #[serde(default)]
    pub solve_s: f64,
    /// Most pairs of cloth features near each other in a step.
    #[serde(default)]
    pub contact_pairs: u64,
    /// Most contacts of cloth with cloth after a step.
    #[serde(default)]
    pub contact_touches: u64,
    /// Pairs that the guard against passing through kept apart.
    #[serde(default)]
    pub guard_caught: u64,
    /// Particles it moved, counted in every step.
    #[serde(default)]
    pub guard_particles: u64,
    /// Particles it stopped altogether.
    #[serde(default)]
    pub guard_stopped: u64,
    /// Length of the motion it changed, m, summed over particles and steps.
    #[serde(default)]
    pub guard_change_m: f64,
    /// Length of all motion, m, summed over particles and steps.
    #[serde(default)]
    pub guard_motion_m: f64,
    /// The first as a share of the second.
    #[serde(default)]
    pub guard_motion_removed: f64,
    /// Kinetic energy it took, J.
    #[serde(default)]
    pub guard_energy_j: f64,
    /// Momentum it took or gave, N s: the sum over steps of its length.
    #[serde(default)]
    pub guard_momentum_n_s: f64,
    /// Of the time for contacts, listing what touches, s.
    #[serde(default)]
    pub proximity_s: f64,
    /// Of the time for contacts, the guard, s.
    #[serde(default)]
    pub guard_s: f64,
    /// Pairs of a triangle of cloth and one of a mesh collider that cross, as `self_intersections`;
    /// empty if not checked.
    #[serde(default)]
    pub body_intersections: Option<u64>,
    /// Most particles that colliders pinched from two sides in a step.
    #[serde(default)]
    pub contact_pinched: u64,
    /// Impacts answered by impulses, where these are the response to contact.
    #[serde(default)]
    pub contact_impacts: u64,
    /// Particles that stick to something.
    #[serde(default)]
    pub stuck: u64,
    /// Particles that have come to stick since the frame before.
    #[serde(default)]
    pub stuck_attached: u64,
    /// Particles that have let go since the frame before.
    #[serde(default)]
    pub stuck_released: u64,
    /// Pairs of a triangle of cloth and one of a level set that cross; empty if not checked.
    #[serde(default)]
    pub level_set_intersections: Option<u64>,
    /// Most particles that were let through mesh colliders in a step, as there was no room for them.
    #[serde(default)]
    pub contact_let_through: u64,
    /// Steps that failed and were taken again shorter.
    #[serde(default)]
    pub retries: u64,
    /// Linear solves.
    #[serde(default)]
    pub solves: u64,
    /// Those of them that ended before their tolerance was met.
    #[serde(default)]
    pub unconverged_solves: u64,
}

/// Why metrics could not be written or read.
#[derive(Debug, Error)]
pub enum Error {
    /// A number is infinite or not a number.
    #[error("{path}: `{field}` of frame {frame} is not a finite number")]
    NotFinite {
        /// The file.
        path: PathBuf,
        /// The frame.
        frame: u64,
        /// The field.
        field: String,
    },
    /// The file system refused, or the table is not one of metrics.
    #[error("{path}: {source}")]
    Table {
        /// The file.
        path: PathBuf,
        /// Why.
        source: csv::Error,
    },
}

/// Writes `metrics.csv`.
#[derive(Debug)]
pub struct Writer {
    path: PathBuf,
    table: csv::Writer<File>,
}

impl Writer {
    /// Starts a new table.
    pub fn create(path: &Path) -> Result<Self, Error> {
        let file = File::create(path).map_err(|e| table_error(path, e.into()))?;
        Ok(Self::new(path, file, true))
    }

    /// Goes on with the table of a run that ended after `frame`, dropping later rows.
    pub fn resume(path: &Path, frame: u64) -> Result<Self, Error> {
        let mut rows = read(path)?;
        rows.retain(|row| row.frame <= frame);
        atomic::write(path, |file| {
            let mut table = csv::Writer::from_writer(file);
            rows.iter()
                .try_for_each(|row| table.serialize(row))
                .map_err(io::Error::other)?;
            table.flush()
        })
        .and_then(|()| OpenOptions::new().append(true).open(path))
        .map(|file| Self::new(path, file, rows.is_empty()))
        .map_err(|e| table_error(path, e.into()))
    }

    fn new(path: &Path, file: File, headers: bool) -> Self {
        let table = csv::WriterBuilder::new()
            .has_headers(headers)
            .from_writer(file);
        Self {
            path: path.to_owned(),
            table,
        }
    }

    /// Adds a row and hands it to the system at once.
    pub fn write(&mut self, row: &FrameMetrics) -> Result<(), Error> {
        let nullable = [
            "self_intersections",
            "body_intersections",
            "level_set_intersections",
        ];
        if let Some(field) = finite::non_finite_field(row, &nullable) {
            return Err(Error::NotFinite {
                path: self.path.clone(),
                frame: row.frame,
                field,
            });
        }
        self.table
            .serialize(row)
            .and_then(|()| self.table.flush().map_err(csv::Error::from))
            .map_err(|e| table_error(&self.path, e))
    }
}

/// Reads a table of metrics.
pub fn read(path: &Path) -> Result<Vec<FrameMetrics>, Error> {
    csv::Reader::from_path(path)
        .and_then(|mut table| table.deserialize().collect())
        .map_err(|e| table_error(path, e))
}

fn table_error(path: &Path, source: csv::Error) -> Error {
    Error::Table {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(frame: u64) -> FrameMetrics {
        FrameMetrics {
            frame,
            time_s: frame as f64 / 60.0,
            self_intersections: (frame > 0).then_some(frame),
            ..FrameMetrics::default()
        }
    }

    #[test]
    fn rows_are_on_disk_at_once_and_read_back_exactly() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("metrics.csv");
        let mut writer = Writer::create(&path).unwrap();
        for frame in 0..3 {
            writer.write(&row(frame)).unwrap();
            let rows: Vec<_> = (0..=frame).map(row).collect();
            assert_eq!(read(&path).unwrap(), rows);
        }
        let bad = FrameMetrics {
            kinetic_j: f64::INFINITY,
            ..row(3)
        };
        let error = writer.write(&bad).unwrap_err();
        assert!(error.to_string().contains("`kinetic_j` of frame 3"));
        assert_eq!(read(&path).unwrap().len(), 3);
    }

    #[test]
    fn tables_from_before_a_column_was_added_can_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("metrics.csv");
        Writer::create(&path).unwrap().write(&row(2)).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let header = text.lines().next().unwrap();
        let kept = 1 + header.split(',').position(|name| name == "wall_s").unwrap();
        let shorten = |line: &str| line.split(',').take(kept).collect::<Vec<_>>().join(",");
        let shorter: Vec<String> = text.lines().map(shorten).collect();
        std::fs::write(&path, shorter.join("\n")).unwrap();
        assert_eq!(read(&path).unwrap(), [row(2)]);
    }

    #[test]
    fn a_resumed_table_equals_a_straight_one() {
        let folder = tempfile::tempdir().unwrap();
        let [straight, resumed] = ["a.csv", "b.csv"].map(|n| folder.path().join(n));
        let write = |path: &Path, frames| {
            let mut writer = Writer::create(path).unwrap();
            for frame in 0..frames {
                writer.write(&row(frame)).unwrap();
            }
        };
        write(&straight, 6);
        write(&resumed, 4);
        let mut writer = Writer::resume(&resumed, 2).unwrap();
        for frame in 3..6 {
            writer.write(&row(frame)).unwrap();
        }
        assert_eq!(
            std::fs::read(straight).unwrap(),
            std::fs::read(resumed).unwrap()
        );
    }
}
