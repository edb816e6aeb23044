//! Particles between two colliders that close on them.
//!
//! Where two opposing surfaces leave less room than a particle should keep from both, or where it is inside
//! of both, there is no place that contact with either would allow, and one would throw it at the other. It
//! is held between them
//! instead: on the surface at which its distances from both are in the proportion of what it should
//! keep, and carried along with the mean of the two. So it is no faster than they are; where they have
//! passed into each other and part again, it is where they left it.
//!
//! Seen from the positions alone: a resumed run goes on as it would have.
//!
//! Source: the pinched points of *Simulation of Clothing with Folds and Wrinkles*, section 5, which stay on the
//! medial surface. Units: m, s. Verified by: `tests/pinching.rs`.

use crate::colliders::Passage;
use crate::constraints::Target;
use crate::constraints::pin::{Held, HeldBy};
use crate::contact::collider::margin_m;
use crate::contact::tuning::TUNING;
use crate::contact::wall::Wall;
use crate::model::Model;
use crate::state::State;
use glam::DVec3;
use toile_numerics::Hold;

/// Whether two surfaces leave no place beside them.
fn leave_no_room(a: &Wall, b: &Wall) -> bool {
    let is_inside_both = a.gap_m < 0.0 && b.gap_m < 0.0;
    is_inside_both || a.closes_on(b)
}

/// A step about to be taken.
pub(crate) struct Squeeze<'a> {
    pub model: &'a Model,
    pub passages: &'a [Passage],
    pub step_s: f64,
}

impl Squeeze<'_> {
    /// How a particle is held that has no room, if that is so.
    pub fn held(&self, state: &State, particle: u32) -> Option<Held> {
        let start = state.positions[particle as usize];
        let [(i, a), (j, b)] = self.nearest_opposing(particle, start)?;
        let colliders = [i, j];
        let [from_a, from_b] = colliders.map(|k| self.passages[k].carry(start));
        let mut place = 0.5 * (from_a + from_b);
        // Gaps are to be in the proportion of what is kept: along the way from one to the other.
        let [first, second] = [b, a].map(|other| other.kept_m / (a.kept_m + b.kept_m));
        for _ in 0..TUNING.squeeze_improvements {
            let [a, b] = colliders.map(|k| self.wall(particle, k, place));
            if !leave_no_room(&a, &b) {
                return None;
            }
            let along = (a.out - b.out).try_normalize()?;
            let slope = along.dot(first * a.out - second * b.out);
            place -= along * ((first * a.gap_m - second * b.gap_m) / slope);
        }
        Some(Held {
            target: Target {
                particle,
                hold: Hold::Fixed,
                position: place,
            },
            velocity: (place - start) / self.step_s,
            by: HeldBy::Squeeze,
        })
    }

    /// The two opposing surfaces that leave the least room around a point.
    fn nearest_opposing(&self, particle: u32, point: DVec3) -> Option<[(usize, Wall); 2]> {
        let walls = (0..self.passages.len()).filter_map(|k| {
            let kept_m = margin_m(self.model, particle, k as u32);
            let collider = &self.model.colliders[k];
            let distance_m = self.passages[k].distance_m(collider, point);
            (distance_m < TUNING.squeeze_near * kept_m).then(|| (k, self.wall(particle, k, point)))
        });
        let walls: Vec<(usize, Wall)> = walls.collect();
        let mut least: Option<(f64, [(usize, Wall); 2])> = None;
        for (k, a) in walls.iter().enumerate() {
            for b in &walls[k + 1..] {
                let spare_m = a.1.spare_m(&b.1);
                let is_less = least.is_none_or(|(least_m, _)| spare_m < least_m);
                if leave_no_room(&a.1, &b.1) && is_less {
                    least = Some((spare_m, [*a, *b]));
                }
            }
        }
        least.map(|(_, walls)| walls)
    }

    fn wall(&self, particle: u32, k: usize, point: DVec3) -> Wall {
        let surface = self.passages[k].surface(&self.model.colliders[k], point);
        Wall {
            out: surface.normal,
            gap_m: surface.distance_m,
            kept_m: margin_m(self.model, particle, k as u32),
        }
    }
}
