//! Colliders as bodies that can be seen, where they are at a time.

use glam::DVec3;
use std::borrow::Cow;
use toile_geometry::{Bounds, TriMesh};
use toile_sim::colliders::Shape;
use toile_sim::{BodySpec, ColliderSpec, Frames, Motion};
use toile_view::shapes;

/// Half the side of the board that shows a plane, as a share of the extent of the cloths.
const REACH: f64 = 0.6;

/// Half the thickness of the board that shows a plane, as a share of its reach.
const BOARD: f64 = 0.01;

/// Edges of the mesh of a union, as a share of its blend.
const BLEND_EDGE: f64 = 0.25;

/// What moves a solid.
enum Moved {
    Not,
    Collider(ColliderSpec),
    Body(BodySpec),
    Frames(Frames),
}

/// A solid that is drawn.
pub struct Solid {
    /// Where it is at the start.
    mesh: TriMesh,
    /// What it is moved with.
    moved: Moved,
}

impl Solid {
    /// A box that is only drawn.
    pub fn prop(bounds: &Bounds) -> Self {
        Self {
            mesh: shapes::cuboid(bounds.min, bounds.max),
            moved: Moved::Not,
        }
    }

    /// A collider; of a plane, the part near the `cloths`.
    pub fn of(collider: &ColliderSpec, cloths: &Bounds) -> Self {
        Self {
            mesh: mesh(&collider.shape, cloths),
            moved: match (&collider.shape, &collider.motion) {
                (Shape::LevelSet(solid), _) if let Some(frames) = solid.frames() => {
                    Moved::Frames(frames.clone())
                }
                (_, Motion::Still) => Moved::Not,
                _ => Moved::Collider(collider.clone()),
            },
        }
    }

    /// A body.
    pub fn of_body(body: &BodySpec) -> Self {
        Self {
            mesh: TriMesh {
                positions: body.positions(0.0),
                faces: body.mesh.faces.clone(),
            },
            moved: match body.is_still() {
                true => Moved::Not,
                false => Moved::Body(body.clone()),
            },
        }
    }

    /// Its mesh at a time.
    pub fn at(&self, time_s: f64) -> Cow<'_, TriMesh> {
        let positions = match &self.moved {
            Moved::Not => return Cow::Borrowed(&self.mesh),
            Moved::Collider(collider) => {
                let pose = collider.pose(time_s);
                let place = |p: &DVec3| pose.place(*p);
                self.mesh.positions.iter().map(place).collect()
            }
            Moved::Body(body) => body.positions(time_s),
            Moved::Frames(frames) => {
                let mut positions = Vec::with_capacity(self.mesh.positions.len());
                frames.place(time_s, &mut positions);
                positions
            }
        };
        Cow::Owned(TriMesh {
            positions,
            faces: self.mesh.faces.clone(),
        })
    }
}

/// Height of a plane that is a floor: level, still, and its free side up.
pub fn floor_m(collider: &ColliderSpec) -> Option<f64> {
    match collider.shape {
        Shape::Plane { normal, offset_m }
            if normal.y > 0.999 && collider.motion == Motion::Still =>
        {
            Some(offset_m)
        }
        _ => None,
    }
}

fn mesh(shape: &Shape, cloths: &Bounds) -> TriMesh {
    match *shape {
        Shape::Plane { normal, offset_m } => board(normal, offset_m, cloths),
        Shape::Sphere { center, radius_m } => shapes::sphere(center, radius_m),
        Shape::Capsule { from, to, radius_m } => shapes::capsule(from, to, radius_m),
        Shape::Cuboid {
            center,
            size_m,
            radius_m,
        } if radius_m > 0.0 => shapes::rounded_box(center, size_m, radius_m),
        Shape::Cuboid { center, size_m, .. } => {
            shapes::cuboid(center - 0.5 * size_m, center + 0.5 * size_m)
        }
        Shape::Cylinder {
            from,
            to,
            radius_m,
            edge_radius_m,
        } => shapes::rounded_rod(from, to, radius_m, edge_radius_m),
        Shape::Torus {
            center,
            axis,
            ring_m,
            tube_m,
        } => shapes::torus(center, axis, ring_m, tube_m),
        Shape::Union { blend_m, ref of } => {
            let mut all = TriMesh::default();
            for member in of {
                let first = all.positions.len() as u32;
                let mesh = blended(mesh(member, cloths), shape, blend_m);
                all.positions.extend(mesh.positions);
                all.faces
                    .extend(mesh.faces.iter().map(|face| face.map(|v| v + first)));
            }
            all
        }
        Shape::LevelSet(ref solid) => (**solid.mesh()).clone(),
    }
}

/// A square board under the cloths, in a plane.
fn board(normal: DVec3, offset_m: f64, cloths: &Bounds) -> TriMesh {
    let middle = cloths.center();
    let under = middle - (normal.dot(middle) - offset_m) * normal;
    let reach = REACH * cloths.size().length();
    let level = normal
        .cross(DVec3::Y)
        .try_normalize()
        .unwrap_or_else(|| normal.any_orthonormal_vector());
    let down = BOARD * reach * normal;
    let half = [reach * level, reach * normal.cross(level), down];
    shapes::block(under - down, half)
}

/// The mesh of one member of a union, as far as it is near the surface of the whole, on that
/// surface; what is deep inside stays there, unseen.
fn blended(mesh: TriMesh, whole: &Shape, blend_m: f64) -> TriMesh {
    if blend_m <= 0.0 {
        return mesh;
    }
    let mut mesh = shapes::divided(mesh, BLEND_EDGE * blend_m);
    for p in &mut mesh.positions {
        // The distance is a lower bound: some moves are needed.
        for _ in 0..8 {
            let surface = whole.surface(*p);
            if surface.distance_m < -0.5 * blend_m {
                break;
            }
            *p -= surface.distance_m * surface.normal;
        }
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_sim::{Keyframe, Keyframes};

    fn around_the_origin() -> Bounds {
        Bounds::of(&[-DVec3::ONE, DVec3::ONE])
    }

    #[test]
    fn meshes_lie_on_their_surfaces() {
        let ball = |x: f64| Shape::Sphere {
            center: DVec3::new(x, 0.0, 0.0),
            radius_m: 0.2,
        };
        for shape in [
            ball(0.3),
            Shape::Capsule {
                from: DVec3::ZERO,
                to: DVec3::ONE,
                radius_m: 0.2,
            },
            Shape::Cuboid {
                center: DVec3::ONE,
                size_m: DVec3::new(0.3, 0.2, 0.4),
                radius_m: 0.02,
            },
            Shape::Cylinder {
                from: DVec3::ZERO,
                to: DVec3::ONE,
                radius_m: 0.2,
                edge_radius_m: 0.03,
            },
            Shape::Torus {
                center: DVec3::ONE,
                axis: DVec3::Y,
                ring_m: 0.3,
                tube_m: 0.1,
            },
        ] {
            let mesh = mesh(&shape, &around_the_origin());
            // The ends of a turned solid are flat, and their middles are on them too.
            assert!(mesh.faces.len() > 1000);
            for p in &mesh.positions {
                let off = shape.surface(*p).distance_m;
                assert!(off.abs() < 1e-9, "{shape:?}: {off}");
            }
        }
        let union = Shape::Union {
            blend_m: 0.2,
            of: vec![ball(-0.19), ball(0.19)],
        };
        let mesh = mesh(&union, &around_the_origin());
        let on = mesh.positions.iter();
        let on = on.filter(|p| union.surface(**p).distance_m.abs() < 1e-4);
        // Some of the neck is where no ball is.
        assert!(on.clone().any(|p| p.x.abs() < 0.02));
        assert!(on.count() > mesh.positions.len() / 2);
        let outside = |p: &DVec3| union.surface(*p).distance_m > 1e-4;
        assert!(!mesh.positions.iter().any(outside));
    }

    #[test]
    fn solids_are_seen_where_they_are() {
        let still = ColliderSpec::new(
            Shape::Sphere {
                center: DVec3::X,
                radius_m: 0.2,
            },
            0.0,
        );
        let key = Keyframe {
            time_s: 2.0,
            rotation_rad: DVec3::new(0.0, 3.0, 0.0),
            offset_m: DVec3::new(0.0, 0.5, 0.0),
            ..Keyframe::START
        };
        let moved = ColliderSpec {
            motion: Motion::Keyframes(Keyframes {
                keys: vec![key],
                pivot: Some(DVec3::ZERO),
                interpolation: Default::default(),
            }),
            ..still.clone()
        };
        let solid = Solid::of(&moved, &around_the_origin());
        for time_s in [0.0, 0.7, 2.0, 3.0] {
            for p in &solid.at(time_s).positions {
                assert!(moved.surface(*p, time_s).distance_m.abs() < 1e-9);
            }
        }
        let solid = Solid::of(&still, &around_the_origin());
        assert_eq!(solid.at(0.0), solid.at(1.0));
    }

    #[test]
    fn only_a_still_level_plane_is_a_floor() {
        let plane = |normal: DVec3| {
            let shape = Shape::Plane {
                normal,
                offset_m: 0.3,
            };
            ColliderSpec::new(shape, 0.0)
        };
        assert_eq!(floor_m(&plane(DVec3::Y)), Some(0.3));
        assert_eq!(floor_m(&plane(DVec3::new(0.6, 0.8, 0.0))), None);
        let lift = ColliderSpec {
            motion: Motion::Velocity(DVec3::Y),
            ..plane(DVec3::Y)
        };
        assert_eq!(floor_m(&lift), None);
        // Others are boards whose upper side is the plane.
        let slope = plane(DVec3::new(0.6, 0.8, 0.0));
        let board = Solid::of(&slope, &around_the_origin());
        let positions = board.at(0.0).positions.clone();
        let heights = positions.iter().map(|p| slope.surface(*p, 0.0).distance_m);
        let highest = heights.fold(f64::NEG_INFINITY, f64::max);
        assert!(highest.abs() < 1e-12, "{highest}");
    }
}
