//! Characters: surfaces that a skeleton moves, whatever file or rule they come from.
//!
//! A [`Rig`] is a forest of joints, a [`Pose`] says how each stands to its parent, a [`Clip`] is a pose
//! that changes in time, and a [`Skin`] ties vertices to joints. [`Playback`] says what it does
//! at a time of a scene. What hangs on a joint as a rigid whole is skin with one bone, so meshes attached to
//! nodes need nothing of their own.
//!
//! Nothing here knows a file format. Lengths are in the rig's own unit until its frame makes metres of
//! them.
//!
//! Verified by: `tests/character.rs`.

mod clip;
mod curve;
mod cut;
mod error;
pub mod human;
mod morph;
mod playback;
mod print;
mod retarget;
mod rig;
mod skin;
mod transform;
mod travel;

pub use clip::{Channel, Clip};
pub use curve::{Curve, Keyed, Path};
pub use error::CharacterError;
pub use morph::Morph;
pub use playback::Playback;
pub use retarget::Retarget;
pub use rig::{Joint, Pose, Rig};
pub use skin::{Bone, Influence, Skin};
pub use transform::Transform;
pub use travel::Travel;

use crate::TriMesh;
use glam::{DAffine3, DVec3};

/// A skinned, possibly animated, surface.
///
/// Its fields may be put together at will; [`Character::validate`] tells whether they fit, and posing
/// asks for a character that does.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Character {
    /// Its triangles, and its vertices where they were bound to the joints.
    pub mesh: TriMesh,
    /// Names of the parts its triangles belong to: materials or meshes.
    pub parts: Vec<String>,
    /// The part of every triangle.
    pub part_of: Vec<u32>,
    /// Its skeleton.
    pub rig: Rig,
    /// What ties its vertices to the skeleton.
    pub skin: Skin,
    /// Shapes it can be moved towards before it is posed.
    pub morphs: Vec<Morph>,
    /// Its motions.
    pub clips: Vec<Clip>,
}

/// Memory that posing uses, kept from one time to the next.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    pose: Pose,
    globals: Vec<DAffine3>,
    bones: Vec<DAffine3>,
    morphed: Vec<DVec3>,
}

impl Character {
    /// The pose it has when nothing moves it.
    pub fn rest(&self) -> Pose {
        let mut pose = Pose::default();
        self.rest_into(&mut pose);
        pose
    }

    /// Makes `pose` the one at rest.
    pub(crate) fn rest_into(&self, pose: &mut Pose) {
        pose.locals.clear();
        let joints = self.rig.joints().iter();
        pose.locals.extend(joints.map(|joint| joint.rest));
        pose.weights.clear();
        pose.weights.extend(self.morphs.iter().map(|m| m.weight));
    }

    /// Appends where its vertices are in a pose.
    pub fn place(&self, pose: &Pose, scratch: &mut Scratch, out: &mut Vec<DVec3>) {
        self.rig.globals(pose, &mut scratch.globals);
        self.skin.turns(&scratch.globals, &mut scratch.bones);
        let bind = &self.mesh.positions;
        let weights = || self.morphs.iter().zip(&pose.weights);
        if weights().all(|(_, weight)| *weight == 0.0) {
            return self.skin.place(bind, &scratch.bones, out);
        }
        scratch.morphed.clone_from(bind);
        for (morph, weight) in weights() {
            morph.add(*weight, &mut scratch.morphed);
        }
        self.skin.place(&scratch.morphed, &scratch.bones, out);
    }

    /// Appends where its vertices are at a time of a scene.
    pub fn place_at(
        &self,
        playback: &Playback,
        time_s: f64,
        scratch: &mut Scratch,
        out: &mut Vec<DVec3>,
    ) {
        let mut pose = std::mem::take(&mut scratch.pose);
        playback.pose(self, time_s, &mut pose);
        self.place(&pose, scratch, out);
        scratch.pose = pose;
    }

    /// Replaces `positions` by where its vertices are in a pose.
    pub fn posed(&self, pose: &Pose, scratch: &mut Scratch, positions: &mut Vec<DVec3>) {
        positions.clear();
        self.place(pose, scratch, positions);
    }

    /// The clip of a name.
    pub fn clip(&self, name: &str) -> Option<usize> {
        self.clips.iter().position(|clip| clip.name == name)
    }

    /// Refuses what does not fit together.
    pub fn validate(&self) -> Result<(), CharacterError> {
        self.mesh.validate()?;
        let vertices = self.mesh.positions.len();
        if self.skin.vertices() != vertices {
            return Err(CharacterError::SkinLength {
                skinned: self.skin.vertices(),
                vertices,
            });
        }
        let joints = self.rig.joints().len();
        for (bone, Bone { joint, .. }) in self.skin.bones().iter().enumerate() {
            if *joint >= joints {
                let joint = *joint;
                return Err(CharacterError::NoJoint {
                    of: format!("bone {bone}"),
                    joint,
                    joints,
                });
            }
        }
        if self.part_of.len() != self.mesh.faces.len() {
            return Err(CharacterError::PartsLength {
                named: self.part_of.len(),
                triangles: self.mesh.faces.len(),
            });
        }
        let parts = self.parts.len();
        if let Some(triangle) = self.part_of.iter().position(|p| *p as usize >= parts) {
            let part = self.part_of[triangle];
            return Err(CharacterError::NoPart {
                triangle,
                part,
                parts,
            });
        }
        for morph in &self.morphs {
            morph.validate(vertices)?;
        }
        self.clips
            .iter()
            .try_for_each(|clip| clip.validate(joints, self.morphs.len()))
    }
}
