//! Damaged files are refused or still read as a whole sequence: never a panic, never memory for
//! what the file cannot hold.

use crate::sample;
use proptest::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Once;
use toile_io::formats::{self, Error, Format, Options};

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

/// Reads all there is; what is read must fit together.
fn read_all(path: &Path) -> Result<(), Error> {
    limit_memory();
    let mut reader = formats::open(path)?;
    let header = reader.header().clone();
    assert_eq!(header.validate(), Ok(()));
    for k in 0..reader.frames() {
        let frame = reader.read_stored(k)?;
        let channels = header.channels;
        for (list, there) in [
            (&frame.positions, true),
            (&frame.velocities, channels.velocities),
            (&frame.normals, channels.normals),
            (&frame.colours, channels.colours),
        ] {
            assert_eq!(list.len(), if there { header.vertices } else { 0 });
        }
    }
    Ok(())
}

/// The fixed sequence in a folder, and the file of it to be damaged.
fn written(format: Format) -> (tempfile::TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = sample::path(folder.path(), format);
    sample::write(&path, &sample::fixed(), &Options::default()).unwrap();
    let file = match format.is_numbered() {
        true => folder
            .path()
            .join(format!("cloth_0008.{}", format.extension())),
        false => path.clone(),
    };
    (folder, path, file)
}

fn formats() -> impl Strategy<Value = Format> {
    prop::sample::select(Format::ALL.to_vec())
}

/// Numbers that ask for too much, as bytes of both orders and as text.
fn tempting() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        Just(vec![0xff; 4]),
        Just(0x7fff_ffffu32.to_le_bytes().to_vec()),
        Just(0x7fff_ffffu32.to_be_bytes().to_vec()),
        Just(0x1000_0000u32.to_le_bytes().to_vec()),
        Just(b"99999999".to_vec()),
        Just(b"-1e999".to_vec()),
        prop::collection::vec(any::<u8>(), 1..9),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn changed_bytes(
        format in formats(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), tempting()), 1..4),
        header in any::<bool>(),
    ) {
        let (_folder, path, file) = written(format);
        let mut bytes = fs::read(&file).unwrap();
        for (place, change) in changes {
            // Half the changes go where counts stand.
            let reach = if header { bytes.len().min(200) } else { bytes.len() };
            let start = place.index(reach);
            let end = (start + change.len()).min(bytes.len());
            bytes[start..end].copy_from_slice(&change[..end - start]);
        }
        fs::write(&file, bytes).unwrap();
        let _ = read_all(&path);
    }

    #[test]
    fn cut_short(format in formats(), place in any::<prop::sample::Index>()) {
        let (_folder, path, file) = written(format);
        let bytes = fs::read(&file).unwrap();
        let cut = place.index(bytes.len());
        fs::write(&file, &bytes[..cut]).unwrap();
        let result = read_all(&path);
        // A list of lines may be cut anywhere, and any text before its last line break.
        let last_line_break = format == Format::Usda && cut + 1 == bytes.len();
        if format != Format::Obj && !last_line_break {
            prop_assert!(result.is_err(), "{:?} cut to {} bytes", format, cut);
        }
    }

    #[test]
    fn anything(format in formats(), bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let folder = tempfile::tempdir().unwrap();
        let path = sample::path(folder.path(), format);
        fs::write(&path, bytes).unwrap();
        // Noise can be a comment in a text, but it is no mesh.
        prop_assert!(read_all(&path).is_err());
    }

    #[test]
    fn any_text(format in formats(), text in "(\\PC{0,9}\n|(v|f|o|ply|property|element)( -?[0-9./e]{1,4}){0,5}\n){0,9}") {
        let folder = tempfile::tempdir().unwrap();
        let path = sample::path(folder.path(), format);
        fs::write(&path, text).unwrap();
        let _ = read_all(&path);
    }
}
