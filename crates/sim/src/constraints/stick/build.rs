//! From what a model is told to its sticks, and the bonds that are there from the start.

use super::acquire::{self, Sticky, Surfaces};
use super::place::{Place, Places, first_vertex, triangles};
use super::spec::refused;
use super::{AttachSpec, Bond, Stick, StickSpec};
use crate::constraints::pin;
use crate::error::BuildError;
use crate::model::Model;
use crate::model::spec::{ClothSpec, PinRegion, Thing};
use crate::state::State;

/// Adds the sticks and fastenings of all `cloths` to a model that is otherwise complete.
pub(crate) fn add_all(model: &mut Model, cloths: &[ClothSpec]) -> Result<(), BuildError> {
    for (k, cloth) in cloths.iter().enumerate() {
        let located = |e: BuildError| e.under(&format!("cloth[{k}]"));
        for (i, stick) in cloth.sticks.iter().enumerate() {
            let stick = add_stick(model, k, stick);
            let stick = stick.map_err(|e| located(e.under(&format!("stick[{i}]"))))?;
            model.sticks.push(stick);
        }
    }
    if cloths.iter().all(|cloth| cloth.attachments.is_empty()) {
        return Ok(());
    }
    let places = Places::new(model, &State::start(model), 0.0);
    for (k, cloth) in cloths.iter().enumerate() {
        let located = |e: BuildError| e.under(&format!("cloth[{k}]"));
        for (i, attachment) in cloth.attachments.iter().enumerate() {
            let bonds = fasten(model, k, attachment, &places);
            let bonds = bonds.map_err(|e| located(e.under(&format!("attach[{i}]"))))?;
            model.fastened.extend(bonds);
            model.sticks.push(Stick {
                particles: Vec::new(),
                to: vec![attachment.to],
                to_box: None,
                to_faces: None,
                places: 1,
                reach_m: 0.0,
                release_m: f64::INFINITY,
                stiffness_n_per_m: attachment.stiffness_n_per_m,
                fade_s: f64::INFINITY,
                active_s: Vec::new(),
            });
        }
    }
    model.fastened.sort_by_key(Bond::key);
    Ok(())
}

fn add_stick(model: &Model, cloth: usize, spec: &StickSpec) -> Result<Stick, BuildError> {
    spec.validate()?;
    if let Some(i) = spec.to.iter().position(|thing| !exists(model, *thing)) {
        return refused(&format!("to[{i}]"), "expected something that exists");
    }
    let to_faces = spec.to_faces.as_ref();
    let to_faces = to_faces.map(|each| faces(model, spec, each)).transpose()?;
    let weakest_m = spec.strength_n.map(|n| n / spec.stiffness_n_per_m);
    Ok(Stick {
        particles: match &spec.region {
            Some(region) => chosen(model, cloth, region)?,
            None => (model.deformables[cloth].particles.clone())
                .map(|i| i as u32)
                .collect(),
        },
        to: spec.to.clone(),
        to_box: spec.to_box,
        to_faces,
        places: spec.triangles,
        reach_m: spec.reach_m,
        release_m: spec.release_m.min(weakest_m.unwrap_or(f64::INFINITY)),
        stiffness_n_per_m: spec.stiffness_n_per_m,
        fade_s: spec.fade_s,
        active_s: spec.active_s.clone(),
    })
}

/// The sticky triangles of each thing, ascending.
fn faces(model: &Model, spec: &StickSpec, each: &[Vec<u32>]) -> Result<Vec<Vec<u32>>, BuildError> {
    if each.len() != spec.to.len() {
        return refused("to_group", "expected a list of triangles for each of `to`");
    }
    for (thing, faces) in spec.to.iter().zip(each) {
        let count = match thing {
            Thing::Deformable(k) => model.deformables[*k].faces.len(),
            _ => triangles(model, *thing).map_or(0, |mesh| mesh.faces.len()),
        };
        if faces.iter().any(|face| *face as usize >= count) {
            return refused("to_group", "names a triangle that does not exist");
        }
    }
    let sorted = |faces: &Vec<u32>| {
        let mut faces = faces.clone();
        faces.sort_unstable();
        faces
    };
    Ok(each.iter().map(sorted).collect())
}

fn fasten(
    model: &Model,
    cloth: usize,
    spec: &AttachSpec,
    places: &Places,
) -> Result<Vec<Bond>, BuildError> {
    spec.validate()?;
    if !exists(model, spec.to) {
        return refused("to", "expected something that exists");
    }
    let stick = model.sticks.len() as u32;
    if let Some(to_indices) = &spec.to_indices {
        let pairs = one_by_one(model, cloth, spec, to_indices)?;
        let bond = |(particle, vertex): (u32, u32)| {
            let apart = places.start[particle as usize].distance(places.start[vertex as usize]);
            let gap_m = spec.gap_m.unwrap_or(apart);
            Bond::new(particle, stick, Place::Vertex { vertex, gap_m })
        };
        return Ok(pairs.into_iter().map(bond).collect());
    }
    if spec.to == Thing::Deformable(cloth) {
        return refused(
            "to_indices",
            "expected some: the cloth is fastened to itself",
        );
    }
    let particles = chosen(model, cloth, &spec.region)?;
    let sticky = Sticky::new(model, &Surfaces::all(&[spec.to]), places);
    let bond = |particle: u32| {
        let place = match spec.to {
            Thing::Collider(k) if triangles(model, spec.to).is_none() => Some(Place::Collider {
                collider: k as u32,
                start: places.poses[k].unplace(places.start[particle as usize]),
            }),
            _ => acquire::nearest(&sticky, places, particle),
        };
        let place = place.map(|place| Bond::new(particle, stick, place));
        place.ok_or_else(|| BuildError {
            key: "to".into(),
            message: "the nearest triangle has no area".into(),
        })
    };
    particles.into_iter().map(bond).collect()
}

/// Particles of a cloth and the vertices they are fastened to, numbered as in the model.
fn one_by_one(
    model: &Model,
    cloth: usize,
    spec: &AttachSpec,
    to_indices: &[u32],
) -> Result<Vec<(u32, u32)>, BuildError> {
    let PinRegion::Indices(indices) = &spec.region else {
        return refused("to_indices", "only goes with `indices`");
    };
    if indices.len() != to_indices.len() {
        return refused("to_indices", "expected as many as `indices`");
    }
    let (first, count) = match spec.to {
        Thing::Deformable(k) => {
            let particles = &model.deformables[k].particles;
            (particles.start, particles.len())
        }
        thing => match triangles(model, thing) {
            Some(mesh) => (first_vertex(model, thing), mesh.positions.len()),
            None => return refused("to_indices", "a collider that is no mesh has no vertices"),
        },
    };
    // Also refuses indices that do not exist.
    chosen(model, cloth, &spec.region)?;
    let own = model.deformables[cloth].particles.start;
    let mut pairs = Vec::with_capacity(indices.len());
    for (i, (index, to)) in indices.iter().zip(to_indices).enumerate() {
        let pair = (own as u32 + index, first as u32 + to);
        if *to as usize >= count {
            let key = format!("to_indices[{i}]");
            let message = format!("expected an index from 0 to {}, found {to}", count - 1);
            return refused(&key, &message);
        }
        if pair.0 == pair.1 {
            let key = format!("to_indices[{i}]");
            return refused(&key, "the particle cannot be fastened to itself");
        }
        pairs.push(pair);
    }
    Ok(pairs)
}

/// The particles of a region of a cloth, numbered as in the model.
fn chosen(model: &Model, cloth: usize, region: &PinRegion) -> Result<Vec<u32>, BuildError> {
    let own = model.deformables[cloth].particles.clone();
    let pattern = model.deformables[cloth]
        .shell()
        .map(|shell| &shell.pattern[..]);
    let positions = &model.start_positions[own.clone()];
    let chosen = pin::select(region, pattern.unwrap_or_default(), positions)?;
    Ok(chosen.into_iter().map(|i| i + own.start as u32).collect())
}

fn exists(model: &Model, thing: Thing) -> bool {
    match thing {
        Thing::Deformable(k) => k < model.deformables.len(),
        Thing::Collider(k) => k < model.colliders.len(),
        Thing::Body(k) => k < model.bodies.len(),
    }
}
