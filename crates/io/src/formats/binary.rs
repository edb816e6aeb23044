//! Binary files read by place, never beyond their end.

use super::{Error, Place};
use glam::Vec3;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// An open file that knows its size.
#[derive(Debug)]
pub(super) struct Binary {
    path: PathBuf,
    file: File,
    length: u64,
}

impl Binary {
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        let file = File::open(path).map_err(Error::io(path))?;
        let length = file.metadata().map_err(Error::io(path))?.len();
        Ok(Self {
            path: path.to_owned(),
            file,
            length,
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Size in bytes.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// What stands at byte `at` is wrong.
    pub(super) fn malformed(
        &self,
        at: u64,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Error {
        Error::malformed(&self.path, Place::Byte(at), expected, found)
    }

    /// The file must hold `bytes` from `at` on; `None` is more than can be counted.
    pub(super) fn require(&self, at: u64, bytes: Option<u64>, what: &str) -> Result<(), Error> {
        match bytes.and_then(|bytes| at.checked_add(bytes)) {
            Some(end) if end <= self.length => Ok(()),
            _ => {
                let left = self.length.saturating_sub(at);
                let needed = bytes.map_or("more".to_owned(), |bytes| bytes.to_string());
                let expected = format!("{what} ({needed} bytes)");
                Err(self.malformed(at, expected, format!("{left} bytes to the end of the file")))
            }
        }
    }

    /// `bytes` bytes from `at` on.
    pub(super) fn read(&mut self, at: u64, bytes: u64, what: &str) -> Result<Vec<u8>, Error> {
        self.require(at, Some(bytes), what)?;
        let mut data = vec![0; bytes as usize];
        self.file
            .seek(SeekFrom::Start(at))
            .and_then(|_| self.file.read_exact(&mut data))
            .map_err(Error::io(&self.path))?;
        Ok(data)
    }

    /// `N` bytes at `at`.
    pub(super) fn array<const N: usize>(&mut self, at: u64, what: &str) -> Result<[u8; N], Error> {
        let bytes = self.read(at, N as u64, what)?;
        let mut array = [0; N];
        array.copy_from_slice(&bytes);
        Ok(array)
    }
}

/// Bytes as vectors of three numbers each.
pub(super) fn vectors(bytes: &[u8], number: fn([u8; 4]) -> f32) -> Vec<Vec3> {
    let (numbers, _) = bytes.as_chunks::<4>();
    let (triples, _) = numbers.as_chunks::<3>();
    triples.iter().map(|v| v.map(number).into()).collect()
}

/// Vectors as bytes.
pub(super) fn bytes(vectors: &[Vec3], number: fn(f32) -> [u8; 4]) -> Vec<u8> {
    let numbers = vectors.iter().flat_map(Vec3::to_array);
    numbers.flat_map(number).collect()
}
