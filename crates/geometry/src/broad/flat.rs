//! Parts of a surface that lie so flat in a motion that they cannot meet themselves.
//!
//! Let triangles cover a convex tile of the pattern, and let `F` be their deformation gradients. If
//! there is a plane with a frame `U` in which the symmetric part of `Uᵀ F` is at least `c` for all of
//! them, then two points of the tile are at least `c` times as far apart as in the pattern: add up
//! along the straight line between them. `F` is linear in time where vertices move along straight
//! lines, and the least eigenvalue is concave, so that both ends of the motion tell of all of it.
//!
//! Each face is looked at in the frame of its cell of the pattern; in that of a larger tile, which differs
//! by `ΔU`, the bound is lower by at most `|ΔU| |F|`.
//!
//! Vertices that stray from their lines by `s` change `F` by at most `2 s/h`, `h` being the least
//! altitude of a triangle. Features without a common vertex are at least `h` apart in the pattern, so
//! that they keep the distance `d` where `c ≥ (d + 2 s)/h`.

use super::gradients::{EightFaces, dot};
use super::tiling::{Cell, LEVELS, Span, Tile, Tiling};
use glam::{DMat2, DVec2, DVec3};
use std::sync::atomic::{AtomicBool, Ordering};
use toile_numerics::par;
use wide::f32x8;

/// What rounding may add to an eigenvalue, beside the norm of a gradient: they are found in single
/// precision.
const ROUNDING: f64 = 1e-5;
/// Tiles that one task looks at.
const SHAPE_GRAIN: usize = 256;

/// The parts of a surface, and which of them lie flat in the present ways.
#[derive(Clone, Debug)]
pub struct Flatness {
    tiling: Tiling,
    /// The faces of each cell.
    faces: Vec<Vec<EightFaces>>,
    /// How the tiles of each level lie, by the cell they begin at.
    shapes: [Vec<Shape>; LEVELS],
    /// Which of the tiles that begin at a cell lie flat, a bit a level: looked at all the time.
    flat: Vec<u8>,
}

/// Ways of all vertices.
pub struct Ways<'a> {
    /// Where they begin, m.
    pub start: &'a [DVec3],
    /// Where they end, m.
    pub end: &'a [DVec3],
    /// Distance that features must keep, m.
    pub distance_m: f64,
    /// How far vertices may stray from straight lines, m.
    pub stray_m: f64,
}

/// How a tile lies in space on the way.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// Some multiple of its deformation gradient as a whole.
    gradient: [DVec3; 2],
    frame: [DVec3; 2],
    bounds: Bounds,
    is_flat: bool,
}

/// What is known of the faces of a tile.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    /// A bound of their least eigenvalue in the tile's frame.
    least: f64,
    /// Largest norm of their deformation gradients.
    most: f64,
}

impl Bounds {
    /// Of all faces of a cell on these ways, if they are numbers.
    fn of_faces(frame: &[DVec3; 2], faces: &[EightFaces], ways: &Ways<'_>) -> Option<Self> {
        let (u, w, half) = (frame[0].as_vec3(), frame[1].as_vec3(), f32x8::splat(0.5));
        let (mut least, mut squares) = (f32x8::splat(f32::INFINITY), f32x8::ZERO);
        // Unlike the largest, the sum of all squares is not a number where one of them is none.
        let mut sum = f32x8::ZERO;
        for eight in faces {
            for x in [ways.start, ways.end] {
                let gradients = eight.gradients(x);
                let [p, q] = gradients.map(|g| [dot(u, &g), dot(w, &g)]);
                let middle = half * (p[0] + q[1]);
                let (off, across) = (half * (p[0] - q[1]), half * (p[1] + q[0]));
                least = least.min(middle - (off * off + across * across).sqrt());
                let square = gradients.as_flattened().iter().map(|g| *g * *g).sum();
                squares = squares.max(square);
                sum += square;
            }
        }
        if !sum.reduce_add().is_finite() {
            return None;
        }
        let least = least.to_array().into_iter().fold(f32::INFINITY, f32::min);
        let square = squares.to_array().into_iter().fold(0.0, f32::max);
        let most = f64::from(square).sqrt();
        Some(Self {
            least: f64::from(least) - ROUNDING * most,
            most,
        })
    }

    /// Of a tile with a frame, from those of its parts with theirs.
    fn of_parts<'a>(frame: &[DVec3; 2], parts: impl Iterator<Item = &'a Shape>) -> Self {
        let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
        for part in parts {
            least = least.min(part.least_in(frame));
            most = most.max(part.bounds.most);
        }
        Self { least, most }
    }

    /// Whether features of a tile keep their distance.
    fn are_flat(&self, tile: &Tile, ways: &Ways<'_>) -> bool {
        let least = (ways.distance_m + 2.0 * ways.stray_m) / tile.altitude;
        tile.altitude > 0.0 && self.least >= least
    }
}

impl Shape {
    /// That of no plane at all.
    const NONE: Self = Self {
        gradient: [DVec3::ZERO; 2],
        frame: [DVec3::ZERO; 2],
        bounds: Bounds {
            least: f64::NEG_INFINITY,
            most: 0.0,
        },
        is_flat: false,
    };

    /// That of a cell with these faces.
    fn new(cell: &Cell, faces: &[EightFaces], ways: &Ways<'_>) -> Self {
        let both = |i: u32| ways.start[i as usize] + ways.end[i as usize];
        let [x, y] = cell.guides.map(|[from, to]| both(to) - both(from));
        let gradient = product([x, y], &cell.guide_inverse);
        let Some(frame) = frame(gradient).filter(|_| !faces.is_empty()) else {
            return Self::NONE;
        };
        Bounds::of_faces(&frame, faces, ways).map_or(Self::NONE, |bounds| Self {
            gradient,
            frame,
            bounds,
            is_flat: false,
        })
    }

    /// That of a tile made of others.
    fn around(tile: &Tile, below: &[Self]) -> Self {
        let parts = || parts_of(tile, below);
        if !parts().all(|part| part.is_flat) {
            return Self::NONE;
        }
        let mut gradient = [DVec3::ZERO; 2];
        for part in parts() {
            gradient[0] += part.gradient[0];
            gradient[1] += part.gradient[1];
        }
        let Some(frame) = frame(gradient) else {
            return Self::NONE;
        };
        Self {
            gradient,
            frame,
            bounds: Bounds::of_parts(&frame, parts()),
            is_flat: false,
        }
    }

    /// The same, knowing whether it is flat.
    fn judged(self, tile: &Tile, ways: &Ways<'_>) -> Self {
        Self {
            is_flat: self.bounds.are_flat(tile, ways),
            ..self
        }
    }

    /// A bound of its faces' least eigenvalue in another frame.
    fn least_in(&self, frame: &[DVec3; 2]) -> f64 {
        let [a, b] = [frame[0] - self.frame[0], frame[1] - self.frame[1]];
        let (p, q, r) = (a.length_squared(), b.length_squared(), a.dot(b));
        let off = 0.5 * (p - q);
        let largest = 0.5 * (p + q) + (off * off + r * r).sqrt();
        self.bounds.least - largest.sqrt() * self.bounds.most
    }
}

/// What a tile is made of.
fn parts_of<'a>(tile: &'a Tile, below: &'a [Shape]) -> impl Iterator<Item = &'a Shape> {
    tile.parts.iter().filter_map(|k| below.get(*k as usize))
}

impl Flatness {
    /// Of a surface whose faces have their corners at `rest` in the pattern; none lies flat yet.
    pub fn new(vertex_count: usize, faces: &[[u32; 3]], rest: &[[DVec2; 3]]) -> Self {
        let tiling = Tiling::new(vertex_count, faces, rest);
        let count = tiling.cells.len();
        let edges = |[a, b, c]: &[DVec2; 3]| DMat2::from_cols(*b - *a, *c - *a);
        let inverse = |face: u32| edges(&rest[face as usize]).inverse();
        let group = |cell: &Cell| EightFaces::groups(&cell.faces, faces, inverse);
        Self {
            faces: tiling.cells.iter().map(group).collect(),
            tiling,
            shapes: std::array::from_fn(|_| vec![Shape::NONE; count]),
            flat: vec![0; count],
        }
    }

    /// Whether all of these vertices are in a part that lies flat: features there that have no vertex in
    /// common keep their distance.
    pub fn is_flat(&self, vertices: [u32; 4]) -> bool {
        self.is_span_flat(&self.span(vertices))
    }

    /// Where these vertices are in the pattern.
    #[inline]
    pub(super) fn span<const N: usize>(&self, vertices: [u32; N]) -> Span {
        self.tiling.span(vertices)
    }

    /// The same for a part of the pattern.
    #[inline]
    pub(super) fn is_span_flat(&self, span: &Span) -> bool {
        let tile = self.tiling.tile_around(span);
        tile.is_some_and(|(level, cell)| self.flat[cell] >> level & 1 == 1)
    }

    /// Whether all parts that were found to lie flat do so on these ways too. They are looked at in the
    /// planes that they had: if not, they may yet be flat in others.
    pub fn stay(&mut self, ways: &Ways<'_>) -> bool {
        let Self {
            tiling: Tiling { tiles, .. },
            faces,
            shapes,
            ..
        } = self;
        (0..LEVELS).all(|level| {
            let (below, here) = shapes.split_at_mut(level);
            let (below, faces, tiles) = (below.last(), &*faces, &tiles[level]);
            let all = AtomicBool::new(true);
            par::for_each_leaf(&mut here[0], SHAPE_GRAIN, |first, shapes| {
                let flat = shapes.iter_mut().enumerate();
                for (k, shape) in flat.filter(|(_, shape)| shape.is_flat) {
                    let tile = &tiles[first + k];
                    let bounds = match below {
                        None => Bounds::of_faces(&shape.frame, &faces[first + k], ways),
                        Some(below) => Some(Bounds::of_parts(&shape.frame, parts_of(tile, below))),
                    };
                    match bounds.filter(|bounds| bounds.are_flat(tile, ways)) {
                        Some(bounds) => shape.bounds = bounds,
                        None => return all.store(false, Ordering::Relaxed),
                    }
                }
            });
            all.into_inner()
        })
    }

    /// Finds the parts that lie flat on these ways.
    pub fn find(&mut self, ways: &Ways<'_>) {
        let Self {
            tiling: Tiling { cells, tiles, .. },
            faces,
            shapes,
            flat,
        } = self;
        par::fill(&mut shapes[0], |k| {
            Shape::new(&cells[k], &faces[k], ways).judged(&tiles[0][k], ways)
        });
        for level in 1..LEVELS {
            let (below, here) = shapes.split_at_mut(level);
            par::fill(&mut here[0], |k| {
                let tile = &tiles[level][k];
                Shape::around(tile, &below[level - 1]).judged(tile, ways)
            });
        }
        let bit = |level: usize, k: usize| u8::from(shapes[level][k].is_flat) << level;
        par::fill(flat, |k| (0..LEVELS).map(|level| bit(level, k)).sum());
    }
}

/// The frame of the plane of a gradient in which it is not turned.
fn frame([a, b]: [DVec3; 2]) -> Option<[DVec3; 2]> {
    let normal = a.cross(b).try_normalize()?;
    // The gradient and its cofactors are turned by the same angle, and their sum is a multiple of the frame.
    let u = (a + b.cross(normal)).try_normalize()?;
    Some([u, normal.cross(u)])
}

/// Two columns times a matrix.
#[inline]
fn product([x, y]: [DVec3; 2], m: &DMat2) -> [DVec3; 2] {
    [m.x_axis, m.y_axis].map(|column| column.x * x + column.y * y)
}
