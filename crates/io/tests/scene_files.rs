//! What good scenes mean: defaults, overrides, built-in scenes, the schema.

use glam::DVec3;
use serde_json::Value;
use toile_io::formats::Format;
use toile_io::scene::{self, Scene, Verify};
use toile_io::{SceneSource, builtin, fabric};
use toile_sim::colliders::Shape;
use toile_sim::integrators::Newmark;
use toile_sim::{ClothSpec, Compression, Integrator, PinRegion, Sheet, Solve};

const SHORT: &str = "[[cloth]]\ngrid = { size_m = [1, 1], particles = [3, 3] }";

fn parse(text: &str, sets: &[&str]) -> Scene {
    let sets: Vec<_> = sets.iter().map(|s| (*s).to_owned()).collect();
    scene::parse(text, "some/short.toml", &sets).unwrap_or_else(|e| panic!("{e}"))
}

/// The rectangle a cloth is cut as.
fn sheet(cloth: &ClothSpec) -> &Sheet {
    cloth.sheet().expect("a rectangle")
}

#[test]
fn a_short_scene_has_good_defaults() {
    let scene = parse(SHORT, &[]);
    assert_eq!(scene.name, "short");
    assert_eq!((scene.fps, scene.frames), (60.0, 240));
    assert_eq!(scene.model.gravity_m_per_s2, DVec3::new(0.0, -9.81, 0.0));
    assert_eq!(scene.config.integrator, Integrator::Bdf2);
    assert_eq!(scene.config.solve, Solve::Auto);
    assert_eq!(scene.verify, Verify::Off);
    assert_eq!(scene.output.formats, [Format::Obj]);
    // 1/60 s in steps of at most 1/90 s.
    assert_eq!(scene.steps_per_frame(), 2);
    assert_eq!(scene.step_s(), 1.0 / 120.0);
    assert_eq!(parse(SHORT, &["fps=90"]).steps_per_frame(), 1);
    let cloth = &scene.model.cloths[0];
    assert_eq!(cloth.name, "cloth");
    assert_eq!(cloth.material, fabric::all()[0].material());
    assert_eq!(sheet(cloth).u_axis.cross(sheet(cloth).v_axis), DVec3::Y);
}

#[test]
fn the_tablecloth_holds_its_middle() {
    let table = builtin::scenes().iter().find(|s| s.name == "tablecloth");
    let scene = parse(table.unwrap().text, &[]);
    let cloth = &scene.model.cloths[0];
    let PinRegion::Box(bounds) = &cloth.pins[0].region else {
        panic!("a box expected");
    };
    let positions = cloth.positions();
    let held = positions.iter().filter(|p| bounds.contains(**p)).count();
    // Particles 2 cm apart, from −0.24 m to 0.24 m.
    assert_eq!(held, 25 * 25);
}

#[test]
fn the_curtain_hangs_from_its_top_row() {
    let curtain = builtin::scenes().iter().find(|s| s.name == "curtain");
    let scene = parse(curtain.unwrap().text, &[]);
    let cloth = &scene.model.cloths[0];
    let PinRegion::Indices(indices) = &cloth.pins[0].region else {
        panic!("indices expected");
    };
    let cells: Vec<_> = indices
        .iter()
        .map(|&i| sheet(cloth).grid.cell_of(i as usize))
        .collect();
    let columns = [0, 8, 16, 24, 32, 40, 48, 56, 64];
    assert_eq!(cells, columns.map(|column| (column, 56)));
}

#[test]
fn planes_and_rotations_turn_the_cloth() {
    let axes = |sets: &[&str]| {
        let cloth = parse(SHORT, sets).model.cloths.remove(0);
        (sheet(&cloth).u_axis, sheet(&cloth).v_axis)
    };
    assert_eq!(axes(&["cloth.grid.plane=vertical"]), (DVec3::X, DVec3::Y));
    let near = |a: DVec3, b: DVec3| assert!(a.distance(b) < 1e-15, "{a} {b}");
    // About x first, which turns −z to y, then about z, which turns x to y and y to −x.
    let (u, v) = axes(&["cloth.grid.rotation_deg=[90, 0, 90]"]);
    near(u, DVec3::Y);
    near(v, DVec3::NEG_X);
}

#[test]
fn material_values_replace_those_of_the_fabric() {
    let material = |sets: &[&str]| parse(SHORT, sets).model.cloths[0].material;
    let denim = fabric::find("denim").unwrap().material();
    assert_ne!(denim.bending_warp_n_m, denim.bending_weft_n_m);
    let changed = material(&["cloth.fabric=denim", "cloth.material.bending_n_m=1e-5"]);
    assert_eq!(changed.bending_warp_n_m, 1e-5);
    assert_eq!(changed.bending_weft_n_m, 1e-5);
    assert_eq!(changed.area_density_kg_per_m2, denim.area_density_kg_per_m2);
    let weft = material(&["cloth.fabric=denim", "cloth.material.bending_weft_n_m=1e-5"]);
    assert_eq!(weft.bending_warp_n_m, denim.bending_warp_n_m);
    assert_eq!(weft.bending_weft_n_m, 1e-5);
    let compression = |set| material(&[set]).compression;
    assert_eq!(
        compression("cloth.material.compression_n_per_m=200"),
        Compression::Stiffness(200.0)
    );
    assert_eq!(
        compression("cloth.material.curvature_threshold_per_m=0"),
        Compression::Rigid
    );
}

#[test]
fn arguments_reach_every_value() {
    let two = format!(
        "{SHORT}\n{}",
        SHORT.replace("[[cloth]]", "[[cloth]]\nname = \"b\"")
    );
    let scene = parse(
        &two,
        &[
            "cloth.b.fabric=denim",
            "cloth.0.grid.particles=[5, 7]",
            "cloth[1].grid.particles.0=9",
            "solver.verify=frame",
            "name=other",
            "frames=5",
            "frames=6",
            "cloth.b.pin=[{ borders = [\"v-max\"] }]",
            "collider=[{ shape = { sphere = { center = [0, 0, 0], radius_m = 1 } } }]",
        ],
    );
    let [a, b] = scene.model.cloths.as_slice() else {
        panic!("two cloths expected");
    };
    assert_eq!((sheet(a).grid.columns, sheet(a).grid.rows), (5, 7));
    assert_eq!((sheet(b).grid.columns, sheet(b).grid.rows), (9, 3));
    assert_eq!(b.material, fabric::find("denim").unwrap().material());
    assert!(matches!(b.pins[0].region, PinRegion::Borders(_)));
    assert_eq!((scene.name.as_str(), scene.frames), ("other", 6));
    assert_eq!(scene.verify, Verify::Frame);
    let [ball] = scene.model.colliders.as_slice() else {
        panic!("one collider expected");
    };
    assert!(matches!(ball.shape, Shape::Sphere { radius_m: 1.0, .. }));
    assert_eq!(ball.friction, fabric::all()[0].friction);
}

#[test]
fn a_resolved_scene_is_the_same_scene() {
    for builtin in builtin::scenes() {
        let scene = parse(builtin.text, &[]);
        let resolved = scene::resolved_json(&scene);
        let text = toml::to_string(&resolved).unwrap();
        assert_eq!(parse(&text, &[]), scene, "{}", builtin.name);
        assert!(resolved["cloth"][0]["material"]["shear_n_per_m"].is_number());
    }
}

#[test]
fn the_fingerprint_sees_what_moves_and_nothing_else() {
    let print = |sets: &[&str]| parse(SHORT, sets).fingerprint();
    let same = print(&[]);
    assert_eq!(same, print(&["frames=3", "output.film=false", "name=x"]));
    assert_eq!(same, print(&["solver.verify=frame"]));
    for set in [
        "fps=50",
        "solver.max_step_s=0.005",
        "solver.linear_tolerance=1e-4",
        "cloth.material.shear_n_per_m=999",
        "cloth.velocity_m_per_s=[0, 0, 1]",
        "gravity_m_per_s2=[0, -9.8, 0]",
    ] {
        assert_ne!(same, print(&[set]), "{set}");
    }
    let mut edited = parse(SHORT, &[]);
    edited.config.integrator = Integrator::BackwardEuler;
    assert_ne!(same, edited.fingerprint());
}

/// Every integrator has a name, and a saved scene names the same one.
#[test]
fn every_integrator_is_chosen_by_name() {
    let newmark = |beta, gamma| Integrator::Newmark(Newmark::new(beta, gamma).unwrap());
    for (sets, expected) in [
        ("bdf2", Integrator::Bdf2),
        ("backward-euler", Integrator::BackwardEuler),
        ("trapezoidal", Integrator::Trapezoidal),
        ("average-acceleration", newmark(0.25, 0.5)),
        ("newmark", newmark(0.25, 0.5)),
        (
            "newmark newmark_beta=0.3025 newmark_gamma=0.6",
            newmark(0.3025, 0.6),
        ),
        ("symplectic-euler", Integrator::SymplecticEuler),
        ("central-difference", Integrator::CentralDifference),
        ("rk4", Integrator::Rk4),
        ("leapfrog-trapezoid", Integrator::LeapfrogTrapezoid),
        ("central-newmark", Integrator::CentralNewmark),
        ("improved-variable-step", Integrator::ImprovedVariableStep),
    ] {
        let sets = format!("integrator={sets}");
        let sets: Vec<String> = sets.split(' ').map(|set| format!("solver.{set}")).collect();
        let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
        let read = parse(SHORT, &sets);
        assert_eq!(read.config.integrator, expected);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("saved.toml");
        scene::save(&read, &path).unwrap();
        let again = scene::load(&path, &[]).unwrap();
        assert_eq!(again.config.integrator, expected);
        assert_eq!(again.fingerprint(), read.fingerprint());
    }
}

#[test]
fn built_in_scenes_and_the_starter_fit_the_schema() {
    let schema = scene::schema();
    let starter = scene::starter("my \"first\" scene");
    let texts = builtin::scenes().iter().map(|s| (s.name, s.text));
    for (name, text) in texts.chain([("starter", starter.as_str()), ("short", SHORT)]) {
        let source = SceneSource::parse(text, format!("{name}.toml"), &[]).unwrap();
        if name == "starter" {
            // This name cannot be a folder's; the file itself reads well.
            let error = source.scene().unwrap_err();
            assert_eq!(error.key(), Some("name"), "{error}");
        } else {
            let scene = source.scene().unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(scene.name, name);
        }
        let value = serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap();
        assert_fits(&schema, &schema, &value, name);
    }
    assert_eq!(parse(&scene::starter("mine"), &[]).name, "mine");
    for scene in builtin::scenes() {
        assert!(scene.description().len() > 20, "{}", scene.name);
    }
}

#[test]
fn the_schema_refuses_what_the_reader_refuses() {
    let schema = scene::schema();
    for text in [
        "fpss = 60",
        "fps = 'x'",
        "[[cloth]]\ngrid = {}",
        "[solver]\nsolve = 'twice'",
        "[[cloth]]\ngrid = { columns = 3, rows = 3, size_m = [1, 1] }\n\
         [[cloth.map]]\nvalue = 'stretch'\nfactor = 2\nchannel = 'red'\ngroup = 'hem'",
    ] {
        assert!(scene::parse(text, "x.toml", &[]).is_err());
        let value = serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap();
        assert!(misfit(&schema, &schema, &value, "").is_some(), "{text}");
    }
    let description = &schema["properties"]["fps"]["description"];
    assert!(description.as_str().unwrap().contains("Frames per second"));
}

fn assert_fits(root: &Value, schema: &Value, value: &Value, name: &str) {
    let misfit = misfit(root, schema, value, name);
    assert!(misfit.is_none(), "{}", misfit.unwrap_or_default());
}

/// Where `value` breaks `schema`: the few words of JSON Schema that the scene's schema uses.
fn misfit(root: &Value, schema: &Value, value: &Value, path: &str) -> Option<String> {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let target = root.pointer(reference.trim_start_matches('#')).unwrap();
        return misfit(root, target, value, path);
    }
    if let Some(refused) = schema.get("not")
        && misfit(root, refused, value, path).is_none()
    {
        return Some(format!("{path}: fits what it must not"));
    }
    for any in ["anyOf", "oneOf"] {
        if let Some(Value::Array(options)) = schema.get(any) {
            let fits = |s: &&Value| misfit(root, s, value, path).is_none();
            let count = options.iter().filter(fits).count();
            if count == 0 || (any == "oneOf" && count > 1) {
                return Some(format!("{path}: fits {count} of {any}"));
            }
        }
    }
    let is = |kind: &Value| match kind.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("number") => value.is_number(),
        Some("integer") => value.is_u64() || value.is_i64(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("null") => value.is_null(),
        other => panic!("{path}: type {other:?}"),
    };
    let fits = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(is),
        Some(kind) => is(kind),
        None => true,
    };
    let constant = schema.get("const").is_none_or(|c| c == value);
    let listed = match schema.get("enum") {
        Some(Value::Array(values)) => values.contains(value),
        _ => true,
    };
    if !(fits && constant && listed) {
        return Some(format!("{path}: {value} does not fit {schema}"));
    }
    if let (Some(items), Some(array)) = (schema.get("items"), value.as_array()) {
        return array
            .iter()
            .enumerate()
            .find_map(|(i, v)| misfit(root, items, v, &format!("{path}[{i}]")));
    }
    let object = value.as_object()?;
    let required = schema.get("required").and_then(Value::as_array);
    if let Some(key) = required
        .into_iter()
        .flatten()
        .find(|key| !object.contains_key(key.as_str().unwrap()))
    {
        return Some(format!("{path}: {key} is missing"));
    }
    object.iter().find_map(|(key, value)| {
        let path = format!("{path}.{key}");
        match schema.get("properties").and_then(|p| p.get(key)) {
            Some(schema) => misfit(root, schema, value, &path),
            None if schema.get("additionalProperties") == Some(&Value::Bool(false)) => {
                Some(format!("{path} is unknown"))
            }
            None => None,
        }
    })
}

/// Strain limits and adaptive steps say what they mean, and a saved scene asks for the same.
#[test]
fn what_keeps_a_step_in_check_is_read_and_saved() {
    let sets = [
        "solver.strain_limit={ max_extension = 0.05, max_extension_shear = 0.2, \
         max_compression_weft = 0.3, max_rate_per_s = 4, order = \"coloured\" }",
        "solver.adaptive={ control = \"strain\", min_step_s = 1e-4 }",
    ];
    let read = parse(SHORT, &sets);
    let limit = read.config.strain_limit.unwrap();
    let extension = limit.max_extension;
    assert_eq!(
        (extension.warp, extension.weft, extension.shear),
        (0.05, 0.05, 0.2)
    );
    assert_eq!(
        (limit.max_compression.warp, limit.max_compression.weft),
        (0.0, 0.3)
    );
    assert_eq!((limit.max_rate_per_s, limit.max_sweeps), (4.0, 30));
    assert_eq!(limit.order, toile_sim::strain_limit::Order::Coloured);
    let adaptive = read.config.adaptive.unwrap();
    assert_eq!(adaptive.control, toile_sim::Control::Strain);
    assert_eq!((adaptive.tolerance, adaptive.min_step_s), (0.02, 1e-4));

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("saved.toml");
    scene::save(&read, &path).unwrap();
    let again = scene::load(&path, &[]).unwrap();
    assert_eq!(again.config, read.config);

    assert_eq!(parse(SHORT, &[]).config.strain_limit, None);
    assert_eq!(parse(SHORT, &[]).config.adaptive, None);
}
