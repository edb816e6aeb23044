//! Animated meshes in the formats other programs read.
//!
//! One description serves all formats: a [`Header`] for what stays the same and a [`Frame`] for
//! what moves. [`create`] begins a file and takes frames one by one; [`open`] gives them back in
//! any order. Neither ever holds more than a few frames, so a sequence may be of any length.
//! Formats that must know totals before their first frame stage frames in a file beside the
//! target. Every file appears whole or not at all: sequences of files frame by frame, single files
//! when they are finished.
//!
//! Readers trust nothing: a count is compared with the bytes the file has before memory is taken
//! for it, and whatever is wrong is named with its file and place.

mod adapt;
mod binary;
mod change;
mod convert;
mod decimal;
mod describe;
mod error;
mod export;
mod frame;
pub(crate) mod glb;
mod manifest;
mod mdd;
pub(crate) mod mesh;
mod model;
mod npz;
mod numbered;
mod obj;
mod options;
mod pc2;
pub(crate) mod ply;
mod point_cache;
mod staging;
pub(crate) mod stamp;
mod stills;
mod usda;

pub use convert::{Converted, convert};
pub use describe::{
    CharacterInfo, ClipInfo, DescribeError, Info, MotionInfo, Problem, SequenceInfo, SurfaceInfo,
    describe, describe_sequence,
};
pub use error::{Error, Place, UnknownFormat, Unwritable};
pub use export::Export;
pub use frame::{Channels, Frame};
pub use manifest::{Entry, Manifest};
pub use mesh::{DEFAULT_FRAME_RATE_HZ, Faces, Header, HeaderProblem, Part, UpAxis};
pub use options::{Assumptions, Options};

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use toile_geometry::TriMesh;

/// A format of animated meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Wavefront OBJ, a file a frame.
    Obj,
    /// Stanford PLY, a file a frame.
    Ply,
    /// PC2 point cache, with its mesh as OBJ beside it.
    Pc2,
    /// MDD point cache, with its mesh as OBJ beside it.
    Mdd,
    /// NumPy archive.
    Npz,
    /// Universal Scene Description, as text.
    Usda,
    /// glTF 2.0 in one binary file.
    Glb,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 7] = [
        Self::Obj,
        Self::Ply,
        Self::Pc2,
        Self::Mdd,
        Self::Npz,
        Self::Usda,
        Self::Glb,
    ];

    /// How names of its files end.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Obj => "obj",
            Self::Ply => "ply",
            Self::Pc2 => "pc2",
            Self::Mdd => "mdd",
            Self::Npz => "npz",
            Self::Usda => "usda",
            Self::Glb => "glb",
        }
    }

    /// What its users call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Obj => "OBJ",
            Self::Ply => "PLY",
            Self::Pc2 => "PC2",
            Self::Mdd => "MDD",
            Self::Npz => "NPZ",
            Self::Usda => "USDA",
            Self::Glb => "GLB",
        }
    }

    /// The format of the file with this name.
    pub fn of(path: &Path) -> Result<Self, Error> {
        let extension = path.extension().unwrap_or_default();
        Self::ALL
            .into_iter()
            .find(|format| extension.eq_ignore_ascii_case(format.extension()))
            .ok_or_else(|| Error::UnknownFormat {
                path: path.to_owned(),
            })
    }

    /// What its frames can hold besides positions.
    pub fn channels(self) -> Channels {
        let all = Channels {
            velocities: true,
            normals: true,
            colours: true,
        };
        match self {
            Self::Ply | Self::Npz | Self::Usda => all,
            Self::Pc2 | Self::Mdd => Channels::default(),
            Self::Obj | Self::Glb => Channels {
                velocities: false,
                ..all
            },
        }
    }

    /// Whether each frame is a file of its own.
    pub fn is_numbered(self) -> bool {
        match self {
            Self::Obj | Self::Ply => true,
            Self::Pc2 | Self::Mdd | Self::Npz | Self::Usda | Self::Glb => false,
        }
    }

    /// Whether it leaves no choice of unit and axes: metres, y up.
    pub fn is_fixed_frame(self) -> bool {
        self == Self::Glb
    }

    /// Most frames one file can have, where there is a limit.
    pub fn max_frames(self) -> Option<u64> {
        (self == Self::Glb).then_some(glb::MAX_FRAMES)
    }

    /// What of a sequence it cannot hold, in words.
    pub fn losses(self, header: &Header) -> Vec<String> {
        let (has, holds) = (header.channels, self.channels());
        let mut losses = Vec::new();
        for (what, has, holds) in [
            ("velocities", has.velocities, holds.velocities),
            ("normals", has.normals, holds.normals),
            ("colours", has.colours, holds.colours),
        ] {
            if has && !holds {
                losses.push(format!(
                    "{} holds no {what}: they are left out",
                    self.name()
                ));
            }
        }
        if self == Self::Glb {
            if has.colours {
                losses.push("GLB colours do not change: those of the first frame stay".to_owned());
            }
            if header.faces.widest() > 3 {
                losses.push("GLB has triangles only: larger faces are divided".to_owned());
            }
        }
        losses
    }

    /// Why it cannot hold so many frames of this mesh, if that is known beforehand.
    pub fn refuses(self, header: &Header, frames: u64) -> Option<Unwritable> {
        let (format, what) = (self.name(), "bytes");
        if let Some(limit) = self.max_frames().filter(|limit| frames > *limit) {
            return Some(Unwritable::TooManyFrames { format, limit });
        }
        let is_too_large =
            self == Self::Glb && glb::least_bytes(header, frames) > u64::from(u32::MAX);
        is_too_large.then_some(Unwritable::TooLarge { format, what })
    }

    /// The endings of all formats, for messages.
    fn endings() -> String {
        let endings = Self::ALL.map(|format| format!(".{}", format.extension()));
        endings.join(", ")
    }

    /// The words for all formats, for messages.
    fn words() -> String {
        Self::ALL.map(Self::extension).join(", ")
    }
}

impl std::str::FromStr for Format {
    type Err = UnknownFormat;

    /// From the name scenes and manifests use.
    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        Self::ALL
            .into_iter()
            .find(|format| format.extension() == name)
            .ok_or_else(|| UnknownFormat {
                word: name.to_owned(),
            })
    }
}

/// Takes a sequence, frame by frame.
pub trait SequenceWriter: Send {
    /// Takes the next frame.
    fn frame(&mut self, frame: &Frame) -> Result<(), Error>;

    /// Completes the files and lists them. A writer that is dropped instead leaves no file behind,
    /// or of numbered files those of its whole frames.
    fn finish(self: Box<Self>) -> Result<Vec<Entry>, Error>;
}

/// Gives a sequence, frame by frame.
pub trait SequenceReader: Send {
    /// The file, or the first of several.
    fn path(&self) -> &Path;

    /// The format.
    fn format(&self) -> Format;

    /// What stays the same.
    fn header(&self) -> &Header;

    /// Number of frames.
    fn frames(&self) -> u64;

    /// What was passed over or assumed, in words.
    fn notes(&self) -> &[String];

    /// Frame `k`, counted from 0, with the numbers that are in the file, finite or not.
    fn read_stored(&mut self, k: u64) -> Result<Frame, Error>;

    /// Positions in frame `k` as exactly as the file has them: where it holds more than single
    /// precision, all of that.
    fn read_positions(&mut self, k: u64) -> Result<Vec<DVec3>, Error> {
        let frame = self.read_frame(k)?;
        Ok(frame.positions.iter().map(|p| p.as_dvec3()).collect())
    }

    /// Whether there is a frame `k`, counted from 0.
    fn require(&self, k: u64) -> Result<(), Error> {
        if k < self.frames() {
            return Ok(());
        }
        Err(Error::NoSuchFrame {
            path: self.path().to_owned(),
            frame: k,
            frames: self.frames(),
        })
    }

    /// Frame `k`, counted from 0; every number is finite.
    fn read_frame(&mut self, k: u64) -> Result<Frame, Error> {
        let frame = self.read_stored(k)?;
        match frame.non_finite() {
            None => Ok(frame),
            Some((list, vertex)) => Err(Error::malformed(
                self.path(),
                Place::Frame(k),
                "finite numbers",
                format!("{list} of vertex {vertex} that are not"),
            )),
        }
    }
}

/// Begins the sequence `path`, whose name says the format. The folder must exist.
///
/// The header describes what is handed over; `options` say how it is to be written. Files of
/// numbered formats are called `NAME_0000.obj` for a path `NAME.obj`, or as `#` in the path asks:
/// `NAME.####.obj`.
pub fn create(
    path: &Path,
    header: &Header,
    options: &Options,
) -> Result<Box<dyn SequenceWriter>, Error> {
    let format = Format::of(path)?;
    Ok(Box::new(adapt::Adapted::new(
        path, format, header, options,
    )?))
}

/// Begins a file of what `header` describes as it is; all its fields are filled in.
fn begin(path: &Path, format: Format, header: Header) -> Result<Box<dyn SequenceWriter>, Error> {
    Ok(match format {
        Format::Obj | Format::Ply => Box::new(stills::Writer::begin(path, format, header)?),
        Format::Pc2 => Box::new(pc2::Writer::begin(path, header)?),
        Format::Mdd => Box::new(mdd::Writer::begin(path, header)?),
        Format::Npz => Box::new(npz::Writer::begin(path, header)?),
        Format::Usda => Box::new(usda::Writer::begin(path, header)?),
        Format::Glb => Box::new(glb::Writer::begin(path, header)?),
    })
}

/// Opens the sequence `path`: a file, or for numbered files `NAME.obj` or `NAME_####.obj`.
///
/// A file that exists is taken alone, even if its name has a number.
pub fn open(path: &Path) -> Result<Box<dyn SequenceReader>, Error> {
    let format = Format::of(path);
    // What is not there is said first, whatever its name ends in.
    if !path.exists() && !format.as_ref().is_ok_and(|format| format.is_numbered()) {
        return Err(Error::Missing {
            path: path.to_owned(),
        });
    }
    let format = format?;
    match format {
        Format::Obj | Format::Ply => {
            let files = numbered::find(path)?;
            Ok(Box::new(stills::Reader::open(format, files)?))
        }
        Format::Pc2 => pc2::open(path),
        Format::Mdd => mdd::open(path),
        Format::Npz => npz::open(path),
        Format::Usda => usda::open(path),
        Format::Glb => glb::open(path),
    }
}

/// Opens one path like [`open`], or several files as the frames of one sequence.
pub fn open_all(paths: &[PathBuf]) -> Result<Box<dyn SequenceReader>, Error> {
    let (first, others) = match paths {
        [] => {
            return Err(Error::Missing {
                path: PathBuf::new(),
            });
        }
        [path] => return open(path),
        [first, others @ ..] => (first, others),
    };
    let format = Format::of(first)?;
    let odd = |path: &&PathBuf| !format.is_numbered() || Format::of(path).ok() != Some(format);
    if let Some(path) = others.iter().find(odd) {
        return Err(Error::MixedInputs { path: path.clone() });
    }
    let files = numbered::in_order(paths);
    Ok(Box::new(stills::Reader::open(format, files)?))
}

/// The file `path`, or the numbered files that `NAME.obj` or `NAME_####.obj` stands for, in order
/// and each with its number.
pub fn numbered_files(path: &Path) -> Result<Vec<(u64, PathBuf)>, Error> {
    numbered::find(path)
}

/// The mesh of one OBJ or PLY file as exactly as the file has it: no coordinate is rounded to single
/// precision, and faces of more than three corners are fans from their first.
pub fn read_mesh(path: &Path) -> Result<TriMesh, Error> {
    if !path.exists() {
        return Err(Error::Missing {
            path: path.to_owned(),
        });
    }
    match Format::of(path)? {
        Format::Obj => Ok(crate::obj::read(path)?),
        Format::Ply => ply::read_mesh(path),
        _ => Err(Error::UnknownFormat {
            path: path.to_owned(),
        }),
    }
}
