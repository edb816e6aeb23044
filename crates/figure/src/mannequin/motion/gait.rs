//! Walking: feet that stand still on the floor while they stand, and hips that are carried over them.

use super::ease;
use super::stance::{Arm, Foot, Poser, STRETCH, Stance};
use crate::mannequin::skeleton::Side;
use glam::DVec3;
use std::f64::consts::TAU;

/// A way of walking.
#[derive(Clone, Copy, Debug)]
pub struct Gait {
    /// Time of a stride: both feet once, s.
    pub stride_s: f64,
    /// Distance of a stride, m.
    pub stride_m: f64,
    /// How far arms swing, rad.
    swing_rad: f64,
    /// How far elbows are bent, rad.
    bend_rad: f64,
    /// How far the trunk leans forward, rad.
    lean_rad: f64,
    /// How far the hips rise over a foot that stands, and sink between, m.
    bob_m: f64,
    /// How far off the hips arms are held, rad.
    clear_rad: f64,
    /// How much lower than at rest the hips are carried, m.
    drop_m: f64,
}

/// The share of a stride for which a foot stands.
const STANDS: f64 = 0.6;
/// When in its stride a foot is passed by the hips.
const PASSED: f64 = 0.29;
/// Pitch of a foot over its stride, in degrees: on the heel, flat, on the ball, in the air.
const PITCH: [(f64, f64); 7] = [
    (0.0, 17.0),
    (0.11, 0.0),
    (0.35, 0.0),
    (0.60, -46.0),
    (0.72, -38.0),
    (0.93, 18.0),
    (1.0, 17.0),
];

impl Gait {
    /// An easy walk.
    pub fn walk(poser: &Poser) -> Self {
        Self {
            stride_s: 1.10,
            stride_m: 1.34 * poser.leg_m(),
            swing_rad: 0.36,
            bend_rad: 0.28,
            lean_rad: 0.03,
            bob_m: 0.016,
            clear_rad: 0.03,
            drop_m: 0.0,
        }
        .lowered(poser)
    }

    /// A walk in a hurry.
    pub fn fast(poser: &Poser) -> Self {
        Self {
            stride_s: 0.86,
            stride_m: 1.56 * poser.leg_m(),
            swing_rad: 0.55,
            bend_rad: 0.75,
            lean_rad: 0.08,
            bob_m: 0.020,
            clear_rad: 0.12,
            drop_m: 0.0,
        }
        .lowered(poser)
    }

    /// With hips just so low that legs reach the floor wherever they stand.
    fn lowered(mut self, poser: &Poser) -> Self {
        const LOOKS: u32 = 90;
        let reach = 0.998 * STRETCH * poser.leg_m();
        let reaches = |gait: &Self| {
            (0..LOOKS).all(|k| {
                let stance = gait.at(poser, f64::from(k) / f64::from(LOOKS), 0.0);
                // In the air a foot may be left a little behind.
                let stands = |side: &Side| stance.feet[*side as usize].at.y <= 0.0;
                { Side::BOTH.into_iter().filter(stands) }
                    .all(|side| poser.stretch_m(&stance, side) <= reach)
            })
        };
        while !reaches(&self) && self.drop_m < 0.3 * poser.leg_m() {
            self.drop_m += 0.001;
        }
        self
    }

    /// The stance after so many strides; `travels` is 1 when it moves on, 0 when the floor does.
    pub fn at(&self, poser: &Poser, strides: f64, travels: f64) -> Stance {
        let turn = |shift: f64| (TAU * (strides - shift)).cos();
        let bob = self.bob_m * (2.0 * TAU * (strides - 0.05)).cos();
        let sway = 0.016 * turn(0.3);
        let gone = travels * strides * self.stride_m;
        let foot = |side: Side| self.foot(strides, side, travels);
        let arm = |sign: f64| Arm {
            out: poser.clear_rad + self.clear_rad,
            forward: self.swing_rad * sign * turn(0.0) + 0.04,
            bend: self.bend_rad + 0.35 * self.swing_rad * (1.0 + sign * turn(0.03)),
            shrug: 0.0,
        };
        let yaw = 0.10 * turn(0.0);
        let lean = 0.045 * turn(0.3);
        Stance {
            hips: DVec3::new(sway, -self.drop_m - bob, gone),
            pelvis: DVec3::new(self.lean_rad, -yaw, lean),
            spine: DVec3::new(0.5 * self.lean_rad, 1.9 * yaw, -lean),
            head: DVec3::new(-self.lean_rad, -0.9 * yaw, 0.0),
            arms: [arm(-1.0), arm(1.0)],
            feet: [foot(Side::Left), foot(Side::Right)],
            ..Stance::default()
        }
    }

    fn foot(&self, strides: f64, side: Side, travels: f64) -> Foot {
        let begun = strides + if side == Side::Right { 0.5 } else { 0.0 };
        let phase = begun - begun.floor();
        // A foot that stands is passed by the hips halfway through.
        let print = begun.floor() + PASSED - (begun - strides);
        let flight = ((phase - STANDS) / (1.0 - STANDS)).max(0.0);
        let z = print + ease(flight) - (1.0 - travels) * strides;
        let lift = 0.060 * (std::f64::consts::PI * flight).sin().powf(1.6);
        Foot {
            at: DVec3::new(0.0, lift, z * self.stride_m),
            pitch: pitch(phase).to_radians(),
            flat_toes: 1.0 - ease(((flight - 0.1) / 0.6).clamp(0.0, 1.0)),
        }
    }
}

/// Pitch at a phase, level at every key.
fn pitch(phase: f64) -> f64 {
    let next = PITCH
        .partition_point(|k| k.0 <= phase)
        .clamp(1, PITCH.len() - 1);
    let ((a, from), (b, to)) = (PITCH[next - 1], PITCH[next]);
    from + (to - from) * ease(((phase - a) / (b - a)).clamp(0.0, 1.0))
}
