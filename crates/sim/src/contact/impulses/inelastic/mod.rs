//! Inelastic zones: the pairs of a zone stop approaching, all of them at once.
//!
//! Impulses pair by pair undo each other where many pairs share vertices. The pairs that meet, joined
//! where they share a vertex that can move, form a zone, which has a row for each: with the weights `aᵢ`
//! of its two points and the normal `n` at impact, `(C v)ₖ = n · Σ aᵢ vᵢ` (m/s) is the velocity at which
//! they part. The velocities nearest to `v` by kinetic energy at which no row approaches are, with the
//! inverse masses `W` (1/kg; 0 where motion is prescribed),
//!
//! `v⁺ = v + W Cᵀ γ`, with impulses `γ ≥ 0` (N s), `C v⁺ ≥ 0` and `γ · C v⁺ = 0`.
//!
//! Were all rows to stop, this would be `v − W Cᵀ (C W Cᵀ)⁺ C v`; but what parts is free to part. Vertices
//! that rest on a solid have a row of their own, which lets nobody push them deeper.
//!
//! **Solver.** Projected Gauss–Seidel to and fro over the rows of a zone finds which of them push, and
//! conjugate gradients among these (`descent.rs`) how hard. Rows may be many more than motions, so that
//! `C W Cᵀ` has no inverse and active sets are not unique; this needs neither, and the `v⁺` it
//! comes to is unique. It may also end at any time: the weights of a row add up to nothing, so momentum is
//! kept whatever `γ` is, and the kinetic energy rises by `γ · C v + ½ γ · C W Cᵀ γ`, which is nothing at
//! first and falls with everything that is done. What is prescribed or rests on a solid may do work as it
//! moves.
//!
//! Rows of earlier rounds stay, with their impulses, and may take them back: the end of all rounds is again
//! the nearest to the velocities before the first.
//!
//! Source: the impact zones of Bridson et al. 2002, inelastic as in Harmon, Vouga, Tamstorf and Grinspun
//! 2008.
//!
//! Verified by: `tests/zones.rs`.

mod descent;
mod row;

use crate::contact::guard::zones::Zones;
use crate::contact::impulses::impact::Impact;
use crate::contact::movable::Movable;
use crate::contact::tuning::TUNING;
use descent::Descent;
use glam::DVec3;
use row::Row;

/// The zones of a step.
#[derive(Default)]
pub struct Inelastic {
    rows: Vec<Row>,
    supported: Vec<u32>,
    zones: Zones,
    members: Vec<u32>,
    descent: Descent,
    /// Sweeps in the zone that needed most of them.
    pub sweeps: u32,
}

impl Inelastic {
    /// Forgets all zones, for `vertices` vertices.
    pub fn clear(&mut self, vertices: usize) {
        self.rows.clear();
        self.supported.clear();
        self.members.clear();
        self.zones.clear(vertices);
        self.sweeps = 0;
    }

    /// Adds `impacts`, and joins the zones that they touch. `velocities` are those that led to them.
    pub fn add(&mut self, impacts: &[Impact], movable: &Movable, velocities: &[DVec3]) {
        let known = self.members.len();
        for impact in impacts {
            let vertices = impact.pair.vertices;
            let row = Row::new(vertices, impact.weights, impact.normal, movable);
            // The guard knows what to do about pairs that are prescribed to meet.
            let Some(mut row) = row else {
                continue;
            };
            row.begun_m_per_s = row.lack_m_per_s(velocities);
            self.rows.push(row);
            // Nothing is passed on through what is prescribed.
            let moves = |vertex: u32| movable.inverse_masses[vertex as usize] > 0.0;
            let joined = vertices.map(|v| if moves(v) { v } else { row.member });
            self.zones.join(joined);
            self.members.extend(joined);
        }
        let mut new = self.members.split_off(known);
        new.sort_unstable();
        new.dedup();
        new.retain(|vertex| self.members[..known].binary_search(vertex).is_err());
        for &vertex in &new {
            if movable.supports[vertex as usize] != DVec3::ZERO {
                let row = Row::of_support(vertex, movable, velocities);
                self.rows.extend(row);
            }
        }
        self.members.extend(new);
        self.members.sort_unstable();
    }

    /// Ends all approach.
    pub fn solve(&mut self, movable: &Movable, velocities: &mut [DVec3]) {
        let Self { rows, zones, .. } = self;
        rows.sort_by_cached_key(|row| zones.of(row.member));
        let same = |a: &Row, b: &Row| zones.of(a.member) == zones.of(b.member);
        for zone in rows.chunk_by_mut(same) {
            let sweeps = settle(zone, movable, velocities, &mut self.descent);
            self.sweeps = self.sweeps.max(sweeps);
        }
    }

    /// How many vertices are in zones.
    pub fn vertices(&self) -> usize {
        self.members.len()
    }

    /// The fastest approach of a row at `velocities`, m/s; 0 if all part.
    pub fn approach_m_per_s(&self, velocities: &[DVec3]) -> f64 {
        let lacks = self.rows.iter().map(|row| row.lack_m_per_s(velocities));
        lacks.fold(0.0, f64::max)
    }

    /// The largest change of velocity by one impulse, m/s.
    pub fn hardest_m_per_s(&self) -> f64 {
        let gains = self
            .rows
            .iter()
            .map(|row| row.impulse_n_s * row.lightness_per_kg);
        gains.fold(0.0, f64::max)
    }
}

/// Ends the approach in one zone; returns how many sweeps that took.
fn settle(
    rows: &mut [Row],
    movable: &Movable,
    velocities: &mut [DVec3],
    descent: &mut Descent,
) -> u32 {
    let fastest = rows.iter().map(|row| row.begun_m_per_s);
    let enough_m_per_s = TUNING.inelastic_tolerance * fastest.fold(0.0, f64::max);
    for sweep in 1..=TUNING.inelastic_sweeps {
        let mut most = 0.0_f64;
        for row in rows.iter_mut() {
            most = most.max(row.answer(movable, velocities));
        }
        for row in rows.iter_mut().rev() {
            most = most.max(row.answer(movable, velocities));
        }
        if most <= enough_m_per_s {
            return sweep;
        }
        descent.follow(
            rows,
            movable,
            velocities,
            TUNING.inelastic_descent_share * enough_m_per_s,
        );
    }
    TUNING.inelastic_sweeps
}
