//! Why something is no character.

use crate::MeshError;
use thiserror::Error;

/// Why something is no character. Everything is counted from 0.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum CharacterError {
    /// Its triangles are none.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// A joint's transform is not finite, or its rotation has not length one.
    #[error("the transform of joint {joint} is not finite, or its rotation is none")]
    Transform {
        /// The joint.
        joint: usize,
    },
    /// Something refers to a joint that does not exist.
    #[error("{of} is joint {joint}, but there are only {joints}")]
    NoJoint {
        /// What refers to it.
        of: String,
        /// The joint.
        joint: usize,
        /// Joints there are.
        joints: usize,
    },
    /// No joint follows another.
    #[error("no joint of one skeleton follows one of the other")]
    NoPairs,
    /// A joint hangs on itself.
    #[error("joint {joint} hangs on itself, or on one that does")]
    Cycle {
        /// A joint of the ring, or below it.
        joint: usize,
    },
    /// A bone's bind matrix is not finite.
    #[error("the inverse bind matrix of bone {bone} is not finite")]
    InverseBind {
        /// The bone.
        bone: usize,
    },
    /// A weight that is negative or not finite.
    #[error("vertex {vertex} has a weight of {weight}")]
    Weight {
        /// The vertex.
        vertex: usize,
        /// The weight.
        weight: f64,
    },
    /// A vertex refers to a bone that does not exist.
    #[error("vertex {vertex} follows bone {bone}, but there are only {bones}")]
    NoBone {
        /// The vertex.
        vertex: usize,
        /// The bone.
        bone: u32,
        /// Bones there are.
        bones: usize,
    },
    /// A vertex follows nothing.
    #[error("vertex {vertex} has no weight for any bone")]
    Unbound {
        /// The vertex.
        vertex: usize,
    },
    /// The skin is that of other vertices.
    #[error("the skin has {skinned} vertices, but the mesh {vertices}")]
    SkinLength {
        /// Vertices of the skin.
        skinned: usize,
        /// Vertices of the mesh.
        vertices: usize,
    },
    /// Parts are named for other triangles.
    #[error("{named} triangles have a part, but there are {triangles}")]
    PartsLength {
        /// Triangles with a part.
        named: usize,
        /// Triangles there are.
        triangles: usize,
    },
    /// A triangle belongs to a part that does not exist.
    #[error("triangle {triangle} belongs to part {part}, but there are only {parts}")]
    NoPart {
        /// The triangle.
        triangle: usize,
        /// The part.
        part: u32,
        /// Parts there are.
        parts: usize,
    },
    /// A morph moves a vertex that does not exist, or by no finite distance.
    #[error(
        "morph `{morph}` moves vertex {vertex}, which does not exist or goes to no finite place"
    )]
    Morph {
        /// The morph.
        morph: String,
        /// The vertex.
        vertex: u32,
    },
    /// A morph's weight is not finite.
    #[error("the weight of morph `{morph}` is not finite")]
    MorphWeight {
        /// The morph.
        morph: String,
    },
    /// Something refers to a morph that does not exist.
    #[error("{of} is morph {morph}, but there are only {morphs}")]
    NoMorph {
        /// What refers to it.
        of: String,
        /// The morph.
        morph: usize,
        /// Morphs there are.
        morphs: usize,
    },
    /// A curve without keys, or with other values than keys.
    #[error("a curve has {keys} keys and {values} values")]
    Keys {
        /// Its keys.
        keys: usize,
        /// Its values.
        values: usize,
    },
    /// A curve's times do not ascend.
    #[error("the times of a curve are not finite, or do not ascend")]
    Times,
    /// A curve's value is not finite, or no rotation.
    #[error("key {key} of a curve is not finite, or no rotation")]
    Value {
        /// The key.
        key: usize,
    },
}
