//! Paths of values in a scene file, such as `cloth[0].material.bending_n_m`.

use std::fmt;

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// A key of a table.
    Key(String),
    /// An element of an array.
    Index(usize),
}

impl From<&str> for Segment {
    fn from(key: &str) -> Self {
        Self::Key(key.to_owned())
    }
}

impl From<usize> for Segment {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

/// The path of a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path(pub Vec<Segment>);

impl Path {
    /// This path, one step further.
    pub fn with(&self, segment: impl Into<Segment>) -> Self {
        let mut path = self.clone();
        path.0.push(segment.into());
        path
    }

    /// Reads the form that [`fmt::Display`] writes. Text that is not of that form becomes plain
    /// keys, which no file holds, so that a lookup falls back to the nearest parent.
    pub fn parse(text: &str) -> Self {
        let mut segments = Vec::new();
        for part in text.split(['.', '[']).filter(|part| !part.is_empty()) {
            let index = part.strip_suffix(']').and_then(|i| i.parse().ok());
            segments.push(index.map_or_else(|| part.into(), Segment::Index));
        }
        Self(segments)
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Key(key) if i == 0 => write!(f, "{key}")?,
                Segment::Key(key) => write!(f, ".{key}")?,
                Segment::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_read_back_as_written() {
        let path = Path::default()
            .with("cloth")
            .with(2)
            .with("grid")
            .with("center")
            .with(0);
        assert_eq!(path.to_string(), "cloth[2].grid.center[0]");
        assert_eq!(Path::parse(&path.to_string()), path);
    }
}
