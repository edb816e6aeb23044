//! The text of a scene, kept so that every error can be shown where it was written.

use super::error::{Error, Fault};
use super::key::{self, Segment};
use super::overrides::{self, Override};
use super::{Scene, raw, resolve, wording};
use crate::fabric::Fabric;
use serde::de::DeserializeOwned;
use std::fs;
use std::io::{ErrorKind, Read};
use std::ops::Range;
use std::path::Path;
use toile_sim::BuildError;
use toml::de::{DeArray, DeTable};
use toml::{Table, Value};

/// A scene file is text a person wrote; a longer one is something else.
const MAX_BYTES: u64 = 16 << 20;

/// A scene file with the values set on the command line.
#[derive(Clone, Debug)]
pub struct Source {
    origin: String,
    text: String,
    table: Table,
    overrides: Vec<Override>,
}

impl Source {
    /// Reads a file and applies `sets`, each `path.to.key=value`.
    pub fn read(path: &Path, sets: &[String]) -> Result<Self, Error> {
        Self::read_as(path, sets, "scene file")
    }

    /// Reads a file that is to be a `kind` of file.
    fn read_as(path: &Path, sets: &[String], kind: &str) -> Result<Self, Error> {
        let origin = path.display().to_string();
        let mut bytes = Vec::new();
        fs::File::open(path)
            .and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes))
            .map_err(|error| {
                let reason = match error.kind() {
                    ErrorKind::NotFound => format!("there is no such {kind}"),
                    ErrorKind::IsADirectory => format!("is a folder, expected a {kind}"),
                    _ => format!("cannot be read: {error}"),
                };
                Error::of_file(&origin, reason)
            })?;
        if bytes.len() as u64 > MAX_BYTES {
            let message = format!("is longer than {MAX_BYTES} bytes, so it is no {kind}");
            return Err(Error::of_file(&origin, message));
        }
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            let line = error.as_bytes()[..at]
                .iter()
                .filter(|b| **b == b'\n')
                .count();
            let message = format!(
                "is not UTF-8 text (line {}, byte {at}), expected a {kind} in TOML",
                line + 1
            );
            Error::of_file(&origin, message)
        })?;
        Self::parse(text, origin, sets)
    }

    /// Takes `text` as a scene called `origin`, and applies `sets`.
    pub fn parse(
        text: impl Into<String>,
        origin: impl Into<String>,
        sets: &[String],
    ) -> Result<Self, Error> {
        let (text, origin) = (text.into(), origin.into());
        let mut table = text
            .parse::<Table>()
            .map_err(|error| syntax_error(&origin, &text, &error))?;
        let overrides = sets
            .iter()
            .map(|set| {
                overrides::apply(set, &mut table).map_err(|fault| Error::of_argument(set, &fault))
            })
            .collect::<Result<_, _>>()?;
        Ok(Self {
            origin,
            text,
            table,
            overrides,
        })
    }

    /// The validated scene.
    pub fn scene(&self) -> Result<Scene, Error> {
        let place = |fault: Fault| self.place(&fault);
        let file: raw::File = self.values().map_err(place)?;
        let mut fabrics = Vec::new();
        for (i, name) in file.fabric_files.iter().enumerate() {
            let path = Path::new(&self.origin).with_file_name("").join(name);
            if !path.is_file() {
                let key = key::Path::default().with("fabric_files").with(i);
                let message = format!("there is no file {}", path.display());
                return Err(place(Fault::new(key, message)));
            }
            fabrics.extend(Self::read_fabrics(&path)?);
        }
        let stem = Path::new(&self.origin).file_stem();
        let stem = stem.map_or_else(|| "scene".into(), |s| s.to_string_lossy());
        let folder = Path::new(&self.origin).with_file_name("");
        resolve::scene(file, &stem, &fabrics, &folder).map_err(place)
    }

    /// The validated fabrics of the file at `path`.
    pub(crate) fn read_fabrics(path: &Path) -> Result<Vec<Fabric>, Error> {
        Self::read_as(path, &[], "file of fabrics")?.fabrics()
    }

    /// The validated fabrics of a text that holds nothing else.
    pub(crate) fn fabrics(&self) -> Result<Vec<Fabric>, Error> {
        let checked = || -> Result<_, Fault> {
            let file: crate::fabric::File = self.values()?;
            resolve::fabrics(&file.fabric)?;
            Ok(file.fabric)
        };
        checked().map_err(|fault| self.place(&fault))
    }

    /// Shows where the value that a model could not be built from was written.
    pub fn locate(&self, error: &BuildError) -> Error {
        let key = key::Path::parse(&error.key);
        self.place(&Fault::new(key, error.message.as_str()))
    }

    /// The values as written, in the form of the file.
    fn values<T: DeserializeOwned>(&self) -> Result<T, Fault> {
        refuse_non_finite(&key::Path::default(), &self.table)?;
        serde_path_to_error::deserialize(self.table.clone()).map_err(|error| {
            let path = path_of(error.path());
            let value = value_at(&self.table, &path);
            wording::fault(path, error.inner().message(), value)
        })
    }

    /// The place of the value at fault, or of the nearest parent that was written anywhere.
    fn place(&self, fault: &Fault) -> Error {
        let path = &fault.key.0;
        // The last argument wins, and hides whatever the file says there.
        let mut last_first = self.overrides.iter().rev();
        if let Some(set) = last_first.find(|set| path.starts_with(&set.target.0)) {
            return Error::of_argument(&set.argument, fault);
        }
        let document = DeTable::parse(&self.text).ok();
        for length in (1..=path.len()).rev() {
            let prefix = &path[..length];
            let on_key = fault.on_key && length == path.len();
            let written = document.as_ref().map(|d| d.get_ref());
            if let Some(span) = written.and_then(|table| find(table, prefix, on_key)) {
                return Error::of_span(&self.origin, &self.text, span, fault);
            }
            // A table that exists only because a value inside it was set.
            let mut last_first = self.overrides.iter().rev();
            if let Some(set) = last_first.find(|set| set.target.0.starts_with(prefix)) {
                return Error::of_argument(&set.argument, fault);
            }
        }
        Error::of_span(&self.origin, &self.text, 0..0, fault)
    }
}

fn syntax_error(origin: &str, text: &str, error: &toml::de::Error) -> Error {
    let span = error.span().unwrap_or(0..0);
    // For a key written twice the span is that key; elsewhere it is mere punctuation.
    let key = if error.message().contains("duplicate key") {
        text.get(span.clone()).map(|k| key::Path(vec![k.into()]))
    } else {
        None
    };
    let message = match &key {
        Some(_) => "this key is written twice".to_owned(),
        None => format!("not valid TOML: {}", error.message()),
    };
    let fault = Fault::new(key.unwrap_or_default(), message);
    Error::of_span(origin, text, span, &fault)
}

/// TOML has `nan` and `inf`; no key of a scene takes them.
fn refuse_non_finite(path: &key::Path, table: &Table) -> Result<(), Fault> {
    fn visit(path: key::Path, value: &Value) -> Result<(), Fault> {
        match value {
            Value::Float(number) if !number.is_finite() => {
                let message = format!("expected a finite number, found {number}");
                Err(Fault::new(path, message))
            }
            Value::Array(array) => array
                .iter()
                .enumerate()
                .try_for_each(|(i, v)| visit(path.with(i), v)),
            Value::Table(table) => refuse_non_finite(&path, table),
            _ => Ok(()),
        }
    }
    table
        .iter()
        .try_for_each(|(k, v)| visit(path.with(k.as_str()), v))
}

fn path_of(path: &serde_path_to_error::Path) -> key::Path {
    use serde_path_to_error::Segment as Step;
    let segments = path.iter().filter_map(|step| match step {
        Step::Seq { index } => Some(Segment::Index(*index)),
        Step::Map { key } | Step::Enum { variant: key } => Some(key.as_str().into()),
        Step::Unknown => None,
    });
    key::Path(segments.collect())
}

/// What was written at `path`.
fn value_at<'a>(table: &'a Table, path: &key::Path) -> Option<&'a Value> {
    let (first, rest) = path.0.split_first()?;
    let Segment::Key(name) = first else {
        return None;
    };
    rest.iter()
        .try_fold(table.get(name)?, |value, segment| match segment {
            Segment::Key(name) => value.get(name),
            Segment::Index(index) => value.get(*index),
        })
}

/// Span of the value at `path`, or of its key.
fn find(root: &DeTable<'_>, path: &[Segment], on_key: bool) -> Option<Range<usize>> {
    let mut span = None;
    let mut table = Some(root);
    let mut array: Option<&DeArray<'_>> = None;
    for segment in path {
        let value = match segment {
            Segment::Key(name) => {
                let (key, value) = table?.iter().find(|(k, _)| k.get_ref() == name)?;
                span = Some(if on_key { key.span() } else { value.span() });
                value
            }
            Segment::Index(index) => {
                let value = array?.get(*index)?;
                span = Some(value.span());
                value
            }
        };
        table = value.get_ref().as_table();
        array = value.get_ref().as_array();
    }
    span
}
