//! Maps of the material that are painted in pictures.

use std::fs::{self, File};
use std::path::Path;
use toile_io::scene::{self, Scene};
use toile_sim::Model;

/// A square of two triangles with texture coordinates from 0 to 2, and one without any.
const SQUARE: &str = "\
v 0 0 0
v 1 0 0
v 1 0 -1
v 0 0 -1
vt 0 0
vt 2 0
vt 2 2
vt 0 2
f 1/1 2/2 3/3
f 1/1 3/3 4/4
";
const BARE: &str = "v 0 0 0\nv 1 0 0\nv 1 0 -1\nf 1 2 3\n";

fn load(folder: &Path, cloth: &str) -> Result<Scene, String> {
    let path = folder.join("scene.toml");
    let text = format!("[[cloth]]\nmodel = \"triangle-buckling\"\n{cloth}");
    fs::write(&path, text).unwrap();
    scene::load(&path, &[]).map_err(|error| error.to_string())
}

/// Writes a picture of red, green, blue and opacity, rows from the top.
fn paint(path: &Path, [width, height]: [u32; 2], pixels: &[[u8; 4]]) {
    let mut encoder = png::Encoder::new(File::create(path).unwrap(), width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(pixels.as_flattened()).unwrap();
    writer.finish().unwrap();
}

/// A folder with both meshes and a picture of two pixels above two: red grows to the right, green
/// upwards, blue is 51, opacity 102.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("square.obj"), SQUARE).unwrap();
    fs::write(folder.path().join("bare.obj"), BARE).unwrap();
    let pixels = [
        [0, 255, 51, 102],
        [255, 255, 51, 102],
        [0, 0, 51, 102],
        [255, 0, 51, 102],
    ];
    paint(&folder.path().join("paint.png"), [2, 2], &pixels);
    folder
}

const GRID: &str = "grid = { size_m = [2, 1], particles = [9, 5] }\n";

fn map(keys: &str) -> String {
    format!("[[cloth.map]]\nvalue = \"bending\"\nfactor = 3.0\nfactor_at_zero = 2.0\n{keys}\n")
}

/// Factors of the only map, and the middles of the faces in the pattern, from 0 to 1.
fn factors(scene: &Scene) -> Vec<([f64; 2], f64)> {
    let cloth = &scene.model.cloths[0];
    let surface = cloth.sheet().unwrap().surface();
    let places = surface.rest.iter().map(|corners| {
        let low = surface
            .rest
            .iter()
            .flatten()
            .fold(glam::DVec2::INFINITY, |a, b| a.min(*b));
        let middle = (corners[0] + corners[1] + corners[2]) / 3.0 - low;
        [middle.x / 2.0, middle.y]
    });
    let factor = |face| cloth.maps[0].factor_of(face, 0.0);
    places
        .enumerate()
        .map(|(k, place)| (place, factor(k)))
        .collect()
}

#[test]
fn a_picture_fills_the_pattern_of_a_grid() {
    let folder = folder();
    for (channel, along) in [
        ("", 0),
        ("channel = \"red\"", 0),
        ("channel = \"green\"", 1),
    ] {
        let keys = format!("texture = \"paint.png\"\n{channel}");
        let scene = load(folder.path(), &(GRID.to_owned() + &map(&keys))).unwrap();
        let found = factors(&scene);
        assert_eq!(found.len(), 64);
        for (place, factor) in found {
            // The pixels' middles are at ¼ and ¾; faces are a quarter high.
            let expected = 2.0 + (2.0 * place[along] - 0.5).clamp(0.0, 1.0);
            assert!((factor - expected).abs() < 0.05, "{place:?}: {factor}");
        }
        Model::build(&scene.model).unwrap();
    }
    for (channel, share) in [("blue", 0.2), ("alpha", 0.4)] {
        let keys = format!("texture = \"paint.png\"\nchannel = \"{channel}\"");
        let scene = load(folder.path(), &(GRID.to_owned() + &map(&keys))).unwrap();
        let even = |(_, factor): &([f64; 2], f64)| (factor - 2.0 - share).abs() < 1e-6;
        assert!(factors(&scene).iter().all(even));
    }
}

#[test]
fn a_picture_repeats_over_a_meshs_texture_coordinates() {
    let folder = folder();
    let cloth = |texture: &str| {
        let keys = format!("texture = \"{texture}\"\nchannel = \"red\"");
        format!("mesh = {{ file = \"square.obj\" }}\n{}", map(&keys))
    };
    let scene = load(folder.path(), &cloth("paint.png")).unwrap();
    // Three points inside either face, at u of ⅔, 5/3 and 5/3 or ⅓, 4/3 and ⅓.
    let expected = [
        2.0 + (5.0 / 6.0 + 5.0 / 6.0 + 5.0 / 6.0) / 3.0,
        2.0 + (1.0 / 6.0 + 1.0 / 6.0 + 1.0 / 6.0) / 3.0,
    ];
    let map = &scene.model.cloths[0].maps[0];
    for (face, expected) in expected.into_iter().enumerate() {
        let found = map.factor_of(face, 0.0);
        assert!((found - expected).abs() < 1e-6, "{found} {expected}");
    }
    // It is found again from elsewhere, and another picture of that name moves differently.
    let elsewhere = tempfile::tempdir().unwrap();
    let saved = elsewhere.path().join("scene.toml");
    scene::save(&scene, &saved).unwrap();
    let again = scene::load(&saved, &[]).unwrap();
    assert_eq!(again.model, scene.model);
    assert_eq!(again.fingerprint(), scene.fingerprint());
    paint(&folder.path().join("paint.png"), [1, 1], &[[0; 4]]);
    let changed = scene::load(&saved, &[]).unwrap();
    assert_ne!(changed.fingerprint(), scene.fingerprint());
}

#[test]
fn what_is_wrong_with_a_painted_map_is_located() {
    let folder = folder();
    fs::write(folder.path().join("words.png"), "words").unwrap();
    // Found by fuzzing: a few bytes that promise gigabytes of pixels.
    for (name, side) in [("vast.png", 60_000), ("hollow.png", 8_000)] {
        let file = File::create(folder.path().join(name)).unwrap();
        let mut encoder = png::Encoder::new(file, side, side);
        encoder.set_color(png::ColorType::Rgba);
        drop(encoder.write_header().unwrap());
        // A picture begins, and ends at once.
        let mut bytes = fs::read(folder.path().join(name)).unwrap();
        bytes.truncate(8 + 25);
        bytes.extend(b"\0\0\0\0IDAT\x35\xaf\x06\x1e");
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    let painted = "texture = \"paint.png\"";
    for (shape, keys, at, expected) in [
        (GRID, "texture = \"none.png\"", ".texture", "cannot open"),
        (
            GRID,
            "texture = \"words.png\"",
            ".texture",
            "no picture in PNG format",
        ),
        (
            GRID,
            "texture = \"vast.png\"",
            ".texture",
            "60000 × 60000 pixels",
        ),
        (
            GRID,
            "texture = \"hollow.png\"",
            ".texture",
            "8000 × 8000 pixels",
        ),
        (
            "mesh = { file = \"bare.obj\" }\n",
            painted,
            ".texture",
            "the mesh has no texture coordinates",
        ),
        (
            GRID,
            "texture = \"paint.png\"\ngroup = \"left\"",
            "",
            "expected at most one of",
        ),
        (GRID, "channel = \"red\"", ".channel", "no vertex colours"),
        (
            GRID,
            "texture = \"paint.png\"\nchannel = \"purple\"",
            ".channel",
            "purple",
        ),
    ] {
        let error = load(folder.path(), &(shape.to_owned() + &map(keys))).unwrap_err();
        let key = format!("cloth[0].map[0]{at}");
        assert!(error.contains(&key), "{error}");
        assert!(error.contains(expected), "{error}");
        assert!(error.contains("scene.toml"), "{error}");
    }
    let alone = "[[cloth.map]]\nvalue = \"shear\"\nfactor = 2\nfactor_at_zero = 1\n\
                 box = { min = [0, 0, 0], max = [1, 1, 1] }\n";
    let error = load(folder.path(), &(GRID.to_owned() + alone)).unwrap_err();
    assert!(
        error.contains("only goes with `channel` and `texture`"),
        "{error}"
    );
}

/// Red grows to the right: the right half of the cloth adheres.
#[test]
fn what_sticks_can_be_painted() {
    let folder = folder();
    let sticky = |keys: &str| {
        let stick = "[[cloth.stick]]\nto = [\"cloth\"]\nreach_m = 0.01\nrelease_m = 0.02\n";
        load(folder.path(), &format!("{GRID}{stick}{keys}"))
    };
    let scene = sticky("texture = \"paint.png\"").unwrap();
    let model = Model::build(&scene.model).unwrap();
    let columns: Vec<u32> = model.sticks[0].particles.iter().map(|i| i % 9).collect();
    assert!(columns.iter().all(|column| *column >= 4), "{columns:?}");
    assert_eq!(columns.iter().filter(|column| **column == 8).count(), 5);
    for (keys, place) in [
        ("texture = \"none.png\"", "cloth[0].stick[0].texture"),
        (
            "texture = \"paint.png\"\nchannel = \"blue\"",
            "cloth[0].stick[0].texture",
        ),
        (
            "texture = \"paint.png\"\nindices = [3]",
            "cloth[0].stick[0].texture",
        ),
        ("channel = \"red\"", "cloth[0].stick[0].channel"),
    ] {
        let error = sticky(keys).expect_err("an error");
        assert!(error.contains(place), "{keys}: {error}");
    }
}

/// A solid of four triangles: the first lies in the right half of a picture, the others in the left. Its
/// last two vertices are green.
const SOLID: &str = "\
v 0 0 0 0 0 0
v 1 0 0 0 0 0
v 0 0 1 0 1 0
v 0 1 0 0 1 0
vt 0.6 0.1
vt 0.9 0.1
vt 0.9 0.4
vt 0.1 0.1
f 1/1 2/2 3/3
f 1/4 4/4 2/4
f 2/4 4/4 3/4
f 3/4 4/4 1/4
";

/// What is sticky is painted on what is stuck to, body or cloth, and the rest of it is not sticky.
#[test]
fn what_is_stuck_to_can_be_painted() {
    let folder = folder();
    let solid = folder.path().join("solid.obj");
    fs::write(&solid, SOLID).unwrap();
    let sticky = |met_as: &str, keys: &str| {
        load(
            folder.path(),
            &format!(
                "grid = {{ size_m = [2, 1], particles = [9, 5], center = [0, 3, 0] }}\n\
                 [[cloth.stick]]\nreach_m = 0.01\n{keys}\n\
                 [[cloth]]\nname = \"other\"\n{GRID}\
                 [[cloth]]\nname = \"bare\"\nmesh = {{ file = \"bare.obj\" }}\n\
                 [[collider]]\nname = \"solid\"\n\
                 shape = {{ mesh = {{ file = \"solid.obj\", as = \"{met_as}\" }} }}\n\
                 [[collider]]\nname = \"floor\"\n\
                 shape = {{ plane = {{ normal = [0, 1, 0], offset_m = -9 }} }}\n"
            ),
        )
    };
    for met_as in ["triangles", "level-set"] {
        let faces = |keys: &str| {
            let scene = sticky(met_as, keys).unwrap_or_else(|e| panic!("{e}"));
            Model::build(&scene.model).unwrap();
            scene.model.cloths[0].sticks[0].to_faces.clone().unwrap()
        };
        let on_solid = faces("to = [\"solid\"]\nto_texture = \"paint.png\"");
        assert_eq!(on_solid, [[0]]);
        // Two light corners of three are more than half.
        let coloured = faces("to = [\"solid\"]\nto_channel = \"green\"");
        assert_eq!(coloured, [[2, 3]]);
        let both = faces("to = [\"solid\", \"other\"]\nto_texture = \"paint.png\"");
        assert_eq!((both[0].len(), both[1].len()), (1, 32));
    }
    for (keys, place, says) in [
        (
            "to = [\"solid\"]\nto_texture = \"none.png\"",
            "to_texture",
            "cannot open",
        ),
        (
            "to = [\"solid\"]\nto_texture = \"paint.png\"\nto_channel = \"blue\"",
            "to_texture",
            "paints no face",
        ),
        (
            "to = [\"bare\"]\nto_texture = \"paint.png\"",
            "to_texture",
            "\"bare\" has no texture coordinates",
        ),
        (
            "to = [\"solid\", \"floor\"]\nto_channel = \"red\"",
            "to_channel",
            "\"floor\" has no vertex colours",
        ),
        (
            "to = [\"solid\"]\nto_channel = \"red\"\nto_group = \"solid\"",
            "to_channel",
            "expected either this or `to_group`",
        ),
    ] {
        let error = sticky("triangles", keys).expect_err("an error");
        let place = format!("cloth[0].stick[0].{place}");
        assert!(error.contains(&place) && error.contains(says), "{error}");
    }
}
