//! Connected pieces unrolled onto the plane.

use super::conformal::conformal;
use super::rigid::{jacobian, stiffen};
use super::{FlattenError, Plane, planes, signed_area};
use crate::sides::{self, Side};
use crate::{TriMesh, Triangles};
use glam::{DVec2, DVec3};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// How well a piece could be laid flat.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Chart {
    /// Its first triangle.
    pub first_triangle: u32,
    /// Number of its triangles.
    pub triangles: usize,
    /// Its area, m².
    pub area_m2: f64,
    /// Largest change of the length of an edge, as a part of that length.
    pub worst_edge: f64,
    /// Root of the mean square of these changes.
    pub rms_edge: f64,
}

impl fmt::Display for Chart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (triangles, first) = (self.triangles, self.first_triangle);
        let (worst, rms) = (100.0 * self.worst_edge, 100.0 * self.rms_edge);
        write!(
            f,
            "{triangles} triangles from {first} laid flat: lengths change by {worst:.3} % at most, \
             {rms:.3} % in the mean"
        )
    }
}

/// Every connected piece unrolled with as little change of lengths as possible, at its own area.
///
/// The pieces must be discs. They are turned so that the world's direction `warp` points along u on
/// the whole, and put side by side.
pub fn flatten_charts(
    mesh: &TriMesh,
    warp: DVec3,
) -> Result<(Vec<[DVec2; 3]>, Vec<Chart>), FlattenError> {
    let planes = planes(mesh)?;
    let pairs = sides::pairs(&mesh.faces);
    let joined = pairs.iter().map(|pair| pair.map(|side| side.triangle));
    let pieces = sides::components(mesh.faces.len(), joined);
    let mut members: Vec<Vec<u32>> = Vec::new();
    for (triangle, piece) in pieces.iter().enumerate() {
        members.resize_with(members.len().max(*piece as usize + 1), Vec::new);
        members[*piece as usize].push(triangle as u32);
    }
    let mut rest = vec![[DVec2::ZERO; 3]; mesh.faces.len()];
    let mut charts = Vec::with_capacity(members.len());
    let mut beside_m = 0.0;
    for members in members {
        let disc = Disc::cut(mesh, &planes, members)?;
        let mut places = disc.unroll()?;
        disc.turn_along(warp, &mut places);
        let bounds = |of: fn(DVec2, DVec2) -> DVec2| {
            { places.iter().copied() }.reduce(of).unwrap_or_default()
        };
        let (low, high) = (bounds(DVec2::min), bounds(DVec2::max));
        // A gap, so that pieces can be told apart by eye.
        let shift = DVec2::new(beside_m, 0.0) - low;
        beside_m += 1.1 * (high.x - low.x);
        for place in &mut places {
            *place += shift;
        }
        for (triangle, corners) in disc.members.iter().zip(&disc.triangles) {
            rest[*triangle as usize] = corners.map(|v| places[v as usize]);
        }
        charts.push(disc.chart(&places));
    }
    Ok((rest, charts))
}

/// A connected piece with one border and no handle, its vertices numbered anew.
pub(super) struct Disc {
    /// The triangles as the mesh calls them.
    members: Vec<u32>,
    /// The same with this piece's vertices.
    pub triangles: Vec<[u32; 3]>,
    /// The same in their own planes.
    pub planes: Vec<Plane>,
    /// Positions of the vertices, m.
    pub positions: Vec<DVec3>,
    /// Edges with one triangle.
    border: Vec<[u32; 2]>,
    /// All edges.
    edges: Vec<[u32; 2]>,
}

impl Disc {
    fn cut(mesh: &TriMesh, planes: &[Plane], members: Vec<u32>) -> Result<Self, FlattenError> {
        let mut number = BTreeMap::new();
        let mut positions = Vec::new();
        let of_members = members.iter().map(|t| mesh.faces[*t as usize]);
        let triangles: Vec<[u32; 3]> = of_members
            .map(|corners| {
                corners.map(|vertex| {
                    *number.entry(vertex).or_insert_with(|| {
                        positions.push(mesh.positions[vertex as usize]);
                        positions.len() as u32 - 1
                    })
                })
            })
            .collect();
        let sides = sides::sorted(&triangles);
        let by_edge: Vec<&[Side]> = sides.chunk_by(|a, b| a.edge == b.edge).collect();
        let edges: Vec<[u32; 2]> = by_edge.iter().map(|sides| sides[0].edge).collect();
        let border: Vec<[u32; 2]> = { by_edge.iter().filter(|sides| sides.len() == 1) }
            .map(|sides| sides[0].edge)
            .collect();
        let disc = Self {
            planes: members.iter().map(|t| planes[*t as usize]).collect(),
            members,
            triangles,
            positions,
            border,
            edges,
        };
        // Of all surfaces with a border, only a disc has the Euler characteristic 1.
        let vertices_and_faces = disc.positions.len() + disc.triangles.len();
        if disc.border.is_empty() {
            Err(FlattenError::Closed(disc.named()))
        } else if vertices_and_faces != disc.edges.len() + 1 {
            Err(FlattenError::NotADisc {
                borders: disc.borders(),
                triangles: disc.named(),
            })
        } else {
            Ok(disc)
        }
    }

    fn named(&self) -> Triangles {
        Triangles(self.members.clone())
    }

    /// How many closed lines its border is.
    fn borders(&self) -> usize {
        let sets = sides::components(self.positions.len(), self.border.iter().copied());
        let ends = self.border.iter().map(|[end, _]| sets[*end as usize]);
        ends.collect::<BTreeSet<u32>>().len()
    }

    /// Two vertices of the border far from each other.
    pub(super) fn far_apart(&self) -> [usize; 2] {
        let farthest = |from: usize| {
            let distance = |v: &usize| self.positions[*v].distance(self.positions[from]);
            let ends = self.border.iter().flatten().map(|v| *v as usize);
            { ends }
                .max_by(|a, b| distance(a).total_cmp(&distance(b)))
                .unwrap_or(from)
        };
        let first = farthest(self.border[0][0] as usize);
        [first, farthest(first)]
    }

    /// Its vertices in the plane.
    fn unroll(&self) -> Result<Vec<DVec2>, FlattenError> {
        let no_factors = |_| FlattenError::Overlap(self.named());
        let mut places = conformal(self).map_err(no_factors)?;
        self.resize(&mut places);
        stiffen(self, &mut places).map_err(no_factors)?;
        self.resize(&mut places);
        let is_sound = |corners: &[u32; 3]| {
            let area = signed_area(corners.map(|v| places[v as usize]));
            area > 0.0 && area.is_finite()
        };
        let triangles = self.members.iter().zip(&self.triangles);
        let folded: Triangles = { triangles.filter(|(_, corners)| !is_sound(corners)) }
            .map(|(name, _)| *name)
            .collect();
        match folded.0.is_empty() {
            true => Ok(places),
            false => Err(FlattenError::Overlap(folded)),
        }
    }

    fn area_m2(&self) -> f64 {
        self.planes.iter().map(|plane| plane.area_m2).sum()
    }

    /// Gives a map the area of the piece.
    fn resize(&self, places: &mut [DVec2]) {
        let areas = { self.triangles.iter() }.map(|c| signed_area(c.map(|v| places[v as usize])));
        let scale = (self.area_m2() / areas.map(f64::abs).sum::<f64>()).sqrt();
        for place in places {
            *place *= scale;
        }
    }

    /// Turns a map so that `direction` points along u on the whole.
    fn turn_along(&self, direction: DVec3, places: &mut [DVec2]) {
        let triangles = self.triangles.iter().zip(&self.planes);
        let along: DVec2 = triangles
            .map(|(corners, plane)| {
                let jacobian = jacobian(plane, corners.map(|v| places[v as usize]));
                plane.area_m2 * (jacobian * plane.project(direction))
            })
            .sum();
        let along = along.normalize_or(DVec2::X);
        let back = DVec2::new(along.x, -along.y);
        for place in places {
            *place = back.rotate(*place);
        }
    }

    fn chart(&self, places: &[DVec2]) -> Chart {
        let change = |[a, b]: &[u32; 2]| {
            let (a, b) = (*a as usize, *b as usize);
            places[a].distance(places[b]) / self.positions[a].distance(self.positions[b]) - 1.0
        };
        let squares = self.edges.iter().map(|edge| change(edge).powi(2));
        Chart {
            first_triangle: self.members[0],
            triangles: self.members.len(),
            area_m2: self.area_m2(),
            worst_edge: { self.edges.iter() }
                .map(|e| change(e).abs())
                .fold(0.0, f64::max),
            rms_edge: (squares.sum::<f64>() / self.edges.len() as f64).sqrt(),
        }
    }
}
