//! Contact of cloth with cloth: forces in the solve, friction, and what they conserve.

use glam::{DQuat, DVec2, DVec3};
use std::sync::Arc;
use toile_geometry::distance::{Kind, between};
use toile_geometry::{QuadGrid, TriMesh, self_intersections};
use toile_sim::colliders::Shape;
use toile_sim::contact::{
    ActiveContacts, ContactLaw, ContactPotential, ContactStart, ContactStencil, Pair,
};
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

/// A vertex above a triangle, and their contact with this slip and thickness.
fn contact(slip_m: f64, distance_m: f64) -> ([DVec3; 4], ContactStencil) {
    let x = [
        DVec3::new(0.3, 0.05, 0.2),
        DVec3::ZERO,
        DVec3::X,
        DVec3::new(0.1, 0.02, 0.9),
    ];
    let weights = Kind::PointTriangle.closest(&x);
    let apart = between(&weights, &x);
    let normal = apart.normalize();
    let stencil = ContactStencil {
        pair: Pair {
            kind: Kind::PointTriangle,
            vertices: [0, 1, 2, 3],
        },
        weights,
        on_bodies: [None; 4],
        normal,
        law: ContactLaw {
            distance_m,
            stiffness_n_per_m: 50.0,
            friction: 0.4,
        },
        before: ContactStart {
            apart,
            slip: slip_m * normal.any_orthonormal_vector(),
            normal_force_n: 2.0,
        },
        gap_m: apart.length(),
        give: [0.0; 4],
        expected: true,
    };
    (x, stencil)
}

/// A slip that friction holds, and one that it does not; inside the distance kept, and outside.
const SLIPS_M: [f64; 2] = [1e-3, 0.4];
const INSIDE_M: f64 = 0.1;
const OUTSIDE_M: f64 = 0.02;

#[test]
fn forces_are_the_slopes_of_the_potential_and_the_hessian_theirs() {
    let cases = SLIPS_M.map(|slip_m| [(slip_m, INSIDE_M), (slip_m, OUTSIDE_M)]);
    for (slip_m, distance_m) in cases.into_iter().flatten() {
        for lagged_n in [2.0, 0.0] {
            let (x, stencil) = contact(slip_m, distance_m);
            let at = |x: &[DVec3; 4]| ContactPotential::at(&stencil, x, lagged_n);
            let here = at(&x);
            let is_pressed = distance_m == INSIDE_M;
            assert_eq!(here.depth_m > 0.0, is_pressed);
            assert_eq!(here.slides, slip_m == SLIPS_M[1] && lagged_n > 0.0);
            // What is apart and under no force has no potential; all else must have one that changes.
            let acts = is_pressed || lagged_n > 0.0;
            assert_eq!(here.value_j > 0.0, acts);
            assert_eq!(here.force_n.length() > 1e-3, acts);
            let (mut slopes, mut changes) = (0.0_f64, 0.0_f64);
            let step = 1e-6;
            for (vertex, weight) in stencil.weights.into_iter().enumerate() {
                for (axis, direction) in DVec3::AXES.into_iter().enumerate() {
                    let [ahead, behind] = [step, -step].map(|step| {
                        let mut x = x;
                        x[vertex] += step * direction;
                        at(&x)
                    });
                    let slope = (ahead.value_j - behind.value_j) / (2.0 * step);
                    let exact = -weight * here.force_n[axis];
                    assert!((slope - exact).abs() < 1e-6, "{slope} {exact}");
                    let change = (ahead.force_n - behind.force_n) / (2.0 * step);
                    let exact = -weight * (here.hessian_n_per_m * direction);
                    assert!((change - exact).length() < 1e-5, "{change} {exact}");
                    slopes = slopes.max(slope.abs());
                    changes = changes.max(change.length());
                }
            }
            assert_eq!(slopes > 1e-3, acts, "{slopes}");
            assert_eq!(changes > 1e-3, acts, "{changes}");
        }
    }
}

/// The force as it was written where contacts were linearised, where their potential was searched, and where
/// explicit schemes ask for it.
#[test]
fn the_force_is_what_each_of_its_users_once_computed() {
    for slip_m in SLIPS_M {
        let (x, stencil) = contact(slip_m, INSIDE_M);
        let lagged_n = 2.0;
        let (n, kappa) = (stencil.normal, stencil.law.stiffness_n_per_m);
        let slip = stencil.slip_at(&x);
        let most_n = stencil.law.friction * lagged_n;
        let friction = -slip.normalize() * most_n.min(kappa * slip.length());
        let depth_m = stencil.law.distance_m - n.dot(between(&stencil.weights, &x));
        let force = kappa * depth_m * n + friction;
        let error = |found: DVec3| (found - force).length() / force.length();
        let at = ContactPotential::at(&stencil, &x, lagged_n);
        assert!(error(at.force_n) < 1e-12);
        // What acts is the same inside, and goes on outside.
        assert_eq!(ContactPotential::acting(&stencil, &x, lagged_n), at);
        let (x, stencil) = contact(slip_m, OUTSIDE_M);
        let acting = ContactPotential::acting(&stencil, &x, lagged_n);
        assert!(acting.depth_m < 0.0);
        let force = kappa * acting.depth_m * n + friction;
        assert!((acting.force_n - force).length() < 1e-12 * force.length());
        assert_eq!(
            acting.value_j,
            ContactPotential::at(&stencil, &x, lagged_n).value_j
        );
    }
}

#[test]
fn what_is_expected_to_meet_acts_at_the_first_linearisation_and_only_then() {
    let (x, stencil) = contact(SLIPS_M[0], OUTSIDE_M);
    let stencils = [stencil];
    let mut active = ActiveContacts::default();
    assert!(active.is_unseen());
    let lagged = |active: &ActiveContacts, stencils: &[ContactStencil]| -> f64 {
        active.lagged(stencils).map(|(_, lagged_n)| lagged_n).sum()
    };
    assert_eq!(lagged(&active, &stencils), stencil.before.normal_force_n);
    let first = active.linearise(&stencils, &x, &x);
    assert!(first.changed);
    assert_eq!(active.acting(&stencils).count(), 1);
    assert_eq!(lagged(&active, &stencils), stencil.before.normal_force_n);
    for (stencil, record) in active.acting(&stencils) {
        let acting = ContactPotential::acting(stencil, &x, stencil.before.normal_force_n);
        assert_eq!(record.linear_force_n(DVec3::ZERO), acting.force_n);
    }
    let second = active.linearise(&stencils, &x, &x);
    assert!(second.changed);
    assert_eq!(active.acting(&stencils).count(), 0);
    assert_eq!(lagged(&active, &stencils), 0.0);
    assert!(!active.linearise(&stencils, &x, &x).changed);
    // Where it starts inside, what is linearised is what it does there.
    let (x, stencil) = contact(SLIPS_M[1], INSIDE_M);
    let stencils = [stencil];
    active.clear();
    active.linearise(&stencils, &x, &x);
    active.linearise(&stencils, &x, &x);
    let normal_n = stencil.law.stiffness_n_per_m * stencil.depth_m(&x);
    assert_eq!(lagged(&active, &stencils), normal_n);
    for (stencil, record) in active.acting(&stencils) {
        let at = ContactPotential::at(stencil, &x, normal_n);
        assert_eq!(record.linear_force_n(DVec3::ZERO), at.force_n);
        assert_eq!(record.stiffness_n_per_m, at.hessian_n_per_m);
    }
}
