//! The search for the first piece of time that is not free of contact.

use super::certificate::Volume;
use super::direction;
use super::motion::Motion;

/// In a piece of time of this length a plain crossing is not located further.
const CLOSE: f64 = 1.0 / (1_u64 << 34) as f64;
/// A piece of this length is not divided further.
const SHORTEST: f64 = 1.0 / (1_u64 << 46) as f64;
/// Pieces looked at before the search gives up. A search that
/// converges takes fewer than a hundred.
const MOST_PIECES: usize = 2000;

/// What a search found.
pub(super) enum Found {
    /// No contact.
    Nothing,
    /// A contact at this time or a little later.
    Contact(f64),
    /// If there is a contact, it is not before this time, but rounding hides whether there is.
    Unsure(f64),
}

/// The first contact of `motion`, or a little earlier.
#[inline]
pub(super) fn first_contact<const FIRST: usize>(motion: &Motion<FIRST>) -> Found {
    let volume = (motion.separation == 0.0).then(|| Volume::of(motion));
    if let Some(volume) = &volume
        && volume.keeps_its_sign(volume.coefficients)
    {
        return Found::Nothing;
    }
    // Most pairs of a simulation are some distance apart and move together.
    for t in [0.5, 0.0, 1.0] {
        let direction = direction::closest::<FIRST>(&motion.pose(t));
        if motion.apart_along(direction, &motion.start, &motion.end) {
            return Found::Nothing;
        }
    }
    divide(motion, volume.as_ref())
}

/// Divides time until its first piece that may not be free is found.
#[inline(never)]
fn divide<const FIRST: usize>(motion: &Motion<FIRST>, volume: Option<&Volume>) -> Found {
    let mut from = 0.0;
    // Ends of the pieces ahead, the nearest last.
    let mut ends = Vec::with_capacity(64);
    ends.push(1.0);
    for _ in 0..MOST_PIECES {
        let Some(&to) = ends.last() else {
            return Found::Nothing;
        };
        let on_piece = volume.map(|volume| (volume, volume.on(from, to)));
        let keeps_its_sign = on_piece.is_some_and(|(volume, on)| volume.keeps_its_sign(on));
        if keeps_its_sign || apart(motion, from, to) {
            from = to;
            ends.pop();
            continue;
        }
        let crosses = || match on_piece {
            Some((volume, on)) => {
                volume.changes_its_sign(on)
                    && [from, to].iter().all(|t| {
                        // A triangle that just folds flat is another one at the end of the piece.
                        direction::is_well_inside::<FIRST>(&motion.pose(*t))
                    })
            }
            // With a distance that counts as contact, this close is contact for all purposes.
            None => true,
        };
        if to - from <= CLOSE && crosses() {
            return Found::Contact(from);
        }
        if to - from <= SHORTEST {
            break;
        }
        let around_root = on_piece.and_then(|(volume, on)| around_root(volume, on, from, to));
        let before = ends.len();
        if let Some([early, late]) = around_root {
            let mut end = |t: f64| {
                if from < t && t < *ends.last().unwrap_or(&to) {
                    ends.push(t);
                }
            };
            end(late);
            end(early);
        }
        if ends.len() == before {
            ends.push(from + 0.5 * (to - from));
        }
    }
    Found::Unsure(from)
}

/// Whether a direction keeps the primitives apart from time `from` to time `to`.
fn apart<const FIRST: usize>(motion: &Motion<FIRST>, from: f64, to: f64) -> bool {
    let (first, last) = (motion.pose(from), motion.pose(to));
    let middle = motion.pose(from + 0.5 * (to - from));
    [middle, first, last]
        .iter()
        .any(|pose| motion.apart_along(direction::closest::<FIRST>(pose), &first, &last))
        || (direction::of_near_contact::<FIRST>(&middle).into_iter())
            .any(|direction| motion.apart_along(direction, &first, &last))
}

/// Times shortly before and after the root of the volume between `from` and `to`, where it has
/// opposite signs: the volume keeps its sign up to the first, and one short piece is left in which
/// something can happen.
fn around_root(volume: &Volume, on: [f64; 4], from: f64, to: f64) -> Option<[f64; 2]> {
    if on[0] * on[3] >= 0.0 {
        return None;
    }
    let rising = on[3] > 0.0;
    let (mut low, mut high) = (0.0, 1.0);
    let mut s = on[0] / (on[0] - on[3]);
    let mut slope = 0.0;
    // Newton's method, kept between the ends; it converges in a few steps or halves the bracket.
    for _ in 0..64 {
        let value;
        (value, slope) = evaluate(on, s);
        if (value > 0.0) == rising {
            high = s;
        } else {
            low = s;
        }
        let newton = s - value / slope;
        let next = if newton > low && newton < high {
            newton
        } else {
            0.5 * (low + high)
        };
        let settled = (next - s).abs() <= 4.0 * f64::EPSILON;
        s = next;
        if settled {
            break;
        }
    }
    // As far as the error of the volume may move the root, and the shortest piece.
    let length = to - from;
    let margin = 2.0 * volume.error / slope.abs() * length + 0.4 * SHORTEST;
    let root = from + s * length;
    Some([root - margin, root + margin])
}

/// Value and slope of the cubic with these Bernstein coefficients.
fn evaluate([a, b, c, d]: [f64; 4], s: f64) -> (f64, f64) {
    let r = 1.0 - s;
    let (ab, bc, cd) = (r * a + s * b, r * b + s * c, r * c + s * d);
    let (abc, bcd) = (r * ab + s * bc, r * bc + s * cd);
    (r * abc + s * bcd, 3.0 * (bcd - abc))
}
