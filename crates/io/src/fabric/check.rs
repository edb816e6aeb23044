//! What a fabric's numbers may be.

use super::Fabric;
use std::ops::RangeInclusive;

/// A value that no fabric has.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}: {message}", .key.join("."))]
pub struct Problem {
    /// Its key, and the key inside it where it is a table.
    pub key: Vec<String>,
    /// What was found and what was expected.
    pub message: String,
    /// Words that were valid, where the key itself is wrong.
    pub valid: Vec<&'static str>,
}

/// Keys that `sources` may name.
const KEYS: [&str; 12] = [
    "area_density_kg_per_m2",
    "stretch_n_per_m",
    "stretch_weft_n_per_m",
    "poisson",
    "shear_n_per_m",
    "bending_n_m",
    "bending_weft_n_m",
    "bending_bias_n_m",
    "thickness_m",
    "friction",
    "drape",
    "table",
];

/// Wider than any fabric: what is beyond was written in other units.
const MEMBRANE_N_PER_M: RangeInclusive<f64> = 0.0..=1e8;
const BENDING_N_M: RangeInclusive<f64> = 0.0..=1e3;

impl Fabric {
    /// Refuses values outside their physical range.
    pub fn check(&self) -> Result<(), Problem> {
        let problem = |key: &[&str], message: String| {
            Err(Problem {
                key: key.iter().map(|k| (*k).to_owned()).collect(),
                message,
                valid: Vec::new(),
            })
        };
        let named = (1..=100).contains(&self.name.len())
            && !self
                .name
                .contains(|c: char| c.is_control() || c.is_whitespace());
        if !named {
            let message = format!(
                "expected a short name without spaces, found {:?}",
                self.name
            );
            return problem(&["name"], message);
        }
        let membrane = MEMBRANE_N_PER_M;
        let above = f64::MIN_POSITIVE..=*membrane.end();
        let values = [
            (
                "area_density_kg_per_m2",
                Some(self.area_density_kg_per_m2),
                f64::MIN_POSITIVE..=100.0,
            ),
            ("stretch_n_per_m", Some(self.stretch_n_per_m), above.clone()),
            ("stretch_weft_n_per_m", self.stretch_weft_n_per_m, above),
            ("poisson", self.poisson, -1.0..=2.0),
            ("shear_n_per_m", Some(self.shear_n_per_m), membrane),
            ("bending_n_m", Some(self.bending_n_m), BENDING_N_M),
            ("bending_weft_n_m", self.bending_weft_n_m, BENDING_N_M),
            ("bending_bias_n_m", self.bending_bias_n_m, BENDING_N_M),
            ("thickness_m", Some(self.thickness_m), 0.0..=0.1),
            ("friction", Some(self.friction), 0.0..=10.0),
        ];
        for (key, value, range) in values {
            if let Some(value) = value.filter(|value| !range.contains(value)) {
                return problem(&[key], out_of(&range, value));
            }
        }
        if let Some(drape) = &self.drape {
            let bounds = [
                ("min_percent", drape.min_percent),
                ("max_percent", drape.max_percent),
            ];
            for (key, value) in bounds {
                if !(0.0..=100.0).contains(&value) {
                    return problem(&["drape", key], out_of(&(0.0..=100.0), value));
                }
            }
            if drape.min_percent > drape.max_percent {
                let message = format!(
                    "expected at least min_percent = {}, found {}",
                    drape.min_percent, drape.max_percent
                );
                return problem(&["drape", "max_percent"], message);
            }
        }
        if let Some(table) = &self.table {
            let most = *MEMBRANE_N_PER_M.end();
            let stretch = table.stretch_n_per_m.as_flattened();
            if let Some(value) = stretch
                .iter()
                .find(|value| !(-most..=most).contains(*value))
            {
                return problem(
                    &["table", "stretch_n_per_m"],
                    out_of(&(-most..=most), *value),
                );
            }
            let hinge = table.hinge_n_m.iter().flatten().flatten();
            if let Some(value) = hinge.copied().find(|value| !BENDING_N_M.contains(value)) {
                return problem(&["table", "hinge_n_m"], out_of(&BENDING_N_M, value));
            }
        }
        match self
            .sources
            .keys()
            .find(|key| !KEYS.contains(&key.as_str()))
        {
            Some(key) => Err(Problem {
                key: vec!["sources".to_owned(), key.clone()],
                message: "unknown key".to_owned(),
                valid: KEYS.to_vec(),
            }),
            None => Ok(()),
        }
    }
}

fn out_of(range: &RangeInclusive<f64>, value: f64) -> String {
    let (start, end) = (*range.start(), *range.end());
    if start == f64::MIN_POSITIVE {
        format!("expected a number greater than 0 and at most {end}, found {value}")
    } else {
        format!("expected {start} to {end}, found {value}")
    }
}
