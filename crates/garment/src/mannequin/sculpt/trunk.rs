//! Trunk, neck and head in clay.

use super::Plan;
use super::clay::{Clay, Section, Shape, Work};
use glam::{DMat3, DVec3};

/// A cross-section of the model trunk: height as a share of crotch to crown, half breadth, reach
/// to the back and to the front (m), and how square it is.
type Row = (f64, f64, f64, f64, f64);

/// The woman's trunk, at bust 90, waist 72, hip 98 cm.
const WOMAN: [Row; 13] = [
    (-0.020, 0.110, 0.070, 0.058, 2.2),
    (0.030, 0.150, 0.094, 0.080, 2.2),
    (0.085, 0.166, 0.102, 0.092, 2.2),
    (0.140, 0.162, 0.098, 0.101, 2.2),
    (0.210, 0.141, 0.086, 0.103, 2.2),
    (0.295, 0.117, 0.078, 0.098, 2.2),
    (0.380, 0.123, 0.092, 0.096, 2.3),
    (0.470, 0.136, 0.108, 0.090, 2.3),
    (0.545, 0.138, 0.113, 0.076, 2.4),
    (0.605, 0.125, 0.106, 0.052, 2.4),
    (0.645, 0.092, 0.090, 0.026, 2.2),
    (0.675, 0.060, 0.074, 0.010, 2.0),
    (0.705, 0.036, 0.058, 0.002, 2.0),
];

/// The man's trunk, at chest 98, waist 84, hip 98 cm.
const MAN: [Row; 13] = [
    (-0.020, 0.110, 0.070, 0.066, 2.3),
    (0.030, 0.146, 0.094, 0.088, 2.3),
    (0.085, 0.160, 0.102, 0.098, 2.3),
    (0.140, 0.158, 0.096, 0.106, 2.3),
    (0.210, 0.147, 0.090, 0.111, 2.3),
    (0.295, 0.140, 0.090, 0.112, 2.3),
    (0.380, 0.149, 0.102, 0.112, 2.4),
    (0.470, 0.163, 0.118, 0.108, 2.5),
    (0.545, 0.166, 0.124, 0.096, 2.6),
    (0.605, 0.150, 0.118, 0.066, 2.5),
    (0.645, 0.110, 0.100, 0.034, 2.2),
    (0.675, 0.070, 0.084, 0.014, 2.0),
    (0.705, 0.042, 0.066, 0.004, 2.0),
];

/// How much larger than the model the trunk is at a height.
fn scale(plan: &Plan, share: f64) -> f64 {
    const AT: [f64; 4] = [0.09, 0.30, 0.48, 0.66];
    let top = 0.5 * (plan.bust + plan.shoulder_m / plan.pick(0.195, 0.225));
    let values = [plan.hip, plan.waist, plan.bust, top];
    let k = AT.partition_point(|&s| s <= share);
    if k == 0 {
        return values[0];
    }
    if k == AT.len() {
        return values[AT.len() - 1];
    }
    let t = (share - AT[k - 1]) / (AT[k] - AT[k - 1]);
    let smooth = t * t * (3.0 - 2.0 * t);
    values[k - 1] + smooth * (values[k] - values[k - 1])
}

/// Torso, shoulders and neck.
pub fn trunk(plan: &Plan, clay: &mut Clay) {
    let rows = plan.pick(WOMAN, MAN);
    let sections = rows.map(|(share, half, back, front, power)| {
        let s = scale(plan, share);
        Section {
            at_m: plan.up_m(share),
            middle_m: [0.0; 2],
            across_m: [s * back, s * front],
            deep_m: [s * half; 2],
            power,
        }
    });
    clay.add(
        Shape::sweep(DVec3::ZERO, DVec3::Y, DVec3::Z, &sections, [0.06, 0.04]),
        0.01,
    );
    seat(plan, clay);
    chest(plan, clay);
    shoulders(plan, clay);
    neck(plan, clay);
}

/// Buttocks.
fn seat(plan: &Plan, clay: &mut Clay) {
    let s = plan.hip;
    let center = DVec3::new(0.070 * s, plan.up_m(0.062), plan.pick(-0.062, -0.055) * s);
    let radii = plan.pick(DVec3::new(0.084, 0.105, 0.078), DVec3::new(0.078, 0.098, 0.072));
    let shape = Shape::egg(center, DVec3::new(s * radii.x, radii.y, s * radii.z));
    clay.pair(Work::Add, &shape, 0.07);
}

/// Bust or pectorals, shoulder blades, the furrow of the spine.
fn chest(plan: &Plan, clay: &mut Clay) {
    let s = plan.bust;
    let woman = DVec3::new(0.074 * s, plan.up_m(0.492), 0.068 * s);
    let man = DVec3::new(0.082 * s, plan.up_m(0.515), 0.062 * s);
    let radii = plan.pick(DVec3::new(0.060, 0.062, 0.056), DVec3::new(0.078, 0.062, 0.052));
    let turn = DMat3::from_rotation_y(plan.pick(0.30, 0.20)) * DMat3::from_rotation_x(0.12);
    let shape = Shape::Egg {
        center: plan.pick(woman, man),
        frame: turn,
        radii_m: s * radii,
    };
    clay.pair(Work::Add, &shape, plan.pick(0.05, 0.05));
    // From the bust up to the collar the chest is filled: without this the bust would be two balls.
    let fill = Shape::Cone {
        ends: [
            DVec3::new(0.068 * s, plan.up_m(0.505), 0.052 * s),
            DVec3::new(0.080 * s, plan.up_m(0.610), 0.002 * s),
        ],
        radii_m: [0.050 * s, 0.036 * s],
    };
    clay.pair(Work::Add, &fill, 0.08);
    let blade = Shape::Egg {
        center: DVec3::new(0.080 * s, plan.up_m(0.560), -0.080 * s),
        frame: DMat3::from_rotation_y(-0.25) * DMat3::from_rotation_z(0.15),
        radii_m: DVec3::new(0.058, 0.085, 0.040) * s,
    };
    clay.pair(Work::Add, &blade, 0.05);
    let back = |share: f64, depth: f64| DVec3::new(0.0, plan.up_m(share), -depth);
    let furrow = Shape::Cone {
        ends: [
            back(0.25, 0.100 * plan.waist),
            back(0.56, 0.140 * plan.bust),
        ],
        radii_m: [0.010, 0.014],
    };
    clay.work(Work::Carve, furrow, 0.035);
}

/// From the neck down to the arms.
fn shoulders(plan: &Plan, clay: &mut Clay) {
    let joint = plan.shoulder();
    let r = 0.046 * plan.upper_arm;
    let slope = Shape::Cone {
        ends: [
            DVec3::new(0.022 * plan.neck, plan.up_m(0.682), -0.042),
            joint + DVec3::new(-0.012, 0.004, 0.0),
        ],
        radii_m: [0.038 * plan.neck, r],
    };
    clay.pair(Work::Add, &slope, 0.06);
}

/// The neck, leaning forward.
fn neck(plan: &Plan, clay: &mut Clay) {
    let n = plan.neck;
    let foot = DVec3::new(0.0, plan.up_m(0.640), -0.036);
    let top = DVec3::new(0.0, plan.up_m(0.83), 0.000);
    let r = plan.pick(0.0515, 0.0595) * n;
    let length = foot.distance(top);
    let section = |share: f64, grown: f64| Section {
        at_m: share * length,
        middle_m: [0.0; 2],
        across_m: [grown * 1.06 * r, grown * 1.02 * r],
        deep_m: [grown * 0.98 * r; 2],
        power: 2.0,
    };
    let sections = [
        section(0.0, 0.96),
        section(0.25, 1.02),
        section(0.5, 1.0),
        section(0.75, 0.98),
        section(1.0, 1.0),
    ];
    clay.add(
        Shape::sweep(foot, top - foot, DVec3::Z, &sections, [0.04, 0.03]),
        0.05,
    );
}

/// An egg with a jaw and a plane for the face.
pub fn head(plan: &Plan, clay: &mut Clay) {
    let s = plan.stature;
    let crown = plan.crown_m;
    let skull = Shape::egg(
        DVec3::new(0.0, crown - 0.098 * s, 0.004),
        DVec3::new(0.075, 0.098, 0.094) * s,
    );
    clay.add(skull, 0.02);
    let jaw = Shape::Egg {
        center: DVec3::new(0.0, crown - 0.156 * s, 0.026),
        frame: DMat3::from_rotation_x(-0.15),
        radii_m: DVec3::new(0.054, 0.068, 0.062) * s,
    };
    clay.add(jaw, 0.05);
}
