//! Running the binary.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// A small sheet held by two corners.
pub const HANGING: &str = r#"name = "hanging"
frames = 5

[[cloth]]
grid = { size_m = [0.5, 0.5], particles = [11, 11], center = [0, 1, 0] }

  [cloth.material]
  area_density_kg_per_m2 = 0.15

  [[cloth.pin]]
  corners = ["u-min-v-max", "u-max-v-max"]
"#;

/// A small hinged panel with a crease, which remembers its angles.
pub const PLEATED: &str = r#"name = "pleated"
frames = 6

[[cloth]]
grid = { size_m = [0.4, 0.4], particles = [9, 9], center = [0, 1, 0] }
model = "triangle-buckling"
bending = "hinge"
material = { bending_n_m = 1e-3 }

  [[cloth.pin]]
  corners = ["u-min-v-max", "u-max-v-max"]

  [[cloth.crease]]
  from = [0.2, 0.0]
  to = [0.2, 0.4]
  angle_deg = 120
"#;

/// A small sheet that meets a ball within a few frames.
pub const ON_A_BALL: &str = r#"name = "on-a-ball"
frames = 12

[[cloth]]
grid = { size_m = [0.5, 0.5], particles = [21, 21], center = [0.01, 0.505, 0.02] }
fabric = "silk"

[[collider]]
shape = { sphere = { center = [0, 0.3, 0], radius_m = 0.2 } }
friction = 0.3
"#;

/// A folder to run the program in.
pub struct Workplace {
    folder: TempDir,
}

/// How the program ended.
pub struct Ended {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Workplace {
    pub fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// A folder with one file in it.
    pub fn with(name: &str, text: &str) -> Self {
        let place = Self::new();
        place.write(name, text);
        place
    }

    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_toile"));
        command.args(args).current_dir(self.folder.path());
        command
    }

    pub fn toile(&self, args: &[&str]) -> Ended {
        self.command(args).output().unwrap().into()
    }

    /// Runs what must succeed.
    pub fn succeed(&self, args: &[&str]) -> Ended {
        let ended = self.toile(args);
        assert_eq!(ended.code, Some(0), "toile {args:?}\n{}", ended.stderr);
        ended
    }
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Ended {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap()
    }
}
