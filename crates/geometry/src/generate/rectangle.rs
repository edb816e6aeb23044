//! Rectangles, cut into triangles in three ways.

use super::Flat;
use glam::DVec2;

/// How a rectangle is cut into triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tiling {
    /// Equilateral, as nearly as the size allows, with every other row shifted by half an edge;
    /// along the two borders that cut rows, halves of such triangles.
    Equilateral,
    /// Squares cut along diagonals that alternate, as a grid is drawn.
    Alternating,
    /// Squares cut along diagonals from lowest to highest u and v: the tiling with the strongest
    /// direction of its own.
    Parallel,
}

pub(super) fn rectangle(size_m: DVec2, spacing_m: f64, tiling: Tiling) -> Flat {
    let height_m = match tiling {
        Tiling::Equilateral => 0.75_f64.sqrt() * spacing_m,
        Tiling::Alternating | Tiling::Parallel => spacing_m,
    };
    let columns = whole(size_m.x / spacing_m);
    let rows = whole(size_m.y / height_m);
    let at = |column: f64, row: usize| {
        let share = DVec2::new(column / columns as f64, row as f64 / rows as f64);
        (share - 0.5) * size_m
    };
    match tiling {
        Tiling::Equilateral => equilateral(columns, rows, at),
        Tiling::Alternating => squares(columns, rows, at, |column, row| (column + row) % 2 == 0),
        Tiling::Parallel => squares(columns, rows, at, |_, _| true),
    }
}

/// The nearest whole number of cells.
fn whole(cells: f64) -> usize {
    cells.round().max(1.0) as usize
}

/// Rows of `columns` squares; `rising` says which are cut from their lowest to their highest u, v.
fn squares(
    columns: usize,
    rows: usize,
    at: impl Fn(f64, usize) -> DVec2,
    rising: impl Fn(usize, usize) -> bool,
) -> Flat {
    let points = (0..=rows)
        .flat_map(|row| (0..=columns).map(move |column| (column, row)))
        .map(|(column, row)| at(column as f64, row))
        .collect();
    let mut faces = Vec::with_capacity(2 * columns * rows);
    for row in 0..rows {
        for column in 0..columns {
            let corner =
                |right: usize, up: usize| ((row + up) * (columns + 1) + column + right) as u32;
            let [a, b, c, d] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
            if rising(column, row) {
                faces.extend([[a, b, c], [a, c, d]]);
            } else {
                faces.extend([[a, b, d], [b, c, d]]);
            }
        }
    }
    Flat { points, faces }
}

/// Rows of points at whole columns, and between them rows at half columns with the ends added.
fn equilateral(columns: usize, rows: usize, at: impl Fn(f64, usize) -> DVec2) -> Flat {
    let mut points = Vec::new();
    let mut firsts = Vec::with_capacity(rows + 1);
    for row in 0..=rows {
        firsts.push(points.len() as u32);
        if row % 2 == 0 {
            points.extend((0..=columns).map(|column| at(column as f64, row)));
        } else {
            points.push(at(0.0, row));
            points.extend((0..columns).map(|column| at(column as f64 + 0.5, row)));
            points.push(at(columns as f64, row));
        }
    }
    let mut faces = Vec::with_capacity(rows * (2 * columns + 1));
    let columns = columns as u32;
    for row in 0..rows {
        let [below, above] = [firsts[row], firsts[row + 1]];
        let even_below = row % 2 == 0;
        let [even, odd] = if even_below {
            [below, above]
        } else {
            [above, below]
        };
        for column in 0..=columns {
            // The first has its side in the row of half columns, the second in the other row.
            let half = [even + column, odd + column + 1, odd + column];
            let whole = [even + column, even + column + 1, odd + column + 1];
            let rows_faces = [Some(half), (column < columns).then_some(whole)];
            for [a, b, c] in rows_faces.into_iter().flatten() {
                faces.push(if even_below { [a, b, c] } else { [a, c, b] });
            }
        }
    }
    Flat { points, faces }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: DVec2 = DVec2::new(0.3, 0.2);

    #[test]
    fn every_tiling_fills_the_rectangle() {
        for (tiling, angle) in [
            (Tiling::Equilateral, 29.0),
            (Tiling::Alternating, 44.9),
            (Tiling::Parallel, 44.9),
        ] {
            let flat = Flat::rectangle(SIZE, 0.01, tiling);
            flat.surface().validate().unwrap();
            assert!((flat.area_m2() - 0.06).abs() < 1e-12, "{tiling:?}");
            assert!(flat.smallest_angle_rad().to_degrees() > angle, "{tiling:?}");
            let border = flat.border();
            for (point, on_border) in flat.points.iter().zip(border) {
                let outside = (point.abs() - 0.5 * SIZE).max_element();
                assert!(outside < 1e-15, "{tiling:?}");
                assert_eq!(on_border, outside > -1e-12, "{tiling:?}");
            }
        }
    }

    #[test]
    fn inner_triangles_are_equilateral() {
        let flat = Flat::rectangle(
            DVec2::new(0.3, 0.75_f64.sqrt() * 0.2),
            0.01,
            Tiling::Equilateral,
        );
        let ends = |p: u32| flat.points[p as usize].x.abs() > 0.15 - 1e-12;
        let inner = flat
            .faces
            .iter()
            .filter(|face| !face.iter().any(|p| ends(*p)));
        let inner = Flat {
            points: flat.points.clone(),
            faces: inner.copied().collect(),
        };
        assert!(inner.faces.len() > 1000);
        assert!((inner.smallest_angle_rad().to_degrees() - 60.0).abs() < 1e-9);
    }

    #[test]
    fn diagonals_lie_as_said() {
        let rising = |tiling| {
            let flat = Flat::rectangle(SIZE, 0.1, tiling);
            let longest = |face: &[u32; 3]| {
                let [a, b, c] = face.map(|p| flat.points[p as usize]);
                let sides = [b - a, c - b, a - c];
                sides.into_iter().fold(
                    DVec2::ZERO,
                    |x, y| if y.length() > x.length() { y } else { x },
                )
            };
            let faces = flat.faces.iter().map(longest);
            faces.filter(|side| side.x * side.y > 0.0).count()
        };
        assert_eq!(rising(Tiling::Parallel), 12);
        assert_eq!(rising(Tiling::Alternating), 6);
    }

    #[test]
    fn even_a_speck_has_a_cell() {
        let flat = Flat::rectangle(SIZE, 10.0, Tiling::Parallel);
        assert_eq!((flat.points.len(), flat.faces.len()), (4, 2));
    }
}
