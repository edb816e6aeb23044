//! Frees cloth that is crossed with itself, with other cloth or with a body: from the start, or since
//! bodies have passed through each other with cloth between them.
//!
//! Contact keeps every pair of features on the side it is on, and so would keep what is crossed
//! crossed for ever. While triangles cross, the features of the two are not held against each other,
//! contacts near them exert no force, and after every solve the edges that pierce faces are given a
//! small speed out ([`crate::contact::untangle::contour`]), by impulses: momentum is kept. All other pairs are held as
//! ever, so nothing new crosses but where a contour wanders on. What no longer crosses is held from
//! the next step on, and once nothing does, this is over for good: the guard lets nothing cross again.
//!
//! Whether there is anything to do is seen from the positions alone, so a resumed run goes on as it
//! would have. A clean start costs one search.
//!
//! Verified by: `tests/untangling.rs`.

pub mod contour;

use super::movable::Movable;
use super::surfaces::{Pair, Surfaces};
use crate::constraints::End;
use crate::contact::stencil::ContactStencil;
use crate::contact::tuning::TUNING;
use crate::contact::untangle::contour::{Net, Pierce};
use crate::error::StepError;
use crate::step::watch;
use glam::DVec3;
use toile_geometry::distance::Kind;
use toile_geometry::{FacePair, TriMesh, intersections_between, self_intersections};

/// Whether anything is crossed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Crossings {
    /// Nobody has looked yet.
    #[default]
    Unknown,
    /// There are some.
    Tangled,
    /// There are none after this number of steps, and never will be.
    CleanFrom(u64),
}

/// The crossings of cloth with cloth that are still to be undone.
#[derive(Default)]
pub struct Untangler {
    status: Crossings,
    cloth: TriMesh,
    solids: TriMesh,
    /// Cloths, and bodies after them.
    net: Net,
    pierces: Vec<Pierce>,
    /// Pairs that are not held, in one form each, ascending.
    loose: Vec<Pair>,
    /// Vertices of triangles that cross, and their neighbours.
    near: Vec<bool>,
    velocities: Vec<DVec3>,
    in_bodies: Vec<FacePair>,
    /// Pairs of triangles that crossed at the start of the step.
    pub crossings: usize,
}

impl Untangler {
    /// Forgets what it knows: the positions are not those that followed from the last ones.
    pub fn forget(&mut self) {
        self.status = Crossings::Unknown;
    }

    /// Whether something is crossed.
    pub fn is_busy(&self) -> bool {
        self.status == Crossings::Tangled
    }

    /// The pairs that are not held in this step.
    pub fn loose(&self) -> &[Pair] {
        &self.loose
    }

    /// Cloth is let through something: all may not be well any more.
    pub fn doubt(&mut self) {
        if matches!(self.status, Crossings::CleanFrom(_)) {
            self.status = Crossings::Unknown;
        }
    }

    /// Faces of cloth and of bodies that cross.
    pub fn in_bodies(&self) -> &[FacePair] {
        &self.in_bodies
    }

    /// Looks at particles and bodies at `start`, where the step after a number of `steps` begins, unless
    /// all is known to be well.
    pub fn begin(
        &mut self,
        surfaces: &Surfaces,
        start: &[DVec3],
        steps: u64,
    ) -> Result<(), StepError> {
        // Steps may be taken back.
        if matches!(self.status, Crossings::CleanFrom(clean) if steps >= clean) {
            return Ok(());
        }
        let found = self.find_all(surfaces, start)?;
        self.crossings = found.len();
        if found.is_empty() {
            // All memory is given back: it is hardly ever needed again.
            *self = Self {
                status: Crossings::CleanFrom(steps),
                ..Self::default()
            };
            return Ok(());
        }
        self.status = Crossings::Tangled;
        if self.net.faces.is_empty() {
            let first = surfaces.particles() as u32;
            let bodies = surfaces.body_faces.iter();
            let bodies = bodies.map(|face| face.map(|vertex| vertex + first));
            let faces: Vec<[u32; 3]> = surfaces.faces.iter().copied().chain(bodies).collect();
            self.net = Net::new(start.len(), &faces);
        }
        self.pierces = contour::pierces(&self.net, start, &found);
        self.let_loose(&found, start.len());
        Ok(())
    }

    /// All faces that cross, those of bodies numbered after those of cloths.
    fn find_all(
        &mut self,
        surfaces: &Surfaces,
        start: &[DVec3],
    ) -> Result<Vec<FacePair>, StepError> {
        let (particles, bodies) = start.split_at(surfaces.particles());
        if self.cloth.faces.is_empty() {
            self.cloth.faces.clone_from(&surfaces.faces);
            self.solids.faces.clone_from(&surfaces.body_faces);
        }
        self.cloth.positions.clear();
        self.cloth.positions.extend_from_slice(particles);
        self.in_bodies.clear();
        let mut all = Vec::new();
        if !surfaces.bodies_only {
            let found = self_intersections(&self.cloth, usize::MAX);
            all = found.map_err(watch::unsuitable)?.pairs;
        }
        if !bodies.is_empty() {
            self.solids.positions.clear();
            self.solids.positions.extend_from_slice(bodies);
            let found = intersections_between(&self.cloth, &self.solids, usize::MAX);
            self.in_bodies = found.map_err(watch::unsuitable_pair)?.pairs;
            let first = surfaces.faces.len() as u32;
            all.extend(self.in_bodies.iter().map(|pair| FacePair {
                b: pair.b + first,
                ..*pair
            }));
        }
        Ok(all)
    }

    /// Lists what must be free to move through each other.
    fn let_loose(&mut self, crossing: &[FacePair], vertices: usize) {
        self.loose.clear();
        self.near.clear();
        self.near.resize(vertices, false);
        for pair in crossing {
            let faces = [pair.a, pair.b].map(|face| self.net.faces[face as usize]);
            self.loose.extend(features(faces));
            for vertex in faces.into_iter().flatten() {
                self.near[vertex as usize] = true;
                for next in self.net.neighbours(vertex) {
                    self.near[*next as usize] = true;
                }
            }
        }
        self.loose.sort_unstable();
        self.loose.dedup();
    }

    /// Drops the contacts near crossings: they would press what has come through away from where it
    /// came from.
    pub fn drop_near(&self, stencils: &mut Vec<ContactStencil>) {
        if !self.is_busy() {
            return;
        }
        let is_near = |vertices: &[u32]| vertices.iter().any(|v| self.near[*v as usize]);
        stencils.retain(|stencil| {
            let (first, second) = stencil.pair.vertices.split_at(stencil.pair.first());
            !(is_near(first) && is_near(second))
        });
    }

    /// Leads pierced edges out: changes the `end` of a step of `step_s` in which bodies move as
    /// `body_ways` say.
    pub fn push(
        &mut self,
        surfaces: &Surfaces,
        movable: &Movable,
        body_ways: impl Iterator<Item = DVec3>,
        step_s: f64,
        end: &mut End<'_>,
    ) {
        if !self.is_busy() {
            return;
        }
        let most = TUNING.untangle_most_edges * surfaces.shortest_edge_m / step_s;
        let speed = TUNING.untangle_speed_m_per_s.min(most);
        self.velocities.clear();
        self.velocities.extend_from_slice(end.velocities);
        self.velocities.extend(body_ways.map(|way| way / step_s));
        for _ in 0..TUNING.untangle_sweeps {
            for pierce in &self.pierces {
                lead(pierce, speed, movable, &mut self.velocities);
            }
        }
        for i in 0..end.velocities.len() {
            let change = self.velocities[i] - end.velocities[i];
            if change != DVec3::ZERO {
                end.jump(i, change, step_s * change);
            }
        }
    }
}

/// Gives the point of a pierced edge at least `speed` along its way, as seen from that of the face.
fn lead(pierce: &Pierce, speed: f64, movable: &Movable, velocities: &mut [DVec3]) {
    let weights = pierce.weights();
    let lightness = |(v, a): &(u32, f64)| a * a * movable.inverse_masses[*v as usize];
    let lightness: f64 = weights.iter().map(lightness).sum();
    let relative = |(v, a): &(u32, f64)| *a * velocities[*v as usize];
    let relative: DVec3 = weights.iter().map(relative).sum();
    let lack = speed - relative.dot(pierce.way);
    if lightness == 0.0 || pierce.way == DVec3::ZERO || lack <= 0.0 {
        return;
    }
    let impulse = lack / lightness * pierce.way;
    for (vertex, weight) in weights {
        let i = vertex as usize;
        let mut change = weight * movable.inverse_masses[i] * impulse;
        change -= movable.into_support(i, change);
        velocities[i] += change;
    }
}

/// The pairs of features of two triangles that have no vertex in common, in one form each.
fn features([first, second]: [[u32; 3]; 2]) -> Vec<Pair> {
    let mut all = Vec::with_capacity(15);
    for (points, face) in [(first, second), (second, first)] {
        for vertex in points {
            let [a, b, c] = face;
            all.push(Pair {
                kind: Kind::PointTriangle,
                vertices: [vertex, a, b, c],
            });
        }
    }
    let sides = |[a, b, c]: [u32; 3]| [[a, b], [b, c], [c, a]];
    for [a, b] in sides(first) {
        for [c, d] in sides(second) {
            all.push(one_form(&Pair {
                kind: Kind::EdgeEdge,
                vertices: [a, b, c, d],
            }));
        }
    }
    all
}

/// Of the ways to write a pair of edges, the least: edges have no direction, and neither is the first.
pub fn one_form(pair: &Pair) -> Pair {
    if pair.kind == Kind::PointTriangle {
        return *pair;
    }
    let [a, b, c, d] = pair.vertices;
    let [first, second] = [[a.min(b), a.max(b)], [c.min(d), c.max(d)]];
    let [[a, b], [c, d]] = [first.min(second), first.max(second)];
    Pair {
        kind: pair.kind,
        vertices: [a, b, c, d],
    }
}
