//! What is in a mesh that does not move.

use crate::surface::{self, Options};
use glam::DVec3;
use serde::Serialize;
use std::fmt;
use std::path::Path;
use toile_geometry::Bounds;

/// What is in a mesh that does not move.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SurfaceInfo {
    /// Number of vertices in the file.
    pub vertices: usize,
    /// Number of triangles in the file; larger faces are cut.
    pub triangles: usize,
    /// Names of objects, groups and materials, and how many triangles each has.
    pub groups: Vec<(String, usize)>,
    /// Whether there are texture coordinates.
    pub uvs: bool,
    /// Whether vertices have colours.
    pub colours: bool,
    /// Lowest and highest corner of a box around all finite positions.
    pub bounds: Option<[[f64; 3]; 2]>,
    /// Number of vertices and triangles of the mesh it makes, if it makes one.
    pub mesh: Option<(usize, usize)>,
    /// What was repaired or passed over, in words.
    pub notes: Vec<String>,
    /// Why it makes no mesh.
    pub problem: Option<String>,
}

impl SurfaceInfo {
    /// Reads a file, and tries to make a mesh of it.
    pub(super) fn of(path: &Path) -> Result<Self, surface::Error> {
        let file = surface::read(path, &Options::default())?;
        let bounds = Bounds::of(file.positions.iter().filter(|p| p.is_finite()));
        let corners = [bounds.min, bounds.max];
        let groups = { file.groups.iter() }.map(|group| (group.name.clone(), group.iter().count()));
        let mut info = Self {
            vertices: file.positions.len(),
            triangles: file.triangles.len(),
            groups: groups.collect(),
            uvs: file.uvs.is_some(),
            colours: file.colours.is_some(),
            bounds: { corners.iter().all(|c| c.is_finite()) }
                .then(|| corners.map(|corner| corner.to_array())),
            mesh: None,
            notes: file.notes.clone(),
            problem: None,
        };
        match file.repaired(None) {
            Ok((mesh, repairs)) => {
                info.mesh = Some((mesh.positions.len(), mesh.triangles.len()));
                info.notes.extend(repairs.lines());
            }
            Err(problem) => info.problem = Some(problem.to_string()),
        }
        Ok(info)
    }
}

impl fmt::Display for SurfaceInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (vertices, triangles) = (self.vertices, self.triangles);
        writeln!(f, "{vertices} vertices, {triangles} triangles")?;
        for (name, triangles) in &self.groups {
            writeln!(f, "  group     {name}: {triangles} triangles")?;
        }
        if self.uvs {
            writeln!(f, "  holds     texture coordinates")?;
        }
        if self.colours {
            writeln!(f, "  holds     colours")?;
        }
        if let Some([low, high]) = self.bounds.map(|corners| corners.map(DVec3::from)) {
            writeln!(f, "  bounds    {low} to {high}")?;
        }
        if let Some((vertices, triangles)) = self.mesh {
            writeln!(f, "  as cloth  {vertices} vertices, {triangles} triangles")?;
        }
        for note in &self.notes {
            writeln!(f, "  note      {note}")?;
        }
        if let Some(problem) = &self.problem {
            writeln!(f, "  problem   {problem}")?;
        }
        Ok(())
    }
}
