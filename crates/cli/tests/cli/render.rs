//! Pictures of runs and of files.

use crate::program::{HANGING, ON_A_BALL, Workplace};
use crate::run::film_frames;
use glam::{Vec2, Vec3};
use std::fs;
use toile::io::formats::{self, Frame, Header, Options, UpAxis};
use toile::view::Image;

/// A run of the hanging sheet, without its film.
fn finished_run() -> Workplace {
    let place = Workplace::with("scene.toml", HANGING);
    place.succeed(&["run", "scene.toml", "--no-film", "--quiet"]);
    place
}

/// Width and height in the header of a PNG.
fn png_size(file: &[u8]) -> [u32; 2] {
    assert!(file.starts_with(b"\x89PNG"));
    [16, 20].map(|at| u32::from_be_bytes(file[at..at + 4].try_into().unwrap()))
}

/// Runs `toile render` with small pictures.
fn render(place: &Workplace, args: &[&str]) -> String {
    let all = [&["render"], args, &["--size", "160x96"]].concat();
    place.succeed(&all).stdout
}

#[test]
fn a_run_becomes_a_film_a_gif_and_pictures() {
    let place = finished_run();
    let printed = render(&place, &["out/hanging"]);
    assert!(printed.contains("out/hanging/render.mp4"), "{printed}");
    let film = fs::read(place.path("out/hanging/render.mp4")).unwrap();
    assert_eq!(film_frames(&film), 6);

    render(
        &place,
        &[
            "out/hanging",
            "-o",
            "a.gif",
            "--frames",
            "1..3",
            "--fps",
            "25",
        ],
    );
    let gif = fs::read(place.path("a.gif")).unwrap();
    assert!(gif.starts_with(b"GIF89a") && gif.ends_with(b"\x3b"));
    assert_eq!(gif[6..10], [160, 0, 96, 0]);

    render(
        &place,
        &["out/hanging", "-o", "f_%03d.png", "--frames", "2..4"],
    );
    for frame in 2..=4 {
        let png = fs::read(place.path(format!("f_{frame:03}.png"))).unwrap();
        assert_eq!(png_size(&png), [160, 96]);
    }
    assert!(!place.path("f_001.png").exists() && !place.path("f_005.png").exists());

    // One picture of several frames is that of the last.
    render(&place, &["out/hanging", "-o", "last.png"]);
    render(
        &place,
        &[
            "out/hanging",
            "-o",
            "end.png",
            "--frames",
            "5",
            "--camera",
            "fit",
        ],
    );
    render(&place, &["out/hanging", "-o", "start.png", "--frames", "0"]);
    let picture = |name: &str| fs::read(place.path(name)).unwrap();
    assert_eq!(png_size(&picture("last.png")), [160, 96]);
    assert_ne!(picture("start.png"), picture("end.png"));
}

#[test]
fn every_quantity_is_named_with_its_unit() {
    let place = finished_run();
    for (color, words) in [
        ("strain-warp", "strain along warp from -"),
        ("strain-weft", " %"),
        ("shear", " °"),
        ("curvature", " 1/m"),
        ("speed", "speed from 0 to "),
        ("energy-density", " J/m²"),
    ] {
        let args = ["out/hanging", "-o", "c.png", "--color", color];
        let printed = render(&place, &args);
        assert!(printed.contains(words), "{color}: {printed}");
    }
    let args = [
        "out/hanging",
        "-o",
        "r.png",
        "--color",
        "shear",
        "--range=-3,4",
    ];
    assert!(render(&place, &args).contains("shear angle from -3 to 4 °"));
}

#[test]
fn cameras_sheets_and_comparisons_are_drawn() {
    let place = finished_run();
    let run = "out/hanging";
    for extra in [
        &["--camera", "orbit:40,-10"][..],
        &["--camera", "orbit:40,20,2.5", "--fov", "40"],
        &["--eye", "1,1.2,1.5", "--look-at=-0.1,0.9,0"],
        &["--wireframe"],
        &["--contact-sheet", "3x2", "--color", "speed"],
        &["--beside", "out/hanging/hanging_0002.obj"],
    ] {
        let mut args = vec![run, "-o", "p.png"];
        args.extend(extra);
        render(&place, &args);
        assert_eq!(png_size(&fs::read(place.path("p.png")).unwrap()), [160, 96]);
        fs::remove_file(place.path("p.png")).unwrap();
    }
    render(&place, &[run, "-o", "turn.mp4", "--turntable", "7"]);
    assert_eq!(film_frames(&fs::read(place.path("turn.mp4")).unwrap()), 7);
}

#[test]
fn a_file_is_drawn_without_its_run() {
    let place = finished_run();
    let mesh = "out/hanging/hanging.obj";
    render(&place, &[mesh, "-o", "a.png", "--color", "strain-weft"]);
    render(&place, &[mesh, "-o", "b.mp4", "--fps", "30"]);
    assert_eq!(film_frames(&fs::read(place.path("b.mp4")).unwrap()), 6);
    place.write("bare.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    render(&place, &["bare.obj", "-o", "bare.png"]);
}

#[test]
fn what_cannot_be_drawn_is_said() {
    let place = finished_run();
    place.write("bare.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    place.write("points.obj", "v 0 0 0\nv 1 0 0\n");
    place.write(
        "texture.obj",
        "v 0 0 0\nv 9 0 0\nv 0 9 0\nvt 0 0\nvt 1 0\nvt 0 1\nf 1/1 2/2 3/3\n",
    );
    fs::create_dir(place.path("empty")).unwrap();
    let mesh = place.path("out/hanging/hanging_0005.obj");
    fs::copy(mesh, place.path("alone.obj")).unwrap();
    for (args, words) in [
        (&["missing.obj"][..], "missing.obj"),
        (&["missing"], "missing: there is no such file or folder"),
        (&["missing", "--overview"], "no such file or folder"),
        (&["bare.txt"], "bare.txt: there is no such file"),
        (&["scene.toml"], "ends in one of .obj"),
        (&["empty"], "no meshes"),
        (&["points.obj", "-o", "a.png"], "no faces"),
        (&["out/hanging", "-o", "a.avi"], ".mp4, .gif or .png"),
        (
            &["out/hanging", "--frames", "9"],
            "no frame 9: frames are 0 to 5",
        ),
        (
            &["out/hanging", "--frames", "3..1"],
            "ends before it begins",
        ),
        (&["out/hanging", "--camera", "given"], "--eye"),
        (&["out/hanging", "--camera", "side"], "orbit:AZIMUTH"),
        (&["out/hanging", "--eye", "1,2"], "X,Y,Z"),
        (
            &["out/hanging", "--eye", "0,1,0", "--look-at", "0,1,0"],
            "--look-at",
        ),
        (&["out/hanging", "--fov", "0"], "--fov"),
        (&["out/hanging", "--size", "1281x720"], "1281×720"),
        (&["out/hanging", "--range", "0,1"], "--color"),
        (&["out/hanging", "--contact-sheet", "900x1"], "--size"),
        (
            &["bare.obj", "--color", "strain-warp"],
            "no texture coordinates",
        ),
        (
            &["texture.obj", "--color", "shear"],
            "not a pattern in metres",
        ),
        (&["bare.obj", "--color", "speed"], "only one frame"),
        (&["alone.obj", "--color", "energy-density"], "material"),
        (&["out/hanging", "-o", "no/such/a.png"], "no/such/a.png"),
    ] {
        let ended = place.toile(&[&["render"], args].concat());
        assert_eq!(ended.code, Some(2), "{args:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(words), "{args:?}: {}", ended.stderr);
    }
}

#[test]
fn a_run_is_shown_at_a_glance() {
    let place = Workplace::with("scene.toml", HANGING);
    place.succeed(&["run", "scene.toml", "--quiet"]);
    let read = |name: &str| fs::read(place.path("out/hanging").join(name)).unwrap();
    let [plots, overview, poster] = ["plots.png", "overview.png", "poster.png"].map(read);
    assert!(png_size(&plots)[0] > 2000);
    assert_eq!(png_size(&overview), [1920, 1600]);
    assert!(read("plots.svg").starts_with(b"<svg"));
    for name in ["plots.png", "plots.svg", "overview.png"] {
        fs::remove_file(place.path("out/hanging").join(name)).unwrap();
    }
    place.succeed(&["render", "out/hanging", "--overview", "--quiet"]);
    assert!(read("plots.png") == plots);
    assert!(read("overview.png") == overview);
    // Without a poster, the last frame is drawn again.
    fs::remove_file(place.path("out/hanging/poster.png")).unwrap();
    place.succeed(&["render", "out/hanging", "--overview"]);
    assert_eq!(png_size(&read("overview.png")), [1920, 1600]);
    assert_eq!(png_size(&poster), [1280, 720]);

    let ended = place.toile(&["render", "scene.toml", "--overview"]);
    assert_eq!(ended.code, Some(2));
    fs::remove_file(place.path("out/hanging/metrics.csv")).unwrap();
    let ended = place.toile(&["render", "out/hanging", "--overview"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("metrics.csv"), "{}", ended.stderr);
}

/// How far two pictures are apart: the mean over all bytes.
fn apart(a: &Image, b: &Image) -> f64 {
    let pairs = a.rgb.iter().zip(&b.rgb);
    let sum: u64 = pairs.map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    sum as f64 / a.rgb.len() as f64
}

/// A run that was written in centimetres with z up is drawn as one in metres, with its ball, as a
/// folder and as any of its files.
#[test]
fn a_run_looks_the_same_in_any_unit() {
    let place = Workplace::with("scene.toml", ON_A_BALL);
    let run = ["run", "scene.toml", "--no-film", "--quiet", "--out"];
    place.succeed(&[&run[..], &["metres", "--format", "obj"]].concat());
    place.succeed(
        &[
            &run[..],
            &["other", "--format", "pc2,ply,glb"],
            &["--set", "output.cache.metres_per_unit=0.01"],
            &["--set", "output.cache.up_axis=\"z\""],
        ]
        .concat(),
    );
    // The same files without the list of them.
    fs::create_dir(place.path("unlisted")).unwrap();
    for name in ["scene.toml", "on-a-ball_0012.ply"] {
        let from = place.path("other").join(name);
        fs::copy(from, place.path("unlisted").join(name)).unwrap();
    }
    let picture = |input: &str| {
        // From a place of its own, so that a wrong unit shows.
        let camera = ["--eye", "0.6,0.8,1.2", "--look-at", "0,0.35,0"];
        let args = [&[input, "-o", "p.png", "--frames", "0"], &camera[..]].concat();
        render(&place, &args);
        Image::read_png(place.path("p.png")).unwrap()
    };
    let exact = picture("metres");
    for input in ["other", "other/on-a-ball.pc2", "other/on-a-ball.glb"] {
        let mean = apart(&exact, &picture(input));
        assert!(mean < 0.5, "{input}: {mean}");
    }
    let last = picture("unlisted");
    let mean = apart(&last, &picture("other/on-a-ball_0012.ply"));
    assert!(mean < 0.5, "{mean}");
    // The ball is in the picture: a sheet alone looks otherwise.
    fs::copy(
        place.path("metres/on-a-ball_0000.obj"),
        place.path("sheet.obj"),
    )
    .unwrap();
    assert!(apart(&exact, &picture("sheet.obj")) > 2.0);
}

/// What holds the cloth is seen, until it lets go.
#[test]
fn pins_are_seen_until_they_let_go() {
    let scene = HANGING.replace("frames = 5", "frames = 5\nfps = 10");
    let place = Workplace::with("held.toml", &scene);
    place.write("freed.toml", &format!("{scene}  release_s = 0.0\n"));
    for name in ["held", "freed"] {
        let file = format!("{name}.toml");
        place.succeed(&["run", &file, "--no-film", "--quiet", "--out", name]);
    }
    // The first frame is the same in both, but for what holds it.
    let picture = |input: &str| {
        let args = [input, "-o", "p.png", "--frames", "0"];
        render(&place, &[&args[..], &["--eye", "0.7,1.4,1.5"]].concat());
        Image::read_png(place.path("p.png")).unwrap()
    };
    assert!(apart(&picture("held"), &picture("freed")) > 0.2);
}

/// The same sheet in metres with y up, and in centimetres with z up, looks the same.
#[test]
fn units_and_axes_of_a_file_are_understood() {
    let place = Workplace::new();
    let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let mut header = Header::single("sheet", 4, [[0u32, 1, 2], [0, 2, 3]].into_iter().collect());
    header.uvs = corners.map(Vec2::from).to_vec();
    let frame = |k: f32| Frame {
        positions: corners
            .map(|[x, y]| Vec3::new(1.02 * x, y, 0.1 * k))
            .to_vec(),
        ..Frame::default()
    };
    let other = Options {
        up: Some(UpAxis::Z),
        metres_per_unit: Some(0.01),
        ..Options::default()
    };
    let mut pictures = Vec::new();
    for (name, options) in [
        ("a.usda", Options::default()),
        ("b.usda", other),
        ("c.glb", Options::default()),
        ("d.npz", Options::default()),
    ] {
        let mut writer = formats::create(&place.path(name), &header, &options).unwrap();
        for k in 0..3 {
            writer.frame(&frame(k as f32)).unwrap();
        }
        writer.finish().unwrap();
        let out = format!("{name}.png");
        let printed = render(&place, &[name, "-o", &out, "--color", "strain-warp"]);
        assert!(printed.contains("from -2 to 2 %"), "{name}: {printed}");
        pictures.push(Image::read_png(place.path(&out)).unwrap());
    }
    for picture in &pictures[1..] {
        let mean = apart(&pictures[0], picture);
        assert!(mean < 0.5, "{mean}");
    }
}
