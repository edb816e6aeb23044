//! Skeletons and how they stand.

use super::{CharacterError, Transform};
use glam::{DAffine3, DVec3};

/// A joint of a skeleton, or any node that joints hang on.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Its name; several may share one.
    pub name: String,
    /// The joint it hangs on; none for a root.
    pub parent: Option<usize>,
    /// How it stands to its parent at rest.
    pub rest: Transform,
}

/// A forest of joints.
#[derive(Clone, Debug, PartialEq)]
pub struct Rig {
    joints: Vec<Joint>,
    /// All joints, parents before their children; equal to their numbers where they come so.
    order: Vec<usize>,
    /// Makes the world's metres and axes of the rig's own.
    pub frame: DAffine3,
}

impl Default for Rig {
    fn default() -> Self {
        Self {
            joints: Vec::new(),
            order: Vec::new(),
            frame: DAffine3::IDENTITY,
        }
    }
}

/// How every joint stands to its parent, and how much of every morph there is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pose {
    /// A transform a joint.
    pub locals: Vec<Transform>,
    /// A weight a morph.
    pub weights: Vec<f64>,
}

impl Rig {
    /// A skeleton of joints in any order; each keeps its number.
    pub fn new(joints: Vec<Joint>) -> Result<Self, CharacterError> {
        let count = joints.len();
        let mut children = vec![Vec::new(); count];
        let mut order = Vec::with_capacity(count);
        for (index, joint) in joints.iter().enumerate() {
            if !joint.rest.is_valid() {
                return Err(CharacterError::Transform { joint: index });
            }
            match joint.parent {
                None => order.push(index),
                Some(parent) if parent < count => children[parent].push(index),
                Some(parent) => {
                    return Err(CharacterError::NoJoint {
                        of: format!("the parent of joint {index}"),
                        joint: parent,
                        joints: count,
                    });
                }
            }
        }
        // The list grows while it is walked: roots, their children, and so on.
        let mut next = 0;
        while next < order.len() {
            let joint = order[next];
            order.extend_from_slice(&children[joint]);
            next += 1;
        }
        if order.len() < count {
            let mut reached = vec![false; count];
            order.iter().for_each(|joint| reached[*joint] = true);
            let joint = reached.iter().position(|reached| !reached).unwrap_or(0);
            return Err(CharacterError::Cycle { joint });
        }
        Ok(Self {
            joints,
            order,
            frame: DAffine3::IDENTITY,
        })
    }

    /// The joints.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// The numbers of all joints, parents before their children.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// The first joint of a name.
    pub fn joint(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|joint| joint.name == name)
    }

    /// The pose at rest, without morphs.
    pub fn rest(&self) -> Pose {
        Pose {
            locals: self.joints.iter().map(|joint| joint.rest).collect(),
            weights: Vec::new(),
        }
    }

    /// Replaces `out` by where every joint is in the world in a pose, which has a transform a joint.
    pub fn globals(&self, pose: &Pose, out: &mut Vec<DAffine3>) {
        out.clear();
        out.resize(self.joints.len(), DAffine3::IDENTITY);
        for &joint in &self.order {
            let above = match self.joints[joint].parent {
                Some(parent) => out[parent],
                None => self.frame,
            };
            out[joint] = above * pose.locals[joint].affine();
        }
    }

    /// Where every joint is in the world at rest.
    pub fn rest_globals(&self) -> Vec<DAffine3> {
        let mut globals = Vec::new();
        self.globals(&self.rest(), &mut globals);
        globals
    }

    /// Where the joints' origins are in the world in a pose.
    pub fn positions(&self, pose: &Pose) -> Vec<DVec3> {
        let mut globals = Vec::new();
        self.globals(pose, &mut globals);
        globals.iter().map(|global| global.translation).collect()
    }
}
