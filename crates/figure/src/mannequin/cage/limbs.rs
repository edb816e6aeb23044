//! The limbs of the cage: legs, feet, arms, hands.

use super::{ARMHOLE, Builder, LIMB_RING, Part};
use glam::DVec3;

/// Heights of the leg's rows below the groin, as shares of floor to crotch.
const LEG_ROWS: [f64; 7] = [0.87, 0.74, 0.62, 0.51, 0.38, 0.25, 0.12];
/// Places of the arm's rows, as shares of shoulder to wrist.
const ARM_ROWS: [f64; 6] = [0.15, 0.31, 0.47, 0.63, 0.81, 0.99];
/// Places of the hand's rows, as shares of wrist to finger tips.
const HAND_ROWS: [f64; 3] = [0.42, 0.76, 1.08];
/// Rows of the thumb.
const THUMB_ROWS: [ThumbRow; 2] = [
    ThumbRow {
        palm: [0.080, 0.050],
        back: [0.064, 0.068],
        inside: 0.012,
        half: 0.012,
    },
    ThumbRow {
        palm: [0.109, 0.075],
        back: [0.099, 0.088],
        inside: 0.016,
        half: 0.007,
    },
];
/// The arm's last row, and the leg's.
const WRIST_ROW: i8 = ARM_ROWS.len() as i8;
const ANKLE_ROW: i8 = LEG_ROWS.len() as i8;
/// Cells of the foot in front of the leg.
const FOOT_CELLS: i8 = 2;

/// A row of the thumb, for a hand of the model's size, m: places along the hand and to the front of its
/// sides to the palm and to the back, its middle to the inside, and its half width.
struct ThumbRow {
    palm: [f64; 2],
    back: [f64; 2],
    inside: f64,
    half: f64,
}

impl Builder<'_> {
    fn leg_vertex(&mut self, i: i8, row: i8, k: i8) -> u32 {
        if row == 0 {
            if (i, k) == (0, 0) {
                let place = DVec3::new(0.0, self.plan.crotch_m, -0.01);
                return self.vertex((Part::Leg, 0, 0, 0), place);
            }
            return self.trunk_vertex(i, 0, k);
        }
        let plan = self.plan;
        let y = plan.down_m(LEG_ROWS[row as usize - 1]);
        let (top, ankle) = (plan.thigh(), plan.ankle());
        let axis = top + (ankle - top) * ((top.y - y) / (top.y - ankle.y));
        let sizes = [0.080 * plan.thigh, 0.072, 0.058, 0.052, 0.052, 0.042, 0.034];
        let r = sizes[row as usize - 1];
        let corner = if i != 1 && k != 0 { 0.75 } else { 1.0 };
        let place = DVec3::new(
            axis.x + r * corner * f64::from(i - 1),
            y,
            axis.z + r * corner * f64::from(k),
        );
        self.vertex((Part::Leg, i, row, k), place)
    }

    pub(super) fn leg(&mut self) {
        for row in 0..ANKLE_ROW {
            let near = LIMB_RING.map(|(i, k)| self.leg_vertex(i, row, k));
            let far = LIMB_RING.map(|(i, k)| self.leg_vertex(i, row + 1, k));
            self.band(Part::Leg, &near, &far, true);
        }
    }

    /// A vertex of the foot: of its upper side, where it may be one of the leg's last ring, or of
    /// the sole.
    fn foot_vertex(&mut self, i: i8, upper: bool, k: i8) -> u32 {
        if upper && k <= 1 {
            return self.leg_vertex(i, ANKLE_ROW, k);
        }
        let s = self.plan.stature;
        let ankle = self.plan.ankle();
        let z = [-0.058, 0.0, 0.05, 0.125, 0.215][(k + 1) as usize] * s;
        let width = [0.026, 0.03, 0.034, 0.04, 0.03][(k + 1) as usize] * s;
        let y = match (upper, k) {
            (false, _) => 0.004,
            (true, 2) => 0.055 * s,
            _ => 0.026 * s,
        };
        let place = DVec3::new(ankle.x + 0.1 * z + width * f64::from(i - 1), y, ankle.z + z);
        self.vertex((Part::Foot, i, i8::from(upper), k), place)
    }

    pub(super) fn foot(&mut self) {
        let last = 1 + FOOT_CELLS;
        let mut faces: Vec<[(i8, bool, i8); 4]> = Vec::new();
        for k in -1..last {
            for i in 0..2 {
                faces.push([
                    (i, false, k),
                    (i + 1, false, k),
                    (i + 1, false, k + 1),
                    (i, false, k + 1),
                ]);
                if k >= 1 {
                    faces.push([
                        (i, true, k + 1),
                        (i + 1, true, k + 1),
                        (i + 1, true, k),
                        (i, true, k),
                    ]);
                }
            }
            faces.push([
                (2, true, k),
                (2, true, k + 1),
                (2, false, k + 1),
                (2, false, k),
            ]);
            faces.push([
                (0, true, k + 1),
                (0, true, k),
                (0, false, k),
                (0, false, k + 1),
            ]);
        }
        for i in 0..2 {
            faces.push([
                (i, true, -1),
                (i + 1, true, -1),
                (i + 1, false, -1),
                (i, false, -1),
            ]);
            faces.push([
                (i + 1, true, last),
                (i, true, last),
                (i, false, last),
                (i + 1, false, last),
            ]);
        }
        for face in faces {
            let corners = face.map(|(i, upper, k)| self.foot_vertex(i, upper, k));
            self.quad(Part::Foot, corners);
        }
    }

    /// A vertex of arm or hand: column `j` from the inside (0) to the outside (2), `k` to the
    /// front.
    fn arm_vertex(&mut self, j: i8, row: i8, k: i8) -> u32 {
        if row == 0 {
            return self.trunk_vertex(2, ARMHOLE[j as usize], k);
        }
        let plan = self.plan;
        let axis = plan.arm_axis();
        let outside = -axis.cross(DVec3::Z);
        let corner = if j != 1 && k != 0 { 0.75 } else { 1.0 };
        let (middle, deep, wide) = if row <= WRIST_ROW {
            let along = ARM_ROWS[row as usize - 1] * plan.arm_reach_m();
            let r = [0.050, 0.047, 0.043, 0.041, 0.037, 0.028][row as usize - 1];
            (plan.shoulder() + along * axis, r, r)
        } else {
            let along = HAND_ROWS[(row - WRIST_ROW) as usize - 1] * 0.172 * plan.stature;
            let wide = [0.040, 0.036, 0.020][(row - WRIST_ROW) as usize - 1];
            // Fingers curl to the inside.
            let curl = [0.001, 0.007, 0.020][(row - WRIST_ROW) as usize - 1];
            (plan.wrist() + along * axis - curl * outside, 0.018, wide)
        };
        let place =
            middle + corner * (deep * f64::from(j - 1) * outside + wide * f64::from(k) * DVec3::Z);
        self.vertex((Part::Arm, j, row, k), place)
    }

    pub(super) fn arm(&mut self) {
        for row in 0..WRIST_ROW {
            let near = LIMB_RING.map(|(j, k)| self.arm_vertex(j, row, k));
            let far = LIMB_RING.map(|(j, k)| self.arm_vertex(j, row + 1, k));
            self.band(Part::Arm, &near, &far, true);
        }
    }

    pub(super) fn hand(&mut self) {
        let tip = WRIST_ROW + HAND_ROWS.len() as i8;
        for row in WRIST_ROW..tip {
            let near = LIMB_RING.map(|(j, k)| self.arm_vertex(j, row, k));
            let far = LIMB_RING.map(|(j, k)| self.arm_vertex(j, row + 1, k));
            if row == WRIST_ROW {
                // The two columns of the front are where the thumb begins.
                for columns in [&[0, 1, 2][..], &[4, 5, 6, 7, 0]] {
                    let pick =
                        |ring: [u32; 8]| columns.iter().map(|&c| ring[c]).collect::<Vec<_>>();
                    self.band(Part::Hand, &pick(near), &pick(far), false);
                }
            } else {
                self.band(Part::Hand, &near, &far, true);
            }
        }
        for (j, k) in [(0, -1), (0, 0), (1, -1), (1, 0)] {
            let corners = [(j + 1, k), (j + 1, k + 1), (j, k + 1), (j, k)];
            let corners = corners.map(|(j, k)| self.arm_vertex(j, tip, k));
            self.quad(Part::Hand, corners);
        }
        self.thumb();
    }

    fn thumb(&mut self) {
        let s = self.plan.stature;
        let (wrist, axis) = (self.plan.wrist(), self.plan.arm_axis());
        let inside = axis.cross(DVec3::Z);
        let (palm, root) = (WRIST_ROW + 1, WRIST_ROW);
        let ring = [
            (0, palm),
            (1, palm),
            (2, palm),
            (2, root),
            (1, root),
            (0, root),
        ];
        let mut near = ring.map(|(j, row)| self.arm_vertex(j, row, 1));
        for (k, joint) in (2..).zip(&THUMB_ROWS) {
            let far = ring.map(|(j, row)| {
                let [along, front] = if row == palm { joint.palm } else { joint.back };
                let inn = joint.inside - joint.half * f64::from(j - 1);
                let place = wrist + s * (along * axis + front * DVec3::Z + inn * inside);
                self.vertex((Part::Hand, j, row, k), place)
            });
            self.band(Part::Hand, &near, &far, true);
            near = far;
        }
        let [a, b, c, d, e, f] = near;
        self.quad(Part::Hand, [a, b, e, f]);
        self.quad(Part::Hand, [b, c, d, e]);
    }
}
