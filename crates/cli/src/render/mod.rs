//! `toile render`: pictures and films of what was simulated before, here or elsewhere.

mod args;
mod layout;
mod studio;
mod viewpoint;

pub use args::RenderArgs;

use crate::exit::{self, Failure, Outcome};
use crate::interrupt;
use crate::progress::Progress;
use args::FrameRange;
use layout::Layout;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::process::ExitCode;
use studio::{Shot, Studio};
use toile::io::formats::DEFAULT_FRAME_RATE_HZ;
use toile::run::recorder::{self, Recorder};
use toile::run::saved::Source;
use toile::run::set::{self, Look, Moment};
use toile::run::{RunError, overview};
use toile::view::{Image, RenderOptions, Renderer};

/// Makes pictures.
pub fn render(args: &RenderArgs) -> Outcome {
    if args.overview {
        return summary(args);
    }
    let mut sources = vec![Source::open(&args.input)?];
    if let Some(other) = &args.beside {
        sources.push(Source::open(other)?);
    }
    let frames = frames(&args.frames, &sources)?;
    let layout = Layout::new(args, sources.len())?;
    let shots = shots(args, frames.clone());
    let out = out(args, shots.len());
    let fps = fps(args, &sources)?;
    let quantity = args.color.quantity();
    if let Some(quantity) = &quantity {
        for source in &mut sources {
            quantity.check(source)?;
        }
    } else if args.range.is_some() {
        return Err(Failure::input(
            "--range: plain fabric has no values; say with --color what is to be shown",
        ));
    }
    let mut studio = Studio::new(args, sources, quantity, layout, fps)?;
    studio.survey(args, frames)?;
    let size = layout.size;
    let first = shots.first().filter(|_| args.turntable.is_none());
    let first = first.map_or(0, |shot| shot.frame);
    let recorder = Recorder::create(&out, size, fps, first)?;
    let stop = interrupt::stop();
    let mut progress = Progress::new(args.quiet, shots.len() as u64, 0);
    let drawn = studio.draw(&shots, &recorder, &mut progress, &stop);
    progress.finish();
    let written = recorder.finish();
    let drawn = drawn?;
    written?;
    if !args.quiet {
        if let (Some(quantity), Some(scale)) = (&quantity, &studio.scale) {
            println!("colours: {}", quantity.describe(scale));
        }
        println!(
            "wrote {} ({drawn} drawn, {}×{})",
            out.display(),
            size[0],
            size[1]
        );
    }
    Ok(if stop.is_asked() {
        ExitCode::from(exit::INTERRUPTED)
    } else {
        ExitCode::SUCCESS
    })
}

/// `--overview`: plots and an overview of a run that is done.
fn summary(args: &RenderArgs) -> Outcome {
    let folder = &args.input;
    let poster = folder.join("poster.png");
    let poster = if poster.exists() {
        Image::read_png(&poster).map_err(RunError::picture)?
    } else {
        poster_of(&mut Source::open(folder)?)?
    };
    for path in overview::write_of(folder, &poster)? {
        if !args.quiet {
            println!("wrote {}", path.display());
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The last frame, as a run would show it.
fn poster_of(source: &mut Source) -> Result<Image, Failure> {
    let options = RenderOptions::default();
    let mut framing = set::framing(&options);
    let last = source.frames().saturating_sub(1);
    let positions = source.positions(last)?;
    let moment = Moment {
        positions: &positions,
        time_s: source.time_s(last, source.fps.unwrap_or(DEFAULT_FRAME_RATE_HZ)),
    };
    source.set.show(moment, |points| framing.include(points));
    let (mut renderer, camera) = (Renderer::new(options), framing.camera());
    let look = Look::default();
    let Source { set, cloths, .. } = source;
    Ok(set::draw(&mut renderer, &camera, set, cloths, moment, look))
}

/// The frames asked for, which must be there; of two sequences the longer counts.
fn frames(asked: &FrameRange, sources: &[Source]) -> Result<RangeInclusive<u64>, Failure> {
    let count = sources.iter().map(Source::frames).max().unwrap_or(0);
    let Some(end) = count.checked_sub(1) else {
        return Err(Failure::input("there are no frames to draw"));
    };
    let (first, last) = (asked.first.unwrap_or(0), asked.last.unwrap_or(end));
    let missing = [first, last].into_iter().find(|frame| *frame > end);
    match missing {
        Some(frame) => Err(Failure::input(format!(
            "--frames: there is no frame {frame}: frames are 0 to {end}"
        ))),
        None => Ok(first..=last),
    }
}

/// The pictures to be drawn, in order.
fn shots(args: &RenderArgs, frames: RangeInclusive<u64>) -> Vec<Shot> {
    let still = |frame| Shot {
        frame,
        turn_rad: 0.0,
    };
    let last = *frames.end();
    if let Some(pictures) = args.turntable {
        let step_rad = std::f64::consts::TAU / f64::from(pictures);
        let turn = |i: u32| Shot {
            frame: last,
            turn_rad: f64::from(i) * step_rad,
        };
        return (0..pictures).map(turn).collect();
    }
    match (&args.contact_sheet, &args.out) {
        (Some(sheet), _) => {
            let cells = (sheet.0[0] * sheet.0[1]) as u64;
            spread(&frames, cells).map(still).collect()
        }
        // Only the last picture would be kept.
        (None, Some(out)) if recorder::is_still(out) => vec![still(last)],
        _ => frames.map(still).collect(),
    }
}

/// `count` frames, evenly spread from the first to the last; fewer if there are fewer.
fn spread(frames: &RangeInclusive<u64>, count: u64) -> impl Iterator<Item = u64> + use<> {
    let (first, length) = (*frames.start(), frames.end() - frames.start());
    let count = count.clamp(1, length + 1);
    (0..count).map(move |i| match count {
        // One frame stands for all: the last, where things have come to an end.
        1 => first + length,
        _ => first + (i * length + (count - 1) / 2) / (count - 1),
    })
}

fn out(args: &RenderArgs, shots: usize) -> PathBuf {
    if let Some(out) = &args.out {
        return out.clone();
    }
    let ending = if args.contact_sheet.is_some() || shots == 1 {
        "png"
    } else {
        "mp4"
    };
    let folder = if args.input.is_dir() {
        args.input.as_path()
    } else {
        args.input.parent().unwrap_or(&args.input)
    };
    folder.join(format!("render.{ending}"))
}

fn fps(args: &RenderArgs, sources: &[Source]) -> Result<f64, Failure> {
    let known = args.fps.or(sources[0].fps);
    let fps = known.unwrap_or(DEFAULT_FRAME_RATE_HZ);
    if (1.0..=1000.0).contains(&fps) {
        return Ok(fps);
    }
    Err(Failure::input(format!(
        "--fps: there cannot be {fps} pictures a second: expected 1 to 1000"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_spread_from_end_to_end() {
        let list = |frames, count| spread(&frames, count).collect::<Vec<_>>();
        assert_eq!(list(0..=100, 5), [0, 25, 50, 75, 100]);
        assert_eq!(list(3..=4, 12), [3, 4]);
        assert_eq!(list(7..=7, 3), [7]);
        assert_eq!(list(0..=9, 1), [9]);
        let many = list(10..=1009, 48);
        assert_eq!((many.len(), many[0], many[47]), (48, 10, 1009));
        assert!(many.is_sorted_by(|a, b| a < b));
    }
}
