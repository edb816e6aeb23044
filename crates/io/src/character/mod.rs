//! Characters and motions from files: glTF and FBX with skins, morph targets and animations, rigs of
//! MakeHuman's, and BVH; and characters into glTF files.
//!
//! What is read is checked before memory is taken for it, and every error says where in the file it is.
//!
//! Verified by: `tests/character`.

mod bvh;
#[cfg(feature = "fbx")]
mod fbx;
mod gltf;
mod makehuman;
mod write;

pub use bvh::read as read_bvh;
pub(crate) use gltf::skins as gltf_skins;
pub use write::write_glb;

use crate::formats::{Error, Place, UpAxis};
use glam::{DAffine3, DMat3, DVec3};
use std::path::Path;
use toile_geometry::character::{Character, Clip, Rig};

/// How a file's numbers are to be understood where it does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Options {
    /// Length of the file's unit, m; `None` is metres.
    pub metres_per_unit: Option<f64>,
    /// Which axis points up; `None` is y.
    pub up: Option<UpAxis>,
}

/// A character from a file.
#[derive(Clone, Debug, PartialEq)]
pub struct CharacterFile {
    /// The character; its rig's frame makes metres and y up of the file's unit and axes.
    pub character: Character,
    /// What a user should know: what was passed over.
    pub notes: Vec<String>,
}

/// A motion from a file, with the skeleton it moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// The skeleton.
    pub rig: Rig,
    /// What it does.
    pub clip: Clip,
}

impl Options {
    /// From the file's unit and axes to the world's.
    pub fn frame(&self) -> DAffine3 {
        let unit_m = self.metres_per_unit.unwrap_or(1.0);
        let axes = match self.up.unwrap_or_default() {
            UpAxis::Y => DMat3::IDENTITY,
            UpAxis::Z => DMat3::from_cols(DVec3::X, DVec3::NEG_Z, DVec3::Y),
        };
        DAffine3::from_mat3(unit_m * axes)
    }
}

/// Reads a character from a .glb, .gltf or .fbx file.
pub fn read(path: &Path, options: &Options) -> Result<CharacterFile, Error> {
    let ending = path.extension().unwrap_or_default();
    let mut file = match ending.eq_ignore_ascii_case("fbx") {
        true => read_fbx(path, options)?,
        false => gltf::read(path)?,
    };
    file.character.rig.frame = options.frame();
    Ok(file)
}

#[cfg(feature = "fbx")]
use fbx::read as read_fbx;

#[cfg(not(feature = "fbx"))]
fn read_fbx(path: &Path, _: &Options) -> Result<CharacterFile, Error> {
    let problem = "this program was built without the feature `fbx`; most programs export glTF too";
    Err(refused(path, "FBX", "a .glb or .gltf file", &problem))
}

/// Reads a mesh with a skeleton of MakeHuman's (.mhskel), whose weights are in the file it names. Its unit
/// is the decimetre unless `options` say otherwise.
pub fn read_makehuman(
    mesh: &Path,
    skeleton: &Path,
    options: &Options,
) -> Result<CharacterFile, Error> {
    let mut file = makehuman::read(mesh, skeleton)?;
    file.character.rig.frame = Options {
        metres_per_unit: options.metres_per_unit.or(Some(0.1)),
        ..*options
    }
    .frame();
    Ok(file)
}

/// What stands under `field` of the file at `path` makes no character.
fn refused(
    path: &Path,
    field: impl Into<String>,
    expected: &str,
    problem: &impl ToString,
) -> Error {
    Error::malformed(
        path,
        Place::Field(field.into()),
        expected,
        problem.to_string(),
    )
}
