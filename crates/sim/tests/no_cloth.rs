//! A model without cloth is a model.

mod support;

use glam::DVec3;
use support::*;
use toile_sim::colliders::Shape;
use toile_sim::model::{Kind, Layout};
use toile_sim::{
    ColliderSpec, Fallback, Form, Integrator, Model, ModelSpec, PinRegion, PinSpec, RodSpec,
    Simulation, SolidSpec, StepConfig,
};

const DOWN: DVec3 = DVec3::new(0.0, -G, 0.0);

/// A chain that hangs from one end.
fn hanging() -> RodSpec {
    let points = (0..6).map(|k| 0.1 * f64::from(k) * DVec3::X).collect();
    let mut rod = RodSpec::new("chain", points);
    rod.pins = vec![PinSpec::fixed(PinRegion::Indices(vec![0]))];
    rod
}

fn solid() -> SolidSpec {
    let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    SolidSpec::new("solid", points, vec![[0, 1, 2, 3]])
}

#[test]
fn a_chain_swings_with_every_implicit_form() {
    for integrator in [Integrator::BackwardEuler, Integrator::Bdf2] {
        let model = build(&ModelSpec {
            gravity_m_per_s2: DOWN,
            rods: vec![hanging()],
            ..ModelSpec::default()
        });
        let config = StepConfig {
            integrator,
            ..StepConfig::default()
        };
        let (form, why) = Form::of(&model, &config);
        assert_eq!((form, why), (Form::Assembled, Some(Fallback::NoShells)));
        let mut simulation = Simulation::new(model, config);
        for _ in 0..60 {
            simulation.step(1.0 / 120.0).unwrap();
        }
        let x = &simulation.state().positions;
        assert_eq!(x[0], DVec3::ZERO);
        let length_m: f64 = x.windows(2).map(|ends| ends[0].distance(ends[1])).sum();
        assert!(x[5].y < -0.3 && (length_m - 0.5).abs() < 0.02, "{x:?}");
    }
}

#[test]
fn nothing_at_all_is_a_model_too() {
    let floor = Shape::Plane {
        normal: DVec3::Y,
        offset_m: 0.0,
    };
    let model = build(&ModelSpec {
        gravity_m_per_s2: DOWN,
        colliders: vec![ColliderSpec::new(floor, 0.3)],
        ..ModelSpec::default()
    });
    assert_eq!(model.layout, Layout::default());
    let mut simulation = Simulation::new(model, StepConfig::default());
    for _ in 0..3 {
        simulation.step(1.0 / 60.0).unwrap();
    }
    assert_eq!(simulation.state().steps, 3);
}

#[test]
fn deformables_are_numbered_cloths_rods_solids() {
    let cloth = sheet(3, 3, 0.1, toile_sim::Material::default());
    let model = build(&ModelSpec {
        cloths: vec![cloth],
        rods: vec![hanging()],
        solids: vec![solid()],
        ..ModelSpec::default()
    });
    let names: Vec<&str> = model.deformables.iter().map(|d| d.name.as_str()).collect();
    assert_eq!(names, ["sheet", "chain", "solid"]);
    assert!(matches!(model.deformables[1].kind, Kind::Rod));
    assert_eq!(model.deformables[2].particles, 15..19);
    assert_eq!(model.deformable_of(14), 1);
    assert_eq!(
        (model.shells().count(), model.pattern_positions().len()),
        (1, 19)
    );
    let mesh = &model.mesh;
    assert_eq!(
        (mesh.vertices(), mesh.particles(), mesh.faces.len()),
        (19, 19, 12)
    );
    assert_eq!(mesh.owner[8..16], [0, 1, 1, 1, 1, 1, 1, 2]);
    // 16 of the sheet, 5 of the chain, 6 of the solid.
    assert_eq!((mesh.lone_edges.len(), mesh.edges().len()), (5, 27));
    assert_eq!(mesh.lone_edges[0], [9, 10]);
    let layout = model.layout;
    assert_eq!((layout.coordinates(), layout.scalars), (57, 0));
    assert_eq!(model.coordinate_masses.len(), 57);
}

#[test]
fn rods_and_solids_that_are_none_are_refused() {
    let key = |spec: &ModelSpec| Model::build(spec).err().map(|error| error.key);
    let of_rod = |change: fn(&mut RodSpec)| {
        let mut rod = hanging();
        change(&mut rod);
        key(&ModelSpec {
            rods: vec![rod],
            ..ModelSpec::default()
        })
    };
    let of_solid = |change: fn(&mut SolidSpec)| {
        let mut solid = solid();
        change(&mut solid);
        key(&ModelSpec {
            solids: vec![solid],
            ..ModelSpec::default()
        })
    };
    for (found, expected) in [
        (of_rod(|_| {}), None),
        (of_rod(|rod| rod.points.truncate(1)), Some("rod[0].points")),
        (
            of_rod(|rod| rod.points[2] = rod.points[1]),
            Some("rod[0].points"),
        ),
        (of_rod(|rod| rod.radius_m = 0.0), Some("rod[0].radius_m")),
        (of_rod(|rod| rod.stretch_n = -1.0), Some("rod[0].stretch_n")),
        (
            of_rod(|rod| rod.velocity_m_per_s.x = f64::NAN),
            Some("rod[0].velocity_m_per_s"),
        ),
        (
            of_rod(|rod| rod.pins[0].region = PinRegion::Borders(Vec::new())),
            Some("rod[0].pin[0].region"),
        ),
        (of_solid(|_| {}), None),
        (
            of_solid(|solid| solid.tets[0] = [0, 1, 2, 4]),
            Some("solid[0].tets"),
        ),
        (
            of_solid(|solid| solid.points[3].z = 0.0),
            Some("solid[0].tets"),
        ),
        (
            of_solid(|solid| solid.points.push(DVec3::ONE)),
            Some("solid[0].points"),
        ),
        (
            of_solid(|solid| solid.poisson = 0.5),
            Some("solid[0].poisson"),
        ),
        (
            of_solid(|solid| solid.density_kg_per_m3 = 0.0),
            Some("solid[0].density_kg_per_m3"),
        ),
    ] {
        assert_eq!(found.as_deref(), expected);
    }
}
