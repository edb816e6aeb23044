//! Asks for contacts in random and in nasty positions until the time is up, and keeps every case whose
//! answer is wrong.
//!
//! ```sh
//! cargo run --release -p toile-geometry --example fuzz -- [MINUTES] [SEED] [FOLDER]
//! ```
//!
//! Continuous detection with and without a separation is compared with exact arithmetic and with
//! distances at many moments, the exact intersection test with rational arithmetic on all pairs. Finds
//! are made as simple as they stay wrong, and written to the folder; those in `tests/finds` are ordinary
//! tests from then on. Needs nothing but the stable compiler.

#[path = "../tests/judge/mod.rs"]
mod judge;

use glam::{DQuat, DVec3};
use judge::Case;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};
use toile_geometry::TriMesh;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |k: usize, usual: f64| match arguments.get(k).map(|a| a.parse()) {
        None => usual,
        Some(Ok(value)) => value,
        Some(Err(_)) => {
            eprintln!("usage: fuzz [MINUTES] [SEED] [FOLDER]");
            std::process::exit(2);
        }
    };
    let (minutes, seed) = (number(0, 1.0), number(1, 1.0) as u64);
    let folder = arguments.get(2).map_or("finds", String::as_str);
    // Panics are finds like any other; what they say comes with the find.
    std::panic::set_hook(Box::new(|_| {}));
    let clock = Instant::now();
    let mut random = Random(seed);
    let mut tallies = [Tally::default(); KINDS.len()];
    let mut finds = 0;
    while clock.elapsed() < Duration::from_secs_f64(60.0 * minutes) && finds < MOST_FINDS {
        for (kind, tally) in KINDS.into_iter().zip(&mut tallies) {
            // Rational arithmetic takes its time.
            if kind == Kind::Mesh && tally.seconds > 0.25 * clock.elapsed().as_secs_f64() {
                continue;
            }
            let began = Instant::now();
            let case = case(kind, &mut random);
            tally.cases += 1;
            match verdict(&case) {
                Ok(found) => tally.contacts += u64::from(found),
                Err(_) => {
                    finds += 1;
                    tally.wrong += 1;
                    keep(&simplified(case), folder, seed, finds);
                }
            }
            tally.seconds += began.elapsed().as_secs_f64();
        }
    }
    println!("     cases    contacts  wrong  seconds");
    for (kind, tally) in KINDS.into_iter().zip(tallies) {
        println!(
            "{:10}  {:10}  {:5}  {:7.0}  {kind:?}",
            tally.cases, tally.contacts, tally.wrong, tally.seconds
        );
    }
    std::process::exit(i32::from(finds > 0));
}

/// After so many something is wrong with all of it.
const MOST_FINDS: u32 = 20;

#[derive(Clone, Copy, Default)]
struct Tally {
    cases: u64,
    contacts: u64,
    wrong: u64,
    seconds: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    PointTriangle,
    EdgeEdge,
    PointTriangleApart,
    EdgeEdgeApart,
    Mesh,
}

const KINDS: [Kind; 5] = [
    Kind::PointTriangle,
    Kind::EdgeEdge,
    Kind::PointTriangleApart,
    Kind::EdgeEdgeApart,
    Kind::Mesh,
];

fn verdict(case: &Case) -> Result<bool, String> {
    catch_unwind(AssertUnwindSafe(|| case.judge())).unwrap_or_else(|_| Err("panics".into()))
}

/// The same with as many coordinates zero or whole as leave it wrong.
fn simplified(mut case: Case) -> Case {
    for simpler in [|_: f64| 0.0, f64::round, |x: f64| f64::from(x as f32)] {
        let points = case.points_mut().len();
        for (point, axis) in (0..points).flat_map(|p| (0..3).map(move |axis| (p, axis))) {
            let mut tried = case.clone();
            let coordinate = &mut tried.points_mut()[point][axis];
            *coordinate = simpler(*coordinate);
            if verdict(&tried).is_err() {
                case = tried;
            }
        }
    }
    case
}

fn keep(case: &Case, folder: &str, seed: u64, number: u32) {
    let wrong = verdict(case).err().unwrap_or_default();
    let path = Path::new(folder).join(format!("seed-{seed}-{number}.txt"));
    let text = format!("# {wrong}\n{case}");
    println!("{text}");
    assert_eq!(
        Case::parse(&text).as_ref(),
        Some(case),
        "a case must read back"
    );
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, text));
    if let Err(error) = written {
        eprintln!("{}: {error}", path.display());
    }
}

/// A case of a kind, in one of many kinds of positions.
fn case(kind: Kind, random: &mut Random) -> Case {
    if kind == Kind::Mesh {
        return mesh(random);
    }
    let mut points = positions(8, random);
    let mut size = points
        .iter()
        .fold(0.0, |m: f64, p| p.abs().max_element().max(m));
    match random.below(5) {
        // Nothing moves, all moves alike, only the first point moves, or little moves.
        0 => points.copy_within(0..4, 4),
        1 => {
            let way = points[4] - points[0];
            (0..4).for_each(|i| points[4 + i] = points[i] + way);
        }
        2 => points.copy_within(1..4, 5),
        3 => {
            let share = 2.0_f64.powi(-(random.below(60) as i32));
            (0..4).for_each(|i| points[4 + i] = points[i].lerp(points[4 + i], share));
        }
        _ => {}
    }
    if matches!(kind, Kind::PointTriangleApart | Kind::EdgeEdgeApart)
        && !(1e-90..1e90).contains(&size)
    {
        // Squares of distances would not fit: answers are then early, which is known.
        points
            .iter_mut()
            .for_each(|p| *p = p.map(|x| x / size.max(f64::MIN_POSITIVE)));
        size = 1.0;
    }
    let apart = matches!(kind, Kind::PointTriangleApart | Kind::EdgeEdgeApart);
    let share = 2.0_f64.powi(1 - random.below(24) as i32) * (0.5 + random.share());
    Case::Motion {
        edges: matches!(kind, Kind::EdgeEdge | Kind::EdgeEdgeApart),
        separation_m: if apart { share * size } else { 0.0 },
        start: std::array::from_fn(|i| points[i]),
        end: std::array::from_fn(|i| points[4 + i]),
    }
}

/// Some triangles on a few vertices.
fn mesh(random: &mut Random) -> Case {
    let vertices = 4 + random.below(5) as usize;
    let positions = positions(vertices, random);
    let mut faces = Vec::new();
    while faces.len() < 3 {
        let face: [u32; 3] = std::array::from_fn(|_| random.below(vertices as u64) as u32);
        let [a, b, c] = face;
        if a != b && b != c && c != a {
            faces.push(face);
        }
    }
    Case::Mesh(TriMesh { positions, faces })
}

/// Points with much or little in common.
fn positions(count: usize, random: &mut Random) -> Vec<DVec3> {
    let reach = 1 + random.below(4);
    let mut points: Vec<DVec3> = (0..count).map(|_| random.point(reach)).collect();
    match random.below(4) {
        0 => points.iter_mut().for_each(|p| *p = random.anywhere()),
        // In one plane, on one line.
        1 => points.iter_mut().for_each(|p| p.z = p.x - p.y),
        2 if random.below(3) == 0 => {
            let way = random.point(reach);
            points.iter_mut().for_each(|p| *p = p.x * way);
        }
        _ => {}
    }
    if random.below(4) == 0 {
        let (from, to) = (random.below(count as u64), random.below(count as u64));
        points[to as usize] = points[from as usize];
    }
    match random.below(6) {
        // Turned and moved, which leaves special positions within rounding.
        0 => {
            let turn = DQuat::from_scaled_axis(3.0 * random.anywhere());
            let shift = random.anywhere() * 10.0_f64.powi(random.below(7) as i32 - 2);
            points.iter_mut().for_each(|p| *p = turn * *p + shift);
        }
        // Far away, tiny, huge, and of many sizes at once.
        1 => {
            let shift = random.point(9) * 10.0_f64.powi(random.below(9) as i32);
            points.iter_mut().for_each(|p| *p += shift);
        }
        2 => {
            let scale = 2.0_f64.powi(random.below(1600) as i32 - 800);
            points.iter_mut().for_each(|p| *p *= scale);
        }
        3 => points
            .iter_mut()
            .for_each(|p| *p *= 2.0_f64.powi(random.below(80) as i32 - 40)),
        _ => {}
    }
    if random.below(3) == 0 {
        for p in &mut points {
            let steps = random.below(5) as i64 - 2;
            *p = p.map(|x| nudged(x, steps));
        }
    }
    points
}

/// `x` moved by a few representable numbers.
fn nudged(x: f64, steps: i64) -> f64 {
    (0..steps.abs()).fold(x, |x, _| {
        if steps > 0 {
            x.next_up()
        } else {
            x.next_down()
        }
    })
}

/// Steele and Vigna's splitmix generator.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, count: u64) -> u64 {
        self.next() % count
    }

    /// Between 0 and 1.
    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// In the cube from −1 to 1.
    fn anywhere(&mut self) -> DVec3 {
        DVec3::from_array(std::array::from_fn(|_| 2.0 * self.share() - 1.0))
    }

    /// With whole coordinates.
    fn point(&mut self, reach: u64) -> DVec3 {
        let whole = |random: &mut Self| random.below(2 * reach + 1) as f64 - reach as f64;
        DVec3::from_array(std::array::from_fn(|_| whole(self)))
    }
}
