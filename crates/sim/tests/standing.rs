//! Stiff cloth that leans on cloth: contacts that come and go give it no energy, and it comes to rest.

use glam::{DVec2, DVec3};
use std::sync::Arc;
use toile_geometry::QuadGrid;
use toile_sim::colliders::Shape;
use toile_sim::contact::Remembered;
use toile_sim::{
    ClothContact, ClothModel, ClothSpec, ColliderSpec, Cut, Integrator, Material, Model, ModelSpec,
    PinRegion, PinSpec, Preconditioner, Sheet, Simulation, StepConfig, report::Energy,
};

const STEP_S: f64 = 1.0 / 240.0;

/// A stiff sheet of this size in the plane of two axes.
fn card(size_m: DVec2, center: DVec3, u_axis: DVec3, v_axis: DVec3) -> ClothSpec {
    let count = |length_m: f64| (length_m / 0.015).round() as usize + 1;
    let cut = Cut::Sheet(Sheet {
        grid: QuadGrid {
            columns: count(size_m.x),
            rows: count(size_m.y),
            size_m,
        },
        center,
        u_axis,
        v_axis,
        curvature_per_m: 0.0,
    });
    let material = Material {
        area_density_kg_per_m2: 0.3,
        stretch_warp_n_per_m: 8000.0,
        stretch_weft_n_per_m: 8000.0,
        shear_n_per_m: 2900.0,
        bending_warp_n_m: 0.02,
        bending_weft_n_m: 0.02,
        thickness_m: 8e-4,
        ..Material::default()
    };
    let mut cloth = ClothSpec::new("card", cut, material);
    cloth.model = ClothModel::BARAFF_WITKIN;
    cloth
}

/// Two cards that lean on each other above `x`, with their lower edges at `y`.
fn pair(x: f64, y: f64) -> [ClothSpec; 2] {
    let (sine, cosine) = 18.0_f64.to_radians().sin_cos();
    [-1.0, 1.0].map(|side| {
        let center = DVec3::new(x + 0.018951 * side, y + 0.057883, 0.001 * side);
        let up = DVec3::new(-sine * side, cosine, 0.0);
        card(DVec2::new(0.09, 0.12), center, DVec3::NEG_Z, up)
    })
}

fn simulation(cloths: Vec<ClothSpec>, gravity_m_per_s2: f64) -> Simulation {
    let floor = Shape::Plane {
        normal: DVec3::Y,
        offset_m: 0.0,
    };
    let model = Model::build(&ModelSpec {
        gravity_m_per_s2: DVec3::new(0.0, -gravity_m_per_s2, 0.0),
        cloths,
        colliders: vec![ColliderSpec::new(floor, 0.6)],
        ..ModelSpec::default()
    });
    let config = StepConfig {
        integrator: Integrator::BackwardEuler,
        preconditioner: Preconditioner::Direct,
        contact: Some(ClothContact { friction: 0.6 }),
        ..StepConfig::default()
    };
    Simulation::new(Arc::new(model.unwrap()), config)
}

fn energy_j(simulation: &Simulation) -> f64 {
    let state = simulation.state();
    let contacts = state.touches.iter().map(Remembered::energy_j);
    Energy::of(simulation.model(), state).total_j() + contacts.sum::<f64>()
}

/// Two pairs of cards, one card across them, and a third pair on top.
#[test]
fn a_house_of_cards_gains_no_energy_and_comes_to_rest() {
    let mut cards = [pair(-0.055, 0.0), pair(0.055, 0.0)].concat();
    let across = DVec3::new(0.0, 0.115767, 0.0);
    cards.push(card(DVec2::new(0.2, 0.09), across, DVec3::X, DVec3::NEG_Z));
    cards.extend(pair(0.003, 0.115767));
    let mut simulation = simulation(cards, 9.81);
    let (mut largest_j, mut rise_j) = (0.0_f64, 0.0_f64);
    let mut before = energy_j(&simulation);
    for _ in 0..240 {
        simulation.advance(STEP_S, STEP_S).unwrap();
        let now = energy_j(&simulation);
        rise_j = rise_j.max(now - before);
        before = now;
        let energy = Energy::of(simulation.model(), simulation.state());
        largest_j = largest_j.max(energy.kinetic_j);
    }
    assert!(rise_j < 1e-9 * largest_j, "{rise_j} J of {largest_j} J");
    let left_j = Energy::of(simulation.model(), simulation.state()).kinetic_j;
    assert!(left_j < 1e-9 * largest_j, "{left_j} J of {largest_j} J");
    let highest_m = (simulation.state().positions.iter()).fold(0.0, |most, x| x.y.max(most));
    assert!(highest_m > 0.22, "the house has fallen: {highest_m} m");
}

/// Two sheets, the lower one held, that start a `share` of their thickness apart; after this many steps
/// without gravity.
fn sheets(share: f64, steps: u32) -> Simulation {
    let size_m = DVec2::splat(0.09);
    let mut held = card(size_m, DVec3::Y, DVec3::X, DVec3::NEG_Z);
    held.pins
        .push(PinSpec::fixed(PinRegion::Indices((0..49).collect())));
    let center = DVec3::new(0.004, 1.0 + share * held.material.thickness_m, 0.005);
    let free = card(size_m, center, DVec3::X, DVec3::NEG_Z);
    let mut simulation = simulation(vec![held, free], 0.0);
    for _ in 0..steps {
        simulation.step(STEP_S).unwrap();
    }
    simulation
}

/// Contacts are stiffer in shorter steps. Cards that lean on each other do not feel it.
#[test]
fn a_shorter_step_gives_contacts_no_energy() {
    let mut simulation = simulation(pair(0.0, 0.0).to_vec(), 9.81);
    for _ in 0..60 {
        simulation.step(STEP_S).unwrap();
    }
    let contact_j = |simulation: &Simulation| -> f64 {
        let touches = simulation.state().touches.iter();
        touches.map(Remembered::energy_j).sum()
    };
    let (before, pressed_j) = (energy_j(&simulation), contact_j(&simulation));
    assert!(pressed_j > 1e-9, "{pressed_j} J");
    for _ in 0..4 {
        simulation.step(0.25 * STEP_S).unwrap();
        let gained_j = energy_j(&simulation) - before;
        assert!(
            gained_j <= 1e-6 * pressed_j,
            "{gained_j} J of {pressed_j} J"
        );
    }
}

/// Nor do cards sink into each other when steps become shorter and longer again.
#[test]
fn steps_of_changing_length_do_not_press_cards_together() {
    let mut simulation = simulation(pair(0.0, 0.0).to_vec(), 9.81);
    for _ in 0..60 {
        simulation.step(STEP_S).unwrap();
    }
    let kept_m = |simulation: &Simulation| {
        let touches = simulation.state().touches.iter();
        touches
            .map(|touch| touch.distance_m - touch.depth_m)
            .fold(f64::INFINITY, f64::min)
    };
    let before_m = kept_m(&simulation);
    for _ in 0..30 {
        for _ in 0..4 {
            simulation.step(0.25 * STEP_S).unwrap();
        }
        simulation.step(STEP_S).unwrap();
    }
    let lost = 1.0 - kept_m(&simulation) / before_m;
    assert!(lost < 0.01, "{lost} of {before_m} m is lost");
}

/// A sheet that starts nearer to another than the two are thick stays there, instead of being pushed.
#[test]
fn cloth_inside_the_thickness_of_cloth_is_not_pushed_out() {
    let simulation = sheets(0.375, 10);
    let energy = Energy::of(simulation.model(), simulation.state());
    assert!(energy.total_j() < 1e-12, "{energy:?}");
}

/// One that starts with hardly any room is let out to a quarter of the thickness, no faster than in a step.
#[test]
fn cloth_without_room_gets_a_quarter_of_the_thickness() {
    let simulation = sheets(0.05, 3);
    let quarter_m = 0.25 * simulation.model().deformables[0].thickness_m;
    let state = simulation.state();
    for (x, v) in state.positions[49..].iter().zip(&state.velocities[49..]) {
        assert!(x.y - 1.0 > 0.99 * quarter_m, "{x} above {quarter_m} m");
        assert!(v.length() < quarter_m / STEP_S, "{v} m/s");
    }
}
