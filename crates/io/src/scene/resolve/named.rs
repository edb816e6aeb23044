//! Triangles of things by name: groups and materials of files, parts and joints of characters.

use super::canvas::Canvas;
use crate::surface::Group;
use std::sync::Arc;
use toile_geometry::character::Character;

/// How some of something's triangles can be told from others.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks {
    /// By name.
    pub named: Named,
    /// By what is painted on them.
    pub canvas: Canvas,
}

/// The names that something's triangles can be called by.
#[derive(Clone, Debug, Default)]
pub(super) enum Named {
    /// None at all.
    #[default]
    Nothing,
    /// Objects, groups and materials of a file.
    Groups(Vec<Group>),
    /// Parts of a character, and its joints.
    Character(Arc<Character>),
}

impl Named {
    /// The triangles of this name, if there is one. Those of a joint follow it, or one below it, most.
    pub(super) fn faces(&self, name: &str) -> Option<Vec<u32>> {
        match self {
            Self::Nothing => None,
            Self::Groups(groups) => {
                let group = groups.iter().find(|group| group.name == name)?;
                Some(group.iter().collect())
            }
            Self::Character(character) => {
                let part = character.parts.iter().position(|part| part == name);
                let is_meant: Box<dyn Fn(usize) -> bool> = match part {
                    Some(part) => Box::new(move |face| character.part_of[face] as usize == part),
                    None => {
                        let joint = character.rig.joint(name)?;
                        let below = below(character, &[joint]);
                        Box::new(move |face| follows(character, &below, face))
                    }
                };
                let faces = (0..character.mesh.faces.len()).filter(|face| is_meant(*face));
                Some(faces.map(|face| face as u32).collect())
            }
        }
    }

    /// All names.
    pub(super) fn names(&self) -> Vec<&str> {
        match self {
            Self::Nothing => Vec::new(),
            Self::Groups(groups) => groups.iter().map(|group| group.name.as_str()).collect(),
            Self::Character(character) => {
                let joints = character.rig.joints().iter();
                let joints = joints.map(|joint| joint.name.as_str());
                let parts = character.parts.iter().map(String::as_str);
                parts.chain(joints).collect()
            }
        }
    }
}

/// Of every joint, whether it is one of these or below one.
pub(super) fn below(character: &Character, joints: &[usize]) -> Vec<bool> {
    let rig = &character.rig;
    let mut is_meant = vec![false; rig.joints().len()];
    joints.iter().for_each(|joint| is_meant[*joint] = true);
    for &joint in rig.order() {
        if let Some(parent) = rig.joints()[joint].parent {
            is_meant[joint] |= is_meant[parent];
        }
    }
    is_meant
}

/// Whether most corners of a triangle follow one of these joints most.
pub(super) fn follows(character: &Character, joints: &[bool], face: usize) -> bool {
    let skin = &character.skin;
    let is_led = |vertex: &&u32| {
        let bone = skin.strongest(**vertex as usize) as usize;
        joints[skin.bones()[bone].joint]
    };
    character.mesh.faces[face].iter().filter(is_led).count() >= 2
}
