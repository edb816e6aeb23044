//! Charts: what is drawn where, and files that others can read.

use std::fs;
use toile_view::Image;
use toile_view::plot::{Chart, Figure, HeatMap, Panel, Series};

const RED: [u8; 3] = [0xd0, 0x10, 0x10];

fn red(points: impl IntoIterator<Item = [f64; 2]>) -> Series {
    Series::points("", points).color(0xd01010)
}

/// The middle of all pixels of exactly one colour, and their number.
fn middle(image: &Image, color: [u8; 3]) -> ([f64; 2], usize) {
    let (mut sum, mut count) = ([0.0; 2], 0);
    for y in 0..image.height {
        for x in 0..image.width {
            if image.pixel(x, y) == Some(color) {
                sum = [sum[0] + x as f64 + 0.5, sum[1] + y as f64 + 0.5];
                count += 1;
            }
        }
    }
    (sum.map(|s| s / count as f64), count)
}

fn probe(chart: Chart, point: [f64; 2]) -> [f64; 2] {
    let (at, count) = middle(&chart.series(red([point])).image(), RED);
    assert!(count > 50, "no point at {point:?}");
    at
}

#[test]
fn points_land_where_their_values_say() {
    let chart = || {
        Chart::new("t")
            .x("x", "s")
            .y("y", "m")
            .x_range(0.0, 10.0)
            .y_range(-1.0, 1.0)
    };
    let [low, mid, high] = [[1.0, -0.8], [5.0, 0.0], [9.0, 0.8]].map(|p| probe(chart(), p));
    for k in 0..2 {
        assert!(
            (0.5 * (low[k] + high[k]) - mid[k]).abs() < 0.3,
            "{low:?} {mid:?} {high:?}"
        );
    }
    // Up is up, right is right, and the field fills most of the picture.
    assert!(high[0] - low[0] > 0.8 * 0.75 * 1200.0 && low[1] - high[1] > 0.8 * 0.7 * 800.0);
}

#[test]
fn log_axes_space_powers_of_ten_evenly() {
    let chart = || {
        Chart::new("")
            .log_x()
            .log_y()
            .x_range(1e-4, 1e4)
            .y_range(1.0, 1e6)
    };
    let [a, b, c] = [[1e-3, 10.0], [1.0, 1e3], [1e3, 1e5]].map(|p| probe(chart(), p));
    for k in 0..2 {
        assert!(
            (0.5 * (a[k] + c[k]) - b[k]).abs() < 0.3,
            "{a:?} {b:?} {c:?}"
        );
    }
}

#[test]
fn a_line_is_drawn_through_its_points_and_not_beyond_the_field() {
    let line = Series::line("", [[-1e6, -1e6], [1e6, 1e6]]).color(0xd01010);
    let image = Chart::new("")
        .x_range(0.0, 1.0)
        .y_range(0.0, 1.0)
        .series(line)
        .image();
    let bare = Chart::new("")
        .x_range(0.0, 1.0)
        .y_range(0.0, 1.0)
        .series(red([[0.5, 0.5]]))
        .image();
    let ([x, y], _) = middle(&bare, RED);
    assert_eq!(image.pixel(x as usize, y as usize), Some(RED));
    // The diagonal of the field is centred on it only if both ends are cut at its corners.
    let ([line_x, line_y], count) = middle(&image, RED);
    assert!((line_x - x).abs() < 2.0 && (line_y - y).abs() < 2.0 && count > 1000);
}

#[test]
fn bad_points_are_left_out() {
    let good = [[0.0, 1.0], [1.0, 3.0], [2.0, 2.0]];
    let bad = [
        [f64::NAN, 1.0],
        [0.5, f64::INFINITY],
        [f64::NEG_INFINITY, f64::NAN],
    ];
    let clean = Chart::new("t").series(red(good)).image();
    let mixed = Chart::new("t")
        .series(red(bad.into_iter().chain(good)))
        .image();
    assert!(clean == mixed);
    let log = |points: &[[f64; 2]]| Chart::new("t").log_y().series(red(points.to_vec())).image();
    assert!(log(&good) == log(&[good.to_vec(), vec![[0.3, 0.0], [0.4, -7.0]]].concat()));
}

#[test]
fn odd_figures_are_drawn_all_the_same() {
    let charts = [
        Chart::new(""),
        Chart::new("none")
            .log_x()
            .log_y()
            .series(Series::line("n", [])),
        Chart::new("one").series(red([[3.0, 3.0]])),
        Chart::new("huge").series(Series::line("h", [[-1e300, 1e300], [1e300, -1e300]])),
        Chart::new("tiny").series(Series::dashed("h", [[1e-300, 0.0], [2e-300, 1e-310]])),
        Chart::new("far").series(Series::line("f", [[1e15, 0.0], [1e15 + 1.0, 1.0]])),
        Chart::new("range")
            .x_range(f64::NAN, 1.0)
            .y_range(2.0, 2.0)
            .series(red([[0.0, 0.0]])),
        Chart::new("log range")
            .log_x()
            .x_range(-1.0, 10.0)
            .series(red([[1.0, 1.0]])),
        Chart::new("small")
            .sized(0, 30)
            .series(Series::line("a long name", [[0.0, 0.0], [1.0, 1.0]])),
    ];
    for chart in charts {
        let image = chart.image();
        assert_eq!(image.rgb.len(), 3 * image.width * image.height);
        assert!(image.pixel(0, 0) == Some([255; 3]) || image.width < 20);
    }
    for map in [
        HeatMap::new("", 0, []),
        HeatMap::new("", 3, [1.0, 2.0]),
        HeatMap::new("", 2, [f64::NAN; 4]),
        HeatMap::new("", 2, [-1.0, 0.0, 0.0, 0.0]).log_z(),
    ] {
        assert_eq!(map.image().width, 1200);
    }
    assert_eq!(Panel::new(0).image().width, 900);
}

#[test]
fn cells_of_a_heat_map_have_the_colours_of_their_values() {
    // Low and high differ at the lower left and the upper right only.
    let map = |a: f64, b: f64| {
        HeatMap::new("", 2, [a, 0.5, 0.5, b])
            .z_range(0.0, 1.0)
            .image()
    };
    let (plain, low, high) = (map(0.5, 0.5), map(0.0, 0.5), map(0.5, 1.0));
    let changed = |image: &Image| {
        let places = (0..image.width * image.height).map(|i| (i % image.width, i / image.width));
        places
            .filter(|&(x, y)| image.pixel(x, y) != plain.pixel(x, y))
            .collect::<Vec<_>>()
    };
    let (low, high) = (changed(&low), changed(&high));
    assert!(low.len() > 100_000 && high.len() > 100_000);
    assert!(low.iter().map(|p| p.1).min() > high.iter().map(|p| p.1).max());
    let right = |places: &[(usize, usize)]| places.iter().map(|p| p.0).max();
    assert!(right(&low) < right(&high));
}

#[test]
fn nothing_is_the_least_of_powers_of_ten_and_grey_is_no_value() {
    let map = |value: f64| {
        HeatMap::new("", 2, [value, 0.1, 0.1, 0.1])
            .z_range(1e-4, 1.0)
            .log_z()
            .image()
            .rgb
    };
    assert!(map(0.0) == map(1e-4), "0 has the lowest colour");
    assert!(map(0.0) != map(f64::NAN), "and is not missing");
}

#[test]
fn files_are_whole_and_the_same_every_time() {
    let folder = tempfile::tempdir().unwrap();
    let figure = || {
        Panel::new(2)
            .with(Chart::new("a < b & \"c\"").series(Series::dashed("d", [[0.0, 1.0], [1.0, 2.0]])))
            .with(HeatMap::new("h", 2, [1.0, 2.0, 3.0, 4.0]).z("z", "m"))
    };
    let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
    for name in ["a", "b"] {
        figure()
            .write(folder.path().join(name).with_extension("png"))
            .unwrap();
        figure()
            .write_svg(folder.path().join(name).with_extension("svg"))
            .unwrap();
    }
    assert!(read("a.png") == read("b.png") && read("a.svg") == read("b.svg"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
    let mut reader = png::Decoder::new(
        fs::File::open(folder.path().join("a.png"))
            .map(std::io::BufReader::new)
            .unwrap(),
    )
    .read_info()
    .unwrap();
    let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
    assert_eq!(reader.next_frame(&mut rgb).unwrap().width, 1800);
    assert!(rgb == figure().image().rgb);
    well_formed(&String::from_utf8(read("a.svg")).unwrap());
    assert!(
        figure()
            .write_svg(folder.path().join("missing").join("x.svg"))
            .is_err()
    );
}

/// Every tag is closed, in order, and every attribute is quoted.
fn well_formed(svg: &str) {
    let mut open = Vec::new();
    let mut tags = 0;
    for tag in svg.split('<').skip(1) {
        let (inner, text) = tag.split_once('>').expect("an unfinished tag");
        assert!(text.trim().is_empty(), "stray text {text:?}");
        assert!(!inner.contains("NaN") && !inner.contains("inf"), "{inner}");
        assert_eq!(inner.matches('"').count(), 2 * inner.matches("=\"").count());
        let name = |s: &str| s.split([' ', '/']).next().unwrap().to_owned();
        match inner.strip_prefix('/') {
            Some(end) => assert_eq!(open.pop(), Some(name(end))),
            None if inner.ends_with('/') => tags += 1,
            None => open.push(name(inner)),
        }
    }
    assert!(open.is_empty() && tags > 50, "{open:?} {tags}");
}
