//! What is refused before anything is allocated.

use super::MAX_PARTICLES;
use super::spec::{Cut, ModelSpec, Sheet};
use crate::error::BuildError;
use glam::DVec3;

/// Refuses what cannot be simulated, before anything is allocated.
pub fn all(spec: &ModelSpec) -> Result<(), BuildError> {
    let error = |key: String, message: String| Err(BuildError { key, message });
    if !spec.gravity_m_per_s2.is_finite() {
        return error("gravity_m_per_s2".into(), "expected finite numbers".into());
    }
    let damping = spec.air.damping_per_s;
    if !(damping.is_finite() && damping >= 0.0) {
        return error(
            "air_damping_per_s".into(),
            "expected a number of at least 0".into(),
        );
    }
    if let Some(wind) = &spec.air.wind {
        wind.validate()?;
    }
    for (k, collider) in spec.colliders.iter().enumerate() {
        collider
            .validate()
            .map_err(|e| e.under(&format!("collider[{k}]")))?;
    }
    for (k, body) in spec.bodies.iter().enumerate() {
        body.validate()
            .map_err(|e| e.under(&format!("body[{k}]")))?;
    }
    for (k, pair) in spec.friction.iter().enumerate() {
        pair.validate(spec)
            .map_err(|e| e.under(&format!("contact.pair[{k}]")))?;
    }
    deformables(spec)
}

/// Refuses cloths, rods and solids.
fn deformables(spec: &ModelSpec) -> Result<(), BuildError> {
    let mut total = 0_usize;
    let mut count = |key: String, particles: usize| {
        total = total.saturating_add(particles);
        if total > MAX_PARTICLES {
            let message =
                format!("{total} particles are too many: expected at most {MAX_PARTICLES} in all");
            return Err(BuildError { key, message });
        }
        Ok(())
    };
    for (k, cloth) in spec.cloths.iter().enumerate() {
        let located = |e: BuildError| e.under(&format!("cloth[{k}]"));
        if let Cut::Sheet(sheet) = &cloth.cut {
            validate_sheet(sheet).map_err(located)?;
        }
        let key = format!("cloth[{k}].{}.particles", cut_key(&cloth.cut));
        count(key, cloth.particles())?;
        let valid = velocity(cloth.velocity_m_per_s)
            .and_then(|()| cloth.material.validate())
            .and_then(|()| cloth.validate_courses());
        valid.map_err(located)?;
    }
    for (k, rod) in spec.rods.iter().enumerate() {
        count(format!("rod[{k}].points"), rod.points.len())?;
        let valid = velocity(rod.velocity_m_per_s).and_then(|()| rod.validate());
        valid.map_err(|e| e.under(&format!("rod[{k}]")))?;
    }
    for (k, solid) in spec.solids.iter().enumerate() {
        count(format!("solid[{k}].points"), solid.points.len())?;
        let valid = velocity(solid.velocity_m_per_s).and_then(|()| solid.validate());
        valid.map_err(|e| e.under(&format!("solid[{k}]")))?;
    }
    Ok(())
}

fn velocity(velocity_m_per_s: DVec3) -> Result<(), BuildError> {
    if velocity_m_per_s.is_finite() {
        return Ok(());
    }
    Err(BuildError {
        key: "velocity_m_per_s".into(),
        message: "expected finite numbers".into(),
    })
}

fn cut_key(cut: &Cut) -> &'static str {
    match cut {
        Cut::Sheet(_) => "grid",
        Cut::Mesh(_) => "mesh",
    }
}

fn validate_sheet(sheet: &Sheet) -> Result<(), BuildError> {
    let error = |key: &str, message: &str| {
        Err(BuildError {
            key: format!("grid.{key}"),
            message: message.into(),
        })
    };
    let grid = &sheet.grid;
    if grid.columns < 2 || grid.rows < 2 {
        return error("particles", "expected at least 2 × 2 particles");
    }
    if !(grid.size_m.is_finite() && grid.size_m.min_element() > 0.0) {
        return error("size_m", "expected two positive numbers");
    }
    if !sheet.center.is_finite() {
        return error("center", "expected finite numbers");
    }
    Ok(())
}
