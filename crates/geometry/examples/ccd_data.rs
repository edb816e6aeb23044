//! Runs continuous collision detection over a folder of published queries, and prints how it did.
//!
//! ```sh
//! cargo run --release -p toile-geometry --example ccd_data -- FOLDER
//! ```
//!
//! Every CSV file below the folder whose path names edge–edge or vertex–face queries is read: eight
//! rows a query, the four corners at the start and then at the end, three rational numbers a row
//! as numerator and denominator, and a seventh number, if any, that says whether they meet. The true
//! answers are computed here, exactly, and compared with the file's.

use glam::DVec3;
use std::path::{Path, PathBuf};
use std::time::Instant;
use toile_geometry::ccd;

/// Closer to the exact time than this counts as near.
const NEAR: f64 = 1e-6;

#[derive(Default)]
struct Tally {
    queries: usize,
    hits: usize,
    labels_refuted: usize,
    misses: usize,
    late: usize,
    near: usize,
    worst: f64,
    false_positives: usize,
    seconds: f64,
}

struct Query {
    start: [DVec3; 4],
    end: [DVec3; 4],
    label: Option<bool>,
}

fn main() {
    let Some(folder) = std::env::args().nth(1) else {
        eprintln!("usage: ccd_data FOLDER");
        std::process::exit(2);
    };
    let mut files = Vec::new();
    find(Path::new(&folder), &mut files);
    files.sort();
    let mut total = Tally::default();
    println!("queries  hits  misses  late  near (%)  worst  false positives  ns/query  file");
    for file in files {
        let path = file.to_string_lossy().into_owned();
        let edges = path.contains("edge-edge") || path.contains("ee.csv");
        if !edges && !path.contains("vertex-face") && !path.contains("vf.csv") {
            continue;
        }
        let tally = judge(&read(&file), edges);
        print(&tally, path.strip_prefix(&folder).unwrap_or(&path));
        total.add(&tally);
    }
    print(&total, "all");
    if total.labels_refuted > 0 {
        println!(
            "{} labels differ from the exact answer",
            total.labels_refuted
        );
    }
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        if path.is_dir() {
            find(&path, files);
        } else if path.extension().is_some_and(|e| e == "csv") {
            files.push(path);
        }
    }
}

fn read(path: &Path) -> Vec<Query> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let rows: Vec<Vec<f64>> = (text.lines())
        .map(|line| {
            line.split(',')
                .filter_map(|x| x.trim().parse().ok())
                .collect()
        })
        .filter(|row: &Vec<f64>| row.len() >= 6)
        .collect();
    let query = |rows: &[Vec<f64>]| {
        // Denominators are powers of two and numerators have 53 bits: the quotients are exact.
        let corner = |i: usize| DVec3::from_array([0, 2, 4].map(|k| rows[i][k] / rows[i][k + 1]));
        Query {
            start: std::array::from_fn(corner),
            end: std::array::from_fn(|i| corner(4 + i)),
            label: rows[0].get(6).map(|label| *label == 1.0),
        }
    };
    rows.chunks_exact(8).map(query).collect()
}

fn judge(queries: &[Query], edges: bool) -> Tally {
    let fast = |q: &Query| match edges {
        true => ccd::edge_edge(&q.start, &q.end, 0.0),
        false => ccd::point_triangle(&q.start, &q.end, 0.0),
    };
    let clock = Instant::now();
    let answers: Vec<Option<f64>> = queries.iter().map(fast).collect();
    let mut tally = Tally {
        queries: queries.len(),
        seconds: clock.elapsed().as_secs_f64(),
        ..Tally::default()
    };
    for (query, answer) in queries.iter().zip(answers) {
        let exact = match edges {
            true => ccd::exact::edge_edge(&query.start, &query.end),
            false => ccd::exact::point_triangle(&query.start, &query.end),
        };
        tally.labels_refuted += usize::from(query.label.is_some_and(|l| l != exact.is_some()));
        match (answer, exact) {
            (Some(time), Some(exact)) => {
                let early = exact.rounded() - time;
                tally.hits += 1;
                tally.late += usize::from(!exact.is_no_earlier_than(time));
                tally.near += usize::from(early <= NEAR);
                tally.worst = tally.worst.max(early);
            }
            (None, Some(_)) => {
                tally.hits += 1;
                tally.misses += 1;
            }
            (Some(_), None) => tally.false_positives += 1,
            (None, None) => {}
        }
    }
    tally
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.queries += other.queries;
        self.hits += other.hits;
        self.labels_refuted += other.labels_refuted;
        self.misses += other.misses;
        self.late += other.late;
        self.near += other.near;
        self.worst = self.worst.max(other.worst);
        self.false_positives += other.false_positives;
        self.seconds += other.seconds;
    }
}

fn print(tally: &Tally, name: &str) {
    println!(
        "{:7}  {:4}  {:6}  {:4}  {:8.2}  {:.0e}  {:15}  {:8.0}  {name}",
        tally.queries,
        tally.hits,
        tally.misses,
        tally.late,
        100.0 * tally.near as f64 / tally.hits.max(1) as f64,
        tally.worst,
        tally.false_positives,
        1e9 * tally.seconds / tally.queries.max(1) as f64,
    );
}
