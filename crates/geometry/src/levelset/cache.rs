//! Fields as bytes and in files: what takes long to make is made once.
//!
//! All numbers are little-endian. A file is a mark, the version of this format, a key, the length and
//! the checksum of what follows, and then that: a kind, and the field. The key says what the field was
//! made from ([`key`]); a reader that wants another refuses it. Nothing in a file is trusted: lengths
//! are held against the bytes there are before memory is taken.

use super::lattice::Lattice;
use super::octree::{DIVIDED, NODES};
use super::{CacheError, Coarsening, Field, Grid, Octree, Sequence, Settings, Solid};
use glam::DVec3;
use std::path::Path;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

const MARK: [u8; 8] = *b"toileSDF";
/// Version of the format, and of how fields are made.
pub const VERSION: u32 = 2;

/// Checksum of all that a field depends on: triangles, poses, velocities, settings.
pub fn key(
    solid: &Solid,
    poses: &[&[DVec3]],
    settings: &Settings,
    coarsening: Option<&Coarsening>,
) -> u64 {
    let mut hasher = Xxh3::new();
    for index in solid.faces().iter().flatten() {
        hasher.update(&index.to_le_bytes());
    }
    for pose in poses {
        hasher.update(&(pose.len() as u64).to_le_bytes());
        for number in pose.iter().flat_map(|p| p.to_array()) {
            hasher.update(&number.to_le_bytes());
        }
    }
    let sparse = coarsening.map(|c| [c.tolerance_m, c.near_m, c.growth, f64::from(c.levels)]);
    let full = [
        settings.cell_m,
        settings.band_cells,
        settings.margin_cells,
        settings.reach_m,
    ];
    for number in full.into_iter().chain(sparse.into_iter().flatten()) {
        hasher.update(&number.to_le_bytes());
    }
    hasher.digest()
}

/// A field that can be kept.
pub trait Kept: Sized {
    /// Tells kinds apart.
    const KIND: u8;

    /// Appends the field.
    fn put(&self, out: &mut Vec<u8>);

    /// Takes it back.
    fn take(from: &mut Reader) -> Result<Self, CacheError>;
}

/// A field as bytes.
pub fn to_bytes<T: Kept>(field: &T, key: u64) -> Vec<u8> {
    let mut body = vec![T::KIND];
    field.put(&mut body);
    let mut out = Vec::with_capacity(body.len() + 36);
    out.extend(MARK);
    out.extend(VERSION.to_le_bytes());
    out.extend(key.to_le_bytes());
    out.extend((body.len() as u64).to_le_bytes());
    out.extend(xxh3_64(&body).to_le_bytes());
    out.extend(body);
    out
}

/// The field in `bytes`, if it is whole and has the right key.
pub fn from_bytes<T: Kept>(bytes: &[u8], key: u64) -> Result<T, CacheError> {
    let mut reader = Reader { bytes };
    if reader.array::<8>().ok() != Some(MARK) {
        return Err(CacheError::Foreign);
    }
    let found = u32::from_le_bytes(reader.array()?);
    if found != VERSION {
        let expected = VERSION;
        return Err(CacheError::Version { found, expected });
    }
    let found = u64::from_le_bytes(reader.array()?);
    let length = u64::from_le_bytes(reader.array()?);
    let checksum = u64::from_le_bytes(reader.array()?);
    if length != reader.bytes.len() as u64 {
        return Err(CacheError::Damaged("its length is not what it says"));
    }
    if checksum != xxh3_64(reader.bytes) {
        return Err(CacheError::Damaged("the checksum does not fit"));
    }
    if found != key {
        let expected = key;
        return Err(CacheError::Stale { found, expected });
    }
    if reader.array::<1>()? != [T::KIND] {
        return Err(CacheError::Kind);
    }
    let field = T::take(&mut reader)?;
    if !reader.bytes.is_empty() {
        return Err(CacheError::Damaged("something follows the field"));
    }
    Ok(field)
}

/// Writes a field: under another name first, so that a file is there whole or not at all.
pub fn write<T: Kept>(path: &Path, field: &T, key: u64) -> Result<(), CacheError> {
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(".part");
    std::fs::write(&unfinished, to_bytes(field, key))?;
    Ok(std::fs::rename(&unfinished, path)?)
}

/// Reads a field.
pub fn read<T: Kept>(path: &Path, key: u64) -> Result<T, CacheError> {
    from_bytes(&std::fs::read(path)?, key)
}

/// Bytes that are yet to be read.
pub struct Reader<'a> {
    bytes: &'a [u8],
}

impl Reader<'_> {
    fn array<const N: usize>(&mut self) -> Result<[u8; N], CacheError> {
        let (first, rest) =
            (self.bytes.split_first_chunk()).ok_or(CacheError::Damaged("it ends early"))?;
        self.bytes = rest;
        Ok(*first)
    }

    fn number(&mut self) -> Result<f64, CacheError> {
        Ok(f64::from_le_bytes(self.array()?))
    }

    /// A list of records of `N` bytes.
    fn list<const N: usize, T>(
        &mut self,
        record: impl Fn([u8; N]) -> T,
    ) -> Result<Vec<T>, CacheError> {
        let count = u64::from_le_bytes(self.array()?);
        if count > (self.bytes.len() / N) as u64 {
            return Err(CacheError::Damaged("a list is longer than the file"));
        }
        (0..count).map(|_| Ok(record(self.array()?))).collect()
    }

    fn floats(&mut self) -> Result<Vec<f32>, CacheError> {
        self.list(f32::from_le_bytes)
    }
}

fn put_list<const N: usize>(out: &mut Vec<u8>, records: impl ExactSizeIterator<Item = [u8; N]>) {
    out.extend((records.len() as u64).to_le_bytes());
    records.for_each(|record| out.extend(record));
}

fn put_floats(out: &mut Vec<u8>, floats: &[f32]) {
    put_list(out, floats.iter().map(|x| x.to_le_bytes()));
}

/// Records of `N` numbers each.
fn grouped<T: Copy, const N: usize>(flat: &[T]) -> Result<Vec<[T; N]>, CacheError> {
    match flat.as_chunks() {
        (groups, []) => Ok(groups.to_vec()),
        _ => Err(CacheError::Damaged(
            "a list is cut in the middle of a record",
        )),
    }
}

fn put_lattice(out: &mut Vec<u8>, lattice: &Lattice) {
    out.extend(lattice.first.iter().flat_map(|x| x.to_le_bytes()));
    out.extend(lattice.counts.iter().flat_map(|x| x.to_le_bytes()));
    out.extend(lattice.cell_m.to_le_bytes());
}

fn take_lattice(from: &mut Reader) -> Result<Lattice, CacheError> {
    let mut three = || -> Result<[[u8; 4]; 3], CacheError> {
        Ok([from.array()?, from.array()?, from.array()?])
    };
    let first = three()?.map(i32::from_le_bytes);
    let counts = three()?.map(u32::from_le_bytes);
    let cell_m = from.number()?;
    let nodes = counts.iter().map(|c| u128::from(*c)).product::<u128>();
    let sound = counts.iter().all(|c| *c >= 2) && nodes <= u128::from(u32::MAX);
    if !(sound && cell_m.is_finite() && cell_m > 0.0) {
        return Err(CacheError::Damaged("its grid is none"));
    }
    Ok(Lattice {
        first,
        counts,
        cell_m,
    })
}

fn all_finite(numbers: &[f32]) -> Result<(), CacheError> {
    match numbers.iter().all(|x| x.is_finite()) {
        true => Ok(()),
        false => Err(CacheError::Damaged("a number is not finite")),
    }
}

impl Kept for Grid {
    const KIND: u8 = 1;

    fn put(&self, out: &mut Vec<u8>) {
        put_lattice(out, &self.lattice);
        put_floats(out, &self.values);
        put_floats(out, self.velocities.as_flattened());
    }

    fn take(from: &mut Reader) -> Result<Self, CacheError> {
        let lattice = take_lattice(from)?;
        let (values, velocities) = (from.floats()?, from.floats()?);
        all_finite(&values)?;
        all_finite(&velocities)?;
        let velocities = grouped(&velocities)?;
        let nodes = lattice.nodes();
        if values.len() != nodes || !(velocities.is_empty() || velocities.len() == nodes) {
            return Err(CacheError::Damaged("not one value a node"));
        }
        Ok(Self {
            lattice,
            values,
            velocities,
        })
    }
}

impl Kept for Octree {
    const KIND: u8 = 2;

    fn put(&self, out: &mut Vec<u8>) {
        put_lattice(out, &self.finest);
        out.extend(self.levels.to_le_bytes());
        put_list(out, self.cells.iter().map(|x| x.to_le_bytes()));
        put_floats(out, self.values.as_flattened());
        put_floats(out, self.velocities.as_flattened().as_flattened());
    }

    fn take(from: &mut Reader) -> Result<Self, CacheError> {
        let finest = take_lattice(from)?;
        let levels = u32::from_le_bytes(from.array()?);
        let cells = from.list(u32::from_le_bytes)?;
        let (values, velocities) = (from.floats()?, from.floats()?);
        all_finite(&values)?;
        all_finite(&velocities)?;
        let tree = Self {
            finest,
            levels,
            cells,
            values: grouped::<f32, NODES>(&values)?,
            velocities: grouped(&grouped::<f32, 3>(&velocities)?)?,
        };
        match tree.is_sound() {
            true => Ok(tree),
            false => Err(CacheError::Damaged("its cells do not fit together")),
        }
    }
}

impl Octree {
    /// Whether every way down ends at values.
    fn is_sound(&self) -> bool {
        let (values, velocities) = (self.values.len(), self.velocities.len());
        let whole = |nodes: &u32| (nodes - 1).is_multiple_of(1 << self.levels);
        if !(1..=6).contains(&self.levels) || !self.finest.counts.iter().all(whole) {
            return false;
        }
        let roots = self.finest.counts().map(|nodes| (nodes - 1) >> self.levels);
        let mut layer = 0..roots.iter().product::<usize>();
        let mut level = self.levels;
        while !layer.is_empty() {
            let Some(cells) = self.cells.get(layer.clone()) else {
                return false;
            };
            let divided = cells.iter().filter(|cell| **cell & DIVIDED != 0);
            // Parts follow in order.
            let next = layer.end..layer.end + 8 * divided.clone().count();
            let in_order = divided
                .zip(next.clone().step_by(8))
                .all(|(cell, first)| (cell & !DIVIDED) as usize == first);
            let with_values = cells.iter().filter(|cell| **cell & DIVIDED == 0);
            let known = with_values.clone().all(|cell| (*cell as usize) < values);
            if !in_order || !known || (level == 1 && !next.is_empty()) {
                return false;
            }
            level = level.saturating_sub(1);
            layer = next;
        }
        layer.end == self.cells.len() && (velocities == 0 || velocities == values)
    }
}

impl<F: Kept + Field> Kept for Sequence<F> {
    const KIND: u8 = 0x10 | F::KIND;

    fn put(&self, out: &mut Vec<u8>) {
        put_list(out, self.times_s().iter().map(|x| x.to_le_bytes()));
        self.fields().iter().for_each(|field| field.put(out));
    }

    fn take(from: &mut Reader) -> Result<Self, CacheError> {
        let times_s = from.list(f64::from_le_bytes)?;
        let fields: Result<Vec<F>, _> = times_s.iter().map(|_| F::take(from)).collect();
        Self::new(times_s, fields?).map_err(|_| CacheError::Damaged("its times do not ascend"))
    }
}
