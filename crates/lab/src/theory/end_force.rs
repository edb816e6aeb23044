//! A strip clamped level at one end and bent by a dead force at the other: `θ'' = −p cos θ`,
//! `θ(0) = 0`, `θ'(1) = 0`, with θ below the level and `p = P L²/B`.

use super::elastica::runge_kutta;

const STEPS: usize = 1000;

/// Points of the strip from the clamp to the tip, in lengths of the strip.
pub fn bend(p: f64) -> Vec<[f64; 2]> {
    let h = 1.0 / STEPS as f64;
    // From the tip: θ, dθ/dt, drop, reach.
    let rate = |[angle, turn, _, _]: [f64; 4]| [turn, -p * angle.cos(), angle.sin(), angle.cos()];
    let path = |tip_angle: f64| {
        let mut states = vec![[tip_angle, 0.0, 0.0, 0.0]];
        for k in 0..STEPS {
            states.push(runge_kutta(states[k], h, rate));
        }
        states
    };
    let (mut low, mut high) = (0.0, std::f64::consts::FRAC_PI_2);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if path(middle)[STEPS][0] < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let states = path(0.5 * (low + high));
    let [_, _, drop, reach] = states[STEPS];
    let points = states.iter().rev().map(|s| [reach - s[3], s[2] - drop]);
    points.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of the elliptic integrals (Mattiasson 1981).
    #[test]
    fn the_tip_is_where_tables_say() {
        for (p, back, drop) in [
            (1.0, 0.05643, 0.30172),
            (2.0, 0.16064, 0.49346),
            (4.0, 0.32894, 0.66996),
        ] {
            let [x, y] = bend(p)[STEPS];
            assert!(
                (1.0 - x - back).abs() < 1e-5 && (-y - drop).abs() < 1e-5,
                "{p}: {x} {y}"
            );
        }
    }
}
