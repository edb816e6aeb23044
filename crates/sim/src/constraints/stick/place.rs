//! Places that cloth sticks to, in the frame of what they are on.

use super::tie::Tie;
use super::{Bond, Pull};
use crate::bodies;
use crate::colliders::Shape;
use crate::constraints::motion::Pose;
use crate::constraints::pin::Spring;
use crate::model::Model;
use crate::model::spec::Thing;
use crate::state::State;
use glam::{DMat3, DVec3};
use toile_geometry::TriMesh;
use toile_numerics::Hold;

/// A place that goes with something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// With a collider.
    Collider {
        /// The collider.
        collider: u32,
        /// Where the place is before the collider has moved, m.
        start: DVec3,
    },
    /// With a triangle of cloth, of a body or of a level set.
    Triangle {
        /// Its corners; the vertices of bodies and level sets are numbered after the particles.
        vertices: [u32; 3],
        /// Shares of the corners, which add up to 1.
        weights: [f64; 3],
        /// Height above the triangle, m.
        height_m: f64,
    },
    /// At a distance from a vertex, on whatever side of it the particle is.
    Vertex {
        /// The vertex; those of bodies and level sets are numbered after the particles.
        vertex: u32,
        /// The distance, m.
        gap_m: f64,
    },
}

impl Place {
    /// Where `point` is in the frame of a triangle with these corners; nothing if it has no area.
    pub fn on_triangle(vertices: [u32; 3], corners: [DVec3; 3], point: DVec3) -> Option<Self> {
        let [a, b, c] = corners;
        let normal = normal(corners)?;
        let frame = DMat3::from_cols(b - a, c - a, normal);
        let local = frame.inverse() * (point - a);
        local.is_finite().then_some(Self::Triangle {
            vertices,
            weights: [1.0 - local.x - local.y, local.x, local.y],
            height_m: local.z,
        })
    }
}

/// Unit normal of a triangle; none if it has no area.
fn normal([a, b, c]: [DVec3; 3]) -> Option<DVec3> {
    let (ab, ac) = (b - a, c - a);
    let cross = ab.cross(ac);
    let square = ab.length_squared() * ac.length_squared();
    (cross.length_squared() > 1e-24 * square).then(|| cross.normalize())
}

/// The triangles of a body, or of a collider that is met as a level set, where it starts; none of others.
pub(crate) fn triangles(model: &Model, thing: Thing) -> Option<&TriMesh> {
    match thing {
        Thing::Deformable(_) => None,
        Thing::Body(k) => Some(&model.bodies[k].mesh),
        Thing::Collider(k) => match &model.colliders[k].shape {
            Shape::LevelSet(solid) => Some(solid.mesh()),
            _ => None,
        },
    }
}

/// The number of the first vertex of a body or level set: bodies follow the particles, level sets follow
/// the bodies.
pub(crate) fn first_vertex(model: &Model, thing: Thing) -> usize {
    let of_bodies = |count: usize| (0..count).map(Thing::Body);
    let of_colliders = |count: usize| (0..count).map(Thing::Collider);
    let before: Vec<Thing> = match thing {
        Thing::Deformable(_) => Vec::new(),
        Thing::Body(k) => of_bodies(k).collect(),
        Thing::Collider(k) => of_bodies(model.bodies.len())
            .chain(of_colliders(k))
            .collect(),
    };
    let meshes = before.iter().filter_map(|thing| triangles(model, *thing));
    model.particles() + meshes.map(|mesh| mesh.positions.len()).sum::<usize>()
}

/// Number of vertices that places can be on: those of cloths, of bodies and of level sets.
pub fn vertices(model: &Model) -> usize {
    first_vertex(model, Thing::Collider(model.colliders.len()))
}

/// Appends where the vertices of all bodies, then of all level sets are at a time.
fn place_all(model: &Model, time_s: f64, out: &mut Vec<DVec3>) {
    bodies::place_all(&model.bodies, time_s, out);
    for collider in &model.colliders {
        if let Shape::LevelSet(solid) = &collider.shape {
            let (pose, first) = (collider.pose(time_s), out.len());
            solid.place(time_s, out);
            out[first..].iter_mut().for_each(|p| *p = pose.place(*p));
        }
    }
}

/// Where things are at the start of a step, and where they will be at its end: colliders and bodies as
/// prescribed, cloth as its velocity says.
pub struct Places {
    particles: usize,
    /// Particles, then the vertices of bodies, then those of level sets.
    pub start: Vec<DVec3>,
    ahead: Vec<DVec3>,
    /// Of every collider.
    pub poses: Vec<Pose>,
    poses_ahead: Vec<Pose>,
}

/// Where a place is at one instant.
struct Instant<'a> {
    poses: &'a [Pose],
    vertices: &'a [DVec3],
}

impl Places {
    /// Those of a step of `step_s` from `state`.
    pub fn new(model: &Model, state: &State, step_s: f64) -> Self {
        let mut ahead: Vec<DVec3> = (state.positions.iter().zip(&state.velocities))
            .map(|(x, v)| *x + step_s * *v)
            .collect();
        let mut start = state.positions.clone();
        let end_s = state.time_s + step_s;
        place_all(model, state.time_s, &mut start);
        place_all(model, end_s, &mut ahead);
        let poses = |time_s| model.colliders.iter().map(|c| c.pose(time_s)).collect();
        Self {
            particles: state.positions.len(),
            start,
            ahead,
            poses: poses(state.time_s),
            poses_ahead: poses(end_s),
        }
    }

    /// Corners of a triangle at the start.
    pub fn corners(&self, vertices: [u32; 3]) -> [DVec3; 3] {
        vertices.map(|v| self.start[v as usize])
    }

    fn now(&self) -> Instant<'_> {
        Instant {
            poses: &self.poses,
            vertices: &self.start,
        }
    }

    fn end(&self) -> Instant<'_> {
        Instant {
            poses: &self.poses_ahead,
            vertices: &self.ahead,
        }
    }

    /// How far a bonded particle is from its place at the start, m.
    pub fn stretch_at_start(&self, bond: &Bond) -> DVec3 {
        self.start[bond.particle as usize] - self.now().target(bond)
    }

    /// How far it would be at the end with the velocity it has, m.
    pub fn stretch_ahead(&self, bond: &Bond) -> DVec3 {
        self.ahead[bond.particle as usize] - self.end().target(bond)
    }

    /// What a bond is in the equations.
    pub(super) fn pull(&self, bond: &Bond, stiffness_n_per_m: f64) -> Pull {
        let particle = bond.particle;
        let on_cloth = |vertex: u32| (vertex as usize) < self.particles;
        let tie = |carriers: [u32; 3], weights: [f64; 3], offset: DVec3| {
            let ([a, b, c], [p, q, r]) = (carriers, weights);
            Pull::Cloth(Tie {
                particles: [particle, a, b, c],
                weights: [1.0, -p, -q, -r],
                offset,
                stiffness_n_per_m,
            })
        };
        match bond.place {
            Place::Triangle {
                vertices, weights, ..
            } if on_cloth(vertices[0]) => tie(vertices, weights, self.end().offset(bond)),
            Place::Vertex { vertex, .. } if on_cloth(vertex) => {
                tie([vertex; 3], [1.0, 0.0, 0.0], self.end().offset(bond))
            }
            _ => {
                let goal = self.end().target(bond);
                Pull::Known(Spring {
                    particle,
                    hold: Hold::Fixed,
                    goal,
                    way: goal - self.now().target(bond),
                    stiffness_n_per_m,
                })
            }
        }
    }
}

impl Instant<'_> {
    /// Where a bond draws its particle.
    fn target(&self, bond: &Bond) -> DVec3 {
        let on = match bond.place {
            Place::Collider { collider, start } => self.poses[collider as usize].place(start),
            Place::Triangle {
                vertices, weights, ..
            } => (vertices.iter().zip(&weights))
                .map(|(v, weight)| *weight * self.vertices[*v as usize])
                .sum(),
            Place::Vertex { vertex, .. } => self.vertices[vertex as usize],
        };
        on + self.offset(bond)
    }

    /// How far above its triangle, or from its vertex, that is.
    fn offset(&self, bond: &Bond) -> DVec3 {
        match bond.place {
            Place::Collider { .. } => DVec3::ZERO,
            Place::Triangle {
                vertices, height_m, ..
            } => {
                let corners = vertices.map(|v| self.vertices[v as usize]);
                height_m * normal(corners).unwrap_or_default()
            }
            Place::Vertex { vertex, gap_m } => {
                let away = self.vertices[bond.particle as usize] - self.vertices[vertex as usize];
                gap_m * away.normalize_or_zero()
            }
        }
    }
}
