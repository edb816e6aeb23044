//! The standard scenes of cloth that meets cloth, each at any resolution.

use crate::bench;
use crate::specimen::{self, GRAVITY};
use glam::{DQuat, DVec2, DVec3};
use std::f64::consts::PI;
use std::sync::Arc;
use toile_geometry::{Flat, Surface, Tiling, TriMesh};
use toile_sim::colliders::Shape;
use toile_sim::{
    ClothContact, ClothModel, ClothSpec, ColliderSpec, Cut, Material, ModelSpec, StepConfig,
};

/// A scene and how it is stepped.
#[derive(Clone)]
pub struct Scene {
    /// What it is.
    pub name: &'static str,
    /// How fine it is.
    pub size: String,
    /// What it is made of.
    pub model: ModelSpec,
    /// How a step is solved.
    pub config: StepConfig,
    /// Length of the steps, s.
    pub step_s: f64,
    /// Simulated time, s.
    pub duration_s: f64,
    /// What is asked of it.
    pub judged: Judged,
}

/// What is asked of a scene besides that nothing passes through anything.
#[derive(Clone, Copy)]
pub struct Judged {
    /// That contact adds no energy.
    pub energy: bool,
    /// That the guard has next to nothing to do.
    pub guard: bool,
    /// That cloth does meet cloth.
    pub contacts: bool,
}

impl Judged {
    /// All of it: small scenes with gentle contact.
    pub const GENTLE: Self = Self {
        energy: true,
        guard: true,
        contacts: true,
    };
    /// The same where cloth need not meet cloth.
    pub const ALONE: Self = Self {
        contacts: false,
        ..Self::GENTLE
    };
    /// Where only the cloth moves by itself.
    pub const STILL: Self = Self {
        guard: false,
        ..Self::GENTLE
    };
    /// Where something else moves.
    pub const LED: Self = Self {
        energy: false,
        ..Self::STILL
    };
}

/// All of them, at two resolutions each.
pub fn all() -> Vec<Scene> {
    let mut scenes = Vec::new();
    for side in [26, 51] {
        scenes.extend(standard("drape-self", side, 1.0 / 120.0, 1.0));
        for (step_s, duration_s) in [(0.2, 4.0), (1.0 / 60.0, 1.0), (1.0 / 120.0, 1.0)] {
            scenes.extend(standard("tablecloth", side, step_s, duration_s));
        }
    }
    for side in [9, 17] {
        scenes.push(stack(side));
        scenes.push(impact(side));
    }
    for side in [13, 25] {
        scenes.push(folded(side));
    }
    scenes
}

/// A scene of the benches.
pub fn standard(name: &'static str, side: usize, step_s: f64, duration_s: f64) -> Option<Scene> {
    let bench = bench::scene(name, side, ClothModel::QuadBuckling)?;
    Some(Scene {
        name,
        size: format!("{side}²"),
        model: bench.model,
        config: bench.config,
        step_s,
        duration_s,
        // A tablecloth's corners need not touch; everything else is there to.
        judged: if name == "tablecloth" {
            Judged::ALONE
        } else {
            Judged::GENTLE
        },
    })
}

fn scene(name: &'static str, side: usize, cloths: Vec<ClothSpec>, floor: bool) -> Scene {
    let plane = Shape::Plane {
        normal: DVec3::Y,
        offset_m: 0.0,
    };
    let gravity = if floor { GRAVITY } else { 0.0 };
    Scene {
        name,
        size: format!("{side}²"),
        model: ModelSpec {
            gravity_m_per_s2: DVec3::new(0.0, -gravity, 0.0),
            cloths,
            colliders: Vec::from_iter(floor.then(|| ColliderSpec::new(plane, 0.3))),
            ..ModelSpec::default()
        },
        config: StepConfig {
            contact: Some(ClothContact::default()),
            ..StepConfig::default()
        },
        step_s: 1.0 / 120.0,
        duration_s: 1.0,
        judged: Judged::GENTLE,
    }
}

/// A free sheet with sides of 0.24 m around a place, turned about the vertical.
fn square(side: usize, center: DVec3, turned_rad: f64) -> ClothSpec {
    let spacing_m = 0.24 / (side - 1) as f64;
    let turn = DQuat::from_rotation_y(turned_rad);
    let cloth = specimen::sheet(side, side, spacing_m, Material::default());
    let mut cloth = specimen::turned(cloth, turn * DVec3::X, turn * DVec3::NEG_Z);
    if let Some(sheet) = cloth.sheet_mut() {
        sheet.center = center;
    }
    cloth
}

/// Four sheets fall on a floor and on each other, no two of them alike.
pub fn stack(side: usize) -> Scene {
    let sheets = (0..4).map(|k| {
        let k = f64::from(k);
        let center = DVec3::new(0.013 * k, 0.01 + 0.008 * k, -0.007 * k);
        square(side, center, 0.4 * k)
    });
    scene("stack of four", side, sheets.collect(), true)
}

/// Two free sheets fly at each other at 4 m/s, one of them tilted.
pub fn impact(side: usize) -> Scene {
    let mut first = square(side, DVec3::ZERO, 0.0);
    first.velocity_m_per_s = DVec3::new(0.0, 2.0, 0.0);
    let mut second = square(side, DVec3::new(0.02, 0.06, 0.03), 0.5);
    second.velocity_m_per_s = DVec3::new(0.3, -2.0, 0.0);
    if let Some(sheet) = second.sheet_mut() {
        sheet.u_axis = DQuat::from_rotation_z(0.2) * DVec3::X;
        sheet.v_axis = DVec3::NEG_Z;
    }
    Scene {
        duration_s: 0.25,
        ..scene("impact of two", side, vec![first, second], false)
    }
}

/// A sheet that lies on the floor bent double, with a round fold, and closes under its weight.
fn folded(side: usize) -> Scene {
    let (size_m, radius_m) = (0.24, 0.012);
    let spacing_m = size_m / (side - 1) as f64;
    let flat = Flat::rectangle(DVec2::splat(size_m), spacing_m, Tiling::Alternating);
    let floor_m = 1.5 * Material::default().thickness_m;
    // Straight, half around the fold, and straight back.
    let bent = |p: &DVec2| {
        let along = p.x + 0.5 * PI * radius_m;
        let angle = (along / radius_m).clamp(0.0, PI);
        let beyond = along - angle * radius_m;
        let (sine, cosine) = angle.sin_cos();
        // Nothing lies exactly above anything else.
        let z = p.y + 0.01 * p.x;
        DVec3::new(
            radius_m * sine + beyond * cosine,
            floor_m + radius_m * (1.0 - cosine),
            z,
        )
    };
    let surface = Surface {
        rest: (flat.faces.iter())
            .map(|face| face.map(|corner| flat.points[corner as usize]))
            .collect(),
        mesh: TriMesh {
            positions: flat.points.iter().map(bent).collect(),
            faces: flat.faces,
        },
    };
    let mut cloth = ClothSpec::new("folded", Cut::Mesh(Arc::new(surface)), Material::default());
    cloth.model = ClothModel::BARAFF_WITKIN;
    scene("folded sheet", side, vec![cloth], true)
}

#[cfg(test)]
mod tests {
    use super::super::builtin;
    use super::*;
    use toile_geometry::self_intersections;
    use toile_sim::Model;

    #[test]
    fn all_scenes_start_clean() {
        for scene in all().into_iter().chain(builtin::all().unwrap()) {
            let model = Model::build(&scene.model).unwrap();
            let mesh = TriMesh {
                positions: model.start_positions.clone(),
                faces: model.mesh.faces.clone(),
            };
            let found = self_intersections(&mesh, 1).unwrap();
            assert!(found.is_clean(), "{} {}", scene.name, scene.size);
        }
    }
}
