//! Continuous collision detection on queries with exact answers, and its speed on a drape.

mod queries;
mod speed;

use crate::check::{Band, Check};
use crate::experiment::{Error, Findings};
use crate::table::Table;
use queries::{Family, Query};
use speed::Speed;
use toile_view::plot::{Chart, Series};

/// Queries of each kind in a family.
const COUNT: usize = 1000;
/// As near to the exact time as nearly all answers must be.
const NEAR: f64 = 1e-6;

/// How the answers to a family compare with the truth.
#[derive(Default)]
struct Score {
    contacts: usize,
    misses: usize,
    late: usize,
    false_positives: usize,
    /// How much too early each contact was found.
    early: Vec<f64>,
}

impl Score {
    fn of(queries: &[Query]) -> Self {
        let mut score = Self::default();
        for query in queries {
            match (query.answer(), &query.truth) {
                (Some(time), Some(truth)) => {
                    score.contacts += 1;
                    score.late += usize::from(truth.is_before(time));
                    score.early.push((truth.rounded() - time).max(0.0));
                }
                (None, Some(_)) => {
                    score.contacts += 1;
                    score.misses += 1;
                }
                (Some(_), None) => score.false_positives += 1,
                (None, None) => {}
            }
        }
        score.early.sort_by(f64::total_cmp);
        score
    }

    fn near_share(&self) -> f64 {
        let near = self.early.iter().filter(|e| **e <= NEAR).count();
        near as f64 / self.contacts.max(1) as f64
    }
}

/// Answers queries of all families, and measures the speed on the pairs of a drape.
pub fn run() -> Result<Findings, Error> {
    let mut table = Table::new([
        "queries",
        "contacts",
        "misses",
        "late",
        "within 1e-6 (%)",
        "earliest by",
        "false positives",
    ]);
    let mut checks = Vec::new();
    let mut chart = Chart::new("How early contacts are found")
        .x("share of contacts", "")
        .y("too early by", "steps")
        .log_y();
    for family in Family::ALL {
        let score = Score::of(&family.queries(COUNT));
        table.row([
            family.name().to_owned(),
            score.contacts.to_string(),
            score.misses.to_string(),
            score.late.to_string(),
            format!("{:.2}", 100.0 * score.near_share()),
            format!("{:.1e}", score.early.last().copied().unwrap_or(0.0)),
            score.false_positives.to_string(),
        ]);
        let mut check = |what: &str, value: f64, band| {
            checks.push(Check::new(
                format!("{}: {what}", family.name()),
                value,
                band,
            ));
        };
        check("misses", score.misses as f64, Band::AtMost(0.0));
        check("later than exact", score.late as f64, Band::AtMost(0.0));
        check("share within 1e-6", score.near_share(), Band::AtLeast(0.99));
        check(
            "false positives",
            score.false_positives as f64,
            Band::AtMost(0.0),
        );
        check("contacts", score.contacts as f64, Band::AtLeast(50.0));
        let of_all = score.early.len().max(1) as f64;
        // Exact answers would not show on a logarithmic axis.
        let points = (score.early.iter().enumerate())
            .map(|(k, early)| [(k + 1) as f64 / of_all, early.max(1e-17)]);
        chart = chart.series(Series::line(family.name(), points.collect::<Vec<_>>()));
    }
    let speed = Speed::measure()?;
    checks.push(Check::new(
        "drape: frames in which tree and grid list different pairs",
        speed.different as f64,
        Band::AtMost(0.0),
    ));
    checks.push(Check::new(
        "drape: frames compared",
        speed.frames as f64,
        Band::AtLeast(speed::FRAMES.len() as f64),
    ));
    Ok(Findings {
        table,
        checks,
        figure: Box::new(chart),
        notes: format!(
            "Half of the queries are points against triangles, half edges against edges. \"By \
             construction\" has whole coordinates chosen so that the first contact is known; the \
             truth of the others is found in exact arithmetic. Answers without any error are drawn at \
             1e-17.\n{speed}"
        ),
    })
}
