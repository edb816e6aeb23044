//! What a step knows of the contacts of the step before.

use super::surfaces::{Pair, Surfaces};
use crate::contact::friction_table::FrictionTable;
use crate::contact::tuning::TUNING;
use glam::DVec3;

/// What is remembered of a contact from one step to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Remembered {
    /// What touches.
    pub pair: Pair,
    /// Slip, m.
    pub slip: DVec3,
    /// Normal force, N.
    pub normal_force_n: f64,
    /// How far its points are inside the distance that it keeps, m.
    pub depth_m: f64,
    /// The distance that it keeps, m.
    pub distance_m: f64,
}

impl Remembered {
    /// Its energy, J: what pushes its points apart, and what the slip that friction holds would give back,
    /// which is as stiff.
    pub fn energy_j(&self) -> f64 {
        let slipped = self.slip.length_squared() / self.depth_m.powi(2);
        0.5 * self.normal_force_n * self.depth_m * (1.0 + slipped)
    }

    fn stiffness_n_per_m(&self) -> f64 {
        self.normal_force_n / self.depth_m
    }
}

/// The contact of the step before that a pair goes on from.
#[derive(Clone, Copy)]
pub enum Precursor<'a> {
    /// That of the same pair.
    SamePair(&'a Remembered),
    /// That of the same vertex or edge on another feature of the same surface.
    SameSurface(&'a Remembered),
    /// There is none.
    None,
}

impl Precursor<'_> {
    /// How stiff a contact is, N/m, that would be as stiff as this if it were new. What goes on stays as stiff
    /// as it was in a shorter step: softened, it would sink in with every step that is taken in parts, and
    /// be thrown out by every part.
    pub fn stiffness_n_per_m(self, new_n_per_m: f64) -> f64 {
        match self {
            Self::SamePair(contact) => {
                let most_n_per_m = TUNING.most_stiffer * new_n_per_m;
                contact.stiffness_n_per_m().clamp(new_n_per_m, most_n_per_m)
            }
            Self::SameSurface(_) | Self::None => new_n_per_m,
        }
    }

    /// The distance that two cloths keep, m, of points that are `start_m` apart where the step begins and
    /// should be `whole_m` apart, where contacts around them are pressed in by `pressed_m`.
    ///
    /// What is seen as a contact only once it is inside that distance keeps the distance that is left:
    /// pushing from within, it would give the cloth energy that comes from nowhere. Where cloth is pressed
    /// already, that is as deep as it is pressed, or else what slides would sink in with every edge that it
    /// crosses.
    pub fn kept_m(self, start_m: f64, whole_m: f64, pressed_m: f64) -> f64 {
        match self {
            Self::SamePair(contact) => contact.distance_m,
            Self::SameSurface(_) | Self::None => {
                (start_m + pressed_m).clamp(TUNING.least_kept * whole_m, whole_m)
            }
        }
    }
}

/// How deep the deepest contact of cloth with cloth is that each vertex has a part in, m.
pub fn pressed_m(remembered: &[Remembered], surfaces: &Surfaces) -> Vec<f64> {
    let mut pressed_m = vec![0.0_f64; surfaces.thickness_m.len()];
    for contact in remembered {
        if surfaces.is_between_cloths(&contact.pair) {
            for vertex in contact.pair.vertices {
                let depth_m = &mut pressed_m[vertex as usize];
                *depth_m = depth_m.max(contact.depth_m);
            }
        }
    }
    pressed_m
}

/// The contact that a pair was, of those remembered.
pub fn same_pair<'a>(remembered: &'a [Remembered], pair: &Pair) -> Option<&'a Remembered> {
    let found = remembered.binary_search_by(|contact| contact.pair.cmp(pair));
    found.ok().map(|k| &remembered[k])
}

/// The contact of the same vertex, or the same edge, on another feature of the same surface: the one that
/// presses most. What crosses from triangle to triangle takes its slip along.
pub fn same_surface<'a>(
    remembered: &'a [Remembered],
    pair: &Pair,
    friction: &FrictionTable,
) -> Option<&'a Remembered> {
    let own = |other: &Pair| {
        (
            other.kind,
            [other.vertices[0], other.vertices[pair.first() - 1]],
        )
    };
    let from = remembered.partition_point(|contact| own(&contact.pair) < own(pair));
    let same = remembered[from..]
        .iter()
        .take_while(|contact| own(&contact.pair) == own(pair))
        .filter(|contact| friction.is_same(contact.pair.vertices[3], pair.vertices[3]));
    same.max_by(|a, b| a.normal_force_n.total_cmp(&b.normal_force_n))
}
