//! Cloth that sticks to things or is fastened to them, as written.

use super::map::Channel;
use super::pin::{Ball, Border, Corner, Pin, Region};
use crate::scene::strict;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toile_sim::StickSpec;

/// A part of the cloth that sticks to surfaces that come near, and lets go of them: at most one of
/// `indices`, `box`, `ball`, `corners`, `borders` and `group`, or what is painted, or all of the cloth.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stick {
    /// Particles by index, as for pins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub indices: Option<Vec<u32>>,
    /// All particles that start inside this box.
    #[serde(
        default,
        rename = "box",
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::optional"
    )]
    pub region: Option<Region>,
    /// All particles that start inside this ball.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::optional"
    )]
    pub ball: Option<Ball>,
    /// Corners of the cloth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corners: Option<Vec<Corner>>,
    /// With `corners`: side of the square at each corner, m; 0 is one particle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch_m: Option<f64>,
    /// Whole sides of the cloth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub borders: Option<Vec<Border>>,
    /// All particles of a named set of the mesh's faces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Painted on a picture in PNG format, which lies on the cloth as that of a `map`: the faces where
    /// it is lighter than half.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub texture: Option<String>,
    /// A channel of the texture, or without one of the mesh's vertex colours. Default with a
    /// texture: red.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<Channel>,
    /// Names of the colliders and cloths that are sticky. The cloth itself may be among them: it then
    /// sticks to parts of it that start further away than four times the reach and four links.
    #[schemars(length(min = 1))]
    pub to: Vec<String>,
    /// The part of them that is sticky: what starts inside this box. Default: all.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::optional"
    )]
    pub to_box: Option<Region>,
    /// The same by name: a group or material of their files, or of a character a part or a joint, with
    /// all that is below it. Default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_group: Option<String>,
    /// The same, painted on a picture in PNG format: the faces where it is lighter than half. It lies on
    /// them by the texture coordinates of their files, or is spread over the pattern of a cloth without a
    /// file. Not with `to_group`. Default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_texture: Option<String>,
    /// A channel of that picture, or without one of the vertex colours of their files. Default with a
    /// picture: red.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_channel: Option<Channel>,
    /// On meshes and cloth: the most triangles within reach that share a particle, which then keeps
    /// to the mean of its places on them.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub triangles: u32,
    /// Distance within which a particle attaches, beyond that which it keeps in any case, m.
    #[schemars(range(min = 0))]
    pub reach_m: f64,
    /// Stretch at which it lets go, m. Default: twice the reach, and no less than 0.01.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub release_m: Option<f64>,
    /// Force on a particle at which it lets go, N, if that comes before the stretch. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub strength_n: Option<f64>,
    /// Force by stretch, N/m.
    #[serde(default = "stiffness")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub stiffness_n_per_m: f64,
    /// Time in which the stiffness of what lets go falls to 1/e, s.
    #[serde(default = "fade")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub fade_s: f64,
    /// From when to when it is switched on, s: `[[0.5, 2.0], [3.0, 4.0]]`. Default: always.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub active_s: Vec<[f64; 2]>,
}

impl Stick {
    /// The same choice of particles as a pin's; none is all of them.
    pub(in crate::scene) fn chosen(&self) -> Option<Pin> {
        let pin = Pin {
            indices: self.indices.clone(),
            region: self.region,
            ball: self.ball,
            corners: self.corners.clone(),
            patch_m: self.patch_m,
            borders: self.borders.clone(),
            group: self.group.clone(),
            ..Pin::default()
        };
        (pin != Pin::default()).then_some(pin)
    }
}

/// Particles fastened for good to a collider or to cloth, where they start: exactly one of `indices`,
/// `box`, `ball`, `corners`, `borders` and `group`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attach {
    /// Particles by index, as for pins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub indices: Option<Vec<u32>>,
    /// All particles that start inside this box.
    #[serde(
        default,
        rename = "box",
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::optional"
    )]
    pub region: Option<Region>,
    /// All particles that start inside this ball.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::optional"
    )]
    pub ball: Option<Ball>,
    /// Corners of the cloth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corners: Option<Vec<Corner>>,
    /// With `corners`: side of the square at each corner, m; 0 is one particle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch_m: Option<f64>,
    /// Whole sides of the cloth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub borders: Option<Vec<Border>>,
    /// All particles of a named set of the mesh's faces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Name of the collider or cloth they are fastened to.
    pub to: String,
    /// With `indices`: the vertices of a mesh or cloth that they are fastened to, one by one.
    /// Default: where they start in the frame of the collider, or of the nearest triangle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_indices: Option<Vec<u32>>,
    /// With `to_indices`: the distance that is kept, m. Default: that at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub gap_m: Option<f64>,
    /// Force by stretch, N/m; less makes a spring of it.
    #[serde(default = "fastened")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub stiffness_n_per_m: f64,
}

impl Attach {
    /// The same choice of particles as a pin's.
    pub(in crate::scene) fn chosen(&self) -> Pin {
        Pin {
            indices: self.indices.clone(),
            region: self.region,
            ball: self.ball,
            corners: self.corners.clone(),
            patch_m: self.patch_m,
            borders: self.borders.clone(),
            group: self.group.clone(),
            ..Pin::default()
        }
    }
}

fn one() -> u32 {
    1
}

fn stiffness() -> f64 {
    StickSpec::STIFFNESS_N_PER_M
}

fn fastened() -> f64 {
    StickSpec::FASTENED_N_PER_M
}

fn fade() -> f64 {
    StickSpec::FADE_S
}
