//! Where the camera stands.

use super::args::{CameraChoice, Point, RenderArgs};
use crate::exit::Failure;
use glam::{DMat3, DVec3};
use toile::geometry::Bounds;
use toile::run::set::VIEW_FROM;
use toile::view::{Camera, Framing};

/// Share of the picture that a body of any shape fills while it turns.
const TURNING_FILL: f64 = 0.92;

/// A camera being chosen: it is shown what there is to see, and then stands still.
pub struct Viewpoint {
    choice: CameraChoice,
    eye: Option<Point>,
    look_at: Option<Point>,
    fov_rad: f64,
    aspect: f64,
    turning: bool,
    framing: Framing,
    bounds: Bounds,
}

impl Viewpoint {
    /// As the options ask, for pictures `aspect` times as wide as high.
    pub fn new(args: &RenderArgs, aspect: f64) -> Result<Self, Failure> {
        if !(1.0..=170.0).contains(&args.fov) {
            return Err(Failure::input(format!(
                "--fov: {} cannot be the angle of a picture: expected 1 to 170 degrees",
                args.fov
            )));
        }
        let choice = match (args.camera, args.eye) {
            (CameraChoice::Given, None) => {
                return Err(Failure::input(
                    "--camera given: expected --eye X,Y,Z, which says where",
                ));
            }
            (CameraChoice::Orbit { .. }, Some(_)) => {
                return Err(Failure::input(
                    "--eye: the camera cannot be there and on an orbit",
                ));
            }
            (_, Some(_)) => CameraChoice::Given,
            (choice, None) => choice,
        };
        let fov_rad = args.fov.to_radians();
        let direction = match choice {
            CameraChoice::Orbit {
                azimuth_deg,
                elevation_deg,
                ..
            } => direction(azimuth_deg.to_radians(), elevation_deg.to_radians()),
            _ => VIEW_FROM,
        };
        Ok(Self {
            choice,
            eye: args.eye,
            look_at: args.look_at,
            fov_rad,
            aspect,
            turning: args.turntable.is_some(),
            framing: Framing::new(direction, aspect).fov(fov_rad),
            bounds: Bounds::EMPTY,
        })
    }

    /// Shows it points.
    pub fn include(&mut self, points: &[DVec3]) {
        self.framing.include(points);
        self.bounds = self.bounds.union(Bounds::of(points));
    }

    /// The camera before any turn.
    pub fn camera(&self) -> Result<Camera, Failure> {
        let fitted = self.framing.camera();
        let center = match (&self.look_at, self.bounds.is_empty()) {
            (Some(Point(at)), _) => *at,
            (None, false) => self.bounds.center(),
            (None, true) => DVec3::ZERO,
        };
        let toward_eye = (fitted.eye - fitted.target).normalize_or(DVec3::Z);
        let orbit = |distance_m: f64| {
            let eye = center + distance_m * toward_eye;
            Camera::looking(eye, center, self.fov_rad)
        };
        let camera = match (self.choice, self.eye) {
            (CameraChoice::Given, Some(Point(eye))) => Camera::looking(eye, center, self.fov_rad),
            (
                CameraChoice::Orbit {
                    distance_m: Some(distance_m),
                    ..
                },
                _,
            ) => orbit(distance_m),
            // All sides come to the front: what counts is the sphere around it all.
            _ if self.turning => {
                let radius_m = 0.5 * self.bounds.size().length().max(1e-3);
                let across = self.aspect.min(1.0) * (0.5 * self.fov_rad).tan();
                orbit(radius_m / (TURNING_FILL * across.atan().sin()))
            }
            _ if self.look_at.is_some() => orbit(fitted.eye.distance(fitted.target)),
            _ => fitted,
        };
        if camera.eye.distance(camera.target) < 1e-9 {
            return Err(Failure::input(
                "--look-at: the camera cannot look at where it is itself",
            ));
        }
        Ok(camera)
    }
}

/// A camera turned about the vertical through what it looks at.
pub fn turned(camera: &Camera, angle_rad: f64) -> Camera {
    let arm = DMat3::from_rotation_y(angle_rad) * (camera.eye - camera.target);
    Camera {
        eye: camera.target + arm,
        ..*camera
    }
}

/// From the z axis towards the x axis, and up from the horizon.
fn direction(azimuth_rad: f64, elevation_rad: f64) -> DVec3 {
    let (up, out) = elevation_rad.sin_cos();
    let (right, front) = azimuth_rad.sin_cos();
    DVec3::new(out * right, up, out * front)
}
