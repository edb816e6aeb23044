//! Which friction is between two surfaces that touch.
//!
//! A pair that has its own coefficient has that; what deforms has the body's on a body, and among itself the
//! one that all cloths have.

use crate::model::spec::Thing;
use crate::model::{Materials, Model};

/// Coefficients of friction of all pairs of surfaces: deformables, then bodies.
#[derive(Clone, Debug, Default)]
pub struct FrictionTable {
    /// The surface of every vertex.
    surface_of: Vec<u32>,
    surfaces: usize,
    /// Between cloths that have no other.
    on_cloth: f64,
    /// A row for each surface.
    coefficients: Vec<f64>,
}

impl FrictionTable {
    /// For `model`, with `on_cloth` between cloths.
    pub fn new(model: &Model, on_cloth: f64) -> Self {
        let mut table = Self {
            surface_of: model.mesh.owner.clone(),
            surfaces: model.deformables.len() + model.bodies.len(),
            on_cloth,
            coefficients: Vec::new(),
        };
        table.refresh(model, &model.materials);
        table
    }

    /// Takes over the model's coefficients, which may change over time.
    pub fn refresh(&mut self, model: &Model, materials: &Materials) {
        let thing = |k: usize| match k.checked_sub(model.deformables.len()) {
            None => Thing::Deformable(k),
            Some(body) => Thing::Body(body),
        };
        let between = |a: usize, b: usize| {
            let own = materials.own_friction(thing(a), thing(b));
            own.unwrap_or_else(|| match [thing(a), thing(b)] {
                [Thing::Body(k), _] | [_, Thing::Body(k)] => model.bodies[k].friction,
                _ => self.on_cloth,
            })
        };
        let surfaces = self.surfaces;
        let pairs = 0..surfaces * surfaces;
        self.coefficients = pairs.map(|k| between(k / surfaces, k % surfaces)).collect();
    }

    /// Whether two vertices belong to the same surface.
    pub fn is_same(&self, a: u32, b: u32) -> bool {
        self.surface_of[a as usize] == self.surface_of[b as usize]
    }

    /// The coefficient between the surfaces of two vertices.
    pub fn between(&self, a: u32, b: u32) -> f64 {
        let [a, b] = [a, b].map(|vertex| self.surface_of[vertex as usize] as usize);
        self.coefficients[a * self.surfaces + b]
    }
}
