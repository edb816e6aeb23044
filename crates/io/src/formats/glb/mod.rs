//! GLB, glTF 2.0 in one binary file: one morph target a frame.
//!
//! Every viewer knows morph targets, none needs an extension for this. Each part is a named node
//! with a double-sided mesh; target `k` is the difference of frame `k` from the rest pose; one
//! animation gives target `k` the weight 1 at the time of frame `k` and 0 at all others, linearly
//! in between, so that it plays at any rate. All parts share its table of weights.
//!
//! Differences are 32-bit floats. 16-bit ones (`KHR_mesh_quantization`) would take two thirds of
//! the space, since three of them are padded to eight bytes, but they need the range of the whole
//! motion before the first frame and cost a tenth of a millimetre. 10,000 vertices in 240 frames
//! are 29 MB, twice that with normals; so normals are written only where they are given, and
//! viewers shade the rest themselves.
//!
//! The table of weights grows with the square of the frames, and viewers keep a weight a frame in
//! the graphics card's constants: three.js one of at least 1024 vectors each. Hence
//! [`MAX_FRAMES`], which leaves 64 for all else. Time starts at 0, as glTF demands; the number of
//! the first frame is in `asset.extras`. Faces become triangles, colours are those of the first
//! frame, and the second texture coordinate runs downwards.

mod accessor;
mod buffers;
mod document;
mod piece;
mod read;

pub(crate) use document::{Glb, Node, Sampler};
pub(crate) use piece::Piece;
pub(super) use read::open;
pub(crate) use read::open_any;

use super::binary;
use super::staging::{List, Staging};
use super::{Entry, Error, Format, Frame, Header, Part, SequenceWriter, Unwritable};
use crate::atomic::Pending;
use glam::Vec3;
use serde_json::{Value, json};
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Most frames a file may have.
pub(super) const MAX_FRAMES: u64 = 960;

/// Bytes a file of so many frames has at the least: base and targets, texture coordinates, indices
/// and the table of weights, without the document that describes them.
pub(super) fn least_bytes(header: &Header, frames: u64) -> u64 {
    let lists = 1 + u64::from(header.channels.normals);
    let vertex = 12 * lists * (frames + 1);
    let uvs = 8 * header.uvs.len() as u64;
    let indices = 12 * header.faces.len() as u64;
    vertex * header.vertices as u64 + uvs + indices + 4 * frames * frames
}

const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;
const POINTS: u32 = 0;
const TRIANGLES: u32 = 4;

/// Writes a file. Its table of contents comes first, so frames are staged.
pub(super) struct Writer {
    path: PathBuf,
    header: Header,
    staging: Staging,
}

impl Writer {
    pub(super) fn begin(path: &Path, header: Header) -> Result<Self, Error> {
        Ok(Self {
            path: path.to_owned(),
            staging: Staging::create(path, header.vertices, header.channels)?,
            header,
        })
    }

    fn refuse(&self, reason: Unwritable) -> Error {
        Error::unwritable(&self.path, reason)
    }

    /// Normals of the rest pose: those of the first frame, the only ones there are.
    fn base(&mut self, list: List, vertices: &Range<usize>) -> Result<Vec<Vec3>, Error> {
        match list {
            List::Positions => Ok(self.header.rest[vertices.clone()].to_vec()),
            _ => self.staging.read(0, list, vertices),
        }
    }

    /// Frame `k` less the rest pose.
    fn difference(
        &mut self,
        k: u64,
        list: List,
        base: &[Vec3],
        part: &Part,
    ) -> Result<Vec<Vec3>, Error> {
        let mut vectors = self.staging.read(k, list, &part.vertices)?;
        vectors
            .iter_mut()
            .zip(base)
            .for_each(|(v, base)| *v -= *base);
        Ok(vectors)
    }

    /// Lists that are morphed.
    fn morphed(&self) -> Vec<(&'static str, List)> {
        let mut lists = vec![("POSITION", List::Positions)];
        if self.header.channels.normals {
            lists.push(("NORMAL", List::Normals));
        }
        lists
    }

    /// Adds a part's node, mesh and accessors.
    fn describe_part(&mut self, contents: &mut Contents, part: &Part) -> Result<(), Error> {
        let (count, frames) = (part.vertices.len(), self.staging.frames());
        let mut attributes = json!({});
        for (name, list) in self.morphed() {
            let base = self.base(list, &part.vertices)?;
            let view = contents.view(12 * count as u64, Some(12), Some(ARRAY_BUFFER));
            attributes[name] = contents.accessor(view, 0, FLOAT, "VEC3", count, bounds(&base));
        }
        if !self.header.uvs.is_empty() {
            let view = contents.view(8 * count as u64, None, Some(ARRAY_BUFFER));
            attributes["TEXCOORD_0"] = contents.accessor(view, 0, FLOAT, "VEC2", count, None);
        }
        if self.header.channels.colours {
            let view = contents.view(12 * count as u64, None, Some(ARRAY_BUFFER));
            attributes["COLOR_0"] = contents.accessor(view, 0, FLOAT, "VEC3", count, None);
        }
        let mut targets = vec![json!({}); frames as usize];
        for (name, list) in self.morphed() {
            let base = self.base(list, &part.vertices)?;
            let view = contents.view(12 * count as u64 * frames, Some(12), Some(ARRAY_BUFFER));
            for k in 0..frames {
                let bounds = bounds(&self.difference(k, list, &base, part)?);
                let at = 12 * count as u64 * k;
                let accessor = contents.accessor(view, at, FLOAT, "VEC3", count, bounds);
                targets[k as usize][name] = accessor;
            }
        }
        let mut primitive = json!({"attributes": attributes, "targets": targets, "material": 0});
        primitive["mode"] = json!(if part.faces.is_empty() {
            POINTS
        } else {
            TRIANGLES
        });
        if !part.faces.is_empty() {
            let indices = 3 * self.header.faces.triangles(part.faces.clone()).count();
            let view = contents.view(4 * indices as u64, None, Some(ELEMENT_ARRAY_BUFFER));
            primitive["indices"] =
                contents.accessor(view, 0, UNSIGNED_INT, "SCALAR", indices, None);
        }
        let names = (0..frames).map(|k| format!("frame_{}", self.header.first_frame + k as i64));
        contents
            .nodes
            .push(json!({"name": part.name, "mesh": contents.meshes.len()}));
        contents.meshes.push(json!({
            "name": part.name,
            "primitives": [primitive],
            "extras": {"targetNames": names.collect::<Vec<_>>()},
        }));
        Ok(())
    }

    /// The document, whose views follow each other as [`Writer::fill_part`] writes them.
    fn describe(&mut self) -> Result<(Value, u64), Error> {
        let mut contents = Contents::default();
        for part in self.header.parts.clone() {
            self.describe_part(&mut contents, &part)?;
        }
        let (header, frames) = (&self.header, self.staging.frames());
        let view = contents.view(4 * frames, None, None);
        let last = (frames - 1) as f64 / header.rate_hz();
        let ends = json!([0.0]).as_array().cloned();
        let ends = ends.map(|low| (low, vec![json!(f64::from(last as f32))]));
        let times = contents.accessor(view, 0, FLOAT, "SCALAR", frames as usize, ends);
        let view = contents.view(4 * frames * frames, None, None);
        let count = (frames * frames) as usize;
        let weights = contents.accessor(view, 0, FLOAT, "SCALAR", count, None);
        let nodes: Vec<usize> = (0..contents.nodes.len()).collect();
        let channel =
            |node: &usize| json!({"sampler": 0, "target": {"node": node, "path": "weights"}});
        let document = json!({
            "asset": {
                "version": "2.0",
                "generator": concat!("Toile ", env!("CARGO_PKG_VERSION")),
                "extras": {"toile": {
                    "frame_rate_hz": header.rate_hz(),
                    "first_frame": header.first_frame,
                }},
            },
            "scene": 0,
            "scenes": [{"nodes": nodes}],
            "nodes": contents.nodes,
            "meshes": contents.meshes,
            "materials": [{
                "name": "cloth",
                "doubleSided": true,
                "pbrMetallicRoughness": {"metallicFactor": 0.0, "roughnessFactor": 0.9},
            }],
            "animations": [{
                "name": "motion",
                "samplers": [{"input": times, "output": weights, "interpolation": "LINEAR"}],
                "channels": nodes.iter().map(channel).collect::<Vec<_>>(),
            }],
            "accessors": contents.accessors,
            "bufferViews": contents.views,
            "buffers": [{"byteLength": contents.bytes}],
        });
        Ok((document, contents.bytes))
    }

    fn fill_part(&mut self, w: &mut impl Write, part: &Part) -> Result<(), Error> {
        let path = self.path.clone();
        let mut put = |vectors: &[Vec3]| {
            { w.write_all(&binary::bytes(vectors, f32::to_le_bytes)) }.map_err(Error::io(&path))
        };
        let lists = self.morphed();
        for (_, list) in &lists {
            put(&self.base(*list, &part.vertices)?)?;
        }
        let mut still = Vec::new();
        for uv in { self.header.uvs.get(part.vertices.clone()) }.unwrap_or_default() {
            still.extend([uv.x, 1.0 - uv.y].map(f32::to_le_bytes).concat());
        }
        if self.header.channels.colours {
            let colours = self.base(List::Colours, &part.vertices)?;
            still.extend(binary::bytes(&colours, f32::to_le_bytes));
        }
        w.write_all(&still).map_err(Error::io(&path))?;
        let mut put = |vectors: &[Vec3]| {
            { w.write_all(&binary::bytes(vectors, f32::to_le_bytes)) }.map_err(Error::io(&path))
        };
        for (_, list) in &lists {
            let base = self.base(*list, &part.vertices)?;
            for k in 0..self.staging.frames() {
                put(&self.difference(k, *list, &base, part)?)?;
            }
        }
        let first = part.vertices.start as u32;
        let triangles = self.header.faces.triangles(part.faces.clone());
        let corners = triangles.flatten().flat_map(|v| (v - first).to_le_bytes());
        w.write_all(&corners.collect::<Vec<u8>>())
            .map_err(Error::io(&path))
    }

    /// Times, then a row of weights for each.
    fn fill_animation(&self, w: &mut impl Write) -> io::Result<()> {
        let frames = self.staging.frames();
        for k in 0..frames {
            w.write_all(&((k as f64 / self.header.rate_hz()) as f32).to_le_bytes())?;
        }
        for k in 0..frames {
            let row = (0..frames).map(|j| if j == k { 1f32 } else { 0.0 });
            w.write_all(&row.flat_map(f32::to_le_bytes).collect::<Vec<u8>>())?;
        }
        Ok(())
    }
}

impl SequenceWriter for Writer {
    fn frame(&mut self, frame: &Frame) -> Result<(), Error> {
        if self.staging.frames() == MAX_FRAMES {
            return Err(self.refuse(Unwritable::TooManyFrames {
                format: "GLB",
                limit: MAX_FRAMES,
            }));
        }
        self.staging.push(frame)
    }

    fn finish(mut self: Box<Self>) -> Result<Vec<Entry>, Error> {
        let (document, binary_bytes) = self.describe()?;
        let mut text = document.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let total = 12 + 8 + text.len() as u64 + 8 + binary_bytes;
        let too_large = self.refuse(Unwritable::TooLarge {
            format: "GLB",
            what: "bytes",
        });
        let total = u32::try_from(total).map_err(|_| too_large)?;
        let path = self.path.clone();
        let mut pending = Pending::create(&path).map_err(Error::io(&path))?;
        let w = pending.writer();
        let mut head = b"glTF".to_vec();
        head.extend([2, total, text.len() as u32].map(u32::to_le_bytes).concat());
        head.extend(b"JSON");
        head.extend(text);
        head.extend((binary_bytes as u32).to_le_bytes());
        head.extend(b"BIN\0");
        w.write_all(&head).map_err(Error::io(&path))?;
        for part in self.header.parts.clone() {
            self.fill_part(w, &part)?;
        }
        self.fill_animation(w).map_err(Error::io(&path))?;
        let bytes = pending.commit().map_err(Error::io(&path))?;
        let frames = self.staging.frames();
        Ok(vec![Entry::new(
            &path,
            Format::Glb,
            &self.header,
            frames,
            bytes,
        )])
    }
}

/// Lowest and highest numbers of an accessor.
type Bounds = (Vec<Value>, Vec<Value>);

fn bounds(vectors: &[Vec3]) -> Option<Bounds> {
    let low = vectors.iter().copied().reduce(Vec3::min)?;
    let high = vectors.iter().copied().reduce(Vec3::max)?;
    let values = |v: Vec3| v.to_array().map(|x| json!(f64::from(x))).to_vec();
    Some((values(low), values(high)))
}

/// The document while it grows.
#[derive(Default)]
struct Contents {
    nodes: Vec<Value>,
    meshes: Vec<Value>,
    accessors: Vec<Value>,
    views: Vec<Value>,
    /// Bytes of all views, which follow each other; each is a multiple of four.
    bytes: u64,
}

impl Contents {
    /// The next bytes of the buffer; returns the index of the view.
    fn view(&mut self, bytes: u64, stride: Option<u32>, target: Option<u32>) -> usize {
        let mut view = json!({"buffer": 0, "byteOffset": self.bytes, "byteLength": bytes});
        if let Some(stride) = stride {
            view["byteStride"] = json!(stride);
        }
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.bytes += bytes;
        self.views.push(view);
        self.views.len() - 1
    }

    /// Numbers of a view; returns the index of the accessor.
    fn accessor(
        &mut self,
        view: usize,
        at: u64,
        component: u32,
        kind: &str,
        count: usize,
        bounds: Option<Bounds>,
    ) -> Value {
        let mut accessor = json!({
            "bufferView": view,
            "byteOffset": at,
            "componentType": component,
            "type": kind,
            "count": count,
        });
        if let Some((low, high)) = bounds {
            accessor["min"] = json!(low);
            accessor["max"] = json!(high);
        }
        self.accessors.push(accessor);
        json!(self.accessors.len() - 1)
    }
}
