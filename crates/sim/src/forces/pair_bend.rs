//! Bending of `triangle-buckling`: the two corners opposite to a shared edge, joined by the
//! immediately buckling link of the quad model.
//!
//! - Energy: that of [`BucklingLink`] with the rest chord L of the unfolded flat pair and the rigidity
//!   `k_b = (A_1 + A_2) k/L`, k in N·m.
//! - Force: along the line between the two corners, which it pushes apart.
//! - Jacobian: the axial part `f' nnᵀ`; `exact` adds the transverse part, which is negative.
//! - Damper: along the link.
//! - Units: N·m for k, N·s/m for the damper.
//! - Degenerate cases: corners closer than 1e-9 of the chord have no direction and feel nothing.
//! - Source: the fourth source, equations 6–8.
//! - Verified by: `tests/triangles.rs`.

use super::buckling_link::BucklingLink;
use super::triangle::outer;
use crate::assembly::elements::{Batch, Element, LaneTerms, Linearised, Local};
use crate::assembly::lanes::{
    LANES, Lanes, Number, SingleLanes, difference, dot, each_lane, rounded, scaled, single, vector,
    vectors,
};
use crate::assembly::links::{AxialLaw, Jacobian};
use glam::{DMat3, DVec3};
use toile_numerics::single_sum::BlocksMut;

/// One pair of triangles.
#[derive(Clone, Copy, Debug)]
pub struct PairBend {
    /// The link.
    pub law: BucklingLink,
    /// Damper along it, N·s/m.
    pub damping_n_s_per_m: f64,
    /// What the matrix keeps.
    pub jacobian: Jacobian,
}

impl PairBend {
    fn direction(&self, between: DVec3, length: f64) -> DVec3 {
        if length > 1e-9 * self.law.rest_length_m() {
            (1.0 / length) * between
        } else {
            DVec3::ZERO
        }
    }
}

impl Element<2> for PairBend {
    type Pairs = [DMat3; 1];
    /// The link's direction.
    type Frozen = DVec3;
    const SYMMETRIC: bool = true;

    fn energy(&self, [i, l]: [DVec3; 2], _memory: &[f64]) -> f64 {
        self.law.respond(l.distance(i)).energy_j
    }

    fn linearise(&self, local: &Local<'_, 2>) -> Linearised<[DMat3; 1], DVec3, 2> {
        let between = local.x[1] - local.x[0];
        let length = between.length();
        let response = self.law.respond(length);
        let n = self.direction(between, length);
        let rate = n.dot(local.v[1] - local.v[0]);
        let pull = (response.tension_n + self.damping_n_s_per_m * rate) * n;
        let mut transverse = 0.0;
        if self.jacobian == Jacobian::Exact && n != DVec3::ZERO {
            transverse = local.weights.stiffness_s2 * response.tension_n / length;
        }
        let mut slope = response.slope_n_per_m;
        if self.jacobian == Jacobian::Projected {
            slope = slope.max(0.0);
        }
        let axial =
            local.weights.stiffness_s2 * slope + local.weights.damping_s * self.damping_n_s_per_m;
        let block =
            DMat3::from_diagonal(DVec3::splat(transverse)) + outer((axial - transverse) * n, n);
        Linearised {
            forces: [pull, -pull],
            pairs: [-block],
            energy_j: response.energy_j,
            dissipation_w: 0.5 * self.damping_n_s_per_m * rate * rate,
            frozen: n,
        }
    }

    fn linearise_lanes(
        batch: &Batch<'_, Self, 2>,
        blocks: BlocksMut<'_>,
        terms: &mut LaneTerms<DVec3, 2>,
    ) {
        if batch.elements.iter().any(|pair| !pair.is_definite()) {
            return batch.one_by_one_rounded(blocks, terms);
        }
        let between = difference(&batch.positions(1), &batch.positions(0));
        let length = dot(&between, &between).root();
        let response =
            BucklingLink::respond_each(&each_lane(|lane| &batch.elements[lane].law), length);
        let shortest = batch.gather(|pair| 1e-9 * pair.law.rest_length_m());
        let inverse = (length - shortest).above(0.0, length.inverse(), Lanes::ZERO);
        let n = scaled(inverse, &between);
        let damping = batch.gather(|pair| pair.damping_n_s_per_m);
        let moving = difference(&batch.velocities(1), &batch.velocities(0));
        let rate = dot(&n, &moving);
        let pull = scaled(response.tension_n + damping * rate, &n);
        // It is never negative, so that it is its own projection.
        let slope = response.slope_n_per_m.positive_part();
        let weights = &batch.at.weights;
        let axial = slope * weights.stiffness_s2 + damping * weights.damping_s;
        let m = rounded(&n);
        let [a, b, c] = scaled(single(-axial), &m);
        let zero = SingleLanes::ZERO;
        let rows = [
            a * m[0],
            a * m[1],
            a * m[2],
            b * m[1],
            b * m[2],
            c * m[2],
            zero,
            zero,
        ];
        blocks.0.copy_from_slice(&SingleLanes::transpose(rows));
        let [x, y, z] = pull;
        terms.set_forces(&[pull, [-x, -y, -z]]);
        terms.energy_j = batch.sum(response.energy_j);
        terms.dissipation_w = batch.sum(damping * rate * rate * 0.5);
        for (lane, frozen) in terms.frozen.iter_mut().enumerate() {
            *frozen = vector(&n, lane);
        }
    }

    fn potential_lanes(
        batch: &Batch<'_, Self, 2>,
        frozen: &[DVec3; LANES],
        velocity_s: f64,
    ) -> f64 {
        let between = difference(&batch.positions(1), &batch.positions(0));
        let length = dot(&between, &between).root();
        let laws = each_lane(|lane| &batch.elements[lane].law);
        let mut potential = BucklingLink::respond_each(&laws, length).energy_j;
        if batch.elements.iter().any(|pair| pair.has_dampers()) {
            let moving = difference(&batch.velocities(1), &batch.velocities(0));
            let rate = dot(&vectors(|lane| frozen[lane]), &moving);
            let damping = batch.gather(|pair| pair.damping_n_s_per_m);
            potential += damping * rate * rate * (0.5 * velocity_s);
        }
        batch.sum(potential)
    }

    fn energy_near(&self, _frozen: &DVec3, x: [DVec3; 2]) -> f64 {
        self.energy(x, &[])
    }

    fn dissipation(&self, n: &DVec3, v: [DVec3; 2]) -> f64 {
        0.5 * self.damping_n_s_per_m * n.dot(v[1] - v[0]).powi(2)
    }

    fn has_dampers(&self) -> bool {
        self.damping_n_s_per_m > 0.0
    }

    fn is_definite(&self) -> bool {
        self.jacobian != Jacobian::Exact
    }
}
