//! Where the camera stands: a box that the cloth will not leave, known before the run starts, so
//! that the film can be made while simulating.

use glam::DVec3;
use toile::geometry::Bounds;
use toile::io::Scene;
use toile::sim::Model;
use toile::sim::colliders::Shape;

/// Height of the highest level floor, if there is one.
pub fn floor_m(model: &Model) -> Option<f64> {
    model
        .colliders
        .iter()
        .filter_map(|collider| match collider.shape {
            Shape::Plane { normal, offset_m } if normal.y > 0.999 => Some(offset_m),
            _ => None,
        })
        .reduce(f64::max)
}

/// The box the film shows.
pub fn bounds(scene: &Scene, model: &Model) -> Bounds {
    let duration_s = f64::from(scene.frames) / scene.fps;
    let mut all = Bounds::EMPTY;
    for cloth in &model.cloths {
        let range = cloth.particles.clone();
        let pins: Vec<DVec3> = model
            .pins
            .iter()
            .filter(|&&pin| range.contains(&(pin as usize)))
            .map(|&pin| model.start_positions[pin as usize])
            .collect();
        let start = Bounds::of(&model.start_positions[range.clone()]);
        let velocity = model.start_velocities[range.start];
        all = all.union(start).union(if pins.is_empty() {
            falling(model, start, velocity, duration_s)
        } else {
            swinging(model, range, &pins, velocity)
        });
    }
    for collider in &model.colliders {
        if let Shape::Sphere { center, radius_m } = collider.shape {
            let half = DVec3::splat(radius_m);
            all = all.including(center - half).including(center + half);
        }
    }
    if let Some(floor) = floor_m(model) {
        all.min.y = all.min.y.max(floor.min(all.max.y));
    }
    all
}

/// Free flight to the end of the run.
fn falling(model: &Model, start: Bounds, velocity: DVec3, duration_s: f64) -> Bounds {
    let way = duration_s * velocity + 0.5 * duration_s * duration_s * model.gravity_m_per_s2;
    start.including(start.min + way).including(start.max + way)
}

/// As far down as the cloth reaches from its pins, and as far sideways as its energy lets it
/// swing.
fn swinging(
    model: &Model,
    particles: std::ops::Range<usize>,
    pins: &[DVec3],
    velocity: DVec3,
) -> Bounds {
    let positions = &model.start_positions[particles];
    let g = model.gravity_m_per_s2.length().max(1e-3);
    let nearest = |p: DVec3| {
        pins.iter()
            .map(|pin| pin.distance(p))
            .fold(f64::INFINITY, f64::min)
    };
    // A sample is enough for a camera, and keeps large cloths from costing quadratic time.
    let step = (positions.len() / 500).max(1);
    let reach = positions
        .iter()
        .step_by(step)
        .map(|p| nearest(*p))
        .fold(0.0, f64::max);
    let held = Bounds::of(pins);
    let lowest_start = Bounds::of(positions).min.y;
    let drop = (lowest_start - (held.min.y - reach)).max(0.0);
    let lift = (velocity.length_squared() / (2.0 * g) + drop).min(reach);
    let swing = (lift * (2.0 * reach - lift)).max(0.0).sqrt();
    let side = DVec3::new(swing, 0.0, swing);
    Bounds {
        min: held.min - side - DVec3::new(0.0, reach, 0.0),
        max: held.max + side,
    }
}
