//! Bodies made of triangles, from files.

use super::canvas::Canvas;
use super::named::{Marks, Named};
use super::range::{above_zero, not_negative};
use super::{Checked, MAX_PARTICLES, character, collider, cut, generated, range, timing};
use crate::formats::{self, UpAxis};
use crate::scene::error::Fault;
use crate::scene::{key, raw};
use crate::surface;
use glam::DVec3;
use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;
use toile_figure::mannequin::Measurements;
use toile_geometry::TriMesh;
use toile_geometry::character::Character;
use toile_geometry::timing::Repeat;
use toile_sim::{BodyMotion, BodySpec, Frames, Sequence};

/// What the rest of a scene says of a body.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    /// Where relative file names are looked for.
    pub folder: &'a Path,
    /// The scene's frames per second.
    pub fps: f64,
    /// How many frames it has.
    pub frames: u32,
    /// Friction unless it says otherwise.
    pub friction: f64,
    /// Mannequins made so far: several colliders may be parts of one.
    pub mannequins: &'a RefCell<Vec<(Measurements, Character)>>,
}

/// A body with what else is known of it.
pub(super) struct Known {
    pub body: BodySpec,
    /// How its triangles can be told from each other.
    pub marks: Marks,
    /// What a reader of the report should know.
    pub notes: Vec<String>,
}

/// Validates a collider whose shape is `mesh`.
pub(super) fn spec(
    path: &key::Path,
    body: &mut raw::Collider,
    context: &Context<'_>,
) -> Checked<Known> {
    let friction = *body.friction.get_or_insert(context.friction);
    range::friction(&path.with("friction"), friction)?;
    if body.friction_law != raw::FrictionLaw::Coulomb {
        let message = "a mesh has Coulomb's friction alone, expected \"coulomb\"";
        return Err(Fault::new(path.with("friction_law"), message));
    }
    let motion = collider::motion(path, body)?;
    let is_moved = body.velocity_m_per_s.is_some() || !body.keyframes.is_empty();
    let name = body.name.clone().unwrap_or_default();
    let drawn = body.draw;
    let Some(mesh) = &mut body.shape.mesh else {
        return Err(Fault::new(path.with("shape"), "expected a mesh"));
    };
    let path = path.with("shape").with("mesh");
    for (key, value) in [("metres_per_unit", mesh.metres_per_unit), ("fps", mesh.fps)] {
        if let Some(value) = value {
            above_zero(&path.with(key), value)?;
        }
    }
    not_negative(&path.with("thickness_m"), mesh.thickness_m)?;
    if mesh.file.is_some() && mesh.lathe.is_some() {
        let message = "expected `file` or `lathe`, found both";
        return Err(Fault::new(path.with("lathe"), message));
    }
    if let Some(other) = mesh.beside_character() {
        let message = format!("expected `character` or `{other}`, found both");
        return Err(Fault::new(path.with(other), message));
    }
    let is_sampled = mesh.character.is_some() && mesh.met_as == raw::MetAs::LevelSet;
    if mesh.frames.is_none() && mesh.fps.is_some() && !is_sampled {
        let message = "expected `frames` with it: a still mesh has none";
        return Err(Fault::new(path.with("fps"), message));
    }
    if mesh.frames.is_none() {
        timing::refuse(&path, mesh)?;
    }
    if (mesh.frames.is_some() || mesh.character.is_some()) && is_moved {
        let key = match mesh.character {
            Some(_) => "character",
            None => "frames",
        };
        let message = "a body that is animated is not moved besides: expected no \
                       `velocity_m_per_s` and no `keyframes`";
        return Err(Fault::new(path.with(key), message));
    }
    let mut notes = Vec::new();
    let mut marks = Marks::default();
    let still = match (&mut mesh.file, &mesh.lathe) {
        (Some(file), _) => {
            let keeps_vertices = mesh.frames.is_some();
            let options = surface::Options {
                metres_per_unit: mesh.metres_per_unit,
                up: mesh.up,
                weld_m: None,
            };
            let at = path.with("file");
            let (folder, notes) = (context.folder, &mut notes);
            let (still, told) = read(&at, file, folder, &options, keeps_vertices, notes)?;
            marks = told;
            Some(still)
        }
        (None, Some(lathe)) => Some(generated::turned(&path.with("lathe"), lathe)?),
        (None, None) => None,
    };
    let (mesh_there, motion) = match (still, &mesh.frames) {
        (None, None) if mesh.character.is_some() => {
            let (first, puppet) = character::spec(&path, mesh, context, &mut notes)?;
            marks.named = Named::Character(puppet.character.clone());
            (first, BodyMotion::Puppet(puppet))
        }
        (None, None) => {
            return Err(Fault::new(
                path.with("file"),
                "missing key: expected `file`, `frames` or both, or `lathe`, or `character`",
            ));
        }
        (Some(mut still), None) => {
            let place = placing(mesh);
            still.positions.iter_mut().for_each(|p| *p = place(*p));
            (still, BodyMotion::Rigid(motion))
        }
        (still, Some(_)) => {
            let (there, sequence) = animation(&path, mesh, still, context, &mut notes)?;
            (there, BodyMotion::Sequence(sequence))
        }
    };
    let body = BodySpec {
        name,
        mesh: Arc::new(mesh_there),
        motion,
        friction,
        thickness_m: mesh.thickness_m,
        drawn,
    };
    Ok(Known { body, marks, notes })
}

/// Where a place of a file is in the world, its unit and axes being those of the world.
fn placing(mesh: &raw::BodyMesh) -> impl Fn(DVec3) -> DVec3 + use<> {
    let (turn, offset) = (cut::turn(mesh.rotation_deg), DVec3::from(mesh.offset_m));
    move |p| turn * p + offset
}

/// The triangles of a file and their marks, welded unless their vertices must stay those of the file.
fn read(
    path: &key::Path,
    file: &mut String,
    folder: &Path,
    options: &surface::Options,
    keeps_vertices: bool,
    notes: &mut Vec<String>,
) -> Checked<(TriMesh, Marks)> {
    let fault = |message: String| Fault::new(path.clone(), message);
    let name = folder.join(&*file);
    if !name.is_file() {
        return Err(fault(format!("there is no file {}", name.display())));
    }
    let as_it_stands = surface::read(&name, options).map_err(|e| fault(e.to_string()))?;
    let mut found: Vec<String> = as_it_stands.notes.clone();
    let surface = if keeps_vertices {
        as_it_stands
    } else {
        match as_it_stands.clone().repaired(None) {
            Ok((repaired, repairs)) => {
                found.extend(repairs.lines());
                repaired
            }
            // A body need not be a surface that cloth could be made of.
            Err(problem) => {
                found.push(format!("taken as it stands: {problem}"));
                as_it_stands
            }
        }
    };
    notes.extend(found.iter().map(|note| format!("{file}: {note}")));
    // A scene that is written elsewhere must find it again.
    if let Ok(whole) = name.canonicalize() {
        *file = whole.display().to_string();
    }
    let whole = |(_, [a, b, c]): &(u32, [u32; 3])| a != b && b != c && c != a;
    let canvas = Canvas::of_file(&surface);
    let faces = (0..).zip(surface.triangles).filter(whole);
    let (kept, faces): (Vec<u32>, Vec<[u32; 3]>) = faces.unzip();
    let groups = surface.groups.into_iter();
    let marks = Marks {
        named: Named::Groups(groups.filter_map(|group| group.after(&kept)).collect()),
        canvas: canvas.after(&kept),
    };
    let mesh = TriMesh {
        positions: surface.positions,
        faces,
    };
    mesh.validate()
        .map_err(|e| fault(format!("{}: {e}", name.display())))?;
    if mesh.faces.is_empty() {
        return Err(fault(format!("{} holds no triangles", name.display())));
    }
    refuse_too_many(path, mesh.positions.len())?;
    Ok((mesh, marks))
}

/// An animated body: its mesh where it starts, and how it moves. `still` is another file's, for its
/// triangles and for what it settles from.
fn animation(
    path: &key::Path,
    mesh: &mut raw::BodyMesh,
    still: Option<TriMesh>,
    context: &Context<'_>,
    notes: &mut Vec<String>,
) -> Checked<(TriMesh, Sequence)> {
    let timing = timing::of_frames(path, mesh)?;
    let place = placing(mesh);
    let at = path.with("frames");
    let fault = |message: String| Fault::new(at.clone(), message);
    let file = mesh.frames.clone().unwrap_or_default();
    let name = context.folder.join(&file);
    let mut reader = formats::open(&name).map_err(|e| fault(e.to_string()))?;
    notes.extend(reader.notes().iter().map(|note| format!("{file}: {note}")));
    let header = reader.header().clone();
    refuse_too_many(&at, header.vertices)?;
    let unit_m = mesh
        .metres_per_unit
        .or(header.metres_per_unit)
        .unwrap_or(1.0);
    let up = mesh.up.or(header.up).unwrap_or_default();
    let rate_hz = *mesh
        .fps
        .get_or_insert(header.frame_rate_hz.unwrap_or(context.fps));
    let to_world = |p: &DVec3| {
        let upright = match up {
            UpAxis::Y => *p,
            UpAxis::Z => DVec3::new(p.x, p.z, -p.y),
        };
        place(unit_m * upright)
    };
    let mut positions = Vec::new();
    for k in 0..reader.frames() {
        let frame = reader.read_positions(k).map_err(|e| fault(e.to_string()))?;
        positions.push(frame.iter().map(to_world).collect::<Vec<_>>());
    }
    let Some(first) = positions.first() else {
        return Err(fault(format!("{} holds no frame", name.display())));
    };
    let faces = match &still {
        Some(still) => still.faces.clone(),
        None => header.faces.triangles(0..header.faces.len()).collect(),
    };
    if faces.is_empty() {
        let message = format!("{} holds no triangles", name.display());
        return Err(fault(message).help("`file` can name a mesh that has them"));
    }
    let first = TriMesh {
        positions: first.clone(),
        faces,
    };
    first.validate().map_err(|e| {
        fault(format!(
            "{} does not fit the triangles: {e}",
            name.display()
        ))
    })?;
    if let Some(k) = positions
        .iter()
        .position(|p| p.len() != first.positions.len())
    {
        return Err(fault(format!(
            "expected {} vertices in every frame, found {} in frame {k}",
            first.positions.len(),
            positions[k].len()
        )));
    }
    // The numbers of files stand for `#`: only the folder can be made whole.
    if let (Some(folder), Some(last)) = (name.parent(), name.file_name())
        && let Ok(whole) = folder.canonicalize()
    {
        mesh.frames = Some(whole.join(last).display().to_string());
    }
    let sequence = Sequence {
        rest: rest(path, mesh, still, first.positions.len())?.map(Arc::new),
        frames: Frames {
            rate_hz,
            positions: Arc::new(positions),
        },
        timing,
    };
    note_repeating(&sequence, &file, notes);
    let mut there = Vec::with_capacity(first.positions.len());
    sequence.place(0.0, &mut there);
    let there = TriMesh {
        positions: there,
        faces: first.faces,
    };
    Ok((there, sequence))
}

/// Where the vertices of an animated body are before it settles into its frames; none if it does not.
fn rest(
    path: &key::Path,
    mesh: &raw::BodyMesh,
    still: Option<TriMesh>,
    vertices: usize,
) -> Checked<Option<Vec<DVec3>>> {
    if mesh.settle_s.unwrap_or(0.0) <= 0.0 {
        return Ok(None);
    }
    let fault = |message: String| Err(Fault::new(path.with("settle_s"), message));
    let Some(still) = still else {
        return fault("expected `file` with it: a mesh to settle from".into());
    };
    let found = still.positions.len();
    if found != vertices {
        return fault(format!(
            "expected the {vertices} vertices of the frames in `file` to settle from, found {found}"
        ));
    }
    let place = placing(mesh);
    Ok(Some(still.positions.into_iter().map(place).collect()))
}

/// Notes frames that begin again elsewhere than they end: they throw cloth about.
fn note_repeating(sequence: &Sequence, file: &str, notes: &mut Vec<String>) {
    let frames = &sequence.frames.positions;
    let [Some(first), Some(last)] = [frames.first(), frames.last()] else {
        return;
    };
    let apart = first.iter().zip(last).map(|(p, q)| p.distance(*q));
    let jump_m = apart.fold(0.0, f64::max);
    if sequence.timing.repeat != Repeat::Never && jump_m > character::JUMP_M {
        notes.push(format!(
            "{file}: a vertex jumps by {jump_m:.3} m where the frames begin again"
        ));
    }
}

pub(super) fn refuse_too_many(path: &key::Path, vertices: usize) -> Checked {
    if vertices as u64 <= MAX_PARTICLES {
        return Ok(());
    }
    let message = format!("{vertices} vertices are too many, expected at most {MAX_PARTICLES}");
    Err(Fault::new(path.clone(), message))
}
