//! What a run writes while it simulates, on another thread, so that it does not wait for files.

use super::film::Recording;
use crate::exit::Failure;
use glam::DVec3;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;
use toile::geometry::Subdivision;
use toile::io::Scene;
use toile::io::formats::{Export, Format, Frame, Header, Manifest, Options};
use toile::io::report::WrittenCloth;
use toile::sim::wrinkles::Finish;
use toile::sim::{Model, Simulation};

/// Frames that may wait to be written.
const QUEUE: usize = 4;

/// A frame on its way to disk.
pub struct FrameToWrite {
    time_s: f64,
    positions: Vec<DVec3>,
    velocities: Vec<DVec3>,
}

impl FrameToWrite {
    /// The current state.
    pub fn of(simulation: &Simulation) -> Self {
        let state = simulation.state();
        Self {
            time_s: state.time_s,
            positions: state.positions.clone(),
            velocities: state.velocities.clone(),
        }
    }
}

/// What the writing thread leaves behind.
#[derive(Default)]
pub struct Written {
    /// The meshes.
    pub meshes: Manifest,
    /// The frames, for the film.
    pub recording: Option<Recording>,
    /// How written cloth differs from that simulated, if it does.
    pub finishing: Option<WrittenCloth>,
}

/// The writing thread.
pub struct Outputs {
    sender: Option<SyncSender<FrameToWrite>>,
    thread: Option<JoinHandle<Result<Written, String>>>,
}

/// Refuses formats that cannot hold what the scene will give, before anything is computed.
pub fn check(scene: &Scene, model: &Model, mesh: &Subdivision) -> Result<(), Failure> {
    let header = Header::finer(model, scene.fps, mesh);
    let pre_roll = u64::from(scene.output.cache.pre_roll_frames);
    let frames = u64::from(scene.frames) + 1 + pre_roll;
    for format in &scene.output.formats {
        if let Some(reason) = format.refuses(&header, frames) {
            let (name, format) = (&scene.name, format.name());
            return Err(Failure::input(format!(
                "{name}: {frames} frames cannot be written as {format}: {reason}"
            )));
        }
    }
    Ok(())
}

impl Outputs {
    /// Opens the files; where a run is resumed, `done` frames after the start exist already.
    pub fn start(
        scene: &Scene,
        (model, mesh): (&Arc<Model>, &Arc<Subdivision>),
        out: &Path,
        done: u64,
    ) -> Result<Self, Failure> {
        let mut writer = FrameWriter::new(scene, (model, mesh), out, done)?;
        let (sender, receiver) = sync_channel::<FrameToWrite>(QUEUE);
        let thread = std::thread::spawn(move || {
            for frame in receiver {
                writer.write(frame)?;
            }
            writer.finish()
        });
        Ok(Self {
            sender: Some(sender),
            thread: Some(thread),
        })
    }

    /// Hands over a frame; waits if too many are on their way.
    pub fn send(&mut self, frame: FrameToWrite) -> Result<(), Failure> {
        let sent = self.sender.as_ref().map(|sender| sender.send(frame));
        if matches!(sent, Some(Ok(()))) {
            return Ok(());
        }
        // The thread has ended early: it knows why.
        Err(self
            .finish()
            .err()
            .unwrap_or_else(|| Failure::input("the writing thread has ended early")))
    }

    /// Waits until everything is on disk.
    pub fn finish(&mut self) -> Result<Written, Failure> {
        self.sender = None;
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(result)) => result.map_err(Failure::input),
            Some(Err(_)) => Err(Failure::input("the writing thread has failed")),
            None => Ok(Written::default()),
        }
    }
}

/// Writes one frame after the other.
struct FrameWriter {
    /// What is written, and how it comes about; `None` where it is what is simulated.
    finish: Option<Finish>,
    finishing: WrittenCloth,
    mesh: Arc<Subdivision>,
    meshes: Export,
    recording: Option<Recording>,
}

impl FrameWriter {
    fn new(
        scene: &Scene,
        (model, mesh): (&Arc<Model>, &Arc<Subdivision>),
        out: &Path,
        done: u64,
    ) -> Result<Self, Failure> {
        let output = &scene.output;
        let header = Header::finer(model, scene.fps, mesh);
        let options = |format: &Format| (*format, output.cache.options(*format));
        let formats: Vec<(Format, Options)> = output.formats.iter().map(options).collect();
        let meshes = match done {
            0 => Export::create(out, &scene.name, &header, &formats),
            // The start is a frame, too.
            _ => Export::resume(out, &scene.name, &header, &formats, done + 1),
        };
        let recording = if output.film {
            Some(Recording::create(out, mesh.vertices()).map_err(Failure::input)?)
        } else {
            None
        };
        let as_simulated = mesh.is_none() && output.keep_wrinkles.is_none();
        let finish = || Finish::new(model.clone(), mesh.clone(), output.keep_wrinkles);
        Ok(Self {
            finish: (!as_simulated).then(finish),
            finishing: WrittenCloth {
                vertices: mesh.vertices() as u64,
                triangles: mesh.mesh().faces.len() as u64,
                ..WrittenCloth::default()
            },
            mesh: mesh.clone(),
            meshes: meshes.map_err(Failure::input)?,
            recording,
        })
    }

    fn write(&mut self, mut frame: FrameToWrite) -> Result<(), String> {
        if let Some(finish) = &mut self.finish {
            let finished = finish.frame(&frame.positions, frame.time_s);
            self.finishing.add(finished.moved, finished.held_back);
            frame.positions = finished.positions;
            frame.velocities = self.mesh.smooth(&frame.velocities);
        }
        let mesh = Frame::of(&frame.positions, &frame.velocities);
        self.meshes.frame(&mesh).map_err(|e| e.to_string())?;
        match &mut self.recording {
            Some(recording) => recording.push(&frame.positions),
            None => Ok(()),
        }
    }

    fn finish(self) -> Result<Written, String> {
        Ok(Written {
            meshes: self.meshes.finish().map_err(|e| e.to_string())?,
            recording: self.recording,
            finishing: self.finish.map(|_| self.finishing),
        })
    }
}
