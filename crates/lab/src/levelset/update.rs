//! A figure that moves: the time of its field in each pose.

use crate::experiment::Error;
use glam::{DVec2, DVec3};
use std::fmt;
use std::time::Instant;
use toile_geometry::TriMesh;
use toile_geometry::generate::Lathe;
use toile_geometry::levelset::{Settings, Solid, Storage, Stored};

/// Cells, m.
const CELL_M: f64 = 0.01;
/// Edges that give the figure about 14,000 triangles, m.
const SPACING_M: f64 = 0.0185;
/// Poses that are timed; the best counts, as others use the machine too.
const POSES: usize = 12;
/// Threads.
const THREADS: usize = 2;
/// The figure's limbs: bottom, top, radius, m, and by how much the top leans to the side.
const LIMBS: [(DVec3, f64, f64, f64); 6] = [
    (DVec3::new(0.0, 0.85, 0.0), 0.6, 0.14, 0.0),
    (DVec3::new(0.0, 1.45, 0.0), 0.25, 0.1, 0.0),
    (DVec3::new(0.22, 0.75, 0.0), 0.62, 0.045, -0.05),
    (DVec3::new(-0.22, 0.75, 0.0), 0.62, 0.045, 0.05),
    (DVec3::new(0.09, 0.0, 0.0), 0.9, 0.075, -0.02),
    (DVec3::new(-0.09, 0.0, 0.0), 0.9, 0.075, 0.02),
];

/// Times of one pose, s.
pub struct Update {
    pub triangles: usize,
    /// The band alone.
    pub band_s: f64,
    /// Marched to 10 cm.
    pub marched_s: f64,
    /// Marched everywhere.
    pub everywhere_s: f64,
}

impl Update {
    /// Times a dancing figure.
    pub fn measure() -> Result<Self, Error> {
        let figure = figure()?;
        let solid = Solid::new(&figure, 0.0)?;
        let measure = || -> Result<Self, Error> {
            let best = |reach_m: f64| best_s(&figure, &solid, reach_m);
            Ok(Self {
                triangles: figure.faces.len(),
                band_s: best(3.0 * CELL_M)?,
                marched_s: best(0.1)?,
                everywhere_s: best(f64::INFINITY)?,
            })
        };
        match rayon::ThreadPoolBuilder::new().num_threads(THREADS).build() {
            Ok(pool) => pool.install(measure),
            Err(_) => measure(),
        }
    }
}

/// Best time of all poses.
fn best_s(figure: &TriMesh, solid: &Solid, reach_m: f64) -> Result<f64, Error> {
    let settings = Settings {
        reach_m,
        ..Settings::new(CELL_M)
    };
    let mut best = f64::INFINITY;
    for pose in 0..POSES {
        let phase = pose as f64 / POSES as f64;
        let [now, later] = [phase, phase + 1e-3].map(|t| bent(figure, t));
        let motion: Vec<DVec3> = now.iter().zip(&later).map(|(a, b)| *b - *a).collect();
        let clock = Instant::now();
        Stored::build(solid, &now, Some(&motion), &settings, Storage::Grid)?;
        best = best.min(clock.elapsed().as_secs_f64());
    }
    Ok(best)
}

/// The figure, swaying and twisting.
fn bent(figure: &TriMesh, phase: f64) -> Vec<DVec3> {
    let turn = std::f64::consts::TAU * phase;
    let bend = |p: &DVec3| {
        let twist = 0.4 * turn.sin() * p.y;
        let level = DVec2::from_angle(twist).rotate(DVec2::new(p.x, p.z));
        let sway = 0.1 * (turn + 2.0 * p.y).sin();
        DVec3::new(level.x + sway, p.y, level.y)
    };
    figure.positions.iter().map(bend).collect()
}

/// Rounded limbs that overlap at their joints, as figures' parts do.
fn figure() -> Result<TriMesh, Error> {
    let mut all = TriMesh::default();
    for (bottom, height_m, radius_m, lean_m) in LIMBS {
        let round = 0.3 * radius_m;
        let profile = [
            [0.0, 0.0],
            [radius_m - round, round],
            [radius_m, radius_m],
            [radius_m, height_m - radius_m],
            [radius_m - round, height_m - round],
            [0.0, height_m],
        ];
        let limb = Lathe {
            profile: profile.map(DVec2::from_array).to_vec(),
            spacing_m: SPACING_M,
            lobes: 0,
            lobe_depth: 0.0,
        };
        let limb = limb.mesh()?;
        let first = all.positions.len() as u32;
        let lean = |p: &DVec3| bottom + *p + lean_m * p.y / height_m * DVec3::X;
        all.positions.extend(limb.positions.iter().map(lean));
        let faces = limb.faces.iter().map(|face| face.map(|v| v + first));
        all.faces.extend(faces);
    }
    Ok(all)
}

impl fmt::Display for Update {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Update, on this machine now and not checked: a figure of {} triangles in a new pose, cells \
             of {} mm, {THREADS} threads: {:.1} ms for the band (60 ms are aimed at), {:.1} ms marched to \
             10 cm, {:.1} ms marched everywhere.",
            self.triangles,
            1e3 * CELL_M,
            1e3 * self.band_s,
            1e3 * self.marched_s,
            1e3 * self.everywhere_s,
        )
    }
}
