//! Interpolation between a grid and the next coarser one, row by row.

use super::layout::{Layout, MARGIN};

/// One row of `coarse = Pᵀ fine`.
pub(super) fn restrict_row(
    fine_layout: &Layout,
    fine: &[f32],
    layout: &Layout,
    row: usize,
    out: &mut [f32],
) {
    for component in 0..3 {
        // The last coarse row may lie just outside the fine grid; the margin is zero.
        let fine_row = |down: isize| {
            let start = fine_layout.row_start(3, 2 * row, down);
            let start = start + component * fine_layout.stride + MARGIN - 1;
            &fine[start..start + 2 * layout.columns + 1]
        };
        let (low, own, high) = (fine_row(-1), fine_row(0), fine_row(1));
        let start = component * layout.stride + MARGIN;
        let out = &mut out[start..start + layout.columns];
        for (k, value) in out.iter_mut().enumerate() {
            let at = |j: usize| own[j] + 0.5 * (low[j] + high[j]);
            *value = at(2 * k + 1) + 0.5 * (at(2 * k) + at(2 * k + 2));
        }
    }
}

/// One row of `fine += P coarse`.
pub(super) fn prolong_row(
    layout: &Layout,
    coarse: &[f32],
    fine_layout: &Layout,
    row: usize,
    out: &mut [f32],
) {
    // Between two coarse rows both count half; on one, it counts twice half.
    let low = layout.row_start(3, row / 2, 0) + MARGIN;
    let high = layout.row_start(3, row.div_ceil(2), 0) + MARGIN;
    for component in 0..3 {
        let low = &coarse[low + component * layout.stride..][..layout.columns];
        let high = &coarse[high + component * layout.stride..][..layout.columns];
        let out = &mut out[component * fine_layout.stride + MARGIN..][..fine_layout.columns];
        let (pairs, last) = out.as_chunks_mut::<2>();
        let count = pairs.len();
        let here = low[..count].iter().zip(&high[..count]);
        let next = low[1..].iter().zip(&high[1..]);
        for (pair, (here, next)) in pairs.iter_mut().zip(here.zip(next)) {
            let (here, next) = (0.5 * (here.0 + here.1), 0.5 * (next.0 + next.1));
            pair[0] += here;
            pair[1] += 0.5 * (here + next);
        }
        if let [last] = last {
            *last += 0.5 * (low[count] + high[count]);
        }
    }
}
