//! Extra mass: cords in hems, weights at points.

use crate::error::BuildError;
use crate::model::shell::outline::Outline;
use crate::model::spec::WeightSpec;

/// Adds what `spec` sews into a cloth to its particles' masses, kg. Half of a hem's mass along an
/// edge goes to each of its ends.
pub fn add(spec: &WeightSpec, outline: &Outline, masses: &mut [f64]) -> Result<(), BuildError> {
    let refuse = |key: &str, message: String| {
        Err(BuildError {
            key: key.into(),
            message,
        })
    };
    match spec {
        WeightSpec::Hem { borders, kg_per_m } => {
            if !(kg_per_m.is_finite() && *kg_per_m >= 0.0) {
                return refuse("kg_per_m", "expected a number of at least 0".into());
            }
            for (ends, length_m) in outline.along(borders) {
                for end in ends {
                    masses[end as usize] += 0.5 * kg_per_m * length_m;
                }
            }
        }
        WeightSpec::Points { indices, kg } => {
            if !(kg.is_finite() && *kg >= 0.0) {
                return refuse("kg", "expected a number of at least 0".into());
            }
            let last = masses.len() - 1;
            for &index in indices {
                let Some(mass) = masses.get_mut(index as usize) else {
                    let message = format!("there is no particle {index}: expected 0 to {last}");
                    return refuse("indices", message);
                };
                *mass += kg;
            }
        }
    }
    Ok(())
}
