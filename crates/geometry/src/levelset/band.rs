//! Exact distances and signs at the nodes near a surface.
//!
//! Every triangle visits the nodes within reach of it and leaves its distance where it is the nearest;
//! slabs of a few planes are worked on at once, each by one thread and with its triangles in ascending
//! order, so threads change nothing. Signs come from crossings along the rows of nodes
//! ([`super::columns`]).
//!
//! Where parts of a surface overlap, some of it is buried: solid on both sides. Distances to it mean
//! nothing, so a node whose closest point is buried is left to the marching.

use super::columns::{Columns, Crossing};
use super::lattice::Lattice;
use crate::distance::{between, point_triangle};
use glam::DVec3;
use rayon::prelude::*;
use std::ops::RangeInclusive;

/// Planes of a slab: a compromise between starting triangles anew in each slab and sharing work evenly.
const SLAB: usize = 4;
/// How far beyond a surface to look for what is there, in cells.
const PEEK: f64 = 1e-3;
/// Distances, in cells, below which a node is on the surface.
const ON_SURFACE: f64 = 1e-6;

/// A surface in a pose.
pub(super) struct Posed<'a> {
    /// Of all vertices, m.
    pub positions: &'a [DVec3],
    /// Of all vertices, m/s, if it moves.
    pub velocities: Option<&'a [DVec3]>,
    /// Its triangles, closed and with fronts outside.
    pub faces: &'a [[u32; 3]],
}

/// Node values near a surface; one velocity a node, or none at all.
pub(super) struct Band {
    /// Signed distance where it is known exactly; ±∞, with the right sign, elsewhere.
    pub values: Vec<f32>,
    /// Velocity of the closest point of the surface; zero where there is none.
    pub velocities: Vec<[f32; 3]>,
}

/// What is tested against a triangle before the triangle itself is.
struct Outline {
    corners: [DVec3; 3],
    center: DVec3,
    /// Unit, or zero without an area.
    normal: DVec3,
    /// Of the sphere around the center with all corners, m.
    radius: f64,
    low: DVec3,
    high: DVec3,
}

impl Outline {
    fn new(corners: [DVec3; 3]) -> Self {
        let [a, b, c] = corners;
        let center = (a + b + c) / 3.0;
        let radius = corners.map(|p| p.distance(center));
        Self {
            corners,
            center,
            normal: (b - a).cross(c - a).normalize_or_zero(),
            radius: radius.into_iter().fold(0.0, f64::max),
            low: a.min(b).min(c),
            high: a.max(b).max(c),
        }
    }

    /// Distance squared of a point.
    fn square(&self, point: DVec3) -> f64 {
        let [a, b, c] = self.corners;
        let x = [point, a, b, c];
        between(&point_triangle(&x), &x).length_squared()
    }
}

/// Distances of at most `reach_m`.
pub(super) fn find(posed: &Posed, lattice: &Lattice, reach_m: f64) -> Band {
    let corners = |face: &[u32; 3]| face.map(|v| posed.positions[v as usize]);
    let outlines: Vec<Outline> = (posed.faces.par_iter())
        .map(|face| Outline::new(corners(face)))
        .collect();
    let columns = Columns::new(posed.positions, posed.faces, *lattice);
    let slabs = faces_by_slab(&outlines, lattice, reach_m);
    let [nx, ny, _] = lattice.counts();
    let size = nx * ny * SLAB;
    let mut values = vec![f32::INFINITY; lattice.nodes()];
    let moving = posed.velocities.map_or(0, |_| lattice.nodes());
    let mut velocities = vec![[0.0; 3]; moving];
    let work = |(slab, values): (usize, &mut [f32]), velocities: &mut [[f32; 3]]| {
        let task = Slab {
            posed,
            lattice,
            outlines: &outlines,
            columns: &columns,
            first_plane: slab * SLAB,
        };
        task.fill(&slabs[slab], reach_m, values, velocities);
    };
    let parts = values.par_chunks_mut(size).enumerate();
    if moving == 0 {
        parts.for_each(|part| work(part, &mut []));
    } else {
        let motion = velocities.par_chunks_mut(size);
        parts
            .zip(motion)
            .for_each(|(part, motion)| work(part, motion));
    }
    Band { values, velocities }
}

/// Faces whose reach touches each slab, ascending.
fn faces_by_slab(outlines: &[Outline], lattice: &Lattice, reach_m: f64) -> Vec<Vec<u32>> {
    let planes = lattice.counts()[2];
    let mut slabs = vec![Vec::new(); planes.div_ceil(SLAB)];
    for (face, outline) in outlines.iter().enumerate() {
        let [_, _, z] = nodes_within(outline, lattice, reach_m);
        if !z.is_empty() {
            for slab in &mut slabs[z.start() / SLAB..=z.end() / SLAB] {
                slab.push(face as u32);
            }
        }
    }
    slabs
}

/// Nodes in the box around a triangle and its reach.
fn nodes_within(outline: &Outline, lattice: &Lattice, reach_m: f64) -> [RangeInclusive<usize>; 3] {
    let low = lattice
        .in_cells(outline.low - reach_m)
        .ceil()
        .max(DVec3::ZERO);
    let high = lattice.in_cells(outline.high + reach_m).floor();
    [0, 1, 2].map(|axis| {
        let last = (lattice.counts[axis] - 1) as f64;
        low[axis] as usize..=high[axis].min(last).max(0.0) as usize
    })
}

/// A few planes of nodes.
struct Slab<'a> {
    posed: &'a Posed<'a>,
    lattice: &'a Lattice,
    outlines: &'a [Outline],
    columns: &'a Columns<'a>,
    first_plane: usize,
}

impl Slab<'_> {
    fn fill(&self, faces: &[u32], reach_m: f64, values: &mut [f32], velocities: &mut [[f32; 3]]) {
        const NONE: u32 = u32::MAX;
        let mut nearest = vec![reach_m * reach_m; values.len()];
        for &face in faces {
            self.bound(&self.outlines[face as usize], reach_m, &mut nearest);
        }
        // A little more, so that the triangle whose center is the bound comes out nearer, even where
        // the node is that center.
        let rounding = (1e-9 * self.lattice.cell_m).powi(2);
        for bound in &mut nearest {
            *bound += 1e-9 * *bound + rounding;
        }
        let mut nearest_face = vec![NONE; values.len()];
        for &face in faces {
            self.visit(face, reach_m, &mut nearest, &mut nearest_face);
        }
        let [nx, ny, _] = self.lattice.counts();
        let (mut crossings, mut scratch) = (Vec::new(), Vec::new());
        for (row, values) in values.chunks_exact_mut(nx).enumerate() {
            let (j, k) = (row % ny, self.first_plane + row / ny);
            let start = self.lattice.position([0, j, k]);
            self.columns.crossings(start.y, start.z, &mut crossings);
            let mut passed = 0;
            let mut winding: i32 = crossings.iter().map(|c| c.out).sum();
            for (i, value) in values.iter_mut().enumerate() {
                let point = self.lattice.position([i, j, k]);
                while passed < crossings.len() && crossings[passed].x <= point.x {
                    winding -= crossings[passed].out;
                    passed += 1;
                }
                let outward = if winding > 0 { -1.0 } else { 1.0 };
                *value *= outward;
                let (square, face) = (nearest[row * nx + i], nearest_face[row * nx + i]);
                if face == NONE {
                    continue;
                }
                let [a, b, c] = self.outlines[face as usize].corners;
                let weights = point_triangle(&[point, a, b, c]);
                let closest = point - between(&weights, &[point, a, b, c]);
                if !self.is_exposed(face, point, closest, winding, &mut scratch) {
                    continue;
                }
                *value = outward * square.sqrt() as f32;
                if let (Some(of_vertices), Some(velocity)) =
                    (self.posed.velocities, velocities.get_mut(row * nx + i))
                {
                    let corners = self.posed.faces[face as usize].map(|v| of_vertices[v as usize]);
                    let mean = (0..3).map(|k| -weights[k + 1] * corners[k]).sum::<DVec3>();
                    *velocity = mean.as_vec3().to_array();
                }
            }
        }
    }

    /// Calls `f(place of the first among the slab's nodes, where that is, number)` for every row of
    /// the slab's nodes that are within reach of a triangle.
    fn rows(&self, outline: &Outline, reach_m: f64, mut f: impl FnMut(usize, DVec3, usize)) {
        let [nx, ny, nz] = self.lattice.counts();
        let [x, y, z] = nodes_within(outline, self.lattice, reach_m);
        let last_plane = (self.first_plane + SLAB).min(nz) - 1;
        let count = (x.end() + 1).saturating_sub(*x.start());
        for k in *z.start().max(&self.first_plane)..=*z.end().min(&last_plane) {
            for j in y.clone() {
                let first = x.start() + nx * (j + ny * (k - self.first_plane));
                f(first, self.lattice.position([*x.start(), j, k]), count);
            }
        }
    }

    /// Lowers bounds of the distances squared to the triangle's center: no node is farther from the
    /// triangle itself.
    fn bound(&self, outline: &Outline, reach_m: f64, bounds: &mut [f64]) {
        let cell_m = self.lattice.cell_m;
        self.rows(outline, reach_m, |first, start, count| {
            let from = start - outline.center;
            let aside = from.y * from.y + from.z * from.z;
            for (i, bound) in bounds[first..first + count].iter_mut().enumerate() {
                let along = from.x + i as f64 * cell_m;
                *bound = bound.min(along * along + aside);
            }
        });
    }

    /// Leaves a triangle's distance squared at all nodes of the slab that it is the nearest to.
    fn visit(&self, face: u32, reach_m: f64, nearest: &mut [f64], nearest_face: &mut [u32]) {
        let outline = &self.outlines[face as usize];
        let cell_m = self.lattice.cell_m;
        let radius_square = outline.radius * outline.radius;
        self.rows(outline, reach_m, |first, start, count| {
            let from = start - outline.center;
            let off_axis = from.y * from.y + from.z * from.z;
            let height = outline.normal.dot(from);
            let bests = &mut nearest[first..first + count];
            for (i, best) in bests.iter_mut().enumerate() {
                let way = i as f64 * cell_m;
                // In the triangle's plane the sphere around it is a disc: the point is at least as far
                // as its height above the plane and its way to the disc. Compared without roots.
                let along = from.x + way;
                let height = height + way * outline.normal.x;
                let spare = *best - height * height;
                let aside = along * along + off_axis - height * height;
                let excess = aside - radius_square - spare;
                let is_beyond = excess > 0.0 && excess * excess >= 4.0 * radius_square * spare;
                if spare <= 0.0 || is_beyond {
                    continue;
                }
                let square = outline.square(start + way * DVec3::X);
                if square < *best {
                    *best = square;
                    nearest_face[first + i] = face;
                }
            }
        });
    }

    /// Whether the surface at a node's closest point has the solid on one side only.
    fn is_exposed(
        &self,
        face: u32,
        point: DVec3,
        closest: DVec3,
        winding: i32,
        scratch: &mut Vec<Crossing>,
    ) -> bool {
        let outline = &self.outlines[face as usize];
        let apart = closest - point;
        let behind = outline.normal.dot(apart) > 0.0;
        // On the right side of its closest triangle, and nothing overlaps: as nearly everywhere.
        if (winding == 0 && !behind) || (winding == 1 && behind) {
            return true;
        }
        let cell_m = self.lattice.cell_m;
        let mut is_inside = |place: DVec3| self.columns.winding(place, scratch) > 0;
        if apart.length() > ON_SURFACE * cell_m {
            let other = closest + PEEK * cell_m * apart.normalize();
            is_inside(other) != (winding > 0)
        } else {
            let across = PEEK * cell_m * outline.normal;
            is_inside(closest + across) != is_inside(closest - across)
        }
    }
}
