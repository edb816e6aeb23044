//! Cloth against bodies made of triangles: still, moved as a whole, and animated.

use glam::{DQuat, DVec2, DVec3};
use std::sync::Arc;
use toile_geometry::{QuadGrid, TriMesh};
use toile_sim::colliders::Shape;
use toile_sim::report::Stretch;
use toile_sim::{
    BodyMotion, BodySpec, ClothContact, ClothSpec, ColliderSpec, Cut, Frames, Interpolation, Key,
    KeyedScalar, Keyframe, Keyframes, Material, Model, ModelSpec, Motion, PairFriction, PinRegion,
    PinSpec, Sheet, Simulation, StepConfig, Thing, Watch,
};

const DOWN: DVec3 = DVec3::new(0.0, -9.81, 0.0);

fn sheet(name: &str, n: usize, center: DVec3, u_axis: DVec3, v_axis: DVec3) -> ClothSpec {
    let cut = Cut::Sheet(Sheet {
        grid: QuadGrid {
            columns: n,
            rows: n,
            size_m: DVec2::splat(0.02 * (n as f64 - 1.0)),
        },
        center,
        u_axis,
        v_axis,
        curvature_per_m: 0.0,
    });
    ClothSpec::new(name, cut, Material::default())
}

fn level(n: usize, center: DVec3) -> ClothSpec {
    sheet("cloth", n, center, DVec3::X, -DVec3::Z)
}

/// A ball of 20 · 4ᵏ triangles.
fn ball(center: DVec3, radius_m: f64, k: u32) -> TriMesh {
    let phi = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let mut positions: Vec<DVec3> = [
        (-1.0, phi, 0.0),
        (1.0, phi, 0.0),
        (-1.0, -phi, 0.0),
        (1.0, -phi, 0.0),
        (0.0, -1.0, phi),
        (0.0, 1.0, phi),
        (0.0, -1.0, -phi),
        (0.0, 1.0, -phi),
        (phi, 0.0, -1.0),
        (phi, 0.0, 1.0),
        (-phi, 0.0, -1.0),
        (-phi, 0.0, 1.0),
    ]
    .map(|(x, y, z)| DVec3::new(x, y, z).normalize())
    .to_vec();
    let mut faces: Vec<[u32; 3]> = vec![
        [0, 11, 5],
        [0, 5, 1],
        [0, 1, 7],
        [0, 7, 10],
        [0, 10, 11],
        [1, 5, 9],
        [5, 11, 4],
        [11, 10, 2],
        [10, 7, 6],
        [7, 1, 8],
        [3, 9, 4],
        [3, 4, 2],
        [3, 2, 6],
        [3, 6, 8],
        [3, 8, 9],
        [4, 9, 5],
        [2, 4, 11],
        [6, 2, 10],
        [8, 6, 7],
        [9, 8, 1],
    ];
    for _ in 0..k {
        let mut middles = std::collections::HashMap::new();
        let mut next = Vec::new();
        for &[a, b, c] in &faces {
            let [p, q, r] = [[a, b], [b, c], [c, a]].map(|[a, b]| {
                *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                    let middle = positions[a as usize] + positions[b as usize];
                    positions.push(middle.normalize());
                    positions.len() as u32 - 1
                })
            });
            next.extend([[a, p, r], [p, b, q], [r, q, c], [p, q, r]]);
        }
        faces = next;
    }
    for p in &mut positions {
        *p = center + radius_m * *p;
    }
    TriMesh { positions, faces }
}

/// A square plate of n × n cells without thickness, turned.
fn plate(n: usize, size_m: f64, center: DVec3, turn: DQuat) -> TriMesh {
    let grid = QuadGrid {
        columns: n + 1,
        rows: n + 1,
        size_m: DVec2::splat(size_m),
    };
    TriMesh {
        positions: grid.positions(center, turn * DVec3::X, turn * -DVec3::Z),
        faces: grid.faces(),
    }
}

struct Stage {
    cloths: Vec<ClothSpec>,
    bodies: Vec<BodySpec>,
    colliders: Vec<ColliderSpec>,
    friction: Vec<PairFriction>,
    gravity: DVec3,
    contact: Option<ClothContact>,
}

impl Stage {
    /// Cloths alone.
    fn of(cloths: Vec<ClothSpec>) -> Self {
        Self {
            cloths,
            bodies: Vec::new(),
            colliders: Vec::new(),
            friction: Vec::new(),
            gravity: DOWN,
            contact: Some(ClothContact::default()),
        }
    }

    fn new(cloth: ClothSpec, body: BodySpec) -> Self {
        Self {
            bodies: vec![body],
            ..Self::of(vec![cloth])
        }
    }

    fn start(self) -> Simulation {
        let spec = ModelSpec {
            gravity_m_per_s2: self.gravity,
            cloths: self.cloths,
            colliders: self.colliders,
            bodies: self.bodies,
            friction: self.friction,
            ..ModelSpec::default()
        };
        let config = StepConfig {
            contact: self.contact,
            ..StepConfig::default()
        };
        let mut simulation = Simulation::new(Arc::new(Model::build(&spec).unwrap()), config);
        simulation.watch(match self.contact {
            Some(_) => Watch::Forbid,
            None => Watch::ForbidBodies,
        });
        simulation
    }
}

fn fastest(simulation: &Simulation) -> f64 {
    let velocities = simulation.state().velocities.iter();
    velocities.map(|v| v.length()).fold(0.0, f64::max)
}

/// Half the time for which sheets slide, s.
const SLIDES_S: f64 = 0.25;

/// Mean speed down a slope of 20° in the second half, m/s.
fn slide(friction: f64, own: Option<f64>, velocity: DVec3) -> f64 {
    let turn = DQuat::from_rotation_z(-20_f64.to_radians());
    let mut cloth = sheet(
        "cloth",
        9,
        turn * DVec3::new(-0.1, 0.0008, 0.005),
        turn * DVec3::X,
        turn * -DVec3::Z,
    );
    cloth.velocity_m_per_s = velocity;
    let mut body = BodySpec::new("plate", plate(46, 1.2, DVec3::ZERO, turn), friction);
    body.motion = BodyMotion::Rigid(Motion::Velocity(velocity));
    let mut stage = Stage::new(cloth, body);
    if let Some(friction) = own {
        let between = [Thing::Body(0), Thing::Deformable(0)];
        stage.friction.push(PairFriction {
            between,
            friction: friction.into(),
        });
    }
    let mut simulation = stage.start();
    let down = turn * DVec3::X;
    // After it has settled; the plate moves along.
    let mut places = [0.0; 2];
    for place in &mut places {
        simulation.advance(SLIDES_S, 1.0 / 120.0).unwrap();
        let state = simulation.state();
        let middle = state.positions.iter().sum::<DVec3>() / 81.0;
        *place = (middle - state.time_s * velocity).dot(down);
    }
    (places[1] - places[0]) / SLIDES_S
}

#[test]
fn friction_holds_a_sheet_on_a_tilted_plate_and_none_lets_it_slide_freely() {
    let angle = 20_f64.to_radians();
    // Half way through the second half.
    let free = 9.81 * angle.sin() * 1.5 * SLIDES_S;
    for velocity in [DVec3::ZERO, DVec3::new(0.4, 0.3, -0.2)] {
        let held = slide(0.5, None, velocity);
        assert!(held.abs() < 1e-4, "creeps at {held} m/s");
        let slides = slide(0.0, None, velocity);
        assert!(
            (slides / free - 1.0).abs() < 1e-2,
            "{slides} instead of {free} m/s"
        );
        // Friction too weak to hold slows as Coulomb says.
        let slowed = slide(0.2, None, velocity);
        let right = free - 9.81 * 0.2 * angle.cos() * 1.5 * SLIDES_S;
        assert!(
            (slowed / right - 1.0).abs() < 1e-2,
            "{slowed} instead of {right} m/s"
        );
        // A pair's own coefficient counts, whatever the body has.
        let held = slide(0.0, Some(0.5), velocity);
        assert!(held.abs() < 1e-4, "creeps at {held} m/s");
    }
}

/// A sheet that is held for a while, and slides freely once friction has gone, on solids of either kind.
#[test]
fn friction_that_ends_lets_go() {
    let turn = DQuat::from_rotation_z(-20_f64.to_radians());
    let key = |time_s, value| Key { time_s, value };
    let ends = KeyedScalar {
        start: 0.5,
        keys: [key(SLIDES_S, 0.5), key(SLIDES_S + 1e-4, 0.0)].into(),
        interpolation: Interpolation::Linear,
    };
    let cloth = sheet(
        "cloth",
        9,
        turn * DVec3::new(-0.1, 0.001, 0.005),
        turn * DVec3::X,
        turn * -DVec3::Z,
    );
    let body = BodySpec::new("plate", plate(46, 1.2, DVec3::ZERO, turn), 0.7);
    let mut on_body = Stage::new(cloth.clone(), body);
    on_body.friction.push(PairFriction {
        between: [Thing::Deformable(0), Thing::Body(0)],
        friction: ends.clone(),
    });
    let plane = Shape::Plane {
        normal: turn * DVec3::Y,
        offset_m: 0.0,
    };
    let on_collider = ModelSpec {
        gravity_m_per_s2: DOWN,
        cloths: vec![cloth],
        colliders: vec![ColliderSpec::new(plane, 0.7)],
        friction: vec![PairFriction {
            between: [Thing::Collider(0), Thing::Deformable(0)],
            friction: ends,
        }],
        ..ModelSpec::default()
    };
    let on_collider = Simulation::new(
        Arc::new(Model::build(&on_collider).unwrap()),
        StepConfig::default(),
    );
    for mut simulation in [on_body.start(), on_collider] {
        let speed = |simulation: &Simulation| {
            let velocities = simulation.state().velocities.iter();
            velocities.sum::<DVec3>().dot(turn * DVec3::X) / 81.0
        };
        simulation.advance(SLIDES_S, 1.0 / 120.0).unwrap();
        let held = speed(&simulation);
        assert!(held.abs() < 1e-3, "creeps at {held} m/s");
        // A contact that sticks is found to slide at the end of a step.
        simulation.advance(0.05, 1.0 / 120.0).unwrap();
        let begins = speed(&simulation);
        simulation.advance(SLIDES_S, 1.0 / 120.0).unwrap();
        let found = (speed(&simulation) - begins) / SLIDES_S;
        let free = 9.81 * 20_f64.to_radians().sin();
        assert!(
            (found / free - 1.0).abs() < 1e-2,
            "{found} instead of {free} m/s²"
        );
    }
}

/// What a run of frames did, in numbers.
#[derive(Debug, Default)]
struct Did {
    retries: u32,
    stopped: usize,
    change_m: f64,
    motion_m: f64,
    stretch_max: f64,
}

/// Advances by frames of 1/60 s. Crossings make the steps fail.
fn advance(simulation: &mut Simulation, frames: usize) -> Did {
    let mut did = Did::default();
    for frame in 0..frames {
        let report = simulation.advance(1.0 / 60.0, 1.0 / 120.0);
        let report = report.unwrap_or_else(|error| panic!("frame {frame}: {error}"));
        assert_eq!(report.crossings.bodies_max.unwrap_or(0), 0);
        did.retries += report.retries;
        did.stopped += report.guard.stopped;
        did.change_m += report.guard.change_m;
        did.motion_m += report.guard.motion_m;
        let stretch = Stretch::of(simulation.model(), simulation.state());
        did.stretch_max = did.stretch_max.max(stretch.max);
    }
    did
}

fn mean_speed(simulation: &Simulation) -> f64 {
    let velocities = &simulation.state().velocities;
    velocities.iter().map(|v| v.length()).sum::<f64>() / velocities.len() as f64
}

fn nearest(simulation: &Simulation, place: DVec3) -> f64 {
    let positions = simulation.state().positions.iter();
    positions
        .map(|x| x.distance(place))
        .fold(f64::MAX, f64::min)
}

#[test]
fn a_sheet_comes_to_rest_on_a_ball_of_triangles() {
    let center = DVec3::new(0.003, 0.0, 0.005);
    let mesh = ball(center, 0.15, 4);
    assert_eq!(mesh.faces.len(), 5120);
    let cloth = level(21, DVec3::new(0.0, 0.17, 0.0));
    let mut simulation = Stage::new(cloth, BodySpec::new("ball", mesh, 0.3)).start();
    let did = advance(&mut simulation, 150);
    assert_eq!(did.stopped, 0);
    assert!(did.change_m < 1e-3 * did.motion_m, "{did:?}");
    assert!(nearest(&simulation, center) > 0.15);
    let speeds = simulation.state().velocities.iter().map(|v| v.length());
    let fastest = speeds.fold(0.0, f64::max);
    assert!(fastest < 1e-2, "{fastest} m/s");
}

#[test]
fn a_ball_of_triangles_drapes_as_a_sphere_does() {
    let center = DVec3::new(0.0, 0.0, 0.0);
    let cloth = level(13, DVec3::new(0.0, 0.155, 0.0));
    let body = BodySpec::new("ball", ball(center, 0.15, 4), 0.5);
    let mut triangles = Stage::new(cloth.clone(), body).start();
    advance(&mut triangles, 90);
    // What a collider keeps away: the thickness, and what a link cuts off; a body half of the first.
    let link_m = 0.02 * 2_f64.sqrt();
    let kept_m = 1e-3 + link_m * link_m / (8.0 * 0.15);
    let sphere = Shape::Sphere {
        center,
        radius_m: 0.15 - kept_m + 0.5e-3,
    };
    let mut smooth = Stage::of(vec![cloth]);
    smooth.colliders.push(ColliderSpec::new(sphere, 0.5));
    let mut smooth = smooth.start();
    advance(&mut smooth, 90);
    let (a, b) = (&triangles.state().positions, &smooth.state().positions);
    let apart = a.iter().zip(b).map(|(a, b)| a.distance(*b));
    let mean = apart.sum::<f64>() / a.len() as f64;
    assert!(mean < 2e-3, "{mean} m");
}

#[test]
fn a_ball_that_hits_hanging_cloth_at_10_m_per_s_pushes_all_of_it() {
    let mut cloth = sheet("cloth", 31, DVec3::ZERO, DVec3::X, DVec3::Y);
    let top = (30 * 31..31 * 31).collect();
    cloth.pins.push(PinSpec::fixed(PinRegion::Indices(top)));
    let start = DVec3::new(0.003, -0.1, -0.2);
    let velocity = 10.0 * DVec3::Z;
    let mut body = BodySpec::new("ball", ball(start, 0.08, 3), 0.2);
    body.motion = BodyMotion::Rigid(Motion::Velocity(velocity));
    let mut simulation = Stage::new(cloth, body).start();
    let did = advance(&mut simulation, 2);
    let center = start + simulation.state().time_s * velocity;
    // A ball of 1280 triangles is up to 0.6 % smaller than the sphere around it.
    assert!(nearest(&simulation, center) > 0.08 * 0.994);
    // What hung before it is before it still.
    let hung = &simulation.model().start_positions;
    for (x, start_there) in simulation.state().positions.iter().zip(hung) {
        if start_there.truncate().distance(start.truncate()) < 0.04 {
            assert!(x.z > center.z, "{start_there} is at {x}");
        }
    }
    assert!(did.retries > 0, "steps are shorter while it hits");
    assert!(did.stretch_max < 0.5, "{did:?}");
    assert!(did.change_m < 1e-3 * did.motion_m, "{did:?}");
}

#[test]
fn a_body_that_grows_and_bends_carries_cloth() {
    // It grows from 8 cm to 16 cm, and bends by its own radius, in a third of a second.
    let frames: Vec<Vec<DVec3>> = (0..=10)
        .map(|k| {
            let share = f64::from(k) / 10.0;
            let mut mesh = ball(DVec3::ZERO, 0.08 * (1.0 + share), 3);
            for p in &mut mesh.positions {
                p.x += 4.0 * share * p.y * p.y;
            }
            mesh.positions
        })
        .collect();
    let mut body = BodySpec::new("growing", ball(DVec3::ZERO, 0.08, 3), 0.3);
    let frames = Frames {
        rate_hz: 30.0,
        positions: Arc::new(frames),
    };
    body.motion = BodyMotion::Sequence(frames.into());
    assert_eq!(body.positions(0.0), body.mesh.positions);
    let half = body.positions(1.5 / 30.0);
    let (before, after) = (body.positions(1.0 / 30.0), body.positions(2.0 / 30.0));
    for (k, p) in half.iter().enumerate() {
        assert!(p.distance(before[k].midpoint(after[k])) < 1e-15);
    }
    assert_eq!(body.positions(9.0), body.positions(10.0 / 30.0));
    let cloth = level(15, DVec3::new(0.0, 0.082, 0.0));
    let mut simulation = Stage::new(cloth, body).start();
    let did = advance(&mut simulation, 30);
    assert!(did.change_m < 1e-3 * did.motion_m, "{did:?}");
    let highest = simulation.state().positions.iter().map(|x| x.y);
    assert!(highest.fold(f64::MIN, f64::max) > 0.16, "it is lifted");
}

#[test]
fn bodies_that_cross_themselves_and_each_other_harm_nothing() {
    let mut both = ball(DVec3::new(-0.05, 0.0, 0.0), 0.1, 3);
    let second = ball(DVec3::new(0.05, 0.01, 0.0), 0.1, 3);
    let first = both.positions.len() as u32;
    both.positions.extend(second.positions);
    let faces = second.faces.iter();
    both.faces.extend(faces.map(|face| face.map(|v| v + first)));
    let mut stage = Stage::new(
        level(15, DVec3::new(0.003, 0.125, 0.005)),
        BodySpec::new("two", both, 0.3),
    );
    let third = ball(DVec3::new(0.0, 0.0, 0.06), 0.1, 3);
    stage.bodies.push(BodySpec::new("third", third, 0.3));
    let mut simulation = stage.start();
    let did = advance(&mut simulation, 60);
    assert_eq!(did.stopped, 0);
    let mean = mean_speed(&simulation);
    assert!(mean < 0.1, "{mean} m/s");
}

/// A sheet that falls on a turning ball.
fn turning() -> Simulation {
    let mut body = BodySpec::new("ball", ball(DVec3::ZERO, 0.1, 3), 0.4);
    let key = Keyframe {
        time_s: 0.5,
        rotation_rad: DVec3::new(0.5, 2.0, 0.0),
        offset_m: DVec3::new(0.0, 0.05, 0.0),
        ..Keyframe::START
    };
    body.motion = BodyMotion::Rigid(Motion::Keyframes(Keyframes {
        keys: vec![key],
        pivot: None,
        interpolation: Default::default(),
    }));
    Stage::new(level(15, DVec3::new(0.003, 0.11, 0.005)), body).start()
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap().install(|| {
            let mut simulation = turning();
            advance(&mut simulation, 20);
            simulation.state().clone()
        })
    };
    let one = run(1);
    assert!(!one.touches.is_empty());
    assert_eq!(one, run(2));
}

#[test]
fn a_resumed_run_is_the_uninterrupted_one() {
    let mut straight = turning();
    advance(&mut straight, 12);
    let middle = straight.state().clone();
    assert!(!middle.touches.is_empty());
    advance(&mut straight, 8);
    let mut resumed = turning();
    resumed.restore(middle);
    advance(&mut resumed, 8);
    assert_eq!(straight.state(), resumed.state());
}

#[test]
fn without_contact_of_cloth_only_bodies_are_in_the_way() {
    let on = |contact: Option<ClothContact>| {
        let lower = level(11, DVec3::new(0.003, 0.105, 0.005));
        let upper = level(11, DVec3::new(-0.002, 0.108, 0.001));
        let mut stage = Stage::of(vec![lower, upper]);
        let mesh = ball(DVec3::ZERO, 0.1, 3);
        stage.bodies.push(BodySpec::new("ball", mesh, 0.3));
        stage.contact = contact;
        let mut simulation = stage.start();
        advance(&mut simulation, 40);
        simulation
    };
    let own = |simulation: &Simulation| {
        let touches = simulation.state().touches.iter();
        let particles = simulation.model().particles() as u32;
        let of_cloth = touches.filter(|t| t.pair.vertices.iter().all(|v| *v < particles));
        of_cloth.count()
    };
    let with = on(Some(ClothContact::default()));
    let without = on(None);
    assert!(own(&with) > 0, "one sheet lies on the other");
    assert_eq!(own(&without), 0);
    assert!(!without.state().touches.is_empty());
}

#[test]
fn a_pair_has_its_own_friction_on_a_collider_too() {
    let slides = |own: Option<f64>| {
        let mut stage = Stage::of(vec![level(5, DVec3::new(0.0, 0.001, 0.0))]);
        stage.gravity = 9.81 * DVec3::new(0.3, -1.0, 0.0);
        let floor = Shape::Plane {
            normal: DVec3::Y,
            offset_m: 0.0,
        };
        stage.colliders.push(ColliderSpec::new(floor, 0.5));
        if let Some(friction) = own {
            let between = [Thing::Deformable(0), Thing::Collider(0)];
            stage.friction.push(PairFriction {
                between,
                friction: friction.into(),
            });
        }
        let mut simulation = stage.start();
        advance(&mut simulation, 12);
        fastest(&simulation)
    };
    assert!(slides(None) < 1e-6);
    let free = 9.81 * 0.3 * 0.2;
    assert!(
        (slides(Some(0.0)) / free - 1.0).abs() < 0.02,
        "{}",
        slides(Some(0.0))
    );
}
