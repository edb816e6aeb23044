//! Meshes to make cloth of: what every format gives, what is refused, and that damage is no danger.

mod damage;
mod describe;
mod gltf;
mod obj;
mod ply;
mod round_trip;
mod stl;

use std::fs;
use std::path::PathBuf;
use toile_io::surface::{self, Error, Options, SurfaceFile};

/// A file in a folder of its own.
fn file(name: &str, content: impl AsRef<[u8]>) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, content).unwrap();
    (folder, path)
}

fn read(name: &str, content: impl AsRef<[u8]>) -> Result<SurfaceFile, Error> {
    let (_folder, path) = file(name, content);
    surface::read(&path, &Options::default())
}

/// The message of a refusal, without the folder.
fn refusal(name: &str, content: impl AsRef<[u8]>) -> String {
    let (folder, path) = file(name, content);
    let error = surface::load(&path, &Options::default()).unwrap_err();
    let message = error.to_string();
    let at = format!("{}/", folder.path().display());
    assert!(message.starts_with(&at), "{message}");
    message.replace(&at, "")
}

#[test]
fn unknown_names_and_missing_files_are_refused() {
    let error = read("mesh.xyz", "").unwrap_err();
    assert!(matches!(error, Error::UnknownFormat { .. }));
    for name in ["none.obj", "none.ply", "none.glb", "none.gltf", "none.stl"] {
        let path = tempfile::tempdir().unwrap().path().join(name);
        let error = surface::read(&path, &Options::default()).unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
    }
}
