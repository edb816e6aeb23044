//! Of the contacts found, those that another surface does not lie between.

use crate::contact::stencil::ContactStencil;
use crate::contact::surfaces::Surfaces;
use crate::contact::tuning::TUNING;
use glam::DVec3;
use toile_geometry::distance::Kind;

/// Of the triangles near a vertex, keeps the nearest on each side of it: the others are the same
/// surface, and vertices would be caught at the borders between them. Edges that another surface lies
/// between are none of each other's business either: in a free flight of several layers they would
/// meet, but the layer between stops them.
pub(super) fn keep_nearest(surfaces: &Surfaces, stencils: &mut Vec<ContactStencil>) {
    let points = stencils.partition_point(|stencil| stencil.pair.kind == Kind::PointTriangle);
    let crossings = stencils.split_off(points);
    let mut kept = 0;
    let mut first = 0;
    while first < points {
        let vertex = stencils[first].pair.vertices[0];
        let same = |stencil: &&ContactStencil| stencil.pair.vertices[0] == vertex;
        let count = stencils[first..].iter().take_while(same).count();
        stencils[first..first + count].sort_by(|a, b| {
            let gaps = a.gap_m.total_cmp(&b.gap_m);
            gaps.then(a.pair.cmp(&b.pair))
        });
        let start = kept;
        for k in first..first + count {
            let stencil = stencils[k];
            let alike =
                |other: &ContactStencil| other.normal.dot(stencil.normal) > TUNING.same_side_cosine;
            if !stencils[start..kept].iter().any(alike) {
                stencils[kept] = stencil;
                kept += 1;
            }
        }
        stencils[start..kept].sort_by_key(|stencil| stencil.pair);
        first += count;
    }
    stencils.truncate(kept);
    let is_behind = |crossing: &ContactStencil, vertex: u32, side: DVec3| {
        let from = stencils.partition_point(|stencil| stencil.pair.vertices[0] < vertex);
        let own = stencils[from..]
            .iter()
            .take_while(|stencil| stencil.pair.vertices[0] == vertex);
        let nearest = crossing.gap_m - 0.5 * surfaces.distance_m(&crossing.pair);
        own.into_iter().any(|stencil| {
            stencil.normal.dot(side) > TUNING.same_side_cosine && stencil.gap_m < nearest
        })
    };
    let seen = |crossing: &ContactStencil| {
        let [a, b, c, d] = crossing.pair.vertices;
        let n = crossing.normal;
        ![(a, n), (b, n), (c, -n), (d, -n)]
            .into_iter()
            .any(|(vertex, side)| is_behind(crossing, vertex, side))
    };
    let seen: Vec<ContactStencil> = crossings.into_iter().filter(seen).collect();
    stencils.extend(seen);
}
