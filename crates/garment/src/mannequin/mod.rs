//! The mannequin: a human figure made from measurements, with a skeleton, a skin and motions.
//!
//! A [`Measurements`] is asked; a figure in clay (`sculpt`) is made of it, a cage of quadrilaterals that
//! is the same for every size (`cage`) is drawn onto it (`surface`), and knobs are turned until the tape
//! says what was asked (`fit`). [`Mannequin::new`] does all of it.

pub mod cage;
pub mod fit;
pub mod measurements;
pub mod motion;
pub mod sculpt;
pub mod skeleton;
pub mod surface;
mod weights;

use crate::measure::Taken;
use cage::Part;
use glam::DVec3;
pub use measurements::{MeasureError, Measurements, Sex, Size};
pub use motion::Motion;
use motion::stance::Poser;
use thiserror::Error;
use toile_geometry::character::{Character, CharacterError};

/// A mannequin, ready to be dressed.
#[derive(Clone, Debug)]
pub struct Mannequin {
    /// Surface, skeleton, skin and all motions.
    pub character: Character,
    /// What the tape says of it at rest.
    pub taken: Taken,
    /// Its joints, for motions of one's own.
    pub poser: Poser,
}

/// Why there is no such mannequin.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum MannequinError {
    /// Nobody has these measurements.
    #[error(transparent)]
    Measure(#[from] MeasureError),
    /// Skeleton, skin or a motion do not fit together.
    #[error(transparent)]
    Character(#[from] CharacterError),
}

impl Mannequin {
    /// A mannequin of these measurements, with all motions.
    pub fn new(body: &Measurements) -> Result<Self, MannequinError> {
        let figure = fit::figure(body)?;
        let poser = Poser::new(&figure.plan);
        let skin = weights::skin(&figure)?;
        let topology = &figure.topology;
        let part = |face: &[u32; 3]| {
            // A triangle is of the part that all its corners are of, or of the one before.
            let of = face.map(|v| topology.parts[v as usize] as u32);
            of.into_iter().min().unwrap_or(0)
        };
        let motions = Motion::ALL.iter().map(|m| m.clip(&poser));
        let character = Character {
            mesh: topology.mesh(&figure.positions),
            parts: Part::ALL.map(|p| p.name().to_owned()).to_vec(),
            part_of: topology.faces.iter().map(part).collect(),
            rig: skeleton::rig(&figure.plan)?,
            skin,
            morphs: Vec::new(),
            clips: motions.collect::<Result<_, _>>()?,
        };
        character.validate()?;
        Ok(Self {
            character,
            taken: figure.taken,
            poser,
        })
    }

    /// The surface in a motion at a time.
    pub fn at(&self, motion: Motion, time_s: f64) -> Vec<DVec3> {
        let mut pose = self.character.rest();
        if let Some(clip) = self.character.clip(motion.name()) {
            self.character.clips[clip].apply(time_s, &mut pose);
        }
        let mut positions = Vec::new();
        let mut scratch = Default::default();
        self.character.place(&pose, &mut scratch, &mut positions);
        positions
    }
}
