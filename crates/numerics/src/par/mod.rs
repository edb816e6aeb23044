//! Parallel loops whose results do not depend on the number of threads.
//!
//! A loop over independent elements may be cut anywhere. A sum is added up in a tree made by
//! halving at multiples of a fixed grain, a function of the length alone; each leaf is summed by
//! one thread in ascending order. How many tasks that makes depends on the number of threads, and
//! matters to the clock only: a task costs about a microsecond, and many loops last no more than
//! ten.

mod join;
mod split;
mod watch;

use crate::Scalar;
pub use join::join;
use split::{Rows, Split};
use std::ops::Range;
pub use watch::attentively;

/// Elements of a leaf: the unit of summation, and what is worth a task at the least.
const GRAIN: usize = 1024;
/// Leaves of a sum that are worth a task.
const SUM_TASK_GRAINS: usize = 2;

/// Elements of a copy or an update that are worth a task.
const COPY_GRAIN: usize = 2048;

/// Tasks that `rows` rows are worth, `grain` rows being worth one at the least: one a thread, so
/// that a thread meets the same rows again in the next loop, in its own cache; several where there
/// are so many rows that no cache holds them, to even out what disturbs a thread.
fn tasks(rows: usize, grain: usize) -> usize {
    const TASKS_PER_THREAD: usize = 4;
    const MANY_GRAINS: usize = 16;
    let (worth, threads) = (rows / grain.max(1), rayon::current_num_threads());
    if threads == 1 || worth <= threads * MANY_GRAINS {
        worth.clamp(1, threads)
    } else {
        threads * TASKS_PER_THREAD
    }
}

/// Calls `f(first row, part)` for `tasks` parts of nearly equal size.
///
/// `f` goes to another thread by value: what it would hold by reference is slow to get at there.
fn for_each_part<P: Split>(
    first: usize,
    part: P,
    tasks: usize,
    f: impl Fn(usize, P) + Copy + Send,
) {
    if tasks <= 1 {
        return f(first, part);
    }
    let low_tasks = tasks / 2;
    // Where a sum over as many rows is cut too, so that a thread meets the same rows in both.
    let at = (part.rows() * low_tasks).div_ceil(tasks);
    let (low, high) = part.cut(at);
    join(
        move || for_each_part(first, low, low_tasks, f),
        move || for_each_part(first + at, high, tasks - low_tasks, f),
    );
}

/// What `f(first row, leaf)` gives for leaves of as many rows, added up in a tree that depends on the
/// number of rows alone; `tasks` of its parts are shared between threads.
fn sum_parts<P: Split, S: Send>(
    first: usize,
    part: P,
    (leaf, tasks): (usize, usize),
    f: impl Fn(usize, P) -> S + Copy + Send,
    plus: fn(S, S) -> S,
) -> S {
    let rows = part.rows();
    if rows <= leaf {
        return f(first, part);
    }
    let at = (rows / leaf).div_ceil(2) * leaf;
    let (low, high) = part.cut(at);
    let low_tasks = tasks.div_ceil(2);
    let low = move || sum_parts(first, low, (leaf, low_tasks), f, plus);
    let high = move || sum_parts(first + at, high, (leaf, tasks - low_tasks), f, plus);
    let (low, high) = if tasks > 1 {
        join(low, high)
    } else {
        (low(), high())
    };
    plus(low, high)
}

fn sum_of_two(a: f64, b: f64) -> f64 {
    a + b
}

/// Calls `f(first, leaf)` for consecutive leaves of `data`, `first` being the index of the
/// leaf's first element; `grain` elements are worth a task. Each element must depend only on its
/// own index.
pub fn for_each_leaf<T: Send>(
    data: &mut [T],
    grain: usize,
    f: impl Fn(usize, &mut [T]) + Copy + Send,
) {
    let tasks = tasks(data.len(), grain);
    let part = Rows::new(data, 1);
    for_each_part(0, part, tasks, move |first, part| f(first, part.data));
}

/// Calls `f(row, elements)` for every row of `width` elements; `grain` rows are worth a task. Each
/// row must depend only on its own index.
pub fn for_each_row<T: Send>(
    data: &mut [T],
    width: usize,
    grain: usize,
    f: impl Fn(usize, &mut [T]) + Copy + Send,
) {
    for_each_row_with(data, width, grain, || (), move |(), row, data| f(row, data));
}

/// The same with scratch memory, made once a task.
pub fn for_each_row_with<T: Send, S>(
    data: &mut [T],
    width: usize,
    grain: usize,
    scratch: impl Fn() -> S + Copy + Send,
    f: impl Fn(&mut S, usize, &mut [T]) + Copy + Send,
) {
    let part = Rows::new(data, width);
    let tasks = tasks(part.rows(), grain);
    for_each_part(0, part, tasks, move |first, part| {
        let mut scratch = scratch();
        for (k, row) in part.data.chunks_exact_mut(width).enumerate() {
            f(&mut scratch, first + k, row);
        }
    });
}

/// The same over any number of arrays of equally many rows at once: calls `f(array, row, elements)`.
pub fn for_each_row_of<T: Send>(
    arrays: Vec<&mut [T]>,
    width: usize,
    grain: usize,
    f: impl Fn(usize, usize, &mut [T]) + Copy + Send,
) {
    let rows = |data| Rows::new(data, width);
    let arrays: Vec<_> = arrays.into_iter().map(rows).collect();
    let tasks = tasks(arrays.rows(), grain);
    for_each_part(0, arrays, tasks, move |first, arrays| {
        for (array, rows) in arrays.into_iter().enumerate() {
            for (k, row) in rows.data.chunks_exact_mut(width).enumerate() {
                f(array, first + k, row);
            }
        }
    });
}

/// The same over two arrays of equally many rows, of `widths` elements each.
pub fn for_each_row_pair<A: Send, B: Send>(
    (a, b): (&mut [A], &mut [B]),
    widths: (usize, usize),
    grain: usize,
    f: impl Fn(usize, &mut [A], &mut [B]) + Copy + Send,
) {
    let pair = (Rows::new(a, widths.0), Rows::new(b, widths.1));
    let tasks = tasks(pair.rows(), grain);
    for_each_part(0, pair, tasks, move |first, pair| {
        Rows::for_each(first, pair, f);
    });
}

/// The same over three arrays with rows of one width.
pub fn for_each_row_of_three<T: Send>(
    [a, b, c]: [&mut [T]; 3],
    width: usize,
    grain: usize,
    f: impl Fn(usize, [&mut [T]; 3]) + Copy + Send,
) {
    let [a, b, c] = [a, b, c].map(|data| Rows::new(data, width));
    let tasks = tasks(a.rows(), grain);
    for_each_part(0, ((a, b), c), tasks, move |first, ((a, b), c)| {
        let [a, b, c] = [a, b, c].map(|part: Rows<'_, T>| part.data.chunks_exact_mut(width));
        for (k, ((a, b), c)) in a.zip(b).zip(c).enumerate() {
            f(first + k, [a, b, c]);
        }
    });
}

/// The same over any number of such pairs at once: `out`, with as many elements a row as there are pairs,
/// takes what `f(pair, row, elements, elements)` gives.
pub fn map_rows_of_pairs<A: Send, B: Send, R: Send>(
    pairs: Vec<(&mut [A], &mut [B])>,
    widths: (usize, usize),
    grain: usize,
    out: &mut [R],
    f: impl Fn(usize, usize, &mut [A], &mut [B]) -> R + Copy + Send,
) {
    let count = pairs.len();
    if count == 0 {
        return;
    }
    let rows = |(a, b)| (Rows::new(a, widths.0), Rows::new(b, widths.1));
    let pairs: Vec<_> = pairs.into_iter().map(rows).collect();
    let tasks = tasks(pairs.rows(), grain);
    let out = Rows::new(out, count);
    for_each_part(0, (pairs, out), tasks, move |first, (pairs, out)| {
        for (k, (a, b)) in pairs.into_iter().enumerate() {
            let rows = a.data.chunks_exact_mut(a.width);
            let rows = rows.zip(b.data.chunks_exact_mut(b.width));
            for (row, (a, b)) in rows.enumerate() {
                out.data[row * count + k] = f(k, first + row, a, b);
            }
        }
    });
}

/// Copies a long array.
pub fn copy<T: Copy + Send + Sync>(from: &[T], to: &mut [T]) {
    assert_eq!(from.len(), to.len());
    for_each_leaf(to, COPY_GRAIN, move |first, leaf| {
        leaf.copy_from_slice(&from[first..first + leaf.len()]);
    });
}

/// Sets every element of `out` to `f(index)`.
pub fn fill<T: Send>(out: &mut [T], f: impl Fn(usize) -> T + Sync) {
    let f = &f;
    for_each_leaf(out, GRAIN, move |first, leaf| {
        for (k, value) in leaf.iter_mut().enumerate() {
            *value = f(first + k);
        }
    });
}

/// Sum of `leaf_sum(range)` over leaves of `0..len`, added up in a fixed tree.
pub fn sum_leaves(len: usize, leaf_sum: impl Fn(Range<usize>) -> f64 + Copy + Send) -> f64 {
    sum_leaves_with(len, leaf_sum, sum_of_two)
}

/// The same for anything that `plus` adds up.
pub fn sum_leaves_with<S: Send>(
    len: usize,
    leaf_sum: impl Fn(Range<usize>) -> S + Copy + Send,
    plus: fn(S, S) -> S,
) -> S {
    let tasks = tasks(len, SUM_TASK_GRAINS * GRAIN);
    let sum = move |_, range| leaf_sum(range);
    sum_parts(0, 0..len, (GRAIN, tasks), sum, plus)
}

/// Sum of what `f(first, leaf of a, leaf of b)` returns over leaves of `grain` elements of two
/// equally long arrays, which it may change; added up in a fixed tree.
pub fn sum_leaves_mut<T: Send>(
    (a, b): (&mut [T], &mut [T]),
    grain: usize,
    f: impl Fn(usize, &mut [T], &mut [T]) -> f64 + Copy + Send,
) -> f64 {
    let [a, b] = [a, b].map(|data| Rows::new(data, 1));
    let tasks = tasks(a.rows(), SUM_TASK_GRAINS * grain);
    let sum = move |first, (a, b): (Rows<'_, T>, Rows<'_, T>)| f(first, a.data, b.data);
    sum_parts(0, (a, b), (grain, tasks), sum, sum_of_two)
}

/// Sum of what `f(row, elements)` returns over rows of `width` elements, which it may change; `grain`
/// rows are worth a task. Added up in a fixed tree.
pub fn sum_rows<T: Send>(
    data: &mut [T],
    width: usize,
    grain: usize,
    f: impl Fn(usize, &mut [T]) -> f64 + Copy + Send,
) -> f64 {
    let part = Rows::new(data, width);
    let rows = part.rows();
    if rows == 0 {
        return 0.0;
    }
    let tasks = tasks(rows, grain);
    let sum = move |first, row: Rows<'_, T>| f(first, row.data);
    sum_parts(0, part, (1, tasks), sum, sum_of_two)
}

/// Sum of `f(index)` over `0..len`, in a fixed order.
pub fn sum(len: usize, f: impl Fn(usize) -> f64 + Sync) -> f64 {
    let f = &f;
    sum_leaves(len, move |range| range.map(f).sum())
}

/// Appends the indices in `0..len` that `wanted` to `out`, in ascending order; `grain` of them are
/// worth a task.
pub fn select(
    len: usize,
    grain: usize,
    wanted: &(impl Fn(usize) -> bool + Sync),
    out: &mut Vec<u32>,
) {
    fn collect(
        range: Range<usize>,
        tasks: usize,
        wanted: &(impl Fn(usize) -> bool + Sync),
        out: &mut Vec<u32>,
    ) {
        if tasks <= 1 {
            return out.extend(range.filter(|i| wanted(*i)).map(|i| i as u32));
        }
        let at = range.len() / 2;
        let (low, high) = range.cut(at);
        let mut more = Vec::new();
        join(
            || collect(low, tasks / 2, wanted, out),
            || collect(high, tasks / 2, wanted, &mut more),
        );
        out.append(&mut more);
    }
    collect(0..len, tasks(len, grain), wanted, out);
}

/// Largest of zero and `f(index)` over `0..len`, `grain` of them being worth a task; the order cannot
/// matter.
pub fn max(len: usize, grain: usize, f: impl Fn(usize) -> f64 + Copy + Send) -> f64 {
    fn largest(range: Range<usize>, tasks: usize, f: impl Fn(usize) -> f64 + Copy + Send) -> f64 {
        if tasks <= 1 {
            return range.map(f).fold(0.0, f64::max);
        }
        let at = range.len() / 2;
        let (low, high) = range.cut(at);
        let (low, high) = join(
            move || largest(low, tasks / 2, f),
            move || largest(high, tasks / 2, f),
        );
        low.max(high)
    }
    largest(0..len, tasks(len, grain), f)
}

/// Largest magnitude.
pub fn max_abs(values: &[f64]) -> f64 {
    max(values.len(), COPY_GRAIN, move |i| values[i].abs())
}

/// Dot product in `f64`, in a fixed order.
pub fn dot<T: Scalar>(a: &[T], b: &[T]) -> f64 {
    assert_eq!(a.len(), b.len());
    sum_leaves(a.len(), move |range| dot_here(&a[range.clone()], &b[range]))
}

/// The same of short vectors, on this thread.
pub fn dot_here<T: Scalar>(a: &[T], b: &[T]) -> f64 {
    // A serial sum waits for each addition; eight running sums do not.
    const LANES: usize = 8;
    let mut lanes = [0.0; LANES];
    let (mut a_chunks, mut b_chunks) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    for (x, y) in (&mut a_chunks).zip(&mut b_chunks) {
        for lane in 0..LANES {
            lanes[lane] += x[lane].to_f64() * y[lane].to_f64();
        }
    }
    let tail = a_chunks.remainder().iter().zip(b_chunks.remainder());
    lanes.iter().sum::<f64>() + tail.map(|(x, y)| x.to_f64() * y.to_f64()).sum::<f64>()
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
    fn sums_with_side_effects_have_the_same_bits_for_any_thread_count() {
        let run = |threads| {
            let mut a: Vec<f64> = (0..20_001).map(|i| (f64::from(i) * 0.7).sin()).collect();
            let mut b = vec![0.0; a.len()];
            let sum = in_pool(threads, || {
                attentively(|| {
                    sum_leaves_mut((&mut a, &mut b), 512, |first, a, b| {
                        for (k, (a, b)) in a.iter_mut().zip(b).enumerate() {
                            *b = *a + (first + k) as f64;
                            *a *= 0.5;
                        }
                        a.iter().sum()
                    })
                })
            });
            (sum.to_bits(), a, b)
        };
        let one = run(1);
        assert_eq!(one.2[20_000], 20_000.0 + 2.0 * one.1[20_000]);
        for threads in 2..5 {
            assert!(one == run(threads), "{threads} threads");
        }
    }

    #[test]
    fn selected_indices_and_the_largest_magnitude_are_those_of_a_plain_loop() {
        let values: Vec<f64> = (0..30_000).map(|i| (f64::from(i) * 1.3).sin()).collect();
        let wanted = |i: usize| values[i] > 0.99;
        let plain: Vec<u32> = (0..30_000).filter(|i| wanted(*i as usize)).collect();
        let largest = values.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        for threads in 1..5 {
            let mut found = Vec::new();
            in_pool(threads, || select(values.len(), 100, &wanted, &mut found));
            assert_eq!(found, plain);
            assert_eq!(in_pool(threads, || max_abs(&values)), largest);
        }
    }

    #[test]
    fn fill_reaches_every_element_once() {
        let mut out = vec![0; 5000];
        in_pool(3, || fill(&mut out, |i| i));
        assert!(out.iter().enumerate().all(|(i, &v)| i == v));
    }
}
