//! Triangles as files hold them, made into a mesh that can be cloth.
//!
//! Repaired, and listed in [`Repairs`]: vertices that lie at one place are welded (files split them
//! where texture coordinates or normals differ; texture coordinates stay with the corners, so a
//! seam remains one); triangles without area, repeated triangles and vertices of no triangle are
//! left out; triangles that look to the other side than their neighbours are turned over. Pieces
//! that touch in one point stay joined there, as a ribbon tied to a corner would be.
//!
//! Refused, with the triangles named: numbers that are none, edges of more than two triangles,
//! bands with a single side, and triangles without area whose loss would open a slit. What these
//! were meant to be cannot be known.
//!
//! Vertices and triangles that remain keep their order. All names are those of the input.

mod orient;
mod report;
mod weld;

pub use report::{Repairs, Triangles};

use crate::Bounds;
use crate::sides::{self, Side};
use glam::{DVec2, DVec3};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use thiserror::Error;

/// Triangles with nothing known about how they fit together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Soup {
    /// Vertex positions, m.
    pub positions: Vec<DVec3>,
    /// Three vertices a triangle.
    pub triangles: Vec<[u32; 3]>,
    /// Texture coordinates of the corners of every triangle.
    pub uvs: Option<Vec<[DVec2; 3]>>,
}

/// Why a soup was refused.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum RepairError {
    /// Texture coordinates that do not fit.
    #[error("{triangles} triangles, but texture coordinates of {uvs}")]
    Lengths {
        /// Number of triangles.
        triangles: usize,
        /// Number of triangles with texture coordinates.
        uvs: usize,
    },
    /// A distance that is none.
    #[error("the weld distance is {0} m; expected a number from 0 on")]
    Distance(f64),
    /// Corners that do not exist.
    #[error("vertices that do not exist (there are {count}) in {triangles}")]
    OutOfRange {
        /// Number of vertices.
        count: usize,
        /// Their triangles.
        triangles: Triangles,
    },
    /// Coordinates that are infinite, not a number, or beyond all reason.
    #[error("coordinates that are not finite, or beyond {LARGEST:e}, in {triangles}")]
    NotFinite {
        /// Their triangles.
        triangles: Triangles,
    },
    /// Nothing left.
    #[error("no triangle with an area")]
    Empty,
    /// Triangles without area between others, with three different corners.
    #[error(
        "no area, but three corners and a neighbour along the longest side: {triangles}; \
         without them there would be a slit"
    )]
    Slits {
        /// The triangles.
        triangles: Triangles,
    },
    /// Edges of more than two triangles.
    #[error("{edges} edges with more than two triangles: {triangles}")]
    NonManifold {
        /// How many such edges there are.
        edges: usize,
        /// Their triangles, edge by edge.
        triangles: Triangles,
    },
    /// A piece with a single side, like a Möbius strip.
    #[error("no consistent front along the loop of {triangles}")]
    NonOrientable {
        /// A loop of triangles that comes back turned over.
        triangles: Triangles,
    },
}

/// Coordinates beyond this have no finite squares of squares.
const LARGEST: f64 = 1e60;

/// How flat a triangle may be: height over longest side. Below, rounding decides its shape.
const FLATTEST: f64 = 1e-9;

impl Soup {
    /// The weld distance for a file that says nothing of its precision: a millionth of the size of
    /// the used part, a few times the rounding of single precision.
    pub fn default_weld_m(&self) -> f64 {
        let used = self.triangles.iter().flatten();
        let used = used.filter_map(|&v| self.positions.get(v as usize));
        let bounds = Bounds::of(used.filter(|p| p.is_finite()));
        let size_m = (bounds.max - bounds.min).length();
        if size_m.is_finite() {
            1e-6 * size_m
        } else {
            0.0
        }
    }

    /// A mesh whose neighbours fit together, and what it took. Vertices within `weld_m` of each
    /// other become one; triangles that are no higher than that have no area. `None` welds nothing.
    pub fn repaired(&self, weld_m: Option<f64>) -> Result<(Self, Repairs), RepairError> {
        self.check(weld_m)?;
        let mut repairs = Repairs::default();
        let first = match weld_m {
            Some(distance_m) => weld::weld(&self.positions, &self.used(), distance_m),
            None => (0..self.positions.len() as u32).collect(),
        };
        let welded = first.iter().enumerate().filter(|(v, f)| *v as u32 != **f);
        repairs.welded = welded.map(|(vertex, _)| vertex as u32).collect();
        let corners = |t: &[u32; 3]| t.map(|v| first[v as usize]);
        let mut triangles: Vec<[u32; 3]> = self.triangles.iter().map(corners).collect();
        self.leave_out(&mut triangles, weld_m.unwrap_or(0.0), &mut repairs)?;
        let names = &repairs.triangles;
        let pairs = check_edges(&triangles, names)?;
        let turned = orient::orient(&triangles, &pairs, names)?;
        let mut uvs = self.uvs.as_ref().map(|uvs| {
            let kept = names.iter().map(|t| uvs[*t as usize]);
            kept.collect::<Vec<_>>()
        });
        for &triangle in &turned {
            triangles[triangle as usize].swap(1, 2);
            if let Some(uvs) = &mut uvs {
                uvs[triangle as usize].swap(1, 2);
            }
        }
        repairs.turned = turned.iter().map(|t| names[*t as usize]).collect();
        repairs.touching = touching(&triangles, &pairs);
        let positions = self.leave_out_vertices(&mut triangles, &first, &mut repairs);
        let soup = Self {
            positions,
            triangles,
            uvs,
        };
        Ok((soup, repairs))
    }

    fn check(&self, weld_m: Option<f64>) -> Result<(), RepairError> {
        if let Some(uvs) = self.uvs.as_ref().map(Vec::len)
            && uvs != self.triangles.len()
        {
            let triangles = self.triangles.len();
            return Err(RepairError::Lengths { triangles, uvs });
        }
        if let Some(distance) = weld_m.filter(|d| !(d.is_finite() && *d >= 0.0)) {
            return Err(RepairError::Distance(distance));
        }
        let count = self.positions.len();
        let named = |wrong: &dyn Fn(usize) -> bool| -> Triangles {
            let triangles = 0..self.triangles.len();
            triangles.filter(|t| wrong(*t)).map(|t| t as u32).collect()
        };
        let triangles = named(&|t| self.triangles[t].iter().any(|v| *v as usize >= count));
        if !triangles.0.is_empty() {
            return Err(RepairError::OutOfRange { count, triangles });
        }
        // What no triangle uses is left out, whatever it is.
        let sound = |numbers: &[f64]| numbers.iter().all(|n| n.abs() <= LARGEST);
        let triangles = named(&|t| {
            let corners = self.triangles[t].map(|v| self.positions[v as usize]);
            let uvs = self.uvs.as_ref().map_or([DVec2::ZERO; 3], |uvs| uvs[t]);
            !(corners.iter().all(|p| sound(&p.to_array()))
                && uvs.iter().all(|uv| sound(&uv.to_array())))
        });
        match triangles.0.is_empty() {
            true => Ok(()),
            false => Err(RepairError::NotFinite { triangles }),
        }
    }

    /// Of every vertex, whether a triangle uses it.
    fn used(&self) -> Vec<bool> {
        let mut used = vec![false; self.positions.len()];
        for &vertex in self.triangles.iter().flatten() {
            used[vertex as usize] = true;
        }
        used
    }

    /// Leaves out triangles without area and repeated ones.
    fn leave_out(
        &self,
        triangles: &mut Vec<[u32; 3]>,
        flat_m: f64,
        repairs: &mut Repairs,
    ) -> Result<(), RepairError> {
        let sides = sides::sorted(triangles);
        let has_neighbour = |triangle: usize, edge: [u32; 2]| {
            let from = sides.partition_point(|side| side.edge < edge);
            let on_edge = sides[from..].iter().take_while(|side| side.edge == edge);
            { on_edge }.any(|side| side.triangle as usize != triangle)
        };
        let mut slits = Vec::new();
        let mut seen = HashSet::with_capacity(triangles.len());
        let mut kept = Vec::with_capacity(triangles.len());
        for (name, corners) in triangles.iter().enumerate() {
            let [a, b, c] = *corners;
            let repeats = a == b || b == c || c == a;
            let flat_along = self.flat_along(corners, flat_m);
            if !repeats && flat_along.is_some_and(|edge| has_neighbour(name, edge)) {
                slits.push(name as u32);
            } else if repeats || flat_along.is_some() {
                repairs.degenerate.0.push(name as u32);
            } else {
                let mut key = *corners;
                key.sort_unstable();
                if seen.insert(key) {
                    kept.push(*corners);
                    repairs.triangles.push(name as u32);
                } else {
                    repairs.repeated.0.push(name as u32);
                }
            }
        }
        if !slits.is_empty() {
            let triangles = Triangles(slits);
            return Err(RepairError::Slits { triangles });
        }
        *triangles = kept;
        match triangles.is_empty() {
            true => Err(RepairError::Empty),
            false => Ok(()),
        }
    }

    /// The longest side of a triangle that is no higher than `flat_m` above it.
    fn flat_along(&self, corners: &[u32; 3], flat_m: f64) -> Option<[u32; 2]> {
        let [a, b, c] = corners.map(|v| self.positions[v as usize]);
        let twice_area = (b - a).cross(c - a).length();
        let lengths = [b.distance(c), c.distance(a), a.distance(b)];
        let longest = lengths[0].max(lengths[1]).max(lengths[2]);
        let is_flat = twice_area <= longest * flat_m.max(FLATTEST * longest);
        let opposite = (0..3).find(|&k| lengths[k] == longest)?;
        let [p, q] = [1, 2].map(|k| corners[(opposite + k) % 3]);
        is_flat.then_some([p.min(q), p.max(q)])
    }

    /// Numbers the vertices that are used, and returns their positions.
    fn leave_out_vertices(
        &self,
        triangles: &mut [[u32; 3]],
        first: &[u32],
        repairs: &mut Repairs,
    ) -> Vec<DVec3> {
        let mut used = vec![false; self.positions.len()];
        for &vertex in triangles.iter().flatten() {
            used[vertex as usize] = true;
        }
        let mut positions = Vec::new();
        let mut number = vec![None; self.positions.len()];
        for (vertex, position) in self.positions.iter().enumerate() {
            if used[vertex] {
                number[vertex] = Some(positions.len() as u32);
                positions.push(*position);
            } else if !used[first[vertex] as usize] {
                repairs.isolated.push(vertex as u32);
            }
        }
        for vertex in triangles.iter_mut().flatten() {
            *vertex = number[*vertex as usize].unwrap_or_default();
        }
        repairs.vertices = first.iter().map(|v| number[*v as usize]).collect();
        positions
    }
}

/// The pairs of neighbours, if no edge has more than two triangles.
fn check_edges(triangles: &[[u32; 3]], names: &[u32]) -> Result<Vec<[Side; 2]>, RepairError> {
    let sides = sides::sorted(triangles);
    let crowded = sides.chunk_by(|a, b| a.edge == b.edge);
    let crowded: Vec<&[Side]> = crowded.filter(|sides| sides.len() > 2).collect();
    if crowded.is_empty() {
        return Ok(sides::pairs(triangles));
    }
    let named = crowded.iter().copied().flatten();
    Err(RepairError::NonManifold {
        edges: crowded.len(),
        triangles: named.map(|side| names[side.triangle as usize]).collect(),
    })
}

/// Vertices whose triangles are not all connected by edges that end there.
fn touching(triangles: &[[u32; 3]], pairs: &[[Side; 2]]) -> Vec<u32> {
    // Corners are joined where two triangles share an edge; a vertex in order is one set of them.
    let corner = |side: &Side, vertex: u32| {
        let corners = triangles[side.triangle as usize];
        let k = corners.iter().position(|v| *v == vertex).unwrap_or(0);
        3 * side.triangle + k as u32
    };
    let joined = pairs.iter().flat_map(|[one, other]| {
        one.edge
            .map(|vertex| [corner(one, vertex), corner(other, vertex)])
    });
    let sets = sides::components(3 * triangles.len(), joined);
    let mut set_of = BTreeMap::new();
    let mut touching = BTreeSet::new();
    for (vertex, set) in triangles.iter().flatten().zip(&sets) {
        if *set_of.entry(*vertex).or_insert(*set) != *set {
            touching.insert(*vertex);
        }
    }
    touching.into_iter().collect()
}
