//! Continuous collision detection: when a point first meets a triangle, or an edge an edge.
//!
//! Corners move on straight lines from `start` (t = 0) to `end` (t = 1), as in a step of a
//! simulation. The answer is a time that is never later than the true first contact, and there is
//! never none where there is a contact, rounding included. Touching counts as contact, at the start
//! too. Triangles without area, edges without length, parallel edges and motion within one plane
//! need no special treatment.
//!
//! ```
//! use glam::DVec3;
//! use toile_geometry::ccd;
//!
//! // A point falls from 1 m above a triangle to 1 m below it.
//! let triangle = [DVec3::ZERO, DVec3::X, DVec3::Z];
//! let point = DVec3::new(0.25, 1.0, 0.25);
//! let start = [point, triangle[0], triangle[1], triangle[2]];
//! let end = [point - 2.0 * DVec3::Y, triangle[0], triangle[1], triangle[2]];
//!
//! let time = ccd::point_triangle(&start, &end, 0.0).unwrap();
//! assert!(time <= 0.5 && time > 0.5 - 1e-9);
//! // Already within 10 cm a little earlier.
//! let time = ccd::point_triangle(&start, &end, 0.1).unwrap();
//! assert!(time <= 0.45 && time > 0.45 - 1e-8);
//! ```
//!
//! **How.** Time is divided, and pieces that are certainly free of contact are dropped from the
//! front (`search`). Two certificates say so (`certificate`): a direction along which the two
//! stay apart at both ends of the piece, and so, the motion being straight, throughout; or a volume
//! of the four corners that keeps its sign, because primitives in contact lie in one plane. Both
//! carry proven bounds of their rounding errors, and nothing else needs to be right: where to
//! divide and which direction to try are guesses that cost time when they are bad. The first piece
//! that is not free and too short to divide is the answer.
//!
//! Where primitives come closer than about 1e-15 of their size without crossing plainly, [`exact`]
//! decides, at a thousand times the cost. With a separation above zero the
//! answer is a contact in such cases.

mod certificate;
mod direction;
pub mod exact;
mod motion;
mod search;

use glam::DVec3;
use motion::Motion;
use search::Found;

/// The first time in \[0, 1\] at which the point `x[0]` is within `separation_m` of the triangle
/// `x[1] x[2] x[3]`, or a little earlier; `None` if it never is.
///
/// A separation of 0 asks for contact, and so does a negative one. Coordinates must be finite; motions
/// whose differences are not count as contact from the start.
pub fn point_triangle(start: &[DVec3; 4], end: &[DVec3; 4], separation_m: f64) -> Option<f64> {
    first_contact::<1>(start, end, separation_m)
}

/// The first time in \[0, 1\] at which the edge `x[0] x[1]` is within `separation_m` of the edge
/// `x[2] x[3]`, or a little earlier; `None` if it never is.
///
/// What holds for the arguments of [`point_triangle`] holds here.
pub fn edge_edge(start: &[DVec3; 4], end: &[DVec3; 4], separation_m: f64) -> Option<f64> {
    first_contact::<2>(start, end, separation_m)
}

/// The first `FIRST` corners are one primitive, the others the second.
#[inline]
fn first_contact<const FIRST: usize>(
    start: &[DVec3; 4],
    end: &[DVec3; 4],
    separation_m: f64,
) -> Option<f64> {
    if motion::apart_along_axes::<FIRST>(start, end, separation_m.max(0.0)) {
        return None;
    }
    let motion = Motion::<FIRST>::new(start, end, separation_m.max(0.0));
    match search::first_contact(&motion) {
        Found::Nothing => None,
        Found::Contact(time) => Some(time),
        Found::Unsure(time) if separation_m > 0.0 => Some(time),
        Found::Unsure(time) => decide::<FIRST>(start, end, time),
    }
}

/// Decides exactly what rounding hides, knowing that there is no contact before `time`.
#[cold]
fn decide<const FIRST: usize>(start: &[DVec3; 4], end: &[DVec3; 4], time: f64) -> Option<f64> {
    if !start.iter().chain(end).all(|x| x.is_finite()) {
        return Some(time);
    }
    let moment = if FIRST == 1 {
        exact::point_triangle(start, end)
    } else {
        exact::edge_edge(start, end)
    };
    Some(moment?.rounded_down().max(time))
}
