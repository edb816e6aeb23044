//! Plane sections of a mesh, and the tape laid around them.

use glam::{DVec2, DVec3};
use std::collections::HashMap;
use toile_geometry::TriMesh;

/// A plane.
#[derive(Clone, Copy, Debug)]
pub struct Plane {
    /// A point of it.
    pub point: DVec3,
    /// Its unit normal.
    pub normal: DVec3,
}

/// One outline of a section.
#[derive(Clone, Debug)]
pub struct Outline {
    /// Its corners in order.
    pub points: Vec<DVec3>,
    flat: Vec<DVec2>,
}

impl Plane {
    /// A level plane.
    pub fn level(y_m: f64) -> Self {
        Self {
            point: DVec3::new(0.0, y_m, 0.0),
            normal: DVec3::Y,
        }
    }

    fn axes(self) -> [DVec3; 2] {
        let first = self.normal.any_orthonormal_vector();
        [first, self.normal.cross(first)]
    }
}

impl Outline {
    /// Length of a taut tape around it: the perimeter of its convex hull, m. A tape does not
    /// follow hollows.
    pub fn girth_m(&self) -> f64 {
        let hull = hull(&self.flat);
        let next = hull.iter().cycle().skip(1);
        hull.iter().zip(next).map(|(a, b)| a.distance(*b)).sum()
    }

    /// Area inside of it, m².
    pub fn area_m2(&self) -> f64 {
        let next = self.flat.iter().cycle().skip(1);
        let doubled: f64 = self
            .flat
            .iter()
            .zip(next)
            .map(|(a, b)| a.perp_dot(*b))
            .sum();
        0.5 * doubled.abs()
    }

    /// Mean of its corners.
    pub fn middle(&self) -> DVec3 {
        self.points.iter().sum::<DVec3>() / self.points.len().max(1) as f64
    }
}

/// The outlines in which a plane meets a mesh. Of a closed mesh they are closed; what is open is
/// closed by a straight line.
pub fn section(mesh: &TriMesh, plane: Plane) -> Vec<Outline> {
    let height = |v: u32| (mesh.positions[v as usize] - plane.point).dot(plane.normal);
    // Each crossed face leads from one crossed edge to another; edges are named by their ends.
    let mut next: HashMap<[u32; 2], [u32; 2]> = HashMap::new();
    let mut order = Vec::new();
    for &[a, b, c] in &mesh.faces {
        let above = [a, b, c].map(|v| height(v) >= 0.0);
        let (mut down, mut up) = (None, None);
        for (k, edge) in [[a, b], [b, c], [c, a]].into_iter().enumerate() {
            let name = [edge[0].min(edge[1]), edge[0].max(edge[1])];
            match (above[k], above[(k + 1) % 3]) {
                (true, false) => down = Some(name),
                (false, true) => up = Some(name),
                _ => {}
            }
        }
        if let (Some(from), Some(to)) = (down, up) {
            next.insert(from, to);
            order.push(from);
        }
    }
    let crossing = |[a, b]: [u32; 2]| {
        let (ha, hb) = (height(a), height(b));
        let (pa, pb) = (mesh.positions[a as usize], mesh.positions[b as usize]);
        pa + (pb - pa) * (ha / (ha - hb))
    };
    let [first, second] = plane.axes();
    let mut outlines = Vec::new();
    for start in order {
        let mut points = Vec::new();
        let mut at = start;
        while let Some(to) = next.remove(&at) {
            points.push(crossing(at));
            at = to;
        }
        if points.len() >= 3 {
            let flat = points
                .iter()
                .map(|p| DVec2::new(p.dot(first), p.dot(second)))
                .collect();
            outlines.push(Outline { points, flat });
        }
    }
    outlines
}

/// The convex hull, counter-clockwise, by two monotone chains.
fn hull(points: &[DVec2]) -> Vec<DVec2> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    let mut hull: Vec<DVec2> = Vec::with_capacity(sorted.len());
    let chain = |points: &mut dyn Iterator<Item = DVec2>, hull: &mut Vec<DVec2>| {
        let keep = hull.len();
        for p in points {
            while hull.len() >= keep + 2 {
                let (a, b) = (hull[hull.len() - 2], hull[hull.len() - 1]);
                if (b - a).perp_dot(p - a) > 0.0 {
                    break;
                }
                hull.pop();
            }
            hull.push(p);
        }
        // The last point begins the other chain.
        hull.pop();
    };
    chain(&mut sorted.iter().copied(), &mut hull);
    chain(&mut sorted.iter().rev().copied(), &mut hull);
    hull
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A box open at neither end.
    fn block(size: DVec3) -> TriMesh {
        let corner = |k: u32| {
            let pick = |bit: u32| f64::from(k >> bit & 1) - 0.5;
            size * DVec3::new(pick(0), pick(1), pick(2))
        };
        let quads = [
            [0, 2, 3, 1],
            [4, 5, 7, 6],
            [0, 1, 5, 4],
            [2, 6, 7, 3],
            [0, 4, 6, 2],
            [1, 3, 7, 5],
        ];
        TriMesh {
            positions: (0..8).map(corner).collect(),
            faces: quads
                .iter()
                .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]])
                .collect(),
        }
    }

    #[test]
    fn a_tape_around_a_box() {
        let mesh = block(DVec3::new(0.3, 1.0, 0.4));
        let outlines = section(&mesh, Plane::level(0.1));
        assert_eq!(outlines.len(), 1);
        assert!((outlines[0].girth_m() - 1.4).abs() < 1e-12);
        assert!((outlines[0].area_m2() - 0.12).abs() < 1e-12);
        assert!(section(&mesh, Plane::level(0.6)).is_empty());
    }

    #[test]
    fn a_tape_does_not_follow_hollows() {
        let points = [[0., 0.], [2., 0.], [2., 2.], [1., 0.5], [0., 2.]].map(DVec2::from);
        let outline = Outline {
            points: points.iter().map(|p| p.extend(0.0)).collect(),
            flat: points.to_vec(),
        };
        assert!((outline.girth_m() - 8.0).abs() < 1e-12);
    }
}
