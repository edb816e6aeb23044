//! Lists of items by rows, one row after the other: compressed rows, made by a counting sort.
//!
//! Items of one row stay in the order in which they arrive. Memory is linear in rows and items and used
//! again when filled again.

use std::ops::Range;

/// Where the items of every row are, found in two passes: one that counts them and one that asks where
/// each goes. Both may go through the items in an order of their own; the second one counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Places {
    /// Where each row starts, where the last one ends, and once more. While places are given out, it is
    /// one entry ahead: a row's start, moved on by what has been placed, becomes the start of the next.
    first: Vec<u32>,
}

impl Places {
    /// So many rows without items.
    pub fn clear(&mut self, rows: usize) {
        self.first.clear();
        self.first.resize(rows + 2, 0);
    }

    /// Makes room for one more item in a row.
    #[inline]
    pub fn count(&mut self, row: usize) {
        self.first[row + 2] += 1;
    }

    /// Ends the first pass; returns the number of all items.
    ///
    /// # Panics
    ///
    /// If there are 2³² of them or more.
    pub fn sum(&mut self) -> usize {
        let mut sum = 0_u32;
        for first in &mut self.first {
            sum = sum.checked_add(*first).expect("fewer than 2³² items");
            *first = sum;
        }
        sum as usize
    }

    /// Place of the next item of a row, among all.
    #[inline]
    pub fn next(&mut self, row: usize) -> usize {
        let next = &mut self.first[row + 1];
        let place = *next as usize;
        *next += 1;
        place
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.first.len().saturating_sub(2)
    }

    /// Places of a row's items, all of which have been placed.
    #[inline]
    pub fn range(&self, row: usize) -> Range<usize> {
        self.first[row] as usize..self.first[row + 1] as usize
    }
}

/// Items by rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Csr<T> {
    places: Places,
    items: Vec<T>,
}

impl<T> Default for Csr<T> {
    fn default() -> Self {
        Self {
            places: Places::default(),
            items: Vec::new(),
        }
    }
}

impl<T> Csr<T> {
    /// These lists, a row each.
    pub fn from_rows<R: IntoIterator<Item = T>>(rows: impl IntoIterator<Item = R>) -> Self {
        let (mut first, mut items) = (vec![0], Vec::new());
        for row in rows {
            items.extend(row);
            first.push(u32::try_from(items.len()).expect("fewer than 2³² items"));
        }
        first.push(items.len() as u32);
        Self {
            places: Places { first },
            items,
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.places.rows()
    }

    /// The items of a row.
    #[inline]
    pub fn row(&self, row: usize) -> &[T] {
        &self.items[self.places.range(row)]
    }

    /// The items of a row, to be changed.
    #[inline]
    pub fn row_mut(&mut self, row: usize) -> &mut [T] {
        &mut self.items[self.places.range(row)]
    }

    /// Where a row is among all items.
    #[inline]
    pub fn range(&self, row: usize) -> Range<usize> {
        self.places.range(row)
    }

    /// The items of all rows.
    pub fn items(&self) -> &[T] {
        &self.items
    }
}

impl<T: Copy> Csr<T> {
    /// Items with the row of each.
    pub fn from_pairs(rows: usize, pairs: impl Iterator<Item = (usize, T)> + Clone) -> Self {
        let mut csr = Self::default();
        csr.fill(rows, pairs);
        csr
    }

    /// Replaces all items by these, with the row of each.
    pub fn fill(&mut self, rows: usize, pairs: impl Iterator<Item = (usize, T)> + Clone) {
        let Self { places, items } = self;
        places.clear(rows);
        pairs.clone().for_each(|(row, _)| places.count(row));
        let count = places.sum();
        items.clear();
        let Some((_, any)) = pairs.clone().next() else {
            return;
        };
        items.resize(count, any);
        pairs.for_each(|(row, item)| items[places.next(row)] = item);
    }
}
