//! One cloth: fabric, grid, place.

use super::range::{above_zero, within};
use super::{Checked, MAX_PARTICLES, material, pin, weight};
use crate::fabric::Library;
use crate::scene::error::Fault;
use crate::scene::{key, raw, wording};
use glam::{DQuat, DVec2, DVec3};
use toile_geometry::QuadGrid;
use toile_sim::{Bending, ClothModel, ClothSpec, Cut, HingeForm, Membrane, RestAngles, Sheet};

/// Validates one cloth and fills in its material.
pub(super) fn spec(
    path: &key::Path,
    cloth: &mut raw::Cloth,
    library: Library<'_>,
) -> Checked<ClothSpec> {
    let fabric = library.find(&cloth.fabric).ok_or_else(|| {
        let names = library.names();
        let message = format!("there is no fabric \"{}\"", cloth.fabric);
        let fault = Fault::new(path.with("fabric"), message);
        wording::suggest(fault, &cloth.fabric, &names, "fabrics")
    })?;
    let path_of_grid = path.with("grid");
    for i in 0..2 {
        above_zero(&path_of_grid.with("size_m").with(i), cloth.grid.size_m[i])?;
        let count = f64::from(cloth.grid.particles[i]);
        let limit = MAX_PARTICLES as f64;
        within(&path_of_grid.with("particles").with(i), count, 2.0..=limit)?;
    }
    let [columns, rows] = cloth.grid.particles.map(|n| n as usize);
    let grid = QuadGrid {
        columns,
        rows,
        size_m: DVec2::from(cloth.grid.size_m),
    };
    let (u_axis, v_axis) = axes(&cloth.grid);
    let cut = Cut::Sheet(Sheet {
        grid,
        center: cloth.grid.center.into(),
        u_axis,
        v_axis,
    });
    let material = material::resolve(&path.with("material"), &mut cloth.material, fabric)?;
    let pins = cloth
        .pin
        .iter_mut()
        .enumerate()
        .map(|(i, p)| pin::spec(&path.with("pin").with(i), p, &grid))
        .collect::<Checked<_>>()?;
    let weights = cloth
        .weight
        .iter()
        .enumerate()
        .map(|(i, w)| weight::spec(&path.with("weight").with(i), w, &grid))
        .collect::<Checked<_>>()?;
    Ok(ClothSpec {
        name: cloth.name.clone().unwrap_or_default(),
        cut,
        velocity_m_per_s: cloth.velocity_m_per_s.into(),
        model: model(path, cloth)?,
        material,
        maps: Vec::new(),
        rest_angles: match cloth.rest_angles {
            raw::RestAngles::Flat => RestAngles::Flat,
            raw::RestAngles::Start => RestAngles::Start,
        },
        pins,
        weights,
    })
}

/// The energies by name, with membrane or bending exchanged where asked for.
fn model(path: &key::Path, cloth: &raw::Cloth) -> Checked<ClothModel> {
    let named = match cloth.model {
        raw::Model::QuadBuckling => ClothModel::QuadBuckling,
        raw::Model::QuadHookean => ClothModel::QuadHookean,
        raw::Model::TriangleBuckling => ClothModel::TRIANGLE_BUCKLING,
        raw::Model::BaraffWitkin => ClothModel::BARAFF_WITKIN,
    };
    let membrane = cloth.membrane.map(|membrane| match membrane {
        raw::Membrane::Tension => Membrane::Tension,
        raw::Membrane::BaraffWitkin => Membrane::BaraffWitkin,
    });
    let bending = cloth.bending.map(|bending| match bending {
        raw::Bending::None => Bending::Limp,
        raw::Bending::Buckling => Bending::Pairs,
        raw::Bending::Hinge => Bending::Hinges(HingeForm::Sine),
        raw::Bending::DiscreteShell => Bending::Hinges(HingeForm::Quadratic),
    });
    match named {
        ClothModel::Triangles(own_membrane, own_bending) => Ok(ClothModel::Triangles(
            membrane.unwrap_or(own_membrane),
            bending.unwrap_or(own_bending),
        )),
        _ => {
            let key = match (membrane, bending) {
                (Some(_), _) => "membrane",
                (_, Some(_)) => "bending",
                (None, None) => return Ok(named),
            };
            let message = "only triangles have a membrane and a bending law of their own: expected \
                           `model = \"triangle-buckling\"` or \"baraff-witkin\" with it";
            Err(Fault::new(path.with(key), message))
        }
    }
}

/// World directions of u and v.
fn axes(grid: &raw::Grid) -> (DVec3, DVec3) {
    let v_axis = match grid.plane {
        raw::Plane::Horizontal => DVec3::NEG_Z,
        raw::Plane::Vertical => DVec3::Y,
    };
    let [x, y, z] = grid.rotation_deg.map(f64::to_radians);
    let rotation =
        DQuat::from_rotation_z(z) * DQuat::from_rotation_y(y) * DQuat::from_rotation_x(x);
    (rotation * DVec3::X, rotation * v_axis)
}
