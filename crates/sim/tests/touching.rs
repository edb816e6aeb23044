//! Contact of cloth with cloth: forces in the solve, friction, and what they conserve.

use glam::{DMat3, DQuat, DVec2, DVec3};
use std::sync::Arc;
use toile_geometry::distance::{Kind, between};
use toile_geometry::{QuadGrid, TriMesh, self_intersections};
use toile_sim::colliders::Shape;
use toile_sim::contact::{ContactStencil, Pair};
use toile_sim::{
    ClothContact, ClothSpec, ColliderSpec, Cut, Material, Model, ModelSpec, PinRegion, PinSpec,
    Preconditioner, Sheet, Simulation, StepConfig, report::Energy,
};

fn sheet(name: &str, n: usize, center: DVec3) -> ClothSpec {
    let cut = Cut::Sheet(Sheet {
        grid: QuadGrid {
            columns: n,
            rows: n,
            size_m: DVec2::splat(0.02 * (n as f64 - 1.0)),
        },
        center,
        u_axis: DVec3::X,
        v_axis: -DVec3::Z,
        curvature_per_m: 0.0,
    });
    ClothSpec::new(name, cut, Material::default())
}

fn run(cloths: Vec<ClothSpec>, gravity: DVec3, friction: f64) -> Simulation {
    with(cloths, gravity, friction, StepConfig::default())
}

fn with(cloths: Vec<ClothSpec>, gravity: DVec3, friction: f64, config: StepConfig) -> Simulation {
    let spec = ModelSpec {
        gravity_m_per_s2: gravity,
        cloths,
        ..ModelSpec::default()
    };
    let config = StepConfig {
        contact: Some(ClothContact { friction }),
        ..config
    };
    Simulation::new(Arc::new(Model::build(&spec).unwrap()), config)
}

fn crossings(simulation: &Simulation) -> usize {
    let mesh = TriMesh {
        positions: simulation.state().positions.clone(),
        faces: simulation.model().mesh.faces.clone(),
    };
    self_intersections(&mesh, 0).unwrap().count
}

/// A sheet held everywhere, 13 × 13 particles in the plane y = 0, and a smaller one above it.
fn one_on_the_other(gap_m: f64, velocity: DVec3) -> Vec<ClothSpec> {
    let mut below = sheet("below", 13, DVec3::ZERO);
    let all = (0..169).collect();
    below.pins.push(PinSpec::fixed(PinRegion::Indices(all)));
    let mut above = sheet("above", 9, DVec3::new(0.003, gap_m, 0.005));
    above.velocity_m_per_s = velocity;
    vec![below, above]
}

#[test]
fn a_sheet_that_falls_on_a_held_one_is_stopped_by_the_solve() {
    let cloths = one_on_the_other(0.012, DVec3::new(0.0, -2.5, 0.0));
    let mut simulation = run(cloths, DVec3::ZERO, 0.3);
    for _ in 0..20 {
        let report = simulation.step(1.0 / 120.0).unwrap();
        assert_eq!(report.guarded.touched, 0, "the guard had work to do");
        assert_eq!(crossings(&simulation), 0);
        let lowest = simulation.state().positions[169..].iter();
        let lowest = lowest.map(|x| x.y).fold(f64::MAX, f64::min);
        assert!(lowest > 0.0, "{lowest}");
    }
    let fastest = simulation.state().velocities[169..].iter();
    let fastest = fastest.map(|v| v.length()).fold(0.0, f64::max);
    assert!(
        fastest < 2.5 / 20.0,
        "more than a twentieth of the impact is left: {fastest} m/s"
    );
}

/// Sheets that land beside the edges of others are pressed from above by more cloth than is below them.
#[test]
fn what_lies_between_cloth_and_a_floor_is_not_drawn_to_the_floor_through_it() {
    let sheets = (0..4).map(|k| {
        let k = f64::from(k);
        let center = DVec3::new(0.013 * k, 0.01 + 0.008 * k, -0.007 * k);
        let mut cloth = sheet("one of four", 9, center);
        let turn = DQuat::from_rotation_y(0.4 * k);
        if let Some(sheet) = cloth.sheet_mut() {
            sheet.grid.size_m = DVec2::splat(0.24);
            (sheet.u_axis, sheet.v_axis) = (turn * DVec3::X, turn * DVec3::NEG_Z);
        }
        cloth
    });
    let floor = Shape::Plane {
        normal: DVec3::Y,
        offset_m: 0.0,
    };
    let model = Model::build(&ModelSpec {
        gravity_m_per_s2: DVec3::new(0.0, -9.81, 0.0),
        cloths: sheets.collect(),
        colliders: vec![ColliderSpec::new(floor, 0.3)],
        ..ModelSpec::default()
    });
    let config = StepConfig {
        contact: Some(ClothContact::default()),
        ..StepConfig::default()
    };
    let mut simulation = Simulation::new(Arc::new(model.unwrap()), config);
    let (mut change_m, mut motion_m) = (0.0, 0.0);
    for _ in 0..20 {
        let report = simulation.step(1.0 / 120.0).unwrap();
        change_m += report.guarded.change_m;
        motion_m += report.guarded.motion_m;
    }
    assert!(motion_m > 1.0, "they have not fallen: {motion_m}");
    assert!(
        change_m < 1e-4 * motion_m,
        "{change_m} of {motion_m} was left to the guard"
    );
}

#[test]
fn free_sheets_that_collide_keep_their_momentum_and_gain_no_energy() {
    let mut below = sheet("below", 7, DVec3::ZERO);
    below.velocity_m_per_s = DVec3::new(0.0, 0.4, 0.0);
    let mut above = sheet("above", 9, DVec3::new(0.003, 0.012, 0.005));
    above.velocity_m_per_s = DVec3::new(0.3, -1.0, 0.1);
    // What the solver leaves is not the contacts' doing.
    let exact = StepConfig {
        preconditioner: Preconditioner::BlockDiagonal,
        linear_tolerance: 1e-12,
        linear_max_iterations: 5000,
        ..StepConfig::default()
    };
    let mut simulation = with(vec![below, above], DVec3::ZERO, 0.3, exact);
    let momentum = |simulation: &Simulation| -> DVec3 {
        let masses = &simulation.model().masses;
        let velocities = &simulation.state().velocities;
        masses.iter().zip(velocities).map(|(m, v)| *m * *v).sum()
    };
    let before = momentum(&simulation);
    let size: f64 = simulation.model().masses.iter().sum();
    let energy =
        |simulation: &Simulation| Energy::of(simulation.model(), simulation.state()).total_j();
    let start = energy(&simulation);
    let mut last = before;
    for _ in 0..30 {
        let report = simulation.step(1.0 / 120.0).unwrap();
        assert_eq!(crossings(&simulation), 0);
        let now = momentum(&simulation);
        // Contacts keep it to rounding; the guard, which takes motion away, does not.
        let least = if report.guarded.touched == 0 {
            1e-10
        } else {
            1e-3
        };
        let change = (now - last).length();
        assert!(change < least * size, "{change} of {size}");
        last = now;
        assert!(energy(&simulation) < start * (1.0 + 1e-6));
    }
}

#[test]
fn friction_holds_a_sheet_on_a_slope_and_none_lets_it_slide_freely() {
    // Gravity that leans by 20° is a slope.
    let angle = 20_f64.to_radians();
    let gravity = 9.81 * DVec3::new(angle.sin(), -angle.cos(), 0.0);
    let drift = |friction: f64, steps: [usize; 2]| {
        let mut simulation = run(one_on_the_other(0.001, DVec3::ZERO), gravity, friction);
        let middle = |simulation: &Simulation| -> f64 {
            let x = simulation.state().positions[169..].iter().map(|x| x.x);
            x.sum::<f64>() / 81.0
        };
        let places = steps.map(|steps| {
            for _ in 0..steps {
                simulation.step(1.0 / 120.0).unwrap();
            }
            middle(&simulation)
        });
        (places[1] - places[0]) * 120.0 / steps[1] as f64
    };
    let held = drift(0.5, [60, 60]);
    assert!(held.abs() < 1e-4, "creeps at {held} m/s");
    // Without friction it slides as gravity says, over all edges of the mesh. How fast it slides with
    // some is not checked: it is slower than Coulomb's law has it.
    let sliding = drift(0.0, [12, 6]);
    let free = 9.81 * angle.sin() * (15.0 / 120.0);
    assert!(
        (sliding / free - 1.0).abs() < 0.01,
        "{sliding} for {free} m/s"
    );
}

#[test]
fn forces_are_the_slopes_of_the_potential_and_the_jacobian_theirs() {
    let x = [
        DVec3::new(0.3, 0.05, 0.2),
        DVec3::ZERO,
        DVec3::X,
        DVec3::new(0.1, 0.02, 0.9),
    ];
    let weights = Kind::PointTriangle.closest(&x);
    let start = between(&weights, &x);
    // A slip that friction holds, and one that it does not.
    for slip in [1e-3, 0.4] {
        let normal = start.normalize();
        let touch = ContactStencil {
            on_bodies: [None; 4],
            pair: Pair {
                kind: Kind::PointTriangle,
                vertices: [0, 1, 2, 3],
            },
            weights,
            normal,
            distance_m: 0.1,
            stiffness_n_per_m: 50.0,
            friction: 0.4,
            gap_m: start.length(),
            start,
            slip: slip * normal.any_orthonormal_vector(),
            give: [0.0; 4],
            expected: true,
            force_before_n: 0.0,
            normal_force_n: 2.0,
            is_made: true,
            drag_n: DVec3::ZERO,
            push_n: DVec3::ZERO,
            stiffness: DMat3::ZERO,
        };
        let potential = |x: &[DVec3; 4]| touch.energy_j(x) + touch.drag(x).potential_j;
        let force = |x: &[DVec3; 4]| {
            touch.stiffness_n_per_m * touch.depth_m(x) * normal + touch.drag(x).force
        };
        assert!(touch.depth_m(&x) > 0.0);
        let step = 1e-6;
        for (vertex, weight) in weights.into_iter().enumerate() {
            for (axis, direction) in DVec3::AXES.into_iter().enumerate() {
                let [ahead, behind] = [step, -step].map(|step| {
                    let mut x = x;
                    x[vertex] += step * direction;
                    x
                });
                let slope = (potential(&ahead) - potential(&behind)) / (2.0 * step);
                let exact = -weight * force(&x)[axis];
                assert!((slope - exact).abs() < 1e-6, "{slope} {exact}");
                let change = (force(&ahead) - force(&behind)) / (2.0 * step);
                let pressed = touch.stiffness_n_per_m * normal.dot(direction) * normal;
                let exact = -weight * (touch.drag(&x).stiffness * direction + pressed);
                assert!((change - exact).length() < 1e-5, "{change} {exact}");
            }
        }
    }
}
