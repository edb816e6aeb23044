//! What a run writes while it simulates, on another thread, so that it does not wait for files.

use crate::error::RunError;
use crate::film::Recording;
use crate::job::Job;
use crate::sink::{self, FrameSink};
use glam::DVec3;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;
use toile_geometry::Subdivision;
use toile_io::Scene;
use toile_io::formats::{Export, Format, Frame, Header, Manifest, Options};
use toile_io::report::WrittenCloth;
use toile_sim::wrinkles::Finish;
use toile_sim::{Model, State};

/// Frames that may wait to be written.
const QUEUE: usize = 4;

/// A frame on its way to disk.
struct FrameToWrite {
    time_s: f64,
    positions: Vec<DVec3>,
    velocities: Vec<DVec3>,
}

impl FrameToWrite {
    fn of(state: &State) -> Self {
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
    thread: Option<JoinHandle<Result<Written, RunError>>>,
}

/// Refuses formats that cannot hold what the scene will give, before anything is computed.
pub fn check(scene: &Scene, model: &Model, mesh: &Subdivision) -> Result<(), RunError> {
    let header = Header::finer(model, scene.fps, mesh);
    let pre_roll = u64::from(scene.output.cache.pre_roll_frames);
    let frames = u64::from(scene.frames) + 1 + pre_roll;
    for format in &scene.output.formats {
        if let Some(reason) = format.refuses(&header, frames) {
            let (name, format) = (&scene.name, format.name());
            return Err(RunError::input(format!(
                "{name}: {frames} frames cannot be written as {format}: {reason}"
            )));
        }
    }
    Ok(())
}

impl Outputs {
    /// Opens the files; where a run is resumed, `done` frames after the start exist already.
    pub fn start(job: &Job, out: &Path, done: u64) -> Result<Self, RunError> {
        let mut writer = FrameWriter::new(job, out, done)?;
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

    /// Waits until everything is on disk.
    pub fn close(&mut self) -> Result<Written, RunError> {
        self.sender = None;
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(result)) => result,
            Some(Err(_)) => Err(RunError::output("the writing thread has failed")),
            None => Ok(Written::default()),
        }
    }
}

impl FrameSink for Outputs {
    /// Waits if too many frames are on their way.
    fn frame(&mut self, frame: &sink::Frame<'_>) -> Result<(), RunError> {
        let frame = FrameToWrite::of(frame.simulation.state());
        let sent = self.sender.as_ref().map(|sender| sender.send(frame));
        if matches!(sent, Some(Ok(()))) {
            return Ok(());
        }
        // The thread has ended early: it knows why.
        Err(self
            .close()
            .err()
            .unwrap_or_else(|| RunError::output("the writing thread has ended early")))
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
    fn new(job: &Job, out: &Path, done: u64) -> Result<Self, RunError> {
        let Job { scene, model, mesh } = job;
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
            Some(Recording::create(out, mesh.vertices())?)
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
            meshes: meshes.map_err(RunError::output)?,
            recording,
        })
    }

    fn write(&mut self, mut frame: FrameToWrite) -> Result<(), RunError> {
        if let Some(finish) = &mut self.finish {
            let finished = finish.frame(&frame.positions, frame.time_s);
            self.finishing.add(finished.moved, finished.held_back);
            frame.positions = finished.positions;
            frame.velocities = self.mesh.smooth(&frame.velocities);
        }
        let mesh = Frame::of(&frame.positions, &frame.velocities);
        self.meshes.frame(&mesh).map_err(RunError::output)?;
        match &mut self.recording {
            Some(recording) => recording.push(&frame.positions),
            None => Ok(()),
        }
    }

    fn finish(self) -> Result<Written, RunError> {
        Ok(Written {
            meshes: self.meshes.finish().map_err(RunError::output)?,
            recording: self.recording,
            finishing: self.finish.map(|_| self.finishing),
        })
    }
}
