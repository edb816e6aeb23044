//! Angles at rest: flat, as started, or pressed in along creases, and that over time.

use super::range::within;
use super::{Checked, course};
use crate::scene::error::Fault;
use crate::scene::{key, raw};
use glam::DVec2;
use toile_geometry::Surface;
use toile_sim::{Bending, ClothModel, Key, KeyedScalar, RestAngles};

/// How near to a crease's line an edge must lie, as a share of its length.
const NEAR: f64 = 1e-3;

/// The rest angles of a cloth with this model and surface.
pub(super) fn rest_angles(
    path: &key::Path,
    cloth: &mut raw::Cloth,
    model: ClothModel,
    surface: &Surface,
) -> Checked<RestAngles> {
    let as_started = cloth.rest_angles == raw::RestAngles::Start;
    let has_hinges = matches!(model, ClothModel::Triangles(_, Bending::Hinges(_)));
    let mapped = cloth.map.iter();
    let mapped = mapped
        .map(|map| map.value)
        .position(|value| value == raw::Mapped::RestAngle);
    if !has_hinges && (as_started || !cloth.crease.is_empty() || mapped.is_some()) {
        let path = match mapped {
            _ if as_started => path.with("rest_angles"),
            Some(k) => path.with("map").with(k).with("value"),
            None => path.with("crease"),
        };
        let message = "only hinges rest at an angle: expected `bending = \"hinge\"` or \
                       \"discrete-shell\" with a model of triangles";
        return Err(Fault::new(path, message));
    }
    let mut painted = Vec::new();
    for (k, crease) in cloth.crease.iter_mut().enumerate() {
        let path = path.with("crease").with(k);
        let angle = angle(&path, crease)?;
        let edges = match (crease.from, crease.to, &crease.edges) {
            (Some(from), Some(to), None) => {
                along_line(&path, surface, DVec2::from(from), DVec2::from(to))?
            }
            (None, None, Some(edges)) => edges.clone(),
            _ => {
                let message = "expected either `from` and `to` or `edges`";
                return Err(Fault::new(path, message));
            }
        };
        painted.extend(edges.into_iter().map(|edge| (edge, angle.clone())));
    }
    Ok(RestAngles {
        as_started,
        painted,
    })
}

/// The angle of a crease over time, rad.
fn angle(path: &key::Path, crease: &mut raw::Crease) -> Checked<KeyedScalar> {
    let in_range = |path: &key::Path, angle_deg: f64| {
        within(&path.with("angle_deg"), angle_deg, -180.0..=180.0)
    };
    in_range(path, crease.angle_deg)?;
    for (k, key) in crease.keyframes.iter().enumerate() {
        in_range(&path.with("keyframes").with(k), key.angle_deg)?;
    }
    let keys = crease.keyframes.iter().map(|key| Key {
        time_s: key.time_s,
        value: key.angle_deg.to_radians(),
    });
    let start = crease.angle_deg.to_radians();
    course::spec(path, start, keys, &mut crease.interpolation)
}

/// Inner edges that lie on a line of the pattern.
fn along_line(
    path: &key::Path,
    surface: &Surface,
    from: DVec2,
    to: DVec2,
) -> Checked<Vec<[u32; 2]>> {
    let way = to - from;
    let length = way.length();
    if length == 0.0 {
        return Err(Fault::new(
            path.with("to"),
            "expected another place than `from`",
        ));
    }
    let along = way / length;
    let is_on = |place: DVec2, edge_m: f64| {
        let at = (place - from).dot(along);
        let near = NEAR * edge_m;
        (place - from).perp_dot(along).abs() <= near && at >= -near && at <= length + near
    };
    let hinges = surface.hinges().map_err(|error| {
        let message = error.to_string();
        Fault::new(path.clone(), message)
    })?;
    let mut edges = Vec::new();
    for hinge in &hinges {
        let [_, _, a, b] = hinge.vertices;
        let on = surface.edge_at_rest(hinge).iter().any(|[start, end]| {
            let edge_m = start.distance(*end);
            is_on(*start, edge_m) && is_on(*end, edge_m)
        });
        if on {
            edges.push([a, b]);
        }
    }
    if edges.is_empty() {
        let message = "no inner edge of the cloth lies on this line: expected a line along edges, \
                       such as a row or column of a grid";
        return Err(Fault::new(path.with("from"), message));
    }
    Ok(edges)
}
