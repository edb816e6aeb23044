//! How long a frame takes: ten thousand triangles at 1280 × 720.
//!
//! `cargo run --release -p toile-view --example frame_time -- [PICTURE.png]`
//!
//! A rippled sheet hangs over a floor. With a standing camera the empty floor is kept from frame
//! to frame; with a moving one everything is drawn anew. Other work on the machine makes frames
//! slower, never faster, so the best of many is told, as wall time and as processor time, beside the
//! median.

use glam::{DVec2, DVec3};
use rustix::time::{ClockId, clock_gettime};
use std::error::Error;
use std::time::{Duration, Instant};
use toile_geometry::Bounds;
use toile_view::{Camera, Ground, RenderOptions, Renderer, Rim, Stage, Surface, Weave};

/// Vertices along each side: 2 · 71² = 10,082 triangles.
const SIDE: u32 = 72;
const FRAMES: u32 = 60;

fn main() -> Result<(), Box<dyn Error>> {
    let options = RenderOptions::default();
    let faces = faces();
    let border = border();
    let uv: Vec<DVec2> = grid().collect();
    let aspect = options.width as f64 / options.height as f64;
    for moving in [false, true] {
        let mut renderer = Renderer::new(options);
        let mut times: [Vec<Duration>; 2] = Default::default();
        for frame in 0..FRAMES {
            let phase = f64::from(frame) / 30.0;
            let positions: Vec<DVec3> = uv.iter().map(|p| place(*p, phase)).collect();
            let side = if moving { 0.2 * phase.sin() } else { 0.0 };
            let camera = Camera::fit(bounds(), DVec3::new(0.55 + side, 0.29, 1.0), aspect);
            let stage = Stage {
                surfaces: vec![Surface {
                    weave: Some(Weave {
                        uv: &uv,
                        pitch_m: 0.01,
                    }),
                    rim: Some(Rim {
                        edges: &border,
                        thickness_m: 0.005,
                    }),
                    ..Surface::cloth(&positions, &faces)
                }],
                ground: Some(Ground::default()),
                ..Stage::default()
            };
            let (wall, cpu) = (Instant::now(), cpu_time());
            let image = renderer.render(&stage, &camera);
            times[0].push(wall.elapsed());
            times[1].push(cpu_time() - cpu);
            if let (0, false, Some(path)) = (frame, moving, std::env::args().nth(1)) {
                image.write_png(path)?;
            }
        }
        let [wall, cpu] = times.map(|mut times| {
            times.sort_unstable();
            [times[0], times[times.len() / 2]]
        });
        println!(
            "{} triangles, {} camera, {} threads: {:.1?} wall (median {:.1?}), {:.1?} processor \
             time (median {:.1?}), best of {FRAMES}",
            faces.len(),
            if moving { "moving" } else { "standing" },
            rayon::current_num_threads(),
            wall[0],
            wall[1],
            cpu[0],
            cpu[1]
        );
    }
    Ok(())
}

fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn bounds() -> Bounds {
    Bounds {
        min: DVec3::new(-0.5, 0.1, -0.2),
        max: DVec3::new(0.5, 1.1, 0.2),
    }
}

/// The flat sheet, one metre square.
fn grid() -> impl Iterator<Item = DVec2> {
    (0..SIDE * SIDE).map(|v| {
        let share = |k: u32| f64::from(k) / f64::from(SIDE - 1);
        DVec2::new(share(v % SIDE), share(v / SIDE))
    })
}

/// Where a point of it hangs.
fn place(p: DVec2, phase: f64) -> DVec3 {
    let deep = 1.0 - p.y;
    let wave = (22.0 * p.x + phase + 0.8 * (5.0 * p.y).sin()).sin();
    let fold = 0.02 + 0.05 * deep;
    DVec3::new(p.x - 0.5, 0.1 + p.y, fold * wave)
}

fn border() -> Vec<[u32; 2]> {
    let last = SIDE - 1;
    let row = |j: u32| (0..last).map(move |i| [j * SIDE + i, j * SIDE + i + 1]);
    let column = |i: u32| (0..last).map(move |j| [j * SIDE + i, (j + 1) * SIDE + i]);
    let (there, back) = (row(0).chain(column(last)), row(last).chain(column(0)));
    there.chain(back.map(|[a, b]| [b, a])).collect()
}

fn faces() -> Vec<[u32; 3]> {
    let cells = (0..SIDE - 1).flat_map(|j| (0..SIDE - 1).map(move |i| j * SIDE + i));
    cells
        .flat_map(|a| {
            let (b, c, d) = (a + 1, a + SIDE, a + SIDE + 1);
            [[a, b, d], [a, d, c]]
        })
        .collect()
}
