//! The figure in clay: where its landmarks are, and the lumps it is made of.

mod clay;
mod limbs;
mod spline;
mod trunk;

use super::measurements::{Measurements, Sex};
pub use clay::Clay;
use glam::DVec3;

/// Angle of the arms from the vertical in the rest pose, rad.
pub const ARM_ANGLE_RAD: f64 = 0.84;

/// How much larger or smaller than the model figure every part is; what the fit changes until the
/// tape says what was asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Knobs {
    /// Chest, in breadth and depth.
    pub bust: f64,
    /// Waist.
    pub waist: f64,
    /// Seat.
    pub hip: f64,
    /// Neck.
    pub neck: f64,
    /// Upper arms.
    pub upper_arm: f64,
    /// Wrists.
    pub wrist: f64,
    /// Thighs.
    pub thigh: f64,
    /// Calves.
    pub calf: f64,
    /// Ankles.
    pub ankle: f64,
    /// Distance of the shoulder points.
    pub shoulder: f64,
    /// Length of the arms.
    pub arm: f64,
    /// Length of the legs.
    pub leg: f64,
    /// Height of the crown.
    pub height: f64,
}

impl Default for Knobs {
    fn default() -> Self {
        Self {
            bust: 1.0,
            waist: 1.0,
            hip: 1.0,
            neck: 1.0,
            upper_arm: 1.0,
            wrist: 1.0,
            thigh: 1.0,
            calf: 1.0,
            ankle: 1.0,
            shoulder: 1.0,
            arm: 1.0,
            leg: 1.0,
            height: 1.0,
        }
    }
}

/// Where everything is, and how large: measurements and knobs put together.
///
/// Scales are relative to a model figure of the same sex whose numbers are in the lumps.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Which of the two figures.
    pub sex: Sex,
    /// Height of the crown, m.
    pub crown_m: f64,
    /// Height of the crotch, m.
    pub crotch_m: f64,
    /// Shoulder point to wrist, m.
    pub arm_m: f64,
    /// Middle to shoulder point, m.
    pub shoulder_m: f64,
    /// Scales of chest, waist, seat and neck.
    pub bust: f64,
    /// See `bust`.
    pub waist: f64,
    /// See `bust`.
    pub hip: f64,
    /// See `bust`.
    pub neck: f64,
    /// Scales of the limbs.
    pub upper_arm: f64,
    /// See `upper_arm`.
    pub wrist: f64,
    /// See `upper_arm`.
    pub thigh: f64,
    /// See `upper_arm`.
    pub calf: f64,
    /// See `upper_arm`.
    pub ankle: f64,
    /// Scale of what grows with the whole figure: head, hands and feet.
    pub stature: f64,
}

impl Plan {
    /// Puts measurements and knobs together.
    pub fn new(body: &Measurements, knobs: &Knobs) -> Self {
        let usual = match body.sex {
            Sex::Female => Measurements::derived(Sex::Female, 1.70, [0.90, 0.72, 0.98]),
            Sex::Male => Measurements::derived(Sex::Male, 1.78, [0.98, 0.84, 0.98]),
        };
        Self {
            sex: body.sex,
            crown_m: body.height_m * knobs.height,
            crotch_m: body.leg_m * knobs.leg,
            arm_m: body.arm_m * knobs.arm,
            shoulder_m: 0.5 * body.shoulder_m * knobs.shoulder,
            bust: body.bust_m / usual.bust_m * knobs.bust,
            waist: body.waist_m / usual.waist_m * knobs.waist,
            hip: body.hip_m / usual.hip_m * knobs.hip,
            neck: body.neck_m / usual.neck_m * knobs.neck,
            upper_arm: body.upper_arm_m / usual.upper_arm_m * knobs.upper_arm,
            wrist: body.wrist_m / usual.wrist_m * knobs.wrist,
            thigh: body.thigh_m / usual.thigh_m * knobs.thigh,
            calf: body.calf_m / usual.calf_m * knobs.calf,
            ankle: body.ankle_m / usual.ankle_m * knobs.ankle,
            stature: body.height_m / usual.height_m,
        }
    }

    /// One number for women, another for men.
    pub fn pick<T>(&self, woman: T, man: T) -> T {
        match self.sex {
            Sex::Female => woman,
            Sex::Male => man,
        }
    }

    /// Height at a share of the way from the crotch to the crown, m.
    pub fn up_m(&self, share: f64) -> f64 {
        self.crotch_m + share * (self.crown_m - self.crotch_m)
    }

    /// Height at a share of the way from the floor to the crotch, m.
    pub fn down_m(&self, share: f64) -> f64 {
        share * self.crotch_m
    }

    /// The shoulder joint of the left arm.
    pub fn shoulder(&self) -> DVec3 {
        let r = 0.050 * self.upper_arm;
        DVec3::new(self.shoulder_m - 0.55 * r, self.up_m(0.656) - r, -0.028)
    }

    /// The way the left arm points.
    pub fn arm_axis(&self) -> DVec3 {
        let (sin, cos) = ARM_ANGLE_RAD.sin_cos();
        DVec3::new(sin, -cos, 0.0)
    }

    /// Shoulder joint to wrist, m.
    pub fn arm_reach_m(&self) -> f64 {
        self.arm_m - 0.01
    }

    /// The left wrist.
    pub fn wrist(&self) -> DVec3 {
        self.shoulder() + self.arm_reach_m() * self.arm_axis()
    }

    /// The left leg's axis at the height of the crotch.
    pub fn thigh(&self) -> DVec3 {
        let x = 0.083 * self.thigh + 0.004;
        DVec3::new(x, self.crotch_m, 0.0)
    }

    /// The left ankle joint.
    pub fn ankle(&self) -> DVec3 {
        let thigh = self.thigh();
        DVec3::new(thigh.x + 0.022, self.down_m(0.085), -0.030 * self.stature)
    }

    /// The way the left foot points: outwards a little.
    pub fn foot_axis(&self) -> DVec3 {
        DVec3::new(0.10, 0.0, 1.0).normalize()
    }
}

/// The whole figure in clay.
pub fn sculpt(plan: &Plan) -> Clay {
    let mut clay = Clay::default();
    trunk::trunk(plan, &mut clay);
    limbs::legs(plan, &mut clay);
    limbs::feet(plan, &mut clay);
    limbs::arms(plan, &mut clay);
    limbs::hands(plan, &mut clay);
    trunk::head(plan, &mut clay);
    clay
}
