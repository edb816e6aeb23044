//! Symmetric 3×3 blocks as `[xx, xy, xz, yy, yz, zz]`, padded to a full register.

/// A block; the last two numbers are zero.
pub(super) type Symmetric = [f32; 8];

/// Numbers of a block that matter.
pub(super) const PARTS: usize = 6;

/// `sum += factor · block`.
#[inline(always)]
pub(super) fn add(sum: &mut Symmetric, factor: f32, block: &Symmetric) {
    for k in 0..8 {
        sum[k] += factor * block[k];
    }
}

/// `c I + q qᵀ`.
#[inline(always)]
pub(super) fn outer(q: [f32; 3], c: f32) -> Symmetric {
    [
        q[0] * q[0] + c,
        q[0] * q[1],
        q[0] * q[2],
        q[1] * q[1] + c,
        q[1] * q[2],
        q[2] * q[2] + c,
        0.0,
        0.0,
    ]
}

/// The inverse of a positive definite block; zero where there is nothing to invert.
#[inline(always)]
pub(super) fn inverse(a: &[f32; PARTS]) -> [f32; PARTS] {
    let [xx, xy, xz, yy, yz, zz] = *a;
    let (p, q, r) = (yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy);
    let determinant = xx * p + xy * q + xz * r;
    // Held and absent nodes have no stiffness; they must stay where they are.
    let scale = if determinant > 0.0 {
        1.0 / determinant
    } else {
        0.0
    };
    [
        p * scale,
        q * scale,
        r * scale,
        (xx * zz - xz * xz) * scale,
        (xy * xz - xx * yz) * scale,
        (xx * yy - xy * xy) * scale,
    ]
}

/// Each lane's block times each lane's vector.
#[inline(always)]
pub(super) fn multiply<const N: usize>(a: &[[f32; N]; PARTS], x: &[[f32; N]; 3]) -> [[f32; N]; 3] {
    let mut y = [[0.0; N]; 3];
    for k in 0..N {
        y[0][k] = a[0][k] * x[0][k] + a[1][k] * x[1][k] + a[2][k] * x[2][k];
        y[1][k] = a[1][k] * x[0][k] + a[3][k] * x[1][k] + a[4][k] * x[2][k];
        y[2][k] = a[2][k] * x[0][k] + a[4][k] * x[1][k] + a[5][k] * x[2][k];
    }
    y
}
