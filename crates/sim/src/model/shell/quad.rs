//! `quad-buckling` and `quad-hookean`: a rectangular grid with stretch and shear links to its eight
//! neighbours and bending links to the eight particles two cells away.
//!
//! Calibration, for cells of `h_u × h_v` with diagonal `ℓ`, so that the *sheet* has the given
//! stiffness at every resolution:
//!
//! - Stretch: an axis link along u stands for a strip of width `h_v`: `k = k_s h_v/h_u`.
//! - Shear: `k_d = G ℓ²/(2 h_u h_v)`, which is `G` on square cells.
//! - Bending: overlapping bending links count every arc twice, and the chord of two rigid
//!   half-links is not that of an arc (factor ¾). Per direction the energy density is
//!   `½·1.5 k_b ℓ_half κ²/(h_u h_v)`; summing the four directions and asking for rigidities
//!   `B_u`, `B_v` and the isotropic twist `√(B_u B_v)` gives
//!   `k_bd = √(B_u B_v) ℓ³/(9 h_u h_v)`,
//!   `k_bu = h_v/1.5 (B_u − √(B_u B_v) h_u²/(3 h_v²))`, and the same with u and v exchanged.
//!   On square isotropic cells: `k_b = B h/2.25`, `k_bd = k_b/√2`. Another curve than the arc, with
//!   another critical load `P`, needs `12/P` times as much for the same sheet.
//! - Curvature threshold: the line meets the curve at curvature `κ*` when `c_b = P k_b/(κ*² ℓ⁵)`,
//!   `ℓ` half the link.
//! - Two-sided springs have no bending rigidity to calibrate: their energy is quartic in curvature.
//!   `quad-hookean` gives bending springs the stiffness `c_b`, so that up to the curvature threshold
//!   both models are the same, and beyond it the spring goes on storing compression.
//! - Links along the border stand for half a strip and get half of everything.
//! - Mass: a quarter of a cell's mass to each corner.
//!
//! Source: *Stable but Responsive Cloth*, section 3, with the calibration it lacks.
//! Verified by: `tests/quad.rs`, `tests/hookean.rs`.

use crate::error::BuildError;
use crate::forces::{
    AxialLinks, BucklingLink, Class, Curve, HookeanLink, LinkOptions, StretchLink,
};
use crate::model::material::{Compression, Material};
use glam::{DVec2, DVec3};
use toile_geometry::QuadGrid;

/// A grid placed in the world: its first particle and its pattern axes.
#[derive(Clone, Copy, Debug)]
pub struct Placement<'a> {
    /// The grid.
    pub grid: &'a QuadGrid,
    /// World direction of u.
    pub u_axis: DVec3,
    /// World direction of v.
    pub v_axis: DVec3,
    /// Index of the grid's first particle in the model.
    pub first_particle: u32,
}

/// The four directions of a grid's links, in cells.
const DIRECTIONS: [(isize, isize); 4] = [(1, 0), (0, 1), (1, 1), (-1, 1)];

impl Placement<'_> {
    fn world_direction(&self, (du, dv): (isize, isize)) -> DVec3 {
        let spacing = self.grid.spacing_m();
        (du as f64 * spacing.x * self.u_axis + dv as f64 * spacing.y * self.v_axis).normalize()
    }

    /// All links `reach` cells long with their class: the direction, plus four on the border.
    fn links(&self, reach: isize) -> Vec<([u32; 2], u8)> {
        let mut links = Vec::new();
        for (class, (du, dv)) in DIRECTIONS.into_iter().enumerate() {
            for (a, b) in self.grid.pairs(du * reach, dv * reach) {
                let border = on_border(self.grid, (du, dv), self.grid.cell_of(a));
                let class = class as u8 + if border { 4 } else { 0 };
                links.push(([a, b].map(|i| self.first_particle + i as u32), class));
            }
        }
        links
    }

    /// Eight classes: four directions inside, four on the border with half the strength.
    fn classes<L>(&self, mut law: impl FnMut(usize, f64) -> L) -> Vec<Class<L>> {
        let mut classes = Vec::with_capacity(8);
        for strength in [1.0, BORDER_STRENGTH] {
            for (k, direction) in DIRECTIONS.into_iter().enumerate() {
                classes.push(Class {
                    law: law(k, strength),
                    fallback_direction: self.world_direction(direction),
                });
            }
        }
        classes
    }

    fn link_length_m(&self, direction: usize) -> f64 {
        let (du, dv) = DIRECTIONS[direction];
        (self.grid.spacing_m() * DVec2::new(du as f64, dv as f64)).length()
    }
}

/// Share of everything that links along the border have: they stand for half a strip.
pub const BORDER_STRENGTH: f64 = 0.5;

/// Whether a link of unit `direction` leaving `(column, row)` runs along the border.
pub fn on_border(
    grid: &QuadGrid,
    direction: (isize, isize),
    (column, row): (usize, usize),
) -> bool {
    match direction {
        (1, 0) => row == 0 || row == grid.rows - 1,
        (0, 1) => column == 0 || column == grid.columns - 1,
        _ => false,
    }
}

/// The direction of a link or edge in the weave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thread {
    /// Along u.
    Warp,
    /// Along v.
    Weft,
    /// Across the cells.
    Diagonal,
}

impl Thread {
    /// Every one.
    pub const ALL: [Self; 3] = [Self::Warp, Self::Weft, Self::Diagonal];

    /// The direction nearest to one in the pattern; half of all directions are diagonal.
    pub fn nearest(direction: DVec2) -> Self {
        let (u, v) = (direction.x.abs(), direction.y.abs());
        let steepest = std::f64::consts::FRAC_PI_8.tan();
        if v <= steepest * u {
            Self::Warp
        } else if u <= steepest * v {
            Self::Weft
        } else {
            Self::Diagonal
        }
    }
}

/// The direction of a class's links: four of each, those inside and those on the border.
pub fn thread_of_class(class: usize) -> Thread {
    match DIRECTIONS[class % DIRECTIONS.len()] {
        (_, 0) => Thread::Warp,
        (0, _) => Thread::Weft,
        _ => Thread::Diagonal,
    }
}

/// Mass of every particle, kg: a quarter of each cell it touches.
pub fn masses(grid: &QuadGrid, area_density_kg_per_m2: f64) -> Vec<f64> {
    let spacing = grid.spacing_m();
    let quarter = 0.25 * area_density_kg_per_m2 * spacing.x * spacing.y;
    let sides = |k: usize, count: usize| if k == 0 || k == count - 1 { 1.0 } else { 2.0 };
    (0..grid.len())
        .map(|i| {
            let (column, row) = grid.cell_of(i);
            quarter * sides(column, grid.columns) * sides(row, grid.rows)
        })
        .collect()
}

fn options(material: &Material) -> LinkOptions {
    LinkOptions {
        damping_n_s_per_m: material.damping_n_s_per_m,
        damping: material.damping,
        jacobian: material.jacobian,
    }
}

/// Stiffness of the stretch and shear links in each direction, N/m.
fn stiffnesses(grid: &QuadGrid, material: &Material) -> [f64; 4] {
    let h = grid.spacing_m();
    let shear = material.shear_n_per_m * h.length_squared() / (2.0 * h.x * h.y);
    [
        material.stretch_warp_n_per_m * h.y / h.x,
        material.stretch_weft_n_per_m * h.x / h.y,
        shear,
        shear,
    ]
}

/// Stretch and shear links.
pub fn stretch_links(
    place: &Placement<'_>,
    material: &Material,
    particles: usize,
) -> AxialLinks<StretchLink> {
    let stiffness = stiffnesses(place.grid, material);
    let classes = place.classes(|direction, strength| StretchLink {
        stiffness_n_per_m: strength * stiffness[direction],
        rest_length_m: place.link_length_m(direction),
        slack_factor: material.slack_factor,
    });
    AxialLinks::new(particles, place.links(1), classes, options(material))
}

/// Two-sided stretch and shear springs.
pub fn stretch_springs(
    place: &Placement<'_>,
    material: &Material,
    particles: usize,
) -> AxialLinks<HookeanLink> {
    let stiffness = stiffnesses(place.grid, material);
    let classes = place.classes(|direction, strength| HookeanLink {
        stiffness_n_per_m: strength * stiffness[direction],
        rest_length_m: place.link_length_m(direction),
    });
    AxialLinks::new(particles, place.links(1), classes, options(material))
}

/// Bending links, or `None` for a sheet without bending stiffness.
pub fn bending_links(
    place: &Placement<'_>,
    material: &Material,
    particles: usize,
) -> Result<Option<AxialLinks<BucklingLink>>, BuildError> {
    if is_limp(material) {
        return Ok(None);
    }
    let bending = Bending::of(place.grid, material)?;
    let mut refused = None;
    let classes = place.classes(|direction, strength| {
        let k_b = strength * bending.rigidity[direction];
        let length = 2.0 * place.link_length_m(direction);
        let c_b = strength * bending.compression_n_per_m(direction, length);
        BucklingLink::bent_as(bending.curve, k_b, length, c_b).map_err(|_| {
            refused.get_or_insert_with(|| bending.gamma_error(place.grid));
        })
    });
    if let Some(error) = refused {
        return Err(error);
    }
    let classes = classes
        .into_iter()
        .filter_map(|class| {
            class.law.ok().map(|law| Class {
                law,
                fallback_direction: class.fallback_direction,
            })
        })
        .collect();
    Ok(Some(AxialLinks::new(
        particles,
        place.links(2),
        classes,
        options(material),
    )))
}

/// Two-sided bending springs, or `None` for a sheet without bending stiffness.
pub fn bending_springs(
    place: &Placement<'_>,
    material: &Material,
    particles: usize,
) -> Result<Option<AxialLinks<HookeanLink>>, BuildError> {
    if is_limp(material) {
        return Ok(None);
    }
    if material.compression == Compression::Rigid {
        return Err(BuildError {
            key: "material.curvature_threshold_per_m".into(),
            message: "two-sided springs cannot be infinitely stiff: expected a number greater \
                      than 0 with `quad-hookean`"
                .into(),
        });
    }
    let bending = Bending::of(place.grid, material)?;
    let classes = place.classes(|direction, strength| {
        let rest_length_m = 2.0 * place.link_length_m(direction);
        HookeanLink {
            stiffness_n_per_m: strength * bending.compression_n_per_m(direction, rest_length_m),
            rest_length_m,
        }
    });
    Ok(Some(AxialLinks::new(
        particles,
        place.links(2),
        classes,
        options(material),
    )))
}

fn is_limp(material: &Material) -> bool {
    material.bending_warp_n_m == 0.0 && material.bending_weft_n_m == 0.0
}

/// What the bending links of a sheet are calibrated to.
struct Bending {
    curve: Curve,
    compression: Compression,
    /// `k_b` in each direction, N·m².
    rigidity: [f64; 4],
}

impl Bending {
    fn of(grid: &QuadGrid, material: &Material) -> Result<Self, BuildError> {
        let curve = Curve::new(material.curve, material.evaluation).map_err(|_| BuildError {
            key: "material.eval".into(),
            message: "there is a fit for the arc alone: expected \"newton\" or \"table\" with \
                      the elastica"
                .into(),
        })?;
        let calibration = 12.0 / curve.critical_load();
        Ok(Self {
            curve,
            compression: match material.compression {
                Compression::Limited(kappa) => {
                    Compression::CurvatureThreshold(limited_threshold(grid, material, curve, kappa))
                }
                given => given,
            },
            rigidity: rigidities(grid, material)?.map(|k| calibration * k),
        })
    }

    /// `c_b` of a link inside the sheet.
    fn compression_n_per_m(&self, direction: usize, length_m: f64) -> f64 {
        match self.compression {
            Compression::CurvatureThreshold(kappa) | Compression::Limited(kappa) => {
                let load = self.curve.critical_load() * self.rigidity[direction];
                load / (kappa.powi(2) * (0.5 * length_m).powi(5))
            }
            Compression::Stiffness(axis) => axis,
            Compression::Rigid => f64::INFINITY,
        }
    }

    /// Names the key and its admissible range.
    fn gamma_error(&self, grid: &QuadGrid) -> BuildError {
        let h = grid.spacing_m();
        let least_gamma = self.curve.min_gamma();
        match self.compression {
            Compression::Stiffness(axis) => {
                let lengths = [h.x, h.y, h.length(), h.length()];
                let least = (0..4)
                    .map(|d| least_gamma * self.rigidity[d] / (2.0 * lengths[d]).powi(3))
                    .fold(0.0, f64::max);
                BuildError {
                    key: "material.compression_n_per_m".into(),
                    message: format!(
                        "{axis} N/m is too soft for the links to buckle (γ = c_b L³/k_b must be \
                         at least {least_gamma}): expected at least {least:.4e} N/m on this grid \
                         with this bending rigidity"
                    ),
                }
            }
            Compression::CurvatureThreshold(kappa) | Compression::Limited(kappa) => BuildError {
                key: "material.curvature_threshold_per_m".into(),
                message: format!(
                    "{kappa} 1/m is too large for this grid (γ = {:.0}/(κ ℓ)² must be at least \
                     {least_gamma}): expected more than 0 and at most {:.4} 1/m",
                    8.0 * self.curve.critical_load(),
                    (8.0 * self.curve.critical_load() / least_gamma).sqrt() / h.length()
                ),
            },
            Compression::Rigid => BuildError {
                key: "material.bending_n_m".into(),
                message: "expected a finite bending rigidity".into(),
            },
        }
    }
}

/// The curvature threshold, raised to where a bending link is as stiff in compression as the two
/// stretch links it spans are in extension, and no further than where it still buckles.
fn limited_threshold(grid: &QuadGrid, material: &Material, curve: Curve, kappa: f64) -> f64 {
    let spacing = grid.spacing_m();
    let rigidity = material.bending_warp_n_m.max(material.bending_weft_n_m);
    let stretch = material
        .stretch_warp_n_per_m
        .min(material.stretch_weft_n_per_m);
    let as_stiff = (24.0 * rigidity / (2.25 * stretch)).sqrt() / spacing.min_element().powi(2);
    let buckles = (8.0 * curve.critical_load() / curve.min_gamma()).sqrt() / spacing.length();
    as_stiff.min(0.999 * buckles).max(kappa)
}

/// Rigidity `k_b` of arcs in each direction, N·m².
fn rigidities(grid: &QuadGrid, material: &Material) -> Result<[f64; 4], BuildError> {
    let h = grid.spacing_m();
    let (b_u, b_v) = (material.bending_warp_n_m, material.bending_weft_n_m);
    let twist = (b_u * b_v).sqrt();
    let diagonal = twist * h.length().powi(3) / (9.0 * h.x * h.y);
    let along = |b: f64, own: f64, other: f64| {
        other / 1.5 * (b - twist * own * own / (3.0 * other * other))
    };
    let rigidity = [
        along(b_u, h.x, h.y),
        along(b_v, h.y, h.x),
        diagonal,
        diagonal,
    ];
    if rigidity.iter().any(|k| *k <= 0.0) {
        return Err(rigidity_error(h, [b_u, b_v]));
    }
    Ok(rigidity)
}

/// Links along the sides carry what those along the diagonals leave them, which is nothing where cells are
/// long or rigidities differ much: names which of the two it is, and what is possible.
fn rigidity_error(h: DVec2, [b_u, b_v]: [f64; 2]) -> BuildError {
    let ratio = (h.y / h.x).powi(4);
    if (1.0 / 9.0..9.0).contains(&ratio) {
        // The larger one may well be meant.
        let (key, way, small, large, ratio) = if b_u < b_v {
            ("material.bending_n_m", "warp", b_u, b_v, ratio.recip())
        } else {
            ("material.bending_weft_n_m", "weft", b_v, b_u, ratio)
        };
        return BuildError {
            key: key.into(),
            message: format!(
                "{small:e} N·m along {way} cannot go with {large:e} N·m across it on cells of {:.4} m × {:.4} m: \
                 expected more than {:.3e} and less than {:.3e} N·m",
                h.x,
                h.y,
                ratio * large / 9.0,
                9.0 * ratio * large
            ),
        };
    }
    BuildError {
        key: "grid.particles".into(),
        message: format!(
            "cells of {:.4} m × {:.4} m cannot carry bending rigidities of {b_u:e} and {b_v:e} N·m: \
             expected sides within a factor of {:.3} of each other (for equal rigidities)",
            h.x,
            h.y,
            3.0_f64.sqrt()
        ),
    }
}
