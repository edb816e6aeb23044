//! Why there is no field, or why one cannot be read back.

use super::Hole;
use crate::MeshError;
use thiserror::Error;

/// Why a mesh has no signed distance.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum LevelSetError {
    /// The triangles are unsound: coordinates that are not finite, or corners that do not exist.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// No triangles.
    #[error("the mesh has no triangles")]
    Empty,
    /// Nothing is enclosed: a sheet folded onto itself, or parts that cancel.
    #[error("the mesh encloses no volume ({volume_m3:e} m³)")]
    NoVolume {
        /// Signed volume, m³.
        volume_m3: f64,
    },
    /// Holes that are too wide to be closed by guessing, or triangles turned against neighbours.
    #[error(
        "the mesh is open: {count} holes wider than {limit_m} m, the widest {} m across at \
         {}, with {} edges",
        widest.width_m, widest.center, widest.edges
    )]
    Open {
        /// How many are too wide.
        count: usize,
        /// The widest of them.
        widest: Hole,
        /// What would have been closed, m.
        limit_m: f64,
    },
    /// A pose with another number of vertices than the mesh.
    #[error("{found} positions or velocities for {expected} vertices")]
    Count {
        /// Vertices of the mesh.
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// A pose of an animated mesh that is no solid.
    #[error("frame {frame}, counted from 0: {problem}")]
    Pose {
        /// Which.
        frame: usize,
        /// What is wrong with it.
        problem: Box<Self>,
    },
    /// A setting that is none.
    #[error("{name} is {value}; expected {expected}")]
    Setting {
        /// Which.
        name: &'static str,
        /// What it was set to.
        value: f64,
        /// What it could be.
        expected: &'static str,
    },
    /// The field would not fit.
    #[error(
        "{nodes} nodes of {cell_m} m need {bytes} bytes, more than the limit of {limit_bytes}; \
         larger cells would need less"
    )]
    TooLarge {
        /// Nodes of the grid.
        nodes: u128,
        /// Their distance, m.
        cell_m: f64,
        /// What they need.
        bytes: u128,
        /// What they may.
        limit_bytes: u64,
    },
    /// Times of a sequence that do not ascend, or not one field a time.
    #[error("{fields} fields at {times} times; expected one each, at ascending finite times")]
    Times {
        /// Number of times.
        times: usize,
        /// Number of fields.
        fields: usize,
    },
}

/// Why a cached field was not read.
#[derive(Debug, Error)]
pub enum CacheError {
    /// Not such a file at all.
    #[error("not a cached distance field")]
    Foreign,
    /// Written by another version.
    #[error("version {found} of the format; this one reads {expected}")]
    Version {
        /// What it says.
        found: u32,
        /// What is understood.
        expected: u32,
    },
    /// Made from another mesh, motion or settings.
    #[error("made from something else (key {found:016x}, expected {expected:016x})")]
    Stale {
        /// What it was made from.
        found: u64,
        /// What it should have been made from.
        expected: u64,
    },
    /// Cut short, changed, or inconsistent.
    #[error("damaged: {0}")]
    Damaged(&'static str),
    /// Not a grid where a grid was asked for, and so on.
    #[error("holds another kind of field")]
    Kind,
    /// The file system's own complaint.
    #[error(transparent)]
    File(#[from] std::io::Error),
}
