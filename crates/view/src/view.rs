//! A camera made ready for one picture size.
//!
//! Everything is drawn relative to the eye: the subtraction is done in double precision, so
//! single precision is enough afterwards, wherever in the world the scene is.

use crate::Camera;
use glam::{DVec3, Vec3};

/// Projection between places relative to the eye (world axes) and pixels (y down).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    pub eye: DVec3,
    pub right: Vec3,
    pub up: Vec3,
    pub forward: Vec3,
    /// Pixels for a unit of slope.
    pub focal_px: f32,
    pub center_px: [f32; 2],
    /// Nothing nearer than this is drawn.
    pub near_m: f32,
    /// Distance to what the camera looks at: the scale of everything sized by eye.
    pub focus_m: f32,
}

impl View {
    pub fn new(camera: &Camera, width: usize, height: usize) -> Self {
        let [right, up, forward] = camera.axes().map(|a| a.as_vec3());
        let fov = if camera.fov_rad.is_finite() {
            camera.fov_rad.clamp(0.01, 3.0)
        } else {
            0.5
        };
        let focus = camera.eye.distance(camera.target);
        let focus_m = if focus.is_finite() && focus > 1e-6 {
            focus as f32
        } else {
            1.0
        };
        Self {
            eye: camera.eye,
            right,
            up,
            forward,
            focal_px: (0.5 * height as f64 / (0.5 * fov).tan()) as f32,
            center_px: [0.5 * width as f32, 0.5 * height as f32],
            near_m: 0.01 * focus_m,
            focus_m,
        }
    }

    /// A world position relative to the eye.
    pub fn place(&self, position: DVec3) -> Vec3 {
        (position - self.eye).as_vec3()
    }

    /// Components along right, up and forward.
    pub fn turn(&self, v: Vec3) -> Vec3 {
        Vec3::new(v.dot(self.right), v.dot(self.up), v.dot(self.forward))
    }

    /// Pixel coordinates and inverse depth of a turned position in front of the eye.
    pub fn project(&self, turned: Vec3) -> Vec3 {
        let inverse = 1.0 / turned.z;
        Vec3::new(
            self.center_px[0] + self.focal_px * turned.x * inverse,
            self.center_px[1] - self.focal_px * turned.y * inverse,
            inverse,
        )
    }

    /// Slopes to the right and up of the ray through a pixel position.
    pub fn slopes(&self, x: f32, y: f32) -> (f32, f32) {
        let per_px = 1.0 / self.focal_px;
        (
            (x - self.center_px[0]) * per_px,
            (self.center_px[1] - y) * per_px,
        )
    }

    /// The ray through a pixel position, one unit deep.
    pub fn ray(&self, x: f32, y: f32) -> Vec3 {
        let (u, v) = self.slopes(x, y);
        self.forward + u * self.right + v * self.up
    }
}
