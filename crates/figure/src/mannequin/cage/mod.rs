//! The cage: a few quadrilaterals laid around the figure, the same for every size.
//!
//! Trunk, head and limbs are tubes of quadrilaterals with eight (limbs, head) or twelve (trunk)
//! columns; the crotch is a line that both legs share. Only the left half is listed; the other is
//! its mirror image. Splitting every quadrilateral twice into four gives the surface its edges, so
//! that weights, textures and landmarks of one size fit all others.

mod limbs;

use super::sculpt::Plan;
use glam::DVec3;
use std::collections::HashMap;

/// The part of the figure that a quadrilateral is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// Crotch to neck.
    Trunk,
    /// Neck and head.
    Head,
    /// Groin to ankle.
    Leg,
    /// Below the ankle.
    Foot,
    /// Shoulder to wrist.
    Arm,
    /// Beyond the wrist.
    Hand,
}

impl Part {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Trunk,
        Self::Head,
        Self::Leg,
        Self::Foot,
        Self::Arm,
        Self::Hand,
    ];

    /// As it is called in files.
    pub fn name(self) -> &'static str {
        ["trunk", "head", "legs", "feet", "arms", "hands"][self as usize]
    }
}

/// The left half: quadrilaterals counter-clockwise from outside.
#[derive(Clone, Debug, Default)]
pub struct Half {
    /// Rough places of the vertices; those of the middle have x = 0 exactly.
    pub positions: Vec<DVec3>,
    /// Corners.
    pub quads: Vec<[u32; 4]>,
    /// What each quadrilateral is of.
    pub parts: Vec<Part>,
}

/// Where a vertex is in the tubes: part, column, row and layer.
type Key = (Part, i8, i8, i8);

/// Columns of a half ring of the trunk, from the front over the side to the back.
const TRUNK_RING: [(i8, i8); 7] = [(0, 1), (1, 1), (2, 1), (2, 0), (2, -1), (1, -1), (0, -1)];
/// Columns of a half ring of the neck.
const NECK_RING: [(i8, i8); 5] = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1)];
/// Columns of a limb, counter-clockwise seen from its end.
const LIMB_RING: [(i8, i8); 8] = [
    (2, -1),
    (2, 0),
    (2, 1),
    (1, 1),
    (0, 1),
    (0, 0),
    (0, -1),
    (1, -1),
];
/// Heights of the trunk's rows, as shares of crotch to crown; the first slopes up to the hips.
const TRUNK_ROWS: [f64; 9] = [0.0, 0.10, 0.19, 0.28, 0.36, 0.44, 0.525, 0.60, 0.66];
/// Rows of the trunk between which the arm begins.
const ARMHOLE: [i8; 3] = [6, 7, 8];
/// Heights of the rows of the neck and head.
const HEAD_ROWS: [f64; 4] = [0.735, 0.80, 0.87, 0.95];

struct Builder<'a> {
    plan: &'a Plan,
    half: Half,
    known: HashMap<Key, u32>,
}

/// The cage of a figure, before any splitting.
pub fn cage(plan: &Plan) -> Half {
    let mut builder = Builder {
        plan,
        half: Half::default(),
        known: HashMap::new(),
    };
    builder.trunk();
    builder.head();
    builder.leg();
    builder.foot();
    builder.arm();
    builder.hand();
    builder.half
}

impl Half {
    /// Splits every quadrilateral into four. Sides keep their order, so that bands of
    /// quadrilaterals stay bands.
    pub fn split(&self) -> Self {
        let mut fine = Self {
            positions: self.positions.clone(),
            ..Self::default()
        };
        let mut halves: HashMap<[u32; 2], u32> = HashMap::new();
        for (&[a, b, c, d], &part) in self.quads.iter().zip(&self.parts) {
            let mut half = |a: u32, b: u32| {
                *halves.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                    let middle = 0.5 * (self.positions[a as usize] + self.positions[b as usize]);
                    fine.positions.push(middle);
                    fine.positions.len() as u32 - 1
                })
            };
            let [ab, bc, cd, da] = [half(a, b), half(b, c), half(c, d), half(d, a)];
            let sum: DVec3 = [a, b, c, d]
                .map(|v| self.positions[v as usize])
                .iter()
                .sum();
            let middle = fine.positions.len() as u32;
            fine.positions.push(0.25 * sum);
            fine.quads.extend([
                [a, ab, middle, da],
                [ab, b, bc, middle],
                [middle, bc, c, cd],
                [da, middle, cd, d],
            ]);
            fine.parts.extend([part; 4]);
        }
        fine
    }
}

impl Builder<'_> {
    /// The vertex of a key, made where `place` says when it is new.
    fn vertex(&mut self, key: Key, place: DVec3) -> u32 {
        *self.known.entry(key).or_insert_with(|| {
            self.half.positions.push(place);
            self.half.positions.len() as u32 - 1
        })
    }

    fn quad(&mut self, part: Part, corners: [u32; 4]) {
        self.half.quads.push(corners);
        self.half.parts.push(part);
    }

    /// Quadrilaterals between two rings; `closed` joins the last column to the first.
    fn band(&mut self, part: Part, near: &[u32], far: &[u32], closed: bool) {
        let count = near.len();
        for k in 0..if closed { count } else { count - 1 } {
            let next = (k + 1) % count;
            self.quad(part, [near[k], near[next], far[next], far[k]]);
        }
    }

    fn trunk_vertex(&mut self, i: i8, j: i8, k: i8) -> u32 {
        let plan = self.plan;
        let share = TRUNK_ROWS[j as usize];
        let (fi, fk) = (f64::from(i), f64::from(k));
        let corner = if i == 2 && k != 0 { 0.82 } else { 1.0 };
        let place = match j {
            0 => {
                // The line of the groin.
                let thigh = plan.thigh().x;
                let rise = [0.0, 0.015, 0.05][i as usize];
                let x = [0.0, thigh, 0.165 * plan.hip * corner][i as usize];
                DVec3::new(x, plan.crotch_m + rise, 0.085 * plan.hip * fk * corner)
            }
            8 if i == 1 => DVec3::new(0.06 * plan.neck, plan.up_m(0.68), -0.035 + 0.06 * fk),
            8 if i == 0 => DVec3::new(0.0, plan.up_m(0.68), -0.035 + 0.075 * fk),
            6..=8 => {
                let out = plan.shoulder_m - [0.035, 0.012, 0.02][(j - 6) as usize];
                let x = 0.5 * fi * out;
                DVec3::new(x, plan.up_m(share), -0.02 + 0.075 * plan.bust * fk * corner)
            }
            _ => {
                let scale = if share < 0.2 { plan.hip } else { plan.waist };
                let x = 0.5 * fi * 0.135 * scale * corner;
                DVec3::new(x, plan.up_m(share), 0.09 * scale * fk * corner)
            }
        };
        self.vertex((Part::Trunk, i, j, k), place)
    }

    fn trunk(&mut self) {
        let top = TRUNK_ROWS.len() as i8 - 1;
        for j in 0..top {
            // Above the armpit, the two columns of the side are the armhole.
            let columns: &[_] = if j < ARMHOLE[0] {
                &[&TRUNK_RING[..]]
            } else {
                &[&TRUNK_RING[..3], &TRUNK_RING[4..]]
            };
            for &columns in columns {
                let mut row = |j| -> Vec<u32> {
                    columns
                        .iter()
                        .map(|&(i, k)| self.trunk_vertex(i, j, k))
                        .collect()
                };
                let (near, far) = (row(j), row(j + 1));
                self.band(Part::Trunk, &near, &far, false);
            }
        }
        for k in [0, -1] {
            let corners = [(1, k + 1), (2, k + 1), (2, k), (1, k)];
            let corners = corners.map(|(i, k)| self.trunk_vertex(i, top, k));
            self.quad(Part::Trunk, corners);
        }
    }

    fn head(&mut self) {
        let plan = self.plan;
        let top = TRUNK_ROWS.len() as i8 - 1;
        let mut near = NECK_RING.map(|(i, k)| self.trunk_vertex(i, top, k));
        let middles = [-0.02, 0.0, 0.01, 0.01];
        let sizes = [0.05 * plan.neck, 0.07, 0.085, 0.06];
        for (row, &share) in HEAD_ROWS.iter().enumerate() {
            let (z, r) = (middles[row], sizes[row]);
            let far = NECK_RING.map(|(i, k)| {
                let corner = if i == 1 && k != 0 { 0.75 } else { 1.0 };
                // Under the chin the rows run down to the front.
                let y = plan.up_m(share) - if row == 1 { 0.012 * f64::from(k) } else { 0.0 };
                let place = DVec3::new(
                    0.9 * r * corner * f64::from(i),
                    y,
                    z + r * corner * f64::from(k),
                );
                self.vertex((Part::Head, i, row as i8, k), place)
            });
            self.band(Part::Head, &near, &far, false);
            near = far;
        }
        let crown = DVec3::new(0.0, plan.crown_m + 0.01, 0.0);
        let middle = self.vertex((Part::Head, 0, -1, 0), crown);
        let [front, side_front, side, side_back, back] = near;
        self.quad(Part::Head, [front, side_front, side, middle]);
        self.quad(Part::Head, [middle, side, side_back, back]);
    }
}
