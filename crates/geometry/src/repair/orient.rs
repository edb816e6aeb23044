//! Triangles that look to the same side as their neighbours.

use super::{RepairError, Triangles};
use crate::sides::Side;
use std::collections::VecDeque;

/// The triangles to turn over, fewest of each connected piece, so that all of it looks to one side.
/// `names` are what errors call the triangles.
pub(super) fn orient(
    triangles: &[[u32; 3]],
    pairs: &[[Side; 2]],
    names: &[u32],
) -> Result<Vec<u32>, RepairError> {
    let beside = neighbours(triangles, pairs);
    let mut walk = Walk {
        turned: vec![None; triangles.len()],
        from: vec![u32::MAX; triangles.len()],
    };
    let mut turned = Vec::new();
    for first in 0..triangles.len() as u32 {
        if walk.turned[first as usize].is_some() {
            continue;
        }
        let piece = walk.piece(first, &beside).map_err(|around| {
            let around = around.into_iter().map(|t| names[t as usize]).collect();
            RepairError::NonOrientable {
                triangles: Triangles(around),
            }
        })?;
        let is_turned = |t: &u32| walk.turned[*t as usize] == Some(true);
        let (over, not): (Vec<u32>, Vec<u32>) = piece.into_iter().partition(is_turned);
        turned.extend(if over.len() <= not.len() { over } else { not });
    }
    turned.sort_unstable();
    Ok(turned)
}

/// The neighbours of each triangle, and whether they look to the other side.
fn neighbours(triangles: &[[u32; 3]], pairs: &[[Side; 2]]) -> Vec<Vec<(u32, bool)>> {
    let mut beside = vec![Vec::new(); triangles.len()];
    for &[one, other] in pairs {
        // Neighbours on one side run along their edge in opposite directions.
        let opposed = one.directed(triangles) == other.directed(triangles);
        beside[one.triangle as usize].push((other.triangle, opposed));
        beside[other.triangle as usize].push((one.triangle, opposed));
    }
    beside
}

/// A walk over all triangles, breadth first.
struct Walk {
    /// Whether a triangle looks to the other side than the first of its piece; `None` before it is
    /// reached.
    turned: Vec<Option<bool>>,
    /// The triangle from which each was reached.
    from: Vec<u32>,
}

impl Walk {
    /// All triangles of the piece with `first`, or a loop of them with one side only.
    fn piece(&mut self, first: u32, beside: &[Vec<(u32, bool)>]) -> Result<Vec<u32>, Vec<u32>> {
        let mut piece = Vec::new();
        let mut waiting = VecDeque::from([first]);
        self.turned[first as usize] = Some(false);
        while let Some(triangle) = waiting.pop_front() {
            piece.push(triangle);
            let own = self.turned[triangle as usize] == Some(true);
            for &(next, opposed) in &beside[triangle as usize] {
                match self.turned[next as usize] {
                    None => {
                        self.turned[next as usize] = Some(own ^ opposed);
                        self.from[next as usize] = triangle;
                        waiting.push_back(next);
                    }
                    Some(turned) if turned != own ^ opposed => {
                        return Err(self.around(triangle, next));
                    }
                    Some(_) => {}
                }
            }
        }
        Ok(piece)
    }

    /// The loop that two neighbours close: the ways to both, without what they have in common.
    fn around(&self, one: u32, other: u32) -> Vec<u32> {
        let way = |mut at: u32| {
            let mut way = vec![at];
            while self.from[at as usize] != u32::MAX {
                at = self.from[at as usize];
                way.push(at);
            }
            way
        };
        let (mut one, mut other) = (way(one), way(other));
        while one.len() > 1 && other.len() > 1 && one[one.len() - 2..] == other[other.len() - 2..] {
            one.pop();
            other.pop();
        }
        // Both ways end at the same triangle.
        other.pop();
        one.extend(other.into_iter().rev());
        one
    }
}
