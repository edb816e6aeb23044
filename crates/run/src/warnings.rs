//! What a run says of how it is solved: when it starts, of its steps, and when it is done.

use toile_io::{Report, Scene};
use toile_sim::{Form, FrameReport, Model, StepConfig};

/// Share of the longest stable step above which a run is warned of it.
const NEAR_LIMIT: f64 = 0.9;

/// What has been said of the length of steps, each once.
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
        if steps.solver.share_of_limit_max > NEAR_LIMIT && !self.long {
            self.long = true;
            new.push(format!(
                "steps are {:.0} % of the longest that `{integrator}` bears{}; a smaller \
                 solver.max_step_s is safer",
                100.0 * steps.solver.share_of_limit_max,
                if steps.solver.share_of_limit_max > 1.0 {
                    " and were taken in halves"
                } else {
                    ""
                }
            ));
        }
        if steps.solver.share_of_advice_max > 1.0 && !self.long {
            self.long = true;
            new.push(format!(
                "steps are {:.1} times as long as is wise with `{integrator}`, which damps nothing: cloth \
                 that folds may gain energy; a smaller solver.max_step_s or `bdf2` is safer",
                steps.solver.share_of_advice_max,
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

/// Why the fast solver cannot be used, where it was asked for.
pub fn fallback(model: &Model, config: &StepConfig) -> Option<String> {
    let (_, why) = Form::of(model, config);
    why.map(|why| {
        format!("{why}, so the fast solver gives way to the assembled one, which is slower")
    })
}

/// What there is to say of linear solves that ended early, if any did.
pub fn unconverged(report: &Report, config: &StepConfig) -> Option<String> {
    let (missed, solves) = (report.unconverged_solves, report.solves);
    let most = config.linear_max_iterations;
    (missed > 0).then(|| {
        format!(
            "{missed} of {solves} linear solves ended before solver.linear_tolerance = {:e} was met, at \
             solver.linear_max_iterations = {most} or where precision ran out; cloth then moves less than it \
             should: raise one of them, or take a smaller solver.max_step_s",
            config.linear_tolerance
        )
    })
}
