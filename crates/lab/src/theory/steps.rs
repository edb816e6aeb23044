//! What one step of each scheme does to the simplest motions.

use toile_sim::Integrator;

/// A complex number.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Complex(f64, f64);

impl Complex {
    fn sqrt(self) -> Self {
        let size = self.0.hypot(self.1);
        Self(
            (0.5 * (size + self.0)).sqrt(),
            (0.5 * (size - self.0)).sqrt().copysign(self.1),
        )
    }

    fn size_squared(self) -> f64 {
        self.0 * self.0 + self.1 * self.1
    }
}

/// Order of convergence on smooth motion, with the exact Jacobian or converged Newton.
pub fn order(integrator: Integrator) -> f64 {
    match integrator {
        Integrator::BackwardEuler | Integrator::SymplecticEuler => 1.0,
        Integrator::Newmark(member) if member.gamma() != 0.5 => 1.0,
        Integrator::Rk4 => 4.0,
        _ => 2.0,
    }
}

/// Share of its energy that an undamped linear oscillator keeps in a step of `turn = ωΔt`, in the
/// mean over its phases: the square of the scheme's root, or for one-step schemes the determinant
/// of the step.
///
/// - Backward Euler: `1/(1 + ω²Δt²)`.
/// - BDF2: the square of the principal root of `(3/2 − iωΔt) z² − 2z + 1/2 = 0`.
/// - Newmark: `1 − (γ − ½) ω²Δt²/(1 + βω²Δt²)`.
/// - RK4: `1 − (ωΔt)⁶/72 + (ωΔt)⁸/576`.
/// - All others: 1.
pub fn oscillator(integrator: Integrator, turn: f64) -> f64 {
    match integrator {
        Integrator::BackwardEuler => 1.0 / (1.0 + turn * turn),
        Integrator::Bdf2 => {
            let root = Complex(1.0, 2.0 * turn).sqrt();
            let above = Complex(2.0 + root.0, root.1);
            above.size_squared() / Complex(3.0, -2.0 * turn).size_squared()
        }
        Integrator::Newmark(member) => {
            let square = turn * turn;
            1.0 - (member.gamma() - 0.5) * square / (1.0 + member.beta() * square)
        }
        Integrator::Rk4 => 1.0 - turn.powi(6) / 72.0 + turn.powi(8) / 576.0,
        Integrator::Trapezoidal
        | Integrator::SymplecticEuler
        | Integrator::CentralDifference
        | Integrator::LeapfrogTrapezoid
        | Integrator::CentralNewmark
        | Integrator::ImprovedVariableStep => 1.0,
    }
}

/// How much more energy an undamped oscillator has at its highest than at its lowest, as a share of
/// the latter, in schemes that keep a quadratic form near the energy exactly; `None` for others.
///
/// Leapfrog keeps `v² + (1 − ω²Δt²/4) ω²x²`; symplectic Euler `v² − ωΔt ωxv + ω²x²`; the trapezoidal
/// rule the energy itself.
pub fn swing(integrator: Integrator, turn: f64) -> Option<f64> {
    match integrator {
        Integrator::Trapezoidal => Some(0.0),
        Integrator::SymplecticEuler => Some((1.0 + 0.5 * turn) / (1.0 - 0.5 * turn) - 1.0),
        Integrator::CentralDifference
        | Integrator::LeapfrogTrapezoid
        | Integrator::CentralNewmark
        | Integrator::ImprovedVariableStep => Some(1.0 / (1.0 - 0.25 * turn * turn) - 1.0),
        _ => None,
    }
}

/// Share of its spin that a rigid body keeps after some steps of `turn = ωΔt`.
pub fn rotor(integrator: Integrator, turn: f64, steps: u32) -> f64 {
    braked_rotor(integrator, turn, 0.0, steps)
}

/// The same under a torque that alone would take the share `brake` of the spin in a short step:
/// each step chooses the angle at which the change of momentum, being due to inner forces, has no
/// torque but that.
pub fn braked_rotor(integrator: Integrator, turn: f64, brake: f64, steps: u32) -> f64 {
    let cross = |a: [f64; 2], b: [f64; 2]| a[0] * b[1] - a[1] * b[0];
    let at = |angle: f64| [angle.cos(), angle.sin()];
    // Positions and velocities (per step) now and one step ago; the past of BDF2 is what the
    // constant acceleration of the brake alone would have left.
    let (mut x, mut v) = ([1.0, 0.0], [0.0, turn]);
    let mut x_past = [1.0, -turn * (1.0 + 0.5 * brake)];
    let mut v_past = [0.0, turn * (1.0 + brake)];
    let mut angle = 0.0;
    let (beta, c) = match integrator {
        Integrator::BackwardEuler => (1.0, 0.0),
        Integrator::Bdf2 => (2.0 / 3.0, 1.0 / 3.0),
        _ => return f64::NAN,
    };
    for _ in 0..steps {
        let end = |angle: f64| {
            let x_new = at(angle);
            let v_new: [f64; 2] =
                std::array::from_fn(|i| (x_new[i] - x[i] - c * (x[i] - x_past[i])) / beta);
            let change = std::array::from_fn(|i| {
                (1.0 + beta * brake) * v_new[i] - v[i] - c * (v[i] - v_past[i])
            });
            (x_new, v_new, cross(x_new, change))
        };
        let (mut low, mut high) = (angle - 0.5, angle + 1.5);
        for _ in 0..80 {
            let middle = 0.5 * (low + high);
            if end(middle).2 < 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        angle = 0.5 * (low + high);
        let (x_new, v_new, _) = end(angle);
        (x_past, v_past, x, v) = (x, v, x_new, v_new);
    }
    cross(x, v) / turn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bdf2_loses_half_the_fourth_power() {
        for turn in [0.02_f64, 0.05, 0.1] {
            let lost = 1.0 - oscillator(Integrator::Bdf2, turn);
            assert!(
                (lost / (0.5 * turn.powi(4)) - 1.0).abs() < 0.05,
                "{turn}: {lost:e}"
            );
        }
    }

    /// Backward Euler in closed form: `tan φ₁ = ωΔt`, then `tan φ' = sin φ/(2 − cos φ)`.
    #[test]
    fn backward_eulers_rotor_has_a_closed_form() {
        let turn = 0.07_f64;
        let mut angle = turn.atan();
        for steps in 1..50 {
            let expected = angle.sin() / turn;
            let found = rotor(Integrator::BackwardEuler, turn, steps);
            assert!(
                (found - expected).abs() < 1e-12,
                "{steps}: {found} {expected}"
            );
            angle = (angle.sin() / (2.0 - angle.cos())).atan();
        }
    }

    /// A slow rotor under a brake is `v' = v/(1 + brake)`.
    #[test]
    fn a_brake_takes_its_share_each_step() {
        let kept = braked_rotor(Integrator::BackwardEuler, 1e-4, 0.1, 10);
        assert!((kept - 1.1_f64.powi(-10)).abs() < 1e-6, "{kept}");
    }

    #[test]
    fn bdf2_turns_better_than_backward_euler() {
        let lost = |integrator| 1.0 - rotor(integrator, 0.07, 90);
        assert!(lost(Integrator::Bdf2).abs() < 0.05 * lost(Integrator::BackwardEuler));
    }
}
