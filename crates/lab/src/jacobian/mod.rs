//! Every force of the model against its matrix: the exact blocks by finite differences, and what
//! the other matrices lack, term by named term.

mod dampers;
mod dense;
mod link;
mod outside;
mod triangles;

use crate::check::{Band, Check};
use crate::experiment::{Error, Findings};
use crate::probe::Probe;
use crate::specimen;
use crate::table::Table;
use dense::{Dense, assemble, combine, differences, largest, zeros};
use glam::DVec3;
use link::{Law, Link};
use toile_sim::{ClothModel, Compression, CurveShape, Evaluation, Jacobian, Material};
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
             change with velocity is left out.\n\
             Triangles are those of a jittered sheet of {SIDE} × {SIDE} particles, membranes by themselves and bending on \
             a membrane of almost no stiffness; they are away from kinks where differences over two lengths agree."
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
    let links = Link::all(&material())?;
    let (x, v) = state(seed, &links)?;
    let mut lines = link_lines("stretch and shear links", no_bending(), &links, (&x, &v))?;
    lines.extend(link_lines("bending links", no_stretch(), &links, (&x, &v))?);
    for (force, curve, evaluation) in CURVES {
        let choice = |part: Material| Material {
            curve,
            evaluation,
            ..part
        };
        let links = Link::all(&choice(material()))?;
        let (x, v) = state(seed, &links)?;
        lines.extend(link_lines(force, choice(no_stretch()), &links, (&x, &v))?);
    }
    lines.extend(spring_lines(&links, (&x, &v))?);
    lines.extend(dampers::lines(&x, &v, &links)?);
    lines.extend(outside::air_lines(&x, &v)?);
    lines.push(outside::soft_pin_line(&x, &v)?);
    lines.extend(triangles::lines(seed)?);
    Ok(lines)
}

/// Shapes of bending links besides the default, the arc from a table.
const CURVES: [(&str, CurveShape, Evaluation); 4] = [
    (
        "bending links, arc by Newton",
        CurveShape::Arc,
        Evaluation::Newton,
    ),
    (
        "bending links, arc by fit",
        CurveShape::Arc,
        Evaluation::Fit,
    ),
    (
        "bending links, elastica",
        CurveShape::Elastica,
        Evaluation::Newton,
    ),
    (
        "bending links, elastica by table",
        CurveShape::Elastica,
        Evaluation::Table,
    ),
];

/// The links of one law by themselves, with every matrix.
fn link_lines(
    force: &'static str,
    part: Material,
    links: &[Link],
    (x, v): (&[DVec3], &[DVec3]),
) -> Result<Vec<Line>, Error> {
    let law = if part.bending_warp_n_m == 0.0 {
        Law::Stretch
    } else {
        Law::Bending
    };
    let measured = by_position(&mut probe(part)?, x, v);
    let mut lines = Vec::new();
    for (matrix, dropped, jacobian, slack_factor) in MATRICES {
        let choice = Material {
            jacobian,
            slack_factor,
            ..part
        };
        let own = links.iter().filter(|link| link.law == law);
        let named = own.map(|link| link.left_out(x, jacobian, slack_factor));
        lines.push(Line::compare(
            (force, matrix, dropped),
            &stiffness(&mut probe(choice)?, x, v).0,
            &measured,
            &assemble(named, x.len()),
        ));
    }
    Ok(lines)
}

/// `quad-hookean`: springs that pull and push in place of all links.
fn spring_lines(links: &[Link], (x, v): (&[DVec3], &[DVec3])) -> Result<Vec<Line>, Error> {
    let probe = |jacobian: Jacobian| -> Result<Probe, Error> {
        let material = Material {
            jacobian,
            ..material()
        };
        let mut sheet = specimen::sheet(SIDE, SIDE, SPACING_M, material);
        sheet.model = ClothModel::QuadHookean;
        Ok(Probe::new(specimen::model(sheet, 0.0)?))
    };
    let measured = by_position(&mut probe(Jacobian::Exact)?, x, v);
    let mut lines = Vec::new();
    for (matrix, dropped, jacobian) in [
        ("exact", "nothing", Jacobian::Exact),
        ("drop-orthogonal", "(T/r)P of all", Jacobian::DropOrthogonal),
        (
            "projected",
            "(T/r)P of those that push",
            Jacobian::Projected,
        ),
    ] {
        let named = links
            .iter()
            .map(|link| link.left_out_as_spring(x, jacobian));
        lines.push(Line::compare(
            ("two-sided springs", matrix, dropped),
            &stiffness(&mut probe(jacobian)?, x, v).0,
            &measured,
            &assemble(named, x.len()),
        ));
    }
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

/// A crumpled sheet with random velocities, away from every kink.
fn state(seed: u64, links: &[Link]) -> Result<(Vec<DVec3>, Vec<DVec3>), Error> {
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
