//! Sheets to test with, and the model's forces and matrices written out in full.

// Every test binary uses its own part of this.
#![allow(dead_code)]

pub mod lattice;

use glam::{DVec2, DVec3};
use nalgebra::DMatrix;
use std::sync::Arc;
use toile_geometry::QuadGrid;
use toile_numerics::integrate::{System, Weights};
use toile_sim::config::Preconditioner;
use toile_sim::constraints::StepConstraints;
use toile_sim::integrators::Newmark;
use toile_sim::model::Materials;
use toile_sim::solve::{ClothSystem, Workspace};
use toile_sim::{
    ClothSpec, ColliderSpec, Cut, Integrator, Jacobian, Material, Model, ModelSpec, PinRegion,
    PinSpec, Sheet, Simulation, Solve, StepConfig,
};

/// Standard gravity of the tests, m/s².
pub const G: f64 = 9.81;

/// A free horizontal sheet around the origin with square cells of `spacing_m`.
pub fn sheet(columns: usize, rows: usize, spacing_m: f64, material: Material) -> ClothSpec {
    sheet_of_cells(columns, rows, DVec2::splat(spacing_m), material)
}

/// The same with cells of any shape. u is x, v is z.
pub fn sheet_of_cells(
    columns: usize,
    rows: usize,
    spacing_m: DVec2,
    material: Material,
) -> ClothSpec {
    let sheet = Sheet {
        grid: QuadGrid {
            columns,
            rows,
            size_m: spacing_m * DVec2::new((columns - 1) as f64, (rows - 1) as f64),
        },
        center: DVec3::ZERO,
        u_axis: DVec3::X,
        v_axis: DVec3::Z,
        curvature_per_m: 0.0,
    };
    ClothSpec::new("sheet", Cut::Sheet(sheet), material)
}

/// The rectangle of a cloth that is one.
pub fn rectangle(cloth: &mut ClothSpec) -> &mut Sheet {
    cloth.sheet_mut().expect("a rectangular cloth")
}

/// `cloth`, held at `indices`.
pub fn pinned(mut cloth: ClothSpec, indices: impl IntoIterator<Item = u32>) -> ClothSpec {
    let region = PinRegion::Indices(indices.into_iter().collect());
    cloth.pins.push(PinSpec::fixed(region));
    cloth
}

pub fn spec(cloth: ClothSpec, gravity: DVec3, colliders: Vec<ColliderSpec>) -> ModelSpec {
    ModelSpec {
        gravity_m_per_s2: gravity,
        cloths: vec![cloth],
        colliders,
        ..ModelSpec::default()
    }
}

/// A model without gravity or colliders.
pub fn weightless(cloth: ClothSpec) -> Arc<Model> {
    build(&spec(cloth, DVec3::ZERO, Vec::new()))
}

pub fn build(spec: &ModelSpec) -> Arc<Model> {
    Arc::new(Model::build(spec).unwrap())
}

/// A simulation solved tightly enough that only the scheme's own error is left.
pub fn simulation(model: Arc<Model>, integrator: Integrator, solve: Solve) -> Simulation {
    let config = StepConfig {
        integrator,
        solve,
        preconditioner: Preconditioner::BlockDiagonal,
        linear_tolerance: 1e-12,
        linear_max_iterations: 5000,
        ..StepConfig::default()
    };
    Simulation::new(model, config)
}

/// Every integrator there is.
pub fn integrators() -> [Integrator; 11] {
    [
        Integrator::BackwardEuler,
        Integrator::Bdf2,
        Integrator::Trapezoidal,
        Integrator::AVERAGE_ACCELERATION,
        Integrator::Newmark(Newmark::new(0.3025, 0.6).unwrap()),
        Integrator::SymplecticEuler,
        Integrator::CentralDifference,
        Integrator::Rk4,
        Integrator::LeapfrogTrapezoid,
        Integrator::CentralNewmark,
        Integrator::ImprovedVariableStep,
    ]
}

/// The longest step that every integrator can take from a state, s.
pub fn common_limit_s(model: &Model, x: &[DVec3]) -> f64 {
    let still = vec![DVec3::ZERO; x.len()];
    let rates = with_system(model, |system| {
        system.rates(bytemuck::cast_slice(x), bytemuck::cast_slice(&still))
    });
    let limits = integrators().map(|integrator| integrator.longest_step_s(&rates));
    limits.into_iter().fold(f64::INFINITY, f64::min)
}

pub fn with_system<R>(model: &Model, f: impl FnOnce(&mut ClothSystem<'_>) -> R) -> R {
    with_system_made_of(model, &model.materials, f)
}

/// The same, made of what it is made of at another time than the start.
pub fn with_system_made_of<R>(
    model: &Model,
    materials: &Materials,
    f: impl FnOnce(&mut ClothSystem<'_>) -> R,
) -> R {
    let config = StepConfig {
        preconditioner: Preconditioner::BlockDiagonal,
        ..StepConfig::default()
    };
    let mut work = Workspace::new(model, &config);
    let holds = StepConstraints::default();
    f(&mut ClothSystem::new(model, &config, &holds, &mut work).made_of(materials))
}

/// Force on every particle.
pub fn forces(model: &Model, x: &[DVec3], v: &[DVec3]) -> Vec<DVec3> {
    forces_made_of(model, &model.materials, x, v)
}

/// The same, made of what it is made of at another time than the start.
pub fn forces_made_of(
    model: &Model,
    materials: &Materials,
    x: &[DVec3],
    v: &[DVec3],
) -> Vec<DVec3> {
    let mut out = vec![DVec3::ZERO; x.len()];
    with_system_made_of(model, materials, |system| {
        system.force(
            bytemuck::cast_slice(x),
            bytemuck::cast_slice(v),
            bytemuck::cast_slice_mut(&mut out),
        );
    });
    out
}

/// The solver's matrix `A = M − α D − α² K` at a state.
pub fn matrix(model: &Model, x: &[DVec3], v: &[DVec3], alpha_s: f64) -> DMatrix<f64> {
    let n = 3 * x.len();
    let rows = with_system(model, |system| {
        system
            .assembled_matrix(x, v, &Weights::uniform(alpha_s))
            .to_dense()
    });
    DMatrix::from_fn(n, n, |i, j| rows[i][j])
}

/// Diagonal matrix of the coordinates' masses.
pub fn mass_matrix(model: &Model) -> DMatrix<f64> {
    DMatrix::from_diagonal(&nalgebra::DVector::from_column_slice(
        &model.coordinate_masses,
    ))
}

/// The matrix's part `−D − K`: take an undamped model for `−K`.
pub fn stiffness(model: &Model, x: &[DVec3], v: &[DVec3]) -> DMatrix<f64> {
    matrix(model, x, v, 1.0) - mass_matrix(model)
}

/// Elastic energy, J.
pub fn energy(model: &Model, x: &[DVec3]) -> f64 {
    model
        .materials
        .families()
        .map(|family| family.energy(x, &[]))
        .sum()
}

/// Derivative of `f` by every coordinate of `x`, column after column, by central differences of
/// fourth order.
pub fn differences(
    x: &[DVec3],
    step: f64,
    mut f: impl FnMut(&[DVec3]) -> Vec<f64>,
) -> DMatrix<f64> {
    let mut moved = x.to_vec();
    let mut columns = Vec::new();
    for k in 0..3 * x.len() {
        let mut at = |shift: f64| {
            moved[k / 3][k % 3] = x[k / 3][k % 3] + shift;
            let value = f(&moved);
            moved[k / 3][k % 3] = x[k / 3][k % 3];
            value
        };
        let [far_low, low, high, far_high] = [-2.0, -1.0, 1.0, 2.0].map(|s| at(s * step));
        let column = (0..low.len())
            .map(|i| (8.0 * (high[i] - low[i]) - (far_high[i] - far_low[i])) / (12.0 * step));
        columns.push(nalgebra::DVector::from_iterator(low.len(), column));
    }
    DMatrix::from_columns(&columns)
}

/// One flat list of all coordinates.
pub fn flat(vectors: &[DVec3]) -> Vec<f64> {
    bytemuck::cast_slice(vectors).to_vec()
}

/// Bits of a list of vectors, for exact comparison.
pub fn bits(vectors: &[DVec3]) -> Vec<u64> {
    flat(vectors).iter().map(|c| c.to_bits()).collect()
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

/// Random vectors with coordinates between −`size` and `size`.
pub fn random_vectors(count: usize, size: f64, seed: u64) -> Vec<DVec3> {
    let mut next = noise(seed);
    (0..count)
        .map(|_| size * DVec3::new(next(), next(), next()))
        .collect()
}

/// Material of links alone, all of them in the matrix as `jacobian` says.
pub fn undamped(jacobian: Jacobian) -> Material {
    Material {
        damping_n_s_per_m: 0.0,
        slack_factor: 0.0,
        jacobian,
        ..Material::default()
    }
}

/// Places of 4 × 4 particles, crumpled and compressed: every kind of link at work.
pub fn crumpled(spacing_m: f64, seed: u64) -> Vec<DVec3> {
    let rest = weightless(sheet(4, 4, spacing_m, Material::default()));
    let shifts = random_vectors(16, 0.3 * spacing_m, seed);
    let rest = rest.start_positions.iter();
    rest.zip(shifts).map(|(x, s)| 0.9 * *x + s).collect()
}
