//! Parts of a surface that lie so flat in a motion that they cannot meet themselves.
//!
//! Let triangles cover a convex tile of the pattern, and let `F` be their deformation gradients. If
//! there is a plane with a frame `U` in which the symmetric part of `Uᵀ F` is at least `c` for all of
//! them, then two points of the tile are at least `c` times as far apart as in the pattern: add up
//! along the straight line between them. `F` is linear in time where vertices move along straight
//! lines, and the least eigenvalue is concave, so that both ends of the motion tell of all of it.
//!
//! Each face is looked at in the frame of its cell of the pattern; in that of a tile, which differs by
//! `ΔU`, the bound is lower by at most `|ΔU| |F|`.
//!
//! Vertices that stray from their lines by `s` change `F` by at most `2 s/h`, `h` being the least
//! altitude of a triangle. Features without a common vertex are at least `h` apart in the pattern, so
//! that they keep the distance `d` where `c ≥ (d + 2 s)/h`.

use super::tiling::{Cell, Tiling};
use glam::{DMat2, DVec2, DVec3};
use toile_numerics::par;

/// What rounding may add to an eigenvalue.
const ROUNDING: f64 = 1e-6;

/// The parts of a surface, and which of them lie flat in the present ways.
#[derive(Clone, Debug)]
pub struct Flatness {
    faces: Vec<[u32; 3]>,
    tiling: Tiling,
    cells: Vec<Shape>,
    /// Whether the tile is flat that begins at each cell.
    flat: Vec<bool>,
}

/// Ways ways of all vertices.
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

/// How a cell lies in space during a ways.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// Its deformation gradient as a whole, twice.
    gradient: [DVec3; 2],
    frame: [DVec3; 2],
    /// Least eigenvalue of its faces in that frame.
    least: f64,
    /// Largest norm of their deformation gradients.
    most: f64,
}

impl Shape {
    /// That of no plane at all.
    const NONE: Self = Self {
        gradient: [DVec3::ZERO; 2],
        frame: [DVec3::ZERO; 2],
        least: f64::NEG_INFINITY,
        most: 0.0,
    };

    fn new(cell: &Cell, inverses: &[DMat2], faces: &[[u32; 3]], ways: &Ways<'_>) -> Self {
        if cell.faces.is_empty() {
            return Self::NONE;
        }
        let both = |i: u32| ways.start[i as usize] + ways.end[i as usize];
        let [x, y] = cell.guides.map(|[from, to]| both(to) - both(from));
        let gradient = product([x, y], &cell.guide_inverse);
        let Some(frame) = frame(gradient) else {
            return Self::NONE;
        };
        let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
        for &face in &cell.faces {
            let (corners, inverse) = (faces[face as usize], &inverses[face as usize]);
            for x in [ways.start, ways.end] {
                let [a, b, c] = corners.map(|corner| x[corner as usize]);
                let gradient = product([b - a, c - a], inverse);
                let [p, q] = gradient.map(|g| DVec2::new(frame[0].dot(g), frame[1].dot(g)));
                let (middle, off) = (0.5 * (p.x + q.y), 0.5 * (p.x - q.y));
                let across = 0.5 * (p.y + q.x);
                least = least.min(middle - (off * off + across * across).sqrt());
                most = most.max(gradient[0].length_squared() + gradient[1].length_squared());
            }
        }
        Self {
            gradient,
            frame,
            least,
            most: most.sqrt(),
        }
    }

    /// A bound of its faces' least eigenvalue in another frame.
    fn least_in(&self, frame: &[DVec3; 2]) -> f64 {
        let [a, b] = [frame[0] - self.frame[0], frame[1] - self.frame[1]];
        let (p, q, r) = (a.length_squared(), b.length_squared(), a.dot(b));
        let off = 0.5 * (p - q);
        let largest = 0.5 * (p + q) + (off * off + r * r).sqrt();
        self.least - largest.sqrt() * self.most
    }
}

impl Flatness {
    /// Of a surface whose faces have their corners at `rest` in the pattern; none lies flat yet.
    pub fn new(vertex_count: usize, faces: &[[u32; 3]], rest: &[[DVec2; 3]]) -> Self {
        let tiling = Tiling::new(vertex_count, faces, rest);
        let count = tiling.cells.len();
        Self {
            faces: faces.to_vec(),
            tiling,
            cells: vec![Shape::NONE; count],
            flat: vec![false; count],
        }
    }

    /// The part that all of these vertices are in, if there is one.
    pub fn part_of(&self, vertices: [u32; 4]) -> Option<u32> {
        self.tiling.tile_around(vertices).map(|tile| tile as u32)
    }

    /// Whether a part lies flat: features in it that have no vertex in common keep their distance.
    #[inline]
    pub fn is_flat(&self, part: u32) -> bool {
        self.flat[part as usize]
    }

    /// Finds the parts that lie flat in a ways.
    pub fn find(&mut self, ways: &Ways<'_>) {
        let Self {
            faces,
            tiling: Tiling {
                cells, inverses, ..
            },
            cells: shapes,
            flat,
        } = self;
        par::fill(shapes, |k| Shape::new(&cells[k], inverses, faces, ways));
        par::fill(flat, |k| is_flat(&cells[k], shapes, ways));
    }
}

/// Whether the tile is that begins at `cell`.
fn is_flat(cell: &Cell, shapes: &[Shape], ways: &Ways<'_>) -> bool {
    if cell.altitude == 0.0 {
        return false;
    }
    let shapes = || cell.tile.iter().map(|k| &shapes[*k as usize]);
    let mut sum = [DVec3::ZERO; 2];
    for shape in shapes() {
        sum[0] += shape.gradient[0];
        sum[1] += shape.gradient[1];
    }
    let least = (ways.distance_m + 2.0 * ways.stray_m) / cell.altitude + ROUNDING;
    frame(sum).is_some_and(|frame| shapes().all(|shape| shape.least_in(&frame) >= least))
}

/// The frame of the plane of a gradient in which it is not turned.
fn frame([a, b]: [DVec3; 2]) -> Option<[DVec3; 2]> {
    let normal = a.cross(b).try_normalize()?;
    let u = a.try_normalize()?;
    let w = normal.cross(u);
    let (sine, cosine) = (w.dot(a) - u.dot(b), u.dot(a) + w.dot(b));
    let turn = DVec2::new(cosine, sine).try_normalize()?;
    Some([turn.x * u + turn.y * w, turn.x * w - turn.y * u])
}

/// Two columns times a matrix.
#[inline]
fn product([x, y]: [DVec3; 2], m: &DMat2) -> [DVec3; 2] {
    [m.x_axis, m.y_axis].map(|column| column.x * x + column.y * y)
}
