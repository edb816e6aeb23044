//! A cantilever under an end force and under an end moment, through large rotations, against the
//! tables of Sze, Liu and Lo (2004) for shells.

use crate::check::{Band, Check};
use crate::couple::Couple;
use crate::experiment::{Error, Findings};
use crate::probe::Probe;
use crate::specimen;
use crate::statics;
use crate::strip::{self, Kind, Strip};
use crate::table::Table;
use crate::theory::end_force;
use glam::{DVec2, DVec3};
use rayon::prelude::*;
use std::f64::consts::TAU;
use toile_sim::{ClothSpec, Jacobian, Material, PinHold, WeightSpec};
use toile_view::plot::{Chart, Panel, Series};

/// `P L²/B` at the full force, per width, and the published −U and W at its twentieths, with L = 10.
const FULL_FORCE: f64 = 4.0;
const SHEAR: [[f64; 2]; 20] = [
    [0.026, 0.663],
    [0.103, 1.309],
    [0.224, 1.922],
    [0.381, 2.493],
    [0.563, 3.015],
    [0.763, 3.488],
    [0.971, 3.912],
    [1.184, 4.292],
    [1.396, 4.631],
    [1.604, 4.933],
    [1.807, 5.202],
    [2.002, 5.444],
    [2.190, 5.660],
    [2.370, 5.855],
    [2.541, 6.031],
    [2.705, 6.190],
    [2.861, 6.335],
    [3.010, 6.467],
    [3.151, 6.588],
    [3.286, 6.698],
];
const KINDS: [Kind; 2] = [Kind::BARAFF_WITKIN, Kind::SINE];
const ROWS: f64 = 60.0;
const CELLS_ACROSS: f64 = 4.0;
const SPACING_M: f64 = 0.2;
const RIGIDITY_N_M: f64 = 100.0;
/// Stretch stiffness over bending rigidity, 1/m². The shells of the tables have 1200.
const STRETCH_PER_M2: f64 = 1e7;
/// So little that the strip itself weighs nothing beside its load.
const FAINT_GRAVITY: f64 = 1e-6;

/// What loads the end.
#[derive(Clone, Copy, PartialEq)]
enum Load {
    Force,
    Moment,
}

impl Load {
    fn name(self) -> &'static str {
        match self {
            Self::Force => "force",
            Self::Moment => "moment",
        }
    }

    /// The shape by theory at a share of the full load: points from the clamp to the end, at equal
    /// distances along the strip, in its lengths.
    fn shape(self, share: f64) -> Vec<[f64; 2]> {
        match self {
            Self::Force => end_force::bend(share * FULL_FORCE),
            Self::Moment => {
                let turn = share * TAU;
                let angles = (0..=1000).map(|k| turn * f64::from(k) / 1000.0);
                angles
                    .map(|angle| [angle.sin() / turn, (1.0 - angle.cos()) / turn])
                    .collect()
            }
        }
    }

    /// −U/L and W/L at a twentieth of the full load, counted from 1.
    fn published(self, step: usize) -> [f64; 2] {
        match self {
            Self::Force => SHEAR[step - 1].map(|published| published / 10.0),
            Self::Moment => {
                let angle = TAU * step as f64 / 20.0;
                [1.0 - angle.sin() / angle, (1.0 - angle.cos()) / angle]
            }
        }
    }
}

/// −U/L and W/L at every twentieth of the load, and the largest force left.
struct Course {
    tips: Vec<[f64; 2]>,
    residual: f64,
}

/// Loads strips with both forms of hinges.
pub fn run() -> Result<Findings, Error> {
    let cases: Vec<(Kind, Load)> = KINDS
        .into_iter()
        .flat_map(|kind| [(kind, Load::Force), (kind, Load::Moment)])
        .collect();
    let courses: Vec<Course> = cases
        .par_iter()
        .map(|(kind, load)| bend(*kind, *load))
        .collect::<Result<_, Error>>()?;
    let mut table = Table::new([
        "load",
        "share",
        "hinges",
        "−U/L",
        "published",
        "W/L",
        "published",
        "error (% of L)",
    ]);
    let mut checks = Vec::new();
    let mut charts = [Load::Force, Load::Moment].map(|load| {
        let title = format!("End {}", load.name());
        let published = (1..=20).map(|step| load.published(step));
        let [u, w] = [0, 1].map(|k| published.clone().map(move |tip| tip[k]).enumerate());
        let at = |(i, value): (usize, f64)| [(i + 1) as f64 / 20.0, value];
        Chart::new(title)
            .x("share of the full load", "")
            .y("displacement of the tip", "L")
            .series(Series::line("−U published", u.map(at)))
            .series(Series::line("W published", w.map(at)))
    });
    for ((kind, load), course) in cases.iter().zip(&courses) {
        let mut worst = 0.0_f64;
        for (k, tip) in course.tips.iter().enumerate() {
            let published = load.published(k + 1);
            let error = 100.0 * DVec2::from(*tip).distance(DVec2::from(published));
            worst = worst.max(error);
            if (k + 1) % 4 == 0 {
                table.row([
                    load.name().to_owned(),
                    format!("{:.2}", (k + 1) as f64 / 20.0),
                    kind.name.to_owned(),
                    format!("{:.4}", tip[0]),
                    format!("{:.4}", published[0]),
                    format!("{:.4}", tip[1]),
                    format!("{:.4}", published[1]),
                    format!("{error:.3}"),
                ]);
            }
        }
        checks.push(Check::new(
            format!(
                "end {}, {}: largest error of the tip of 20 loads (% of L)",
                load.name(),
                kind.name
            ),
            worst,
            Band::AtMost(0.5),
        ));
        checks.push(Check::new(
            format!("end {}, {}: force left", load.name(), kind.name),
            course.residual,
            Band::AtMost(1e-4),
        ));
        if *kind == Kind::BARAFF_WITKIN {
            let chart = &mut charts[usize::from(*load == Load::Moment)];
            let mut drawn = std::mem::replace(chart, Chart::new(""));
            for (k, name) in ["−U", "W"].into_iter().enumerate() {
                let points = course.tips.iter().enumerate();
                let points: Vec<[f64; 2]> = points
                    .map(|(i, tip)| [(i + 1) as f64 / 20.0, tip[k]])
                    .collect();
                drawn = drawn.series(Series::points(format!("{name}, hinges"), points));
            }
            *chart = drawn;
        }
    }
    let [force, moment] = charts;
    Ok(Findings {
        table,
        checks,
        figure: Box::new(Panel::new(2).with(force).with(moment)),
        notes: format!(
            "A strip of equilateral triangles, {ROWS} rows long and {CELLS_ACROSS} cells wide, two rows clamped, is \
             loaded in twentieths. The search starts at the shape of theory and ends where the model is at rest. Published: shells of L/h = 100 and \
             120, ν = 0. Hinges are a plate of ν = −1/3, so only what does not depend on ν can be compared: the \
             membrane is made so stiff ({STRETCH_PER_M2:e} 1/m² times B; the shells have 1200) that the strip \
             bends to a cylinder, where the rigidity is B whatever ν, and no particle moves across the strip: if they \
             may, the search does not come to rest from nine tenths of the moment on. The force is dead, P L²/B = {FULL_FORCE} \
             per width at the full load. The moment turns with the last row of triangles, 2π B/L per width at the \
             full load, when the strip is a full circle; the tip is then the middle of that row, as the clamp \
             is the middle of the first. The tables' pinched cylinder has ν = 0.3 and a thickness of its own, which \
             these hinges cannot have: it is not compared."
        ),
    })
}

fn strip_of(kind: Kind) -> Strip {
    Strip {
        kind,
        size_m: DVec2::new(CELLS_ACROSS * SPACING_M, ROWS * kind.mesh.row_m(SPACING_M)),
        spacing_m: SPACING_M,
        across: -DVec3::Z,
        along: DVec3::X,
        grain_rad: 0.0,
    }
}

fn clamped(strip: &Strip) -> ClothSpec {
    let stretch = STRETCH_PER_M2 * RIGIDITY_N_M;
    let material = Material {
        area_density_kg_per_m2: 1.0,
        stretch_warp_n_per_m: stretch,
        stretch_weft_n_per_m: stretch,
        shear_n_per_m: 0.5 * stretch,
        bending_warp_n_m: RIGIDITY_N_M,
        bending_weft_n_m: RIGIDITY_N_M,
        jacobian: Jacobian::Exact,
        slack_factor: 0.0,
        ..Material::default()
    };
    let row = strip.kind.mesh.row_m(SPACING_M);
    let cloth = strip::held(strip.cloth(material), PinHold::All, |x| {
        strip.arc_m(x) < 1.5 * row
    });
    strip::held(cloth, PinHold::Normal(DVec3::Z), |_| true)
}

fn bend(kind: Kind, load: Load) -> Result<Course, Error> {
    let strip = strip_of(kind);
    let row = kind.mesh.row_m(SPACING_M);
    let flat = clamped(&strip).positions();
    let in_row = |index: f64| {
        let near = |x: &DVec3| (strip.arc_m(*x) / row - index).abs() < 0.25;
        let found = flat.iter().enumerate().filter(|(_, x)| near(x));
        found.map(|(i, _)| i).collect::<Vec<usize>>()
    };
    let [last, before] = [in_row(ROWS), in_row(ROWS - 1.0)];
    // The clamp is the middle of the first row of triangles; so is the place where a moment acts.
    let length_m = match load {
        Load::Force => (ROWS - 0.5) * row,
        Load::Moment => (ROWS - 1.0) * row,
    };
    let mean =
        |rows: &[usize], x: &[DVec3]| rows.iter().map(|i| x[*i]).sum::<DVec3>() / rows.len() as f64;
    let tip = |x: &[DVec3]| match load {
        Load::Force => mean(&last, x),
        Load::Moment => 0.5 * (mean(&last, x) + mean(&before, x)),
    };
    let start = tip(&flat);
    let mut course = Course {
        tips: Vec::new(),
        residual: 0.0,
    };
    for step in 1..=20 {
        let share = f64::from(step) / 20.0;
        let mut cloth = clamped(&strip);
        let (gravity, sign) = match load {
            Load::Force => {
                let force = share * FULL_FORCE * RIGIDITY_N_M * strip.size_m.x / length_m.powi(2);
                cloth.weights.push(WeightSpec::Points {
                    indices: last.iter().map(|i| *i as u32).collect(),
                    kg: force / FAINT_GRAVITY / last.len() as f64,
                });
                (FAINT_GRAVITY, -1.0)
            }
            Load::Moment => (0.0, 1.0),
        };
        let mut probe = Probe::new(specimen::model(cloth, gravity)?);
        let positions = by_theory(&strip, &flat, &load.shape(share), length_m);
        if load == Load::Moment {
            let moment = share * TAU * RIGIDITY_N_M * strip.size_m.x / length_m;
            probe.couples = couples(&flat, &positions, [&before, &last], moment);
        }
        let rest = statics::rest(&mut probe, positions, 0.5 * SPACING_M, 200);
        let moved = tip(&rest.positions) - start;
        course
            .tips
            .push([-moved.x / length_m, sign * moved.y / length_m]);
        course.residual = course.residual.max(rest.residual);
    }
    Ok(course)
}

/// Every particle where a shape by theory has it; what is clamped stays where it is, and what is
/// beyond the shape's end goes on straight.
fn by_theory(strip: &Strip, flat: &[DVec3], shape: &[[f64; 2]], length_m: f64) -> Vec<DVec3> {
    let row = strip.kind.mesh.row_m(SPACING_M);
    let clamp = DVec2::new(0.5 * (row - strip.size_m.y), 0.0);
    let place = |x: &DVec3| {
        if strip.arc_m(*x) < 1.5 * row {
            return *x;
        }
        let along = (strip.arc_m(*x) - 0.5 * row) / length_m * (shape.len() - 1) as f64;
        let k = (along as usize).min(shape.len() - 2);
        let [a, b] = [shape[k], shape[k + 1]].map(DVec2::from);
        let point = clamp + length_m * (a + (along - k as f64) * (b - a));
        point.extend(x.z)
    };
    flat.iter().map(place).collect()
}

/// The moment, shared by all edges between two rows; angles count from where the edges are.
fn couples(
    flat: &[DVec3],
    at: &[DVec3],
    [from, to]: [&[usize]; 2],
    moment_n_m: f64,
) -> Vec<Couple> {
    let edges: Vec<[usize; 2]> = from
        .iter()
        .flat_map(|i| to.iter().map(move |j| [*i, *j]))
        .filter(|[i, j]| flat[*i].distance(flat[*j]) < 1.01 * SPACING_M)
        .collect();
    let moment_n_m = moment_n_m / edges.len() as f64;
    let couple = |[from, to]: &[usize; 2]| Couple {
        from: *from,
        to: *to,
        moment_n_m,
        from_direction: (at[*to] - at[*from]).truncate(),
    };
    edges.iter().map(couple).collect()
}
