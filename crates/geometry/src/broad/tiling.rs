//! Rectangles of a flat pattern that triangles cover without gaps.
//!
//! A pattern is divided into cells. A tile is a square of 1, 2 or 4 cells a side, by its level, and at
//! each cell one of every level begins; it ends where the pattern does.

use glam::{DMat2, DVec2};

/// Size of a cell, in shortest edges of faces: on a grid, cells are then made of whole squares.
const CELL_EDGES: f64 = 2.0;
/// Sizes of tiles: each has twice as many cells a side as the one before.
pub(super) const LEVELS: usize = 3;
/// Charts of fewer faces are not worth tiling.
const LEAST_FACES: usize = 64;
/// Lengths and areas in the pattern that differ by less than this share of a cell's are the same.
const SAME: f64 = 1e-9;
/// Stands for no chart.
const NO_CHART: u32 = u32::MAX;
/// Stands for no cell.
pub(super) const NO_CELL: u32 = u32::MAX;

/// The cells and tiles of a mesh.
#[derive(Clone, Debug, Default)]
pub(super) struct Tiling {
    pub cells: Vec<Cell>,
    /// The tiles of each level, by the cell they begin at.
    pub tiles: [Vec<Tile>; LEVELS],
    charts: Vec<Chart>,
    /// Where each vertex is; nowhere if in several places.
    places: Vec<Span>,
}

/// Part of a mesh that is in one piece in the pattern, and how it is divided.
#[derive(Clone, Copy, Debug)]
struct Chart {
    low: DVec2,
    cell: DVec2,
    count: [usize; 2],
    first_cell: usize,
}

/// A rectangle of the pattern.
#[derive(Clone, Debug, Default)]
pub(super) struct Cell {
    /// The faces that reach into it; none if they do not cover it.
    pub faces: Vec<u32>,
    /// Two pairs of vertices far apart, and the inverse of their distances in the pattern.
    pub guides: [[u32; 2]; 2],
    pub guide_inverse: DMat2,
}

/// A square of cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tile {
    /// The tiles of the level below that it is made of, or [`NO_CELL`].
    pub parts: [u32; 4],
    /// Least altitude of its faces; 0 if they do not cover it.
    pub altitude: f64,
}

/// The cells of one chart that some vertices are in or at the border of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    chart: u32,
    /// The first cell in which one can be the lowest of several vertices, and the last in which one can
    /// be the highest.
    low: [i32; 2],
    high: [i32; 2],
}

impl Span {
    /// In no chart.
    pub const NOWHERE: Self = Self {
        chart: NO_CHART,
        low: [0; 2],
        high: [0; 2],
    };

    /// That of the vertices of both.
    #[inline]
    pub fn with(&self, other: &Self) -> Self {
        if self.chart != other.chart {
            return Self::NOWHERE;
        }
        Self {
            chart: self.chart,
            low: [0, 1].map(|k| self.low[k].min(other.low[k])),
            high: [0, 1].map(|k| self.high[k].max(other.high[k])),
        }
    }
}

/// A side of a face: its vertices in ascending order, and where they are in the pattern.
struct Side {
    vertices: [u32; 2],
    ends: [DVec2; 2],
    face: u32,
}

impl Tiling {
    /// Tiles the pattern in which the corners of `faces` are at `rest`.
    pub fn new(vertex_count: usize, faces: &[[u32; 3]], rest: &[[DVec2; 3]]) -> Self {
        assert_eq!(faces.len(), rest.len());
        let edges = |[a, b, c]: &[DVec2; 3]| DMat2::from_cols(*b - *a, *c - *a);
        let mut tiling = Self::default();
        let (pairs, borders) = meet(sides(faces, rest));
        let chart_of = pieces(faces.len(), &pairs);
        let mut faces_of = vec![Vec::new(); faces.len()];
        for (face, &piece) in chart_of.iter().enumerate() {
            faces_of[piece as usize].push(face as u32);
        }
        let mut chart_of_face = vec![NO_CHART; faces.len()];
        for own in faces_of.iter().filter(|own| own.len() >= LEAST_FACES) {
            // Mirrored, folded or degenerate triangles cover nothing.
            let mut areas = own.iter().map(|&f| edges(&rest[f as usize]).determinant());
            if !areas.clone().all(|area| area > 0.0) && !areas.all(|area| area < 0.0) {
                continue;
            }
            for &face in own {
                chart_of_face[face as usize] = tiling.charts.len() as u32;
            }
            let own_borders: Vec<&Side> = borders
                .iter()
                .filter(|side| chart_of_face[side.face as usize] == tiling.charts.len() as u32)
                .collect();
            tiling.add_chart(own, faces, rest, &own_borders);
        }
        tiling.place(vertex_count, faces, rest, &chart_of_face);
        tiling.add_tiles();
        tiling
    }

    fn add_chart(
        &mut self,
        own: &[u32],
        faces: &[[u32; 3]],
        rest: &[[DVec2; 3]],
        borders: &[&Side],
    ) {
        let corners = |face: &u32| rest[*face as usize];
        let all = || own.iter().flat_map(corners);
        let low = all().fold(DVec2::INFINITY, DVec2::min);
        let high = all().fold(DVec2::NEG_INFINITY, DVec2::max);
        let shortest = |[a, b, c]: [DVec2; 3]| a.distance(b).min(b.distance(c)).min(c.distance(a));
        let edge = own.iter().map(|f| shortest(corners(f))).sum::<f64>() / own.len() as f64;
        let count = ((high - low) / (CELL_EDGES * edge)).round().max(DVec2::ONE);
        let chart = Chart {
            low,
            cell: (high - low) / count,
            count: count.to_array().map(|n| n as usize),
            first_cell: self.cells.len(),
        };
        let mut cells = vec![Cell::default(); chart.count[0] * chart.count[1]];
        let mut covered = vec![0.0; cells.len()];
        let whole = chart.cell.x * chart.cell.y;
        for &face in own {
            let triangle = corners(&face);
            chart.each_cell_near(&triangle, |k, low, high| {
                let area = area_within(&triangle, low, high);
                if area > SAME * whole {
                    cells[k].faces.push(face);
                    covered[k] += area;
                }
            });
        }
        for side in borders {
            chart.each_cell_near(&side.ends, |k, low, high| {
                if passes_through(side.ends, low, high) {
                    covered[k] = f64::NAN;
                }
            });
        }
        self.tiles[0].extend(cells.iter_mut().zip(covered).map(|(cell, area)| Tile {
            parts: [NO_CELL; 4],
            altitude: if (area - whole).abs() <= 1e-6 * whole {
                cell.measure(faces, rest)
            } else {
                cell.faces = Vec::new();
                0.0
            },
        }));
        self.charts.push(chart);
        self.cells.append(&mut cells);
    }

    /// Makes the tiles of more than one cell.
    fn add_tiles(&mut self) {
        for level in 1..LEVELS {
            let half = 1 << (level - 1);
            let below = &self.tiles[level - 1];
            let tile = |chart: &Chart, k: usize| {
                let parts = chart.corners_of_square(k, half);
                let altitude = |part: &u32| below.get(*part as usize).map(|tile| tile.altitude);
                Tile {
                    parts,
                    altitude: parts
                        .iter()
                        .filter_map(altitude)
                        .fold(f64::INFINITY, f64::min),
                }
            };
            let charts = self.charts.iter();
            self.tiles[level] = charts
                .flat_map(|chart| (0..chart.count[0] * chart.count[1]).map(move |k| (chart, k)))
                .map(|(chart, k)| tile(chart, k))
                .collect();
        }
    }

    /// Notes where each vertex is.
    fn place(
        &mut self,
        vertex_count: usize,
        faces: &[[u32; 3]],
        rest: &[[DVec2; 3]],
        chart_of_face: &[u32],
    ) {
        let mut found = vec![None; vertex_count];
        for ((face, corners), &chart) in faces.iter().zip(rest).zip(chart_of_face) {
            for (&vertex, &point) in face.iter().zip(corners) {
                let before = found[vertex as usize].get_or_insert((chart, point));
                if *before != (chart, point) {
                    before.0 = NO_CHART;
                }
            }
        }
        let place = |found: Option<(u32, DVec2)>| {
            let (chart, point) = found?;
            let place = self.charts.get(chart as usize)?.place(point);
            Some(Span { chart, ..place })
        };
        self.places = found
            .into_iter()
            .map(|found| place(found).unwrap_or(Span::NOWHERE))
            .collect();
    }

    /// Where these vertices are.
    #[inline]
    pub fn span<const N: usize>(&self, vertices: [u32; N]) -> Span {
        let [first, others @ ..] = &vertices[..] else {
            return Span::NOWHERE;
        };
        others.iter().fold(self.places[*first as usize], |span, v| {
            span.with(&self.places[*v as usize])
        })
    }

    /// Level and cell of the smallest tile that holds all of a span.
    #[inline]
    pub fn tile_around(&self, span: &Span) -> Option<(usize, usize)> {
        let chart = self.charts.get(span.chart as usize)?;
        let across = [0, 1].map(|k| span.high[k] - span.low[k]);
        let more = across[0].max(across[1]).max(0) as u32;
        let level = (u32::BITS - more.leading_zeros()) as usize;
        let [x, y] = span.low.map(|cell| cell as usize);
        (level < LEVELS).then_some((level, chart.first_cell + x + chart.count[0] * y))
    }
}

impl Chart {
    fn place(&self, point: DVec2) -> Span {
        let at = ((point - self.low) / self.cell).to_array();
        let cell = |k: usize, at: f64| (at as i32).clamp(0, self.count[k] as i32 - 1);
        Span {
            chart: NO_CHART,
            low: [0, 1].map(|k| cell(k, (at[k] + SAME).floor())),
            high: [0, 1].map(|k| cell(k, (at[k] - SAME).ceil() - 1.0)),
        }
    }

    /// Calls `f` with the cells that the box of `points` reaches into, and their corners.
    fn each_cell_near(&self, points: &[DVec2], mut f: impl FnMut(usize, DVec2, DVec2)) {
        let low = points.iter().copied().fold(DVec2::INFINITY, DVec2::min);
        let high = points.iter().copied().fold(DVec2::NEG_INFINITY, DVec2::max);
        let last = DVec2::new((self.count[0] - 1) as f64, (self.count[1] - 1) as f64);
        let [low, high] = [(low, -SAME), (high, SAME)].map(|(p, wider)| {
            let cell = ((p - self.low) / self.cell + wider).floor();
            cell.clamp(DVec2::ZERO, last).to_array().map(|k| k as usize)
        });
        for j in low[1]..=high[1] {
            for i in low[0]..=high[0] {
                let corner = self.low + DVec2::new(i as f64, j as f64) * self.cell;
                f(i + self.count[0] * j, corner, corner + self.cell);
            }
        }
    }

    /// The cell `k` and those `half` a square away from it along each side and both, of all charts, as far
    /// as there are any.
    fn corners_of_square(&self, k: usize, half: usize) -> [u32; 4] {
        let [across, up] = self.count;
        let (i, j) = (k % across, k / across);
        [(0, 0), (half, 0), (0, half), (half, half)].map(|(right, over)| {
            let (i, j) = (i + right, j + over);
            if i < across && j < up {
                (self.first_cell + i + across * j) as u32
            } else {
                NO_CELL
            }
        })
    }
}

impl Cell {
    /// Fills in what follows from its faces, and returns their least altitude.
    fn measure(&mut self, faces: &[[u32; 3]], rest: &[[DVec2; 3]]) -> f64 {
        let extreme = |along: DVec2| {
            let corners = self.faces.iter().flat_map(|&face| {
                let face = face as usize;
                [0, 1, 2].map(|k| (faces[face][k], rest[face][k]))
            });
            let height = |corner: &(u32, DVec2)| along.dot(corner.1);
            corners
                .max_by(|a, b| height(a).total_cmp(&height(b)))
                .unwrap_or_default()
        };
        let ways = [DVec2::X, DVec2::Y].map(|along| [extreme(-along), extreme(along)]);
        self.guides = ways.map(|way| way.map(|corner| corner.0));
        let [x, y] = ways.map(|[from, to]| to.1 - from.1);
        self.guide_inverse = DMat2::from_cols(x, y).inverse();
        let altitude = |&face: &u32| {
            let [a, b, c] = rest[face as usize];
            let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
            (b - a).perp_dot(c - a).abs() / longest
        };
        let altitudes = self.faces.iter().map(altitude);
        altitudes.fold(f64::INFINITY, f64::min)
    }
}

/// All sides, by their vertices.
fn sides(faces: &[[u32; 3]], rest: &[[DVec2; 3]]) -> Vec<Side> {
    let mut sides = Vec::with_capacity(3 * faces.len());
    for (face, (corners, places)) in faces.iter().zip(rest).enumerate() {
        for k in 0..3 {
            let (mut from, mut to) = (k, (k + 1) % 3);
            if corners[from] > corners[to] {
                std::mem::swap(&mut from, &mut to);
            }
            sides.push(Side {
                vertices: [corners[from], corners[to]],
                ends: [places[from], places[to]],
                face: face as u32,
            });
        }
    }
    sides.sort_unstable_by_key(|side| (side.vertices, side.face));
    sides
}

/// The pairs of faces that meet in the pattern, and the sides where none does.
fn meet(sides: Vec<Side>) -> (Vec<[u32; 2]>, Vec<Side>) {
    let (mut pairs, mut borders) = (Vec::new(), Vec::new());
    let mut sides = sides.into_iter().peekable();
    while let Some(first) = sides.next() {
        let mut same = Vec::new();
        while let Some(other) = sides.next_if(|side| side.vertices == first.vertices) {
            same.push(other);
        }
        match &same[..] {
            [second] if second.ends == first.ends => pairs.push([first.face, second.face]),
            _ => {
                borders.push(first);
                borders.append(&mut same);
            }
        }
    }
    (pairs, borders)
}

/// For each face the lowest face of the piece it belongs to.
fn pieces(faces: usize, pairs: &[[u32; 2]]) -> Vec<u32> {
    let mut lowest: Vec<u32> = (0..faces as u32).collect();
    fn find(lowest: &mut [u32], mut face: u32) -> u32 {
        while lowest[face as usize] != face {
            let above = lowest[lowest[face as usize] as usize];
            lowest[face as usize] = above;
            face = above;
        }
        face
    }
    for &[a, b] in pairs {
        let (a, b) = (find(&mut lowest, a), find(&mut lowest, b));
        lowest[a.max(b) as usize] = a.min(b);
    }
    (0..faces as u32)
        .map(|face| find(&mut lowest, face))
        .collect()
}

/// Area of the part of a triangle that is within a rectangle.
fn area_within(triangle: &[DVec2; 3], low: DVec2, high: DVec2) -> f64 {
    let mut polygon = triangle.to_vec();
    let bounds = [
        (DVec2::X, high.x),
        (DVec2::NEG_X, -low.x),
        (DVec2::Y, high.y),
        (DVec2::NEG_Y, -low.y),
    ];
    for (along, most) in bounds {
        let mut clipped = Vec::with_capacity(polygon.len() + 1);
        for (k, &a) in polygon.iter().enumerate() {
            let b = polygon[(k + 1) % polygon.len()];
            let (over_a, over_b) = (along.dot(a) - most, along.dot(b) - most);
            if over_a <= 0.0 {
                clipped.push(a);
            }
            if (over_a < 0.0 && over_b > 0.0) || (over_a > 0.0 && over_b < 0.0) {
                clipped.push(a.lerp(b, over_a / (over_a - over_b)));
            }
        }
        polygon = clipped;
    }
    let twice = (0..polygon.len()).map(|k| polygon[k].perp_dot(polygon[(k + 1) % polygon.len()]));
    0.5 * twice.sum::<f64>().abs()
}

/// Whether a line passes through the inside of a rectangle.
fn passes_through([from, to]: [DVec2; 2], low: DVec2, high: DVec2) -> bool {
    let margin = SAME * (high - low);
    let (low, high) = (low + margin, high - margin);
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    for axis in 0..2 {
        let (start, way) = (from[axis], to[axis] - from[axis]);
        if way == 0.0 {
            if start <= low[axis] || start >= high[axis] {
                return false;
            }
            continue;
        }
        let (a, b) = ((low[axis] - start) / way, (high[axis] - start) / way);
        enter = enter.max(a.min(b));
        leave = leave.min(a.max(b));
    }
    enter < leave
}
