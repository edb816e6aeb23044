//! Cloths of simple shapes: tubes, ribbons, turned surfaces.

use super::cut::Shape;
use super::range::{above_zero, direction, within};
use super::{Checked, MAX_PARTICLES};
use crate::scene::error::Fault;
use crate::scene::{key, raw};
use glam::{DQuat, DVec2, DVec3};
use std::sync::Arc;
use toile_geometry::generate::{Lathe, Ribbon, ShapeError, Tube};
use toile_geometry::{Surface, TriMesh, from_shape};
use toile_sim::Cut;

/// More lobes than this are finer than any mesh that can be simulated.
const MAX_LOBES: f64 = 1000.0;

pub(super) fn tube(path: &key::Path, tube: &raw::Tube) -> Checked<Shape> {
    above_zero(&path.with("radius_m"), tube.radius_m)?;
    above_zero(&path.with("length_m"), tube.length_m)?;
    let [around, along] = particles(path, tube.particles, [3.0, 2.0])?;
    let axis = direction(&path.with("axis"), tube.axis)?;
    let tube_there = Tube {
        radius_m: tube.radius_m,
        length_m: tube.length_m,
        around,
        along,
    };
    let mut surface = tube_there.surface();
    stand(&mut surface.mesh, axis, tube.center.into());
    Ok(Shape::plain(Cut::Mesh(Arc::new(surface))))
}

pub(super) fn ribbon(path: &key::Path, ribbon: &raw::Ribbon) -> Checked<Shape> {
    above_zero(&path.with("width_m"), ribbon.width_m)?;
    let ribbon_there = Ribbon {
        path: ribbon.path.iter().copied().map(DVec3::from).collect(),
        width_m: ribbon.width_m,
        across: direction(&path.with("across"), ribbon.across)?,
        particles: particles(path, ribbon.particles, [2.0, 2.0])?,
    };
    let refused = |error: ShapeError| at_point(&path.with("path"), &error);
    let surface = ribbon_there.surface().map_err(refused)?;
    Ok(Shape::plain(Cut::Mesh(Arc::new(surface))))
}

pub(super) fn lathe(path: &key::Path, lathe: &raw::Lathe) -> Checked<Shape> {
    let mesh = turned(path, lathe)?;
    let axis = direction(&path.with("axis"), lathe.axis)?;
    let rest = from_shape(&mesh, axis)
        .map_err(|error| Fault::new(path.with("profile"), error.to_string()))?;
    Ok(Shape::plain(Cut::Mesh(Arc::new(Surface { mesh, rest }))))
}

/// The mesh of a profile turned about an axis.
pub(super) fn turned(path: &key::Path, lathe: &raw::Lathe) -> Checked<TriMesh> {
    above_zero(&path.with("spacing_m"), lathe.spacing_m)?;
    let lobes = f64::from(lathe.lobes);
    within(&path.with("lobes"), lobes, 0.0..=MAX_LOBES)?;
    if !(0.0..1.0).contains(&lathe.lobe_depth) {
        let message = format!("expected 0 to less than 1, found {}", lathe.lobe_depth);
        return Err(Fault::new(path.with("lobe_depth"), message));
    }
    let axis = direction(&path.with("axis"), lathe.axis)?;
    let there = Lathe {
        profile: lathe.profile.iter().copied().map(DVec2::from).collect(),
        spacing_m: lathe.spacing_m,
        lobes: lathe.lobes,
        lobe_depth: lathe.lobe_depth,
    };
    let count = there.estimated_particles();
    // Sizes beyond all numbers are too many as well.
    if count.is_nan() || count > MAX_PARTICLES as f64 {
        let message = format!("makes about {count:.0} particles, more than {MAX_PARTICLES}");
        return Err(Fault::new(path.with("spacing_m"), message));
    }
    let at_profile = path.with("profile");
    let mut mesh = there
        .mesh()
        .map_err(|error| at_point(&at_profile, &error))?;
    stand(&mut mesh, axis, lathe.center.into());
    Ok(mesh)
}

/// How many of them there are each way.
fn particles(path: &key::Path, counts: [u32; 2], least: [f64; 2]) -> Checked<[usize; 2]> {
    for k in 0..2 {
        let range = least[k]..=MAX_PARTICLES as f64;
        within(&path.with("particles").with(k), f64::from(counts[k]), range)?;
    }
    Ok(counts.map(|count| count as usize))
}

/// Turns a mesh that was made along y to its axis, and puts it in its place.
fn stand(mesh: &mut TriMesh, axis: DVec3, center: DVec3) {
    let turn = DQuat::from_rotation_arc(DVec3::Y, axis);
    for position in &mut mesh.positions {
        *position = turn * *position + center;
    }
}

/// Shows the error at the point it speaks of, if there is one.
fn at_point(path: &key::Path, error: &ShapeError) -> Fault {
    let path = match error {
        ShapeError::Repeated(point) => path.with(*point),
        _ => path.clone(),
    };
    Fault::new(path, error.to_string())
}
