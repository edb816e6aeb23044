//! From what a person with a ruler can measure to a fabric, with the error of every number.
//!
//! - Bending: a strip pushed over an edge until the straight line from the edge to its tip makes a
//!   given angle with the level. The overhang `L` and the weight give `B = ρ g L³/Γ`, with `Γ` of the
//!   heavy elastica at that angle: no approximation, at any angle.
//! - Stretch: a line through the origin and the points of a tensile test, by least squares.
//! - Drape: a check alone. The rim of Cusick's disc, if it were a ring of strips that do not know of
//!   each other, would hang as the elastica does; what a ring resists in addition makes a real
//!   coefficient larger.

mod written;

use crate::specimen::GRAVITY;
use crate::theory::cantilever;
use std::ops::RangeInclusive;
use toile_io::fabric::Fabric;

/// The angle of the common instruments, degrees.
pub const USUAL_ANGLE_DEG: f64 = 41.5;

/// A direction of the weave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thread {
    /// Along u.
    Warp,
    /// Along v.
    Weft,
}

/// A point of a tensile test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TensilePoint {
    /// Which threads were pulled.
    pub thread: Thread,
    /// Force per width of the strip, N/m.
    pub force_n_per_m: f64,
    /// Change of length over length.
    pub strain: f64,
}

/// What was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Readings {
    /// What the fabric is to be called.
    pub name: String,
    /// Mass per area, kg/m².
    pub area_density_kg_per_m2: f64,
    /// Overhang of a strip cut along warp and of one cut along weft, m.
    pub overhang_m: [f64; 2],
    /// Angle of the line from the edge to the tip below the level, degrees.
    pub angle_deg: f64,
    /// How far off an overhang may have been read, m.
    pub reading_error_m: f64,
    /// Drape coefficient, per cent.
    pub drape_percent: Option<f64>,
    /// Tensile tests.
    pub tensile: Vec<TensilePoint>,
}

/// A bending rigidity and its bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rigidity {
    /// As read, N·m.
    pub bending_n_m: f64,
    /// If the overhang was read too long and too short by the reading error, N·m.
    pub bounds_n_m: [f64; 2],
    /// Bending length `(B/ρg)^⅓`, m.
    pub length_m: f64,
}

/// A stiffness and how well its points lie on a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stiffness {
    /// Slope of the line, N/m.
    pub stretch_n_per_m: f64,
    /// Number of points.
    pub points: usize,
    /// Root of the mean square distance of the points from the line, N/m.
    pub residual_n_per_m: f64,
    /// Standard error of the slope, N/m; unknown from a single point.
    pub error_n_per_m: Option<f64>,
}

/// A fabric and how well it is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The fabric.
    pub fabric: Fabric,
    /// `Γ` at the angle of the test.
    pub weight_number: f64,
    /// Bending along warp and weft.
    pub bending: [Rigidity; 2],
    /// Stretch along warp and weft, where points were given.
    pub stretch: [Option<Stiffness>; 2],
    /// Drape coefficient of strips that do not know of each other, per cent.
    pub strip_drape_percent: f64,
}

/// A reading that cannot be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{what}: expected {expected}, found {found}")]
pub struct Unlikely {
    /// Which reading.
    pub what: &'static str,
    /// Its value.
    pub found: f64,
    /// What it could be.
    pub expected: String,
}

/// The fabric that was measured.
pub fn fit(readings: &Readings) -> Result<Fit, Unlikely> {
    check(readings)?;
    let weight = readings.area_density_kg_per_m2 * GRAVITY;
    let gamma = cantilever::weight_number(readings.angle_deg.to_radians());
    let bending = readings.overhang_m.map(|overhang| {
        let rigidity = |overhang: f64| weight * overhang.powi(3) / gamma;
        let error = readings.reading_error_m;
        Rigidity {
            bending_n_m: rigidity(overhang),
            bounds_n_m: [rigidity(overhang - error), rigidity(overhang + error)],
            length_m: (rigidity(overhang) / weight).cbrt(),
        }
    });
    let stretch = [Thread::Warp, Thread::Weft].map(|thread| line(&readings.tensile, thread));
    let rigidity = (bending[0].bending_n_m * bending[1].bending_n_m).sqrt();
    Ok(Fit {
        fabric: written::fabric(readings, bending, stretch),
        weight_number: gamma,
        bending,
        stretch,
        strip_drape_percent: strip_drape_percent(weight, rigidity),
    })
}

/// Cusick's disc and specimen, m.
const DISC_M: f64 = 0.09;
const SPECIMEN_M: f64 = 0.15;

/// Drape coefficient, in per cent, of a ring of strips of this weight per area and rigidity.
fn strip_drape_percent(weight_n_per_m2: f64, bending_n_m: f64) -> f64 {
    let overhang = SPECIMEN_M - DISC_M;
    let (tip, _) = cantilever::bend(weight_n_per_m2 * overhang.powi(3) / bending_n_m);
    let ring = |radius: f64| radius * radius - DISC_M * DISC_M;
    100.0 * ring(DISC_M + overhang * tip.reach) / ring(SPECIMEN_M)
}

/// The line through the origin nearest to the points of one thread.
fn line(points: &[TensilePoint], thread: Thread) -> Option<Stiffness> {
    let points: Vec<_> = points.iter().filter(|p| p.thread == thread).collect();
    let squares: f64 = points.iter().map(|p| p.strain * p.strain).sum();
    if points.is_empty() {
        return None;
    }
    let slope = points
        .iter()
        .map(|p| p.strain * p.force_n_per_m)
        .sum::<f64>()
        / squares;
    let misses: f64 = points
        .iter()
        .map(|p| (p.force_n_per_m - slope * p.strain).powi(2))
        .sum();
    let count = points.len();
    let free = count.checked_sub(1).filter(|free| *free > 0);
    Some(Stiffness {
        stretch_n_per_m: slope,
        points: count,
        residual_n_per_m: (misses / count as f64).sqrt(),
        error_n_per_m: free.map(|free| (misses / free as f64 / squares).sqrt()),
    })
}

/// Refuses what no fabric and no test gives: most likely another unit was meant.
fn check(readings: &Readings) -> Result<(), Unlikely> {
    let error = readings.reading_error_m;
    let values: [(_, _, RangeInclusive<f64>, _); 5] = [
        (
            "weight",
            1e3 * readings.area_density_kg_per_m2,
            1.0..=1e4,
            "1 to 10000 g/m²",
        ),
        ("reading error", 1e3 * error, 0.0..=20.0, "0 to 20 mm"),
        ("angle", readings.angle_deg, 5.0..=85.0, "5 to 85 degrees"),
        (
            "drape coefficient",
            readings.drape_percent.unwrap_or(50.0),
            0.0..=100.0,
            "0 to 100 %",
        ),
        (
            "number of tensile points",
            readings.tensile.len() as f64,
            0.0..=1e4,
            "at most 10000",
        ),
    ];
    let overhangs = readings.overhang_m.map(|l| {
        (
            "overhang",
            1e3 * l,
            1e3 * error + 1.0..=2000.0,
            "1 mm more than the reading error, to 2000 mm",
        )
    });
    let strains = readings.tensile.iter().map(|p| {
        (
            "strain",
            p.strain,
            1e-6..=10.0,
            "a share between 0.000001 and 10",
        )
    });
    let forces = readings
        .tensile
        .iter()
        .map(|p| ("force", p.force_n_per_m, 1e-6..=1e7, "0.000001 to 1e7 N/m"));
    for (what, found, range, expected) in values
        .into_iter()
        .chain(overhangs)
        .chain(strains)
        .chain(forces)
    {
        if !range.contains(&found) {
            return Err(Unlikely {
                what,
                found,
                expected: expected.to_owned(),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn readings() -> Readings {
        Readings {
            name: "mine".to_owned(),
            area_density_kg_per_m2: 0.15,
            overhang_m: [0.04, 0.03],
            angle_deg: USUAL_ANGLE_DEG,
            reading_error_m: 1e-3,
            drape_percent: Some(60.0),
            tensile: Vec::new(),
        }
    }

    /// At 41.5° the bending length is half the overhang, to 0.02 %.
    #[test]
    fn the_usual_angle_gives_half_the_overhang() {
        let fit = fit(&readings()).unwrap();
        assert!(
            (fit.weight_number - 8.0042).abs() < 1e-3,
            "{}",
            fit.weight_number
        );
        for (bending, overhang) in fit.bending.iter().zip([0.04, 0.03]) {
            assert!((bending.length_m / overhang - 0.5).abs() < 2e-4);
            let expected = 0.15 * 9.81 * f64::powi(0.5 * overhang, 3);
            assert!((bending.bending_n_m / expected - 1.0).abs() < 1e-3);
            let [low, high] = bending.bounds_n_m.map(|b| b / bending.bending_n_m - 1.0);
            let share = 3.0 * 1e-3 / overhang;
            assert!((low + share).abs() < 0.1 * share && (high - share).abs() < 0.1 * share);
        }
    }

    /// A strip of known rigidity, hung over the edge by the simulator's own theory, is found again.
    #[test]
    fn a_known_strip_is_found_at_any_angle() {
        for gamma in [1.0, 3.0, 20.0, 60.0] {
            let (tip, _) = cantilever::bend(gamma);
            let overhang = 0.05;
            let fit = fit(&Readings {
                overhang_m: [overhang; 2],
                angle_deg: tip.drop.atan2(tip.reach).to_degrees(),
                ..readings()
            })
            .unwrap();
            let expected = 0.15 * 9.81 * overhang.powi(3) / gamma;
            let found = fit.bending[0].bending_n_m;
            assert!(
                (found / expected - 1.0).abs() < 1e-5,
                "Γ = {gamma}: {found} {expected}"
            );
        }
    }

    #[test]
    fn the_strips_of_a_disc_hang_as_the_elastica() {
        // Γ = 18.8: 40 %.
        let found = strip_drape_percent(0.15 * 9.81, 0.15 * 9.81 * 0.06_f64.powi(3) / 18.8);
        assert!((found - 40.0).abs() < 1.0, "{found}");
        assert!(strip_drape_percent(1.0, 1e3) > 99.9);
        assert!(strip_drape_percent(1.0, 1e-8) < 5.0);
    }

    #[test]
    fn points_on_a_line_give_its_slope_and_no_error() {
        let point = |strain: f64, force_n_per_m: f64| TensilePoint {
            thread: Thread::Weft,
            force_n_per_m,
            strain,
        };
        let exact = line(&[point(0.01, 20.0), point(0.03, 60.0)], Thread::Weft).unwrap();
        assert!((exact.stretch_n_per_m - 2000.0).abs() < 1e-9);
        assert!(exact.error_n_per_m.unwrap() < 1e-9);
        let scattered = line(&[point(0.01, 22.0), point(0.03, 59.0)], Thread::Weft).unwrap();
        assert!((scattered.stretch_n_per_m - 1990.0).abs() < 1e-9);
        assert!(scattered.residual_n_per_m > 1.0 && scattered.error_n_per_m.unwrap() > 10.0);
        assert_eq!(
            line(&[point(0.01, 22.0)], Thread::Weft)
                .unwrap()
                .error_n_per_m,
            None
        );
        assert_eq!(line(&[point(0.01, 22.0)], Thread::Warp), None);
    }

    #[test]
    fn the_thread_not_pulled_is_said_to_be_taken_from_the_other() {
        let mut readings = readings();
        readings.tensile.push(TensilePoint {
            thread: Thread::Weft,
            force_n_per_m: 100.0,
            strain: 0.03,
        });
        let fabric = fit(&readings).unwrap().fabric;
        assert_eq!(fabric.stretch_n_per_m, 3333.0);
        assert_eq!(fabric.stretch_weft_n_per_m, Some(3333.0));
        assert!(
            fabric
                .source_of("stretch_n_per_m")
                .contains("as along weft")
        );
        assert!(fabric.source_of("stretch_weft_n_per_m").contains("tensile"));
        assert!(fabric.source_of("friction").contains("not measured"));
    }

    #[test]
    fn unlikely_readings_are_refused() {
        let bad = [
            Readings {
                area_density_kg_per_m2: 150.0,
                ..readings()
            },
            Readings {
                overhang_m: [0.04, 0.001],
                ..readings()
            },
            Readings {
                overhang_m: [f64::NAN, 0.03],
                ..readings()
            },
            Readings {
                angle_deg: 90.0,
                ..readings()
            },
            Readings {
                drape_percent: Some(101.0),
                ..readings()
            },
            Readings {
                tensile: vec![TensilePoint {
                    thread: Thread::Warp,
                    force_n_per_m: 10.0,
                    strain: 0.0,
                }],
                ..readings()
            },
        ];
        for readings in bad {
            assert!(fit(&readings).is_err(), "{readings:?}");
        }
    }
}
