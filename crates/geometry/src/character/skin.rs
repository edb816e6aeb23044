//! Skins: vertices that follow joints by linear blending.
//!
//! A vertex bound at `p` is at `Σ wᵢ Gᵢ Bᵢ p`: over its bones, the weight, where the bone's joint is, and
//! the inverse of where it was when the vertex was bound. Weights are made to sum to one.

use super::CharacterError;
use glam::{DAffine3, DVec3};

/// A joint together with where it was when vertices were bound to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bone {
    /// The joint.
    pub joint: usize,
    /// From the place where vertices were bound to the joint's own axes.
    pub inverse_bind: DAffine3,
}

/// How much a vertex follows a bone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Influence {
    /// The bone.
    pub bone: u32,
    /// Its share.
    pub weight: f64,
}

/// The influences of all vertices, one vertex after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Skin {
    pub(super) bones: Vec<Bone>,
    /// Where every vertex's influences begin, and where the last one's end.
    pub(super) offsets: Vec<u32>,
    pub(super) influences: Vec<Influence>,
}

impl Default for Skin {
    fn default() -> Self {
        Self {
            bones: Vec::new(),
            offsets: vec![0],
            influences: Vec::new(),
        }
    }
}

impl Skin {
    /// A skin from the influences of vertex after vertex. A vertex without any weight follows the bone
    /// `unbound`, and is refused where there is none.
    pub fn new<V>(
        bones: Vec<Bone>,
        vertices: impl IntoIterator<Item = V>,
        unbound: Option<u32>,
    ) -> Result<Self, CharacterError>
    where
        V: IntoIterator<Item = Influence>,
    {
        let mut skin = Self {
            bones,
            ..Self::default()
        };
        if let Some(bone) = skin.bones.iter().position(|b| !b.inverse_bind.is_finite()) {
            return Err(CharacterError::InverseBind { bone });
        }
        for influences in vertices {
            skin.push(influences, unbound)?;
        }
        Ok(skin)
    }

    /// Adds a vertex.
    fn push(
        &mut self,
        influences: impl IntoIterator<Item = Influence>,
        unbound: Option<u32>,
    ) -> Result<(), CharacterError> {
        let (vertex, first) = (self.vertices(), self.influences.len());
        let bones = self.bones.len();
        for influence in influences {
            let Influence { bone, weight } = influence;
            if !(weight.is_finite() && weight >= 0.0) {
                return Err(CharacterError::Weight { vertex, weight });
            }
            // Files fill up with bones of no weight, which may not even exist.
            if weight == 0.0 {
                continue;
            }
            if bone as usize >= bones {
                return Err(CharacterError::NoBone {
                    vertex,
                    bone,
                    bones,
                });
            }
            let known = self.influences[first..].iter_mut().find(|i| i.bone == bone);
            match known {
                Some(known) => known.weight += weight,
                None => self.influences.push(influence),
            }
        }
        let own = &mut self.influences[first..];
        let sum: f64 = own.iter().map(|influence| influence.weight).sum();
        if !sum.is_finite() {
            return Err(CharacterError::Weight {
                vertex,
                weight: sum,
            });
        }
        own.iter_mut().for_each(|influence| influence.weight /= sum);
        // One order for all, so that equal vertices are seen to be equal.
        own.sort_unstable_by_key(|influence| influence.bone);
        if own.is_empty() {
            let bone = unbound.ok_or(CharacterError::Unbound { vertex })?;
            if bone as usize >= bones {
                return Err(CharacterError::NoBone {
                    vertex,
                    bone,
                    bones,
                });
            }
            self.influences.push(Influence { bone, weight: 1.0 });
        }
        self.offsets.push(self.influences.len() as u32);
        Ok(())
    }

    /// Number of its vertices.
    pub fn vertices(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The bones.
    pub fn bones(&self) -> &[Bone] {
        &self.bones
    }

    /// What a vertex follows, bones in ascending order; the weights sum to one.
    pub fn influences(&self, vertex: usize) -> &[Influence] {
        let [from, to] = [self.offsets[vertex], self.offsets[vertex + 1]];
        &self.influences[from as usize..to as usize]
    }

    /// The bone a vertex follows most; the first of several.
    pub fn strongest(&self, vertex: usize) -> u32 {
        let mut influences = self.influences(vertex).iter();
        let first = influences.next().map_or((0, 0.0), |i| (i.bone, i.weight));
        let stronger = |best: (u32, f64), i: &Influence| match i.weight > best.1 {
            true => (i.bone, i.weight),
            false => best,
        };
        influences.fold(first, stronger).0
    }

    /// Replaces `out` by what every bone does to the places where vertices were bound.
    pub fn turns(&self, globals: &[DAffine3], out: &mut Vec<DAffine3>) {
        out.clear();
        let bones = self.bones.iter();
        out.extend(bones.map(|bone| globals[bone.joint] * bone.inverse_bind));
    }

    /// Appends where vertices bound at `bind` are, given what every bone does.
    pub fn place(&self, bind: &[DVec3], turns: &[DAffine3], out: &mut Vec<DVec3>) {
        let spans = self.offsets.windows(2);
        out.extend(bind.iter().zip(spans).map(|(p, span)| {
            let own = &self.influences[span[0] as usize..span[1] as usize];
            let moved = |i: &Influence| i.weight * turns[i.bone as usize].transform_point3(*p);
            own.iter().map(moved).sum::<DVec3>()
        }));
    }
}
