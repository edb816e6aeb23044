//! Cloth on a slope, which is a solid plane or a sheet of cloth that is held: does it stay, and if
//! not, how fast does it go?

use crate::experiment::Error;
use crate::specimen::{self, GRAVITY};
use glam::{DQuat, DVec3};
use std::sync::Arc;
use toile_sim::colliders::Shape;
use toile_sim::{
    ClothContact, ClothSpec, ColliderSpec, Material, Model, ModelSpec, Simulation, Solve,
    StepConfig,
};

/// Particles along a side of the cloth that slides, and their distance, m.
const SIDE: usize = 9;
const SPACING_M: f64 = 0.02;
/// Particles of the sheet that is a slope, along it and across.
const SLOPE: [usize; 2] = [51, 15];
/// The cloth's threads are not parallel to those of the slope, rad.
const ASKEW_RAD: f64 = 0.2;
/// The cloth starts this far above the middle of the slope, m.
const UPHILL_M: f64 = 0.36;
/// Time in which it comes to rest, and in which creep is measured, s.
pub const SETTLING_S: f64 = 2.0;
pub const HELD_S: f64 = 10.0;
/// When acceleration is measured, s: after the landing, before the end of the slope.
const SLIDING_S: [f64; 2] = [0.15, 0.5];

/// What the cloth lies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// A plane.
    Solid,
    /// A sheet of the same cloth, all of it held.
    Cloth,
}

/// A slope and what lies on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slope {
    /// What it is made of.
    pub on: On,
    /// Its steepness, degrees.
    pub angle_deg: f64,
    /// Coefficient of friction.
    pub friction: f64,
    /// Length of the steps, s.
    pub step_s: f64,
    /// How they are solved.
    pub solve: Solve,
}

impl Slope {
    /// Acceleration by Coulomb's law, m/s²; 0 where friction holds.
    pub fn coulomb_m_per_s2(&self) -> f64 {
        let (sine, cosine) = self.angle_deg.to_radians().sin_cos();
        GRAVITY * (sine - self.friction * cosine).max(0.0)
    }

    fn downhill(&self) -> DVec3 {
        let (sine, cosine) = self.angle_deg.to_radians().sin_cos();
        DVec3::new(cosine, -sine, 0.0)
    }

    /// The cloth alone, at a height above the slope, its threads turned by an angle.
    fn cloth(&self, size: [usize; 2], place: DVec3, askew_rad: f64) -> ClothSpec {
        let normal = self.downhill().cross(DVec3::NEG_Z);
        let turn = DQuat::from_axis_angle(normal, askew_rad);
        let cloth = specimen::sheet(size[0], size[1], SPACING_M, Material::default());
        let (along, across) = (turn * self.downhill(), turn * DVec3::NEG_Z);
        let mut cloth = specimen::turned(cloth, along, across);
        if let Some(sheet) = cloth.sheet_mut() {
            sheet.center = place;
        }
        cloth
    }

    /// The cloth above the slope.
    pub fn model(&self) -> ModelSpec {
        let normal = self.downhill().cross(DVec3::NEG_Z);
        let thickness = Material::default().thickness_m;
        let place = thickness * normal - UPHILL_M * self.downhill();
        let cloth = self.cloth([SIDE, SIDE], place, ASKEW_RAD);
        let mut cloths = vec![cloth];
        let mut colliders = Vec::new();
        match self.on {
            On::Solid => {
                let plane = Shape::Plane {
                    normal,
                    offset_m: 0.0,
                };
                colliders.push(ColliderSpec::new(plane, self.friction));
            }
            On::Cloth => {
                let slope = self.cloth(SLOPE, DVec3::ZERO, 0.0);
                cloths.push(specimen::held(slope, |_, _| true));
            }
        }
        ModelSpec {
            gravity_m_per_s2: DVec3::new(0.0, -GRAVITY, 0.0),
            cloths,
            colliders,
            ..ModelSpec::default()
        }
    }

    /// How it is stepped.
    pub fn config(&self) -> StepConfig {
        let friction = self.friction;
        StepConfig {
            solve: self.solve,
            contact: (self.on == On::Cloth).then_some(ClothContact { friction }),
            ..StepConfig::default()
        }
    }

    fn start(&self) -> Result<Simulation, Error> {
        let model = Model::build(&self.model())?;
        Ok(Simulation::new(Arc::new(model), self.config()))
    }

    /// Place or speed of the whole cloth along the slope.
    pub fn along(&self, vectors: &[DVec3]) -> f64 {
        let cloth = &vectors[..SIDE * SIDE];
        let sum: f64 = cloth.iter().map(|v| v.dot(self.downhill())).sum();
        sum / cloth.len() as f64
    }

    /// Mean speed of creep over ten seconds, m/s, and the way from the start at each moment, m.
    pub fn creep(&self) -> Result<(f64, Vec<[f64; 2]>), Error> {
        let mut simulation = self.start()?;
        let start = self.along(&simulation.state().positions);
        let steps = |seconds: f64| (seconds / self.step_s).round() as usize;
        let mut way = Vec::new();
        for _ in 0..steps(SETTLING_S) + steps(HELD_S) {
            simulation.step(self.step_s)?;
            let state = simulation.state();
            way.push([state.time_s, self.along(&state.positions) - start]);
        }
        Ok((creep_m_per_s(&way), way))
    }

    /// Acceleration, m/s², by a straight line through the speeds; and these, m/s.
    pub fn acceleration(&self) -> Result<(f64, Vec<[f64; 2]>), Error> {
        let mut simulation = self.start()?;
        let mut speeds = Vec::new();
        while simulation.state().time_s < SLIDING_S[1] {
            simulation.step(self.step_s)?;
            let state = simulation.state();
            speeds.push([state.time_s, self.along(&state.velocities)]);
        }
        let later = speeds.iter().filter(|p| p[0] >= SLIDING_S[0]);
        Ok((slope_of_line(later.copied().collect()), speeds))
    }
}

/// Mean speed of what has settled, m/s, by its way at each moment, m; of all the way where it had no time to.
pub fn creep_m_per_s(way: &[[f64; 2]]) -> f64 {
    let settled = way.iter().position(|p| p[0] > SETTLING_S - 1e-9);
    match (way.get(settled.unwrap_or(0)), way.last()) {
        (Some(from), Some(to)) => (to[1] - from[1]).abs() / (to[0] - from[0]),
        _ => 0.0,
    }
}

/// Slope of the straight line nearest to some points.
fn slope_of_line(points: Vec<[f64; 2]>) -> f64 {
    let count = points.len() as f64;
    let mean = |k: usize| points.iter().map(|p| p[k]).sum::<f64>() / count;
    let (x, y) = (mean(0), mean(1));
    let rise: f64 = points.iter().map(|p| (p[0] - x) * (p[1] - y)).sum();
    let run: f64 = points.iter().map(|p| (p[0] - x).powi(2)).sum();
    rise / run
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn creep_is_the_speed_of_what_has_settled() {
        let way = (0..=20).map(|k| 0.2 * f64::from(k)).map(|t| {
            let settling = 1e-3 * (SETTLING_S - t).max(0.0);
            [t, 1e-6 * t - settling]
        });
        let way = Vec::from_iter(way);
        assert!((creep_m_per_s(&way) / 1e-6 - 1.0).abs() < 1e-9);
        assert!((creep_m_per_s(&way[..6]) / 1.001e-3 - 1.0).abs() < 1e-9);
        assert_eq!(creep_m_per_s(&[]), 0.0);
    }

    #[test]
    fn a_line_has_its_slope() {
        let line = (0..10).map(|k| [f64::from(k), 3.0 - 2.0 * f64::from(k)]);
        assert!((slope_of_line(line.collect()) + 2.0).abs() < 1e-12);
    }
}
