//! Strips of every mesh and every law, cut and placed alike: the width runs across, the length
//! along, and particles are numbered row by row across, which keeps matrices narrow.

use glam::{DVec2, DVec3};
use std::sync::Arc;
use toile_geometry::{Flat, QuadGrid, Surface, Tiling, TriMesh};
use toile_sim::{
    Bending, ClothModel, ClothSpec, Cut, HingeForm, Material, Membrane, PinHold, PinRegion,
    PinSpec, Sheet,
};

/// How a strip is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mesh {
    /// The grid of the quad models.
    Grid,
    /// Equilateral triangles with their rows across the strip.
    Equilateral,
    /// Squares with alternating diagonals.
    Alternating,
    /// Squares with parallel diagonals.
    OneDiagonal,
    /// Equilateral triangles with all inner points moved at random by up to 0.3 of an edge.
    Jittered,
}

impl Mesh {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Grid => "grid",
            Self::Equilateral => "equilateral",
            Self::Alternating => "alternating",
            Self::OneDiagonal => "one diagonal",
            Self::Jittered => "jittered",
        }
    }

    /// Distance of rows along the strip for edges of `spacing_m`, m.
    pub fn row_m(self, spacing_m: f64) -> f64 {
        match self {
            Self::Equilateral | Self::Jittered => 0.75_f64.sqrt() * spacing_m,
            _ => spacing_m,
        }
    }
}

/// Laws and the mesh they are tried on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kind {
    /// Its name in tables.
    pub name: &'static str,
    /// Its energies.
    pub laws: ClothModel,
    /// Its mesh.
    pub mesh: Mesh,
}

impl Kind {
    /// The quad model.
    pub const QUAD: Self = Self {
        name: "quad-buckling",
        laws: ClothModel::QuadBuckling,
        mesh: Mesh::Grid,
    };
    /// Tension and pairs on equilateral triangles.
    pub const BUCKLING: Self = Self {
        name: "triangle-buckling",
        laws: ClothModel::TRIANGLE_BUCKLING,
        mesh: Mesh::Equilateral,
    };
    /// Two-sided stretch and hinges on equilateral triangles.
    pub const BARAFF_WITKIN: Self = Self {
        name: "baraff-witkin",
        laws: ClothModel::BARAFF_WITKIN,
        mesh: Mesh::Equilateral,
    };
    /// The same with hinges of the sine form.
    pub const SINE: Self = Self {
        name: "sine hinges",
        laws: ClothModel::Triangles(Membrane::BaraffWitkin, Bending::Hinges(HingeForm::Sine)),
        mesh: Mesh::Equilateral,
    };

    /// The same laws on another mesh.
    pub const fn on(self, mesh: Mesh) -> Self {
        Self { mesh, ..self }
    }
}

/// A strip around the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strip {
    /// Laws and mesh.
    pub kind: Kind,
    /// Width and length, m; filled with whole cells.
    pub size_m: DVec2,
    /// Edges of triangles, or distance of particles, m.
    pub spacing_m: f64,
    /// World direction of the width.
    pub across: DVec3,
    /// World direction of the length.
    pub along: DVec3,
    /// Angle from the length to warp, rad, for triangles; a grid has its warp across.
    pub grain_rad: f64,
}

impl Strip {
    /// The cloth, free.
    pub fn cloth(&self, material: Material) -> ClothSpec {
        let cut = match self.kind.mesh {
            Mesh::Grid => {
                let cells = (self.size_m / self.spacing_m).round().max(DVec2::ONE);
                Cut::Sheet(Sheet {
                    grid: QuadGrid {
                        columns: cells.x as usize + 1,
                        rows: cells.y as usize + 1,
                        size_m: self.size_m,
                    },
                    center: DVec3::ZERO,
                    u_axis: self.across,
                    v_axis: self.along,
                    curvature_per_m: 0.0,
                })
            }
            _ => Cut::Mesh(Arc::new(self.surface())),
        };
        let mut cloth = ClothSpec::new("strip", cut, material);
        cloth.model = self.kind.laws;
        cloth
    }

    /// How far along the strip a place of the flat strip is, from 0 to its length, m.
    pub fn arc_m(&self, start: DVec3) -> f64 {
        self.along.dot(start) + 0.5 * self.size_m.y
    }

    fn surface(&self) -> Surface {
        let tiling = match self.kind.mesh {
            Mesh::Grid | Mesh::Alternating => Tiling::Alternating,
            Mesh::OneDiagonal => Tiling::Parallel,
            Mesh::Equilateral | Mesh::Jittered => Tiling::Equilateral,
        };
        let flat = Flat::rectangle(self.size_m, self.spacing_m, tiling);
        let flat = match self.kind.mesh {
            Mesh::Jittered => flat.jittered(0.3, 1),
            _ => flat,
        };
        // Warp is u of the pattern, and lies along the strip if there is no angle.
        let into_pattern = DVec2::from_angle(-std::f64::consts::FRAC_PI_2 - self.grain_rad);
        let rest = |corner: u32| into_pattern.rotate(flat.points[corner as usize]);
        let place = |p: &DVec2| p.x * self.across + p.y * self.along;
        Surface {
            rest: flat.faces.iter().map(|face| face.map(rest)).collect(),
            mesh: TriMesh {
                positions: flat.points.iter().map(place).collect(),
                faces: flat.faces,
            },
        }
    }
}

/// `cloth` with the particles held as said whose places at the start satisfy `chosen`.
pub fn held(mut cloth: ClothSpec, hold: PinHold, chosen: impl Fn(DVec3) -> bool) -> ClothSpec {
    let indices = cloth.positions().into_iter().enumerate();
    let indices = indices.filter(|(_, x)| chosen(*x));
    let region = PinRegion::Indices(indices.map(|(i, _)| i as u32).collect());
    cloth.pins.push(PinSpec {
        hold,
        ..PinSpec::fixed(region)
    });
    cloth
}
