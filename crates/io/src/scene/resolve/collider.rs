//! What cloths meet.

use super::motion::{self, Moved};
use super::range::{above_zero, direction, not_empty, not_negative, within};
use super::{Checked, range};
use crate::scene::error::Fault;
use crate::scene::{key, raw};
use glam::DVec3;
use toile_sim::colliders::{EDGE_RADIUS_M, Shape};
use toile_sim::{ColliderSpec, FrictionLaw, Motion};

/// Unions of unions are read this deep.
const DEEPEST: usize = 16;

/// Validates one collider; `friction` is what it has unless it says otherwise.
pub(super) fn spec(
    path: &key::Path,
    collider: &mut raw::Collider,
    friction: f64,
) -> Checked<ColliderSpec> {
    let friction = *collider.friction.get_or_insert(friction);
    match collider.friction_law {
        raw::FrictionLaw::Coulomb => range::friction(&path.with("friction"), friction)?,
        raw::FrictionLaw::Viscous => not_negative(&path.with("friction"), friction)?,
    }
    let shape = shape(&path.with("shape"), &mut collider.shape, DEEPEST)?;
    let motion = motion(path, collider)?;
    if let Some(forecast_s) = collider.forecast_s {
        above_zero(&path.with("forecast_s"), forecast_s)?;
    }
    Ok(ColliderSpec {
        shape,
        motion,
        friction,
        friction_law: match collider.friction_law {
            raw::FrictionLaw::Coulomb => FrictionLaw::Coulomb,
            raw::FrictionLaw::Viscous => FrictionLaw::Viscous,
        },
        forecast_s: collider.forecast_s,
        drawn: collider.draw,
    })
}

/// How a collider moves.
pub(super) fn motion(path: &key::Path, collider: &mut raw::Collider) -> Checked<Motion> {
    let scaled = |key: &raw::Keyframe| key.scale != [1.0; 3];
    if let Some(k) = collider.keyframes.iter().position(scaled) {
        let path = path.with("keyframes").with(k).with("scale");
        let found = collider.keyframes[k].scale;
        let message = format!("a collider keeps its size, expected [1, 1, 1], found {found:?}");
        return Err(Fault::new(path, message));
    }
    motion::spec(
        path,
        Moved {
            velocity_m_per_s: collider.velocity_m_per_s,
            keyframes: &collider.keyframes,
            pivot: collider.pivot,
            interpolation: &mut collider.interpolation,
            start: "a collider is where it starts",
        },
    )
}

fn shape(path: &key::Path, shape: &mut raw::Shape, deepest: usize) -> Checked<Shape> {
    // Without `..`: a shape that is added does not compile until it is read here.
    let raw::Shape {
        plane,
        sphere,
        capsule,
        cuboid,
        cylinder,
        torus,
        union,
        mesh,
    } = shape;
    let given = [
        ("plane", plane.is_some()),
        ("sphere", sphere.is_some()),
        ("capsule", capsule.is_some()),
        ("box", cuboid.is_some()),
        ("cylinder", cylinder.is_some()),
        ("torus", torus.is_some()),
        ("union", union.is_some()),
        ("mesh", mesh.is_some()),
    ];
    let names: Vec<&str> = given.iter().filter(|g| g.1).map(|g| g.0).collect();
    let [name] = names.as_slice() else {
        let found = match names.as_slice() {
            [] => "none".to_owned(),
            several => several.join(" and "),
        };
        let [all @ .., last] = given.map(|(name, _)| name);
        let message = format!(
            "expected exactly one of {} and {last}, found {found}",
            all.join(", ")
        );
        return Err(Fault::new(path.clone(), message));
    };
    let path = path.with(*name);
    if mesh.is_some() {
        let message = "a mesh has no inside that could be joined: expected a collider of its own";
        return Err(Fault::new(path, message));
    }
    if let Some(plane) = plane {
        return Ok(Shape::Plane {
            normal: direction(&path.with("normal"), plane.normal)?,
            offset_m: plane.offset_m,
        });
    }
    if let Some(sphere) = sphere {
        above_zero(&path.with("radius_m"), sphere.radius_m)?;
        return Ok(Shape::Sphere {
            center: sphere.center.into(),
            radius_m: sphere.radius_m,
        });
    }
    if let Some(capsule) = capsule {
        above_zero(&path.with("radius_m"), capsule.radius_m)?;
        return Ok(Shape::Capsule {
            from: capsule.from.into(),
            to: capsule.to.into(),
            radius_m: capsule.radius_m,
        });
    }
    if let Some(cuboid) = cuboid {
        return self::cuboid(&path, cuboid);
    }
    if let Some(cylinder) = cylinder {
        return self::cylinder(&path, cylinder);
    }
    if let Some(torus) = torus {
        return self::torus(&path, torus);
    }
    self::union(&path, union.as_mut(), deepest)
}

fn cuboid(path: &key::Path, cuboid: &mut raw::Cuboid) -> Checked<Shape> {
    for (axis, size_m) in cuboid.size_m.into_iter().enumerate() {
        above_zero(&path.with("size_m").with(axis), size_m)?;
    }
    let size_m = DVec3::from(cuboid.size_m);
    let most_m = 0.5 * size_m.min_element();
    let radius_m = *cuboid.radius_m.get_or_insert(EDGE_RADIUS_M.min(most_m));
    within(&path.with("radius_m"), radius_m, 0.0..=most_m)?;
    Ok(Shape::Cuboid {
        center: cuboid.center.into(),
        size_m,
        radius_m,
    })
}

fn cylinder(path: &key::Path, cylinder: &mut raw::Cylinder) -> Checked<Shape> {
    above_zero(&path.with("radius_m"), cylinder.radius_m)?;
    let [from, to] = [cylinder.from, cylinder.to].map(DVec3::from);
    if from == to {
        let message = format!(
            "expected another place than `from`, found {:?}",
            cylinder.to
        );
        return Err(Fault::new(path.with("to"), message));
    }
    let most_m = cylinder.radius_m.min(0.5 * from.distance(to));
    let edge_radius_m = *cylinder
        .edge_radius_m
        .get_or_insert(EDGE_RADIUS_M.min(most_m));
    within(&path.with("edge_radius_m"), edge_radius_m, 0.0..=most_m)?;
    Ok(Shape::Cylinder {
        from,
        to,
        radius_m: cylinder.radius_m,
        edge_radius_m,
    })
}

fn torus(path: &key::Path, torus: &raw::Torus) -> Checked<Shape> {
    above_zero(&path.with("ring_m"), torus.ring_m)?;
    above_zero(&path.with("tube_m"), torus.tube_m)?;
    if torus.tube_m >= torus.ring_m {
        let message = format!(
            "the tube would cross itself: expected less than `ring_m`, {}, found {}",
            torus.ring_m, torus.tube_m
        );
        return Err(Fault::new(path.with("tube_m"), message));
    }
    Ok(Shape::Torus {
        center: torus.center.into(),
        axis: direction(&path.with("axis"), torus.axis)?,
        ring_m: torus.ring_m,
        tube_m: torus.tube_m,
    })
}

fn union(path: &key::Path, union: Option<&mut raw::Union>, deepest: usize) -> Checked<Shape> {
    let (blend_m, of) = match union {
        Some(union) => (union.blend_m, union.of.as_mut_slice()),
        None => (0.0, &mut [][..]),
    };
    not_negative(&path.with("blend_m"), blend_m)?;
    let path = path.with("of");
    not_empty(&path, of)?;
    let Some(deepest) = deepest.checked_sub(1) else {
        let message = format!("expected unions at most {DEEPEST} deep");
        return Err(Fault::new(path, message));
    };
    let of = of.iter_mut().enumerate();
    Ok(Shape::Union {
        blend_m,
        of: of
            .map(|(k, member)| shape(&path.with(k), member, deepest))
            .collect::<Checked<_>>()?,
    })
}
