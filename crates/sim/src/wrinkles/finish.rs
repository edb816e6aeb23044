//! Frames as they are written: made finer, and brought out of the level sets of a model, without
//! letting cloth pass cloth or bodies.
//!
//! A finer mesh starts on the simulated surface, which is known to cross nothing. From there its vertices
//! go to where Loop's weights put them and the map of distances puts these, as far as nothing is met on
//! the way ([`super::apart`]). Vertices that are held back may be left below the offset; [`Finished`]
//! counts them.

use super::Keeping;
use super::apart::Apart;
use crate::bodies;
use crate::colliders::{FieldAt, Shape};
use crate::model::Model;
use glam::{DMat3, DQuat, DVec3};
use rayon::prelude::*;
use std::sync::Arc;
use toile_geometry::levelset::{Parts, Placed, RigidMotion};
use toile_geometry::{Pieces, Subdivision};

/// Where there is no more cloth around a particle than this, 120°, it is a corner, which stays.
const CORNER_RAD: f64 = 2.0 / 3.0 * std::f64::consts::PI;

/// What deforms in a model, made finer some times; without a pattern, only borders of edges stay.
pub fn finer(model: &Model, levels: u32) -> Subdivision {
    let deformables = || model.deformables.iter();
    let mesh = Pieces {
        faces: model.mesh.faces.clone(),
        vertices: deformables().map(|one| one.particles.clone()).collect(),
        triangles: deformables().map(|one| one.faces.clone()).collect(),
    };
    // How much cloth there is around each particle.
    let mut angles = vec![0.0; model.particles()];
    for (face, rest) in model.mesh.faces.iter().zip(&model.rest()) {
        for k in 0..3 {
            let [a, b, c] = [0, 1, 2].map(|i| rest[(k + i) % 3]);
            angles[face[k] as usize] += (b - a).angle_to(c - a).abs();
        }
    }
    let stays: Vec<bool> = angles.iter().map(|angle| *angle <= CORNER_RAD).collect();
    Subdivision::new(mesh, &stays, levels)
}

/// Makes what is written of the frames of a model.
pub struct Finish {
    model: Arc<Model>,
    keeping: Option<Keeping>,
    mesh: Arc<Subdivision>,
    apart: Apart,
}

/// A frame as it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    /// Where the vertices are, m.
    pub positions: Vec<DVec3>,
    /// How many left the simulated surface.
    pub moved: usize,
    /// How many of them went less far than they should, so that nothing is crossed.
    pub held_back: usize,
}

impl Finish {
    /// For frames of `model`, on the mesh that [`finer`] made of it, brought out of level sets if there
    /// is a `keeping`.
    pub fn new(model: Arc<Model>, mesh: Arc<Subdivision>, keeping: Option<Keeping>) -> Self {
        Self {
            apart: Apart::new(&model, mesh.vertices(), &mesh.mesh().faces),
            model,
            mesh,
            keeping,
        }
    }

    /// The vertices of a frame at a time.
    pub fn frame(&mut self, positions: &[DVec3], time_s: f64) -> Finished {
        let from = self.mesh.flat(positions);
        let wished = self.outside(self.mesh.smooth(positions), time_s);
        let ways: Vec<DVec3> = (wished.iter().zip(&from))
            .map(|(to, from)| *to - *from)
            .collect();
        let moved = ways.iter().filter(|way| **way != DVec3::ZERO).count();
        if moved == 0 {
            return Finished {
                positions: from,
                moved,
                held_back: 0,
            };
        }
        let mut solid = Vec::new();
        bodies::place_all(&self.model.bodies, time_s, &mut solid);
        let (positions, held_back) = self.apart.go(&from, &ways, &solid);
        Finished {
            positions,
            moved,
            held_back,
        }
    }

    /// Where the map of distances puts points.
    fn outside(&self, points: Vec<DVec3>, time_s: f64) -> Vec<DVec3> {
        let Some(keeping) = &self.keeping else {
            return points;
        };
        let parts = Parts::new(self.fields(time_s), keeping.tolerance_m());
        let solids: Vec<&Placed<FieldAt>> = parts.parts().collect();
        let place = |point: &DVec3| {
            let found = parts.sample(*point, keeping.tolerance_m());
            let place = found.and_then(|f| keeping.place(solids[f.part], *point, f.is_pinched()));
            place.unwrap_or(*point)
        };
        points.par_iter().map(place).collect()
    }

    /// The level sets of the model at a time.
    fn fields(&self, time_s: f64) -> impl Iterator<Item = Placed<FieldAt>> {
        self.model.colliders.iter().filter_map(move |collider| {
            let Shape::LevelSet(solid) = &collider.shape else {
                return None;
            };
            let pose = collider.pose(time_s);
            let axes = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| pose.turn(axis));
            Some(Placed {
                field: solid.at(time_s),
                motion: RigidMotion {
                    rotation: DQuat::from_mat3(&DMat3::from_cols(axes[0], axes[1], axes[2])),
                    translation: pose.place(DVec3::ZERO),
                    ..RigidMotion::STILL
                },
            })
        })
    }
}
