//! The way of every frame into a file: checked, then turned and scaled as the options say.
//!
//! All formats are written through [`Adapted`], so each of them only has to put down what it is
//! given.

use super::change::Change;
use super::numbered::Pattern;
use super::{Channels, Entry, Error, Format, Frame, Header, Options, begin, stills};
use super::{SequenceReader, SequenceWriter, Unwritable, UpAxis};
use std::path::{Path, PathBuf};

/// A writer that checks and changes frames on their way into a file.
pub(super) struct Adapted {
    path: PathBuf,
    format: Format,
    source: Header,
    /// As it will be written, but for a rest pose the first frame may have to give.
    target: Header,
    change: Change,
    preroll_frames: u32,
    /// Frame of the run the first one is.
    run_frame: u64,
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
        if let Some((what, number)) = options.unusable() {
            return Err(refuse(Unwritable::Option(what, number)));
        }
        let fixed = format.is_fixed_frame();
        let other =
            options.up == Some(UpAxis::Z) || options.metres_per_unit.is_some_and(|m| m != 1.0);
        if fixed && other {
            return Err(refuse(Unwritable::FixedFrame(format.name())));
        }
        let mut target = source.clone();
        let (up, unit) = match fixed {
            true => (UpAxis::Y, 1.0),
            false => (
                source.up.unwrap_or_default(),
                source.metres_per_unit.unwrap_or(1.0),
            ),
        };
        target.up = Some(options.up.unwrap_or(up));
        target.metres_per_unit = Some(options.metres_per_unit.unwrap_or(unit));
        target.frame_rate_hz = Some(options.frame_rate_hz.unwrap_or(source.rate_hz()));
        target.first_frame = options.first_frame.unwrap_or(source.first_frame);
        target.channels = source.channels.and(format.channels());
        target.channels.velocities &= options.velocities;
        let change = Change::between(&source, &target).enlarged(options.enlargement);
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
            run_frame: 0,
            taken: 0,
            inner: None,
        })
    }

    /// The same without the first `run_frame` frames and the pre-roll; the numbers of the others
    /// stay.
    pub(super) fn without(mut self, run_frame: u64) -> Self {
        if run_frame > 0 {
            self.target.first_frame += i64::from(self.preroll_frames) + run_frame as i64;
            self.preroll_frames = 0;
            self.run_frame = run_frame;
        }
        self
    }

    /// What the manifest will say of it, with no frames yet.
    pub(super) fn plan(&self) -> Result<Entry, Error> {
        let path = match self.format.is_numbered() {
            true => Pattern::of(&self.path)?.shown(),
            false => self.path.clone(),
        };
        let entry = Entry::new(&path, self.format, &self.target, 0, 0);
        Ok(self.placed(entry))
    }

    fn placed(&self, entry: Entry) -> Entry {
        Entry {
            pre_roll_frames: self.preroll_frames,
            run_frame: self.run_frame,
            ..entry
        }
    }

    /// What its frames hold besides positions.
    pub(super) fn channels(&self) -> Channels {
        self.target.channels
    }

    /// Whether it has taken no frame.
    pub(super) fn is_empty(&self) -> bool {
        self.inner.is_none()
    }

    /// Frames with numbers that are in files already, pre-roll included.
    pub(super) fn follow(&mut self, frames: u64) -> Result<(), Error> {
        let header = self.target.clone();
        let writer = stills::Writer::after(&self.path, self.format, header, frames)?;
        self.inner = Some(Box::new(writer));
        self.taken = frames.saturating_sub(u64::from(self.preroll_frames));
        Ok(())
    }

    /// Takes `frames` frames of a reader from `first` on as its own next ones. They are in the
    /// reader's axes and units, and hold at least what this file is to hold.
    pub(super) fn take_over(
        &mut self,
        reader: &mut dyn SequenceReader,
        first: u64,
        frames: u64,
    ) -> Result<(), Error> {
        let change = Change::between(reader.header(), &self.target);
        for k in first..first + frames {
            let mut frame = reader.read_frame(k)?;
            frame.keep(self.target.channels);
            change.frame(&mut frame);
            self.put(&frame)?;
        }
        Ok(())
    }

    /// Writes a frame that is as it should be.
    fn put(&mut self, frame: &Frame) -> Result<(), Error> {
        let mut inner = match self.inner.take() {
            Some(inner) => inner,
            None => {
                if self.target.rest.is_empty() {
                    self.target.rest.clone_from(&frame.positions);
                }
                let mut inner = begin(&self.path, self.format, self.target.clone())?;
                self.preroll(frame, inner.as_mut())?;
                inner
            }
        };
        inner.frame(frame)?;
        self.inner = Some(inner);
        self.taken += 1;
        Ok(())
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
        self.put(&changed)
    }

    fn finish(mut self: Box<Self>) -> Result<Vec<Entry>, Error> {
        let Some(inner) = self.inner.take() else {
            return Err(Error::unwritable(&self.path, Unwritable::NoFrames));
        };
        let mut entries = inner.finish()?;
        // The sequence comes first; a rest mesh may follow.
        if let Some(entry) = entries.first_mut() {
            *entry = self.placed(entry.clone());
        }
        Ok(entries)
    }
}
