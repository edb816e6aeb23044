//! What is seen in pictures of a run: the cloths and what stands around them.

use glam::{DVec2, DVec3};
use toile::geometry::{Bounds, TriMesh};
use toile::sim::ColliderSpec;
use toile::sim::Model;
use toile::sim::colliders::Shape;
use toile::view::{
    Camera, Color, Framing, Ground, Image, RenderOptions, Renderer, Stage, Surface, Weave, shapes,
};

/// Where a run is seen from, unless something else is asked for.
pub const VIEW_FROM: DVec3 = DVec3::new(0.55, 0.42, 1.0);

/// Front and back of up to four cloths; more repeat.
const COLORS: [(u32, u32); 4] = [
    (0xb0523f, 0xdcc09a),
    (0x3f6f8f, 0xa9c4cf),
    (0x6b7f4a, 0xcfd3a6),
    (0x7a5a86, 0xd3bfd6),
];

/// Distance between the threads that are drawn as a share of half the picture's height: much
/// coarser than real ones, to be seen at all.
const THREAD: f64 = 0.012;

/// What stands still in all pictures.
#[derive(Default)]
pub struct Set {
    ground: Option<Ground>,
    solids: Vec<TriMesh>,
}

impl Set {
    /// Colliders, and boxes that are only drawn.
    pub fn new(colliders: &[ColliderSpec], props: &[Bounds]) -> Self {
        let mut solids: Vec<TriMesh> = props
            .iter()
            .map(|prop| shapes::cuboid(prop.min, prop.max))
            .collect();
        let mut floor_m: Option<f64> = None;
        for collider in colliders {
            match collider.shape {
                Shape::Sphere { center, radius_m } => {
                    solids.push(shapes::sphere(center, radius_m));
                }
                Shape::Plane { normal, offset_m } if normal.y > 0.999 => {
                    floor_m = Some(floor_m.map_or(offset_m, |other| other.max(offset_m)));
                }
                Shape::Plane { .. } => {}
            }
        }
        Self {
            ground: floor_m.map(|height_m| Ground { height_m }),
            solids,
        }
    }

    /// Puts a floor at this height, if there is none.
    pub fn put_floor(&mut self, height_m: f64) {
        self.ground.get_or_insert(Ground { height_m });
    }

    /// The bodies that stand there.
    pub fn solids(&self) -> &[TriMesh] {
        &self.solids
    }

    /// Has the camera see all of it.
    pub fn show(&self, framing: &mut Framing) {
        for solid in &self.solids {
            framing.include(&solid.positions);
        }
    }
}

/// Nothing seen yet, from where runs are shown.
pub fn framing(options: &RenderOptions) -> Framing {
    Framing::new(VIEW_FROM, options.width as f64 / options.height as f64)
}

/// The cloths of a picture; their positions are in one list, one cloth after the other.
pub struct Cloths {
    /// Faces of each.
    pub faces: Vec<Vec<[u32; 3]>>,
    /// Pattern coordinates of every vertex in metres; empty where there are none.
    pub uv: Vec<DVec2>,
}

impl Cloths {
    /// Those of a model.
    pub fn of(model: &Model) -> Self {
        let faces = model.cloths.iter();
        Self {
            faces: faces
                .map(|cloth| model.faces[cloth.faces.clone()].to_vec())
                .collect(),
            uv: model.pattern_positions.clone(),
        }
    }
}

/// How cloths look.
#[derive(Clone, Copy, Default)]
pub struct Look<'a> {
    /// A colour for every vertex, instead of front and back.
    pub colors: Option<&'a [Color]>,
    /// Whether edges are drawn.
    pub wireframe: bool,
}

/// Draws the cloths at these positions, with the set around them.
pub fn draw(
    renderer: &mut Renderer,
    camera: &Camera,
    set: &Set,
    cloths: &Cloths,
    positions: &[DVec3],
    look: Look<'_>,
) -> Image {
    let pitch_m = THREAD * camera.eye.distance(camera.target) * (0.5 * camera.fov_rad).tan();
    let colored = cloths.faces.iter().zip(COLORS.iter().cycle());
    let mut surfaces: Vec<Surface> = colored
        .map(|(faces, &(front, back))| Surface {
            front: Color::srgb(front),
            back: Color::srgb(back),
            colors: look.colors,
            wireframe: look.wireframe,
            weave: look.colors.is_none().then_some(Weave {
                uv: &cloths.uv,
                pitch_m,
            }),
            ..Surface::cloth(positions, faces)
        })
        .collect();
    for solid in &set.solids {
        surfaces.push(Surface::solid(&solid.positions, &solid.faces));
    }
    let stage = Stage {
        surfaces,
        ground: set.ground,
        ..Stage::default()
    };
    renderer.render(&stage, camera)
}
