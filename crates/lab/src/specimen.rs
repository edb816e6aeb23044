//! Sheets to experiment on.

use glam::{DVec2, DVec3};
use std::sync::Arc;
use toile_geometry::QuadGrid;
use toile_sim::{
    BuildError, ClothSpec, Cut, Material, Model, ModelSpec, PinRegion, PinSpec, Sheet,
};

/// Standard gravity of the experiments, m/s².
pub const GRAVITY: f64 = 9.81;

/// A free horizontal sheet around the origin with square cells of `spacing_m`; u is x, v is −z.
pub fn sheet(columns: usize, rows: usize, spacing_m: f64, material: Material) -> ClothSpec {
    let sheet = Sheet {
        grid: QuadGrid {
            columns,
            rows,
            size_m: spacing_m * DVec2::new((columns - 1) as f64, (rows - 1) as f64),
        },
        center: DVec3::ZERO,
        u_axis: DVec3::X,
        v_axis: -DVec3::Z,
        curvature_per_m: 0.0,
    };
    ClothSpec::new("sheet", Cut::Sheet(sheet), material)
}

/// The rectangle of a specimen.
pub fn rectangle(cloth: &ClothSpec) -> &Sheet {
    cloth.sheet().expect("specimens are rectangles")
}

/// `cloth`, its pattern's axes along these directions.
pub fn turned(mut cloth: ClothSpec, u_axis: DVec3, v_axis: DVec3) -> ClothSpec {
    if let Some(sheet) = cloth.sheet_mut() {
        (sheet.u_axis, sheet.v_axis) = (u_axis, v_axis);
    }
    cloth
}

/// `cloth`, held for ever where its particles' columns and rows satisfy `held`.
pub fn held(mut cloth: ClothSpec, held: impl Fn(usize, usize) -> bool) -> ClothSpec {
    let grid = rectangle(&cloth).grid;
    let chosen = (0..grid.len()).filter(|i| {
        let (column, row) = grid.cell_of(*i);
        held(column, row)
    });
    let region = PinRegion::Indices(chosen.map(|i| i as u32).collect());
    cloth.pins.push(PinSpec::fixed(region));
    cloth
}

/// `cloth` by itself in still vacuum, with gravity along −y.
pub fn model(cloth: ClothSpec, gravity_m_per_s2: f64) -> Result<Arc<Model>, BuildError> {
    Model::build(&ModelSpec {
        gravity_m_per_s2: DVec3::new(0.0, -gravity_m_per_s2, 0.0),
        cloths: vec![cloth],
        ..ModelSpec::default()
    })
    .map(Arc::new)
}

/// The farthest any particle is from where it was, m.
pub fn farthest_move_m(before: &[DVec3], after: &[DVec3]) -> f64 {
    let moves = before.iter().zip(after).map(|(a, b)| a.distance(*b));
    moves.fold(0.0, f64::max)
}

/// A repeatable sequence of numbers between −1 and 1 that look random.
pub fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}
