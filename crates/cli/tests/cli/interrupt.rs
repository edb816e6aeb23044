//! Ctrl-C ends a run cleanly and keeps what was computed.
#![cfg(unix)]

use crate::program::{Ended, HANGING, Workplace};
use crate::run::film_frames;
use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

#[test]
fn ctrl_c_keeps_what_was_computed() {
    let place = Workplace::with("scene.toml", HANGING);
    let child = place
        .command(&["run", "scene.toml", "--frames", "100000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let metrics = place.path("out/hanging/metrics.csv");
    let rows = || fs::read_to_string(&metrics).map_or(0, |text| text.lines().count());
    while rows() < 4 {
        std::thread::sleep(Duration::from_millis(10));
    }
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(sent.success());
    let ended = Ended::from(child.wait_with_output().unwrap());
    assert_eq!(ended.code, Some(130), "{}", ended.stderr);
    assert!(!ended.stderr.contains("panicked"), "{}", ended.stderr);

    let report = place.json("out/hanging/report.json");
    assert_eq!(report["interrupted"], true);
    assert_eq!(report["finite"], true);
    let frames = report["frames"].as_u64().unwrap();
    assert!((2..100_000).contains(&frames), "{frames}");
    assert_eq!(rows() as u64, frames + 2, "a header, the start, the frames");
    let film = fs::read(place.path("out/hanging/film.mp4")).unwrap();
    assert_eq!(u64::from(film_frames(&film)), frames + 1);

    // And the run can go on from there.
    let further = (frames + 1).to_string();
    place.succeed(&[
        "run",
        "scene.toml",
        "--frames",
        &further,
        "--resume",
        "--no-film",
    ]);
    let report = place.json("out/hanging/report.json");
    assert_eq!(report["frames"].as_u64(), Some(frames + 1));
    assert_eq!(report["interrupted"], false);
}
