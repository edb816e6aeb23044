//! Several formats at once: what a run leaves, and what a resumed one makes of it.

use crate::sample;
use glam::Vec3;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use toile_io::formats::{Channels, Export, Format, Frame, Header, Manifest, Options, UpAxis, open};

/// Triangles that move, as a simulation gives them.
fn header() -> Header {
    let quads = sample::header(Channels {
        velocities: true,
        ..Channels::default()
    });
    let triangles = quads.faces.triangles(0..quads.faces.len()).collect();
    let mut header = Header {
        faces: triangles,
        first_frame: 0,
        ..quads
    };
    header.parts[0].faces = 0..4;
    header.parts[1].faces = 4..5;
    header
}

fn frame(k: u64) -> Frame {
    let wave = |p: &Vec3| *p + Vec3::Y * (0.1 * k as f32 + p.x).sin();
    Frame {
        positions: header().rest.iter().map(wave).collect(),
        velocities: vec![Vec3::new(0.1, 0.2 * k as f32, 0.3); 9],
        ..Frame::default()
    }
}

fn all(options: &Options) -> Vec<(Format, Options)> {
    let of = |format: Format| {
        let mut options = options.clone();
        if format.is_fixed_frame() {
            (options.up, options.metres_per_unit) = (None, None);
        }
        (format, options)
    };
    Format::ALL.map(of).to_vec()
}

fn only(formats: &[Format]) -> Vec<(Format, Options)> {
    formats.iter().map(|f| (*f, Options::default())).collect()
}

fn begin(folder: &Path, formats: &[(Format, Options)]) -> Export {
    Export::create(folder, "cloth", &header(), formats).unwrap()
}

fn go_on(folder: &Path, formats: &[(Format, Options)], frames: u64) -> Export {
    Export::resume(folder, "cloth", &header(), formats, frames).unwrap()
}

fn push(mut export: Export, frames: std::ops::Range<u64>) -> Export {
    for k in frames {
        export.frame(&frame(k)).unwrap();
    }
    export
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Every file but GLB, by name: that one rounds when differences are taken again.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let exact = |name: &String| !name.ends_with(".glb");
    { names(folder).into_iter().filter(exact) }
        .map(|name| (name.clone(), fs::read(folder.join(name)).unwrap()))
        .collect()
}

fn manifest(folder: &Path) -> Manifest {
    Manifest::read(&folder.join(Manifest::NAME)).unwrap()
}

#[test]
fn a_resumed_run_leaves_the_same_files_as_a_straight_one() {
    let options = Options {
        up: Some(UpAxis::Z),
        metres_per_unit: Some(0.01),
        preroll_frames: 3,
        first_frame: Some(100),
        ..Options::default()
    };
    let [straight, halves] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let formats = all(&options);
    let whole = push(begin(straight.path(), &formats), 0..6)
        .finish()
        .unwrap();
    push(begin(halves.path(), &formats), 0..4).finish().unwrap();
    let resumed = push(go_on(halves.path(), &formats, 4), 4..6);
    assert!(!manifest(halves.path()).finished, "it is still writing");
    let resumed = resumed.finish().unwrap();

    assert_eq!(names(straight.path()), names(halves.path()));
    let (a, b) = (contents(straight.path()), contents(halves.path()));
    for (name, bytes) in a.iter().filter(|(name, _)| *name != Manifest::NAME) {
        assert_eq!(bytes, &b[name], "{name}");
    }
    assert_eq!(resumed.files.len(), whole.files.len());
    for entry in &resumed.files {
        assert!(whole.files.contains(entry), "{entry:?}");
    }
    assert_eq!((resumed.notes.len(), resumed.finished), (0, true));
    let [mut a, mut b] = [&straight, &halves].map(|f| open(&f.path().join("cloth.glb")).unwrap());
    assert_eq!((a.frames(), b.frames()), (9, 9));
    for k in 0..9 {
        let (a, b) = (a.read_frame(k).unwrap(), b.read_frame(k).unwrap());
        for (p, q) in a.positions.iter().zip(&b.positions) {
            assert!(p.abs_diff_eq(*q, 1e-6), "frame {k}: {p} and {q}");
        }
    }
}

#[test]
fn the_manifest_lists_every_file_with_its_frames() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options {
        preroll_frames: 2,
        first_frame: Some(10),
        ..Options::default()
    };
    let done = push(begin(folder.path(), &all(&options)), 0..4);
    done.finish().unwrap();
    let manifest = manifest(folder.path());
    assert!(manifest.finished);
    let files: Vec<&str> = manifest.files.iter().map(|e| e.file.as_str()).collect();
    let expected = [
        "cloth_####.obj",
        "cloth_####.ply",
        "cloth.pc2",
        "cloth_pc2_rest.obj",
        "cloth.mdd",
        "cloth_mdd_rest.obj",
        "cloth.npz",
        "cloth.usda",
        "cloth.glb",
    ];
    assert_eq!(files, expected);
    for entry in manifest.files {
        let is_rest = entry.file.ends_with("_rest.obj");
        let (frames, pre_roll) = if is_rest { (1, 0) } else { (6, 2) };
        assert_eq!((entry.frames, entry.pre_roll_frames), (frames, pre_roll));
        assert_eq!((entry.first_frame, entry.run_frame), (10, 0));
        assert_eq!((entry.vertices, entry.faces), (9, 5));
        assert_eq!(entry.parts, ["table cloth #1", "Fähnchen \"rot\""]);
        if !entry.file.contains('#') {
            let bytes = fs::metadata(folder.path().join(&entry.file)).unwrap().len();
            assert_eq!(entry.bytes, bytes, "{}", entry.file);
        }
    }
}

/// A run that is killed leaves its numbered files; from them come those single files that hold no
/// more than they do.
#[test]
fn after_a_kill_frames_come_from_whatever_has_them() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let formats = only(&[Format::Obj, Format::Pc2, Format::Usda]);
    drop(push(begin(folder.path(), &formats), 0..5));
    // Litter as a kill leaves it, which nobody dropped.
    fs::write(at(".cloth.usda.1.staging"), "half a frame").unwrap();
    assert!(!manifest(folder.path()).finished);

    // The checkpoint knew three frames; two more were on disk.
    let resumed = go_on(folder.path(), &formats, 3);
    assert!(!at("cloth_0003.obj").exists(), "stale");
    let resumed = push(resumed, 3..6).finish().unwrap();
    assert_eq!(sample::read(&at("cloth.obj")).unwrap().frames.len(), 6);
    let cache = sample::read(&at("cloth.pc2")).unwrap();
    let expected: Vec<Vec<Vec3>> = (0..6).map(|k| frame(k).positions).collect();
    let found: Vec<Vec<Vec3>> = cache.frames.into_iter().map(|f| f.positions).collect();
    assert_eq!(found, expected);
    // OBJ has no velocities.
    assert!(!at("cloth.usda").exists());
    let part = sample::read(&at("cloth-from-0003.usda")).unwrap();
    assert_eq!(part.header.first_frame, 3);
    assert_eq!(part.frames, [3, 4, 5].map(frame));
    let notes = resumed.notes.join("\n");
    assert!(
        notes.contains("cloth.pc2: the first 3 frames are from the OBJ"),
        "{notes}"
    );
    assert!(
        notes.contains("cloth-from-0003.usda: begins at frame 3"),
        "{notes}"
    );
    let entry = resumed.files.iter().find(|e| e.file.contains("from"));
    assert_eq!(entry.map(|e| (e.run_frame, e.frames)), Some((3, 3)));
    assert!(
        names(folder.path())
            .iter()
            .all(|name| !name.starts_with('.'))
    );
}

#[test]
fn a_cache_that_does_not_reach_far_enough_is_kept_beside_the_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let formats = only(&[Format::Pc2]);
    push(begin(folder.path(), &formats), 0..2).finish().unwrap();
    // Its second part was killed after frame 4.
    drop(push(go_on(folder.path(), &formats, 2), 2..5));
    let resumed = push(go_on(folder.path(), &formats, 5), 5..7)
        .finish()
        .unwrap();
    let frames = |name: &str| {
        sample::read(&folder.path().join(name))
            .unwrap()
            .frames
            .len()
    };
    assert_eq!((frames("cloth.pc2"), frames("cloth-from-0005.pc2")), (2, 2));
    let files: Vec<&str> = resumed.files.iter().map(|e| e.file.as_str()).collect();
    for file in ["cloth.pc2", "cloth-from-0005.pc2"] {
        assert!(files.contains(&file), "{files:?}");
    }
}

#[test]
fn a_new_run_removes_what_an_earlier_one_left_and_nothing_else() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("out");
    fs::create_dir(&folder).unwrap();
    push(begin(&folder, &all(&Options::default())), 0..5)
        .finish()
        .unwrap();
    let own = [
        "cloth.txt",
        "cloth_0001.obj.bak",
        "other_0001.obj",
        "hand.glb",
    ];
    for name in own {
        fs::write(folder.join(name), "mine").unwrap();
    }
    // A manifest names only what a run could have written in its own folder.
    fs::write(place.path().join("cloth.glb"), "not in the folder").unwrap();
    let path = folder.join(Manifest::NAME);
    let text = fs::read_to_string(&path).unwrap();
    let text = text.replace("\"cloth.npz\"", "\"../cloth.glb\"");
    fs::write(&path, text.replace("\"cloth.mdd\"", "\"hand.glb\"")).unwrap();

    push(begin(&folder, &only(&[Format::Obj])), 0..2)
        .finish()
        .unwrap();
    let mut expected: Vec<&str> = own.to_vec();
    expected.extend(["cloth_0000.obj", "cloth_0001.obj", Manifest::NAME]);
    // No longer in the manifest, so nobody's.
    expected.extend(["cloth.mdd", "cloth.npz"]);
    expected.sort_unstable();
    assert_eq!(names(&folder), expected);
    assert!(place.path().join("cloth.glb").exists());

    push(begin(&folder, &[]), 0..2).finish().unwrap();
    assert!(
        !path.exists(),
        "nothing was written, so there is nothing to list"
    );
}

#[test]
fn sizes_no_file_can_have_are_known_beforehand() {
    let mut header = header();
    assert_eq!(Format::Glb.refuses(&header, 960), None);
    assert!(Format::Glb.refuses(&header, 961).is_some());
    assert_eq!(Format::Usda.refuses(&header, 1_000_000), None);
    header.vertices = 1_000_000;
    assert_eq!(Format::Glb.refuses(&header, 300), None);
    let reason = Format::Glb.refuses(&header, 400).unwrap();
    assert_eq!(reason.to_string(), "GLB cannot count as many bytes");
}
