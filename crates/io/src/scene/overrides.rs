//! Values given on the command line as `path.to.key=value`.

use super::error::Fault;
use super::key::{self, Segment};
use serde::Deserialize;
use toml::{Table, Value};

/// One argument, and the path it turned out to name.
#[derive(Clone, Debug)]
pub(super) struct Override {
    /// As given.
    pub argument: String,
    /// The value it sets, with indices filled in.
    pub target: key::Path,
}

/// Sets the value that `argument` names in `table`, creating missing tables on the way.
pub(super) fn apply(argument: &str, table: &mut Table) -> Result<Override, Fault> {
    let (path, value) = argument.split_once('=').ok_or_else(|| {
        Fault::new(key::Path::default(), "expected `path.to.key=value`").help(
            "for instance `frames=60` or `cloth.material.bending_n_m=1e-5`; quote it if the \
             shell needs that",
        )
    })?;
    // `cloth[0].grid` means the same as `cloth.0.grid`.
    let path = path.replace('[', ".").replace(']', "");
    let mut names: Vec<&str> = path.split('.').map(str::trim).collect();
    let last = names.pop().unwrap_or_default();
    if last.is_empty() || names.iter().any(|name| name.is_empty()) {
        let message = format!("`{path}` is not a path of keys separated by dots");
        return Err(Fault::new(key::Path::default(), message));
    }
    let value = parse_value(value.trim(), &names, last)?;
    let mut target = key::Path::default();
    let mut place = Place::Table(table);
    for name in names {
        place = place.child(name, &mut target)?.container(&target)?;
    }
    match place.child(last, &mut target)? {
        Child::Present(present) => *present = value,
        Child::Absent(entry) => {
            entry.insert(value);
        }
    }
    Ok(Override {
        argument: argument.to_owned(),
        target,
    })
}

/// A TOML value; a word that is not one is taken as a string.
fn parse_value(text: &str, names: &[&str], last: &str) -> Result<Value, Fault> {
    let parsed = toml::de::ValueDeserializer::parse(text).and_then(Value::deserialize);
    parsed.or_else(|error| {
        let is_word = text.starts_with(|c: char| c.is_alphabetic() || c == '_');
        if is_word && !text.contains(['"', '\'', '\n']) {
            return Ok(Value::String(text.to_owned()));
        }
        let mut path = key::Path::default();
        for name in names.iter().chain([&last]) {
            path = path.with(*name);
        }
        let message = format!("`{text}` is not a TOML value: {}", error.message());
        Err(Fault::new(path, message))
    })
}

/// Somewhere a path can go on from.
enum Place<'a> {
    Table(&'a mut Table),
    Array(&'a mut Vec<Value>),
}

/// A value that exists, or the free place for one.
enum Child<'a> {
    Present(&'a mut Value),
    Absent(toml::map::VacantEntry<'a, String, Value>),
}

impl<'a> Place<'a> {
    fn child(self, name: &str, target: &mut key::Path) -> Result<Child<'a>, Fault> {
        match self {
            Self::Table(table) => {
                target.0.push(Segment::from(name));
                Ok(match table.entry(name) {
                    toml::map::Entry::Occupied(entry) => Child::Present(entry.into_mut()),
                    toml::map::Entry::Vacant(entry) => Child::Absent(entry),
                })
            }
            Self::Array(array) => {
                let (index, passed_over) = element(array, name, target)?;
                target.0.push(Segment::Index(index));
                let child = Child::Present(&mut array[index]);
                if passed_over {
                    return child.container(target)?.child(name, target);
                }
                Ok(child)
            }
        }
    }
}

impl<'a> Child<'a> {
    /// The table or array here, created if nothing is.
    fn container(self, target: &key::Path) -> Result<Place<'a>, Fault> {
        let here = match self {
            Self::Present(value) => value,
            Self::Absent(entry) => entry.insert(Value::Table(Table::new())),
        };
        match here {
            Value::Table(table) => Ok(Place::Table(table)),
            Value::Array(array) => Ok(Place::Array(array)),
            other => {
                let message = format!("is a {}, which has no keys inside", other.type_str());
                Err(Fault::new(target.clone(), message))
            }
        }
    }
}

/// Which element of `array` a name means, and whether the name is still to be used: the only
/// element of an array need not be named.
fn element(array: &[Value], name: &str, target: &key::Path) -> Result<(usize, bool), Fault> {
    let count = array.len();
    if let Ok(index) = name.parse::<usize>() {
        if index < count {
            return Ok((index, false));
        }
        let message = format!("there is no element {index}, only {count}, counted from 0");
        return Err(Fault::new(target.clone(), message));
    }
    let named = |v: &Value| v.get("name").and_then(Value::as_str) == Some(name);
    if let Some(index) = array.iter().position(named) {
        return Ok((index, false));
    }
    if count == 1 && array[0].is_table() {
        return Ok((0, true));
    }
    let message = format!("`{name}` is neither an index nor the name of one of {count} elements");
    Err(Fault::new(target.clone(), message))
}
