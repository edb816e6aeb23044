//! Where ticks are, and what stands beside them.

/// A tick and its label; small ones have none.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    pub value: f64,
    pub label: Option<String>,
}

/// Ticks of an axis, and the power of ten that their labels leave out.
#[derive(Clone, Debug, PartialEq)]
pub struct Ticks {
    pub ticks: Vec<Tick>,
    pub power: i32,
}

/// The smallest of 1, 2 and 5 times a power of ten that splits `range` into at most `most`
/// steps.
pub fn nice_step(range: f64, most: usize) -> f64 {
    let about = range / most.max(1) as f64;
    let power = about.log10().floor();
    // Powers of ten below one are exact only as quotients.
    let scaled = |lead: f64| {
        if power < 0.0 {
            lead / 10f64.powf(-power)
        } else {
            lead * 10f64.powf(power)
        }
    };
    let fits = |lead: &f64| scaled(*lead) >= about * (1.0 - 1e-9);
    scaled([1.0, 2.0, 5.0].into_iter().find(fits).unwrap_or(10.0))
}

/// Round numbers from `low` to `high`, at most about `most`.
pub fn linear(low: f64, high: f64, most: usize) -> Ticks {
    let step = nice_step(high - low, most);
    let (first, last) = ((low / step).ceil(), (high / step).floor());
    let largest = low.abs().max(high.abs());
    let power = if (1e-2..1e5).contains(&largest) {
        0
    } else {
        3 * (largest.log10() / 3.0).floor() as i32
    };
    let unit = 10f64.powi(power);
    let decimals = (-(step / unit * (1.0 + 1e-9)).log10().floor()).clamp(0.0, 12.0) as usize;
    let count = (last - first).clamp(-1.0, 1e3) as i64;
    let ticks = (0..=count)
        .map(|i| {
            let multiple = first + i as f64;
            let value = multiple * step;
            Tick {
                value,
                label: Some(decimal(value / unit, decimals)),
            }
        })
        .collect();
    Ticks { ticks, power }
}

/// Powers of ten from `low` to `high`, with small ticks at their multiples. Narrow ranges are
/// labelled in between as well.
pub fn logarithmic(low: f64, high: f64, most: usize) -> Ticks {
    let decades = high.log10() - low.log10();
    if decades < 0.7 {
        return linear(low, high, most);
    }
    let leads: &[i32] = match decades {
        d if d < 1.5 => &[1, 2, 5],
        d if d < 2.0 => &[1, 3],
        _ => &[1],
    };
    let every = (decades / most.max(1) as f64).ceil().max(1.0) as i32;
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let within = |v: &f64| (low * (1.0 - 1e-9)..=high * (1.0 + 1e-9)).contains(v);
    let plain = (-3..=4).contains(&first) && (-3..=4).contains(&(last - 1));
    let mut ticks = Vec::new();
    for exponent in first..=last {
        for lead in 1..10 {
            let value = format!("{lead}e{exponent}").parse().unwrap_or(f64::NAN);
            let labelled = leads.contains(&lead) && exponent % every == 0;
            // Small ticks would run together where decades are narrow.
            let drawn = labelled || lead == 1 || every == 1 && decades < 8.0;
            if drawn && within(&value) {
                let label = labelled.then(|| scientific(lead, exponent, plain));
                ticks.push(Tick { value, label });
            }
        }
    }
    Ticks { ticks, power: 0 }
}

fn scientific(lead: i32, exponent: i32, plain: bool) -> String {
    if plain {
        let value = f64::from(lead) * 10f64.powi(exponent);
        return decimal(value, (-exponent).max(0) as usize);
    }
    match lead {
        1 => power_of_ten(exponent),
        _ => format!("{lead}·{}", power_of_ten(exponent)),
    }
}

/// `10⁻³` and its like.
pub fn power_of_ten(exponent: i32) -> String {
    let raised = |c: char| match c {
        '-' => '⁻',
        c => c
            .to_digit(10)
            .and_then(|d| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(d as usize))
            .unwrap_or(c),
    };
    let digits: String = exponent.to_string().chars().map(raised).collect();
    format!("10{digits}")
}

fn decimal(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(digits) if digits.chars().all(|c| matches!(c, '0' | '.')) => digits.to_owned(),
        Some(digits) => format!("−{digits}"),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn labels(ticks: &Ticks) -> Vec<&str> {
        ticks
            .ticks
            .iter()
            .filter_map(|t| t.label.as_deref())
            .collect()
    }

    #[test]
    fn steps_are_round() {
        for (range, most, step) in [
            (1.0, 10, 0.1),
            (1.0, 5, 0.2),
            (1.0, 4, 0.5),
            (7.0, 7, 1.0),
            (9.9, 6, 2.0),
            (340.0, 8, 50.0),
            (3e-7, 5, 1e-7),
        ] {
            assert_eq!(nice_step(range, most), step, "{range} in {most}");
        }
    }

    #[test]
    fn linear_ticks_are_where_one_expects_them() {
        assert_eq!(
            labels(&linear(-0.04, 1.04, 6)),
            ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
        );
        assert_eq!(labels(&linear(-3.0, 3.0, 4)), ["−2", "0", "2"]);
        assert_eq!(
            labels(&linear(0.0, 250.0, 5)),
            ["0", "50", "100", "150", "200", "250"]
        );
        let small = linear(0.0, 4e-5, 4);
        assert_eq!(labels(&small), ["0", "10", "20", "30", "40"]);
        assert_eq!(small.power, -6);
        let large = linear(1.0e6, 2.0e6, 5);
        assert_eq!(labels(&large), ["1.0", "1.2", "1.4", "1.6", "1.8", "2.0"]);
        assert_eq!(large.power, 6);
    }

    #[test]
    fn log_ticks_are_powers_of_ten() {
        assert_eq!(
            labels(&logarithmic(0.01, 100.0, 8)),
            ["0.01", "0.1", "1", "10", "100"]
        );
        assert_eq!(
            labels(&logarithmic(1e-6, 1e-2, 8)),
            ["10⁻⁶", "10⁻⁵", "10⁻⁴", "10⁻³", "10⁻²"]
        );
        assert_eq!(labels(&logarithmic(1.0, 10.0, 8)), ["1", "2", "5", "10"]);
        // Eight multiples between two powers.
        assert_eq!(logarithmic(1.0, 100.0, 8).ticks.len(), 19);
        assert_eq!(labels(&logarithmic(1e-30, 1e30, 6)).len(), 7);
    }

    proptest! {
        #[test]
        fn ticks_are_inside_in_order_and_not_too_many(
            low in -1e6..1e6f64, exponent in -6..6i32, most in 2..12usize,
        ) {
            let high = low + 3.7 * 10f64.powi(exponent);
            let ticks = linear(low, high, most).ticks;
            prop_assert!(!ticks.is_empty() && ticks.len() <= most + 1);
            let slack = 1e-9 * (high - low).max(low.abs() * 1e-3);
            for t in &ticks {
                prop_assert!(t.value >= low - slack && t.value <= high + slack);
            }
            for pair in ticks.windows(2) {
                prop_assert!(pair[0].value < pair[1].value);
            }
        }
    }
}
