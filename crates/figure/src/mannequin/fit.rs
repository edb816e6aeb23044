//! The fit: knobs are turned until the tape says what was asked.

use super::measurements::{MeasureError, Measurements};
use super::sculpt::{Knobs, Plan, sculpt};
use super::surface::Topology;
use crate::measure::{Taken, measure};
use glam::DVec3;

/// A figure with the measurements asked for.
#[derive(Clone, Debug)]
pub struct Figure {
    /// What every size has in common.
    pub topology: Topology,
    /// Where its vertices are.
    pub positions: Vec<DVec3>,
    /// Where its landmarks are.
    pub plan: Plan,
    /// How the knobs were turned.
    pub knobs: Knobs,
    /// What the tape says of it.
    pub taken: Taken,
}

/// Rounds of evening out: of a figure just begun, and of one that differs little from the last.
const ROUNDS: [usize; 2] = [50, 6];
/// How often the tape is laid on at most: first roughly, then on a cage laid anew where the first
/// fitting has led.
const FITTINGS: [usize; 2] = [5, 10];
/// Largest relative error that is left as it is.
const CLOSE: f64 = 1e-3;
/// Largest relative error of a figure that has what was asked.
const FITS: f64 = 0.01;

/// Makes the figure.
pub fn figure(body: &Measurements) -> Result<Figure, MeasureError> {
    body.check()?;
    let [rough, fine] = FITTINGS;
    let knobs = fitted(body, Knobs::default(), rough).knobs;
    let figure = fitted(body, knobs, fine);
    let (name, value_m, nearest_m) = worst(body, &figure.taken);
    if (nearest_m / value_m - 1.0).abs() <= FITS {
        Ok(figure)
    } else {
        Err(MeasureError::Together {
            name,
            value_m,
            nearest_m,
        })
    }
}

/// A figure begun with these knobs, and fitted at most so many times.
fn fitted(body: &Measurements, mut knobs: Knobs, fittings: usize) -> Figure {
    let mut plan = Plan::new(body, &knobs);
    let (topology, mut rough) = Topology::of(&plan);
    let mut positions = rough.clone();
    topology.relax(&sculpt(&plan), &mut positions, ROUNDS[0]);
    let mut taken = measure(&topology.mesh(&positions));
    for _ in 0..fittings {
        let (_, asked, found) = worst(body, &taken);
        if (found / asked - 1.0).abs() < CLOSE {
            break;
        }
        turn(&mut knobs, body, &taken);
        plan = Plan::new(body, &knobs);
        // The surface goes along with its cage, so that the clay is never left far behind.
        let before = std::mem::replace(&mut rough, Topology::of(&plan).1);
        for (p, (new, old)) in positions.iter_mut().zip(rough.iter().zip(before)) {
            *p += *new - old;
        }
        topology.relax(&sculpt(&plan), &mut positions, ROUNDS[1]);
        taken = measure(&topology.mesh(&positions));
    }
    Figure {
        topology,
        positions,
        plan,
        knobs,
        taken,
    }
}

/// The measurement that is most off: its name, what was asked and what was found, m; not a number
/// where it could not be taken.
fn worst(body: &Measurements, taken: &Taken) -> (&'static str, f64, f64) {
    let both = body.named().into_iter().zip(taken.named());
    let all = both.map(|((name, asked), (_, found))| (name, asked, found.unwrap_or(f64::NAN)));
    let off = |m: &(&str, f64, f64)| (m.2 / m.1 - 1.0).abs();
    // What is not a number counts as the largest.
    all.max_by(|a, b| off(a).total_cmp(&off(b)))
        .unwrap_or(("nothing", 1.0, 1.0))
}

/// Turns every knob by what its own measurement is off. Measurements depend on each other a little,
/// so this is done several times.
fn turn(knobs: &mut Knobs, body: &Measurements, taken: &Taken) {
    let pairs = [
        (&mut knobs.height, body.height_m, Some(taken.height_m)),
        (&mut knobs.bust, body.bust_m, taken.bust_m),
        (&mut knobs.waist, body.waist_m, taken.waist_m),
        (&mut knobs.hip, body.hip_m, taken.hip_m),
        (&mut knobs.shoulder, body.shoulder_m, taken.shoulder_m),
        (&mut knobs.arm, body.arm_m, taken.arm_m),
        (&mut knobs.leg, body.leg_m, taken.leg_m),
        (&mut knobs.neck, body.neck_m, taken.neck_m),
        (&mut knobs.upper_arm, body.upper_arm_m, taken.upper_arm_m),
        (&mut knobs.wrist, body.wrist_m, taken.wrist_m),
        (&mut knobs.thigh, body.thigh_m, taken.thigh_m),
        (&mut knobs.calf, body.calf_m, taken.calf_m),
        (&mut knobs.ankle, body.ankle_m, taken.ankle_m),
    ];
    for (knob, asked, found) in pairs {
        let ratio = found.map_or(1.0, |found| asked / found);
        *knob *= ratio.clamp(0.85, 1.18);
    }
}
