//! What a run says of the length of its steps, each once.

use toile::io::Scene;
use toile::sim::FrameReport;

/// Share of the longest stable step above which a run is warned of it.
const NEAR_LIMIT: f64 = 0.9;

/// What has been said.
#[derive(Default)]
pub struct Warnings {
    /// That steps are long for their scheme.
    long: bool,
    /// That adaptive steps are not short enough.
    coarse: bool,
}

impl Warnings {
    /// What there is to say after a frame, and was not said before.
    pub fn of(&mut self, steps: &FrameReport, scene: &Scene) -> Vec<String> {
        let mut new = Vec::new();
        let integrator = scene.config.integrator.name();
        if steps.share_of_limit_max > NEAR_LIMIT && !self.long {
            self.long = true;
            new.push(format!(
                "steps are {:.0} % of the longest that `{integrator}` bears{}; a smaller \
                 solver.max_step_s is safer",
                100.0 * steps.share_of_limit_max,
                if steps.share_of_limit_max > 1.0 {
                    " and were taken in halves"
                } else {
                    ""
                }
            ));
        }
        if steps.share_of_advice_max > 1.0 && !self.long {
            self.long = true;
            new.push(format!(
                "steps are {:.1} times as long as is wise with `{integrator}`, which damps nothing: cloth \
                 that folds may gain energy; a smaller solver.max_step_s or `bdf2` is safer",
                steps.share_of_advice_max,
            ));
        }
        if steps.over_tolerance > 0 && !self.coarse {
            self.coarse = true;
            new.push(
                "steps as short as solver.adaptive.min_step_s allows still do more than its \
                 tolerance; they are taken as they are"
                    .to_owned(),
            );
        }
        new
    }
}
