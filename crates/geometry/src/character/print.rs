//! All that a character consists of, as bits.

use super::{Channel, Character, Curve, Path};
use glam::{DQuat, DVec3};

impl Character {
    /// Shows every number that tells where it is in some pose, in a fixed order: what two characters
    /// that move alike have in common, for checksums. Names do not count.
    pub fn each_number(&self, see: &mut impl FnMut(u64)) {
        self.mesh
            .faces
            .iter()
            .flatten()
            .for_each(|v| see(u64::from(*v)));
        let mut all = |numbers: &[f64]| numbers.iter().for_each(|n| see(n.to_bits()));
        all(&self.rig.frame.to_cols_array());
        self.mesh.positions.iter().for_each(|p| all(&p.to_array()));
        for joint in self.rig.joints() {
            all(&[joint.parent.map_or(-1.0, |parent| parent as f64)]);
            all(&joint.rest.translation.to_array());
            all(&joint.rest.rotation.to_array());
            all(&joint.rest.scale.to_array());
        }
        for bone in self.skin.bones() {
            all(&[bone.joint as f64]);
            all(&bone.inverse_bind.to_cols_array());
        }
        for vertex in 0..self.skin.vertices() {
            for influence in self.skin.influences(vertex) {
                all(&[f64::from(influence.bone), influence.weight]);
            }
        }
        for morph in &self.morphs {
            all(&[morph.weight, morph.deltas.len() as f64]);
            for (vertex, delta) in &morph.deltas {
                all(&[f64::from(*vertex)]);
                all(&delta.to_array());
            }
        }
        for channel in self.clips.iter().flat_map(|clip| &clip.channels) {
            match channel {
                Channel::Translation(k, c) => curve(&mut all, [0, *k], c, |v: DVec3| v.to_array()),
                Channel::Rotation(k, c) => curve(&mut all, [1, *k], c, |q: DQuat| q.to_array()),
                Channel::Scale(k, c) => curve(&mut all, [2, *k], c, |v: DVec3| v.to_array()),
                Channel::Weight(k, c) => curve(&mut all, [3, *k], c, |w: f64| [w]),
            }
        }
    }
}

/// The numbers of a curve, after what it is of.
fn curve<T: super::Keyed, const N: usize>(
    all: &mut impl FnMut(&[f64]),
    of: [usize; 2],
    curve: &Curve<T>,
    numbers: fn(T) -> [f64; N],
) {
    all(&of.map(|k| k as f64));
    all(curve.times_s());
    curve
        .values()
        .iter()
        .for_each(|value| all(&numbers(*value)));
    match curve.path() {
        Path::Step => all(&[0.0]),
        Path::Linear => all(&[1.0]),
        Path::Cubic(slopes) => slopes
            .iter()
            .flatten()
            .for_each(|slope| all(&numbers(*slope))),
    }
}
