//! Measuring a body: what a tailor's tape says of any closed mesh that stands upright.
//!
//! The body stands with y up, faces along z, and holds its arms away from the trunk (any A or T
//! pose). Girths are taut: perimeters of the convex hull of a plane section. Trunk, neck and legs are
//! measured level, arms square to the line from shoulder to finger tips.

mod doubt;
pub mod section;

use glam::DVec3;
use section::{Outline, Plane, section};
use toile_geometry::TriMesh;

/// What was measured, m. What cannot be found on a body is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Taken {
    /// Lowest to highest point.
    pub height_m: f64,
    /// Largest girth of the trunk below the arms.
    pub bust_m: Option<f64>,
    /// Smallest girth of the trunk.
    pub waist_m: Option<f64>,
    /// Largest girth of the trunk, from 2.5 % of the height above the crotch.
    pub hip_m: Option<f64>,
    /// Distance of the points where the shoulders turn into the arms.
    pub shoulder_m: Option<f64>,
    /// Shoulder point to the narrowest place before the hand.
    pub arm_m: Option<f64>,
    /// Lowest point to where the legs part.
    pub leg_m: Option<f64>,
    /// Smallest girth between shoulders and head.
    pub neck_m: Option<f64>,
    /// Largest girth of the upper arm.
    pub upper_arm_m: Option<f64>,
    /// Smallest girth before the hand.
    pub wrist_m: Option<f64>,
    /// Girth of a thigh, 3 % of the height below the crotch.
    pub thigh_m: Option<f64>,
    /// Largest girth below the knee.
    pub calf_m: Option<f64>,
    /// Smallest girth above the foot.
    pub ankle_m: Option<f64>,
    /// Whether arms were found to part from the trunk.
    pub arms_part: bool,
    /// Heights above the floor at which bust, waist and hip were taken, m.
    pub heights_m: [Option<f64>; 3],
}

/// How far below the crotch a thigh is measured, as a share of the height.
const THIGH_BELOW: f64 = 0.03;
/// Where the upper outline begins to be the shoulder's, off the middle, as a share of the height.
const NECK_SIDE: f64 = 0.06;
/// Where it is the arm's for certain, as a share of the way from there to the finger tips.
const UPPER_ARM: f64 = 0.45;
/// How much of the way from the shoulder's slope to the arm's makes the shoulder point.
const TURNED: f64 = 0.36;
/// Arms that are so little steeper than the shoulder are held level.
const LEVEL: f64 = 0.3;
/// How far to both sides its slope is taken over, as a share of the height.
const SLOPE_REACH: f64 = 0.022;

impl Taken {
    /// Every measurement with its name.
    pub fn named(&self) -> [(&'static str, Option<f64>); 13] {
        [
            ("height", Some(self.height_m)),
            ("bust", self.bust_m),
            ("waist", self.waist_m),
            ("hip", self.hip_m),
            ("shoulder", self.shoulder_m),
            ("arm", self.arm_m),
            ("leg", self.leg_m),
            ("neck", self.neck_m),
            ("upper-arm", self.upper_arm_m),
            ("wrist", self.wrist_m),
            ("thigh", self.thigh_m),
            ("calf", self.calf_m),
            ("ankle", self.ankle_m),
        ]
    }
}

/// Measures a body.
pub fn measure(mesh: &TriMesh) -> Taken {
    let bounds = mesh.bounds();
    if bounds.is_empty() {
        return Taken::default();
    }
    let body = Body {
        mesh,
        floor_m: bounds.min.y,
        height_m: bounds.size().y,
        middle_m: bounds.center().x,
    };
    body.taken()
}

struct Body<'a> {
    mesh: &'a TriMesh,
    floor_m: f64,
    height_m: f64,
    middle_m: f64,
}

impl Body<'_> {
    /// Height at a share of the whole.
    fn at(&self, share: f64) -> f64 {
        self.floor_m + share * self.height_m
    }

    fn level(&self, y_m: f64) -> Vec<Outline> {
        section(self.mesh, Plane::level(y_m))
    }

    /// Girth of the largest outline at a height: the trunk, the neck or the head.
    fn trunk_m(&self, y_m: f64) -> Option<f64> {
        largest(self.level(y_m)).map(|o| o.girth_m())
    }

    /// Girth of the largest outline on the left.
    fn leg_m(&self, y_m: f64) -> Option<f64> {
        let mut outlines = self.level(y_m);
        outlines.retain(|o| o.middle().x > self.middle_m);
        largest(outlines).map(|o| o.girth_m())
    }

    fn taken(&self) -> Taken {
        let crotch_m = self.crotch_m();
        let armpit = self.armpit_m();
        let armpit_m = armpit.unwrap_or(self.at(0.77));
        let trunk = |y_m: f64| self.trunk_m(y_m);
        let leg = |y_m: f64| self.leg_m(y_m);
        let below_arms = (armpit_m - 0.012 * self.height_m).min(self.at(0.74));
        let bust = most([self.at(0.66), below_arms], 1.0, &trunk);
        let waist = most([self.at(0.55), self.at(0.68)], -1.0, &trunk);
        let hip =
            crotch_m.and_then(|c| most([c + 0.025 * self.height_m, self.at(0.58)], 1.0, &trunk));
        let neck = most([self.at(0.80), self.at(0.90)], -1.0, &trunk);
        let thigh_m = crotch_m.and_then(|c| self.leg_m(c - THIGH_BELOW * self.height_m));
        let value = |found: Option<(f64, f64)>| found.map(|f| f.1);
        let above = |found: Option<(f64, f64)>| found.map(|f| f.0 - self.floor_m);
        let mut taken = Taken {
            height_m: self.height_m,
            bust_m: value(bust),
            waist_m: value(waist),
            hip_m: value(hip),
            leg_m: crotch_m.map(|c| c - self.floor_m),
            neck_m: value(neck),
            thigh_m,
            calf_m: value(most([self.at(0.13), self.at(0.25)], 1.0, &leg)),
            ankle_m: value(most([self.at(0.035), self.at(0.12)], -1.0, &leg)),
            arms_part: armpit.is_some(),
            heights_m: [bust, waist, hip].map(above),
            ..Taken::default()
        };
        self.arm(armpit_m, &mut taken);
        taken
    }

    /// Where the legs part: below, the two largest outlines are of a size.
    fn crotch_m(&self) -> Option<f64> {
        let parted = |y_m: f64| {
            let mut areas: Vec<f64> = self.level(y_m).iter().map(Outline::area_m2).collect();
            areas.sort_by(|a, b| b.total_cmp(a));
            matches!(areas[..], [first, second, ..] if second > 0.5 * first)
        };
        let (mut low, mut high) = (self.at(0.36), self.at(0.56));
        if !parted(low) || parted(high) {
            return None;
        }
        while high - low > 1e-5 {
            let y_m = 0.5 * (low + high);
            if parted(y_m) { low = y_m } else { high = y_m }
        }
        Some(0.5 * (low + high))
    }

    /// The height from which arms belong to the outline of the trunk: the girth jumps there.
    fn armpit_m(&self) -> Option<f64> {
        const STEPS: u32 = 50;
        let step = 0.20 / f64::from(STEPS);
        let joined = |from: Option<f64>, y_m: f64| match (from, self.trunk_m(y_m)) {
            (Some(below), Some(here)) => here > 1.12 * below,
            _ => false,
        };
        for k in 0..STEPS {
            let below = self.at(0.66 + step * f64::from(k));
            let girth = self.trunk_m(below);
            let (mut low, mut high) = (below, below + step * self.height_m);
            if joined(girth, high) {
                while high - low > 1e-5 {
                    let y_m = 0.5 * (low + high);
                    if joined(girth, y_m) {
                        high = y_m
                    } else {
                        low = y_m
                    }
                }
                return Some(low);
            }
        }
        None
    }

    /// Shoulder point, and the left arm along the line to its finger tips.
    fn arm(&self, armpit_m: f64, taken: &mut Taken) {
        let reach = |p: &&DVec3| p.y > self.at(0.35);
        let tips = self.mesh.positions.iter().filter(reach);
        let Some(&tip) = tips.max_by(|a, b| a.x.total_cmp(&b.x)) else {
            return;
        };
        let Some(shoulder) = self.shoulder(tip, armpit_m) else {
            return;
        };
        taken.shoulder_m = Some(2.0 * (shoulder.x - self.middle_m));
        let length = shoulder.distance(tip);
        let axis = (tip - shoulder) / length;
        let girth = |along: f64| {
            let point = shoulder + along * axis;
            let plane = Plane {
                point,
                normal: axis,
            };
            let near = |a: &Outline, b: &Outline| {
                let away = |o: &Outline| o.middle().distance(point);
                away(a).total_cmp(&away(b))
            };
            let nearest = section(self.mesh, plane).into_iter().min_by(near)?;
            Some(nearest.girth_m())
        };
        let upper = most([0.28 * length, 0.45 * length], 1.0, &girth);
        let wrist = most([0.60 * length, 0.88 * length], -1.0, &girth);
        taken.upper_arm_m = upper.map(|f| f.1);
        taken.wrist_m = wrist.map(|f| f.1);
        taken.arm_m = wrist.map(|f| f.0);
    }

    /// The shoulder point: where the upper outline, seen from the front, has turned from the flattest
    /// of the shoulder by a part of the way to the arm; above the armpit where arms are held level.
    fn shoulder(&self, tip: DVec3, armpit_m: f64) -> Option<DVec3> {
        const STEPS: u32 = 60;
        let reach = SLOPE_REACH * self.height_m;
        let top = |x_m: f64| {
            let plane = Plane {
                point: DVec3::new(x_m, 0.0, 0.0),
                normal: DVec3::X,
            };
            let points = section(self.mesh, plane).into_iter().flat_map(|o| o.points);
            points.max_by(|a, b| a.y.total_cmp(&b.y))
        };
        let steep = |x_m: f64| Some((top(x_m - reach)?.y - top(x_m + reach)?.y) / (2.0 * reach));
        let neck = self.middle_m + NECK_SIDE * self.height_m;
        let arm = neck + UPPER_ARM * (tip.x - neck);
        let place = |k: u32| neck + (arm - neck) * f64::from(k) / f64::from(STEPS);
        let found: Option<Vec<f64>> = (0..=STEPS).map(|k| steep(place(k))).collect();
        let found = found?;
        let flattest = found.iter().copied().fold(f64::INFINITY, f64::min);
        if *found.last()? - flattest < LEVEL {
            let trunk = largest(self.level(armpit_m - SLOPE_REACH * self.height_m))?;
            let side = trunk.points.iter().map(|p| p.x).fold(f64::MIN, f64::max);
            return top(side);
        }
        let turned = flattest + TURNED * (*found.last()? - flattest);
        let outer = found.iter().rposition(|&s| s < turned)?;
        let (below, above) = (found[outer], *found.get(outer + 1)?);
        let share = (turned - below) / (above - below);
        top(place(outer as u32) + share * (arm - neck) / f64::from(STEPS))
    }
}

fn largest(outlines: Vec<Outline>) -> Option<Outline> {
    outlines
        .into_iter()
        .max_by(|a, b| a.area_m2().total_cmp(&b.area_m2()))
}

/// Where a quantity is largest (`sign` 1) or smallest (−1) in a range, and how large, looked for in
/// even steps.
fn most(
    [low, high]: [f64; 2],
    sign: f64,
    quantity: &dyn Fn(f64) -> Option<f64>,
) -> Option<(f64, f64)> {
    const STEPS: usize = 40;
    let nearly = if sign > 0.0 { 0.06 } else { 0.03 };
    let step = (high - low) / STEPS as f64;
    if step.is_nan() || step <= 0.0 {
        return None;
    }
    let places = (0..=STEPS).map(|k| low + k as f64 * step);
    let found = places.filter_map(|at| quantity(at).map(|value| (at, sign * value)));
    let found: Vec<(f64, f64)> = found.collect();
    let &(at, best) = found.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    // Facets make a mesh's girths rugged: the place is the middle of all that are nearly the best
    // there, which moves smoothly with the body.
    let enough = best - nearly * best.abs();
    let near = found
        .iter()
        .filter(|f| f.1 > enough && (f.0 - at).abs() < 0.2 * (high - low));
    let (sum, weight) = near.fold((0.0, 0.0), |(sum, weight), &(at, value)| {
        let share = value - enough;
        (sum + share * at, weight + share)
    });
    let middle = if weight > 0.0 { sum / weight } else { at };
    Some((middle, sign * best))
}
