//! Texture coordinates as pattern.

use super::{FlattenError, Spread, named, planes, signed_area};
use crate::sides::{self, Side};
use crate::{TriMesh, Triangles};
use glam::DVec2;

/// How long a unit of texture coordinates is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum UvScale {
    /// So long that the pattern has the area of the mesh.
    #[default]
    EqualArea,
    /// So many metres.
    MetresPerUnit(f64),
}

/// What became of texture coordinates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UvReport {
    /// Length of a unit of texture coordinates, m.
    pub metres_per_unit: f64,
    /// Number of charts: pieces of the pattern.
    pub charts: usize,
    /// Number of edges where two charts, or two parts of one, are sewn together.
    pub seams: usize,
    /// Triangles of charts that were mirrored, and are mirrored back.
    pub mirrored: Triangles,
    /// Areas in the world over those at rest.
    pub area_ratio: Spread,
    /// Lengths of the sides of triangles in the world over those at rest.
    pub length_ratio: Spread,
}

/// Height over longest side below which texture coordinates have no area: they come in single
/// precision.
const FLATTEST: f64 = 1e-6;

/// The texture coordinates of the corners of every triangle, scaled to metres.
///
/// A chart is what hangs together by edges with the same texture coordinates on both sides. A chart
/// that is mirrored as a whole is mirrored back, since cloth has a front.
pub fn from_uvs(
    mesh: &TriMesh,
    uvs: &[[DVec2; 3]],
    scale: UvScale,
) -> Result<(Vec<[DVec2; 3]>, UvReport), FlattenError> {
    let planes = planes(mesh)?;
    if uvs.len() != mesh.faces.len() {
        return Err(FlattenError::Lengths {
            triangles: mesh.faces.len(),
            uvs: uvs.len(),
        });
    }
    if let Some(triangles) = named(uvs, is_flat) {
        return Err(FlattenError::NoUvArea(triangles));
    }
    let in_world: f64 = planes.iter().map(|plane| plane.area_m2).sum();
    let in_uvs: f64 = uvs.iter().map(|uv| signed_area(*uv).abs()).sum();
    let metres_per_unit = match scale {
        UvScale::EqualArea => (in_world / in_uvs).sqrt(),
        UvScale::MetresPerUnit(metres) => metres,
    };
    if !(metres_per_unit.is_finite() && metres_per_unit > 0.0) {
        return Err(FlattenError::Scale(metres_per_unit));
    }
    let pairs = sides::pairs(&mesh.faces);
    let (joined, sewn): (Vec<[Side; 2]>, Vec<[Side; 2]>) =
        { pairs.into_iter() }.partition(|pair| is_joined(mesh, uvs, pair));
    let joined = joined.iter().map(|pair| pair.map(|side| side.triangle));
    let charts = sides::components(uvs.len(), joined);
    let mirrored = mirrored(uvs, &charts)?;
    let mut rest = uvs.to_vec();
    for &triangle in &mirrored.0 {
        for uv in &mut rest[triangle as usize] {
            uv.x = -uv.x;
        }
    }
    for uv in rest.iter_mut().flatten() {
        *uv *= metres_per_unit;
    }
    let areas = planes.iter().zip(&rest);
    let areas = areas.map(|(plane, rest)| plane.area_m2 / signed_area(*rest));
    let lengths = planes.iter().zip(&rest).flat_map(|(plane, rest)| {
        let length = |c: &[DVec2; 3], k: usize| c[k].distance(c[(k + 1) % 3]);
        [0, 1, 2].map(|k| length(&plane.corners, k) / length(rest, k))
    });
    let report = UvReport {
        metres_per_unit,
        charts: charts.iter().max().map_or(0, |last| *last as usize + 1),
        seams: sewn.len(),
        mirrored,
        area_ratio: Spread::of(areas.collect()),
        length_ratio: Spread::of(lengths.collect()),
    };
    Ok((rest, report))
}

fn is_flat(uv: &[DVec2; 3]) -> bool {
    let [a, b, c] = *uv;
    let longest = (b - a).length().max((c - b).length()).max((a - c).length());
    // Numbers that are none compare as false.
    !(2.0 * signed_area(*uv).abs() > FLATTEST * longest * longest && longest.is_finite())
}

/// Whether both triangles have the same texture coordinates along their edge, by the measure of
/// [`Surface::is_on_one_piece`](crate::Surface::is_on_one_piece).
fn is_joined(mesh: &TriMesh, uvs: &[[DVec2; 3]], pair: &[Side; 2]) -> bool {
    let [one, other] = pair.map(|side| {
        side.edge.map(|vertex| {
            let triangle = side.triangle as usize;
            let corner = mesh.faces[triangle].iter().position(|v| *v == vertex);
            uvs[triangle][corner.unwrap_or(0)]
        })
    });
    let tolerance = 1e-6 * one[0].distance(one[1]);
    one[0].distance(other[0]) <= tolerance && one[1].distance(other[1]) <= tolerance
}

/// The triangles of charts that are mirrored as a whole.
fn mirrored(uvs: &[[DVec2; 3]], charts: &[u32]) -> Result<Triangles, FlattenError> {
    let count = charts.iter().max().map_or(0, |last| *last as usize + 1);
    let is_mirrored = |triangle: &usize| signed_area(uvs[*triangle]) < 0.0;
    let mut triangles: Vec<[u32; 2]> = vec![[0; 2]; count];
    for (triangle, chart) in charts.iter().enumerate() {
        triangles[*chart as usize][usize::from(is_mirrored(&triangle))] += 1;
    }
    let chosen = |wanted: &dyn Fn(bool, [u32; 2]) -> bool| -> Triangles {
        let all = 0..uvs.len();
        { all.filter(|t| wanted(is_mirrored(t), triangles[charts[*t] as usize])) }
            .map(|t| t as u32)
            .collect()
    };
    // Of a chart with both, the fewer are at fault.
    let folded = chosen(&|mirrored, [right, left]| {
        let fewer_are_mirrored = left <= right;
        right > 0 && left > 0 && mirrored == fewer_are_mirrored
    });
    if !folded.0.is_empty() {
        return Err(FlattenError::Folded(folded));
    }
    Ok(chosen(&|mirrored, _| mirrored))
}

impl UvReport {
    /// What a report says, a line each.
    pub fn lines(&self) -> Vec<String> {
        let Self { charts, seams, .. } = self;
        let mut lines = vec![
            format!(
                "pattern from texture coordinates: {} m per unit, {charts} charts, {seams} edges sewn",
                self.metres_per_unit
            ),
            format!("area over area at rest: {}", self.area_ratio),
            format!("length over length at rest: {}", self.length_ratio),
        ];
        if !self.mirrored.0.is_empty() {
            let (count, mirrored) = (self.mirrored.0.len(), &self.mirrored);
            lines.push(format!(
                "mirrored charts mirrored back, {count} in all: {mirrored}"
            ));
        }
        lines
    }
}
