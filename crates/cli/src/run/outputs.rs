//! What a run writes, on another thread, so that the simulation does not wait for files and
//! pictures.

use super::framing;
use crate::exit::Failure;
use glam::DVec3;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;
use toile::geometry::TriMesh;
use toile::io::Scene;
use toile::io::obj::{self, Object};
use toile::io::scene::Format;
use toile::sim::colliders::Shape;
use toile::sim::{Model, Simulation};
use toile::view::film::Film;
use toile::view::{Camera, Color, Ground, Image, RenderOptions, Renderer, Stage, Surface, shapes};

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

/// The writing thread.
pub struct Outputs {
    sender: Option<SyncSender<FrameToWrite>>,
    thread: Option<JoinHandle<Result<Vec<PathBuf>, String>>>,
}

impl Outputs {
    /// Opens the files. A resumed run, with frames `done` already, writes its film anew from
    /// there on under another name, since a finished film cannot be continued.
    pub fn start(
        scene: &Scene,
        model: &Arc<Model>,
        out: &Path,
        done: u64,
    ) -> Result<Self, Failure> {
        if done == 0 {
            remove_old_frames(scene, out);
        }
        let mut writer = FrameWriter::new(scene, model.clone(), out, done)?;
        let (sender, receiver) = sync_channel::<FrameToWrite>(QUEUE);
        let thread = std::thread::spawn(move || {
            for frame in receiver {
                writer.write(&frame)?;
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

    /// Waits until everything is on disk; returns what was written.
    pub fn finish(&mut self) -> Result<Vec<PathBuf>, Failure> {
        self.sender = None;
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(result)) => result.map_err(Failure::input),
            Some(Err(_)) => Err(Failure::input("the writing thread has failed")),
            None => Ok(Vec::new()),
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
    pictures: Option<Pictures>,
    last_obj: Option<PathBuf>,
}

struct Pictures {
    renderer: Renderer,
    film: Film,
    film_path: PathBuf,
    camera: Camera,
    ground: Option<Ground>,
    solids: Vec<TriMesh>,
    last: Option<Image>,
}

/// Front and back of up to four cloths; more repeat.
const COLORS: [(u32, u32); 4] = [
    (0xb0523f, 0xdcc09a),
    (0x3f6f8f, 0xa9c4cf),
    (0x6b7f4a, 0xcfd3a6),
    (0x7a5a86, 0xd3bfd6),
];

impl FrameWriter {
    fn new(scene: &Scene, model: Arc<Model>, out: &Path, done: u64) -> Result<Self, Failure> {
        let pictures = if scene.output.film {
            Some(Pictures::new(scene, &model, out, done)?)
        } else {
            None
        };
        Ok(Self {
            model,
            name: scene.name.clone(),
            out: out.to_owned(),
            formats: scene.output.formats.clone(),
            pictures,
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
        match &mut self.pictures {
            Some(pictures) => pictures.draw(&self.model, &frame.positions),
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

    fn finish(self) -> Result<Vec<PathBuf>, String> {
        let mut written: Vec<PathBuf> = self.last_obj.into_iter().collect();
        if let Some(pictures) = self.pictures {
            written.extend(pictures.finish(&self.out)?);
        }
        Ok(written)
    }
}

impl Pictures {
    fn new(scene: &Scene, model: &Model, out: &Path, done: u64) -> Result<Self, Failure> {
        let options = RenderOptions::default();
        let film_path = if done == 0 {
            out.join("film.mp4")
        } else {
            out.join(format!("film-from-{done:04}.mp4"))
        };
        let film = Film::create(&film_path, options.width, options.height, scene.fps)
            .map_err(Failure::input)?;
        let bounds = framing::bounds(scene, model);
        let aspect = options.width as f64 / options.height as f64;
        let solids = model
            .colliders
            .iter()
            .filter_map(|collider| match collider.shape {
                Shape::Sphere { center, radius_m } => Some(shapes::sphere(center, radius_m)),
                Shape::Plane { .. } => None,
            })
            .collect();
        Ok(Self {
            renderer: Renderer::new(options),
            film,
            film_path,
            camera: Camera::fit(bounds, DVec3::new(0.55, 0.42, 1.0), aspect),
            ground: framing::floor_m(model).map(|height_m| Ground { height_m }),
            solids,
            last: None,
        })
    }

    fn draw(&mut self, model: &Model, positions: &[DVec3]) -> Result<(), String> {
        let cloths = model.cloths.iter().zip(COLORS.iter().cycle());
        let mut surfaces: Vec<Surface> = cloths
            .map(|(cloth, &(front, back))| Surface {
                front: Color::srgb(front),
                back: Color::srgb(back),
                ..Surface::cloth(positions, &model.faces[cloth.faces.clone()])
            })
            .collect();
        for solid in &self.solids {
            surfaces.push(Surface::solid(&solid.positions, &solid.faces));
        }
        let stage = Stage {
            surfaces,
            ground: self.ground,
            ..Stage::default()
        };
        let image = self.renderer.render(&stage, &self.camera);
        self.film.push(&image).map_err(|e| e.to_string())?;
        self.last = Some(image);
        Ok(())
    }

    fn finish(self, out: &Path) -> Result<Vec<PathBuf>, String> {
        let mut written = Vec::new();
        if let Some(image) = &self.last {
            let poster = out.join("poster.png");
            image.write_png(&poster).map_err(|e| e.to_string())?;
            self.film.finish().map_err(|e| e.to_string())?;
            written.extend([self.film_path, poster]);
        }
        Ok(written)
    }
}
