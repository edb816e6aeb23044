//! USDA, Pixar's scene description as text: one `Mesh` a part, `points` as time samples.
//!
//! Also velocities, normals, `primvars:displayColor`, `primvars:st` and extents; the default value
//! of `points` is the rest pose. Time codes are frame numbers. Numbers have the fewest digits that
//! read back to the same bits. All frames of one attribute stand together, so frames are staged.

mod read;
mod scan;
mod stage;

pub(super) use read::open;

use super::staging::{List, Staging};
use super::{Entry, Error, Format, Frame, Header, Part, SequenceWriter, decimal};
use crate::atomic::Pending;
use glam::Vec3;
use std::collections::HashSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Name of the prim all meshes are under.
const ROOT: &str = "toile";

/// Writes a stage.
pub(super) struct Writer {
    path: PathBuf,
    header: Header,
    staging: Staging,
}

impl Writer {
    pub(super) fn begin(path: &Path, header: Header) -> Result<Self, Error> {
        Ok(Self {
            path: path.to_owned(),
            staging: Staging::create(path, header.vertices, header.channels)?,
            header,
        })
    }

    /// The time samples of one list of one part.
    fn samples(
        &mut self,
        w: &mut impl Write,
        attribute: &str,
        part: &Part,
        list: List,
    ) -> Result<(), Error> {
        let path = self.path.clone();
        let io = |error| Error::io(&path)(error);
        writeln!(w, "        {attribute}.timeSamples = {{").map_err(io)?;
        for k in 0..self.staging.frames() {
            let vectors = self.staging.read(k, list, &part.vertices)?;
            let time = self.header.first_frame + k as i64;
            write!(w, "            {time}: ")
                .and_then(|()| tuples(w, vectors.iter().map(Vec3::to_array)))
                .and_then(|()| writeln!(w, ","))
                .map_err(io)?;
        }
        writeln!(w, "        }}").map_err(io)
    }

    /// The box around the part in every frame.
    fn extents(&mut self, w: &mut impl Write, part: &Part) -> Result<(), Error> {
        let path = self.path.clone();
        let io = |error| Error::io(&path)(error);
        writeln!(w, "        float3[] extent.timeSamples = {{").map_err(io)?;
        for k in 0..self.staging.frames() {
            let positions = self.staging.read(k, List::Positions, &part.vertices)?;
            let low = positions.iter().copied().reduce(Vec3::min);
            let high = positions.iter().copied().reduce(Vec3::max);
            let corners = low.into_iter().chain(high).map(|corner| corner.to_array());
            let time = self.header.first_frame + k as i64;
            write!(w, "            {time}: ")
                .and_then(|()| tuples(w, corners))
                .and_then(|()| writeln!(w, ","))
                .map_err(io)?;
        }
        writeln!(w, "        }}").map_err(io)
    }

    fn mesh(&mut self, w: &mut impl Write, part: &Part, prim: &str) -> Result<(), Error> {
        let path = self.path.clone();
        self.still(w, part, prim).map_err(Error::io(&path))?;
        self.extents(w, part)?;
        self.samples(w, "point3f[] points", part, List::Positions)?;
        let channels = self.header.channels;
        for (attribute, list, there) in [
            (
                "vector3f[] velocities",
                List::Velocities,
                channels.velocities,
            ),
            ("normal3f[] normals", List::Normals, channels.normals),
            (
                "color3f[] primvars:displayColor",
                List::Colours,
                channels.colours,
            ),
        ] {
            if there && list != List::Velocities {
                writeln!(
                    w,
                    "        {attribute} (\n            interpolation = \"vertex\"\n        )"
                )
                .map_err(Error::io(&path))?;
            }
            if there {
                self.samples(w, attribute, part, list)?;
            }
        }
        writeln!(w, "    }}").map_err(Error::io(&path))
    }

    /// What of a mesh never changes.
    fn still(&self, w: &mut impl Write, part: &Part, prim: &str) -> io::Result<()> {
        let header = &self.header;
        writeln!(w, "\n    def Mesh \"{prim}\" (")?;
        writeln!(w, "        displayName = {}", quoted(&part.name))?;
        writeln!(w, "    )\n    {{")?;
        writeln!(w, "        uniform bool doubleSided = 1")?;
        writeln!(w, "        uniform token subdivisionScheme = \"none\"")?;
        let faces = || header.faces.range(part.faces.clone());
        write!(w, "        int[] faceVertexCounts = ")?;
        integers(w, faces().map(<[u32]>::len))?;
        write!(w, "\n        int[] faceVertexIndices = ")?;
        let first = part.vertices.start;
        integers(w, faces().flatten().map(|corner| *corner as usize - first))?;
        if let Some(uvs) = header.uvs.get(part.vertices.clone()) {
            write!(w, "\n        texCoord2f[] primvars:st = ")?;
            tuples(w, uvs.iter().map(|uv| uv.to_array()))?;
            write!(w, " (\n            interpolation = \"vertex\"\n        )")?;
        }
        write!(w, "\n        point3f[] points = ")?;
        let rest = &header.rest[part.vertices.clone()];
        tuples(w, rest.iter().map(Vec3::to_array))?;
        writeln!(w)
    }

    fn stage(&self, w: &mut impl Write) -> io::Result<()> {
        let header = &self.header;
        let first = header.first_frame;
        let last = first + self.staging.frames() as i64 - 1;
        writeln!(w, "#usda 1.0\n(")?;
        writeln!(w, "    defaultPrim = \"{ROOT}\"")?;
        writeln!(w, "    endTimeCode = {last}")?;
        writeln!(w, "    framesPerSecond = {}", header.rate_hz())?;
        writeln!(
            w,
            "    metersPerUnit = {}",
            header.metres_per_unit.unwrap_or(1.0)
        )?;
        writeln!(w, "    startTimeCode = {first}")?;
        writeln!(w, "    timeCodesPerSecond = {}", header.rate_hz())?;
        writeln!(w, "    upAxis = \"{:?}\"", header.up.unwrap_or_default())?;
        writeln!(w, ")\n\ndef Xform \"{ROOT}\"\n{{")
    }
}

impl SequenceWriter for Writer {
    fn frame(&mut self, frame: &Frame) -> Result<(), Error> {
        self.staging.push(frame)
    }

    fn finish(mut self: Box<Self>) -> Result<Vec<Entry>, Error> {
        let path = self.path.clone();
        let mut pending = Pending::create(&path).map_err(Error::io(&path))?;
        let w = pending.writer();
        self.stage(w).map_err(Error::io(&path))?;
        let parts = self.header.parts.clone();
        for (part, prim) in parts.iter().zip(identifiers(&parts)) {
            self.mesh(w, part, &prim)?;
        }
        writeln!(w, "}}").map_err(Error::io(&path))?;
        let bytes = pending.commit().map_err(Error::io(&path))?;
        let frames = self.staging.frames();
        Ok(vec![Entry::new(
            &path,
            Format::Usda,
            &self.header,
            frames,
            bytes,
        )])
    }
}

/// Names of prims: letters, digits and underscores, each once.
fn identifiers(parts: &[Part]) -> Vec<String> {
    let mut taken = HashSet::new();
    let name = |part: &Part| {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let mut name: String = part.name.chars().map(plain).collect();
        if name.starts_with(|c: char| c.is_ascii_digit()) {
            name.insert(0, '_');
        }
        let base = name.clone();
        let mut copy = 1;
        while !taken.insert(name.clone()) {
            copy += 1;
            name = format!("{base}_{copy}");
        }
        name
    };
    parts.iter().map(name).collect()
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn integers(w: &mut impl Write, numbers: impl Iterator<Item = usize>) -> io::Result<()> {
    write!(w, "[")?;
    for (i, number) in numbers.enumerate() {
        let comma = if i == 0 { "" } else { ", " };
        write!(w, "{comma}{number}")?;
    }
    write!(w, "]")
}

fn tuples<const N: usize>(
    w: &mut impl Write,
    tuples: impl Iterator<Item = [f32; N]>,
) -> io::Result<()> {
    write!(w, "[")?;
    for (i, tuple) in tuples.enumerate() {
        w.write_all(if i == 0 { b"(" } else { b", (" })?;
        decimal::write(w, tuple, ", ")?;
        w.write_all(b")")?;
    }
    write!(w, "]")
}
