//! The colour of what a pixel sees, in linear light.

use crate::facets::{Facet, Facets, Hit, Material};
use crate::view::View;
use glam::{Vec2, Vec3};

/// Key light: slightly warm.
const KEY: Vec3 = Vec3::new(2.15, 2.02, 1.86);
/// Light from above, slightly cool, and from below, off the floor.
const SKY: Vec3 = Vec3::new(0.62, 0.68, 0.78);
const BOUNCE: Vec3 = Vec3::new(0.50, 0.47, 0.44);
/// A soft light from the viewer's side opposite the key, which draws the dark side of folds.
const FILL: Vec3 = Vec3::new(0.36, 0.40, 0.47);

/// What becomes of the light a surface receives.
const EXPOSURE: f32 = 0.62;

/// Share of even light on surfaces whose colours show a quantity.
const EVEN: f32 = 0.6;

/// How far the key light creeps around a form: fibres scatter it.
const WRAP: f32 = 0.12;

/// Brightness of fibres that stand up from the cloth, seen against the light at its edges.
const SHEEN: f32 = 0.14;

/// How much ridges and hollows stand out, and the radius of those that are half as strong, in
/// units of the distance to the camera's target.
const RELIEF: f32 = 0.38;
const RELIEF_RADIUS: f32 = 0.02;

/// How much threads stand out.
const WEAVE: f32 = 0.11;

/// The floor is a little warmer and darker than the sky, which makes a horizon.
const SKY_TINT: Vec3 = Vec3::new(0.985, 1.0, 1.025);
const FLOOR_TINT: Vec3 = Vec3::new(0.945, 0.93, 0.905);

/// The floor fades from this distance, in units of the distance to the camera's target.
const FADE: [f32; 2] = [0.9, 4.0];

/// How much darker than the floor its grid lines are.
const LINE: f32 = 0.10;

/// Distance between grid lines, about, in units of the distance to the camera's target.
const GRID: f32 = 0.08;

/// Lines along edges are solid up to the first distance, and gone from the second.
const WIRE_PX: [f32; 2] = [0.3, 1.2];
/// Their colour.
const WIRE: Vec3 = Vec3::new(0.012, 0.015, 0.02);

pub struct Shader<'a> {
    facets: &'a Facets,
    toward_light: Vec3,
    toward_fill: Vec3,
    background: Vec3,
    per_floor_m: f32,
    per_focus: f32,
    per_focal_px: f32,
    relief_m: f32,
    /// Where the camera looks, relative to the eye and on the floor.
    middle: Vec2,
    /// Distance between grid lines, and where the eye is among them.
    grid_m: f32,
    per_grid_m: f32,
    phase: Vec2,
}

impl<'a> Shader<'a> {
    /// `floor_m` is the height of the floor relative to the eye.
    pub fn new(
        view: &'a View,
        facets: &'a Facets,
        toward_light: Vec3,
        background: Vec3,
        floor_m: Option<f32>,
    ) -> Self {
        let middle = view.focus_m * view.forward;
        let grid_m = round_spacing(GRID * view.focus_m);
        let phase = |at: f64| at.rem_euclid(f64::from(grid_m)) as f32;
        Self {
            facets,
            toward_light,
            toward_fill: fill_direction(view, toward_light),
            background,
            per_floor_m: 1.0 / floor_m.map_or(1.0, f32::abs).max(1e-6),
            per_focus: 1.0 / view.focus_m,
            per_focal_px: 1.0 / view.focal_px,
            relief_m: RELIEF_RADIUS * view.focus_m,
            middle: Vec2::new(middle.x, middle.z),
            grid_m,
            per_grid_m: 1.0 / grid_m,
            phase: Vec2::new(phase(view.eye.x), phase(view.eye.z)),
        }
    }

    /// The background along a ray: a little brighter around the horizon.
    #[inline]
    pub fn background(&self, ray: Vec3) -> Vec3 {
        self.background * SKY_TINT * gradient(ray.y / ray.length())
    }

    /// The floor at a place relative to the eye. Where the light falls freely it is nearly as
    /// bright as the background, so that the two meet in a soft horizon.
    #[inline]
    pub fn floor(&self, position: Vec3, light: Vec2) -> Vec3 {
        let at = Vec2::new(position.x, position.z);
        let distance = (at - self.middle).length() * self.per_focus;
        let fade = smoothstep(FADE[0], FADE[1], distance);
        let away = position.length();
        let open = self.background * FLOOR_TINT * gradient(position.y / away);
        let shade = 0.52 * light.x + 0.48 * light.y * light.y.sqrt();
        let lines = if fade < 1.0 {
            1.0 - LINE * (1.0 - fade) * self.lines(position, away)
        } else {
            1.0
        };
        // A pool of light where the camera looks.
        let pool = 1.08 - 0.16 * distance.min(1.0);
        open * (shade * lines * pool * (1.0 - fade) + fade)
    }

    /// Cover of the floor's grid lines at a place, softened to the width of a pixel.
    fn lines(&self, position: Vec3, away: f32) -> f32 {
        // Seen at a slant, a pixel covers more of the floor.
        let pixel = away * self.per_focal_px * (away * self.per_floor_m).min(8.0);
        let width = 0.010 * self.grid_m;
        let line = width / (width + pixel);
        let reach = width + 1.5 * pixel;
        let off = |at: f32| {
            let cell = at * self.per_grid_m;
            (cell - cell.round()).abs() * self.grid_m
        };
        let off_m = off(position.x + self.phase.x).min(off(position.z + self.phase.y));
        if off_m >= reach {
            return 0.0;
        }
        line * (1.0 - smoothstep(width, reach, off_m))
    }

    /// A surface at a hit on facet `id`.
    pub fn surface(&self, id: u32, hit: &Hit, light: Vec2) -> Vec3 {
        let albedo = self.albedo(id, hit);
        let n = hit.normal;
        let toward_eye = -hit.position.normalize_or_zero();
        let incidence = n.dot(self.toward_light);
        let key = ((incidence + WRAP) / (1.0 + WRAP)).max(0.0);
        // The part that creeps around is not shadowed by the surface itself.
        let plain = incidence.max(0.0);
        let direct = plain * light.x + 0.5 * (key - plain).max(0.0) * light.y;
        let up = 0.5 + 0.5 * n.y;
        let ambient = BOUNCE.lerp(SKY, up) * bounced(light.y, albedo);
        let fill = FILL * n.dot(self.toward_fill).max(0.0) * light.y;
        let edge = 1.0 - n.dot(toward_eye).clamp(0.0, 1.0);
        let sheen = SHEEN * edge * edge * edge * light.y;
        let received = (KEY * direct + ambient + fill) * self.relief(id, hit);
        let material = self.material(id);
        if material.vertex_colors {
            // Colours that are to be read keep to their key: forms may only be hinted at.
            return albedo * (EXPOSURE * (1.0 - EVEN) * received + EVEN);
        }
        albedo * received * EXPOSURE + sheen * (albedo + 0.1) * (received + 0.3)
    }

    /// How much brighter ridges are than flat places, and hollows darker: what a surface that
    /// scatters light between its folds does on a scale too fine for shadows.
    fn relief(&self, id: u32, hit: &Hit) -> f32 {
        let facet = &self.facets.faces[id as usize];
        let [a, b, c] = facet
            .corners
            .map(|v| self.facets.vertices[v as usize].bulge_per_m);
        let [p, q, r] = hit.weights;
        let bulge = self.relief_m * (a * p + b * q + c * r) * if hit.front { 1.0 } else { -1.0 };
        1.0 + RELIEF * bulge / (1.0 + bulge.abs())
    }

    fn material(&self, id: u32) -> &Material {
        let facet = &self.facets.faces[id as usize];
        &self.facets.materials[facet.material as usize]
    }

    fn albedo(&self, id: u32, hit: &Hit) -> Vec3 {
        let facet = &self.facets.faces[id as usize];
        let material = self.material(id);
        let color = self.woven(facet, material, hit);
        if !material.wireframe {
            return color;
        }
        let [a, b, c] = facet.edge_distances_m(&hit.weights);
        let pixel_m = hit.position.length() * self.per_focal_px;
        let line = 1.0 - smoothstep(WIRE_PX[0], WIRE_PX[1], a.min(b).min(c) / pixel_m);
        color.lerp(WIRE, 0.85 * line)
    }

    /// The colour of the fabric itself.
    fn woven(&self, facet: &Facet, material: &Material, hit: &Hit) -> Vec3 {
        let color = if material.vertex_colors {
            self.facets.blend(facet, &hit.weights, |v| v.color)
        } else if hit.front {
            material.front
        } else {
            material.back
        };
        if material.threads_per_m == 0.0 {
            return color;
        }
        let uv = self.facets.blend(facet, &hit.weights, |v| v.uv.extend(0.0));
        // Threads finer than two pixels cannot be drawn; they fade out before that.
        // Seen at a slant, a pixel covers more of them.
        let away = hit.position.length();
        let slant = (-hit.position.dot(hit.normal) / away).max(0.1);
        let pixel = away * self.per_focal_px * material.threads_per_m / slant;
        let visible = 1.0 - smoothstep(0.3, 0.8, pixel);
        if visible == 0.0 {
            return color;
        }
        color * (1.0 + WEAVE * visible * weave(uv.x, uv.y, material.threads_per_m))
    }
}

/// Where the fill light comes from: as far to the other side of the camera as the key is to one,
/// lower, and more from the front.
fn fill_direction(view: &View, toward_light: Vec3) -> Vec3 {
    let back = Vec3::new(-view.forward.x, 0.0, -view.forward.z).normalize_or(view.up);
    let side = toward_light.dot(view.right);
    (0.7 * back - side * view.right + 0.25 * Vec3::Y).normalize_or(Vec3::Y)
}

/// Brightness of a plain weave, 0 on average: warp and weft lie on top by turns.
fn weave(u: f32, v: f32, threads_per_m: f32) -> f32 {
    // Two parabolas a turn are as good as a sine here, and much cheaper.
    let wave = |at: f32| {
        let turn = at * threads_per_m;
        let phase = turn - 2.0 * (0.5 * turn).round();
        4.0 * phase * (1.0 - phase.abs())
    };
    wave(u) * wave(v)
}

/// Openness with the light that hollows of a bright surface give back to themselves. The cubic
/// is the usual fit to traced interreflection (Jimenez and others, 2016).
fn bounced(open: f32, albedo: Vec3) -> Vec3 {
    let a = 2.0404 * albedo - 0.3324;
    let b = -4.7951 * albedo + 0.6417;
    let c = 2.7552 * albedo + 0.6903;
    let fitted = ((a * open + b) * open + c) * open;
    fitted.max(Vec3::splat(open)).min(Vec3::ONE)
}

/// Brightness of sky and floor along a ray: highest around the horizon.
fn gradient(rise: f32) -> f32 {
    1.02 - 0.30 * rise.abs().min(1.0)
}

/// The nearest of 1, 2 and 5 times a power of ten.
fn round_spacing(about: f32) -> f32 {
    let power = 10f32.powf(about.log10().floor());
    let lead = match about / power {
        l if l < 1.4 => 1.0,
        l if l < 3.2 => 2.0,
        l if l < 7.1 => 5.0,
        _ => 10.0,
    };
    lead * power
}

fn smoothstep(low: f32, high: f32, v: f32) -> f32 {
    let t = ((v - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}
