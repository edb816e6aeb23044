//! Scenes with the mannequin as a body.

use glam::{DQuat, DVec3};
use std::f64::consts::FRAC_PI_2;
use toile_geometry::character::Pose;
use toile_io::scene;
use toile_sim::{BodyMotion, BodySpec};

fn with(character: &str) -> String {
    format!(
        r#"
frames = 2
[[cloth]]
grid = {{ size_m = [0.4, 0.4], particles = [5, 5], center = [0, 2, 0] }}
[[collider]]
shape = {{ mesh = {{ character = {character} }} }}
"#
    )
}

/// A skeleton as motion libraries have it: arms stretched out, legs spread, collars that begin at the
/// breastbone. In its second frame, after a second, it has gone 1 m along z; the left arm points forward with the
/// forearm up, the right one hangs, the left thigh is level and its shin hangs, and all of it is turned
/// by a right angle to the left in the third.
const BVH: &str = "HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Yrotation Xrotation Zrotation
  JOINT LeftHip
  {
    OFFSET 0.1 -0.05 0
    CHANNELS 3 Xrotation Yrotation Zrotation
    JOINT LeftKnee
    {
      OFFSET 0.3 -0.4 0
      CHANNELS 3 Xrotation Yrotation Zrotation
      JOINT LeftAnkle
      { OFFSET 0.3 -0.4 0 CHANNELS 0 End Site
        { OFFSET 0 0 0.1 } }
    }
  }
  JOINT RightHip
  {
    OFFSET -0.1 -0.05 0
    CHANNELS 0
    JOINT RightKnee
    {
      OFFSET -0.3 -0.4 0
      CHANNELS 0
      JOINT RightAnkle
      { OFFSET -0.3 -0.4 0 CHANNELS 0 End Site
        { OFFSET 0 0 0.1 } }
    }
  }
  JOINT Chest
  {
    OFFSET 0 0.3 0
    CHANNELS 0
    JOINT Neck
    { OFFSET 0 0.25 0 CHANNELS 0 End Site
      { OFFSET 0 0.1 0 } }
    JOINT LeftCollar
    {
      OFFSET 0 0.1 0
      CHANNELS 0
      JOINT LeftShoulder
      {
        OFFSET 0.15 0.08 0
        CHANNELS 1 Yrotation
        JOINT LeftElbow
        {
          OFFSET 0.3 0 0
          CHANNELS 1 Zrotation
          JOINT LeftWrist
          { OFFSET 0.25 0 0 CHANNELS 0 End Site
            { OFFSET 0.1 0 0 } }
        }
      }
    }
    JOINT RightCollar
    {
      OFFSET 0 0.1 0
      CHANNELS 0
      JOINT RightShoulder
      {
        OFFSET -0.15 0.08 0
        CHANNELS 1 Zrotation
        JOINT RightElbow
        {
          OFFSET -0.3 0 0
          CHANNELS 0
          JOINT RightWrist
          { OFFSET -0.25 0 0 CHANNELS 0 End Site
            { OFFSET -0.1 0 0 } }
        }
      }
    }
  }
}
MOTION
Frames: 3
Frame Time: 1
0 0.85 0 0 0 0  0 0 0 0 0 0  0 0 0
0 0.85 1 0 0 0  -90 0 0 90 0 0  -90 90 90
0 0.85 1 90 0 0  -90 0 0 90 0 0  -90 90 90
";

#[test]
fn a_mannequin_walks_by_itself_and_as_others_do() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("walk.bvh"), BVH).unwrap();
    let man = r#"mannequin = { bust_m = 0.95, sex = "male" }"#;
    let text = with(&format!(r#"{{ {man}, clip = "walk" }}"#));
    let other =
        format!(r#"shape = {{ mesh = {{ character = {{ {man}, motion = "walk.bvh" }} }} }}"#);
    let path = folder.path().join("scene.toml");
    std::fs::write(&path, format!("{text}[[collider]]\n{other}\n")).unwrap();
    let scene = scene::load(&path, &[]).unwrap_or_else(|e| panic!("{e}"));
    walks(&scene.model.bodies[0]);
    follows(&scene.model.bodies[1]);
}

/// Its limbs point where those of the motion do, and it goes as far as its legs are long.
fn follows(body: &BodySpec) {
    let BodyMotion::Puppet(puppet) = &body.motion else {
        panic!("a puppet expected, found {:?}", body.motion);
    };
    let rig = &puppet.character.rig;
    let at = |time_s: f64| {
        let mut pose = Pose::default();
        puppet.playback.pose(&puppet.character, time_s, &mut pose);
        let all = rig.positions(&pose);
        move |name: &str| all[rig.joint(name).unwrap()]
    };
    let spread = DVec3::new(0.6, -0.8, 0.0);
    let mirrored = DVec3::new(-0.6, -0.8, 0.0);
    let limbs = [
        ("LeftArm", "LeftForeArm", [DVec3::X, DVec3::Z]),
        ("LeftForeArm", "LeftHand", [DVec3::X, DVec3::Y]),
        ("RightArm", "RightForeArm", [DVec3::NEG_X, DVec3::NEG_Y]),
        ("RightForeArm", "RightHand", [DVec3::NEG_X, DVec3::NEG_Y]),
        ("LeftUpLeg", "LeftLeg", [spread, DVec3::new(0.6, 0.0, 0.8)]),
        ("LeftLeg", "LeftFoot", [spread, spread]),
        ("RightUpLeg", "RightLeg", [mirrored; 2]),
        ("RightLeg", "RightFoot", [mirrored; 2]),
    ];
    for (time_s, frame, turn_rad) in [(0.0, 0, 0.0), (1.0, 1, 0.0), (2.0, 1, FRAC_PI_2)] {
        let place = at(time_s);
        for (from, to, along) in limbs {
            let found = (place(to) - place(from)).normalize();
            let expected = DQuat::from_rotation_y(turn_rad) * along[frame];
            let off_deg = found.angle_between(expected).to_degrees();
            assert!(off_deg < 1e-5, "{from} at {time_s} s: {off_deg}°");
        }
    }
    let [start, end] = [at(0.0), at(1.0)];
    let leg_m = start("LeftUpLeg").distance(start("LeftLeg"))
        + start("LeftLeg").distance(start("LeftFoot"))
        + start("LeftUpLeg").distance(start("Hips"));
    // The source's: two bones of 0.5 m, and from the hips to where the leg begins.
    let proportion = leg_m / (1.0 + 0.1_f64.hypot(0.05));
    let way = end("Hips") - start("Hips");
    assert!((way.z - proportion).abs() < 0.01 * proportion && way.x.abs() < 1e-9);
    // Shoulders stay as they are: collars begin elsewhere, which is not to shrug.
    let slope = |place: &dyn Fn(&str) -> DVec3| place("LeftArm").y - place("LeftShoulder").y;
    let rest = rig.positions(&puppet.character.rest());
    let rest = |name: &str| rest[rig.joint(name).unwrap()];
    assert!((slope(&end) - slope(&rest)).abs() < 1e-9);
}

fn walks(body: &BodySpec) {
    assert!(body.vertices() > 7_000);
    let middle = |time_s: f64| {
        let positions = body.positions(time_s);
        positions.iter().sum::<DVec3>() / positions.len() as f64
    };
    let [start, later] = [0.0, 1.0].map(middle);
    assert!((0.7..1.6).contains(&(later.z - start.z)));
    assert!((start.y - later.y).abs() < 0.06 && start.x.abs() < 0.05);
}

#[test]
fn what_nobody_measures_is_shown_where_it_is_written() {
    let refused = |character: &str| {
        let error = scene::parse(&with(character), "s.toml", &[]).unwrap_err();
        error.to_string()
    };
    let text = refused("{ mannequin = { waist_m = 1.4 } }");
    assert!(
        text.contains("waist is 1.4 m") && text.contains("s.toml"),
        "{text}"
    );
    let text = refused(r#"{ mannequin = { size = "XXXXL" } }"#);
    assert!(text.contains("XXL"), "{text}");
    let text = refused(r#"{ clip = "walk" }"#);
    assert!(text.contains("either `file` or `mannequin`"), "{text}");
    let text = refused(r#"{ mannequin = {}, clip = "wlak" }"#);
    assert!(text.contains("walk"), "{text}");
}
