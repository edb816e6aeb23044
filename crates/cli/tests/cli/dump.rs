//! `toile run --dump-system`: the system can be loaded back, and it is the one that was solved.

use crate::bad_input::assert_refused;
use crate::program::{HANGING, Workplace};
use std::io::{Cursor, Read};
use std::path::Path;

/// A system as its files hold it.
struct System {
    /// Row by row.
    matrix: Vec<Vec<f64>>,
    rhs: Vec<f64>,
    solution: Vec<f64>,
}

impl System {
    /// Norms of the right side and of what is left of it, in the directions of `free`.
    fn norms(&self, free: &[f64]) -> (f64, f64) {
        let product =
            |row: &Vec<f64>| -> f64 { row.iter().zip(&self.solution).map(|(a, x)| a * x).sum() };
        let left = self.matrix.iter().zip(&self.rhs);
        let left: Vec<f64> = left.map(|(row, b)| b - product(row)).collect();
        let norm = |vector: &[f64]| project(free, vector).iter().map(|x| x * x).sum::<f64>();
        (norm(&self.rhs).sqrt(), norm(&left).sqrt())
    }
}

/// Each particle's part of `vector`, projected by its own 3×3 matrix.
fn project(free: &[f64], vector: &[f64]) -> Vec<f64> {
    let blocks = free.chunks_exact(9).zip(vector.chunks_exact(3));
    let rows = blocks.flat_map(|(m, v)| m.chunks_exact(3).map(move |row| (row, v)));
    rows.map(|(row, v)| row.iter().zip(v).map(|(a, x)| a * x).sum())
        .collect()
}

/// Numbers of every array of an archive, whole ones as they are.
fn archive(path: &Path) -> impl Fn(&str) -> Vec<f64> {
    let bytes = std::fs::read(path).unwrap();
    move |name| {
        let mut archive = zip::ZipArchive::new(Cursor::new(&bytes)).unwrap();
        let mut array = Vec::new();
        let mut entry = archive.by_name(&format!("{name}.npy")).unwrap();
        entry.read_to_end(&mut array).unwrap();
        let header = usize::from(u16::from_le_bytes([array[8], array[9]]));
        let text = String::from_utf8_lossy(&array[10..10 + header]);
        let whole = text.contains("'<i8'");
        assert!(whole || text.contains("'<f8'"), "{name}: {text}");
        { array[10 + header..].chunks_exact(8) }
            .map(|word| word.try_into().unwrap())
            .map(|word| match whole {
                true => i64::from_le_bytes(word) as f64,
                false => f64::from_le_bytes(word),
            })
            .collect()
    }
}

fn from_archive(path: &Path) -> (System, Vec<f64>) {
    let array = archive(path);
    let (starts, columns, data) = (array("indptr"), array("indices"), array("data"));
    let size = array("shape")[0] as usize;
    let mut matrix = vec![vec![0.0; size]; size];
    for row in 0..starts.len() - 1 {
        for place in starts[row] as usize..starts[row + 1] as usize {
            for (k, value) in data[9 * place..][..9].iter().enumerate() {
                matrix[3 * row + k / 3][3 * columns[place] as usize + k % 3] = *value;
            }
        }
    }
    let system = System {
        matrix,
        rhs: array("rhs"),
        solution: array("solution"),
    };
    (system, array("free"))
}

fn from_matrix_market(place: &Workplace, stem: &str) -> System {
    let vector = |name: &str| -> Vec<f64> {
        let text = place.read(&format!("{stem}-{name}.mtx"));
        text.lines().skip(2).map(|l| l.parse().unwrap()).collect()
    };
    let text = place.read(&format!("{stem}-A.mtx"));
    let mut lines = text.lines().skip(1);
    let counts: Vec<usize> = { lines.next().unwrap().split(' ') }
        .map(|n| n.parse().unwrap())
        .collect();
    let mut matrix = vec![vec![0.0; counts[1]]; counts[0]];
    for line in lines {
        let words: Vec<&str> = line.split(' ').collect();
        let [i, j] = [0, 1].map(|k| words[k].parse::<usize>().unwrap() - 1);
        let value = words[2].parse().unwrap();
        (matrix[i][j], matrix[j][i]) = (value, value);
    }
    System {
        matrix,
        rhs: vector("b"),
        solution: vector("x"),
    }
}

#[test]
fn the_system_of_a_step_loads_back_and_is_solved() {
    let place = Workplace::with("scene.toml", HANGING);
    // Solved by factors, and by iterations to a tolerance.
    for (solver, tolerance, residual) in
        [("direct", "1e-3", 1e-9), ("block-diagonal", "1e-6", 1e-6)]
    {
        let preconditioner = format!("solver.preconditioner={solver:?}");
        let tolerance = format!("solver.linear_tolerance={tolerance}");
        let ended = place.succeed(&[
            "run",
            "scene.toml",
            "--no-film",
            "--format",
            "",
            "--dump-system",
            "7",
            "--out",
            solver,
            "--set",
            &preconditioner,
            "--set",
            &tolerance,
        ]);
        for file in [
            "system-7-A.mtx",
            "system-7-b.mtx",
            "system-7-x.mtx",
            "system-7.npz",
        ] {
            assert!(ended.stdout.contains(file), "{}", ended.stdout);
        }
        let (system, free) = from_archive(&place.path(format!("{solver}/system-7.npz")));
        let size = 3 * 121;
        assert_eq!((system.matrix.len(), system.rhs.len()), (size, size));
        let entries = system.matrix.iter().flatten();
        let rounding = 1e-15 * entries.fold(0.0, |most: f64, a| most.max(a.abs()));
        for i in 0..size {
            for j in 0..i {
                let (a, b) = (system.matrix[i][j], system.matrix[j][i]);
                assert!((a - b).abs() <= rounding, "{i} {j}: {a} and {b}");
            }
        }
        // Two corners are held; every other particle is free.
        assert_eq!(free.iter().sum::<f64>(), 3.0 * (121.0 - 2.0));
        let (whole, left) = system.norms(&free);
        assert!(
            whole > 0.0 && left <= residual * whole,
            "{solver}: {left} of {whole}"
        );

        let text = from_matrix_market(&place, &format!("{solver}/system-7"));
        assert_eq!(text.rhs, system.rhs);
        assert_eq!(text.solution, system.solution);
        for (a, b) in text
            .matrix
            .iter()
            .flatten()
            .zip(system.matrix.iter().flatten())
        {
            assert!((a - b).abs() <= rounding);
        }
    }
}

#[test]
fn a_step_that_is_never_taken_is_refused() {
    let place = Workplace::with("scene.toml", HANGING);
    let run = ["run", "scene.toml", "--no-film", "--quiet", "--dump-system"];
    assert_refused(
        &place.toile(&[&run[..], &["11"]].concat()),
        &["step 11", "step 10"],
    );
    assert_refused(
        &place.toile(&[&run[..], &["0"]].concat()),
        &["--dump-system", "0"],
    );
}
