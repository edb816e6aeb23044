//! The parts of a glTF document this reader uses, and where their numbers stand in the file.

use super::buffers::Buffers;
use crate::formats::binary::Binary;
use crate::formats::{Error, Place};
use glam::{Mat4, Quat, Vec3};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::Range;

/// The document.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Document {
    pub asset: Asset,
    pub scene: usize,
    pub scenes: Vec<Scene>,
    pub nodes: Vec<Node>,
    pub meshes: Vec<Mesh>,
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
pub(super) struct Asset {
    pub extras: Extras,
}

/// What others may say about the file.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Extras {
    pub toile: Option<Clock>,
}

/// What Toile says about a file.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct Clock {
    pub frame_rate_hz: f64,
    pub first_frame: i64,
}

/// Roots of the tree of nodes.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Scene {
    pub nodes: Vec<usize>,
}

/// A place in space, with a mesh or without.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Node {
    pub name: Option<String>,
    pub mesh: Option<usize>,
    pub skin: Option<usize>,
    pub children: Vec<usize>,
    pub weights: Vec<f32>,
    matrix: Option<[f32; 16]>,
    translation: Option<[f32; 3]>,
    rotation: Option<[f32; 4]>,
    scale: Option<[f32; 3]>,
}

impl Node {
    /// From the node's own space to its parent's.
    pub(super) fn transform(&self) -> Mat4 {
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
pub(super) struct Mesh {
    pub name: Option<String>,
    pub primitives: Vec<Primitive>,
    pub weights: Vec<f32>,
}

/// How a surface looks.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Material {
    pub name: Option<String>,
}

/// Where bytes are: in the binary file itself, or where the address says.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct BufferEntry {
    pub uri: Option<String>,
    pub byte_length: u64,
}

/// One piece of a mesh.
#[derive(Debug, Deserialize)]
pub(super) struct Primitive {
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
pub(super) struct Accessor {
    buffer_view: Option<usize>,
    #[serde(default)]
    byte_offset: u64,
    component_type: u32,
    #[serde(default)]
    normalized: bool,
    pub count: u64,
    #[serde(rename = "type")]
    kind: String,
    sparse: Option<serde_json::Value>,
}

/// A stretch of the buffer.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct View {
    buffer: usize,
    #[serde(default)]
    byte_offset: u64,
    byte_length: u64,
    byte_stride: Option<u64>,
}

/// What moves.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Animation {
    pub channels: Vec<Channel>,
    pub samplers: Vec<Sampler>,
}

/// What one sampler moves.
#[derive(Debug, Deserialize)]
pub(super) struct Channel {
    pub sampler: usize,
    pub target: Target,
}

/// A property of a node.
#[derive(Debug, Deserialize)]
pub(super) struct Target {
    pub node: Option<usize>,
    pub path: String,
}

/// Values over time.
#[derive(Debug, Deserialize)]
pub(super) struct Sampler {
    pub input: usize,
    pub output: usize,
    pub interpolation: Option<String>,
}

/// A glTF file: its document, and its buffers where they stand.
pub(super) struct Glb {
    pub file: Binary,
    pub document: Document,
    buffers: Buffers,
}

/// Ways of compressing meshes this reader does not know.
const COMPRESSED: [&str; 3] = [
    "KHR_draco_mesh_compression",
    "EXT_meshopt_compression",
    "KHR_meshopt_compression",
];

impl Glb {
    /// A binary file.
    pub(super) fn open(mut file: Binary) -> Result<Self, Error> {
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

    /// A binary file, or a document that says where its buffers are.
    pub(super) fn open_any(mut file: Binary) -> Result<Self, Error> {
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
    pub(super) fn length(&self) -> u64 {
        self.file.length().saturating_add(self.buffers.length())
    }

    /// What stands under `field` is wrong.
    pub(super) fn wrong(
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

    /// The accessor `index`, which must have `width` numbers a value.
    pub(super) fn accessor(&self, index: usize, widths: &[u64]) -> Result<Numbers, Error> {
        let field = || format!("accessors[{index}]");
        let Some(accessor) = self.document.accessors.get(index) else {
            return Err(self.wrong(field(), "an accessor", "none"));
        };
        if accessor.sparse.is_some() {
            return Err(self.wrong(field(), "an accessor that is not sparse", "a sparse one"));
        }
        let width = match accessor.kind.as_str() {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 0,
        };
        let Some(component) = Component::of(accessor) else {
            return Err(self.wrong(
                field(),
                "a component type",
                accessor.component_type.to_string(),
            ));
        };
        if !widths.contains(&width) {
            return Err(self.wrong(
                field(),
                format!("{widths:?} numbers a value"),
                &*accessor.kind,
            ));
        }
        let mut numbers = Numbers {
            at: None,
            stride: width * component.size,
            width,
            count: accessor.count,
            component,
        };
        let Some(view_index) = accessor.buffer_view else {
            return Ok(numbers);
        };
        let field = format!("bufferViews[{view_index}]");
        let Some(view) = self.document.buffer_views.get(view_index) else {
            return Err(self.wrong(field, "a view", "none"));
        };
        let Some(buffer_bytes) = self.buffers.length_of(view.buffer) else {
            return Err(self.wrong(field, "a buffer that exists", view.buffer.to_string()));
        };
        let ends = view.byte_offset.checked_add(view.byte_length);
        if ends.is_none_or(|end| end > buffer_bytes) {
            let expected = format!("a view inside {buffer_bytes} bytes");
            return Err(self.wrong(field, expected, "one beyond"));
        }
        numbers.stride = view
            .byte_stride
            .unwrap_or(numbers.stride)
            .max(numbers.stride);
        let before_last = accessor.count.saturating_sub(1).checked_mul(numbers.stride);
        let bytes = before_last
            .and_then(|bytes| bytes.checked_add(width * component.size))
            .and_then(|bytes| bytes.checked_add(accessor.byte_offset));
        if bytes.is_none_or(|bytes| bytes > view.byte_length) {
            let expected = format!(
                "{} values inside {} bytes",
                accessor.count, view.byte_length
            );
            return Err(self.wrong(format!("accessors[{index}]"), expected, "more"));
        }
        numbers.at = Some((view.buffer, view.byte_offset + accessor.byte_offset));
        Ok(numbers)
    }

    /// `count` values from `first` on, one after the other.
    pub(super) fn read(
        &mut self,
        numbers: Numbers,
        first: u64,
        count: u64,
    ) -> Result<Vec<f64>, Error> {
        let Numbers {
            stride,
            width,
            component,
            ..
        } = numbers;
        if count == 0 {
            return Ok(Vec::new());
        }
        let Some((buffer, at)) = numbers.at else {
            return Ok(vec![0.0; (count * width) as usize]);
        };
        let bytes = (count - 1) * stride + width * component.size;
        let at = at + first * stride;
        let bytes = self.buffers.read(&mut self.file, buffer, at, bytes)?;
        let values = bytes.chunks(stride as usize);
        let numbers = values.flat_map(|value| {
            let value = &value[..(width * component.size) as usize];
            value.chunks_exact(component.size as usize)
        });
        Ok(numbers.map(component.number).collect())
    }
}

/// Where an accessor's numbers stand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers {
    /// The buffer and the bytes before them; `None` where they are all zero.
    pub at: Option<(usize, u64)>,
    stride: u64,
    pub width: u64,
    pub count: u64,
    component: Component,
}

/// A type of number.
#[derive(Clone, Copy, Debug)]
struct Component {
    size: u64,
    number: fn(&[u8]) -> f64,
}

impl Component {
    fn of(accessor: &Accessor) -> Option<Self> {
        let (size, number): (u64, fn(&[u8]) -> f64) =
            match (accessor.component_type, accessor.normalized) {
                (5120, false) => (1, |b| f64::from(b[0] as i8)),
                (5120, true) => (1, |b| (f64::from(b[0] as i8) / 127.0).max(-1.0)),
                (5121, false) => (1, |b| f64::from(b[0])),
                (5121, true) => (1, |b| f64::from(b[0]) / 255.0),
                (5122, false) => (2, |b| f64::from(i16::from_le_bytes([b[0], b[1]]))),
                (5122, true) => (2, |b| {
                    (f64::from(i16::from_le_bytes([b[0], b[1]])) / 32767.0).max(-1.0)
                }),
                (5123, false) => (2, |b| f64::from(u16::from_le_bytes([b[0], b[1]]))),
                (5123, true) => (2, |b| f64::from(u16::from_le_bytes([b[0], b[1]])) / 65535.0),
                (5125, _) => (4, |b| {
                    f64::from(u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
                }),
                (5126, _) => (4, |b| {
                    f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
                }),
                _ => return None,
            };
        Some(Self { size, number })
    }
}
