//! Broad phase and continuous queries on the motion of a draping cloth, on one thread.

use crate::bench;
use crate::experiment::Error;
use glam::DVec3;
use std::fmt;
use std::time::Instant;
use toile_geometry::broad::{Method, Pairs, Sweep};
use toile_geometry::{QuadGrid, ccd};
use toile_sim::{ClothModel, Model, Simulation};

/// Particles along a side.
const SIDE: usize = 101;
/// Frames that are measured: folds have formed and still move.
pub const FRAMES: std::ops::Range<usize> = 30..60;
/// Half of a cloth's thickness, around every primitive.
const PAD_M: f64 = 0.001;

/// Sums over the frames.
#[derive(Default)]
pub struct Speed {
    /// Frames measured.
    pub frames: usize,
    pairs: usize,
    contacts: usize,
    queries_s: f64,
    tree_s: f64,
    grid_s: f64,
    /// Frames in which the two methods disagree.
    pub different: usize,
}

impl Speed {
    /// Drapes the cloth and measures.
    pub fn measure() -> Result<Self, Error> {
        let scene = bench::scene("drape-self", SIDE, ClothModel::QuadBuckling);
        let mut speed = Self::default();
        let Some(scene) = scene else {
            return Ok(speed);
        };
        let mut simulation = Simulation::new(Model::build(&scene.model)?.into(), scene.config);
        let grid = QuadGrid {
            columns: SIDE,
            rows: SIDE,
            size_m: glam::DVec2::ONE,
        };
        let faces = grid.faces();
        let sweep = |method| Sweep::new(method, grid.len(), &faces);
        let mut methods = [sweep(Method::Tree), sweep(Method::Grid)];
        for frame in 0..FRAMES.end {
            let start = simulation.state().positions.clone();
            simulation.advance(1.0 / bench::FPS, scene.max_step_s)?;
            if FRAMES.contains(&frame) {
                speed.add_frame(&mut methods, &faces, &start, &simulation.state().positions);
            }
        }
        Ok(speed)
    }

    fn add_frame(
        &mut self,
        methods: &mut [Sweep; 2],
        faces: &[[u32; 3]],
        start: &[DVec3],
        end: &[DVec3],
    ) {
        let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let mut listed = [Pairs::default(), Pairs::default()];
        let mut list = || {
            let mut times = [f64::INFINITY; 2];
            for k in 0..2 {
                // The best of several: the first has to get its memory, others may be disturbed.
                for _ in 0..4 {
                    let clock = Instant::now();
                    methods[k].update(start, end, PAD_M);
                    methods[k].self_pairs(&mut listed[k]);
                    times[k] = times[k].min(clock.elapsed().as_secs_f64());
                }
            }
            times
        };
        let [tree_s, grid_s] = match one_thread {
            Ok(pool) => pool.install(list),
            Err(_) => list(),
        };
        let edges = methods[0].edges();
        let [pairs, by_grid] = &listed;
        self.frames += 1;
        self.tree_s += tree_s;
        self.grid_s += grid_s;
        self.different += usize::from(pairs != by_grid);
        self.pairs += pairs.point_face.len() + pairs.edge_edge.len();
        let at = |x: &[DVec3], corners: [u32; 4]| corners.map(|v| x[v as usize]);
        let clock = Instant::now();
        for &[v, f] in &pairs.point_face {
            let [a, b, c] = faces[f as usize];
            let corners = [v, a, b, c];
            let found = ccd::point_triangle(&at(start, corners), &at(end, corners), 0.0);
            self.contacts += usize::from(found.is_some());
        }
        for &[d, e] in &pairs.edge_edge {
            let ([a, b], [c, d]) = (edges[d as usize], edges[e as usize]);
            let corners = [a, b, c, d];
            let found = ccd::edge_edge(&at(start, corners), &at(end, corners), 0.0);
            self.contacts += usize::from(found.is_some());
        }
        self.queries_s += clock.elapsed().as_secs_f64();
    }
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let frames = self.frames.max(1) as f64;
        write!(
            f,
            "Speed on one thread, of this machine now and not checked: the pairs of a draping cloth of \
             {SIDE} × {SIDE} particles, frames {} to {}, boxes around a whole frame's motion and {} mm. \
             {:.0} pairs a frame, of which {:.2} % meet; {:.1} million queries a second. Listing them \
             takes {:.2} ms a frame by tree and {:.2} ms by grid.",
            FRAMES.start,
            FRAMES.end,
            1e3 * PAD_M,
            self.pairs as f64 / frames,
            100.0 * self.contacts as f64 / self.pairs.max(1) as f64,
            1e-6 * self.pairs as f64 / self.queries_s.max(1e-9),
            1e3 * self.tree_s / frames,
            1e3 * self.grid_s / frames,
        )
    }
}
