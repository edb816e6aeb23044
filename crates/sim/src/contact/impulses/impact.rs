//! Where and how a pair meets on straight ways.
//!
//! Verified by: `tests/impulses.rs`, `tests/zones.rs`.

use crate::contact::surfaces::Pair;
use glam::DVec3;
use toile_geometry::ccd;
use toile_geometry::distance::{Kind, Weights, between};

/// Two points that come to the same place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// When, as a share of the step.
    pub time: f64,
    /// Whose points.
    pub pair: Pair,
    /// The weights of its vertices at that time: their sum with them is what is between the points.
    pub weights: Weights,
    /// Unit normal at that time, to the side on which the first feature was at the start.
    pub normal: DVec3,
}

impl Impact {
    /// The first of `pair` on its way `from` the start of the step `to` its end.
    pub fn of(pair: &Pair, from: &[DVec3; 4], to: &[DVec3; 4]) -> Option<Self> {
        let time = match pair.kind {
            Kind::PointTriangle => ccd::point_triangle(from, to, 0.0),
            Kind::EdgeEdge => ccd::edge_edge(from, to, 0.0),
        }?;
        let there = [0, 1, 2, 3].map(|k| from[k].lerp(to[k], time));
        let weights = pair.kind.closest(&there);
        let across = match pair.kind {
            Kind::PointTriangle => (there[2] - there[1]).cross(there[3] - there[1]),
            Kind::EdgeEdge => (there[1] - there[0]).cross(there[3] - there[2]),
        };
        let apart = between(&weights, from);
        // Parallel edges have no normal of their own.
        let normal = across.try_normalize().or_else(|| apart.try_normalize())?;
        Some(Self {
            time,
            pair: *pair,
            weights,
            normal: if normal.dot(apart) < 0.0 {
                -normal
            } else {
                normal
            },
        })
    }
}
