//! Built-in fabrics: names, SI numbers, and where the numbers come from.

use serde::{Deserialize, Serialize};
use std::sync::LazyLock;
use toile_sim::{Compression, Material};

/// The fabric of a cloth that names none.
pub const DEFAULT: &str = "cotton-shirting";

/// A named material.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Fabric {
    /// Name in scene files.
    pub name: String,
    /// One line about it.
    pub description: String,
    /// Mass per area, kg/m².
    pub area_density_kg_per_m2: f64,
    /// Stretch stiffness along warp, N/m.
    pub stretch_n_per_m: f64,
    /// Stretch stiffness along weft, N/m.
    pub stretch_weft_n_per_m: f64,
    /// Shear stiffness, N/m.
    pub shear_n_per_m: f64,
    /// Flexural rigidity along warp, N·m.
    pub bending_n_m: f64,
    /// Flexural rigidity along weft, N·m.
    pub bending_weft_n_m: f64,
    /// Distance kept from what it touches, m.
    pub thickness_m: f64,
    /// Coulomb friction against a smooth solid.
    pub friction: f64,
    /// Where the numbers come from.
    pub source: String,
}

impl Fabric {
    /// The material of a cloth made of it; damping and what only the solver sees stay at their
    /// defaults.
    pub fn material(&self) -> Material {
        Material {
            area_density_kg_per_m2: self.area_density_kg_per_m2,
            stretch_warp_n_per_m: self.stretch_n_per_m,
            stretch_weft_n_per_m: self.stretch_weft_n_per_m,
            shear_n_per_m: self.shear_n_per_m,
            bending_warp_n_m: self.bending_n_m,
            bending_weft_n_m: self.bending_weft_n_m,
            compression: Compression::CurvatureThreshold(CURVATURE_THRESHOLD_PER_M),
            thickness_m: self.thickness_m,
            ..Material::default()
        }
    }
}

/// Curvature below which a sheet may be treated as flat: a radius of about 0.6 m.
const CURVATURE_THRESHOLD_PER_M: f64 = 1.7;

/// All built-in fabrics, the default first.
pub fn all() -> &'static [Fabric] {
    #[derive(Deserialize)]
    struct File {
        fabric: Vec<Fabric>,
    }
    static FABRICS: LazyLock<Vec<Fabric>> = LazyLock::new(|| {
        toml::from_str::<File>(include_str!("../data/fabrics.toml"))
            .expect("the table is compiled in, and the tests of this module read it")
            .fabric
    });
    &FABRICS
}

/// The built-in fabric of this name.
pub fn find(name: &str) -> Option<&'static Fabric> {
    all().iter().find(|fabric| fabric.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_fabrics_are_plausible() {
        assert_eq!(all()[0].name, DEFAULT);
        for (i, fabric) in all().iter().enumerate() {
            let name = &fabric.name;
            assert!(all()[..i].iter().all(|f| f.name != *name), "{name}");
            assert!((0.02..1.0).contains(&fabric.area_density_kg_per_m2));
            assert!(!fabric.source.is_empty() && !fabric.description.is_empty());
            // Bending length (B/ρg)^⅓ of real fabrics: one to a few centimetres.
            let weight = fabric.area_density_kg_per_m2 * 9.81;
            for bending in [fabric.bending_n_m, fabric.bending_weft_n_m] {
                let length_m = (bending / weight).cbrt();
                assert!((0.01..0.04).contains(&length_m), "{name}: {length_m} m");
            }
        }
    }
}
