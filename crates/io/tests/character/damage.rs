//! Damaged files are refused or read as something that fits together: never a panic, never memory for
//! what the file cannot hold.

use crate::sample;
use std::fs;
use std::path::Path;
use std::sync::Once;
use toile_geometry::character::{Playback, Scratch};
use toile_io::character::{self, Options};

/// No more address space than small files need: memory taken on a file's word aborts the test.
fn limit_memory() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        #[cfg(target_os = "linux")]
        {
            use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
            let limit = Rlimit {
                current: Some(4 << 30),
                maximum: getrlimit(Resource::As).maximum,
            };
            setrlimit(Resource::As, limit).unwrap();
        }
    });
}

/// Reads a file and poses what is in it; whether there is anything.
fn survives(path: &Path) -> bool {
    limit_memory();
    let extension = path.extension().and_then(|e| e.to_str());
    if let Some("mhskel" | "mhw") = extension {
        let [mesh, skeleton] = ["arm.obj", "arm.mhskel"].map(|name| path.with_file_name(name));
        let read = character::read_makehuman(&mesh, &skeleton, &Options::default());
        return read.is_ok_and(|file| file.character.validate().is_ok());
    }
    if extension == Some("bvh") {
        let Ok(motion) = character::read_bvh(path) else {
            return false;
        };
        let mut pose = motion.rig.rest();
        motion.clip.apply(0.3, &mut pose);
        assert_eq!(motion.rig.positions(&pose).len(), motion.rig.joints().len());
        return true;
    }
    let Ok(file) = character::read(path, &Options::default()) else {
        return false;
    };
    file.character.validate().unwrap();
    for clip in 0..file.character.clips.len() {
        let mut out = Vec::new();
        let playback = Playback::of(clip);
        file.character
            .place_at(&playback, 0.3, &mut Scratch::default(), &mut out);
        assert_eq!(out.len(), file.character.mesh.positions.len());
    }
    true
}

/// A stream of numbers that is the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

/// Writes a file anew: some file systems wait for the disk when one is overwritten.
fn put(path: &Path, bytes: &[u8]) {
    let _ = fs::remove_file(path);
    fs::write(path, bytes).unwrap();
}

/// A folder with the mesh and the other files of MakeHuman's rig.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("arm.obj", sample::MESH),
        ("arm.mhskel", sample::SKELETON),
        ("arm.mhw", sample::WEIGHTS),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// All files by name.
fn files() -> [(&'static str, Vec<u8>); 4] {
    [
        ("figure.glb", sample::arm().glb()),
        ("walk.bvh", sample::BVH.into()),
        ("arm.mhskel", sample::SKELETON.into()),
        ("arm.mhw", sample::WEIGHTS.into()),
    ]
}

#[test]
fn cut_short() {
    let folder = folder();
    for (name, bytes) in files() {
        let path = folder.path().join(name);
        let step = 1 + bytes.len() / 700;
        for cut in (0..bytes.len()).step_by(step) {
            put(&path, &bytes[..cut]);
            // The last digits of a text may be missed by no one.
            let is_whole = name == "walk.bvh" && cut + 3 > bytes.len();
            assert!(is_whole || !survives(&path), "{name} cut to {cut} bytes");
        }
        put(&path, &bytes);
        assert!(survives(&path), "{name}");
    }
}

#[test]
fn changed_bytes() {
    const TEMPTING: [&[u8]; 8] = [
        &[0xff; 4],
        &[0xff, 0xff, 0xff, 0x7f],
        &[0, 0, 0xc0, 0x7f],
        &[0; 4],
        b"99999999",
        b"-1e999",
        b"[",
        b"\"",
    ];
    let folder = folder();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for (name, bytes) in files() {
        let path = folder.path().join(name);
        let mut read = 0;
        for round in 0..1500 {
            let mut bytes = bytes.clone();
            for _ in 0..=round % 3 {
                let at = random.below(bytes.len());
                if round % 2 == 0 {
                    bytes[at] ^= 1 << random.below(8);
                } else {
                    let change = TEMPTING[random.below(TEMPTING.len())];
                    let end = (at + change.len()).min(bytes.len());
                    bytes[at..end].copy_from_slice(&change[..end - at]);
                }
            }
            put(&path, &bytes);
            read += usize::from(survives(&path));
        }
        put(&path, &bytes);
        // Most damage is to numbers that may be any; if nothing were read, nothing would be tested.
        assert!(read > 50, "{name}: {read}");
    }
}
