//! From pairs of faces to pairs of what they own, in ascending order.

use super::Boxes;
use super::ownership::Ownership;
use toile_numerics::csr::Places;

/// Pairs in the order in which they were found, the first number in the upper half.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    pub point_face: Vec<u64>,
    pub face_point: Vec<u64>,
    pub edge_edge: Vec<u64>,
}

/// A mesh and its boxes.
type Whole<'a> = (&'a Ownership, &'a Boxes);

#[inline]
fn packed(a: u32, b: u32) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}

impl Found {
    pub fn clear(&mut self) {
        self.point_face.clear();
        self.face_point.clear();
        self.edge_edge.clear();
    }

    /// The pairs of what two faces of one mesh own.
    #[inline]
    pub fn add_within(&mut self, (mesh, boxes): Whole, f: u32, g: u32) {
        let (face, other) = (&mesh.owners[f as usize], &mesh.owners[g as usize]);
        for (owner, onto, number) in [(face, other, g), (other, face, f)] {
            for &v in owner.own_vertices() {
                if mesh.is_face(number)
                    && !onto.corners.contains(&v)
                    && boxes.vertices[v as usize].overlaps(&boxes.faces[number as usize])
                {
                    self.point_face.push(packed(v, number));
                }
            }
        }
        for &d in face.own_edges() {
            let [p, q] = mesh.edges[d as usize];
            let bounds = boxes.edges[d as usize];
            for &e in other.own_edges() {
                let ends = mesh.edges[e as usize];
                if bounds.overlaps(&boxes.edges[e as usize])
                    && !ends.contains(&p)
                    && !ends.contains(&q)
                {
                    self.edge_edge.push(packed(d.min(e), d.max(e)));
                }
            }
        }
    }

    /// The pairs of what a face of one mesh and a face of another own.
    #[inline]
    pub fn add_between(&mut self, (mesh, boxes): Whole, f: u32, second: Whole, g: u32) {
        let (other_mesh, other_boxes) = second;
        let (face, other) = (&mesh.owners[f as usize], &other_mesh.owners[g as usize]);
        for &v in face.own_vertices() {
            if other_mesh.is_face(g)
                && boxes.vertices[v as usize].overlaps(&other_boxes.faces[g as usize])
            {
                self.point_face.push(packed(v, g));
            }
        }
        for &v in other.own_vertices() {
            if mesh.is_face(f)
                && other_boxes.vertices[v as usize].overlaps(&boxes.faces[f as usize])
            {
                self.face_point.push(packed(f, v));
            }
        }
        for &d in face.own_edges() {
            let bounds = boxes.edges[d as usize];
            for &e in other.own_edges() {
                if bounds.overlaps(&other_boxes.edges[e as usize]) {
                    self.edge_edge.push(packed(d, e));
                }
            }
        }
    }
}

/// Memory of a counting sort.
#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    /// Where the pairs of each first number go.
    places: Places,
}

impl Order {
    /// Collects pairs from `lists`, in ascending order; first numbers are below `count`.
    ///
    /// First numbers have few pairs each: counted into their places, only those few need sorting.
    pub fn sort<'a>(
        &mut self,
        lists: impl Iterator<Item = &'a Vec<u64>> + Clone,
        count: usize,
        out: &mut Vec<[u32; 2]>,
    ) {
        let pairs = || lists.clone().flatten();
        self.places.clear(count);
        pairs().for_each(|pair| self.places.count((pair >> 32) as usize));
        out.clear();
        out.resize(self.places.sum(), [0; 2]);
        for pair in pairs() {
            let (first, second) = ((pair >> 32) as u32, *pair as u32);
            out[self.places.next(first as usize)] = [first, second];
        }
        for first in 0..count {
            out[self.places.range(first)].sort_unstable();
        }
    }
}
