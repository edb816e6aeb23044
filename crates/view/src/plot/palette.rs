//! Colours of the house.

use super::drawing::Ink;

/// Told apart by people of any colour vision, and in print (after Okabe and Ito, 2008).
const SERIES: [Ink; 7] = [
    0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x4d4d4d,
];

/// From low to high: even steps of brightness, through blue and green to yellow.
const HEAT: [Ink; 6] = [0x1b1246, 0x2a4c9b, 0x17829c, 0x38ab7b, 0x9fcb4d, 0xfbe76a];

/// From negative to positive: blue, pale in the middle, red; equally dark at both ends.
const SIGNED: [Ink; 7] = [
    0x1f4f8f, 0x4f86bf, 0xa6c8e0, 0xf0f0f0, 0xf0b48c, 0xcf6a43, 0x932531,
];

/// Where there is no value.
pub const MISSING: Ink = 0xd4d6d9;

/// The colour of series number `index`; more than there are colours repeat.
pub fn series(index: usize) -> Ink {
    SERIES[index % SERIES.len()]
}

/// The colour of a value `share` of the way from the lowest to the highest.
pub fn heat(share: f64) -> Ink {
    blend(&HEAT, share)
}

/// The colour of a value `share` of the way from the most negative to the most positive.
pub fn signed(share: f64) -> Ink {
    blend(&SIGNED, share)
}

fn blend(inks: &[Ink], share: f64) -> Ink {
    if !share.is_finite() {
        return MISSING;
    }
    let at = share.clamp(0.0, 1.0) * (inks.len() - 1) as f64;
    let i = (at as usize).min(inks.len() - 2);
    let t = at - i as f64;
    let channel = |shift: u32| {
        let [a, b] = [inks[i], inks[i + 1]].map(|c| f64::from(c >> shift & 0xff));
        ((a + t * (b - a)).round() as Ink) << shift
    };
    channel(16) | channel(8) | channel(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brightness(ink: Ink) -> f64 {
        let [r, g, b] = [16, 8, 0].map(|s| f64::from(ink >> s & 0xff));
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    #[test]
    fn higher_is_brighter() {
        let levels: Vec<f64> = (0..=100)
            .map(|i| brightness(heat(f64::from(i) / 100.0)))
            .collect();
        assert!(levels.windows(2).all(|p| p[0] < p[1] + 0.5), "{levels:?}");
        assert_eq!([heat(-1.0), heat(2.0)], [HEAT[0], HEAT[5]]);
        assert_eq!(heat(f64::NAN), MISSING);
    }

    #[test]
    fn signs_are_told_apart_and_the_middle_is_palest() {
        let levels: Vec<f64> = (0..=50)
            .map(|i| brightness(signed(f64::from(i) / 100.0)))
            .collect();
        assert!(levels.windows(2).all(|p| p[0] < p[1] + 0.5), "{levels:?}");
        for i in 0..50 {
            let share = f64::from(i) / 100.0;
            let [negative, positive] = [signed(share), signed(1.0 - share)];
            assert!((brightness(negative) - brightness(positive)).abs() < 25.0);
            assert!(negative & 0xff > negative >> 16, "blue: {negative:06x}");
            assert!(positive & 0xff < positive >> 16, "red: {positive:06x}");
        }
    }
}
