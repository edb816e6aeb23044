//! What is in a body with a skeleton, or in the motion of one.

use crate::character::{self, Motion, Options};
use crate::formats::Error;
use glam::DVec3;
use serde::Serialize;
use std::fmt;
use std::path::Path;
use toile_geometry::Bounds;
use toile_geometry::character::{Clip, Scratch};

/// What is in a body with a skeleton.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CharacterInfo {
    /// Number of vertices; parts may share them.
    pub vertices: usize,
    /// Number of triangles.
    pub triangles: usize,
    /// Names of its parts, and how many triangles each has.
    pub parts: Vec<(String, usize)>,
    /// Names of the joints that its vertices follow.
    pub joints: Vec<String>,
    /// Names of its morphs.
    pub morphs: Vec<String>,
    /// Its motions.
    pub clips: Vec<ClipInfo>,
    /// Lowest and highest corner of a box around it at rest.
    pub bounds: Option<[[f64; 3]; 2]>,
    /// What was passed over, in words.
    pub notes: Vec<String>,
}

/// What is in the motion of a skeleton.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MotionInfo {
    /// Names of its joints.
    pub joints: Vec<String>,
    /// Number of frames.
    pub frames: usize,
    /// The motion.
    pub clip: ClipInfo,
    /// Lowest and highest corner of a box around all joints in all frames, in the file's unit.
    pub bounds: Option<[[f64; 3]; 2]>,
}

/// A motion.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClipInfo {
    /// Its name.
    pub name: String,
    /// How long it takes, s.
    pub length_s: f64,
}

impl ClipInfo {
    fn of(clip: &Clip) -> Self {
        let [first_s, last_s] = clip.span_s();
        Self {
            name: clip.name.clone(),
            length_s: last_s - first_s,
        }
    }
}

impl CharacterInfo {
    /// Reads a file.
    pub(super) fn of(path: &Path) -> Result<Self, Error> {
        let file = character::read(path, &Options::default())?;
        let it = file.character;
        let mut triangles = vec![0; it.parts.len()];
        { it.part_of.iter() }.for_each(|part| triangles[*part as usize] += 1);
        let mut positions = Vec::new();
        it.posed(&it.rest(), &mut Scratch::default(), &mut positions);
        let mut followed = vec![false; it.rig.joints().len()];
        { it.skin.bones().iter() }.for_each(|bone| followed[bone.joint] = true);
        let joints = it.rig.joints().iter().zip(followed);
        let joints = joints.filter(|(_, is_followed)| *is_followed);
        Ok(Self {
            vertices: it.mesh.positions.len(),
            triangles: it.mesh.faces.len(),
            parts: it.parts.iter().cloned().zip(triangles).collect(),
            joints: joints.map(|(joint, _)| joint.name.clone()).collect(),
            morphs: it.morphs.iter().map(|morph| morph.name.clone()).collect(),
            clips: it.clips.iter().map(ClipInfo::of).collect(),
            bounds: corners(&positions),
            notes: file.notes,
        })
    }
}

impl MotionInfo {
    /// Reads a file.
    pub(super) fn of(path: &Path) -> Result<Self, Error> {
        let Motion { rig, clip } = character::read_bvh(path)?;
        let times_s = clip.channels.iter().map(|channel| channel.times_s());
        let times_s = times_s.max_by_key(|times_s| times_s.len()).unwrap_or(&[]);
        let mut pose = rig.rest();
        let mut bounds = Bounds::EMPTY;
        for time_s in times_s {
            clip.apply(*time_s, &mut pose);
            let places = rig.positions(&pose);
            bounds = places.iter().fold(bounds, |all, p| all.including(*p));
        }
        let joints = rig.joints().iter();
        Ok(Self {
            joints: joints.map(|joint| joint.name.clone()).collect(),
            frames: times_s.len(),
            clip: ClipInfo::of(&clip),
            bounds: corners(&[bounds.min, bounds.max]),
        })
    }
}

/// The corners of a box around all finite places, if there are any.
fn corners(places: &[DVec3]) -> Option<[[f64; 3]; 2]> {
    let bounds = Bounds::of(places.iter().filter(|p| p.is_finite()));
    (!bounds.is_empty()).then(|| [bounds.min, bounds.max].map(|corner| corner.to_array()))
}

fn write_bounds(f: &mut fmt::Formatter<'_>, bounds: Option<[[f64; 3]; 2]>) -> fmt::Result {
    let Some([low, high]) = bounds.map(|corners| corners.map(|c| DVec3::from(c).as_vec3())) else {
        return Ok(());
    };
    writeln!(f, "  bounds    {low} to {high}")
}

impl fmt::Display for CharacterInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (vertices, triangles) = (self.vertices, self.triangles);
        writeln!(f, "character")?;
        writeln!(f, "  mesh      {vertices} vertices, {triangles} triangles")?;
        for (name, triangles) in &self.parts {
            writeln!(f, "  part      {name}: {triangles} triangles")?;
        }
        writeln!(f, "  skin      follows {} joints", self.joints.len())?;
        for name in &self.morphs {
            writeln!(f, "  morph     {name}")?;
        }
        for ClipInfo { name, length_s } in &self.clips {
            writeln!(f, "  clip      {name}: {length_s:.3} s")?;
        }
        write_bounds(f, self.bounds)?;
        { self.notes.iter() }.try_for_each(|note| writeln!(f, "  note      {note}"))
    }
}

impl fmt::Display for MotionInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (frames, length_s) = (self.frames, self.clip.length_s);
        writeln!(f, "motion of {frames} frames, {length_s:.3} s")?;
        writeln!(f, "  skeleton  {} joints", self.joints.len())?;
        write_bounds(f, self.bounds)
    }
}
