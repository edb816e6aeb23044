//! New bonds: which adhering particles are within reach of what they stick to.

use super::place::{Place, Places};
use super::{Bond, Stick};
use crate::constraints::contact::margin_m;
use crate::model::Model;
use crate::spec::Thing;
use crate::state::State;
use toile_geometry::distance::{between, point_triangle};
use toile_geometry::{Bounds, BoxTree, bvh};
use toile_numerics::par;

/// Neighbours within a cloth, up to this many reaches or links away at the start, are no other cloth to
/// stick to.
const NEIGHBOURHOOD: f64 = 4.0;

/// The sticky triangles of one stick, where they are now.
pub(super) struct Sticky {
    faces: Vec<[u32; 3]>,
    tree: BoxTree,
}

impl Sticky {
    pub(super) fn new(model: &Model, to: &[Thing], to_box: Option<&Bounds>, at: &Places) -> Self {
        let faces = faces(model, to, to_box);
        let boxes = bvh::face_boxes(&at.start, &faces);
        Self {
            faces,
            tree: BoxTree::build(&boxes),
        }
    }
}

/// Adds to the `bonds` of the step before those of all particles that are within reach, and puts all of
/// them in order.
pub(super) fn add(model: &Model, state: &State, places: &Places, bonds: &mut Vec<Bond>) {
    let mut found = Vec::new();
    for (k, stick) in (0_u32..).zip(&model.sticks) {
        if stick.particles.is_empty() || !stick.is_active(state.time_s) {
            continue;
        }
        let is_bonded = |particle: u32| {
            let key = (particle, k);
            bonds.binary_search_by_key(&key, Bond::key).is_ok()
        };
        let free = stick.particles.iter().copied();
        let free: Vec<u32> = free.filter(|i| !is_bonded(*i)).collect();
        if free.is_empty() {
            continue;
        }
        let sticky = Sticky::new(model, &stick.to, stick.to_box.as_ref(), places);
        let mut near: Vec<Vec<Place>> = vec![Vec::new(); free.len()];
        par::fill(&mut near, |i| {
            within_reach(model, stick, free[i], &sticky, places)
        });
        for (particle, near) in free.into_iter().zip(near) {
            found.extend(near.into_iter().map(|place| Bond::new(particle, k, place)));
        }
    }
    if !found.is_empty() {
        bonds.extend(found);
        // Stable: the places of a particle stay in the order of their distance.
        bonds.sort_by_key(Bond::key);
    }
}

/// The places nearest to a particle, no more than it may have.
fn within_reach(
    model: &Model,
    stick: &Stick,
    particle: u32,
    sticky: &Sticky,
    places: &Places,
) -> Vec<Place> {
    let mut near: Vec<(f64, Place)> = Vec::new();
    let point = places.start[particle as usize];
    for thing in &stick.to {
        let Thing::Collider(k) = *thing else {
            continue;
        };
        let (collider, pose) = (&model.colliders[k], &places.poses[k]);
        let start = pose.unplace(point);
        let gap_m = collider.shape.surface(start).distance_m - margin_m(model, particle, k as u32);
        let is_sticky = stick.to_box.as_ref().is_none_or(|b| b.contains(start));
        if gap_m <= stick.reach_m && is_sticky {
            let collider = k as u32;
            near.push((gap_m, Place::Collider { collider, start }));
        }
    }
    let most_m = stick.reach_m + thickest_m(model);
    let around = Bounds {
        min: point - most_m,
        max: point + most_m,
    };
    let mut faces: Vec<u32> = sticky.tree.overlapping(&around).collect();
    // The tree's own order is no promise.
    faces.sort_unstable();
    for face in faces {
        let vertices = sticky.faces[face as usize];
        if is_neighbour(model, stick, particle, vertices) {
            continue;
        }
        let corners = places.corners(vertices);
        let [a, b, c] = corners;
        let x = [point, a, b, c];
        let distance_m = between(&point_triangle(&x), &x).length();
        let kept_m = 0.5 * (thickness_m(model, particle) + thickness_m(model, vertices[0]));
        let gap_m = distance_m - kept_m;
        if gap_m <= stick.reach_m
            && let Some(place) = Place::on_triangle(vertices, corners, point)
        {
            near.push((gap_m, place));
        }
    }
    near.sort_by(|a, b| a.0.total_cmp(&b.0));
    near.truncate(stick.places);
    near.into_iter().map(|(_, place)| place).collect()
}

/// The triangle of `things` that is nearest to a point of a particle, in any distance.
pub(super) fn nearest(sticky: &Sticky, places: &Places, particle: u32) -> Option<Place> {
    let point = places.start[particle as usize];
    let distance_m = |vertices: [u32; 3]| {
        let [a, b, c] = places.corners(vertices);
        let x = [point, a, b, c];
        between(&point_triangle(&x), &x).length()
    };
    let others = sticky.faces.iter().filter(|f| !f.contains(&particle));
    let found = others.min_by(|a, b| distance_m(**a).total_cmp(&distance_m(**b)));
    found.and_then(|face| Place::on_triangle(*face, places.corners(*face), point))
}

/// Triangles of things, inside a box where they start; those of bodies have their vertices numbered
/// after the particles.
fn faces(model: &Model, things: &[Thing], inside: Option<&Bounds>) -> Vec<[u32; 3]> {
    let mut all = Vec::new();
    let mut first_of_body = model.particles() as u32;
    let firsts: Vec<u32> = (model.bodies.iter())
        .map(|body| {
            let first = first_of_body;
            first_of_body += body.vertices() as u32;
            first
        })
        .collect();
    let within = |corners: [glam::DVec3; 3]| {
        inside.is_none_or(|bounds| corners.iter().all(|p| bounds.contains(*p)))
    };
    for thing in things {
        match *thing {
            Thing::Collider(_) => {}
            Thing::Cloth(k) => {
                let faces = model.faces[model.cloths[k].faces.clone()].iter();
                let start = |v: u32| model.start_positions[v as usize];
                all.extend(faces.filter(|face| within(face.map(start))));
            }
            Thing::Body(k) => {
                let mesh = &model.bodies[k].mesh;
                let start = |v: u32| mesh.positions[v as usize];
                let faces = mesh.faces.iter().filter(|face| within(face.map(start)));
                all.extend(faces.map(|face| face.map(|v| v + firsts[k])));
            }
        }
    }
    all
}

/// Whether a triangle belongs to the particle's own cloth and is near it there.
fn is_neighbour(model: &Model, stick: &Stick, particle: u32, vertices: [u32; 3]) -> bool {
    let own = model.cloth_of(particle);
    if !model.cloths[own]
        .particles
        .contains(&(vertices[0] as usize))
    {
        return false;
    }
    let reach_m = NEIGHBOURHOOD * stick.reach_m.max(model.cloths[own].longest_link_m);
    let place = |v: u32| model.start_positions[v as usize];
    vertices
        .iter()
        .any(|v| *v == particle || place(*v).distance(place(particle)) < reach_m)
}

/// The most that a cloth or body keeps away, m.
fn thickest_m(model: &Model) -> f64 {
    let cloths = model.cloths.iter().map(|cloth| cloth.thickness_m);
    let bodies = model.bodies.iter().map(|body| body.thickness_m);
    cloths.chain(bodies).fold(0.0, f64::max)
}

/// The thickness that belongs to a vertex, m.
fn thickness_m(model: &Model, vertex: u32) -> f64 {
    match (vertex as usize).checked_sub(model.particles()) {
        // Contact counts no more than this, so that neighbours do not touch.
        None => (model.cloths[model.cloth_of(vertex)].thickness_m)
            .min(crate::contact::surfaces::MOST_OF_EDGE * model.shortest_link_m),
        Some(mut index) => {
            for body in &model.bodies {
                match index.checked_sub(body.vertices()) {
                    None => return body.thickness_m,
                    Some(rest) => index = rest,
                }
            }
            0.0
        }
    }
}
