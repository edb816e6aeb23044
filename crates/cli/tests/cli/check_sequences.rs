//! `toile check` on every kind of file that holds frames.

use crate::bad_input::assert_refused;
use crate::program::{HANGING, Workplace};
use std::fs;
use std::io::Write;

/// A flat sheet of two triangles and a third that stands over it, in frame 1 or all.
fn mesh(third_at: f64) -> String {
    format!(
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n\
         v 0.6 0.2 {0}\nv 0.7 0.2 {0}\nv 0.6 0.2 {1}\nf 1 2 3\nf 1 3 4\nf 5 6 7\n",
        third_at,
        third_at + 1.0
    )
}

/// Five numbered files, of which the third has a triangle through the sheet.
fn one_dirty() -> Workplace {
    let place = Workplace::new();
    for frame in 0..5 {
        let at = if frame == 2 { -0.5 } else { 0.25 };
        place.write(&format!("s_{frame:04}.obj"), &mesh(at));
    }
    place
}

/// The formats that are read, and what the sequence is called in each.
const KINDS: [(&str, &str); 7] = [
    ("obj", "s.obj"),
    ("ply", "p.ply"),
    ("glb", "s.glb"),
    ("pc2", "s.pc2"),
    ("mdd", "s.mdd"),
    ("npz", "s.npz"),
    ("usda", "s.usda"),
];

#[test]
fn one_dirty_frame_of_a_sequence_is_found_in_every_format() {
    let place = one_dirty();
    for (kind, name) in KINDS {
        if kind != "obj" {
            place.succeed(&["convert", "s.obj", name]);
        }
        let ended = place.toile(&["check", name, "--json"]);
        assert_eq!(ended.code, Some(1), "{kind}: {}", ended.stderr);
        let found = ended.json();
        assert_eq!(
            (&found["frames"], &found["frames_not_clean"]),
            (&5.into(), &1.into())
        );
        assert_eq!(found["worst"]["frame"], 2, "{kind}");
        let mesh = &found["meshes"][0];
        assert_eq!(
            (&mesh["vertices"], &mesh["faces"]),
            (&7.into(), &3.into()),
            "{kind}"
        );
        assert_eq!(mesh["worst_frame"], 2, "{kind}");
        let dirty = mesh["dirty_frames"].as_array().unwrap();
        assert_eq!(dirty.len(), 1, "{kind}");
        assert_eq!(dirty[0]["frame"], 2, "{kind}");
        assert_eq!(dirty[0]["intersections"], 1, "{kind}");
        let pair = &dirty[0]["first_pairs"][0];
        assert_eq!((&pair["a"], &pair["b"]), (&0.into(), &2.into()), "{kind}");
        assert!(pair["at"][2].as_f64().unwrap().abs() < 1e-12, "{kind}");

        let ended = place.toile(&["check", name]);
        assert_eq!(ended.code, Some(1), "{kind}");
        let says = "5 frames, 1 not clean (itself); the worst is frame 2: 1 pair of faces meets";
        assert!(ended.stdout.contains(says), "{}", ended.stdout);
    }
}

#[test]
fn clean_sequences_of_a_run_are_clean_in_every_format() {
    let place = Workplace::with("scene.toml", HANGING);
    let formats = KINDS.map(|(kind, _)| kind).join(",");
    place.succeed(&["run", "scene.toml", "--no-film", "--format", &formats]);
    for (kind, _) in KINDS {
        let name = format!("out/hanging/hanging.{kind}");
        let ended = place.succeed(&["check", &name]);
        let says = format!("{name}: 6 frames, all clean against itself\n");
        assert_eq!(ended.stdout, says);
    }
    // The folder as a whole: all of these, and the meshes beside the point caches.
    let found = place.succeed(&["check", "out/hanging", "--json"]).json();
    assert_eq!(found["meshes"].as_array().unwrap().len(), KINDS.len() + 2);
    assert_eq!(found["frames"], 6 * KINDS.len() + 2);
}

#[test]
fn broken_files_of_every_kind_are_refused_with_their_place() {
    let place = one_dirty();
    for (kind, name) in KINDS.into_iter().skip(1) {
        place.succeed(&["convert", "s.obj", name]);
        let file = if kind == "ply" { "p_0003.ply" } else { name };
        let whole = fs::read(place.path(file)).unwrap();
        fs::write(place.path(file), &whole[..whole.len() - 20]).unwrap();
        let ended = place.toile(&["check", name]);
        assert_eq!(ended.code, Some(2), "{kind}: {}", ended.stdout);
        assert!(ended.stderr.contains(file), "{}", ended.stderr);
        assert_eq!(ended.stdout, "", "{kind}");
    }
    // Whole, but with a coordinate that is no number, in a frame of its own.
    place.succeed(&["convert", "s.obj", "t.pc2"]);
    let mut cache = fs::read(place.path("t.pc2")).unwrap();
    let at = 32 + 12 * (7 * 3 + 4);
    cache[at..at + 4].copy_from_slice(&f32::NAN.to_le_bytes());
    fs::write(place.path("t.pc2"), cache).unwrap();
    let ended = place.toile(&["check", "t.pc2"]);
    assert_eq!(ended.code, Some(2));
    for says in ["t.pc2", "frame 3", "vertex 4"] {
        assert!(ended.stderr.contains(says), "{}", ended.stderr);
    }
}

#[test]
fn point_caches_need_a_mesh() {
    let place = one_dirty();
    for name in ["c.pc2", "c.mdd"] {
        place.succeed(&["convert", "s.obj", name]);
        let rest = name.replace('.', "_") + "_rest.obj";
        fs::rename(place.path(&rest), place.path("mesh.obj")).unwrap();
        let ended = place.toile(&["check", name]);
        assert_eq!(ended.code, Some(2));
        for says in [rest.as_str(), "c.obj", "--topology"] {
            assert!(ended.stderr.contains(says), "{}", ended.stderr);
        }
        let ended = place.toile(&["check", name, "--topology", "mesh.obj"]);
        assert_eq!(ended.code, Some(1), "{}", ended.stderr);
        place.write("small.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n");
        let ended = place.toile(&["check", name, "--topology", "small.obj"]);
        assert_eq!(ended.code, Some(2));
        assert!(ended.stderr.contains("3 vertices"), "{}", ended.stderr);
    }
    let ended = place.toile(&["check", "s.obj", "--topology", "mesh.obj"]);
    assert_eq!(ended.code, Some(2), "nothing needs it");
}

#[test]
fn files_of_one_name_are_one_sequence_and_keep_their_numbers() {
    let place = one_dirty();
    let files: Vec<String> = (1..4).map(|k| format!("s_{k:04}.obj")).collect();
    let mut args = vec!["check", "--json"];
    args.extend(files.iter().map(String::as_str));
    let found = place.toile(&args).json();
    assert_eq!(found["meshes"].as_array().unwrap().len(), 1);
    assert_eq!(found["meshes"][0]["mesh"], "s_####.obj");
    assert_eq!(found["meshes"][0]["frames"], 3);
    assert_eq!(found["meshes"][0]["worst_frame"], 2);
    let found = place.toile(&["check", ".", "--json"]).json();
    assert_eq!(found["frames"], 5);
    fs::create_dir(place.path("empty")).unwrap();
    let ended = place.toile(&["check", "empty"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("no meshes in this folder"));
}

#[test]
fn sequences_are_checked_against_one_mesh_or_frame_by_frame() {
    let place = one_dirty();
    place.write(
        "wall.obj",
        "v 0.5 -1 -1\nv 0.5 3 -1\nv 0.5 0.5 3\nf 1 2 3\n",
    );
    let found = place.toile(&["check", "s.obj", "--against", "wall.obj", "--json"]);
    let found = found.json();
    assert_eq!(
        found["meshes"][1]["frames_not_clean"], 5,
        "all stand in the wall"
    );

    assert_eq!(
        (&found["frames"], &found["frames_not_clean"]),
        (&5.into(), &5.into())
    );

    // A wall that is in the way in one frame only.
    for k in 0..5 {
        let x = if k == 3 { 0.5 } else { 5.0 };
        let text = format!("v {x} -1 -1\nv {x} 3 -1\nv {x} 0.5 3\nf 1 2 3\n");
        place.write(&format!("w_{k:04}.obj"), &text);
    }
    place.succeed(&["convert", "w.obj", "w.glb"]);
    for other in ["w.obj", "w.glb"] {
        let found = place.toile(&["check", "s.obj", "--against", other, "--json"]);
        let between = &found.json()["meshes"][1];
        assert_eq!(between["against"], other);
        assert_eq!(between["frames_not_clean"], 1);
        assert_eq!(between["worst_frame"], 3);
    }
    fs::remove_file(place.path("w_0004.obj")).unwrap();
    let ended = place.toile(&["check", "s.obj", "--against", "w.obj"]);
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.stderr.contains("expected one, or as many"),
        "{}",
        ended.stderr
    );
}

/// Two sheets a hair apart in double precision, in the same place in single.
#[test]
fn coordinates_are_not_rounded() {
    let place = Workplace::new();
    let sheets = "v 0 0 1\nv 1 0 1\nv 0 1 1\n\
        v 0 0 1.00000001\nv 1 0 1.00000001\nv 0 1 1.00000001\nf 1 2 3\nf 4 5 6\n";
    place.write("fine.obj", sheets);
    place.succeed(&["check", "fine.obj"]);
    let vertices = "0 0 1\n1 0 1\n0 1 1\n0 0 1.00000001\n1 0 1.00000001\n0 1 1.00000001\n";
    place.write(
        "fine.ply",
        &format!(
            "ply\nformat ascii 1.0\nelement vertex 6\nproperty double x\nproperty double y\n\
             property double z\nelement face 2\nproperty list uchar int vertex_indices\n\
             end_header\n{vertices}3 0 1 2\n3 3 4 5\n"
        ),
    );
    place.succeed(&["check", "fine.ply"]);
    let numbers = vertices
        .split_whitespace()
        .map(|n| n.parse::<f64>().unwrap());
    let positions: Vec<u8> = numbers.flat_map(f64::to_le_bytes).collect();
    let faces: Vec<u8> = (0..6u32).flat_map(u32::to_le_bytes).collect();
    archive(
        &place,
        "fine.npz",
        &[
            ("positions", "<f8", "(6, 3)", &positions),
            ("faces", "<u4", "(2, 3)", &faces),
        ],
    );
    place.succeed(&["check", "fine.npz"]);
    // A format of single precision puts them into one plane.
    place.succeed(&["convert", "fine.obj", "coarse.glb"]);
    let found = place.toile(&["check", "coarse.glb", "--json"]);
    assert_eq!(found.code, Some(1));
    assert_eq!(found.json()["meshes"][0]["kinds"]["coplanar"], 1);
}

/// Writes arrays as `numpy.savez` does.
fn archive(place: &Workplace, name: &str, arrays: &[(&str, &str, &str, &[u8])]) {
    let file = fs::File::create(place.path(name)).unwrap();
    let mut archive = zip::ZipWriter::new(file);
    let stored = zip::write::SimpleFileOptions::default();
    let stored = stored.compression_method(zip::CompressionMethod::Stored);
    for (name, kind, shape, bytes) in arrays {
        let about = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
        let about = format!("{about:<117}\n");
        archive.start_file(format!("{name}.npy"), stored).unwrap();
        archive.write_all(b"\x93NUMPY\x01\x00").unwrap();
        archive
            .write_all(&(about.len() as u16).to_le_bytes())
            .unwrap();
        archive.write_all(about.as_bytes()).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap();
}

#[test]
fn the_worst_place_is_drawn() {
    let place = one_dirty();
    let ended = place.toile(&["check", "s.obj", "--picture", "worst.png"]);
    assert_eq!(ended.code, Some(1));
    assert!(ended.stdout.contains("wrote worst.png"));
    let picture = fs::read(place.path("worst.png")).unwrap();
    assert!(picture.starts_with(b"\x89PNG"));
    let ended = place.toile(&["check", "s.obj", "--picture", "absent/worst.png"]);
    assert_refused(&ended, &["--picture", "there is no folder absent"]);
    fs::create_dir(place.path("taken.png")).unwrap();
    let ended = place.toile(&["check", "s.obj", "--picture", "taken.png"]);
    assert_eq!(ended.code, Some(2));
    let says = "error: cannot write taken.png: ";
    let reason = ended.stderr.strip_prefix(says).unwrap();
    assert!(reason.trim().len() > 3, "{reason}");
    // What is clean needs no picture.
    place.succeed(&["check", "s_0000.obj", "--picture", "none.png"]);
    assert!(!place.path("none.png").exists());
    let ended = place.toile(&["check", "s.obj", "--picture", "worst.jpg"]);
    assert_eq!(ended.code, Some(2));
}

#[test]
fn the_answer_does_not_depend_on_threads() {
    let place = one_dirty();
    let found = |threads| {
        place
            .toile(&["check", "s.obj", "--json", "--threads", threads])
            .stdout
    };
    assert_eq!(found("1"), found("3"));
}
