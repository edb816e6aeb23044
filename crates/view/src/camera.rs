//! Where a picture is taken from.

use glam::DVec3;
use toile_geometry::Bounds;

/// A pinhole camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where the camera is, in metres.
    pub eye: DVec3,
    /// The point in the middle of the picture.
    pub target: DVec3,
    /// Angle between the top and the bottom of the picture, in radians.
    pub fov_rad: f64,
}

/// The field of view of [`Camera::fit`]: a longish lens, which keeps proportions natural.
const FIT_FOV_RAD: f64 = 32.0 * std::f64::consts::PI / 180.0;

/// How much of the picture's width or height the box fills in [`Camera::fit`].
const FIT_FILL: f64 = 0.86;

impl Camera {
    /// A camera at `eye` that looks at `target`; `fov_rad` is the vertical field of view.
    pub fn looking(eye: DVec3, target: DVec3, fov_rad: f64) -> Self {
        Self {
            eye,
            target,
            fov_rad,
        }
    }

    /// Frames `bounds` with a small margin, seen from the side `direction` points to, in a
    /// picture `aspect` times as wide as high. An empty box is taken as a unit cube.
    pub fn fit(bounds: Bounds, direction: DVec3, aspect: f64) -> Self {
        let mut framing = Framing::new(direction, aspect);
        framing.include_box(bounds);
        framing.camera()
    }

    /// Right, up and forward unit vectors.
    pub fn axes(&self) -> [DVec3; 3] {
        basis(
            (self.target - self.eye)
                .try_normalize()
                .unwrap_or(DVec3::NEG_Z),
        )
    }
}

/// Finds the camera that just holds everything it is shown, seen from one side: however long a
/// motion is, only how far it reaches in four directions has to be remembered.
#[derive(Clone, Copy, Debug)]
pub struct Framing {
    right: DVec3,
    up: DVec3,
    toward_eye: DVec3,
    fov_rad: f64,
    tan_x: f64,
    tan_y: f64,
    /// How far everything reaches across the right, left, upper and lower side of the picture.
    reach: [f64; 4],
    /// How far it reaches away from the eye, and towards it.
    depth: [f64; 2],
}

impl Framing {
    /// Seen from the side `direction` points to, in a picture `aspect` times as wide as high.
    pub fn new(direction: DVec3, aspect: f64) -> Self {
        let toward_eye = direction.try_normalize().unwrap_or(DVec3::Z);
        let [right, up, _] = basis(-toward_eye);
        let tan_y = FIT_FILL * (0.5 * FIT_FOV_RAD).tan();
        Self {
            right,
            up,
            toward_eye,
            fov_rad: FIT_FOV_RAD,
            tan_x: tan_y * aspect.clamp(0.1, 10.0),
            tan_y,
            reach: [f64::NEG_INFINITY; 4],
            depth: [f64::INFINITY, f64::NEG_INFINITY],
        }
    }

    /// With this angle between the top and the bottom of the picture, instead of the usual one.
    /// To be said before anything is shown.
    pub fn fov(mut self, fov_rad: f64) -> Self {
        let tan = FIT_FILL * (0.5 * fov_rad.clamp(0.01, 3.0)).tan();
        self.tan_x *= tan / self.tan_y;
        (self.tan_y, self.fov_rad) = (tan, fov_rad);
        self
    }

    /// Shows it points; those that are not finite are passed over.
    pub fn include<'a>(&mut self, points: impl IntoIterator<Item = &'a DVec3>) {
        // A point q is left of the frustum's right plane when q·right − x ≤ (d − q·toward) t,
        // for an eye at x·right + y·up + d·toward. The tightest point of each plane gives the
        // smallest d, and the x and y that leave equal margins.
        for q in points.into_iter().filter(|q| q.is_finite()) {
            let (x, y, z) = (q.dot(self.right), q.dot(self.up), q.dot(self.toward_eye));
            let (at_x, at_y) = (z * self.tan_x, z * self.tan_y);
            for (r, p) in self
                .reach
                .iter_mut()
                .zip([x + at_x, at_x - x, y + at_y, at_y - y])
            {
                *r = r.max(p);
            }
            self.depth = [self.depth[0].min(z), self.depth[1].max(z)];
        }
    }

    /// Shows it a box; an empty one is passed over.
    pub fn include_box(&mut self, bounds: Bounds) {
        if bounds.is_empty() {
            return;
        }
        let (center, half) = (bounds.center(), 0.5 * bounds.size());
        let corners = [0, 1, 2, 3, 4, 5, 6, 7].map(|i: u32| {
            let sign = |bit: u32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
            center + half * DVec3::new(sign(0), sign(1), sign(2))
        });
        self.include(&corners);
    }

    /// The camera. Nothing at all is taken as a unit cube.
    pub fn camera(&self) -> Camera {
        let [right, left, upper, lower] = self.reach;
        if !self.reach.iter().all(|r| r.is_finite()) {
            let mut cube = *self;
            cube.include_box(Bounds {
                min: DVec3::splat(-0.5),
                max: DVec3::splat(0.5),
            });
            return cube.camera();
        }
        let fitted = (0.5 * (right + left) / self.tan_x).max(0.5 * (upper + lower) / self.tan_y);
        // A single point would have the camera inside it.
        let distance = fitted.max(self.depth[1] + 1e-3);
        let (x, y) = (0.5 * (right - left), 0.5 * (upper - lower));
        // What the camera looks at lies among what it sees, not at the world's origin.
        let depth = 0.5 * (self.depth[0] + self.depth[1]);
        let across = x * self.right + y * self.up;
        let [target, eye] = [depth, distance].map(|z| across + z * self.toward_eye);
        Camera::looking(eye, target, self.fov_rad)
    }
}

/// Right and up for a unit forward vector, upright unless it is vertical.
fn basis(forward: DVec3) -> [DVec3; 3] {
    let right = forward
        .cross(DVec3::Y)
        .try_normalize()
        .unwrap_or_else(|| forward.cross(DVec3::NEG_Z).normalize_or(DVec3::X));
    [right, right.cross(forward), forward]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn fitted_box_is_centred_and_touches_the_margin(
            size in prop::array::uniform3(0.01..5.0f64),
            center in prop::array::uniform3(-10.0..10.0f64),
            azimuth in 0.0..std::f64::consts::TAU,
            height in -2.0..2.0f64,
            aspect in 0.5..2.5f64,
        ) {
            let (half, center) = (0.5 * DVec3::from(size), DVec3::from(center));
            let bounds = Bounds { min: center - half, max: center + half };
            let direction = DVec3::new(azimuth.cos(), height, azimuth.sin());
            let camera = Camera::fit(bounds, direction, aspect);
            let [right, up, forward] = camera.axes();
            let tan = (0.5 * camera.fov_rad).tan();
            let mut low = [f64::INFINITY; 2];
            let mut high = [f64::NEG_INFINITY; 2];
            for i in 0..8 {
                let pick = |bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
                let corner = center + half * DVec3::new(pick(0), pick(1), pick(2)) - camera.eye;
                let depth = corner.dot(forward);
                prop_assert!(depth > 0.0);
                let screen = [corner.dot(right) / depth / tan / aspect, corner.dot(up) / depth / tan];
                for k in 0..2 {
                    low[k] = low[k].min(screen[k]);
                    high[k] = high[k].max(screen[k]);
                }
            }
            let fill = [0, 1].map(|k| high[k].max(-low[k]));
            prop_assert!((fill[0].max(fill[1]) - FIT_FILL).abs() < 1e-6, "{low:?} {high:?}");
        }
    }

    #[test]
    fn points_are_framed_more_tightly_than_their_box() {
        let direction = DVec3::new(0.5, 0.4, 1.0);
        // A stick along the line of sight: its box is far wider on the screen than itself.
        let ends = [DVec3::ZERO, 2.0 * direction];
        let mut framing = Framing::new(direction, 1.5);
        framing.include(&ends);
        let tight = framing.camera();
        let boxed = Camera::fit(Bounds::of(&ends), direction, 1.5);
        let away = |c: &Camera| {
            ends.map(|p| p.distance(c.eye))
                .into_iter()
                .fold(0.0, f64::max)
        };
        assert!(away(&tight) < 0.7 * away(&boxed));
        // Where in the world it is does not matter.
        let far = DVec3::new(30.0, -20.0, 10.0);
        let mut framing = Framing::new(direction, 1.5);
        framing.include(&ends.map(|p| p + far));
        let moved = framing.camera();
        assert!((moved.eye - far).distance(tight.eye) < 1e-9);
        assert!((moved.target - far).distance(tight.target) < 1e-9);
    }

    #[test]
    fn odd_requests_still_give_a_camera() {
        for bounds in [
            Bounds::EMPTY,
            Bounds {
                min: DVec3::NAN,
                max: DVec3::NAN,
            },
            Bounds {
                min: DVec3::ONE,
                max: DVec3::ONE,
            },
        ] {
            for direction in [DVec3::ZERO, DVec3::NAN, DVec3::Y, DVec3::X] {
                let camera = Camera::fit(bounds, direction, 16.0 / 9.0);
                assert!(camera.eye.is_finite() && camera.eye != camera.target);
                assert!(
                    camera
                        .axes()
                        .iter()
                        .all(|a| (a.length() - 1.0).abs() < 1e-9)
                );
            }
        }
    }
}
