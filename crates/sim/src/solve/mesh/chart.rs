//! Panels over coarse lattices: the second and further levels of a mesh's preconditioner.
//!
//! Every panel of the pattern lies over a lattice about twice as coarse as its triangles. A field
//! on the lattice is interpolated bilinearly at the particles; a particle on a seam takes the mean
//! of its panels, each of which is solved as if the others stood still. A triangle is worth to the lattice what it is worth when its corners follow the
//! four nodes of the cell that holds its middle: exact but for triangles that reach out of their
//! cell, and positive semidefinite always. Bending is left out of the lattice, where it is harmless
//! and would only cost.

use glam::DVec2;
use std::collections::HashMap;
use toile_numerics::lattice::{Background, CELL_LINKS, CORNERS, Cell, SymmetricBlock};
use toile_numerics::single_csr::STRIDE;
use toile_numerics::{Csr, par};
use wide::{f32x4, f32x8};

/// Sides of lattice cells, in mean distances of particles.
const COARSENESS: f64 = 2.0;
/// A node beside held particles is of use if it moves so many others.
const LEAST_MOVED: f32 = 0.5;
/// Nodes and particles one task handles.
const GRAIN: usize = 64;

/// The symmetric parts of a triangle's blocks between its corners 01, 02 and 12.
type TriangleBlocks = [SymmetricBlock; 3];

/// A triangle of a panel.
#[derive(Clone, Copy, Debug)]
pub struct Corners {
    /// Which face of the model.
    pub face: u32,
    /// Its particles.
    pub particles: [u32; 3],
    /// Where they lie in the panel, m.
    pub places: [DVec2; 3],
}

/// A triangle beyond a seam, which moves with the panel by those corners that lie on it.
#[derive(Clone, Copy, Debug)]
pub struct Neighbour {
    /// Which face of the model.
    pub face: u32,
    /// Its particles.
    pub particles: [u32; 3],
    /// Where they lie in the panel, m; `None` for those that do not.
    pub places: [Option<DVec2>; 3],
}

/// A panel, as told to [`Chart::new`].
#[derive(Clone, Debug, Default)]
pub struct Panel {
    /// The cloth it belongs to.
    pub cloth: usize,
    /// Its triangles.
    pub triangles: Vec<Corners>,
    /// Those beyond its seams.
    pub neighbours: Vec<Neighbour>,
    /// Particles and where they lie, each place once.
    pub places: Vec<(u32, DVec2)>,
}

fn middle(places: impl Iterator<Item = DVec2> + Clone) -> DVec2 {
    places.clone().sum::<DVec2>() / places.count() as f64
}

/// One panel over its lattice.
pub struct Chart {
    background: Background,
    /// The triangles of each cell.
    triangles: Csr<Triangle>,
    cells: Vec<Cell>,
    /// Particles that follow each node, with their weights.
    followers: Csr<(u32, f32)>,
    anchors: Vec<SymmetricBlock>,
    /// Whether nodes can move.
    free: Vec<bool>,
    /// The lattice's answer, node by node.
    answers: Vec<f32x4>,
}

/// A triangle and how its corners follow its cell's nodes.
#[derive(Clone, Copy, Debug)]
struct Triangle {
    face: u32,
    particles: [u32; 3],
    weights: [[f32; 4]; 3],
    /// Whether all its corners follow this lattice alone.
    is_whole: bool,
}

/// How one particle follows a lattice: nodes with weights.
#[derive(Clone, Copy, Debug)]
pub struct Follower {
    /// The chart.
    pub chart: u32,
    nodes: [u32; 4],
    weights: [f32; 4],
}

/// A lattice's geometry.
struct Lattice {
    origin: DVec2,
    spacing_m: DVec2,
    columns: usize,
    rows: usize,
}

impl Lattice {
    fn around(triangles: &[Corners]) -> Self {
        let places = || triangles.iter().flat_map(|t| t.places);
        let low = places().reduce(DVec2::min).unwrap_or_default();
        let high = places().reduce(DVec2::max).unwrap_or_default();
        let area: f64 = triangles
            .iter()
            .map(|t| {
                0.5 * (t.places[1] - t.places[0])
                    .perp_dot(t.places[2] - t.places[0])
                    .abs()
            })
            .sum();
        // There are about half as many particles as triangles.
        let wished = COARSENESS * (2.0 * area / triangles.len() as f64).sqrt();
        // As many cells as fit, stretched to cover the panel exactly: nodes that lie outside are
        // held by little.
        let mut cells = ((high - low) / wished).round().max(DVec2::ONE);
        // A narrow panel that lies askew leaves most of its lattice empty: a coarser one must do.
        let most = (triangles.len() as f64).max(1.0);
        if cells.x * cells.y > most {
            cells = (cells * (most / (cells.x * cells.y)).sqrt())
                .round()
                .max(DVec2::ONE);
        }
        Self {
            origin: low,
            spacing_m: ((high - low) / cells).max(DVec2::splat(f64::MIN_POSITIVE)),
            columns: cells.x as usize + 1,
            rows: cells.y as usize + 1,
        }
    }

    /// The cell that holds a place.
    fn cell(&self, place: DVec2) -> (usize, usize) {
        let at = (place - self.origin) / self.spacing_m;
        let along = |x: f64, nodes: usize| (x.max(0.0) as usize).min(nodes - 2);
        (along(at.x, self.columns), along(at.y, self.rows))
    }

    /// Weights of a cell's corners at a place, which may lie a little outside.
    fn weights(&self, (column, row): (usize, usize), place: DVec2) -> [f64; 4] {
        let at = (place - self.origin) / self.spacing_m - DVec2::new(column as f64, row as f64);
        CORNERS.map(|(du, dv)| {
            let along = |x: f64, high: usize| if high == 1 { x } else { 1.0 - x };
            along(at.x, du) * along(at.y, dv)
        })
    }
}

impl Chart {
    /// A panel's lattices. `shares` says how much of each particle's motion a place of it is worth;
    /// `follow` is told how every particle of the panel follows the lattice.
    pub fn new(
        chart: u32,
        panel: &Panel,
        shares: &[f64],
        mut follow: impl FnMut(u32, Follower),
    ) -> Self {
        let lattice = Lattice::around(&panel.triangles);
        let (columns, rows) = (lattice.columns, lattice.rows);
        let background = Background::new(columns, rows);
        let mut of_cell: Vec<Vec<Triangle>> = vec![Vec::new(); (columns - 1) * (rows - 1)];
        let mut put = |face: u32, particles: [u32; 3], places: [Option<DVec2>; 3]| {
            let cell = lattice.cell(middle(places.into_iter().flatten()));
            let weights = std::array::from_fn(|k| {
                let share = shares[particles[k] as usize];
                places[k].map_or([0.0; 4], |place| {
                    lattice.weights(cell, place).map(|w| (share * w) as f32)
                })
            });
            of_cell[cell.1 * (columns - 1) + cell.0].push(Triangle {
                face,
                particles,
                weights,
                is_whole: particles.iter().all(|p| shares[*p as usize] == 1.0),
            });
        };
        for triangle in &panel.triangles {
            put(triangle.face, triangle.particles, triangle.places.map(Some));
        }
        for neighbour in &panel.neighbours {
            put(neighbour.face, neighbour.particles, neighbour.places);
        }
        let mut of_node: Vec<Vec<(u32, f32)>> = vec![Vec::new(); columns * rows];
        let cells = cells_of_places(&lattice, &panel.triangles);
        for &(particle, place) in &panel.places {
            let cell = cells[&key(particle, place)];
            let share = shares[particle as usize];
            let weights = lattice.weights(cell, place).map(|w| (share * w) as f32);
            let nodes = CORNERS.map(|(du, dv)| (cell.0 + du, cell.1 + dv));
            for ((column, row), weight) in nodes.into_iter().zip(weights) {
                if weight != 0.0 {
                    of_node[row * columns + column].push((particle, weight));
                }
            }
            let nodes = nodes.map(|(column, row)| (row * columns + column) as u32);
            follow(
                particle,
                Follower {
                    chart,
                    nodes,
                    weights,
                },
            );
        }
        Self {
            background,
            cells: vec![Cell::default(); of_cell.len()],
            triangles: Csr::from_rows(of_cell),
            anchors: vec![SymmetricBlock::default(); of_node.len()],
            free: vec![true; of_node.len()],
            answers: vec![f32x4::ZERO; of_node.len()],
            followers: Csr::from_rows(of_node),
        }
    }

    /// Rebuilds the lattices. `blocks` are those of a face between its corners 01, 02 and 12,
    /// `[xx, xy, xz, yy, yz, zz, 0, 0]` of their symmetric parts. `held` particles cannot move; `anchor` is what ties a particle to where it is.
    pub fn refresh(
        &mut self,
        blocks: &(impl Fn(u32) -> [f32x8; 3] + Sync),
        held: &[bool],
        anchor: &(impl Fn(u32) -> SymmetricBlock + Sync),
    ) {
        let followers = &self.followers;
        par::fill(&mut self.free, |node| {
            let (mut moved, mut any_held) = (0.0, false);
            for &(particle, weight) in followers.row(node) {
                let held = held[particle as usize];
                any_held |= held;
                moved += if held { 0.0 } else { weight };
            }
            !any_held || moved > LEAST_MOVED
        });
        let free = &self.free;
        par::fill(&mut self.anchors, |node| {
            let mut sum = SymmetricBlock::default();
            if free[node] {
                for &(particle, weight) in followers.row(node) {
                    if !held[particle as usize] {
                        add(&mut sum, weight, &anchor(particle));
                    }
                }
            }
            sum
        });
        let columns = self.background.layout().columns;
        let triangles = &self.triangles;
        par::fill(&mut self.cells, |cell| {
            let mut sum = Cell::default();
            let mut links = [f32x8::ZERO; 6];
            for triangle in triangles.row(cell) {
                let blocks = blocks(triangle.face);
                let [a, b, c] = triangle.particles;
                let held = [held[a as usize], held[b as usize], held[c as usize]];
                if triangle.is_whole && held == [false; 3] {
                    add_free(triangle, blocks, &mut links);
                } else if held != [true; 3] {
                    add_partly_held(triangle, &blocks.map(entries), held, &mut sum);
                }
            }
            for (link, more) in sum.links.iter_mut().zip(links) {
                add(link, 1.0, &entries(more));
            }
            let (column, row) = (cell % (columns - 1), cell / (columns - 1));
            hold(
                CORNERS.map(|(du, dv)| free[(row + dv) * columns + column + du]),
                &mut sum,
            );
            sum
        });
        self.background.refresh(&self.cells, &self.anchors);
    }

    /// Solves on the lattices for a residual over all particles.
    pub fn solve(&mut self, residual: &[f32]) {
        let layout = *self.background.layout();
        let (followers, free) = (&self.followers, &self.free);
        let (columns, stride) = (layout.columns, layout.stride);
        let (residual, _) = residual.as_chunks::<STRIDE>();
        let body = layout.place(3, 0, 0) - layout.place(3, 0, 0) % stride;
        let rhs = &mut self.background.rhs_mut()[body..body + 3 * stride * layout.rows];
        let margin = layout.place(3, 0, 0) % stride;
        par::for_each_row(rhs, 3 * stride, GRAIN.div_ceil(columns), |row, rhs| {
            for column in 0..columns {
                let node = row * columns + column;
                let mut sum = f32x4::ZERO;
                let own = if free[node] { followers.row(node) } else { &[] };
                for &(particle, weight) in own {
                    sum += f32x4::from(residual[particle as usize]) * weight;
                }
                for (component, value) in sum.to_array().into_iter().take(3).enumerate() {
                    rhs[component * stride + margin + column] = value;
                }
            }
        });
        self.background.solve();
        let x = self.background.answer();
        par::for_each_row(
            &mut self.answers,
            columns,
            GRAIN.div_ceil(columns),
            |row, out| {
                let first = layout.place(3, 0, row);
                let [x, y, z] = [0, 1, 2].map(|k| &x[first + k * stride..][..columns]);
                for (column, answer) in out.iter_mut().enumerate() {
                    // Coarser lattices know nothing of nodes that cannot move.
                    *answer = match free[row * columns + column] {
                        true => f32x4::from([x[column], y[column], z[column], 0.0]),
                        false => f32x4::ZERO,
                    };
                }
            },
        );
    }

    /// The lattice's answer at a particle.
    #[inline(always)]
    pub fn answer(&self, follower: &Follower) -> f32x4 {
        let mut sum = f32x4::ZERO;
        for (node, weight) in follower.nodes.iter().zip(follower.weights) {
            sum += self.answers[*node as usize] * weight;
        }
        sum
    }
}

/// The cell that every place follows: its own if a triangle around it lies there, and that of such
/// a triangle otherwise. A place in a cell without triangles would follow nodes that nothing
/// holds.
fn cells_of_places(
    lattice: &Lattice,
    triangles: &[Corners],
) -> HashMap<(u32, [u64; 2]), (usize, usize)> {
    let mut cells = HashMap::new();
    for triangle in triangles {
        let cell = lattice.cell(middle(triangle.places.into_iter()));
        for (&particle, &place) in triangle.particles.iter().zip(&triangle.places) {
            let followed = cells.entry(key(particle, place)).or_insert(cell);
            if lattice.cell(place) == cell {
                *followed = cell;
            }
        }
    }
    cells
}

/// A particle at one of its places.
pub fn key(particle: u32, place: DVec2) -> (u32, [u64; 2]) {
    (particle, place.to_array().map(f64::to_bits))
}

fn add(sum: &mut SymmetricBlock, factor: f32, block: &SymmetricBlock) {
    for (sum, value) in sum.iter_mut().zip(block) {
        *sum += factor * value;
    }
}

/// A triangle resists differences alone, so it is worth links.
#[inline(always)]
fn add_free(triangle: &Triangle, [k01, k02, k12]: [f32x8; 3], links: &mut [f32x8; 6]) {
    // In the differences e and f from its first corner, the form is K11 ee + 2 K12 ef + K22 ff.
    let (k11, k22) = (-(k01 + k12), -(k02 + k12));
    let [w0, w1, w2] = triangle.weights.map(f32x4::from);
    let (e, f) = ((w1 - w0).to_array(), (w2 - w0).to_array());
    for ((a, b), link) in CELL_LINKS.into_iter().zip(links) {
        let (ee, ff) = (e[a] * e[b], f[a] * f[b]);
        let ef = e[a] * f[b] + f[a] * e[b];
        *link -= k11 * ee + k12 * ef + k22 * ff;
    }
}

/// The entries of a block.
fn entries(block: f32x8) -> SymmetricBlock {
    let [xx, xy, xz, yy, yz, zz, ..] = block.to_array();
    [xx, xy, xz, yy, yz, zz]
}

/// A triangle with corners that cannot move, or move with other panels as well, which here stand
/// still: the others are tied to the ground.
fn add_partly_held(
    triangle: &Triangle,
    [k01, k02, k12]: &TriangleBlocks,
    held: [bool; 3],
    sum: &mut Cell,
) {
    let own = |x: &SymmetricBlock, y: &SymmetricBlock| std::array::from_fn(|i| -(x[i] + y[i]));
    let diagonal = [own(k01, k02), own(k01, k12), own(k02, k12)];
    let block = |p: usize, s: usize| -> &SymmetricBlock {
        match (p.min(s), p.max(s)) {
            (0, 1) => k01,
            (0, 2) => k02,
            (1, 2) => k12,
            _ => &diagonal[p],
        }
    };
    let free = || (0..3).filter(|p| !held[*p]);
    for p in free() {
        for s in free() {
            let (w_p, w_s) = (&triangle.weights[p], &triangle.weights[s]);
            let share: f32 = w_s.iter().sum();
            for (a, anchor) in sum.anchors.iter_mut().enumerate() {
                add(anchor, share * w_p[a], block(p, s));
            }
            for ((a, b), link) in CELL_LINKS.into_iter().zip(&mut sum.links) {
                // Both orders of (p, s) come by, so each brings half.
                let both = w_p[a] * w_s[b] + w_s[a] * w_p[b];
                add(link, -0.5 * both, block(p, s));
            }
        }
    }
}

/// Links to nodes that cannot move tie the others to the ground.
fn hold(free: [bool; 4], cell: &mut Cell) {
    for ((a, b), link) in CELL_LINKS.into_iter().zip(&mut cell.links) {
        if free[a] && free[b] {
            continue;
        }
        for node in [a, b] {
            if free[node] {
                add(&mut cell.anchors[node], 1.0, link);
            }
        }
        *link = SymmetricBlock::default();
    }
    for (anchor, free) in cell.anchors.iter_mut().zip(free) {
        if !free {
            *anchor = SymmetricBlock::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A strip of right-angled triangles along a direction.
    fn strip(cells: usize, spacing_m: f64, along: DVec2) -> Vec<Corners> {
        let place = |k: usize, side: f64| spacing_m * (k as f64 * along + side * along.perp());
        let corners = |places: [DVec2; 3]| Corners {
            face: 0,
            particles: [0; 3],
            places,
        };
        (0..cells)
            .flat_map(|k| {
                let [a, b] = [place(k, 0.0), place(k + 1, 0.0)];
                let [c, d] = [place(k + 1, 1.0), place(k, 1.0)];
                [corners([a, b, c]), corners([a, c, d])]
            })
            .collect()
    }

    #[test]
    fn lattices_have_cells_of_two_spacings_and_few_of_them_lie_empty() {
        let straight = Lattice::around(&strip(100, 0.01, DVec2::X));
        assert_eq!((straight.columns, straight.rows), (51, 2));
        let askew = Lattice::around(&strip(1000, 0.01, DVec2::ONE.normalize()));
        assert!(askew.columns * askew.rows <= 2200);
        assert!(askew.columns > 30 && askew.rows > 30);
    }

    #[test]
    fn weights_reproduce_places() {
        let lattice = Lattice::around(&strip(100, 0.01, DVec2::X));
        for place in [DVec2::new(0.333, 0.004), DVec2::new(0.0, 0.01)] {
            let (column, row) = lattice.cell(place);
            let weights = lattice.weights((column, row), place);
            let mut found = DVec2::ZERO;
            for ((du, dv), weight) in CORNERS.into_iter().zip(weights) {
                let node = DVec2::new((column + du) as f64, (row + dv) as f64);
                found += weight * (lattice.origin + lattice.spacing_m * node);
            }
            assert!(found.distance(place) < 1e-15);
            assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-15);
        }
    }
}
