//! A matrix with its held directions taken out: `S A S + I − S`.
//!
//! The solution of the filtered system is that of `(S A S + I − S) y = S (b − A x_c)`. The pattern
//! stays that of `A` whatever is held, so symbolic work on it is done once.

use crate::BlockCsr;
use crate::filter::ParticleFilter;
use glam::DMat3;

/// Writes `S A S + I − S` into `out`, which has the pattern of `matrix`. `projections` is scratch.
pub fn constrain(
    matrix: &BlockCsr,
    filter: &ParticleFilter,
    projections: &mut Vec<DMat3>,
    out: &mut BlockCsr,
) {
    projections.clear();
    projections.resize(matrix.pattern().rows(), DMat3::IDENTITY);
    for &(particle, hold) in filter.holds() {
        projections[particle as usize] = hold.projection();
    }
    let pattern = matrix.pattern();
    let projections = &*projections;
    out.for_each_row(|row, blocks| {
        let range = pattern.row(row);
        let own = projections[row];
        for (place, block) in range.zip(blocks) {
            let column = pattern.column(place) as usize;
            *block = own * matrix.blocks()[place] * projections[column];
            if column == row {
                *block += DMat3::IDENTITY - own;
            }
        }
    });
}
