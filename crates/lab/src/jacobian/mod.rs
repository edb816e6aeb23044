//! Every force of the model against its matrix: the exact blocks by finite differences, and what
//! the other matrices lack, term by named term.

mod dense;
mod link;

use crate::check::{Band, Check};
use crate::experiment::{Error, Findings};
use crate::probe::Probe;
use crate::specimen;
use crate::table::Table;
use dense::{Dense, assemble, combine, differences, zeros};
use glam::DVec3;
use link::{Law, Link};
use std::sync::Arc;
use toile_sim::{
    AirSpec, Compression, DampingKind, Jacobian, Material, Model, ModelSpec, PinHold, PinRegion,
    PinSpec, WindSpec,
};
use toile_view::plot::{Chart, Series};

const SIDE: usize = 4;
const SPACING_M: f64 = 0.02;
/// Shift of the finite differences, m, and the distance kept from kinks as a share of a link.
const SHIFT_M: f64 = 1e-4 * SPACING_M;
const MARGIN: f64 = 1e-3;
/// The same for velocities, m/s.
const SHIFT_M_PER_S: f64 = 1e-3;
const STATES: u64 = 5;
const BAND: f64 = 1e-7;
const CURVATURE_THRESHOLD: f64 = 50.0;
/// Stands for "none" where the model asks for a positive number, N/m.
const ALMOST_NONE: f64 = 1e-12;

/// A line of the audit.
struct Line {
    force: &'static str,
    matrix: &'static str,
    dropped: &'static str,
    /// Worst relative difference of matrix and differences, after the named terms.
    error: f64,
    /// Size of the named terms relative to the derivative.
    dropped_share: f64,
}

/// Audits every force at several random states.
pub fn run() -> Result<Findings, Error> {
    let mut lines: Vec<Line> = Vec::new();
    for seed in 1..=STATES {
        for line in audit(seed)? {
            let same = |l: &&mut Line| l.force == line.force && l.matrix == line.matrix;
            match lines.iter_mut().find(same) {
                Some(known) => {
                    known.error = known.error.max(line.error);
                    known.dropped_share = known.dropped_share.max(line.dropped_share);
                }
                None => lines.push(line),
            }
        }
    }
    let mut table = Table::new([
        "force",
        "matrix",
        "left out by name",
        "left out (share)",
        "error (relative)",
    ]);
    for line in &lines {
        table.row([
            line.force.to_owned(),
            line.matrix.to_owned(),
            line.dropped.to_owned(),
            format!("{:.1e}", line.dropped_share),
            format!("{:.1e}", line.error),
        ]);
    }
    let checks = lines.iter().map(|line| {
        let what = format!("{}, {}: relative error", line.force, line.matrix);
        Check::new(what, line.error, Band::AtMost(BAND))
    });
    Ok(Findings {
        table,
        checks: checks.collect(),
        figure: Box::new(figure(&lines)),
        notes: format!(
            "{SIDE} × {SIDE} particles, stretched, compressed and crumpled at random, {STATES} states, away from kinks; \
             differences of fourth order. 'left out (share)' is the largest entry of the named terms \
             over the largest of the derivative: what the matrix knowingly lacks or adds. 'error' is \
             what remains between matrix and differences once they are accounted for.\n\
             The exact matrix is the derivative of the force. 'drop-orthogonal' leaves out (f/r)(I − nnᵀ) \
             of the links that push, 'projected' every negative part; a slack link's σ k nnᵀ is added by \
             name. Of axial dampers the matrix has ∂f/∂v exactly and leaves out ∂f/∂x = (k_d/r)[(n·w)P + \
             n(Pw)ᵀ], which is unsymmetric. Of wind it has ∂f/∂v with the coefficients frozen; their own \
             change with velocity is left out."
        ),
    })
}

fn figure(lines: &[Line]) -> Chart {
    let points = |value: fn(&Line) -> f64| {
        let places = lines.iter().zip(1_u32..);
        places
            .map(move |(line, at)| [f64::from(at), value(line)])
            .collect::<Vec<_>>()
    };
    let ends = [0.0, lines.len() as f64 + 1.0];
    Chart::new("Matrices against differences of the forces")
        .x("row of the table", "")
        .y("share of the derivative", "")
        .log_y()
        .y_range(1e-17, 10.0)
        .series(Series::points(
            "error",
            points(|line| line.error.max(1e-16)),
        ))
        .series(Series::points(
            "left out by name",
            points(|line| line.dropped_share),
        ))
        .series(Series::dashed("band", ends.map(|x| [x, BAND])))
}

/// Stretch, bending and pre-buckling stiffness of like size, so that none hides behind another.
fn material() -> Material {
    Material {
        stretch_warp_n_per_m: 200.0,
        stretch_weft_n_per_m: 200.0,
        shear_n_per_m: 130.0,
        bending_warp_n_m: 0.1,
        bending_weft_n_m: 0.1,
        compression: Compression::CurvatureThreshold(CURVATURE_THRESHOLD),
        damping_n_s_per_m: 0.0,
        slack_factor: 0.0,
        jacobian: Jacobian::Exact,
        ..Material::default()
    }
}

fn no_bending() -> Material {
    Material {
        bending_warp_n_m: 0.0,
        bending_weft_n_m: 0.0,
        ..material()
    }
}

fn no_stretch() -> Material {
    Material {
        stretch_warp_n_per_m: ALMOST_NONE,
        stretch_weft_n_per_m: ALMOST_NONE,
        shear_n_per_m: ALMOST_NONE,
        ..material()
    }
}

fn still_only() -> Material {
    Material {
        bending_warp_n_m: 0.0,
        bending_weft_n_m: 0.0,
        ..no_stretch()
    }
}

fn probe(material: Material) -> Result<Probe, Error> {
    let sheet = specimen::sheet(SIDE, SIDE, SPACING_M, material);
    Ok(Probe::new(specimen::model(sheet, 0.0)?))
}

/// All lines at one state.
fn audit(seed: u64) -> Result<Vec<Line>, Error> {
    let (x, v) = state(seed)?;
    let links = Link::all(&material())?;
    let mut lines = Vec::new();
    for (force, part, law) in [
        ("stretch and shear links", no_bending(), Law::Stretch),
        ("bending links", no_stretch(), Law::Bending),
    ] {
        let own: Vec<&Link> = links.iter().filter(|link| link.law == law).collect();
        let measured = by_position(&mut probe(part)?, &x, &v);
        for (matrix, dropped, jacobian, slack_factor) in MATRICES {
            let choice = Material {
                jacobian,
                slack_factor,
                ..part
            };
            let named = assemble(
                own.iter()
                    .map(|link| link.left_out(&x, jacobian, slack_factor)),
                x.len(),
            );
            let built = stiffness(&mut probe(choice)?, &x, &v).0;
            lines.push(Line::compare(
                (force, matrix, dropped),
                &built,
                &measured,
                &named,
            ));
        }
    }
    lines.extend(damper_lines(&x, &v, &links)?);
    lines.extend(air_lines(&x, &v)?);
    lines.push(soft_pin_line(&x, &v)?);
    Ok(lines)
}

const MATRICES: [(&str, &str, Jacobian, f64); 3] = [
    ("exact", "nothing", Jacobian::Exact, 0.0),
    (
        "drop-orthogonal",
        "(f/r)P of pushing links; adds 0.7 k nnᵀ when slack",
        Jacobian::DropOrthogonal,
        0.7,
    ),
    (
        "projected",
        "all negative parts; adds 0.7 k nnᵀ when slack",
        Jacobian::Projected,
        0.7,
    ),
];

impl Line {
    /// `built` should be `measured − named`.
    fn compare(
        names: (&'static str, &'static str, &'static str),
        built: &Dense,
        measured: &Dense,
        named: &Dense,
    ) -> Self {
        let largest = |m: &Dense| m.iter().flatten().fold(0.0_f64, |m, a| m.max(a.abs()));
        let expected = combine(measured, -1.0, named);
        let scale = largest(measured);
        Self {
            force: names.0,
            matrix: names.1,
            dropped: names.2,
            error: largest(&combine(built, -1.0, &expected)) / scale,
            dropped_share: largest(named) / scale,
        }
    }
}

fn damper_lines(x: &[DVec3], v: &[DVec3], links: &[Link]) -> Result<Vec<Line>, Error> {
    let k_d = 3.0;
    let mut lines = Vec::new();
    for (force, damping) in [
        ("axial dampers", DampingKind::Axial),
        ("isotropic dampers", DampingKind::Isotropic),
    ] {
        let material = Material {
            damping_n_s_per_m: k_d,
            damping,
            ..still_only()
        };
        let mut probe = probe(material)?;
        let own = links.iter().filter(|link| link.law == Law::Stretch);
        let measured = differences(v, SHIFT_M_PER_S, |v| probe.force(x, v));
        let (elastic, damper) = stiffness(&mut probe, x, v);
        let none = zeros(x.len());
        lines.push(Line::compare(
            (force, "∂f/∂v", "nothing"),
            &damper,
            &measured,
            &none,
        ));
        if damping == DampingKind::Axial {
            let measured = by_position(&mut probe, x, v);
            let blocks = own.map(|link| (link.ends, link.damper_turn(x, v, k_d)));
            let named = assemble(blocks, x.len());
            let names = (force, "∂f/∂x", "all: it is unsymmetric");
            lines.push(Line::compare(names, &elastic, &measured, &named));
        }
    }
    Ok(lines)
}

fn air_lines(x: &[DVec3], v: &[DVec3]) -> Result<Vec<Line>, Error> {
    let mut lines = Vec::new();
    let wind = WindSpec {
        velocity_m_per_s: DVec3::new(1.0, 2.0, -0.5),
        ..WindSpec::default()
    };
    for (force, air) in [
        (
            "air damping",
            AirSpec {
                damping_per_s: 3.0,
                wind: None,
            },
        ),
        (
            "wind",
            AirSpec {
                damping_per_s: 0.0,
                wind: Some(wind),
            },
        ),
    ] {
        let mut probe = Probe::new(Arc::new(Model::build(&ModelSpec {
            gravity_m_per_s2: DVec3::ZERO,
            air,
            cloths: vec![specimen::sheet(SIDE, SIDE, SPACING_M, still_only())],
            colliders: Vec::new(),
            bodies: Vec::new(),
            friction: Vec::new(),
        })?));
        let frozen = differences(v, SHIFT_M_PER_S, |moved| probe.frozen_force(x, v, moved));
        let whole = differences(v, SHIFT_M_PER_S, |moved| probe.force(x, moved));
        let (_, built) = stiffness(&mut probe, x, v);
        let named = combine(&whole, -1.0, &frozen);
        let dropped = if air.wind.is_some() {
            "change of the coefficients with v"
        } else {
            "nothing"
        };
        lines.push(Line::compare(
            (force, "∂f/∂v", dropped),
            &built,
            &whole,
            &named,
        ));
    }
    Ok(lines)
}

fn soft_pin_line(x: &[DVec3], v: &[DVec3]) -> Result<Line, Error> {
    let mut sheet = specimen::sheet(SIDE, SIDE, SPACING_M, still_only());
    for (index, hold) in [
        (0, PinHold::All),
        (5, PinHold::Normal(DVec3::new(1.0, 2.0, 0.5))),
    ] {
        sheet.pins.push(PinSpec {
            hold,
            soft_n_per_m: Some(40.0),
            ..PinSpec::fixed(PinRegion::Indices(vec![index]))
        });
    }
    let mut probe = Probe::new(specimen::model(sheet, 0.0)?);
    let measured = by_position(&mut probe, x, v);
    let built = stiffness(&mut probe, x, v).0;
    Ok(Line::compare(
        ("soft pins", "∂f/∂x", "nothing"),
        &built,
        &measured,
        &zeros(x.len()),
    ))
}

/// A crumpled sheet with random velocities, away from every kink.
fn state(seed: u64) -> Result<(Vec<DVec3>, Vec<DVec3>), Error> {
    let links = Link::all(&material())?;
    let rest = specimen::model(specimen::sheet(SIDE, SIDE, SPACING_M, material()), 0.0)?;
    let mut random = specimen::noise(seed);
    loop {
        let stretch = DVec3::new(0.95 + 0.2 * random(), 1.0, 0.95 + 0.2 * random());
        let crumpling = (0.2 + 0.15 * random()) * SPACING_M;
        let mut vector = || DVec3::new(random(), random(), random());
        let x: Vec<DVec3> = rest
            .start_positions
            .iter()
            .map(|x| *x * stretch + crumpling * vector())
            .collect();
        if links.iter().all(|link| link.is_clear_of_kinks(&x)) {
            let v = x.iter().map(|_| vector()).collect();
            return Ok((x, v));
        }
    }
}

/// `K` and `D` as the solver's matrix `M − α D − α² K` has them.
fn stiffness(probe: &mut Probe, x: &[DVec3], v: &[DVec3]) -> (Dense, Dense) {
    let [one, two] = [1.0, 2.0].map(|alpha| {
        let mut matrix = probe.matrix(x, v, alpha).to_dense();
        for (i, mass) in probe.model().coordinate_masses.iter().enumerate() {
            matrix[i][i] -= mass;
        }
        matrix
    });
    // one = −D − K, two = −2D − 4K.
    let k = combine(&one, -0.5, &two);
    let d = combine(&combine(&zeros(x.len()), -2.0, &one), 0.5, &two);
    (k, d)
}

/// `∂f/∂x` by differences.
fn by_position(probe: &mut Probe, x: &[DVec3], v: &[DVec3]) -> Dense {
    differences(x, SHIFT_M, |x| probe.force(x, v))
}
