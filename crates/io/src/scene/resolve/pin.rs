//! Where a cloth is held.

use super::Checked;
use super::range::{not_empty, not_negative};
use crate::scene::error::Fault;
use crate::scene::{key, raw};
use toile_geometry::{Bounds, QuadGrid};
use toile_sim::{Border, Corner, PinRegion, PinSpec};

/// Validates one pin of a cloth on `grid`.
pub(super) fn spec(path: &key::Path, pin: &raw::Pin, grid: &QuadGrid) -> Checked<PinSpec> {
    let given = [
        pin.indices.as_ref().map(|_| "indices"),
        pin.region.as_ref().map(|_| "box"),
        pin.corners.as_ref().map(|_| "corners"),
        pin.borders.as_ref().map(|_| "borders"),
    ];
    let given: Vec<&str> = given.into_iter().flatten().collect();
    let [selector] = given.as_slice() else {
        let found = match given.as_slice() {
            [] => "none".to_owned(),
            several => several.join(" and "),
        };
        let message =
            format!("expected exactly one of indices, box, corners and borders, found {found}");
        return Err(Fault::new(path.clone(), message));
    };
    if let (Some(_), None) = (pin.patch_m, &pin.corners) {
        let message = format!("only goes with `corners`, found with `{selector}`");
        return Err(Fault::new(path.with("patch_m"), message));
    }
    let region = if let Some(indices) = &pin.indices {
        by_index(&path.with("indices"), indices, grid)?
    } else if let Some(region) = &pin.region {
        by_box(&path.with("box"), region)?
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
    };
    Ok(PinSpec { region })
}

fn by_index(path: &key::Path, indices: &[u32], grid: &QuadGrid) -> Checked<PinRegion> {
    not_empty(path, indices)?;
    let count = grid.len();
    if let Some(i) = indices.iter().position(|&i| i as usize >= count) {
        let message = format!(
            "expected an index from 0 to {}, as the cloth has {count} particles, found {}",
            count - 1,
            indices[i]
        );
        return Err(Fault::new(path.with(i), message));
    }
    Ok(PinRegion::Indices(indices.to_vec()))
}

fn by_box(path: &key::Path, region: &raw::Region) -> Checked<PinRegion> {
    for axis in 0..3 {
        let (min, max) = (region.min[axis], region.max[axis]);
        if min > max {
            let message = format!("expected at least {min}, the box's `min`, found {max}");
            return Err(Fault::new(path.with("max").with(axis), message));
        }
    }
    Ok(PinRegion::Box(Bounds {
        min: region.min.into(),
        max: region.max.into(),
    }))
}

fn corner(corner: raw::Corner) -> Corner {
    match corner {
        raw::Corner::UMinVMin => Corner::UMinVMin,
        raw::Corner::UMaxVMin => Corner::UMaxVMin,
        raw::Corner::UMinVMax => Corner::UMinVMax,
        raw::Corner::UMaxVMax => Corner::UMaxVMax,
    }
}

fn border(border: raw::Border) -> Border {
    match border {
        raw::Border::UMin => Border::UMin,
        raw::Border::UMax => Border::UMax,
        raw::Border::VMin => Border::VMin,
        raw::Border::VMax => Border::VMax,
    }
}
