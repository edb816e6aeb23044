//! Trunk, neck and head in clay.

use super::Plan;
use super::clay::{Clay, Section, Shape, Work};
use glam::{DMat3, DVec3};

/// A cross-section of the model trunk: height as a share of crotch to crown, half breadth, reach
/// to the back and to the front (m), and how square it is.
type Row = (f64, f64, f64, f64, f64);

/// The woman's trunk, at bust 90, waist 72, hip 98 cm.
const WOMAN: [Row; 13] = [
    (-0.020, 0.146, 0.070, 0.058, 2.2),
    (0.030, 0.167, 0.092, 0.076, 2.2),
    (0.085, 0.174, 0.100, 0.088, 2.2),
    (0.140, 0.168, 0.097, 0.097, 2.2),
    (0.210, 0.149, 0.089, 0.101, 2.2),
    (0.290, 0.126, 0.083, 0.100, 2.2),
    (0.375, 0.132, 0.097, 0.099, 2.3),
    (0.470, 0.138, 0.108, 0.091, 2.3),
    (0.545, 0.138, 0.113, 0.076, 2.4),
    (0.605, 0.125, 0.107, 0.052, 2.4),
    (0.645, 0.094, 0.094, 0.026, 2.2),
    (0.675, 0.062, 0.080, 0.010, 2.0),
    (0.705, 0.038, 0.064, 0.002, 2.0),
];

/// The man's trunk, at chest 98, waist 84, hip 98 cm.
const MAN: [Row; 13] = [
    (-0.020, 0.140, 0.070, 0.066, 2.3),
    (0.030, 0.161, 0.094, 0.086, 2.3),
    (0.085, 0.168, 0.102, 0.096, 2.3),
    (0.140, 0.166, 0.098, 0.104, 2.3),
    (0.210, 0.156, 0.094, 0.111, 2.3),
    (0.290, 0.150, 0.095, 0.114, 2.3),
    (0.375, 0.157, 0.106, 0.114, 2.4),
    (0.470, 0.164, 0.121, 0.110, 2.5),
    (0.545, 0.162, 0.126, 0.098, 2.5),
    (0.605, 0.146, 0.119, 0.066, 2.5),
    (0.645, 0.112, 0.104, 0.034, 2.2),
    (0.675, 0.072, 0.088, 0.014, 2.0),
    (0.705, 0.044, 0.070, 0.004, 2.0),
];

/// How much larger than the model the trunk is at a height. From hips to waist it goes over all the height
/// there is: where a waist is large for its hips, a shorter way would be a shelf.
fn scale(plan: &Plan, share: f64) -> f64 {
    const AT: [f64; 5] = [0.07, 0.30, 0.34, 0.48, 0.66];
    let top = 0.5 * (plan.bust + plan.shoulder_m / plan.pick(0.195, 0.235));
    let values = [plan.hip, plan.waist, plan.waist, plan.bust, top];
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

/// Half axes of an egg that grows across and in depth more than in height.
fn tall(radii_m: DVec3, s: f64) -> DVec3 {
    radii_m * DVec3::new(s, s.sqrt(), s)
}

/// Torso, shoulders and neck.
pub fn trunk(plan: &Plan, clay: &mut Clay) {
    let rows = plan.pick(WOMAN, MAN);
    let sections = rows.map(|(share, half, back, front, power)| {
        // Who is larger is so in depth more than in breadth.
        let s = scale(plan, share);
        let (wide, deep) = (s.powf(0.78), s.powf(1.22));
        Section {
            at_m: plan.up_m(share),
            middle_m: [0.0; 2],
            across_m: [deep * back, deep * front],
            deep_m: [wide * half; 2],
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
    let radii = plan.pick(
        DVec3::new(0.084, 0.105, 0.078),
        DVec3::new(0.078, 0.098, 0.072),
    );
    let shape = Shape::egg(center, tall(radii, s));
    clay.pair(Work::Add, &shape, 0.08);
}

/// Bust or pectorals, shoulder blades, the furrow of the spine.
fn chest(plan: &Plan, clay: &mut Clay) {
    let s = plan.bust;
    let woman = DVec3::new(
        0.074 * s.powf(0.8),
        plan.up_m(0.492 - 0.03 * (s - 1.0)),
        0.068 * s.powf(1.1),
    );
    let man = DVec3::new(0.080 * s, plan.up_m(0.520), 0.062 * s);
    let radii = plan.pick(
        DVec3::new(0.060, 0.062, 0.056),
        DVec3::new(0.080, 0.058, 0.045),
    );
    let turn = DMat3::from_rotation_y(plan.pick(0.30, 0.20)) * DMat3::from_rotation_x(0.12);
    let shape = Shape::Egg {
        center: plan.pick(woman, man),
        frame: turn,
        radii_m: tall(radii, s.powf(0.8)),
    };
    // The underside of a man's chest runs out into the ribs; a shelf would grow with the size.
    clay.pair(Work::Add, &shape, plan.pick(0.05, 0.075));
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
        center: DVec3::new(0.080 * s.sqrt(), plan.up_m(0.535), -0.080 * s),
        frame: DMat3::from_rotation_y(-0.25) * DMat3::from_rotation_z(0.15),
        radii_m: tall(DVec3::new(0.056, 0.086, 0.036), s.powf(0.7)),
    };
    clay.pair(Work::Add, &blade, 0.07);
    let back = |share: f64, depth: f64| DVec3::new(0.0, plan.up_m(share), -depth);
    let furrow = Shape::Cone {
        ends: [
            back(0.25, plan.pick(0.101, 0.116) * plan.waist),
            back(0.53, plan.pick(0.140, 0.153) * plan.bust),
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
            DVec3::new(0.024 * plan.neck, plan.up_m(0.670), -0.042),
            joint + DVec3::new(-0.012, 0.004, 0.0),
        ],
        radii_m: [0.033 * plan.neck, r],
    };
    clay.pair(Work::Add, &slope, 0.06);
    // Where neck and back meet.
    let nape = Shape::egg(
        DVec3::new(0.0, plan.up_m(0.650), -0.062),
        DVec3::new(0.045, 0.050, 0.024),
    );
    clay.add(nape, 0.05);
}

/// The neck, leaning forward.
fn neck(plan: &Plan, clay: &mut Clay) {
    let n = plan.neck;
    let foot = DVec3::new(0.0, plan.up_m(0.640), -0.036);
    let top = DVec3::new(0.0, plan.up_m(0.83), 0.000);
    let r = plan.pick(0.0450, 0.0575) * n;
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
    clay.add(skull, 0.04);
    let jaw = Shape::Egg {
        center: DVec3::new(0.0, crown - 0.152 * s, 0.026),
        frame: DMat3::from_rotation_x(-0.15),
        radii_m: DVec3::new(0.054, 0.065, 0.061) * s,
    };
    clay.add(jaw, 0.05);
}
