//! BVH: a skeleton and where it is frame by frame, as text.
//!
//! Joints are numbered as they come. An end site is a joint too, named after its parent, because the
//! last bone of a limb would have no direction without it. Rotations apply in the order of the channels,
//! the first outermost; positions take the place of the joint's offset.

use super::Motion;
use crate::formats::{Error, Place};
use glam::{DQuat, DVec3};
use std::path::Path as FilePath;
use toile_geometry::character::{Channel, Clip, Curve, Joint, Path, Rig, Transform};

/// Reads a file.
pub fn read(path: &FilePath) -> Result<Motion, Error> {
    let bytes = std::fs::read(path).map_err(Error::io(path))?;
    // Names may be in any encoding; numbers and keywords are not affected.
    let text = String::from_utf8_lossy(&bytes);
    Reader {
        path,
        words: Words::new(&text),
    }
    .read()
}

/// One number of a frame.
#[derive(Clone, Copy)]
struct Column {
    joint: usize,
    axis: DVec3,
    turns: bool,
    /// Whether it is the first of its joint.
    first: bool,
}

/// Words of a text, with the lines they are in.
struct Words<'a> {
    lines: std::iter::Enumerate<std::str::Lines<'a>>,
    words: std::str::SplitWhitespace<'a>,
    line: u64,
}

impl<'a> Words<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            lines: text.lines().enumerate(),
            words: "".split_whitespace(),
            line: 1,
        }
    }

    fn next(&mut self) -> Option<&'a str> {
        loop {
            if let Some(word) = self.words.next() {
                return Some(word);
            }
            let (index, line) = self.lines.next()?;
            self.line = index as u64 + 1;
            self.words = line.split_whitespace();
        }
    }

    /// What is left of the line, as one name.
    fn rest_of_line(&mut self) -> String {
        let words: Vec<&str> = self.words.by_ref().collect();
        words.join(" ")
    }
}

struct Reader<'a> {
    path: &'a FilePath,
    words: Words<'a>,
}

impl<'a> Reader<'a> {
    fn wrong(&self, expected: &str, found: Option<&str>) -> Error {
        let found = match found {
            Some(word) => format!("`{}`", word.chars().take(40).collect::<String>()),
            None => "the end of the file".to_owned(),
        };
        Error::malformed(self.path, Place::Line(self.words.line), expected, found)
    }

    /// The next word, which is `expected`, in capitals or not.
    fn expect(&mut self, expected: &str) -> Result<(), Error> {
        match self.words.next() {
            Some(word) if word.eq_ignore_ascii_case(expected) => Ok(()),
            found => Err(self.wrong(&format!("`{expected}`"), found)),
        }
    }

    fn number(&mut self, what: &str) -> Result<f64, Error> {
        let word = self.words.next();
        let number = word.and_then(|word| word.parse().ok());
        match number.filter(|number: &f64| number.is_finite()) {
            Some(number) => Ok(number),
            None => Err(self.wrong(what, word)),
        }
    }

    fn count(&mut self, what: &str) -> Result<usize, Error> {
        let word = self.words.next();
        let count = word.and_then(|word| word.parse().ok());
        count.ok_or_else(|| self.wrong(what, word))
    }

    fn read(mut self) -> Result<Motion, Error> {
        self.expect("HIERARCHY")?;
        let (joints, columns) = self.hierarchy()?;
        let channels = self.motion(&joints, &columns)?;
        let rig = Rig::new(joints)
            .map_err(|problem| super::refused(self.path, "HIERARCHY", "a skeleton", &problem))?;
        let name = self.path.file_stem().unwrap_or_default();
        let name = name.to_string_lossy().into_owned();
        Ok(Motion {
            rig,
            clip: Clip { name, channels },
        })
    }

    /// The skeletons, up to the word MOTION, and what the numbers of a frame are.
    fn hierarchy(&mut self) -> Result<(Vec<Joint>, Vec<Column>), Error> {
        let (mut joints, mut columns) = (Vec::<Joint>::new(), Vec::new());
        // The joints whose braces are open.
        let mut open: Vec<usize> = Vec::new();
        loop {
            let word = self.words.next();
            match (word.map(str::to_ascii_uppercase).as_deref(), open.last()) {
                (Some("ROOT"), None) | (Some("JOINT"), Some(_)) => {
                    let name = self.words.rest_of_line();
                    if name.is_empty() {
                        return Err(self.wrong("a name", word));
                    }
                    self.begin(&mut joints, &mut open, name)?;
                }
                (Some("END"), Some(&parent)) => {
                    self.expect("Site")?;
                    let name = format!("{} end", joints[parent].name);
                    self.begin(&mut joints, &mut open, name)?;
                }
                (Some("OFFSET"), Some(&joint)) => {
                    let mut offset = [0.0; 3];
                    for number in &mut offset {
                        *number = self.number("a length")?;
                    }
                    joints[joint].rest.translation = offset.into();
                }
                (Some("CHANNELS"), Some(&joint)) => {
                    for k in 0..self.count("how many channels there are")? {
                        columns.push(self.column(joint, k == 0)?);
                    }
                }
                (Some("}"), Some(_)) => drop(open.pop()),
                (Some("MOTION"), None) if !joints.is_empty() => return Ok((joints, columns)),
                (_, None) => return Err(self.wrong("`ROOT` or `MOTION`", word)),
                _ => {
                    let expected = "`JOINT`, `End Site`, `OFFSET`, `CHANNELS` or `}`";
                    return Err(self.wrong(expected, word));
                }
            }
        }
    }

    /// A joint whose braces open.
    fn begin(
        &mut self,
        joints: &mut Vec<Joint>,
        open: &mut Vec<usize>,
        name: String,
    ) -> Result<(), Error> {
        // The brace may stand on the line of the name.
        let name = match name.strip_suffix('{') {
            Some(name) => name.trim_end().to_owned(),
            None => {
                self.expect("{")?;
                name
            }
        };
        joints.push(Joint {
            name,
            parent: open.last().copied(),
            rest: Transform::IDENTITY,
        });
        open.push(joints.len() - 1);
        Ok(())
    }

    fn column(&mut self, joint: usize, first: bool) -> Result<Column, Error> {
        let word = self.words.next();
        let lower = word.unwrap_or_default().to_ascii_lowercase();
        let (axis, kind) = lower.split_at_checked(1).unwrap_or_default();
        let axis = match axis {
            "x" => Some(DVec3::X),
            "y" => Some(DVec3::Y),
            "z" => Some(DVec3::Z),
            _ => None,
        };
        match (axis, kind) {
            (Some(axis), "position" | "rotation") => Ok(Column {
                joint,
                axis,
                turns: kind == "rotation",
                first,
            }),
            _ => Err(self.wrong("a channel such as `Xrotation`", word)),
        }
    }

    /// The frames, as a curve for all that has columns.
    fn motion(&mut self, joints: &[Joint], columns: &[Column]) -> Result<Vec<Channel>, Error> {
        self.expect("Frames:")?;
        let frames = self.count("how many frames there are")?;
        self.expect("Frame")?;
        self.expect("Time:")?;
        let frame_s = self.number("the time of a frame, s")?;
        if frame_s <= 0.0 {
            let found = frame_s.to_string();
            return Err(self.wrong("a positive time of a frame", Some(&found)));
        }
        // Every frame takes words, so that there are no more of them than the file has.
        if columns.is_empty() || frames == 0 {
            return Err(self.wrong("a motion", Some("none")));
        }
        let moved = |turns| {
            let of = columns.iter().filter(|column| column.turns == turns);
            let mut joints: Vec<usize> = of.map(|column| column.joint).collect();
            joints.sort_unstable();
            joints.dedup();
            joints
        };
        let (placed, turned) = (moved(false), moved(true));
        let mut places = vec![Vec::new(); placed.len()];
        let mut turns = vec![Vec::new(); turned.len()];
        let mut now: Vec<Transform> = joints.iter().map(|joint| joint.rest).collect();
        for _ in 0..frames {
            for column in columns {
                let number = self.number("a number a channel and frame")?;
                let local = &mut now[column.joint];
                if column.first {
                    local.rotation = DQuat::IDENTITY;
                }
                if column.turns {
                    let turn = DQuat::from_axis_angle(column.axis, number.to_radians());
                    local.rotation *= turn;
                } else {
                    let others = local.translation * (DVec3::ONE - column.axis);
                    local.translation = others + number * column.axis;
                }
            }
            for (place, joint) in places.iter_mut().zip(&placed) {
                place.push(now[*joint].translation);
            }
            for (turn, joint) in turns.iter_mut().zip(&turned) {
                turn.push(now[*joint].rotation.normalize());
            }
        }
        if let Some(word) = self.words.next() {
            return Err(self.wrong(&format!("the end, after {frames} frames"), Some(word)));
        }
        let times: Vec<f64> = (0..frames).map(|k| k as f64 * frame_s).collect();
        let mut channels = Vec::new();
        for (joint, places) in placed.into_iter().zip(places) {
            let curve = self.curve(&times, places)?;
            channels.push(Channel::Translation(joint, curve));
        }
        for (joint, turns) in turned.into_iter().zip(turns) {
            let curve = self.curve(&times, turns)?;
            channels.push(Channel::Rotation(joint, curve));
        }
        Ok(channels)
    }

    fn curve<T>(&self, times: &[f64], values: Vec<T>) -> Result<Curve<T>, Error>
    where
        T: toile_geometry::character::Keyed,
    {
        Curve::new(times.to_vec(), values, Path::Linear)
            .map_err(|problem| super::refused(self.path, "MOTION", "a motion", &problem))
    }
}
