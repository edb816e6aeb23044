//! How contact with a collider resists sliding.
//!
//! - Coulomb: a particle sticks while the reaction is inside the cone of the coefficient `μ`; outside
//!   it slides, against the force `μ λ`, `λ` being the last push of the collider. The force turns with
//!   the slide: of its way `s` in a step, the part across the direction expected meets the stiffness
//!   `μ λ/|s|`. Without that, what creeps would be driven now to one side, now to the other.
//! - Viscous, as published: the force `c λ v` against the velocity `v` along the surface. It is
//!   frozen at the start of the step and takes at most that velocity: more would turn it round.
//! - A sudden push, whose impulse is `m a` for a particle that approaches at `a`, takes velocity by
//!   the same laws: at most `μ a`, or `c a v/(1 + c a)`.
//!
//! Velocities are relative to the collider's surface.
//! Units: μ none, c s/m. Source: *Stable but Responsive Cloth*, section 5.1; Coulomb's law.
//! Verified by: `tests/contact.rs`, `tests/moving_colliders.rs`.

use crate::colliders::FrictionLaw;
use crate::constraints::pin::Spring;
use crate::contact::collider::Slip;
use crate::contact::tuning::TUNING;
use glam::DVec3;
use toile_numerics::Hold;

/// How a collider resists a cloth that slides on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grip {
    /// Coefficient in the units of the law.
    pub coefficient: f64,
    /// What it means.
    pub law: FrictionLaw,
}

/// A sliding particle at the start of a step.
pub struct Sliding {
    /// Force with which the collider pushes, N.
    pub push_n: f64,
    /// Outward normal.
    pub normal: DVec3,
    /// The direction it was found to slide in.
    pub direction: DVec3,
    /// Its velocity, m/s.
    pub velocity: DVec3,
    /// Its mass, kg.
    pub mass_kg: f64,
}

/// Friction on a sliding particle during a step.
#[derive(Clone, Copy, Debug)]
pub struct SlidingFriction {
    /// Along the direction in which it was found to slide, N.
    pub force_n: DVec3,
    /// Where the collider would carry it, m.
    pub carried: DVec3,
    /// What keeps the particle to its direction.
    pub across: Option<Spring>,
}

impl SlidingFriction {
    /// That of a particle that slides on its way between these ends.
    pub fn new(
        grip: Grip,
        sliding: &Sliding,
        particle: u32,
        [from, carried]: [DVec3; 2],
        step_s: f64,
    ) -> Self {
        let spring = |(across, stiffness_n_per_m)| Spring {
            particle,
            hold: Hold::Normal(across),
            goal: carried,
            way: carried - from,
            stiffness_n_per_m,
        };
        Self {
            force_n: force(grip, sliding, step_s),
            carried,
            across: across(grip, sliding, step_s).map(spring),
        }
    }

    /// All of the friction on the particle at the step's end, N.
    pub fn at_end(&self, position: DVec3) -> DVec3 {
        let across = self.across.map(|spring| spring.force(position, 1.0));
        self.force_n + across.unwrap_or_default()
    }

    /// Work that it does on a particle which ends at `position`, J, where it drives it back.
    pub fn driven_j(&self, position: DVec3, normal: DVec3) -> f64 {
        let way = (position - self.carried).reject_from_normalized(normal);
        self.at_end(position).dot(way).max(0.0)
    }
}

/// Force on a sliding particle in a step of `step_s`, N.
pub fn force(grip: Grip, sliding: &Sliding, step_s: f64) -> DVec3 {
    let strength = grip.coefficient * sliding.push_n;
    match grip.law {
        FrictionLaw::Coulomb => {
            let along = sliding.direction.reject_from_normalized(sliding.normal);
            -strength * along.normalize_or_zero()
        }
        FrictionLaw::Viscous => {
            let along = sliding.velocity.reject_from_normalized(sliding.normal);
            -strength.min(sliding.mass_kg / step_s) * along
        }
    }
}

/// Resistance to a slide that leaves its direction in a step of `step_s`: the unit vector across it,
/// and the stiffness, N/m.
pub fn across(grip: Grip, sliding: &Sliding, step_s: f64) -> Option<(DVec3, f64)> {
    let strength = grip.coefficient * sliding.push_n;
    if grip.law != FrictionLaw::Coulomb || strength <= 0.0 {
        return None;
    }
    let along = sliding.direction.reject_from_normalized(sliding.normal);
    let along = along.try_normalize()?;
    let way_m = step_s * sliding.velocity.dot(along);
    let across = sliding.normal.cross(along);
    Some((across, strength / way_m.max(TUNING.friction_least_way_m)))
}

/// Velocity that a sudden push takes from one `along` the surface, m/s.
pub fn of_push(grip: Grip, approach: f64, along: DVec3) -> DVec3 {
    let strength = grip.coefficient * approach;
    match grip.law {
        FrictionLaw::Coulomb => along.clamp_length_max(strength),
        FrictionLaw::Viscous => strength / (1.0 + strength) * along,
    }
}

/// How a particle that has just come to a collider moves along it: it slides, unless it comes
/// straight to a surface that can hold it.
pub fn at_first(grip: Grip, along: DVec3) -> Slip {
    match along.try_normalize() {
        Some(direction) => Slip::Slide(direction),
        None if holds(grip) => Slip::Stick,
        None => Slip::Slide(DVec3::ZERO),
    }
}

/// How a sticking particle goes on whose reaction has these parts.
pub fn after_sticking(grip: Grip, push: f64, tangential: DVec3) -> Slip {
    if holds(grip)
        && tangential.length() <= (1.0 + TUNING.friction_outside) * grip.coefficient * push
    {
        Slip::Stick
    } else {
        Slip::Slide(-tangential.normalize_or_zero())
    }
}

/// How a particle goes on that was to slide in `direction`, went the way `way_m` over the collider in
/// a step, and was `resisted` by this force.
pub fn after_sliding(grip: Grip, direction: DVec3, way_m: DVec3, resisted: DVec3) -> Slip {
    if holds(grip) && (way_m.dot(direction) <= 0.0 || way_m.length() <= TUNING.friction_ended_m) {
        Slip::Stick
    } else if way_m.length() > TUNING.friction_least_way_m {
        Slip::Slide(way_m.normalize_or(direction))
    } else {
        // It has hardly moved, but what resisted it tells where it would go.
        Slip::Slide((-resisted).normalize_or(direction))
    }
}

/// Whether anything can stick to it.
fn holds(grip: Grip) -> bool {
    grip.law == FrictionLaw::Coulomb && grip.coefficient > 0.0
}
