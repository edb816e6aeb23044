//! Whole frames brought out of the level sets of a model, without letting cloth pass cloth.
//!
//! All particles go to their places on straight lines. Where features of cloth would meet on the way,
//! their particles go only half as far, and again, until nothing meets: standing still is safe, so it
//! ends. Such particles may be left below the offset; [`Finished`] counts them.

use super::Keeping;
use crate::colliders::{FieldAt, Shape};
use crate::model::Model;
use glam::{DMat3, DQuat, DVec3};
use std::sync::Arc;
use toile_geometry::broad::{Method, Pairs, Sweep};
use toile_geometry::ccd;
use toile_geometry::levelset::{Parts, Placed, RigidMotion};

/// Halvings after which a particle stays where it is.
const HALVINGS: u32 = 4;

/// Brings frames of a model out of its level sets.
pub struct Finish {
    model: Arc<Model>,
    keeping: Keeping,
    sweep: Sweep,
    pairs: Pairs,
}

/// A frame brought out.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    /// Where the particles are, m.
    pub positions: Vec<DVec3>,
    /// How many were moved.
    pub moved: usize,
    /// How many were held back so that cloth does not pass cloth.
    pub held_back: usize,
}

impl Finish {
    /// For frames of `model`.
    pub fn new(model: Arc<Model>, keeping: Keeping) -> Self {
        Self {
            sweep: Sweep::new(Method::Tree, model.particles(), &model.faces),
            pairs: Pairs::default(),
            model,
            keeping,
        }
    }

    /// The particles of a frame at a time.
    pub fn frame(&mut self, positions: &[DVec3], time_s: f64) -> Finished {
        let parts = Parts::new(self.fields(time_s), self.keeping.tolerance_m());
        let solids: Vec<&Placed<FieldAt>> = parts.parts().collect();
        let place = |point: DVec3| {
            let found = parts.sample(point, self.keeping.tolerance_m())?;
            self.keeping
                .place(solids[found.part], point, found.is_pinched())
        };
        let wished: Vec<Option<DVec3>> = positions.iter().map(|p| place(*p)).collect();
        let ways: Vec<DVec3> = (wished.iter().zip(positions))
            .map(|(to, from)| to.map_or(DVec3::ZERO, |to| to - *from))
            .collect();
        let moved = ways.iter().filter(|way| **way != DVec3::ZERO).count();
        if moved == 0 {
            return Finished {
                positions: positions.to_vec(),
                moved,
                held_back: 0,
            };
        }
        let (positions, held_back) = self.apart(positions, &ways);
        Finished {
            positions,
            moved,
            held_back,
        }
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

    /// Goes as far along `ways` as nothing meets; returns also how many particles were held back.
    fn apart(&mut self, from: &[DVec3], ways: &[DVec3]) -> (Vec<DVec3>, usize) {
        let mut halvings = vec![0_u32; from.len()];
        loop {
            let share = |halvings: u32| match halvings {
                HALVINGS.. => 0.0,
                _ => 0.5_f64.powi(halvings as i32),
            };
            let to: Vec<DVec3> = (0..from.len())
                .map(|i| from[i] + share(halvings[i]) * ways[i])
                .collect();
            let mut meeting: Vec<u32> = self.meeting(from, &to);
            meeting.sort_unstable();
            meeting.dedup();
            let goes_on =
                |i: &u32| ways[*i as usize] != DVec3::ZERO && halvings[*i as usize] < HALVINGS;
            meeting.retain(goes_on);
            if meeting.is_empty() {
                return (to, halvings.iter().filter(|count| **count > 0).count());
            }
            for i in meeting {
                halvings[i as usize] += 1;
            }
        }
    }

    /// Particles of features that meet on the way, as often as they do.
    fn meeting(&mut self, from: &[DVec3], to: &[DVec3]) -> Vec<u32> {
        self.sweep.update(from, to, 0.0);
        self.sweep.self_pairs(&mut self.pairs);
        let at = |x: &[DVec3], corners: [u32; 4]| corners.map(|v| x[v as usize]);
        let edges = self.sweep.edges();
        let points = self.pairs.point_face.iter().map(|[vertex, face]| {
            let [a, b, c] = self.model.faces[*face as usize];
            [*vertex, a, b, c]
        });
        let points =
            points.filter(|c| ccd::point_triangle(&at(from, *c), &at(to, *c), 0.0).is_some());
        let crossed = self.pairs.edge_edge.iter().map(|[e, f]| {
            let ([a, b], [c, d]) = (edges[*e as usize], edges[*f as usize]);
            [a, b, c, d]
        });
        let crossed = crossed.filter(|c| ccd::edge_edge(&at(from, *c), &at(to, *c), 0.0).is_some());
        points.chain(crossed).flatten().collect()
    }
}
