//! A surface beside a particle, and whether two of them leave it room.
//!
//! Shared by what colliders squeeze ([`crate::contact::collider::squeeze`]) and what bodies pinch
//! ([`crate::contact::pinch`]).

use crate::contact::tuning::TUNING;
use glam::DVec3;

/// A surface beside a particle at the end of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wall {
    /// The way off it.
    pub out: DVec3,
    /// How far the particle is from it, m; negative inside.
    pub gap_m: f64,
    /// Distance that is to be kept, m.
    pub kept_m: f64,
}

impl Wall {
    /// Whether the two face each other.
    pub fn opposes(&self, other: &Self) -> bool {
        self.out.dot(other.out) <= TUNING.opposing_cosine
    }

    /// Room between the two, m.
    pub fn room_m(&self, other: &Self) -> f64 {
        self.gap_m + other.gap_m
    }

    /// Room between the two besides what is to be kept from them, m.
    pub fn spare_m(&self, other: &Self) -> f64 {
        self.room_m(other) - self.kept_m - other.kept_m
    }

    /// Whether there is less room between the two than is to be kept from them.
    pub fn closes_on(&self, other: &Self) -> bool {
        self.opposes(other) && self.spare_m(other) < 0.0
    }
}
