//! A step's linear system on disk.

use glam::{DMat3, DVec3};
use std::collections::HashMap;
use std::io::{Cursor, Read};
use std::sync::Arc;
use toile_io::dump;
use toile_numerics::{BlockCsr, Hold, Operator, Pattern};
use toile_sim::SystemDump;

/// Three particles in a row, symmetric, with numbers that have no short decimal form.
fn system() -> SystemDump {
    let pattern = Arc::new(Pattern::symmetric(3, [[0, 1], [1, 2]]));
    let mut matrix = BlockCsr::zeros(pattern.clone());
    let link = DMat3::from_diagonal(DVec3::new(1.0 / 3.0, 0.1, 1e-30));
    matrix.for_each_row(|row, blocks| {
        for (block, place) in blocks.iter_mut().zip(pattern.row(row)) {
            let column = pattern.column(place) as usize;
            *block = if column == row {
                DMat3::IDENTITY
                    + link
                    + DMat3::from_cols_array(&[0., 2., 3., 2., 0., 5., 3., 5., 0.])
            } else {
                -link
            };
        }
    });
    SystemDump {
        step: 7,
        alpha_s: 0.01,
        stiffness_s2: 1e-4,
        matrix,
        rhs: (0..9).map(|k| f64::from(k) / 7.0).collect(),
        solution: (0..9).map(|k| -f64::from(k) / 11.0).collect(),
        residuals: vec![1.0, 0.25, 1e-3],
        holds: vec![(1, Hold::Fixed), (2, Hold::Normal(DVec3::Y))],
    }
}

#[test]
fn matrix_market_reads_back_to_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let system = system();
    let written = dump::write(folder.path(), &system).unwrap();
    let names: Vec<_> = written.iter().map(|p| p.file_name().unwrap()).collect();
    assert_eq!(
        names,
        [
            "system-7-A.mtx",
            "system-7-b.mtx",
            "system-7-x.mtx",
            "system-7.npz"
        ]
    );
    let text = std::fs::read_to_string(&written[0]).unwrap();
    let mut lines = text.lines();
    assert_eq!(
        lines.next().unwrap(),
        "%%MatrixMarket matrix coordinate real symmetric"
    );
    let counts: Vec<usize> = numbers(lines.next().unwrap());
    let mut dense = vec![vec![0.0; counts[1]]; counts[0]];
    let mut entries = 0;
    for line in lines {
        let parts: Vec<&str> = line.split(' ').collect();
        let [i, j] = [0, 1].map(|k| parts[k].parse::<usize>().unwrap() - 1);
        assert!(j <= i, "only the lower triangle");
        (dense[i][j], dense[j][i]) = (parts[2].parse().unwrap(), parts[2].parse().unwrap());
        entries += 1;
    }
    assert_eq!(entries, counts[2]);
    assert_eq!(dense, system.matrix.to_dense());

    for (path, expected) in [(&written[1], &system.rhs), (&written[2], &system.solution)] {
        let text = std::fs::read_to_string(path).unwrap();
        let values: Vec<f64> = text.lines().skip(2).map(|l| l.parse().unwrap()).collect();
        assert_eq!(&values, expected);
        assert_eq!(text.lines().nth(1), Some("9 1"));
    }
}

#[test]
fn files_are_told_from_others() {
    let folder = tempfile::tempdir().unwrap();
    let written = dump::write(folder.path(), &system()).unwrap();
    let found: Vec<String> = written
        .iter()
        .map(|path| dump::inspect(path).unwrap().to_string())
        .collect();
    // Two blocks below the diagonal and three on it; in the archive both triangles.
    assert!(found[0].contains("9 × 9, 36 numbers"), "{found:?}");
    assert!(found[1].contains("9 × 1, 9 numbers"), "{found:?}");
    assert!(found[3].contains("9 × 9, 63 numbers"), "{found:?}");
    let other = folder.path().join("other.mtx");
    std::fs::write(&other, "9 9 36\n").unwrap();
    assert_eq!(dump::inspect(&other), None);
}

fn numbers(line: &str) -> Vec<usize> {
    line.split(' ').map(|n| n.parse().unwrap()).collect()
}

/// Shape and bytes of every array in an archive.
fn arrays(path: &std::path::Path) -> HashMap<String, (String, Vec<u8>)> {
    let bytes = std::fs::read(path).unwrap();
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut arrays = HashMap::new();
    for k in 0..archive.len() {
        let mut file = archive.by_index(k).unwrap();
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).unwrap();
        assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
        let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        assert_eq!((10 + length) % 64, 0, "numbers start aligned");
        let header = String::from_utf8(bytes[10..10 + length].to_vec()).unwrap();
        assert!(header.ends_with('\n'));
        let name = file.name().trim_end_matches(".npy").to_owned();
        arrays.insert(name, (header, bytes[10 + length..].to_vec()));
    }
    arrays
}

/// Read as SciPy does: block rows, whose product is the matrix's.
#[test]
fn the_archive_holds_the_system_as_block_rows() {
    let folder = tempfile::tempdir().unwrap();
    let system = system();
    let written = dump::write(folder.path(), &system).unwrap();
    let arrays = arrays(&written[3]);
    let floats = |name: &str| -> Vec<f64> {
        let words = arrays[name].1.chunks_exact(8);
        words
            .map(|w| f64::from_le_bytes(w.try_into().unwrap()))
            .collect()
    };
    let integers = |name: &str| -> Vec<usize> {
        let words = arrays[name].1.chunks_exact(8);
        words
            .map(|w| i64::from_le_bytes(w.try_into().unwrap()) as usize)
            .collect()
    };
    assert_eq!(arrays["format"].1, b"bsr");
    assert!(arrays["format"].0.contains("'|S3'") && arrays["format"].0.contains("()"));
    assert!(arrays["data"].0.contains("(7, 3, 3, )") && arrays["data"].0.contains("'<f8'"));
    assert_eq!(integers("shape"), [9, 9]);
    assert_eq!(floats("rhs"), system.rhs);
    assert_eq!(floats("solution"), system.solution);
    assert_eq!(floats("residuals"), system.residuals);
    assert_eq!(floats("alpha_s"), [0.01]);
    assert_eq!(floats("stiffness_s2"), [1e-4]);

    let (data, columns, starts) = (floats("data"), integers("indices"), integers("indptr"));
    let mut product = [0.0; 9];
    for row in 0..3 {
        for place in starts[row]..starts[row + 1] {
            for (k, value) in data[9 * place..9 * place + 9].iter().enumerate() {
                product[3 * row + k / 3] += value * system.rhs[3 * columns[place] + k % 3];
            }
        }
    }
    let mut expected = vec![0.0; 9];
    system.matrix.apply(&system.rhs, &mut expected);
    for (a, b) in product.iter().zip(&expected) {
        assert!((a - b).abs() < 1e-14);
    }
    let free = floats("free");
    assert_eq!(free[9..18], [0.0; 9]);
    assert_eq!(free[18..], [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
}
