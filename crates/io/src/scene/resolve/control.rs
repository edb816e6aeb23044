//! What keeps a step in check, from the file and back.

use super::range::{above_zero, within};
use super::{Checked, Fault, key, raw};
use toile_sim::strain_limit::{Order, PerDirection};
use toile_sim::{Adaptive, Control, StrainLimit};

/// The strain limit that `limit` asks for; `path` is its own.
pub fn strain_limit(path: &key::Path, limit: &raw::StrainLimit) -> Checked<StrainLimit> {
    for (key, value) in [
        ("max_extension", Some(limit.max_extension)),
        ("max_extension_warp", limit.max_extension_warp),
        ("max_extension_weft", limit.max_extension_weft),
        ("max_extension_shear", limit.max_extension_shear),
        ("max_rate_per_s", limit.max_rate_per_s),
        ("max_sweeps", Some(f64::from(limit.max_sweeps))),
    ] {
        above_zero(&path.with(key), value.unwrap_or(1.0))?;
    }
    for (key, value) in [
        ("max_compression", Some(limit.max_compression)),
        ("max_compression_warp", limit.max_compression_warp),
        ("max_compression_weft", limit.max_compression_weft),
    ] {
        within(&path.with(key), value.unwrap_or(0.0), 0.0..=1.0)?;
    }
    let (extension, compression) = (limit.max_extension, limit.max_compression);
    Ok(StrainLimit {
        max_extension: PerDirection {
            warp: limit.max_extension_warp.unwrap_or(extension),
            weft: limit.max_extension_weft.unwrap_or(extension),
            shear: limit.max_extension_shear.unwrap_or(extension),
        },
        max_compression: PerDirection {
            warp: limit.max_compression_warp.unwrap_or(compression),
            weft: limit.max_compression_weft.unwrap_or(compression),
            shear: 1.0,
        },
        max_rate_per_s: limit.max_rate_per_s.unwrap_or(f64::INFINITY),
        order: match limit.order {
            raw::Order::Sequential => Order::Sequential,
            raw::Order::Coloured => Order::Coloured,
        },
        max_sweeps: limit.max_sweeps,
    })
}

/// How a file asks for `limit`.
pub fn written_limit(limit: &StrainLimit) -> raw::StrainLimit {
    let (extension, compression) = (limit.max_extension, limit.max_compression);
    let other = |value: f64, usual: f64| (value != usual).then_some(value);
    raw::StrainLimit {
        max_extension: extension.warp,
        max_extension_warp: None,
        max_extension_weft: other(extension.weft, extension.warp),
        max_extension_shear: other(extension.shear, extension.warp),
        max_compression: compression.warp,
        max_compression_warp: None,
        max_compression_weft: other(compression.weft, compression.warp),
        max_rate_per_s: other(limit.max_rate_per_s, f64::INFINITY),
        order: match limit.order {
            Order::Sequential => raw::Order::Sequential,
            Order::Coloured => raw::Order::Coloured,
        },
        max_sweeps: limit.max_sweeps,
    }
}

/// How a file asks for `adaptive`.
pub fn written_adaptive(adaptive: &Adaptive) -> raw::Adaptive {
    raw::Adaptive {
        control: match adaptive.control {
            Control::Error => raw::Control::Error,
            Control::Strain => raw::Control::Strain,
        },
        tolerance: Some(adaptive.tolerance),
        min_step_s: Some(adaptive.min_step_s),
    }
}

/// Shortest step as a share of the longest, unless the scene says otherwise.
const MIN_STEP_SHARE: f64 = 1.0 / 1024.0;

/// The choice of steps that `adaptive` asks for; `path` is its own.
pub fn adaptive(path: &key::Path, adaptive: &raw::Adaptive, max_step_s: f64) -> Checked<Adaptive> {
    let (control, usual) = match adaptive.control {
        raw::Control::Error => (Control::Error, 0.01),
        raw::Control::Strain => (Control::Strain, 0.02),
    };
    let chosen = Adaptive {
        control,
        tolerance: adaptive.tolerance.unwrap_or(usual),
        min_step_s: adaptive.min_step_s.unwrap_or(MIN_STEP_SHARE * max_step_s),
    };
    above_zero(&path.with("tolerance"), chosen.tolerance)?;
    above_zero(&path.with("min_step_s"), chosen.min_step_s)?;
    if chosen.min_step_s > max_step_s {
        let message = format!(
            "expected at most `max_step_s`, {max_step_s} s, found {}",
            chosen.min_step_s
        );
        return Err(Fault::new(path.with("min_step_s"), message));
    }
    Ok(chosen)
}
