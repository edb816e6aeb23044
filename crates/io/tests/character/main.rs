//! Characters and motions from files: what is read is what was meant, and damage is no danger.

mod bvh;
mod damage;
mod describe;
#[cfg(feature = "fbx")]
mod fbx;
mod gltf;
mod makehuman;
mod sample;
mod write;

use std::path::PathBuf;
use toile_io::character::{self, CharacterFile, Motion, Options};
use toile_io::formats::Error;

/// A file in a folder of its own.
fn file(name: &str, content: impl AsRef<[u8]>) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    (folder, path)
}

fn read(content: impl AsRef<[u8]>) -> Result<CharacterFile, Error> {
    let (_folder, path) = file("figure.glb", content);
    character::read(&path, &Options::default())
}

fn read_bvh(content: impl AsRef<[u8]>) -> Result<Motion, Error> {
    let (_folder, path) = file("walk.bvh", content);
    character::read_bvh(&path)
}
