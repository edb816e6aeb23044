//! Values of a cloth that differ from face to face, and over time.

use crate::error::BuildError;
use crate::model::keyed::KeyedScalar;
use crate::model::material::Material;
use crate::model::spec::ClothSpec;
use glam::DVec2;
use std::borrow::Cow;
use std::sync::Arc;
use toile_geometry::Surface;

/// A value that is multiplied by a factor, face by face.
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    /// Which value.
    pub value: Mapped,
    /// How much of `factor` every face has.
    pub shares: Arc<[f64]>,
    /// What the value is multiplied by where the share is 1.
    pub factor: KeyedScalar,
    /// The same where it is 0.
    pub factor_at_zero: f64,
}

/// Values that can be mapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mapped {
    /// Mass per area. It cannot change over time.
    AreaDensity,
    /// Stretch stiffness along warp and weft.
    Stretch,
    /// Shear stiffness.
    Shear,
    /// Bending rigidity along warp and weft.
    Bending,
    /// Dampers of stretch, shear and bending.
    Damping,
    /// Lengths at rest along warp and weft: what shrinks keeps its mass.
    RestLength,
    /// Lengths at rest along warp.
    RestLengthWarp,
    /// Lengths at rest along weft.
    RestLengthWeft,
    /// Angles at which hinges rest.
    RestAngle,
}

impl Map {
    /// The factor of a face at a time.
    pub fn factor_of(&self, face: usize, time_s: f64) -> f64 {
        let share = self.shares.get(face).copied().unwrap_or(0.0);
        (1.0 - share) * self.factor_at_zero + share * self.factor.at(time_s)
    }

    /// Refuses what is no map; keys are named as in scene files.
    fn validate(&self) -> Result<(), BuildError> {
        let error = |key: &str, message: &str| {
            Err(BuildError {
                key: key.into(),
                message: message.into(),
            })
        };
        self.factor.validate()?;
        if self.value == Mapped::AreaDensity && self.factor.changes() {
            return error(
                "keyframes",
                "mass cannot change over time: expected another `value`, or no keyframes",
            );
        }
        let least = match self.value {
            Mapped::RestAngle => f64::NEG_INFINITY,
            value if value.must_be_positive() => f64::MIN_POSITIVE,
            _ => 0.0,
        };
        let mut factors = self.factor.values().chain([self.factor_at_zero]);
        if !factors.all(|factor| factor.is_finite() && factor >= least) {
            return error(
                "factor",
                "expected finite factors in the range of the value",
            );
        }
        Ok(())
    }
}

impl Mapped {
    /// Whether there is nothing left of the cloth where it is 0.
    pub fn must_be_positive(self) -> bool {
        matches!(
            self,
            Self::AreaDensity | Self::RestLength | Self::RestLengthWarp | Self::RestLengthWeft
        )
    }

    /// What a factor does to lengths at rest along warp and weft.
    fn scale(self, factor: f64) -> DVec2 {
        match self {
            Self::RestLength => DVec2::splat(factor),
            Self::RestLengthWarp => DVec2::new(factor, 1.0),
            Self::RestLengthWeft => DVec2::new(1.0, factor),
            _ => DVec2::ONE,
        }
    }

    fn apply(self, factor: f64, material: &mut Material) {
        match self {
            Self::AreaDensity => material.area_density_kg_per_m2 *= factor,
            Self::Stretch => {
                material.stretch_warp_n_per_m *= factor;
                material.stretch_weft_n_per_m *= factor;
            }
            Self::Shear => material.shear_n_per_m *= factor,
            Self::Bending => {
                material.bending_warp_n_m *= factor;
                material.bending_weft_n_m *= factor;
            }
            Self::Damping => {
                material.damping_n_s_per_m *= factor;
                material.bending_damping_s *= factor;
            }
            Self::RestLength | Self::RestLengthWarp | Self::RestLengthWeft | Self::RestAngle => {}
        }
    }
}

impl ClothSpec {
    /// What a face is made of at a time.
    pub fn material_of(&self, face: usize, time_s: f64) -> Material {
        let mut material = self.material;
        for map in &self.maps {
            map.value.apply(map.factor_of(face, time_s), &mut material);
        }
        material
    }

    /// What the angles at rest of two neighbours' hinge are multiplied by at a time.
    pub fn angle_factor_of(&self, faces: [u32; 2], time_s: f64) -> f64 {
        let maps = self.maps.iter();
        let maps = maps.filter(|map| map.value == Mapped::RestAngle);
        maps.map(|map| {
            let [one, other] = faces.map(|face| map.factor_of(face as usize, time_s));
            0.5 * (one + other)
        })
        .product()
    }

    /// `surface` with its lengths at rest as they are at a time.
    pub fn at_rest<'a>(&self, surface: &'a Surface, time_s: f64) -> Cow<'a, Surface> {
        let scales = |map: &&Map| map.value.scale(2.0) != DVec2::ONE;
        if !self.maps.iter().any(|map| scales(&map)) {
            return Cow::Borrowed(surface);
        }
        let mut scaled = surface.clone();
        for (face, rest) in scaled.rest.iter_mut().enumerate() {
            for map in self.maps.iter().filter(scales) {
                let scale = map.value.scale(map.factor_of(face, time_s));
                rest.iter_mut().for_each(|place| *place *= scale);
            }
        }
        Cow::Owned(scaled)
    }

    /// Whether any of its values changes over time.
    pub fn changes(&self) -> bool {
        self.courses().any(KeyedScalar::changes)
    }

    /// All numbers it is made of that may change over time.
    pub(crate) fn courses(&self) -> impl Iterator<Item = &KeyedScalar> {
        let angles = self.rest_angles.painted.iter().map(|(_, angle)| angle);
        self.maps.iter().map(|map| &map.factor).chain(angles)
    }

    /// Refuses maps and courses that are none.
    pub(crate) fn validate_courses(&self) -> Result<(), BuildError> {
        for (k, map) in self.maps.iter().enumerate() {
            map.validate().map_err(|e| e.under(&format!("map[{k}]")))?;
        }
        for (_, angle) in &self.rest_angles.painted {
            angle.validate().map_err(|e| e.under("crease"))?;
            if !angle.values().all(f64::is_finite) {
                return Err(BuildError {
                    key: "crease".into(),
                    message: "expected finite angles".into(),
                });
            }
        }
        Ok(())
    }
}
