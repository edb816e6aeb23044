//! The forces of triangles: membranes, pairs and hinges.

use super::dense::{Dense, combine, differences, largest, zeros};
use super::{
    ALMOST_NONE, BAND, Line, SHIFT_M, SHIFT_M_PER_S, SPACING_M, by_position, material, stiffness,
};
use crate::experiment::Error;
use crate::probe::Probe;
use crate::specimen;
use crate::strip::{Kind, Mesh, Strip};
use glam::{DVec2, DVec3};
use toile_io::fabric;
use toile_sim::{Bending, ClothModel, HingeForm, Material, Membrane};

/// Membranes by themselves.
const MEMBRANES: [(&str, Membrane); 3] = [
    ("triangles: tension", Membrane::Tension),
    ("triangles: stretch and shear", Membrane::BaraffWitkin),
    ("triangles: measured", Membrane::Measured),
];
/// Bending on a membrane of almost no stiffness.
const BENDINGS: [(&str, Bending); 3] = [
    ("triangles: pairs", Bending::Pairs),
    ("triangles: sine hinges", Bending::Hinges(HingeForm::Sine)),
    (
        "triangles: quadratic hinges",
        Bending::Hinges(HingeForm::Quadratic),
    ),
];

/// The exact matrix of every force of triangles; of hinges, that of their dampers too.
pub fn lines(seed: u64) -> Result<Vec<Line>, Error> {
    let mut lines = Vec::new();
    for (force, membrane) in MEMBRANES {
        let mut probe = probe(ClothModel::Triangles(membrane, Bending::Limp), material())?;
        lines.push(line(force, &mut probe, seed));
    }
    let limp = Material {
        stretch_warp_n_per_m: ALMOST_NONE,
        stretch_weft_n_per_m: ALMOST_NONE,
        shear_n_per_m: 0.0,
        ..material()
    };
    for (force, bending) in BENDINGS {
        let laws = ClothModel::Triangles(Membrane::Tension, bending);
        let still = Material {
            bending_damping_s: 0.0,
            ..limp
        };
        lines.push(line(force, &mut probe(laws, still)?, seed));
        if matches!(bending, Bending::Hinges(_)) {
            let mut probe = probe(laws, limp)?;
            let (x, _) = crumpled(&mut probe, seed);
            let v = velocities(x.len(), seed);
            let measured = differences(&v, SHIFT_M_PER_S, |v| probe.force(&x, v));
            let built = stiffness(&mut probe, &x, &v).1;
            let names = (force, "∂f/∂v", "nothing");
            lines.push(Line::compare(names, &built, &measured, &zeros(x.len())));
        }
    }
    Ok(lines)
}

fn probe(laws: ClothModel, material: Material) -> Result<Probe, Error> {
    let strip = Strip {
        kind: Kind {
            name: "",
            laws,
            mesh: Mesh::Jittered,
        },
        size_m: DVec2::new(3.0, 3.0 * 0.75_f64.sqrt()) * SPACING_M,
        spacing_m: SPACING_M,
        across: -DVec3::Z,
        along: DVec3::X,
        grain_rad: 0.4,
    };
    let mut cloth = strip.cloth(material);
    let mut fabrics = fabric::all().iter();
    cloth.measured = fabrics.find_map(|f| f.measured()).map(|(law, _)| law);
    Ok(Probe::new(specimen::model(cloth, 0.0)?))
}

fn line(force: &'static str, probe: &mut Probe, seed: u64) -> Line {
    let (x, measured) = crumpled(probe, seed);
    let still = vec![DVec3::ZERO; x.len()];
    let built = stiffness(probe, &x, &still).0;
    let names = (force, "exact", "nothing");
    Line::compare(names, &built, &measured, &zeros(x.len()))
}

/// A crumpled cloth and its `∂f/∂x`, away from every kink: differences over two lengths agree.
fn crumpled(probe: &mut Probe, seed: u64) -> (Vec<DVec3>, Dense) {
    let rest = probe.model().start_positions.clone();
    let still = vec![DVec3::ZERO; rest.len()];
    let mut random = specimen::noise(seed);
    loop {
        let stretch = DVec3::new(1.0 + 0.15 * random(), 1.0, 1.0 + 0.15 * random());
        let crumpling = (0.2 + 0.1 * random()) * SPACING_M;
        let mut place =
            |x: &DVec3| *x * stretch + crumpling * DVec3::new(random(), random(), random());
        let x: Vec<DVec3> = rest.iter().map(&mut place).collect();
        let measured = by_position(probe, &x, &still);
        let shorter = differences(&x, 0.5 * SHIFT_M, |x| probe.force(x, &still));
        if largest(&combine(&measured, -1.0, &shorter)) < 0.1 * BAND * largest(&measured) {
            return (x, measured);
        }
    }
}

fn velocities(particles: usize, seed: u64) -> Vec<DVec3> {
    let mut random = specimen::noise(seed + 1000);
    (0..particles)
        .map(|_| DVec3::new(random(), random(), random()))
        .collect()
}
