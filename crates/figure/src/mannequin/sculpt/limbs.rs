//! Arms, hands, legs and feet in clay. Everything is said for the left side.

use super::Plan;
use super::clay::{Clay, Section, Shape, Work};
use glam::DVec3;

/// A cross-section of a model limb: place as a share of its length, scale, where its middle lies to
/// the front and to the inside, reach to the back, front, outside and inside (m).
struct Ring(f64, f64, [f64; 2], [f64; 4]);

/// A limb from `from` to `to` through `rings`.
fn limb(from: DVec3, to: DVec3, rings: &[Ring], round_m: [f64; 2], power: f64) -> Shape {
    let length = from.distance(to);
    let section = |&Ring(share, s, middle_m, [back, front, outside, inside]): &Ring| Section {
        at_m: share * length,
        middle_m,
        across_m: [s * back, s * front],
        deep_m: [s * outside, s * inside],
        power,
    };
    let sections: Vec<Section> = rings.iter().map(section).collect();
    Shape::sweep(from, to - from, DVec3::Z, &sections, round_m)
}

/// Legs from inside of the pelvis to the ankles.
pub fn legs(plan: &Plan, clay: &mut Clay) {
    let (top, ankle) = (plan.thigh(), plan.ankle());
    let down = (ankle - top) / (top.y - ankle.y);
    let from = top - 0.11 * down;
    let to = ankle + 0.03 * down;
    let span = from.y - to.y;
    // Shares of the inside leg, from the floor up.
    let at = |share: f64| (from.y - plan.down_m(share)) / span;
    let (t, c, a) = (plan.thigh, plan.calf, plan.ankle);
    let knee = 0.5 * (0.4 * t + 1.0 * c + 0.6 * a);
    let m = plan.pick(0.0, 0.003);
    let rings = [
        Ring(0.0, t, [0.004, 0.0], [0.060, 0.050, 0.040, 0.045]),
        Ring(0.06 / span, t, [0.005, 0.0], [0.078, 0.068, 0.068, 0.064]),
        Ring(at(0.99), t, [0.006, 0.0], [0.092, 0.082, 0.079, 0.081]),
        Ring(at(0.90), t, [0.008, 0.0], [0.090, 0.085, 0.081, 0.081]),
        Ring(at(0.78), t, [0.008, 0.0], [0.078, 0.080, 0.074, 0.073]),
        Ring(
            at(0.67),
            0.5 * (t + knee),
            [0.007, 0.0],
            [0.064, 0.065, 0.061, 0.060],
        ),
        Ring(at(0.575), knee, [0.006, 0.0], [0.056, 0.056, 0.053, 0.053]),
        Ring(
            at(0.50),
            0.5 * (knee + c),
            [0.000, 0.0],
            [0.056, 0.050, 0.051, 0.052],
        ),
        Ring(
            at(0.41),
            c,
            [-0.006, 0.0],
            [0.063 + m, 0.050, 0.055 + m, 0.057],
        ),
        Ring(at(0.31), c, [-0.004, 0.0], [0.055, 0.045, 0.048, 0.048]),
        Ring(
            at(0.20),
            0.4 * c + 0.6 * a,
            [0.000, 0.0],
            [0.039, 0.037, 0.036, 0.036],
        ),
        Ring(at(0.115), a, [0.002, 0.0], [0.035, 0.034, 0.031, 0.031]),
        Ring(1.0, a, [0.002, 0.0], [0.037, 0.040, 0.034, 0.034]),
    ];
    clay.pair(Work::Add, &limb(from, to, &rings, [0.03, 0.01], 2.0), 0.045);
}

/// Feet that stand flat on the floor.
pub fn feet(plan: &Plan, clay: &mut Clay) {
    let s = plan.stature;
    let ankle = plan.ankle();
    let ahead = plan.foot_axis();
    let heel = DVec3::new(ankle.x, 0.0, ankle.z) - 0.052 * s * ahead;
    let length = plan.pick(0.238, 0.258) * s;
    // Axis along the foot; first direction up, second to the inside (left foot: −x).
    let section = |share: f64, up: f64, out: f64, inn: f64, shift: f64| Section {
        at_m: share * length,
        middle_m: [0.018 * s, shift * s],
        across_m: [0.018 * s, (up - 0.018) * s],
        deep_m: [out * s, inn * s],
        power: 2.4,
    };
    let sections = [
        section(0.0, 0.060, 0.026, 0.026, 0.0),
        section(0.12, 0.074, 0.031, 0.031, 0.0),
        section(0.28, 0.078, 0.032, 0.032, 0.0),
        section(0.45, 0.066, 0.035, 0.033, 0.0),
        section(0.62, 0.050, 0.041, 0.038, 0.0),
        section(0.76, 0.040, 0.044, 0.042, 0.0),
        section(0.90, 0.034, 0.038, 0.040, 0.0),
        section(0.97, 0.030, 0.028, 0.033, 0.0),
        section(1.0, 0.028, 0.022, 0.028, 0.0),
    ];
    let shape = Shape::sweep(heel, ahead, DVec3::Y, &sections, [0.03, 0.024]);
    clay.pair(Work::Add, &shape, 0.03);
}

/// Arms from inside of the shoulders to the wrists.
pub fn arms(plan: &Plan, clay: &mut Clay) {
    let (u, w) = (plan.upper_arm, plan.wrist);
    let (from, to) = (plan.shoulder(), plan.wrist());
    let e = 0.5 * u + 0.5 * w;
    let bulk = plan.pick(1.0, 1.06);
    // The elbow is a little behind the line from shoulder to wrist: arms hang slightly bent.
    let rings = [
        Ring(0.0, u, [0.0, 0.0], [0.048, 0.048, 0.048 * bulk, 0.045]),
        Ring(0.10, u, [-0.002, 0.0], [0.050, 0.051, 0.051 * bulk, 0.046]),
        Ring(0.24, u, [-0.006, 0.0], [0.046, 0.048, 0.044 * bulk, 0.043]),
        Ring(0.38, u, [-0.011, 0.0], [0.043, 0.044, 0.040, 0.040]),
        Ring(0.50, e, [-0.015, 0.0], [0.040, 0.038, 0.037, 0.037]),
        Ring(0.565, e, [-0.015, 0.0], [0.040, 0.038, 0.038, 0.037]),
        Ring(0.66, e, [-0.011, 0.0], [0.041, 0.041, 0.038, 0.038]),
        Ring(
            0.80,
            0.4 * e + 0.6 * w,
            [-0.005, 0.0],
            [0.034, 0.034, 0.029, 0.029],
        ),
        Ring(0.93, w, [-0.001, 0.0], [0.028, 0.028, 0.022, 0.022]),
        Ring(1.02, w, [0.0, 0.0], [0.028, 0.029, 0.021, 0.021]),
    ];
    clay.pair(Work::Add, &limb(from, to, &rings, [0.046, 0.01], 2.0), 0.05);
}

/// Mittens with a thumb, the palms towards the thighs.
pub fn hands(plan: &Plan, clay: &mut Clay) {
    let s = plan.stature * plan.pick(1.0, 1.03);
    let (wrist, axis) = (plan.wrist(), plan.arm_axis());
    // The root of the hand grows with the wrist.
    let root = s * (plan.wrist / s).max(1.0).powf(0.7);
    let length = 0.172 * s;
    let tip = wrist + length * axis;
    // Fingers curl to the inside.
    let rings = [
        Ring(-0.06, root, [0.0, 0.0], [0.026, 0.027, 0.020, 0.019]),
        Ring(0.10, root, [0.001, 0.0], [0.029, 0.030, 0.019, 0.018]),
        Ring(0.28, s, [0.002, 0.0], [0.036, 0.036, 0.018, 0.018]),
        Ring(0.48, s, [0.002, 0.001], [0.039, 0.037, 0.017, 0.016]),
        Ring(0.66, s, [0.001, 0.004], [0.036, 0.034, 0.014, 0.014]),
        Ring(0.84, s, [0.0, 0.010], [0.030, 0.029, 0.012, 0.012]),
        Ring(0.95, s, [0.0, 0.015], [0.022, 0.022, 0.010, 0.010]),
        Ring(1.0, s, [0.0, 0.018], [0.014, 0.014, 0.008, 0.008]),
    ];
    let shape = limb(wrist, tip, &rings, [0.01, 0.007], 2.3);
    clay.pair(Work::Add, &shape, 0.02);
    let inside = axis.cross(DVec3::Z);
    let at = |along: f64, front: f64, inn: f64| {
        wrist + s * (along * axis + front * DVec3::Z + inn * inside)
    };
    let ball = Shape::Cone {
        ends: [at(0.020, 0.014, 0.006), at(0.056, 0.044, 0.010)],
        radii_m: [0.018 * s, 0.0145 * s],
    };
    clay.pair(Work::Add, &ball, 0.02);
    let thumb = Shape::Cone {
        ends: [at(0.056, 0.044, 0.010), at(0.094, 0.073, 0.015)],
        radii_m: [0.0140 * s, 0.0100 * s],
    };
    clay.pair(Work::Add, &thumb, 0.012);
}
