//! Symmetric 3×3 blocks as `[xx, xy, xz, yy, yz, zz]`.

use super::layout::{LANES, RowMut};

/// Numbers of a block.
pub(super) const PARTS: usize = 6;

/// The inverses of positive definite blocks, one a lane; zero where there is nothing to invert.
#[inline(always)]
pub(super) fn inverse<const N: usize>(a: &[[f32; N]; PARTS]) -> [[f32; N]; PARTS] {
    let mut inverse = [[0.0; N]; PARTS];
    for k in 0..N {
        let (xx, xy, xz) = (a[0][k], a[1][k], a[2][k]);
        let (yy, yz, zz) = (a[3][k], a[4][k], a[5][k]);
        let (p, q, r) = (yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy);
        let determinant = xx * p + xy * q + xz * r;
        // Held and absent nodes have no stiffness; they must stay where they are. Dividing in any case is
        // what can be done in all lanes at once.
        let infinite = f32::INFINITY;
        let scale = 1.0
            / if determinant > 0.0 {
                determinant
            } else {
                infinite
            };
        inverse[0][k] = p * scale;
        inverse[1][k] = q * scale;
        inverse[2][k] = r * scale;
        inverse[3][k] = (xx * zz - xz * xz) * scale;
        inverse[4][k] = (xy * xz - xx * yz) * scale;
        inverse[5][k] = (xx * yy - xy * xy) * scale;
    }
    inverse
}

/// One group of a row of blocks.
#[inline(always)]
pub(super) fn load(row: &[RowMut<'_>; PARTS], group: usize) -> [[f32; LANES]; PARTS] {
    std::array::from_fn(|part| row[part][group])
}

/// Writes one group of a row of blocks.
#[inline(always)]
pub(super) fn store(row: &mut [RowMut<'_>; PARTS], group: usize, blocks: &[[f32; LANES]; PARTS]) {
    for (row, part) in row.iter_mut().zip(blocks) {
        row[group] = *part;
    }
}

/// Each lane's block times each lane's vector.
#[inline(always)]
pub(super) fn multiply<const N: usize>(a: &[[f32; N]; PARTS], x: &[[f32; N]; 3]) -> [[f32; N]; 3] {
    let [xx, xy, xz, yy, yz, zz] = *a;
    let [x, y, z] = *x;
    let (mut out_x, mut out_y, mut out_z) = ([0.0; N], [0.0; N], [0.0; N]);
    for k in 0..N {
        out_x[k] = xx[k] * x[k] + xy[k] * y[k] + xz[k] * z[k];
    }
    for k in 0..N {
        out_y[k] = xy[k] * x[k] + yy[k] * y[k] + yz[k] * z[k];
    }
    for k in 0..N {
        out_z[k] = xz[k] * x[k] + yz[k] * y[k] + zz[k] * z[k];
    }
    [out_x, out_y, out_z]
}
