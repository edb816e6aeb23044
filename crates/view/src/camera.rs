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
const FIT_FOV_RAD: f64 = 30.0 * std::f64::consts::PI / 180.0;

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
        let usable = bounds.min.is_finite() && bounds.max.is_finite() && !bounds.is_empty();
        let bounds = if usable {
            bounds
        } else {
            Bounds {
                min: DVec3::splat(-0.5),
                max: DVec3::splat(0.5),
            }
        };
        let toward_eye = direction.try_normalize().unwrap_or(DVec3::Z);
        let [right, up, _] = basis(-toward_eye);
        let (center, half) = (bounds.center(), 0.5 * bounds.size().max(DVec3::splat(1e-3)));
        let corners = (0..8).map(|i: u32| {
            let sign = |bit: u32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
            half * DVec3::new(sign(0), sign(1), sign(2))
        });
        // A corner q is left of the frustum's right plane when q·right − x ≤ (d − q·toward) t,
        // for an eye at x·right + y·up + d·toward. The tightest corner of each plane gives the
        // smallest d, and the x and y that leave equal margins.
        let tan_y = FIT_FILL * (0.5 * FIT_FOV_RAD).tan();
        let tan_x = tan_y * aspect.clamp(0.1, 10.0);
        let mut reach = [f64::NEG_INFINITY; 4];
        for q in corners {
            let (x, y, z) = (q.dot(right), q.dot(up), q.dot(toward_eye));
            let planes = [x + z * tan_x, z * tan_x - x, y + z * tan_y, z * tan_y - y];
            for (r, p) in reach.iter_mut().zip(planes) {
                *r = r.max(p);
            }
        }
        let distance =
            (0.5 * (reach[0] + reach[1]) / tan_x).max(0.5 * (reach[2] + reach[3]) / tan_y);
        let target =
            center + 0.5 * (reach[0] - reach[1]) * right + 0.5 * (reach[2] - reach[3]) * up;
        Self::looking(target + distance * toward_eye, target, FIT_FOV_RAD)
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
