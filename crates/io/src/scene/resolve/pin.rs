//! Where a cloth is held.

use super::range::{above_zero, direction, not_empty, not_negative};
use super::{Checked, cut, map};
use crate::scene::error::Fault;
use crate::scene::{key, raw};
use glam::DVec3;
use toile_geometry::Bounds;
use toile_sim::{
    Border, Corner, Interpolation, Keyframe, Keyframes, Motion, PinHold, PinRegion, PinSpec,
};

/// Validates one pin of a cloth with this shape.
pub(super) fn spec(path: &key::Path, pin: &mut raw::Pin, shape: &cut::Shape) -> Checked<PinSpec> {
    if let Some(stiffness) = pin.soft_n_per_m {
        above_zero(&path.with("soft_n_per_m"), stiffness)?;
    }
    if let Some(time) = pin.release_s {
        not_negative(&path.with("release_s"), time)?;
    }
    Ok(PinSpec {
        region: region(path, pin, shape)?,
        motion: motion(path, pin)?,
        hold: hold(path, pin)?,
        soft_n_per_m: pin.soft_n_per_m,
        release_s: pin.release_s,
    })
}

/// Which particles.
fn region(path: &key::Path, pin: &raw::Pin, shape: &cut::Shape) -> Checked<PinRegion> {
    let given = [
        pin.indices.as_ref().map(|_| "indices"),
        pin.region.as_ref().map(|_| "box"),
        pin.ball.as_ref().map(|_| "ball"),
        pin.corners.as_ref().map(|_| "corners"),
        pin.borders.as_ref().map(|_| "borders"),
        pin.group.as_ref().map(|_| "group"),
    ];
    let given: Vec<&str> = given.into_iter().flatten().collect();
    let [selector] = given.as_slice() else {
        let found = match given.as_slice() {
            [] => "none".to_owned(),
            several => several.join(" and "),
        };
        let message = format!(
            "expected exactly one of indices, box, ball, corners, borders and group, found {found}"
        );
        return Err(Fault::new(path.clone(), message));
    };
    if let (Some(_), None) = (pin.patch_m, &pin.corners) {
        let message = format!("only goes with `corners`, found with `{selector}`");
        return Err(Fault::new(path.with("patch_m"), message));
    }
    Ok(if let Some(indices) = &pin.indices {
        check_indices(&path.with("indices"), indices, shape.particles())?;
        PinRegion::Indices(indices.clone())
    } else if let Some(region) = &pin.region {
        PinRegion::Box(bounds(&path.with("box"), region)?)
    } else if let Some(ball) = &pin.ball {
        above_zero(&path.with("ball").with("radius_m"), ball.radius_m)?;
        PinRegion::Ball {
            center: ball.center.into(),
            radius_m: ball.radius_m,
        }
    } else if let Some(name) = &pin.group {
        let faces = map::group(&path.with("group"), name, shape)?;
        let surface = shape.surface();
        let corners = |face: u32| surface.mesh.faces[face as usize];
        PinRegion::Indices(faces.into_iter().flat_map(corners).collect())
    } else if let Some(corners) = &pin.corners {
        not_empty(&path.with("corners"), corners)?;
        let patch_m = pin.patch_m.unwrap_or(0.0);
        not_negative(&path.with("patch_m"), patch_m)?;
        PinRegion::Corners {
            corners: corners.iter().copied().map(corner).collect(),
            patch_m,
        }
    } else {
        let borders = pin.borders.as_deref().unwrap_or_default();
        not_empty(&path.with("borders"), borders)?;
        PinRegion::Borders(borders.iter().copied().map(border).collect())
    })
}

/// How they are moved.
fn motion(path: &key::Path, pin: &mut raw::Pin) -> Checked<Motion> {
    if pin.keyframes.is_empty() {
        for (key, given) in [
            ("pivot", pin.pivot.is_some()),
            ("interpolation", pin.interpolation.is_some()),
        ] {
            if given {
                return Err(Fault::new(path.with(key), "only goes with `keyframes`"));
            }
        }
        return Ok(pin
            .velocity_m_per_s
            .map_or(Motion::Still, |velocity| Motion::Velocity(velocity.into())));
    }
    let path_of_keys = path.with("keyframes");
    if pin.velocity_m_per_s.is_some() {
        let message = "expected either this or `velocity_m_per_s`, found both";
        return Err(Fault::new(path_of_keys, message));
    }
    let mut keys: Vec<Keyframe> = Vec::with_capacity(pin.keyframes.len());
    for (i, raw) in pin.keyframes.iter().enumerate() {
        let path = path_of_keys.with(i);
        let axis = direction(&path.with("axis"), raw.axis)?;
        let key = Keyframe {
            time_s: raw.time_s,
            offset_m: raw.offset_m.into(),
            rotation_rad: raw.angle_deg.to_radians() * axis,
            scale: raw.scale.into(),
        };
        let after = keys.last().map_or(0.0, |last| last.time_s);
        if i == 0 && raw.time_s == 0.0 {
            if key != Keyframe::START {
                let message = "at time 0 the pin is where the cloth starts, expected no \
                               offset, turn or scale";
                return Err(Fault::new(path, message));
            }
        } else if raw.time_s <= after {
            let message = format!("expected more than {after}, found {}", raw.time_s);
            return Err(Fault::new(path.with("time_s"), message));
        }
        keys.push(key);
    }
    let interpolation = match pin.interpolation.get_or_insert_default() {
        raw::Interpolation::Smooth => Interpolation::Smooth,
        raw::Interpolation::Linear => Interpolation::Linear,
    };
    Ok(Motion::Keyframes(Keyframes {
        keys,
        pivot: pin.pivot.map(DVec3::from),
        interpolation,
    }))
}

/// The directions they are held in.
fn hold(path: &key::Path, pin: &raw::Pin) -> Checked<PinHold> {
    let path_of_normal = path.with("hold_normal");
    match (pin.free_axis, pin.hold_normal) {
        (None, None) => Ok(PinHold::All),
        (Some(axis), None) => direction(&path.with("free_axis"), axis).map(PinHold::FreeAxis),
        (None, Some(normal)) => direction(&path_of_normal, normal).map(PinHold::Normal),
        (Some(_), Some(_)) => {
            let message = "expected either this or `free_axis`, found both";
            Err(Fault::new(path_of_normal, message))
        }
    }
}

/// Refuses no indices, and those outside the cloth.
pub(super) fn check_indices(path: &key::Path, indices: &[u32], count: usize) -> Checked {
    not_empty(path, indices)?;
    if let Some(i) = indices.iter().position(|&i| i as usize >= count) {
        let message = format!(
            "expected an index from 0 to {}, as the cloth has {count} particles, found {}",
            count - 1,
            indices[i]
        );
        return Err(Fault::new(path.with(i), message));
    }
    Ok(())
}

/// A box whose sides are the right way round.
pub(super) fn bounds(path: &key::Path, region: &raw::Region) -> Checked<Bounds> {
    for axis in 0..3 {
        let (min, max) = (region.min[axis], region.max[axis]);
        if min > max {
            let message = format!("expected at least {min}, the box's `min`, found {max}");
            return Err(Fault::new(path.with("max").with(axis), message));
        }
    }
    Ok(Bounds {
        min: region.min.into(),
        max: region.max.into(),
    })
}

fn corner(corner: raw::Corner) -> Corner {
    match corner {
        raw::Corner::UMinVMin => Corner::UMinVMin,
        raw::Corner::UMaxVMin => Corner::UMaxVMin,
        raw::Corner::UMinVMax => Corner::UMinVMax,
        raw::Corner::UMaxVMax => Corner::UMaxVMax,
    }
}

pub(super) fn border(border: raw::Border) -> Border {
    match border {
        raw::Border::UMin => Border::UMin,
        raw::Border::UMax => Border::UMax,
        raw::Border::VMin => Border::VMin,
        raw::Border::VMax => Border::VMax,
    }
}
