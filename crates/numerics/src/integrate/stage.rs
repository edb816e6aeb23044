//! What schemes with explicit elastic forces share.
//!
//! Held coordinates move at the constant velocity that their prescribed motion asks for: it
//! replaces theirs at the start, accelerations have no held part, and the positions at the end are
//! set to where they must be, so that rounding does not add up.

use super::{LinearInfo, Scratch, Start, System};
use crate::par;

/// Coordinates one task updates.
pub(super) const GRAIN: usize = 8192;

/// Sets `scratch.base` to the velocities the step starts with.
pub(super) fn begin<S: System>(system: &S, start: &Start<'_>, step_s: f64, scratch: &mut Scratch) {
    scratch.resize(start.x.len());
    scratch.base.copy_from_slice(start.v);
    system.prescribe_velocity(start.x, step_s, &mut scratch.base);
}

/// `a = M⁻¹ f(x, v)` at a share of the step.
pub(super) fn acceleration<S: System>(
    system: &mut S,
    share: f64,
    x: &[f64],
    v: &[f64],
    a: &mut [f64],
) {
    system.set_instant(share);
    system.force(x, v, a);
    for (a, mass) in a.iter_mut().zip(system.coordinate_masses()) {
        *a /= mass;
    }
    system.project(a);
}

/// `out = v + time_s · rate`.
pub(super) fn extrapolate(v: &[f64], time_s: f64, rate: &[f64], out: &mut [f64]) {
    par::fill(out, |i| v[i] + time_s * rate[i]);
}

/// `x = from + step_s · v`, with what is held where it must be, and filtered. `gap` is scratch
/// memory.
pub(super) fn move_positions<S: System>(
    system: &mut S,
    from: &[f64],
    step_s: f64,
    v: &[f64],
    x: &mut [f64],
    gap: &mut [f64],
) {
    extrapolate(from, step_s, v, x);
    gap.fill(0.0);
    system.prescribe(x, gap);
    for (x, gap) in x.iter_mut().zip(&*gap) {
        *x += gap;
    }
    system.filter_position(x);
}

/// An equation `v = known + time_s M⁻¹ f(x, v)` for `v`, at a share of the step.
pub(super) struct Velocity<'a> {
    pub share: f64,
    pub x: &'a [f64],
    pub known: &'a [f64],
    pub time_s: f64,
}

impl Velocity<'_> {
    /// Solves it for `v`, on entry a guess, as `(M − time_s D) δ = M (known − v) + time_s f(x, v)`
    /// for the change `δ` of the guess. Exact but for the solver's tolerance where forces are
    /// linear in velocity; other coefficients are those of the guess. `[force, rhs, change]` are
    /// scratch memory.
    pub fn solve<S: System>(
        &self,
        system: &mut S,
        v: &mut [f64],
        [force, rhs, change]: [&mut [f64]; 3],
    ) -> Result<LinearInfo, S::Error> {
        system.set_instant(self.share);
        system.force(self.x, v, force);
        let (masses, guess) = (system.coordinate_masses(), &*v);
        let force = &*force;
        par::fill(rhs, |i| {
            masses[i] * (self.known[i] - guess[i]) + self.time_s * force[i]
        });
        let info = system.solve_damped(self.x, self.time_s, rhs, change)?;
        for (v, change) in v.iter_mut().zip(&*change) {
            *v += change;
        }
        Ok(info)
    }
}
