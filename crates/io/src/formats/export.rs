//! One sequence in several formats in one folder, with a manifest: what a run leaves behind.
//!
//! A run that begins anew first removes what an earlier one left. A resumed run goes on with it:
//! numbered files follow those that are there; single files are written again, their first frames
//! taken from themselves or from whatever else in the folder holds them; and where nothing does, a
//! file `NAME-from-FRAME` begins at the resumed frame and the manifest says so.

use super::adapt::Adapted;
use super::numbered::Pattern;
use super::{Entry, Error, Format, Frame, Header, Manifest, Options};
use super::{SequenceReader, SequenceWriter, open};
use std::fs;
use std::path::{Path, PathBuf};

/// Writes a sequence in several formats at once. The folder must exist.
pub struct Export {
    folder: PathBuf,
    writers: Vec<Adapted>,
    /// Files of the run's first part that stay as they are.
    kept: Vec<Entry>,
    notes: Vec<String>,
}

impl Export {
    /// Begins `NAME.EXTENSION` in every format; what an earlier run left under these names, and
    /// everything its manifest lists, is removed.
    pub fn create(
        folder: &Path,
        name: &str,
        header: &Header,
        formats: &[(Format, Options)],
    ) -> Result<Self, Error> {
        let writers = formats.iter().map(|(format, options)| {
            Adapted::new(&file(folder, name, *format), *format, header, options)
        });
        let writers = writers.collect::<Result<_, _>>()?;
        remove_earlier(folder, name);
        let export = Self {
            folder: folder.to_owned(),
            writers,
            kept: Vec::new(),
            notes: Vec::new(),
        };
        export.announce()?;
        Ok(export)
    }

    /// Goes on after the first `frames` frames.
    pub fn resume(
        folder: &Path,
        name: &str,
        header: &Header,
        formats: &[(Format, Options)],
        frames: u64,
    ) -> Result<Self, Error> {
        remove_litter(folder, name);
        // Of files without a manifest nobody knows which frames they hold.
        let earlier = Manifest::read(&folder.join(Manifest::NAME)).unwrap_or_default();
        let mut export = Self {
            folder: folder.to_owned(),
            writers: Vec::new(),
            kept: earlier.files.clone(),
            notes: earlier.notes,
        };
        let before = Before {
            folder,
            name,
            entries: &earlier.files,
            frames,
        };
        for (format, options) in formats {
            let path = file(folder, name, *format);
            let writer = Adapted::new(&path, *format, header, options)?;
            let (writer, note) = match format.is_numbered() {
                true => before.follow(writer, &path)?,
                false => before.take_over(writer, *format, header, options)?,
            };
            export.notes.extend(note);
            export.writers.push(writer);
        }
        export.announce()?;
        Ok(export)
    }

    /// Takes the next frame.
    pub fn frame(&mut self, frame: &Frame) -> Result<(), Error> {
        let mut writers = self.writers.iter_mut();
        writers.try_for_each(|writer| writer.frame(frame))
    }

    /// Completes all files, each on a thread of its own, and the manifest.
    pub fn finish(self) -> Result<Manifest, Error> {
        let (writers, empty): (Vec<_>, Vec<_>) =
            self.writers.into_iter().partition(|w| !w.is_empty());
        let mut notes = self.notes;
        for writer in empty {
            let file = writer.plan()?.file;
            notes.push(format!("{file}: there was no frame to write"));
        }
        let files = std::thread::scope(|scope| {
            let finish = |writer: Adapted| scope.spawn(move || Box::new(writer).finish());
            let threads: Vec<_> = writers.into_iter().map(finish).collect();
            let mut files = Vec::new();
            for thread in threads {
                match thread.join() {
                    Ok(entries) => files.extend(entries?),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            Ok::<_, Error>(files)
        })?;
        let replaced = |old: &Entry| files.iter().any(|new| new.file == old.file);
        // Files that were never completed have no frames.
        let kept = self.kept.into_iter();
        let kept = kept.filter(|old| old.frames > 0 && !replaced(old));
        let mut manifest = Manifest::new(kept.collect());
        manifest.files.extend(files);
        manifest.notes = notes;
        if !manifest.files.is_empty() {
            manifest.write(&self.folder)?;
        }
        Ok(manifest)
    }

    /// Says in the manifest what is coming, so that a run that is killed can be resumed.
    fn announce(&self) -> Result<(), Error> {
        let mut manifest = Manifest::new(self.kept.clone());
        manifest.finished = false;
        manifest.notes.clone_from(&self.notes);
        for writer in &self.writers {
            let plan = writer.plan()?;
            // Until it is replaced, an earlier file is what is there.
            if manifest.files.iter().all(|entry| entry.file != plan.file) {
                manifest.files.push(plan);
            }
        }
        match manifest.files.is_empty() {
            true => Ok(()),
            false => manifest.write(&self.folder),
        }
    }
}

/// What the first part of a resumed run left.
struct Before<'a> {
    folder: &'a Path,
    name: &'a str,
    entries: &'a [Entry],
    /// Frames it has computed.
    frames: u64,
}

impl Before<'_> {
    /// Numbered files: those of the frames before are there, those of later ones are stale.
    fn follow(&self, writer: Adapted, path: &Path) -> Result<(Adapted, Option<String>), Error> {
        let pattern = Pattern::of(path)?;
        let plan = writer.plan()?;
        let first = plan.first_frame.max(0) as u64;
        let there = u64::from(plan.pre_roll_frames) + self.frames;
        pattern.remove_from(first + there);
        let is_same = |old: &Entry| {
            let (frames, bytes) = (plan.frames, plan.bytes);
            plan == Entry {
                frames,
                bytes,
                ..old.clone()
            }
        };
        let all_there = || (first..first + there).all(|n| pattern.file(n).is_file());
        if self.entries.iter().any(is_same) && all_there() {
            let mut writer = writer;
            writer.follow(there)?;
            return Ok((writer, None));
        }
        let file = &plan.file;
        let begin = first + there;
        let note = format!(
            "{file}: this run wrote the files from {begin} on; of those before it knows nothing"
        );
        Ok((writer.without(self.frames), Some(note)))
    }

    /// A single file: written again with the frames before, or begun anew under another name.
    fn take_over(
        &self,
        mut writer: Adapted,
        format: Format,
        header: &Header,
        options: &Options,
    ) -> Result<(Adapted, Option<String>), Error> {
        // Itself before others, for the sake of its bits.
        let others = Format::ALL.into_iter().filter(|other| *other != format);
        for source in [format].into_iter().chain(others) {
            let Some(mut whole) = self.whole(source, header, &writer) else {
                continue;
            };
            writer.take_over(whole.reader.as_mut(), whole.pre_roll, self.frames)?;
            let note = (source != format).then(|| {
                let (file, name) = (file_name(self.name, format), source.name());
                format!(
                    "{file}: the first {} frames are from the {name} files",
                    self.frames
                )
            });
            return Ok((writer, note));
        }
        let begin = self.frames;
        let name = format!("{}-from-{begin:04}", self.name);
        let path = file(self.folder, &name, format);
        let writer = Adapted::new(&path, format, header, options)?.without(begin);
        let note = format!(
            "{}: begins at frame {begin} of the run, where it was resumed; no file had the frames \
             before",
            file_name(&name, format)
        );
        Ok((writer, Some(note)))
    }

    /// The file of this format, if it has all frames so far and all that `writer` is to hold of
    /// them. What cannot be read is not there.
    fn whole(&self, format: Format, header: &Header, writer: &Adapted) -> Option<Whole> {
        let mut path = file(self.folder, self.name, format);
        if format.is_numbered() {
            path = Pattern::of(&path).ok()?.shown();
        }
        let name = path.file_name()?.to_str()?;
        let entry = self.entries.iter().find(|entry| entry.file == name)?;
        // A single file that was only announced is not there, or another's.
        let complete = entry.run_frame == 0 && (entry.frames > 0 || format.is_numbered());
        let reader = complete.then(|| open(&path).ok()).flatten()?;
        let (found, wanted) = (reader.header(), writer.channels());
        let pre_roll = u64::from(entry.pre_roll_frames);
        let fits = found.vertices == header.vertices
            && found.faces == header.faces
            && found.channels.and(wanted) == wanted
            && reader.frames() >= pre_roll + self.frames;
        fits.then_some(Whole { reader, pre_roll })
    }
}

/// A file with all frames so far.
struct Whole {
    reader: Box<dyn SequenceReader>,
    pre_roll: u64,
}

fn file_name(name: &str, format: Format) -> String {
    format!("{name}.{}", format.extension())
}

fn file(folder: &Path, name: &str, format: Format) -> PathBuf {
    folder.join(file_name(name, format))
}

/// Removes what an earlier run called `name` left: frames of a longer one must not mix with this
/// one's. What cannot be removed is overwritten or left: no reason to stop a run.
fn remove_earlier(folder: &Path, name: &str) {
    remove_litter(folder, name);
    for format in Format::ALL.into_iter().filter(|f| f.is_numbered()) {
        if let Ok(pattern) = Pattern::of(&file(folder, name, format)) {
            pattern.remove_from(0);
        }
    }
    let manifest = folder.join(Manifest::NAME);
    let earlier = Manifest::read(&manifest).unwrap_or_default();
    // A manifest is only a file: it may name nothing but files a run could have written.
    let own = |file: &&String| {
        let plain = Path::new(file).file_name() == Some(file.as_ref());
        plain && file.starts_with(name) && Format::of(Path::new(file)).is_ok()
    };
    for file in earlier.files.iter().map(|entry| &entry.file).filter(own) {
        let _ = fs::remove_file(folder.join(file));
    }
    let _ = fs::remove_file(manifest);
}

/// Removes unfinished files of a run that was killed.
fn remove_litter(folder: &Path, name: &str) {
    let hidden = format!(".{name}");
    let ours = |file: &str| {
        let rest = file.strip_prefix(&hidden);
        rest.is_some_and(|rest| rest.starts_with(['.', '_', '-']))
    };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let file = entry.file_name();
        let file = file.to_str().unwrap_or_default();
        let unfinished = file.ends_with(".staging") || file.ends_with(".partial");
        if unfinished && ours(file) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
