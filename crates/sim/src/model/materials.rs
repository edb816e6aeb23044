//! What the deformables of a model are made of at a time: the families of their links and elements, and what rubs
//! how.
//!
//! A model has the materials it starts with. Where scalars are keyed, those of another time are made from the ones at
//! hand by [`Materials::at`], which shares all that is the same: nothing is ever changed in place, so a step that fails
//! has nothing to put back, and what things are made of depends on the time alone.

use crate::assembly::family::{ElementFamily, Family};
use crate::assembly::links::LinkFamily;
use crate::error::BuildError;
use crate::model::Model;
use crate::model::shell::triangles::Edge;
use crate::model::spec::Thing;
use glam::DVec3;
use std::sync::Arc;

/// What a model is made of at one time.
#[derive(Clone, Default)]
pub struct Materials {
    /// Stretch and shear links, one family a cloth on a grid.
    pub stretch: Vec<Arc<dyn LinkFamily>>,
    /// Bending links, at most one family a cloth on a grid.
    pub bending: Vec<Arc<dyn LinkFamily>>,
    /// Elements of all else.
    pub elements: Vec<Arc<dyn ElementFamily>>,
    /// Edges of cloths on triangles, with their lengths at rest.
    pub edges: Vec<Edge>,
    /// Friction of pairs that have their own.
    pub(crate) friction: Vec<([Thing; 2], f64)>,
    /// The keyed scalars of every shell that has any, in the order of [`Model::keyed`].
    pub(crate) keyed: Vec<Vec<f64>>,
}

impl Materials {
    /// Those of `model` at a time, which share with these what is the same then.
    pub fn at(self: &Arc<Self>, model: &Model, time_s: f64) -> Result<Arc<Self>, BuildError> {
        let friction = model.friction_at(time_s);
        let shells = model.keyed.iter().zip(&self.keyed);
        if friction == self.friction && shells.clone().all(|(shell, own)| shell.is_at(time_s, own))
        {
            return Ok(self.clone());
        }
        let mut there = Self {
            friction,
            ..Self::clone(self)
        };
        for (k, shell) in model.keyed.iter().enumerate() {
            if !shell.is_at(time_s, &self.keyed[k]) {
                shell.make(model, time_s, &mut there)?;
                there.keyed[k] = shell.values_at(time_s).collect();
            }
        }
        Ok(Arc::new(there))
    }

    /// All families in their fixed order.
    pub fn families(&self) -> impl Iterator<Item = &dyn Family> {
        let links = self.link_families().map(|family| family as &dyn Family);
        links.chain(self.elements.iter().map(|family| &**family as &dyn Family))
    }

    /// All families of links in their fixed order.
    pub fn link_families(&self) -> impl Iterator<Item = &dyn LinkFamily> {
        self.stretch.iter().chain(&self.bending).map(|f| &**f)
    }

    /// Friction between two things if they have their own.
    pub fn own_friction(&self, a: Thing, b: Thing) -> Option<f64> {
        let is_it = |(pair, _): &&([Thing; 2], f64)| *pair == [a, b] || *pair == [b, a];
        self.friction
            .iter()
            .find(is_it)
            .map(|(_, friction)| *friction)
    }

    /// Takes over what elements must remember of committed positions.
    pub fn remember(&self, positions: &[DVec3], memory: &mut [f64]) {
        for family in self.families() {
            family.remember(positions, memory);
        }
    }

    /// Whether shells are made of something else than in `other`.
    pub(crate) fn differ_in_shells(&self, other: &Self) -> bool {
        self.keyed != other.keyed
    }
}
