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

/// The scene file of that name, compiled in.
macro_rules! scene {
    ($name:literal) => {
        Builtin {
            name: $name,
            text: include_str!(concat!("../../../scenes/", $name, ".toml")),
        }
    };
}

/// All built-in scenes.
pub fn scenes() -> &'static [Builtin] {
    &[
        scene!("tablecloth"),
        scene!("curtain"),
        scene!("handkerchief"),
        scene!("drop-on-sphere"),
        scene!("slope"),
        scene!("four-corners"),
        scene!("flag"),
        scene!("table-of-steps"),
        scene!("buckling-strip"),
        scene!("disc-drape"),
        scene!("pleated-panel"),
        scene!("curved-shell"),
        scene!("stack"),
        scene!("balloon"),
        scene!("bottle"),
        scene!("twist"),
        scene!("knot"),
        scene!("funnel"),
        scene!("curtain-and-ball"),
        scene!("card-house"),
        scene!("hand-grab"),
        scene!("sphere-forecast"),
        scene!("stretched-over"),
        scene!("bending-arm"),
        scene!("cape-walk"),
        scene!("spin-skirt"),
        scene!("sash"),
    ]
}
