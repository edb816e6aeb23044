//! The heavy elastica: a strip clamped level at one end and bent by its own weight.
//!
//! `θ'' = −Γ (1 − s) cos θ`, `θ(0) = 0`, `θ'(1) = 0`, with θ below the horizontal and
//! `Γ = ρ g L³/B`.

use super::elastica::runge_kutta;

const STEPS: usize = 4000;

/// Where the strip ends, in lengths of the strip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tip {
    /// How far it hangs below the clamp.
    pub drop: f64,
    /// How far it reaches from the clamp.
    pub reach: f64,
}

/// The strip of weight number Γ, by shooting from the free end for the tip's angle. Also its
/// points, from the clamp on.
pub fn bend(gamma: f64) -> (Tip, Vec<[f64; 2]>) {
    let h = 1.0 / STEPS as f64;
    // θ, dθ/dt, drop, reach, t: with t = 1 − s from the tip.
    let rate = |[angle, turn, _, _, t]: [f64; 5]| {
        [
            turn,
            -gamma * t * angle.cos(),
            angle.sin(),
            angle.cos(),
            1.0,
        ]
    };
    let path = |tip_angle: f64| {
        let mut states = vec![[tip_angle, 0.0, 0.0, 0.0, 0.0]];
        for k in 0..STEPS {
            states.push(runge_kutta(states[k], h, rate));
        }
        states
    };
    // The steeper the tip, the less the rest turns back; a strip that has turned back beyond the
    // level anywhere is not this one.
    let (mut low, mut high) = (0.0, std::f64::consts::FRAC_PI_2);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if path(middle).iter().any(|state| state[0] < 0.0) {
            low = middle;
        } else {
            high = middle;
        }
    }
    let states = path(0.5 * (low + high));
    let [_, _, drop, reach, _] = states[STEPS];
    let points = states.iter().rev().map(|s| [reach - s[3], s[2] - drop]);
    (Tip { drop, reach }, points.collect())
}

/// Γ of the strip whose chord, from the clamp to the tip, is at `angle` below the level, in radians
/// between 0 and a right angle. Good to 1e-7 up to 85°; beyond, the shooting itself loses digits.
pub fn weight_number(angle: f64) -> f64 {
    let miss = |log: f64| {
        let (tip, _) = bend(log.exp());
        (tip.drop / tip.reach).ln() - angle.tan().ln()
    };
    // ln tan of the chord's angle rises with ln Γ, with a slope from 1 (light) to ½ (heavy), so the
    // secant never leaves for far.
    let mut last = (8.0 * angle.tan()).ln();
    let mut last_miss = miss(last);
    let mut log = last - last_miss;
    for _ in 0..30 {
        let now = miss(log);
        let slope = (now - last_miss) / (log - last);
        (last, last_miss) = (log, now);
        if now.abs() < 1e-11 || !slope.is_normal() {
            break;
        }
        log -= now / slope.clamp(0.4, 1.2);
    }
    last.exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weight_number_is_found_from_the_angle() {
        for gamma in [0.01, 0.3, 8.0, 100.0, 300.0] {
            let (tip, _) = bend(gamma);
            let found = weight_number(tip.drop.atan2(tip.reach));
            assert!((found / gamma - 1.0).abs() < 1e-7, "{gamma}: {found}");
        }
    }

    /// Values of an independent 50-digit computation.
    #[test]
    fn the_tip_is_where_tables_say() {
        for (gamma, drop, reach) in [
            (0.1, 0.012498, 0.999911),
            (1.0, 0.123471, 0.991246),
            (5.0, 0.495905, 0.846657),
            (10.0, 0.700200, 0.656354),
            (50.0, 0.907917, 0.245015),
            (100.0, 0.937524, 0.159223),
            (1000.0, 0.981141, 0.045986),
        ] {
            let (tip, points) = bend(gamma);
            assert!((tip.drop - drop).abs() < 2e-6, "Γ = {gamma}: {tip:?}");
            assert!((tip.reach - reach).abs() < 2e-6, "Γ = {gamma}: {tip:?}");
            assert!(points[0][0].abs() < 1e-12 && points[0][1].abs() < 1e-12);
            assert!((points[STEPS][0] - tip.reach).abs() < 1e-12);
        }
    }
}
