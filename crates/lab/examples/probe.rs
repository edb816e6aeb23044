//! x
use std::sync::Arc;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let n: usize = a[1].parse().unwrap();
    let frames: usize = a[2].parse().unwrap();
    let mut s = toile_lab::bench::scene(&std::env::var("SCENE").unwrap_or("hang".into()), n).unwrap();
    let env = |k: &str, d: f64| std::env::var(k).map_or(d, |v| v.parse().unwrap());
    s.config.linear_tolerance = env("TOL", s.config.linear_tolerance);
    s.config.newton_max_iterations = env("NI", 2.0) as u32;
    s.model.cloths[0].material.stretch_warp_n_per_m = env("KS", 6000.0);
    s.model.cloths[0].material.stretch_weft_n_per_m = env("KS", 6000.0);
    s.model.cloths[0].material.shear_n_per_m = 0.5 * env("KS", 6000.0);
    let model = Arc::new(toile_sim::Model::build(&s.model).unwrap());
    let mut sim = toile_sim::Simulation::new(model, s.config);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .unwrap();
    pool.install(|| {
        let cpu = || {
            let s = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
            s.split(' ').next().unwrap().parse::<f64>().unwrap() * 1e-9
        };
        let t = cpu();
        let (mut its, mut solves) = (0u64, 0u64);
        let mut worst = 0.0f64;
        for f in 0..frames {
            for _ in 0..2 {
                let r = sim.step(s.max_step_s).unwrap();
                its += u64::from(r.integration.linear_iterations);
                solves += u64::from(r.integration.solves);
                if std::env::var("VERB").is_ok() {
                    eprint!("[{} {}]", r.limited.projections, r.limited.sweeps);
                }
            }
            let st = toile_sim::report::Stretch::of(sim.model(), sim.state());
            worst = worst.max(st.max);
            if std::env::var("VERB").is_ok() {
                eprint!("{}:{:.2} ", f + 1, st.max * 100.0);
            }
            if [12, 18, 60, 120].contains(&(f + 1)) {
                let h = sim.state().positions.iter().map(|p| p.y).sum::<f64>() / (n * n) as f64;
                print!("{h:.4} ");
            }
        }
        println!(
            "\nn {n}: {:.3} ms/frame, {:.2} its/solve, stretch {:.2} %",
            (cpu() - t) * 1e3 / frames as f64,
            its as f64 / solves as f64,
            worst * 100.0
        );
    });
}
