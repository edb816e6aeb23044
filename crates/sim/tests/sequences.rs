//! Bodies whose frames come from elsewhere, played when a scene wants them: where a vertex must be.

use glam::{DVec2, DVec3};
use std::sync::Arc;
use toile_geometry::timing::{Repeat, Timing};
use toile_geometry::{QuadGrid, TriMesh};
use toile_sim::{
    BodyMotion, BodySpec, ClothSpec, Cut, Frames, Material, Model, ModelSpec, Sequence, Sheet,
};

/// Frames per second.
const RATE_HZ: f64 = 10.0;

/// A triangle that is x = 0.1 k² in frame k, over five frames, and x = −1 at rest.
fn sequence(timing: Timing) -> Sequence {
    let at = |x: f64| vec![x * DVec3::X, x * DVec3::X + DVec3::Y, DVec3::Z];
    let frame = |k: u32| at(0.1 * f64::from(k * k));
    Sequence {
        frames: Frames {
            rate_hz: RATE_HZ,
            positions: Arc::new((0..5).map(frame).collect()),
        },
        timing,
        rest: Some(Arc::new(at(-1.0))),
    }
}

/// Where the first vertex is.
fn x_at(timing: Timing, time_s: f64) -> f64 {
    let mut out = vec![DVec3::NAN];
    sequence(timing).place(time_s, &mut out);
    assert_eq!(out.len(), 4, "appended");
    out[1].x
}

/// On straight lines between the squares.
fn between(frame: f64) -> f64 {
    let (k, share) = (frame.floor(), frame.fract());
    0.1 * (k * k + share * (2.0 * k + 1.0))
}

#[test]
fn as_they_are_to_the_last_bit() {
    let plain = Timing::default();
    for k in 0..5 {
        let time_s = f64::from(k) / RATE_HZ;
        assert_eq!(x_at(plain, time_s), 0.1 * f64::from(k * k));
    }
    assert_eq!(x_at(plain, 77.0), 1.6);
    assert!(sequence(plain).is_plain());
}

#[test]
fn cut_faster_backwards_and_again() {
    let near = |found: f64, expected: f64| {
        assert!((found - expected).abs() < 1e-12, "{found} for {expected}");
    };
    // Frame 0.5 + 20 t, as long as there is one.
    let fast = Timing {
        start_s: 0.05,
        speed: 2.0,
        ..Timing::default()
    };
    for (time_s, frame) in [(0.0, 0.5), (0.1, 2.5), (0.16, 3.7), (1.0, 4.0)] {
        near(x_at(fast, time_s), between(frame));
    }
    // Four frames after the beginning it begins again.
    let again = Timing {
        repeat: Repeat::Again,
        ..fast
    };
    for (time_s, frame) in [(0.1, 2.5), (0.2, 0.5), (0.27, 1.9), (4.06, 1.7)] {
        near(x_at(again, time_s), between(frame));
    }
    let back = Timing {
        start_s: 0.4,
        speed: -0.5,
        ..Timing::default()
    };
    for (time_s, frame) in [(0.0, 4.0), (0.3, 2.5), (9.0, 0.0)] {
        near(x_at(back, time_s), between(frame));
    }
}

#[test]
fn settled_and_held() {
    let timing = Timing {
        start_s: 0.2,
        settle_s: 2.0,
        hold_s: 1.0,
        ..Timing::default()
    };
    // From −1 to the third frame, at 0.4, half of the way in half of the time.
    for (time_s, x) in [(0.0, -1.0), (1.0, -0.3), (2.0, 0.4), (3.0, 0.4)] {
        assert!((x_at(timing, time_s) - x).abs() < 1e-12, "{time_s}");
    }
    // 10 s³ − 15 s⁴ + 6 s⁵ of it at a quarter of the time.
    let share = 10.0 / 64.0 - 15.0 / 256.0 + 6.0 / 1024.0;
    assert!((x_at(timing, 0.5) - (-1.0 + 1.4 * share)).abs() < 1e-12);
    assert!((x_at(timing, 3.05) - between(2.5)).abs() < 1e-12);
}

#[test]
fn samples_are_where_the_body_is() {
    let timing = Timing {
        speed: 3.0,
        repeat: Repeat::Again,
        settle_s: 0.3,
        ..Timing::default()
    };
    let frames = sequence(timing).sampled(24.0, 20);
    assert_eq!((frames.rate_hz, frames.positions.len()), (24.0, 20));
    for (k, positions) in frames.positions.iter().enumerate() {
        assert_eq!(positions[0].x, x_at(timing, k as f64 / 24.0));
    }
}

#[test]
fn what_cannot_be_played_is_refused() {
    let refusal = |sequence: Sequence| {
        let mesh = TriMesh {
            positions: sequence.frames.positions[0].clone(),
            faces: vec![[0, 1, 2]],
        };
        let mut body = BodySpec::new("triangle", mesh, 0.3);
        body.motion = BodyMotion::Sequence(sequence);
        let cut = Cut::Sheet(Sheet {
            grid: QuadGrid {
                columns: 3,
                rows: 3,
                size_m: DVec2::ONE,
            },
            center: 9.0 * DVec3::Y,
            u_axis: DVec3::X,
            v_axis: -DVec3::Z,
            curvature_per_m: 0.0,
        });
        let spec = ModelSpec {
            cloths: vec![ClothSpec::new("cloth", cut, Material::default())],
            bodies: vec![body],
            ..ModelSpec::default()
        };
        Model::build(&spec).map(drop).unwrap_err().to_string()
    };
    let timed = |change: fn(&mut Timing)| {
        let mut timing = Timing::default();
        change(&mut timing);
        sequence(timing)
    };
    assert!(refusal(timed(|t| t.speed = f64::NAN)).contains("finite speed"));
    assert!(refusal(timed(|t| t.repeat = Repeat::Travel)).contains("travel"));
    let from_nowhere = Sequence {
        rest: None,
        ..timed(|t| t.settle_s = 1.0)
    };
    assert!(refusal(from_nowhere).contains("at rest to settle from"));
    let other = Sequence {
        rest: Some(Arc::new(vec![DVec3::ZERO])),
        ..timed(|_| ())
    };
    assert!(refusal(other).contains("same vertices"));
}
