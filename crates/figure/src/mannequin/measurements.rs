//! What a body is asked to measure: the numbers of a size chart.

use thiserror::Error;

/// Which of the two figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sex {
    /// With a bust, a narrow waist and wide hips.
    Female,
    /// With wide shoulders and a flat chest.
    Male,
}

/// The measurements of a body, as a tailor takes them, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measurements {
    /// Which of the two figures.
    pub sex: Sex,
    /// Sole to crown.
    pub height_m: f64,
    /// Around the fullest part of the chest, by a taut tape.
    pub bust_m: f64,
    /// Around the narrowest part of the trunk.
    pub waist_m: f64,
    /// Around the fullest part of the seat.
    pub hip_m: f64,
    /// From one shoulder point to the other.
    pub shoulder_m: f64,
    /// Shoulder point to wrist.
    pub arm_m: f64,
    /// Inside of the leg, from crotch to floor.
    pub leg_m: f64,
    /// Around the middle of the neck.
    pub neck_m: f64,
    /// Around the upper arm at its fullest.
    pub upper_arm_m: f64,
    /// Around the wrist.
    pub wrist_m: f64,
    /// Around the thigh, a hand below the crotch.
    pub thigh_m: f64,
    /// Around the calf at its fullest.
    pub calf_m: f64,
    /// Around the ankle at its narrowest.
    pub ankle_m: f64,
}

/// Some of the measurements of a body, m: what someone knows of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[expect(missing_docs, reason = "the same as in `Measurements`")]
pub struct Given {
    pub height_m: Option<f64>,
    pub bust_m: Option<f64>,
    pub waist_m: Option<f64>,
    pub hip_m: Option<f64>,
    pub shoulder_m: Option<f64>,
    pub arm_m: Option<f64>,
    pub leg_m: Option<f64>,
    pub neck_m: Option<f64>,
    pub upper_arm_m: Option<f64>,
    pub wrist_m: Option<f64>,
    pub thigh_m: Option<f64>,
    pub calf_m: Option<f64>,
    pub ankle_m: Option<f64>,
}

/// A size of the charts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Size {
    /// Extra small.
    Xs,
    /// Small.
    S,
    /// Medium.
    M,
    /// Large.
    L,
    /// Extra large.
    Xl,
    /// Twice extra large.
    Xxl,
}

/// Least and largest distance of the shoulder points, as shares of the height.
const SHOULDER: [f64; 2] = [0.19, 0.29];

/// Why nobody has these measurements.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum MeasureError {
    /// A number outside of what the mannequin can be.
    #[error("{name} is {value_m} m, but must be between {low_m:.3} m and {high_m:.3} m{because}")]
    OutOfRange {
        /// Which measurement.
        name: &'static str,
        /// What was asked, m.
        value_m: f64,
        /// The least it may be, m.
        low_m: f64,
        /// The most it may be, m.
        high_m: f64,
        /// What the range depends on.
        because: &'static str,
    },
    /// Measurements that are possible each by itself, but not together.
    #[error(
        "{name} cannot be {value_m} m with the other measurements: the nearest figure has {nearest_m:.3} m"
    )]
    Together {
        /// Which measurement.
        name: &'static str,
        /// What was asked, m.
        value_m: f64,
        /// What the nearest figure has, m; not a number where it cannot be measured at all.
        nearest_m: f64,
    },
}

impl Size {
    /// All, from small to large.
    pub const ALL: [Self; 6] = [Self::Xs, Self::S, Self::M, Self::L, Self::Xl, Self::Xxl];

    /// As it is written on a label.
    pub fn name(self) -> &'static str {
        ["XS", "S", "M", "L", "XL", "XXL"][self as usize]
    }

    /// The size a label means, in capitals or not.
    pub fn named(name: &str) -> Option<Self> {
        let same = |size: &Self| size.name().eq_ignore_ascii_case(name);
        Self::ALL.into_iter().find(same)
    }
}

impl Sex {
    /// As it is written in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Female => "female",
            Self::Male => "male",
        }
    }

    /// What a word means.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Female, Self::Male]
            .into_iter()
            .find(|s| s.name() == name)
    }
}

impl Measurements {
    /// A size of our own charts: bust, waist and hip in even steps, as shops have them.
    pub fn of_size(sex: Sex, size: Size) -> Self {
        // Bust, waist, hip, height, shoulder, all in cm.
        let female = [
            [80.0, 62.0, 88.0, 166.0, 37.0],
            [85.0, 67.0, 93.0, 168.0, 38.0],
            [90.0, 72.0, 98.0, 170.0, 39.0],
            [97.0, 79.0, 104.0, 171.0, 40.4],
            [105.0, 88.0, 111.0, 172.0, 42.0],
            [114.0, 98.0, 119.0, 173.0, 44.0],
        ];
        let male = [
            [86.0, 72.0, 88.0, 172.0, 44.0],
            [92.0, 78.0, 93.0, 175.0, 45.5],
            [98.0, 84.0, 98.0, 178.0, 47.0],
            [105.0, 92.0, 104.0, 180.0, 48.6],
            [113.0, 101.0, 111.0, 182.0, 50.2],
            [122.0, 112.0, 119.0, 184.0, 52.0],
        ];
        let rows = match sex {
            Sex::Female => &female,
            Sex::Male => &male,
        };
        let [bust, waist, hip, height, shoulder] = rows[size as usize].map(|cm| 0.01 * cm);
        let girths = [bust, waist, hip];
        Self {
            shoulder_m: shoulder,
            ..Self::derived(sex, height, girths)
        }
    }

    /// A body of which only some measurements are known. The others are those of a size; where height
    /// or a girth of the trunk is known, those that usually go with it.
    pub fn given(sex: Sex, size: Size, given: &Given) -> Self {
        let chart = Self::of_size(sex, size);
        let trunk = [given.bust_m, given.waist_m, given.hip_m];
        let known = trunk.iter().chain([&given.height_m]).any(Option::is_some);
        let usual = if known {
            let of_chart = [chart.bust_m, chart.waist_m, chart.hip_m];
            let girths = std::array::from_fn(|k| trunk[k].unwrap_or(of_chart[k]));
            Self::derived(sex, given.height_m.unwrap_or(chart.height_m), girths)
        } else {
            chart
        };
        Self {
            shoulder_m: given.shoulder_m.unwrap_or(usual.shoulder_m),
            arm_m: given.arm_m.unwrap_or(usual.arm_m),
            leg_m: given.leg_m.unwrap_or(usual.leg_m),
            neck_m: given.neck_m.unwrap_or(usual.neck_m),
            upper_arm_m: given.upper_arm_m.unwrap_or(usual.upper_arm_m),
            wrist_m: given.wrist_m.unwrap_or(usual.wrist_m),
            thigh_m: given.thigh_m.unwrap_or(usual.thigh_m),
            calf_m: given.calf_m.unwrap_or(usual.calf_m),
            ankle_m: given.ankle_m.unwrap_or(usual.ankle_m),
            ..usual
        }
    }

    /// What someone of this height and these girths of bust, waist and hip usually measures
    /// elsewhere, m.
    pub fn derived(sex: Sex, height_m: f64, [bust_m, waist_m, hip_m]: [f64; 3]) -> Self {
        let female = sex == Sex::Female;
        let pick = |woman: f64, man: f64| if female { woman } else { man };
        // Each limb grows with the trunk next to it, by less than in proportion.
        let grown = |base: f64, girth: f64, usual: f64, share: f64| {
            base * (1.0 + share * (girth / usual - 1.0))
        };
        let usual_bust = pick(0.90, 0.98);
        Self {
            sex,
            height_m,
            bust_m,
            waist_m,
            hip_m,
            shoulder_m: grown(pick(0.39, 0.47), bust_m, usual_bust, 0.45)
                .max(SHOULDER[0] * height_m)
                .min(SHOULDER[1] * height_m),
            arm_m: pick(0.335, 0.34) * height_m,
            leg_m: pick(0.462, 0.460) * height_m,
            neck_m: grown(pick(0.335, 0.385), bust_m, usual_bust, 0.55),
            upper_arm_m: grown(pick(0.275, 0.315), bust_m, usual_bust, 0.95),
            wrist_m: grown(pick(0.158, 0.175), bust_m, usual_bust, 0.45),
            thigh_m: grown(pick(0.56, 0.56), hip_m, 0.98, 0.95),
            calf_m: grown(pick(0.355, 0.375), hip_m, 0.98, 0.7),
            ankle_m: grown(pick(0.215, 0.23), hip_m, 0.98, 0.45),
        }
    }

    /// Every measurement with its name, as files and messages have them.
    pub fn named(&self) -> [(&'static str, f64); 13] {
        [
            ("height", self.height_m),
            ("bust", self.bust_m),
            ("waist", self.waist_m),
            ("hip", self.hip_m),
            ("shoulder", self.shoulder_m),
            ("arm", self.arm_m),
            ("leg", self.leg_m),
            ("neck", self.neck_m),
            ("upper-arm", self.upper_arm_m),
            ("wrist", self.wrist_m),
            ("thigh", self.thigh_m),
            ("calf", self.calf_m),
            ("ankle", self.ankle_m),
        ]
    }

    /// Refuses what nobody measures: numbers that are not finite or far from any adult's, and
    /// parts that do not go together.
    pub fn check(&self) -> Result<(), MeasureError> {
        let h = self.height_m;
        let ranges = [
            (1.30, 2.20, ""),
            (0.65, 1.50, ""),
            (0.50, 1.45, ""),
            (0.70, 1.60, ""),
            (SHOULDER[0] * h, SHOULDER[1] * h, " at this height"),
            (0.29 * h, 0.39 * h, " at this height"),
            (0.41 * h, 0.52 * h, " at this height"),
            (0.26, 0.55, ""),
            (0.19, 0.50, ""),
            (0.12, 0.24, ""),
            (0.44 * self.hip_m, 0.63 * self.hip_m, " with this hip"),
            (0.25, 0.55, ""),
            (0.17, 0.34, ""),
        ];
        for ((name, value_m), (low_m, high_m, because)) in self.named().into_iter().zip(ranges) {
            within(name, value_m, [low_m, high_m], because)?;
        }
        let waist = [0.58 * self.hip_m, 1.08 * self.hip_m];
        within("waist", self.waist_m, waist, " with this hip")?;
        let waist = [0.58 * self.bust_m, 1.08 * self.bust_m];
        within("waist", self.waist_m, waist, " with this bust")
    }
}

/// `value_m` must be a number in the range.
fn within(
    name: &'static str,
    value_m: f64,
    [low_m, high_m]: [f64; 2],
    because: &'static str,
) -> Result<(), MeasureError> {
    if (low_m..=high_m).contains(&value_m) {
        Ok(())
    } else {
        Err(MeasureError::OutOfRange {
            name,
            value_m,
            low_m,
            high_m,
            because,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_can_be_and_grows() {
        for sex in [Sex::Female, Sex::Male] {
            let all = Size::ALL.map(|size| Measurements::of_size(sex, size));
            for body in all {
                assert_eq!(body.check(), Ok(()));
            }
            for pair in all.windows(2) {
                let grown = pair[0].named().into_iter().zip(pair[1].named());
                for ((name, small), (_, large)) in grown {
                    assert!(small < large, "{name}");
                }
            }
        }
        assert_eq!(Size::named("xl"), Some(Size::Xl));
        assert_eq!(Size::named("4XL"), None);
    }

    #[test]
    fn what_is_known_is_kept_and_the_rest_goes_with_it() {
        let given = Given {
            bust_m: Some(1.0),
            arm_m: Some(0.6),
            ..Given::default()
        };
        let body = Measurements::given(Sex::Female, Size::M, &given);
        let chart = Measurements::of_size(Sex::Female, Size::M);
        assert_eq!((body.bust_m, body.arm_m), (1.0, 0.6));
        assert_eq!(
            (body.waist_m, body.height_m),
            (chart.waist_m, chart.height_m)
        );
        assert!(body.upper_arm_m > chart.upper_arm_m);
        let nothing = Measurements::given(Sex::Male, Size::L, &Given::default());
        assert_eq!(nothing, Measurements::of_size(Sex::Male, Size::L));
    }

    #[test]
    fn impossible_measurements_are_named() {
        let body = Measurements::of_size(Sex::Female, Size::M);
        let refused = |body: Measurements| body.check().unwrap_err().to_string();
        let text = refused(Measurements {
            waist_m: 1.3,
            ..body
        });
        assert!(text.starts_with("waist is 1.3 m") && text.ends_with("with this hip"));
        let text = refused(Measurements {
            arm_m: f64::NAN,
            ..body
        });
        assert!(text.starts_with("arm is NaN m"), "{text}");
        let nobody = Measurements::derived(Sex::Male, f64::NAN, [f64::INFINITY; 3]);
        assert!(refused(nobody).starts_with("height is NaN m"));
        let text = refused(Measurements {
            height_m: 17.2,
            ..body
        });
        assert!(text.starts_with("height is 17.2 m"), "{text}");
    }
}
