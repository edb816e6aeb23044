//! Links that pull or push along the line between two particles: the assembly shared by every
//! axial law.
//!
//! - Energy: `Σ E(r)`, `r = |x_j − x_i|`.
//! - Force: `f_i = (T + k_d n·w) n`, `f_j = −f_i`, with tension `T = dE/dr`, direction
//!   `n = (x_j − x_i)/r` and relative velocity `w = v_j − v_i`. The damper acts along the link
//!   alone, so rigid rotation feels nothing.
//! - Jacobian: `∂f_i/∂x_j = H = T' nnᵀ + (T/r)(I − nnᵀ)`, of which [`Jacobian`] says what goes
//!   into the matrix. Damping: `∂f_i/∂v_j = k_d nnᵀ` (or `k_d I`); its dependence on position is
//!   unsymmetric and left out.
//! - Units: N, N/m, N·s/m.
//! - Degenerate cases: below `1e-9` of the rest length the direction is undefined and a fixed
//!   direction of the link's class is used, so that every number stays finite.
//! - Source: *Stable but Responsive Cloth*, sections 3.1–3.4 (with `nnᵀ = ddᵀ/dᵀd`).
//! - Verified by: `tests/derivatives.rs`, `tests/conservation.rs`.

use crate::assembly::family::{At, Family, Terms};
use crate::assembly::incidence::Incidence;
use crate::assembly::lanes::{LaneResponses, Lanes, LawLanes};
use crate::solve::grid::rows::{LinearisedRow, TrialRow};
use glam::{DMat3, DVec3};
use std::sync::{Arc, OnceLock};
use toile_numerics::lattice::Parts;
use toile_numerics::single_sum::BlocksMut;
use toile_numerics::{Pattern, par};

/// What a law says of a link of some length.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Response {
    /// Energy, J.
    pub energy_j: f64,
    /// Tension, N; positive pulls together.
    pub tension_n: f64,
    /// Exact derivative of tension by length, N/m.
    pub slope_n_per_m: f64,
    /// Axial stiffness that only the matrix has, N/m.
    pub slack_stiffness_n_per_m: f64,
}

/// Which part of a link's exact block `T' nnᵀ + (T/r)(I − nnᵀ)` goes into the matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Jacobian {
    /// All of it. Indefinite as soon as a link pushes.
    Exact,
    /// Laws that can push lose their transverse part; laws that only pull keep it. As published.
    #[default]
    DropOrthogonal,
    /// Every negative part is set to zero.
    Projected,
}

/// The direction in which a link's damper acts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DampingKind {
    /// Along the link: `f_i = −k_d nnᵀ(v_i − v_j)`. Rigid rotation feels nothing.
    #[default]
    Axial,
    /// In every direction: `f_i = −k_d (v_i − v_j)`, the formula printed in the source. It also
    /// damps out-of-plane motion and brakes rigid rotation.
    Isotropic,
}

/// Dampers and matrix of a family of links.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinkOptions {
    /// Damper k_d of every link, N·s/m.
    pub damping_n_s_per_m: f64,
    /// Its direction.
    pub damping: DampingKind,
    /// What the matrix keeps.
    pub jacobian: Jacobian,
}

/// Tension as a function of length. Its values hold for one class of links.
pub trait AxialLaw: Send + Sync {
    /// Whether the tension can be negative.
    const PUSHES: bool;
    /// Rest length, m.
    fn rest_length_m(&self) -> f64;
    /// The response at `length_m ≥ 0`.
    fn respond(&self, length_m: f64) -> Response;
    /// The same of many links at once.
    #[inline]
    fn respond_lanes(&self, lengths_m: Lanes) -> LawLanes {
        LawLanes::one_by_one(lengths_m, |length_m| self.respond(length_m))
    }
}

/// A link's linearisation: its share of the matrix is `isotropic I + axial nnᵀ`.
#[derive(Clone, Copy, Debug, Default)]
struct Term {
    direction: DVec3,
    /// Force on the first end, N.
    force_n: DVec3,
    /// Weighted stiffness and damping along the link, beyond that in every direction, kg.
    axial_kg: f64,
    /// Weighted stiffness and damping in every direction, kg.
    isotropic_kg: f64,
    energy_j: f64,
    /// Half the power its damper dissipates, W.
    dissipation_w: f64,
}

impl Term {
    fn block(&self) -> DMat3 {
        let n = self.direction;
        let (isotropic, scaled) = (self.isotropic_kg, self.axial_kg * n);
        DMat3::from_cols(
            DVec3::new(isotropic + scaled.x * n.x, scaled.x * n.y, scaled.x * n.z),
            DVec3::new(scaled.y * n.x, isotropic + scaled.y * n.y, scaled.y * n.z),
            DVec3::new(scaled.z * n.x, scaled.z * n.y, isotropic + scaled.z * n.z),
        )
    }
}

/// Links of a few classes that share a law.
pub struct AxialLinks<L> {
    ends: Vec<[u32; 2]>,
    class: Vec<u8>,
    classes: Vec<Class<L>>,
    options: LinkOptions,
    particles: usize,
    pattern: Option<Arc<Pattern>>,
    /// Made when first asked for: only what is assembled asks.
    incidence: OnceLock<Incidence>,
}

/// Links with equal parameters.
pub struct Class<L> {
    /// Their law.
    pub law: L,
    /// Direction used when the two ends coincide.
    pub fallback_direction: DVec3,
}

/// A family of links, as those see it who know that it is one.
pub trait LinkFamily: Family {
    /// The links' particles.
    fn ends(&self) -> &[[u32; 2]];
    /// Dampers and matrix.
    fn options(&self) -> &LinkOptions;
    /// Linearises a row of links of one class; returns its potential and what its blocks hold.
    fn linearise_row(&self, class: usize, row: LinearisedRow<'_>) -> (f64, Parts);
    /// The potential of a row of links of one class.
    fn row_potential(&self, class: usize, row: TrialRow<'_>) -> f64;
    /// Number of classes.
    fn classes(&self) -> usize;
    /// Class of every link.
    fn class_of_links(&self) -> &[u8];
    /// Rest length of the links of a class, m.
    fn class_rest_length_m(&self, class: usize) -> f64;
    /// `max(r/L − 1, 0)` of every link.
    fn stretch(&self, positions: &[DVec3], out: &mut Vec<f64>);
}

impl<L: AxialLaw> AxialLinks<L> {
    /// Links between `ends`, each with the parameters of `classes[class]`.
    pub fn new(
        particles: usize,
        links: impl IntoIterator<Item = ([u32; 2], u8)>,
        classes: Vec<Class<L>>,
        options: LinkOptions,
    ) -> Self {
        let (ends, class): (Vec<[u32; 2]>, Vec<u8>) = links.into_iter().unzip();
        Self {
            ends,
            class,
            classes,
            options,
            particles,
            pattern: None,
            incidence: OnceLock::new(),
        }
    }

    fn incidence(&self) -> &Incidence {
        let made = || Incidence::new(self.particles, &self.ends, self.pattern.as_deref());
        self.incidence.get_or_init(made)
    }

    fn length(&self, link: usize, positions: &[DVec3]) -> f64 {
        let [i, j] = self.ends[link];
        positions[j as usize].distance(positions[i as usize])
    }

    /// Direction of a link whose second end is `between` away from its first.
    fn direction(&self, link: usize, between: DVec3) -> DVec3 {
        let Class {
            law,
            fallback_direction,
        } = self.class_of(link);
        let length = between.length();
        if coincide(length, law.rest_length_m()) {
            *fallback_direction
        } else {
            between / length
        }
    }

    fn class_of(&self, link: usize) -> &Class<L> {
        &self.classes[self.class[link] as usize]
    }
}

impl<L: AxialLaw> Family for AxialLinks<L> {
    fn for_each_coupling(&self, f: &mut dyn FnMut([u32; 2])) {
        self.ends.iter().copied().for_each(f);
    }

    fn bind(&mut self, pattern: &Arc<Pattern>) {
        self.pattern = Some(pattern.clone());
        self.incidence = OnceLock::new();
    }

    fn energy(&self, positions: &[DVec3], _memory: &[f64]) -> f64 {
        par::sum(self.ends.len(), |link| {
            let response = self
                .class_of(link)
                .law
                .respond(self.length(link, positions));
            response.energy_j
        })
    }

    fn linearise(&self, at: &At<'_>, _blocks: Option<BlocksMut<'_>>, terms: &mut Terms) {
        let (x, v, weights) = (at.x, at.v, at.weights);
        let damper_kg = weights.damping_s * self.options.damping_n_s_per_m;
        par::fill(terms.room(self.ends.len()), |link| {
            let [i, j] = self.ends[link].map(|end| end as usize);
            let law = &self.class_of(link).law;
            let between = x[j] - x[i];
            let length = between.length();
            let mut response = law.respond(length);
            response.slack_stiffness_n_per_m *= weights.matrix_only_stiffness;
            let (axial, mut transverse) = self.matrix_part(&response, length);
            if coincide(length, law.rest_length_m()) {
                transverse = 0.0;
            }
            let mut isotropic_kg = weights.stiffness_s2 * transverse;
            let mut axial_kg = weights.stiffness_s2 * (axial - transverse);
            match self.options.damping {
                DampingKind::Axial => axial_kg += damper_kg,
                DampingKind::Isotropic => isotropic_kg += damper_kg,
            }
            let direction = self.direction(link, between);
            let approach = v[j] - v[i];
            let damping = self.options.damping_force(direction, approach);
            Term {
                direction,
                force_n: response.tension_n * direction + damping,
                axial_kg,
                isotropic_kg,
                energy_j: response.energy_j,
                dissipation_w: 0.5 * approach.dot(damping),
            }
        });
    }

    fn linearised_potential(&self, terms: &Terms, velocity_s: f64) -> f64 {
        let terms: &[Term] = terms.all();
        par::sum(terms.len(), |link| {
            terms[link].energy_j + velocity_s * terms[link].dissipation_w
        })
    }

    fn potential(
        &self,
        terms: &Terms,
        positions: &[DVec3],
        velocities: &[DVec3],
        velocity_s: f64,
    ) -> f64 {
        let terms: &[Term] = terms.all();
        par::sum(self.ends.len(), |link| {
            let [i, j] = self.ends[link].map(|end| end as usize);
            let length = positions[i].distance(positions[j]);
            let approach = velocities[j] - velocities[i];
            let damping = self.options.damping_force(terms[link].direction, approach);
            let energy_j = self.class_of(link).law.respond(length).energy_j;
            energy_j + 0.5 * velocity_s * approach.dot(damping)
        })
    }

    fn add_forces(&self, terms: &Terms, forces: &mut [DVec3]) {
        let (terms, incidence): (&[Term], _) = (terms.all(), self.incidence());
        par::for_each_leaf(forces, PARTICLE_GRAIN, |first, leaf| {
            for (k, force) in leaf.iter_mut().enumerate() {
                for end in incidence.of(first + k) {
                    let pull = terms[end.link as usize].force_n;
                    *force += if end.is_first { pull } else { -pull };
                }
            }
        });
    }

    fn add_row(&self, row: usize, place_of_diagonal: usize, terms: &Terms, blocks: &mut [DMat3]) {
        let terms: &[Term] = terms.all();
        let mut diagonal = DMat3::ZERO;
        for end in self.incidence().of(row) {
            let block = terms[end.link as usize].block();
            diagonal += block;
            blocks[end.place as usize] -= block;
        }
        blocks[place_of_diagonal] += diagonal;
    }

    fn row_product(&self, row: usize, terms: &Terms, p: &[DVec3]) -> DVec3 {
        let terms: &[Term] = terms.all();
        self.incidence()
            .of(row)
            .iter()
            .map(|end| terms[end.link as usize].block() * (p[row] - p[end.other as usize]))
            .sum()
    }

    fn has_dampers(&self) -> bool {
        self.options.damping_n_s_per_m > 0.0
    }

    fn is_definite(&self) -> bool {
        self.options.jacobian != Jacobian::Exact
    }

    fn has_symmetric_blocks(&self) -> bool {
        true
    }
}

impl<L: AxialLaw> LinkFamily for AxialLinks<L> {
    fn ends(&self) -> &[[u32; 2]] {
        &self.ends
    }

    fn options(&self) -> &LinkOptions {
        &self.options
    }

    fn linearise_row(&self, class: usize, row: LinearisedRow<'_>) -> (f64, Parts) {
        let law = &self.classes[class].law;
        let jacobian = self.options.jacobian;
        let matrix_only = row.step.matrix_only_stiffness;
        row.fill(|lengths_m, per_length_per_m| {
            let law = law.respond_lanes(lengths_m);
            let axial = law.slope_n_per_m;
            let transverse = law.tension_n * per_length_per_m;
            let slack = law.slack_stiffness_n_per_m * matrix_only;
            let (axial_n_per_m, transverse_n_per_m) = match jacobian {
                Jacobian::Exact => (axial, transverse),
                Jacobian::DropOrthogonal if L::PUSHES => (axial + slack, Lanes::ZERO),
                Jacobian::DropOrthogonal => (axial + slack, transverse),
                Jacobian::Projected => {
                    (axial.max(Lanes::ZERO) + slack, transverse.max(Lanes::ZERO))
                }
            };
            LaneResponses {
                law,
                axial_n_per_m,
                transverse_n_per_m,
            }
        })
    }

    fn row_potential(&self, class: usize, row: TrialRow<'_>) -> f64 {
        let law = &self.classes[class].law;
        row.potential(|lengths_m| law.respond_lanes(lengths_m).energy_j)
    }

    fn classes(&self) -> usize {
        self.classes.len()
    }

    fn class_of_links(&self) -> &[u8] {
        &self.class
    }

    fn class_rest_length_m(&self, class: usize) -> f64 {
        self.classes[class].law.rest_length_m()
    }

    fn stretch(&self, positions: &[DVec3], out: &mut Vec<f64>) {
        out.extend((0..self.ends.len()).map(|link| {
            let rest = self.class_of(link).law.rest_length_m();
            (self.length(link, positions) / rest - 1.0).max(0.0)
        }));
    }
}

/// Whether the ends are too near to each other to have a direction.
fn coincide(length_m: f64, rest_length_m: f64) -> bool {
    length_m <= 1e-9 * rest_length_m
}

/// Particles whose forces one task gathers.
const PARTICLE_GRAIN: usize = 256;

impl LinkOptions {
    /// Force on the first end, given the second end's velocity relative to it.
    pub fn damping_force(&self, direction: DVec3, approach: DVec3) -> DVec3 {
        let k_d = self.damping_n_s_per_m;
        match self.damping {
            DampingKind::Axial => k_d * direction.dot(approach) * direction,
            DampingKind::Isotropic => k_d * approach,
        }
    }
}

impl<L: AxialLaw> AxialLinks<L> {
    /// Axial and transverse stiffness in the matrix.
    fn matrix_part(&self, response: &Response, length_m: f64) -> (f64, f64) {
        let axial = response.slope_n_per_m;
        let transverse = response.tension_n / length_m;
        let slack = response.slack_stiffness_n_per_m;
        match self.options.jacobian {
            Jacobian::Exact => (axial, transverse),
            Jacobian::DropOrthogonal if L::PUSHES => (axial + slack, 0.0),
            Jacobian::DropOrthogonal => (axial + slack, transverse),
            Jacobian::Projected => (axial.max(0.0) + slack, transverse.max(0.0)),
        }
    }
}
