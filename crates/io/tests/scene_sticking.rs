//! Sticking and fastening in scene files: what is read, what is refused, and what a checkpoint keeps.

use std::sync::Arc;
use toile_io::checkpoint::Snapshot;
use toile_io::{SceneError, scene};
use toile_sim::{Model, Simulation, Thing};

const SCENE: &str = r#"
name = "sticky"
[[cloth]]
name = "shirt"
grid = { size_m = [0.2, 0.2], particles = [5, 5], center = [0, 0, 0] }
[[cloth.stick]]
to = ["hand", "patch"]
borders = ["u-min"]
to_box = { min = [-1, -1, -1], max = [1, 1, 1] }
triangles = 3
reach_m = 0.004
release_m = 0.01
strength_n = 0.5
active_s = [[0.0, 0.05], [0.2, 1.0]]
[[cloth.attach]]
to = "hand"
indices = [24]
stiffness_n_per_m = 3.0
[[cloth]]
name = "patch"
grid = { size_m = [0.1, 0.1], particles = [3, 3], center = [0, 0.005, 0] }
[[cloth.attach]]
to = "shirt"
indices = [0, 8]
to_indices = [6, 18]
gap_m = 0.004
[[collider]]
name = "hand"
shape = { sphere = { center = [-0.1, 0.06, 0], radius_m = 0.05 } }
keyframes = [{ time_s = 0.2, offset_m = [0, 0.1, 0] }]
"#;

fn failure(from: &str, to: &str) -> String {
    assert!(SCENE.contains(from), "{from}");
    let text = SCENE.replacen(from, to, 1);
    match scene::parse(&text, "sticky.toml", &[]) {
        Err(error) => error.to_string(),
        Ok(scene) => match Model::build(&scene.model) {
            Err(error) => error.to_string(),
            Ok(_) => panic!("{to} was taken"),
        },
    }
}

fn read() -> Result<scene::Scene, SceneError> {
    scene::parse(SCENE, "sticky.toml", &[])
}

#[test]
fn sticks_and_fastenings_are_read() {
    let scene = read().unwrap_or_else(|e| panic!("{e}"));
    let [shirt, patch] = scene.model.cloths.as_slice() else {
        panic!("two cloths expected");
    };
    let stick = &shirt.sticks[0];
    assert_eq!(stick.to, [Thing::Collider(0), Thing::Deformable(1)]);
    assert_eq!(
        (stick.triangles, stick.reach_m, stick.release_m),
        (3, 0.004, 0.01)
    );
    assert_eq!(stick.strength_n, Some(0.5));
    assert_eq!(stick.active_s, [[0.0, 0.05], [0.2, 1.0]]);
    assert!(stick.region.is_some() && stick.to_box.is_some());
    assert_eq!(shirt.attachments[0].to, Thing::Collider(0));
    assert_eq!(shirt.attachments[0].stiffness_n_per_m, 3.0);
    assert_eq!(patch.attachments[0].to, Thing::Deformable(0));
    assert_eq!(patch.attachments[0].gap_m, Some(0.004));
    let model = Model::build(&scene.model).unwrap();
    assert_eq!(model.fastened.len(), 3);
}

#[test]
fn what_cannot_be_is_refused_at_its_place() {
    for (from, to, key) in [
        (
            "reach_m = 0.004",
            "reach_m = -1",
            "cloth[0].stick[0].reach_m",
        ),
        (
            "release_m = 0.01",
            "release_m = 0",
            "cloth[0].stick[0].release_m",
        ),
        (
            "triangles = 3",
            "triangles = 0",
            "cloth[0].stick[0].triangles",
        ),
        ("strength_n = 0.5", "fade_s = 0", "cloth[0].stick[0].fade_s"),
        (
            "[0.2, 1.0]",
            "[0.2, 0.1]",
            "cloth[0].stick[0].active_s[1][1]",
        ),
        (
            "\"hand\", \"patch\"",
            "\"hand\", \"pach\"",
            "cloth[0].stick[0].to[1]",
        ),
        ("[\"hand\", \"patch\"]", "[]", "cloth[0].stick[0].to"),
        ("[\"u-min\"]", "[]", "cloth[0].stick[0].borders"),
        (
            "min = [-1, -1, -1]",
            "min = [2, -1, -1]",
            "cloth[0].stick[0].to_box.max[0]",
        ),
        ("to = \"shirt\"", "to = \"coat\"", "cloth[1].attach[0].to"),
        ("indices = [24]", "", "cloth[0].attach[0]"),
        (
            "stiffness_n_per_m = 3.0",
            "stiffness_n_per_m = 0",
            "cloth[0].attach[0].stiffness_n_per_m",
        ),
        ("gap_m = 0.004", "gap_m = -1", "cloth[1].attach[0].gap_m"),
        ("[6, 18]", "[6, 25]", "cloth[1].attach[0].to_indices[1]"),
        ("[6, 18]", "[6]", "cloth[1].attach[0].to_indices"),
    ] {
        let message = failure(from, to);
        assert!(message.contains(key), "{to}: {message}");
    }
    let message = failure("\"hand\", \"patch\"", "\"hand\", \"pach\"");
    assert!(message.contains("did you mean \"patch\"?"), "{message}");
}

/// Groups and materials of files choose what is sticky, of solids met either way and of cloth.
#[test]
fn what_is_sticky_is_chosen_by_name() {
    let folder = tempfile::tempdir().unwrap();
    // A tetrahedron, its last triangle repeated without extent.
    let solid = "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\ng sole\nf 1 3 2\nf 1 2 4\n\
                 usemtl glove\ng palm\nf 2 3 4\ng back\nf 1 4 3\n";
    std::fs::write(folder.path().join("hand.obj"), solid).unwrap();
    let patch = "v 0 1 0\nv 1 1 0\nv 1 1 1\nv 0 1 1\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n\
                 g flap\nf 1/1 2/2 3/3\ng body\nf 1/1 3/3 4/4\n";
    std::fs::write(folder.path().join("patch.obj"), patch).unwrap();
    let load = |met_as: &str, rest: &str| {
        let text = format!(
            r#"[[cloth]]
grid = {{ size_m = [0.2, 0.2], particles = [5, 5], center = [0, 3, 0] }}
[[cloth.stick]]
reach_m = 0.004
{rest}
[[cloth]]
name = "patch"
mesh = {{ file = "patch.obj" }}
[[collider]]
name = "hand"
shape = {{ mesh = {{ file = "hand.obj", as = "{met_as}" }} }}
[[collider]]
name = "ball"
shape = {{ sphere = {{ center = [0, -1, 0], radius_m = 0.1 }} }}
"#
        );
        let path = folder.path().join("scene.toml");
        std::fs::write(&path, text).unwrap();
        scene::load(&path, &[]).map_err(|e| e.to_string())
    };
    for met_as in ["triangles", "level-set"] {
        for (rest, faces) in [
            ("to = [\"hand\"]\nto_group = \"palm\"", vec![vec![2]]),
            ("to = [\"hand\"]\nto_group = \"glove\"", vec![vec![2, 3]]),
            ("to = [\"patch\"]\nto_group = \"flap\"", vec![vec![0]]),
        ] {
            let scene = load(met_as, rest).unwrap_or_else(|e| panic!("{e}"));
            let stick = &scene.model.cloths[0].sticks[0];
            assert_eq!(stick.to_faces, Some(faces));
            Model::build(&scene.model).unwrap();
            // Unless it is said, what lets go is out of reach.
            assert_eq!(stick.release_m, 0.01);
        }
    }
    let wide = load("triangles", "to = [\"hand\"]\nactive_s = []").unwrap();
    assert_eq!(wide.model.cloths[0].sticks[0].to_faces, None);
    for (to, group, said) in [
        ("hand", "plam", "did you mean `palm`?"),
        ("ball", "palm", "\"ball\" has no triangles called \"palm\""),
    ] {
        let rest = format!("to = [\"{to}\"]\nto_group = \"{group}\"");
        let error = load("level-set", &rest).unwrap_err();
        assert!(error.contains("cloth[0].stick[0].to_group"), "{error}");
        assert!(error.contains(said), "{error}");
    }
}

/// A run that goes on from a checkpoint, while bonds hold and while they fade, ends in the same bits.
#[test]
fn checkpoints_keep_what_sticks() {
    let scene = read().unwrap_or_else(|e| panic!("{e}"));
    let model = Arc::new(Model::build(&scene.model).unwrap());
    let start = || Simulation::new(model.clone(), scene.config);
    let mut straight = start();
    let mut resumed = Vec::new();
    for k in 0..30 {
        if [3, 8].contains(&k) {
            assert!(straight.state().bonds.len() > model.fastened.len());
            let snapshot = Snapshot::of(straight.state(), 1);
            let mut other = start();
            other.restore(snapshot.state(&model).unwrap());
            resumed.push(other);
        }
        straight.step(1.0 / 120.0).unwrap();
        for other in &mut resumed {
            other.step(1.0 / 120.0).unwrap();
        }
    }
    for other in &resumed {
        assert_eq!(other.state(), straight.state());
    }
}

#[test]
fn damaged_bonds_are_refused() {
    let scene = read().unwrap_or_else(|e| panic!("{e}"));
    let model = Model::build(&scene.model).unwrap();
    let simulation = Simulation::new(Arc::new(model), scene.config);
    let whole = Snapshot::of(simulation.state(), 0);
    let with = |at: usize, value: i64| {
        let mut snapshot = whole.clone();
        let bonds = snapshot
            .integers
            .iter_mut()
            .find(|(name, _)| name == "bonds");
        bonds.expect("bonds").1[at] = value;
        snapshot.state(simulation.model())
    };
    assert_eq!(with(2, 0).unwrap().bonds, simulation.state().bonds);
    for (at, value) in [(0, 99), (0, -1), (1, 9), (3, 7), (4, 99)] {
        assert!(with(at, value).is_err(), "{at} {value}");
    }
}
