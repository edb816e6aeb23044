//! What PC2 and MDD share: frames of bare positions in one file, and the mesh they move in an OBJ
//! file beside it, `NAME_pc2_rest.obj` for `NAME.pc2`, which also tells the clock, the axes and the units.

use super::binary::{self, Binary};
use super::{Entry, Error, Format, Frame, Header, Place, SequenceReader, obj};
use std::path::{Path, PathBuf};

/// Bytes of a position.
const POSITION: u64 = 12;

/// Bytes of a frame, if they can be counted.
pub(super) fn frame_bytes(vertices: u64) -> Option<u64> {
    vertices.checked_mul(POSITION)
}

/// Writes the mesh the cache moves.
pub(super) fn write_rest(cache: &Path, header: &Header) -> Result<Entry, Error> {
    let path = rest_path(cache);
    let frame = Frame {
        positions: header.rest.clone(),
        ..Frame::default()
    };
    let unchanging = obj::Unchanging::of(header);
    let bytes = obj::write(&path, header, &unchanging, &frame, obj::Naming::Groups)?;
    Ok(Entry::new(&path, Format::Obj, header, 1, bytes))
}

/// The format is part of the name: two caches may differ in axes and units.
fn rest_path(cache: &Path) -> PathBuf {
    let mut name = cache.file_stem().unwrap_or_default().to_owned();
    name.push("_");
    name.push(cache.extension().unwrap_or_default());
    name.push("_rest.obj");
    cache.with_file_name(name)
}

/// The mesh beside a cache of so many points, or points without faces. Caches of other programs
/// often lie beside an OBJ file of the same name.
fn read_rest(cache: &Path, vertices: usize) -> Result<(Header, Vec<String>), Error> {
    for path in [rest_path(cache), cache.with_extension("obj")] {
        if !path.is_file() {
            continue;
        }
        let still = obj::read(&path)?;
        if still.header.vertices != vertices {
            return Err(Error::malformed(
                &path,
                Place::Field("v".to_owned()),
                format!("{vertices} vertices, as many as {} has", cache.display()),
                still.header.vertices.to_string(),
            ));
        }
        let mut header = still.header;
        header.channels = super::Channels::default();
        header.rest = still.frame.positions;
        return Ok((header, still.notes));
    }
    let name = super::mesh::plain_name(&cache.file_stem().unwrap_or_default().to_string_lossy());
    let header = Header::single(&name, vertices, super::Faces::default());
    let note = format!(
        "there is no mesh {} beside it: these are points without faces",
        rest_path(cache).display()
    );
    Ok((header, vec![note]))
}

/// How a cache is laid out.
pub(super) struct Layout {
    pub format: Format,
    pub vertices: u64,
    pub frames: u64,
    /// Where the first frame begins.
    pub data: u64,
    pub number: fn([u8; 4]) -> f32,
}

/// Reads a cache of either kind.
pub(super) struct Reader {
    file: Binary,
    layout: Layout,
    header: Header,
    notes: Vec<String>,
}

impl Reader {
    /// The frames of `layout`, all of which must be in the file.
    pub(super) fn new(file: Binary, layout: Layout) -> Result<Self, Error> {
        let Layout {
            vertices,
            frames,
            data,
            ..
        } = layout;
        if vertices == 0 || frames == 0 {
            let expected = "at least one point and one frame";
            return Err(file.malformed(0, expected, format!("{vertices} and {frames}")));
        }
        let bytes = frame_bytes(vertices).and_then(|bytes| bytes.checked_mul(frames));
        file.require(
            data,
            bytes,
            &format!("{frames} frames of {vertices} points"),
        )?;
        let (header, mut notes) = read_rest(file.path(), vertices as usize)?;
        header.validate().map_err(|problem| Error::Header {
            path: file.path().to_owned(),
            problem,
        })?;
        let after = file.length() - data - bytes.unwrap_or(0);
        if after > 0 {
            notes.push(format!(
                "{after} bytes follow the last frame: they are passed over"
            ));
        }
        Ok(Self {
            file,
            layout,
            header,
            notes,
        })
    }

    pub(super) fn header_mut(&mut self) -> &mut Header {
        &mut self.header
    }
}

impl SequenceReader for Reader {
    fn path(&self) -> &Path {
        self.file.path()
    }

    fn format(&self) -> Format {
        self.layout.format
    }

    fn header(&self) -> &Header {
        &self.header
    }

    fn frames(&self) -> u64 {
        self.layout.frames
    }

    fn notes(&self) -> &[String] {
        &self.notes
    }

    fn read_stored(&mut self, k: u64) -> Result<Frame, Error> {
        self.require(k)?;
        let stride = self.layout.vertices * POSITION;
        let bytes = self
            .file
            .read(self.layout.data + k * stride, stride, "a frame")?;
        Ok(Frame {
            positions: binary::vectors(&bytes, self.layout.number),
            ..Frame::default()
        })
    }
}
