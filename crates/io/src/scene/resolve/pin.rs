//! Where a cloth is held.

use super::motion::{self, Moved};
use super::range::{above_zero, direction, not_empty, not_negative};
use super::{Checked, cut, map};
use crate::scene::error::Fault;
use crate::scene::{key, raw};
use toile_geometry::Bounds;
use toile_sim::{Border, Corner, PinHold, PinRegion, PinSpec};

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
        motion: motion::spec(
            path,
            Moved {
                velocity_m_per_s: pin.velocity_m_per_s,
                keyframes: &pin.keyframes,
                pivot: pin.pivot,
                interpolation: &mut pin.interpolation,
                start: "the pin is where the cloth starts",
            },
        )?,
        hold: hold(path, pin)?,
        soft_n_per_m: pin.soft_n_per_m,
        release_s: pin.release_s,
    })
}

/// Which particles.
pub(super) fn region(path: &key::Path, pin: &raw::Pin, shape: &cut::Shape) -> Checked<PinRegion> {
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
