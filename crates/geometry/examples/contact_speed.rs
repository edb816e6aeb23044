//! How long the broad phase and continuous collision detection take on a folded cloth.
//!
//! ```sh
//! cargo run --release -p toile-geometry --example contact_speed
//! ```
//!
//! A square metre with wrinkles lies in one layer or in five, and every particle moves by up to 10 mm
//! in the step. Times are the best of several repetitions, on one thread.

use glam::{DVec2, DVec3};
use std::time::Instant;
use toile_geometry::broad::{Method, Pairs, Sweep};
use toile_geometry::{QuadGrid, ccd};

/// Around every primitive.
const PAD_M: f64 = 0.0005;
/// Between layers, before they are wrinkled.
const GAP_M: f64 = 0.004;

fn main() {
    let repetitions = match std::env::args().nth(1).map(|count| count.parse()) {
        None => 20,
        Some(Ok(count)) => count,
        Some(Err(_)) => {
            eprintln!("usage: contact_speed [REPETITIONS]");
            std::process::exit(2);
        }
    };
    println!(
        " side  layers  method  point–face  edge–edge  update (ms)  pairs (ms)  queries (million/s)  meet"
    );
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let report = || {
        for (side, layers) in [(51, 1.0), (51, 5.0), (101, 1.0), (101, 5.0)] {
            for method in [Method::Tree, Method::Grid] {
                measure(side, layers, method, repetitions);
            }
        }
    };
    match pool {
        Ok(pool) => pool.install(report),
        Err(_) => report(),
    }
}

fn measure(side: usize, layers: f64, method: Method, repetitions: usize) {
    let grid = QuadGrid {
        columns: side,
        rows: side,
        size_m: DVec2::ONE,
    };
    let faces = grid.faces();
    let positions = |time: f64| -> Vec<DVec3> {
        let place = |i: usize| {
            let (column, row) = grid.cell_of(i);
            folded(grid.pattern(column, row), layers, time)
        };
        (0..grid.len()).map(place).collect()
    };
    let (start, end) = (positions(0.0), positions(1.0));
    let mut sweep = Sweep::new(method, grid.len(), &faces);
    // The tree is built for the flat sheet, as in a simulation.
    let flat = grid.positions(DVec3::ZERO, DVec3::X, DVec3::Z);
    sweep.update(&flat, &flat, PAD_M);
    let mut pairs = Pairs::default();
    let (mut update_s, mut pairs_s, mut queries_s) = (f64::MAX, f64::MAX, f64::MAX);
    let mut meet = 0;
    for _ in 0..repetitions {
        update_s = update_s.min(seconds(|| sweep.update(&start, &end, PAD_M)));
        pairs_s = pairs_s.min(seconds(|| sweep.self_pairs(&mut pairs)));
        let edges = sweep.edges();
        queries_s = queries_s.min(seconds(|| {
            meet = contacts(&pairs, &faces, edges, &start, &end);
        }));
    }
    let queries = pairs.point_face.len() + pairs.edge_edge.len();
    println!(
        "{side:5}  {layers:6}  {:6}  {:10}  {:9}  {:11.2}  {:10.2}  {:19.2}  {meet}",
        format!("{method:?}"),
        pairs.point_face.len(),
        pairs.edge_edge.len(),
        1e3 * update_s,
        1e3 * pairs_s,
        1e-6 * queries as f64 / queries_s,
    );
}

/// Where a point of the sheet is at the start (0) and at the end (1) of the step.
fn folded(pattern: DVec2, layers: f64, time: f64) -> DVec3 {
    let (u, v) = (pattern.x, pattern.y);
    let layer = (layers * u).floor().min(layers - 1.0);
    let along = u - layer / layers;
    let back = layer % 2.0 == 1.0;
    let x = if back { 1.0 / layers - along } else { along };
    let wrinkle = 0.012 * (40.0 * v).sin() + 0.004 * (90.0 * x + 20.0 * v).sin();
    // Nothing lies exactly above anything else.
    let uneven = |k: f64| 3e-4 * (k * u + 1234.5 * v).sin();
    let place = DVec3::new(x, GAP_M * layer + wrinkle, v)
        + DVec3::new(uneven(911.0), uneven(702.0), uneven(533.0));
    let motion = DVec3::new((7.0 * v).sin(), -1.0, (9.0 * x).cos()).normalize();
    let share = 0.35 + 0.35 * (11.0 * v + 5.0 * x).sin() + 0.3 * (9.0 * v + 2.0 * layer).sin();
    place + motion * (0.01 * share * time)
}

fn contacts(
    pairs: &Pairs,
    faces: &[[u32; 3]],
    edges: &[[u32; 2]],
    start: &[DVec3],
    end: &[DVec3],
) -> usize {
    let at = |x: &[DVec3], corners: [u32; 4]| corners.map(|v| x[v as usize]);
    let points = pairs.point_face.iter().filter(|&&[v, f]| {
        let [a, b, c] = faces[f as usize];
        let corners = [v, a, b, c];
        ccd::point_triangle(&at(start, corners), &at(end, corners), 0.0).is_some()
    });
    let edges = pairs.edge_edge.iter().filter(|&&[d, e]| {
        let ([a, b], [c, d]) = (edges[d as usize], edges[e as usize]);
        let corners = [a, b, c, d];
        ccd::edge_edge(&at(start, corners), &at(end, corners), 0.0).is_some()
    });
    points.count() + edges.count()
}

fn seconds(work: impl FnOnce()) -> f64 {
    let clock = Instant::now();
    work();
    clock.elapsed().as_secs_f64()
}
