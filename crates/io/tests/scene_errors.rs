//! Every bad scene gives one message with file, line and key; none panics.

use proptest::prelude::*;
use std::fs;
use std::path::Path;
use toile_io::{SceneError, SceneSource, builtin, scene};
use toile_sim::BuildError;

/// A good scene, a line of which each case replaces.
const GOOD: &str = r#"name = "test"
fps = 60
frames = 10
gravity_m_per_s2 = [0.0, -9.81, 0.0]
[solver]
integrator = "bdf2"
max_step_s = 0.01
linear_tolerance = 1e-3
[[cloth]]
name = "a"
grid = { size_m = [1.0, 1.0], particles = [11, 11], center = [0, 1, 0] }
fabric = "silk"
[cloth.material]
area_density_kg_per_m2 = 0.1
bending_n_m = 1e-5
[[cloth.pin]]
indices = [0, 10]
[[cloth.pin]]
corners = ["u-min-v-max"]
patch_m = 0.02
[[collider]]
shape = { plane = { normal = [0, 1, 0] } }
friction = 0.3
[output]
formats = ["obj"]
"#;

struct Case {
    /// What is replaced, by what.
    change: (&'static str, &'static str),
    line: usize,
    key: &'static str,
    /// Part of the whole message.
    says: &'static str,
}

const fn case(
    from: &'static str,
    to: &'static str,
    line: usize,
    key: &'static str,
    says: &'static str,
) -> Case {
    Case {
        change: (from, to),
        line,
        key,
        says,
    }
}

#[rustfmt::skip]
const CASES: &[Case] = &[
    // Missing keys point at the table that lacks them.
    case("size_m = [1.0, 1.0], ", "", 11, "cloth[0].grid.size_m", "missing key"),
    case("grid = {", "#", 9, "cloth[0].grid", "missing key"),
    case("normal = [0, 1, 0]", "", 22, "collider[0].shape.plane.normal", "missing key"),
    // Shapes of cloths.
    case("grid = { size_m = [1.0, 1.0], particles = [11, 11], center = [0, 1, 0] }", "tube = { radius_m = 0.1, length_m = 0, particles = [8, 8] }", 11, "cloth[0].tube.length_m", "greater than 0, found 0"),
    case("grid = { size_m = [1.0, 1.0], particles = [11, 11], center = [0, 1, 0] }", "tube = { radius_m = 0.1, length_m = 1, particles = [2, 8] }", 11, "cloth[0].tube.particles[0]", "expected 3 to"),
    case("grid = { size_m = [1.0, 1.0], particles = [11, 11], center = [0, 1, 0] }", "tube = { radius_m = 0.1, length_m = 1, particles = [9000, 9000] }", 11, "cloth[0].tube.particles", "expected at most 4000000"),
    case("grid = { size_m = [1.0, 1.0], particles = [11, 11], center = [0, 1, 0] }", "tube = { radius_m = 0.1, length_m = 1, particles = [8, 8], axis = [0, 0, 0] }", 11, "cloth[0].tube.axis", "expected a direction"),
    case("grid = { size_m = [1.0, 1.0], particles = [11, 11], center = [0, 1, 0] }", "ribbon = { path = [[0, 0, 0]], width_m = 0.1, particles = [20, 3] }", 11, "cloth[0].ribbon.path", "at least 2 points, found 1"),
    case("grid = { size_m = [1.0, 1.0], particles = [11, 11], center = [0, 1, 0] }", "ribbon = { path = [[0, 0, 0], [1, 0, 0], [1, 0, 0]], width_m = 0.1, particles = [20, 3] }", 11, "cloth[0].ribbon.path[2]", "another place than the point before"),
    case("grid = { size_m = [1.0, 1.0], particles = [11, 11], center = [0, 1, 0] }", "ribbon = { path = [[0, 0, 0], [0, 0, 1]], width_m = 0.1, particles = [20, 3] }", 11, "cloth[0].ribbon.path", "runs along the direction of the width"),
    case("grid = { size_m = [1.0, 1.0], particles = [11, 11], center = [0, 1, 0] }", "lathe = { profile = [[0, 0], [0.1, 0.1], [0, 0.2]], spacing_m = 1e-6 }", 11, "cloth[0].lathe.spacing_m", "more than 4000000"),
    case("grid = { size_m = [1.0, 1.0], particles = [11, 11], center = [0, 1, 0] }", "lathe = { profile = [[0, 0], [0.1, 0.1], [-0.1, 0.2]], spacing_m = 0.02 }", 11, "cloth[0].lathe.profile", "not on the outside of the axis"),
    case("grid = { size_m = [1.0, 1.0], particles = [11, 11], center = [0, 1, 0] }", "lathe = { profile = [[0, 0], [0.1, 0.1], [0, 0.2]], spacing_m = 0.02, lobes = 3, lobe_depth = 1 }", 11, "cloth[0].lathe.lobe_depth", "less than 1, found 1"),
    case("center = [0, 1, 0] }", "center = [0, 1, 0] }\ndisc = { radius_m = 0.1, spacing_m = 0.01 }", 9, "cloth[0]", "expected exactly one of `grid`, `mesh`, `disc`, `tube`, `ribbon` and `lathe`, found several"),
    // Wrong types.
    case("fps = 60", "fps = \"fast\"", 2, "fps", "expected a number, found the string \"fast\""),
    case("frames = 10", "frames = 1.5", 3, "frames", "expected a whole number, 0 or more, found 1.5"),
    case("frames = 10", "frames = -3", 3, "frames", "found -3"),
    case("[0.0, -9.81, 0.0]", "-9.81", 4, "gravity_m_per_s2", "array of length 3, found -9.81"),
    case("[0.0, -9.81, 0.0]", "[0, -9.81]", 4, "gravity_m_per_s2", "array of length 3, found 2 elements"),
    case("[0.0, -9.81, 0.0]", "[0]", 4, "gravity_m_per_s2", "array of length 3, found 1 element\n"),
    case("linear_tolerance = 1e-3", "verify = true", 8, "solver.verify", "found true"),
    case("linear_tolerance = 1e-3", "verify = [1]", 8, "solver.verify", "found an array"),
    case("frames = 10", "frames = 4294967296", 3, "frames", "expected a whole number, 4294967295 at the most, found 4294967296"),
    case("[0.0, -9.81, 0.0]", "[0, -9.81, 0, 0]", 4, "gravity_m_per_s2", "found 4 elements"),
    case("center = [0, 1, 0]", "center = [0, true, 0]", 11, "cloth[0].grid.center[1]", "expected a number, found true"),
    case("[output]", "[output]\nfilm = 1", 25, "output.film", "expected true or false, found 1"),
    case("[cloth.material]", "[[cloth.material]]", 13, "cloth[0].material", "expected a table, found an array"),
    case("{ size_m = [1.0, 1.0], particles = [11, 11], center = [0, 1, 0] }", "[[1, 1], [3, 3]]", 11, "cloth[0].grid", "expected a table, found an array"),
    case("[[collider]]", "[collider]", 21, "collider", "expected an array, found a table"),
    case("\"bdf2\"", "2", 6, "solver.integrator", "expected a string, found 2"),
    case("\"bdf2\"", "[]", 6, "solver.integrator", "expected a string"),
    // Out of range.
    case("kg_per_m2 = 0.1", "kg_per_m2 = -0.1", 14, "cloth[0].material.area_density_kg_per_m2", "greater than 0, found -0.1"),
    case("bending_n_m = 1e-5", "bending_n_m = -1", 15, "cloth[0].material.bending_n_m", "0 or more, found -1"),
    case("bending_n_m = 1e-5", "slack_factor = 2", 15, "cloth[0].material.slack_factor", "expected 0 to 1, found 2"),
    case("fps = 60", "fps = 0", 2, "fps", "greater than 0"),
    case("frames = 10", "frames = 0", 3, "frames", "expected 1 to 1000000"),
    case("0.01", "1e-12", 7, "solver.max_step_s", "steps a frame"),
    case("1e-3", "1.0", 8, "solver.linear_tolerance", "between 0 and 1"),
    case("size_m = [1.0, 1.0]", "size_m = [1.0, 0.0]", 11, "cloth[0].grid.size_m[1]", "greater than 0"),
    case("[11, 11]", "[1, 11]", 11, "cloth[0].grid.particles[0]", "expected 2 to"),
    case("friction = 0.3", "friction = -0.3", 23, "collider[0].friction", "0 or more"),
    case("[0, 1, 0] } }", "[0, 0, 0] } }", 22, "collider[0].shape.plane.normal", "a direction"),
    case("patch_m = 0.02", "patch_m = -1", 20, "cloth[0].pin[1].patch_m", "0 or more"),
    // Not finite.
    case("bending_n_m = 1e-5", "bending_n_m = nan", 15, "cloth[0].material.bending_n_m", "finite number, found NaN"),
    case("center = [0, 1, 0]", "center = [0, inf, 0]", 11, "cloth[0].grid.center[1]", "finite number, found inf"),
    // Absurd sizes.
    case("[11, 11]", "[100000, 10000]", 11, "cloth[0].grid.particles", "1000000000 particles in all, expected at most 4000000"),
    case("[11, 11]", "[4294967295, 4294967295]", 11, "cloth[0].grid.particles", "expected at most 4000000"),
    case("[11, 11]", "[4294967296, 2]", 11, "cloth[0].grid.particles[0]", "whole number"),
    // Unknown and misspelt words.
    case("bending_n_m", "bendign_n_m", 15, "cloth[0].material.bendign_n_m", "did you mean `bending_n_m`?"),
    case("gravity_m_per_s2", "gravity", 4, "gravity", "valid keys here: name, fps"),
    case("[solver]", "[sovler]", 5, "sovler", "did you mean `solver`?"),
    case("\"bdf2\"", "\"bdf\"", 6, "solver.integrator", "did you mean `bdf2`?"),
    case("\"bdf2\"", "\"rk-4\"", 6, "solver.integrator", "did you mean `rk4`?"),
    // What keeps a step in check.
    case("\"bdf2\"", "\"bdf2\"\nstrain_limit = { max_extension = 0 }", 7, "solver.strain_limit.max_extension", "greater than 0, found 0"),
    case("\"bdf2\"", "\"bdf2\"\nstrain_limit = { max_extension_weft = -1 }", 7, "solver.strain_limit.max_extension_weft", "greater than 0, found -1"),
    case("\"bdf2\"", "\"bdf2\"\nstrain_limit = { max_compression = 1.5 }", 7, "solver.strain_limit.max_compression", "expected 0 to 1, found 1.5"),
    case("\"bdf2\"", "\"bdf2\"\nstrain_limit = { max_rate = 1 }", 7, "solver.strain_limit.max_rate", "valid keys here: max_extension"),
    case("\"bdf2\"", "\"bdf2\"\nstrain_limit = { order = \"colored\" }", 7, "solver.strain_limit.order", "did you mean `coloured`?"),
    case("\"bdf2\"", "\"bdf2\"\nadaptive = { tolerance = 0 }", 7, "solver.adaptive.tolerance", "greater than 0, found 0"),
    case("\"bdf2\"", "\"bdf2\"\nadaptive = { min_step_s = 1 }", 7, "solver.adaptive.min_step_s", "expected at most `max_step_s`"),
    case("\"bdf2\"", "\"bdf2\"\nadaptive = { control = \"stress\" }", 7, "solver.adaptive.control", "expected \"error\" or \"strain\""),
    case("\"bdf2\"", "\"bdf2\"\nadaptive = true", 7, "solver.adaptive", "expected a table, found true"),
    // Newmark's parameters.
    case("\"bdf2\"", "\"newmark\"\nnewmark_beta = 0", 7, "solver.newmark_beta", "expected a number above 0, found 0; the explicit member is `central-difference`"),
    case("\"bdf2\"", "\"newmark\"\nnewmark_gamma = 0.4", 7, "solver.newmark_gamma", "at least 0.5, found 0.4"),
    case("\"bdf2\"", "\"newmark\"\nnewmark_gamma = \"half\"", 7, "solver.newmark_gamma", "expected a number"),
    case("\"bdf2\"", "\"rk4\"\nnewmark_beta = 0.25", 7, "solver.newmark_beta", "belongs to the integrator `newmark`"),
    case("\"bdf2\"", "\"bdf2\"\nnewmark_gamma = 0.5", 7, "solver.newmark_gamma", "belongs to the integrator `newmark`"),
    case("\"silk\"", "\"slik\"", 12, "cloth[0].fabric", "did you mean `silk`?"),
    case("\"u-min-v-max\"", "\"top-left\"", 19, "cloth[0].pin[1].corners[0]", "one of \"u-min-v-min\""),
    case("\"obj\"", "\"stl\"", 25, "output.formats[0]", "expected one of \"obj\", \"ply\""),
    case("[\"obj\"]", "[\"obj\", \"glb\", \"obj\"]", 25, "output.formats[2]", "found OBJ again"),
    case("[output]", "[output]\ncache = { up_axis = \"x\" }", 25, "output.cache.up_axis", "expected \"y\" or \"z\""),
    case("[output]", "[output]\ncache = { metres_per_unit = 0 }", 25, "output.cache.metres_per_unit", "greater than 0"),
    case("[output]", "[output]\ncache = { first_frame = -1 }", 25, "output.cache.first_frame", "0 or more for files of OBJ, found -1"),
    case("[output]", "[output]\ncache = { first_frame = 1.5 }", 25, "output.cache.first_frame", "expected a whole number, found 1.5"),
    case("[output]", "[output]\ncache = { pre_roll_frames = -1 }", 25, "output.cache.pre_roll_frames", "whole number, 0 or more, found -1"),
    case("[output]", "[output]\ncache = { velocity = true }", 25, "output.cache.velocity", "did you mean `velocities`?"),
    case("[output]", "[output]\ncache = true", 25, "output.cache", "expected a table, found true"),
    // Written twice, or contradicting.
    case("frames = 10", "fps = 10", 3, "fps", "written twice"),
    case("patch_m = 0.02", "indices = [1]", 18, "cloth[0].pin[1]", "exactly one of indices, box, ball, corners, borders and group, found indices and corners"),
    case("corners = [\"u-min-v-max\"]", "", 18, "cloth[0].pin[1]", "found none"),
    case("indices = [0, 10]", "indices = []", 17, "cloth[0].pin[0].indices", "at least one"),
    case("indices = [0, 10]", "indices = [0, 121]", 17, "cloth[0].pin[0].indices[1]", "from 0 to 120"),
    case("indices = [0, 10]", "indices = [0]\npatch_m = 1", 18, "cloth[0].pin[0].patch_m", "only goes with `corners`"),
    case("indices = [0, 10]", "box = { min = [0, 0, 0], max = [1, -1, 1] }", 17, "cloth[0].pin[0].box.max[1]", "at least 0"),
    case("{ plane = { normal = [0, 1, 0] } }", "{}", 22, "collider[0].shape", "exactly one of plane, sphere, capsule, box, cylinder, torus, union and mesh, found none"),
    case("{ plane = { normal = [0, 1, 0] } }", "{ plane = { normal = [0, 1, 0] }, sphere = { center = [0, 0, 0], radius_m = 1 } }", 22, "collider[0].shape", "found plane and sphere"),
    case("{ plane = { normal = [0, 1, 0] } }", "{ spere = { center = [0, 0, 0], radius_m = 1 } }", 22, "collider[0].shape.spere", "did you mean `sphere`?"),
    case("{ plane = { normal = [0, 1, 0] } }", "{ capsule = { from = [0, 0, 0], to = [0, 0, 0], radius_m = 0 } }", 22, "collider[0].shape.capsule.radius_m", "greater than 0, found 0"),
    case("{ plane = { normal = [0, 1, 0] } }", "{ box = { center = [0, 0, 0], size_m = [1, -1, 1] } }", 22, "collider[0].shape.box.size_m[1]", "greater than 0, found -1"),
    case("{ plane = { normal = [0, 1, 0] } }", "{ box = { center = [0, 0, 0], size_m = [1, 0.2, 1], radius_m = 0.2 } }", 22, "collider[0].shape.box.radius_m", "expected 0 to 0.1, found 0.2"),
    case("{ plane = { normal = [0, 1, 0] } }", "{ cylinder = { from = [0, 0, 0], to = [0, 0, 0], radius_m = 1 } }", 22, "collider[0].shape.cylinder.to", "expected another place than `from`"),
    case("{ plane = { normal = [0, 1, 0] } }", "{ cylinder = { from = [0, 0, 0], to = [1, 0, 0], radius_m = 0.1, edge_radius_m = -1 } }", 22, "collider[0].shape.cylinder.edge_radius_m", "expected 0 to 0.1, found -1"),
    case("{ plane = { normal = [0, 1, 0] } }", "{ torus = { center = [0, 0, 0], ring_m = 0.2, tube_m = 0.2 } }", 22, "collider[0].shape.torus.tube_m", "the tube would cross itself"),
    case("{ plane = { normal = [0, 1, 0] } }", "{ torus = { center = [0, 0, 0], axis = [0, 0, 0], ring_m = 0.2, tube_m = 0.1 } }", 22, "collider[0].shape.torus.axis", "a direction"),
    case("{ plane = { normal = [0, 1, 0] } }", "{ union = { blend_m = -1, of = [{ plane = { normal = [0, 1, 0] } }] } }", 22, "collider[0].shape.union.blend_m", "0 or more, found -1"),
    case("{ plane = { normal = [0, 1, 0] } }", "{ union = { of = [] } }", 22, "collider[0].shape.union.of", "at least one"),
    case("{ plane = { normal = [0, 1, 0] } }", "{ union = { of = [{ plane = { normal = [0, 1, 0] } }, {}] } }", 22, "collider[0].shape.union.of[1]", "found none"),
    case("{ plane = { normal = [0, 1, 0] } }", "{ union = { of = [{ sphere = { center = [0, 0, 0], radius_m = -1 } }] } }", 22, "collider[0].shape.union.of[0].sphere.radius_m", "greater than 0, found -1"),
    case("friction = 0.3", "friction_law = \"dry\"", 23, "collider[0].friction_law", "expected \"coulomb\" or \"viscous\""),
    case("friction = 0.3", "draw = 0", 23, "collider[0].draw", "expected true or false, found 0"),
    case("friction = 0.3", "pivot = [0, 0, 0]", 23, "collider[0].pivot", "only goes with `keyframes`"),
    case("friction = 0.3", "keyframes = [{ time_s = 1, scale = [2, 1, 1] }]", 23, "collider[0].keyframes[0].scale", "a collider keeps its size"),
    case("friction = 0.3", "keyframes = [{ time_s = 0, angle_deg = 3 }]", 23, "collider[0].keyframes[0]", "a collider is where it starts"),
    case("friction = 0.3", "velocity_m_per_s = [1, 0, 0]\nkeyframes = [{ time_s = 1 }]", 24, "collider[0].keyframes", "found both"),
    case("bending_n_m = 1e-5", "curvature_threshold_per_m = 1\ncompression_n_per_m = 1", 16, "cloth[0].material.compression_n_per_m", "found both"),
    case("name = \"test\"", "name = \"../x\"", 1, "name", "can be a file's"),
    case("[[collider]]", "[[cloth]]\nname = \"a\"\ngrid = { size_m = [1, 1], particles = [2, 2] }\n[[collider]]", 22, "cloth[1].name", "no other cloth"),
];

#[test]
fn the_good_scene_is_good() {
    let scene = scene::parse(GOOD, "good.toml", &[]).unwrap();
    assert_eq!(scene.model.cloths[0].pins.len(), 2);
}

#[test]
fn every_bad_value_is_located_and_explained() {
    for Case {
        change: (from, to),
        line,
        key,
        says,
    } in CASES
    {
        assert_eq!(GOOD.matches(from).count(), 1, "`{from}` is not unique");
        let text = GOOD.replace(from, to);
        let error = match scene::parse(&text, "dir/bad.toml", &[]) {
            Err(error) => error,
            Ok(_) => panic!("accepted: {to}"),
        };
        let shown = error.to_string();
        assert_eq!(error.key(), Some(*key), "{shown}");
        assert_eq!(error.line(), Some(*line), "{shown}");
        assert_eq!(error.path(), "dir/bad.toml");
        let place = format!("dir/bad.toml:{line}:{}", error.column().unwrap());
        assert!(shown.contains(&place), "{place} is not in:\n{shown}");
        assert!(shown.contains(says), "`{says}` is not in:\n{shown}");
        assert!(shown.contains(key), "`{key}` is not in:\n{shown}");
        let source_line = text.lines().nth(line - 1).unwrap();
        assert!(shown.contains(source_line.trim()), "no source in:\n{shown}");
        assert!(!shown.contains('\u{1b}'), "colour in:\n{shown}");
    }
}

#[test]
fn syntax_errors_point_at_the_place() {
    for (text, line) in [
        ("fps = \n", 1),
        ("fps = 60\n[solver\n", 2),
        ("a = 1\nb = 'x\n", 2),
        ("\u{0}\u{1}\u{2}garbage", 1),
        ("x = 1e999\n[[cloth]]", 1),
    ] {
        let error = scene::parse(text, "bad.toml", &[]).unwrap_err();
        assert_eq!(error.line(), Some(line), "{error}");
        assert!(error.to_string().contains(&format!("bad.toml:{line}")));
    }
}

#[test]
fn an_empty_file_lacks_a_cloth() {
    for text in ["", "\n\n", "# nothing"] {
        let error = scene::parse(text, "empty.toml", &[]).unwrap_err();
        assert_eq!(error.key(), Some("cloth"), "{error}");
        assert!(error.to_string().contains("empty.toml:1:1"), "{error}");
        assert!(error.to_string().contains("[[cloth]]"), "{error}");
    }
}

#[test]
fn unreadable_files_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    let load = |path: &Path| -> SceneError { scene::load(path, &[]).unwrap_err() };
    let absent = folder.path().join("absent.toml");
    assert!(
        load(&absent)
            .to_string()
            .contains("absent.toml: there is no such")
    );
    assert!(load(folder.path()).to_string().contains("folder"));
    let binary = folder.path().join("binary.toml");
    fs::write(&binary, b"fps = 60\nname = \"\xff\"").unwrap();
    let error = load(&binary);
    assert!(
        error.to_string().contains("not UTF-8 text (line 2"),
        "{error}"
    );
}

#[test]
fn bad_arguments_are_shown_as_given() {
    for (set, key, says) in [
        ("fps", "", "path.to.key=value"),
        ("=3", "", "separated by dots"),
        ("a..b=3", "", "separated by dots"),
        ("fps=[1", "fps", "not a TOML value"),
        ("fps=-60", "fps", "greater than 0"),
        ("fps=nan", "fps", "finite"),
        ("fps.x=1", "fps", "no keys inside"),
        ("cloth.3.fabric=silk", "cloth", "only 1"),
        (
            "cloth.material.bendign_n_m=1",
            "cloth[0].material.bendign_n_m",
            "did you mean",
        ),
        (
            "cloth.grid.particles=[100000,100000]",
            "cloth[0].grid.particles",
            "at most 4000000",
        ),
        (
            "cloth.pin.0.indices=[9999]",
            "cloth[0].pin[0].indices[0]",
            "from 0 to 120",
        ),
        (
            "cloth.fabric=slik",
            "cloth[0].fabric",
            "did you mean `silk`?",
        ),
        ("output.film=maybe", "output.film", "true or false"),
        (
            "collider.shape.plane.normal.1=x",
            "collider[0].shape.plane.normal[1]",
            "a number",
        ),
    ] {
        let error = scene::parse(GOOD, "good.toml", &[set.to_owned()]).unwrap_err();
        let shown = error.to_string();
        assert_eq!(error.key().unwrap_or_default(), key, "{shown}");
        assert!(shown.contains(&format!("--set {set}")), "{shown}");
        assert!(shown.contains(says), "{shown}");
        assert_eq!(error.line(), None);
    }
}

#[test]
fn errors_of_the_model_are_located_too() {
    let sets = ["cloth.material.shear_n_per_m=5".to_owned()];
    let source = SceneSource::parse(GOOD, "good.toml", &sets).unwrap();
    let locate = |key: &str| {
        source.locate(&BuildError {
            key: key.to_owned(),
            message: "bad γ".to_owned(),
        })
    };
    let error = locate("cloth[0].material.bending_n_m");
    assert_eq!((error.line(), error.column()), (Some(15), Some(15)));
    assert_eq!(error.message(), "bad γ");
    // Not written: the nearest parent is.
    let error = locate("cloth[0].material.compression_n_per_m");
    assert_eq!(error.line(), Some(13));
    let error = locate("cloth[0].material.shear_n_per_m");
    assert!(error.path().starts_with("--set"), "{error}");
    assert_eq!(locate("nonsense[[").line(), Some(1));
}

fn never_panics(text: &str, sets: &[String]) {
    if let Err(error) = scene::parse(text, "x.toml", sets) {
        assert!(!error.to_string().is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        never_panics(&String::from_utf8_lossy(&bytes), &[]);
    }

    #[test]
    fn no_mutation_makes_the_reader_panic(
        scene in 0_usize..5,
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..6, "\\PC{0,3}|[-0-9.\\[\\]{}=\"\n]{0,4}"), 1..4),
    ) {
        let mut text = builtin::scenes().get(scene).map_or(GOOD, |s| s.text).to_owned();
        for (at, length, insert) in cuts {
            let start = text.floor_char_boundary(at.index(text.len() + 1));
            let end = text.ceil_char_boundary((start + length).min(text.len()));
            text.replace_range(start..end, &insert);
        }
        never_panics(&text, &[]);
    }

    #[test]
    fn no_argument_makes_the_reader_panic(
        set in "(cloth|grid|material|pin|fps|solver|0|1|\\.|=|\\[|\\]|\\PC){0,8}(=(\\PC{0,6}|\\[1\\]|\\{\\}|1e9))?",
    ) {
        never_panics(GOOD, &[set]);
    }
}
