//! Moves the points of contacts apart, a few times in turn: a first guess for the solver that passes
//! through nothing.

use crate::contact::stencil::ContactStencil;
use glam::DVec3;

/// To and fro: what is pushed from one end of a pile arrives at the other.
const SWEEPS: usize = 8;

/// Moves `x` until no contact is nearer than its distance, as far as a few sweeps can.
pub fn part(touches: &[ContactStencil], x: &mut [DVec3]) {
    for sweep in 0..SWEEPS {
        let mut apart = true;
        let mut push = |touch: &ContactStencil| {
            let depth = touch.depth_m(&touch.at(x));
            if depth > 0.0 {
                apart = false;
                for (k, particle) in touch.particles() {
                    x[particle] += (touch.give[k] * depth) * touch.normal;
                }
            }
        };
        if sweep % 2 == 0 {
            touches.iter().for_each(&mut push);
        } else {
            touches.iter().rev().for_each(&mut push);
        }
        if apart {
            break;
        }
    }
}
