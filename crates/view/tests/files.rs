//! Pictures and films on disk.

use std::fs;
use std::path::Path;
use toile_view::film::{Film, FilmError};
use toile_view::{Image, ImageError};

fn picture(width: usize, height: usize, seed: usize) -> Image {
    let value = |i: usize| ((i * 7 + seed * 31) % 256) as u8;
    Image {
        width,
        height,
        rgb: (0..3 * width * height).map(value).collect(),
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect()
}

#[test]
fn png_gives_back_every_pixel() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.png");
    let image = picture(37, 23, 1);
    image.write_png(&path).unwrap();
    let file = std::io::BufReader::new(fs::File::open(&path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut rgb).unwrap();
    assert_eq!((info.width, info.height), (37, 23));
    assert_eq!(rgb, image.rgb);
    assert_eq!(names(folder.path()), ["a.png"]);
    assert_eq!(Image::read_png(&path).unwrap(), image);
    fs::write(&path, "no picture").unwrap();
    assert!(matches!(
        Image::read_png(&path),
        Err(ImageError::Read { .. })
    ));
}

#[test]
fn pasted_pictures_are_cut_at_the_edge() {
    let mut page = Image::filled(5, 4, [9; 3]);
    page.paste(&picture(3, 3, 2), 3, 2);
    let pasted = picture(3, 3, 2);
    for y in 0..4 {
        for x in 0..5 {
            let inside = x >= 3 && y >= 2;
            let expected = if inside {
                pasted.pixel(x - 3, y - 2)
            } else {
                Some([9; 3])
            };
            assert_eq!(page.pixel(x, y), expected, "{x} {y}");
        }
    }
    let before = page.clone();
    page.paste(&pasted, 50, 0);
    assert_eq!(page, before);
}

#[test]
fn png_that_cannot_be_written_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let image = picture(4, 4, 0);
    let missing = folder.path().join("nowhere").join("a.png");
    assert!(matches!(
        image.write_png(missing),
        Err(ImageError::Write { .. })
    ));
    let short = Image {
        rgb: vec![0; 5],
        ..image
    };
    let path = folder.path().join("b.png");
    assert!(matches!(
        short.write_png(path),
        Err(ImageError::Size { .. })
    ));
    assert!(names(folder.path()).is_empty());
}

/// Start and end of the payload of a box, found along a path of types.
fn payload<'a>(mut data: &'a [u8], path: &[&str]) -> &'a [u8] {
    for kind in path {
        data = boxes(data)
            .into_iter()
            .find(|(k, _)| *k == kind.as_bytes())
            .unwrap_or_else(|| panic!("no {kind} box"))
            .1;
    }
    data
}

fn boxes(mut data: &[u8]) -> Vec<(&[u8], &[u8])> {
    let mut found = Vec::new();
    while data.len() >= 8 {
        let size = number(data, 0) as usize;
        found.push((&data[4..8], &data[8..size]));
        data = &data[size..];
    }
    found
}

fn number(data: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(data[at..at + 4].try_into().unwrap())
}

/// Frames, and seconds they last, as the sample tables say.
fn length(path: &Path) -> (u32, f64) {
    let data = fs::read(path).unwrap();
    let kinds: Vec<&[u8]> = boxes(&data).into_iter().map(|(k, _)| k).collect();
    assert_eq!(
        kinds,
        [b"ftyp", b"moov", b"mdat"],
        "not ready for streaming"
    );
    let media = ["moov", "trak", "mdia"];
    let scale = number(payload(&data, &[&media[..], &["mdhd"]].concat()), 12);
    let table = [&media[..], &["minf", "stbl"]].concat();
    let times = payload(&data, &[&table[..], &["stts"]].concat());
    let ticks: u32 = (0..number(times, 4) as usize)
        .map(|i| number(times, 8 + 8 * i) * number(times, 12 + 8 * i))
        .sum();
    let sizes = payload(&data, &[&table[..], &["stsz"]].concat());
    (number(sizes, 8), f64::from(ticks) / f64::from(scale))
}

#[test]
fn film_has_its_frames_and_its_length() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mp4");
    let mut film = Film::create(&path, 64, 48, 24.0).unwrap();
    for i in 0..30 {
        film.push(&picture(64, 48, i)).unwrap();
    }
    assert!(!path.exists(), "a film takes its name when it is whole");
    assert_eq!(film.finish().unwrap(), 30);
    let (frames, seconds) = length(&path);
    assert_eq!(frames, 30);
    assert!((seconds - 30.0 / 24.0).abs() < 1e-3, "{seconds}");
    assert_eq!(names(folder.path()), ["a.mp4"]);
}

#[test]
fn film_cut_short_keeps_what_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mp4");
    for count in [1, 7] {
        let mut film = Film::create(&path, 64, 48, 60.0).unwrap();
        for i in 0..count {
            film.push(&picture(64, 48, i)).unwrap();
        }
        drop(film);
        assert_eq!(length(&path).0 as usize, count);
    }
}

#[test]
fn film_frames_decode_to_their_pictures() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mp4");
    let mut film = Film::create(&path, 64, 48, 30.0).unwrap();
    let grey = |level: u8| Image {
        width: 64,
        height: 48,
        rgb: vec![level; 3 * 64 * 48],
    };
    for level in [40, 120, 200] {
        film.push(&grey(level)).unwrap();
    }
    film.finish().unwrap();
    let data = fs::read(&path).unwrap();
    let table = ["moov", "trak", "mdia", "minf", "stbl"];
    let entry = &payload(&data, &[&table[..], &["stsd"]].concat())[8..];
    // The fixed part of the video entry is 78 bytes; the decoder's settings follow.
    let settings = payload(&payload(entry, &["avc1"])[78..], &["avcC"]);
    let mut decoder = openh264::decoder::Decoder::new().unwrap();
    let mut feed = |unit: &[u8]| {
        let unit = [&[0, 0, 0, 1], unit].concat();
        let seen = decoder.decode(&unit).unwrap();
        seen.map(|frame| openh264::formats::YUVSource::y(&frame)[0])
    };
    let sps = 8 + usize::from(settings[7]);
    feed(&settings[8..sps]);
    feed(&settings[sps + 3..sps + 3 + usize::from(settings[sps + 2])]);
    let mut samples = payload(&data, &["mdat"]);
    let mut levels = Vec::new();
    while samples.len() > 4 {
        let end = 4 + number(samples, 0) as usize;
        levels.extend(feed(&samples[4..end]));
        samples = &samples[end..];
    }
    levels.extend(
        decoder
            .flush_remaining()
            .unwrap()
            .iter()
            .map(|f| openh264::formats::YUVSource::y(f)[0]),
    );
    // Studio range: 16 + 219/255 of the level.
    let expected = [50.4, 119.1, 187.8];
    assert_eq!(levels.len(), expected.len());
    for (level, expected) in levels.iter().zip(expected) {
        assert!((f64::from(*level) - expected).abs() < 2.5, "{levels:?}");
    }
}

#[test]
fn impossible_films_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mp4");
    for (width, height) in [
        (65, 48),
        (64, 47),
        (8, 48),
        (0, 0),
        (5000, 48),
        (3000, 3000),
    ] {
        let film = Film::create(&path, width, height, 30.0);
        assert!(
            matches!(film, Err(FilmError::Size { .. })),
            "{width} {height}"
        );
    }
    for fps in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let film = Film::create(&path, 64, 48, fps);
        assert!(matches!(film, Err(FilmError::Rate { .. })), "{fps}");
    }
    let mut film = Film::create(&path, 64, 48, 30.0).unwrap();
    assert!(matches!(
        film.push(&picture(32, 48, 0)),
        Err(FilmError::Frame { frame: 0, .. })
    ));
    assert!(matches!(film.finish(), Err(FilmError::Empty)));
    let missing = folder.path().join("nowhere").join("a.mp4");
    assert!(matches!(
        Film::create(missing, 64, 48, 30.0),
        Err(FilmError::Write { .. })
    ));
    assert!(names(folder.path()).is_empty());
}
