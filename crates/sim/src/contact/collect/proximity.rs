//! Which pairs touch in a step: those nearer than the distance they keep, or about to be.

use crate::contact::collect::listing::{Flat, Listing, Wanted};
use crate::contact::common_normal::LEAST_ALIKE;
use crate::contact::friction_table::FrictionTable;
use crate::contact::memory;
use crate::contact::memory::{Memory, Remembered};
use crate::contact::stencil::ContactStencil;
use crate::contact::surfaces::{Pair, Surfaces};
use glam::{DMat3, DVec3};
use rayon::prelude::*;
use toile_geometry::distance::{Kind, Weights, between};

/// `κ` in units of what stops the points within a step.
const STOPS: f64 = 100.0;
/// Edges nearly parallel have no normal to speak of, and vertices do their work: least `sin²`.
const LEAST_SINE_SQUARED: f64 = 0.01;
/// A vertex beside a triangle would push it sideways, and flat cloth would catch on its own mesh:
/// least `|cos|` of normal and face where the border of the triangle is nearest.
const LEAST_COSINE: f64 = 0.99;
/// Two triangles near a vertex are one and the same surface if their normals are this much alike.
const SAME_SIDE: f64 = 0.5;
/// How far steps usually end from free flight, in ways of free fall; in shortest edges, no more than is
/// cheap to look at.
const SLACK_FALLS: f64 = 2.0;
const SLACK_EDGES: f64 = 0.1;
/// Rounding does not make up for this.
const CERTAINLY: f64 = 1.000_001;
/// Pairs one task looks at.
const PAIR_GRAIN: usize = 512;

/// A step about to be taken.
pub struct Ahead<'a> {
    /// Positions at the start of the step, m.
    pub start: &'a [DVec3],
    /// Positions reached so far, m: at first those at the start.
    pub positions: &'a [DVec3],
    /// Where what is known so far would lead, m: at first free flight, and what is prescribed.
    pub expected: &'a [DVec3],
    /// Where the vertices of bodies are at the end of the step, m.
    pub body_ends: &'a [DVec3],
    /// Inverse masses, 1/kg; 0 where motion is prescribed.
    pub inverse_masses: &'a [f64],
    /// Whether nothing at all holds a vertex.
    pub free: &'a [bool],
    /// Contacts of the step before, ascending.
    pub remembered: &'a [Remembered],
    /// Length of the step, s.
    pub step_s: f64,
    /// Gravity, m/s².
    pub gravity_m_per_s2: f64,
    /// Coefficients of friction.
    pub rubbing: &'a FrictionTable,
    /// Whether contacts are energies in the solve; otherwise they are pairs to be repelled.
    pub is_solved: bool,
    /// Pairs that met in an earlier look at the same step, ascending.
    pub caught: &'a [Pair],
}

/// What an earlier look at the same step knows of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    /// Nothing.
    New,
    /// It is a contact, and stays one: what is forgotten would meet again in the next solve.
    Touching,
    /// It met: it is a contact, however unlikely it looks.
    Caught,
}

/// What steps and looks before know of a pair.
struct Past {
    known: Known,
    /// How deep cloth is pressed into cloth around it, m.
    pressed_m: f64,
    /// Whether it held two cloths apart.
    is_held: bool,
}

impl Ahead<'_> {
    /// What is remembered of a pair.
    pub fn memory(&self, pair: &Pair) -> Memory<'_> {
        let own = memory::own(self.remembered, pair).map(Memory::Own);
        let nearby = || memory::nearby(self.remembered, pair, self.rubbing).map(Memory::Nearby);
        own.or_else(nearby).unwrap_or(Memory::Nothing)
    }

    /// How far from free flight the step is expected to end at most, m.
    fn slack_m(&self, surfaces: &Surfaces) -> f64 {
        let fall_m = self.step_s * self.step_s * self.gravity_m_per_s2;
        (SLACK_FALLS * fall_m).min(SLACK_EDGES * surfaces.shortest_edge_m)
    }

    /// Square of the time in which a contact stops what arrives: the step, but no longer than it takes to
    /// fall through the distance kept, or else cloth would sink in that carries its own weight.
    fn stopping_s2(&self, distance_m: f64) -> f64 {
        let square_s2 = self.step_s * self.step_s;
        square_s2.min(2.0 * distance_m / self.gravity_m_per_s2)
    }
}

/// What steps and looks before know of all pairs.
struct Knowledge<'a> {
    surfaces: &'a Surfaces,
    ahead: &'a Ahead<'a>,
    /// Contacts of an earlier look at the same step, ascending.
    earlier: Vec<Pair>,
    /// How deep the deepest contact of each vertex is pressed in, m.
    pressed_m: Vec<f64>,
}

impl Knowledge<'_> {
    fn known(&self, pair: &Pair) -> Known {
        if self.ahead.caught.binary_search(pair).is_ok() {
            Known::Caught
        } else if self.earlier.binary_search(pair).is_ok() {
            Known::Touching
        } else {
            Known::New
        }
    }

    /// How deep cloth is pressed around a pair, m.
    fn pressed_m(&self, pair: &Pair) -> f64 {
        let side = |vertices: &[u32]| {
            let depths = vertices.iter();
            let depths = depths.map(|vertex| self.pressed_m[*vertex as usize]);
            depths.fold(0.0, f64::max)
        };
        let (first, second) = pair.vertices.split_at(pair.first());
        side(first).min(side(second))
    }

    /// What held cloths apart goes on to, however unlikely it has become: stiff cloth that is let go of and
    /// caught again with every tremor never comes to rest. Most vertices hold nothing, and need no search.
    fn past(&self, pair: &Pair, known: Known) -> Past {
        let pressed_m = self.pressed_m(pair);
        let own = || memory::own(self.ahead.remembered, pair);
        Past {
            known,
            pressed_m,
            is_held: pressed_m > 0.0 && self.surfaces.is_between_cloths(pair) && own().is_some(),
        }
    }
}

/// Finds all contacts of a step, ascending by pair, given those of an earlier look at the same step in
/// `out`.
pub fn find(
    surfaces: &Surfaces,
    ahead: &Ahead<'_>,
    listing: &mut Listing,
    out: &mut Vec<ContactStencil>,
) {
    let earlier: Vec<Pair> = out.iter().map(|touch| touch.pair).collect();
    list(surfaces, ahead, &earlier, listing);
    let knowledge = Knowledge {
        surfaces,
        ahead,
        earlier,
        pressed_m: memory::pressed_m(ahead.remembered, surfaces),
    };
    let Listing { pairs, glance, .. } = listing;
    glance.fill(ahead.positions, ahead.expected);
    let near_m = 2.0 * surfaces.reach_m();
    let find = |pair: &Pair| {
        let known = knowledge.known(pair);
        let is_far = || glance.is_beyond(pair, near_m) || !comes_near(pair, ahead, near_m);
        if known == Known::New && is_far() {
            return None;
        }
        touch(surfaces, ahead, pair, &knowledge.past(pair, known))
    };
    out.clear();
    out.par_extend(pairs.par_iter().with_min_len(PAIR_GRAIN).filter_map(find));
    keep_nearest(surfaces, out);
}

/// Lists the pairs that may touch, and all those of which an earlier look at the same step knows.
fn list(surfaces: &Surfaces, ahead: &Ahead<'_>, earlier: &[Pair], listing: &mut Listing) {
    // The distance itself is half in each box. The rest is for the guard, which then need not search again.
    let reach_m = surfaces.reach_m();
    let wanted = Wanted {
        from: ahead.positions,
        to: ahead.expected,
        pad_m: reach_m + ahead.slack_m(surfaces),
        flat: Some(Flat {
            distance_m: 2.0 * reach_m,
            stray_m: reach_m,
        }),
        straight: true,
    };
    listing.find(surfaces, &wanted);
    if !(earlier.is_empty() && ahead.caught.is_empty()) {
        listing.pairs.extend_from_slice(earlier);
        listing.pairs.extend_from_slice(ahead.caught);
        listing.pairs.sort_unstable();
        listing.pairs.dedup();
    }
}

/// Whether the boxes around the ways of the two features are no further apart than this, m.
fn comes_near(pair: &Pair, ahead: &Ahead<'_>, distance_m: f64) -> bool {
    let (from, to) = (pair.of(ahead.positions), pair.of(ahead.expected));
    let bounds = |side: std::ops::Range<usize>| {
        let low = side.clone().map(|k| from[k].min(to[k]));
        let high = side.map(|k| from[k].max(to[k]));
        (
            low.fold(DVec3::INFINITY, DVec3::min),
            high.fold(DVec3::NEG_INFINITY, DVec3::max),
        )
    };
    let (first, second) = (bounds(0..pair.first()), bounds(pair.first()..4));
    let apart = (first.0 - second.1).max(second.0 - first.1);
    apart.max_element() <= distance_m
}

fn touch(
    surfaces: &Surfaces,
    ahead: &Ahead<'_>,
    pair: &Pair,
    past: &Past,
) -> Option<ContactStencil> {
    let known = past.known;
    let x = pair.of(ahead.positions);
    let distance_m = surfaces.distance_m(pair);
    let is_choosy = known != Known::Caught && !past.is_held;
    // Only where vertices and faces can do the work of edges.
    let have_faces = surfaces.have_faces(pair);
    if is_choosy && pair.kind == Kind::EdgeEdge && have_faces.contains(&true) {
        let (a, b) = (x[1] - x[0], x[3] - x[2]);
        let square = a.length_squared() * b.length_squared();
        if a.cross(b).length_squared() < LEAST_SINE_SQUARED * square {
            return None;
        }
    }
    let weights = pair.kind.closest(&x);
    // Where an edge's end is nearest, another pair has that point inside: if there is a face for it.
    let ends = [weights[..2].contains(&0.0), weights[2..].contains(&0.0)];
    let is_inside = ends[0] && have_faces[1] || ends[1] && have_faces[0];
    if is_choosy && pair.kind == Kind::EdgeEdge && is_inside {
        return None;
    }
    let apart = between(&weights, &x);
    let normal = apart.try_normalize()?;
    if is_choosy && pair.kind == Kind::PointTriangle && weights[1..].contains(&0.0) {
        let face = (x[2] - x[1]).cross(x[3] - x[1]).normalize_or_zero();
        if face.dot(normal).abs() < LEAST_COSINE {
            return None;
        }
    }
    let motion = between(&weights, &pair.of(ahead.expected)) - apart;
    // Along any normal that there may be, this much is left at the end.
    let left_m = LEAST_ALIKE * apart.length() - motion.length();
    if known == Known::New && left_m > CERTAINLY * distance_m {
        return None;
    }
    let stars = &surfaces.stars;
    let normal = stars.normal(pair, &weights, ahead.positions, normal);
    let gap_along = |x: &[DVec3]| normal.dot(between(&weights, &pair.of(x)));
    let least_m = gap_along(ahead.positions).min(gap_along(ahead.expected));
    let is_apart = |distance_m: f64| known == Known::New && least_m >= distance_m;
    if is_apart(distance_m) {
        return None;
    }
    let memory = ahead.memory(pair);
    let kept_m = if surfaces.is_between_cloths(pair) && ahead.is_solved {
        memory.kept_m(gap_along(ahead.start), distance_m, past.pressed_m)
    } else {
        distance_m
    };
    if is_apart(kept_m) {
        return None;
    }
    let met = Met {
        pair: *pair,
        weights,
        normal,
        distance_m,
        kept_m,
        friction: ahead.rubbing.between(pair.vertices[0], pair.vertices[3]),
    };
    met.touch(surfaces, ahead, memory)
}

/// Two points that touch.
pub struct Met {
    /// What they are on.
    pub pair: Pair,
    /// Their weights.
    pub weights: Weights,
    /// From the second to the first.
    pub normal: DVec3,
    /// Distance that they should keep, m.
    pub distance_m: f64,
    /// Distance that they do keep, m.
    pub kept_m: f64,
    /// Coefficient of friction.
    pub friction: f64,
}

impl Met {
    /// Their contact; `None` if nothing of it can move.
    pub fn touch(
        self,
        surfaces: &Surfaces,
        ahead: &Ahead<'_>,
        memory: Memory<'_>,
    ) -> Option<ContactStencil> {
        let Self {
            pair,
            weights,
            normal,
            distance_m,
            kept_m,
            friction,
        } = self;
        let gap_along = |x: &[DVec3]| normal.dot(between(&weights, &pair.of(x)));
        let inverse = pair.of(ahead.inverse_masses);
        let free = pair.of(ahead.free);
        let gives = [0, 1, 2, 3].map(|k| {
            if free[k] {
                weights[k] * inverse[k]
            } else {
                0.0
            }
        });
        let total: f64 = weights.iter().zip(gives).map(|(a, g)| a * g).sum();
        let lightness: f64 = weights.iter().zip(inverse).map(|(a, w)| a * a * w).sum();
        if lightness == 0.0 {
            return None;
        }
        let (slip, normal_force_n) = match memory {
            Memory::Own(contact) => (turned(contact.slip, normal), contact.normal_force_n),
            Memory::Nearby(contact) => (turned(contact.slip, normal), 0.0),
            Memory::Nothing => (DVec3::ZERO, 0.0),
        };
        let new_n_per_m = STOPS / (lightness * ahead.stopping_s2(distance_m));
        Some(ContactStencil {
            pair,
            weights,
            on_bodies: pair.vertices.map(|vertex| {
                let is_particle = (vertex as usize) < surfaces.particles();
                (!is_particle).then(|| ahead.body_ends[vertex as usize - surfaces.particles()])
            }),
            normal,
            distance_m: kept_m,
            stiffness_n_per_m: if surfaces.is_between_cloths(&pair) {
                memory.stiffness_n_per_m(new_n_per_m)
            } else {
                new_n_per_m
            },
            friction,
            gap_m: gap_along(ahead.positions),
            start: between(&weights, &pair.of(ahead.start)),
            slip,
            give: gives.map(|g| if total > 0.0 { g / total } else { 0.0 }),
            expected: gap_along(ahead.expected) < kept_m,
            force_before_n: normal_force_n,
            normal_force_n,
            is_made: false,
            drag_n: DVec3::ZERO,
            push_n: DVec3::ZERO,
            stiffness: DMat3::ZERO,
        })
    }
}

/// A slip along the surface with this normal, as long as before.
fn turned(slip: DVec3, normal: DVec3) -> DVec3 {
    slip.reject_from_normalized(normal).normalize_or_zero() * slip.length()
}

/// Of the triangles near a vertex, keeps the nearest on each side of it: the others are the same
/// surface, and vertices would be caught at the borders between them. Edges that another surface lies
/// between are none of each other's business either: in a free flight of several layers they would
/// meet, but the layer between stops them.
fn keep_nearest(surfaces: &Surfaces, touches: &mut Vec<ContactStencil>) {
    let points = touches.partition_point(|touch| touch.pair.kind == Kind::PointTriangle);
    let crossings = touches.split_off(points);
    let mut kept = 0;
    let mut first = 0;
    while first < points {
        let vertex = touches[first].pair.vertices[0];
        let same = |touch: &&ContactStencil| touch.pair.vertices[0] == vertex;
        let count = touches[first..].iter().take_while(same).count();
        touches[first..first + count].sort_by(|a, b| {
            let gaps = a.gap_m.total_cmp(&b.gap_m);
            gaps.then(a.pair.cmp(&b.pair))
        });
        let start = kept;
        for k in first..first + count {
            let touch = touches[k];
            let alike = |other: &ContactStencil| other.normal.dot(touch.normal) > SAME_SIDE;
            if !touches[start..kept].iter().any(alike) {
                touches[kept] = touch;
                kept += 1;
            }
        }
        touches[start..kept].sort_by_key(|touch| touch.pair);
        first += count;
    }
    touches.truncate(kept);
    let is_behind = |crossing: &ContactStencil, vertex: u32, side: DVec3| {
        let from = touches.partition_point(|touch| touch.pair.vertices[0] < vertex);
        let own = touches[from..]
            .iter()
            .take_while(|touch| touch.pair.vertices[0] == vertex);
        let nearest = crossing.gap_m - 0.5 * surfaces.distance_m(&crossing.pair);
        own.into_iter()
            .any(|touch| touch.normal.dot(side) > SAME_SIDE && touch.gap_m < nearest)
    };
    let seen = |crossing: &ContactStencil| {
        let [a, b, c, d] = crossing.pair.vertices;
        let n = crossing.normal;
        ![(a, n), (b, n), (c, -n), (d, -n)]
            .into_iter()
            .any(|(vertex, side)| is_behind(crossing, vertex, side))
    };
    let seen: Vec<ContactStencil> = crossings.into_iter().filter(seen).collect();
    touches.extend(seen);
}
