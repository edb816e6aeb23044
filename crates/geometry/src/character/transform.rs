//! How a joint stands to its parent.

use glam::{DAffine3, DQuat, DVec3};

/// A scaling, then a rotation, then a translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// Where the origin goes.
    pub translation: DVec3,
    /// A unit quaternion.
    pub rotation: DQuat,
    /// Along the axes before turning.
    pub scale: DVec3,
}

impl Default for Transform {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Transform {
    /// Leaves everything where it is.
    pub const IDENTITY: Self = Self {
        translation: DVec3::ZERO,
        rotation: DQuat::IDENTITY,
        scale: DVec3::ONE,
    };

    /// A shift alone.
    pub fn from_translation(translation: DVec3) -> Self {
        Self {
            translation,
            ..Self::IDENTITY
        }
    }

    /// A turn, then a shift.
    pub fn from_rotation_translation(rotation: DQuat, translation: DVec3) -> Self {
        Self {
            translation,
            rotation,
            scale: DVec3::ONE,
        }
    }

    /// The same as a matrix.
    pub fn affine(&self) -> DAffine3 {
        DAffine3::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }

    /// The transform `share` of the way to `other`: rotations the short way round, the rest straight.
    pub fn blended(&self, other: &Self, share: f64) -> Self {
        Self {
            translation: self.translation.lerp(other.translation, share),
            rotation: self.rotation.slerp(other.rotation, share),
            scale: self.scale.lerp(other.scale, share),
        }
    }

    /// Whether every number is finite and the rotation one.
    pub fn is_valid(&self) -> bool {
        let finite = self.translation.is_finite() && self.scale.is_finite();
        finite && self.rotation.is_finite() && self.rotation.is_normalized()
    }
}

/// The rotation of a placing without shear.
pub(super) fn rotation(placing: &DAffine3) -> DQuat {
    placing.to_scale_rotation_translation().1.normalize()
}
