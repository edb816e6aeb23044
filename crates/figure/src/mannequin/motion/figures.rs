//! Standing, breathing, jumping, spinning and dancing.

use super::ease;
use super::stance::{Arm, Foot, Poser, Stance};
use crate::mannequin::skeleton::{Bone, Side};
use glam::DVec3;
use std::f64::consts::{PI, TAU};

/// m/s².
const GRAVITY: f64 = 9.81;

/// Upright, arms clear of the hips.
pub fn stand(poser: &Poser) -> Stance {
    let arm = Arm {
        out: poser.clear_rad,
        forward: 0.05,
        bend: 0.20,
        shrug: 0.0,
    };
    Stance {
        hips: DVec3::new(0.0, -0.004, 0.0),
        arms: [arm; 2],
        ..Stance::default()
    }
}

/// Standing, a breath every `period_s`.
pub fn breathe(poser: &Poser, time_s: f64, period_s: f64) -> Stance {
    let full = 0.5 - 0.5 * (TAU * time_s / period_s).cos();
    let mut stance = stand(poser);
    stance.breath = full;
    stance.spine.x = -0.020 * full;
    stance.head.x = 0.015 * full;
    for arm in &mut stance.arms {
        arm.shrug = 0.030 * full;
        arm.out += 0.015 * full;
    }
    stance
}

/// Length of the jump, s.
pub const JUMP_S: f64 = 2.4;

/// A jump on the spot: down, off, through the air as anything thrown, and down again.
pub fn jump(poser: &Poser, time_s: f64) -> Stance {
    let leg = poser.leg_m();
    let (low, tip) = (-0.19 * leg, 0.062 * leg);
    let rise = 0.24;
    let speed = (2.0 * GRAVITY * rise).sqrt();
    let flight_s = 2.0 * speed / GRAVITY;
    let (down, off) = (0.65, 0.97);
    let land = off + flight_s;
    let (soft, end) = (land + 0.26, JUMP_S - 0.1);
    let t = time_s;
    // Height and, in the air, how far the feet are off the floor.
    let (height, air) = if t < down {
        (low * ease(((t - 0.1) / (down - 0.1)).clamp(0.0, 1.0)), 0.0)
    } else if t < off {
        (hermite(t, [down, off], [low, tip], [0.0, speed]), 0.0)
    } else if t < land {
        let s = t - off;
        let up = speed * s - 0.5 * GRAVITY * s * s;
        (tip + up, up)
    } else if t < soft {
        (
            hermite(t, [land, soft], [tip, 0.75 * low], [-speed, 0.0]),
            0.0,
        )
    } else {
        let back = ease(((t - soft) / (end - soft)).clamp(0.0, 1.0));
        (0.75 * low * (1.0 - back), 0.0)
    };
    let heel = {
        let up = ease(((t - (off - 0.17)) / 0.17).clamp(0.0, 1.0));
        let down = ease(((t - (land - 0.06)) / 0.17).clamp(0.0, 1.0));
        -0.80 * (up - down).max(0.0)
    };
    let crouch = (-height / -low).clamp(0.0, 1.0);
    let crouch = if air > 0.0 { 0.0 } else { crouch };
    let swing = keyed(
        t,
        &[
            (0.1, 0.0),
            (down, -0.55),
            (off, 1.35),
            (land, 1.0),
            (soft, 0.25),
            (end, 0.0),
        ],
    );
    let mut stance = stand(poser);
    stance.hips = DVec3::new(0.0, height - 0.004, -0.10 * leg * crouch);
    stance.pelvis.x = 0.42 * crouch;
    stance.spine.x = 0.35 * crouch;
    stance.head.x = -0.45 * crouch;
    for arm in &mut stance.arms {
        arm.forward += swing;
        arm.out += 0.20 * swing.abs().min(1.0);
        arm.bend += 0.25 * swing.abs().min(1.0);
    }
    for foot in &mut stance.feet {
        *foot = Foot {
            at: DVec3::new(0.0, air, 0.0),
            pitch: heel,
            flat_toes: if air > 0.0 {
                1.0 - ease((air / 0.08).min(1.0))
            } else {
                1.0
            },
        };
    }
    stance
}

/// Length of the spin, s.
pub const SPIN_S: f64 = 5.0;
/// Whole turns of it.
const TURNS: f64 = 3.0;

/// Turns on the ball of the left foot, the right one off the floor, arms spread.
pub fn spin(poser: &Poser, time_s: f64) -> Stance {
    let (ready, still) = (0.7, SPIN_S - 0.8);
    let up = ease((time_s / ready).clamp(0.0, 1.0))
        - ease(((time_s - still) / (SPIN_S - 0.1 - still)).clamp(0.0, 1.0));
    let share = ((time_s - 0.5) / (still - 0.3)).clamp(0.0, 1.0);
    let mut stance = stand(poser);
    let ball = poser.place(Side::Left, Bone::LeftToes);
    let over = poser.place(Side::Left, Bone::LeftFoot);
    stance.hips = DVec3::new(0.80 * over.x * up, 0.012 * up, 0.5 * ball.z * up);
    stance.pelvis.z = -0.04 * up;
    for arm in &mut stance.arms {
        arm.out += (1.25 - arm.out) * up;
        arm.forward += 0.30 * up;
        arm.bend += 0.35 * up;
    }
    stance.feet[0] = Foot {
        pitch: -0.28 * up,
        flat_toes: 1.0,
        ..Foot::default()
    };
    stance.feet[1] = Foot {
        at: DVec3::new(0.02, 0.075, -0.12) * up,
        pitch: -0.75 * up,
        flat_toes: 1.0 - up,
    };
    stance.head.y = 0.0;
    let turn = ease_long(share);
    stance.spun = (DVec3::new(ball.x, 0.0, ball.z), TAU * TURNS * turn);
    stance
}

/// Length of the dance, s: eight beats.
pub const DANCE_S: f64 = 4.0;

/// A sway from foot to foot with arms that follow; feet stay on their balls.
pub fn dance(poser: &Poser, time_s: f64) -> Stance {
    let beat = TAU * time_s / (0.25 * DANCE_S);
    let bar = TAU * time_s / (0.5 * DANCE_S);
    let whole = TAU * time_s / DANCE_S;
    let side = bar.sin();
    let mut stance = stand(poser);
    stance.hips = DVec3::new(0.050 * side, -0.045 + 0.012 * beat.cos(), 0.012 * bar.cos());
    stance.pelvis = DVec3::new(0.03, 0.20 * (bar + 0.6).sin(), 0.085 * side);
    stance.spine = DVec3::new(0.02, -0.34 * (bar + 0.6).sin(), -0.16 * side);
    stance.head = DVec3::new(0.03 * beat.cos(), 0.16 * whole.sin(), 0.07 * side);
    for (arm, sign) in stance.arms.iter_mut().zip([1.0, -1.0]) {
        let lift = 0.5 + 0.5 * sign * (whole - 0.5).sin();
        arm.out += 0.30 + 0.75 * lift;
        arm.forward = 0.30 + 0.25 * (bar + sign).sin();
        arm.bend = 0.85 + 0.40 * (bar + 1.3 * sign).cos();
        arm.shrug = 0.10 * lift;
    }
    for (foot, sign) in stance.feet.iter_mut().zip([1.0, -1.0]) {
        let free = (0.5 - 0.5 * sign * side).powi(2);
        foot.pitch = -0.42 * free;
        foot.flat_toes = 1.0;
    }
    stance
}

/// A cubic through two heights with two speeds.
fn hermite(t: f64, [t0, t1]: [f64; 2], [y0, y1]: [f64; 2], [v0, v1]: [f64; 2]) -> f64 {
    let h = t1 - t0;
    let s = (t - t0) / h;
    let (s2, s3) = (s * s, s * s * s);
    y0 * (2.0 * s3 - 3.0 * s2 + 1.0)
        + v0 * h * (s3 - 2.0 * s2 + s)
        + y1 * (3.0 * s2 - 2.0 * s3)
        + v1 * h * (s3 - s2)
}

/// A value from key to key, level at each.
fn keyed(t: f64, keys: &[(f64, f64)]) -> f64 {
    let next = keys.partition_point(|k| k.0 <= t).clamp(1, keys.len() - 1);
    let ((a, from), (b, to)) = (keys[next - 1], keys[next]);
    from + (to - from) * ease(((t - a) / (b - a)).clamp(0.0, 1.0))
}

/// From 0 to 1 with an even speed in the middle half.
fn ease_long(share: f64) -> f64 {
    const RAMP: f64 = 0.25;
    let speed = 1.0 / (1.0 - RAMP);
    let ramp = |s: f64| {
        // The integral of a speed that begins and ends level.
        let s = s / RAMP;
        RAMP * (0.5 * s - (PI * s).sin() / TAU)
    };
    if share < RAMP {
        speed * ramp(share)
    } else if share < 1.0 - RAMP {
        speed * (0.5 * RAMP + share - RAMP)
    } else {
        1.0 - speed * ramp(1.0 - share)
    }
}
