//! Same scene, same bits: for any number of threads, run after run, straight through or resumed.

use crate::program::{HANGING, ON_A_BALL, PLEATED, Workplace};
use serde_json::Value;

/// Runs `scene` into `out` and returns its report.
fn report(place: &Workplace, out: &str, more: &[&str]) -> Value {
    let run = ["run", "scene.toml", "--no-film", "--format", "", "--quiet"];
    place.succeed(&[&run[..], &["--out", out], more].concat());
    place.json(&format!("{out}/report.json"))
}

#[test]
fn threads_and_repetition_change_no_bit() {
    for scene in [HANGING, ON_A_BALL, PLEATED] {
        let place = Workplace::with("scene.toml", scene);
        let one = report(&place, "one", &["--threads", "1"]);
        let two = report(&place, "two", &["--threads", "2"]);
        let again = report(&place, "again", &["--threads", "2"]);
        assert_eq!(one["threads"], 1);
        assert_eq!(two["threads"], 2);
        assert_eq!(one["state_hash"], two["state_hash"]);
        assert_eq!(two["state_hash"], again["state_hash"]);
        if scene == ON_A_BALL {
            assert!(one["contacts_max"].as_u64().unwrap() > 0);
        }
    }
}

#[test]
fn the_hash_tells_states_apart() {
    let place = Workplace::with("scene.toml", HANGING);
    let five = report(&place, "five", &[]);
    let six = report(&place, "six", &["--frames", "6"]);
    assert_ne!(five["state_hash"], six["state_hash"]);
}

#[test]
fn a_resumed_run_ends_like_a_straight_one() {
    // Frame 8 of the ball is in the middle of contact, with particles sticking and sliding.
    let cases = [
        (HANGING, "3", "6"),
        (ON_A_BALL, "8", "12"),
        (PLEATED, "3", "6"),
    ];
    for (scene, first, last) in cases {
        let place = Workplace::with("scene.toml", scene);
        let straight = report(&place, "straight", &["--frames", last]);
        let half = report(&place, "halves", &["--frames", first]);
        let resumed = report(&place, "halves", &["--frames", last, "--resume"]);
        assert_ne!(half["state_hash"], straight["state_hash"]);
        for field in [
            "state_hash",
            "frames",
            "steps",
            "stretch_max",
            "contacts_max",
            "energy_drift",
            "retries",
            "pcg_iterations_mean",
            "pcg_iterations_max",
        ] {
            assert_eq!(resumed[field], straight[field], "{field}");
        }
        assert_eq!(heights(&place, "halves"), heights(&place, "straight"));
    }
}

/// Steps that stretch cloth are taken again, in frames before a resume as in those after it.
#[test]
fn a_resumed_run_goes_on_counting_what_was_taken_again() {
    let place = Workplace::with("scene.toml", HANGING);
    let report = |out: &str, more: &[&str]| {
        let shorter = ["--set", "solver.max_stretch_step=1e-3"];
        report(&place, out, &[&shorter[..], more].concat())
    };
    let straight = report("straight", &[]);
    let half = report("halves", &["--frames", "3"]);
    let resumed = report("halves", &["--resume"]);
    let retries = |report: &Value| report["retries"].as_u64().unwrap();
    assert!(0 < retries(&half) && retries(&half) < retries(&straight));
    for field in ["retries", "pcg_iterations_mean", "pcg_iterations_max"] {
        assert_eq!(resumed[field], straight[field], "{field}");
    }
}

/// Frame, mean height and lowest height of every row of the metrics, as written.
fn heights(place: &Workplace, out: &str) -> Vec<[String; 3]> {
    let text = place.read(&format!("{out}/metrics.csv"));
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    let column = |name| rows[0].iter().position(|c| *c == name).unwrap();
    let columns = ["frame", "mean_height_m", "lowest_height_m"].map(column);
    rows[1..]
        .iter()
        .map(|row| columns.map(|c| row[c].to_owned()))
        .collect()
}
