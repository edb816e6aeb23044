//! Lumps of clay and how they are worked into one: an implicit surface.
//!
//! Every lump is roughly a signed distance, negative inside. Roughly, because all that is asked of
//! it is a smooth zero level and a gradient near one: vertices are brought onto that level by
//! Newton steps.

use super::spline::Spline;
use glam::{DMat3, DVec2, DVec3};

/// How far from a lump a place may be for the lump to matter to what is around it, m.
const NEAR_M: f64 = 0.12;

/// One cross-section of a limb or of the trunk.
///
/// The cross-section is made of four quarters of superellipses: it reaches as far to each side as
/// said.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// Place along the axis, m.
    pub at_m: f64,
    /// Where the middle lies off the axis, along the first and the second direction, m.
    pub middle_m: [f64; 2],
    /// How far it reaches against and along the first direction, m.
    pub across_m: [f64; 2],
    /// How far it reaches against and along the second direction, m.
    pub deep_m: [f64; 2],
    /// 2 is an ellipse, more is squarer.
    pub power: f64,
}

/// A shape.
#[derive(Clone, Debug)]
pub enum Shape {
    /// Cross-sections along a straight axis.
    Sweep {
        /// Where the axis begins.
        origin: DVec3,
        /// First direction, second direction and axis, as columns.
        frame: DMat3,
        /// Middle, reach to the four sides, power.
        sections: Spline<7>,
        /// How round the two ends are, m.
        round_m: [f64; 2],
    },
    /// An ellipsoid.
    Egg {
        /// Its middle.
        center: DVec3,
        /// Its axes as columns.
        frame: DMat3,
        /// Its half axes, m.
        radii_m: DVec3,
    },
    /// Two balls and what is between them.
    Cone {
        /// Middles of the balls.
        ends: [DVec3; 2],
        /// Their radii, m.
        radii_m: [f64; 2],
    },
    /// Everything under a level plane.
    Below {
        /// Height, m.
        y_m: f64,
    },
}

/// What is done with a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Put on.
    Add,
    /// Taken away.
    Carve,
}

/// A shape, and how it is worked into what is there already.
#[derive(Clone, Debug)]
pub struct Lump {
    /// The shape.
    pub shape: Shape,
    /// Put on or taken away.
    pub work: Work,
    /// Width of the seam that is smoothed over, m.
    pub blend_m: f64,
    /// A ball around all that the lump can change.
    bound: (DVec3, f64),
}

/// The whole figure: lumps in the order in which they are worked in.
#[derive(Clone, Debug, Default)]
pub struct Clay {
    lumps: Vec<Lump>,
}

impl Shape {
    /// Cross-sections along the axis from `origin` along `axis`; `first` is made square to it.
    pub fn sweep(
        origin: DVec3,
        axis: DVec3,
        first: DVec3,
        sections: &[Section],
        round_m: [f64; 2],
    ) -> Self {
        let axis = axis.normalize();
        let first = (first - first.dot(axis) * axis).normalize();
        let second = axis.cross(first);
        let stations: Vec<_> = sections
            .iter()
            .map(|s| {
                let [ma, mb] = s.middle_m;
                let ([a0, a1], [b0, b1]) = (s.across_m, s.deep_m);
                (s.at_m, [ma, mb, a0, a1, b0, b1, s.power])
            })
            .collect();
        Self::Sweep {
            origin,
            frame: DMat3::from_cols(first, second, axis),
            sections: Spline::through(&stations),
            round_m,
        }
    }

    /// An upright ellipsoid.
    pub fn egg(center: DVec3, radii_m: DVec3) -> Self {
        Self::Egg {
            center,
            frame: DMat3::IDENTITY,
            radii_m,
        }
    }

    /// The same shape on the other side of x = 0.
    fn mirrored(&self) -> Self {
        let flip = |v: DVec3| DVec3::new(-v.x, v.y, v.z);
        match self.clone() {
            Self::Sweep {
                origin,
                frame,
                sections,
                round_m,
            } => Self::Sweep {
                origin: flip(origin),
                frame: DMat3::from_cols(flip(frame.x_axis), flip(frame.y_axis), flip(frame.z_axis)),
                sections,
                round_m,
            },
            Self::Egg {
                center,
                frame,
                radii_m,
            } => Self::Egg {
                center: flip(center),
                frame: DMat3::from_cols(flip(frame.x_axis), flip(frame.y_axis), flip(frame.z_axis)),
                radii_m,
            },
            Self::Cone { ends, radii_m } => Self::Cone {
                ends: ends.map(flip),
                radii_m,
            },
            Self::Below { y_m } => Self::Below { y_m },
        }
    }

    /// Roughly the distance from the surface, negative inside, m.
    fn distance_m(&self, p: DVec3) -> f64 {
        match self {
            Self::Sweep {
                origin,
                frame,
                sections,
                round_m,
            } => {
                let q = frame.transpose() * (p - origin);
                let tube = tube_m(q, sections);
                let [first, last] = sections.ends();
                let capped = rounded_m(tube, q.z - last, round_m[1]);
                rounded_m(capped, first - q.z, round_m[0])
            }
            Self::Egg {
                center,
                frame,
                radii_m,
            } => {
                let q = frame.transpose() * (p - center) / *radii_m;
                let (size, slope) = (q.length(), (q / *radii_m).length());
                if slope == 0.0 {
                    -radii_m.min_element()
                } else {
                    size * (size - 1.0) / slope
                }
            }
            Self::Cone { ends, radii_m } => {
                let [a, b] = *ends;
                let along = b - a;
                let t = ((p - a).dot(along) / along.length_squared()).clamp(0.0, 1.0);
                p.distance(a + t * along) - (radii_m[0] + t * (radii_m[1] - radii_m[0]))
            }
            Self::Below { y_m } => p.y - y_m,
        }
    }

    /// A ball around it.
    fn ball(&self) -> (DVec3, f64) {
        match self {
            Self::Sweep {
                origin,
                frame,
                sections,
                ..
            } => {
                let [first, last] = sections.ends();
                let mut reach = 0.0f64;
                for k in 0..=32 {
                    let s = first + (last - first) * f64::from(k) / 32.0;
                    let [ma, mb, a0, a1, b0, b1, _] = sections.at(s);
                    reach = reach.max(DVec2::new(ma, mb).length() + a0.max(a1).hypot(b0.max(b1)));
                }
                let half = 0.5 * (last - first);
                (*origin + (first + half) * frame.z_axis, half.hypot(reach))
            }
            Self::Egg {
                center, radii_m, ..
            } => (*center, radii_m.max_element()),
            Self::Cone { ends, radii_m } => (
                0.5 * (ends[0] + ends[1]),
                0.5 * ends[0].distance(ends[1]) + radii_m[0].max(radii_m[1]),
            ),
            Self::Below { .. } => (DVec3::ZERO, f64::INFINITY),
        }
    }
}

/// Distance from the mantle of a sweep, measured along its cross-section.
fn tube_m(q: DVec3, sections: &Spline<7>) -> f64 {
    let [ma, mb, a0, a1, b0, b1, power] = sections.at(q.z);
    let (a, b) = (q.x - ma, q.y - mb);
    let ra = (if a < 0.0 { a0 } else { a1 }).max(1e-3);
    let rb = (if b < 0.0 { b0 } else { b1 }).max(1e-3);
    let (u, v) = (a.abs() / ra, b.abs() / rb);
    let size = if power == 2.0 {
        u.hypot(v)
    } else {
        (u.powf(power) + v.powf(power)).powf(power.recip())
    };
    // Along the ray from the middle the surface is at 1/size of the way.
    let ray = a.hypot(b);
    if size < 1e-9 {
        -ra.min(rb)
    } else {
        ray * (1.0 - size.recip())
    }
}

/// What is inside of both, with an edge of the given radius.
fn rounded_m(a: f64, b: f64, radius_m: f64) -> f64 {
    let (u, v) = (a + radius_m, b + radius_m);
    u.max(v).min(0.0) + u.max(0.0).hypot(v.max(0.0)) - radius_m
}

/// The smaller of both, twice continuously differentiable across a seam of the given width.
fn blended_min(a: f64, b: f64, width: f64) -> f64 {
    let h = (width - (a - b).abs()).max(0.0) / width;
    a.min(b) - h * h * h * width / 6.0
}

impl Clay {
    /// Works a shape in.
    pub fn work(&mut self, work: Work, shape: Shape, blend_m: f64) {
        let (center, radius) = shape.ball();
        self.lumps.push(Lump {
            shape,
            work,
            blend_m,
            bound: (center, radius + blend_m),
        });
    }

    /// Puts a shape on.
    pub fn add(&mut self, shape: Shape, blend_m: f64) {
        self.work(Work::Add, shape, blend_m);
    }

    /// Works a shape in on both sides of x = 0.
    pub fn pair(&mut self, work: Work, shape: &Shape, blend_m: f64) {
        self.work(work, shape.clone(), blend_m);
        self.work(work, shape.mirrored(), blend_m);
    }

    /// The lumps that matter at a place and a few centimetres around it, in order.
    pub fn near(&self, p: DVec3) -> Vec<u16> {
        let matters = |lump: &Lump| {
            let (center, radius) = lump.bound;
            p.distance(center) < radius + NEAR_M && lump.shape.distance_m(p) < NEAR_M + lump.blend_m
        };
        let all = (0u16..).zip(&self.lumps);
        all.filter(|(_, lump)| matters(lump)).map(|l| l.0).collect()
    }

    /// Roughly the distance from the surface, negative inside, m, of the lumps `near`.
    pub fn distance_m(&self, near: &[u16], p: DVec3) -> f64 {
        let mut distance = 1.0;
        for &k in near {
            let lump = &self.lumps[usize::from(k)];
            let d = lump.shape.distance_m(p);
            distance = match lump.work {
                Work::Add => blended_min(distance, d, lump.blend_m),
                Work::Carve => -blended_min(-distance, d, lump.blend_m),
            };
        }
        distance
    }

    /// Distance and its gradient, by differences over the corners of a tetrahedron.
    pub fn slope(&self, near: &[u16], p: DVec3) -> (f64, DVec3) {
        const D: f64 = 2e-4;
        const CORNERS: [DVec3; 4] = [
            DVec3::new(1.0, -1.0, -1.0),
            DVec3::new(-1.0, -1.0, 1.0),
            DVec3::new(-1.0, 1.0, -1.0),
            DVec3::new(1.0, 1.0, 1.0),
        ];
        let (mut sum, mut gradient) = (0.0, DVec3::ZERO);
        for corner in CORNERS {
            let d = self.distance_m(near, p + D * corner);
            sum += d;
            gradient += d * corner;
        }
        (0.25 * sum, gradient / (4.0 * D))
    }

    /// A Newton step towards the surface, of limited length, and the surface's normal there.
    pub fn step(&self, near: &[u16], p: DVec3) -> (DVec3, DVec3) {
        const REACH_M: f64 = 0.02;
        let (d, g) = self.slope(near, p);
        // Where lumps cancel out, the slope is small and would send the step far off.
        let step = -d / g.length_squared().max(0.04) * g;
        (step.clamp_length_max(REACH_M), g.normalize_or_zero())
    }
}
