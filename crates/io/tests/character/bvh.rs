use crate::read_bvh;
use crate::sample::BVH;
use glam::DVec3;

fn at(frame_s: f64) -> Vec<DVec3> {
    let motion = read_bvh(BVH).unwrap_or_else(|e| panic!("{e}"));
    let mut pose = motion.rig.rest();
    motion.clip.apply(frame_s, &mut pose);
    motion.rig.positions(&pose)
}

fn near(p: DVec3, expected: [f64; 3]) {
    assert!(
        p.distance(DVec3::from(expected)) < 1e-12,
        "{p} instead of {expected:?}"
    );
}

#[test]
fn joints_turn_in_the_order_of_their_channels() {
    let motion = read_bvh(BVH).unwrap();
    let names: Vec<&str> = { motion.rig.joints().iter() }
        .map(|j| j.name.as_str())
        .collect();
    assert_eq!(names, ["Shoulder", "Elbow", "Elbow end"]);
    assert_eq!(
        (motion.clip.name.as_str(), motion.clip.span_s()),
        ("walk", [0.0, 1.0])
    );
    near(at(0.0)[2], [3.0, 0.0, 0.0]);
    let raised = at(0.5);
    near(raised[0], [0.0, 1.0, 0.0]);
    near(raised[1], [0.0, 3.0, 0.0]);
    near(raised[2], [0.0, 4.0, 0.0]);
    // The arm is up and turned about itself: what its elbow does about y goes to −z of the elbow, which
    // is y of the arm before the turn about x, and −x of the world.
    let bent = at(1.0);
    near(bent[1], [0.0, 4.0, 0.0]);
    near(bent[2] - bent[1], [-1.0, 0.0, 0.0]);
}

#[test]
fn between_frames_it_goes_straight_and_turns_evenly() {
    let half = at(0.25);
    near(half[0], [0.0, 0.5, 0.0]);
    let along = std::f64::consts::FRAC_1_SQRT_2;
    near(half[1] - half[0], [2.0 * along, 2.0 * along, 0.0]);
}

#[test]
fn what_is_wrong_is_shown_where_it_is() {
    let with = |from: &str, to: &str| BVH.replacen(from, to, 1);
    for (text, place, words) in [
        (String::new(), "line 1", "`HIERARCHY`"),
        (with("HIERARCHY", "MOTION"), "line 1", "`HIERARCHY`"),
        (with("ROOT Shoulder", "JOINT Shoulder"), "line 2", "`ROOT`"),
        (with("ROOT Shoulder", "ROOT"), "line 2", "a name"),
        (with("OFFSET 2 0 0", "OFFSET 2 0 x"), "line 7", "a length"),
        (with("OFFSET 2 0 0", "OFFSET 2 0 inf"), "line 7", "`inf`"),
        (
            with("CHANNELS 1 Yrotation", "CHANNELS 1 Wrotation"),
            "line 8",
            "`Wrotation`",
        ),
        (
            with("CHANNELS 1 Yrotation", "CHANNELS 99999999999 Yrotation"),
            "line 9",
            "`End`",
        ),
        (with("End Site", "End Sight"), "line 9", "`Site`"),
        (
            with("Frames: 3", "Frames: 2"),
            "line 20",
            "the end, after 2 frames",
        ),
        (
            with("Frames: 3", "Frames: 99999999999999"),
            "line 20",
            "the end of the file",
        ),
        (with("Frames: 3", "Frames: 0"), "line 17", "a motion"),
        (with("Frames: 3", "Frames: -3"), "line 16", "`-3`"),
        (
            with("Frame Time: 0.5", "Frame Time: 0"),
            "line 17",
            "positive",
        ),
        (with("0 1 0  90", "0 1 0  nan"), "line 19", "`nan`"),
    ] {
        let error = read_bvh(&text).expect_err(words).to_string();
        assert!(error.contains(place), "{place} expected in {error}");
        assert!(error.contains(words), "{words} expected in {error}");
        assert!(error.contains("walk.bvh"), "{error}");
    }
    // Frames without numbers take no words of the file.
    let empty = "HIERARCHY ROOT a\n{ OFFSET 0 0 0 }\nMOTION Frames: 99999999999 Frame Time: 1";
    let error = read_bvh(empty).unwrap_err().to_string();
    assert!(error.contains("a motion"), "{error}");
}
