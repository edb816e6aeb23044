//! Where a surface passes through itself: its contours, and the way out of each.
//!
//! Two triangles that cross have a segment in common; segments join, where an edge pierces a face, to
//! contours. Every contour is drawn on the surface twice, once by the faces on either of its sides.
//! The way out is a motion of one side against the other:
//!
//! - If the contour cuts off a piece of the surface on one of its sides, the smaller piece is what has
//!   poked through, and is drawn back along the edges that are pierced.
//! - If it cuts off nothing, as where two borders overlap, it is made shorter. Where an edge of
//!   direction `e` pierces a face with normal `n`, moving the edge by `d` moves the end of a segment by
//!   `d − e (d·n)/(e·n)`; for a segment that leads away along `r`, the length falls fastest for
//!   `d = r − n (e·r)/(e·n)`. A contour moves along the sum over its pierced edges.
//!
//! Source: the gradient of the contour's length after Volino and Magnenat-Thalmann 2006; the pieces
//! after the global intersection analysis of Baraff, Witkin and Kass 2003. Floating point serves: a
//! way that is not quite right costs steps, nothing else.
//!
//! Verified by: `tests/untangling.rs`.

use crate::contact::tuning::TUNING;
use glam::DVec3;
use std::collections::BTreeMap;
use toile_geometry::FacePair;
use toile_numerics::Csr;

/// The sides of a triangle by its corners.
const SIDES: [[usize; 2]; 3] = [[0, 1], [1, 2], [2, 0]];

/// An edge that pierces a face, and which way it should move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pierce {
    /// The ends of the edge.
    pub edge: [u32; 2],
    /// The corners of the face.
    pub face: [u32; 3],
    /// Where on the edge, from its first end.
    pub along: f64,
    /// Where on the face.
    pub within: [f64; 3],
    /// Unit direction in which the edge should move as seen from the face, or zero.
    pub way: DVec3,
}

impl Pierce {
    /// Its vertices, edge first, with the weights of the point of the edge less that of the face.
    pub fn weights(&self) -> [(u32, f64); 5] {
        let ([p, q], [a, b, c]) = (self.edge, self.face);
        let [u, v, w] = self.within;
        [
            (p, 1.0 - self.along),
            (q, self.along),
            (a, -u),
            (b, -v),
            (c, -w),
        ]
    }
}

/// A surface of triangles, and which vertices have an edge in common.
#[derive(Clone, Debug, Default)]
pub struct Net {
    /// Triangles.
    pub faces: Vec<[u32; 3]>,
    neighbours: Csr<u32>,
}

impl Net {
    /// Of `faces` on `vertices` vertices.
    pub fn new(vertices: usize, faces: &[[u32; 3]]) -> Self {
        let mut links: Vec<[u32; 2]> = Vec::with_capacity(6 * faces.len());
        for face in faces {
            for [i, j] in SIDES {
                links.extend([[face[i], face[j]], [face[j], face[i]]]);
            }
        }
        links.sort_unstable();
        links.dedup();
        let links = links.iter().map(|&[from, to]| (from as usize, to));
        Self {
            faces: faces.to_vec(),
            neighbours: Csr::from_pairs(vertices, links),
        }
    }

    /// The vertices that have an edge in common with `vertex`.
    pub fn neighbours(&self, vertex: u32) -> &[u32] {
        self.neighbours.row(vertex as usize)
    }

    /// The vertices that are reached from `start` without using an edge of `cut`, which is ascending.
    fn reached(&self, start: u32, cut: &[[u32; 2]]) -> Vec<bool> {
        let mut reached = vec![false; self.neighbours.rows()];
        reached[start as usize] = true;
        let mut open = vec![start];
        while let Some(vertex) = open.pop() {
            for &next in self.neighbours(vertex) {
                let is_cut = || cut.binary_search(&sorted([vertex, next])).is_ok();
                if !reached[next as usize] && !is_cut() {
                    reached[next as usize] = true;
                    open.push(next);
                }
            }
        }
        reached
    }
}

/// All edges that pierce a face where the faces of `pairs` cross, each with its way out.
pub fn pierces(net: &Net, x: &[DVec3], pairs: &[FacePair]) -> Vec<Pierce> {
    let mut contours = Contours::new(net, x, pairs);
    contours.join();
    for contour in 0..contours.count {
        contours.lead_out(net, x, contour);
    }
    contours.found.into_iter().map(|end| end.pierce).collect()
}

/// A pierced edge as an end of segments.
struct End {
    pierce: Pierce,
    /// The segments that end here, each with whether the edge belongs to its second face.
    segments: Vec<(usize, bool)>,
    /// Which contour, and on which of its sides the edge is.
    contour: usize,
    second: bool,
    /// The way in which the contour gets shorter.
    shorter: DVec3,
}

struct Contours {
    found: Vec<End>,
    segments: usize,
    count: usize,
}

impl Contours {
    /// Finds the ends of all segments.
    fn new(net: &Net, x: &[DVec3], pairs: &[FacePair]) -> Self {
        let mut found: Vec<End> = Vec::new();
        let mut known: BTreeMap<([u32; 2], u32), usize> = BTreeMap::new();
        for (segment, pair) in pairs.iter().enumerate() {
            for (own, other, second) in [(pair.a, pair.b, false), (pair.b, pair.a, true)] {
                let (corners, face) = (net.faces[own as usize], net.faces[other as usize]);
                for [i, j] in SIDES {
                    let edge = sorted([corners[i], corners[j]]);
                    let Some(pierce) = pierced(x, edge, face) else {
                        continue;
                    };
                    let apex = corners[3 - i - j];
                    let k = *known.entry((edge, other)).or_insert_with(|| {
                        found.push(End {
                            pierce,
                            segments: Vec::new(),
                            contour: usize::MAX,
                            second: false,
                            shorter: DVec3::ZERO,
                        });
                        found.len() - 1
                    });
                    found[k].segments.push((segment, second));
                    found[k].shorter += shortening(x, edge, apex, face);
                }
            }
        }
        Self {
            found,
            segments: pairs.len(),
            count: 0,
        }
    }

    /// Joins segments with common ends to contours, and tells the sides of each.
    fn join(&mut self) {
        let mut ends_of: Vec<Vec<usize>> = vec![Vec::new(); self.segments];
        for (k, end) in self.found.iter().enumerate() {
            for (segment, _) in &end.segments {
                ends_of[*segment].push(k);
            }
        }
        // Of every segment, whether its first face is on the contour's second side.
        let mut turned: Vec<Option<bool>> = vec![None; self.segments];
        for start in 0..self.segments {
            if turned[start].is_some() {
                continue;
            }
            turned[start] = Some(false);
            let mut open = vec![start];
            while let Some(segment) = open.pop() {
                let is_turned = turned[segment] == Some(true);
                for &k in &ends_of[segment] {
                    let end = &mut self.found[k];
                    let mut own = end.segments.iter().filter(|(other, _)| *other == segment);
                    let Some((_, second)) = own.next() else {
                        continue;
                    };
                    end.contour = self.count;
                    end.second = second ^ is_turned;
                    for (next, second) in &end.segments {
                        if turned[*next].is_none() {
                            turned[*next] = Some(second ^ end.second);
                            open.push(*next);
                        }
                    }
                }
            }
            self.count += 1;
        }
    }

    /// Says of every edge of a contour which way is out.
    fn lead_out(&mut self, net: &Net, x: &[DVec3], contour: usize) {
        let ends = || (0..self.found.len()).filter(|k| self.found[*k].contour == contour);
        let pieces = [false, true].map(|second| {
            let mut cut: Vec<[u32; 2]> = ends()
                .filter(|k| self.found[*k].second == second)
                .map(|k| self.found[k].pierce.edge)
                .collect();
            cut.sort_unstable();
            cut.dedup();
            cut_off(net, &cut)
        });
        let size = |piece: &Option<Piece>| piece.as_ref().map_or(usize::MAX, |piece| piece.size);
        let second = size(&pieces[1]) < size(&pieces[0]);
        let ways: Vec<(usize, DVec3)> = match &pieces[usize::from(second)] {
            Some(piece) => ends()
                .filter(|k| self.found[*k].second == second)
                .map(|k| (k, piece.back(x, self.found[k].pierce.edge)))
                .collect(),
            None => ends().map(|k| (k, self.found[k].shorter)).collect(),
        };
        // The motion of the first side as seen from the second.
        let side = |k: usize| if self.found[k].second { -1.0 } else { 1.0 };
        let all: DVec3 = ways.iter().map(|(k, way)| side(*k) * *way).sum();
        let common = all.normalize_or_zero();
        let mut own = vec![DVec3::ZERO; self.found.len()];
        for (k, way) in ways {
            own[k] = way.normalize_or_zero();
        }
        let ends: Vec<(usize, f64)> = ends().map(|k| (k, side(k))).collect();
        for (k, side) in ends {
            let way = side * common + TUNING.contour_own_share * own[k];
            self.found[k].pierce.way = way.normalize_or_zero();
        }
    }
}

/// The smaller of the two pieces into which a cut divides a surface.
struct Piece {
    is_in: Vec<bool>,
    size: usize,
}

impl Piece {
    /// The way along an edge out of the piece.
    fn back(&self, x: &[DVec3], [p, q]: [u32; 2]) -> DVec3 {
        let along = (x[q as usize] - x[p as usize]).normalize_or_zero();
        if self.is_in[p as usize] {
            along
        } else {
            -along
        }
    }
}

/// What the edges of `cut` cut off, if anything.
fn cut_off(net: &Net, cut: &[[u32; 2]]) -> Option<Piece> {
    let [p, q] = *cut.first()?;
    let here = net.reached(p, cut);
    let divides = |[a, b]: &[u32; 2]| here[*a as usize] != here[*b as usize];
    if !cut.iter().all(divides) {
        return None;
    }
    let there = net.reached(q, cut);
    let size = |piece: &[bool]| piece.iter().filter(|is_in| **is_in).count();
    let sizes = (size(&here), size(&there));
    Some(if sizes.0 <= sizes.1 {
        Piece {
            is_in: here,
            size: sizes.0,
        }
    } else {
        Piece {
            is_in: there,
            size: sizes.1,
        }
    })
}

/// Where an edge pierces a face, if it does.
fn pierced(x: &[DVec3], edge: [u32; 2], face: [u32; 3]) -> Option<Pierce> {
    if edge.iter().any(|end| face.contains(end)) {
        return None;
    }
    let [p, q] = edge.map(|v| x[v as usize]);
    let [a, b, c] = face.map(|v| x[v as usize]);
    let normal = (b - a).cross(c - a);
    let [above, below] = [p, q].map(|x| normal.dot(x - a));
    if above * below > 0.0 || above == below {
        return None;
    }
    let along = above / (above - below);
    let point = p.lerp(q, along);
    let shares = [(b, c), (c, a), (a, b)].map(|(i, j)| normal.dot((i - point).cross(j - point)));
    let sum: f64 = shares.iter().sum();
    if sum <= 0.0 || shares.iter().any(|share| *share < 0.0) {
        return None;
    }
    Some(Pierce {
        edge,
        face,
        along,
        within: shares.map(|share| share / sum),
        way: DVec3::ZERO,
    })
}

/// The motion of an edge, as seen from the face it pierces, that makes the segment shorter which its
/// triangle with the corner `apex` has in common with the face.
fn shortening(x: &[DVec3], edge: [u32; 2], apex: u32, face: [u32; 3]) -> DVec3 {
    let at = |vertex: u32| x[vertex as usize];
    let along = (at(edge[1]) - at(edge[0])).normalize_or_zero();
    let inward = at(apex) - at(edge[0]);
    let normal = (at(face[1]) - at(face[0])).cross(at(face[2]) - at(face[0]));
    let normal = normal.normalize_or_zero();
    let segment = along.cross(inward).cross(normal).normalize_or_zero();
    let segment = if segment.dot(inward.reject_from_normalized(along)) < 0.0 {
        -segment
    } else {
        segment
    };
    let slope = along.dot(normal);
    let slope = slope.abs().max(TUNING.contour_least_slope).copysign(slope);
    segment - normal * (along.dot(segment) / slope)
}

fn sorted([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}
