//! The parts of a glTF document this reader uses, and where their numbers stand in the file.

use super::buffers::Buffers;
use crate::formats::binary::Binary;
use crate::formats::{Error, Place};
use glam::{Mat4, Quat, Vec3};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

/// The document.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Document {
    pub asset: Asset,
    pub scene: usize,
    pub scenes: Vec<Scene>,
    pub nodes: Vec<Node>,
    pub meshes: Vec<Mesh>,
    pub skins: Vec<Skin>,
    pub materials: Vec<Material>,
    pub accessors: Vec<Accessor>,
    pub buffer_views: Vec<View>,
    pub buffers: Vec<BufferEntry>,
    pub extensions_required: Vec<String>,
    pub animations: Vec<Animation>,
}

/// About the file.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Asset {
    pub extras: Extras,
}

/// What others may say about the file.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Extras {
    pub toile: Option<Clock>,
}

/// What Toile says about a file.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Clock {
    pub frame_rate_hz: f64,
    pub first_frame: i64,
}

/// Roots of the tree of nodes.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Scene {
    pub nodes: Vec<usize>,
}

/// A place in space, with a mesh or without.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Node {
    pub name: Option<String>,
    pub mesh: Option<usize>,
    pub skin: Option<usize>,
    pub children: Vec<usize>,
    pub weights: Vec<f32>,
    pub matrix: Option<[f32; 16]>,
    pub translation: Option<[f32; 3]>,
    pub rotation: Option<[f32; 4]>,
    pub scale: Option<[f32; 3]>,
}

impl Node {
    /// From the node's own space to its parent's.
    pub(crate) fn transform(&self) -> Mat4 {
        match self.matrix {
            Some(matrix) => Mat4::from_cols_array(&matrix),
            None => Mat4::from_scale_rotation_translation(
                self.scale.map_or(Vec3::ONE, Vec3::from),
                self.rotation.map_or(Quat::IDENTITY, Quat::from_array),
                self.translation.map_or(Vec3::ZERO, Vec3::from),
            ),
        }
    }
}

/// A mesh.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Mesh {
    pub name: Option<String>,
    pub primitives: Vec<Primitive>,
    pub weights: Vec<f32>,
    /// By custom, the names of morph targets are here.
    pub extras: serde_json::Value,
}

/// Joints that vertices follow.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Skin {
    pub joints: Vec<usize>,
    pub inverse_bind_matrices: Option<usize>,
}

/// How a surface looks.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Material {
    pub name: Option<String>,
}

/// Where bytes are: in the binary file itself, or where the address says.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct BufferEntry {
    pub uri: Option<String>,
    pub byte_length: u64,
}

/// One piece of a mesh.
#[derive(Debug, Deserialize)]
pub(crate) struct Primitive {
    pub material: Option<usize>,
    #[serde(default)]
    pub attributes: BTreeMap<String, usize>,
    pub indices: Option<usize>,
    pub mode: Option<u32>,
    #[serde(default)]
    pub targets: Vec<BTreeMap<String, usize>>,
}

/// Numbers of one kind.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Accessor {
    pub buffer_view: Option<usize>,
    #[serde(default)]
    pub byte_offset: u64,
    pub component_type: u32,
    #[serde(default)]
    pub normalized: bool,
    pub count: u64,
    #[serde(rename = "type")]
    pub kind: String,
    pub sparse: Option<Sparse>,
}

/// Some values of an accessor that are not as its view says.
#[derive(Debug, Deserialize)]
pub(crate) struct Sparse {
    pub count: u64,
    pub indices: SparseIndices,
    pub values: SparseValues,
}

/// Which values.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SparseIndices {
    pub buffer_view: usize,
    #[serde(default)]
    pub byte_offset: u64,
    pub component_type: u32,
}

/// What they are.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SparseValues {
    pub buffer_view: usize,
    #[serde(default)]
    pub byte_offset: u64,
}

/// A stretch of the buffer.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct View {
    pub buffer: usize,
    #[serde(default)]
    pub byte_offset: u64,
    pub byte_length: u64,
    pub byte_stride: Option<u64>,
}

/// What moves.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Animation {
    pub name: Option<String>,
    pub channels: Vec<Channel>,
    pub samplers: Vec<Sampler>,
}

/// What one sampler moves.
#[derive(Debug, Deserialize)]
pub(crate) struct Channel {
    pub sampler: usize,
    pub target: Target,
}

/// A property of a node.
#[derive(Debug, Deserialize)]
pub(crate) struct Target {
    pub node: Option<usize>,
    pub path: String,
}

/// Values over time.
#[derive(Debug, Deserialize)]
pub(crate) struct Sampler {
    pub input: usize,
    pub output: usize,
    pub interpolation: Option<String>,
}

/// A glTF file: its document, and its buffers where they stand.
pub(crate) struct Glb {
    pub(in crate::formats) file: Binary,
    pub document: Document,
    pub(super) buffers: Buffers,
}

/// Ways of compressing meshes this reader does not know.
const COMPRESSED: [&str; 3] = [
    "KHR_draco_mesh_compression",
    "EXT_meshopt_compression",
    "KHR_meshopt_compression",
];

impl Glb {
    /// A binary file.
    pub(in crate::formats) fn open(mut file: Binary) -> Result<Self, Error> {
        let head: [u8; 20] = file.array(0, "a GLB header")?;
        let word = |i: usize| u32::from_le_bytes([head[i], head[i + 1], head[i + 2], head[i + 3]]);
        if &head[..4] != b"glTF" || word(4) != 2 {
            return Err(file.malformed(0, "`glTF`, version 2", "another kind of file"));
        }
        let total = u64::from(word(8));
        file.require(0, Some(total), "the file as long as it says")?;
        if &head[16..] != b"JSON" {
            return Err(file.malformed(16, "a chunk `JSON`", "another"));
        }
        let json_bytes = u64::from(word(12));
        let json = file.read(20, json_bytes, "the document")?;
        let after = 20 + json_bytes;
        let mut own = None;
        if after < total {
            let head: [u8; 8] = file.array(after, "a chunk")?;
            if &head[4..] == b"BIN\0" {
                let bytes = u64::from(u32::from_le_bytes([head[0], head[1], head[2], head[3]]));
                file.require(after + 8, Some(bytes), "the buffer")?;
                own = Some(after + 8..after + 8 + bytes);
            }
        }
        Self::new(file, &json, own)
    }

    /// The file at a path, binary or not.
    pub(crate) fn at(path: &Path) -> Result<Self, Error> {
        Self::open_any(Binary::open(path)?)
    }

    /// A binary file, or a document that says where its buffers are.
    pub(in crate::formats) fn open_any(mut file: Binary) -> Result<Self, Error> {
        if file.length() >= 4 && &file.array::<4>(0, "a glTF file")? == b"glTF" {
            return Self::open(file);
        }
        let json = file.read(0, file.length(), "the document")?;
        Self::new(file, &json, None)
    }

    fn new(file: Binary, json: &[u8], own: Option<Range<u64>>) -> Result<Self, Error> {
        let document: Document = serde_json::from_slice(json).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            let place = Place::Field(format!("JSON line {line} column {column}"));
            Error::malformed(file.path(), place, "a glTF document", error.to_string())
        })?;
        let mut required = document.extensions_required.iter();
        if let Some(unknown) = required.find(|name| COMPRESSED.contains(&name.as_str())) {
            let place = Place::Field("extensionsRequired".to_owned());
            let expected = "meshes without compression";
            return Err(Error::malformed(file.path(), place, expected, &**unknown));
        }
        Ok(Self {
            buffers: Buffers::find(file.path(), &document.buffers, own)?,
            file,
            document,
        })
    }

    /// Bytes of the file and of all its buffers.
    pub(crate) fn length(&self) -> u64 {
        self.file.length().saturating_add(self.buffers.length())
    }

    /// What stands under `field` is wrong.
    pub(crate) fn wrong(
        &self,
        field: impl Into<String>,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Error {
        Error::malformed(
            self.file.path(),
            Place::Field(field.into()),
            expected,
            found,
        )
    }
}
