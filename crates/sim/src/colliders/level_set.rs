//! A solid of triangles met by its signed distance instead.
//!
//! One that is still or moves as a whole has one field in its own frame. An animated one has a field a
//! frame of its animation; between frames, the two around are mixed. Fields are made when they are
//! first asked for, and the last few are kept; all of them in files too, if a folder is given.
//!
//! Verified by: `tests/level_sets.rs`.

use super::Surface;
use crate::bodies::Frames;
use crate::error::BuildError;
use glam::DVec3;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use toile_geometry::levelset::{
    Depths, Field, LevelSetError, Moment, Settings, Solid, Stencil, Storage, Stored,
};
use toile_geometry::{Bounds, TriMesh};

/// Fields of an animation that are kept: those around the start and the end of a step.
const KEPT: usize = 3;

/// How a solid is made a field, and how far cloth keeps away from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// Distance of the field's nodes, m.
    pub cell_m: f64,
    /// What cloth keeps away besides its own thickness, m: it makes up for what is between nodes of the
    /// field and between particles of the cloth.
    pub margin_m: f64,
    /// Holes up to this width are closed, m.
    pub hole_limit_m: f64,
    /// How fields are stored.
    pub storage: Storage,
}

impl Sampling {
    /// A tenth of a cell away, holes of up to two cells closed, stored in full.
    pub fn new(cell_m: f64) -> Self {
        Self {
            cell_m,
            margin_m: 0.1 * cell_m,
            hole_limit_m: 2.0 * cell_m,
            storage: Storage::Grid,
        }
    }
}

/// A solid and the fields made of it.
#[derive(Clone, Debug)]
pub struct LevelSet {
    mesh: Arc<TriMesh>,
    frames: Option<Frames>,
    sampling: Sampling,
    solid: Arc<Solid>,
    /// A checksum of what its frames were made of, if they were made for as long as a scene lasts.
    source: Option<u64>,
    /// Folder in which fields are kept from run to run.
    folder: Option<Arc<Path>>,
    kept: Arc<Mutex<Kept>>,
}

/// Fields with the frames they are of, the last one asked for at the end.
type Kept = Vec<(usize, Arc<Stored>)>;

/// The field of a solid at one time, in its own frame.
pub type FieldAt = Moment<Arc<Stored>>;

impl PartialEq for LevelSet {
    fn eq(&self, other: &Self) -> bool {
        (&self.mesh, &self.frames, self.sampling) == (&other.mesh, &other.frames, other.sampling)
    }
}

impl LevelSet {
    /// That of a closed mesh. If it is animated, `frames` are of its vertices. What could not be made a
    /// field, in any frame, is refused.
    pub fn new(
        mesh: Arc<TriMesh>,
        frames: Option<Frames>,
        sampling: Sampling,
    ) -> Result<Self, LevelSetError> {
        let solid = Solid::new(&mesh, sampling.hole_limit_m)?;
        let settings = Settings::new(sampling.cell_m);
        match &frames {
            None => drop(settings.lattice(&mesh.bounds(), false)?),
            Some(frames) => {
                for (frame, positions) in frames.positions.iter().enumerate() {
                    let pose = |problem| LevelSetError::Pose {
                        frame,
                        problem: Box::new(problem),
                    };
                    let all = solid.extended(positions).map_err(pose)?;
                    settings.lattice(&Bounds::of(&all), true)?;
                    solid.check_pose(positions).map_err(pose)?;
                }
            }
        }
        Ok(Self {
            mesh,
            frames,
            sampling,
            solid: Arc::new(solid),
            source: None,
            folder: None,
            kept: Arc::default(),
        })
    }

    /// The same, with a checksum of what its frames were made of; so that more frames of the same
    /// motion can be told from another motion.
    pub fn made_of(self, source: u64) -> Self {
        Self {
            source: Some(source),
            ..self
        }
    }

    /// The checksum of what its frames were made of, if there is one.
    pub fn source(&self) -> Option<u64> {
        self.source
    }

    /// Its mesh, where it starts.
    pub fn mesh(&self) -> &Arc<TriMesh> {
        &self.mesh
    }

    /// How it is animated, if it is.
    pub fn frames(&self) -> Option<&Frames> {
        self.frames.as_ref()
    }

    /// How it is made a field.
    pub fn sampling(&self) -> &Sampling {
        &self.sampling
    }

    /// What was done to make it closed.
    pub fn solid(&self) -> &Solid {
        &self.solid
    }

    /// Its field at a time; in its own frame if it moves as a whole.
    pub fn at(&self, time_s: f64) -> FieldAt {
        let (first, share) = self.frames.as_ref().map_or((0, 0.0), |f| f.at(time_s));
        let before = self.field(first);
        let after = match share > 0.0 {
            true => self.field(first + 1),
            false => before.clone(),
        };
        Moment {
            before,
            after,
            share,
        }
    }

    /// The field of a frame, made anew if it is not among the last few.
    fn field(&self, frame: usize) -> Arc<Stored> {
        // What a panic elsewhere left is complete.
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let place = kept.iter().position(|(k, _)| *k == frame);
        let found = match place {
            Some(place) => kept.remove(place),
            None => {
                if kept.len() == KEPT {
                    kept.remove(0);
                }
                (frame, Arc::new(self.make(frame)))
            }
        };
        kept.push(found.clone());
        found.1
    }

    /// The same, with fields kept in a folder from run to run.
    pub fn kept_in(self, folder: &Path) -> Self {
        Self {
            folder: Some(folder.into()),
            ..self
        }
    }

    fn make(&self, frame: usize) -> Stored {
        let (settings, storage) = (Settings::new(self.sampling.cell_m), self.sampling.storage);
        let (positions, velocities) = match &self.frames {
            None => (&self.mesh.positions, None),
            Some(frames) => (&frames.positions[frame], Some(frames.velocities(frame))),
        };
        let velocities = velocities.as_deref();
        let file = self.folder.as_deref().map(|folder| {
            let poses: Vec<&[DVec3]> = [Some(&positions[..]), velocities]
                .into_iter()
                .flatten()
                .collect();
            let key = storage.key(&self.solid, &poses, &settings);
            (folder.join(format!("{key:016x}.sdf")), key)
        });
        if let Some(field) = file
            .as_ref()
            .and_then(|(name, key)| Stored::read(name, *key, storage).ok())
        {
            return field;
        }
        let made = Stored::build(&self.solid, positions, velocities, &settings, storage)
            .expect("all poses were checked when the solid was accepted");
        if let Some((name, key)) = file {
            // A field that cannot be kept is made again next time; that is all that is lost.
            let _ = made.write(&name, key);
        }
        made
    }

    /// Appends where its vertices are at a time, in its own frame if it moves as a whole.
    pub fn place(&self, time_s: f64, out: &mut Vec<DVec3>) {
        match &self.frames {
            None => out.extend_from_slice(&self.mesh.positions),
            Some(frames) => frames.place(time_s, out),
        }
    }

    /// Depths in its triangles at a time, in its own frame if it moves as a whole.
    pub fn depths(&self, time_s: f64) -> Depths<'_> {
        let mut positions = Vec::new();
        self.place(time_s, &mut positions);
        Depths::new(&self.solid, &positions).expect("frames have the vertices of the solid")
    }

    /// Refuses what is no collider; keys are named as in scene files.
    pub(crate) fn validate(&self) -> Result<(), BuildError> {
        let margin_m = self.sampling.margin_m;
        if !(margin_m.is_finite() && margin_m >= 0.0) {
            return Err(BuildError {
                key: "mesh.margin_m".into(),
                message: "expected a number of at least 0".into(),
            });
        }
        if let Some(frames) = &self.frames {
            frames.validate(self.mesh.positions.len())?;
        }
        Ok(())
    }
}

/// Signed distance and outward normal of a field at a point. In the middle of a solid, where there is
/// no way out, it is up.
pub(super) fn surface(field: &FieldAt, point: DVec3) -> Surface {
    let gradient = field.gradient(Stencil::Central, point);
    Surface {
        distance_m: field.distance_m(point),
        normal: gradient.normalize_or(DVec3::Y),
    }
}
