//! What is sewn into a cloth.

use super::range::{not_empty, not_negative};
use super::{Checked, pin};
use crate::scene::error::Fault;
use crate::scene::{key, raw};
use toile_sim::WeightSpec;

/// Validates one weight of a cloth of so many particles.
pub(super) fn spec(
    path: &key::Path,
    weight: &raw::Weight,
    particles: usize,
) -> Checked<WeightSpec> {
    match weight {
        raw::Weight {
            borders: Some(borders),
            kg_per_m: Some(kg_per_m),
            indices: None,
            kg: None,
        } => {
            not_empty(&path.with("borders"), borders)?;
            not_negative(&path.with("kg_per_m"), *kg_per_m)?;
            Ok(WeightSpec::Hem {
                borders: borders.iter().copied().map(pin::border).collect(),
                kg_per_m: *kg_per_m,
            })
        }
        raw::Weight {
            indices: Some(indices),
            kg: Some(kg),
            borders: None,
            kg_per_m: None,
        } => {
            pin::check_indices(&path.with("indices"), indices, particles)?;
            not_negative(&path.with("kg"), *kg)?;
            Ok(WeightSpec::Points {
                indices: indices.clone(),
                kg: *kg,
            })
        }
        _ => {
            let message = "expected either `borders` and `kg_per_m` or `indices` and `kg`";
            Err(Fault::new(path.clone(), message))
        }
    }
}
