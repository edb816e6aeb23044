//! What cannot be believed: measurements that no adult has are of places that were not found.
//!
//! Landmarks are looked for where adults have them. A figure with a large head or short legs has
//! something else there, and the tape says what that measures.

use super::Taken;

/// Heights of people, m; others are in another unit.
const HEIGHT_M: [f64; 2] = [0.5, 2.6];

/// What adults measure, as shares of their height: wider than any size of the charts, by a quarter and
/// more.
const SHARES: [(&str, [f64; 2]); 12] = [
    ("bust", [0.37, 0.95]),
    ("waist", [0.28, 0.95]),
    ("hip", [0.40, 1.00]),
    ("shoulder", [0.18, 0.33]),
    ("arm", [0.27, 0.41]),
    ("leg", [0.40, 0.54]),
    ("neck", [0.14, 0.33]),
    ("upper-arm", [0.10, 0.30]),
    ("wrist", [0.065, 0.15]),
    ("thigh", [0.20, 0.56]),
    ("calf", [0.13, 0.34]),
    ("ankle", [0.09, 0.21]),
];

impl Taken {
    /// Names of measurements that cannot be believed, and why.
    pub fn doubts(&self) -> Vec<(&'static str, String)> {
        let mut doubts = Vec::new();
        let [low_m, high_m] = HEIGHT_M;
        if !(low_m..=high_m).contains(&self.height_m) {
            let why = format!("people are {low_m} m to {high_m} m high: is it another unit?");
            doubts.push(("height", why));
        }
        let found = self.named().into_iter().skip(1).zip(SHARES);
        for ((name, value_m), (_, [low, high])) in found {
            let Some(value_m) = value_m else { continue };
            let share = value_m / self.height_m;
            if !(low..=high).contains(&share) {
                let [share, low, high] = [share, low, high].map(|s| 100.0 * s);
                let why = format!(
                    "what is there measures {share:.1} % of the height, of adults {low:.1} % to {high:.1} %"
                );
                doubts.push((name, why));
            } else if name == "bust" && !self.arms_part {
                doubts.push((name, "arms do not part from the trunk".to_owned()));
            }
        }
        doubts
    }
}
