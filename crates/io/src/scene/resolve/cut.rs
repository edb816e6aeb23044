//! The shape of a cloth: a grid, a disc, or a mesh from a file; others are made in `generated`.

use super::range::{above_zero, within};
use super::{Checked, MAX_PARTICLES, generated};
use crate::scene::error::Fault;
use crate::scene::{key, raw};
use crate::surface::{self, SurfaceFile};
use glam::{DQuat, DVec2, DVec3};
use std::path::Path;
use std::sync::Arc;
use toile_geometry::flatten::{self, FlattenError, UvScale};
use toile_geometry::generate::Flat;
use toile_geometry::{QuadGrid, Surface, TriMesh};
use toile_sim::{Cut, Sheet};

/// A shape, and what its file says besides.
pub(super) struct Shape {
    pub cut: Cut,
    /// The mesh's file after repair.
    pub file: Option<SurfaceFile>,
    /// What a reader of the report should know.
    pub notes: Vec<String>,
}

impl Shape {
    /// One that comes from no file.
    pub fn plain(cut: Cut) -> Self {
        Self {
            cut,
            file: None,
            notes: Vec::new(),
        }
    }

    /// Number of particles.
    pub fn particles(&self) -> usize {
        match &self.cut {
            Cut::Sheet(sheet) => sheet.grid.len(),
            Cut::Mesh(surface) => surface.mesh.positions.len(),
        }
    }

    /// The faces, whatever the shape.
    pub fn surface(&self) -> Arc<Surface> {
        match &self.cut {
            Cut::Sheet(sheet) => Arc::new(sheet.surface()),
            Cut::Mesh(surface) => surface.clone(),
        }
    }
}

/// The shape that a cloth says it has; files are looked for in `folder`.
pub(super) fn shape(path: &key::Path, cloth: &mut raw::Cloth, folder: &Path) -> Checked<Shape> {
    let expected = "one of `grid`, `mesh`, `disc`, `tube`, `ribbon` and `lathe`";
    let raw::Cloth {
        grid,
        mesh,
        disc,
        tube,
        ribbon,
        lathe,
        ..
    } = cloth;
    match (grid, mesh, disc, tube, ribbon, lathe) {
        (Some(it), None, None, None, None, None) => sheet(&path.with("grid"), it),
        (None, Some(it), None, None, None, None) => from_file(&path.with("mesh"), it, folder),
        (None, None, Some(it), None, None, None) => round(&path.with("disc"), it),
        (None, None, None, Some(it), None, None) => generated::tube(&path.with("tube"), it),
        (None, None, None, None, Some(it), None) => generated::ribbon(&path.with("ribbon"), it),
        (None, None, None, None, None, Some(it)) => generated::lathe(&path.with("lathe"), it),
        (None, None, None, None, None, None) => Err(Fault::new(
            path.with("grid"),
            format!("missing key: expected {expected}"),
        )),
        _ => Err(Fault::new(
            path.clone(),
            format!("expected exactly {expected}, found several"),
        )),
    }
}

fn sheet(path: &key::Path, grid: &raw::Grid) -> Checked<Shape> {
    for i in 0..2 {
        above_zero(&path.with("size_m").with(i), grid.size_m[i])?;
        let count = f64::from(grid.particles[i]);
        let limit = MAX_PARTICLES as f64;
        within(&path.with("particles").with(i), count, 2.0..=limit)?;
    }
    let [columns, rows] = grid.particles.map(|n| n as usize);
    let v_axis = match grid.plane {
        raw::Plane::Horizontal => DVec3::NEG_Z,
        raw::Plane::Vertical => DVec3::Y,
    };
    let turn = turn(grid.rotation_deg);
    let rolled = grid.curvature_per_m.abs() * grid.size_m[0];
    within(
        &path.with("curvature_per_m"),
        rolled / grid.size_m[0],
        0.0..=std::f64::consts::TAU / grid.size_m[0],
    )?;
    Ok(Shape::plain(Cut::Sheet(Sheet {
        grid: QuadGrid {
            columns,
            rows,
            size_m: DVec2::from(grid.size_m),
        },
        center: grid.center.into(),
        u_axis: turn * DVec3::X,
        v_axis: turn * v_axis,
        curvature_per_m: grid.curvature_per_m,
    })))
}

pub(super) fn turn(rotation_deg: [f64; 3]) -> DQuat {
    let [x, y, z] = rotation_deg.map(f64::to_radians);
    DQuat::from_rotation_z(z) * DQuat::from_rotation_y(y) * DQuat::from_rotation_x(x)
}

fn round(path: &key::Path, disc: &raw::Disc) -> Checked<Shape> {
    above_zero(&path.with("radius_m"), disc.radius_m)?;
    above_zero(&path.with("spacing_m"), disc.spacing_m)?;
    let rings = (disc.radius_m / disc.spacing_m).round().max(1.0);
    // A disc of n rings has 3n(n + 1) + 1 particles.
    if 3.0 * rings * (rings + 1.0) > MAX_PARTICLES as f64 {
        let message = format!("makes {rings} rings, more than {MAX_PARTICLES} particles");
        return Err(Fault::new(path.with("spacing_m"), message));
    }
    let mut surface = Flat::disc(disc.radius_m, rings as usize).surface();
    for position in &mut surface.mesh.positions {
        *position += DVec3::from(disc.center);
    }
    Ok(Shape::plain(Cut::Mesh(Arc::new(surface))))
}

fn from_file(path: &key::Path, mesh: &mut raw::Mesh, folder: &Path) -> Checked<Shape> {
    for (key, value) in [
        ("metres_per_unit", mesh.metres_per_unit),
        ("weld_m", mesh.weld_m),
        ("uv_metres_per_unit", mesh.uv_metres_per_unit),
    ] {
        if let Some(value) = value {
            above_zero(&path.with(key), value)?;
        }
    }
    let warp = DVec3::from(mesh.warp);
    if warp.length_squared() == 0.0 {
        return Err(Fault::new(
            path.with("warp"),
            "expected a direction, found 0",
        ));
    }
    let name = folder.join(&mesh.file);
    let at_file = |message: String| Fault::new(path.with("file"), message);
    if !name.is_file() {
        return Err(at_file(format!("there is no file {}", name.display())));
    }
    let options = surface::Options {
        metres_per_unit: mesh.metres_per_unit,
        up: mesh.up,
        weld_m: mesh.weld_m,
    };
    let (mut file, repairs) =
        surface::load(&name, &options).map_err(|error| at_file(error.to_string()))?;
    if file.triangles.is_empty() {
        return Err(at_file(format!("{} holds no triangles", name.display())));
    }
    if file.positions.len() as u64 > MAX_PARTICLES {
        let count = file.positions.len();
        return Err(at_file(format!(
            "{count} vertices are too many, expected at most {MAX_PARTICLES}"
        )));
    }
    let turn = turn(mesh.rotation_deg);
    for position in &mut file.positions {
        *position = turn * *position + DVec3::from(mesh.offset_m);
    }
    // A scene that is written elsewhere must find it again.
    if let Ok(whole) = name.canonicalize() {
        mesh.file = whole.display().to_string();
    }
    let in_world = TriMesh {
        positions: file.positions.clone(),
        faces: file.triangles.clone(),
    };
    let mut notes = file.notes.clone();
    notes.extend(repairs.lines());
    let rest = rest(mesh, &file, &in_world, warp, &mut notes)
        .map_err(|error| at_file(error.renamed(&repairs.triangles).to_string()))?;
    Ok(Shape {
        cut: Cut::Mesh(Arc::new(Surface {
            mesh: in_world,
            rest,
        })),
        file: Some(file),
        notes: notes
            .iter()
            .map(|note| format!("{}: {note}", mesh.file))
            .collect(),
    })
}

/// Rest shapes of all faces, said plainly.
fn rest(
    mesh: &raw::Mesh,
    file: &SurfaceFile,
    in_world: &TriMesh,
    warp: DVec3,
    notes: &mut Vec<String>,
) -> Result<Vec<[DVec2; 3]>, FlattenError> {
    let scale = match mesh.uv_metres_per_unit {
        Some(unit) => UvScale::MetresPerUnit(unit),
        None => UvScale::EqualArea,
    };
    let shape = |notes: &mut Vec<String>, why: &str| {
        notes.push(format!(
            "rests in its own shape, every triangle as it is{why}"
        ));
        flatten::from_shape(in_world, warp)
    };
    let uvs = file.uvs.as_deref();
    match (mesh.rest, uvs) {
        (raw::Rest::Shape, _) => shape(notes, ""),
        (raw::Rest::Auto, None) => shape(notes, ": it has no texture coordinates"),
        (raw::Rest::Flatten, _) => {
            let (rest, charts) = flatten::flatten_charts(in_world, warp)?;
            notes.extend(charts.iter().map(ToString::to_string));
            Ok(rest)
        }
        (raw::Rest::Uv, None) => flatten::from_uvs(in_world, &[], scale).map(|(rest, _)| rest),
        (raw::Rest::Uv | raw::Rest::Auto, Some(uvs)) => {
            match flatten::from_uvs(in_world, uvs, scale) {
                Ok((rest, report)) => {
                    notes.push("cut from its texture coordinates".into());
                    notes.extend(report.lines());
                    Ok(rest)
                }
                Err(error) if mesh.rest == raw::Rest::Auto => {
                    let why = format!(": its texture coordinates are no pattern ({error})");
                    shape(notes, &why)
                }
                Err(error) => Err(error),
            }
        }
    }
}
