//! Runs that nobody but the library drives.

use std::path::Path;
use std::sync::{Arc, Mutex};
use toile_io::FrameMetrics;
use toile_io::scene::Source;
use toile_run::{Ending, Finished, Frame, FrameSink, Job, Observer, Options, RunError};
use toile_run::{Runner, Stop};

/// Cloth that swings from two corners onto a ball.
const SWING: &str = r#"
    frames = 6
    output = { film = false, formats = ["obj"] }
    [[cloth]]
    grid = { size_m = [0.3, 0.3], particles = [9, 9], center = [0, 0.5, 0] }
    pin = [{ corners = ["u-min-v-max", "u-max-v-max"] }]
    [[collider]]
    shape = { sphere = { center = [0, 0.38, 0], radius_m = 0.1 } }
"#;

fn job(text: &str) -> Job {
    let source = Source::parse(text, "swing.toml", &[]).unwrap();
    Job::new(source.scene().unwrap(), &source).unwrap()
}

/// The frames that came by.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Passed>>);

#[derive(Default)]
struct Passed {
    numbers: Vec<u64>,
    times_s: Vec<f64>,
    finished: u32,
}

impl FrameSink for Seen {
    fn frame(&mut self, frame: &Frame<'_>) -> Result<(), RunError> {
        let mut passed = self.0.lock().unwrap();
        assert_eq!(frame.metrics.frame, frame.number);
        passed.numbers.push(frame.number);
        passed.times_s.push(frame.simulation.state().time_s);
        Ok(())
    }

    fn finish(&mut self) -> Result<(), RunError> {
        self.0.lock().unwrap().finished += 1;
        Ok(())
    }
}

/// Wants no more after some frame.
struct Impatient {
    stop: Stop,
    after: u64,
}

impl Observer for Impatient {
    fn frame(&mut self, number: u64, _: &FrameMetrics) {
        if number == self.after {
            self.stop.ask();
        }
    }
}

/// Runs to the end, or to where it is stopped.
fn run(out: &Path, resume: bool, stop_after: Option<u64>) -> (Finished, Vec<u64>) {
    let seen = Seen::default();
    let options = Options {
        resume,
        sinks: vec![Box::new(seen.clone())],
        ..Options::new(out)
    };
    let stop = Stop::default();
    let mut observer = Impatient {
        stop: stop.clone(),
        after: stop_after.unwrap_or(u64::MAX),
    };
    let runner = Runner::start(job(SWING), options, &mut observer).unwrap();
    let finished = runner.run(&stop, &mut observer).unwrap();
    let passed = std::mem::take(&mut *seen.0.lock().unwrap());
    assert_eq!(passed.finished, 1);
    (finished, passed.numbers)
}

fn is_send<T: Send>(value: T) -> T {
    value
}

#[test]
fn stopped_and_resumed_gives_the_bits_of_straight_through() {
    let [straight, parted] = [0; 2].map(|_| tempfile::tempdir().unwrap());
    let (whole, frames) = run(straight.path(), false, None);
    assert_eq!(whole.ending, Ending::Done);
    assert_eq!(frames, [0, 1, 2, 3, 4, 5, 6]);
    let (first, frames) = run(parted.path(), false, Some(2));
    assert_eq!(first.ending, Ending::Interrupted);
    assert!(first.report.interrupted);
    assert_eq!(frames, [0, 1, 2]);
    assert_ne!(first.report.state_hash, whole.report.state_hash);
    let (second, frames) = run(parted.path(), true, None);
    assert_eq!(second.ending, Ending::Done);
    assert_eq!(frames, [3, 4, 5, 6]);
    assert_eq!(second.report.state_hash, whole.report.state_hash);
    assert_eq!(second.report.frames, 6);
    for name in ["swing_0006.obj", "checkpoint"] {
        let [a, b] = [&straight, &parted].map(|folder| std::fs::read(folder.path().join(name)));
        assert_eq!(a.unwrap(), b.unwrap(), "{name}");
    }
    for path in second.written {
        // `####` stands for the number of a file.
        let name = path.to_string_lossy().replace("####", "0003");
        assert!(Path::new(&name).exists(), "{name}");
    }
}

#[test]
fn a_run_can_be_driven_frame_by_frame() {
    let folder = tempfile::tempdir().unwrap();
    let seen = Seen::default();
    let options = Options {
        sinks: vec![Box::new(seen.clone())],
        ..Options::new(folder.path())
    };
    let mut runner = is_send(Runner::start(job(SWING), options, &mut ()).unwrap());
    let mut lowest = vec![runner.metrics()[0].lowest_height_m];
    while runner.next_frame(&mut ()).unwrap() {
        assert_eq!(runner.frame() as usize, lowest.len());
        let positions = &runner.simulation().state().positions;
        let height_m = positions.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
        assert_eq!(runner.metrics().last().unwrap().lowest_height_m, height_m);
        lowest.push(height_m);
    }
    assert_eq!((runner.frame(), runner.ending()), (6, Ending::Done));
    assert!(!runner.next_frame(&mut ()).unwrap(), "it stays at the end");
    assert_eq!(lowest.len(), 7);
    assert!(lowest.is_sorted_by(|a, b| a > b), "cloth falls: {lowest:?}");
    let fps = runner.job().scene.fps;
    let times = seen.0.lock().unwrap().times_s.clone();
    for (k, time_s) in times.iter().enumerate() {
        assert!((time_s - k as f64 / fps).abs() < 1e-12);
    }
    let finished = runner.finish(&Stop::default(), &mut ()).unwrap();
    let other = tempfile::tempdir().unwrap();
    let (whole, _) = run(other.path(), false, None);
    assert_eq!(finished.report.state_hash, whole.report.state_hash);
}

/// Fails at its second frame.
struct Full;

impl FrameSink for Full {
    fn frame(&mut self, frame: &Frame<'_>) -> Result<(), RunError> {
        match frame.number {
            0 => Ok(()),
            _ => Err(RunError::output("there is no room")),
        }
    }
}

#[test]
fn errors_say_what_must_change() {
    let folder = tempfile::tempdir().unwrap();
    let start = |options: Options| Runner::start(job(SWING), options, &mut ());
    let missing = start(Options {
        resume: true,
        ..Options::new(folder.path())
    });
    assert!(matches!(missing.err(), Some(RunError::Input(_))));
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    assert!(matches!(
        start(Options::new(file)).err(),
        Some(RunError::Output(_))
    ));
    let mut runner = start(Options {
        sinks: vec![Box::new(Full)],
        ..Options::new(folder.path())
    })
    .unwrap();
    let error = runner.next_frame(&mut ()).unwrap_err();
    assert_eq!(error.to_string(), "there is no room");
    let runner = start(Options {
        dump_step: Some(1000),
        ..Options::new(folder.path())
    });
    let ended = runner.unwrap().run(&Stop::default(), &mut ());
    assert!(matches!(ended.err(), Some(RunError::NoSystem(_))));
}

#[test]
fn a_run_that_fails_keeps_what_it_has() {
    let folder = tempfile::tempdir().unwrap();
    // A scheme far above its limit of stability.
    let text = format!("solver = {{ integrator = \"rk4\", max_step_s = 0.0167 }}\n{SWING}");
    let runner = Runner::start(job(&text), Options::new(folder.path()), &mut ()).unwrap();
    let finished = runner.run(&Stop::default(), &mut ()).unwrap();
    let Ending::Failed(error) = finished.ending else {
        panic!("{:?}", finished.ending);
    };
    assert_eq!(finished.report.error, Some(error));
    assert_eq!(finished.report.frames, 0);
    assert!(folder.path().join("swing_0000.obj").exists());
}
