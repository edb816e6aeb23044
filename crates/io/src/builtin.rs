//! The scenes that come with the program.

/// A built-in scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// Its name.
    pub name: &'static str,
    /// The scene file.
    pub text: &'static str,
}

impl Builtin {
    /// One line about it: the first line of its file.
    pub fn description(&self) -> &'static str {
        let line = self.text.lines().next().unwrap_or_default();
        line.trim_start_matches(['#', ' '])
    }
}

/// All built-in scenes.
pub fn scenes() -> &'static [Builtin] {
    &[
        Builtin {
            name: "tablecloth",
            text: include_str!("../../../scenes/tablecloth.toml"),
        },
        Builtin {
            name: "curtain",
            text: include_str!("../../../scenes/curtain.toml"),
        },
        Builtin {
            name: "handkerchief",
            text: include_str!("../../../scenes/handkerchief.toml"),
        },
        Builtin {
            name: "drop-on-sphere",
            text: include_str!("../../../scenes/drop-on-sphere.toml"),
        },
        Builtin {
            name: "four-corners",
            text: include_str!("../../../scenes/four-corners.toml"),
        },
        Builtin {
            name: "flag",
            text: include_str!("../../../scenes/flag.toml"),
        },
        Builtin {
            name: "table-of-steps",
            text: include_str!("../../../scenes/table-of-steps.toml"),
        },
        Builtin {
            name: "buckling-strip",
            text: include_str!("../../../scenes/buckling-strip.toml"),
        },
    ]
}
