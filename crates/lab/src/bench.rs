//! The standard scenes for measuring speed: one square metre of light, limp cloth.
//!
//! The sheet's stiffness is the same at every resolution, and such that the cloth stretches as
//! little as its users would accept: the 99th percentile of edge stretch at most 2 %, the largest
//! at most 5 %. A strain limit catches the few links that snap taut within a step.

use glam::{DVec2, DVec3};
use toile_geometry::{Bounds, QuadGrid};
use toile_sim::colliders::Shape;
use toile_sim::{
    ClothContact, ClothModel, ClothSpec, ColliderSpec, Compression, Corner, Cut, Material,
    ModelSpec, PinRegion, PinSpec, Sheet, Solve, StepConfig, StrainLimit,
};

/// Frames per second of all benches.
pub const FPS: f64 = 60.0;
/// Limit on the 99th percentile of edge stretch.
pub const STRETCH_P99_LIMIT: f64 = 0.02;
/// Limit on the largest edge stretch.
pub const STRETCH_MAX_LIMIT: f64 = 0.05;

/// A standard scene at some resolution.
pub struct BenchScene {
    /// Its name.
    pub name: &'static str,
    /// What it is made of.
    pub model: ModelSpec,
    /// How it is stepped.
    pub config: StepConfig,
    /// Longest step, s.
    pub max_step_s: f64,
}

/// Names of all benches.
pub const NAMES: [&str; 4] = ["hang", "drape", "drape-self", "tablecloth"];

/// Names of the models a bench can have, the default first.
pub const MODELS: [(&str, ClothModel); 4] = [
    ("quad-buckling", ClothModel::QuadBuckling),
    ("quad-hookean", ClothModel::QuadHookean),
    ("triangle-buckling", ClothModel::TRIANGLE_BUCKLING),
    ("baraff-witkin", ClothModel::BARAFF_WITKIN),
];

/// The bench `name` with `n × n` particles and this model.
pub fn scene(name: &str, n: usize, model: ClothModel) -> Option<BenchScene> {
    let mut scene = match name {
        "hang" => hang(n),
        "drape" => drape(n),
        "drape-self" => BenchScene {
            name: "drape-self",
            ..with_contact(drape(n))
        },
        "tablecloth" => with_contact(tablecloth(n)),
        _ => return None,
    };
    for cloth in &mut scene.model.cloths {
        cloth.model = model;
    }
    Some(scene)
}

/// Starts horizontal at a height of 1 m, pinned in a patch of 2 cm at two corners of one side.
fn hang(n: usize) -> BenchScene {
    let mut cloth = sheet(n, 1.0);
    cloth.pins.push(PinSpec::fixed(PinRegion::Corners {
        corners: vec![Corner::UMinVMax, Corner::UMaxVMax],
        patch_m: 0.02,
    }));
    bench("hang", cloth, Vec::new())
}

/// Starts horizontal 5 mm above a fixed sphere of radius 0.3 m, friction 0.3.
fn drape(n: usize) -> BenchScene {
    let radius_m = 0.3;
    let cloth = sheet(n, radius_m + 0.005);
    let sphere = ColliderSpec::new(
        Shape::Sphere {
            center: DVec3::ZERO,
            radius_m,
        },
        0.3,
    );
    bench("drape", cloth, vec![sphere])
}

/// The central half-square is held, the rim falls.
fn tablecloth(n: usize) -> BenchScene {
    let mut cloth = sheet(n, 0.75);
    let half = 0.25 + 1e-9;
    cloth.pins.push(PinSpec::fixed(PinRegion::Box(Bounds {
        min: DVec3::new(-half, 0.0, -half),
        max: DVec3::new(half, 1.0, half),
    })));
    bench("tablecloth", cloth, Vec::new())
}

/// The same, with cloth that meets itself.
fn with_contact(mut scene: BenchScene) -> BenchScene {
    scene.config.contact = Some(ClothContact::default());
    scene
}

fn bench(name: &'static str, cloth: ClothSpec, colliders: Vec<ColliderSpec>) -> BenchScene {
    BenchScene {
        name,
        model: ModelSpec {
            gravity_m_per_s2: DVec3::new(0.0, -9.81, 0.0),
            cloths: vec![cloth],
            colliders,
            ..ModelSpec::default()
        },
        // Two Newton solves at two steps a frame damp less than more steps of one solve, at
        // equal cost. Solving more exactly than to 4 % changes neither stretch nor swing.
        config: StepConfig {
            solve: Solve::Newton,
            newton_max_iterations: 2,
            linear_tolerance: 4e-2,
            strain_limit: Some(StrainLimit::extension(0.03, 8)),
            ..StepConfig::default()
        },
        max_step_s: 0.5 / FPS,
    }
}

fn sheet(n: usize, height_m: f64) -> ClothSpec {
    let (stretch, bending) = (6000.0_f64, 1e-5_f64);
    // Before it buckles, cloth is no stiffer in compression than in extension: where the default
    // curvature threshold asks for more, on fine grids, it is raised so that a bending link is as
    // stiff as the two stretch links it spans.
    let spacing_m = 1.0 / (n as f64 - 1.0);
    let as_stiff = (24.0 * bending / (2.25 * stretch)).sqrt() / spacing_m.powi(2);
    let threshold = as_stiff.max(1.7);
    let sheet = Sheet {
        grid: QuadGrid {
            columns: n,
            rows: n,
            size_m: DVec2::ONE,
        },
        center: DVec3::new(0.0, height_m, 0.0),
        u_axis: DVec3::X,
        v_axis: -DVec3::Z,
        curvature_per_m: 0.0,
    };
    ClothSpec::new(
        "cloth",
        Cut::Sheet(sheet),
        Material {
            area_density_kg_per_m2: 0.2,
            stretch_warp_n_per_m: stretch,
            stretch_weft_n_per_m: stretch,
            shear_n_per_m: 0.5 * stretch,
            bending_warp_n_m: bending,
            bending_weft_n_m: bending,
            compression: Compression::CurvatureThreshold(threshold),
            ..Material::default()
        },
    )
}
