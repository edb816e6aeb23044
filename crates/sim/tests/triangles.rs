//! Every model of triangles: forces against energies, matrices against forces, and what symmetry,
//! rigid motion and rest ask of them.

mod support;

use glam::{DMat2, DQuat, DVec2, DVec3};
use nalgebra::DMatrix;
use std::sync::Arc;
use support::*;
use toile_geometry::Surface;
use toile_sim::forces::measured::{Measured, Table};
use toile_sim::forces::tension::DIRECTIONS;
use toile_sim::{
    Bending, ClothModel, ClothSpec, Compression, Cut, HingeForm, Jacobian, Material, Membrane,
    Model, RestAngles,
};

const SPACING_M: f64 = 0.02;
const SHIFT_M: f64 = 1e-4 * SPACING_M;

/// Stretch, bending and pre-buckling stiffness of like size, so that none hides behind another.
fn material() -> Material {
    Material {
        stretch_warp_n_per_m: 200.0,
        stretch_weft_n_per_m: 150.0,
        shear_n_per_m: 60.0,
        bending_warp_n_m: 0.1,
        bending_weft_n_m: 0.04,
        compression: Compression::CurvatureThreshold(50.0),
        damping_n_s_per_m: 0.0,
        bending_damping_s: 0.0,
        slack_factor: 0.0,
        ..Material::default()
    }
}

/// Every membrane with every bending.
fn models() -> Vec<ClothModel> {
    let bendings = [
        Bending::Limp,
        Bending::Pairs,
        Bending::Hinges(HingeForm::Sine),
        Bending::Hinges(HingeForm::Quadratic),
    ];
    let membranes = [
        Membrane::Tension,
        Membrane::BaraffWitkin,
        Membrane::Measured,
    ];
    let all = membranes
        .into_iter()
        .flat_map(|membrane| bendings.map(|bending| ClothModel::Triangles(membrane, bending)));
    all.collect()
}

/// An irregular square of two panels, the second laid elsewhere and turned in the pattern.
fn surface() -> Surface {
    let sheet = *sheet(4, 4, SPACING_M, material()).sheet().unwrap();
    let mut surface = sheet.surface();
    let jitter = random_vectors(16, 0.2 * SPACING_M, 7);
    for (face, rest) in surface.mesh.faces.iter().zip(&mut surface.rest) {
        for (particle, place) in face.iter().zip(rest) {
            let j = jitter[*particle as usize];
            *place += DVec2::new(j.x, j.z);
        }
    }
    let other_panel = surface.rest.len() / 2;
    let turn = DMat2::from_angle(0.7);
    for place in surface.rest[other_panel..].iter_mut().flatten() {
        *place = turn * *place + DVec2::new(1.0, -2.0);
    }
    for (position, j) in surface.mesh.positions.iter_mut().zip(&jitter) {
        *position += DVec3::new(j.x, 0.0, j.z);
    }
    // The sheet looks down (u is x, v is z); triangles look where their pattern does.
    surface
}

fn cloth(model: ClothModel, material: Material) -> ClothSpec {
    ClothSpec {
        model,
        measured: Some(Measured::new(&TABLE).0),
        ..ClothSpec::new("cloth", Cut::Mesh(Arc::new(surface())), material)
    }
}

/// Stiffnesses that grow with strain and differ with direction, N/m.
const TABLE: Table = [
    [100.0, 10.0, 80.0, 30.0],
    [120.0, 12.0, 85.0, 32.0],
    [115.0, 14.0, 90.0, 36.0],
    [110.0, 15.0, 95.0, 38.0],
    [108.0, 14.0, 100.0, 36.0],
    [105.0, 12.0, 110.0, 32.0],
];

fn build(model: ClothModel, material: Material) -> Arc<Model> {
    weightless(cloth(model, material))
}

/// Stretched, compressed and crumpled, several ways, away from where a direction goes slack.
fn deformed(model: &Model) -> Vec<Vec<DVec3>> {
    let ways = [(1.08, 1.1, 0.1), (0.9, 1.05, 0.2), (0.85, 0.8, 0.3)];
    let crumple = |(u, v, crumpling): (f64, f64, f64)| {
        let rest = &model.start_positions;
        let tries = (0..1000).map(|seed| {
            let shifts = random_vectors(rest.len(), crumpling * SPACING_M, seed);
            let place = |(x, s): (&DVec3, &DVec3)| *x * DVec3::new(u, 1.0, v) + *s;
            rest.iter().zip(&shifts).map(place).collect()
        });
        let mut sound = tries.filter(|x: &Vec<DVec3>| is_away_from_kinks(model, x));
        sound.next().expect("a place away from every kink")
    };
    ways.into_iter().map(crumple).collect()
}

fn is_away_from_kinks(model: &Model, x: &[DVec3]) -> bool {
    model
        .mesh
        .faces
        .iter()
        .zip(&model.rest())
        .all(|(face, [a, b, c])| {
            let [p, q, r] = face.map(|particle| x[particle as usize]);
            let back = DMat2::from_cols(*b - *a, *c - *a).inverse();
            let image = |d: DVec2| {
                let d = back * d;
                d.x * (q - p) + d.y * (r - p)
            };
            let mut directions = DIRECTIONS.iter();
            directions.all(|d| (image(DVec2::from(*d)).length() - 1.0).abs() > 1e-3)
        })
}

fn assert_close(a: &DMatrix<f64>, b: &DMatrix<f64>, relative: f64, what: &str) {
    let scale = b.amax();
    assert!(scale > 1e-3, "{what}: nothing to compare");
    let error = (a - b).amax() / scale;
    assert!(error < relative, "{what}: relative error {error:e}");
}

fn still(x: &[DVec3]) -> Vec<DVec3> {
    vec![DVec3::ZERO; x.len()]
}

#[test]
fn forces_are_the_gradient_of_the_total_energy() {
    for kind in models() {
        let model = build(kind, material());
        for x in deformed(&model) {
            let slope = differences(&x, SHIFT_M, |x| vec![energy(&model, x)]);
            let force =
                DMatrix::from_row_slice(1, 3 * x.len(), &flat(&forces(&model, &x, &still(&x))));
            assert_close(&-force, &slope, 1e-7, &format!("{kind:?}"));
        }
    }
}

#[test]
fn the_exact_matrix_is_the_derivative_of_the_force_and_symmetric() {
    let exact = Material {
        jacobian: Jacobian::Exact,
        ..material()
    };
    for kind in models() {
        let model = build(kind, exact);
        for x in deformed(&model) {
            let matrix = stiffness(&model, &x, &still(&x));
            // The measured law bends sharply where directions blend.
            let shift = 0.2 * SHIFT_M;
            let measured = -differences(&x, shift, |x| flat(&forces(&model, x, &still(x))));
            assert_close(&matrix, &measured, 1e-6, &format!("{kind:?}"));
            assert_close(&matrix, &matrix.transpose(), 1e-14, &format!("{kind:?}"));
        }
    }
}

#[test]
fn the_kept_matrix_is_positive_semidefinite_and_the_exact_two_sided_one_is_not() {
    let mut worst_exact = 0.0_f64;
    for kind in models() {
        let model = build(kind, material());
        let exact = build(
            kind,
            Material {
                jacobian: Jacobian::Exact,
                ..material()
            },
        );
        for x in deformed(&model) {
            let kept = stiffness(&model, &x, &still(&x));
            let lowest = kept.clone().symmetric_eigenvalues().min() / kept.amax();
            assert!(lowest > -1e-12, "{kind:?}: {lowest:e}");
            let all = stiffness(&exact, &x, &still(&x));
            let lowest = all.clone().symmetric_eigenvalues().min() / all.amax();
            match kind {
                // Tension in all four directions or none: nothing is dropped, nothing indefinite.
                ClothModel::Triangles(Membrane::Tension, Bending::Limp) => {
                    assert!(lowest > -1e-12, "{lowest:e}");
                }
                ClothModel::Triangles(Membrane::BaraffWitkin, Bending::Limp) => {
                    worst_exact = worst_exact.min(lowest);
                }
                _ => {}
            }
        }
    }
    assert!(
        worst_exact < -0.01,
        "two-sided stretch is indefinite: {worst_exact:e}"
    );
}

#[test]
fn internal_forces_have_no_net_force_or_torque() {
    let damped = Material {
        damping_n_s_per_m: 0.3,
        bending_damping_s: 0.02,
        ..material()
    };
    for kind in models() {
        let model = build(kind, damped);
        for x in deformed(&model) {
            let v = random_vectors(x.len(), 1.0, 3);
            let f = forces(&model, &x, &v);
            let scale: f64 = f.iter().map(|f| f.length()).sum();
            let net: DVec3 = f.iter().sum();
            let torque: DVec3 = x.iter().zip(&f).map(|(x, f)| x.cross(*f)).sum();
            assert!(net.length() < 1e-13 * scale, "{kind:?}: {net}");
            assert!(torque.length() < 1e-14 * scale, "{kind:?}: {torque}");
        }
    }
}

#[test]
fn rigid_motion_changes_no_energy_and_turns_the_forces() {
    let turn = DQuat::from_euler(glam::EulerRot::XYZ, 0.4, -1.1, 2.0);
    let away = DVec3::new(0.3, -0.2, 0.5);
    for kind in models() {
        let model = build(kind, material());
        for x in deformed(&model) {
            let moved: Vec<DVec3> = x.iter().map(|x| turn * *x + away).collect();
            let (here, there) = (energy(&model, &x), energy(&model, &moved));
            assert!((here - there).abs() < 1e-11 * here, "{kind:?}");
            let turned: Vec<DVec3> = forces(&model, &x, &still(&x))
                .iter()
                .map(|f| turn * *f)
                .collect();
            let found = forces(&model, &moved, &still(&x));
            let scale = turned.iter().map(|f| f.length()).fold(0.0, f64::max);
            for (a, b) in turned.iter().zip(&found) {
                assert!(a.distance(*b) < 1e-10 * scale, "{kind:?}");
            }
        }
    }
}

#[test]
fn at_rest_there_is_no_force_across_a_seam_either() {
    for kind in models() {
        let model = build(kind, material());
        let x = &model.start_positions;
        let largest = forces(&model, x, &still(x))
            .iter()
            .map(|f| f.length())
            .fold(0.0, f64::max);
        // Rounding of positions times stiffness.
        assert!(largest < 1e-9, "{kind:?}: {largest:e} N");
        assert!(energy(&model, x).abs() < 1e-15, "{kind:?}");
    }
}

#[test]
fn dampers_enter_the_matrix_as_they_act_and_take_energy() {
    let damped = Material {
        stretch_warp_n_per_m: 1e-6,
        stretch_weft_n_per_m: 1e-6,
        shear_n_per_m: 0.0,
        damping_n_s_per_m: 0.3,
        bending_damping_s: 0.02,
        ..material()
    };
    for kind in models() {
        let model = build(kind, damped);
        for x in deformed(&model) {
            let v = random_vectors(x.len(), 1.0, 5);
            let elastic = forces(&model, &x, &still(&x));
            let all = forces(&model, &x, &v);
            let power: f64 = (0..x.len()).map(|i| (all[i] - elastic[i]).dot(v[i])).sum();
            assert!(power < 0.0, "{kind:?}: {power} W");
            let measured = -differences(&v, 1e-3, |v| flat(&forces(&model, &x, v)));
            let weights = toile_numerics::integrate::Weights {
                damping_s: 1.0,
                ..Default::default()
            };
            let rows = with_system(&model, |system| {
                system.assembled_matrix(&x, &v, &weights).to_dense()
            });
            let n = 3 * x.len();
            let matrix = DMatrix::from_fn(n, n, |i, j| rows[i][j]) - mass_matrix(&model);
            assert_close(&matrix, &measured, 1e-8, &format!("{kind:?}"));
        }
    }
}

/// With everything taut, the small-strain moduli of the four directions.
#[test]
fn tension_has_the_moduli_of_its_four_directions() {
    let limp = Material {
        stretch_warp_n_per_m: 100.0,
        stretch_weft_n_per_m: 100.0,
        shear_n_per_m: 30.0,
        ..material()
    };
    let model = build(
        ClothModel::Triangles(Membrane::Tension, Bending::Limp),
        limp,
    );
    let area: f64 = model
        .rest()
        .iter()
        .map(|[a, b, c]| 0.5 * (*b - *a).perp_dot(*c - *a))
        .sum();
    let k_d = 2.0 * limp.shear_n_per_m;
    let (c11, c12) = (100.0 + 0.5 * k_d, 0.5 * k_d);
    let (e_u, e_v) = (2e-4, 1e-4);
    // The panels lie turned in the pattern, but the moduli are the same in every frame turned by
    // a quarter; take the first panel alone.
    let rest = model.rest();
    let panel = rest.len() / 2;
    let mut density = 0.0;
    for corners in &rest[..panel] {
        let law = toile_sim::forces::tension::Tension {
            stiffness_n_per_m: [100.0, 100.0, k_d, k_d],
            viscosity_n_s_per_m: [0.0; 4],
            slack_factor: 0.0,
            jacobian: Jacobian::Exact,
        };
        let triangle = toile_sim::forces::triangle::Triangle::new(*corners, law);
        let x = corners.map(|p| DVec3::new(p.x * (1.0 + e_u), p.y * (1.0 + e_v), 0.0));
        use toile_sim::assembly::elements::Element;
        density += triangle.energy(x, &[]);
    }
    let panel_area: f64 = rest[..panel]
        .iter()
        .map(|[a, b, c]| 0.5 * (*b - *a).perp_dot(*c - *a))
        .sum();
    let expected = 0.5 * c11 * (e_u * e_u + e_v * e_v) + c12 * e_u * e_v;
    assert!((density / panel_area / expected - 1.0).abs() < 1e-3);
    assert!(area > panel_area);
}

#[test]
fn a_mesh_remembers_where_it_was_cut_from() {
    let model = build(ClothModel::TRIANGLE_BUCKLING, material());
    let mass: f64 = model.masses.iter().sum();
    let area: f64 = model
        .rest()
        .iter()
        .map(|[a, b, c]| 0.5 * (*b - *a).perp_dot(*c - *a))
        .sum();
    let density = material().area_density_kg_per_m2;
    assert!((mass - density * area).abs() < 1e-15);
    let shared = ClothSpec {
        rest_angles: RestAngles {
            painted: vec![([0, 15], 1.0.into())],
            ..RestAngles::default()
        },
        ..cloth(ClothModel::BARAFF_WITKIN, material())
    };
    let refused = Model::build(&spec(shared, DVec3::ZERO, Vec::new()))
        .err()
        .unwrap();
    assert!(
        refused.message.contains("from particle 0 to 15"),
        "{refused}"
    );
}

/// A vertex may have more neighbours than any tailor would give it.
#[test]
fn a_very_wide_fan_is_built_and_stepped() {
    const BLADES: u32 = 70_000;
    let rim = |k: u32| {
        let (sine, cosine) = (f64::from(k) / f64::from(BLADES) * std::f64::consts::PI).sin_cos();
        DVec2::new(cosine, sine)
    };
    let places: Vec<DVec2> = std::iter::once(DVec2::ZERO)
        .chain((0..=BLADES).map(rim))
        .collect();
    let faces: Vec<[u32; 3]> = (1..=BLADES).map(|k| [0, k, k + 1]).collect();
    let surface = Surface {
        rest: faces
            .iter()
            .map(|face| face.map(|v| places[v as usize]))
            .collect(),
        mesh: toile_geometry::TriMesh {
            positions: places.iter().map(|p| DVec3::new(p.x, 0.0, -p.y)).collect(),
            faces,
        },
    };
    let limp = ClothModel::Triangles(Membrane::Tension, Bending::Limp);
    let cloth = ClothSpec {
        model: limp,
        ..ClothSpec::new("fan", Cut::Mesh(Arc::new(surface)), Material::default())
    };
    let model = support::build(&spec(cloth, DVec3::new(0.0, -G, 0.0), Vec::new()));
    let mut simulation = toile_sim::Simulation::new(model, toile_sim::StepConfig::default());
    simulation.step(0.01).unwrap();
    assert!(simulation.state().positions.iter().all(|p| p.is_finite()));
}

#[test]
fn a_vertex_without_a_face_is_refused_by_name() {
    let mut lonely = surface();
    lonely.mesh.positions.push(DVec3::ONE);
    let cloth = ClothSpec::new("cloth", Cut::Mesh(Arc::new(lonely)), material());
    let refused = Model::build(&spec(cloth, DVec3::ZERO, Vec::new()))
        .err()
        .unwrap();
    assert!(
        refused.message.contains("particle 16 has no mass"),
        "{refused}"
    );
}
