//! Frames kept in a file beside the target until their number is known.
//!
//! Formats that begin with totals, or that put all frames of one list or one part together, write
//! here first and put everything in its place at the end.

use super::{Channels, Error, Frame, binary};
use crate::atomic;
use glam::Vec3;
use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Bytes of a vector.
const VECTOR: u64 = 12;

/// A list of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum List {
    Positions,
    Velocities,
    Normals,
    Colours,
}

/// Frames on disk, gone when dropped.
pub(super) struct Staging {
    path: PathBuf,
    file: BufWriter<File>,
    vertices: u64,
    channels: Channels,
    frames: u64,
}

impl Staging {
    /// For frames that will become `target`.
    pub(super) fn create(
        target: &Path,
        vertices: usize,
        channels: Channels,
    ) -> Result<Self, Error> {
        let path = atomic::beside(target, "staging").map_err(Error::io(target))?;
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(&path)
            .map_err(Error::io(target))?;
        Ok(Self {
            path,
            file: BufWriter::new(file),
            vertices: vertices as u64,
            channels,
            frames: 0,
        })
    }

    /// Takes a frame; its lists are as long as they should be.
    pub(super) fn push(&mut self, frame: &Frame) -> Result<(), Error> {
        for list in frame.wanted(self.channels) {
            let bytes = binary::bytes(list, f32::to_le_bytes);
            self.file.write_all(&bytes).map_err(Error::io(&self.path))?;
        }
        self.frames += 1;
        Ok(())
    }

    /// Frames taken.
    pub(super) fn frames(&self) -> u64 {
        self.frames
    }

    /// Part of a list the frames have.
    pub(super) fn read(
        &mut self,
        frame: u64,
        list: List,
        vertices: &Range<usize>,
    ) -> Result<Vec<Vec3>, Error> {
        let Channels {
            velocities,
            normals,
            colours,
        } = self.channels;
        let count = |channels: &[bool]| channels.iter().filter(|there| **there).count() as u64;
        let lists = 1 + count(&[velocities, normals, colours]);
        let before = match list {
            List::Positions => 0,
            List::Velocities => 1,
            List::Normals => 1 + count(&[velocities]),
            List::Colours => 1 + count(&[velocities, normals]),
        };
        let first = (frame * lists + before) * self.vertices + vertices.start as u64;
        let mut bytes = vec![0; vertices.len() * VECTOR as usize];
        // Seeking writes out what is still buffered.
        self.file
            .seek(SeekFrom::Start(first * VECTOR))
            .and_then(|_| self.file.get_mut().read_exact(&mut bytes))
            .map_err(Error::io(&self.path))?;
        Ok(binary::vectors(&bytes, f32::from_le_bytes))
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // Nobody can do anything about what cannot be removed.
        let _ = fs::remove_file(&self.path);
    }
}
