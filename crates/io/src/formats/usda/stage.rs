//! The first pass over a USDA file: which meshes there are, and where their arrays stand.

use super::scan::{Mark, Scanner};
use crate::formats::mesh::plain_name;
use crate::formats::{Error, UpAxis};
use std::ops::Range;

/// Deepest nesting of prims.
const MAX_DEPTH: usize = 256;

/// Attributes that change, in the order of [`Frame`].
pub(super) const LISTS: [&str; 4] = ["points", "velocities", "normals", "primvars:displayColor"];

/// Where the arrays of one mesh stand.
#[derive(Default)]
pub(super) struct Mesh {
    pub name: String,
    pub counts: Option<Mark>,
    pub indices: Option<Mark>,
    pub uvs: Option<Mark>,
    pub rest: Option<Mark>,
    /// Times and places of the samples of each of [`LISTS`].
    pub samples: [Vec<(f64, Mark)>; 4],
    /// Its vertices in the whole, once they are counted.
    pub vertices: Range<usize>,
}

/// What a first pass finds.
#[derive(Default)]
pub(super) struct Stage {
    pub meshes: Vec<Mesh>,
    pub rate_hz: Option<f64>,
    pub metres_per_unit: Option<f64>,
    pub up: Option<UpAxis>,
    /// Whether there are transforms.
    pub transforms: bool,
    /// Whether there are texture coordinates of corners instead of vertices.
    pub seams: bool,
}

impl Stage {
    pub(super) fn scan(scanner: &mut Scanner) -> Result<Self, Error> {
        let magic = b"#usda 1.0";
        for byte in magic {
            if !scanner.take(*byte)? {
                return Err(scanner.malformed("`#usda 1.0`", "another kind of file"));
            }
        }
        let mut stage = Self::default();
        scanner.space()?;
        if scanner.take(b'(')? {
            stage.metadata(scanner)?;
        }
        // For each prim that is open, the mesh it is.
        let mut open: Vec<Option<usize>> = Vec::new();
        loop {
            scanner.space()?;
            match scanner.peek()? {
                Some(b'}') if !open.is_empty() => {
                    scanner.expect(b'}')?;
                    open.pop();
                }
                None if open.is_empty() => return Ok(stage),
                None => return Err(scanner.malformed("`}`", "the end of the file")),
                _ => stage.statement(scanner, &mut open)?,
            }
        }
    }

    fn metadata(&mut self, scanner: &mut Scanner) -> Result<(), Error> {
        each_field(scanner, |scanner, key| {
            match key {
                "metersPerUnit" => self.metres_per_unit = Some(scanner.number()?),
                "timeCodesPerSecond" => self.rate_hz = Some(scanner.number()?),
                "upAxis" => {
                    self.up = match scanner.text()?.as_str() {
                        "Y" => Some(UpAxis::Y),
                        "Z" => Some(UpAxis::Z),
                        _ => return Err(scanner.malformed("an up axis Y or Z", "another")),
                    }
                }
                _ => scanner.skip_value()?,
            }
            Ok(())
        })
    }

    /// A prim's beginning, or one of its properties.
    fn statement(
        &mut self,
        scanner: &mut Scanner,
        open: &mut Vec<Option<usize>>,
    ) -> Result<(), Error> {
        let mut words = vec![scanner.word()?];
        loop {
            scanner.blanks()?;
            match scanner.peek()? {
                Some(b'=' | b'(' | b'"' | b'\n' | b'\r' | b'}') | None => break,
                _ if words.len() == 16 => return Err(scanner.malformed("a property", "words")),
                _ => words.push(scanner.word()?),
            }
        }
        if matches!(words[0].as_str(), "def" | "over" | "class") {
            return self.prim(
                scanner,
                words.get(1).is_some_and(|kind| kind == "Mesh"),
                open,
            );
        }
        let mesh = open.last().copied().flatten();
        let name = words.last().map(String::as_str).unwrap_or_default();
        self.transforms |= name.starts_with("xformOp:");
        if words[0] == "variantSet" && scanner.peek()? == Some(b'"') {
            scanner.text()?;
            scanner.blanks()?;
        }
        if scanner.take(b'=')? {
            scanner.space()?;
            match mesh {
                Some(mesh) => self.meshes[mesh].attribute(scanner, name)?,
                None => scanner.skip_value()?,
            }
            scanner.blanks()?;
        }
        if !scanner.take(b'(')? {
            return Ok(());
        }
        let mut by_vertex = true;
        each_field(scanner, |scanner, key| {
            match key {
                "interpolation" => {
                    by_vertex = matches!(scanner.text()?.as_str(), "vertex" | "varying");
                }
                _ => scanner.skip_value()?,
            }
            Ok(())
        })?;
        if let Some(mesh) = mesh.filter(|_| name == "primvars:st" && !by_vertex) {
            self.seams |= self.meshes[mesh].uvs.take().is_some();
        }
        Ok(())
    }

    fn prim(
        &mut self,
        scanner: &mut Scanner,
        is_mesh: bool,
        open: &mut Vec<Option<usize>>,
    ) -> Result<(), Error> {
        if open.len() == MAX_DEPTH {
            return Err(scanner.malformed("fewer prims in each other", "more"));
        }
        let mut name = scanner.text()?;
        scanner.space()?;
        if scanner.take(b'(')? {
            each_field(scanner, |scanner, key| {
                match key {
                    "displayName" => name = scanner.text()?,
                    _ => scanner.skip_value()?,
                }
                Ok(())
            })?;
        }
        scanner.expect(b'{')?;
        open.push(is_mesh.then_some(self.meshes.len()));
        if is_mesh {
            self.meshes.push(Mesh {
                name: plain_name(&name),
                ..Mesh::default()
            });
        }
        Ok(())
    }
}

/// Calls `field` at the value of every `key = value` up to the closing bracket.
fn each_field(
    scanner: &mut Scanner,
    mut field: impl FnMut(&mut Scanner, &str) -> Result<(), Error>,
) -> Result<(), Error> {
    loop {
        scanner.space()?;
        match scanner.peek()? {
            Some(b')') => return scanner.expect(b')'),
            Some(b'"' | b'\'') => drop(scanner.text()?),
            _ => {
                let mut key = scanner.word()?;
                scanner.blanks()?;
                while scanner.peek()? != Some(b'=') {
                    key = scanner.word()?;
                    scanner.blanks()?;
                }
                scanner.expect(b'=')?;
                scanner.space()?;
                field(scanner, &key)?;
            }
        }
    }
}

impl Mesh {
    /// Notes where the value of an attribute stands, and passes over it.
    fn attribute(&mut self, scanner: &mut Scanner, name: &str) -> Result<(), Error> {
        let here = Some(scanner.mark());
        match name {
            "faceVertexCounts" => self.counts = here,
            "faceVertexIndices" => self.indices = here,
            "primvars:st" => self.uvs = here,
            "points" => self.rest = here,
            _ => {}
        }
        let list = name.strip_suffix(".timeSamples");
        let Some(list) = LISTS.iter().position(|known| Some(*known) == list) else {
            return scanner.skip_value();
        };
        let samples = &mut self.samples[list];
        samples.clear();
        scanner.expect(b'{')?;
        loop {
            scanner.space()?;
            if scanner.take(b'}')? {
                return Ok(());
            }
            let time = scanner.number()?;
            scanner.expect(b':')?;
            scanner.space()?;
            samples.push((time, scanner.mark()));
            scanner.skip_value()?;
            scanner.space()?;
            if !scanner.take(b',')? && scanner.peek()? != Some(b'}') {
                return Err(scanner.malformed("`,` or `}`", "something else"));
            }
        }
    }

    pub(super) fn times(&self, list: usize) -> impl Iterator<Item = f64> {
        self.samples[list].iter().map(|(time, _)| *time)
    }
}
