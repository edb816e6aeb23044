//! Surfaces of revolution, turned as on a lathe, with lobes pressed in.
//!
//! A smooth curve through the points of a profile is turned about the axis. Rings of particles lie
//! at equal distances along it, each with as many particles as make near-equilateral triangles
//! there, and two rings are joined by always taking the shorter of the two edges that could come
//! next. Where a profile ends on the axis the surface is closed smoothly, by a single particle.

use super::{Curve, ShapeError};
use crate::TriMesh;
use glam::{DVec2, DVec3};
use std::f64::consts::TAU;

/// Its multiples, whole parts left out, fill the interval from 0 to 1 evenly.
const GOLDEN: f64 = 0.618_033_988_749_895;

/// A profile turned about the y axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Lathe {
    /// Points that the outline goes through, distance from the axis and height, m.
    pub profile: Vec<DVec2>,
    /// Wished distance of neighbouring particles, m.
    pub spacing_m: f64,
    /// Number of lobes around the axis; 0 for a round surface.
    pub lobes: u32,
    /// How much nearer to the axis than the profile the valleys between lobes are, as a share.
    pub lobe_depth: f64,
}

/// Particles at one height, counter-clockwise as seen from above.
struct Ring {
    first: u32,
    count: u32,
}

impl Lathe {
    /// Its triangles, fronts outside.
    pub fn mesh(&self) -> Result<TriMesh, ShapeError> {
        let mut profile = self.profile.clone();
        let outwards: f64 = profile
            .windows(2)
            .map(|two| (two[0].x + two[1].x) * (two[1].y - two[0].y))
            .sum();
        if outwards < 0.0 {
            profile.reverse();
        }
        let points: Vec<DVec3> = profile.iter().map(|p| p.extend(0.0)).collect();
        // The outline goes on beyond the axis as its own mirror image.
        let curve = Curve::with_ends(&points, |end, neighbour| {
            if end.x == 0.0 {
                neighbour * DVec3::new(-1.0, 1.0, 1.0)
            } else {
                2.0 * end - neighbour
            }
        })?;
        let rows = curve.length_m() / (0.75_f64.sqrt() * self.spacing_m);
        let rows = (rows.round() as usize).max(2);

        let mut mesh = TriMesh::default();
        let mut below: Option<Ring> = None;
        let mut turn = 0.0;
        for (row, (place, _)) in curve.divided(rows).into_iter().enumerate() {
            let end = match row {
                0 => profile.first(),
                _ if row == rows => profile.last(),
                _ => None,
            };
            let is_pole = end.is_some_and(|end| end.x == 0.0);
            if !is_pole && place.x <= 0.0 {
                return Err(ShapeError::BeyondAxis(place.truncate()));
            }
            let around = (TAU * place.x / self.spacing_m).round();
            let ring = Ring {
                first: mesh.positions.len() as u32,
                count: if is_pole { 1 } else { around.max(3.0) as u32 },
            };
            // Equal rings face each other's gaps; between others, gaps and points change places
            // around the axis, from elsewhere every time.
            turn += match &below {
                Some(below) if below.count == ring.count => 0.5,
                _ => (row as f64 * GOLDEN).fract(),
            };
            for k in 0..ring.count {
                let angle = TAU * (f64::from(k) + turn) / f64::from(ring.count);
                let radius = if is_pole {
                    0.0
                } else {
                    place.x * self.lobed(angle)
                };
                let (sine, cosine) = angle.sin_cos();
                mesh.positions
                    .push(DVec3::new(radius * cosine, place.y, -radius * sine));
            }
            if let Some(below) = below {
                join(&below, &ring, &mut mesh);
            }
            below = Some(ring);
        }
        Ok(mesh)
    }

    /// Distance from the axis as a share of the profile's.
    fn lobed(&self, angle: f64) -> f64 {
        let valley = 0.5 - 0.5 * (f64::from(self.lobes) * angle).cos();
        1.0 - self.lobe_depth * valley
    }

    /// About how many particles it will have, by the straight lines between the profile's points.
    pub fn estimated_particles(&self) -> f64 {
        let rings = |two: &[DVec2]| two[0].distance(two[1]) / (0.75_f64.sqrt() * self.spacing_m);
        let around = |two: &[DVec2]| 0.5 * TAU * (two[0].x + two[1].x) / self.spacing_m;
        let spans = self.profile.windows(2);
        spans.map(|two| rings(two) * around(two).max(3.0)).sum()
    }
}

/// Fills the space between two rings.
fn join(below: &Ring, above: &Ring, mesh: &mut TriMesh) {
    let positions = &mesh.positions;
    let at = |ring: &Ring, k: u32| ring.first + k % ring.count;
    let distance = |a: u32, b: u32| positions[a as usize].distance(positions[b as usize]);
    // Starts at the shortest edge from the first point below.
    let nearest = (0..above.count).min_by(|a, b| {
        let from = at(below, 0);
        distance(from, at(above, *a)).total_cmp(&distance(from, at(above, *b)))
    });
    let start = nearest.unwrap_or(0);
    // A single point on the axis has nowhere to go.
    let steps = |ring: &Ring| if ring.count == 1 { 0 } else { ring.count };
    let (mut low, mut high) = (0, 0);
    while low < steps(below) || high < steps(above) {
        let [from, to] = [at(below, low), at(above, start + high)];
        let [next_low, next_high] = [at(below, low + 1), at(above, start + high + 1)];
        let go_below = high == steps(above)
            || low < steps(below) && distance(next_low, to) < distance(from, next_high);
        if go_below {
            mesh.faces.push([from, next_low, to]);
            low += 1;
        } else {
            mesh.faces.push([from, next_high, to]);
            high += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Surface, from_shape, self_intersections};

    /// A ball of radius 0.1 m.
    fn ball() -> Lathe {
        let at = |k: i32| {
            let p = 0.1 * DVec2::from_angle((f64::from(k) / 12.0 - 0.5) * std::f64::consts::PI);
            DVec2::new(if k % 12 == 0 { 0.0 } else { p.x }, p.y)
        };
        Lathe {
            profile: (0..=12).map(at).collect(),
            spacing_m: 0.01,
            lobes: 0,
            lobe_depth: 0.0,
        }
    }

    fn smallest_angle_deg(mesh: &TriMesh) -> f64 {
        let corners = |face: &[u32; 3]| face.map(|v| mesh.positions[v as usize]);
        let angles = mesh.faces.iter().map(corners).flat_map(|p| {
            [0, 1, 2].map(|k| (p[(k + 1) % 3] - p[k]).angle_between(p[(k + 2) % 3] - p[k]))
        });
        angles.fold(f64::INFINITY, f64::min).to_degrees()
    }

    /// Six times the volume inside; positive where fronts are outside.
    fn volume_m3(mesh: &TriMesh) -> f64 {
        let part = |face: &[u32; 3]| {
            let [a, b, c] = face.map(|v| mesh.positions[v as usize]);
            a.dot(b.cross(c)) / 6.0
        };
        mesh.faces.iter().map(part).sum()
    }

    fn assert_closed(mesh: &TriMesh) {
        // Euler's formula of what is like a ball, and every edge with two faces.
        let edges = 3 * mesh.faces.len() / 2;
        let surface = Surface {
            rest: from_shape(mesh, DVec3::Y).unwrap(),
            mesh: mesh.clone(),
        };
        surface.validate().unwrap();
        assert_eq!(surface.hinges().unwrap().len(), edges);
        assert_eq!(mesh.positions.len() + mesh.faces.len() - edges, 2);
        assert!(self_intersections(mesh, 1).unwrap().is_clean());
    }

    #[test]
    fn a_half_circle_makes_a_ball() {
        let lathe = ball();
        let mesh = lathe.mesh().unwrap();
        assert_closed(&mesh);
        for p in &mesh.positions {
            assert!((p.length() - 0.1).abs() < 2e-4, "{p}");
        }
        let volume = TAU / 1.5 * 1e-3;
        assert!((volume_m3(&mesh) / volume - 1.0).abs() < 0.02);
        assert!(
            smallest_angle_deg(&mesh) > 32.0,
            "{}",
            smallest_angle_deg(&mesh)
        );
        let estimate = lathe.estimated_particles() / mesh.positions.len() as f64;
        assert!((estimate - 1.0).abs() < 0.1, "{estimate}");
        // From the top down it is the same ball, fronts outside.
        let mut reversed = ball();
        reversed.profile.reverse();
        assert_eq!(reversed.mesh().unwrap(), mesh);
    }

    #[test]
    fn lobes_have_their_number_and_depth() {
        let lathe = Lathe {
            lobes: 5,
            lobe_depth: 0.3,
            ..ball()
        };
        let mesh = lathe.mesh().unwrap();
        assert_closed(&mesh);
        let girdle = mesh.positions.iter().filter(|p| p.y.abs() < 5e-3);
        let girdle: Vec<f64> = girdle.map(|p| p.length()).collect();
        let range = girdle
            .iter()
            .fold((f64::MAX, 0.0_f64), |(a, b), r| (a.min(*r), b.max(*r)));
        assert!(
            (range.0 - 0.07).abs() < 1e-3 && (range.1 - 0.1).abs() < 1e-3,
            "{range:?}"
        );
        assert!(
            smallest_angle_deg(&mesh) > 20.0,
            "{}",
            smallest_angle_deg(&mesh)
        );
    }

    #[test]
    fn profiles_off_the_axis_leave_it_open() {
        let cup = Lathe {
            profile: vec![DVec2::ZERO, DVec2::new(0.05, 0.0), DVec2::new(0.06, 0.1)],
            ..ball()
        };
        let mesh = cup.mesh().unwrap();
        let inner = Surface {
            rest: from_shape(&mesh, DVec3::Y).unwrap(),
            mesh,
        };
        let hinges = inner.hinges().unwrap().len();
        let border = 3 * inner.mesh.faces.len() - 2 * hinges;
        assert_eq!(border as f64, (TAU * 0.06 / 0.01).round());
        let beyond = Lathe {
            profile: vec![DVec2::new(0.05, 0.0), DVec2::new(-0.05, 0.1)],
            ..ball()
        };
        assert!(matches!(beyond.mesh(), Err(ShapeError::BeyondAxis(_))));
    }
}
