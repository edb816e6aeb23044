//! Checkpoints: the whole state of a run in one file that cannot be misread.
//!
//! Little-endian throughout: magic, version, fingerprint of the scene, then the snapshot as
//! counted lists, then a checksum of all before it. A reader checks the checksum, and every count
//! against the bytes that are left, so a damaged file is refused and never makes it allocate.

use crate::{atomic, hash};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

const MAGIC: [u8; 8] = *b"TOILE\0CP";
/// Raised whenever a snapshot has other lists: 2 says of contacts how deep they are.
const VERSION: u32 = 2;
const CHECKSUM_BYTES: usize = 8;

/// A state as named lists of numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// Frames done.
    pub frame: u64,
    /// Steps done.
    pub step: u64,
    /// Simulated time, s.
    pub time_s: f64,
    /// Real numbers, kept to the bit.
    pub arrays: Vec<(String, Vec<f64>)>,
    /// Whole numbers.
    pub integers: Vec<(String, Vec<i64>)>,
}

/// Why a checkpoint was refused.
#[derive(Debug, Error)]
pub enum Error {
    /// The file system refused.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is not one this program can use.
    #[error("{path}: {damage}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        damage: Damage,
    },
}

/// What is wrong with a checkpoint.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Damage {
    /// Another kind of file.
    #[error("not a Toile checkpoint")]
    NotACheckpoint,
    /// Written by another version of the format.
    #[error(
        "written by {age} Toile: checkpoint format {0}, and this one reads format {VERSION}",
        age = if *_0 < VERSION { "an older" } else { "a newer" }
    )]
    Version(u32),
    /// The end is missing.
    #[error("the checkpoint is cut short")]
    Truncated,
    /// Bytes have changed since it was written.
    #[error("the checkpoint is damaged: its checksum does not match")]
    Checksum,
    /// A count or a name makes no sense.
    #[error("the checkpoint is damaged: {0}")]
    Layout(&'static str),
    /// It belongs to a scene that moves differently.
    #[error("the checkpoint belongs to another scene, or the scene has changed since")]
    OtherScene,
}

/// Writes `snapshot` of the scene with this fingerprint.
pub fn write(path: &Path, fingerprint: u64, snapshot: &Snapshot) -> Result<(), Error> {
    let bytes = encode(fingerprint, snapshot);
    atomic::write(path, |file| {
        file.write_all(&bytes)?;
        // A run resumes from this file after a power cut, so it must be on disk before its name.
        file.flush()?;
        file.get_ref().sync_all()
    })
    .map_err(|source| Error::Io {
        path: path.to_owned(),
        source,
    })
}

/// Reads the snapshot of the scene with this fingerprint.
pub fn read(path: &Path, fingerprint: u64) -> Result<Snapshot, Error> {
    let (found, snapshot) = read_any(path)?;
    if found != fingerprint {
        return Err(Error::Damaged {
            path: path.to_owned(),
            damage: Damage::OtherScene,
        });
    }
    Ok(snapshot)
}

/// Reads the snapshot of whatever scene it belongs to: to look at, not to go on from.
pub fn inspect(path: &Path) -> Result<Snapshot, Error> {
    read_any(path).map(|(_, snapshot)| snapshot)
}

/// The fingerprint of the scene, and the snapshot.
fn read_any(path: &Path) -> Result<(u64, Snapshot), Error> {
    let bytes = fs::read(path).map_err(|source| Error::Io {
        path: path.to_owned(),
        source,
    })?;
    decode(&bytes).map_err(|damage| Error::Damaged {
        path: path.to_owned(),
        damage,
    })
}

fn encode(fingerprint: u64, snapshot: &Snapshot) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(fingerprint.to_le_bytes());
    bytes.extend(snapshot.frame.to_le_bytes());
    bytes.extend(snapshot.step.to_le_bytes());
    bytes.extend(snapshot.time_s.to_le_bytes());
    put_lists(&mut bytes, &snapshot.arrays, |x| x.to_le_bytes());
    put_lists(&mut bytes, &snapshot.integers, |x| x.to_le_bytes());
    bytes.extend(hash::checksum(&bytes).to_le_bytes());
    bytes
}

fn put_lists<T: Copy>(
    bytes: &mut Vec<u8>,
    lists: &[(String, Vec<T>)],
    to_bytes: impl Fn(T) -> [u8; 8],
) {
    bytes.extend((lists.len() as u64).to_le_bytes());
    for (name, values) in lists {
        bytes.extend((name.len() as u64).to_le_bytes());
        bytes.extend(name.as_bytes());
        bytes.extend((values.len() as u64).to_le_bytes());
        bytes.extend(values.iter().flat_map(|&x| to_bytes(x)));
    }
}

fn decode(bytes: &[u8]) -> Result<(u64, Snapshot), Damage> {
    let mut cursor = Cursor { rest: bytes };
    if cursor.take(MAGIC.len()).ok() != Some(&MAGIC[..]) {
        return Err(Damage::NotACheckpoint);
    }
    let version = u32::from_le_bytes(cursor.array()?);
    if version != VERSION {
        return Err(Damage::Version(version));
    }
    let body = bytes.len().saturating_sub(CHECKSUM_BYTES);
    let (body, checksum) = bytes.split_at(body);
    if checksum != hash::checksum(body).to_le_bytes() {
        // Whether the end is missing or bytes have changed makes no difference but to the reader
        // of the message: where the counts ask for more than is there, it was cut.
        return Err(match cursor.snapshot() {
            Ok(_) if cursor.rest.len() >= CHECKSUM_BYTES => Damage::Checksum,
            Err(Damage::Layout(_)) => Damage::Checksum,
            _ => Damage::Truncated,
        });
    }
    let header = bytes.len() - cursor.rest.len();
    cursor.rest = body.get(header..).ok_or(Damage::Truncated)?;
    let found = cursor.snapshot()?;
    if !cursor.rest.is_empty() {
        return Err(Damage::Layout("bytes follow its end"));
    }
    Ok(found)
}

/// What is left to read.
struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Damage> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(Damage::Truncated)?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Damage> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or(Damage::Truncated)?;
        self.rest = rest;
        Ok(*taken)
    }

    fn u64(&mut self) -> Result<u64, Damage> {
        self.array().map(u64::from_le_bytes)
    }

    /// A count of things of `size` bytes each, which must still be there.
    fn count(&mut self, size: usize) -> Result<usize, Damage> {
        let count = usize::try_from(self.u64()?).map_err(|_| Damage::Truncated)?;
        let bytes = count.checked_mul(size).ok_or(Damage::Truncated)?;
        if bytes > self.rest.len() {
            return Err(Damage::Truncated);
        }
        Ok(count)
    }

    fn snapshot(&mut self) -> Result<(u64, Snapshot), Damage> {
        let fingerprint = self.u64()?;
        let snapshot = Snapshot {
            frame: self.u64()?,
            step: self.u64()?,
            time_s: f64::from_le_bytes(self.array()?),
            arrays: self.lists(f64::from_le_bytes)?,
            integers: self.lists(i64::from_le_bytes)?,
        };
        Ok((fingerprint, snapshot))
    }

    fn lists<T>(&mut self, from_bytes: fn([u8; 8]) -> T) -> Result<Vec<(String, Vec<T>)>, Damage> {
        // A list is at least its two counts.
        let lists = self.count(16)?;
        (0..lists)
            .map(|_| {
                let length = self.count(1)?;
                let name = std::str::from_utf8(self.take(length)?)
                    .map_err(|_| Damage::Layout("a name is not text"))?
                    .to_owned();
                let count = self.count(8)?;
                let (values, _) = self.take(8 * count)?.as_chunks();
                Ok((name, values.iter().map(|&v| from_bytes(v)).collect()))
            })
            .collect()
    }
}
