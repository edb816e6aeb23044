//! Animated GIFs, read back.

use std::fs::{self, File};
use std::path::Path;
use toile_view::Image;
use toile_view::film::{Gif, GifError};

const SIZE: [usize; 2] = [40, 24];

/// One colour above, another below.
fn picture(level: u8) -> Image {
    let mut image = Image::filled(SIZE[0], SIZE[1], [level, 40, 90]);
    image.paste(
        &Image::filled(SIZE[0], SIZE[1], [10, 200, level]),
        0,
        SIZE[1] / 2,
    );
    image
}

/// Delays in hundredths of a second, and each picture's pixels.
fn read(path: &Path) -> Vec<(u16, Vec<u8>)> {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(File::open(path).unwrap()).unwrap();
    assert_eq!(decoder.width() as usize, SIZE[0]);
    let mut frames = Vec::new();
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        frames.push((frame.delay, frame.buffer.to_vec()));
    }
    frames
}

#[test]
fn a_gif_has_its_pictures_and_its_length() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gif");
    let mut gif = Gif::create(&path, SIZE[0], SIZE[1], 25.0).unwrap();
    let levels = [0u8, 60, 120, 180, 240];
    for level in levels {
        gif.push(&picture(level)).unwrap();
    }
    assert_eq!(gif.finish().unwrap(), 5);
    let frames = read(&path);
    assert_eq!(frames.len(), 5);
    for ((delay, pixels), level) in frames.iter().zip(levels) {
        assert_eq!(*delay, 4);
        for (at, expected) in [
            (0, [level, 40, 90]),
            (SIZE[0] * SIZE[1] - 1, [10, 200, level]),
        ] {
            for (got, wanted) in pixels[4 * at..].iter().zip(expected) {
                assert!(got.abs_diff(wanted) <= 4, "{got} instead of {wanted}");
            }
        }
    }
}

/// Players slow down pictures shorter than a fiftieth of a second.
#[test]
fn fast_motion_keeps_its_length_with_fewer_pictures() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gif");
    let mut gif = Gif::create(&path, SIZE[0], SIZE[1], 120.0).unwrap();
    for frame in 0..120 {
        gif.push(&picture(2 * frame)).unwrap();
    }
    gif.finish().unwrap();
    let frames = read(&path);
    let length_cs: u64 = frames.iter().map(|(delay, _)| u64::from(*delay)).sum();
    assert_eq!(length_cs, 100);
    assert!(frames.iter().all(|(delay, _)| *delay >= 2));
    assert!((33..=50).contains(&frames.len()), "{}", frames.len());
}

#[test]
fn what_is_not_finished_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gif");
    let empty = Gif::create(&path, 8, 8, 25.0).unwrap();
    assert!(matches!(empty.finish(), Err(GifError::Empty)));
    let mut odd = Gif::create(&path, 8, 8, 25.0).unwrap();
    assert!(matches!(odd.push(&picture(0)), Err(GifError::Frame { .. })));
    drop(odd);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    for (width, fps) in [(0, 25.0), (70_000, 25.0), (8, 0.0), (8, f64::NAN)] {
        assert!(Gif::create(&path, width, 8, fps).is_err());
    }
}
