//! Reads GLB: every mesh of the scene, moved by the weights of its morph targets.
//!
//! Frames are the keys of the first animation's weights; a file without any is one frame. Static
//! transforms of nodes are applied; moving ones and skins are passed over with a note.

use super::binary::Binary;
use super::glb_document::{Glb, Numbers, Primitive};
use super::mesh::{self, plain_name};
use super::{Error, Format, Frame, Header, Part, SequenceReader, UpAxis};
use glam::{Mat3, Mat4, Vec2, Vec3};
use std::path::Path;

/// The mode of a primitive without faces.
const POINTS: u32 = 0;

/// One primitive of one node.
struct Piece {
    transform: Mat4,
    positions: Numbers,
    normals: Option<Numbers>,
    colours: Option<Numbers>,
    /// Differences of positions and normals, for each target.
    targets: Vec<[Option<Numbers>; 2]>,
    weights: Weights,
}

/// How much of each target is added.
enum Weights {
    Still(Vec<f32>),
    /// Rows of weights, of which every `step`th from `first` on is a key.
    Moving {
        rows: Numbers,
        first: u64,
        step: u64,
    },
}

/// Reads a file.
pub(super) struct Reader {
    glb: Glb,
    pieces: Vec<Piece>,
    header: Header,
    frames: u64,
    notes: Vec<String>,
}

/// Opens a file.
pub(super) fn open(path: &Path) -> Result<Box<dyn SequenceReader>, Error> {
    let glb = Glb::open(Binary::open(path)?)?;
    let mut reader = Reader {
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
        reader.header.uvs.clear();
    }
    reader.header.validate().map_err(|problem| Error::Header {
        path: path.to_owned(),
        problem,
    })?;
    Ok(Box::new(reader))
}

impl Reader {
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
        if times.count == 0 || times.at.is_none() {
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
            let (piece, indices) = self.piece(node, mesh_index, primitive, transform)?;
            self.append(&name, piece, indices)?;
        }
        Ok(())
    }

    /// A primitive, and its indices and texture coordinates.
    fn piece(
        &self,
        node: usize,
        mesh_index: usize,
        index: usize,
        transform: Mat4,
    ) -> Result<(Piece, [Option<Numbers>; 2]), Error> {
        let glb = &self.glb;
        let mesh = &glb.document.meshes[mesh_index];
        let primitive: &Primitive = &mesh.primitives[index];
        let field = || format!("meshes[{mesh_index}].primitives[{index}]");
        if !matches!(primitive.mode, None | Some(0 | 4)) {
            let found = format!("mode {}", primitive.mode.unwrap_or(4));
            return Err(glb.wrong(field(), "triangles or points", found));
        }
        if primitive.mode != Some(POINTS) && primitive.indices.is_none() {
            return Err(glb.wrong(field(), "triangles with indices", "some without"));
        }
        let attribute = |name: &str, widths: &[u64]| {
            let accessor = primitive.attributes.get(name);
            accessor
                .map(|index| glb.accessor(*index, widths))
                .transpose()
        };
        let positions = attribute("POSITION", &[3])?.filter(|p| p.at.is_some());
        let Some(positions) = positions else {
            return Err(glb.wrong(field(), "positions", "none"));
        };
        let as_long = |numbers: Option<Numbers>| match numbers {
            Some(n) if n.count != positions.count => {
                let expected = format!("{} values, one a vertex", positions.count);
                Err(glb.wrong(field(), expected, n.count.to_string()))
            }
            numbers => Ok(numbers),
        };
        let mut targets = Vec::with_capacity(primitive.targets.len());
        for target in &primitive.targets {
            let list = |name: &str| -> Result<Option<Numbers>, Error> {
                let accessor = target.get(name);
                as_long(
                    accessor
                        .map(|index| glb.accessor(*index, &[3]))
                        .transpose()?,
                )
            };
            targets.push([list("POSITION")?, list("NORMAL")?]);
        }
        let own = &glb.document.nodes[node].weights;
        let still = if own.is_empty() { &mesh.weights } else { own };
        let weights = match self.moving_weights(node, targets.len() as u64)? {
            Some(moving) => moving,
            None => Weights::Still(still.clone()),
        };
        let piece = Piece {
            transform,
            normals: as_long(attribute("NORMAL", &[3])?)?,
            colours: as_long(attribute("COLOR_0", &[3, 4])?)?,
            positions,
            targets,
            weights,
        };
        let indices = primitive.indices.filter(|_| primitive.mode != Some(POINTS));
        let indices = indices.map(|index| glb.accessor(index, &[1])).transpose()?;
        if indices.is_some_and(|indices| indices.at.is_none()) {
            return Err(glb.wrong(field(), "indices", "none"));
        }
        let uvs = as_long(attribute("TEXCOORD_0", &[2])?)?;
        Ok((piece, [indices, uvs]))
    }

    /// The table of weights that moves a node.
    fn moving_weights(&self, node: usize, targets: u64) -> Result<Option<Weights>, Error> {
        let glb = &self.glb;
        let Some(animation) = glb.document.animations.first() else {
            return Ok(None);
        };
        let moves = |c: &&super::glb_document::Channel| {
            c.target.path == "weights" && c.target.node == Some(node)
        };
        let Some(channel) = animation.channels.iter().find(moves) else {
            return Ok(None);
        };
        let field = format!("animations[0].samplers[{}]", channel.sampler);
        let Some(sampler) = animation.samplers.get(channel.sampler) else {
            return Err(glb.wrong(field, "a sampler", "none"));
        };
        let (times, rows) = (
            glb.accessor(sampler.input, &[1])?,
            glb.accessor(sampler.output, &[1])?,
        );
        // Splines have a tangent before each key and one behind it.
        let spline = sampler.interpolation.as_deref() == Some("CUBICSPLINE");
        let (first, step) = if spline { (1, 3) } else { (0, 1) };
        let expected = self
            .frames
            .checked_mul(targets)
            .and_then(|n| n.checked_mul(step));
        if times.count != self.frames || Some(rows.count) != expected {
            let expected = format!("{} times and weights of {targets} targets", self.frames);
            let found = format!("{} times and {} weights", times.count, rows.count);
            return Err(glb.wrong(field, expected, found));
        }
        Ok(Some(Weights::Moving { rows, first, step }))
    }

    /// Adds a piece to the header.
    fn append(
        &mut self,
        name: &str,
        piece: Piece,
        [indices, uvs]: [Option<Numbers>; 2],
    ) -> Result<(), Error> {
        let count = piece.positions.count;
        let (first, face) = (self.header.vertices, self.header.faces.len());
        let corners = indices.map_or(count, |indices| indices.count);
        // Nodes may share meshes, so few bytes can ask for many vertices.
        let total = first as u64 + count + self.header.faces.corners().len() as u64 + corners;
        if total > self.glb.file.length() {
            let expected = "fewer vertices than the file has bytes";
            return Err(self.glb.wrong("nodes", expected, total.to_string()));
        }
        let numbers = match indices {
            Some(indices) => self.glb.read(indices, 0, indices.count)?,
            None => Vec::new(),
        };
        let (triangles, _) = numbers.as_chunks::<3>();
        for triangle in triangles {
            if triangle
                .iter()
                .any(|v| *v >= count as f64 || v.fract() != 0.0)
            {
                let expected = format!("indices below {count}");
                return Err(self.glb.wrong("indices", expected, format!("{triangle:?}")));
            }
            self.header
                .faces
                .push(&triangle.map(|v| v as u32 + first as u32));
        }
        if let Some(uvs) = uvs.filter(|_| self.header.uvs.len() == first) {
            let numbers = self.glb.read(uvs, 0, uvs.count)?;
            let (pairs, _) = numbers.as_chunks::<2>();
            let uv = |uv: &[f64; 2]| Vec2::new(uv[0] as f32, (1.0 - uv[1]) as f32);
            self.header.uvs.extend(pairs.iter().map(uv));
        }
        let rest = self.vectors(piece.positions)?;
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

    /// All vectors of an accessor, their first three numbers each.
    fn vectors(&mut self, numbers: Numbers) -> Result<Vec<Vec3>, Error> {
        let values = self.glb.read(numbers, 0, numbers.count)?;
        let vector = |v: &[f64]| Vec3::new(v[0] as f32, v[1] as f32, v[2] as f32);
        Ok(values
            .chunks_exact(numbers.width as usize)
            .map(vector)
            .collect())
    }

    /// Positions (0) or normals (1) of a piece in frame `k`.
    fn morphed(&mut self, k: u64, piece: usize, list: usize) -> Result<Vec<Vec3>, Error> {
        let Piece {
            positions,
            normals,
            targets,
            weights,
            ..
        } = &self.pieces[piece];
        let base = match list {
            0 => *positions,
            _ => normals.unwrap_or(*positions),
        };
        let differences: Vec<Option<Numbers>> = targets.iter().map(|target| target[list]).collect();
        let count = differences.len() as u64;
        let weights: Vec<f32> = match weights {
            Weights::Still(weights) => weights.clone(),
            Weights::Moving { rows, first, step } => {
                let (rows, row) = (*rows, k * step + first);
                let row = self.glb.read(rows, row * count, count)?;
                row.into_iter().map(|weight| weight as f32).collect()
            }
        };
        let mut vectors = self.vectors(base)?;
        for (difference, weight) in differences.into_iter().zip(weights) {
            let Some(difference) = difference.filter(|_| weight != 0.0) else {
                continue;
            };
            let difference = self.vectors(difference)?;
            vectors
                .iter_mut()
                .zip(difference)
                .for_each(|(v, d)| *v += d * weight);
        }
        Ok(vectors)
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
        for piece in 0..self.pieces.len() {
            let transform = self.pieces[piece].transform;
            let positions = self.morphed(k, piece, 0)?.into_iter();
            frame
                .positions
                .extend(positions.map(|p| transform.transform_point3(p)));
            if channels.normals {
                let turn = Mat3::from_mat4(transform).inverse().transpose();
                let normals = self.morphed(k, piece, 1)?.into_iter();
                let still = transform == Mat4::IDENTITY;
                let turned = |n: Vec3| {
                    if still {
                        n
                    } else {
                        (turn * n).normalize_or_zero()
                    }
                };
                frame.normals.extend(normals.map(turned));
            }
            if let Some(colours) = self.pieces[piece].colours.filter(|_| channels.colours) {
                frame.colours.extend(self.vectors(colours)?);
            }
        }
        Ok(frame)
    }
}
