//! The pinned–pinned elastica of unit length and rigidity: load and shape at a given compression,
//! once by elliptic integrals and once by shooting.

use super::elliptic;

/// Load at which the chord has shrunk by the share `compression`, by elliptic integrals:
/// `P = 4 K(m)²` with `2 E(m)/K(m) − 1 = 1 − ε`.
pub fn load(compression: f64) -> f64 {
    // E/K falls from 1 to 0 with m.
    let (mut low, mut high) = (0.0, 1.0 - 1e-12);
    for _ in 0..200 {
        let m = 0.5 * (low + high);
        let (k, e) = elliptic::complete(m);
        if 2.0 * e / k - 1.0 > 1.0 - compression {
            low = m;
        } else {
            high = m;
        }
    }
    4.0 * elliptic::complete(0.5 * (low + high)).0.powi(2)
}

/// Steps of the integration over half the length.
const STEPS: usize = 400;

/// A bent strip found by shooting.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Load along the chord.
    pub load: f64,
    /// Points from one end to the middle; the other half is the mirror image.
    pub half: Vec<[f64; 2]>,
}

impl Shape {
    /// All points, from end to end.
    pub fn points(&self) -> Vec<[f64; 2]> {
        let width = 2.0 * self.half[self.half.len() - 1][0];
        let mirrored = self.half.iter().rev().skip(1).map(|[x, y]| [width - x, *y]);
        self.half.iter().copied().chain(mirrored).collect()
    }
}

/// Integrates `θ'' = −P sin θ` from a free end at angle `angle` to the middle; returns the angle
/// there and the points on the way.
fn integrate(angle: f64, load: f64) -> (f64, Vec<[f64; 2]>) {
    let h = 0.5 / STEPS as f64;
    // θ, θ', x, y.
    let rate = |[t, w, ..]: [f64; 4]| [w, -load * t.sin(), t.cos(), t.sin()];
    let mut state = [angle, 0.0, 0.0, 0.0];
    let mut points = vec![[0.0, 0.0]];
    for _ in 0..STEPS {
        state = runge_kutta(state, h, rate);
        points.push([state[2], state[3]]);
    }
    (state[0], points)
}

/// One classical fourth-order step.
pub fn runge_kutta<const N: usize>(
    state: [f64; N],
    h: f64,
    rate: impl Fn([f64; N]) -> [f64; N],
) -> [f64; N] {
    let ahead = |k: &[f64; N], share: f64| std::array::from_fn(|i| state[i] + share * h * k[i]);
    let k1 = rate(state);
    let k2 = rate(ahead(&k1, 0.5));
    let k3 = rate(ahead(&k2, 0.5));
    let k4 = rate(ahead(&k3, 1.0));
    std::array::from_fn(|i| state[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]))
}

/// The strip at `compression`, 0 < ε < 1, by shooting: Newton on the end's angle and the load,
/// until the middle is level and the chord has the length asked for.
pub fn shoot(compression: f64) -> Shape {
    let misses = |angle: f64, load: f64| {
        let (middle, points) = integrate(angle, load);
        [middle, 2.0 * points[STEPS][0] - (1.0 - compression)]
    };
    // Good to a few per cent up to ε = 1.
    let mut angle = 2.0 * compression.sqrt() * (1.0 + 0.14 * compression);
    let mut load = std::f64::consts::PI.powi(2) * (1.0 + 0.5 * compression);
    for _ in 0..50 {
        let [a, b] = misses(angle, load);
        let (da, dp) = (1e-6, 1e-6 * load);
        let [by_angle, by_load] = [misses(angle + da, load), misses(angle, load + dp)];
        let [a_a, b_a] = [(by_angle[0] - a) / da, (by_angle[1] - b) / da];
        let [a_p, b_p] = [(by_load[0] - a) / dp, (by_load[1] - b) / dp];
        let det = a_a * b_p - a_p * b_a;
        let (step_angle, step_load) = ((a * b_p - a_p * b) / det, (a_a * b - a * b_a) / det);
        angle -= step_angle.clamp(-0.2, 0.2);
        load -= step_load.clamp(-2.0, 2.0);
        if step_angle.abs() < 1e-13 && step_load.abs() < 1e-12 * load {
            break;
        }
    }
    Shape {
        load,
        half: integrate(angle, load).1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn the_load_starts_at_eulers_and_rises_as_its_series_says() {
        for e in [1e-4_f64, 1e-3, 1e-2, 0.05] {
            let series = PI * PI * (1.0 + e / 2.0 + 9.0 / 32.0 * e * e + 21.0 / 128.0 * e.powi(3));
            let error = (load(e) / series - 1.0).abs();
            assert!(error < 1e-11 + 0.2 * e.powi(4), "ε = {e}: {error:e}");
        }
    }

    #[test]
    fn shooting_agrees_with_the_elliptic_integrals() {
        for e in [0.01, 0.2, 0.5, 0.8, 0.99] {
            let shape = shoot(e);
            assert!((shape.load / load(e) - 1.0).abs() < 1e-8, "ε = {e}");
            let points = shape.points();
            assert!((points[points.len() - 1][0] - (1.0 - e)).abs() < 1e-9);
            let length: f64 = points
                .windows(2)
                .map(|p| (p[1][0] - p[0][0]).hypot(p[1][1] - p[0][1]))
                .sum();
            assert!((length - 1.0).abs() < 1e-5);
        }
    }
}
