//! Stable hashes of results: the same bits give the same text on every machine.

use glam::DVec3;
use toile_geometry::character::Character;
use toile_geometry::{Surface, TriMesh};
use toile_sim::colliders::Shape;
use toile_sim::{BodyMotion, BodySpec, ColliderSpec, Frames, Sequence};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// Hash of the bits of all positions and velocities, as 32 hexadecimal digits.
pub fn state_hash(positions: &[DVec3], velocities: &[DVec3]) -> String {
    let mut hasher = Xxh3::new();
    for vectors in [positions, velocities] {
        hasher.update(&(vectors.len() as u64).to_le_bytes());
        for number in vectors.iter().flat_map(|v| v.to_array()) {
            hasher.update(&number.to_le_bytes());
        }
    }
    format!("{:032x}", hasher.digest128())
}

/// Checksum of a surface: its triangles, and their places in the world and in the pattern.
pub(crate) fn surface(surface: &Surface) -> u64 {
    let mut hasher = Xxh3::new();
    for index in surface.mesh.faces.iter().flatten() {
        hasher.update(&index.to_le_bytes());
    }
    let world = surface.mesh.positions.iter().flat_map(|p| p.to_array());
    let rest = surface.rest.iter().flatten().flat_map(|p| p.to_array());
    for number in world.chain(rest) {
        hasher.update(&number.to_le_bytes());
    }
    hasher.digest()
}

/// Checksum of lists of whole numbers.
pub(crate) fn lists(lists: &[Vec<u32>]) -> u64 {
    let mut hasher = Xxh3::new();
    for list in lists {
        hasher.update(&(list.len() as u64).to_le_bytes());
        for number in list {
            hasher.update(&number.to_le_bytes());
        }
    }
    hasher.digest()
}

/// Checksum of a body: its triangles, and their places from frame to frame.
pub(crate) fn body(body: &BodySpec) -> u64 {
    match &body.motion {
        BodyMotion::Rigid(_) => solid(&body.mesh, None),
        BodyMotion::Sequence(sequence) => self::sequence(&body.mesh, sequence),
        BodyMotion::Puppet(puppet) => character(&puppet.character),
    }
}

/// The same of a collider; 0 if it is none of triangles.
pub(crate) fn collider(collider: &ColliderSpec) -> u64 {
    match &collider.shape {
        Shape::LevelSet(level_set) => match level_set.source() {
            Some(source) => source,
            None => solid(level_set.mesh(), level_set.frames()),
        },
        _ => 0,
    }
}

/// Checksum of a character: all that decides how it moves.
pub(crate) fn character(character: &Character) -> u64 {
    let mut hasher = Xxh3::new();
    character.each_number(&mut |bits| hasher.update(&bits.to_le_bytes()));
    hasher.digest()
}

/// Checksum of frames and of what they settle from; when they are played is written in the scene.
pub(crate) fn sequence(mesh: &TriMesh, sequence: &Sequence) -> u64 {
    let frames = solid(mesh, Some(&sequence.frames));
    let Some(rest) = &sequence.rest else {
        return frames;
    };
    let rest: Vec<f64> = rest.iter().flat_map(|p| p.to_array()).collect();
    frames.rotate_left(7) ^ numbers(&rest)
}

fn solid(mesh: &TriMesh, frames: Option<&Frames>) -> u64 {
    let mut hasher = Xxh3::new();
    for index in mesh.faces.iter().flatten() {
        hasher.update(&index.to_le_bytes());
    }
    let frames: &[Vec<DVec3>] = match frames {
        None => std::slice::from_ref(&mesh.positions),
        Some(frames) => &frames.positions,
    };
    for number in frames.iter().flatten().flat_map(|p| p.to_array()) {
        hasher.update(&number.to_le_bytes());
    }
    hasher.digest()
}

/// Checksum of numbers, bit by bit.
pub(crate) fn numbers(numbers: &[f64]) -> u64 {
    let mut hasher = Xxh3::new();
    for number in numbers {
        hasher.update(&number.to_le_bytes());
    }
    hasher.digest()
}

/// Checksum of bytes.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_counts() {
        let positions = [DVec3::new(1.0, 2.0, 3.0), DVec3::ZERO];
        let hash = state_hash(&positions, &[DVec3::X; 2]);
        assert_eq!(hash.len(), 32);
        assert_eq!(hash, state_hash(&positions, &[DVec3::X; 2]));
        let mut moved = positions;
        moved[1].z = f64::from_bits(1);
        assert_ne!(hash, state_hash(&moved, &[DVec3::X; 2]));
        assert_ne!(hash, state_hash(&positions, &[DVec3::Y; 2]));
        // What belongs to which list counts too.
        assert_ne!(
            state_hash(&positions, &[]),
            state_hash(&positions[..1], &positions[1..])
        );
    }

    #[test]
    fn the_hash_never_changes_between_versions() {
        assert_eq!(
            state_hash(&[DVec3::new(1.0, -2.5, 0.0)], &[DVec3::ZERO]),
            "3251f5cd3202a704fce7dc84600367a5"
        );
    }
}
