//! Rest shapes for meshes: what every triangle would be, cut out of flat cloth.
//!
//! - [`from_uvs`] takes the texture coordinates of a file as its pattern.
//! - [`from_shape`] takes the mesh as it is: every triangle is laid flat on its own.
//! - [`flatten_charts`] unrolls every connected piece; only what could be cut out of a sheet
//!   without stretching comes out without distortion, and the report says how much there is.
//!
//! Meshes must be repaired first ([`crate::repair`]); every problem names its triangles.

mod charts;
mod conformal;
mod rigid;
mod shape;
mod spread;
mod uvs;

pub use charts::{Chart, flatten_charts};
pub use shape::from_shape;
pub use spread::Spread;
pub use uvs::{UvReport, UvScale, from_uvs};

use crate::{MeshError, TriMesh, Triangles};
use glam::{DVec2, DVec3};
use thiserror::Error;

/// Why there is no rest shape.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum FlattenError {
    /// The mesh is unsound.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// Triangles of the mesh without area.
    #[error("no area in the world: {0}")]
    NoArea(Triangles),
    /// Texture coordinates that do not fit.
    #[error("{triangles} triangles, but texture coordinates of {uvs}")]
    Lengths {
        /// Number of triangles.
        triangles: usize,
        /// Number of triangles with texture coordinates.
        uvs: usize,
    },
    /// A scale that is none.
    #[error("{0} m per unit of texture coordinates; expected a positive number")]
    Scale(f64),
    /// Triangles whose texture coordinates have no area or are not finite.
    #[error("no area in texture coordinates: {0}")]
    NoUvArea(Triangles),
    /// Triangles that are mirrored in a chart whose others are not.
    #[error(
        "mirrored in texture coordinates, but joined to others that are not: {0}; \
         cut the chart where it is folded, or do without texture coordinates"
    )]
    Folded(Triangles),
    /// A piece without a border.
    #[error(
        "a closed surface cannot be laid flat: the piece of {0}; \
         cut it open, or take the 3D shape for the rest shape"
    )]
    Closed(Triangles),
    /// A piece with holes or handles, like a tube.
    #[error(
        "a piece that is no disc cannot be laid flat: {triangles}, with {borders} closed borders; \
         cut it open, or take the 3D shape for the rest shape"
    )]
    NotADisc {
        /// How many closed lines bound it.
        borders: usize,
        /// Its triangles.
        triangles: Triangles,
    },
    /// A piece for which no map was found, or one that folds.
    #[error("laid flat, these would be folded over: {0}; take the 3D shape for the rest shape")]
    Overlap(Triangles),
}

impl FlattenError {
    /// The same error with triangles called as in the file a mesh was repaired from:
    /// [`Repairs::triangles`](crate::Repairs::triangles) are the names.
    pub fn renamed(self, names: &[u32]) -> Self {
        let new = |triangles: Triangles| -> Triangles {
            let known = triangles.0.iter();
            known
                .map(|t| *names.get(*t as usize).unwrap_or(t))
                .collect()
        };
        match self {
            Self::NoArea(triangles) => Self::NoArea(new(triangles)),
            Self::NoUvArea(triangles) => Self::NoUvArea(new(triangles)),
            Self::Folded(triangles) => Self::Folded(new(triangles)),
            Self::Closed(triangles) => Self::Closed(new(triangles)),
            Self::NotADisc { borders, triangles } => Self::NotADisc {
                borders,
                triangles: new(triangles),
            },
            Self::Overlap(triangles) => Self::Overlap(new(triangles)),
            other @ (Self::Mesh(_) | Self::Lengths { .. } | Self::Scale(_)) => other,
        }
    }
}

/// Every triangle of a sound mesh in its own plane, or those without area.
fn planes(mesh: &TriMesh) -> Result<Vec<Plane>, FlattenError> {
    mesh.validate()?;
    let planes: Vec<Plane> = (0..mesh.faces.len()).map(|t| Plane::of(mesh, t)).collect();
    let is_flat = |plane: &Plane| !(plane.area_m2 > 0.0 && plane.area_m2.is_finite());
    match named(&planes, is_flat) {
        Some(triangles) => Err(FlattenError::NoArea(triangles)),
        None => Ok(planes),
    }
}

/// The numbers of the items that are wrong, if any is.
fn named<T>(items: &[T], wrong: impl Fn(&T) -> bool) -> Option<Triangles> {
    let items = items.iter().enumerate();
    let wrong: Triangles = { items.filter(|(_, item)| wrong(item)) }
        .map(|(t, _)| t as u32)
        .collect();
    (!wrong.0.is_empty()).then_some(wrong)
}

/// A triangle in its own plane: the first corner is the origin, the second lies on the first axis,
/// and the third above it.
#[derive(Clone, Copy, Debug)]
struct Plane {
    /// The axes in the world.
    axes: [DVec3; 2],
    /// The corners.
    corners: [DVec2; 3],
    /// Area, m².
    area_m2: f64,
}

impl Plane {
    fn of(mesh: &TriMesh, triangle: usize) -> Self {
        let [a, b, c] = mesh.faces[triangle].map(|v| mesh.positions[v as usize]);
        let (ab, ac) = (b - a, c - a);
        let first = ab.normalize_or_zero();
        let twice_area = ab.cross(ac);
        let second = twice_area.cross(first).normalize_or_zero();
        Self {
            axes: [first, second],
            corners: [
                DVec2::ZERO,
                DVec2::new(ab.length(), 0.0),
                DVec2::new(ac.dot(first), ac.dot(second)),
            ],
            area_m2: 0.5 * twice_area.length(),
        }
    }

    /// The part of a direction that lies in the plane.
    fn project(&self, direction: DVec3) -> DVec2 {
        DVec2::new(self.axes[0].dot(direction), self.axes[1].dot(direction))
    }

    /// Gradients of the functions that are 1 at one corner and 0 at the others, 1/m.
    fn gradients(&self) -> [DVec2; 3] {
        let [a, b, c] = self.corners;
        [c - b, a - c, b - a].map(|side| side.perp() / (2.0 * self.area_m2))
    }
}

/// Signed area of a triangle in the plane.
fn signed_area([a, b, c]: [DVec2; 3]) -> f64 {
    0.5 * (b - a).perp_dot(c - a)
}
