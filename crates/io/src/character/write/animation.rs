//! Clips as animations of a glTF document.

use super::buffer::Buffer;
use glam::{DQuat, DVec3};
use serde_json::{Value, json};
use toile_geometry::character::{Channel, Character, Clip, Curve, Keyed, Path};

/// An animation; `None` for a clip that moves nothing, which glTF does not know.
pub(super) fn written(
    clip: &Clip,
    character: &Character,
    body: usize,
    buffer: &mut Buffer,
) -> Option<Value> {
    // Time starts at 0 or later, as glTF demands.
    let shift_s = (-clip.span_s()[0]).max(0.0);
    let mut animation = Animation {
        buffer,
        shift_s,
        samplers: Vec::new(),
        channels: Vec::new(),
    };
    for channel in &clip.channels {
        match channel {
            Channel::Translation(joint, curve) => {
                animation.add(*joint, "translation", "VEC3", curve, |v: DVec3| {
                    v.to_array()
                });
            }
            Channel::Rotation(joint, curve) => {
                animation.add(*joint, "rotation", "VEC4", curve, |q: DQuat| q.to_array());
            }
            Channel::Scale(joint, curve) => {
                animation.add(*joint, "scale", "VEC3", curve, |v: DVec3| v.to_array());
            }
            Channel::Weight(..) => {}
        }
    }
    animation.weights(clip, character, body);
    let Animation {
        samplers, channels, ..
    } = animation;
    let is_empty = channels.is_empty();
    let made = json!({"name": clip.name, "samplers": samplers, "channels": channels});
    (!is_empty).then_some(made)
}

struct Animation<'a> {
    buffer: &'a mut Buffer,
    shift_s: f64,
    samplers: Vec<Value>,
    channels: Vec<Value>,
}

impl Animation<'_> {
    /// Adds a curve of a joint.
    fn add<T: Keyed, const N: usize>(
        &mut self,
        node: usize,
        path: &str,
        kind: &str,
        curve: &Curve<T>,
        numbers: fn(T) -> [f64; N],
    ) {
        let mut values = Vec::new();
        let mut put = |value: T| values.extend(numbers(value).map(|number| number as f32));
        for (k, value) in curve.values().iter().enumerate() {
            match curve.path() {
                Path::Cubic(slopes) => {
                    let three = [slopes[k][0], *value, slopes[k][1]];
                    three.into_iter().for_each(&mut put);
                }
                _ => put(*value),
            }
        }
        let output = self.buffer.floats(kind, N, &values);
        self.sampler(curve.times_s(), output, interpolation(curve), node, path);
    }

    fn sampler(&mut self, times_s: &[f64], output: usize, how: &str, node: usize, path: &str) {
        let input = self.buffer.times(&ascending(times_s, self.shift_s));
        let sampler = self.samplers.len();
        self.samplers
            .push(json!({"input": input, "output": output, "interpolation": how}));
        self.channels
            .push(json!({"sampler": sampler, "target": {"node": node, "path": path}}));
    }

    /// Adds the weights of all morphs, if any of them moves.
    fn weights(&mut self, clip: &Clip, character: &Character, body: usize) {
        let mut curves = vec![None; character.morphs.len()];
        for channel in &clip.channels {
            if let Channel::Weight(morph, curve) = channel {
                curves[*morph] = Some(curve);
            }
        }
        let given: Vec<&Curve<f64>> = curves.iter().flatten().copied().collect();
        let Some(first) = given.first() else {
            return;
        };
        let is_plain = |curve: &&Curve<f64>| {
            curve.times_s() == first.times_s() && interpolation(curve) == interpolation(first)
        };
        let is_spline = matches!(first.path(), Path::Cubic(_));
        let (times_s, how) = if given.iter().all(is_plain) && !is_spline {
            (first.times_s().to_vec(), interpolation(first))
        } else {
            let mut all: Vec<f64> = { given.iter() }
                .flat_map(|curve| curve.times_s().iter().copied())
                .collect();
            all.sort_by(f64::total_cmp);
            all.dedup();
            (all, "LINEAR")
        };
        let mut values = Vec::with_capacity(times_s.len() * curves.len());
        for time_s in &times_s {
            let weights = curves.iter().zip(&character.morphs).map(|(curve, morph)| {
                let weight = curve.map_or(morph.weight, |curve| curve.at(*time_s));
                weight as f32
            });
            values.extend(weights);
        }
        let output = self.buffer.floats("SCALAR", 1, &values);
        self.sampler(&times_s, output, how, body, "weights");
    }
}

fn interpolation<T: Keyed>(curve: &Curve<T>) -> &'static str {
    match curve.path() {
        Path::Step => "STEP",
        Path::Linear => "LINEAR",
        Path::Cubic(_) => "CUBICSPLINE",
    }
}

/// Times in single precision, each later than the one before: glTF knows no jumps.
fn ascending(times_s: &[f64], shift_s: f64) -> Vec<f32> {
    let mut times: Vec<f32> = Vec::with_capacity(times_s.len());
    for time_s in times_s {
        let time = (time_s + shift_s) as f32;
        times.push(match times.last() {
            Some(last) if time <= *last => last.next_up(),
            _ => time,
        });
    }
    times
}
