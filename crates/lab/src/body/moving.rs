//! The mannequin in its motions: crossings, feet that slide or sink, joints bent too far, and whether
//! what repeats comes back to where it began.

use glam::DVec3;
use toile_figure::mannequin::motion::limits::excess_deg;
use toile_figure::mannequin::{Mannequin, Motion};
use toile_geometry::self_intersections;

/// What was found of a motion.
pub struct Moving {
    /// Times that were looked at for crossings.
    pub looks: u32,
    /// Times at which the surface crosses itself.
    pub crossed: u32,
    /// The farthest that a vertex moves along the floor while it touches it, m.
    pub slide_m: f64,
    /// The deepest that a vertex is below the floor, m.
    pub sunk_m: f64,
    /// How far a joint is bent beyond its limits, degrees.
    pub bent_deg: f64,
    /// How far a vertex is from where it was when the motion began, at its end, m.
    pub gap_m: f64,
}

/// Vertices this near to the floor touch it, m.
const TOUCHES_M: f64 = 0.001;
/// Times a second that feet are looked at: not those of the keys alone.
const RATE: f64 = 97.0;
/// Times a motion is looked at for crossings.
const LOOKS: u32 = 16;

impl Moving {
    pub fn of(mannequin: &Mannequin, motion: Motion) -> Self {
        let length_s = motion.length_s(&mannequin.poser);
        let looks = if motion == Motion::Stand { 1 } else { LOOKS };
        let crosses = |k: &u32| {
            let time_s = length_s * f64::from(*k) / f64::from(looks);
            let mesh = mannequin.mesh_at(motion, time_s);
            !self_intersections(&mesh, 0).is_ok_and(|found| found.is_clean())
        };
        let crossed = (0..looks).filter(crosses).count() as u32;
        let [slide_m, sunk_m] = feet(mannequin, motion, length_s);
        let [first, last] = [0.0, length_s].map(|t| mannequin.at(motion, t));
        let gaps = first.iter().zip(&last).map(|(a, b)| a.distance(*b));
        Self {
            looks,
            crossed,
            slide_m,
            sunk_m,
            bent_deg: bent_deg(mannequin, motion, length_s),
            gap_m: gaps.fold(0.0, f64::max),
        }
    }
}

/// How far vertices slide, and how deep they sink. A vertex slides from where it came to touch the
/// floor, as the floor itself moves.
fn feet(mannequin: &Mannequin, motion: Motion, length_s: f64) -> [f64; 2] {
    let floor = DVec3::Z * motion.floor_m_per_s(&mannequin.poser);
    let frames = (length_s * RATE).ceil() as u32;
    let mut landed: Vec<Option<DVec3>> = vec![None; mannequin.character.mesh.positions.len()];
    let (mut slide_m, mut sunk_m) = (0.0f64, 0.0f64);
    for k in 0..=frames {
        let time_s = length_s * f64::from(k) / f64::from(frames);
        let positions = mannequin.at(motion, time_s);
        for (p, landed) in positions.iter().zip(&mut landed) {
            sunk_m = sunk_m.max(-p.y);
            if p.y > TOUCHES_M {
                *landed = None;
                continue;
            }
            let on_floor = *p - time_s * floor;
            let from = *landed.get_or_insert(on_floor);
            slide_m = slide_m.max((on_floor - from).with_y(0.0).length());
        }
    }
    [slide_m, sunk_m]
}

fn bent_deg(mannequin: &Mannequin, motion: Motion, length_s: f64) -> f64 {
    let character = &mannequin.character;
    let Some(clip) = character.clip(motion.name()) else {
        return f64::NAN;
    };
    let frames = (length_s * RATE).ceil() as u32;
    let excess = |k: u32| {
        let mut pose = character.rest();
        let time_s = length_s * f64::from(k) / f64::from(frames);
        character.clips[clip].apply(time_s, &mut pose);
        excess_deg(&pose).0
    };
    (0..=frames).map(excess).fold(0.0, f64::max)
}
