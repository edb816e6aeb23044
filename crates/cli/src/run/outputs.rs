//! What a run writes while it simulates, on another thread, so that it does not wait for files.

use super::film::Recording;
use crate::exit::Failure;
use glam::DVec3;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;
use toile::io::Scene;
use toile::io::obj::{self, Object};
use toile::io::scene::Format;
use toile::sim::{Model, Simulation};

/// Frames that may wait to be written.
const QUEUE: usize = 4;

/// A frame on its way to disk.
pub struct FrameToWrite {
    index: u64,
    positions: Vec<DVec3>,
}

impl FrameToWrite {
    /// The current state as frame `index`.
    pub fn of(simulation: &Simulation, index: u64) -> Self {
        Self {
            index,
            positions: simulation.state().positions.clone(),
        }
    }
}

/// What the writing thread leaves behind.
#[derive(Default)]
pub struct Written {
    /// The last mesh.
    pub last_obj: Option<PathBuf>,
    /// The frames, for the film.
    pub recording: Option<Recording>,
}

/// The writing thread.
pub struct Outputs {
    sender: Option<SyncSender<FrameToWrite>>,
    thread: Option<JoinHandle<Result<Written, String>>>,
}

impl Outputs {
    /// Opens the files; `done` frames exist already.
    pub fn start(
        scene: &Scene,
        model: &Arc<Model>,
        out: &Path,
        done: u64,
    ) -> Result<Self, Failure> {
        if done == 0 {
            remove_old_frames(scene, out);
        }
        let mut writer = FrameWriter::new(scene, model.clone(), out)?;
        let (sender, receiver) = sync_channel::<FrameToWrite>(QUEUE);
        let thread = std::thread::spawn(move || {
            for frame in receiver {
                writer.write(&frame)?;
            }
            Ok(Written {
                last_obj: writer.last_obj,
                recording: writer.recording,
            })
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

/// Meshes of an earlier, longer run must not mix with this one's.
fn remove_old_frames(scene: &Scene, out: &Path) {
    let Ok(entries) = std::fs::read_dir(out) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let frame = name
            .to_str()
            .and_then(|name| name.strip_prefix(scene.name.as_str()))
            .and_then(|rest| rest.strip_prefix('_'))
            .and_then(|rest| rest.strip_suffix(".obj"));
        if frame.is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_digit())) {
            // What cannot be removed is overwritten or left: no reason to stop a run.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Writes one frame after the other.
struct FrameWriter {
    model: Arc<Model>,
    name: String,
    out: PathBuf,
    formats: Vec<Format>,
    recording: Option<Recording>,
    last_obj: Option<PathBuf>,
}

impl FrameWriter {
    fn new(scene: &Scene, model: Arc<Model>, out: &Path) -> Result<Self, Failure> {
        let recording = if scene.output.film {
            Some(Recording::create(out, model.particles()).map_err(Failure::input)?)
        } else {
            None
        };
        Ok(Self {
            model,
            name: scene.name.clone(),
            out: out.to_owned(),
            formats: scene.output.formats.clone(),
            recording,
            last_obj: None,
        })
    }

    fn write(&mut self, frame: &FrameToWrite) -> Result<(), String> {
        for format in &self.formats {
            match format {
                Format::Obj => {
                    let path = self
                        .out
                        .join(format!("{}_{:04}.obj", self.name, frame.index));
                    let faces = self.local_faces();
                    let objects: Vec<Object> = self
                        .model
                        .cloths
                        .iter()
                        .zip(&faces)
                        .map(|(cloth, faces)| Object {
                            name: &cloth.name,
                            positions: &frame.positions[cloth.particles.clone()],
                            pattern: &self.model.pattern_positions[cloth.particles.clone()],
                            faces,
                        })
                        .collect();
                    obj::write(&path, &objects).map_err(|e| e.to_string())?;
                    self.last_obj = Some(path);
                }
            }
        }
        match &mut self.recording {
            Some(recording) => recording.push(&frame.positions),
            None => Ok(()),
        }
    }

    /// Faces of each cloth, counted from its own first particle.
    fn local_faces(&self) -> Vec<Vec<[u32; 3]>> {
        let faces_of = |cloth: &toile::sim::model::Cloth| {
            let first = cloth.particles.start as u32;
            self.model.faces[cloth.faces.clone()]
                .iter()
                .map(|face| face.map(|v| v - first))
                .collect()
        };
        self.model.cloths.iter().map(faces_of).collect()
    }
}
