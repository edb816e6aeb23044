//! Wavefront OBJ: text, one object a cloth, pattern coordinates as texture coordinates.
//!
//! Numbers are written with the fewest digits that read back to the same bits.

use crate::atomic;
use glam::{DVec2, DVec3};
use std::borrow::Cow;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use thiserror::Error;
use toile_geometry::TriMesh;

/// A mesh to be written.
#[derive(Clone, Copy, Debug)]
pub struct Object<'a> {
    /// Name of the object.
    pub name: &'a str,
    /// Positions, m.
    pub positions: &'a [DVec3],
    /// Pattern coordinates of every vertex, m; empty for none.
    pub pattern: &'a [DVec2],
    /// Faces, indices into this object's vertices.
    pub faces: &'a [[u32; 3]],
}

/// Why a mesh could not be read or written.
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
    /// A line could not be understood.
    #[error("{path}:{line}: {problem}")]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong with it.
        problem: Problem,
    },
    /// A mesh to be written is not one.
    #[error("object \"{name}\" cannot be written: {problem}")]
    Object {
        /// Name of the object.
        name: String,
        /// What is wrong with it.
        problem: Problem,
    },
}

/// What is wrong with a line or a mesh.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum Problem {
    /// A vertex with fewer than three coordinates.
    #[error("expected three coordinates, found {0}: the file may be cut short")]
    ShortVertex(usize),
    /// A face with fewer than three corners.
    #[error("expected at least three corners, found {0}: the file may be cut short")]
    ShortFace(usize),
    /// A face with more corners than can be cut into triangles.
    #[error("expected at most 255 corners, found {0}")]
    LongFace(usize),
    /// Not a number.
    #[error("expected a number, found `{0}`")]
    NotANumber(String),
    /// Infinite or not a number.
    #[error("expected finite coordinates, found {0}")]
    NotFinite(f64),
    /// Not the index of a vertex.
    #[error("expected the index of a vertex, found `{0}`")]
    NotAnIndex(String),
    /// A vertex that does not exist.
    #[error("there is no vertex {index}: {count} are known here")]
    OutOfRange {
        /// The index as written.
        index: i64,
        /// Vertices known at that place.
        count: usize,
    },
    /// A face that uses a vertex twice.
    #[error("the face uses vertex {0} twice")]
    Repeated(i64),
    /// Lists that should be as long as each other are not.
    #[error("{positions} positions but {pattern} pattern coordinates")]
    PatternCount {
        /// Number of positions.
        positions: usize,
        /// Number of pattern coordinates.
        pattern: usize,
    },
    /// Bytes that are not text.
    #[error("not UTF-8 text")]
    NotText,
}

/// Writes `objects` into one file.
pub fn write(path: &Path, objects: &[Object<'_>]) -> Result<(), Error> {
    for object in objects {
        check(object).map_err(|problem| Error::Object {
            name: object.name.to_owned(),
            problem,
        })?;
    }
    atomic::write(path, |w| write_objects(w, objects)).map_err(|source| Error::Io {
        path: path.to_owned(),
        source,
    })
}

fn check(object: &Object<'_>) -> Result<(), Problem> {
    let (positions, pattern) = (object.positions.len(), object.pattern.len());
    if pattern != 0 && pattern != positions {
        return Err(Problem::PatternCount { positions, pattern });
    }
    let numbers = object.positions.iter().flat_map(|p| p.to_array());
    let numbers = numbers.chain(object.pattern.iter().flat_map(|p| p.to_array()));
    if let Some(bad) = { numbers }.find(|n| !n.is_finite()) {
        return Err(Problem::NotFinite(bad));
    }
    match object
        .faces
        .iter()
        .flatten()
        .find(|&&v| v as usize >= positions)
    {
        Some(&index) => Err(Problem::OutOfRange {
            index: index.into(),
            count: positions,
        }),
        None => Ok(()),
    }
}

fn write_objects(w: &mut impl Write, objects: &[Object<'_>]) -> io::Result<()> {
    writeln!(w, "# Toile; metres, y up")?;
    // OBJ counts from 1, and through all objects of the file.
    let (mut vertex, mut texture) = (1, 1);
    for object in objects {
        // A line break in a name would end the line it stands on.
        writeln!(w, "o {}", object.name.replace(['\n', '\r'], " "))?;
        for p in object.positions {
            writeln!(w, "v {} {} {}", p.x, p.y, p.z)?;
        }
        for p in object.pattern {
            writeln!(w, "vt {} {}", p.x, p.y)?;
        }
        for face in object.faces {
            let corners = face.map(|v| v as usize);
            if object.pattern.is_empty() {
                let [a, b, c] = corners.map(|v| v + vertex);
                writeln!(w, "f {a} {b} {c}")?;
            } else {
                let [a, b, c] = corners.map(|v| v + vertex);
                let [ta, tb, tc] = corners.map(|v| v + texture);
                writeln!(w, "f {a}/{ta} {b}/{tb} {c}/{tc}")?;
            }
        }
        vertex += object.positions.len();
        texture += object.pattern.len();
    }
    Ok(())
}

/// Reads all faces of a file as one mesh. Polygons become fans of triangles from their first
/// corner; everything but vertices and faces is passed over.
pub fn read(path: &Path) -> Result<TriMesh, Error> {
    let bytes = fs::read(path).map_err(|source| Error::Io {
        path: path.to_owned(),
        source,
    })?;
    parse(&bytes).map_err(|(line, problem)| Error::Line {
        path: path.to_owned(),
        line,
        problem,
    })
}

/// The mesh in `bytes`, or the line at fault.
fn parse(bytes: &[u8]) -> Result<TriMesh, (usize, Problem)> {
    let mut mesh = TriMesh::default();
    for (number, line) in statements(text(bytes)?) {
        let mut words = words(&line);
        match words.next() {
            // What follows the third coordinate is a weight or a colour.
            Some("v") => numbers(words).map(|p: [f64; 3]| mesh.positions.push(p.into())),
            Some("f") => face(words, mesh.positions.len(), &mut mesh.faces),
            _ => Ok(()),
        }
        .map_err(|problem| (number, problem))?;
    }
    Ok(mesh)
}

/// The file as text, or the line that is none.
pub(crate) fn text(bytes: &[u8]) -> Result<&str, (usize, Problem)> {
    std::str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        let line = before.iter().filter(|b| **b == b'\n').count() + 1;
        (line, Problem::NotText)
    })
}

/// Statements with the number of the line each begins on, counted from 1: a backslash at the end
/// continues a line on the next.
pub(crate) fn statements(text: &str) -> impl Iterator<Item = (usize, Cow<'_, str>)> {
    let mut lines = text.lines().enumerate();
    std::iter::from_fn(move || {
        let (index, line) = lines.next()?;
        let mut line = Cow::Borrowed(line);
        while let Some(begun) = line.strip_suffix('\\') {
            let next = lines.next().map_or("", |(_, next)| next);
            line = format!("{begun} {next}").into();
        }
        Some((index + 1, line))
    })
}

/// The words of a statement, without its comment.
pub(crate) fn words(line: &str) -> std::str::SplitAsciiWhitespace<'_> {
    let content = line.split('#').next().unwrap_or_default();
    content.split_ascii_whitespace()
}

/// A finite number.
pub(crate) fn number<T: FromStr + Copy + Into<f64>>(word: &str) -> Result<T, Problem> {
    let number = word
        .parse::<T>()
        .map_err(|_| Problem::NotANumber(word.to_owned()))?;
    match number.into() {
        finite if finite.is_finite() => Ok(number),
        other => Err(Problem::NotFinite(other)),
    }
}

/// The first numbers of a statement; what follows them is passed over.
pub(crate) fn numbers<'a, T, const N: usize>(
    words: impl Iterator<Item = &'a str>,
) -> Result<[T; N], Problem>
where
    T: FromStr + Copy + Default + Into<f64>,
{
    let mut numbers = [T::default(); N];
    let mut count = 0;
    for (word, place) in words.zip(&mut numbers) {
        *place = number(word)?;
        count += 1;
    }
    match count {
        _ if count == N => Ok(numbers),
        _ => Err(Problem::ShortVertex(count)),
    }
}

fn face<'a>(
    words: impl Iterator<Item = &'a str>,
    count: usize,
    faces: &mut Vec<[u32; 3]>,
) -> Result<(), Problem> {
    let corners = words
        .map(|word| vertex(word, count))
        .collect::<Result<Vec<u32>, _>>()?;
    if corners.len() < 3 {
        return Err(Problem::ShortFace(corners.len()));
    }
    for (i, &corner) in corners.iter().enumerate() {
        if corners[..i].contains(&corner) {
            return Err(Problem::Repeated(i64::from(corner) + 1));
        }
    }
    faces.extend(corners.windows(2).skip(1).map(|e| [corners[0], e[0], e[1]]));
    Ok(())
}

/// Vertex index of `v`, `v/t`, `v//n` or `v/t/n`.
fn vertex(word: &str, count: usize) -> Result<u32, Problem> {
    index(word.split('/').next().unwrap_or_default(), count).map_err(|problem| match problem {
        Problem::NotAnIndex(_) => Problem::NotAnIndex(word.to_owned()),
        other => other,
    })
}

/// What a corner of a face refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Corner {
    pub vertex: u32,
    pub texture: Option<u32>,
    pub normal: Option<u32>,
}

impl Corner {
    /// All indices of `v`, `v/t`, `v//n` or `v/t/n`, into so many vertices, textures and normals.
    pub(crate) fn parse(word: &str, counts: [usize; 3]) -> Result<Self, Problem> {
        let mut indices = word.split('/');
        let mut next = |count| match indices.next() {
            None | Some("") => Ok(None),
            Some(word) => index(word, count).map(Some),
        };
        Ok(Self {
            vertex: next(counts[0])?.ok_or_else(|| Problem::NotAnIndex(word.to_owned()))?,
            texture: next(counts[1])?,
            normal: next(counts[2])?,
        })
    }
}

/// An index from zero into a list of `count`; negative ones count back from the last.
pub(crate) fn index(word: &str, count: usize) -> Result<u32, Problem> {
    let index: i64 = word
        .parse()
        .map_err(|_| Problem::NotAnIndex(word.to_owned()))?;
    let from_zero = match index {
        1.. => index.checked_sub(1),
        _ => i64::try_from(count).ok().and_then(|n| n.checked_add(index)),
    };
    from_zero
        .filter(|&i| index != 0 && (i as u64) < count as u64 && i >= 0)
        .and_then(|i| u32::try_from(i).ok())
        .ok_or(Problem::OutOfRange { index, count })
}
