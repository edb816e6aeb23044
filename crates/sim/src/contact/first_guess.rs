//! Moves the points of contacts apart, a few times in turn: a first guess of a solve that passes
//! through nothing.

use crate::contact::stencil::ContactStencil;
use crate::contact::tuning::TUNING;
use glam::DVec3;

/// Moves `x` until no contact is nearer than its distance, as far as a few sweeps can.
pub fn separate(stencils: &[ContactStencil], x: &mut [DVec3]) {
    for sweep in 0..TUNING.guess_sweeps {
        let mut apart = true;
        let mut push = |stencil: &ContactStencil| {
            let depth = stencil.depth_m(&stencil.at(x));
            if depth > 0.0 {
                apart = false;
                for (k, particle) in stencil.particles() {
                    x[particle] += (stencil.give[k] * depth) * stencil.normal;
                }
            }
        };
        if sweep % 2 == 0 {
            stencils.iter().for_each(&mut push);
        } else {
            stencils.iter().rev().for_each(&mut push);
        }
        if apart {
            break;
        }
    }
}
