//! Strain limits: no stretch or shear link, and no edge of a triangle, leaves a step longer, and no
//! thread shorter, than allowed, and none changes its length faster.
//!
//! - Projection: for a link of predicted ends `p = x + Δt v`, direction `n`, length `ℓ` and nearest
//!   allowed length `ℓ_t`, `J = (ℓ − ℓ_t)/(Δt (w_i + w_j))`, `v_i += w_i J n`, `v_j −= w_j J n`, with
//!   inverse masses `w`; a held particle has none, and one on a surface moves along it. One link is
//!   met exactly.
//! - Order: links are met one after the other in their fixed order, forwards and backwards in turn;
//!   or colour by colour, the links of a colour sharing no particle and being met all at once. Both
//!   give the same bits on any number of threads. It ends when no link is outside its bounds, or
//!   when the sweeps run out.
//! - Momentum: each projection conserves linear momentum between free particles, and angular
//!   momentum about the predicted positions.
//! - Which links: warp, weft and shear are limited in extension; an edge of a triangle counts as the
//!   one whose direction is nearest. In compression only warp and weft
//!   are: a sheared cell has a diagonal that must shorten, and bending links are no edges at all.
//! - Units: m, m/s, kg.
//! - Degenerate cases: links between two held particles, or between ends at the same place, are
//!   left alone.
//! - Source: *Simulation of Clothing with Folds and Wrinkles*, section 3.1, as velocity projection.
//! - Verified by: `tests/strain_limit.rs`.

mod bounds;
mod colours;

use crate::constraints::StepConstraints;
use crate::model::Materials;
use bounds::{Bounds, Lengths};
use colours::Colours;
use glam::DVec3;
use toile_numerics::{Hold, par};

/// One number for each direction of the cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PerDirection {
    /// Along the warp.
    pub warp: f64,
    /// Along the weft.
    pub weft: f64,
    /// Along the diagonals.
    pub shear: f64,
}

impl PerDirection {
    /// The same in every direction.
    pub fn all(value: f64) -> Self {
        Self {
            warp: value,
            weft: value,
            shear: value,
        }
    }
}

/// In which order the links are met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// One after the other: converges in fewer sweeps.
    #[default]
    Sequential,
    /// Colour by colour, the links of one colour on all threads.
    Coloured,
}

/// The limits' settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrainLimit {
    /// Largest extension, as a share of the rest length.
    pub max_extension: PerDirection,
    /// Largest compression of warp and weft edges, as a share of the rest length; 1 is no limit.
    /// That of shear is ignored.
    pub max_compression: PerDirection,
    /// Fastest change of a link's length, as a share of its rest length a second; infinite is no
    /// limit. It has the last word: a link far outside its bounds is brought back at this rate.
    pub max_rate_per_s: f64,
    /// In which order links are met.
    pub order: Order,
    /// Sweeps at the most.
    pub max_sweeps: u32,
}

impl Default for StrainLimit {
    /// The source's: 10 % of extension, no compression.
    fn default() -> Self {
        Self {
            max_extension: PerDirection::all(0.1),
            max_compression: PerDirection::all(0.0),
            max_rate_per_s: f64::INFINITY,
            order: Order::Sequential,
            max_sweeps: 30,
        }
    }
}

impl StrainLimit {
    /// A limit on extension alone.
    pub fn extension(max_extension: f64, max_sweeps: u32) -> Self {
        Self {
            max_extension: PerDirection::all(max_extension),
            max_compression: PerDirection::all(1.0),
            max_sweeps,
            ..Self::default()
        }
    }
}

/// What limiting a step did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limited {
    /// Projections made.
    pub projections: u32,
    /// Sweeps made.
    pub sweeps: u32,
}

impl std::ops::AddAssign for Limited {
    fn add_assign(&mut self, more: Self) {
        self.projections += more.projections;
        self.sweeps += more.sweeps;
    }
}

/// Scratch memory of one model.
#[derive(Default)]
pub struct Workspace {
    predicted: Vec<DVec3>,
    moved: Vec<u32>,
    outside: Vec<u32>,
    moves: Vec<Option<[DVec3; 2]>>,
    holds: Vec<Option<Hold>>,
    /// Of each family, made when first needed.
    colours: Vec<Colours>,
}

/// Changes `v` so that `x + step_s v` meets the limits.
pub fn project(
    limit: &StrainLimit,
    (masses, materials): (&[f64], &Materials),
    holds: &StepConstraints,
    (x, step_s): (&[DVec3], f64),
    v: &mut [DVec3],
    work: &mut Workspace,
) -> Limited {
    work.predicted.resize(x.len(), DVec3::ZERO);
    let from = &*v;
    par::fill(&mut work.predicted, |i| x[i] + step_s * from[i]);
    if limit.order == Order::Coloured && work.colours.is_empty() {
        work.colours = Lengths::of(materials)
            .map(|lengths| {
                let ends: Vec<_> = (0..lengths.len()).map(|k| lengths.ends(k)).collect();
                Colours::new(x.len(), &ends)
            })
            .collect();
    }
    work.moved.clear();
    let mut limited = Limited::default();
    for sweep in 0..limit.max_sweeps {
        let mut projections = 0;
        for (index, lengths) in Lengths::of(materials).enumerate() {
            let bounds = Bounds::new(limit, lengths, (x, step_s));
            projections += match limit.order {
                Order::Sequential => {
                    work.outside.clear();
                    bounds.select_outside(None, &work.predicted, &mut work.outside);
                    if sweep % 2 == 1 {
                        work.outside.reverse();
                    }
                    one_by_one(masses, holds, &bounds, work)
                }
                Order::Coloured => {
                    let colours = std::mem::take(&mut work.colours);
                    let mut projections = 0;
                    for links in colours[index].in_turn(sweep % 2 == 1) {
                        work.outside.clear();
                        bounds.select_outside(Some(links), &work.predicted, &mut work.outside);
                        projections += all_at_once(masses, holds, &bounds, work);
                    }
                    work.colours = colours;
                    projections
                }
            };
        }
        if projections == 0 {
            break;
        }
        limited += Limited {
            projections,
            sweeps: 1,
        };
    }
    work.holds.clear();
    work.moved.sort_unstable();
    work.moved.dedup();
    for &particle in &work.moved {
        let i = particle as usize;
        v[i] = (work.predicted[i] - x[i]) / step_s;
    }
    limited
}

/// Meets the links outside their bounds in the order given; returns how many were moved.
fn one_by_one(
    masses: &[f64],
    holds: &StepConstraints,
    bounds: &Bounds<'_>,
    work: &mut Workspace,
) -> u32 {
    let Workspace {
        predicted,
        moved,
        outside,
        holds: hold_of,
        ..
    } = work;
    if outside.is_empty() {
        return 0;
    }
    look_up_holds(holds, predicted.len(), hold_of);
    let mut projections = 0;
    for &link in &*outside {
        let link = link as usize;
        if let Some(moves) = moves_of(masses, hold_of, bounds, link, predicted) {
            let ends = bounds.lengths.ends(link);
            for (end, by) in ends.iter().zip(moves) {
                predicted[*end as usize] += by;
            }
            moved.extend(ends);
            projections += 1;
        }
    }
    projections
}

/// The same for links that share no particle, on all threads.
fn all_at_once(
    masses: &[f64],
    holds: &StepConstraints,
    bounds: &Bounds<'_>,
    work: &mut Workspace,
) -> u32 {
    let Workspace {
        predicted,
        moved,
        outside,
        moves,
        holds: hold_of,
        ..
    } = work;
    if outside.is_empty() {
        return 0;
    }
    look_up_holds(holds, predicted.len(), hold_of);
    moves.resize(outside.len(), None);
    let (links, at, hold_of) = (&*outside, &*predicted, &*hold_of);
    par::fill(moves, |k| {
        moves_of(masses, hold_of, bounds, links[k] as usize, at)
    });
    let mut projections = 0;
    for (&link, moves) in links.iter().zip(&*moves) {
        if let Some(moves) = moves {
            let ends = bounds.lengths.ends(link as usize);
            for (end, by) in ends.iter().zip(moves) {
                predicted[*end as usize] += *by;
            }
            moved.extend(ends);
            projections += 1;
        }
    }
    projections
}

/// Fills the list of holds by particle, if that was not done in this step yet.
fn look_up_holds(holds: &StepConstraints, particles: usize, hold_of: &mut Vec<Option<Hold>>) {
    if hold_of.is_empty() {
        hold_of.resize(particles, None);
        for target in &holds.targets {
            hold_of[target.particle as usize] = Some(target.hold);
        }
    }
}

/// How far a link's ends must go to be as far apart as allowed; `None` if they are, or cannot.
fn moves_of(
    masses: &[f64],
    holds: &[Option<Hold>],
    bounds: &Bounds<'_>,
    link: usize,
    predicted: &[DVec3],
) -> Option<[DVec3; 2]> {
    let [i, j] = bounds.lengths.ends(link).map(|end| end as usize);
    let between = predicted[j] - predicted[i];
    let length = between.length();
    let (shortest, longest) = bounds.of(link);
    let allowed = length.clamp(shortest, longest);
    if length == allowed || length == 0.0 {
        return None;
    }
    let n = between / length;
    // How far each end goes for a unit pull along the link.
    let [give_i, give_j] = [i, j].map(|particle| {
        let inverse_mass = 1.0 / masses[particle];
        match holds[particle] {
            None => inverse_mass * n,
            Some(hold) => inverse_mass * hold.free_part(n),
        }
    });
    let give = give_i.dot(n) + give_j.dot(n);
    // What lets go of less than this share is held across the link.
    let least = 1e-6 / masses[i].max(masses[j]);
    if give <= least {
        return None;
    }
    let pull = (length - allowed) / give;
    Some([pull * give_i, -pull * give_j])
}
