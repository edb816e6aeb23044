//! Why a sequence could not be read or written.

use super::mesh::HeaderProblem;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;
use toile_geometry::character::CharacterError;

/// Why a sequence could not be read or written.
#[derive(Debug, Error)]
pub enum Error {
    /// The file system refused.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file that is not what its name says, or is damaged.
    #[error("{path}, {place}: expected {expected}, found {found}")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Where in it.
        place: Place,
        /// What should be there.
        expected: String,
        /// What is there.
        found: String,
    },
    /// An OBJ file that cannot be understood.
    #[error(transparent)]
    Obj(#[from] crate::obj::Error),
    /// A file whose parts do not fit together.
    #[error("{path}: {problem}")]
    Header {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        problem: HeaderProblem,
    },
    /// A sequence this format, or any, cannot hold.
    #[error("{path} cannot be written: {reason}")]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: Unwritable,
    },
    /// A name that says no format.
    #[error(
        "{path}: expected a name that ends in one of {}",
        super::Format::endings()
    )]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// No file there.
    #[error("{path}: there is no such file or folder, and no numbered files of that name")]
    Missing {
        /// The path as given.
        path: PathBuf,
    },
    /// Several inputs that are no sequence.
    #[error("{path}: several input files must be OBJ or PLY, all of one kind")]
    MixedInputs {
        /// The first input that does not belong.
        path: PathBuf,
    },
    /// A frame that does not exist.
    #[error("{path}: there is no frame {frame}, only {frames}")]
    NoSuchFrame {
        /// The file.
        path: PathBuf,
        /// The frame asked for, counted from 0.
        frame: u64,
        /// Frames there are.
        frames: u64,
    },
}

/// A word that names no format.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "`{word}` is not a mesh format: expected one of {}",
    super::Format::words()
)]
pub struct UnknownFormat {
    /// The word.
    pub word: String,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Bytes before it.
    Byte(u64),
    /// The line, counted from 1.
    Line(u64),
    /// An entry of an archive, or a field of a document.
    Field(String),
    /// A frame, counted from 0.
    Frame(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Byte(byte) => write!(f, "byte {byte}"),
            Self::Line(line) => write!(f, "line {line}"),
            Self::Field(name) => write!(f, "`{name}`"),
            Self::Frame(frame) => write!(f, "frame {frame}"),
        }
    }
}

/// Why a sequence cannot be written.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum Unwritable {
    /// The header is senseless.
    #[error(transparent)]
    Header(#[from] HeaderProblem),
    /// A frame's list is not as long as the header says.
    #[error("frame {frame} has {found} {list} for {vertices} vertices")]
    Length {
        /// The frame, counted from 0.
        frame: u64,
        /// The list.
        list: &'static str,
        /// Its length.
        found: usize,
        /// Vertices of the mesh.
        vertices: usize,
    },
    /// A number that is infinite or not a number.
    #[error("{list} of vertex {vertex} in frame {frame} are not finite")]
    NotFinite {
        /// The frame, counted from 0.
        frame: u64,
        /// The list.
        list: &'static str,
        /// The vertex.
        vertex: usize,
    },
    /// A character whose parts do not fit together.
    #[error(transparent)]
    Character(#[from] CharacterError),
    /// A character without a surface.
    #[error("it has no triangles")]
    NoTriangles,
    /// Nothing to write.
    #[error("the sequence has no frames")]
    NoFrames,
    /// More frames than the format can hold.
    #[error("{format} holds at most {limit} frames: write USDA, NPZ or PC2 instead")]
    TooManyFrames {
        /// The format.
        format: &'static str,
        /// Most frames.
        limit: u64,
    },
    /// More bytes or vertices than the format can count.
    #[error("{format} cannot count as many {what}")]
    TooLarge {
        /// The format.
        format: &'static str,
        /// Of what there are too many.
        what: &'static str,
    },
    /// The format fixes its unit and its axes.
    #[error("{0} is always in metres with y up")]
    FixedFrame(&'static str),
    /// Numbered files start at zero.
    #[error("numbered files cannot begin at frame {0}")]
    NegativeFrame(i64),
    /// Frames that are still to be read would be overwritten.
    #[error("its files are those that are read")]
    OwnInput,
    /// Numbered files of another sequence, between which these would go.
    #[error("{0} is there already and would be taken for a part of it")]
    Mixed(PathBuf),
    /// An option that makes no sense.
    #[error("an option is not usable: {0} is {1}, expected a positive number")]
    Option(&'static str, f64),
}

impl Error {
    /// For `map_err` on what the file system says of `path`.
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io {
            path: path.to_owned(),
            source,
        }
    }

    /// What stands at `place` is not what it should be.
    pub(crate) fn malformed(
        path: &Path,
        place: Place,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        Self::Malformed {
            path: path.to_owned(),
            place,
            expected: expected.into(),
            found: found.into(),
        }
    }

    /// `path` cannot be written.
    pub(crate) fn unwritable(path: &Path, reason: impl Into<Unwritable>) -> Self {
        Self::Unwritable {
            path: path.to_owned(),
            reason: reason.into(),
        }
    }
}
