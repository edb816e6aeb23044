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
pub use measurements::{Given, MeasureError, Measurements, Sex, Size};
pub use motion::Motion;
use motion::stance::Poser;
use thiserror::Error;
use toile_geometry::character::{Character, CharacterError, Clip, Scratch};
use toile_geometry::{TriMesh, self_intersections};

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
        let mut poser = Poser::new(&figure.plan);
        let skin = weights::skin(&figure)?;
        let topology = &figure.topology;
        let part = |face: &[u32; 3]| {
            // A triangle is of the part that all its corners are of, or of the one before.
            let of = face.map(|v| topology.parts[v as usize] as u32);
            of.into_iter().min().unwrap_or(0)
        };
        let mut character = Character {
            mesh: topology.mesh(&figure.positions),
            parts: Part::ALL.map(|p| p.name().to_owned()).to_vec(),
            part_of: topology.faces.iter().map(part).collect(),
            rig: skeleton::rig(&figure.plan)?,
            skin,
            morphs: Vec::new(),
            clips: Vec::new(),
        };
        hold_arms_clear(&character, &mut poser)?;
        let motions = Motion::ALL.iter().map(|m| m.clip(&poser));
        character.clips = motions.collect::<Result<_, _>>()?;
        character.validate()?;
        Ok(Self {
            character,
            taken: figure.taken,
            poser,
        })
    }

    /// The mesh in a motion at a time.
    pub fn mesh_at(&self, motion: Motion, time_s: f64) -> TriMesh {
        TriMesh {
            positions: self.at(motion, time_s),
            faces: self.character.mesh.faces.clone(),
        }
    }

    /// The surface in a motion at a time.
    pub fn at(&self, motion: Motion, time_s: f64) -> Vec<DVec3> {
        let clip = self.character.clip(motion.name());
        placed(
            &self.character,
            clip.map(|k| &self.character.clips[k]),
            time_s,
        )
    }
}

/// Times of a stride at which arms must be clear of the trunk, as shares of it.
const LOOKS: u32 = 8;
/// By how much arms are held farther out when they are not, rad.
const FARTHER_RAD: f64 = 0.03;
/// The farthest that arms are held out, rad.
const FARTHEST_RAD: f64 = 0.75;

/// Holds the arms so far out that nothing crosses in standing and walking: how far depends on the
/// girths of arms and chest.
fn hold_arms_clear(character: &Character, poser: &mut Poser) -> Result<(), CharacterError> {
    while poser.clear_rad < FARTHEST_RAD {
        let stand = Motion::Stand.clip(poser)?;
        let walk = Motion::WalkInPlace.clip(poser)?;
        let length_s = Motion::WalkInPlace.length_s(poser);
        let strides = (0..LOOKS).map(|k| (&walk, length_s * f64::from(k) / f64::from(LOOKS)));
        let crosses = |(clip, time_s): (&Clip, f64)| {
            let mesh = TriMesh {
                positions: placed(character, Some(clip), time_s),
                faces: character.mesh.faces.clone(),
            };
            self_intersections(&mesh, 0).is_ok_and(|found| !found.is_clean())
        };
        if !std::iter::once((&stand, 0.0)).chain(strides).any(crosses) {
            break;
        }
        poser.clear_rad += FARTHER_RAD;
    }
    Ok(())
}

/// Where the vertices are in a clip at a time.
fn placed(character: &Character, clip: Option<&Clip>, time_s: f64) -> Vec<DVec3> {
    let mut pose = character.rest();
    if let Some(clip) = clip {
        clip.apply(time_s, &mut pose);
    }
    let mut positions = Vec::new();
    character.place(&pose, &mut Scratch::default(), &mut positions);
    positions
}
