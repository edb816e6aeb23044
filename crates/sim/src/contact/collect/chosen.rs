//! Which of many numbered things are of interest, found in parallel without asking for memory.

use toile_numerics::par;

/// A set of numbers.
#[derive(Default)]
pub struct Chosen {
    /// A bit for each.
    words: Vec<u64>,
}

impl Chosen {
    /// Makes it the numbers below `count` of which `is_chosen`.
    pub fn find(&mut self, count: usize, is_chosen: impl Fn(usize) -> bool + Sync) {
        self.words.resize(count.div_ceil(BITS), 0);
        par::for_each_leaf(&mut self.words, WORD_GRAIN, |first, words| {
            for (k, word) in words.iter_mut().enumerate() {
                let from = (first + k) * BITS;
                let to = count.min(from + BITS);
                let bit = |bits: u64, i: usize| bits | u64::from(is_chosen(i)) << (i - from);
                *word = (from..to).fold(0, bit);
            }
        });
    }

    /// The numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(k, &word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let next = (left != 0).then(|| k * BITS + left.trailing_zeros() as usize);
                left &= left.wrapping_sub(1);
                next
            })
        })
    }
}

const BITS: usize = u64::BITS as usize;
/// Words that are worth a task.
const WORD_GRAIN: usize = 16;

#[cfg(test)]
mod tests {
    use super::Chosen;

    #[test]
    fn it_has_what_was_chosen_in_order() {
        let mut chosen = Chosen::default();
        for count in [0, 1, 63, 64, 65, 1000, 100] {
            let is_chosen = |i: usize| i.is_multiple_of(7) || i == 64;
            chosen.find(count, is_chosen);
            let expected: Vec<usize> = (0..count).filter(|i| is_chosen(*i)).collect();
            assert_eq!(chosen.iter().collect::<Vec<_>>(), expected);
        }
    }
}
