//! From a description to a model: every deformable adds its part, and what is made of all parts comes last.

use super::{CollisionMesh, Deformable, Kind, Layout, Materials, Model};
use crate::constraints::pin;
use crate::constraints::stick;
use crate::error::BuildError;
use crate::forces::air::Air;
use crate::forces::wind::Wind;
use crate::model::spec::{AirSpec, ModelSpec, PinSpec};
use glam::{DVec2, DVec3};
use std::iter::repeat_n;
use std::sync::Arc;
use toile_numerics::Pattern;

/// Builds what was found to be valid.
pub(super) fn model(spec: &ModelSpec) -> Result<Model, BuildError> {
    let mut builder = Builder::new(spec);
    for (k, cloth) in spec.cloths.iter().enumerate() {
        let added = builder.add_cloth(cloth);
        added.map_err(|e| e.under(&format!("cloth[{k}]")))?;
    }
    for (k, rod) in spec.rods.iter().enumerate() {
        let added = builder.add_rod(rod);
        added.map_err(|e| e.under(&format!("rod[{k}]")))?;
    }
    for (k, solid) in spec.solids.iter().enumerate() {
        let added = builder.add_solid(solid);
        added.map_err(|e| e.under(&format!("solid[{k}]")))?;
    }
    let mut model = builder.finish(&spec.air);
    model.try_times()?;
    stick::add_all(&mut model, &spec.cloths)?;
    Ok(model)
}

/// A model while it is built.
pub(super) struct Builder {
    /// What there is of it.
    pub model: Model,
    /// What that is made of.
    pub materials: Materials,
    /// Particles that the whole model will have.
    pub total: usize,
    faces: Vec<[u32; 3]>,
    lone_edges: Vec<[u32; 2]>,
}

/// A deformable's share of the model's arrays, numbered from its own first particle.
pub(super) struct Part {
    pub name: String,
    pub kind: Kind,
    /// Where its particles start, m.
    pub positions: Vec<DVec3>,
    /// How all of them start, m/s.
    pub velocity_m_per_s: DVec3,
    /// Their masses, kg.
    pub masses: Vec<f64>,
    pub faces: Vec<[u32; 3]>,
    /// Edges of no face that can meet others.
    pub lone_edges: Vec<[u32; 2]>,
    pub thickness_m: f64,
    /// The shortest and the longest edge at rest, m.
    pub lengths_m: [f64; 2],
}

impl Builder {
    fn new(spec: &ModelSpec) -> Self {
        let total = spec.particles();
        let model = Model {
            gravity_m_per_s2: spec.gravity_m_per_s2,
            start_positions: Vec::with_capacity(total),
            start_velocities: Vec::with_capacity(total),
            mesh: Arc::default(),
            masses: Vec::with_capacity(total),
            layout: Layout {
                particles: total,
                scalars: 0,
            },
            coordinate_masses: Vec::new(),
            weight_norm_n: 0.0,
            air: Air::default(),
            pins: Vec::new(),
            pin_group_of: Vec::new(),
            pin_groups: Vec::new(),
            sticks: Vec::new(),
            fastened: Vec::new(),
            deformables: Vec::new(),
            colliders: spec.colliders.clone(),
            bodies: spec.bodies.clone(),
            friction: spec.friction.clone(),
            materials: Arc::default(),
            keyed: Vec::new(),
            memory: 0,
            matrix_pattern: Arc::new(Pattern::symmetric(0, [])),
            shortest_link_m: f64::INFINITY,
        };
        Self {
            model,
            materials: Materials::default(),
            total,
            faces: Vec::new(),
            lone_edges: Vec::new(),
        }
    }

    /// The first particle of the next deformable.
    pub fn first_particle(&self) -> u32 {
        self.model.start_positions.len() as u32
    }

    /// Adds a deformable to the model's arrays; its elements are in the materials already.
    pub fn add(&mut self, part: Part) {
        let first = self.first_particle();
        let model = &mut self.model;
        let count = part.positions.len();
        let (first_face, first_edge) = (self.faces.len(), self.lone_edges.len());
        let faces = part.faces.iter().map(|face| face.map(|v| v + first));
        self.faces.extend(faces);
        let lone_edges = part.lone_edges.iter().map(|edge| edge.map(|v| v + first));
        self.lone_edges.extend(lone_edges);
        let [shortest_m, longest_m] = part.lengths_m;
        model.shortest_link_m = model.shortest_link_m.min(shortest_m);
        model.deformables.push(Deformable {
            name: part.name,
            particles: first as usize..first as usize + count,
            faces: first_face..self.faces.len(),
            lone_edges: first_edge..self.lone_edges.len(),
            kind: part.kind,
            thickness_m: part.thickness_m,
            longest_link_m: longest_m,
        });
        model.masses.extend(part.masses);
        (model.start_velocities).extend(repeat_n(part.velocity_m_per_s, count));
        model.start_positions.extend(part.positions);
    }

    /// Adds the pins of the next deformable; without a pattern, it has no borders and corners.
    pub fn add_pins(
        &mut self,
        pins: &[PinSpec],
        pattern: &[DVec2],
        positions: &[DVec3],
    ) -> Result<(), BuildError> {
        let first = self.first_particle();
        let model = &mut self.model;
        let mut held = Vec::new();
        for (k, pin) in pins.iter().enumerate() {
            let located = |e: BuildError| e.under(&format!("pin[{k}]"));
            let chosen = pin::select(&pin.region, pattern, positions).map_err(located)?;
            let group = model.pin_groups.len() as u32;
            held.extend(chosen.iter().map(|i| (i + first, group)));
            let group = pin::Group::new(pin, &chosen, positions);
            model.pin_groups.push(group.map_err(located)?);
        }
        held.sort_unstable();
        held.dedup_by_key(|(particle, _)| *particle);
        model
            .pins
            .extend(held.iter().map(|(particle, _)| *particle));
        (model.pin_group_of).extend(held.iter().map(|(_, group)| *group));
        Ok(())
    }

    /// What is made of all parts.
    fn finish(self, air: &AirSpec) -> Model {
        let Self {
            mut model,
            mut materials,
            total,
            faces,
            lone_edges,
        } = self;
        let rest = model.rest();
        let wind = |wind| Wind::new(&wind, total, &faces[..rest.len()], &rest);
        model.air = Air {
            damping_per_s: air.damping_per_s,
            wind: air.wind.map(wind),
        };
        let deformables = (&model.deformables[..], model.shortest_link_m);
        model.mesh = Arc::new(CollisionMesh::new(
            (faces, lone_edges),
            deformables,
            &model.bodies,
        ));
        let squares: f64 = model.masses.iter().map(|m| m * m).sum();
        model.weight_norm_n = model.gravity_m_per_s2.length() * squares.sqrt();
        model.coordinate_masses = model.masses.iter().flat_map(|m| [*m; 3]).collect();
        bind(&mut model, &mut materials, total);
        materials.friction = model.friction_at(0.0);
        model.materials = Arc::new(materials);
        model
    }
}

/// Tells all families where their blocks and their memory are.
fn bind(model: &mut Model, materials: &mut Materials, total: usize) {
    let mut pairs = Vec::new();
    for family in materials.families() {
        family.for_each_coupling(&mut |pair| pairs.push(pair));
    }
    let pattern = Arc::new(Pattern::symmetric(total, pairs));
    for family in materials.stretch.iter_mut().chain(&mut materials.bending) {
        unshared(family).bind(&pattern);
    }
    for (k, family) in materials.elements.iter_mut().enumerate() {
        let family = unshared(family);
        family.bind(&pattern);
        for shell in &mut model.keyed {
            shell.learn_memory(k, model.memory);
        }
        model.memory += family.claim_memory(model.memory);
    }
    model.matrix_pattern = pattern;
}

/// A family while the model is built.
pub(crate) fn unshared<T: ?Sized>(family: &mut Arc<T>) -> &mut T {
    Arc::get_mut(family).expect("nothing else has a family that was just made")
}
