//! Part of a row.

/// Columns from `start` up to, and without, `end`; none if `start` is not below `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

impl Span {
    pub const NONE: Self = Self {
        start: usize::MAX,
        end: 0,
    };

    /// The smallest span that holds both.
    pub fn union(self, other: Self) -> Self {
        Self {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// With `by` more columns at either side, in a row of `width`.
    pub fn widened(self, by: usize, width: usize) -> Self {
        if self.start >= self.end {
            return Self::NONE;
        }
        Self {
            start: self.start.saturating_sub(by),
            end: (self.end + by).min(width),
        }
    }

    /// As columns that are `size` times as wide.
    pub fn coarser(self, size: usize) -> Self {
        Self {
            start: self.start / size,
            end: self.end.div_ceil(size),
        }
    }

    /// As columns that are `size` times narrower, in a row of `width`.
    pub fn finer(self, size: usize, width: usize) -> Self {
        if self.start >= self.end {
            return Self::NONE;
        }
        Self {
            start: self.start * size,
            end: (self.end * size).min(width),
        }
    }

    /// The columns as a range, which is empty rather than reversed.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start.min(self.end)..self.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_stays_nothing() {
        assert!(Span::NONE.range().is_empty());
        assert!(Span::NONE.widened(3, 10).range().is_empty());
        assert!(Span::NONE.coarser(2).range().is_empty());
        assert!(Span::NONE.finer(2, 10).range().is_empty());
        let some = Span { start: 4, end: 7 };
        assert_eq!(some.union(Span::NONE), some);
    }

    #[test]
    fn other_sizes_cover_what_they_came_from() {
        let span = Span { start: 3, end: 8 };
        assert_eq!(span.coarser(2).range(), 1..4);
        assert_eq!(span.coarser(2).finer(2, 8).range(), 2..8);
        assert_eq!(span.widened(5, 10).range(), 0..10);
    }
}
