//! Meshes to make cloth of: OBJ, PLY, glTF (`.gltf`, `.glb`) and STL.
//!
//! [`read`] gives the triangles as they stand in a file, in metres with y up; [`load`] makes a mesh
//! of them, or says what is wrong. Unlike [`formats`], which reads motions in single precision, this
//! keeps double precision where a file has it, texture coordinates corner by corner, and the names
//! of groups and materials.
//!
//! Readers trust nothing: a count is compared with the bytes the file has before memory is taken
//! for it, and whatever is wrong is named with its file and place.

mod builder;
mod gltf;
mod groups;
mod obj;
mod ply;
mod stl;

pub use groups::{Group, GroupKind};

use crate::formats::{self, UpAxis};
use glam::{DVec2, DVec3};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use thiserror::Error;
use toile_geometry::{RepairError, Repairs, Soup};

/// Triangles as they stand in a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceFile {
    /// Vertex positions, m, y up.
    pub positions: Vec<DVec3>,
    /// Three vertices a triangle. Larger faces are cut into triangles.
    pub triangles: Vec<[u32; 3]>,
    /// Texture coordinates of the corners of every triangle, v upwards, in the file's unit.
    pub uvs: Option<Vec<[DVec2; 3]>>,
    /// Named sets of triangles: objects, groups and materials.
    pub groups: Vec<Group>,
    /// Red, green, blue and opacity of every vertex, from 0 to 1.
    pub colours: Option<Vec<[f32; 4]>>,
    /// What was passed over, in words.
    pub notes: Vec<String>,
}

/// How a file is to be read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Options {
    /// Length of the file's unit, m; `None` takes what the file says, or metres.
    pub metres_per_unit: Option<f64>,
    /// Which axis points up; `None` takes what the file says, or y.
    pub up: Option<UpAxis>,
    /// Distance within which vertices become one, m; `None` is a millionth of the mesh's size.
    pub weld_m: Option<f64>,
}

/// Why a file gives no mesh.
#[derive(Debug, Error)]
pub enum Error {
    /// It cannot be read.
    #[error(transparent)]
    File(#[from] formats::Error),
    /// A name that says no format.
    #[error("{path}: expected a name that ends in one of .obj, .ply, .gltf, .glb, .stl")]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// A unit that is none.
    #[error("the unit of length is {0} m; expected a positive number")]
    Unit(f64),
    /// A name that none of its triangles has.
    #[error("{path}: no triangles are called \"{name}\"; expected one of: {known}")]
    NoGroup {
        /// The file.
        path: PathBuf,
        /// The name.
        name: String,
        /// Names that there are, some of them if they are many.
        known: String,
    },
    /// Its triangles make no mesh.
    #[error("{path}: {problem}")]
    Mesh {
        /// The file.
        path: PathBuf,
        /// What is wrong; triangles are counted from 0 in the file's order, larger faces cut.
        problem: RepairError,
    },
}

/// What a file says of its own unit and axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Frame {
    metres_per_unit: Option<f64>,
    up: Option<UpAxis>,
}

/// Whether the name of a file says that it can be read as a surface.
pub fn is_surface(path: &Path) -> bool {
    reader(path).is_some()
}

type Reader = fn(&Path) -> Result<(SurfaceFile, Frame), formats::Error>;

fn reader(path: &Path) -> Option<Reader> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    Some(match extension.as_str() {
        "obj" => obj::read,
        "ply" => ply::read,
        "gltf" | "glb" => gltf::read,
        "stl" => stl::read,
        _ => return None,
    })
}

/// The triangles of a file as they stand there, in metres with y up.
pub fn read(path: &Path, options: &Options) -> Result<SurfaceFile, Error> {
    let reader = reader(path).ok_or_else(|| Error::UnknownFormat {
        path: path.to_owned(),
    })?;
    let (mut file, frame) = reader(path)?;
    let unit_m = options.metres_per_unit.or(frame.metres_per_unit);
    let unit_m = unit_m.unwrap_or(1.0);
    if !(unit_m.is_finite() && unit_m > 0.0) {
        return Err(Error::Unit(unit_m));
    }
    let up = options.up.or(frame.up).unwrap_or_default();
    for p in &mut file.positions {
        *p = unit_m
            * match up {
                UpAxis::Y => *p,
                UpAxis::Z => DVec3::new(p.x, p.z, -p.y),
            };
    }
    Ok(file)
}

/// A file as a mesh whose neighbours fit together, and what it took.
pub fn load(path: &Path, options: &Options) -> Result<(SurfaceFile, Repairs), Error> {
    let mesh_error = |problem| Error::Mesh {
        path: path.to_owned(),
        problem,
    };
    read(path, options)?
        .repaired(options.weld_m)
        .map_err(mesh_error)
}

impl SurfaceFile {
    /// Only the triangles of the objects, groups and materials of this name; `path` is told if there
    /// are none. Vertices stay.
    pub fn only(self, name: &str, path: &Path) -> Result<Self, Error> {
        let meant = self.groups.iter().filter(|group| group.name == name);
        let kept: BTreeSet<u32> = meant.flat_map(Group::iter).collect();
        if kept.is_empty() {
            return Err(Error::NoGroup {
                path: path.to_owned(),
                name: name.to_owned(),
                known: groups::listed(&self.groups),
            });
        }
        let kept = Vec::from_iter(kept);
        let of_kept = |k: &u32| *k as usize;
        let groups = self.groups.into_iter();
        Ok(Self {
            triangles: { kept.iter() }
                .map(|k| self.triangles[of_kept(k)])
                .collect(),
            uvs: self
                .uvs
                .map(|uvs| kept.iter().map(|k| uvs[of_kept(k)]).collect()),
            groups: groups.filter_map(|group| group.after(&kept)).collect(),
            ..self
        })
    }

    /// A mesh whose neighbours fit together, and what it took. Groups and colours follow: a welded
    /// vertex has the colour of the first.
    pub fn repaired(self, weld_m: Option<f64>) -> Result<(Self, Repairs), RepairError> {
        let raw = Soup {
            positions: self.positions,
            triangles: self.triangles,
            uvs: self.uvs,
        };
        let weld_m = weld_m.unwrap_or_else(|| raw.default_weld_m());
        let (soup, repairs) = raw.repaired(Some(weld_m))?;
        let colours = self.colours.map(|old| {
            let mut colours = vec![None; soup.positions.len()];
            for (colour, vertex) in old.iter().zip(&repairs.vertices) {
                if let Some(vertex) = vertex {
                    colours[*vertex as usize].get_or_insert(*colour);
                }
            }
            colours.into_iter().map(Option::unwrap_or_default).collect()
        });
        let groups = self.groups.into_iter();
        let file = Self {
            positions: soup.positions,
            triangles: soup.triangles,
            uvs: soup.uvs,
            groups: groups.filter_map(|g| g.after(&repairs.triangles)).collect(),
            colours,
            notes: self.notes,
        };
        Ok((file, repairs))
    }
}
