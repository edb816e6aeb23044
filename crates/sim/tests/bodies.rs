//! Cloth against bodies made of triangles: still, moved as a whole, and animated.

use glam::{DQuat, DVec2, DVec3};
use std::sync::Arc;
use toile_geometry::{QuadGrid, TriMesh};
use toile_sim::colliders::Shape;
use toile_sim::{
    BodyMotion, BodySpec, ClothContact, ClothSpec, ColliderSpec, Cut, Frames, Material, Model,
    ModelSpec, Motion, PairFriction, PinRegion, PinSpec, Sheet, Simulation, StepConfig, Thing,
    Watch,
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
    fn new(cloth: ClothSpec, body: BodySpec) -> Self {
        Self {
            cloths: vec![cloth],
            bodies: vec![body],
            colliders: Vec::new(),
            friction: Vec::new(),
            gravity: DOWN,
            contact: Some(ClothContact::default()),
        }
    }

    fn start(self) -> Simulation {
        let spec = ModelSpec {
            gravity_m_per_s2: self.gravity,
            air: Default::default(),
            cloths: self.cloths,
            colliders: self.colliders,
            bodies: self.bodies,
            friction: self.friction,
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
    let mut body = BodySpec::new("plate", plate(23, 0.6, DVec3::ZERO, turn), friction);
    body.motion = BodyMotion::Rigid(Motion::Velocity(velocity));
    let mut stage = Stage::new(cloth, body);
    if let Some(friction) = own {
        let between = [Thing::Body(0), Thing::Cloth(0)];
        stage.friction.push(PairFriction { between, friction });
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
        println!("held {held}");
        assert!(held.abs() < 1e-4, "creeps at {held} m/s");
        let slides = slide(0.0, None, velocity);
        println!("free {slides} {free}");
        assert!(
            (slides / free - 1.0).abs() < 1e-2,
            "{slides} instead of {free} m/s"
        );
        // A pair's own coefficient counts, whatever the body has.
        let held = slide(0.0, Some(0.5), velocity);
        assert!(held.abs() < 1e-4, "creeps at {held} m/s");
        let slides = slide(0.5, Some(0.2), velocity);
        let expected = free * (1.0 - 0.2 / angle.tan());
        println!("some {slides} {expected}");
        assert!(
            (slides / expected - 1.0).abs() < 0.05,
            "{slides} instead of {expected} m/s"
        );
    }
}

#[test]
fn a_sheet_comes_to_rest_on_a_ball_of_triangles() {
    let center = DVec3::new(0.003, 0.0, 0.005);
    let mesh = ball(center, 0.15, 4);
    assert_eq!(mesh.faces.len(), 5120);
    let cloth = level(31, DVec3::new(0.0, 0.17, 0.0));
    let mut on_mesh = Stage::new(cloth.clone(), BodySpec::new("ball", mesh, 0.3)).start();
    let sphere = Shape::Sphere {
        center,
        radius_m: 0.15,
    };
    let mut smooth = Stage::new(
        cloth,
        BodySpec::new("none", ball(DVec3::Y * 9.0, 0.1, 0), 0.0),
    );
    smooth.bodies.clear();
    smooth.colliders.push(ColliderSpec::new(sphere, 0.3));
    let mut smooth = smooth.start();
    let clock = std::time::Instant::now();
    let mut total = (0, 0, 0, 0.0, 0.0, 0);
    for frame in 0..90 {
        let report = on_mesh.advance(1.0 / 30.0, 1.0 / 120.0).unwrap();
        assert_eq!(report.body_crossings_max, Some(0));
        total.0 += report.retries;
        total.1 += report.guard_touched;
        total.2 += report.guard_stopped;
        total.3 += report.guard_change_m;
        total.4 += report.guard_motion_m;
        total.5 = report.touches_max;
        if frame % 10 == 0 {
            println!("{frame} {:?} v {}", total, fastest(&on_mesh));
        }
    }
    println!("mesh {:?} {:?}", clock.elapsed(), total);
    let clock = std::time::Instant::now();
    for _ in 0..90 {
        smooth.advance(1.0 / 30.0, 1.0 / 120.0).unwrap();
    }
    println!("smooth {:?} v {}", clock.elapsed(), fastest(&smooth));
    let (a, b) = (&on_mesh.state().positions, &smooth.state().positions);
    let apart = a.iter().zip(b).map(|(a, b)| a.distance(*b));
    println!(
        "largest {} mean {}",
        apart.clone().fold(0.0, f64::max),
        apart.sum::<f64>() / a.len() as f64
    );
    let nearest = a
        .iter()
        .map(|x| x.distance(center))
        .fold(f64::MAX, f64::min);
    println!("nearest {nearest} fastest {}", fastest(&on_mesh));
    assert!(nearest > 0.149);
    assert!(fastest(&on_mesh) < 0.01);
}

#[test]
fn a_body_that_hits_hanging_cloth_passes_none_of_it() {
    for speed in [3.0, 10.0] {
        let mut cloth = sheet("cloth", 31, DVec3::ZERO, DVec3::X, DVec3::Y);
        let top = (30 * 31..31 * 31).collect();
        cloth.pins.push(PinSpec::fixed(PinRegion::Indices(top)));
        let mut body = BodySpec::new("ball", ball(DVec3::new(0.003, -0.1, -0.2), 0.08, 3), 0.2);
        body.motion = BodyMotion::Rigid(Motion::Velocity(DVec3::Z * speed));
        let mut simulation = Stage::new(cloth, body).start();
        let clock = std::time::Instant::now();
        let mut total = (0, 0, 0, 0.0, 0.0, 0);
        let frames = (0.5 / speed * 60.0) as usize;
        for frame in 0..frames {
            let report = simulation.advance(1.0 / 60.0, 1.0 / 120.0);
            let report = report.unwrap_or_else(|e| panic!("{speed} m/s, frame {frame}: {e}"));
            total.0 += report.retries;
            total.1 += report.guard_touched;
            total.2 += report.guard_stopped;
            total.3 += report.guard_change_m;
            total.4 += report.guard_motion_m;
            total.5 = report.touches_max;
            let stretch = toile_sim::report::Stretch::of(simulation.model(), simulation.state());
            println!(
                "{frame} {total:?} stretch {} v {}",
                stretch.max,
                fastest(&simulation)
            );
        }
        println!("{speed} m/s {:?} {total:?}", clock.elapsed());
    }
}

#[test]
fn probe() {
    let center = DVec3::new(0.003, 0.0, 0.005);
    let env = |k: &str, d: f64| {
        std::env::var(k)
            .ok()
            .and_then(|v| v.parse().ok())
            .unwrap_or(d)
    };
    let mesh = ball(center, 0.15, env("K", 4.0) as u32);
    let mut cloth = level(31, DVec3::new(0.0, 0.17, 0.0));
    cloth.material.thickness_m = env("T", 1e-3);
    let mut body = BodySpec::new("ball", mesh, env("MU", 0.3));
    body.thickness_m = env("B", 0.0);
    let mut stage = Stage::new(cloth, body);
    if env("SELF", 1.0) == 0.0 {
        stage.contact = None;
    }
    let mut sim = stage.start();
    let dt = 1.0 / env("HZ", 120.0);
    let mut shown = 0;
    let steps = (env("S", 1.0) / dt) as usize;
    let mut worst = 0.0_f64;
    for step in 0..steps {
        let before = sim.state().velocities.clone();
        let report = sim.step(dt).unwrap();
        let v = &sim.state().velocities;
        let (i, jump) = v
            .iter()
            .zip(&before)
            .map(|(a, b)| a.distance(*b))
            .enumerate()
            .fold((0, 0.0), |m, x| if x.1 > m.1 { x } else { m });
        worst = worst.max(jump);
        if jump > 3.0 && shown < 4 {
            shown += 1;
            println!(
                "step {step} particle {i} {:?} -> {:?} guard {:?}",
                before[i], v[i], report.guarded
            );
            println!(
                "   at {:?} r {}",
                sim.state().positions[i],
                sim.state().positions[i].distance(center)
            );
            for t in &sim.state().touches {
                if t.pair.vertices.contains(&(i as u32)) {
                    println!("   {t:?}");
                }
            }
        }
    }
    let rms = (sim
        .state()
        .velocities
        .iter()
        .map(|v| v.length_squared())
        .sum::<f64>()
        / 961.0)
        .sqrt();
    let mut each: Vec<(f64, usize)> = sim
        .state()
        .velocities
        .iter()
        .map(|v| v.length())
        .zip(0..)
        .collect();
    each.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (v, i) in &each[..8] {
        println!("{i} {v} r {}", sim.state().positions[*i].distance(center));
    }
    println!("rms {rms} median {}", each[480].0);
    println!("fastest {} worst jump {worst}", fastest(&sim));
}

#[test]
fn slope_probe() {
    let env = |k: &str, d: f64| std::env::var(k).ok().and_then(|v| v.parse().ok()).unwrap_or(d);
    let slope = DQuat::from_rotation_z(-20_f64.to_radians());
    let turn = if env("LEVEL", 0.0) == 1.0 { DQuat::IDENTITY } else { slope };
    let cloth = sheet("cloth", 9, turn * DVec3::new(-0.1, env("GAP", 0.0008), 0.005), turn * DVec3::X, turn * -DVec3::Z);
    let body = BodySpec::new("plate", plate(env("N", 23.0) as usize, 0.6, DVec3::ZERO, turn), 0.5);
    let mut stage = Stage::new(cloth, body);
    if env("SELF", 1.0) == 0.0 { stage.contact = None; }
    if env("LEVEL", 0.0) == 1.0 { stage.gravity = slope.inverse() * DOWN; }
    let mut sim = stage.start();
    let down = turn * DVec3::X;
    for k in 0..12 {
        let r = sim.advance(0.1, 1.0 / env("HZ", 120.0)).unwrap();
        let state = sim.state();
        let middle = state.positions.iter().sum::<DVec3>() / 81.0;
        let h = state.positions.iter().map(|p| p.dot(turn * DVec3::Y));
        let v: f64 = state.velocities.iter().map(|p| p.dot(down)).sum::<f64>() / 81.0;
        let f: f64 = state.touches.iter().map(|t| t.normal_force_n).sum();
        println!("{k} {:.6} v {v:.6} heights {:.6} {:.6} touches {} N {f:.5} of {:.5} guard {}", middle.dot(down), h.clone().fold(9.0, f64::min), h.fold(-9.0, f64::max), state.touches.len(), sim.model().masses.iter().sum::<f64>() * 9.81 * 20_f64.to_radians().cos(), r.guard_touched);
    }
}
