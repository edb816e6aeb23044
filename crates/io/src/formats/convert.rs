//! From any format to any other, frame by frame.

use super::numbered::Pattern;
use super::{Entry, Error, Format, Header, Options, SequenceReader, Unwritable, create, open_all};
use std::path::{Path, PathBuf};

/// What a conversion leaves behind.
#[derive(Clone, Debug, PartialEq)]
pub struct Converted {
    /// The files written.
    pub files: Vec<Entry>,
    /// What was assumed and what was lost, in words.
    pub notes: Vec<String>,
}

/// Reads `inputs`, one sequence or the files of one, and writes `output`.
pub fn convert(inputs: &[PathBuf], output: &Path, options: &Options) -> Result<Converted, Error> {
    let mut reader = open_all(inputs)?;
    let format = Format::of(output)?;
    let frames = reader.frames() + u64::from(options.preroll_frames);
    refuse_overwriting(reader.as_ref(), output, format)?;
    let first = options.first_frame.unwrap_or(reader.header().first_frame);
    refuse_mixing(output, format, first, frames)?;
    if let Some(reason) = format.refuses(reader.header(), frames) {
        return Err(Error::unwritable(output, reason));
    }
    let mut notes = reader.notes().to_vec();
    notes.extend(assumed(reader.header(), options));
    notes.extend(format.losses(reader.header()));
    let mut writer = create(output, reader.header(), options)?;
    for k in 0..reader.frames() {
        writer.frame(&reader.read_frame(k)?)?;
    }
    Ok(Converted {
        files: writer.finish()?,
        notes,
    })
}

/// Numbered files appear one by one, so they must not be those still to be read.
fn refuse_overwriting(
    reader: &dyn SequenceReader,
    output: &Path,
    format: Format,
) -> Result<(), Error> {
    if reader.format() != format || !format.is_numbered() {
        return Ok(());
    }
    let folder = |path: &Path| {
        let folder = path.parent().unwrap_or(Path::new(""));
        std::path::absolute(folder.join("."))
            .and_then(std::fs::canonicalize)
            .ok()
    };
    let pattern = Pattern::of(output)?;
    let name = reader.path().file_name().and_then(|name| name.to_str());
    let same_name = name.is_some_and(|name| pattern.number(name).is_some());
    if same_name && folder(reader.path()) == folder(output) {
        return Err(Error::unwritable(output, Unwritable::OwnInput));
    }
    Ok(())
}

/// Files of another sequence with other numbers would be taken for part of this one.
fn refuse_mixing(output: &Path, format: Format, first: i64, frames: u64) -> Result<(), Error> {
    // Numbers below zero are refused when the writer begins.
    let Ok(first) = u64::try_from(first) else {
        return Ok(());
    };
    if !format.is_numbered() {
        return Ok(());
    }
    let pattern = Pattern::of(output)?;
    let own = first..first.saturating_add(frames);
    match pattern.numbers().iter().find(|n| !own.contains(n)) {
        None => Ok(()),
        Some(other) => {
            let reason = Unwritable::Mixed(pattern.file(*other));
            Err(Error::unwritable(output, reason))
        }
    }
}

/// What the source does not say and nobody has told.
fn assumed(header: &Header, options: &Options) -> Vec<String> {
    let told = options.assume;
    let mut notes = Vec::new();
    if header
        .frame_rate_hz
        .or(told.frame_rate_hz)
        .or(options.frame_rate_hz)
        .is_none()
    {
        let rate = super::DEFAULT_FRAME_RATE_HZ;
        notes.push(format!(
            "the frame rate is not stated: {rate} Hz is assumed"
        ));
    }
    if header.metres_per_unit.or(told.metres_per_unit).is_none() {
        notes.push("the unit of length is not stated: metres are assumed".to_owned());
    }
    if header.up.or(told.up).is_none() {
        notes.push("the up axis is not stated: y is assumed".to_owned());
    }
    notes
}
