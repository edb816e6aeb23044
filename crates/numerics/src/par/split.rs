//! What loops run over, and how it is shared out.

use std::ops::Range;

/// Something made of rows that can be cut in two between them.
pub trait Split: Send + Sized {
    /// How many.
    fn rows(&self) -> usize;
    /// The rows before `at`, and the others.
    fn cut(self, at: usize) -> (Self, Self);
}

impl Split for Range<usize> {
    fn rows(&self) -> usize {
        self.len()
    }

    fn cut(self, at: usize) -> (Self, Self) {
        let middle = self.start + at;
        (self.start..middle, middle..self.end)
    }
}

/// Rows of `width` elements.
pub struct Rows<'a, T> {
    pub data: &'a mut [T],
    pub width: usize,
}

impl<'a, T> Rows<'a, T> {
    pub fn new(data: &'a mut [T], width: usize) -> Self {
        Self { data, width }
    }

    /// Calls `f(row, elements of one, elements of the other)` for every row of a pair.
    pub fn for_each<U>(
        first: usize,
        (a, b): (Self, Rows<'_, U>),
        f: impl Fn(usize, &mut [T], &mut [U]),
    ) {
        let b_rows = b.data.chunks_exact_mut(b.width);
        let rows = a.data.chunks_exact_mut(a.width).zip(b_rows);
        for (k, (a, b)) in rows.enumerate() {
            f(first + k, a, b);
        }
    }
}

impl<T: Send> Split for Rows<'_, T> {
    fn rows(&self) -> usize {
        self.data.len() / self.width
    }

    fn cut(self, at: usize) -> (Self, Self) {
        let width = self.width;
        let (low, high) = self.data.split_at_mut(at * width);
        (Rows::new(low, width), Rows::new(high, width))
    }
}

impl<A: Split, B: Split> Split for (A, B) {
    fn rows(&self) -> usize {
        assert_eq!(self.0.rows(), self.1.rows(), "arrays of equally many rows");
        self.0.rows()
    }

    fn cut(self, at: usize) -> (Self, Self) {
        let ((a_low, a_high), (b_low, b_high)) = (self.0.cut(at), self.1.cut(at));
        ((a_low, b_low), (a_high, b_high))
    }
}

impl<S: Split> Split for Vec<S> {
    fn rows(&self) -> usize {
        let rows = self.first().map_or(0, S::rows);
        let same = self.iter().all(|part| part.rows() == rows);
        assert!(same, "arrays of equally many rows");
        rows
    }

    fn cut(self, at: usize) -> (Self, Self) {
        self.into_iter().map(|part| part.cut(at)).unzip()
    }
}
