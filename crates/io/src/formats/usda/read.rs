//! Reads USDA meshes: what Toile writes, however its lines are laid out.
//!
//! A first pass finds where every array stands; frames are then read in place. Transforms,
//! references and variants are passed over, with a note where they would matter.

use super::scan::{Mark, Scanner};
use super::stage::{LISTS, Mesh, Stage};
use crate::formats::mesh;
use crate::formats::{Error, Format, Frame, Header, Part, SequenceReader};
use glam::{Vec2, Vec3};
use std::path::Path;

/// Reads a stage.
pub(super) struct Reader {
    scanner: Scanner,
    meshes: Vec<Mesh>,
    header: Header,
    frames: u64,
    notes: Vec<String>,
}

/// Opens a stage.
pub(crate) fn open(path: &Path) -> Result<Box<dyn SequenceReader>, Error> {
    let mut scanner = Scanner::open(path)?;
    let stage = Stage::scan(&mut scanner)?;
    let mut reader = Reader {
        scanner,
        header: Header {
            metres_per_unit: stage.metres_per_unit,
            up: stage.up,
            ..Header::default()
        },
        meshes: stage.meshes,
        frames: 0,
        notes: Vec::new(),
    };
    for (there, note) in [
        (stage.transforms, "transforms of prims are passed over"),
        (
            stage.seams,
            "texture coordinates that are not one a vertex are left out",
        ),
    ] {
        if there {
            reader.notes.push(note.to_owned());
        }
    }
    for index in 0..reader.meshes.len() {
        reader.read_mesh(index)?;
    }
    reader.settle_channels();
    reader.settle_frames(stage.rate_hz)?;
    reader.header.validate().map_err(|problem| Error::Header {
        path: path.to_owned(),
        problem,
    })?;
    Ok(Box::new(reader))
}

impl Reader {
    /// The array at `mark`, if there is one.
    fn array<const N: usize>(&mut self, mark: Option<Mark>) -> Result<Vec<[f32; N]>, Error> {
        let Some(mark) = mark else {
            return Ok(Vec::new());
        };
        self.scanner.go_to(mark)?;
        self.scanner.array()
    }

    fn integers(&mut self, mark: Option<Mark>) -> Result<Vec<u32>, Error> {
        let Some(mark) = mark else {
            return Ok(Vec::new());
        };
        self.scanner.go_to(mark)?;
        let numbers = self.scanner.array::<1, u32>()?;
        Ok(numbers.into_iter().flatten().collect())
    }

    /// Appends a mesh to the header.
    fn read_mesh(&mut self, index: usize) -> Result<(), Error> {
        let mesh = &self.meshes[index];
        let first_sample = mesh.samples[0].first().map(|(_, mark)| *mark);
        let (counts, indices, uvs, rest) = (mesh.counts, mesh.indices, mesh.uvs, mesh.rest);
        let rest_positions = self.array::<3>(rest)?;
        let vertices = match first_sample {
            Some(_) => self.array::<3>(first_sample)?.len(),
            None => rest_positions.len(),
        };
        let (first, face) = (self.header.vertices, self.header.faces.len());
        let counts = self.integers(counts)?;
        let corners = self.integers(indices)?;
        let mut rest_corners = corners.as_slice();
        for count in counts {
            let Some((corners, rest)) = rest_corners.split_at_checked(count as usize) else {
                let found = format!("{} left for a face of {count}", rest_corners.len());
                return Err(self.scanner.malformed("indices for every face", found));
            };
            let corner = |corner: &u32| {
                let corner = Some(*corner as usize).filter(|corner| *corner < vertices);
                corner.and_then(|corner| u32::try_from(corner + first).ok())
            };
            let Some(shifted) = corners.iter().map(corner).collect::<Option<Vec<u32>>>() else {
                let expected = format!("indices below {vertices}");
                return Err(self.scanner.malformed(&expected, "larger ones"));
            };
            self.header.faces.push(&shifted);
            rest_corners = rest;
        }
        let uvs = self.array::<2>(uvs)?;
        let end = first + vertices;
        let (all_before, header) = (first == self.header.uvs.len(), &mut self.header);
        if uvs.len() == vertices && all_before {
            header.uvs.extend(uvs.into_iter().map(Vec2::from));
        }
        if rest_positions.len() == vertices && first == header.rest.len() {
            header
                .rest
                .extend(rest_positions.into_iter().map(Vec3::from));
        }
        header.vertices = end;
        header.parts.push(Part {
            name: self.meshes[index].name.clone(),
            vertices: first..end,
            faces: face..header.faces.len(),
        });
        self.meshes[index].vertices = first..end;
        Ok(())
    }

    /// What all meshes have at all times of their points.
    fn settle_channels(&mut self) {
        let all = |list: usize| {
            let full =
                |mesh: &Mesh| !mesh.samples[list].is_empty() && mesh.times(list).eq(mesh.times(0));
            !self.meshes.is_empty() && self.meshes.iter().all(full)
        };
        let any = |list: usize| {
            self.meshes
                .iter()
                .any(|mesh| !mesh.samples[list].is_empty())
        };
        let channels = [1, 2, 3].map(all);
        for (list, there) in [1, 2, 3].into_iter().zip(channels) {
            if any(list) && !there {
                let note = format!(
                    "`{}` is not there for all points: it is left out",
                    LISTS[list]
                );
                self.notes.push(note);
            }
        }
        let header = &mut self.header;
        [
            header.channels.velocities,
            header.channels.normals,
            header.channels.colours,
        ] = channels;
        for (what, found) in [("uvs", header.uvs.len()), ("rest", header.rest.len())] {
            if found != 0 && found != header.vertices {
                self.notes.push(format!(
                    "`{what}` is not there for all points: it is left out"
                ));
            }
        }
        if header.uvs.len() != header.vertices {
            header.uvs.clear();
        }
        if header.rest.len() != header.vertices {
            header.rest.clear();
        }
    }

    /// Frames are the time samples, which all meshes share.
    fn settle_frames(&mut self, rate_hz: Option<f64>) -> Result<(), Error> {
        let Some(first) = self.meshes.first() else {
            return Err(self.scanner.malformed("a Mesh", "none"));
        };
        let times: Vec<f64> = first.times(0).collect();
        if let Some(odd) = self
            .meshes
            .iter()
            .find(|mesh| !mesh.times(0).eq(times.iter().copied()))
        {
            let expected = format!("the times of mesh \"{}\"", first.name);
            return Err(self
                .scanner
                .malformed(&expected, format!("others in \"{}\"", odd.name)));
        }
        if !times.is_sorted_by(|a, b| a < b) || !times.iter().all(|time| time.is_finite()) {
            return Err(self.scanner.malformed("time samples in order", "others"));
        }
        self.frames = times.len().max(1) as u64;
        self.header.frame_rate_hz = rate_hz;
        if let [first, .., last] = times[..] {
            let steps = self.frames - 1;
            // Samples that are no frame apart play at another rate than the stage's.
            if last - first != steps as f64 {
                let rate_hz = self.header.rate_hz();
                self.header.frame_rate_hz = mesh::rate_hz(steps, (last - first) / rate_hz);
            }
        }
        self.header.first_frame = times.first().map_or(0, |time| time.round() as i64);
        Ok(())
    }

    /// One list of frame `k`, of all meshes.
    fn list(&mut self, k: u64, list: usize, there: bool) -> Result<Vec<Vec3>, Error> {
        let mut vectors = Vec::new();
        for index in (0..self.meshes.len()).filter(|_| there) {
            let mesh = &self.meshes[index];
            let sample = mesh.samples[list].get(k as usize).map(|(_, mark)| *mark);
            let (vertices, rest) = (mesh.vertices.len(), mesh.rest);
            let found = self.array::<3>(sample.or(rest))?;
            if found.len() != vertices {
                let expected = format!("{vertices} vectors");
                return Err(self.scanner.malformed(&expected, found.len().to_string()));
            }
            vectors.extend(found.into_iter().map(Vec3::from));
        }
        Ok(vectors)
    }
}

impl SequenceReader for Reader {
    fn path(&self) -> &Path {
        self.scanner.path()
    }

    fn format(&self) -> Format {
        Format::Usda
    }

    fn header(&self) -> &Header {
        &self.header
    }

    fn frames(&self) -> u64 {
        self.frames
    }

    fn notes(&self) -> &[String] {
        &self.notes
    }

    fn read_stored(&mut self, k: u64) -> Result<Frame, Error> {
        self.require(k)?;
        let channels = self.header.channels;
        Ok(Frame {
            positions: self.list(k, 0, true)?,
            velocities: self.list(k, 1, channels.velocities)?,
            normals: self.list(k, 2, channels.normals)?,
            colours: self.list(k, 3, channels.colours)?,
        })
    }
}
