//! Choosing the particles a pin holds.

use crate::error::BuildError;
use crate::spec::{Border, Corner, PinRegion};
use glam::DVec3;
use toile_geometry::QuadGrid;

/// Indices within the cloth of the particles in `region`, ascending. Holding nothing is an error:
/// it is always a mistake in the scene.
pub fn select(
    region: &PinRegion,
    grid: &QuadGrid,
    positions: &[DVec3],
) -> Result<Vec<u32>, BuildError> {
    let error = |key: &str, message: String| BuildError {
        key: key.into(),
        message,
    };
    let matching = |holds: &dyn Fn(usize) -> bool| -> Vec<u32> {
        (0..grid.len())
            .filter(|&i| holds(i))
            .map(|i| i as u32)
            .collect()
    };
    let (key, chosen) = match region {
        PinRegion::Indices(indices) => {
            if let Some(index) = indices.iter().find(|&&i| i as usize >= grid.len()) {
                return Err(error(
                    "indices",
                    format!(
                        "there is no particle {index}: expected 0 to {}",
                        grid.len() - 1
                    ),
                ));
            }
            let mut sorted = indices.clone();
            sorted.sort_unstable();
            sorted.dedup();
            ("indices", sorted)
        }
        PinRegion::Box(bounds) => ("box", matching(&|i| bounds.contains(positions[i]))),
        PinRegion::Corners { corners, patch_m } => {
            // A particle exactly on the patch's border belongs to it, whatever rounding says.
            let reach = patch_m + 1e-9 * grid.size_m.max_element();
            let inside = |i: usize| {
                let (column, row) = grid.cell_of(i);
                let low = grid.pattern(column, row);
                let high = grid.size_m - low;
                corners.iter().any(|corner| {
                    let (u, v) = match corner {
                        Corner::UMinVMin => (low.x, low.y),
                        Corner::UMaxVMin => (high.x, low.y),
                        Corner::UMinVMax => (low.x, high.y),
                        Corner::UMaxVMax => (high.x, high.y),
                    };
                    u <= reach && v <= reach
                })
            };
            ("corners", matching(&inside))
        }
        PinRegion::Borders(borders) => {
            let inside = |i: usize| {
                let (column, row) = grid.cell_of(i);
                borders.iter().any(|border| match border {
                    Border::UMin => column == 0,
                    Border::UMax => column == grid.columns - 1,
                    Border::VMin => row == 0,
                    Border::VMax => row == grid.rows - 1,
                })
            };
            ("borders", matching(&inside))
        }
    };
    if chosen.is_empty() {
        return Err(error(
            key,
            "holds no particle: expected at least one inside".into(),
        ));
    }
    Ok(chosen)
}
