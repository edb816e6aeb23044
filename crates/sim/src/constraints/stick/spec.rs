//! How cloth sticks and is fastened, as a model is told.

use crate::error::BuildError;
use crate::model::spec::{PinRegion, Thing};
use toile_geometry::Bounds;

/// A part of a cloth that sticks to surfaces that come near, and lets go of them.
#[derive(Clone, Debug, PartialEq)]
pub struct StickSpec {
    /// Which particles adhere; `None` is all.
    pub region: Option<PinRegion>,
    /// What they stick to; the cloth itself may be among it, where it starts further away than
    /// neighbours are.
    pub to: Vec<Thing>,
    /// The part of it that is sticky, by where it starts; `None` is all of it.
    pub to_box: Option<Bounds>,
    /// Of each of `to`, the triangles that are sticky; `None` is all of them.
    pub to_faces: Option<Vec<Vec<u32>>>,
    /// The most triangles that share a particle.
    pub triangles: usize,
    /// Distance within which a particle attaches, beyond that which it keeps in any case, m.
    pub reach_m: f64,
    /// Stretch at which a bond lets go, m.
    pub release_m: f64,
    /// Force at which it lets go, N, if that comes earlier.
    pub strength_n: Option<f64>,
    /// Force by stretch, N/m.
    pub stiffness_n_per_m: f64,
    /// Time in which the stiffness of a bond that lets go falls to 1/e, s.
    pub fade_s: f64,
    /// From when to when it is switched on, s; empty is always.
    pub active_s: Vec<[f64; 2]>,
}

impl StickSpec {
    /// Force by stretch unless something else is said, N/m: a few particles hold a cloth that is shaken
    /// with hardly a stretch that one sees.
    pub const STIFFNESS_N_PER_M: f64 = 500.0;
    /// The same for what is fastened.
    pub const FASTENED_N_PER_M: f64 = 1000.0;
    /// Time in which bonds fade unless something else is said, s: too short to be seen.
    pub const FADE_S: f64 = 0.02;

    /// Stretch at which bonds of a reach let go unless something else is said, m: twice the reach, so that
    /// what has let go straight away is out of it, and no less than a centimetre, which a few newtons make.
    pub fn release_m(reach_m: f64) -> f64 {
        (2.0 * reach_m).max(0.01)
    }

    /// All of a cloth, to all of some things, for ever.
    pub fn new(to: Vec<Thing>, reach_m: f64, release_m: f64) -> Self {
        Self {
            region: None,
            to,
            to_box: None,
            to_faces: None,
            triangles: 1,
            reach_m,
            release_m,
            strength_n: None,
            stiffness_n_per_m: Self::STIFFNESS_N_PER_M,
            fade_s: Self::FADE_S,
            active_s: Vec::new(),
        }
    }

    /// Refuses what is no way to stick; keys are named as in scene files.
    pub(crate) fn validate(&self) -> Result<(), BuildError> {
        if self.to.is_empty() {
            return refused("to", "expected at least one");
        }
        if self.triangles == 0 {
            return refused("triangles", "expected at least 1");
        }
        if !(self.reach_m.is_finite() && self.reach_m >= 0.0) {
            return refused("reach_m", "expected a number of at least 0");
        }
        positive("release_m", self.release_m)?;
        positive("stiffness_n_per_m", self.stiffness_n_per_m)?;
        positive("fade_s", self.fade_s)?;
        if let Some(strength_n) = self.strength_n {
            positive("strength_n", strength_n)?;
        }
        for (k, [from, to]) in self.active_s.iter().enumerate() {
            if !(from.is_finite() && to.is_finite() && from < to) {
                let key = format!("active_s[{k}]");
                return refused(&key, "expected two times, the earlier first");
            }
        }
        Ok(())
    }
}

/// Particles of a cloth fastened to something for good: buttons, waistbands, glue, springs to bones.
#[derive(Clone, Debug, PartialEq)]
pub struct AttachSpec {
    /// Which particles.
    pub region: PinRegion,
    /// What they are fastened to.
    pub to: Thing,
    /// The vertices of a cloth or body that they are fastened to, one by one in the order of
    /// [`PinRegion::Indices`]; `None` is where they start in the frame of a collider or of the nearest
    /// triangle.
    pub to_indices: Option<Vec<u32>>,
    /// With `to_indices`: the distance that is kept, m; `None` is that at the start.
    pub gap_m: Option<f64>,
    /// Force by stretch, N/m.
    pub stiffness_n_per_m: f64,
}

impl AttachSpec {
    /// Fastened where they start, firmly.
    pub fn new(region: PinRegion, to: Thing) -> Self {
        Self {
            region,
            to,
            to_indices: None,
            gap_m: None,
            stiffness_n_per_m: StickSpec::FASTENED_N_PER_M,
        }
    }

    /// Refuses what fastens nothing; keys are named as in scene files.
    pub(crate) fn validate(&self) -> Result<(), BuildError> {
        positive("stiffness_n_per_m", self.stiffness_n_per_m)?;
        if self
            .gap_m
            .is_some_and(|gap| !(gap.is_finite() && gap >= 0.0))
        {
            return refused("gap_m", "expected a number of at least 0");
        }
        if self.gap_m.is_some() && self.to_indices.is_none() {
            return refused("gap_m", "only goes with `to_indices`");
        }
        Ok(())
    }
}

fn positive(key: &str, value: f64) -> Result<(), BuildError> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    refused(key, "expected a positive number")
}

/// A value that cannot be.
pub(crate) fn refused<T>(key: &str, message: &str) -> Result<T, BuildError> {
    Err(BuildError {
        key: key.into(),
        message: message.into(),
    })
}
