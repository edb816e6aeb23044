//! Small sequences to write, and how to write and read them whole.

use glam::{Vec2, Vec3};
use proptest::prelude::*;
use std::path::{Path, PathBuf};
use toile_io::formats::{
    self, Channels, Entry, Error, Faces, Format, Frame, Header, Options, Part, UpAxis,
};

/// A header with its frames.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence {
    pub header: Header,
    pub frames: Vec<Frame>,
}

/// Two parts of quads and triangles, with names that need care.
pub fn header(channels: Channels) -> Header {
    let mut faces: Faces = [[0, 1, 4, 3], [1, 2, 5, 4]].into_iter().collect();
    faces.push(&[6, 7, 8]);
    Header {
        vertices: 9,
        faces,
        parts: vec![
            Part {
                name: "table cloth #1".to_owned(),
                vertices: 0..6,
                faces: 0..2,
            },
            Part {
                name: "Fähnchen \"rot\"".to_owned(),
                vertices: 6..9,
                faces: 2..3,
            },
        ],
        uvs: (0..9).map(|i| Vec2::new(i as f32 / 8.0, 0.3)).collect(),
        rest: (0..9)
            .map(|i| Vec3::new((i % 3) as f32, 0.0, (i / 3) as f32))
            .collect(),
        channels,
        frame_rate_hz: Some(25.0),
        first_frame: 7,
        up: Some(UpAxis::Y),
        metres_per_unit: Some(1.0),
    }
}

fn number() -> impl Strategy<Value = f32> {
    prop_oneof![
        4 => -10.0f32..10.0,
        1 => any::<f32>().prop_filter("finite, and so are differences", |x| x.abs() < 1e37),
    ]
}

fn vectors(
    there: bool,
    number: impl Strategy<Value = f32> + Clone,
) -> impl Strategy<Value = Vec<Vec3>> {
    let vector = [number.clone(), number.clone(), number].prop_map(Vec3::from);
    prop::collection::vec(vector, if there { 9 } else { 0 })
}

fn frame(channels: Channels) -> impl Strategy<Value = Frame> {
    let number = || number().boxed();
    let byte = any::<u8>().prop_map(|byte| f32::from(byte) / 255.0).boxed();
    (
        vectors(true, number()),
        vectors(channels.velocities, number()),
        vectors(channels.normals, number()),
        vectors(channels.colours, byte),
    )
        .prop_map(|(positions, velocities, normals, colours)| Frame {
            positions,
            velocities,
            normals,
            colours,
        })
}

/// Sequences of a few frames with every combination of channels.
pub fn sequences() -> impl Strategy<Value = Sequence> {
    any::<[bool; 3]>()
        .prop_map(|[velocities, normals, colours]| Channels {
            velocities,
            normals,
            colours,
        })
        .prop_flat_map(|channels| {
            prop::collection::vec(frame(channels), 1..5).prop_map(move |frames| Sequence {
                header: header(channels),
                frames,
            })
        })
}

/// A fixed sequence of three frames with everything in it.
pub fn fixed() -> Sequence {
    let channels = Channels {
        velocities: true,
        normals: true,
        colours: true,
    };
    let header = header(channels);
    let frames = (0..3).map(|k| {
        let at = |v: &Vec3| *v + Vec3::new(0.0, 0.25 * k as f32, 0.0);
        Frame {
            positions: header.rest.iter().map(at).collect(),
            velocities: vec![Vec3::Y; 9],
            normals: vec![Vec3::Y; 9],
            colours: vec![Vec3::new(1.0, 0.0, (k % 2) as f32); 9],
        }
    });
    Sequence {
        frames: frames.collect(),
        header,
    }
}

/// The path a sequence of this format is written to and read from.
pub fn path(folder: &Path, format: Format) -> PathBuf {
    folder.join(format!("cloth.{}", format.extension()))
}

pub fn write(path: &Path, sequence: &Sequence, options: &Options) -> Result<Vec<Entry>, Error> {
    let mut writer = formats::create(path, &sequence.header, options)?;
    for frame in &sequence.frames {
        writer.frame(frame)?;
    }
    writer.finish()
}

pub fn read(path: &Path) -> Result<Sequence, Error> {
    let mut reader = formats::open(path)?;
    let frames = (0..reader.frames()).map(|k| reader.read_frame(k));
    let frames = frames.collect::<Result<_, _>>()?;
    Ok(Sequence {
        header: reader.header().clone(),
        frames,
    })
}

/// What a format gives back of a sequence it was given.
pub fn expected(sequence: &Sequence, format: Format) -> Sequence {
    let Sequence {
        mut header,
        mut frames,
    } = sequence.clone();
    let holds = format.channels();
    header.channels = header.channels.and(holds);
    for frame in &mut frames {
        if !holds.velocities {
            frame.velocities.clear();
        }
        if !holds.normals {
            frame.normals.clear();
        }
        if !holds.colours {
            frame.colours.clear();
        }
    }
    if format.is_numbered() {
        header.rest.clear();
    }
    if format == Format::Glb {
        header.faces = header.faces.triangles(0..header.faces.len()).collect();
        header.parts[0].faces = 0..4;
        header.parts[1].faces = 4..5;
        let first = frames[0].colours.clone();
        for frame in &mut frames {
            frame.colours.clone_from(&first);
        }
    }
    Sequence { header, frames }
}
