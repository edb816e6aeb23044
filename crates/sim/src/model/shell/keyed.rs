//! Shells whose material changes over time: their elements are made anew wherever a keyed scalar has changed.

use crate::error::BuildError;
use crate::model::materials::Materials;
use crate::model::shell::triangles::Placement;
use crate::model::spec::{Bending, ClothSpec, Membrane};
use crate::model::{Model, unshared};
use std::ops::Range;
use std::sync::Arc;
use toile_geometry::Surface;

/// A cloth of triangles, and all it takes to make its elements again.
#[derive(Clone)]
pub(crate) struct KeyedShell {
    pub cloth: Arc<ClothSpec>,
    /// Its place among the model's cloths.
    pub number: usize,
    /// Its triangles as cut.
    pub surface: Arc<Surface>,
    pub energies: (Membrane, Bending),
    pub first_particle: u32,
    /// Its families, in the list of all.
    pub elements: Range<usize>,
    /// Its edges, in the list of all.
    pub edges: Range<usize>,
    /// Where its families' memory begins.
    pub memory: Vec<usize>,
}

impl KeyedShell {
    /// Takes note of where the memory of a family begins, if that is one of its own.
    pub fn learn_memory(&mut self, family: usize, first: usize) {
        if self.elements.contains(&family) {
            self.memory.push(first);
        }
    }

    /// What its keyed scalars are at a time.
    pub fn values_at(&self, time_s: f64) -> impl Iterator<Item = f64> + '_ {
        self.cloth.courses().map(move |scalar| scalar.at(time_s))
    }

    /// Whether its keyed scalars have these values at a time.
    pub fn is_at(&self, time_s: f64, values: &[f64]) -> bool {
        self.values_at(time_s).eq(values.iter().copied())
    }

    /// Makes its elements as they are at a time, in the place of those in `materials`.
    pub fn make(
        &self,
        model: &Model,
        time_s: f64,
        materials: &mut Materials,
    ) -> Result<(), BuildError> {
        let at_rest = self.cloth.at_rest(&self.surface, time_s);
        let place = Placement {
            surface: &at_rest,
            cloth: &self.cloth,
            time_s,
            first_particle: self.first_particle,
            total: model.particles(),
        };
        let (membrane, bending) = self.energies;
        let families = place.families(membrane, bending);
        let mut families = families.map_err(|e| e.under(&format!("cloth[{}]", self.number)))?;
        for (family, first) in families.iter_mut().zip(&self.memory) {
            let family = unshared(family);
            family.bind(&model.matrix_pattern);
            family.claim_memory(*first);
        }
        let own = &mut materials.elements[self.elements.clone()];
        own.iter_mut()
            .zip(families)
            .for_each(|(own, new)| *own = new);
        materials.edges[self.edges.clone()].copy_from_slice(&place.edges());
        Ok(())
    }
}

impl Model {
    /// Refuses materials that cannot be simulated at the time of some key; they could not between.
    pub(crate) fn try_times(&self) -> Result<(), BuildError> {
        let scalars = self.keyed.iter().flat_map(|shell| shell.cloth.courses());
        let keys = scalars.flat_map(|scalar| scalar.keys.iter());
        let mut times: Vec<f64> = keys.map(|key| key.time_s).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        times
            .into_iter()
            .try_for_each(|time_s| self.materials.at(self, time_s).map(drop))
    }
}
