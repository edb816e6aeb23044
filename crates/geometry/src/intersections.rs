//! Does anything pass through anything? Exact answers for whole meshes.
//!
//! A mesh is clean when no two faces have a point in common beyond the corners they share.
//! Touching counts, also where two different vertices lie in the same place. A face without area
//! takes part as the segment or point it has become, and is counted besides.
//!
//! The answer depends on nothing but the mesh: same pairs in the same order for any number of
//! threads.

pub mod place;

use crate::bvh::{BoxTree, face_boxes};
use crate::predicates::{MAX_MAGNITUDE, MIN_MAGNITUDE};
use crate::triangle_pair::{Meeting, Shared, Triangle};
use crate::{Bounds, MeshError, TriMesh};
use glam::DVec3;
use rayon::prelude::*;
use thiserror::Error;

/// Two faces that meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FacePair {
    /// The first face: the lower one within a mesh, the one of the first mesh between two.
    pub a: u32,
    /// The second face.
    pub b: u32,
    /// How they meet.
    pub kind: Meeting,
}

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// The first pairs, ordered by face, no more than were asked for.
    pub pairs: Vec<FacePair>,
    /// Number of all pairs that meet.
    pub count: usize,
    /// The same by how they meet.
    pub kinds: Kinds,
    /// Number of pairs with overlapping boxes, each decided by exact arithmetic.
    pub tested: usize,
    /// Number of faces whose area is exactly zero.
    pub degenerate_faces: usize,
}

/// Pairs by how they meet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kinds {
    /// Their insides pass through each other.
    pub crossing: usize,
    /// They meet only where one of them ends.
    pub touching: usize,
    /// They lie in one plane.
    pub coplanar: usize,
    /// They have the same corners.
    pub duplicate: usize,
}

impl Kinds {
    fn add(&mut self, kind: Meeting) {
        *match kind {
            Meeting::Crossing => &mut self.crossing,
            Meeting::Touching => &mut self.touching,
            Meeting::Coplanar => &mut self.coplanar,
            Meeting::Duplicate => &mut self.duplicate,
        } += 1;
    }

    fn plus(self, other: Self) -> Self {
        Self {
            crossing: self.crossing + other.crossing,
            touching: self.touching + other.touching,
            coplanar: self.coplanar + other.coplanar,
            duplicate: self.duplicate + other.duplicate,
        }
    }
}

impl Findings {
    /// Whether no two faces meet.
    pub fn is_clean(&self) -> bool {
        self.count == 0
    }

    /// Adds the pairs of later faces.
    fn followed_by(mut self, later: Self, keep: usize) -> Self {
        let room = keep.saturating_sub(self.pairs.len());
        self.pairs.extend(later.pairs.into_iter().take(room));
        self.count += later.count;
        self.kinds = self.kinds.plus(later.kinds);
        self.tested += later.tested;
        self
    }
}

/// Why a mesh could not be checked.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum CheckError {
    /// The mesh is broken.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The coordinates differ so much in size that products of them would underflow.
    #[error(
        "vertex {vertex} has the coordinate {value:e}, too small beside the largest, {largest:e}, \
         for exact arithmetic"
    )]
    Span {
        /// Which vertex, counted from 0.
        vertex: usize,
        /// The coordinate.
        value: f64,
        /// The largest magnitude of any coordinate.
        largest: f64,
    },
}

/// Why two meshes could not be checked against each other.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum PairCheckError {
    /// The first mesh cannot be checked.
    #[error("first mesh: {0}")]
    First(#[source] CheckError),
    /// The second mesh cannot be checked.
    #[error("second mesh: {0}")]
    Second(#[source] CheckError),
}

/// Finds all pairs of faces of `mesh` that meet, and keeps the first `keep` of them.
///
/// Refuses broken meshes, and coordinates that span more than a factor of 2⁵⁴⁹ (about 2e165) from
/// the largest to the smallest that is not zero.
pub fn self_intersections(mesh: &TriMesh, keep: usize) -> Result<Findings, CheckError> {
    mesh.validate()?;
    let soup = Soup::new(mesh, largest_coordinate(mesh))?;
    let tree = BoxTree::build(&soup.boxes);
    let later_faces = |a: u32| {
        let boxes = tree.overlapping(&soup.boxes[a as usize]);
        boxes.filter(move |&b| b > a)
    };
    let meets = |a: u32, b: u32| {
        let (a, b) = (a as usize, b as usize);
        let shared = Shared::of(mesh.faces[a], mesh.faces[b]);
        soup.triangles[a].meets(&soup.triangles[b], shared)
    };
    Ok(Findings {
        degenerate_faces: soup.degenerate_faces(),
        ..gather(mesh.faces.len(), keep, later_faces, meets)
    })
}

/// Finds all pairs of a face of `first` and a face of `second` that meet, and keeps the first
/// `keep` of them.
///
/// Degenerate faces of both meshes are counted. Refuses what [`self_intersections`] refuses, the
/// span taken over both meshes.
pub fn intersections_between(
    first: &TriMesh,
    second: &TriMesh,
    keep: usize,
) -> Result<Findings, PairCheckError> {
    use PairCheckError::{First, Second};
    first.validate().map_err(|e| First(e.into()))?;
    second.validate().map_err(|e| Second(e.into()))?;
    let largest = largest_coordinate(first).max(largest_coordinate(second));
    let soup = Soup::new(first, largest).map_err(First)?;
    let other = Soup::new(second, largest).map_err(Second)?;
    let tree = BoxTree::build(&other.boxes);
    let other_faces = |a: u32| tree.overlapping(&soup.boxes[a as usize]);
    let meets = |a: u32, b: u32| {
        soup.triangles[a as usize].meets(&other.triangles[b as usize], Shared::Nothing)
    };
    Ok(Findings {
        degenerate_faces: soup.degenerate_faces() + other.degenerate_faces(),
        ..gather(first.faces.len(), keep, other_faces, meets)
    })
}

/// Tests every face against its candidates. Holds no list of candidates, and of the pairs that
/// meet no more than `keep` a thread, so a hopelessly tangled mesh does not exhaust memory.
fn gather<I: Iterator<Item = u32>>(
    faces: usize,
    keep: usize,
    candidates: impl Fn(u32) -> I + Sync,
    meets: impl Fn(u32, u32) -> Option<Meeting> + Sync,
) -> Findings {
    let of_face = |a: u32| {
        let mut found = Findings::default();
        for b in candidates(a) {
            found.tested += 1;
            if let Some(kind) = meets(a, b) {
                found.count += 1;
                found.kinds.add(kind);
                found.pairs.push(FacePair { a, b, kind });
            }
        }
        found.pairs.sort_unstable();
        found
    };
    (0..faces as u32)
        .into_par_iter()
        .with_min_len(64)
        .fold(Findings::default, |found, a| {
            found.followed_by(of_face(a), keep)
        })
        .reduce(Findings::default, |found, later| {
            found.followed_by(later, keep)
        })
}

/// The faces of a mesh, each on its own, scaled into the range of the exact tests.
struct Soup {
    triangles: Vec<Triangle>,
    boxes: Vec<Bounds>,
}

impl Soup {
    /// Scales so that the magnitude `largest` just fits.
    fn new(mesh: &TriMesh, largest: f64) -> Result<Self, CheckError> {
        let scale = scale_for(largest);
        let positions: Vec<DVec3> = mesh.positions.iter().map(|&p| p * scale).collect();
        for (vertex, p) in mesh.positions.iter().enumerate() {
            let too_small = |x: &f64| *x != 0.0 && (x * scale).abs() < MIN_MAGNITUDE;
            if let Some(value) = p.to_array().into_iter().find(too_small) {
                return Err(CheckError::Span {
                    vertex,
                    value,
                    largest,
                });
            }
        }
        let corners = |face: &[u32; 3]| face.map(|v| positions[v as usize]);
        Ok(Self {
            triangles: (mesh.faces.par_iter())
                .map(|face| Triangle::new(corners(face)))
                .collect(),
            boxes: face_boxes(&positions, &mesh.faces),
        })
    }

    fn degenerate_faces(&self) -> usize {
        self.triangles.iter().filter(|t| t.is_degenerate()).count()
    }
}

/// The largest magnitude of any coordinate.
fn largest_coordinate(mesh: &TriMesh) -> f64 {
    (mesh.positions.iter()).fold(0.0, |m, p| p.abs().max_element().max(m))
}

/// A power of two, so that scaling does not round, which takes `largest` to below
/// [`MAX_MAGNITUDE`], and no further down than half of it unless `largest` is minute.
fn scale_for(largest: f64) -> f64 {
    let exponent_of = |x: f64| ((x.to_bits() >> 52) & 0x7ff) as i64 - 1023;
    let exponent = exponent_of(MAX_MAGNITUDE) - 1 - exponent_of(largest);
    f64::from_bits(((exponent.min(1000) + 1023) as u64) << 52)
}
