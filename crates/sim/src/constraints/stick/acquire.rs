//! New bonds: which adhering particles are within reach of what they stick to.

use super::place::{Place, Places, first_vertex, triangles};
use super::{Bond, Stick};
use crate::contact::collider::margin_m;
use crate::model::Model;
use crate::model::spec::Thing;
use crate::state::State;
use toile_geometry::distance::{between, point_triangle};
use toile_geometry::{Bounds, BoxTree, bvh};
use toile_numerics::par;

/// Neighbours within a cloth, up to this many reaches or links away at the start, are no other cloth to
/// stick to.
const NEIGHBOURHOOD: f64 = 4.0;

/// What is sticky of some things.
pub(crate) struct Surfaces<'a> {
    to: &'a [Thing],
    /// What starts inside this box.
    within: Option<&'a Bounds>,
    /// These triangles of each.
    faces: Option<&'a [Vec<u32>]>,
}

impl<'a> Surfaces<'a> {
    /// All of them.
    pub(crate) fn all(to: &'a [Thing]) -> Self {
        Self {
            to,
            within: None,
            faces: None,
        }
    }

    fn of(stick: &'a Stick) -> Self {
        Self {
            to: &stick.to,
            within: stick.to_box.as_ref(),
            faces: stick.to_faces.as_deref(),
        }
    }
}

/// The sticky triangles of one stick, where they are now.
pub(crate) struct Sticky {
    faces: Vec<[u32; 3]>,
    tree: BoxTree,
}

impl Sticky {
    pub(crate) fn new(model: &Model, surfaces: &Surfaces<'_>, at: &Places) -> Self {
        let faces = faces(model, surfaces);
        let boxes = bvh::face_boxes(&at.start, &faces);
        Self {
            faces,
            tree: BoxTree::build(&boxes),
        }
    }
}

/// Adds to the `bonds` of the step before those of all particles that are within reach, and puts all of
/// them in order.
pub(crate) fn add(model: &Model, state: &State, places: &Places, bonds: &mut Vec<Bond>) {
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
        let sticky = Sticky::new(model, &Surfaces::of(stick), places);
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
        if triangles(model, *thing).is_some() {
            continue;
        }
        let (collider, pose) = (&model.colliders[k], &places.poses[k]);
        let start = pose.unplace(point);
        let gap_m = collider.shape.surface(start).distance_m - margin_m(model, particle, k as u32);
        let is_sticky = stick.to_box.as_ref().is_none_or(|b| b.contains(start));
        if gap_m <= stick.reach_m && is_sticky {
            let collider = k as u32;
            near.push((gap_m, Place::Collider { collider, start }));
        }
    }
    let most_m = stick.reach_m + farthest_kept_m(model, stick, particle);
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
        let gap_m = distance_m - kept_m(model, particle, vertices[0]);
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
pub(crate) fn nearest(sticky: &Sticky, places: &Places, particle: u32) -> Option<Place> {
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

/// Triangles of things; the vertices of bodies and level sets are numbered after the particles.
fn faces(model: &Model, surfaces: &Surfaces<'_>) -> Vec<[u32; 3]> {
    let mut all = Vec::new();
    for (k, thing) in surfaces.to.iter().enumerate() {
        let (own, start, first) = match *thing {
            Thing::Deformable(cloth) => {
                let own = &model.mesh.faces[model.deformables[cloth].faces.clone()];
                (own, &model.start_positions, 0)
            }
            thing => match triangles(model, thing) {
                Some(mesh) => (&mesh.faces[..], &mesh.positions, first_vertex(model, thing)),
                None => continue,
            },
        };
        let is_sticky = |(index, face): &(u32, &[u32; 3])| {
            let chosen = surfaces.faces.map(|of_each| &of_each[k]);
            let mut corners = face.iter().map(|v| start[*v as usize]);
            chosen.is_none_or(|faces| faces.binary_search(index).is_ok())
                && (surfaces.within).is_none_or(|bounds| corners.all(|p| bounds.contains(p)))
        };
        let sticky = (0..).zip(own).filter(is_sticky);
        all.extend(sticky.map(|(_, face)| face.map(|v| v + first as u32)));
    }
    all
}

/// Whether a triangle belongs to the particle's own cloth and is near it there.
fn is_neighbour(model: &Model, stick: &Stick, particle: u32, vertices: [u32; 3]) -> bool {
    let own = model.deformable_of(particle);
    if !model.deformables[own]
        .particles
        .contains(&(vertices[0] as usize))
    {
        return false;
    }
    let reach_m = NEIGHBOURHOOD * stick.reach_m.max(model.deformables[own].longest_link_m);
    let place = |v: u32| model.start_positions[v as usize];
    vertices
        .iter()
        .any(|v| *v == particle || place(*v).distance(place(particle)) < reach_m)
}

/// The distance that a particle keeps from the surface that a vertex is on, m.
fn kept_m(model: &Model, particle: u32, vertex: u32) -> f64 {
    match owner(model, vertex) {
        Thing::Collider(k) => margin_m(model, particle, k as u32),
        thing => 0.5 * (thickness_m(model, particle) + thickness_of(model, thing)),
    }
}

/// The most of it from any of the things that a particle sticks to, m.
fn farthest_kept_m(model: &Model, stick: &Stick, particle: u32) -> f64 {
    let kept = stick.to.iter().map(|thing| match thing {
        Thing::Collider(k) => margin_m(model, particle, *k as u32),
        thing => 0.5 * (thickness_m(model, particle) + thickness_of(model, *thing)),
    });
    kept.fold(0.0, f64::max)
}

fn thickness_m(model: &Model, particle: u32) -> f64 {
    thickness_of(model, Thing::Deformable(model.deformable_of(particle)))
}

/// The thickness of a deformable or body, m.
fn thickness_of(model: &Model, thing: Thing) -> f64 {
    match thing {
        // Contact counts no more than this, so that neighbours do not touch.
        Thing::Deformable(k) => model.met_thickness_m(k),
        Thing::Body(k) => model.bodies[k].thickness_m,
        Thing::Collider(_) => 0.0,
    }
}

/// What a vertex belongs to.
fn owner(model: &Model, vertex: u32) -> Thing {
    let Some(mut index) = (vertex as usize).checked_sub(model.particles()) else {
        return Thing::Deformable(model.deformable_of(vertex));
    };
    let bodies = (0..model.bodies.len()).map(Thing::Body);
    let colliders = (0..model.colliders.len()).map(Thing::Collider);
    for thing in bodies.chain(colliders) {
        let vertices = triangles(model, thing).map_or(0, |mesh| mesh.positions.len());
        match index.checked_sub(vertices) {
            None => return thing,
            Some(rest) => index = rest,
        }
    }
    // Only vertices that exist are asked for.
    Thing::Deformable(0)
}
