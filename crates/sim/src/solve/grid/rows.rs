//! One row of a grid's links at a time, eight columns at once.
//!
//! Here the links' geometry meets their law: a family says only how links of some lengths respond.

use crate::assembly::lanes::{LANES, LaneResponses, Lanes, dot};
use toile_numerics::integrate::Weights;
use toile_numerics::lattice::{LinkRow, Parts};

/// Shortest length a direction is taken from, m.
const SHORTEST_M: f64 = 1e-12;

/// A row of numbers, in groups of lanes.
pub type Row<'a> = &'a [[f64; LANES]];

/// The same vector of two rows of nodes: those that links leave, and those where they end.
#[derive(Clone, Copy)]
pub struct Ends<'a> {
    /// By component.
    pub here: [Row<'a>; 3],
    /// By component.
    pub there: [Row<'a>; 3],
}

/// One group of links.
struct Group {
    /// From each link's first end to its second.
    between: [Lanes; 3],
    length: Lanes,
}

impl Ends<'_> {
    /// Cut to one known length, which leaves a single bounds check a group.
    #[inline(always)]
    fn cut(self, groups: usize) -> Self {
        Self {
            here: self.here.map(|row| &row[..groups]),
            there: self.there.map(|row| &row[..groups]),
        }
    }

    #[inline(always)]
    fn differences(&self, group: usize) -> [Lanes; 3] {
        let along = |k: usize| Lanes::from(self.there[k][group]) - Lanes::from(self.here[k][group]);
        [along(0), along(1), along(2)]
    }

    #[inline(always)]
    fn group(&self, group: usize) -> Group {
        let between = self.differences(group);
        let length = dot(&between, &between).sqrt();
        let length = length.max(Lanes::splat(SHORTEST_M));
        Group { between, length }
    }
}

/// What all links of a row share.
#[derive(Clone, Copy)]
pub struct RowOptions<'a> {
    /// Share of the class's strength of each column's link, zero where there is none.
    pub weights: Row<'a>,
    /// What they are multiplied by in this row.
    pub row_weight: f64,
    /// The damper along the links, N·s/m.
    pub axial_damper: f64,
}

/// A row that is linearised.
pub struct LinearisedRow<'a> {
    /// What its links share.
    pub options: RowOptions<'a>,
    /// Where its ends are, m.
    pub positions: Ends<'a>,
    /// How fast they are, m/s.
    pub velocities: Ends<'a>,
    /// The damper in all directions, N·s/m.
    pub isotropic_damper: f64,
    /// Weights of the matrix `M − αD − sK`.
    pub step: &'a Weights,
    /// Takes the links' coefficients.
    pub links: LinkRow<'a>,
    /// Takes their strengths, N/m.
    pub strengths: &'a mut [[f64; LANES]],
}

impl LinearisedRow<'_> {
    /// Fills in coefficients and strengths, given how links of some lengths, and of one over those, respond;
    /// returns the links' potential and what their blocks hold.
    #[inline(always)]
    pub fn fill(self, respond: impl Fn(Lanes, Lanes) -> LaneResponses) -> (f64, Parts) {
        let Self {
            options,
            step,
            isotropic_damper,
            ..
        } = self;
        let groups = options.weights.len();
        let (positions, velocities) = (self.positions.cut(groups), self.velocities.cut(groups));
        let [q_x, q_y, q_z] = self
            .links
            .q
            .map(|plane| &mut plane.as_chunks_mut().0[..groups]);
        let c = &mut self.links.c.as_chunks_mut().0[..groups];
        let strengths = &mut self.strengths[..groups];
        let mut potential = Lanes::ZERO;
        let mut any_isotropic = Lanes::ZERO;
        for g in 0..groups {
            let weight = Lanes::from(options.weights[g]) * options.row_weight;
            let exists = weight.simd_gt(Lanes::ZERO);
            let group = positions.group(g);
            let per_length = Lanes::ONE / group.length;
            let r = respond(group.length, per_length);
            let (mut tension, mut energy) = (weight * r.law.tension_n, weight * r.law.energy_j);
            let transverse = weight * r.transverse_n_per_m;
            let axial = weight * r.axial_n_per_m - transverse;
            let mut axial = axial * step.stiffness_s2;
            let mut isotropic = transverse * step.stiffness_s2;
            if options.axial_damper > 0.0 {
                let damper = exists & Lanes::splat(options.axial_damper);
                let along = dot(&group.between, &velocities.differences(g)) * per_length;
                tension += damper * along;
                energy += damper * along * along * (0.5 * step.velocity_s);
                axial += damper * step.damping_s;
            }
            if isotropic_damper > 0.0 {
                isotropic += exists & Lanes::splat(step.damping_s * isotropic_damper);
            }
            potential += energy;
            any_isotropic = any_isotropic.max(isotropic);
            let root = axial.max(Lanes::ZERO).sqrt() * per_length;
            q_x[g] = single(root * group.between[0]);
            q_y[g] = single(root * group.between[1]);
            q_z[g] = single(root * group.between[2]);
            c[g] = single(isotropic);
            strengths[g] = (tension * per_length).to_array();
        }
        let parts = if any_isotropic.simd_gt(Lanes::ZERO).any() {
            Parts::AxialAndIsotropic
        } else {
            Parts::Axial
        };
        (potential.reduce_add(), parts)
    }
}

/// A row whose potential is asked for elsewhere.
pub struct TrialRow<'a> {
    /// What its links share.
    pub options: RowOptions<'a>,
    /// Where its ends are, m.
    pub positions: Ends<'a>,
    /// Where they were linearised, m: that is how the dampers are directed.
    pub frozen: Ends<'a>,
    /// How fast they are, m/s.
    pub velocities: Ends<'a>,
    /// Weight of the dissipation, s.
    pub velocity_s: f64,
}

impl TrialRow<'_> {
    /// Sums it up.
    #[inline(always)]
    pub fn potential(self, energy: impl Fn(Lanes) -> Lanes) -> f64 {
        let RowOptions {
            weights,
            row_weight,
            axial_damper,
        } = self.options;
        let groups = weights.len();
        let (positions, velocities) = (self.positions.cut(groups), self.velocities.cut(groups));
        let frozen = self.frozen.cut(groups);
        let mut sum = Lanes::ZERO;
        for g in 0..groups {
            let weights = Lanes::from(weights[g]);
            sum += weights * energy(positions.group(g).length) * row_weight;
            if axial_damper > 0.0 {
                let frozen = frozen.group(g);
                let along = dot(&frozen.between, &velocities.differences(g)) / frozen.length;
                let dissipated = along * along * (0.5 * self.velocity_s * axial_damper);
                sum += weights.simd_gt(Lanes::ZERO) & dissipated;
            }
        }
        sum.reduce_add()
    }
}

/// Rounds to single precision.
#[inline(always)]
fn single(lanes: Lanes) -> [f32; LANES] {
    crate::assembly::lanes::single(lanes).to_array()
}
