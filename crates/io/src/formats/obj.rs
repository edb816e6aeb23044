//! Wavefront OBJ: text, a file a frame. Holds normals and colours (behind the coordinates of a
//! vertex, as most programs read them), no velocities. Numbers have the fewest digits that read
//! back to the same bits.
//!
//! Parts are objects (`o`). The rest meshes beside point caches have groups (`g`) instead: programs
//! divide a file into meshes by its objects, and a cache is for one mesh with all vertices.

use super::mesh::plain_name;
use super::stills::Still;
use super::{Error, Frame, Header, Part, decimal, stamp};
use crate::atomic::Pending;
use crate::obj::{self, Corner, Problem, numbers};
use glam::{Vec2, Vec3};
use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// How parts are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Naming {
    /// Meshes of their own.
    Objects,
    /// Groups of one mesh.
    Groups,
}

/// What never changes from frame to frame, as text: it is most of a file, and is made once.
pub(super) struct Unchanging {
    /// Texture coordinates and faces of each part.
    parts: Vec<Vec<u8>>,
}

impl Unchanging {
    /// Of all frames of `header`.
    pub(super) fn of(header: &Header) -> Self {
        let text = |part: &Part| {
            let mut text = Vec::new();
            // Writing to memory cannot fail.
            let _ = write_unchanging(&mut text, header, part);
            text
        };
        Self {
            parts: header.parts.iter().map(text).collect(),
        }
    }
}

fn write_unchanging(w: &mut impl Write, header: &Header, part: &Part) -> io::Result<()> {
    for uv in header.uvs.get(part.vertices.clone()).unwrap_or_default() {
        statement(w, "vt ", uv.to_array())?;
    }
    let (uvs, normals) = (!header.uvs.is_empty(), header.channels.normals);
    for face in header.faces.range(part.faces.clone()) {
        write!(w, "f")?;
        for v in face.iter().map(|v| v + 1) {
            match (uvs, normals) {
                (false, false) => write!(w, " {v}")?,
                (true, false) => write!(w, " {v}/{v}")?,
                (false, true) => write!(w, " {v}//{v}")?,
                (true, true) => write!(w, " {v}/{v}/{v}")?,
            }
        }
        writeln!(w)?;
    }
    Ok(())
}

/// Writes one frame; returns the size of the file.
pub(super) fn write(
    path: &Path,
    header: &Header,
    unchanging: &Unchanging,
    frame: &Frame,
    naming: Naming,
) -> Result<u64, Error> {
    let mut pending = Pending::create(path).map_err(Error::io(path))?;
    write_mesh(pending.writer(), header, unchanging, frame, naming).map_err(Error::io(path))?;
    pending.commit().map_err(Error::io(path))
}

fn write_mesh(
    w: &mut impl Write,
    header: &Header,
    unchanging: &Unchanging,
    frame: &Frame,
    naming: Naming,
) -> io::Result<()> {
    for line in stamp::lines(header) {
        writeln!(w, "# {line}")?;
    }
    for (part, unchanging) in header.parts.iter().zip(&unchanging.parts) {
        let letter = match naming {
            Naming::Objects => 'o',
            Naming::Groups => 'g',
        };
        // A backslash at the end would continue the line.
        writeln!(w, "{letter} {}", part.name.replace('\\', "/"))?;
        for v in part.vertices.clone() {
            let p = frame.positions[v].to_array();
            match frame.colours.get(v) {
                Some(c) => {
                    let c = c.to_array();
                    statement(w, "v ", [p[0], p[1], p[2], c[0], c[1], c[2]])?;
                }
                None => statement(w, "v ", p)?,
            }
        }
        for n in frame.normals.get(part.vertices.clone()).unwrap_or_default() {
            statement(w, "vn ", n.to_array())?;
        }
        w.write_all(unchanging)?;
    }
    Ok(())
}

fn statement<const N: usize>(
    w: &mut impl Write,
    keyword: &str,
    numbers: [f32; N],
) -> io::Result<()> {
    w.write_all(keyword.as_bytes())?;
    decimal::write(w, numbers, " ")?;
    w.write_all(b"\n")
}

/// Reads one frame.
pub(super) fn read(path: &Path) -> Result<Still, Error> {
    let bytes = fs::read(path).map_err(Error::io(path))?;
    let mut mesh = parse(&bytes).map_err(|(line, problem)| obj::Error::Line {
        path: path.to_owned(),
        line,
        problem,
    })?;
    mesh.name_parts(plain_name(
        &path.file_stem().unwrap_or_default().to_string_lossy(),
    ));
    let mut still = mesh.still;
    still.settle_parts(path)?;
    Ok(still)
}

/// Where a part begins: its name, the vertices and the faces before it.
type Start = (String, usize, usize);

/// A mesh while it is read.
#[derive(Default)]
struct Mesh {
    still: Still,
    texture: Vec<Vec2>,
    normals: Vec<Vec3>,
    objects: Vec<Start>,
    groups: Vec<Start>,
    /// Of every vertex, whether a corner has given it a texture coordinate or a normal.
    textured: Vec<bool>,
    /// Whether some corners of one vertex have different ones.
    seams: bool,
}

fn parse(bytes: &[u8]) -> Result<Mesh, (usize, Problem)> {
    let mut mesh = Mesh::default();
    for (number, line) in obj::statements(obj::text(bytes)?) {
        if let Some(comment) = line.strip_prefix('#') {
            stamp::read(&mut mesh.still.header, comment);
        }
        let mut words = obj::words(&line);
        let done = match words.next() {
            Some("v") => mesh.vertex(words),
            Some("vt") => numbers(words).map(|[u, v]: [f32; 2]| mesh.texture.push(Vec2::new(u, v))),
            Some("vn") => numbers(words).map(|n: [f32; 3]| mesh.normals.push(n.into())),
            Some("f") => mesh.face(words),
            Some(kind @ ("o" | "g")) => {
                mesh.part(kind, &line);
                Ok(())
            }
            _ => Ok(()),
        };
        done.map_err(|problem| (number, problem))?;
    }
    mesh.finish();
    Ok(mesh)
}

impl Mesh {
    fn vertex<'a>(&mut self, words: impl Iterator<Item = &'a str>) -> Result<(), Problem> {
        let words: Vec<&str> = words.take(6).collect();
        let frame = &mut self.still.frame;
        let position: [f32; 3] = numbers(words.iter().copied())?;
        frame.positions.push(position.into());
        if words.len() == 6 {
            let colour: [f32; 3] = numbers(words[3..].iter().copied())?;
            frame.colours.push(colour.into());
        }
        self.textured.push(false);
        Ok(())
    }

    fn face<'a>(&mut self, words: impl Iterator<Item = &'a str>) -> Result<(), Problem> {
        let count = self.still.frame.positions.len();
        let mut corners = Vec::with_capacity(4);
        for word in words {
            let counts = [count, self.texture.len(), self.normals.len()];
            let corner = Corner::parse(word, counts)?;
            self.corner(corner.vertex as usize, corner.texture, corner.normal);
            corners.push(corner.vertex);
        }
        if corners.len() < 3 {
            return Err(Problem::ShortFace(corners.len()));
        }
        self.still.header.faces.push(&corners);
        Ok(())
    }

    /// A corner gives its vertex texture coordinate and normal; the first corner is believed.
    fn corner(&mut self, vertex: usize, texture: Option<u32>, normal: Option<u32>) {
        let uvs = &mut self.still.header.uvs;
        let normals = &mut self.still.frame.normals;
        let first = !std::mem::replace(&mut self.textured[vertex], true);
        if let Some(uv) = texture.map(|i| self.texture[i as usize]) {
            uvs.resize(uvs.len().max(vertex + 1), Vec2::ZERO);
            match first {
                true => uvs[vertex] = uv,
                false => self.seams |= uvs[vertex] != uv,
            }
        }
        if let Some(normal) = normal.map(|i| self.normals[i as usize]) {
            normals.resize(normals.len().max(vertex + 1), Vec3::ZERO);
            match first {
                true => normals[vertex] = normal,
                false => self.seams |= normals[vertex] != normal,
            }
        }
    }

    fn part(&mut self, kind: &str, line: &str) {
        // A name may hold spaces and signs, so it is the whole rest of the line.
        let name = plain_name(line.trim_start().strip_prefix(kind).unwrap_or_default());
        let (vertices, faces) = (
            self.still.frame.positions.len(),
            self.still.header.faces.len(),
        );
        let starts = if kind == "o" {
            &mut self.objects
        } else {
            &mut self.groups
        };
        starts.push((name, vertices, faces));
    }

    /// Lists as long as each other, or none.
    fn finish(&mut self) {
        let Still {
            header,
            frame,
            notes,
        } = &mut self.still;
        let count = frame.positions.len();
        header.vertices = count;
        if !header.uvs.is_empty() {
            header.uvs.resize(count, Vec2::ZERO);
        }
        if !frame.normals.is_empty() {
            frame.normals.resize(count, Vec3::ZERO);
        }
        if frame.colours.len() != count {
            frame.colours.clear();
        }
        header.channels.normals = !frame.normals.is_empty();
        header.channels.colours = !frame.colours.is_empty();
        if self.seams {
            let note = "corners of one vertex have different texture coordinates or normals: \
                the first are taken";
            notes.push(note.to_owned());
        }
    }

    /// Objects are the parts; groups, where there are no objects.
    fn name_parts(&mut self, file: String) {
        let mut starts = match self.objects.is_empty() {
            true => std::mem::take(&mut self.groups),
            false => std::mem::take(&mut self.objects),
        };
        match starts.first_mut() {
            // Vertices may stand before the first name.
            Some(first) if first.2 == 0 => first.1 = 0,
            _ => starts.insert(0, (file, 0, 0)),
        }
        let header = &mut self.still.header;
        let end = (String::new(), header.vertices, header.faces.len());
        let ends = starts[1..].iter().chain([&end]);
        header.parts = starts
            .iter()
            .zip(ends)
            .map(
                |((name, vertices, faces), (_, vertices_end, faces_end))| Part {
                    name: name.clone(),
                    vertices: *vertices..*vertices_end,
                    faces: *faces..*faces_end,
                },
            )
            .filter(|part| !(part.vertices.is_empty() && part.faces.is_empty()))
            .collect();
    }
}
