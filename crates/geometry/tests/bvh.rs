//! The tree against comparing every box with every other.

use glam::DVec3;
use proptest::prelude::*;
use toile_geometry::bvh::{BoxTree, face_boxes};
use toile_geometry::{Bounds, QuadGrid};

fn overlap(a: &Bounds, b: &Bounds) -> bool {
    (0..3).all(|k| a.min[k] <= b.max[k] && b.min[k] <= a.max[k])
}

fn every_pair(a: &[Bounds], b: &[Bounds]) -> Vec<[u32; 2]> {
    let pair = |i: usize, j: usize| overlap(&a[i], &b[j]).then_some([i as u32, j as u32]);
    (0..a.len())
        .flat_map(|i| (0..b.len()).filter_map(move |j| pair(i, j)))
        .collect()
}

fn every_self_pair(boxes: &[Bounds]) -> Vec<[u32; 2]> {
    let mut pairs = every_pair(boxes, boxes);
    pairs.retain(|[i, j]| i < j);
    pairs
}

/// Boxes with corners on a lattice of tenths, so that many touch exactly, and some a unit in the
/// last place apart.
fn boxes() -> impl Strategy<Value = Vec<Bounds>> {
    let corner = || prop::array::uniform3(0..12i32);
    let size = || prop::array::uniform3(0..3i32);
    let one = (corner(), size(), any::<bool>()).prop_map(|(corner, size, shrink)| {
        let at = |k: usize, x: i32| {
            let x = 0.1 * f64::from(corner[k] + x);
            if shrink { x.next_down() } else { x }
        };
        let min = DVec3::new(at(0, 0), at(1, 0), at(2, 0));
        let max = DVec3::new(at(0, size[0]), at(1, size[1]), at(2, size[2]));
        Bounds { min, max }
    });
    prop::collection::vec(one, 0..60)
}

proptest! {
    #[test]
    fn no_pair_is_lost_or_invented(a in boxes(), b in boxes()) {
        let (tree_a, tree_b) = (BoxTree::build(&a), BoxTree::build(&b));
        prop_assert_eq!(tree_a.self_pairs(), every_self_pair(&a));
        prop_assert_eq!(tree_a.pairs_with(&tree_b), every_pair(&a, &b));
        for bounds in &b {
            let mut found: Vec<u32> = tree_a.overlapping(bounds).collect();
            found.sort_unstable();
            let expected: Vec<u32> = (0..a.len() as u32)
                .filter(|&i| overlap(&a[i as usize], bounds))
                .collect();
            prop_assert_eq!(found, expected);
        }
    }

    /// Refitting to any other boxes, as many or not, is as good as building.
    #[test]
    fn refit_forgets_the_old_boxes(a in boxes(), b in boxes()) {
        let mut tree = BoxTree::build(&a);
        tree.refit(&b);
        prop_assert_eq!(tree.len(), b.len());
        prop_assert_eq!(tree.self_pairs(), every_self_pair(&b));
        let n = a.len().min(b.len());
        let mut tree = BoxTree::build(&a[..n]);
        tree.refit(&b[..n]);
        prop_assert_eq!(tree.self_pairs(), every_self_pair(&b[..n]));
    }
}

/// The smallest trees take paths of their own.
#[test]
fn one_or_two_boxes_make_a_tree() {
    let at = |x: f64| Bounds {
        min: DVec3::splat(x),
        max: DVec3::splat(x + 1.0),
    };
    let [near, far] = [[at(0.0), at(1.0)], [at(5.0), at(6.5)]];
    for (m, n) in [(0, 1), (1, 1), (1, 2), (2, 1), (2, 2)] {
        let mut a = BoxTree::build(&near[..m]);
        let b = BoxTree::build(&far[..n]);
        assert_eq!(a.pairs_with(&b), [[0; 2]; 0]);
        assert_eq!(a.self_pairs(), every_self_pair(&near[..m]));
        a.refit(&far[..m]);
        assert_eq!(a.pairs_with(&b), every_pair(&far[..m], &far[..n]));
        assert_eq!(a.self_pairs(), every_self_pair(&far[..m]));
    }
}

#[test]
fn flat_grid_neighbours_are_all_found() {
    let grid = QuadGrid {
        columns: 20,
        rows: 20,
        size_m: glam::DVec2::splat(1.0),
    };
    let positions = grid.positions(DVec3::ZERO, DVec3::X, DVec3::Z);
    let boxes = face_boxes(&positions, &grid.faces());
    let pairs = BoxTree::build(&boxes).self_pairs();
    assert_eq!(pairs, every_self_pair(&boxes));
    assert!(pairs.len() > 3 * boxes.len());
}
