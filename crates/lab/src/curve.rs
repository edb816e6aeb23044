//! The force of the buckling link against its shortening: the published circular arc, the true
//! elastica, and the formulas that stand for them.
//!
//! Everything is dimensionless: forces in `k_b/L²`, shortening `ε` as a share of the length.

use crate::check::{Band, Check, number};
use crate::experiment::{Error, Findings};
use crate::table::Table;
use crate::theory::elastica as theory;
use std::f64::consts::PI;
use toile_sim::forces::{AxialLaw, BucklingLink, Curve, arc, elastica, fit};
use toile_view::plot::{Chart, Panel, Series};

/// Compressions at which the strip is found by shooting.
const SHOT: [f64; 12] = [
    0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9,
];
/// Pre-buckling stiffness γ = c_b L³/k_b and the published crossover ε*.
const CROSSOVERS: [(f64, f64); 6] = [
    (40.0, 0.3998),
    (50.0, 0.2930),
    (100.0, 0.1303),
    (500.0, 0.02436),
    (1e3, 0.012_088),
    (1e4, 0.001_200_87),
];

fn even(count: u32) -> impl Iterator<Item = f64> + Clone {
    (0..=count).map(move |k| f64::from(k) / f64::from(count))
}

/// Compares all the curves.
pub fn run() -> Result<Findings, Error> {
    let shapes = SHOT.map(theory::shoot);
    let mut table = Table::new([
        "compression",
        "shooting",
        "elliptic integrals",
        "elastica",
        "arc",
        "arc, table",
        "arc, fit",
        "arc over elastica (%)",
    ]);
    for (e, shape) in SHOT.iter().zip(&shapes) {
        let (true_load, arc_load) = (-elastica::at(*e).force, -arc::at(*e).force);
        table.row([
            number(*e),
            format!("{:.6}", shape.load),
            format!("{:.6}", theory::load(*e)),
            format!("{true_load:.6}"),
            format!("{arc_load:.6}"),
            format!("{:.6}", -tabulated_arc().at(*e).force),
            format!("{:.6}", -fit::at(*e).force),
            format!("{:.2}", 100.0 * (arc_load / true_load - 1.0)),
        ]);
    }
    let mut checks = arc_checks();
    checks.extend(elastica_checks(&shapes));
    checks.extend(crossover_checks());
    Ok(Findings {
        table,
        checks,
        figure: Box::new(figure(&shapes)),
        notes: "Loads in k_b/L². The source bends its link into a circular arc, which buckles at 12 \
                where a true hinged strip buckles at π²: 21.6 % too high at the onset, 61 % at ε = 0.9. \
                The elastica is computed three times: by the simulator, by elliptic integrals, and by \
                shooting (Runge–Kutta on θ'' = −P sin θ, Newton on end angle and load).\n\
                Before it buckles, a link is a spring of stiffness c_b; it crosses over to the arc where \
                γ ε = −f̂(ε), γ = c_b L³/k_b. Below γ = 31.47 it never does, and the link would be an \
                ordinary spring; up to 4π² it would cross twice. The simulator refuses γ < 40."
            .into(),
    })
}

fn tabulated_arc() -> Curve {
    Curve::default()
}

/// Largest relative difference of two curves over all compressions.
fn worst(a: impl Fn(f64) -> f64, b: impl Fn(f64) -> f64) -> f64 {
    let errors = even(20_000).map(|e| (a(e) / b(e) - 1.0).abs());
    errors.fold(0.0, f64::max)
}

/// The arc's force to fifth order in ε.
fn series(e: f64) -> f64 {
    let c = [
        12.0,
        36.0 / 5.0,
        864.0 / 175.0,
        624.0 / 175.0,
        178_452.0 / 67_375.0,
        6_264_756.0 / 3_128_125.0,
    ];
    -c.iter().rev().fold(0.0, |sum, c| sum * e + c)
}

/// The plain minimax polynomial of fifth order.
fn plain_fit(e: f64) -> f64 {
    let c = [
        -11.915_725_33,
        -12.207_565_34,
        42.763_825_95,
        -163.715_064_8,
        220.164_672_8,
        -114.484_285,
    ];
    c.iter().rev().fold(0.0, |sum, c| sum * e + c)
}

fn arc_checks() -> Vec<Check> {
    let arc_force = |e: f64| arc::at(e).force;
    let off = |value: f64, expected: f64| (value / expected - 1.0).abs();
    let small = even(100).map(|e| 0.02 * e);
    let from_series = small.map(|e| off(arc_force(e), series(e)));
    vec![
        Check::new(
            "arc: relative difference to its series up to ε = 0.02",
            from_series.fold(0.0, f64::max),
            Band::AtMost(2e-11),
        ),
        Check::new(
            "arc: force at ε = 0 against −12",
            off(arc_force(0.0), -12.0),
            Band::AtMost(1e-14),
        ),
        Check::new(
            "arc: force at ε = 1 against −4π²",
            off(arc_force(1.0), -4.0 * PI * PI),
            Band::AtMost(1e-12),
        ),
        Check::new(
            "arc: slope at ε = 0 against 36/5",
            off(arc::at(0.0).slope, 7.2),
            Band::AtMost(1e-14),
        ),
        Check::new(
            "arc: slope at ε = 1 against 12π²",
            off(arc::at(1.0).slope, 12.0 * PI * PI),
            Band::AtMost(1e-12),
        ),
        Check::new(
            "table: worst relative error",
            worst(|e| tabulated_arc().at(e).force, arc_force),
            Band::AtMost(1e-8),
        ),
        Check::new(
            "fit over a square root: worst relative error",
            worst(|e| fit::at(e).force, arc_force),
            Band::Between(2.6e-4, 2.8e-4),
        ),
        Check::new(
            "plain fifth-order fit: worst relative error",
            worst(plain_fit, arc_force),
            Band::Between(6.8e-3, 7.2e-3),
        ),
    ]
}

fn elastica_checks(shapes: &[theory::Shape]) -> Vec<Check> {
    let off = |a: f64, b: f64| (a / b - 1.0).abs();
    let by = |load: fn(f64) -> f64| {
        let errors = SHOT
            .iter()
            .zip(shapes)
            .map(|(e, shape)| off(load(*e), shape.load));
        errors.fold(0.0, f64::max)
    };
    let mut checks = vec![
        Check::new(
            "elastica against shooting: worst relative difference",
            by(|e| -elastica::at(e).force),
            Band::AtMost(1e-3),
        ),
        Check::new(
            "elliptic integrals against shooting: worst relative difference",
            by(theory::load),
            Band::AtMost(1e-3),
        ),
        Check::new(
            "elastica: load at ε = 1e-9 against Euler's π²",
            off(-elastica::at(1e-9).force, PI * PI),
            Band::AtMost(1e-8),
        ),
    ];
    for (e, excess) in [(1e-9, 0.216), (0.1, 0.23), (0.5, 0.32), (0.9, 0.61)] {
        let value = arc::at(e).force / elastica::at(e).force - 1.0;
        checks.push(Check::new(
            format!("arc over elastica at ε = {e}"),
            value,
            Band::Between(excess - 0.006, excess + 0.006),
        ));
    }
    checks
}

fn crossover_checks() -> Vec<Check> {
    let mut checks: Vec<Check> = CROSSOVERS
        .iter()
        .map(|&(gamma, expected)| {
            let found =
                BucklingLink::new(1.0, 1.0, gamma).map_or(f64::NAN, |link| link.crossover());
            let half = 0.5e-3 * expected;
            Check::new(
                format!("crossover at γ = {gamma}"),
                found,
                Band::Between(expected - half, expected + half),
            )
        })
        .collect();
    let least = even(20_000)
        .skip(1)
        .map(|e| -arc::at(e).force / e)
        .fold(f64::INFINITY, f64::min);
    checks.push(Check::new(
        "least γ at which spring and arc meet",
        least,
        Band::Between(31.4711, 31.4713),
    ));
    let refused = f64::from(u8::from(BucklingLink::new(1.0, 1.0, 39.0).is_err()));
    checks.push(Check::new(
        "γ = 39 is refused (1 = yes)",
        refused,
        Band::AtLeast(1.0),
    ));
    checks
}

fn figure(shapes: &[theory::Shape]) -> Panel {
    Panel::new(2)
        .with(shape_chart(shapes))
        .with(force_chart(shapes))
        .with(error_chart())
        .with(crossover_chart())
}

/// The circular arc of unit length whose chord has shrunk by `compression`.
fn arc_points(compression: f64) -> Vec<[f64; 2]> {
    let half_angle = arc::at(compression).angle_squared.sqrt();
    let radius = 0.5 / half_angle;
    even(100)
        .map(|s| {
            let angle = half_angle * (2.0 * s - 1.0);
            let x = radius * (angle.sin() + half_angle.sin());
            [x, radius * (angle.cos() - half_angle.cos())]
        })
        .collect()
}

fn shape_chart(shapes: &[theory::Shape]) -> Chart {
    let mut chart = Chart::new("Buckled strips: elastica (lines), arc (dashed)")
        .x("along the chord", "L")
        .y("across", "L");
    for (color, wanted) in [0x1f5c99, 0xc0562b, 0x3a7d44, 0x7a4b94]
        .into_iter()
        .zip([0.05, 0.2, 0.5, 0.8])
    {
        let found = SHOT.iter().zip(shapes).find(|(e, _)| **e == wanted);
        if let Some((e, shape)) = found {
            chart = chart
                .series(Series::line(format!("ε = {e}"), shape.points()).color(color))
                .series(Series::dashed("", arc_points(*e)).color(color));
        }
    }
    chart
}

fn force_chart(shapes: &[theory::Shape]) -> Chart {
    let loads = |load: fn(f64) -> f64| even(400).map(move |e| [e, load(e)]);
    let shot = SHOT.iter().zip(shapes).map(|(e, shape)| [*e, shape.load]);
    Chart::new("Load against shortening")
        .x("compression ε", "")
        .y("load", "k_b/L²")
        .series(Series::line("arc", loads(|e| -arc::at(e).force)))
        .series(Series::dashed(
            "fit of the arc",
            loads(|e| -fit::at(e).force),
        ))
        .series(Series::line("elastica", loads(|e| -elastica::at(e).force)))
        .series(Series::points("shooting", shot))
}

fn error_chart() -> Chart {
    let error = |law: fn(f64) -> f64| {
        even(2000).map(move |e| [e, 100.0 * (law(e) / arc::at(e).force - 1.0).abs()])
    };
    Chart::new("What stands for the arc, and how well")
        .x("compression ε", "")
        .y("relative error", "%")
        .log_y()
        .y_range(1e-11, 2.0)
        .series(Series::line("fifth order", error(plain_fit)))
        .series(Series::line(
            "fifth order over a root",
            error(|e| fit::at(e).force),
        ))
        .series(Series::line(
            "table",
            error(|e| tabulated_arc().at(e).force),
        ))
}

fn crossover_chart() -> Chart {
    let mut chart = Chart::new("Before buckling: a spring c_b, until it meets the arc")
        .x("compression ε", "")
        .y("load", "k_b/L²")
        .y_range(0.0, 40.0)
        .series(Series::dashed(
            "arc",
            even(400).map(|e| [e, -arc::at(e).force]),
        ));
    for gamma in [40.0, 50.0, 100.0, 500.0] {
        if let Ok(link) = BucklingLink::new(1.0, 1.0, gamma) {
            let points = even(1000).map(|e| [e, -link.respond(1.0 - e).tension_n]);
            chart = chart.series(Series::line(
                format!("γ = {gamma}"),
                points.collect::<Vec<_>>(),
            ));
        }
    }
    let refused = even(1000).map(|e| [e, (31.0 * e).min(-arc::at(e).force)]);
    chart.series(Series::dashed("γ = 31: never", refused))
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_sim::forces::curve::{Evaluation, Shape};

    #[test]
    fn the_default_curve_is_the_tabulated_arc() {
        let named = Curve::new(Shape::Arc, Evaluation::Table);
        assert_eq!(named, Ok(tabulated_arc()));
    }

    #[test]
    fn drawn_arcs_have_the_length_of_the_strip() {
        for e in [0.05, 0.5, 0.9] {
            let points = arc_points(e);
            let length: f64 = points
                .windows(2)
                .map(|p| (p[1][0] - p[0][0]).hypot(p[1][1] - p[0][1]))
                .sum();
            assert!((length - 1.0).abs() < 1e-3, "ε = {e}: {length}");
            assert!((points[100][0] - (1.0 - e)).abs() < 1e-12);
        }
    }
}
