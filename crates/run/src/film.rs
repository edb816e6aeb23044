//! The film and the poster, made when the motion is known, so that the camera stands right.
//!
//! Positions wait on disk in single precision, so that a run of any length needs little memory.

use crate::error::RunError;
use crate::job::Job;
use crate::observer::Observer;
use crate::recorder::Recorder;
use crate::set::{self, Cloths, Look, Moment, Set};
use crate::stop::Stop;
use glam::{DVec3, Vec3};
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};
use toile_view::{Framing, Image, RenderOptions, Renderer};

/// The frames of a run, waiting to be filmed. Its file is removed when it is dropped.
pub struct Recording {
    path: PathBuf,
    file: BufWriter<File>,
    vertices: usize,
    frames: u64,
    /// What the camera has to see.
    framing: Framing,
}

impl Recording {
    /// Opens an empty recording of so many vertices in the output folder.
    pub fn create(out: &Path, vertices: usize) -> Result<Self, RunError> {
        let path = out.join("film.part");
        let file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(&path)
            .map_err(|e| unwritten(&path, &e))?;
        Ok(Self {
            path,
            file: BufWriter::new(file),
            vertices,
            frames: 0,
            framing: set::framing(&RenderOptions::default()),
        })
    }

    /// Adds a frame.
    pub fn push(&mut self, positions: &[DVec3]) -> Result<(), RunError> {
        for p in positions {
            for coordinate in p.as_vec3().to_array() {
                self.file
                    .write_all(&coordinate.to_le_bytes())
                    .map_err(|e| unwritten(&self.path, &e))?;
            }
        }
        self.framing.include(positions);
        self.frames += 1;
        Ok(())
    }

    /// Whether there is nothing to film.
    pub fn is_empty(&self) -> bool {
        self.frames == 0
    }

    /// Calls `f` with every frame's positions, until it says stop.
    fn play(&mut self, mut f: impl FnMut(&[DVec3]) -> bool) -> std::io::Result<()> {
        self.file.flush()?;
        self.file.get_mut().rewind()?;
        let mut reader = BufReader::new(self.file.get_ref());
        let mut bytes = vec![0; 12 * self.vertices];
        let mut positions = vec![DVec3::ZERO; self.vertices];
        for _ in 0..self.frames {
            reader.read_exact(&mut bytes)?;
            for (p, bytes) in positions.iter_mut().zip(bytes.as_chunks::<12>().0) {
                let at = |k: usize| {
                    f32::from_le_bytes([bytes[k], bytes[k + 1], bytes[k + 2], bytes[k + 3]])
                };
                *p = Vec3::new(at(0), at(4), at(8)).as_dvec3();
            }
            if !f(&positions) {
                break;
            }
        }
        Ok(())
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        // Nobody can do anything about a temporary file that cannot be removed.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// What is filmed and where it goes.
pub struct Shoot<'a> {
    /// The scene, and what is made of it.
    pub job: &'a Job,
    /// Which frame of the scene is the first that was recorded.
    pub first_frame: u64,
    /// The film.
    pub film: PathBuf,
    /// The picture of the last frame.
    pub poster: PathBuf,
}

impl Shoot<'_> {
    /// Renders and encodes all frames, or those until it is to stop; returns the poster.
    pub fn run(
        &self,
        mut recording: Recording,
        stop: &Stop,
        observer: &mut dyn Observer,
    ) -> Result<Image, RunError> {
        let Job { scene, model, mesh } = self.job;
        // What was asked before ended the simulation.
        let asked = stop.times();
        let options = RenderOptions::default();
        let size = [options.width, options.height];
        // A film cannot be slower than a picture a second, whatever the steps.
        let fps = scene.fps.clamp(1.0, 1000.0);
        let film = Recorder::create(&self.film, size, fps, 0)?;
        let parts = mesh.mesh().vertices.iter();
        let firsts: Vec<usize> = parts.map(|part| part.start).collect();
        let set = Set::new(&scene.model, &scene.output.props, &firsts);
        let cloths = Cloths::of(model, mesh);
        let mut framing = recording.framing;
        let start = mesh.smooth(&model.start_positions);
        set.show(self.moment(&start, 0), |points| framing.include(points));
        let camera = framing.camera();
        let mut renderer = Renderer::new(options);
        observer.filming(recording.frames);
        let mut drawn = 0;
        let mut last = Vec::new();
        let played = recording.play(|positions| {
            let (moment, look) = (self.moment(positions, drawn), Look::default());
            let image = set::draw(&mut renderer, &camera, &set, &cloths, moment, look);
            drawn += 1;
            observer.filmed(drawn);
            last = positions.to_vec();
            film.push(image) && stop.times() == asked
        });
        observer.ended();
        film.finish()?;
        played.map_err(|e| RunError::output(format!("{}: {e}", recording.path.display())))?;
        // The film shows all of the motion; the poster, only where it ended, and so from nearer.
        let mut framing = set::framing(&options);
        let end = self.moment(&last, drawn.saturating_sub(1));
        set.show(end, |points| framing.include(points));
        let (camera, look) = (framing.camera(), Look::default());
        let poster = set::draw(&mut renderer, &camera, &set, &cloths, end, look);
        poster.write_png(&self.poster).map_err(RunError::picture)?;
        Ok(poster)
    }

    /// The cloths in a recorded frame, counted from 0.
    fn moment<'a>(&self, positions: &'a [DVec3], frame: u64) -> Moment<'a> {
        Moment {
            positions,
            time_s: (self.first_frame + frame) as f64 / self.job.scene.fps,
        }
    }
}

fn unwritten(path: &Path, error: &std::io::Error) -> RunError {
    RunError::output(format!("{} cannot be written: {error}", path.display()))
}
