//! A fabric with single values replaced.

use super::Checked;
use super::range::{above_zero, not_negative, within};
use crate::fabric::Fabric;
use crate::scene::error::Fault;
use crate::scene::{key, raw};
use toile_sim::{Compression, CurveShape, DampingKind, Evaluation, Jacobian, Material};

/// Fills `given` with what the fabric says and checks the whole.
pub(super) fn resolve(
    path: &key::Path,
    given: &mut raw::Material,
    fabric: &Fabric,
) -> Checked<Material> {
    let base = fabric.material();
    let fill = |value: &mut Option<f64>, default: f64| *value.get_or_insert(default);
    let compression = compression(path, given, base.compression)?;
    // A rigidity given for warp alone means the same for weft, whatever the fabric's ratio.
    let weft_stretch = given.stretch_n_per_m.unwrap_or(base.stretch_weft_n_per_m);
    let weft_bending = given.bending_n_m.unwrap_or(base.bending_weft_n_m);
    let material = Material {
        area_density_kg_per_m2: fill(
            &mut given.area_density_kg_per_m2,
            base.area_density_kg_per_m2,
        ),
        stretch_warp_n_per_m: fill(&mut given.stretch_n_per_m, base.stretch_warp_n_per_m),
        stretch_weft_n_per_m: fill(&mut given.stretch_weft_n_per_m, weft_stretch),
        shear_n_per_m: fill(&mut given.shear_n_per_m, base.shear_n_per_m),
        bending_warp_n_m: fill(&mut given.bending_n_m, base.bending_warp_n_m),
        bending_weft_n_m: fill(&mut given.bending_weft_n_m, weft_bending),
        compression,
        curve: match given.curve {
            raw::Curve::Arc => CurveShape::Arc,
            raw::Curve::Elastica => CurveShape::Elastica,
        },
        evaluation: match given.eval {
            raw::Evaluation::Newton => Evaluation::Newton,
            raw::Evaluation::Fit => Evaluation::Fit,
            raw::Evaluation::Table => Evaluation::Table,
        },
        damping_n_s_per_m: fill(&mut given.damping_n_s_per_m, base.damping_n_s_per_m),
        damping: match given.damping {
            raw::Damping::Axial => DampingKind::Axial,
            raw::Damping::Isotropic => DampingKind::Isotropic,
        },
        bending_damping_s: fill(&mut given.bending_damping_s, base.bending_damping_s),
        jacobian: match given.jacobian {
            raw::Jacobian::Exact => Jacobian::Exact,
            raw::Jacobian::DropOrthogonal => Jacobian::DropOrthogonal,
            raw::Jacobian::Projected => Jacobian::Projected,
        },
        slack_factor: fill(&mut given.slack_factor, base.slack_factor),
        thickness_m: fill(&mut given.thickness_m, base.thickness_m),
    };
    let m = &material;
    above_zero(
        &path.with("area_density_kg_per_m2"),
        m.area_density_kg_per_m2,
    )?;
    above_zero(&path.with("stretch_n_per_m"), m.stretch_warp_n_per_m)?;
    above_zero(&path.with("stretch_weft_n_per_m"), m.stretch_weft_n_per_m)?;
    for (key, value) in [
        ("shear_n_per_m", m.shear_n_per_m),
        ("bending_n_m", m.bending_warp_n_m),
        ("bending_weft_n_m", m.bending_weft_n_m),
        ("damping_n_s_per_m", m.damping_n_s_per_m),
        ("thickness_m", m.thickness_m),
    ] {
        not_negative(&path.with(key), value)?;
    }
    within(&path.with("slack_factor"), m.slack_factor, 0.0..=1.0)?;
    Ok(material)
}

fn compression(
    path: &key::Path,
    given: &mut raw::Material,
    default: Compression,
) -> Checked<Compression> {
    let stiffness_path = path.with("compression_n_per_m");
    match (given.curvature_threshold_per_m, given.compression_n_per_m) {
        (Some(_), Some(_)) => Err(Fault::new(
            stiffness_path,
            "expected either this or `curvature_threshold_per_m`, found both",
        )),
        (None, Some(stiffness)) => {
            above_zero(&stiffness_path, stiffness)?;
            Ok(Compression::Stiffness(stiffness))
        }
        (Some(threshold), None) => {
            not_negative(&path.with("curvature_threshold_per_m"), threshold)?;
            Ok(if threshold == 0.0 {
                Compression::Rigid
            } else {
                Compression::CurvatureThreshold(threshold)
            })
        }
        (None, None) => {
            match default {
                // Saying nothing leaves the choice to the grid.
                Compression::Limited(_) => {}
                Compression::CurvatureThreshold(k) => given.curvature_threshold_per_m = Some(k),
                Compression::Stiffness(k) => given.compression_n_per_m = Some(k),
                Compression::Rigid => given.curvature_threshold_per_m = Some(0.0),
            }
            Ok(default)
        }
    }
}
