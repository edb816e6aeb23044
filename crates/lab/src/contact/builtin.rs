//! The built-in scenes of contact, as they come and with three quarters of the particles along each side, for
//! as long as it takes to see what they are about.

use super::scenes::{Judged, Scene};
use crate::experiment::Error;
use toile_io::{builtin, scene};
use toile_sim::{Cut, ModelSpec};

/// A scene, and how much of it is looked at.
struct Excerpt {
    name: &'static str,
    duration_s: f64,
    judged: Judged,
    /// What makes a mesh coarser that is made by rule; rectangles need nothing.
    coarser: &'static str,
}

impl Excerpt {
    const fn new(name: &'static str, duration_s: f64, judged: Judged) -> Self {
        Self {
            name,
            duration_s,
            judged,
            coarser: "",
        }
    }

    const fn coarser(self, coarser: &'static str) -> Self {
        Self { coarser, ..self }
    }
}

/// What is led, thrown or turned has energy from outside.
const SCENES: [Excerpt; 10] = [
    Excerpt::new("balloon", 1.0, Judged::STILL).coarser("cloth.lathe.spacing_m=0.024"),
    Excerpt::new("bottle", 1.0, Judged::STILL).coarser("cloth.lathe.spacing_m=0.0213"),
    Excerpt::new("drop-on-sphere", 5.0, Judged::LED),
    Excerpt::new("stack", 0.75, Judged::STILL),
    Excerpt::new("twist", 5.0, Judged::LED).coarser("cloth.tube.particles=[36, 39]"),
    Excerpt::new("knot", 5.0, Judged::LED).coarser("cloth.ribbon.particles=[254, 4]"),
    Excerpt::new("funnel", 4.0, Judged::LED),
    Excerpt::new("curtain-and-ball", 3.0, Judged::LED),
    Excerpt::new("card-house", 3.0, Judged::STILL),
    Excerpt::new("slope", 2.0, Judged::ALONE),
];

/// All of them, the coarser first.
pub fn all() -> Result<Vec<Scene>, Error> {
    let mut all = Vec::new();
    for excerpt in &SCENES {
        for is_coarse in [true, false] {
            all.push(excerpt.scene(is_coarse)?);
        }
    }
    Ok(all)
}

impl Excerpt {
    fn scene(&self, is_coarse: bool) -> Result<Scene, Error> {
        let found = builtin::scenes().iter().find(|s| s.name == self.name);
        let text = found.map_or("", |scene| scene.text);
        let made_coarser = is_coarse && !self.coarser.is_empty();
        let sets = Vec::from_iter(made_coarser.then(|| self.coarser.to_owned()));
        let given = scene::parse(text, self.name, &sets)?;
        let mut model = given.model.clone();
        if is_coarse {
            make_coarser(&mut model);
        }
        Ok(Scene {
            name: self.name,
            size: if is_coarse { "coarse" } else { "as it comes" }.to_owned(),
            model,
            config: given.config,
            step_s: given.step_s(),
            duration_s: self.duration_s,
            judged: self.judged,
        })
    }
}

fn make_coarser(model: &mut ModelSpec) {
    for cloth in &mut model.cloths {
        if let Cut::Sheet(sheet) = &mut cloth.cut {
            for count in [&mut sheet.grid.columns, &mut sheet.grid.rows] {
                *count = (*count - 1) * 3 / 4 + 1;
            }
        }
    }
}
