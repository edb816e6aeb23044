//! Reads GLB: every mesh of the scene, moved by the weights of its morph targets.
//!
//! Frames are the keys of the first animation's weights; a file without any is one frame. Static
//! transforms of nodes are applied; moving ones and skins are passed over with a note.

use super::document::Glb;
use super::piece::{NORMALS, POSITIONS, Piece, vectors};
use crate::formats::binary::Binary;
use crate::formats::mesh::{self, plain_name};
use crate::formats::{Error, Format, Frame, Header, Part, SequenceReader, UpAxis};
use glam::{Mat3, Mat4, Vec2, Vec3};
use std::ops::Range;
use std::path::Path;

/// Reads a file.
pub(crate) struct Reader {
    glb: Glb,
    pieces: Vec<Piece>,
    header: Header,
    frames: u64,
    notes: Vec<String>,
}

/// Opens a file.
pub(crate) fn open(path: &Path) -> Result<Box<dyn SequenceReader>, Error> {
    let glb = Glb::open(Binary::open(path)?)?;
    Ok(Box::new(Reader::new(path, glb)?))
}

/// Opens a binary file, or a document with its buffers elsewhere.
pub(crate) fn open_any(path: &Path) -> Result<Reader, Error> {
    let glb = Glb::open_any(Binary::open(path)?)?;
    Reader::new(path, glb)
}

impl Reader {
    fn new(path: &Path, glb: Glb) -> Result<Self, Error> {
        let mut reader = Self {
            glb,
            pieces: Vec::new(),
            header: Header {
                up: Some(UpAxis::Y),
                metres_per_unit: Some(1.0),
                ..Header::default()
            },
            frames: 1,
            notes: Vec::new(),
        };
        reader.read_clock()?;
        for (node, transform) in reader.placed_nodes()? {
            reader.read_node(node, transform)?;
        }
        let all = |has: fn(&Piece) -> bool| reader.pieces.iter().all(has);
        let channels = (all(|p| p.normals.is_some()), all(|p| p.colours.is_some()));
        reader.header.channels.normals = channels.0;
        reader.header.channels.colours = channels.1;
        if reader.header.uvs.len() != reader.header.vertices {
            if reader.pieces.iter().any(|piece| piece.uvs.is_some()) {
                let note = "only some meshes have texture coordinates: they are passed over";
                reader.notes.push(note.to_owned());
            }
            reader.header.uvs.clear();
        }
        reader.header.validate().map_err(|problem| Error::Header {
            path: path.to_owned(),
            problem,
        })?;
        Ok(reader)
    }

    /// The names of the materials of all faces that have one.
    pub(crate) fn materials(&self) -> impl Iterator<Item = (Range<usize>, &str)> {
        let pieces = self.header.parts.iter().zip(&self.pieces);
        pieces.filter_map(|(part, piece)| {
            let material = self.glb.document.materials.get(piece.material?)?;
            Some((part.faces.clone(), material.name.as_deref()?))
        })
    }

    /// The number of frames and their times, from the first channel that moves weights.
    fn read_clock(&mut self) -> Result<(), Error> {
        let Some(animation) = self.glb.document.animations.first() else {
            return Ok(());
        };
        let is_weights = |path: &str| path == "weights";
        if animation
            .channels
            .iter()
            .any(|c| !is_weights(&c.target.path))
        {
            let note = "moving transforms of nodes are passed over";
            self.notes.push(note.to_owned());
        }
        let channel = animation
            .channels
            .iter()
            .find(|c| is_weights(&c.target.path));
        let Some(channel) = channel else {
            return Ok(());
        };
        let Some(sampler) = animation.samplers.get(channel.sampler) else {
            return Err(self
                .glb
                .wrong("animations[0].channels", "a sampler", "none"));
        };
        let times = self.glb.accessor(sampler.input, &[1])?;
        if times.count == 0 || !times.is_given() {
            return Err(self.glb.wrong("animations[0].samplers", "times", "none"));
        }
        self.frames = times.count;
        let first = self.glb.read(times, 0, 1)?[0];
        let last = self.glb.read(times, times.count - 1, 1)?[0];
        self.header.frame_rate_hz = mesh::rate_hz(self.frames - 1, last - first);
        self.header.first_frame = (first * self.header.rate_hz()).round() as i64;
        if let Some(clock) = self.glb.document.asset.extras.toile {
            self.header.frame_rate_hz = Some(clock.frame_rate_hz);
            self.header.first_frame = clock.first_frame;
        }
        Ok(())
    }

    /// Nodes of the scene with a mesh, parents first, and where they are.
    fn placed_nodes(&mut self) -> Result<Vec<(usize, Mat4)>, Error> {
        let document = &self.glb.document;
        let mut waiting: Vec<(usize, Mat4)> = match document.scenes.get(document.scene) {
            Some(scene) => scene
                .nodes
                .iter()
                .rev()
                .map(|n| (*n, Mat4::IDENTITY))
                .collect(),
            None => (0..document.nodes.len())
                .rev()
                .map(|n| (n, Mat4::IDENTITY))
                .collect(),
        };
        let mut seen = vec![false; document.nodes.len()];
        let mut placed = Vec::new();
        let mut skinned = false;
        while let Some((index, parent)) = waiting.pop() {
            let field = || format!("nodes[{index}]");
            let Some(node) = document.nodes.get(index) else {
                return Err(self.glb.wrong(field(), "a node", "none"));
            };
            if std::mem::replace(&mut seen[index], true) {
                return Err(self.glb.wrong(field(), "one parent", "several"));
            }
            let transform = parent * node.transform();
            if node.mesh.is_some() {
                skinned |= node.skin.is_some();
                placed.push((index, transform));
            }
            waiting.extend(node.children.iter().rev().map(|child| (*child, transform)));
        }
        if skinned {
            self.notes.push("skins are passed over".to_owned());
        }
        Ok(placed)
    }

    /// The primitives of a node's mesh.
    fn read_node(&mut self, node: usize, transform: Mat4) -> Result<(), Error> {
        let document = &self.glb.document;
        let mesh_index = document.nodes[node].mesh.unwrap_or(0);
        let Some(mesh) = document.meshes.get(mesh_index) else {
            return Err(self
                .glb
                .wrong(format!("meshes[{mesh_index}]"), "a mesh", "none"));
        };
        let name = document.nodes[node].name.as_ref().or(mesh.name.as_ref());
        let name = plain_name(name.map_or("", String::as_str));
        for primitive in 0..mesh.primitives.len() {
            let mut piece = Piece::find(&self.glb, node, mesh_index, primitive, self.frames)?;
            piece.transform = transform;
            self.append(&name, piece)?;
        }
        Ok(())
    }

    /// Adds a piece to the header.
    fn append(&mut self, name: &str, piece: Piece) -> Result<(), Error> {
        let count = piece.positions.count;
        let (first, face) = (self.header.vertices, self.header.faces.len());
        let corners = piece.corners();
        // Nodes may share meshes, so few bytes can ask for many vertices.
        let total = first as u64 + count + self.header.faces.corners().len() as u64 + corners;
        if total > self.glb.length() {
            let expected = "fewer vertices than the file has bytes";
            return Err(self.glb.wrong("nodes", expected, total.to_string()));
        }
        for triangle in piece.triangles(&mut self.glb)? {
            let corners = triangle.map(|v| v + first as u32);
            self.header.faces.push(&corners);
        }
        if let Some(uvs) = piece.uvs.filter(|_| self.header.uvs.len() == first) {
            let numbers = self.glb.read(uvs, 0, uvs.count)?;
            let (pairs, _) = numbers.as_chunks::<2>();
            let uv = |uv: &[f64; 2]| Vec2::new(uv[0] as f32, (1.0 - uv[1]) as f32);
            self.header.uvs.extend(pairs.iter().map(uv));
        }
        let rest = vectors(&mut self.glb, piece.positions)?;
        let rest = rest
            .into_iter()
            .map(|p| piece.transform.transform_point3(p));
        self.header.rest.extend(rest);
        self.header.vertices = self.header.rest.len();
        self.header.parts.push(Part {
            name: name.to_owned(),
            vertices: first..self.header.vertices,
            faces: face..self.header.faces.len(),
        });
        self.pieces.push(piece);
        Ok(())
    }
}

impl SequenceReader for Reader {
    fn path(&self) -> &Path {
        self.glb.file.path()
    }

    fn format(&self) -> Format {
        Format::Glb
    }

    fn header(&self) -> &Header {
        &self.header
    }

    fn frames(&self) -> u64 {
        self.frames
    }

    fn notes(&self) -> &[String] {
        &self.notes
    }

    fn read_stored(&mut self, k: u64) -> Result<Frame, Error> {
        self.require(k)?;
        let channels = self.header.channels;
        let mut frame = Frame::default();
        for piece in &self.pieces {
            let transform = piece.transform;
            let positions = piece.morphed(&mut self.glb, k, POSITIONS)?.into_iter();
            frame
                .positions
                .extend(positions.map(|p| transform.transform_point3(p)));
            if channels.normals {
                let turn = Mat3::from_mat4(transform).inverse().transpose();
                let still = transform == Mat4::IDENTITY;
                let turned = |n: Vec3| {
                    if still {
                        n
                    } else {
                        (turn * n).normalize_or_zero()
                    }
                };
                let normals = piece.morphed(&mut self.glb, k, NORMALS)?.into_iter();
                frame.normals.extend(normals.map(turned));
            }
            if let Some(colours) = piece.colours.filter(|_| channels.colours) {
                frame.colours.extend(vectors(&mut self.glb, colours)?);
            }
        }
        Ok(frame)
    }
}
