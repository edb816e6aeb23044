//! Parallel loops whose results do not depend on the number of threads.
//!
//! Work is split by halving at multiples of a fixed grain, so the tree of partial results is a
//! function of the length alone; each leaf is computed by one thread in ascending order.

use crate::Scalar;

/// Elements a leaf handles at the least; a leaf is also the unit of summation.
const GRAIN: usize = 1024;

fn middle(len: usize, grain: usize) -> usize {
    (len / grain).div_ceil(2) * grain
}

/// Calls `f(first, leaf)` for consecutive leaves of `data`, `first` being the index of the
/// leaf's first element. Each element must depend only on its own index.
pub fn for_each_leaf<T: Send>(data: &mut [T], grain: usize, f: &(impl Fn(usize, &mut [T]) + Sync)) {
    fn split<T: Send>(
        first: usize,
        data: &mut [T],
        grain: usize,
        f: &(impl Fn(usize, &mut [T]) + Sync),
    ) {
        if data.len() <= grain {
            return f(first, data);
        }
        let at = middle(data.len(), grain);
        let (low, high) = data.split_at_mut(at);
        rayon::join(
            || split(first, low, grain, f),
            || split(first + at, high, grain, f),
        );
    }
    if rayon::current_num_threads() == 1 {
        // The leaf boundaries cannot matter to independent elements.
        f(0, data);
    } else {
        split(0, data, grain.max(1), f);
    }
}

/// Calls `f(row, elements)` for every row of `width` elements; `grain` rows make a leaf. Each row
/// must depend only on its own index.
pub fn for_each_row<T: Send>(
    data: &mut [T],
    width: usize,
    grain: usize,
    f: &(impl Fn(usize, &mut [T]) + Sync),
) {
    for_each_leaf(data, grain * width, &|first, leaf| {
        for (k, row) in leaf.chunks_exact_mut(width).enumerate() {
            f(first / width + k, row);
        }
    });
}

/// The same over two arrays of equally many rows, of `widths` elements each.
pub fn for_each_row_pair<A: Send, B: Send>(
    (a, b): (&mut [A], &mut [B]),
    widths: (usize, usize),
    grain: usize,
    f: &(impl Fn(usize, &mut [A], &mut [B]) + Sync),
) {
    fn split<A: Send, B: Send>(
        first: usize,
        (a, b): (&mut [A], &mut [B]),
        widths: (usize, usize),
        grain: usize,
        f: &(impl Fn(usize, &mut [A], &mut [B]) + Sync),
    ) {
        let rows = a.len() / widths.0;
        if rows <= grain {
            let rows = a
                .chunks_exact_mut(widths.0)
                .zip(b.chunks_exact_mut(widths.1));
            for (k, (a, b)) in rows.enumerate() {
                f(first + k, a, b);
            }
            return;
        }
        let at = middle(rows, grain);
        let (a_low, a_high) = a.split_at_mut(at * widths.0);
        let (b_low, b_high) = b.split_at_mut(at * widths.1);
        rayon::join(
            || split(first, (a_low, b_low), widths, grain, f),
            || split(first + at, (a_high, b_high), widths, grain, f),
        );
    }
    let grain = if rayon::current_num_threads() == 1 {
        usize::MAX
    } else {
        grain.max(1)
    };
    assert_eq!(a.len() / widths.0, b.len() / widths.1);
    split(0, (a, b), widths, grain, f);
}

/// Sets every element of `out` to `f(index)`.
pub fn fill<T: Send>(out: &mut [T], f: impl Fn(usize) -> T + Sync) {
    for_each_leaf(out, GRAIN, &|first, leaf| {
        for (k, value) in leaf.iter_mut().enumerate() {
            *value = f(first + k);
        }
    });
}

/// Sum of `leaf_sum(range)` over leaves of `0..len`, added up in a fixed tree.
pub fn sum_leaves(len: usize, leaf_sum: &(impl Fn(std::ops::Range<usize>) -> f64 + Sync)) -> f64 {
    fn split(
        range: std::ops::Range<usize>,
        parallel: bool,
        leaf_sum: &(impl Fn(std::ops::Range<usize>) -> f64 + Sync),
    ) -> f64 {
        if range.len() <= GRAIN {
            return leaf_sum(range);
        }
        let at = range.start + middle(range.len(), GRAIN);
        let (low, high) = (range.start..at, at..range.end);
        let (a, b) = if parallel {
            rayon::join(
                || split(low, true, leaf_sum),
                || split(high, true, leaf_sum),
            )
        } else {
            (split(low, false, leaf_sum), split(high, false, leaf_sum))
        };
        a + b
    }
    split(0..len, rayon::current_num_threads() > 1, leaf_sum)
}

/// Sum of `f(index)` over `0..len`, in a fixed order.
pub fn sum(len: usize, f: impl Fn(usize) -> f64 + Sync) -> f64 {
    sum_leaves(len, &|range| range.map(&f).sum())
}

/// Dot product in `f64`, in a fixed order.
pub fn dot<T: Scalar>(a: &[T], b: &[T]) -> f64 {
    assert_eq!(a.len(), b.len());
    // A serial sum waits for each addition; eight running sums do not.
    const LANES: usize = 8;
    sum_leaves(a.len(), &|range| {
        let (a, b) = (&a[range.clone()], &b[range]);
        let mut lanes = [0.0; LANES];
        let (mut a_chunks, mut b_chunks) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
        for (x, y) in (&mut a_chunks).zip(&mut b_chunks) {
            for lane in 0..LANES {
                lanes[lane] += x[lane].to_f64() * y[lane].to_f64();
            }
        }
        let tail = a_chunks.remainder().iter().zip(b_chunks.remainder());
        lanes.iter().sum::<f64>() + tail.map(|(x, y)| x.to_f64() * y.to_f64()).sum::<f64>()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_pool<R: Send>(threads: usize, f: impl FnOnce() -> R + Send) -> R {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap()
            .install(f)
    }

    #[test]
    fn dot_has_the_same_bits_for_any_thread_count_and_is_right() {
        let a: Vec<f64> = (0..12_345).map(|i| (f64::from(i) * 0.37).sin()).collect();
        let b: Vec<f64> = (0..12_345).map(|i| (f64::from(i) * 0.11).cos()).collect();
        let one = in_pool(1, || dot(&a, &b));
        for threads in 2..5 {
            assert_eq!(one.to_bits(), in_pool(threads, || dot(&a, &b)).to_bits());
        }
        let plain: f64 = a.iter().zip(&b).map(|(x, y)| x * y).sum();
        assert!((one - plain).abs() < 1e-10);
    }

    #[test]
    fn fill_reaches_every_element_once() {
        let mut out = vec![0; 5000];
        in_pool(3, || fill(&mut out, |i| i));
        assert!(out.iter().enumerate().all(|(i, &v)| i == v));
    }
}
