//! The triangles of a stage, ready to be projected and shaded.

use crate::clip::Polygon;
use crate::raster::{Grid, Triangle};
use crate::stage::{Stage, Surface};
use crate::view::View;
use glam::{DVec3, Vec2, Vec3};
use toile_geometry::mesh::vertex_normals;

/// Farther than this from the eye nothing is drawn; it also keeps squares finite.
const FAR_M: f32 = 1e7;

#[derive(Clone, Copy, Debug)]
pub struct Vertex {
    /// Relative to the eye.
    pub position: Vec3,
    /// Unit length, or zero where the surface has no direction.
    pub normal: Vec3,
    pub color: Vec3,
    pub uv: Vec2,
    /// Mean curvature: positive where the front bulges out.
    pub bulge_per_m: f32,
}

/// One drawable face.
#[derive(Clone, Copy, Debug)]
pub struct Facet {
    pub corners: [u32; 3],
    pub material: u32,
    /// Position of the first corner; the barycentric weights of the other two are linear in
    /// the offset from here.
    origin: Vec3,
    second: Vec3,
    third: Vec3,
    pub normal: Vec3,
}

#[derive(Clone, Copy, Debug)]
pub struct Material {
    pub front: Vec3,
    pub back: Vec3,
    pub smooth: bool,
    pub vertex_colors: bool,
    /// Threads for each metre; 0 for no weave.
    pub threads_per_m: f32,
    pub wireframe: bool,
}

/// What a ray found on a surface.
#[derive(Clone, Copy, Debug)]
pub struct Hit {
    pub position: Vec3,
    /// Unit normal on the side of the viewer.
    pub normal: Vec3,
    pub front: bool,
    /// Barycentric weights of the corners.
    pub weights: [f32; 3],
}

/// All drawable faces of a stage; buffers are kept from frame to frame.
#[derive(Default)]
pub struct Facets {
    pub vertices: Vec<Vertex>,
    pub faces: Vec<Facet>,
    pub materials: Vec<Material>,
}

impl Facets {
    /// Takes over the drawable faces of `stage`.
    pub fn gather(&mut self, stage: &Stage, view: &View) {
        self.vertices.clear();
        self.faces.clear();
        self.materials.clear();
        for surface in &stage.surfaces {
            self.add(surface, view);
        }
    }

    fn add(&mut self, surface: &Surface, view: &View) {
        let count = surface.positions.len();
        let drawable = |v: &u32| {
            let position = surface.positions.get(*v as usize);
            position.is_some_and(|p| view.place(*p).abs().max_element() < FAR_M)
        };
        let faces: Vec<[u32; 3]> = surface
            .faces
            .iter()
            .filter(|f| f.iter().all(drawable))
            .copied()
            .collect();
        let normals = vertex_normals(surface.positions, &faces);
        let colors = surface.colors.filter(|c| c.len() == count);
        let weave = surface
            .weave
            .filter(|w| w.uv.len() == count && w.pitch_m > 0.0);
        let bulges = bulges_per_m(surface.positions, &faces, &normals);
        let first = self.vertices.len() as u32;
        let vertices = surface.positions.iter().enumerate().map(|(i, p)| Vertex {
            position: view.place(*p),
            normal: normals[i].as_vec3(),
            color: colors.map_or(Vec3::ZERO, |c| c[i].vec()),
            uv: weave.map_or(Vec2::ZERO, |w| w.uv[i].as_vec2()),
            bulge_per_m: bulges[i],
        });
        self.vertices.extend(vertices);
        let material = self.materials.len() as u32;
        self.materials.push(Material {
            front: surface.front.vec(),
            back: surface.back.vec(),
            smooth: surface.smooth,
            vertex_colors: colors.is_some(),
            threads_per_m: weave.map_or(0.0, |w| (1.0 / w.pitch_m) as f32),
            wireframe: surface.wireframe,
        });
        for face in faces {
            let corners = face.map(|v| v + first);
            self.faces
                .extend(Facet::new(corners, material, &self.vertices));
        }
        if let Some(rim) = surface.rim.filter(|rim| rim.thickness_m > 0.0) {
            let edges = rim.edges.iter().filter(|e| e.iter().all(drawable));
            let edges = edges.map(|e| e.map(|v| v + first));
            self.add_rim(edges, 0.5 * rim.thickness_m as f32, material);
        }
    }

    /// Adds a band of twice the width `half_m` across the surface, of its own material, along
    /// edges; what the eye sees of its outside.
    fn add_rim(&mut self, edges: impl Iterator<Item = [u32; 2]>, half_m: f32, material: u32) {
        let of = self.materials[material as usize];
        // Threads end at the border, where both sides are seen at once.
        let mixed = 0.5 * (of.front + of.back);
        let own = self.materials.len() as u32;
        self.materials.push(Material {
            front: mixed,
            back: mixed,
            smooth: false,
            threads_per_m: 0.0,
            wireframe: false,
            ..of
        });
        for ends in edges {
            let first = self.vertices.len() as u32;
            for v in ends {
                let middle = self.vertices[v as usize];
                for side in [half_m, -half_m] {
                    self.vertices.push(Vertex {
                        position: middle.position + side * middle.normal,
                        bulge_per_m: 0.0,
                        ..middle
                    });
                }
            }
            for corners in [[0, 1, 3], [0, 3, 2]] {
                let corners = corners.map(|v| v + first);
                let facet = Facet::new(corners, own, &self.vertices);
                // From inside, the cloth would seem to have a brim.
                let outside = facet.filter(|f| f.normal.dot(f.origin) < 0.0);
                self.faces.extend(outside);
            }
        }
    }

    /// Projects every face and hands the pieces to the rasteriser, in order.
    pub fn project(&self, view: &View, grid: &Grid, triangles: &mut Vec<Triangle>) {
        triangles.clear();
        for (id, facet) in self.faces.iter().enumerate() {
            let turned = facet
                .corners
                .map(|v| view.turn(self.vertices[v as usize].position));
            for piece in Polygon::visible(turned, view).fan() {
                let corners = piece.map(|p| view.project(p));
                triangles.extend(Triangle::new(corners, id as u32, grid));
            }
        }
    }

    /// The place on `facet` that is seen at `position`, relative to the eye.
    pub fn hit(&self, facet: &Facet, position: Vec3) -> Hit {
        let offset = position - facet.origin;
        let (b, c) = (facet.second.dot(offset), facet.third.dot(offset));
        let weights = [1.0 - b - c, b, c];
        let front = facet.normal.dot(position) < 0.0;
        let mut normal = facet.normal;
        if self.materials[facet.material as usize].smooth {
            let sum = self.blend(facet, &weights, |v| v.normal);
            normal = sum.try_normalize().unwrap_or(normal);
        }
        Hit {
            position,
            normal: if front { normal } else { -normal },
            front,
            weights,
        }
    }

    /// Barycentric mean of a vertex property.
    pub fn blend(&self, facet: &Facet, weights: &[f32; 3], of: impl Fn(&Vertex) -> Vec3) -> Vec3 {
        let [a, b, c] = facet.corners.map(|v| of(&self.vertices[v as usize]));
        a * weights[0] + b * weights[1] + c * weights[2]
    }
}

/// Mean curvature at every vertex, from how far its neighbours fall below its tangent plane: a
/// chord of length c in a circle of radius R falls by c²/2R. Flat where there are no neighbours.
fn bulges_per_m(positions: &[DVec3], faces: &[[u32; 3]], normals: &[DVec3]) -> Vec<f32> {
    let mut sums = vec![[0f32; 2]; positions.len()];
    for &[a, b, c] in faces {
        for (v, other) in [(a, b), (b, c), (c, a), (b, a), (c, b), (a, c)] {
            let chord = positions[other as usize] - positions[v as usize];
            let square = chord.length_squared();
            if square > 0.0 {
                let fall = -2.0 * chord.dot(normals[v as usize]) / square;
                let sum = &mut sums[v as usize];
                *sum = [sum[0] + fall as f32, sum[1] + 1.0];
            }
        }
    }
    let mean = |[sum, count]: [f32; 2]| if count > 0.0 { sum / count } else { 0.0 };
    sums.into_iter().map(mean).collect()
}

impl Facet {
    /// Distance in metres from each edge of a place with these weights.
    pub fn edge_distances_m(&self, weights: &[f32; 3]) -> [f32; 3] {
        let rises = [self.second + self.third, self.second, self.third];
        [0, 1, 2].map(|i| weights[i].max(0.0) / rises[i].length())
    }

    /// `None` for a face without area.
    fn new(corners: [u32; 3], material: u32, vertices: &[Vertex]) -> Option<Self> {
        let [a, b, c] = corners.map(|v| vertices[v as usize].position);
        let (ab, ac) = ((b - a).as_dvec3(), (c - a).as_dvec3());
        let cross = ab.cross(ac);
        let square = cross.length_squared();
        (square > 1e-30).then(|| Self {
            corners,
            material,
            origin: a,
            second: (ac.cross(cross) / square).as_vec3(),
            third: (cross.cross(ab) / square).as_vec3(),
            normal: (cross / square.sqrt()).as_vec3(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layer::{Floor, Layer, NOTHING};
    use crate::{Camera, shapes};

    #[test]
    fn sphere_has_the_silhouette_and_the_depth_of_a_sphere() {
        let ball = shapes::sphere(DVec3::new(7.0, 0.0, 0.0), 1.0);
        let camera = Camera::looking(DVec3::new(7.0, 0.0, 4.0), DVec3::X * 7.0, 0.6);
        let grid = Grid {
            width: 1280,
            height: 720,
            per_axis: 2,
        };
        let view = View::new(&camera, grid.width, grid.height);
        let mut facets = Facets::default();
        let stage = Stage {
            surfaces: vec![Surface::solid(&ball.positions, &ball.faces)],
            ..Stage::default()
        };
        facets.gather(&stage, &view);
        let mut triangles = Vec::new();
        facets.project(&view, &grid, &mut triangles);
        let mut layer = Layer::new(grid);
        layer.draw(&triangles, &Floor::default());
        let covered = layer.ids.iter().filter(|id| **id != NOTHING).count() as f64 / 4.0;
        // Tangent rays leave the eye at an angle whose sine is radius over distance.
        let radius_px = 360.0 / 0.3f64.tan() * 0.25f64.asin().tan();
        let exact = std::f64::consts::PI * radius_px * radius_px;
        assert!((covered / exact - 1.0).abs() < 2e-3, "{covered} vs {exact}");
        let middle = layer.nearness[720 * grid.stride() + 1280];
        assert!((1.0 / middle - 3.0).abs() < 2e-3);
        // Normals point from the centre to the viewer's side.
        let at = 600 * grid.stride() + 1500;
        let (x, y) = grid.position(1500, 600);
        let position = view.ray(x, y) / layer.nearness[at];
        let hit = facets.hit(&facets.faces[layer.ids[at] as usize], position);
        let outward = (position - Vec3::new(0.0, 0.0, -4.0)).normalize();
        assert!(hit.front && hit.normal.dot(outward) > 0.9999);
    }
}
