//! Cloth on the moving mannequin: it follows the body where it touches it, by friction. The scenes
//! `cape-walk` and `spin-skirt` are played as they are and with a body that has no friction.

mod slip;

use crate::check::{Band, Check, number};
use crate::experiment::{Error, Findings};
use crate::table::Table;
use rayon::prelude::*;
use slip::{FOLLOWS_M_PER_S, Slip};
use toile_io::{builtin, scene};
use toile_view::plot::{Chart, Panel, Series};

/// Scenes, and from when to when they are looked at, s: from where the mannequin begins to move.
const SCENES: [(&str, [f64; 2]); 2] = [("cape-walk", [1.5, 4.0]), ("spin-skirt", [0.8, 3.3])];
/// Share of the particles in contact that must follow the body.
const FOLLOWING: f64 = 0.5;
/// The most that cloth may slip with friction, as a share of its slip without.
const SLIP_SHARE: f64 = 0.5;

/// A scene with the friction that it has, and without.
struct Worn {
    name: &'static str,
    friction: f64,
    with: Slip,
    without: Slip,
}

impl Worn {
    fn of(name: &'static str, looked_s: [f64; 2]) -> Result<Self, Error> {
        let found = builtin::scenes().iter().find(|scene| scene.name == name);
        let text = found.map_or("", |scene| scene.text);
        let given = scene::parse(text, name, &[])?;
        let bodies = given.model.bodies.iter();
        let friction = bodies.map(|body| body.friction).fold(0.0, f64::max);
        let mut smooth = given.clone();
        smooth
            .model
            .bodies
            .iter_mut()
            .for_each(|b| b.friction = 0.0);
        let (with, without) = rayon::join(
            || Slip::of(&given, looked_s),
            || Slip::of(&smooth, looked_s),
        );
        Ok(Self {
            name,
            friction,
            with: with?,
            without: without?,
        })
    }
}

/// Carries out all of it.
pub fn run() -> Result<Findings, Error> {
    let all: Result<Vec<Worn>, Error> = { SCENES.par_iter() }
        .map(|(name, looked_s)| Worn::of(name, *looked_s))
        .collect();
    let all = all?;
    let mut table = Table::new([
        "scene",
        "μ",
        "touching",
        "pressed (N)",
        "following (%)",
        "following (% of force)",
        "slip (mm/s)",
        "way (mm)",
    ]);
    let mut checks = Vec::new();
    let mut figure = Panel::new(2);
    for worn in &all {
        for (friction, slip) in [(worn.friction, &worn.with), (0.0, &worn.without)] {
            table.row([
                worn.name.to_owned(),
                number(friction),
                format!("{:.1}", slip.touching),
                format!("{:.3}", slip.force_n),
                format!("{:.1}", 100.0 * slip.following),
                format!("{:.1}", 100.0 * slip.force_following),
                format!("{:.1}", 1e3 * slip.speed_m_per_s),
                format!("{:.1}", 1e3 * slip.way_m),
            ]);
        }
        judge(worn, &mut checks);
        figure = figure.with(drawn(worn));
    }
    Ok(Findings {
        table,
        checks,
        figure: Box::new(figure),
        notes: format!(
            "Looked at after every step, from where the mannequin begins to move, for 2.5 s. A particle follows \
             the body if it moves over it more slowly than {} mm/s. Particles that are fastened are left out. \
             The way is that of a particle while it touches, the mean of all that ever do. Nothing fastens cape or \
             skirt by then: the cape lies on the shoulders, the skirt is held by elastic about waist and hips.",
            number(1e3 * FOLLOWS_M_PER_S)
        ),
    })
}

fn judge(worn: &Worn, checks: &mut Vec<Check>) {
    let mut check = |what: &str, value: f64, band: Band| {
        checks.push(Check::new(format!("{}: {what}", worn.name), value, band));
    };
    let (with, without) = (&worn.with, &worn.without);
    check(
        "share of the particles in contact that follows the body",
        with.following,
        Band::AtLeast(FOLLOWING),
    );
    check(
        "slip with friction over slip without",
        with.speed_m_per_s / without.speed_m_per_s,
        Band::AtMost(SLIP_SHARE),
    );
    check(
        "share that follows without friction over that with it",
        without.following / with.following,
        Band::AtMost(SLIP_SHARE),
    );
}

fn drawn(worn: &Worn) -> Chart {
    let mm = |slip: &Slip| -> Vec<[f64; 2]> {
        slip.course.iter().map(|[t, way]| [*t, 1e3 * way]).collect()
    };
    Chart::new(format!("Way of cloth over the body: {}", worn.name))
        .x("time", "s")
        .y("mean way of what touches", "mm")
        .series(Series::line(
            format!("μ = {}", worn.friction),
            mm(&worn.with),
        ))
        .series(Series::dashed("μ = 0", mm(&worn.without)))
}
