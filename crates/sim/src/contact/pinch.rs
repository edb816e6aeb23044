//! Cloth that is pinched: surfaces of bodies, or of one and a collider, close on it from opposing sides, as
//! an arm and a chest do. Two colliders are the business of [`crate::contact::collider::squeeze`].
//!
//! A particle with less room between two such surfaces than the distances it should keep from them is
//! counted. If there is next to no room, there is no place for it that contact would allow: it is let
//! through, held against neither, and carried along with the mean of the two surfaces, as flies are
//! between two sheets of paper. So it is no faster than they are, and where the surfaces have passed
//! through each other and part again, it is where they left it. Triangles of cloth that cross a body
//! where bodies cross each other are carried in the same way until these part; what is crossed with one
//! body then is freed ([`super::untangle`]).
//!
//! All of this is seen from the positions alone: a resumed run goes on as it would have.
//!
//! Source: the pinched vertices of Baraff, Witkin and Kass 2003.
//!
//! Verified by: `tests/pinching.rs`.

use super::movable::Movable;
use super::surfaces::{Pair, Surfaces};
use crate::colliders::Passage;
use crate::constraints::End;
use crate::contact::collider::margin_m;
use crate::contact::stencil::ContactStencil;
use crate::contact::tuning::TUNING;
use crate::contact::wall::Wall;
use crate::error::StepError;
use crate::model::Model;
use crate::state::State;
use crate::step::watch;
use glam::DVec3;
use std::collections::BTreeSet;
use toile_geometry::{Bounds, BoxTree, FacePair, TriMesh, self_intersections};

/// A surface beside a particle, with the particle where it is and the surface where it ends.
#[derive(Clone, Copy, Debug)]
struct MovingWall {
    particle: u32,
    wall: Wall,
    /// How the surface moves in the step, m.
    way: DVec3,
    is_body: bool,
}

/// What is pinched, with scratch memory.
#[derive(Default)]
pub struct Pinches {
    solids: TriMesh,
    walls: Vec<MovingWall>,
    /// The vertices of contacts of cloth with cloth.
    layers: Vec<[u32; 4]>,
    /// Of every particle, the sum of the ways it is carried, and how many they are.
    carried: Vec<(DVec3, u32)>,
    /// Particles that are pinched in this step.
    pub pinched: usize,
}

impl Pinches {
    /// Whether a pair is not to be held: cloth that is let through, and a body.
    pub fn lets_through(&self, pair: &Pair) -> bool {
        let particles = self.carried.len();
        let is_body = |v: &u32| *v as usize >= particles;
        pair.vertices.iter().any(is_body) && pair.vertices.iter().any(|v| self.carries(*v))
    }

    fn carries(&self, vertex: u32) -> bool {
        let carried = self.carried.get(vertex as usize);
        carried.is_some_and(|(_, count)| *count > 0)
    }

    /// Whether any particle is let through in this step.
    pub fn is_busy(&self) -> bool {
        self.let_through() > 0
    }

    /// Particles that are let through in this step.
    pub fn let_through(&self) -> usize {
        self.carried.iter().filter(|(_, count)| *count > 0).count()
    }

    /// Takes up cloth that is where bodies cross each other at the `start` of a step, given the faces of
    /// cloth and bodies that cross.
    pub fn begin(
        &mut self,
        surfaces: &Surfaces,
        start: &[DVec3],
        body_ends: &[DVec3],
        crossing: &[FacePair],
    ) -> Result<(), StepError> {
        self.carried.clear();
        self.carried.resize(surfaces.particles(), (DVec3::ZERO, 0));
        self.pinched = 0;
        if crossing.is_empty() {
            return Ok(());
        }
        let (particles, bodies) = start.split_at(surfaces.particles());
        self.solids.faces.clone_from(&surfaces.body_faces);
        self.solids.positions.clear();
        self.solids.positions.extend_from_slice(bodies);
        let crossed = self.where_bodies_cross(surfaces.reach_m())?;
        for pair in crossing {
            let cloth = surfaces.faces[pair.a as usize];
            let solid = surfaces.body_faces[pair.b as usize];
            let around = Bounds::of(&cloth.map(|v| particles[v as usize]));
            if crossed.overlapping(&around).next().is_none() {
                continue;
            }
            let moved = |v: u32| body_ends[v as usize] - bodies[v as usize];
            let way = solid.map(moved).iter().sum::<DVec3>() / 3.0;
            for vertex in cloth {
                self.carry(vertex, way);
            }
        }
        self.pinched = self.let_through();
        Ok(())
    }

    /// The faces of bodies that cross others, as boxes larger by `pad_m`.
    fn where_bodies_cross(&self, pad_m: f64) -> Result<BoxTree, StepError> {
        let own = self_intersections(&self.solids, usize::MAX).map_err(watch::unsuitable)?;
        let faces = own.pairs.iter().flat_map(|pair| [pair.a, pair.b]);
        let boxes: Vec<Bounds> = faces
            .map(|face| {
                let corners = self.solids.faces[face as usize];
                let Bounds { min, max } =
                    Bounds::of(&corners.map(|v| self.solids.positions[v as usize]));
                Bounds {
                    min: min - pad_m,
                    max: max + pad_m,
                }
            })
            .collect();
        Ok(BoxTree::build(&boxes))
    }

    /// Finds what is between two surfaces that close on it, given the contacts of a step, and drops
    /// those of what is let through.
    pub fn squeeze(
        &mut self,
        model: &Model,
        state: &State,
        step_s: f64,
        start: &[DVec3],
        stencils: &mut Vec<ContactStencil>,
    ) {
        self.walls.clear();
        self.layers.clear();
        let particles = self.carried.len() as u32;
        let vertices = stencils.iter().map(|stencil| stencil.pair.vertices);
        self.layers
            .extend(vertices.filter(|all| all.iter().all(|vertex| *vertex < particles)));
        self.add_bodies(start, stencils);
        self.add_colliders(model, state, step_s);
        self.walls.sort_by_key(|wall| wall.particle);
        let walls = std::mem::take(&mut self.walls);
        for own in walls.chunk_by(|a, b| a.particle == b.particle) {
            let mut is_pinched = self.carries(own[0].particle);
            let was_counted = is_pinched;
            for (k, first) in own.iter().enumerate() {
                for second in &own[k + 1..] {
                    let with_body = first.is_body || second.is_body;
                    let (a, b) = (&first.wall, &second.wall);
                    if !(with_body && a.closes_on(b)) {
                        continue;
                    }
                    is_pinched = true;
                    if a.room_m(b) < TUNING.pinch_no_room * (a.kept_m + b.kept_m) {
                        self.carry(first.particle, first.way);
                        self.carry(first.particle, second.way);
                    }
                }
            }
            self.pinched += usize::from(is_pinched && !was_counted);
        }
        self.walls = walls;
        if self.is_busy() {
            stencils.retain(|stencil| !self.lets_through(&stencil.pair));
        }
    }

    /// The surfaces of bodies that contacts know of.
    fn add_bodies(&mut self, start: &[DVec3], stencils: &[ContactStencil]) {
        let particles = self.carried.len();
        for stencil in stencils {
            let first = stencil.pair.first();
            if !stencil.is_on_body() {
                continue;
            }
            // The point of the body, at the start and at the end; its weights are 1 or −1 in all.
            let (mut from, mut to, mut sign) = (DVec3::ZERO, DVec3::ZERO, 1.0);
            for (k, &vertex) in stencil.pair.vertices.iter().enumerate() {
                if let Some(end) = stencil.on_bodies[k] {
                    let weight = stencil.weights[k].abs();
                    from += weight * start[vertex as usize];
                    to += weight * end;
                    sign = if k < first { -1.0 } else { 1.0 };
                }
            }
            let out = sign * stencil.normal;
            for (k, &vertex) in stencil.pair.vertices.iter().enumerate() {
                if (vertex as usize) < particles && stencil.weights[k] != 0.0 {
                    self.walls.push(MovingWall {
                        particle: vertex,
                        wall: Wall {
                            out,
                            gap_m: stencil.gap_m - out.dot(to - from),
                            kept_m: stencil.law.distance_m,
                        },
                        way: to - from,
                        is_body: true,
                    });
                }
            }
        }
    }

    /// The surfaces of colliders that are near at the end of the step.
    fn add_colliders(&mut self, model: &Model, state: &State, step_s: f64) {
        if self.walls.is_empty() {
            return;
        }
        let end_s = state.time_s + step_s;
        for (k, collider) in model.colliders.iter().enumerate() {
            let passage = Passage::new(collider, state.time_s, end_s);
            for (i, &x) in state.positions.iter().enumerate() {
                let kept_m = margin_m(model, i as u32, k as u32);
                let surface = passage.surface(collider, x);
                // What rests on a surface keeps its distance from it to within rounding.
                if surface.distance_m < TUNING.pinch_near * kept_m {
                    self.walls.push(MovingWall {
                        particle: i as u32,
                        wall: Wall {
                            out: surface.normal,
                            gap_m: surface.distance_m,
                            kept_m,
                        },
                        way: passage.carry(x) - x,
                        is_body: false,
                    });
                }
            }
        }
    }

    /// Whether surfaces that face each other press the cloth of a pair between them, itself or with the
    /// layers of cloth on it. A single one that is pressed into cloth has no business in there.
    fn is_pressed(&self, pair: &Pair, start: &[DVec3]) -> bool {
        let is_cloth = |vertex: &u32| (*vertex as usize) < self.carried.len();
        let mut pile: BTreeSet<u32> = pair.vertices.into_iter().filter(is_cloth).collect();
        for _ in 0..TUNING.pinch_most_layers {
            let touching = |all: &&[u32; 4]| all.iter().any(|vertex| pile.contains(vertex));
            let more: Vec<[u32; 4]> = self.layers.iter().filter(touching).copied().collect();
            let before = pile.len();
            pile.extend(more.as_flattened());
            if pile.len() == before {
                break;
            }
        }
        let walls: Vec<&MovingWall> = { self.walls.iter() }
            .filter(|wall| pile.contains(&wall.particle))
            .collect();
        let faces = |a: &MovingWall, b: &MovingWall| {
            let way = start[b.particle as usize] - start[a.particle as usize];
            a.particle == b.particle || a.wall.out.dot(way) > 0.0
        };
        walls.iter().enumerate().any(|(k, a)| {
            walls[k + 1..]
                .iter()
                .any(|b| a.wall.opposes(&b.wall) && faces(a, b) && faces(b, a))
        })
    }

    /// Lets the particles of a pair go along with the body that presses them into another surface; whether
    /// that is news.
    pub fn let_go(
        &mut self,
        pair: &Pair,
        movable: &Movable,
        start: &[DVec3],
        body_ends: &[DVec3],
    ) -> bool {
        let particles = self.carried.len();
        let (mut way, mut count) = (DVec3::ZERO, 0.0);
        for vertex in pair.vertices.map(|v| v as usize) {
            if let Some(body) = vertex.checked_sub(particles) {
                way += body_ends[body] - start[vertex];
                count += 1.0;
            }
        }
        if count == 0.0 || !self.is_pressed(pair, start) {
            return false;
        }
        let mut news = false;
        for vertex in pair.vertices {
            let is_free = movable.inverse_masses[vertex as usize] > 0.0;
            if (vertex as usize) < particles && is_free && !self.carries(vertex) {
                self.carry(vertex, way / count);
                self.pinched += 1;
                news = true;
            }
        }
        news
    }

    fn carry(&mut self, particle: u32, way: DVec3) {
        let (sum, count) = &mut self.carried[particle as usize];
        *sum += way;
        *count += 1;
    }

    /// Carries what is let through from where it was at the `start` of a step to its `end`.
    pub fn push(&self, movable: &Movable, start: &[DVec3], step_s: f64, end: &mut End<'_>) {
        for (i, (sum, count)) in self.carried.iter().enumerate() {
            if *count == 0 || movable.inverse_masses[i] == 0.0 {
                continue;
            }
            let way = *sum / f64::from(*count);
            let velocity_change = way / step_s - end.velocities[i];
            let position_change = start[i] + way - end.positions[i];
            end.jump(i, velocity_change, position_change);
        }
    }
}
