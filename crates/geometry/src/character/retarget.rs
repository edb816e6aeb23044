//! Motions of one skeleton on another.
//!
//! A joint that follows another turns in the world as that one does, seen from both skeletons' rest
//! poses: `R = D A R₀`, with its own rotation at rest `R₀`, what the followed joint has turned since rest
//! `D`, and `A`, which turns the limbs at rest to where those of the other skeleton are at rest. So a
//! figure bound with hanging arms can follow one that was measured with stretched ones. Only limbs are
//! turned so: trunk, neck and head stand upright at rest in all skeletons, and feet lie flat, though their
//! joints are at different places in them; so are those of collars, which [`Retarget::keeping`] is told of.
//! Where several limbs begin, `A` is about the vertical alone,
//! for figures that look another way at rest.
//!
//! The first joint of all is moved as the one it follows, by distances in the proportion of the legs;
//! its height is such that the lowest of all following joints is as high above ground as the lowest of
//! those followed, in the same proportion. Everything else keeps its bones' lengths.

use super::transform::rotation;
use super::{Channel, CharacterError, Clip, Curve, Path, Pose, Rig};
use glam::{DAffine3, DQuat, DVec3};

/// Limbs below this share of a skeleton's size have no direction.
const POINT: f64 = 1e-6;
/// How long the horizontal part of a unit vector must be to tell which way it points.
const APART: f64 = 0.3;
/// A limb is upright if its direction has at least this much of the vertical: within 45° of it.
const UPRIGHT: f64 = 0.7;

/// How one skeleton follows another.
#[derive(Clone, Debug)]
pub struct Retarget<'a> {
    source: &'a Rig,
    target: &'a Rig,
    /// For every joint of the target, the one it follows.
    follows: Vec<Option<usize>>,
    /// For every joint of the target, what turns its limbs at rest to those of the source.
    aligned: Vec<DQuat>,
    /// Joints of the target whose limbs keep their own directions at rest.
    kept: Vec<usize>,
    /// Where joints are at rest in the world.
    rest: [Vec<DAffine3>; 2],
    /// The first joint of the target that follows another.
    first: usize,
    /// Lengths of the target in those of the source.
    proportion: f64,
}

impl<'a> Retarget<'a> {
    /// `pairs` are joints of the target with those of the source they follow, at least one.
    pub fn new(
        source: &'a Rig,
        target: &'a Rig,
        pairs: &[(usize, usize)],
    ) -> Result<Self, CharacterError> {
        let mut follows = vec![None; target.joints().len()];
        for &(own, other) in pairs {
            for (rig, joint) in [(target, own), (source, other)] {
                let joints = rig.joints().len();
                if joint >= joints {
                    let of = "one of a pair".to_owned();
                    return Err(CharacterError::NoJoint { of, joint, joints });
                }
            }
            follows[own] = Some(other);
        }
        let first = target
            .order()
            .iter()
            .find(|joint| follows[**joint].is_some());
        let mut retarget = Self {
            source,
            target,
            first: *first.ok_or(CharacterError::NoPairs)?,
            follows,
            aligned: Vec::new(),
            kept: Vec::new(),
            rest: [source.rest_globals(), target.rest_globals()],
            proportion: 1.0,
        };
        retarget.align();
        retarget.measure();
        Ok(retarget)
    }

    /// The same, with limbs that keep their own directions at rest, of these joints of the target.
    pub fn keeping(mut self, joints: &[usize]) -> Self {
        self.kept = joints.to_vec();
        self.align();
        self
    }

    /// The motion of the target that follows one of the source, with keys wherever that one has some.
    pub fn clip(&self, clip: &Clip) -> Result<Clip, CharacterError> {
        let mut times_s: Vec<f64> = { clip.channels.iter() }
            .flat_map(|channel| channel.times_s().iter().copied())
            .collect();
        times_s.sort_by(f64::total_cmp);
        times_s.dedup();
        let moving: Vec<usize> = { self.target.order().iter().copied() }
            .filter(|joint| self.follows[*joint].is_some())
            .collect();
        let (mut places, mut turns) = (Vec::new(), vec![Vec::new(); moving.len()]);
        let (mut heights_m, mut globals) = (Vec::new(), Vec::new());
        let mut from = self.source.rest();
        let mut pose = self.target.rest();
        for &time_s in &times_s {
            clip.apply(time_s, &mut from);
            self.source.globals(&from, &mut globals);
            self.turn(&globals, &mut pose);
            for (turns, joint) in turns.iter_mut().zip(&moving) {
                turns.push(pose.locals[*joint].rotation);
            }
            let followed = moving.iter().filter_map(|joint| self.follows[*joint]);
            heights_m.push([lowest(&globals, followed), self.drop_m(&pose, &moving)]);
            places.push(globals[self.followed()].translation);
        }
        let places = self.places(&places, &heights_m, &moving);
        let mut channels = Vec::with_capacity(moving.len() + 1);
        let curve = Curve::new(times_s.clone(), places, Path::Linear)?;
        channels.push(Channel::Translation(self.first, curve));
        for (joint, turns) in moving.iter().zip(turns) {
            let curve = Curve::new(times_s.clone(), turns, Path::Linear)?;
            channels.push(Channel::Rotation(*joint, curve));
        }
        Ok(Clip {
            name: clip.name.clone(),
            channels,
        })
    }

    /// The joint of the source that the first of the target follows.
    fn followed(&self) -> usize {
        self.follows[self.first].unwrap_or(0)
    }

    /// Turns all following joints of the target as those of the source are.
    fn turn(&self, source: &[DAffine3], pose: &mut Pose) {
        let joints = self.target.joints();
        let mut turned = vec![DQuat::IDENTITY; joints.len()];
        for &joint in self.target.order() {
            let above = match joints[joint].parent {
                Some(parent) => turned[parent],
                None => rotation(&self.target.frame),
            };
            let local = &mut pose.locals[joint].rotation;
            if let Some(other) = self.follows[joint] {
                let since = rotation(&source[other]) * rotation(&self.rest[0][other]).inverse();
                let own = rotation(&self.rest[1][joint]);
                *local = (above.inverse() * since * self.aligned[joint] * own).normalize();
            }
            turned[joint] = above * *local;
        }
    }

    /// How far the lowest of the following joints is below the first, which is at rest, m; negative.
    fn drop_m(&self, pose: &Pose, moving: &[usize]) -> f64 {
        let mut globals = Vec::new();
        self.target.globals(pose, &mut globals);
        lowest(&globals, moving.iter().copied()) - globals[self.first].translation.y
    }

    /// Where the first joint of the target is in its parent, for every place of the one it follows;
    /// `heights_m` are of the source's lowest joint, and of the target's below its first one.
    fn places(&self, places: &[DVec3], heights_m: &[[f64; 2]], moving: &[usize]) -> Vec<DVec3> {
        let ground_m = heights_m.iter().map(|h| h[0]).fold(f64::INFINITY, f64::min);
        let own_ground_m = lowest(&self.rest[1], moving.iter().copied());
        let start = places.first().copied().unwrap_or_default();
        let rest = self.rest[1][self.first].translation;
        let into = match self.target.joints()[self.first].parent {
            Some(parent) => self.rest[1][parent].inverse(),
            None => self.target.frame.inverse(),
        };
        let place = |(place, [source_m, drop_m]): (&DVec3, &[f64; 2])| {
            let gone = self.proportion * (*place - start);
            let height_m = own_ground_m + self.proportion * (source_m - ground_m) - drop_m;
            into.transform_point3(DVec3::new(rest.x + gone.x, height_m, rest.z + gone.z))
        };
        places.iter().zip(heights_m).map(place).collect()
    }

    /// Finds what turns limbs at rest to those of the source.
    fn align(&mut self) {
        let joints = self.target.joints();
        // The nearest following joint above every joint or at it; of several that follow the same one, as
        // where a thigh is of two bones, the first.
        let mut above: Vec<Option<usize>> = vec![None; joints.len()];
        let mut limbs = vec![Vec::new(); joints.len()];
        let mut incoming = vec![None; joints.len()];
        for &joint in self.target.order() {
            let parent = joints[joint].parent.and_then(|parent| above[parent]);
            let is_other = |parent: &usize| self.follows[*parent] != self.follows[joint];
            above[joint] = match (self.follows[joint], parent) {
                (Some(_), None) => Some(joint),
                (Some(_), Some(parent)) if is_other(&parent) => {
                    incoming[joint] = self.limb(parent, joint);
                    limbs[parent].extend(incoming[joint]);
                    Some(joint)
                }
                _ => parent,
            };
        }
        let mut aligned = vec![DQuat::IDENTITY; joints.len()];
        for &joint in self.target.order() {
            let inherited = joints[joint].parent.map_or(DQuat::IDENTITY, |p| aligned[p]);
            aligned[joint] = match self.follows[joint] {
                Some(_) if !self.kept.contains(&joint) => {
                    alignment(&limbs[joint], incoming[joint], inherited)
                }
                _ => inherited,
            };
        }
        self.aligned = aligned;
    }

    /// Directions at rest from one joint to another, of the source and of the target.
    fn limb(&self, from: usize, to: usize) -> Option<Limb> {
        let [source, target] = &self.rest;
        let along = |rest: &[DAffine3], from: usize, to: usize| {
            let along = rest[to].translation - rest[from].translation;
            let size =
                { rest.iter() }.map(|global| global.translation.distance(rest[0].translation));
            let size = size.fold(0.0, f64::max);
            (along.length() > POINT * size).then(|| along.normalize())
        };
        let [other_from, other_to] = [self.follows[from]?, self.follows[to]?];
        Some([
            along(source, other_from, other_to)?,
            along(target, from, to)?,
        ])
    }

    /// Finds the proportion of the skeletons: that of the ways from the first joint down to the lowest.
    fn measure(&mut self) {
        let following = |joint: &&usize| self.follows[**joint].is_some();
        let height = |joint: &usize| self.rest[1][*joint].translation.y;
        let lowest = { self.target.order().iter().filter(following) }
            .min_by(|a, b| height(a).total_cmp(&height(b)));
        let Some(&lowest) = lowest else { return };
        let Some(followed) = self.follows[lowest] else {
            return;
        };
        let source_m = way_m(self.source, &self.rest[0], followed, self.followed());
        let target_m = way_m(self.target, &self.rest[1], lowest, self.first);
        if source_m > 0.0 && target_m > 0.0 {
            self.proportion = target_m / source_m;
        }
    }
}

/// The direction of a limb at rest, in the source and in the target.
type Limb = [DVec3; 2];

/// What turns the limbs that begin at a joint to those of the source, given the one that ends there and
/// what the joint above is turned by.
fn alignment(limbs: &[Limb], incoming: Option<Limb>, inherited: DQuat) -> DQuat {
    let all = |limb: &Limb, is: fn(f64) -> bool| limb.iter().all(|along| is(along.y));
    let is_trunk = |limb: &&Limb| all(limb, |y| y > UPRIGHT);
    let others: Vec<&Limb> = limbs.iter().filter(|limb| !is_trunk(limb)).collect();
    match others.as_slice() {
        [] => inherited,
        [limb] => {
            let stands = incoming.is_some_and(|above| all(&above, |y| y < -UPRIGHT));
            let is_foot = stands && all(limb, |y| y.abs() < UPRIGHT);
            if is_foot || limbs.len() > 1 {
                return inherited;
            }
            let [source, target] = **limb;
            DQuat::from_rotation_arc((inherited * target).normalize(), source) * inherited
        }
        several => heading(several).unwrap_or(inherited),
    }
}

/// What turns limbs about the vertical so that the two that are farthest apart, those of the sides, lie
/// as in the source.
fn heading(limbs: &[&Limb]) -> Option<DQuat> {
    let pairs = (0..limbs.len()).flat_map(|i| (0..i).map(move |j| (j, i)));
    let across = pairs.map(|(i, j)| [0, 1].map(|of| (limbs[i][of] - limbs[j][of]).with_y(0.0)));
    let width = |across: &Limb| across[0].length().min(across[1].length());
    let widest = across.max_by(|a, b| width(a).total_cmp(&width(b)))?;
    if width(&widest) < APART {
        return None;
    }
    let [source, target] = widest.map(|across| across.z.atan2(across.x));
    // Angles from x to z are about −y.
    Some(DQuat::from_rotation_y(target - source))
}

/// The height of the lowest of some joints, m.
fn lowest(globals: &[DAffine3], joints: impl Iterator<Item = usize>) -> f64 {
    let heights = joints.map(|joint| globals[joint].translation.y);
    heights.fold(f64::INFINITY, f64::min)
}

/// Length of the way up from one joint to another, along the bones, m; to the root if it is not there.
fn way_m(rig: &Rig, rest: &[DAffine3], from: usize, to: usize) -> f64 {
    let mut length_m = 0.0;
    let mut joint = from;
    while joint != to {
        let Some(parent) = rig.joints()[joint].parent else {
            break;
        };
        length_m += rest[joint].translation.distance(rest[parent].translation);
        joint = parent;
    }
    length_m
}
