//! The skin: how much every vertex follows every joint.
//!
//! Every vertex is first given to one joint, by the part of the cage it is of and where along the limb
//! it is; then weights spread along the surface. So they are smooth, never reach across a gap from one
//! thigh to the other, and are symmetric.

use super::cage::Part;
use super::fit::Figure;
use super::skeleton::{BONES, Bone, Side, all_places, places};
use glam::{DAffine3, DVec3};
use toile_geometry::character::{self, CharacterError, Influence, Skin};

/// Rounds of spreading: over a few edges.
const ROUNDS: usize = 22;
/// Most joints that a vertex follows.
const MOST: usize = 4;
/// Weights that are left out.
const LEAST: f64 = 0.004;
/// Half the length of limb that is given to a helper, m.
const HELPED_M: f64 = 0.024;

type Weights = [f64; BONES];

/// The skin of a figure.
pub fn skin(figure: &Figure) -> Result<Skin, CharacterError> {
    let half = spread(figure);
    let bones = all_places(&figure.plan).into_iter().enumerate();
    let bones = bones.map(|(joint, at)| character::Bone {
        joint,
        inverse_bind: DAffine3::from_translation(-at),
    });
    let topology = &figure.topology;
    let vertices = (0..topology.mirror.len()).map(|v| {
        let weights = if v < topology.half {
            half[v]
        } else {
            mirrored(&half[topology.mirror[v] as usize])
        };
        strongest(&weights)
    });
    Skin::new(bones.collect(), vertices, None)
}

/// Weights of the left half.
fn spread(figure: &Figure) -> Vec<Weights> {
    let topology = &figure.topology;
    let at = places(&figure.plan);
    let begin = |v: usize| {
        let mut weights = [0.0; BONES];
        // The middle belongs to both sides.
        let owner = owner(figure, &at, v) as usize;
        let is_middle = topology.mirror[v] as usize == v;
        let other = if is_middle {
            Side::mirror(owner)
        } else {
            owner
        };
        weights[owner] += 0.5;
        weights[other] += 0.5;
        weights
    };
    let mut now: Vec<Weights> = (0..topology.half).map(begin).collect();
    for _ in 0..ROUNDS {
        let next = |v: usize| {
            let around = topology.around(v);
            let mut sum = [0.0; BONES];
            for &n in around {
                let n = n as usize;
                let weights = if n < topology.half {
                    now[n]
                } else {
                    mirrored(&now[topology.mirror[n] as usize])
                };
                for (sum, weight) in sum.iter_mut().zip(weights) {
                    *sum += weight;
                }
            }
            let share = 0.5 / around.len() as f64;
            std::array::from_fn(|b| 0.5 * now[v][b] + share * sum[b])
        };
        now = (0..topology.half).map(next).collect();
    }
    for (v, weights) in now.iter_mut().enumerate() {
        breathe(figure, figure.positions[v], weights);
    }
    now
}

/// The joint that a vertex of the left half belongs to before weights are spread.
fn owner(figure: &Figure, at: &[DVec3], v: usize) -> Bone {
    let (plan, p) = (&figure.plan, figure.positions[v]);
    let place = |bone: Bone| at[bone as usize];
    // How far beyond a joint, along the limb that ends at the next.
    let beyond = |joint: Bone, next: Bone| {
        let axis = (place(next) - place(joint)).normalize_or_zero();
        (p - place(joint)).dot(axis)
    };
    match figure.topology.parts[v] {
        Part::Trunk if p.y > plan.up_m(0.60) && p.x > 0.35 * plan.shoulder_m => Bone::LeftCollar,
        Part::Trunk if p.y > plan.up_m(0.355) => Bone::Chest,
        Part::Trunk if p.y > plan.up_m(0.245) => Bone::Waist,
        Part::Trunk if p.y > plan.up_m(0.145) => Bone::Spine,
        Part::Trunk => Bone::Hips,
        Part::Head if p.y > plan.up_m(0.765) => Bone::Head,
        Part::Head => Bone::Neck,
        Part::Arm => {
            let elbow = beyond(Bone::LeftForearm, Bone::LeftHand);
            if beyond(Bone::LeftArm, Bone::LeftForearm) < 2.4 * HELPED_M {
                Bone::LeftShoulderHelper
            } else if elbow < -HELPED_M {
                Bone::LeftArm
            } else if elbow < HELPED_M {
                Bone::LeftElbowHelper
            } else if (p - place(Bone::LeftHand)).dot(plan.arm_axis()) < 0.0 {
                Bone::LeftForearm
            } else {
                Bone::LeftHand
            }
        }
        Part::Hand => Bone::LeftHand,
        Part::Leg => {
            let knee = beyond(Bone::LeftShin, Bone::LeftFoot);
            if p.y > plan.crotch_m - 0.045 {
                Bone::LeftHipHelper
            } else if knee < -1.2 * HELPED_M {
                Bone::LeftThigh
            } else if knee < 1.2 * HELPED_M {
                Bone::LeftKneeHelper
            } else if p.y > place(Bone::LeftFoot).y + 0.01 {
                Bone::LeftShin
            } else {
                Bone::LeftFoot
            }
        }
        // Toes reach back a little under the ball, so that a rolling foot does not press them down.
        Part::Foot if (p - place(Bone::LeftToes)).dot(plan.foot_axis()) > -0.018 => Bone::LeftToes,
        Part::Foot => Bone::LeftFoot,
    }
}

/// Of the chest, the front around the height of the bust goes with the breath.
fn breathe(figure: &Figure, p: DVec3, weights: &mut Weights) {
    let away = (p.y - figure.plan.up_m(0.46)) / (0.14 * figure.plan.up_m(0.46));
    let share = 0.6 * (-away * away).exp();
    let chest = weights[Bone::Chest as usize];
    weights[Bone::Breath as usize] = share * chest;
    weights[Bone::Chest as usize] = (1.0 - share) * chest;
}

/// Left for right.
fn mirrored(weights: &Weights) -> Weights {
    let mut other = [0.0; BONES];
    for (bone, weight) in weights.iter().enumerate() {
        other[Side::mirror(bone)] = *weight;
    }
    other
}

/// The largest weights. Equal ones, of left and right, are kept or left out together.
fn strongest(weights: &Weights) -> Vec<Influence> {
    let mut all: Vec<(usize, f64)> = weights.iter().copied().enumerate().collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let left_out = all[MOST].1;
    let kept = { all.into_iter().take(MOST) }.filter(|w| w.1 > LEAST && w.1 > left_out + 1e-12);
    kept.map(|(bone, weight)| Influence {
        bone: bone as u32,
        weight,
    })
    .collect()
}
