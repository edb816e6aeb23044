//! What is seen in pictures of a run: the cloths and what stands around them.

mod fixtures;
mod solid;

use fixtures::{Body, Fixtures};
use glam::{DVec2, DVec3};
use solid::Solid;
use toile_geometry::{Bounds, Pieces, Subdivision};
use toile_sim::{Model, ModelSpec};
use toile_view::{
    Camera, Color, Framing, Ground, Image, RenderOptions, Renderer, Rim, Stage, Surface, Weave,
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

/// Thickness of cloth at its border in the same measure: a little more than real.
const THICKNESS: f64 = 0.008;

/// What is around the cloths in all pictures.
#[derive(Default)]
pub struct Set {
    ground: Option<Ground>,
    /// Colliders, and boxes that are only drawn.
    solids: Vec<Solid>,
    /// What goes with the cloths.
    fixtures: Fixtures,
}

impl Set {
    /// Colliders that are to be seen, what holds the cloths, and boxes that are only drawn. Without
    /// a floor among the colliders, there is one where the lowest box stands. `firsts` are the first
    /// vertices of the cloths in what is drawn, where these are known.
    pub fn new(model: &ModelSpec, props: &[Bounds], firsts: &[usize]) -> Self {
        let starts = model.cloths.iter().map(|cloth| cloth.positions());
        let starts = starts.map(|positions| Bounds::of(&positions));
        let cloths = starts.fold(Bounds::EMPTY, Bounds::union);
        let mut solids: Vec<Solid> = props.iter().map(Solid::prop).collect();
        let mut floor_m: Option<f64> = None;
        for collider in model.colliders.iter().filter(|c| c.drawn) {
            match solid::floor_m(collider) {
                Some(height_m) => {
                    floor_m = Some(floor_m.map_or(height_m, |other| other.max(height_m)));
                }
                None => solids.push(Solid::of(collider, &cloths)),
            }
        }
        let bodies = model.bodies.iter().filter(|body| body.drawn);
        solids.extend(bodies.map(Solid::of_body));
        let under_props = props.iter().map(|prop| prop.min.y).reduce(f64::min);
        Self {
            ground: floor_m.or(under_props).map(|height_m| Ground { height_m }),
            solids,
            fixtures: Fixtures::of(model, props, firsts),
        }
    }

    /// Puts a floor at this height, if there is none.
    pub fn put_floor(&mut self, height_m: f64) {
        self.ground.get_or_insert(Ground { height_m });
    }

    /// Calls `see` with all points that pictures of this moment should show, cloths included.
    pub fn show(&self, moment: Moment<'_>, mut see: impl FnMut(&[DVec3])) {
        see(moment.positions);
        for solid in &self.solids {
            see(&solid.at(moment.time_s).positions);
        }
        for body in self.bodies(moment).iter().filter(|body| body.in_view) {
            see(&body.mesh.positions);
        }
    }

    /// What holds the cloths at this moment.
    fn bodies(&self, moment: Moment<'_>) -> Vec<Body> {
        let floor_m = self.ground.map(|ground| ground.height_m);
        self.fixtures
            .bodies(moment.positions, moment.time_s, floor_m)
    }
}

/// The cloths at some time.
#[derive(Clone, Copy)]
pub struct Moment<'a> {
    /// Positions of all of them, m.
    pub positions: &'a [DVec3],
    /// Time since the start, s.
    pub time_s: f64,
}

/// Nothing seen yet, from where runs are shown.
pub fn framing(options: &RenderOptions) -> Framing {
    Framing::new(VIEW_FROM, options.width as f64 / options.height as f64)
}

/// The cloths of a picture; their positions are in one list, one cloth after the other.
pub struct Cloths {
    /// Faces of each.
    faces: Vec<Vec<[u32; 3]>>,
    /// Edges of its border.
    borders: Vec<Vec<[u32; 2]>>,
    /// Pattern coordinates of every vertex in metres; empty where there are none.
    uv: Vec<DVec2>,
}

impl Cloths {
    /// Those of a model, on the finer mesh that is made of it.
    pub fn of(model: &Model, mesh: &Subdivision) -> Self {
        let Pieces {
            faces, triangles, ..
        } = mesh.mesh();
        let faces = triangles.iter().map(|part| faces[part.clone()].to_vec());
        Self::new(faces.collect(), mesh.smooth(&model.pattern_positions()))
    }

    /// Those with these faces and pattern coordinates.
    pub fn new(faces: Vec<Vec<[u32; 3]>>, uv: Vec<DVec2>) -> Self {
        let borders = faces.iter().map(|faces| border(faces)).collect();
        Self { faces, borders, uv }
    }

    /// Faces of each.
    pub fn faces(&self) -> &[Vec<[u32; 3]>] {
        &self.faces
    }

    /// Pattern coordinates of every vertex in metres; empty where there are none.
    pub fn uv(&self) -> &[DVec2] {
        &self.uv
    }
}

/// Edges that only one face has, in the order of its corners.
fn border(faces: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let edges = faces.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let mut edges: Vec<[u32; 2]> = edges.collect();
    let key = |[a, b]: &[u32; 2]| [*a.min(b), *a.max(b)];
    edges.sort_unstable_by_key(key);
    edges
        .chunk_by(|p, q| key(p) == key(q))
        .filter(|same| same.len() == 1)
        .map(|same| same[0])
        .collect()
}

/// How cloths look.
#[derive(Clone, Copy, Default)]
pub struct Look<'a> {
    /// A colour for every vertex, instead of front and back.
    pub colors: Option<&'a [Color]>,
    /// Whether edges are drawn.
    pub wireframe: bool,
}

/// Draws the cloths at this moment, with the set around them.
pub fn draw(
    renderer: &mut Renderer,
    camera: &Camera,
    set: &Set,
    cloths: &Cloths,
    moment: Moment<'_>,
    look: Look<'_>,
) -> Image {
    let half_height_m = camera.eye.distance(camera.target) * (0.5 * camera.fov_rad).tan();
    let meshes = cloths.faces.iter().zip(&cloths.borders);
    let mut surfaces: Vec<Surface> = meshes
        .zip(COLORS.iter().cycle())
        .map(|((faces, edges), &(front, back))| Surface {
            front: Color::srgb(front),
            back: Color::srgb(back),
            colors: look.colors,
            wireframe: look.wireframe,
            weave: look.colors.is_none().then_some(Weave {
                uv: &cloths.uv,
                pitch_m: THREAD * half_height_m,
            }),
            rim: Some(Rim {
                edges,
                thickness_m: THICKNESS * half_height_m,
            }),
            ..Surface::cloth(moment.positions, faces)
        })
        .collect();
    let bodies = set.bodies(moment);
    let held_by = bodies.iter().map(|body| &body.mesh);
    let solids: Vec<_> = set.solids.iter().map(|s| s.at(moment.time_s)).collect();
    for solid in solids.iter().map(|s| &**s).chain(held_by) {
        surfaces.push(Surface::solid(&solid.positions, &solid.faces));
    }
    let stage = Stage {
        surfaces,
        ground: set.ground,
        ..Stage::default()
    };
    renderer.render(&stage, camera)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_border_of_a_grid_goes_once_around() {
        let grid = toile_geometry::QuadGrid {
            columns: 4,
            rows: 3,
            size_m: DVec2::ONE,
        };
        let edges = border(&grid.faces());
        assert_eq!(edges.len(), 2 * (3 + 2));
        for v in 0..grid.len() as u32 {
            let (column, row) = grid.cell_of(v as usize);
            let outside = column == 0 || column == 3 || row == 0 || row == 2;
            let count = edges.iter().filter(|e| e.contains(&v)).count();
            assert_eq!(count, if outside { 2 } else { 0 });
        }
        // Every edge ends where another begins.
        let mut ends = [0, 1].map(|k| edges.iter().map(|e| e[k]).collect::<Vec<_>>());
        ends.iter_mut().for_each(|ends| ends.sort_unstable());
        assert_eq!(ends[0], ends[1]);
    }

    #[test]
    fn what_is_not_drawn_is_not_on_the_set() {
        let set = |draw: bool| {
            let text = format!(
                "[[cloth]]\ngrid = {{ size_m = [1, 1], particles = [3, 3] }}\n\
                 [[collider]]\nshape = {{ plane = {{ normal = [0, 1, 0], offset_m = -1 }} }}\n\
                 draw = {draw}\n\
                 [[collider]]\nshape = {{ plane = {{ normal = [1, 0, 0], offset_m = -1 }} }}\n\
                 draw = {draw}\n"
            );
            let scene = toile_io::scene::parse(&text, "walls.toml", &[]).unwrap();
            Set::new(&scene.model, &[], &[])
        };
        let [seen, unseen] = [true, false].map(set);
        assert!(seen.ground.is_some() && seen.solids.len() == 1);
        assert!(unseen.ground.is_none() && unseen.solids.is_empty());
    }
}
