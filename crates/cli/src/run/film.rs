//! The film and the poster, made when the motion is known, so that the camera stands right.
//!
//! Positions wait on disk in single precision, so that a run of any length needs little memory.

use crate::exit::Failure;
use crate::progress::Progress;
use glam::{DVec3, Vec3};
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;
use toile::geometry::{Bounds, TriMesh};
use toile::sim::Model;
use toile::sim::colliders::Shape;
use toile::view::film::{Film, FilmError};
use toile::view::{Camera, Color, Ground, Image, RenderOptions, Renderer, Stage, Surface, shapes};

/// The frames of a run, waiting to be filmed. Its file is removed when it is dropped.
pub struct Recording {
    path: PathBuf,
    file: BufWriter<File>,
    particles: usize,
    frames: u64,
    bounds: Bounds,
}

impl Recording {
    /// Opens an empty recording in the output folder.
    pub fn create(out: &Path, particles: usize) -> Result<Self, String> {
        let path = out.join("film.part");
        let file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(&path)
            .map_err(|e| format!("{} cannot be written: {e}", path.display()))?;
        Ok(Self {
            path,
            file: BufWriter::new(file),
            particles,
            frames: 0,
            bounds: Bounds::EMPTY,
        })
    }

    /// Adds a frame.
    pub fn push(&mut self, positions: &[DVec3]) -> Result<(), String> {
        for p in positions {
            for coordinate in p.as_vec3().to_array() {
                self.file
                    .write_all(&coordinate.to_le_bytes())
                    .map_err(|e| format!("{} cannot be written: {e}", self.path.display()))?;
            }
        }
        self.bounds = self.bounds.union(Bounds::of(positions));
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
        let mut bytes = vec![0; 12 * self.particles];
        let mut positions = vec![DVec3::ZERO; self.particles];
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
    /// The model.
    pub model: &'a Model,
    /// Boxes that are only drawn.
    pub props: &'a [Bounds],
    /// Pictures a second.
    pub fps: f64,
    /// The film.
    pub film: PathBuf,
    /// The picture of the last frame.
    pub poster: PathBuf,
}

/// Front and back of up to four cloths; more repeat.
const COLORS: [(u32, u32); 4] = [
    (0xb0523f, 0xdcc09a),
    (0x3f6f8f, 0xa9c4cf),
    (0x6b7f4a, 0xcfd3a6),
    (0x7a5a86, 0xd3bfd6),
];

impl Shoot<'_> {
    /// Renders and encodes all frames, or those up to where `stop` says so.
    pub fn run(
        &self,
        mut recording: Recording,
        quiet: bool,
        stop: &dyn Fn() -> bool,
    ) -> Result<Vec<PathBuf>, Failure> {
        let options = RenderOptions::default();
        // A film cannot be slower than a picture a second, whatever the steps.
        let fps = self.fps.clamp(1.0, 1000.0);
        let film = Film::create(&self.film, options.width, options.height, fps);
        let mut film = film.map_err(Failure::input)?;
        // Pictures are encoded while the next one is drawn.
        let (sender, receiver) = sync_channel::<Image>(2);
        let encoder = std::thread::spawn(move || {
            let mut last = None;
            for image in receiver {
                film.push(&image)?;
                last = Some(image);
            }
            film.finish()?;
            Ok::<_, FilmError>(last)
        });
        let set = Set::new(self.model, self.props, recording.bounds, &options);
        let mut renderer = Renderer::new(options);
        let mut progress = Progress::new(quiet, recording.frames, 0);
        let mut drawn = 0;
        let played = recording.play(|positions| {
            let sent = sender.send(set.draw(&mut renderer, self.model, positions));
            drawn += 1;
            progress.frame(drawn, "filmed");
            sent.is_ok() && !stop()
        });
        progress.finish();
        drop(sender);
        played.map_err(|e| Failure::input(format!("{}: {e}", recording.path.display())))?;
        let last = encoder
            .join()
            .map_err(|_| Failure::input("the film could not be encoded"))?
            .map_err(Failure::input)?;
        if let Some(image) = last {
            image.write_png(&self.poster).map_err(Failure::input)?;
        }
        Ok(vec![self.film.clone(), self.poster.clone()])
    }
}

/// What stands still in all pictures.
struct Set {
    camera: Camera,
    ground: Option<Ground>,
    solids: Vec<TriMesh>,
}

impl Set {
    fn new(model: &Model, props: &[Bounds], motion: Bounds, options: &RenderOptions) -> Self {
        let mut bounds = motion;
        let mut solids: Vec<TriMesh> = props
            .iter()
            .map(|prop| shapes::cuboid(prop.min, prop.max))
            .collect();
        for prop in props {
            bounds = bounds.union(*prop);
        }
        let mut floor_m: Option<f64> = None;
        for collider in &model.colliders {
            match collider.shape {
                Shape::Sphere { center, radius_m } => {
                    let solid = shapes::sphere(center, radius_m);
                    bounds = bounds.union(solid.bounds());
                    solids.push(solid);
                }
                Shape::Plane { normal, offset_m } if normal.y > 0.999 => {
                    floor_m = Some(floor_m.map_or(offset_m, |other| other.max(offset_m)));
                }
                Shape::Plane { .. } => {}
            }
        }
        let aspect = options.width as f64 / options.height as f64;
        Self {
            camera: Camera::fit(bounds, DVec3::new(0.55, 0.42, 1.0), aspect),
            ground: floor_m.map(|height_m| Ground { height_m }),
            solids,
        }
    }

    fn draw(&self, renderer: &mut Renderer, model: &Model, positions: &[DVec3]) -> Image {
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
        renderer.render(&stage, &self.camera)
    }
}
