//! Fabrics: names, SI numbers, and where each number comes from.
//!
//! The format is TOML, one `[[fabric]]` a fabric, the same in the built-in library, in a scene and
//! in a file of a user's own. Values follow what a textile laboratory measures:
//!
//! - Stretch: force per width over strain of a strip pulled along its threads, N/m.
//! - Shear: `G = τ/γ`, force per length over the change of the angle between warp and weft in
//!   radians, N/m. KES gives gf/(cm·°), each of which is 56.19 N/m. On a square cell of the quad
//!   models `G` is the stiffness of each diagonal link; where links only pull and one diagonal is
//!   slack, the sheet has half of it.
//! - Bending: rigidity `B`, moment per width over curvature, N·m. KES gives gf·cm²/cm, each of which
//!   is 98.07 µN·m; a bending length `c` gives `B = ρ g c³`.

mod check;
mod library;
mod read;

pub use check::Problem;
pub use library::Library;
pub(crate) use read::File;
pub use read::{parse, read, to_toml};

pub use crate::scene::nearest;
use crate::scene::strict;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::LazyLock;
use toile_sim::forces::measured::{Measured, Repair, Table};
use toile_sim::{Compression, Material};

/// The fabric of a cloth that names none.
pub const DEFAULT: &str = "cotton-shirting";

/// A named material.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fabric {
    /// Name by which cloths refer to it.
    pub name: String,
    /// One line about it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// What it is made of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fibre: Option<String>,
    /// What it is used for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_for: Option<String>,
    /// Mass per area, kg/m².
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub area_density_kg_per_m2: f64,
    /// Stretch stiffness along warp, N/m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub stretch_n_per_m: f64,
    /// Stretch stiffness along weft, N/m. Default: as along warp.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub stretch_weft_n_per_m: Option<f64>,
    /// Strain across over strain along, of a strip pulled along warp.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -1, max = 2))]
    pub poisson: Option<f64>,
    /// Shear modulus, N/m.
    #[schemars(range(min = 0))]
    pub shear_n_per_m: f64,
    /// Flexural rigidity along warp, N·m.
    #[schemars(range(min = 0))]
    pub bending_n_m: f64,
    /// Flexural rigidity along weft, N·m. Default: as along warp.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub bending_weft_n_m: Option<f64>,
    /// Flexural rigidity at 45° to both, N·m, where it was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub bending_bias_n_m: Option<f64>,
    /// Distance kept from what it touches, m.
    #[serde(default = "default_thickness_m")]
    #[schemars(range(min = 0))]
    pub thickness_m: f64,
    /// Coulomb friction against a smooth solid.
    #[serde(default = "default_friction")]
    #[schemars(range(min = 0))]
    pub friction: f64,
    /// Drape coefficients measured on fabrics of its kind.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::optional"
    )]
    pub drape: Option<Drape>,
    /// Where all numbers come from that `sources` does not list.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// Where single numbers come from, by key.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sources: BTreeMap<String, String>,
    /// Measurements over strain and curvature.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::optional"
    )]
    pub table: Option<Measurements>,
}

/// Drape coefficients by Cusick's test, in per cent: 0 is limp, 100 is a board.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Drape {
    /// The lowest measured.
    #[schemars(range(min = 0, max = 100))]
    pub min_percent: f64,
    /// The highest measured.
    #[schemars(range(min = 0, max = 100))]
    pub max_percent: f64,
    /// By whom; begins with "estimate" where nobody has.
    pub source: String,
}

impl Drape {
    /// Whether somebody measured it.
    pub fn is_published(&self) -> bool {
        !self.source.starts_with("estimate")
    }
}

/// Measurements over strain and curvature, after Wang, O'Brien and Ramamoorthi 2011.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Measurements {
    /// Six rows of C11, C12, C22 and C33, N/m, which multiply the strain FᵀF − I (twice Green's):
    /// unstretched, then stretched by a sixth along 0, 22.5, 45, 67.5 and 90° to warp.
    pub stretch_n_per_m: Table,
    /// Three rows for fold lines along 0, 45 and 90° to warp; in each the hinge stiffness, four
    /// times the sheet's rigidity, at curvatures of 0, 10, 20, 30 and 40 per metre, N·m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hinge_n_m: Option<[[f64; 5]; 3]>,
}

const fn default_thickness_m() -> f64 {
    1e-3
}

const fn default_friction() -> f64 {
    0.3
}

/// Curvature below which a sheet may be treated as flat: a radius of about 0.6 m.
const CURVATURE_THRESHOLD_PER_M: f64 = 1.7;

impl Fabric {
    /// Stretch stiffness along weft, N/m.
    pub fn stretch_weft(&self) -> f64 {
        self.stretch_weft_n_per_m.unwrap_or(self.stretch_n_per_m)
    }

    /// Flexural rigidity along weft, N·m.
    pub fn bending_weft(&self) -> f64 {
        self.bending_weft_n_m.unwrap_or(self.bending_n_m)
    }

    /// The material of a cloth made of it; damping and what only the solver sees stay at their
    /// defaults.
    pub fn material(&self) -> Material {
        Material {
            area_density_kg_per_m2: self.area_density_kg_per_m2,
            stretch_warp_n_per_m: self.stretch_n_per_m,
            stretch_weft_n_per_m: self.stretch_weft(),
            shear_n_per_m: self.shear_n_per_m,
            bending_warp_n_m: self.bending_n_m,
            bending_weft_n_m: self.bending_weft(),
            compression: Compression::Limited(CURVATURE_THRESHOLD_PER_M),
            thickness_m: self.thickness_m,
            ..Material::default()
        }
    }

    /// The measured membrane, where there is a table, and the rows of it that had to be repaired.
    pub fn measured(&self) -> Option<(Measured, Vec<Repair>)> {
        let table = self.table.as_ref()?;
        Some(Measured::new(&table.stretch_n_per_m))
    }

    /// Where the number of a key comes from.
    pub fn source_of(&self, key: &str) -> &str {
        self.sources.get(key).unwrap_or(&self.source)
    }
}

/// All built-in fabrics, the default first.
pub fn all() -> &'static [Fabric] {
    static FABRICS: LazyLock<Vec<Fabric>> = LazyLock::new(|| {
        [
            include_str!("../../data/fabrics.toml"),
            include_str!("../../data/fabrics-wang2011.toml"),
        ]
        .iter()
        .flat_map(|text| {
            parse(text, "built-in fabrics")
                .expect("the tables are compiled in, and the tests of this module read them")
        })
        .collect()
    });
    &FABRICS
}

/// The built-in fabric of this name.
pub fn find(name: &str) -> Option<&'static Fabric> {
    all().iter().find(|fabric| fabric.name == name)
}
