//! Names of sequences with a file a frame: `NAME_0000.obj`, `NAME_0001.obj`, …

use super::Error;
use std::fs;
use std::path::{Path, PathBuf};

/// Digits of a frame number where the path does not ask for another count.
const DIGITS: usize = 4;

/// A name with a place for the frame number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    folder: PathBuf,
    before: String,
    digits: usize,
    after: String,
}

impl Pattern {
    /// `NAME.obj` stands for `NAME_####.obj`.
    pub(super) fn of(path: &Path) -> Result<Self, Error> {
        let unknown = || Error::UnknownFormat {
            path: path.to_owned(),
        };
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.ok_or_else(unknown)?;
        let (before, digits, after) = match name.rfind('#') {
            Some(last) => {
                let before = name[..last].trim_end_matches('#');
                (
                    before.to_owned(),
                    last + 1 - before.len(),
                    &name[last + 1..],
                )
            }
            None => {
                let dot = name.rfind('.').ok_or_else(unknown)?;
                (format!("{}_", &name[..dot]), DIGITS, &name[dot..])
            }
        };
        Ok(Self {
            folder: path.parent().unwrap_or(Path::new("")).to_owned(),
            before,
            digits,
            after: after.to_owned(),
        })
    }

    /// The file of one frame.
    pub(super) fn file(&self, number: u64) -> PathBuf {
        let (before, after, digits) = (&self.before, &self.after, self.digits);
        self.folder
            .join(format!("{before}{number:0digits$}{after}"))
    }

    /// The pattern itself, `#` for each digit.
    pub(super) fn shown(&self) -> PathBuf {
        let hashes = "#".repeat(self.digits);
        self.folder
            .join(format!("{}{hashes}{}", self.before, self.after))
    }

    /// Numbers of the files there are, in order.
    pub(super) fn numbers(&self) -> Vec<u64> {
        let folder = match self.folder.as_os_str().is_empty() {
            true => Path::new("."),
            false => &self.folder,
        };
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut numbers: Vec<u64> = entries
            .filter_map(|entry| self.number(entry.file_name().to_str()?))
            .collect();
        numbers.sort_unstable();
        numbers
    }

    /// Removes the files with this number and those above it, if it can.
    pub(super) fn remove_from(&self, number: u64) {
        for stale in self.numbers().into_iter().filter(|n| *n >= number) {
            let _ = fs::remove_file(self.file(stale));
        }
    }

    /// The number in a name that fits.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        let digits = name.strip_prefix(&self.before)?.strip_suffix(&self.after)?;
        // Longer numbers have no leading zeros: the same number has one name only.
        let width =
            digits.len() == self.digits || (digits.len() > self.digits && !digits.starts_with('0'));
        let all_digits = digits.bytes().all(|b| b.is_ascii_digit());
        (width && all_digits).then(|| digits.parse().ok()).flatten()
    }
}

/// Files of a sequence with the number of each.
pub(super) type Numbered = Vec<(u64, PathBuf)>;

/// The file `path`, or the numbered files it stands for, in order and without a gap.
pub(super) fn find(path: &Path) -> Result<Numbered, Error> {
    if path.is_file() {
        return Ok(vec![(number_in(path).unwrap_or(0), path.to_owned())]);
    }
    let pattern = Pattern::of(path)?;
    let missing = |path: &Path| Error::Missing {
        path: path.to_owned(),
    };
    let numbers = pattern.numbers();
    if numbers.is_empty() {
        return Err(missing(path));
    }
    if let Some(pair) = numbers.windows(2).find(|pair| pair[1] != pair[0] + 1) {
        return Err(missing(&pattern.file(pair[0] + 1)));
    }
    Ok(numbers.into_iter().map(|n| (n, pattern.file(n))).collect())
}

/// `paths` by the numbers in their names, or as given where a name has none.
pub(super) fn in_order(paths: &[PathBuf]) -> Numbered {
    let numbers: Option<Vec<u64>> = paths.iter().map(|path| number_in(path)).collect();
    match numbers {
        Some(numbers) => {
            let mut files: Numbered = numbers.into_iter().zip(paths.iter().cloned()).collect();
            files.sort();
            files
        }
        None => (0..).zip(paths.iter().cloned()).collect(),
    }
}

/// The number a file's name ends with.
fn number_in(path: &Path) -> Option<u64> {
    let stem = path.file_stem()?.to_str()?;
    let start = stem.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    stem[start..].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_say_how_many_digits() {
        let plain = Pattern::of(Path::new("out/flag.obj")).unwrap();
        assert_eq!(plain.file(7), Path::new("out/flag_0007.obj"));
        assert_eq!(plain.shown(), Path::new("out/flag_####.obj"));
        let asked = Pattern::of(Path::new("flag.##.obj")).unwrap();
        assert_eq!(asked.file(7), Path::new("flag.07.obj"));
        assert_eq!(asked.file(1234), Path::new("flag.1234.obj"));
        assert_eq!(asked.number("flag.07.obj"), Some(7));
        assert_eq!(asked.number("flag.1234.obj"), Some(1234));
        for other in ["flag.7.obj", "flag.007.obj", "flag.x7.obj", "flag.07.ply"] {
            assert_eq!(asked.number(other), None, "{other}");
        }
    }

    #[test]
    fn a_gap_is_named() {
        let folder = tempfile::tempdir().unwrap();
        for n in [8, 9, 11] {
            fs::write(folder.path().join(format!("a_{n:04}.obj")), "").unwrap();
        }
        let found = find(&folder.path().join("a.obj"));
        match found {
            Err(Error::Missing { path }) => assert!(path.ends_with("a_0010.obj")),
            other => panic!("{other:?}"),
        }
        fs::write(folder.path().join("a_0010.obj"), "").unwrap();
        let numbers = find(&folder.path().join("a_####.obj")).unwrap();
        let numbers: Vec<u64> = numbers.into_iter().map(|(n, _)| n).collect();
        assert_eq!(numbers, [8, 9, 10, 11]);
    }
}
