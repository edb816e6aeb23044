//! Cloths of generated shapes, colliders that are not drawn, and how built-in scenes start.

use glam::DVec3;
use toile_geometry::{Surface, TriMesh, self_intersections};
use toile_io::builtin;
use toile_io::scene::{self, Scene};
use toile_sim::{Bending, ClothModel, Cut, Model};

fn parse(text: &str) -> Scene {
    scene::parse(text, "shapes.toml", &[]).unwrap_or_else(|e| panic!("{e}"))
}

/// The only cloth of a scene that says `shape`.
fn surface(shape: &str) -> Surface {
    let scene = parse(&format!("[[cloth]]\n{shape}\n"));
    Model::build(&scene.model).unwrap();
    match &scene.model.cloths[0].cut {
        Cut::Mesh(surface) => Surface::clone(surface),
        Cut::Sheet(_) => panic!("a mesh expected"),
    }
}

#[test]
fn a_tube_stands_along_its_axis() {
    let tube = surface(
        "tube = { radius_m = 0.1, length_m = 0.6, particles = [20, 13], center = [1, 2, 3], \
         axis = [0, 0, 2] }",
    );
    assert_eq!(tube.mesh.positions.len(), 20 * 13);
    for p in &tube.mesh.positions {
        let from_middle = *p - DVec3::new(1.0, 2.0, 3.0);
        assert!((from_middle.truncate().length() - 0.1).abs() < 1e-12);
        assert!(from_middle.z.abs() < 0.3 + 1e-12);
    }
    let bounds = tube.mesh.bounds();
    assert!((bounds.size().z - 0.6).abs() < 1e-12);
}

#[test]
fn a_ribbon_follows_its_path() {
    let ribbon = surface(
        "ribbon = { path = [[0, 0, 0], [0.5, 0.1, 0], [1, 0, 0]], width_m = 0.04, \
         particles = [41, 3] }",
    );
    assert_eq!(ribbon.mesh.positions.len(), 123);
    // The middle row starts and ends with the path.
    let middle = &ribbon.mesh.positions[41..82];
    assert!(middle[0].length() < 1e-12);
    assert!(middle[40].distance(DVec3::X) < 1e-9);
    assert!(middle[20].distance(DVec3::new(0.5, 0.1, 0.0)) < 1e-9);
    // Its width lies along z.
    let side = ribbon.mesh.positions[82 + 7] - ribbon.mesh.positions[7];
    assert!(side.distance(0.04 * DVec3::Z) < 1e-12, "{side}");
}

#[test]
fn a_turned_cloth_rests_as_it_starts() {
    let text = "[[cloth]]\nmodel = \"baraff-witkin\"\nrest_angles = \"start\"\n\
                lathe = { profile = [[0, 0], [0.1, 0.1], [0, 0.2]], spacing_m = 0.02, lobes = 3, \
                lobe_depth = 0.2, center = [0, 1, 0] }\n";
    let scene = parse(text);
    let cloth = &scene.model.cloths[0];
    assert!(cloth.rest_angles.as_started);
    assert!(matches!(
        cloth.model,
        ClothModel::Triangles(_, Bending::Hinges(_))
    ));
    let Cut::Mesh(surface) = &cloth.cut else {
        panic!("a mesh expected");
    };
    let bounds = surface.mesh.bounds();
    assert!((bounds.min.y - 1.0).abs() < 1e-12 && (bounds.max.y - 1.2).abs() < 1e-12);
    for (face, rest) in surface.mesh.faces.iter().zip(&surface.rest) {
        let corners = face.map(|v| surface.mesh.positions[v as usize]);
        for k in 0..3 {
            let [a, b] = [k, (k + 1) % 3];
            let stretched = corners[a].distance(corners[b]) / rest[a].distance(rest[b]);
            assert!((stretched - 1.0).abs() < 1e-9, "{stretched}");
        }
    }
}

#[test]
fn generated_shapes_are_saved_and_read_again() {
    for name in ["twist", "knot", "bottle", "stack"] {
        let built_in = builtin::scenes().iter().find(|s| s.name == name).unwrap();
        let scene = parse(built_in.text);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("saved.toml");
        scene::save(&scene, &path).unwrap();
        let again = scene::load(&path, &[]).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(again.model, scene.model, "{name}");
        assert_eq!(again.fingerprint(), scene.fingerprint(), "{name}");
    }
}

#[test]
fn what_is_not_drawn_is_felt_all_the_same() {
    let text = |draw: &str| {
        format!(
            "[[cloth]]\ngrid = {{ size_m = [1, 1], particles = [3, 3] }}\n[[collider]]\n\
             shape = {{ plane = {{ normal = [0, 1, 0], offset_m = -1 }} }}\n{draw}"
        )
    };
    let [seen, unseen] = ["", "draw = false"].map(|draw| parse(&text(draw)));
    assert!(seen.model.colliders[0].drawn);
    assert!(!unseen.model.colliders[0].drawn);
    // The motion is the same, and so a checkpoint of one fits the other.
    assert_eq!(seen.fingerprint(), unseen.fingerprint());
}

/// All cloths of a scene where they start, as one mesh.
fn start(model: &Model) -> TriMesh {
    TriMesh {
        positions: model.start_positions.clone(),
        faces: model.mesh.faces.clone(),
    }
}

#[test]
fn every_built_in_scene_builds_and_starts_without_intersections() {
    for built_in in builtin::scenes() {
        let scene = parse(built_in.text);
        let model = Model::build(&scene.model).unwrap_or_else(|e| panic!("{}: {e}", built_in.name));
        let findings = self_intersections(&start(&model), 3).unwrap();
        assert!(findings.is_clean(), "{}: {findings:?}", built_in.name);
        // Nothing starts inside a collider either.
        for (k, collider) in scene.model.colliders.iter().enumerate() {
            let distances = model
                .start_positions
                .iter()
                .map(|p| collider.surface(*p, 0.0));
            let least = distances
                .map(|s| s.distance_m)
                .fold(f64::INFINITY, f64::min);
            assert!(least > 0.0, "{}, collider {k}: {least}", built_in.name);
        }
    }
}
