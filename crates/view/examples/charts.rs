//! A chart of each kind, and a panel of all, as PNG and SVG.
//!
//! `cargo run --release -p toile-view --example charts -- FOLDER`

use std::error::Error;
use std::path::PathBuf;
use toile_view::plot::{Chart, Figure, HeatMap, Panel, Series};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".into()));
    std::fs::create_dir_all(&folder)?;
    write(&swing(), folder.join("lines"))?;
    write(&convergence(), folder.join("log"))?;
    write(&ripple(), folder.join("heat"))?;
    let panel = Panel::new(2)
        .with(swing())
        .with(convergence())
        .with(ripple())
        .with(scatter());
    write(&panel, folder.join("panel"))
}

fn write(figure: &impl Figure, path: PathBuf) -> Result<(), Box<dyn Error>> {
    figure.write(path.with_extension("png"))?;
    figure.write_svg(path.with_extension("svg"))?;
    Ok(())
}

fn over(low: f64, high: f64, count: u32) -> impl Iterator<Item = f64> {
    (0..=count).map(move |i| low + (high - low) * f64::from(i) / f64::from(count))
}

fn swing() -> Chart {
    let decay = |t: f64, rate: f64| (-rate * t).exp() * (6.0 * t).cos();
    Chart::new("Swing of a hanging cloth")
        .x("time", "s")
        .y("mean height", "m")
        .series(Series::line(
            "backward Euler",
            over(0.0, 4.0, 400).map(|t| [t, decay(t, 0.9)]),
        ))
        .series(Series::line(
            "BDF2",
            over(0.0, 4.0, 400).map(|t| [t, decay(t, 0.4)]),
        ))
        .series(Series::points(
            "measured",
            over(0.0, 4.0, 24).map(|t| [t, decay(t, 0.37)]),
        ))
        .series(Series::dashed(
            "bound",
            over(0.0, 4.0, 50).map(|t| [t, (-0.37 * t).exp()]),
        ))
}

fn convergence() -> Chart {
    let order = |p: i32, c: f64| {
        over(-4.0, -1.0, 6)
            .map(move |e| 10f64.powf(e))
            .map(move |h| [h, c * h.powi(p)])
    };
    Chart::new("Error falls with the step")
        .x("time step", "s")
        .y("error", "m")
        .log_x()
        .log_y()
        .series(Series::line("first order", order(1, 0.4)))
        .series(Series::line("second order", order(2, 3.0)))
        .series(Series::points("second order, sampled", order(2, 3.0)))
}

fn ripple() -> HeatMap {
    let values: Vec<f64> = (0..60 * 40)
        .map(|i| {
            let (x, y) = (
                f64::from(i % 60) / 30.0 - 1.0,
                f64::from(i / 60) / 20.0 - 1.0,
            );
            let r = x.hypot(y);
            if r < 0.1 {
                f64::NAN
            } else {
                1.2e-3 * (1.0 + (12.0 * r).cos() * (-r).exp())
            }
        })
        .collect();
    HeatMap::new("Stretch of the cloth", 60, values)
        .x("along warp", "m", [0.0, 1.5])
        .y("along weft", "m", [0.0, 1.0])
        .z("stretch", "")
}

fn scatter() -> Chart {
    let cloud = |seed: u32, slope: f64| {
        (0..80u32).map(move |i| {
            let noise = |k: u32| f64::from((i * 7919 + k * 104_729 + seed * 1299) % 1000) / 1000.0;
            let x = 2e5 * noise(1);
            [x, slope * x * (1.0 + 0.4 * (noise(2) - 0.5))]
        })
    };
    Chart::new("Bending against density")
        .x("stiffness", "N/m")
        .y("bending", "N·m")
        .series(Series::points("cotton", cloud(1, 3e-10)))
        .series(Series::points("wool", cloud(2, 2e-10)))
}
