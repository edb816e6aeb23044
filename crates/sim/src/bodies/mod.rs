//! Bodies: solids made of triangles that cloth meets, still, moved as a whole or animated.
//!
//! A body is never moved by cloth. In contact ([`crate::contact`]) its vertices are numbered after the
//! particles of all cloths and have no mass to give: where they are at the start and at the end of a
//! step is known. It may cross itself and other bodies, as figures do at their armpits.
//!
//! Verified by: `tests/bodies.rs`.

mod frames;
mod puppet;
mod sequence;

pub use frames::Frames;
pub use puppet::Puppet;
pub use sequence::Sequence;

use crate::constraints::motion::Motion;
use crate::error::BuildError;
use glam::DVec3;
use std::sync::Arc;
use toile_geometry::TriMesh;

/// A solid made of triangles.
#[derive(Clone, Debug, PartialEq)]
pub struct BodySpec {
    /// Name from the scene.
    pub name: String,
    /// Its surface where it starts; closed or not, cloth stays on the side it starts on.
    pub mesh: Arc<TriMesh>,
    /// How it moves.
    pub motion: BodyMotion,
    /// Coefficient of Coulomb's friction against cloth.
    pub friction: f64,
    /// Its own thickness, m: cloth keeps half of it away, besides half of its own.
    pub thickness_m: f64,
    /// Whether pictures show it.
    pub drawn: bool,
}

/// How a body moves.
#[derive(Clone, Debug, PartialEq)]
pub enum BodyMotion {
    /// As a rigid whole.
    Rigid(Motion),
    /// Vertex by vertex.
    Sequence(Sequence),
    /// By a skeleton.
    Puppet(Puppet),
}

impl BodySpec {
    /// A still body without a thickness of its own.
    pub fn new(name: &str, mesh: TriMesh, friction: f64) -> Self {
        Self {
            name: name.to_owned(),
            mesh: Arc::new(mesh),
            motion: BodyMotion::Rigid(Motion::Still),
            friction,
            thickness_m: 0.0,
            drawn: true,
        }
    }

    /// Number of its vertices.
    pub fn vertices(&self) -> usize {
        self.mesh.positions.len()
    }

    /// Whether it never moves.
    pub fn is_still(&self) -> bool {
        self.motion == BodyMotion::Rigid(Motion::Still)
    }

    /// Appends where its vertices are at a time.
    pub fn place(&self, time_s: f64, out: &mut Vec<DVec3>) {
        match &self.motion {
            BodyMotion::Rigid(motion) => {
                let pose = motion.pose(time_s, self.mesh.bounds().center());
                out.extend(self.mesh.positions.iter().map(|p| pose.place(*p)));
            }
            BodyMotion::Sequence(sequence) => sequence.place(time_s, out),
            BodyMotion::Puppet(puppet) => puppet.place(time_s, out),
        }
    }

    /// Where its vertices are at a time.
    pub fn positions(&self, time_s: f64) -> Vec<DVec3> {
        let mut positions = Vec::with_capacity(self.vertices());
        self.place(time_s, &mut positions);
        positions
    }

    /// Refuses what is no body.
    pub(crate) fn validate(&self) -> Result<(), BuildError> {
        let error = |key: &str, message: String| {
            Err(BuildError {
                key: key.into(),
                message,
            })
        };
        if let Err(problem) = self.mesh.validate() {
            return error("shape.mesh", problem.to_string());
        }
        if self.mesh.faces.is_empty() {
            return error("shape.mesh", "expected at least one triangle".into());
        }
        for (key, value) in [
            ("friction", self.friction),
            ("thickness_m", self.thickness_m),
        ] {
            if !(value.is_finite() && value >= 0.0) {
                return error(key, "expected a number of at least 0".into());
            }
        }
        match &self.motion {
            BodyMotion::Rigid(motion) => motion.validate_rigid(),
            BodyMotion::Sequence(sequence) => sequence.validate(self.vertices()),
            BodyMotion::Puppet(puppet) => puppet.validate(self.vertices()),
        }
    }
}

/// All `bodies` at a time as one mesh, one body after the other.
pub fn mesh(bodies: &[BodySpec], time_s: f64) -> TriMesh {
    let mut all = TriMesh::default();
    for body in bodies {
        let first = all.positions.len() as u32;
        let faces = body.mesh.faces.iter();
        all.faces
            .extend(faces.map(|face| face.map(|vertex| vertex + first)));
        body.place(time_s, &mut all.positions);
    }
    all
}

/// Appends where the vertices of all `bodies` are at a time, one body after the other.
pub fn place_all(bodies: &[BodySpec], time_s: f64, out: &mut Vec<DVec3>) {
    for body in bodies {
        body.place(time_s, out);
    }
}
