//! Zones: what they keep of the motion, what they end, and what they never touch.

use glam::{DQuat, DVec2, DVec3};
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;
use std::sync::Arc;
use toile_geometry::QuadGrid;
use toile_geometry::distance::{Kind, between};
use toile_sim::colliders::Shape;
use toile_sim::contact::guard::zones::Motion;
use toile_sim::contact::impulses::impact::Impact;
use toile_sim::contact::{Inelastic, Movable, Pair};
use toile_sim::report::collider_penetration_m;
use toile_sim::{
    ClothContact, ClothSpec, ColliderSpec, Cut, Material, Model, ModelSpec, Preconditioner,
    Response, Sheet, Simulation, State, StepConfig, Watch,
};

const VERTICES: usize = 9;

/// Vertices that may be moved, and pairs that meet with these velocities.
#[derive(Clone, Debug)]
struct Zone {
    inverse_masses: Vec<f64>,
    supports: Vec<DVec3>,
    velocities: Vec<DVec3>,
    impacts: Vec<Impact>,
}

impl Zone {
    fn movable(&self) -> Movable {
        Movable {
            inverse_masses: self.inverse_masses.clone(),
            supports: self.supports.clone(),
        }
    }

    fn parting(&self, impact: &Impact, velocities: &[DVec3]) -> f64 {
        let velocities = impact.pair.of(velocities);
        impact.normal.dot(between(&impact.weights, &velocities))
    }

    fn momentum(&self, velocities: &[DVec3]) -> DVec3 {
        let each = velocities.iter().zip(&self.inverse_masses);
        each.map(|(v, w)| *v / *w).sum()
    }

    /// Of what is free.
    fn energy(&self, velocities: &[DVec3]) -> f64 {
        let free = velocities.iter().zip(&self.inverse_masses);
        let free = free.filter(|(_, w)| **w > 0.0);
        free.map(|(v, w)| 0.5 * v.length_squared() / w).sum()
    }

    /// Solves it, with the impacts added in rounds of `at_once`.
    fn solved(&self, at_once: usize) -> Vec<DVec3> {
        let mut velocities = self.velocities.clone();
        let mut zones = Inelastic::default();
        zones.clear(VERTICES);
        let mut energy = self.energy(&velocities);
        for impacts in self.impacts.chunks(at_once) {
            zones.add(impacts, &self.movable(), &velocities);
            zones.solve(&self.movable(), &mut velocities);
            let left = self.energy(&velocities);
            if self.supports.iter().all(|s| *s == DVec3::ZERO) {
                assert!(left <= energy * (1.0 + 1e-12), "{left} J of {energy} J");
            }
            energy = left;
        }
        velocities
    }

    /// The same by trying every set of rows that push.
    fn by_enumeration(&self) -> Option<Vec<DVec3>> {
        let movable = |v: usize| self.inverse_masses[v] > 0.0;
        let mut rows: Vec<(Vec<DVec3>, f64)> = Vec::new();
        let mut members = [false; VERTICES];
        for impact in &self.impacts {
            let mut row = vec![DVec3::ZERO; VERTICES];
            for (&vertex, weight) in impact.pair.vertices.iter().zip(impact.weights) {
                row[vertex as usize] += weight * impact.normal;
                members[vertex as usize] = true;
            }
            rows.push((row, 0.0));
        }
        for v in (0..VERTICES).filter(|v| members[*v] && movable(*v)) {
            if self.supports[v] != DVec3::ZERO {
                let mut row = vec![DVec3::ZERO; VERTICES];
                row[v] = self.supports[v];
                rows.push((row, self.supports[v].dot(self.velocities[v])));
            }
        }
        let count = rows.len();
        let c = DMatrix::from_fn(count, 3 * VERTICES, |k, j| rows[k].0[j / 3][j % 3]);
        let w = DVector::from_fn(3 * VERTICES, |j, _| self.inverse_masses[j / 3]);
        let before = DVector::from_fn(3 * VERTICES, |j, _| self.velocities[j / 3][j % 3]);
        let least = DVector::from_fn(count, |k, _| rows[k].1);
        let wct = DMatrix::from_diagonal(&w) * c.transpose();
        let lacks = &least - &c * &before;
        (0..1_u32 << count)
            .filter_map(|set| {
                let pushing: Vec<usize> = (0..count).filter(|k| set >> k & 1 == 1).collect();
                let system = (&c * &wct).select_rows(&pushing).select_columns(&pushing);
                let wanted = lacks.select_rows(&pushing);
                let mut after = before.clone();
                if !pushing.is_empty() {
                    let impulses = system.pseudo_inverse(1e-11).ok()? * wanted;
                    if impulses.min() < -1e-9 {
                        return None;
                    }
                    after += wct.select_columns(&pushing) * impulses;
                }
                let is_answer = (&c * &after - &least).min() > -1e-9;
                is_answer.then_some(after)
            })
            .map(|after| {
                let vertex = |v| DVec3::new(after[3 * v], after[3 * v + 1], after[3 * v + 2]);
                (0..VERTICES).map(vertex).collect::<Vec<_>>()
            })
            .min_by(|a, b| self.change(a).total_cmp(&self.change(b)))
    }

    /// How far velocities are from those before, by their energy.
    fn change(&self, velocities: &[DVec3]) -> f64 {
        let change = velocities.iter().zip(&self.velocities);
        let change: Vec<DVec3> = change.map(|(a, b)| *a - *b).collect();
        self.energy(&change)
    }
}

fn vector() -> impl Strategy<Value = DVec3> {
    let number = || -1.0..1.0_f64;
    (number(), number(), number()).prop_map(DVec3::from)
}

fn impact() -> impl Strategy<Value = Impact> {
    let vertices = proptest::sample::subsequence((0..VERTICES as u32).collect::<Vec<_>>(), 4);
    let normal = vector().prop_filter_map("no direction", DVec3::try_normalize);
    let points = (vertices.prop_shuffle(), 0.0..1.0, 0.0..1.0, any::<bool>());
    (points, normal).prop_map(|((vertices, s, t, edges), normal)| {
        let (s, t): (f64, f64) = (s, t);
        let (kind, weights) = if edges {
            (Kind::EdgeEdge, [1.0 - s, s, t - 1.0, -t])
        } else {
            let (b, c) = (s * (1.0 - t), s * t);
            (Kind::PointTriangle, [1.0, b + c - 1.0, -b, -c])
        };
        let vertices: [u32; 4] = vertices.try_into().expect("four");
        Impact {
            time: 0.5,
            pair: Pair { kind, vertices },
            weights,
            normal,
        }
    })
}

/// Up to six pairs; some of the first three vertices held or supported.
fn zone() -> impl Strategy<Value = Zone> {
    let masses = prop::collection::vec(0.2..5.0_f64, VERTICES);
    let velocities = prop::collection::vec(vector(), VERTICES);
    let impacts = prop::collection::vec(impact(), 1..=6);
    (masses, velocities, impacts).prop_map(|(masses, velocities, impacts)| Zone {
        inverse_masses: masses.iter().map(|m| m.recip()).collect(),
        supports: vec![DVec3::ZERO; VERTICES],
        velocities,
        impacts,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn inelastic_zones_end_approach_and_keep_momentum(zone in zone(), at_once in 1..=6_usize) {
        let after = zone.solved(at_once);
        for impact in &zone.impacts {
            prop_assert!(zone.parting(impact, &after) > -1e-10);
        }
        let (begun, left) = (zone.momentum(&zone.velocities), zone.momentum(&after));
        prop_assert!((left - begun).length() < 1e-12, "{}", left - begun);
        // What parted by itself, and is alone, is left alone.
        if let [only] = &zone.impacts[..] {
            if zone.parting(only, &zone.velocities) >= 0.0 {
                prop_assert_eq!(&after, &zone.velocities);
            } else {
                prop_assert!(zone.parting(only, &after) < 1e-12);
            }
        }
    }

    #[test]
    fn inelastic_zones_find_the_rows_that_push(
        mut zone in zone(),
        held in prop::collection::vec(any::<bool>(), 2),
        support in vector(),
        at_once in 1..=6_usize,
    ) {
        for (v, held) in held.into_iter().enumerate().filter(|(_, held)| *held) {
            zone.inverse_masses[v] = if held { 0.0 } else { 1.0 };
            zone.velocities[v] = DVec3::ZERO;
        }
        zone.supports[3] = support.normalize_or_zero();
        let after = zone.solved(at_once);
        let ends = after.iter().zip(&zone.velocities);
        for ((end, begun), inverse) in ends.zip(&zone.inverse_masses) {
            prop_assert!(*inverse > 0.0 || end == begun);
        }
        let deeper = zone.supports[3].dot(zone.velocities[3] - after[3]);
        prop_assert!(deeper < 1e-10);
        // Prescribed vertices that stand can be asked for nothing impossible, so there is an answer.
        let expected = zone.by_enumeration().expect("an answer");
        for (a, b) in after.iter().zip(&expected) {
            prop_assert!(a.distance(*b) < 1e-6, "{after:?}\n{expected:?}");
        }
    }
}

/// A vertex between two prescribed walls that close has no way out: whatever it is given is finite, and
/// the walls do not move.
#[test]
fn walls_that_close_stay_as_prescribed() {
    let wall = |vertices: [u32; 4], normal: DVec3| Impact {
        time: 0.5,
        pair: Pair {
            kind: Kind::PointTriangle,
            vertices,
        },
        weights: [1.0, -0.25, -0.25, -0.5],
        normal,
    };
    let mut zone = Zone {
        inverse_masses: vec![0.0; VERTICES],
        supports: vec![DVec3::ZERO; VERTICES],
        velocities: [vec![DVec3::NEG_Y; 5], vec![DVec3::Y; 4]].concat(),
        impacts: vec![
            wall([0, 1, 2, 3], DVec3::NEG_Y),
            wall([0, 5, 6, 7], DVec3::Y),
        ],
    };
    zone.inverse_masses[0] = 3.0;
    let after = zone.solved(2);
    assert_eq!(after[1..], zone.velocities[1..]);
    assert!(after[0].is_finite() && after[0].length() < 1.1);
}

/// A tower of layers lands on a floor and comes to rest, or on a free layer and goes on with it: in a few
/// sweeps, where row by row it would take thousands.
#[test]
fn layers_stop_together() {
    const LAYERS: usize = 60;
    for is_held in [true, false] {
        let mut inverse_masses = vec![4.0; 2 * LAYERS];
        let mut velocities = vec![DVec3::new(0.2, -1.0, 0.0); 2 * LAYERS];
        velocities[..2].fill(DVec3::ZERO);
        if is_held {
            inverse_masses[..2].fill(0.0);
        }
        let supports = vec![DVec3::ZERO; 2 * LAYERS];
        let movable = Movable {
            inverse_masses: inverse_masses.clone(),
            supports,
        };
        let between_layers = |k: u32| Impact {
            time: 0.5,
            pair: Pair {
                kind: Kind::EdgeEdge,
                vertices: [2 * k + 2, 2 * k + 3, 2 * k, 2 * k + 1],
            },
            weights: [0.5, 0.5, -0.5, -0.5],
            normal: DVec3::Y,
        };
        let impacts: Vec<Impact> = (0..LAYERS as u32 - 1).map(between_layers).collect();
        let mut zones = Inelastic::default();
        zones.clear(2 * LAYERS);
        zones.add(&impacts, &movable, &velocities);
        zones.solve(&movable, &mut velocities);
        assert!(zones.approach_m_per_s(&velocities) < 1e-11);
        assert!(zones.sweeps < 10, "{}", zones.sweeps);
        let common = if is_held {
            0.0
        } else {
            1.0 / LAYERS as f64 - 1.0
        };
        for v in &velocities {
            assert!((v.y - common).abs() < 1e-10, "{v}");
        }
    }
}

/// A rigid zone goes on with its linear momentum to rounding. Its angular momentum, of velocities that
/// follow from displacements, is that of before up to the second order of the turning.
#[test]
fn a_rigid_zone_keeps_what_a_finite_turn_can_keep() {
    let from: Vec<DVec3> = (0..12)
        .map(|i| {
            let k = f64::from(i);
            DVec3::new((1.3 * k).sin(), (2.1 * k).cos(), (0.7 * k).sin())
        })
        .collect();
    let masses: Vec<f64> = (0..12).map(|i| 0.5 + 0.2 * f64::from(i % 4)).collect();
    let inverse_masses: Vec<f64> = masses.iter().map(|m| m.recip()).collect();
    let movable = Movable {
        inverse_masses: inverse_masses.clone(),
        supports: vec![DVec3::ZERO; 12],
    };
    let zone: Vec<u32> = (0..12).collect();
    let mass: f64 = masses.iter().sum();
    let mean = |x: &[DVec3]| masses.iter().zip(x).map(|(m, x)| *m * *x).sum::<DVec3>() / mass;
    let center = mean(&from);
    let error = |size: f64| {
        let to: Vec<DVec3> = (from.iter().enumerate())
            .map(|(i, x)| {
                let k = i as f64;
                let own = DVec3::new((3.1 * k).cos(), (1.7 * k).sin(), (2.3 * k).cos());
                let spin = DVec3::new(0.4, -0.7, 0.5).cross(*x - center);
                *x + size * (spin + 0.3 * own + DVec3::X)
            })
            .collect();
        let motion = Motion::of(&zone, &movable, &from, &to);
        let ends: Vec<DVec3> = from.iter().map(|x| motion.end(*x)).collect();
        assert!((mean(&ends) - mean(&to)).length() < 1e-15);
        let turning = |ends: &[DVec3]| -> DVec3 {
            let each = masses.iter().zip(from.iter().zip(ends));
            each.map(|(m, (x, end))| *m * (*x - center).cross(*end - *x))
                .sum()
        };
        (turning(&ends) - turning(&to)).length() / turning(&to).length()
    };
    let errors = [0.1, 0.05, 0.025].map(error);
    assert!(errors[0] > 1e-6 && errors[0] < 0.1, "{errors:?}");
    for pair in errors.windows(2) {
        let ratio = pair[0] / pair[1];
        assert!((1.6..2.6).contains(&ratio), "{errors:?}");
    }
}

/// Free sheets above each other, the lower half of them flying up and the upper down.
fn sheets(count: usize, side: usize, speed_m_per_s: f64) -> ModelSpec {
    let sheet = |k: usize| {
        let f = k as f64;
        let turn = DQuat::from_rotation_y(0.37 * f) * DQuat::from_rotation_z(0.03 * (f - 2.0));
        let cut = Cut::Sheet(Sheet {
            grid: QuadGrid {
                columns: side,
                rows: side,
                size_m: DVec2::splat(0.02 * (side as f64 - 1.0)),
            },
            center: DVec3::new(0.003 * f, 0.015 * f, -0.002 * f),
            u_axis: turn * DVec3::X,
            v_axis: turn * DVec3::NEG_Z,
            curvature_per_m: 0.0,
        });
        let way = if k < count / 2 { 1.0 } else { -1.0 };
        let mut cloth = ClothSpec::new("sheet", cut, Material::default());
        cloth.velocity_m_per_s = DVec3::new(0.1 * f, way * speed_m_per_s, 0.05);
        cloth
    };
    ModelSpec {
        cloths: (0..count).map(sheet).collect(),
        ..ModelSpec::default()
    }
}

fn config(response: Response) -> StepConfig {
    StepConfig {
        contact: Some(ClothContact { friction: 0.3 }),
        response,
        ..StepConfig::default()
    }
}

/// Six sheets that fly at each other, some pairs of which only zones keep from meeting.
fn crowd(threads: usize) -> (State, usize) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build().unwrap().install(|| {
        let model = Model::build(&sheets(6, 9, 3.0)).unwrap();
        let config = config(Response::Impulses { restitution: 0.0 });
        let mut simulation = Simulation::new(Arc::new(model), config);
        simulation.watch(Watch::Forbid);
        let mut in_zones = 0;
        for _ in 0..10 {
            let report = simulation.step(1.0 / 60.0).unwrap();
            assert_eq!(report.crossings, Some(0));
            assert_eq!(report.struck.rounds > 0, report.struck.in_zones > 0);
            in_zones += report.struck.in_zones;
        }
        (simulation.state().clone(), in_zones)
    })
}

#[test]
fn a_crowd_of_sheets_stays_clean_with_zones() {
    let (state, in_zones) = crowd(1);
    assert!(in_zones > 0, "nothing came to zones");
    let (other, _) = crowd(3);
    let bits = |x: &[DVec3]| -> Vec<[u64; 3]> {
        x.iter().map(|x| x.to_array().map(f64::to_bits)).collect()
    };
    assert_eq!(bits(&state.positions), bits(&other.positions));
    assert_eq!(bits(&state.velocities), bits(&other.velocities));
}

/// Zones push the lowest of a crowd down on a floor, and not into it.
#[test]
fn zones_push_no_cloth_into_a_collider() {
    let mut spec = sheets(6, 9, 3.0);
    for cloth in &mut spec.cloths {
        cloth.velocity_m_per_s.y = -3.0;
    }
    let floor = Shape::Plane {
        normal: DVec3::Y,
        offset_m: -0.03,
    };
    spec.colliders.push(ColliderSpec::new(floor, 0.3));
    let model = Arc::new(Model::build(&spec).unwrap());
    let config = config(Response::Impulses { restitution: 0.0 });
    let mut simulation = Simulation::new(model.clone(), config);
    let mut in_zones = 0;
    for _ in 0..20 {
        in_zones += simulation.step(1.0 / 60.0).unwrap().struck.in_zones;
        let depth_m = collider_penetration_m(&model, simulation.state());
        assert!(depth_m < 1e-9, "{depth_m} m");
    }
    assert!(in_zones > 0, "nothing came to zones");
}

/// The guard keeps no momentum where rigid zones run into the boxes of their vertices, or vertices are
/// pushed or stopped alone: it says how much it changed, and nothing else in the step changes any.
#[test]
fn momentum_that_the_guard_takes_is_what_it_says() {
    let exact = StepConfig {
        preconditioner: Preconditioner::BlockDiagonal,
        linear_tolerance: 1e-12,
        linear_max_iterations: 5000,
        ..config(Response::Solver)
    };
    let model = Arc::new(Model::build(&sheets(5, 7, 8.0)).unwrap());
    let mut simulation = Simulation::new(model.clone(), exact);
    simulation.watch(Watch::Forbid);
    let momentum = |simulation: &Simulation| -> DVec3 {
        let each = model.masses.iter().zip(&simulation.state().velocities);
        each.map(|(m, v)| *m * *v).sum()
    };
    let scale: f64 = 8.0 * model.masses.iter().sum::<f64>();
    let (mut in_zones, mut most) = (0, 0.0_f64);
    for _ in 0..10 {
        let before = momentum(&simulation);
        let report = simulation.step(1.0 / 60.0).unwrap();
        let change = (momentum(&simulation) - before).length();
        let said = report.guard_took.momentum_n_s;
        in_zones += report.guarded.in_zones;
        most = most.max(change);
        assert!(
            (change - said).abs() < 1e-9 * scale,
            "{change} is not {said}"
        );
    }
    assert!(in_zones > 0, "nothing came to zones");
    assert!(most > 1e-6 * scale, "{most}");
}
