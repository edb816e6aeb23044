//! Extra mass: cords in hems, weights at points.

use crate::error::BuildError;
use crate::spec::{Border, WeightSpec};
use toile_geometry::QuadGrid;

/// Adds what `spec` sews into a cloth on `grid` to its particles' masses, kg. Half of a hem's mass
/// along a link goes to each of its ends.
pub fn add(spec: &WeightSpec, grid: &QuadGrid, masses: &mut [f64]) -> Result<(), BuildError> {
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
            for &border in borders {
                let (count, spacing_m) = match border {
                    Border::UMin | Border::UMax => (grid.rows, grid.spacing_m().y),
                    Border::VMin | Border::VMax => (grid.columns, grid.spacing_m().x),
                };
                for k in 0..count {
                    let i = match border {
                        Border::UMin => grid.index(0, k),
                        Border::UMax => grid.index(grid.columns - 1, k),
                        Border::VMin => grid.index(k, 0),
                        Border::VMax => grid.index(k, grid.rows - 1),
                    };
                    let links = if k == 0 || k == count - 1 { 1.0 } else { 2.0 };
                    masses[i] += 0.5 * links * kg_per_m * spacing_m;
                }
            }
        }
        WeightSpec::Points { indices, kg } => {
            if !(kg.is_finite() && *kg >= 0.0) {
                return refuse("kg", "expected a number of at least 0".into());
            }
            for &index in indices {
                let Some(mass) = masses.get_mut(index as usize) else {
                    let last = grid.len() - 1;
                    let message = format!("there is no particle {index}: expected 0 to {last}");
                    return refuse("indices", message);
                };
                *mass += kg;
            }
        }
    }
    Ok(())
}
