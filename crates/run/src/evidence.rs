//! A picture of faces that meet: the mesh, the faces in strong colours, the camera close to the
//! place.

use crate::set::VIEW_FROM;
use glam::DVec3;
use rayon::prelude::*;
use toile_geometry::intersections::place::meeting_place;
use toile_geometry::{Bounds, FacePair, TriMesh};
use toile_view::plot::Overlay;
use toile_view::{Camera, Color, Image, RenderOptions, Renderer, Stage, Surface};

/// Pairs of faces among which the worst place is looked for, and which are coloured.
pub const MOST_PAIRS: usize = 2000;

/// How far around the place the camera sees, in longest sides of the faces that meet there.
const VIEW_SIDES: f64 = 2.0;

/// Faces of each colour whose visibility decides where the camera stands.
const MOST_LOOKED_AT: usize = 12;

/// Share of them that must be seen; otherwise what is in front of them is left out.
const LEAST_SEEN: f64 = 0.2;

/// Colours of the two sides of the pairs, and of everything else.
const FIRST: u32 = 0xe0102a;
const SECOND: u32 = 0xffb000;
const MESH: u32 = 0xb9c2cc;
const OTHER: u32 = 0xa9a7a2;

/// What is shown.
pub struct Evidence<'a> {
    /// The mesh.
    pub mesh: &'a TriMesh,
    /// Another mesh it was checked against.
    pub other: Option<&'a TriMesh>,
    /// Faces of the mesh in a strong colour.
    pub first: Vec<u32>,
    /// Faces of the other mesh in another; of the same one where there is no other.
    pub second: Vec<u32>,
    /// What to look at.
    pub place: DVec3,
    /// What is written over the picture.
    pub caption: String,
}

impl<'a> Evidence<'a> {
    /// Pairs of faces, seen where most of them are.
    pub fn of_pairs(
        mesh: &'a TriMesh,
        other: Option<&'a TriMesh>,
        pairs: &[FacePair],
        caption: String,
    ) -> Self {
        let second = other.unwrap_or(mesh);
        let pairs = &pairs[..pairs.len().min(MOST_PAIRS)];
        let places: Vec<DVec3> = pairs
            .iter()
            .map(|pair| meeting_place(&corners(mesh, pair.a), &corners(second, pair.b)))
            .collect();
        let longest = pairs.iter().map(|pair| longest_side(mesh, pair.a));
        let reach = longest.fold(0.0, f64::max);
        Self {
            mesh,
            other,
            first: pairs.iter().map(|pair| pair.a).collect(),
            second: pairs.iter().map(|pair| pair.b).collect(),
            place: most_crowded(&places, reach),
            caption,
        }
    }

    /// The features of a mesh whose vertices are pressed into each other: a vertex and a triangle,
    /// or two edges.
    pub fn of_features(mesh: &'a TriMesh, vertices: [u32; 4], caption: String) -> Self {
        let [a, b, c, d] = vertices;
        let with = |wanted: &[u32]| -> Vec<u32> {
            let faces = (0..).zip(&mesh.faces);
            let has = |face: &[u32; 3]| wanted.iter().all(|v| face.contains(v));
            faces.filter(|(_, f)| has(f)).map(|(k, _)| k).collect()
        };
        let triangle = with(&[b, c, d]);
        let (first, second) = if triangle.is_empty() {
            (with(&[a, b]), with(&[c, d]))
        } else {
            (with(&[a]), triangle)
        };
        let place = vertices.map(|v| mesh.positions[v as usize]);
        Self {
            mesh,
            other: None,
            first,
            second,
            place: place.into_iter().sum::<DVec3>() / 4.0,
            caption,
        }
    }

    /// Draws it.
    pub fn draw(&self) -> Image {
        let options = RenderOptions::default();
        let aspect = options.width as f64 / options.height as f64;
        let looked_at = self.looked_at();
        let sides = looked_at.iter().flatten().map(longest);
        let half = VIEW_SIDES * sides.fold(0.0, f64::max).max(1e-9);
        let all = self.meshes().flat_map(|mesh| &mesh.positions);
        let all = Bounds::of(all);
        let bounds = Bounds {
            min: (self.place - half).max(all.min),
            max: (self.place + half).min(all.max),
        };
        let cameras = directions().map(|direction| Camera::fit(bounds, direction, aspect));
        let cameras: Vec<Camera> = cameras.collect();
        let around = self.around(cameras.iter().map(|c| c.eye.distance(self.place)));
        let seen: Vec<f64> = { cameras.par_iter() }
            .map(|camera| {
                // Of both colours something should be seen.
                let [first, second] = looked_at.each_ref();
                let share = |triangles: &[_]| share_seen(triangles, &around, camera.eye);
                (share(first) * share(second)).sqrt()
            })
            .collect();
        let mut best = 0;
        for (k, share) in seen.iter().enumerate() {
            if *share > seen[best] {
                best = k;
            }
        }
        let camera = cameras[best];
        // Deep in a fold nothing of it can be seen from outside.
        let cut = (seen[best] < LEAST_SEEN).then(|| {
            let toward = (camera.eye - self.place).normalize_or_zero();
            (toward, toward.dot(self.place) + 0.1 * half)
        });
        let mut image = self.render(options, &camera, cut);
        let (width, height) = (options.width, options.height);
        Overlay::new(width, height)
            .caption(&self.caption, [0, 0, width, height])
            .draw(&mut image);
        image
    }

    fn meshes(&self) -> impl Iterator<Item = &TriMesh> {
        [Some(self.mesh), self.other].into_iter().flatten()
    }

    /// Those of the faces of each colour that are nearest to the place.
    fn looked_at(&self) -> [Vec<[DVec3; 3]>; 2] {
        let second = self.other.unwrap_or(self.mesh);
        let lists = [(self.mesh, &self.first), (second, &self.second)];
        lists.map(|(mesh, faces)| {
            let mut all: Vec<_> = faces.iter().map(|f| corners(mesh, *f)).collect();
            let away = |t: &[DVec3; 3]| middle(t).distance_squared(self.place);
            all.sort_by(|a, b| away(a).total_cmp(&away(b)));
            all.truncate(MOST_LOOKED_AT);
            all
        })
    }

    /// All faces that can stand between the place and a camera that is so far from it.
    fn around(&self, distances: impl Iterator<Item = f64>) -> Vec<[DVec3; 3]> {
        let reach = distances.fold(0.0, f64::max);
        let faces = self
            .meshes()
            .flat_map(|m| (0..m.faces.len() as u32).map(|f| corners(m, f)));
        let near = |t: &[DVec3; 3]| {
            let bounds = Bounds::of(t);
            let nearest = self.place.clamp(bounds.min, bounds.max);
            nearest.distance(self.place) <= reach
        };
        faces.filter(near).collect()
    }

    /// Renders without what lies beyond the plane `cut`, by its normal and its distance along it.
    fn render(&self, options: RenderOptions, camera: &Camera, cut: Option<(DVec3, f64)>) -> Image {
        let split = |mesh: &TriMesh, strong: [&[u32]; 2]| {
            let mut lists: [Vec<[u32; 3]>; 3] = Default::default();
            let mut kind = vec![2; mesh.faces.len()];
            for (k, faces) in strong.iter().enumerate().rev() {
                for face in *faces {
                    kind[*face as usize] = k;
                }
            }
            for (face, kind) in mesh.faces.iter().zip(kind) {
                let positions = face.map(|v| mesh.positions[v as usize]);
                let hides = cut
                    .is_some_and(|(normal, most)| positions.iter().any(|x| normal.dot(*x) > most));
                if kind < 2 || !hides {
                    lists[kind].push(*face);
                }
            }
            lists
        };
        let own = match self.other {
            Some(_) => split(self.mesh, [&self.first, &[]]),
            None => split(self.mesh, [&self.first, &self.second]),
        };
        let others = self.other.map(|m| (m, split(m, [&[], &self.second])));
        let meshes = std::iter::once((self.mesh, &own, MESH));
        let meshes = meshes.chain(others.iter().map(|(m, lists)| (*m, lists, OTHER)));
        let surfaces = meshes.flat_map(|(mesh, lists, plain)| {
            let colored = lists.iter().zip([FIRST, SECOND, plain]);
            colored.map(move |(faces, color)| Surface {
                front: Color::srgb(color),
                back: Color::srgb(color),
                smooth: false,
                wireframe: true,
                ..Surface::cloth(&mesh.positions, faces)
            })
        });
        let [right, up, forward] = camera.axes();
        let stage = Stage {
            surfaces: surfaces.collect(),
            // Over the shoulder wherever the camera stands, below the cloth as well.
            light: Some(0.8 * up - 0.6 * right - forward),
            ..Stage::default()
        };
        Renderer::new(options).render(&stage, camera)
    }
}

fn corners(mesh: &TriMesh, face: u32) -> [DVec3; 3] {
    mesh.faces[face as usize].map(|v| mesh.positions[v as usize])
}

fn middle([a, b, c]: &[DVec3; 3]) -> DVec3 {
    (*a + *b + *c) / 3.0
}

fn longest([a, b, c]: &[DVec3; 3]) -> f64 {
    a.distance(*b).max(b.distance(*c)).max(c.distance(*a))
}

fn longest_side(mesh: &TriMesh, face: u32) -> f64 {
    longest(&corners(mesh, face))
}

/// The place with the most others within `reach`; the first of several.
fn most_crowded(places: &[DVec3], reach: f64) -> DVec3 {
    let crowd = |place: &DVec3| {
        let near = |other: &&DVec3| other.distance_squared(*place) <= reach * reach;
        places.iter().filter(near).count()
    };
    let crowds: Vec<usize> = places.par_iter().map(crowd).collect();
    let mut best = 0;
    for (k, crowd) in crowds.iter().enumerate() {
        if *crowd > crowds[best] {
            best = k;
        }
    }
    places.get(best).copied().unwrap_or_default()
}

/// The sides a place may be seen from, the usual one first.
fn directions() -> impl Iterator<Item = DVec3> {
    let steps = [-1.0, 0.0, 1.0];
    let grid = steps.into_iter().flat_map(move |y| {
        let row = steps.into_iter();
        row.flat_map(move |x| steps.map(|z| DVec3::new(x, y, z)))
    });
    let tilted = grid.filter(|d| *d != DVec3::ZERO).map(|d| {
        // Straight along an axis, faces of a grid are seen edge on.
        (d.normalize() + 0.25 * VIEW_FROM).normalize()
    });
    std::iter::once(VIEW_FROM.normalize()).chain(tilted)
}

/// Share of the triangles' area as it is seen from `eye`, past the faces around them.
fn share_seen(triangles: &[[DVec3; 3]], around: &[[DVec3; 3]], eye: DVec3) -> f64 {
    let (mut seen, mut all) = (0.0, 0.0);
    for triangle in triangles {
        let [a, b, c] = *triangle;
        let normal = (b - a).cross(c - a);
        all += normal.length();
        let from = middle(triangle);
        let hidden = around
            .iter()
            .any(|face| face != triangle && is_between(face, from, eye));
        if !hidden {
            seen += normal.dot((eye - from).normalize_or_zero()).abs();
        }
    }
    if all > 0.0 { seen / all } else { 0.0 }
}

/// Whether a face stands on the way from `from` to `eye`.
fn is_between(face: &[DVec3; 3], from: DVec3, eye: DVec3) -> bool {
    let (way, [a, b, c]) = (eye - from, *face);
    let (ab, ac) = (b - a, c - a);
    let across = way.cross(ac);
    let volume = ab.dot(across);
    if volume == 0.0 {
        return false;
    }
    let offset = from - a;
    let u = offset.dot(across) / volume;
    let turned = offset.cross(ab);
    let v = way.dot(turned) / volume;
    let t = ac.dot(turned) / volume;
    u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t > 1e-9 && t < 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_face_hides_what_is_behind_it_and_nothing_else() {
        let face = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let below = DVec3::new(0.2, 0.2, -1.0);
        assert!(is_between(&face, below, DVec3::new(0.3, 0.2, 2.0)));
        assert!(!is_between(&face, below, DVec3::new(3.0, 0.2, 2.0)));
        assert!(!is_between(&face, below, DVec3::new(0.2, 0.2, -0.1)));
        let lower = face.map(|x| x - DVec3::Z);
        let over = DVec3::new(0.2, 0.2, 3.0);
        assert!(share_seen(&[face], &[face, lower], over) > 0.9);
        assert_eq!(share_seen(&[lower], &[face, lower], over), 0.0);
    }

    #[test]
    fn the_worst_place_is_where_most_pairs_are() {
        let places = [0.0, 5.0, 5.1, 5.2, 9.0].map(|x| x * DVec3::X);
        assert_eq!(most_crowded(&places, 0.15), 5.1 * DVec3::X);
        assert_eq!(most_crowded(&[], 1.0), DVec3::ZERO);
    }
}
