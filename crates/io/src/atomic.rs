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
    let partial = partial(path)?;
    let result = fill_file(&partial, fill).and_then(|()| fs::rename(&partial, path));
    if result.is_err() {
        // The first error is the one to report; what is left behind is only litter.
        let _ = fs::remove_file(&partial);
    }
    result
}

fn fill_file(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let mut writer = BufWriter::new(File::create(path)?);
    fill(&mut writer)?;
    writer.flush()
}

/// A name in the same folder, so that the move cannot cross file systems.
fn partial(path: &Path) -> io::Result<PathBuf> {
    let name = path
        .file_name()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "not the path of a file"))?;
    let mut partial = OsString::from(".");
    partial.push(name);
    partial.push(format!(".{}.partial", std::process::id()));
    Ok(path.with_file_name(partial))
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
