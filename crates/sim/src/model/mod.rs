//! The model: everything that does not move, and never changes during a run. What it is made of at a time is
//! beside it ([`Materials`]).

mod build;
pub mod collision_mesh;
pub mod deformable;
pub mod keyed;
pub mod layout;
pub mod material;
pub mod materials;
pub mod rod;
pub mod shell;
pub mod solid;
pub mod spec;
mod validate;

pub use collision_mesh::CollisionMesh;
pub use deformable::{Deformable, GridOfLinks, Kind, Shell, Structure};
pub use layout::Layout;
pub use materials::Materials;

pub(crate) use build::unshared;

use crate::bodies::BodySpec;
use crate::constraints::pin;
use crate::constraints::stick::{Bond, Stick};
use crate::error::BuildError;
use crate::forces::air::Air;
use crate::model::shell::keyed::KeyedShell;
use crate::model::spec::{ColliderSpec, ModelSpec, PairFriction, Thing};
use glam::{DVec2, DVec3};
use std::sync::Arc;
use toile_numerics::Pattern;

/// More particles than this are refused before anything is allocated.
pub const MAX_PARTICLES: usize = 4_000_000;

/// Particles from which on a step is worth the whole attention of all threads.
const ATTENTIVE_PARTICLES: usize = 2000;

/// Everything that never changes during a run.
#[derive(Clone)]
pub struct Model {
    /// Gravity, m/s².
    pub gravity_m_per_s2: DVec3,
    /// Where particles start, m.
    pub start_positions: Vec<DVec3>,
    /// How particles start, m/s.
    pub start_velocities: Vec<DVec3>,
    /// What of it can meet.
    pub mesh: Arc<CollisionMesh>,
    /// Mass of every particle, kg.
    pub masses: Vec<f64>,
    /// Where its unknowns are in flat slices.
    pub layout: Layout,
    /// Mass of every coordinate, kg: each particle's three times.
    pub coordinate_masses: Vec<f64>,
    /// What they move through.
    pub air: Air,
    /// Euclidean norm of all particles' weights, N.
    pub weight_norm_n: f64,
    /// Pinned particles, ascending.
    pub pins: Vec<u32>,
    /// The pin each of them belongs to, as an index into [`Model::pin_groups`].
    pub pin_group_of: Vec<u32>,
    /// The pins of all deformables.
    pub pin_groups: Vec<pin::Group>,
    /// How particles stick to things, and what they are fastened with.
    pub sticks: Vec<Stick>,
    /// Particles that are fastened from the start, ascending.
    pub fastened: Vec<Bond>,
    /// What deforms: cloths first, then rods, then solids.
    pub deformables: Vec<Deformable>,
    /// What they meet.
    pub colliders: Vec<ColliderSpec>,
    /// Solids made of triangles that they meet.
    pub bodies: Vec<BodySpec>,
    /// Friction of pairs that have their own.
    pub friction: Vec<PairFriction>,
    /// What it is made of where it starts.
    pub materials: Arc<Materials>,
    /// Shells whose material changes over time.
    pub(crate) keyed: Vec<KeyedShell>,
    /// How many numbers the elements remember from step to step.
    pub memory: usize,
    /// Which particles are coupled.
    pub matrix_pattern: Arc<Pattern>,
    /// Shortest edge at rest, m: the scale of a large or small motion.
    pub shortest_link_m: f64,
}

impl Model {
    /// Builds and validates a model.
    pub fn build(spec: &ModelSpec) -> Result<Self, BuildError> {
        validate::all(spec)?;
        build::model(spec)
    }

    /// What elements remember at the start.
    pub fn start_memory(&self) -> Vec<f64> {
        let mut memory = vec![0.0; self.memory];
        for family in self.materials.families() {
            family.forget(&mut memory);
        }
        self.materials.remember(&self.start_positions, &mut memory);
        memory
    }

    /// Number of particles.
    pub fn particles(&self) -> usize {
        self.masses.len()
    }

    /// Whether steps are worth the attention of all threads, which costs to get.
    pub(crate) fn deserves_attention(&self) -> bool {
        self.particles() >= ATTENTIVE_PARTICLES
    }

    /// The deformable that a particle belongs to.
    pub fn deformable_of(&self, particle: u32) -> usize {
        let ends_before = |one: &Deformable| one.particles.end <= particle as usize;
        self.deformables.partition_point(ends_before)
    }

    /// The shells, which are the first deformables.
    pub fn shells(&self) -> impl Iterator<Item = (&Deformable, &Shell)> {
        let all = self.deformables.iter();
        all.map_while(|deformable| Some((deformable, deformable.shell()?)))
    }

    /// Whether all that deforms are shells.
    pub fn is_all_shells(&self) -> bool {
        self.shells().count() == self.deformables.len()
    }

    /// Pattern coordinates of all particles for files and pictures, m; zero where there is no pattern.
    pub fn pattern_positions(&self) -> Vec<DVec2> {
        let mut pattern = Vec::with_capacity(self.particles());
        for (_, shell) in self.shells() {
            pattern.extend_from_slice(&shell.pattern);
        }
        pattern.resize(self.particles(), DVec2::ZERO);
        pattern
    }

    /// Pattern coordinates of the corners of the shells' faces, m: the first faces of the mesh.
    pub fn rest(&self) -> Vec<[DVec2; 3]> {
        self.shells()
            .flat_map(|(_, shell)| &shell.rest)
            .copied()
            .collect()
    }

    /// Number of vertices of all bodies; in contact they are numbered after the particles.
    pub fn body_vertices(&self) -> usize {
        self.bodies.iter().map(BodySpec::vertices).sum()
    }

    /// What it is made of at a time; where that cannot be simulated, what it starts as.
    pub fn materials_at(&self, time_s: f64) -> Arc<Materials> {
        self.materials
            .at(self, time_s)
            .unwrap_or_else(|_| self.materials.clone())
    }

    /// Friction of pairs that have their own, at a time.
    pub(crate) fn friction_at(&self, time_s: f64) -> Vec<([Thing; 2], f64)> {
        let pairs = self.friction.iter();
        pairs
            .map(|pair| (pair.between, pair.friction.at(time_s)))
            .collect()
    }
}
