//! Compressed rows against lists of lists.

use proptest::prelude::*;
use toile_numerics::Csr;
use toile_numerics::csr::Places;

/// Numbers of rows, and pairs of a row and an item.
fn lists() -> impl Strategy<Value = (usize, Vec<(usize, u16)>)> {
    (1..20_usize).prop_flat_map(|rows| {
        let pairs = prop::collection::vec((0..rows, any::<u16>()), 0..100);
        (Just(rows), pairs)
    })
}

fn naive(rows: usize, pairs: &[(usize, u16)]) -> Vec<Vec<u16>> {
    let mut lists = vec![Vec::new(); rows];
    for (row, item) in pairs {
        lists[*row].push(*item);
    }
    lists
}

fn assert_same(csr: &Csr<u16>, lists: &[Vec<u16>]) {
    assert_eq!(csr.rows(), lists.len());
    for (row, list) in lists.iter().enumerate() {
        assert_eq!(csr.row(row), list, "row {row}");
        assert_eq!(&csr.items()[csr.range(row)], list, "row {row}");
    }
    assert_eq!(csr.items(), lists.concat());
}

proptest! {
    #[test]
    fn rows_keep_the_order_of_arrival((rows, pairs) in lists()) {
        let lists = naive(rows, &pairs);
        let csr = Csr::from_pairs(rows, pairs.iter().copied());
        assert_same(&csr, &lists);
        assert_eq!(csr, Csr::from_rows(lists));
    }

    #[test]
    fn nothing_is_left_of_what_was_there_before((rows, pairs) in lists(), (more, others) in lists()) {
        let mut csr = Csr::from_pairs(rows, pairs.iter().copied());
        csr.fill(more, others.iter().copied());
        assert_same(&csr, &naive(more, &others));
    }

    #[test]
    fn passes_may_differ_in_their_order((rows, pairs) in lists()) {
        let mut places = Places::default();
        places.clear(rows);
        pairs.iter().rev().for_each(|(row, _)| places.count(*row));
        let mut items = vec![0; places.sum()];
        for (row, item) in &pairs {
            items[places.next(*row)] = *item;
        }
        prop_assert_eq!(places.rows(), rows);
        prop_assert_eq!(items, naive(rows, &pairs).concat());
    }
}

#[test]
fn there_may_be_no_rows_and_no_items() {
    assert_same(&Csr::default(), &[]);
    assert_same(&Csr::from_pairs(0, std::iter::empty()), &[]);
    assert_same(&Csr::from_rows::<Vec<u16>>([]), &[]);
    assert_same(&Csr::from_pairs(2, std::iter::empty()), &[vec![], vec![]]);
}

#[test]
fn rows_can_be_sorted() {
    let mut csr = Csr::from_pairs(2, [(1, 3), (0, 5), (1, 2)].into_iter());
    csr.row_mut(1).sort_unstable();
    assert_same(&csr, &[vec![5], vec![2, 3]]);
}
