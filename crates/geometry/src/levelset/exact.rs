//! Shapes whose distance is known exactly, with meshes of them: what sampled fields are held against.

use super::Field;
use crate::{Bounds, TriMesh};
use glam::{DVec2, DVec3, Vec3Swizzles};
use std::f64::consts::{PI, TAU};

/// A shape around the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Exact {
    /// A ball.
    Sphere {
        /// Radius, m.
        radius_m: f64,
    },
    /// A ring around the y axis.
    Torus {
        /// From the axis to the middle of the tube, m.
        ring_m: f64,
        /// Radius of the tube, m.
        tube_m: f64,
    },
    /// A rod along y with round ends.
    Capsule {
        /// From the origin to the middle of an end, m.
        half_m: f64,
        /// Radius, m.
        radius_m: f64,
    },
    /// A box with round edges and corners.
    RoundedBox {
        /// From the origin to where the rounding starts, m.
        half_m: DVec3,
        /// Radius of the edges, m.
        radius_m: f64,
    },
}

impl Exact {
    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Sphere { .. } => "sphere",
            Self::Torus { .. } => "torus",
            Self::Capsule { .. } => "capsule",
            Self::RoundedBox { .. } => "rounded box",
        }
    }

    /// Triangles with corners on the shape and edges of about `spacing_m` where it is round, fronts
    /// outside. Flat parts are single triangles wherever that is exact.
    pub fn mesh(&self, spacing_m: f64) -> TriMesh {
        let steps = |length: f64| ((length / spacing_m).round() as u32).max(4);
        match *self {
            Self::Sphere { radius_m } => {
                let rows = steps(PI * radius_m);
                let place = |v: f64| radius_m * DVec2::from_angle(PI * (v - 0.5));
                revolve(rows, steps(TAU * radius_m), true, place)
            }
            Self::Torus { ring_m, tube_m } => {
                let place = |v: f64| ring_m * DVec2::X + tube_m * DVec2::from_angle(TAU * v);
                let around = steps(TAU * (ring_m + tube_m));
                revolve(steps(TAU * tube_m), around, false, place)
            }
            Self::Capsule { half_m, radius_m } => {
                // An odd number of rows has its middle one along the straight part.
                let rows = steps(PI * radius_m) | 1;
                let place = |v: f64| {
                    let n = DVec2::from_angle(PI * (v - 0.5));
                    radius_m * n + half_m * n.y.signum() * DVec2::Y
                };
                revolve(rows, steps(TAU * radius_m), true, place)
            }
            Self::RoundedBox { half_m, radius_m } => {
                // Halves of a ball pulled apart along each axis; no corner lies in between.
                let rows = steps(PI * radius_m) | 1;
                let around = steps(TAU * radius_m).next_multiple_of(4);
                // Rings start half a step from the poles, so that flat faces stay nearly so.
                let place = |v: f64| {
                    let share = (v * f64::from(rows) - 0.5) / f64::from(rows - 1);
                    DVec2::from_angle(PI * (share.clamp(0.0, 1.0) - 0.5))
                };
                let mut mesh = revolve(rows, around, true, place);
                let turn = DVec2::from_angle(PI / f64::from(around));
                for p in &mut mesh.positions {
                    let level = turn.rotate(p.xz());
                    let n = DVec3::new(level.x, p.y, level.y);
                    *p = radius_m * n + half_m * n.signum();
                }
                // The poles belong into the middle of their faces.
                let poles = mesh.positions.len() - 2;
                for p in &mut mesh.positions[poles..] {
                    *p *= DVec3::Y;
                }
                mesh
            }
        }
    }

    /// Outward normal, exact; zero where there is none.
    pub fn normal(&self, point: DVec3) -> DVec3 {
        let out = match *self {
            Self::Sphere { .. } => point,
            Self::Torus { ring_m, .. } => point - ring_m * level_direction(point),
            Self::Capsule { half_m, .. } => point - point.y.clamp(-half_m, half_m) * DVec3::Y,
            Self::RoundedBox { half_m, .. } => {
                let out = point - point.clamp(-half_m, half_m);
                if out != DVec3::ZERO {
                    out
                } else {
                    let depth = half_m - point.abs();
                    let axis = [DVec3::X, DVec3::Y, DVec3::Z][depth.min_position()];
                    axis * point.signum()
                }
            }
        };
        out.normalize_or_zero()
    }
}

impl Field for Exact {
    fn bounds(&self) -> Bounds {
        let half = match *self {
            Self::Sphere { radius_m } => DVec3::splat(radius_m),
            Self::Torus { ring_m, tube_m } => DVec3::new(ring_m, 0.0, ring_m) + tube_m,
            Self::Capsule { half_m, radius_m } => half_m * DVec3::Y + radius_m,
            Self::RoundedBox { half_m, radius_m } => half_m + radius_m,
        };
        Bounds {
            min: -half,
            max: half,
        }
    }

    fn distance_m(&self, point: DVec3) -> f64 {
        match *self {
            Self::Sphere { radius_m } => point.length() - radius_m,
            Self::Torus { ring_m, tube_m } => {
                DVec2::new(point.xz().length() - ring_m, point.y).length() - tube_m
            }
            Self::Capsule { half_m, radius_m } => {
                (point - point.y.clamp(-half_m, half_m) * DVec3::Y).length() - radius_m
            }
            Self::RoundedBox { half_m, radius_m } => {
                let beyond = point.abs() - half_m;
                beyond.max(DVec3::ZERO).length() + beyond.max_element().min(0.0) - radius_m
            }
        }
    }

    fn velocity(&self, _: DVec3) -> DVec3 {
        DVec3::ZERO
    }

    fn cell_m(&self, _: DVec3) -> f64 {
        1e-5
    }
}

fn level_direction(point: DVec3) -> DVec3 {
    DVec3::new(point.x, 0.0, point.z).normalize_or_zero()
}

/// Turns an outline, of (distance from the axis, height) at 0 to 1, about the y axis. It starts and
/// ends on the axis, or ends where it starts.
fn revolve(rows: u32, around: u32, poles: bool, outline: impl Fn(f64) -> DVec2) -> TriMesh {
    let mut mesh = TriMesh::default();
    let rings = if poles { 1..rows } else { 0..rows };
    for row in rings.clone() {
        let at = outline(f64::from(row) / f64::from(rows));
        for column in 0..around {
            let turn = DVec2::from_angle(TAU * f64::from(column) / f64::from(around));
            let place = DVec3::new(at.x * turn.x, at.y, -at.x * turn.y);
            mesh.positions.push(place);
        }
    }
    let ring_count = rings.len() as u32;
    let vertex = |ring: u32, column: u32| ring % ring_count * around + column % around;
    let strips = if poles { ring_count - 1 } else { ring_count };
    for ring in 0..strips {
        for column in 0..around {
            let [a, b] = [0, 1].map(|c| vertex(ring, column + c));
            let [c, d] = [0, 1].map(|c| vertex(ring + 1, column + c));
            mesh.faces.extend([[a, b, d], [a, d, c]]);
        }
    }
    if poles {
        let south = mesh.positions.len() as u32;
        let ends = [outline(0.0), outline(1.0)];
        mesh.positions.extend(ends.map(|end| DVec3::Y * end.y));
        for column in 0..around {
            let next = column + 1;
            mesh.faces.push([south, vertex(0, next), vertex(0, column)]);
            let top = ring_count - 1;
            let (a, b) = (vertex(top, column), vertex(top, next));
            mesh.faces.push([south + 1, a, b]);
        }
    }
    mesh
}
