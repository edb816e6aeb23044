//! Contact as published with the quad model: particles that come near each other push each other away.
//!
//! With `response = "particles"` the solver looks at particles only, not at what is between them: at those nearer
//! than `h` to each other that are not linked over one or two edges. What holds particles against solids is in
//! the solver's filter, and so comes first. Cloth may pass between particles that are further apart than they
//! push: keeping it from that is left to the guard, which knows all features.
//!
//! - **Energy.** `E = κ/2 (h − d)²` where `d = n·(x − y)` is below `h`, with the direction `n` from one to the
//!   other where the step begins: that of a [`ContactStencil`] with the weights 1 and −1, without friction.
//! - **Force.** `κ (h − d) n` on the first, the opposite on the second.
//! - **Jacobian.** `−κ nnᵀ` for the first with itself: of rank one, nothing across `n`, as for a slack link.
//! - **Units.** `h` m, `κ` N/m.
//! - **Degenerate cases.** Particles in one place have no direction and do not push.
//! - **Source.** *Stable but Responsive Cloth*, section 5, on self-collision. How near is too near is not
//!   published: `h` is three quarters of the shortest edge, so that nothing that lies flat is pushed, and
//!   two layers keep apart that lie on each other.
//! - **Verified by.** `tests/particles.rs`.

use crate::contact::collect::closest_points::ClosestPoints;
use crate::contact::collect::proximity::Ahead;
use crate::contact::stencil::ContactStencil;
use crate::contact::surfaces::{Pair, Surfaces};
use crate::contact::tuning::TUNING;
use toile_geometry::broad::near_points;
use toile_geometry::distance::Kind;

/// The particles of all cloths, with what they are linked to.
#[derive(Debug, Default)]
pub struct Particles {
    /// Those one or two edges away from each particle, ascending.
    linked: Vec<Vec<u32>>,
    near: Vec<[u32; 2]>,
}

impl Particles {
    /// Those of the cloths of `surfaces`.
    pub fn new(surfaces: &Surfaces) -> Self {
        let mut beside = vec![Vec::new(); surfaces.particles()];
        for &[a, b, c] in &surfaces.faces {
            for (vertex, others) in [(a, [b, c]), (b, [c, a]), (c, [a, b])] {
                beside[vertex as usize].extend(others);
            }
        }
        for &[a, b] in &surfaces.lone_edges {
            beside[a as usize].push(b);
            beside[b as usize].push(a);
        }
        let linked = beside.iter().map(|own| {
            let further = own.iter().flat_map(|other| &beside[*other as usize]);
            let mut linked: Vec<u32> = own.iter().chain(further).copied().collect();
            linked.sort_unstable();
            linked.dedup();
            linked
        });
        Self {
            linked: linked.collect(),
            near: Vec::new(),
        }
    }

    /// Puts pairs of particles in the place of all contacts between cloths in `stencils`; those with bodies
    /// stay.
    pub fn find(
        &mut self,
        surfaces: &Surfaces,
        ahead: &Ahead<'_>,
        stencils: &mut Vec<ContactStencil>,
    ) {
        stencils.retain(ContactStencil::is_on_body);
        let distance_m = TUNING.particles_near_edges * surfaces.shortest_edge_m;
        let Self { linked, near } = self;
        let reached = &ahead.step.path.reached;
        near_points(&reached[..linked.len()], distance_m, near);
        let apart = near.iter().filter(|[a, b]| {
            let own: &[u32] = &linked[*a as usize];
            own.binary_search(b).is_err()
        });
        stencils.extend(apart.filter_map(|&[a, b]| {
            let pair = Pair {
                kind: Kind::PointTriangle,
                vertices: [a, b, b, b],
            };
            let [x, y] = [a, b].map(|particle| reached[particle as usize]);
            let points = ClosestPoints {
                pair,
                weights: [1.0, -1.0, 0.0, 0.0],
                normal: (x - y).try_normalize()?,
                distance_m,
                kept_m: distance_m,
                friction: 0.0,
            };
            points.stencil(surfaces, ahead, ahead.precursor(&pair))
        }));
        stencils.sort_by_key(|stencil| stencil.pair);
    }
}
