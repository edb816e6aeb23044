//! Questions about contact, as text and as what their answers must be: shared by the tests, which
//! replay what was found once, and by the example `fuzz`, which looks for more.
//!
//! A case is a line with the question, and a line for each point with its three coordinates in
//! decimal, which are read back to the very bits:
//!
//! - `point-triangle` or `edge-edge`, and the separation: four corners at the start, four at the end;
//! - `mesh`, and corners of faces, three numbers each: all vertices.

#[path = "../oracle/mod.rs"]
mod oracle;

use glam::DVec3;
use num_rational::BigRational;
use std::fmt;
use toile_geometry::ccd;
use toile_geometry::{FacePair, TriMesh, self_intersections};

/// The farthest from the exact time that an answer may be.
const NEAR: f64 = 1e-6;
/// Moments at which distances are looked at.
const MOMENTS: u32 = 64;

type Corners = [DVec3; 4];
type Fast = fn(&Corners, &Corners, f64) -> Option<f64>;
type Exact = fn(&Corners, &Corners) -> Option<ccd::exact::Moment>;

/// A question with its numbers.
#[derive(Clone, Debug, PartialEq)]
pub enum Case {
    /// When do two moving primitives come within a separation, m?
    Motion {
        /// Two edges, or else a point and a triangle.
        edges: bool,
        /// 0 asks for contact.
        separation_m: f64,
        /// Corners at the start.
        start: Corners,
        /// Corners at the end.
        end: Corners,
    },
    /// Which faces of a mesh meet?
    Mesh(TriMesh),
}

impl Case {
    /// Reads one; nothing if it is none.
    pub fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let mut words = lines.next()?.split_whitespace();
        let question = words.next()?;
        let point = |line: &str| -> Option<DVec3> {
            let numbers: Result<Vec<f64>, _> = line.split_whitespace().map(str::parse).collect();
            Some(DVec3::from_array(numbers.ok()?.try_into().ok()?))
        };
        let points: Vec<DVec3> = lines.map(point).collect::<Option<_>>()?;
        if question == "mesh" {
            let corners: Result<Vec<u32>, _> = words.map(str::parse).collect();
            let corners = corners.ok()?;
            let faces = corners.chunks_exact(3).map(|f| [f[0], f[1], f[2]]);
            return Some(Self::Mesh(TriMesh {
                positions: points,
                faces: faces.collect(),
            }));
        }
        let edges = match question {
            "point-triangle" => false,
            "edge-edge" => true,
            _ => return None,
        };
        let (start, end) = points.split_at_checked(4)?;
        Some(Self::Motion {
            edges,
            separation_m: words.next()?.parse().ok()?,
            start: start.try_into().ok()?,
            end: end.try_into().ok()?,
        })
    }

    /// All its points, to be changed.
    pub fn points_mut(&mut self) -> Vec<&mut DVec3> {
        match self {
            Self::Motion { start, end, .. } => start.iter_mut().chain(end).collect(),
            Self::Mesh(mesh) => mesh.positions.iter_mut().collect(),
        }
    }

    /// Whether there is anything to be found; an error says what is wrong with the answer.
    pub fn judge(&self) -> Result<bool, String> {
        match self {
            Self::Motion {
                edges,
                separation_m,
                start,
                end,
            } => judge_motion(*edges, *separation_m, start, end),
            Self::Mesh(mesh) => judge_mesh(mesh),
        }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row =
            |f: &mut fmt::Formatter<'_>, p: &DVec3| writeln!(f, "{:e} {:e} {:e}", p.x, p.y, p.z);
        match self {
            Self::Motion {
                edges,
                separation_m,
                start,
                end,
            } => {
                let question = if *edges {
                    "edge-edge"
                } else {
                    "point-triangle"
                };
                writeln!(f, "{question} {separation_m:e}")?;
                start.iter().chain(end).try_for_each(|p| row(f, p))
            }
            Self::Mesh(mesh) => {
                let corners: Vec<String> = mesh
                    .faces
                    .as_flattened()
                    .iter()
                    .map(u32::to_string)
                    .collect();
                writeln!(f, "mesh {}", corners.join(" "))?;
                mesh.positions.iter().try_for_each(|p| row(f, p))
            }
        }
    }
}

fn judge_motion(
    edges: bool,
    separation_m: f64,
    start: &Corners,
    end: &Corners,
) -> Result<bool, String> {
    let (fast, exact): (Fast, Exact) = if edges {
        (ccd::edge_edge, ccd::exact::edge_edge)
    } else {
        (ccd::point_triangle, ccd::exact::point_triangle)
    };
    let truth = exact(start, end);
    let answer = fast(start, end, separation_m);
    if answer.is_some_and(|time| !(0.0..=1.0).contains(&time)) {
        return Err(format!("{answer:?} is no time of the motion"));
    }
    // Contact is never missed and never found late, whatever the separation.
    if let Some(truth) = &truth {
        let Some(time) = answer else {
            return Err(format!("missed a contact at {}", truth.rounded()));
        };
        if !truth.is_no_earlier_than(time) {
            return Err(format!("{time} is later than {}", truth.rounded()));
        }
        let early = truth.rounded() - time;
        if separation_m == 0.0 && early > NEAR {
            return Err(format!(
                "{time} is earlier than {} by {early:e}",
                truth.rounded()
            ));
        }
    } else if separation_m == 0.0
        && let Some(time) = answer
    {
        return Err(format!("a contact at {time}, but there is none"));
    }
    if separation_m > 0.0 {
        judge_separation(edges, separation_m, start, end, answer)?;
        let wider = fast(start, end, 2.0 * separation_m);
        let apart = |time: Option<f64>| time.unwrap_or(f64::INFINITY);
        let size = size_m(start, end);
        // Both are early by up to what is approached in the shortest piece of time.
        if apart(wider) > apart(answer) + NEAR && separation_m > 1e-9 * size {
            return Err(format!(
                "{wider:?} for twice the separation, {answer:?} for once"
            ));
        }
    }
    Ok(answer.is_some())
}

/// The separation is kept before the answer, and reached there.
fn judge_separation(
    edges: bool,
    separation_m: f64,
    start: &Corners,
    end: &Corners,
    answer: Option<f64>,
) -> Result<(), String> {
    // Powers of two change nothing but the unit; products of very large or small numbers would not fit.
    let unit_m = power_of_two(size_m(start, end));
    let [start, end] = [start, end].map(|x| x.map(|p| p / unit_m));
    let separation_m = separation_m / unit_m;
    let at = |t: f64| -> Corners { std::array::from_fn(|i| start[i].lerp(end[i], t)) };
    // Interpolated positions round in proportion to the coordinates.
    let rounding = 1e-14;
    let until = answer.unwrap_or(1.0);
    for k in 0..=MOMENTS {
        let t = f64::from(k) / f64::from(MOMENTS) * until;
        let distance = distance_m(edges, &at(t));
        if t < until && distance < separation_m - rounding {
            return Err(format!("{distance:e} apart at {t}, before {answer:?}"));
        }
    }
    if let Some(t) = answer {
        let distance = distance_m(edges, &at(t));
        let approach = 4.0 * NEAR * motion_m(&start, &end);
        // Distances of slivers may be too large.
        if distance > separation_m + approach + NEAR {
            return Err(format!("still {distance:e} apart at {t}"));
        }
    }
    Ok(())
}

fn size_m(start: &Corners, end: &Corners) -> f64 {
    let all = start.iter().chain(end);
    all.fold(0.0, |m, p| p.abs().max_element().max(m))
}

/// A power of two near `x`; 1 for 0.
fn power_of_two(x: f64) -> f64 {
    if x < f64::MIN_POSITIVE {
        return 1.0;
    }
    f64::from_bits(x.to_bits() & (0x7ff << 52))
}

fn motion_m(start: &Corners, end: &Corners) -> f64 {
    let moves = start.iter().zip(end).map(|(a, b)| a.distance(*b));
    2.0 * moves.fold(0.0, f64::max)
}

/// Distance of a point and a triangle or of two edges. It is that of two points of them, and so never
/// too small, but for the rounding of these.
fn distance_m(edges: bool, [a, b, c, d]: &Corners) -> f64 {
    let on_edge = |p: &DVec3, q: &DVec3, r: &DVec3| {
        let square = q.distance_squared(*r);
        let along = (*p - *q).dot(*r - *q);
        let share = if square > 0.0 { along / square } else { 0.0 };
        q.lerp(*r, share.clamp(0.0, 1.0))
    };
    let to_edge = |p: &DVec3, q: &DVec3, r: &DVec3| p.distance(on_edge(p, q, r));
    if edges {
        // The nearest point of each edge to the other's line, and all ends.
        let lines = nearest_to_line([a, b], [c, d]);
        let inner = to_edge(&a.lerp(*b, lines), c, d);
        let ends = to_edge(a, c, d).min(to_edge(b, c, d));
        let other_ends = to_edge(c, a, b).min(to_edge(d, a, b));
        return inner.min(ends).min(other_ends);
    }
    let borders = to_edge(a, b, c).min(to_edge(a, c, d)).min(to_edge(a, d, b));
    let normal = (*c - *b).cross(*d - *b);
    let areas =
        [(c, d), (d, b), (b, c)].map(|(p, q)| (*q - *p).cross(*a - *p).dot(normal).max(0.0));
    let total: f64 = areas.iter().sum();
    if total > 0.0 {
        let foot = (areas[0] * *b + areas[1] * *c + areas[2] * *d) / total;
        borders.min(a.distance(foot))
    } else {
        borders
    }
}

/// How far along the first edge its line is nearest to that of the second, as a share from 0 to 1.
fn nearest_to_line([a, b]: [&DVec3; 2], [c, d]: [&DVec3; 2]) -> f64 {
    let (along, other, across) = (*b - *a, *d - *c, *c - *a);
    let (first, second, both) = (
        along.length_squared(),
        other.length_squared(),
        along.dot(other),
    );
    let determinant = first * second - both * both;
    let share = (across.dot(along) * second - across.dot(other) * both) / determinant;
    if share.is_finite() {
        share.clamp(0.0, 1.0)
    } else {
        0.0
    }
}

/// All pairs of faces by rational arithmetic, without a tree.
fn judge_mesh(mesh: &TriMesh) -> Result<bool, String> {
    // Meshes that are refused are refused for a reason of their own.
    let Ok(found) = self_intersections(mesh, usize::MAX) else {
        return Ok(false);
    };
    let mut expected = Vec::new();
    for (a, face) in mesh.faces.iter().enumerate() {
        for (b, other) in mesh.faces.iter().enumerate().skip(a + 1) {
            let common: Vec<u32> = face.iter().copied().filter(|v| other.contains(v)).collect();
            let rest = |face: &[u32; 3]| -> [DVec3; 3] {
                let own = face.iter().copied().filter(|v| !common.contains(v));
                let all: Vec<u32> = common.iter().copied().chain(own).collect();
                std::array::from_fn(|k| mesh.positions[all[k] as usize])
            };
            let kind = oracle::judge::<BigRational>(rest(face), rest(other), common.len());
            expected.extend(kind.map(|kind| FacePair {
                a: a as u32,
                b: b as u32,
                kind,
            }));
        }
    }
    if found.pairs != expected {
        return Err(format!("{:?} for {expected:?}", found.pairs));
    }
    Ok(!expected.is_empty())
}
