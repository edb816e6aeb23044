//! How a sequence is written: axes, units, clock, pre-roll; and the checks every frame passes.
//!
//! All formats are written through [`Adapted`], so each of them only has to put down what it is
//! given.

use super::{Entry, Error, Format, Frame, Header, SequenceWriter, Unwritable, UpAxis, begin};
use glam::Vec3;
use std::path::{Path, PathBuf};

/// How a sequence is to be written. `None` keeps what the source has.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Which axis points up.
    pub up: Option<UpAxis>,
    /// Length of the unit of all lengths, m: 0.01 for centimetres.
    pub metres_per_unit: Option<f64>,
    /// Frames per second. The same frames play faster or slower; velocities follow.
    pub frame_rate_hz: Option<f64>,
    /// Number of the first frame written, pre-roll included.
    pub first_frame: Option<i64>,
    /// Frames before the first, moving in a straight line from rest to the first pose. They take
    /// the first numbers, and the frames of the source follow.
    pub preroll_frames: u32,
    /// Whether velocities are written where there are any.
    pub velocities: bool,
    /// What to believe of the source.
    pub assume: Assumptions,
}

/// What to believe of a source, whatever it says itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Assumptions {
    /// Which axis points up.
    pub up: Option<UpAxis>,
    /// Length of its unit, m.
    pub metres_per_unit: Option<f64>,
    /// Frames per second.
    pub frame_rate_hz: Option<f64>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            up: None,
            metres_per_unit: None,
            frame_rate_hz: None,
            first_frame: None,
            preroll_frames: 0,
            velocities: true,
            assume: Assumptions::default(),
        }
    }
}

/// From the source's axes and units to those of the file.
#[derive(Clone, Copy, Debug)]
struct Change {
    turn: Turn,
    scale: f32,
    /// New frame rate over old.
    speed: f32,
}

#[derive(Clone, Copy, Debug)]
enum Turn {
    None,
    YToZ,
    ZToY,
}

impl Change {
    fn direction(self, v: Vec3) -> Vec3 {
        match self.turn {
            Turn::None => v,
            Turn::YToZ => Vec3::new(v.x, -v.z, v.y),
            Turn::ZToY => Vec3::new(v.x, v.z, -v.y),
        }
    }

    fn positions(self, positions: &mut [Vec3]) {
        for p in positions {
            *p = self.direction(*p) * self.scale;
        }
    }

    fn frame(self, frame: &mut Frame) {
        self.positions(&mut frame.positions);
        for v in &mut frame.velocities {
            *v = self.direction(*v) * self.scale * self.speed;
        }
        for n in &mut frame.normals {
            *n = self.direction(*n);
        }
    }
}

/// A writer that checks and changes frames on their way into a file.
pub(super) struct Adapted {
    path: PathBuf,
    format: Format,
    source: Header,
    /// As it will be written, but for a rest pose the first frame may have to give.
    target: Header,
    change: Change,
    preroll_frames: u32,
    /// Frames taken.
    taken: u64,
    inner: Option<Box<dyn SequenceWriter>>,
}

impl Adapted {
    pub(super) fn new(
        path: &Path,
        format: Format,
        header: &Header,
        options: &Options,
    ) -> Result<Self, Error> {
        let refuse = |reason| Error::unwritable(path, reason);
        let mut source = header.clone();
        let assume = options.assume;
        source.up = assume.up.or(source.up);
        source.metres_per_unit = assume.metres_per_unit.or(source.metres_per_unit);
        source.frame_rate_hz = assume.frame_rate_hz.or(source.frame_rate_hz);
        source
            .validate()
            .map_err(|problem| refuse(problem.into()))?;
        for (what, number) in [
            ("the unit of length", options.metres_per_unit),
            ("the frame rate", options.frame_rate_hz),
        ] {
            if let Some(number) = number.filter(|n| !(n.is_finite() && *n > 0.0)) {
                return Err(refuse(Unwritable::Option(what, number)));
            }
        }
        let fixed = format.is_fixed_frame();
        let other =
            options.up == Some(UpAxis::Z) || options.metres_per_unit.is_some_and(|m| m != 1.0);
        if fixed && other {
            return Err(refuse(Unwritable::FixedFrame(format.name())));
        }
        let (up, unit) = (
            source.up.unwrap_or_default(),
            source.metres_per_unit.unwrap_or(1.0),
        );
        let keep_or_fix = |keep, fix| if fixed { fix } else { keep };
        let mut target = source.clone();
        let target_up = options.up.unwrap_or(keep_or_fix(up, UpAxis::Y));
        let target_unit = options
            .metres_per_unit
            .unwrap_or(if fixed { 1.0 } else { unit });
        let rate = options.frame_rate_hz.unwrap_or(source.rate_hz());
        target.up = Some(target_up);
        target.metres_per_unit = Some(target_unit);
        target.frame_rate_hz = Some(rate);
        target.first_frame = options.first_frame.unwrap_or(source.first_frame);
        target.channels = source.channels.and(format.channels());
        target.channels.velocities &= options.velocities;
        let change = Change {
            turn: match (up, target_up) {
                (UpAxis::Y, UpAxis::Z) => Turn::YToZ,
                (UpAxis::Z, UpAxis::Y) => Turn::ZToY,
                _ => Turn::None,
            },
            scale: (unit / target_unit) as f32,
            speed: source.frame_rate_hz.map_or(1.0, |old| rate / old) as f32,
        };
        change.positions(&mut target.rest);
        if format.is_numbered() && target.first_frame < 0 {
            return Err(refuse(Unwritable::NegativeFrame(target.first_frame)));
        }
        Ok(Self {
            path: path.to_owned(),
            format,
            source,
            target,
            change,
            preroll_frames: options.preroll_frames,
            taken: 0,
            inner: None,
        })
    }

    fn check(&self, frame: &Frame) -> Result<(), Unwritable> {
        let vertices = self.source.vertices;
        if let Some((list, found)) = frame.misfit(vertices, self.source.channels) {
            return Err(Unwritable::Length {
                frame: self.taken,
                list,
                found,
                vertices,
            });
        }
        match frame.non_finite() {
            None => Ok(()),
            Some((list, vertex)) => Err(Unwritable::NotFinite {
                frame: self.taken,
                list,
                vertex,
            }),
        }
    }

    /// The frames between rest and `first`, the frame at rest included and `first` left out.
    fn preroll(&self, first: &Frame, inner: &mut dyn SequenceWriter) -> Result<(), Error> {
        let frames = self.preroll_frames as f32;
        let rest = &self.target.rest;
        let mut frame = first.clone();
        let rate_hz = self.target.rate_hz() as f32;
        for ((v, r), p) in frame.velocities.iter_mut().zip(rest).zip(&first.positions) {
            *v = (*p - *r) * (rate_hz / frames);
        }
        for k in 0..self.preroll_frames {
            let way = k as f32 / frames;
            let ends = rest.iter().zip(&first.positions);
            for (p, (r, f)) in frame.positions.iter_mut().zip(ends) {
                *p = r.lerp(*f, way);
            }
            inner.frame(&frame)?;
        }
        Ok(())
    }
}

impl SequenceWriter for Adapted {
    fn frame(&mut self, frame: &Frame) -> Result<(), Error> {
        self.check(frame)
            .map_err(|reason| Error::unwritable(&self.path, reason))?;
        let mut changed = frame.clone();
        changed.keep(self.target.channels);
        self.change.frame(&mut changed);
        let mut inner = match self.inner.take() {
            Some(inner) => inner,
            None => {
                if self.target.rest.is_empty() {
                    self.target.rest.clone_from(&changed.positions);
                }
                let mut inner = begin(&self.path, self.format, self.target.clone())?;
                self.preroll(&changed, inner.as_mut())?;
                inner
            }
        };
        inner.frame(&changed)?;
        self.inner = Some(inner);
        self.taken += 1;
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Vec<Entry>, Error> {
        match self.inner {
            Some(inner) => inner.finish(),
            None => Err(Error::unwritable(&self.path, Unwritable::NoFrames)),
        }
    }
}
