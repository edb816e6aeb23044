//! Rigid zones: what cannot be kept apart one pair at a time moves as one body.
//!
//! The vertices of pairs that fail, joined where pairs share a vertex, form a zone. Its mass centre
//! and its turning go on as they were, all motion within it ends:
//!
//! `xᵢ + c + (R(ω) − 1)(xᵢ − x̄)`, with `c = Σ mᵢ dᵢ / Σ mᵢ` and
//! `ω = I⁻¹ Σ mᵢ (xᵢ − x̄) × dᵢ` for the displacements `dᵢ`, so linear momentum is kept to rounding, and
//! angular momentum up to the second order of the turn. Only where vertices would leave the widest boxes
//! that the guard lists pairs for are they held in them, and momentum is lost; reports say how much.
//!
//! Distances within a zone stay what they were, so its pairs are safe; a pair at its border that fails
//! then joins it, and the zone grows until none does. A zone with prescribed vertices moves as these
//! do. [`crate::contact::impulses::inelastic`] is the softer form, which ends approach alone. Source: the rigid impact zones of Provot 1997 as Bridson et al. 2002 use them.
//!
//! Verified by: `tests/guard.rs`, `tests/zones.rs`.

use crate::contact::movable::Movable;
use crate::contact::tuning::TUNING;
use glam::{DMat3, DQuat, DVec3};

/// The zones of one pass, a forest of vertices.
#[derive(Default)]
pub struct Zones {
    parent: Vec<u32>,
    members: Vec<u32>,
}

impl Zones {
    /// Forgets all zones, for `vertices` vertices.
    pub fn clear(&mut self, vertices: usize) {
        for vertex in self.members.drain(..) {
            self.parent[vertex as usize] = vertex;
        }
        let known = self.parent.len() as u32;
        self.parent.extend(known..vertices as u32);
    }

    /// Puts all of `vertices` into one zone; whether that is news.
    pub fn join(&mut self, vertices: [u32; 4]) -> bool {
        let roots = vertices.map(|vertex| self.of(vertex));
        let first = *roots.iter().min().expect("four");
        let news = roots.iter().any(|root| *root != first);
        self.members.extend(vertices);
        for root in roots {
            self.parent[root as usize] = first;
        }
        news
    }

    /// The least vertex of a vertex's zone.
    pub fn of(&mut self, vertex: u32) -> u32 {
        let mut at = vertex;
        while self.parent[at as usize] != at {
            let above = self.parent[self.parent[at as usize] as usize];
            self.parent[at as usize] = above;
            at = above;
        }
        at
    }

    /// Every zone's vertices, ascending, one zone after the other.
    pub fn each(&mut self, mut with: impl FnMut(&[u32])) {
        self.members.sort_unstable();
        self.members.dedup();
        let members = std::mem::take(&mut self.members);
        let mut by_root: Vec<(u32, u32)> = members.iter().map(|v| (self.of(*v), *v)).collect();
        by_root.sort_unstable();
        let mut zone = Vec::new();
        for same in by_root.chunk_by(|a, b| a.0 == b.0) {
            zone.clear();
            zone.extend(same.iter().map(|(_, vertex)| *vertex));
            with(&zone);
        }
        self.members = members;
    }
}

/// A rigid displacement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    center: DVec3,
    shift: DVec3,
    /// The turning about the mass centre.
    pub turn: DQuat,
}

impl Motion {
    /// How the vertices of `zone` move as one, which would go from `from` to `to`.
    pub fn of(zone: &[u32], movable: &Movable, from: &[DVec3], to: &[DVec3]) -> Self {
        let fixed = zone
            .iter()
            .filter(|v| movable.inverse_masses[**v as usize] == 0.0);
        let any_fixed = fixed.clone().next().is_some();
        let mass = |vertex: u32| {
            let i = vertex as usize;
            match movable.inverse_masses[i] {
                0.0 => 1.0,
                _ if any_fixed => 0.0,
                w if movable.supports[i] != DVec3::ZERO => TUNING.zone_supported_mass / w,
                w => w.recip(),
            }
        };
        let way = |vertex: u32| to[vertex as usize] - from[vertex as usize];
        let total: f64 = zone.iter().map(|v| mass(*v)).sum();
        let mean =
            |f: &dyn Fn(u32) -> DVec3| zone.iter().map(|v| mass(*v) * f(*v)).sum::<DVec3>() / total;
        let center = mean(&|v| from[v as usize]);
        let shift = mean(&way);
        let (mut inertia, mut spin) = (DMat3::ZERO, DVec3::ZERO);
        for &vertex in zone {
            let m = mass(vertex);
            let r = from[vertex as usize] - center;
            spin += m * r.cross(way(vertex) - shift);
            inertia += DMat3::from_diagonal(DVec3::splat(m * r.length_squared()));
            inertia -= DMat3::from_cols(m * r * r.x, m * r * r.y, m * r * r.z);
        }
        // Vertices on a line do not resist turning about it, and have no reason to turn so.
        let spread = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
        let inertia =
            inertia + DMat3::from_diagonal(DVec3::splat(TUNING.zone_least_inertia * spread));
        let turn = if spread > 0.0 {
            inertia.inverse() * spin
        } else {
            DVec3::ZERO
        };
        Self {
            center,
            shift,
            turn: DQuat::from_scaled_axis(turn),
        }
    }

    /// Where it takes a point.
    pub fn end(&self, x: DVec3) -> DVec3 {
        self.center + self.shift + self.turn * (x - self.center)
    }
}
