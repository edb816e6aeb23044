//! What deforms: its place in the model's arrays, and what kind of thing it is.

use glam::DVec2;
use std::ops::Range;
use toile_geometry::QuadGrid;

/// One deformable's place in the model's arrays. Cloths come first, then rods, then solids.
#[derive(Clone, Debug, PartialEq)]
pub struct Deformable {
    /// Name from the scene.
    pub name: String,
    /// Its particles.
    pub particles: Range<usize>,
    /// Its faces in [`super::CollisionMesh::faces`]; they index particles of the whole model.
    pub faces: Range<usize>,
    /// Its edges of no face in [`super::CollisionMesh::lone_edges`].
    pub lone_edges: Range<usize>,
    /// What it is.
    pub kind: Kind,
    /// Distance that two of it keep from each other, m: half of it is its own.
    pub thickness_m: f64,
    /// Longest edge at rest, m.
    pub longest_link_m: f64,
}

/// What kind of thing deforms.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A surface with a flat pattern.
    Shell(Shell),
    /// A line.
    Rod,
    /// A body of tetrahedra.
    Solid,
}

/// A cloth: a surface that is flat at rest, panel by panel.
#[derive(Clone, Debug, PartialEq)]
pub struct Shell {
    /// What holds its particles together.
    pub structure: Structure,
    /// Pattern coordinates of its particles, m; of one on a seam, those on one of its panels.
    pub pattern: Vec<DVec2>,
    /// Pattern coordinates of every face's corners, m.
    pub rest: Vec<[DVec2; 3]>,
}

/// What holds the particles of a shell together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Structure {
    /// Links on a grid.
    Links(GridOfLinks),
    /// Triangles.
    Triangles {
        /// The family of its membrane, as an index into [`super::Materials::elements`].
        membrane: usize,
    },
}

/// Where the links of a cloth on a grid are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridOfLinks {
    /// Its particles.
    pub grid: QuadGrid,
    /// Its stretch links, as an index into [`super::Materials::stretch`].
    pub stretch: usize,
    /// Its bending links, as an index into [`super::Materials::bending`].
    pub bending: Option<usize>,
}

impl Deformable {
    /// What it is if it is a shell.
    pub fn shell(&self) -> Option<&Shell> {
        match &self.kind {
            Kind::Shell(shell) => Some(shell),
            Kind::Rod | Kind::Solid => None,
        }
    }

    /// Distance its particles keep from colliders, m: all of a cloth's thickness, but the radius of a rod,
    /// whose particles are on its axis.
    pub fn margin_m(&self) -> f64 {
        match &self.kind {
            Kind::Shell(_) | Kind::Solid => self.thickness_m,
            Kind::Rod => 0.5 * self.thickness_m,
        }
    }
}
