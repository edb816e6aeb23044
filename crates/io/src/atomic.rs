//! Files that appear whole or not at all.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes a file beside `path` and moves it there once it is complete. The folder must exist.
pub(crate) fn write(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let mut pending = Pending::create(path)?;
    fill(pending.writer())?;
    pending.commit().map(drop)
}

/// A file on its way: under a temporary name until it is committed, gone if it never is.
#[derive(Debug)]
pub(crate) struct Pending {
    target: PathBuf,
    partial: PathBuf,
    writer: BufWriter<File>,
    committed: bool,
}

impl Pending {
    /// Begins the file that will be `path`.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let partial = beside(path, "partial")?;
        Ok(Self {
            target: path.to_owned(),
            writer: BufWriter::new(File::create(&partial)?),
            partial,
            committed: false,
        })
    }

    /// Where its bytes go.
    pub(crate) fn writer(&mut self) -> &mut BufWriter<File> {
        &mut self.writer
    }

    /// Moves the file to its place; returns its size in bytes.
    pub(crate) fn commit(mut self) -> io::Result<u64> {
        self.writer.flush()?;
        let bytes = self.writer.get_ref().metadata()?.len();
        fs::rename(&self.partial, &self.target)?;
        self.committed = true;
        Ok(bytes)
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if !self.committed {
            // The first error is the one to report; what is left behind is only litter.
            let _ = fs::remove_file(&self.partial);
        }
    }
}

/// A hidden name in the same folder, so that a move cannot cross file systems.
pub(crate) fn beside(path: &Path, purpose: &str) -> io::Result<PathBuf> {
    let name = path
        .file_name()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "not the path of a file"))?;
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}.{purpose}", std::process::id()));
    Ok(path.with_file_name(hidden))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        write(&path, |w| w.write_all(b"old")).unwrap();
        let failed = write(&path, |w| {
            w.write_all(b"half")?;
            Err(io::Error::other("no more"))
        });
        assert!(failed.is_err());
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
