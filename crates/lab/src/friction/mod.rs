//! Friction against its laws: slopes of solid and of cloth, a drum, and a strip whose foot slips.

mod capstan;
pub mod slope;
mod stick_slip;

use crate::check::{Band, Check};
use crate::experiment::{Error, Findings};
use crate::table::Table;
use rayon::prelude::*;
use slope::{On, Slope};
use std::f64::consts::PI;
use toile_sim::Solve;
use toile_view::plot::{Chart, Panel, Series};

/// Steepness of all slopes, degrees: its tangent is 0.364.
const ANGLE_DEG: f64 = 20.0;
/// Frictions that hold there, one of them by 4 %.
const HOLDING: [f64; 3] = [0.38, 0.4, 0.5];
/// Frictions that do not.
const SLIDING: [f64; 3] = [0.1, 0.2, 0.3];
/// Steps of creep and of sliding.
const HOLDING_STEPS: [(f64, Solve); 1] = [(1.0 / 120.0, Solve::Once)];
const SLIDING_STEPS: [(f64, Solve); 3] = [
    (1.0 / 60.0, Solve::Once),
    (1.0 / 240.0, Solve::Once),
    (1.0 / 120.0, Solve::Newton),
];
const DRUMS: [f64; 3] = [0.1, 0.3, 0.5];

/// Creep that counts as none, m/s.
pub const CREEP_M_PER_S: f64 = 1e-6;
/// Error of an acceleration that is allowed, per cent.
const ACCELERATION_PERCENT: f64 = 1.0;
/// The same for the ratio of forces at a drum: a polygon of the strip's edges pulls up to 0.7 % more
/// than a circle, and the ends' stretch, the strip's rigidity and the drum's speed have their share.
const RATIO_PERCENT: f64 = 2.0;
/// The same for the shortening at which a foot slips: twenty edges bend like the elastica to a per
/// cent or two, and the slip takes a little time to be seen.
const SHORTENING_PERCENT: f64 = 5.0;

/// A line of the table, its verdict, and what is drawn.
struct Line {
    what: &'static str,
    setting: String,
    friction: f64,
    measured: f64,
    expected: f64,
    unit: &'static str,
    check: Check,
    curve: Vec<[f64; 2]>,
}

impl Line {
    fn percent(&self) -> f64 {
        100.0 * (self.measured / self.expected - 1.0)
    }
}

/// Carries out all four.
pub fn run() -> Result<Findings, Error> {
    let groups = [holding()?, sliding()?, drums()?, feet()?];
    let mut table = Table::new([
        "experiment",
        "setting",
        "μ",
        "measured",
        "expected",
        "unit",
        "error (%)",
    ]);
    let mut checks = Vec::new();
    for line in groups.iter().flatten() {
        table.row([
            line.what.to_owned(),
            line.setting.clone(),
            format!("{}", line.friction),
            crate::check::number(line.measured),
            crate::check::number(line.expected),
            line.unit.to_owned(),
            if line.expected == 0.0 {
                "-".into()
            } else {
                format!("{:+.2}", line.percent())
            },
        ]);
        checks.push(line.check.clone());
    }
    Ok(Findings {
        table,
        checks,
        figure: Box::new(figure(&groups)),
        notes: notes(),
    })
}

fn settings(on: On, step_s: f64, solve: Solve) -> String {
    let on = match on {
        On::Solid => "on a solid",
        On::Cloth => "on cloth",
    };
    let solve = match solve {
        Solve::Auto => "auto",
        Solve::Once => "one solve",
        Solve::Newton => "Newton",
    };
    format!("{on}, 1/{:.0} s, {solve}", step_s.recip())
}

fn slopes(frictions: &[f64], steps: &[(f64, Solve)]) -> Vec<Slope> {
    let mut all = Vec::new();
    for on in [On::Solid, On::Cloth] {
        for &(step_s, solve) in steps {
            all.extend(frictions.iter().map(|&friction| Slope {
                on,
                angle_deg: ANGLE_DEG,
                friction,
                step_s,
                solve,
            }));
        }
    }
    all
}

fn holding() -> Result<Vec<Line>, Error> {
    let line = |slope: &Slope| {
        let (creep, curve) = slope.creep()?;
        let setting = settings(slope.on, slope.step_s, slope.solve);
        Ok(Line {
            what: "slope, held",
            friction: slope.friction,
            measured: 1e6 * creep,
            expected: 0.0,
            unit: "µm/s",
            check: Check::new(
                format!("slope {setting}, μ = {}: creep (µm/s)", slope.friction),
                1e6 * creep,
                Band::AtMost(1e6 * CREEP_M_PER_S),
            ),
            curve: curve.into_iter().map(|[t, way]| [t, 1e6 * way]).collect(),
            setting,
        })
    };
    let slopes = slopes(&HOLDING, &HOLDING_STEPS);
    slopes.par_iter().map(line).collect()
}

fn sliding() -> Result<Vec<Line>, Error> {
    let line = |slope: &Slope| {
        let (acceleration, curve) = slope.acceleration()?;
        let setting = settings(slope.on, slope.step_s, slope.solve);
        let name = format!("slope {setting}, μ = {}", slope.friction);
        Ok(Line::new(
            ("slope, sliding", setting, name),
            slope.friction,
            [acceleration, slope.coulomb_m_per_s2()],
            "m/s²",
            ACCELERATION_PERCENT,
            curve,
        ))
    };
    let slopes = slopes(&SLIDING, &SLIDING_STEPS);
    slopes.par_iter().map(line).collect()
}

fn drums() -> Result<Vec<Line>, Error> {
    let line = |&friction: &f64| {
        let found = capstan::turn(friction)?;
        let setting = format!(
            "{:.3} rad, {:.3} to {:.3}",
            found.wrap_rad, found.range[0], found.range[1]
        );
        Ok(Line::new(
            ("drum", setting, format!("drum, μ = {friction}: ratio")),
            friction,
            [found.ratio, capstan::theory(friction, found.wrap_rad)],
            "",
            RATIO_PERCENT,
            found.history,
        ))
    };
    DRUMS.par_iter().map(line).collect()
}

fn feet() -> Result<Vec<Line>, Error> {
    let line = |&[shortening, friction]: &[f64; 2]| {
        let found = stick_slip::press(friction, (1.5 * shortening).min(0.6))?;
        let measured = found.shortening.unwrap_or(f64::INFINITY);
        Ok(Line::new(
            (
                "foot",
                "slips at a shortening of".into(),
                format!("foot, μ = {friction}: shortening"),
            ),
            friction,
            [measured, shortening],
            "",
            SHORTENING_PERCENT,
            found.history,
        ))
    };
    stick_slip::THEORY.par_iter().map(line).collect()
}

impl Line {
    /// One that must be within so many per cent.
    fn new(
        (what, setting, name): (&'static str, String, String),
        friction: f64,
        [measured, expected]: [f64; 2],
        unit: &'static str,
        percent: f64,
        curve: Vec<[f64; 2]>,
    ) -> Self {
        let error = 100.0 * (measured / expected - 1.0);
        let check = Check::new(
            format!("{name}: error (%)"),
            error,
            Band::Between(-percent, percent),
        );
        Self {
            what,
            setting,
            friction,
            measured,
            expected,
            unit,
            check,
            curve,
        }
    }
}

fn figure(groups: &[Vec<Line>; 4]) -> Panel {
    let charts = [
        Chart::new("Held on a slope")
            .x("time", "s")
            .y("way down", "µm"),
        Chart::new("Sliding down a slope")
            .x("time", "s")
            .y("speed", "m/s"),
        Chart::new("A strip over a drum that turns")
            .x("time", "s")
            .y("ratio of the ends' forces", ""),
        Chart::new("A foot that slips")
            .x("shortening", "")
            .y("way of the foot", "m"),
    ];
    let mut panel = Panel::new(2);
    for (k, (mut chart, lines)) in charts.into_iter().zip(groups).enumerate() {
        for line in lines {
            let name = match k {
                0 | 1 => format!("{}, μ = {}", line.setting, line.friction),
                _ => format!("μ = {}", line.friction),
            };
            chart = chart.series(Series::line(name, line.curve.clone()));
            let span = line.curve.first().zip(line.curve.last());
            if let (2, Some((first, last))) = (k, span) {
                let law = [[first[0], line.expected], [last[0], line.expected]];
                chart = chart.series(Series::dashed("", law).color(0x888888));
            }
        }
        panel = panel.with(chart);
    }
    panel
}

fn notes() -> String {
    format!(
        "Slopes of {ANGLE_DEG}°, whose tangent is 0.364: a solid plane, and a sheet of cloth that is held \
         everywhere, with a smaller sheet askew on it. Creep is the mean over ten seconds after two to \
         settle; acceleration is that of a straight line through the speeds, against g (sin α − μ cos α).\n\
         Drum: a weightless strip with both ends held, around half of a drum that turns under it; the \
         law is e^(μθ), and for half a turn of the polygon of its edges it would be {}, {} and {}.\n\
         Foot: a weightless strip, clamped upright above, is pressed down on a ledge until its lower end, \
         which friction alone holds, slips; the elastica has the answer.",
        crate::check::number(capstan::polygon(DRUMS[0], PI)),
        crate::check::number(capstan::polygon(DRUMS[1], PI)),
        crate::check::number(capstan::polygon(DRUMS[2], PI)),
    )
}
