//! Rods in their smallest form: chains of springs that meet cloth and each other along their edges.

mod support;

use glam::DVec3;
use nalgebra::DMatrix;
use std::sync::Arc;
use support::*;
use toile_geometry::distance::Kind;
use toile_geometry::{TriMesh, ccd};
use toile_sim::{
    AirSpec, BodySpec, ClothContact, Material, Model, ModelSpec, RodSpec, Simulation, State,
    StepConfig,
};

/// A straight chain of links with its middle at `center`.
fn chain(center: DVec3, link: DVec3, links: u32) -> RodSpec {
    let first = center - 0.5 * f64::from(links) * link;
    let points = (0..=links).map(|k| first + f64::from(k) * link).collect();
    RodSpec::new("chain", points)
}

/// Whether any two features without a common vertex meet on their straight ways.
fn anything_passes(model: &Model, from: &[DVec3], to: &[DVec3]) -> bool {
    let edges = model.mesh.edges();
    let of = |x: &[DVec3], vertices: [u32; 4]| vertices.map(|v| x[v as usize]);
    let meets = |kind: Kind, vertices: [u32; 4]| {
        let (from, to) = (of(from, vertices), of(to, vertices));
        match kind {
            Kind::PointTriangle => ccd::point_triangle(&from, &to, 0.0),
            Kind::EdgeEdge => ccd::edge_edge(&from, &to, 0.0),
        }
        .is_some()
    };
    let pairs = edges.iter().enumerate().flat_map(|(k, a)| {
        let later = edges[k + 1..].iter().map(move |b| (a, b));
        later.filter(|(a, b)| !a.iter().any(|v| b.contains(v)))
    });
    let points = (0..from.len() as u32).flat_map(|v| model.mesh.faces.iter().map(move |f| (v, f)));
    pairs
        .into_iter()
        .any(|(a, b)| meets(Kind::EdgeEdge, [a[0], a[1], b[0], b[1]]))
        || points
            .filter(|(v, face)| !face.contains(v))
            .any(|(v, [a, b, c])| meets(Kind::PointTriangle, [v, *a, *b, *c]))
}

/// Steps with contact, none of which lets anything pass through anything.
fn run(model: &Arc<Model>, threads: usize, steps: usize) -> State {
    let config = StepConfig {
        contact: Some(ClothContact { friction: 0.4 }),
        ..StepConfig::default()
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build().unwrap().install(|| {
        let mut simulation = Simulation::new(model.clone(), config);
        for step in 0..steps {
            let before = simulation.state().positions.clone();
            simulation.step(1.0 / 240.0).unwrap();
            let after = &simulation.state().positions;
            assert!(!anything_passes(model, &before, after), "step {step}");
        }
        simulation.state().clone()
    })
}

fn fastest(state: &State) -> f64 {
    state
        .velocities
        .iter()
        .map(|v| v.length())
        .fold(0.0, f64::max)
}

/// A sheet that is held everywhere, of squares much longer than a chain is thick, and chains above it, in air
/// that brings what hangs down to rest.
fn over_a_sheet(side: usize, rods: Vec<RodSpec>) -> Arc<Model> {
    let cloth = sheet(side, side, 0.1, Material::default());
    build(&ModelSpec {
        gravity_m_per_s2: DVec3::new(0.0, -G, 0.0),
        cloths: vec![pinned(cloth, 0..(side * side) as u32)],
        rods,
        air: AirSpec {
            damping_per_s: 4.0,
            ..AirSpec::default()
        },
        ..ModelSpec::default()
    })
}

#[test]
fn force_and_matrix_are_derivatives_of_the_energy() {
    let mut rod = chain(DVec3::ZERO, 0.1 * DVec3::X, 3);
    rod.is_closed = true;
    let model = build(&ModelSpec {
        rods: vec![rod],
        ..ModelSpec::default()
    });
    let still = vec![DVec3::ZERO; 4];
    // Where every spring is taut, the matrix is exact.
    let shifts = random_vectors(4, 0.03, 5);
    let x: Vec<DVec3> = (model.start_positions.iter().zip(shifts))
        .map(|(x, shift)| 1.8 * (*x + shift))
        .collect();
    let slope = differences(&x, 1e-5, |x| vec![energy(&model, x)]);
    let force = DMatrix::from_row_slice(1, 12, &flat(&forces(&model, &x, &still)));
    assert!((-force - &slope).amax() < 1e-8 * slope.amax());
    let by_place = differences(&x, 1e-5, |x| flat(&forces(&model, x, &still)));
    let by_speed = differences(&still, 1e-3, |v| flat(&forces(&model, &x, v)));
    let error = (stiffness(&model, &x, &still) + by_place + by_speed).amax();
    assert!(error < 1e-6 * slope.amax(), "{error}");
    // And nowhere is it indefinite.
    let pressed: Vec<DVec3> = x.iter().map(|x| 0.4 * *x).collect();
    let matrix = stiffness(&model, &pressed, &still);
    assert!(matrix.clone().symmetric_eigenvalues().min() > -1e-9 * matrix.amax());
}

/// The middle link is longer than the sheet, so that no vertex is over a face of another.
#[test]
fn a_chain_rests_on_a_sheet_along_an_edge() {
    let rod = chain(DVec3::new(0.0, 0.03, 0.013), 0.15 * DVec3::X, 3);
    let radius_m = rod.radius_m;
    let model = over_a_sheet(2, vec![rod]);
    let end = run(&model, 1, 720);
    assert!(fastest(&end) < 0.02, "{} m/s", fastest(&end));
    let kept_m = radius_m + 0.5 * Material::default().thickness_m;
    for on_it in [5, 6] {
        let height_m = end.positions[on_it].y;
        let is_on_it = (0.5 * kept_m..1.5 * kept_m).contains(&height_m);
        assert!(is_on_it, "{height_m} of {kept_m} m");
    }
    // Its ends hang down beside the sheet.
    assert!(end.positions[4].y < -0.1 && end.positions[7].y < -0.1);
    assert!(!end.touches.is_empty());
    let kinds = end.touches.iter().map(|touch| touch.pair.kind);
    assert!(kinds.clone().all(|kind| kind == Kind::EdgeEdge));
}

/// What the other tests say of contact would go unnoticed without it.
#[test]
fn without_contact_it_falls_through() {
    let rod = chain(DVec3::new(0.0, 0.03, 0.013), 0.15 * DVec3::X, 3);
    let model = over_a_sheet(2, vec![rod]);
    let mut simulation = Simulation::new(model.clone(), StepConfig::default());
    let passes = (0..60).any(|_| {
        let before = simulation.state().positions.clone();
        simulation.step(1.0 / 240.0).unwrap();
        anything_passes(&model, &before, &simulation.state().positions)
    });
    assert!(passes);
}

/// The same on a body of two triangles.
#[test]
fn a_chain_rests_on_a_body_along_an_edge() {
    let corner = |x: f64, z: f64| 0.05 * DVec3::new(x, 0.0, z);
    let square = TriMesh {
        positions: [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)]
            .map(|(x, z)| corner(x, z))
            .to_vec(),
        faces: vec![[0, 2, 3], [0, 3, 1]],
    };
    let model = build(&ModelSpec {
        gravity_m_per_s2: DVec3::new(0.0, -G, 0.0),
        rods: vec![chain(DVec3::new(0.0, 0.03, 0.013), 0.15 * DVec3::X, 3)],
        bodies: vec![BodySpec::new("square", square, 0.4)],
        air: AirSpec {
            damping_per_s: 4.0,
            ..AirSpec::default()
        },
        ..ModelSpec::default()
    });
    let end = run(&model, 1, 720);
    assert!(fastest(&end) < 0.02, "{} m/s", fastest(&end));
    let kept_m = 0.5 * model.deformables[0].thickness_m;
    for on_it in [1, 2] {
        let height_m = end.positions[on_it].y;
        let is_on_it = (0.5 * kept_m..1.5 * kept_m).contains(&height_m);
        assert!(is_on_it, "{height_m} of {kept_m} m");
    }
    assert!(!end.touches.is_empty());
}

#[test]
fn a_chain_of_short_links_rests_on_a_coarse_sheet() {
    let along = 0.03 * DVec3::new(1.0, 0.0, 0.3).normalize();
    let rod = chain(DVec3::new(0.007, 0.03, 0.021), along, 12);
    let model = over_a_sheet(5, vec![rod]);
    let end = run(&model, 1, 480);
    assert!(fastest(&end) < 0.02, "{} m/s", fastest(&end));
    let lowest_m = end.positions[25..]
        .iter()
        .map(|x| x.y)
        .fold(f64::MAX, f64::min);
    assert!(lowest_m > 0.0, "{lowest_m}");
    let of = |kind: Kind| end.touches.iter().filter(|t| t.pair.kind == kind).count();
    assert!(of(Kind::EdgeEdge) > 0 && of(Kind::PointTriangle) > 0);
}

/// Two chains across each other, the lower held at its ends: link on link, or joint on joint.
fn crossing(shift_m: f64) -> Arc<Model> {
    let mut below = chain(DVec3::new(shift_m, 0.0, 0.0), 0.1 * DVec3::X, 4);
    below.pins = vec![toile_sim::PinSpec::fixed(toile_sim::PinRegion::Indices(
        vec![0, 4],
    ))];
    let above = chain(DVec3::new(0.0, 0.03, shift_m), 0.08 * DVec3::Z, 4);
    build(&ModelSpec {
        gravity_m_per_s2: DVec3::new(0.0, -G, 0.0),
        rods: vec![below, above],
        ..ModelSpec::default()
    })
}

#[test]
fn chains_that_cross_do_not_pass_through_each_other() {
    for shift_m in [0.0, 0.03] {
        let end = run(&crossing(shift_m), 1, 120);
        assert!(!end.touches.is_empty(), "{shift_m}");
        // The upper one lies across the lower, which sags, and its ends hang down.
        let middle = |points: &[DVec3]| points[2].y;
        let (below, above) = end.positions.split_at(5);
        assert!(
            middle(above) > middle(below) - 0.02,
            "{shift_m}: {:?}",
            end.positions
        );
    }
}

#[test]
fn chains_do_not_depend_on_the_number_of_threads() {
    let rod = chain(DVec3::new(0.0, 0.02, 0.013), 0.15 * DVec3::X, 3);
    for model in [over_a_sheet(2, vec![rod]), crossing(0.03)] {
        let [one, two] = [1, 2].map(|threads| run(&model, threads, 60));
        assert_eq!(bits(&one.positions), bits(&two.positions));
        assert_eq!(bits(&one.velocities), bits(&two.velocities));
    }
}
