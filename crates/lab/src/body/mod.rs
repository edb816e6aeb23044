//! The mannequin from XS to XXL: the tape against what was asked, its surface, and its motions.

mod moving;
mod shape;

use crate::check::{Band, Check, number};
use crate::experiment::{Error, Findings};
use crate::table::Table;
use moving::Moving;
use rayon::prelude::*;
use shape::Shape;
use toile_figure::mannequin::{Mannequin, Measurements, Motion, Sex, Size};
use toile_view::plot::{Chart, Series};

/// Share of a measurement that it may be off.
const GIRTH: f64 = 0.01;
/// Mass of a body, by its volume, kg/m³.
const DENSITY: f64 = 985.0;
/// Mass over height squared that bodies of these sizes have, kg/m².
const MASS_INDEX: [f64; 2] = [16.0, 42.0];
/// The farthest that feet may slide in a motion on a floor, m.
const SLIDE_M: f64 = 0.005;
/// The deepest that feet may sink into it, m.
const SINK_M: f64 = 0.003;
/// How near to its beginning a motion that repeats must end, m.
const GAP_M: f64 = 1e-4;
/// Smallest angle of triangles, degrees, all but one in a hundred.
const ANGLE_DEG: f64 = 7.0;

/// A body with all that was found of it.
struct Body {
    sex: Sex,
    size: Size,
    asked: Measurements,
    shape: Shape,
    motions: Vec<(Motion, Moving)>,
}

impl Body {
    fn of(sex: Sex, size: Size) -> Result<Self, Error> {
        let asked = Measurements::of_size(sex, size);
        let mannequin = Mannequin::new(&asked)?;
        let motions = motions(size).iter();
        let motions = motions.map(|&m| (m, Moving::of(&mannequin, m))).collect();
        Ok(Self {
            sex,
            size,
            asked,
            shape: Shape::of(&mannequin, &asked),
            motions,
        })
    }

    fn name(&self) -> String {
        format!("{} {}", self.sex.name(), self.size.name())
    }

    fn mass_index(&self) -> f64 {
        DENSITY * self.shape.volume_m3 / self.asked.height_m.powi(2)
    }
}

/// Standing and walking are looked at in every size, all motions in the middle one.
fn motions(size: Size) -> &'static [Motion] {
    match size {
        Size::M => &Motion::ALL,
        _ => &[Motion::Stand, Motion::WalkInPlace],
    }
}

/// Carries out all of it.
pub fn run() -> Result<Findings, Error> {
    let kinds = [Sex::Female, Sex::Male]
        .into_iter()
        .flat_map(|sex| Size::ALL.map(|size| (sex, size)));
    let kinds: Vec<_> = kinds.collect();
    let bodies: Result<Vec<Body>, Error> = { kinds.par_iter() }
        .map(|&(sex, size)| Body::of(sex, size))
        .collect();
    let bodies = bodies?;
    let mut table = Table::new([
        "body",
        "most off",
        "off (%)",
        "volume (l)",
        "kg/m²",
        "loose edges",
        "pinched vertices",
        "Euler",
        "angle p1 (°)",
        "motion",
        "crossed",
        "slide (mm)",
        "sunk (mm)",
        "over limits (°)",
        "gap (mm)",
    ]);
    let mut checks = Vec::new();
    for body in &bodies {
        report(body, &mut table);
        judge_shape(body, &mut checks);
        for (motion, found) in &body.motions {
            judge_motion(&body.name(), *motion, found, &mut checks);
        }
    }
    Ok(Findings {
        table,
        checks,
        figure: Box::new(drawn(&bodies)),
        notes: format!(
            "Girths are those of a taut tape: perimeters of the convex hull of plane sections. Crossings \
             are looked for by the exact test at even times of every motion. A foot slides from where a \
             vertex within 1 mm of the floor came to touch it; in a spin the ball of the foot turns on \
             the spot, and in a jump it lands. Mass is volume times {} kg/m³.",
            number(DENSITY)
        ),
    })
}

fn report(body: &Body, table: &mut Table) {
    let shape = &body.shape;
    for (k, (motion, found)) in body.motions.iter().enumerate() {
        let mm = |m: f64| format!("{:.2}", 1e3 * m);
        let mut row = if k == 0 {
            vec![
                body.name(),
                shape.worst.0.to_owned(),
                format!("{:+.2}", 100.0 * shape.worst.1),
                format!("{:.1}", 1e3 * shape.volume_m3),
                format!("{:.1}", body.mass_index()),
                shape.loose_edges.to_string(),
                shape.pinched_vertices.to_string(),
                shape.euler.to_string(),
                format!("{:.1}", shape.angle_deg),
            ]
        } else {
            vec![String::new(); 9]
        };
        row.extend([
            motion.name().to_owned(),
            format!("{} of {}", found.crossed, found.looks),
            mm(found.slide_m),
            mm(found.sunk_m),
            format!("{:.1}", found.bent_deg),
            mm(found.gap_m),
        ]);
        table.row(row);
    }
}

fn judge_shape(body: &Body, checks: &mut Vec<Check>) {
    let (name, shape) = (body.name(), &body.shape);
    let mut check = |what: &str, value: f64, band: Band| {
        checks.push(Check::new(format!("{name}: {what}"), value, band));
    };
    check(
        "largest error of a measurement",
        shape.worst.1.abs(),
        Band::AtMost(GIRTH),
    );
    let [low, high] = MASS_INDEX;
    check("kg/m²", body.mass_index(), Band::Between(low, high));
    check(
        "edges without two faces",
        shape.loose_edges as f64,
        Band::AtMost(0.0),
    );
    check(
        "vertices that are no fan",
        shape.pinched_vertices as f64,
        Band::AtMost(0.0),
    );
    check(
        "Euler characteristic",
        shape.euler as f64,
        Band::Between(2.0, 2.0),
    );
    check(
        "smallest angle, 1 % of triangles (°)",
        shape.angle_deg,
        Band::AtLeast(ANGLE_DEG),
    );
}

fn judge_motion(name: &str, motion: Motion, found: &Moving, checks: &mut Vec<Check>) {
    let name = format!("{name}, {}", motion.name());
    let mut check = |what: &str, value: f64, band: Band| {
        checks.push(Check::new(format!("{name}: {what}"), value, band));
    };
    check(
        "times the surface crosses itself",
        f64::from(found.crossed),
        Band::AtMost(0.0),
    );
    if motion != Motion::Spin {
        check(
            "slide on the floor (m)",
            found.slide_m,
            Band::AtMost(SLIDE_M),
        );
    }
    check(
        "sunk into the floor (m)",
        found.sunk_m,
        Band::AtMost(SINK_M),
    );
    check(
        "beyond the joints' limits (°)",
        found.bent_deg,
        Band::AtMost(0.0),
    );
    if !matches!(motion, Motion::Walk | Motion::FastWalk) {
        check("gap when repeated (m)", found.gap_m, Band::AtMost(GAP_M));
    }
}

fn drawn(bodies: &[Body]) -> Chart {
    let mut chart = Chart::new("Largest error of any measurement, XS to XXL")
        .x("size", "XS = 0, XXL = 5")
        .y("largest error", "%");
    for sex in [Sex::Female, Sex::Male] {
        let own = bodies.iter().filter(|b| b.sex == sex);
        let points = own.map(|b| [b.size as usize as f64, 100.0 * b.shape.worst.1.abs()]);
        chart = chart.series(Series::line(sex.name(), points.collect::<Vec<_>>()));
    }
    chart.series(Series::dashed(
        "allowed",
        [[0.0, 100.0 * GIRTH], [5.0, 100.0 * GIRTH]],
    ))
}
