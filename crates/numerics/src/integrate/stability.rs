//! How fast a system can move, for the longest step an explicit scheme may take.
//!
//! The largest eigenvalue of `M⁻¹ C`, `C = −K` or `−D`, by Lanczos iteration on
//! `M^(−½) C M^(−½)` from a fixed start that favours nothing: only products with `C` are needed. The
//! largest Ritz value lies below the eigenvalue; its residual is added, so that the answer is
//! rather above it. Around twenty products suffice for a few per cent.
//!
//! Source: Lanczos 1950; the bound is that of the residual of a symmetric matrix.
//! Verified by: `tests/stability.rs`.

use crate::par;

/// The fastest motions of a system.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rates {
    /// Largest angular frequency of the elastic forces, 1/s: the root of the largest eigenvalue of
    /// `−M⁻¹K`.
    pub frequency_per_s: f64,
    /// Largest rate of the dampers, 1/s: the largest eigenvalue of `−M⁻¹D`.
    pub damping_per_s: f64,
}

/// Products made.
const PRODUCTS: usize = 24;

/// The largest eigenvalue of `M⁻¹ C` for symmetric positive semidefinite `C`, or a little more, or
/// NaN if a product is no number; `product(p, image)` sets `image = C p`.
pub fn largest_eigenvalue(masses: &[f64], mut product: impl FnMut(&[f64], &mut [f64])) -> f64 {
    let n = masses.len();
    let roots: Vec<f64> = masses.iter().map(|mass| mass.sqrt()).collect();
    let mut q = unbiased(n);
    let mut q_before = vec![0.0; n];
    let (mut scaled, mut image) = (vec![0.0; n], vec![0.0; n]);
    let mut tridiagonal = Tridiagonal::default();
    let mut beta = 0.0;
    for _ in 0..PRODUCTS.min(n) {
        par::fill(&mut scaled, |i| q[i] / roots[i]);
        product(&scaled, &mut image);
        par::fill(&mut scaled, |i| image[i] / roots[i] - beta * q_before[i]);
        let alpha = par::dot(&scaled, &q);
        par::fill(&mut image, |i| scaled[i] - alpha * q[i]);
        tridiagonal.diagonal.push(alpha);
        beta = par::dot(&image, &image).sqrt();
        if !beta.is_finite() {
            return f64::NAN;
        }
        // An invariant subspace: its largest eigenvalue is exact.
        if beta <= 1e-12 * alpha.abs() {
            beta = 0.0;
            break;
        }
        tridiagonal.beside.push(beta);
        std::mem::swap(&mut q, &mut q_before);
        par::fill(&mut q, |i| image[i] / beta);
    }
    tridiagonal.largest_with_residual(beta)
}

/// A unit vector without pattern, always the same.
fn unbiased(n: usize) -> Vec<f64> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut vector: Vec<f64> = (0..n)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            if state >> 63 == 0 { 1.0 } else { -1.0 }
        })
        .collect();
    let size = (n.max(1) as f64).sqrt();
    vector.iter_mut().for_each(|value| *value /= size);
    vector
}

/// The symmetric tridiagonal matrix of the iteration.
#[derive(Default)]
struct Tridiagonal {
    diagonal: Vec<f64>,
    beside: Vec<f64>,
}

impl Tridiagonal {
    /// The largest eigenvalue plus the residual of its Ritz vector, `beta` times the last entry of
    /// its eigenvector here.
    fn largest_with_residual(&self, beta: f64) -> f64 {
        let count = self.diagonal.len();
        if count == 0 {
            return 0.0;
        }
        let beside = |k: usize| self.beside.get(k).map_or(0.0, |b| b.abs());
        let reach = |k: usize| {
            let left = if k == 0 { 0.0 } else { beside(k - 1) };
            let right = if k + 1 == count { 0.0 } else { beside(k) };
            self.diagonal[k] + left + right
        };
        // Gershgorin's circles enclose it; Sturm's count halves the enclosure.
        let mut high = (0..count).map(reach).fold(0.0, f64::max);
        let mut low = 0.0;
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if self.any_above(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        high + beta * self.last_entry(high)
    }

    /// Whether an eigenvalue lies above `value`: whether a pivot of `value − T` is negative.
    fn any_above(&self, value: f64) -> bool {
        let mut pivot = f64::INFINITY;
        for (k, diagonal) in self.diagonal.iter().enumerate() {
            let before = if k == 0 { 0.0 } else { self.beside[k - 1] };
            pivot = value - diagonal - before * before / pivot;
            if pivot < 0.0 {
                return true;
            }
            pivot = pivot.max(f64::MIN_POSITIVE);
        }
        false
    }

    /// Last entry of the unit eigenvector of `value`, by its recurrence from the first entry.
    fn last_entry(&self, value: f64) -> f64 {
        let (mut before, mut entry, mut square) = (0.0, 1.0, 1.0);
        for k in 0..self.diagonal.len() - 1 {
            let left = if k == 0 { 0.0 } else { self.beside[k - 1] };
            let next = ((value - self.diagonal[k]) * entry - left * before) / self.beside[k];
            (before, entry) = (entry, next);
            square += entry * entry;
        }
        (entry * entry / square).sqrt().min(1.0)
    }
}
