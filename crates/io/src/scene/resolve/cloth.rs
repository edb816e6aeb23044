//! One cloth: fabric, shape, energies.

use super::canvas::Canvas;
use super::named::{Marks, Named};
use super::{Checked, cut, fold, map, material, pin, stick, weight};
use crate::fabric::Library;
use crate::scene::error::Fault;
use crate::scene::{key, raw, wording};
use std::path::Path;
use toile_sim::{Bending, ClothModel, ClothSpec, HingeForm, Membrane};

/// Where names in a scene are looked for.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    /// Fabrics.
    pub library: Library<'a>,
    /// The folder of relative file names.
    pub folder: &'a Path,
}

/// A cloth with what else is known of it.
pub(super) struct Known {
    pub cloth: ClothSpec,
    /// How its triangles can be told from each other.
    pub marks: Marks,
    /// What a reader of the report should know.
    pub notes: Vec<String>,
}

/// Validates one cloth and fills in its material.
pub(super) fn spec(
    path: &key::Path,
    cloth: &mut raw::Cloth,
    context: Context<'_>,
) -> Checked<Known> {
    let library = context.library;
    let fabric = library.find(&cloth.fabric).ok_or_else(|| {
        let names = library.names();
        let message = format!("there is no fabric \"{}\"", cloth.fabric);
        let fault = Fault::new(path.with("fabric"), message);
        wording::suggest(fault, &cloth.fabric, &names, "fabrics")
    })?;
    let shape = cut::shape(path, cloth, context.folder)?;
    let material = material::resolve(&path.with("material"), &mut cloth.material, fabric)?;
    let pins = cloth
        .pin
        .iter_mut()
        .enumerate()
        .map(|(i, p)| pin::spec(&path.with("pin").with(i), p, &shape))
        .collect::<Checked<_>>()?;
    let sticks = cloth
        .stick
        .iter_mut()
        .enumerate()
        .map(|(i, s)| stick::spec(&path.with("stick").with(i), s, &shape, context.folder))
        .collect::<Checked<_>>()?;
    let attachments = cloth
        .attach
        .iter()
        .enumerate()
        .map(|(i, a)| stick::attachment(&path.with("attach").with(i), a, &shape))
        .collect::<Checked<_>>()?;
    let weights = cloth
        .weight
        .iter()
        .enumerate()
        .map(|(i, w)| weight::spec(&path.with("weight").with(i), w, shape.particles()))
        .collect::<Checked<_>>()?;
    let model = model(path, cloth)?;
    let surface = shape.surface();
    let maps = cloth
        .map
        .iter_mut()
        .enumerate()
        .map(|(i, m)| map::spec(&path.with("map").with(i), m, &shape, context.folder))
        .collect::<Checked<Vec<_>>>()?;
    if !maps.is_empty() && !matches!(model, ClothModel::Triangles(..)) {
        let message =
            "only triangles can differ from place to place: expected a model of triangles";
        return Err(Fault::new(path.with("map"), message));
    }
    let rest_angles = fold::rest_angles(path, cloth, model, &surface)?;
    let marks = Marks {
        canvas: Canvas::of_cloth(&shape),
        named: { shape.file }.map_or(Named::Nothing, |file| Named::Groups(file.groups)),
    };
    let cloth = ClothSpec {
        name: cloth.name.clone().unwrap_or_default(),
        cut: shape.cut,
        velocity_m_per_s: cloth.velocity_m_per_s.into(),
        model,
        material,
        measured: fabric.measured().map(|(law, _)| law),
        maps,
        rest_angles,
        pins,
        sticks,
        attachments,
        weights,
    };
    Ok(Known {
        cloth,
        marks,
        notes: shape.notes,
    })
}

/// The energies by name, with membrane or bending exchanged where asked for.
fn model(path: &key::Path, cloth: &mut raw::Cloth) -> Checked<ClothModel> {
    let default = match cloth.grid {
        Some(_) => raw::Model::QuadBuckling,
        None => raw::Model::TriangleBuckling,
    };
    let named = match *cloth.model.get_or_insert(default) {
        raw::Model::QuadBuckling => ClothModel::QuadBuckling,
        raw::Model::QuadHookean => ClothModel::QuadHookean,
        raw::Model::TriangleBuckling => ClothModel::TRIANGLE_BUCKLING,
        raw::Model::BaraffWitkin => ClothModel::BARAFF_WITKIN,
        raw::Model::Measured => ClothModel::MEASURED,
    };
    let membrane = cloth.membrane.map(|membrane| match membrane {
        raw::Membrane::Tension => Membrane::Tension,
        raw::Membrane::BaraffWitkin => Membrane::BaraffWitkin,
        raw::Membrane::Measured => Membrane::Measured,
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
