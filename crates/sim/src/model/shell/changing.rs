//! Cloths whose material changes over time: their elements are made anew wherever a keyframed value has
//! changed. Nothing of this is state: what a cloth is made of depends on the time alone.

use crate::error::BuildError;
use crate::model::shell::triangles::Placement;
use crate::model::spec::{Bending, ClothSpec, Membrane};
use crate::model::{Model, unshared};
use std::ops::Range;
use std::sync::Arc;
use toile_geometry::Surface;

/// A cloth of triangles, and all it takes to make its elements again.
#[derive(Clone)]
pub(crate) struct Changing {
    pub cloth: Arc<ClothSpec>,
    /// Its place among the model's cloths.
    pub number: usize,
    /// Its triangles as cut.
    pub surface: Arc<Surface>,
    pub energies: (Membrane, Bending),
    pub first_particle: u32,
    /// Its families, in the model's list.
    pub elements: Range<usize>,
    /// Its edges, in the model's list.
    pub edges: Range<usize>,
    /// Where its families' memory begins.
    pub memory: Vec<usize>,
    /// What its courses were when its elements were made.
    pub values: Vec<f64>,
}

impl Changing {
    /// Takes note of where the memory of a family begins, if that is one of its own.
    pub fn learn_memory(&mut self, family: usize, first: usize) {
        if self.elements.contains(&family) {
            self.memory.push(first);
        }
    }

    fn values_at(&self, time_s: f64) -> impl Iterator<Item = f64> + '_ {
        self.cloth.courses().map(move |course| course.at(time_s))
    }

    fn is_at(&self, time_s: f64) -> bool {
        self.values_at(time_s).eq(self.values.iter().copied())
    }
}

impl Model {
    /// Whether materials and friction are what they are at a time.
    pub(crate) fn is_at(&self, time_s: f64) -> bool {
        let mut friction = self.friction.iter().map(|pair| &pair.friction);
        friction.all(|course| course.at(time_s) == course.at(self.time_s))
            && self.changing.iter().all(|changing| changing.is_at(time_s))
    }

    /// Whether any cloth is made of something else at another time.
    pub(crate) fn changes_between(&self, one_s: f64, other_s: f64) -> bool {
        let differs =
            |changing: &Changing| !changing.values_at(one_s).eq(changing.values_at(other_s));
        self.changing.iter().any(differs)
    }

    /// Makes all cloths of what they are made of at a time, and has them rub so. A cloth for which that
    /// fails stays as it is.
    pub(crate) fn set_time(&mut self, time_s: f64) -> Result<(), BuildError> {
        for k in 0..self.changing.len() {
            if !self.changing[k].is_at(time_s) {
                let number = self.changing[k].number;
                self.remake(k, time_s)
                    .map_err(|e| e.under(&format!("cloth[{number}]")))?;
            }
        }
        self.time_s = time_s;
        Ok(())
    }

    fn remake(&mut self, k: usize, time_s: f64) -> Result<(), BuildError> {
        let changing = &self.changing[k];
        let at_rest = changing.cloth.at_rest(&changing.surface, time_s);
        let place = Placement {
            surface: &at_rest,
            cloth: &changing.cloth,
            time_s,
            first_particle: changing.first_particle,
            total: self.particles(),
        };
        let (membrane, bending) = changing.energies;
        let mut families = place.families(membrane, bending)?;
        for (family, first) in families.iter_mut().zip(&changing.memory) {
            let family = unshared(family);
            family.bind(&self.matrix_pattern);
            family.claim_memory(*first);
        }
        let edges = place.edges();
        let values = changing.values_at(time_s).collect();
        for (own, new) in self.elements[changing.elements.clone()]
            .iter_mut()
            .zip(families)
        {
            *own = new;
        }
        self.edges[changing.edges.clone()].copy_from_slice(&edges);
        self.changing[k].values = values;
        Ok(())
    }

    /// Refuses materials that cannot be simulated at the time of some keyframe; they could not between.
    pub(crate) fn try_times(&mut self) -> Result<(), BuildError> {
        let courses = self
            .changing
            .iter()
            .flat_map(|changing| changing.cloth.courses());
        let keys = courses.flat_map(|course| course.keys.iter());
        let mut times: Vec<f64> = keys.map(|key| key.time_s).collect();
        if times.is_empty() {
            return Ok(());
        }
        times.sort_by(f64::total_cmp);
        times.dedup();
        times.push(0.0);
        times
            .into_iter()
            .try_for_each(|time_s| self.set_time(time_s))
    }
}
