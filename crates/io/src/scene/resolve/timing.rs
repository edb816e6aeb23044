//! When motions from files are played, and how fast.

use super::Checked;
use super::range::not_negative;
use crate::scene::error::Fault;
use crate::scene::{key, raw};
use toile_geometry::timing::{Repeat, Timing};

/// Refuses times and speeds that are none, at the keys they were written as.
pub(super) fn check(path: &key::Path, timing: &Timing) -> Checked {
    for (key, value) in [
        ("start_s", timing.start_s),
        ("settle_s", timing.settle_s),
        ("hold_s", timing.hold_s),
    ] {
        not_negative(&path.with(key), value)?;
    }
    if !timing.speed.is_finite() {
        return Err(Fault::new(path.with("speed"), "expected a finite number"));
    }
    Ok(())
}

/// When the frames of a mesh are played.
pub(super) fn of_frames(path: &key::Path, mesh: &raw::BodyMesh) -> Checked<Timing> {
    let usual = Timing::default();
    let timing = Timing {
        start_s: mesh.start_s.unwrap_or(usual.start_s),
        speed: mesh.speed.unwrap_or(usual.speed),
        repeat: mesh.repeat.unwrap_or_default().0,
        settle_s: mesh.settle_s.unwrap_or(usual.settle_s),
        hold_s: mesh.hold_s.unwrap_or(usual.hold_s),
    };
    check(path, &timing)?;
    if timing.repeat == Repeat::Travel {
        let message = "frames have no root that could travel, expected false or true";
        return Err(Fault::new(path.with("loop"), message)
            .help("a `character` whose motion moves its root can travel"));
    }
    Ok(timing)
}

/// Refuses times for a mesh that has no frames.
pub(super) fn refuse(path: &key::Path, mesh: &raw::BodyMesh) -> Checked {
    let given = [
        ("start_s", mesh.start_s.is_some()),
        ("speed", mesh.speed.is_some()),
        ("loop", mesh.repeat.is_some()),
        ("settle_s", mesh.settle_s.is_some()),
        ("hold_s", mesh.hold_s.is_some()),
    ];
    let Some((key, _)) = given.into_iter().find(|(_, is_given)| *is_given) else {
        return Ok(());
    };
    let message = match mesh.character {
        Some(_) => "expected it in `character`",
        None => "expected `frames` with it: a still mesh has none",
    };
    Err(Fault::new(path.with(key), message))
}
