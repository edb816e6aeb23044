//! One cloth as written.

use super::{Attach, Border, Crease, Disc, Grid, Lathe, Map, Mesh, Pin, Ribbon, Stick, Tube};
use crate::scene::strict;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One cloth: exactly one of `grid`, `mesh`, `disc`, `tube`, `ribbon` and `lathe`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [
    { "required": ["grid"] },
    { "required": ["mesh"] },
    { "required": ["disc"] },
    { "required": ["tube"] },
    { "required": ["ribbon"] },
    { "required": ["lathe"] }
]))]
pub struct Cloth {
    /// Name of the cloth. Default: `cloth`, then `cloth-2` and so on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// A rectangle: its size, particles and place.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::optional"
    )]
    pub grid: Option<Grid>,
    /// A mesh from a file.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::optional"
    )]
    pub mesh: Option<Mesh>,
    /// A round cloth.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::optional"
    )]
    pub disc: Option<Disc>,
    /// An open tube.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::optional"
    )]
    pub tube: Option<Tube>,
    /// A ribbon along a path.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::optional"
    )]
    pub ribbon: Option<Ribbon>,
    /// A profile turned about an axis, such as a bottle.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::optional"
    )]
    pub lathe: Option<Lathe>,
    /// Its energies. Default: `quad-buckling` for a grid, `triangle-buckling` for other shapes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Model>,
    /// Exchanges how triangles resist stretch and shear.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub membrane: Option<Membrane>,
    /// Exchanges how triangles resist bending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bending: Option<Bending>,
    /// Angles at which hinges rest.
    #[serde(default)]
    pub rest_angles: RestAngles,
    /// Fabric it is made of: one of the scene's, or a built-in one; `toile fabrics` lists those.
    #[serde(default = "default_fabric")]
    pub fabric: String,
    /// Velocity of every particle at the start, m/s.
    #[serde(default)]
    pub velocity_m_per_s: [f64; 3],
    /// Values that replace those of the fabric.
    #[serde(default, deserialize_with = "strict::table")]
    pub material: Material,
    /// Where it is held.
    #[serde(default, deserialize_with = "strict::tables")]
    pub pin: Vec<Pin>,
    /// Where it sticks to things that come near.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "strict::tables"
    )]
    pub stick: Vec<Stick>,
    /// Where it is fastened to things for good.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "strict::tables"
    )]
    pub attach: Vec<Attach>,
    /// What is sewn into it.
    #[serde(default, deserialize_with = "strict::tables")]
    pub weight: Vec<Weight>,
    /// Folds pressed into it.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "strict::tables"
    )]
    pub crease: Vec<Crease>,
    /// Where its material differs.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "strict::tables"
    )]
    pub map: Vec<Map>,
}

/// Extra mass: `borders` with `kg_per_m`, or `indices` with `kg`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("oneOf" = [
    { "required": ["borders", "kg_per_m"] },
    { "required": ["indices", "kg"] }
]))]
pub struct Weight {
    /// Sides of the cloth with a cord or chain in the hem.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub borders: Option<Vec<Border>>,
    /// With `borders`: mass of the cord per length, kg/m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kg_per_m: Option<f64>,
    /// Particles by index, as for pins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indices: Option<Vec<u32>>,
    /// With `indices`: mass added to each, kg.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kg: Option<f64>,
}

fn default_fabric() -> String {
    crate::fabric::DEFAULT.to_owned()
}

/// The energies of a cloth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Model {
    /// Tension-only stretch and shear links, immediately buckling bending links.
    QuadBuckling,
    /// Two-sided springs in the same places, for comparison.
    QuadHookean,
    /// On triangles: tension-only stretch and shear, immediately buckling pairs of triangles.
    TriangleBuckling,
    /// On triangles: two-sided stretch, shear by angle, hinges.
    BaraffWitkin,
    /// On triangles: the fabric's measured membrane, hinges.
    Measured,
}

/// How triangles resist stretch and shear.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Membrane {
    /// Tension along warp, weft and the diagonals; nothing in compression.
    Tension,
    /// Stretch along warp and weft in both senses, shear by the angle between them.
    BaraffWitkin,
    /// The fabric's table of measurements.
    Measured,
}

/// How triangles resist bending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Bending {
    /// Not at all.
    None,
    /// Immediately buckling links across the edges.
    Buckling,
    /// Hinges whose moment grows with the sine of half the angle.
    Hinge,
    /// Hinges whose moment grows with the angle.
    DiscreteShell,
}

/// Angles at which hinges rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RestAngles {
    /// Flat, as the pattern is.
    #[default]
    Flat,
    /// As the cloth starts.
    Start,
}

/// Values that replace those of the fabric.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Material {
    /// Mass per area, kg/m².
    #[serde(skip_serializing_if = "Option::is_none")]
    pub area_density_kg_per_m2: Option<f64>,
    /// Stretch stiffness along warp, N/m; also along weft unless that is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stretch_n_per_m: Option<f64>,
    /// Stretch stiffness along weft, N/m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stretch_weft_n_per_m: Option<f64>,
    /// Shear stiffness, N/m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shear_n_per_m: Option<f64>,
    /// Flexural rigidity of the sheet along warp, N·m; also along weft unless that is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bending_n_m: Option<f64>,
    /// Flexural rigidity of the sheet along weft, N·m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bending_weft_n_m: Option<f64>,
    /// Viscosity of hinges as a share of their rigidity, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bending_damping_s: Option<f64>,
    /// Damper along every link, N·s/m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damping_n_s_per_m: Option<f64>,
    /// Direction in which that damper acts.
    pub damping: Damping,
    /// What the solver's matrix keeps of the exact Jacobian.
    pub jacobian: Jacobian,
    /// Shape that a buckled bending link takes.
    pub curve: Curve,
    /// How that shape is evaluated.
    pub eval: Evaluation,
    /// Share of a slack link's stiffness kept in the solver's matrix, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slack_factor: Option<f64>,
    /// Distance the cloth keeps from what it touches, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thickness_m: Option<f64>,
    /// Curvature down to which the sheet keeps its bending rigidity, 1/m; 0 keeps it always.
    /// Excludes `compression_n_per_m`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub curvature_threshold_per_m: Option<f64>,
    /// Stiffness of a bending link before it buckles, N/m. Excludes `curvature_threshold_per_m`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compression_n_per_m: Option<f64>,
}

/// Direction in which a link's damper acts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Damping {
    /// Along the link: rigid rotation feels nothing.
    #[default]
    Axial,
    /// In every direction, as published: also brakes rotation and out-of-plane motion.
    Isotropic,
}

/// What the solver's matrix keeps of the exact Jacobian. The forces are exact in any case. With one
/// solve a step a second-order integrator keeps its order with `exact` alone and is of first order
/// otherwise; with Newton it keeps it always. What is dropped is what would make the matrix
/// indefinite, and a step fail: so dropping is the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Jacobian {
    /// All of it; indefinite as soon as a link pushes.
    Exact,
    /// Links that can push lose their transverse part.
    #[default]
    DropOrthogonal,
    /// Every negative part is dropped.
    Projected,
}

/// Shape that a buckled bending link takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Curve {
    /// A circular arc, as published: its critical load is 22 % above a true column's.
    #[default]
    Arc,
    /// The exact shape of a strip hinged at both ends.
    Elastica,
}

/// How the shape of a buckled bending link is evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Evaluation {
    /// From a table, to 1e-8.
    #[default]
    Table,
    /// By Newton's method, to rounding.
    Newton,
    /// By a fitted formula, to 0.03 %; for the arc alone.
    Fit,
}
