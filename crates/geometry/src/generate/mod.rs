//! Meshes made by rule: flat rectangles and discs of triangles, and tubes, ribbons and turned
//! surfaces in space.
//!
//! A [`Flat`] is a triangulation of the pattern plane around its origin. Laid out as a
//! [`Surface`] it is level, at height 0, with u along x and v against z, so that its front looks
//! up as that of a grid does.

mod curve;
mod delaunay;
mod disc;
mod lathe;
mod rectangle;
mod ribbon;
mod tube;

pub use lathe::Lathe;
pub use rectangle::Tiling;
pub use ribbon::Ribbon;
pub use tube::Tube;

use crate::{Surface, TriMesh};
use curve::Curve;
use delaunay::make_delaunay;
use glam::{DVec2, DVec3};
use thiserror::Error;

/// Why there is no such shape.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ShapeError {
    /// Not enough points for a curve.
    #[error("expected at least 2 points, found {0}")]
    TooShort(usize),
    /// A point equal to the one before it, counted from 0.
    #[error("expected another place than the point before")]
    Repeated(usize),
    /// A ribbon's path runs along the direction of its width.
    #[error("at {0} the path runs along the direction of the width")]
    AlongWidth(DVec3),
    /// A profile that reaches the axis elsewhere than at its ends.
    #[error(
        "at distance {} and height {} the outline is not on the outside of the axis; it may only \
         reach it at its ends", .0.x, .0.y
    )]
    BeyondAxis(DVec2),
}

/// Triangles in the pattern plane, all counter-clockwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Flat {
    /// Pattern coordinates, m.
    pub points: Vec<DVec2>,
    /// Corners of every triangle.
    pub faces: Vec<[u32; 3]>,
}

impl Flat {
    /// A rectangle around the origin with edges of about `spacing_m`: at least one cell each way,
    /// and stretched by as much as it takes to fill the size with whole cells.
    pub fn rectangle(size_m: DVec2, spacing_m: f64, tiling: Tiling) -> Self {
        rectangle::rectangle(size_m, spacing_m, tiling)
    }

    /// A disc around the origin of `rings` rings of near-equilateral triangles, about 2.7 n² points
    /// for n rings. There are points on every circle of k/n times `radius_m`. At least one ring.
    pub fn disc(radius_m: f64, rings: usize) -> Self {
        disc::disc(radius_m, rings)
    }

    /// The same with every point that is not on the border moved at random, by up to `share` of
    /// the shortest edge each way, and with the triangles that are best for the new places
    /// (Delaunay's). `share` should stay below 0.35, above which triangles may turn over before
    /// their edges can be chosen anew. The same seed gives the same mesh.
    pub fn jittered(self, share: f64, seed: u64) -> Self {
        self.jittered_where(share, seed, |_| true)
    }

    /// As [`Flat::jittered`], but only points whose place satisfies `free` are moved.
    pub fn jittered_where(mut self, share: f64, seed: u64, free: impl Fn(DVec2) -> bool) -> Self {
        let reach = share * self.shortest_edge_m();
        let on_border = self.border();
        let mut random = Random(seed);
        for (point, fixed) in self.points.iter_mut().zip(on_border) {
            let offset = DVec2::new(random.signed(), random.signed());
            if !fixed && free(*point) {
                *point += reach * offset;
            }
        }
        make_delaunay(&self.points, &mut self.faces);
        self
    }

    /// The same turned about the origin, counter-clockwise: the triangles lie differently to warp
    /// and weft, and so does the outline.
    pub fn turned(mut self, angle_rad: f64) -> Self {
        let turn = DVec2::from_angle(angle_rad);
        for point in &mut self.points {
            *point = turn.rotate(*point);
        }
        self
    }

    /// Laid out level with warp along x.
    pub fn surface(&self) -> Surface {
        self.surface_off_grain(0.0)
    }

    /// Laid out level, cut from the cloth so that warp runs at `angle_rad` to x, counter-clockwise
    /// as seen from above. The triangles and the outline lie as without an angle.
    pub fn surface_off_grain(&self, angle_rad: f64) -> Surface {
        let into_pattern = DVec2::from_angle(-angle_rad);
        let rest = |corner: u32| into_pattern.rotate(self.points[corner as usize]);
        let place = |p: &DVec2| DVec3::new(p.x, 0.0, -p.y);
        Surface {
            rest: self.faces.iter().map(|face| face.map(rest)).collect(),
            mesh: TriMesh {
                positions: self.points.iter().map(place).collect(),
                faces: self.faces.clone(),
            },
        }
    }

    /// The smallest angle of all triangles, rad.
    pub fn smallest_angle_rad(&self) -> f64 {
        let angle = |face: &[u32; 3], corner: usize| {
            let [a, b, c] = [0, 1, 2].map(|k| self.points[face[(corner + k) % 3] as usize]);
            (b - a).angle_to(c - a)
        };
        let angles = self
            .faces
            .iter()
            .flat_map(|face| [0, 1, 2].map(|k| angle(face, k)));
        angles.fold(f64::INFINITY, f64::min)
    }

    /// Sum of all triangles, m².
    pub fn area_m2(&self) -> f64 {
        let area = |face: &[u32; 3]| {
            let [a, b, c] = face.map(|p| self.points[p as usize]);
            0.5 * (b - a).perp_dot(c - a)
        };
        self.faces.iter().map(area).sum()
    }

    /// Whether each point is on the border.
    pub fn border(&self) -> Vec<bool> {
        let mut edges: Vec<([u32; 2], [u32; 2])> = self.edges().collect();
        edges.sort_unstable();
        let mut border = vec![false; self.points.len()];
        for group in edges.chunk_by(|a, b| a.0 == b.0) {
            if let [(_, ends)] = group {
                for end in ends {
                    border[*end as usize] = true;
                }
            }
        }
        border
    }

    fn shortest_edge_m(&self) -> f64 {
        let length = |[a, b]: [u32; 2]| self.points[a as usize].distance(self.points[b as usize]);
        self.edges()
            .map(|(_, ends)| length(ends))
            .fold(f64::INFINITY, f64::min)
    }

    /// Every side of every face: first with its ends in order, then as it runs.
    fn edges(&self) -> impl Iterator<Item = ([u32; 2], [u32; 2])> {
        self.faces
            .iter()
            .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
            .map(|[a, b]| ([a.min(b), a.max(b)], [a, b]))
    }
}

/// The splitmix64 sequence: small, and the same everywhere.
struct Random(u64);

impl Random {
    /// A number from −1 to 1.
    fn signed(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        (bits >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laid_out_it_is_level_and_looks_up() {
        let flat = Flat::disc(0.1, 3);
        let surface = flat.surface();
        surface.validate().unwrap();
        for (face, rest) in surface.mesh.faces.iter().zip(&surface.rest) {
            let [a, b, c] = face.map(|p| surface.mesh.positions[p as usize]);
            assert!((b - a).cross(c - a).y > 0.0);
            assert!((a.x - rest[0].x).abs() + (a.z + rest[0].y).abs() < 1e-15);
        }
    }

    #[test]
    fn off_grain_only_the_pattern_turns() {
        let flat = Flat::rectangle(DVec2::new(0.3, 0.2), 0.05, Tiling::Parallel);
        let quarter = flat.surface_off_grain(std::f64::consts::FRAC_PI_2);
        assert_eq!(quarter.mesh, flat.surface().mesh);
        // Warp runs along −z now, so what lies along x is weft reversed.
        let [along_x, start] = [quarter.rest[0][1], quarter.rest[0][0]];
        assert!((along_x - start - DVec2::new(0.0, -0.05)).length() < 1e-15);
        quarter.validate().unwrap();
    }

    #[test]
    fn jitter_keeps_border_area_and_quality() {
        let regular = Flat::rectangle(DVec2::new(1.0, 0.7), 0.05, Tiling::Alternating);
        let flat = regular.clone().jittered(0.25, 7);
        assert_eq!(flat, regular.clone().jittered(0.25, 7));
        assert_ne!(flat.points, regular.clone().jittered(0.25, 8).points);
        flat.surface().validate().unwrap();
        assert!((flat.area_m2() - 0.7).abs() < 1e-12);
        for (k, on_border) in regular.border().into_iter().enumerate() {
            assert_eq!(on_border, flat.points[k] == regular.points[k]);
        }
        // The same places with the old triangles are worse.
        let unflipped = Flat {
            faces: regular.faces,
            ..flat.clone()
        };
        assert!(flat.smallest_angle_rad() > unflipped.smallest_angle_rad());
        assert!(flat.smallest_angle_rad().to_degrees() > 20.0);
    }

    #[test]
    fn turning_keeps_the_shape() {
        let flat = Flat::rectangle(DVec2::new(0.3, 0.2), 0.05, Tiling::Equilateral);
        let turned = flat.clone().turned(0.5);
        assert!((turned.area_m2() - 0.06).abs() < 1e-15);
        assert!((turned.smallest_angle_rad() - flat.smallest_angle_rad()).abs() < 1e-12);
        let corner = DVec2::from_angle(0.5).rotate(flat.points[0]);
        assert!(turned.points[0].distance(corner) < 1e-16);
    }
}
