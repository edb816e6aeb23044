//! Conjugate gradients among the rows of a zone that push.
//!
//! Which rows push is soon known; how hard they push through many layers takes sweeps without end. Among
//! these rows it is a linear system. Where its answer has a row pull, that row's impulse becomes nothing
//! and the way so bent is followed as far as the energy falls: it never rises.

use crate::contact::impulses::inelastic::row::Row;
use crate::contact::movable::Movable;
use crate::contact::tuning::TUNING;
use glam::DVec3;

/// The descent, with its memory.
#[derive(Default)]
pub(crate) struct Descent {
    pushing: Vec<u32>,
    /// What the pushing rows lack, m/s.
    lacks: Vec<f64>,
    /// The direction: a change of their impulses, N s.
    way: Vec<f64>,
    /// What it does to every vertex, and along every row, m/s.
    changes: Vec<DVec3>,
    gains: Vec<f64>,
}

impl Descent {
    /// Goes on until the pushing `rows` lack no more than `enough` m/s, or one of them would pull.
    pub fn follow(
        &mut self,
        rows: &mut [Row],
        movable: &Movable,
        velocities: &mut [DVec3],
        enough_m_per_s: f64,
    ) {
        self.begin(rows, velocities);
        let mut fall = dot(&self.way, &self.lacks);
        for _ in 0..TUNING.descent_directions {
            let Some(curvature) = self.look_along(rows, movable) else {
                return;
            };
            let step = fall / curvature;
            if self.bend(rows, step) {
                if let Some(curvature) = self.look_along(rows, movable) {
                    let step = dot(&self.way, &self.lacks) / curvature;
                    self.go(step.clamp(0.0, 1.0), rows, velocities);
                }
                return;
            }
            self.go(step, rows, velocities);
            let most = self.lacks.iter().fold(0.0, |m: f64, l| m.max(l.abs()));
            if most <= enough_m_per_s {
                return;
            }
            let before = std::mem::replace(&mut fall, 0.0);
            for (&k, lack) in self.pushing.iter().zip(&self.lacks) {
                fall += lack * lack / rows[k as usize].lightness_per_kg;
            }
            for (m, &k) in self.pushing.iter().enumerate() {
                let steepest = self.lacks[m] / rows[k as usize].lightness_per_kg;
                self.way[m] = steepest + fall / before * self.way[m];
            }
        }
    }

    /// Sets out the steepest way.
    fn begin(&mut self, rows: &[Row], velocities: &[DVec3]) {
        self.changes.resize(velocities.len(), DVec3::ZERO);
        self.pushing.clear();
        self.lacks.clear();
        self.way.clear();
        for (k, row) in rows.iter().enumerate() {
            if row.impulse_n_s > 0.0 {
                let lack = row.lack_m_per_s(velocities);
                self.pushing.push(k as u32);
                self.lacks.push(lack);
                self.way.push(lack / row.lightness_per_kg);
            }
        }
    }

    /// Finds what the way does; returns its curvature, J, if it has any.
    fn look_along(&mut self, rows: &[Row], movable: &Movable) -> Option<f64> {
        let Self {
            pushing,
            way,
            changes,
            gains,
            ..
        } = self;
        let pushing = || pushing.iter().map(|k| &rows[*k as usize]);
        for vertex in pushing().flat_map(Row::vertices) {
            changes[vertex] = DVec3::ZERO;
        }
        let mut alone = 0.0;
        for (row, way) in pushing().zip(&*way) {
            row.push(*way, movable, changes);
            alone += way * way * row.lightness_per_kg;
        }
        gains.clear();
        gains.extend(pushing().map(|row| row.parting_m_per_s(changes)));
        let curvature = dot(way, gains);
        (curvature > TUNING.descent_least_curvature * alone).then_some(curvature)
    }

    /// Where a step along the way has rows pull, makes the way one on which these stop pushing; whether
    /// there are any.
    fn bend(&mut self, rows: &[Row], step: f64) -> bool {
        let impulses = self.pushing.iter().map(|k| rows[*k as usize].impulse_n_s);
        let mut ends = impulses.clone().zip(&self.way);
        let pulls = ends.any(|(impulse, way)| impulse + step * way < 0.0);
        if pulls {
            for (way, impulse) in self.way.iter_mut().zip(impulses) {
                *way = (step * *way).max(-impulse);
            }
        }
        pulls
    }

    /// Takes a step along the way.
    fn go(&mut self, step: f64, rows: &mut [Row], velocities: &mut [DVec3]) {
        for (m, &k) in self.pushing.iter().enumerate() {
            let row = &mut rows[k as usize];
            row.impulse_n_s = (row.impulse_n_s + step * self.way[m]).max(0.0);
            self.lacks[m] -= step * self.gains[m];
            for vertex in row.vertices() {
                velocities[vertex] += step * std::mem::take(&mut self.changes[vertex]);
            }
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
