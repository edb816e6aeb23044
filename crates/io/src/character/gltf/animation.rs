//! The animations of a glTF document as clips.

use super::{Budget, unit};
use crate::character::refused;
use crate::formats::Error;
use crate::formats::glb::{Glb, Sampler};
use glam::{DQuat, DVec3};
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path as FilePath;
use toile_geometry::character::{Channel, Clip, Curve, Keyed, Path};

/// Reads all animations; `morphs_of` are the morphs of nodes that have any.
pub(super) fn clips(
    path: &FilePath,
    glb: &mut Glb,
    morphs_of: &HashMap<usize, Range<usize>>,
    budget: &mut Budget,
    notes: &mut Vec<String>,
) -> Result<Vec<Clip>, Error> {
    let mut clips = Vec::new();
    let animations = std::mem::take(&mut glb.document.animations);
    let mut passed_over = 0;
    for (index, animation) in animations.iter().enumerate() {
        let mut clip = Clip {
            name: { animation.name.clone() }.unwrap_or_else(|| format!("clip {index}")),
            channels: Vec::new(),
        };
        for (k, channel) in animation.channels.iter().enumerate() {
            let field = format!("animations[{index}].channels[{k}]");
            let Some(sampler) = animation.samplers.get(channel.sampler) else {
                return Err(glb.wrong(field, "a sampler", channel.sampler.to_string()));
            };
            // Without a node, an extension says what moves.
            let Some(node) = channel.target.node else {
                passed_over += 1;
                continue;
            };
            if node >= glb.document.nodes.len() {
                return Err(glb.wrong(field, "a node", node.to_string()));
            }
            let mut keys = Keys {
                path,
                field,
                glb,
                budget,
                sampler,
            };
            match channel.target.path.as_str() {
                "translation" => {
                    let curve = keys.curve(3, vector)?;
                    clip.channels.push(Channel::Translation(node, curve));
                }
                "scale" => {
                    let curve = keys.curve(3, vector)?;
                    clip.channels.push(Channel::Scale(node, curve));
                }
                "rotation" => {
                    let curve = keys.curve(4, rotation)?;
                    clip.channels.push(Channel::Rotation(node, curve));
                }
                // A mesh that is not shown has none.
                "weights" => match morphs_of.get(&node) {
                    Some(morphs) => clip.channels.extend(keys.weights(morphs.clone())?),
                    None => passed_over += 1,
                },
                _ => passed_over += 1,
            }
        }
        clips.push(clip);
    }
    if passed_over > 0 {
        notes.push(format!(
            "{passed_over} channels of animations move neither joints nor morphs that are shown: passed over"
        ));
    }
    Ok(clips)
}

/// The keys of one channel.
struct Keys<'a> {
    path: &'a FilePath,
    field: String,
    glb: &'a mut Glb,
    budget: &'a mut Budget,
    sampler: &'a Sampler,
}

impl Keys<'_> {
    /// Times, and rows of numbers: `columns` values of `width` numbers each; in splines three rows a
    /// key.
    fn read(&mut self, width: u64, columns: u64) -> Result<(Vec<f64>, Vec<f64>), Error> {
        let times = self.glb.accessor(self.sampler.input, &[1])?;
        let values = self.glb.accessor(self.sampler.output, &[width])?;
        let rows = if self.is_spline() { 3 } else { 1 };
        let expected = times.count.saturating_mul(columns).saturating_mul(rows);
        if values.count != expected {
            let expected = format!("{expected} values for {} times", times.count);
            let found = values.count.to_string();
            return Err(self.glb.wrong(&*self.field, expected, found));
        }
        let numbers = values.count.saturating_mul(width) + times.count;
        self.budget.spend(self.glb, &self.field, numbers)?;
        let times_s = self.glb.read(times, 0, times.count)?;
        Ok((times_s, self.glb.read(values, 0, values.count)?))
    }

    fn is_spline(&self) -> bool {
        self.sampler.interpolation.as_deref() == Some("CUBICSPLINE")
    }

    /// The values of one curve; `value` makes one of `width` numbers, a tangent if it is told so.
    fn curve<T: Keyed>(
        &mut self,
        width: usize,
        value: fn(&[f64], bool) -> Option<T>,
    ) -> Result<Curve<T>, Error> {
        let (times_s, numbers) = self.read(width as u64, 1)?;
        let rows: Vec<&[f64]> = numbers.chunks_exact(width).collect();
        self.made(times_s, &rows, value)
    }

    /// A curve for every morph of a node.
    fn weights(&mut self, morphs: Range<usize>) -> Result<Vec<Channel>, Error> {
        let columns = morphs.len();
        let (times_s, numbers) = self.read(1, columns as u64)?;
        // Every curve has times of its own.
        let spent = times_s.len() as u64 * columns as u64;
        self.budget.spend(self.glb, &self.field, spent)?;
        let mut channels = Vec::with_capacity(columns);
        for (k, morph) in morphs.enumerate() {
            let own = numbers.chunks_exact(columns).map(|row| &row[k..=k]);
            let rows: Vec<&[f64]> = own.collect();
            let curve = self.made(times_s.clone(), &rows, |v, _| Some(v[0]))?;
            channels.push(Channel::Weight(morph, curve));
        }
        Ok(channels)
    }

    /// A curve of rows of numbers, in splines a tangent, a value and a tangent by turns.
    fn made<T: Keyed>(
        &self,
        times_s: Vec<f64>,
        rows: &[&[f64]],
        value: fn(&[f64], bool) -> Option<T>,
    ) -> Result<Curve<T>, Error> {
        let one = |row: &[f64], is_tangent| {
            value(row, is_tangent).ok_or_else(|| {
                let found = format!("{row:?}");
                self.glb.wrong(&*self.field, "a rotation", found)
            })
        };
        let (values, path) = if self.is_spline() {
            let (mut values, mut slopes) = (Vec::new(), Vec::new());
            for row in rows.as_chunks::<3>().0 {
                values.push(one(row[1], false)?);
                slopes.push([one(row[0], true)?, one(row[2], true)?]);
            }
            (values, Path::Cubic(slopes))
        } else {
            let values = rows
                .iter()
                .map(|row| one(row, false))
                .collect::<Result<_, _>>();
            let path = match self.sampler.interpolation.as_deref() {
                None | Some("LINEAR") => Path::Linear,
                Some("STEP") => Path::Step,
                Some(other) => {
                    let expected = "LINEAR, STEP or CUBICSPLINE";
                    return Err(self.glb.wrong(&*self.field, expected, other));
                }
            };
            (values?, path)
        };
        Curve::new(times_s, values, path)
            .map_err(|problem| refused(self.path, &*self.field, "keys", &problem))
    }
}

fn vector(numbers: &[f64], _: bool) -> Option<DVec3> {
    Some(DVec3::from_slice(numbers))
}

/// A rotation; its tangents are of any length.
fn rotation(numbers: &[f64], is_tangent: bool) -> Option<DQuat> {
    let q = DQuat::from_slice(numbers);
    if is_tangent { Some(q) } else { unit(q) }
}
