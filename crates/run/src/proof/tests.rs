//! Runs that fail, as if contact had.

use super::*;
use std::sync::Arc;
use toile_geometry::TriMesh;
use toile_geometry::intersections::self_intersections;
use toile_io::scene;
use toile_sim::BodySpec;

/// Sheets that pass through each other, as if contact had been asked for and had failed.
const PASSING: &str = r#"
    frames = 9
    [[cloth]]
    name = "still"
    grid = { size_m = [0.2, 0.2], particles = [6, 6], center = [0, 0.5, 0] }
    pin = [{ borders = ["u-min", "u-max", "v-min", "v-max"] }]
    [[cloth]]
    name = "driven"
    grid = { size_m = [0.2, 0.2], particles = [7, 7], center = [0.013, 0.55, 0.017] }
    pin = [{ borders = ["u-min", "u-max", "v-min", "v-max"], velocity_m_per_s = [0, -0.5, 0] }]
"#;

#[test]
fn what_crosses_ends_a_run_that_was_clean() {
    for verify in [Verify::Frame, Verify::Step] {
        let folder = tempfile::tempdir().unwrap();
        let scene = scene::parse(PASSING, "passing", &[]).ok().unwrap();
        let model = Arc::new(Model::build(&scene.model).unwrap());
        let mut simulation = Simulation::new(model, scene.config);
        let started = Proof::start(folder.path(), &simulation, verify, 0);
        let (mut proof, start) = started.ok().unwrap();
        assert_eq!(start.intersections.own, Some(0));
        proof.contact = true;
        let mut error = None;
        for frame in 1..10 {
            let before = simulation.state().clone();
            proof.begin_frame(&mut simulation);
            let advanced = simulation.advance(1.0 / scene.fps, scene.max_step_s);
            let ended = match advanced {
                Ok(steps) => proof
                    .end_frame(&mut simulation, frame, &steps)
                    .ok()
                    .unwrap(),
                Err(e) => Err(proof.explain(&simulation, frame, &e).ok().unwrap()),
            };
            match ended {
                Ok(count) => assert_eq!(count.own, Some(0)),
                Err(words) => {
                    if verify == Verify::Frame {
                        let (now, before) = (simulation.state(), &before);
                        assert_eq!(now.positions, before.positions, "the frame before");
                        assert_eq!(now.steps, before.steps);
                    }
                    error = Some(words);
                    break;
                }
            }
        }
        let error = error.unwrap();
        assert!(error.contains("of `still` and "), "{error}");
        assert!(error.contains("pairs of triangles meet"), "{error}");
        assert!(folder.path().join(FAILURE).exists());
        let mesh = mesh_of(simulation.model(), &simulation.state().positions);
        assert!(
            self_intersections(&mesh, 0).unwrap().is_clean(),
            "what is kept is clean"
        );
    }
}

/// A tetrahedron in the sheet that is held.
fn block() -> BodySpec {
    let corners = [
        [0.0, 0.4, 0.0],
        [0.1, 0.4, 0.0],
        [0.0, 0.4, 0.1],
        [0.0, 0.52, 0.0],
    ];
    let mesh = TriMesh {
        positions: corners.map(glam::DVec3::from).to_vec(),
        faces: vec![[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]],
    };
    BodySpec::new("block", mesh, 0.3)
}

#[test]
fn what_is_pressed_or_crossed_is_named_with_what_it_belongs_to() {
    let folder = tempfile::tempdir().unwrap();
    let mut scene = scene::parse(PASSING, "passing", &[]).ok().unwrap();
    scene.model.bodies = vec![
        BodySpec::new("other", block().mesh.as_ref().clone(), 0.3),
        block(),
    ];
    let model = Arc::new(Model::build(&scene.model).unwrap());
    let simulation = Simulation::new(model.clone(), scene.config);
    let started = Proof::start(folder.path(), &simulation, Verify::Frame, 0);
    let (mut proof, start) = started.ok().unwrap();
    let listed = start
        .warnings
        .iter()
        .find(|w| w.contains("cloth is in bodies"));
    assert!(listed.unwrap().contains("of body `other`"), "{listed:?}");
    let seen = proof.look(&model, simulation.state()).unwrap();
    let (_, found) = seen.with_bodies.as_ref().unwrap();
    let last = found.pairs.last().unwrap();
    assert!(last.b >= 4, "a triangle of the second body");
    let words = proof.crossed(&model, &seen, 3, false).ok().unwrap();
    let first = &found.pairs[0];
    let says = format!(
        "meet: {} of `still` and {} of body `other`",
        first.a, first.b
    );
    assert!(words.contains(&says), "{words}");
    let words = names::vertices(&model, [35, 36, 36 + 49, 36 + 49 + 5]);
    let says = "particle 35 of `still`, particle 0 of `driven`, vertex 0 of body `other`, \
                vertex 1 of body `block`";
    assert_eq!(words, says);
}
