//! Fields that move: rigid bodies, parts, sequences, and what is kept of them.

use glam::{DQuat, DVec3};
use toile_geometry::levelset::cache::{self, Kept};
use toile_geometry::levelset::{
    CacheError, Coarsening, Exact, Field, Grid, Octree, Parts, Placed, RigidMotion, Sequence,
    Settings, Solid, Stencil,
};

const BALL: Exact = Exact::Sphere { radius_m: 0.1 };

fn points(count: usize, half_m: f64) -> impl Iterator<Item = DVec3> {
    let spread = DVec3::new(0.819_172_5, 0.671_043_6, 0.549_700_5);
    (0..count).map(move |k| half_m * (2.0 * (0.5 + k as f64 * spread).fract() - 1.0))
}

fn ball_at(center: DVec3, velocity: DVec3) -> Grid {
    let mut mesh = BALL.mesh(0.01);
    mesh.positions.iter_mut().for_each(|p| *p += center);
    let solid = Solid::new(&mesh, 0.0).unwrap();
    let velocities = vec![velocity; mesh.positions.len()];
    let settings = Settings::new(0.01);
    Grid::build(&solid, &mesh.positions, Some(&velocities), &settings).unwrap()
}

#[test]
fn a_rigid_body_takes_its_field_along() {
    let shape = Exact::RoundedBox {
        half_m: DVec3::new(0.1, 0.05, 0.02),
        radius_m: 0.02,
    };
    let motion = RigidMotion {
        rotation: DQuat::from_scaled_axis(DVec3::new(0.4, -1.0, 0.3)),
        translation: DVec3::new(0.2, 0.1, -0.3),
        velocity: DVec3::X,
        spin: DVec3::new(0.0, 2.0, 1.0),
    };
    let placed = Placed {
        field: shape,
        motion,
    };
    for own in points(300, 0.2) {
        let world = motion.place(own);
        assert!((placed.distance_m(world) - shape.distance_m(own)).abs() < 1e-12);
        let turned = motion.rotation * shape.gradient(Stencil::Central, own);
        assert!(placed.gradient(Stencil::Central, world).distance(turned) < 1e-9);
        // Where the body's point is a moment later.
        let moment = 1e-6;
        let later = DQuat::from_scaled_axis(moment * motion.spin) * (world - motion.translation)
            + motion.translation
            + moment * motion.velocity;
        let velocity = (later - world) / moment;
        assert!(placed.velocity(world).distance(velocity) < 1e-5);
        if shape.distance_m(own) < 0.0 {
            assert!(placed.bounds().contains(world));
        }
    }
}

#[test]
fn the_nearest_part_counts_and_what_is_between_two_is_pinched() {
    let centers = [-0.12, 0.12].map(|x| x * DVec3::X);
    let balls = centers.map(|center| {
        let motion = RigidMotion {
            translation: center,
            velocity: center,
            ..RigidMotion::STILL
        };
        Placed {
            field: BALL,
            motion,
        }
    });
    let pinch_m = 0.03;
    let parts = Parts::new(balls, pinch_m);
    let mut pinched = 0;
    for point in points(20_000, 0.15) {
        let distances = centers.map(|c| point.distance(c) - 0.1);
        let nearest = usize::from(distances[1] < distances[0]);
        match parts.sample(point, 0.05) {
            None => assert!(distances[nearest] >= 0.05),
            Some(found) => {
                assert_eq!(found.part, nearest);
                assert!((found.sample.distance_m - distances[nearest]).abs() < 1e-12);
                let outward = (point - centers[nearest]).normalize();
                assert!(found.sample.normal().distance(outward) < 1e-6);
                assert_eq!(found.sample.velocity, centers[nearest]);
                let both = distances.iter().all(|d| *d < pinch_m);
                assert_eq!(found.is_pinched(), both, "{point}");
                pinched += usize::from(both);
            }
        }
        let asked = parts.nearest(point, 0.05).map(|(part, _)| part);
        assert_eq!(asked, (distances[nearest] < 0.05).then_some(nearest));
    }
    assert!(pinched > 10);
    assert!(parts.sample(DVec3::ZERO, 0.05).unwrap().is_pinched());
}

#[test]
fn between_two_times_fields_are_mixed() {
    let velocity = DVec3::new(0.01, 0.005, 0.0);
    let fields = [0.0, 1.0].map(|t| ball_at(t * velocity, velocity)).to_vec();
    let sequence = Sequence::new(vec![2.0, 3.0], fields.clone()).unwrap();
    for (time_s, center) in [(1.0, 0.0), (2.0, 0.0), (2.25, 0.25), (3.0, 1.0), (9.0, 1.0)] {
        let moment = sequence.at(time_s);
        for point in points(500, 0.13) {
            let exact = point.distance(center * velocity) - 0.1;
            if exact.abs() < 0.02 {
                let found = moment.sample(point);
                assert!((found.distance_m - exact).abs() < 1e-3, "{time_s} {point}");
                assert!(found.velocity.distance(velocity) < 1e-6);
            }
        }
    }
    assert!(Sequence::new(vec![1.0, 1.0], fields.clone()).is_err());
    assert!(Sequence::new(vec![1.0], fields.clone()).is_err());
    assert!(Sequence::new(vec![1.0, f64::NAN], fields).is_err());
    assert!(Sequence::<Grid>::new(vec![], vec![]).is_err());
}

fn comes_back<T: Kept + PartialEq + std::fmt::Debug>(field: &T) {
    let bytes = cache::to_bytes(field, 77);
    assert_eq!(cache::from_bytes::<T>(&bytes, 77).unwrap(), *field);
    let stale = cache::from_bytes::<T>(&bytes, 78);
    assert!(matches!(
        stale,
        Err(CacheError::Stale {
            found: 77,
            expected: 78
        })
    ));
    // Cut anywhere, or changed anywhere, it is refused.
    for k in 0..60 {
        let place = k * bytes.len() / 60;
        assert!(cache::from_bytes::<T>(&bytes[..place], 77).is_err());
        let mut changed = bytes.clone();
        changed[place] ^= 0x10;
        assert!(cache::from_bytes::<T>(&changed, 77).is_err(), "{place}");
    }
}

#[test]
fn what_is_kept_comes_back_and_damage_is_told() {
    let grid = ball_at(DVec3::ZERO, DVec3::X);
    let tree = Octree::from_grid(&grid, &Coarsening::new(0.01)).unwrap();
    comes_back(&grid);
    comes_back(&tree);
    comes_back(&Sequence::new(vec![0.0, 0.5], vec![tree.clone(), tree.clone()]).unwrap());

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ball.sdf");
    cache::write(&path, &tree, 5).unwrap();
    assert_eq!(cache::read::<Octree>(&path, 5).unwrap(), tree);
    assert!(matches!(
        cache::read::<Grid>(&path, 5),
        Err(CacheError::Kind)
    ));
    let missing = folder.path().join("missing");
    assert!(matches!(
        cache::read::<Grid>(&missing, 5),
        Err(CacheError::File(_))
    ));
    std::fs::write(&path, b"something else entirely").unwrap();
    assert!(matches!(
        cache::read::<Octree>(&path, 5),
        Err(CacheError::Foreign)
    ));
}

#[test]
fn the_key_knows_everything_a_field_depends_on() {
    let mesh = BALL.mesh(0.02);
    let solid = Solid::new(&mesh, 0.0).unwrap();
    let settings = Settings::new(0.01);
    let coarsening = Coarsening::new(0.01);
    let pose = mesh.positions.as_slice();
    let mut moved = mesh.positions.clone();
    moved[7].y += 1e-12;
    let finer = Settings::new(0.005);
    let other = Coarsening {
        growth: 0.5,
        ..coarsening
    };
    let keys = [
        cache::key(&solid, &[pose], &settings, None),
        cache::key(&solid, &[pose, pose], &settings, None),
        cache::key(&solid, &[&moved], &settings, None),
        cache::key(&solid, &[pose], &finer, None),
        cache::key(&solid, &[pose], &settings, Some(&coarsening)),
        cache::key(&solid, &[pose], &settings, Some(&other)),
    ];
    for (k, key) in keys.iter().enumerate() {
        assert!(!keys[..k].contains(key), "{k}");
    }
    assert_eq!(keys[0], cache::key(&solid, &[pose], &settings, None));
}
