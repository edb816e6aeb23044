//! What changes from frame to frame.

use glam::{DVec3, Vec3};
use serde::Serialize;

/// What frames hold besides positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Channels {
    /// Velocities.
    pub velocities: bool,
    /// Normals.
    pub normals: bool,
    /// Colours.
    pub colours: bool,
}

impl Channels {
    /// What both have.
    pub fn and(self, other: Self) -> Self {
        Self {
            velocities: self.velocities && other.velocities,
            normals: self.normals && other.normals,
            colours: self.colours && other.colours,
        }
    }
}

/// One frame: lists as long as the mesh has vertices, empty where there is nothing to say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Positions, in the unit of the header.
    pub positions: Vec<Vec3>,
    /// Velocities, units per second.
    pub velocities: Vec<Vec3>,
    /// Unit normals.
    pub normals: Vec<Vec3>,
    /// Colours: linear red, green, blue between 0 and 1.
    pub colours: Vec<Vec3>,
}

impl Frame {
    /// Positions and velocities of a simulation, rounded to single precision.
    pub fn of(positions: &[DVec3], velocities: &[DVec3]) -> Self {
        let single = |vectors: &[DVec3]| vectors.iter().map(|v| v.as_vec3()).collect();
        Self {
            positions: single(positions),
            velocities: single(velocities),
            ..Self::default()
        }
    }

    /// Its lists, by name, with whether `channels` asks for each.
    fn lists(&self, channels: Channels) -> [(&'static str, &Vec<Vec3>, bool); 4] {
        [
            ("positions", &self.positions, true),
            ("velocities", &self.velocities, channels.velocities),
            ("normals", &self.normals, channels.normals),
            ("colours", &self.colours, channels.colours),
        ]
    }

    /// Lists `channels` asks for, in a fixed order.
    pub(super) fn wanted(&self, channels: Channels) -> impl Iterator<Item = &Vec<Vec3>> {
        let lists = self.lists(channels).into_iter();
        lists.filter_map(|(_, list, wanted)| wanted.then_some(list))
    }

    /// The list of the wrong length, with the length it has.
    pub(super) fn misfit(
        &self,
        vertices: usize,
        channels: Channels,
    ) -> Option<(&'static str, usize)> {
        let mut lists = self.lists(channels).into_iter();
        lists.find_map(|(name, list, wanted)| {
            let expected = if wanted { vertices } else { 0 };
            (list.len() != expected).then_some((name, list.len()))
        })
    }

    /// The first list and vertex with a number that is infinite or none.
    pub(super) fn non_finite(&self) -> Option<(&'static str, usize)> {
        let mut lists = self.lists(Channels::default()).into_iter();
        lists.find_map(|(name, list, _)| {
            let bad = list.iter().position(|v| !v.is_finite())?;
            Some((name, bad))
        })
    }

    /// Only what `channels` asks for.
    pub(super) fn keep(&mut self, channels: Channels) {
        if !channels.velocities {
            self.velocities.clear();
        }
        if !channels.normals {
            self.normals.clear();
        }
        if !channels.colours {
            self.colours.clear();
        }
    }
}
