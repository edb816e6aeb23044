//! Meshes that cloth meets by their signed distance.

use super::Checked;
use super::body::Context;
use super::range::{above_zero, not_negative};
use crate::hash;
use crate::scene::error::Fault;
use crate::scene::raw::{FieldStorage, MetAs};
use crate::scene::{key, raw};
use toile_geometry::levelset::{LevelSetError, Storage};
use toile_sim::colliders::{LevelSet, Sampling, Shape};
use toile_sim::{BodyMotion, BodySpec, ColliderSpec, Motion};

/// Distance of nodes that is not said to be another, m.
const CELL_M: f64 = 0.01;

/// Places of vertices that are kept of a character in motion; they take 24 bytes each.
const MAX_SAMPLED: f64 = 1e8;

/// Whether a mesh collider is to be met by its signed distance.
pub(super) fn is_meant(body: &raw::Collider) -> bool {
    let mesh = body.shape.mesh.as_ref();
    mesh.is_some_and(|mesh| mesh.met_as == MetAs::LevelSet)
}

/// Refuses what only level sets have in a collider whose triangles are met.
pub(super) fn refuse(path: &key::Path, body: &raw::Collider) -> Checked {
    let help = "set `as = \"level-set\"` in the mesh";
    if body.forecast_s.is_some() {
        let message = "a mesh met by its triangles is not forecast";
        return Err(Fault::new(path.with("forecast_s"), message).help(help));
    }
    let Some(mesh) = &body.shape.mesh else {
        return Ok(());
    };
    for (key, is_given) in [
        ("cell_m", mesh.cell_m.is_some()),
        ("margin_m", mesh.margin_m.is_some()),
        ("storage", mesh.storage.is_some()),
        ("cache", mesh.cache.is_some()),
    ] {
        if is_given {
            let path = path.with("shape").with("mesh").with(key);
            return Err(Fault::new(path, "is of a level set alone").help(help));
        }
    }
    Ok(())
}

/// Makes a collider of a body; returns it, and what a reader of the report should know.
pub(super) fn spec(
    path: &key::Path,
    body: BodySpec,
    collider: &mut raw::Collider,
    context: &Context<'_>,
) -> Checked<(ColliderSpec, Vec<String>)> {
    if let Some(forecast_s) = collider.forecast_s {
        above_zero(&path.with("forecast_s"), forecast_s)?;
    }
    let forecast_s = collider.forecast_s;
    let Some(mesh) = &mut collider.shape.mesh else {
        return Err(Fault::new(path.with("shape"), "expected a mesh"));
    };
    let path = path.with("shape").with("mesh");
    let cell_m = *mesh.cell_m.get_or_insert(CELL_M);
    above_zero(&path.with("cell_m"), cell_m)?;
    let standard = Sampling::new(cell_m);
    let margin_m = *mesh.margin_m.get_or_insert(standard.margin_m);
    not_negative(&path.with("margin_m"), margin_m)?;
    let sampling = Sampling {
        margin_m: margin_m + 0.5 * body.thickness_m,
        storage: match mesh.storage.get_or_insert_default() {
            FieldStorage::Grid => Storage::Grid,
            FieldStorage::Octree => Storage::Octree,
        },
        ..standard
    };
    let mut source_print = None;
    let (motion, frames) = match body.motion {
        BodyMotion::Rigid(motion) => (motion, None),
        BodyMotion::Sequence(sequence) if sequence.is_plain() => {
            (Motion::Still, Some(sequence.frames))
        }
        BodyMotion::Sequence(sequence) => {
            // As often as its frames come by, and as the scene has any.
            let rate_hz = sequence.frames.rate_hz * sequence.timing.speed.abs();
            let rate_hz = rate_hz.max(context.fps);
            let count = samples(
                &path.with("speed"),
                rate_hz,
                body.mesh.positions.len(),
                context,
            )?;
            source_print = Some(hash::sequence(&body.mesh, &sequence));
            (Motion::Still, Some(sequence.sampled(rate_hz, count)))
        }
        BodyMotion::Puppet(puppet) => {
            let rate_hz = *mesh.fps.get_or_insert(context.fps);
            let count = samples(
                &path.with("fps"),
                rate_hz,
                body.mesh.positions.len(),
                context,
            )?;
            source_print = Some(hash::character(&puppet.character));
            (Motion::Still, Some(puppet.frames(rate_hz, count)))
        }
    };
    let source = match (&mesh.file, &mesh.lathe) {
        (Some(_), _) => "file",
        (None, Some(_)) => "lathe",
        (None, None) if mesh.character.is_some() => "character",
        (None, None) => "frames",
    };
    let solid = LevelSet::new(body.mesh, frames, sampling).map_err(|error| {
        if let LevelSetError::TooLarge { .. } | LevelSetError::Setting { .. } = error {
            return Fault::new(path.with("cell_m"), error.to_string());
        }
        let key = match error {
            LevelSetError::Pose { .. } if mesh.frames.is_some() => "frames",
            _ => source,
        };
        Fault::new(path.with(key), error.to_string())
            .help("a level set needs a closed mesh; one met by its triangles may be open")
    })?;
    let solid = match &mut mesh.cache {
        Some(cache) => {
            let folder = context.folder.join(&*cache);
            std::fs::create_dir_all(&folder).map_err(|error| {
                let message = format!("{}: {error}", folder.display());
                Fault::new(path.with("cache"), message)
            })?;
            // Runs may be resumed from elsewhere.
            if let Ok(whole) = folder.canonicalize() {
                *cache = whole.to_string_lossy().into_owned();
            }
            solid.kept_in(&folder)
        }
        None => solid,
    };
    let solid = match source_print {
        Some(print) => solid.made_of(print),
        None => solid,
    };
    let mut notes = Vec::new();
    if solid.solid().was_turned() {
        notes.push(format!("{}: inside out, turned over", body.name));
    }
    notes.extend(solid.solid().holes().iter().map(|hole| {
        let (width_m, center) = (hole.width_m, hole.center);
        format!("{}: hole of {width_m} m at {center} closed", body.name)
    }));
    let spec = ColliderSpec {
        motion,
        forecast_s,
        drawn: body.drawn,
        ..ColliderSpec::new(Shape::LevelSet(solid), body.friction)
    };
    Ok((spec, notes))
}

/// How many times of the scene there are at so many a second, unless they are too many.
fn samples(
    path: &key::Path,
    rate_hz: f64,
    vertices: usize,
    context: &Context<'_>,
) -> Checked<usize> {
    let count = (f64::from(context.frames) / context.fps * rate_hz).ceil() + 1.0;
    if count * vertices as f64 <= MAX_SAMPLED {
        return Ok(count as usize);
    }
    let message = format!(
        "{count} frames of the motion are too many, expected at most {MAX_SAMPLED} places of \
         vertices in all"
    );
    Err(Fault::new(path.clone(), message))
}
