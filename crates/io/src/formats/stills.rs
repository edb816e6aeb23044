//! Sequences with a whole mesh in a file a frame: OBJ and PLY.

use super::numbered::{Numbered, Pattern};
use super::{Entry, Error, Format, Frame, Header, Place, SequenceReader, SequenceWriter};
use super::{obj, ply};
use glam::DVec3;
use std::fs;
use std::path::{Path, PathBuf};

/// One mesh as it stands in a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Still {
    /// The mesh; the channels say what `frame` has.
    pub header: Header,
    /// Its vertices.
    pub frame: Frame,
    /// What was passed over.
    pub notes: Vec<String>,
}

impl Still {
    /// The parts, or one part for all where a file's own do not divide the mesh.
    pub(super) fn settle_parts(&mut self, path: &Path) -> Result<(), Error> {
        let header = &mut self.header;
        let name = super::mesh::plain_name(&path.file_stem().unwrap_or_default().to_string_lossy());
        if header.validate().is_err() {
            let faces = std::mem::take(&mut header.faces);
            let named = !header.parts.is_empty();
            let whole = Header::single(&name, header.vertices, faces);
            (header.faces, header.parts) = (whole.faces, whole.parts);
            if named {
                let note = "the parts share vertices: they are taken as one";
                self.notes.push(note.to_owned());
            }
        }
        self.header.validate().map_err(|problem| Error::Header {
            path: path.to_owned(),
            problem,
        })
    }
}

/// Writes a file a frame.
pub(super) struct Writer {
    format: Format,
    pattern: Pattern,
    header: Header,
    /// Of OBJ, the text all files share.
    unchanging: Option<obj::Unchanging>,
    frames: u64,
    bytes: u64,
}

impl Writer {
    pub(super) fn begin(path: &Path, format: Format, header: Header) -> Result<Self, Error> {
        Ok(Self {
            format,
            pattern: Pattern::of(path)?,
            unchanging: (format == Format::Obj).then(|| obj::Unchanging::of(&header)),
            header,
            frames: 0,
            bytes: 0,
        })
    }

    /// Goes on after the first `frames` files, all of which must be there.
    pub(super) fn after(
        path: &Path,
        format: Format,
        header: Header,
        frames: u64,
    ) -> Result<Self, Error> {
        let mut writer = Self::begin(path, format, header)?;
        for _ in 0..frames {
            let file = writer.next_file();
            writer.bytes += { fs::metadata(&file) }.map_err(Error::io(&file))?.len();
            writer.frames += 1;
        }
        Ok(writer)
    }

    fn next_file(&self) -> PathBuf {
        let number = self.header.first_frame as u64 + self.frames;
        self.pattern.file(number)
    }
}

impl SequenceWriter for Writer {
    fn frame(&mut self, frame: &Frame) -> Result<(), Error> {
        let path = self.next_file();
        self.bytes += match &self.unchanging {
            Some(text) => obj::write(&path, &self.header, text, frame, obj::Naming::Objects)?,
            None => ply::write(&path, &self.header, frame)?,
        };
        self.frames += 1;
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Vec<Entry>, Error> {
        let path = self.pattern.shown();
        let entry = Entry::new(&path, self.format, &self.header, self.frames, self.bytes);
        Ok(vec![entry])
    }
}

/// Reads a file a frame; all must hold the same mesh.
pub(super) struct Reader {
    format: Format,
    files: Numbered,
    header: Header,
    notes: Vec<String>,
}

impl Reader {
    pub(super) fn open(format: Format, files: Numbered) -> Result<Self, Error> {
        let (number, path) = &files[0];
        let still = read(format, path)?;
        let mut header = still.header;
        header.first_frame = i64::try_from(*number).unwrap_or(0);
        Ok(Self {
            format,
            header,
            notes: still.notes,
            files,
        })
    }
}

fn read(format: Format, path: &Path) -> Result<Still, Error> {
    match format {
        Format::Ply => ply::read(path),
        _ => obj::read(path),
    }
}

impl SequenceReader for Reader {
    fn path(&self) -> &Path {
        &self.files[0].1
    }

    fn format(&self) -> Format {
        self.format
    }

    fn header(&self) -> &Header {
        &self.header
    }

    fn frames(&self) -> u64 {
        self.files.len() as u64
    }

    fn notes(&self) -> &[String] {
        &self.notes
    }

    fn read_stored(&mut self, k: u64) -> Result<Frame, Error> {
        self.require(k)?;
        let path = &self.files[k as usize].1;
        let Still { header, frame, .. } = read(self.format, path)?;
        let differs = |expected: String, found: String| {
            Err(Error::malformed(path, Place::Frame(k), expected, found))
        };
        let (first, this) = (self.header.vertices, header.vertices);
        if first != this {
            return differs(
                format!("{first} vertices as in the first frame"),
                format!("{this}"),
            );
        }
        if header.faces != self.header.faces {
            return differs("the faces of the first frame".into(), "others".into());
        }
        if header.channels != self.header.channels {
            let expected = "normals, colours and velocities as in the first frame";
            return differs(expected.into(), "others".into());
        }
        Ok(frame)
    }

    fn read_positions(&mut self, k: u64) -> Result<Vec<DVec3>, Error> {
        self.require(k)?;
        Ok(super::read_mesh(&self.files[k as usize].1)?.positions)
    }
}
