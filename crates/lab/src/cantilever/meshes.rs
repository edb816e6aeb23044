//! The strip on triangles: every bending law on every mesh, and the rigidity it acts with.

use super::cylinder::{self, Imposed};
use super::overhang::{CELLS_ACROSS, COTTON_PER_M2, LENGTH_M, Overhang, STIFF_PER_M2};
use super::{AREA_DENSITY, Bent, Ledger, SPACING_M, WEIGHTS};
use crate::check::{Band, Check};
use crate::experiment::Error;
use crate::specimen::GRAVITY;
use crate::strip::{Kind, Mesh};
use rayon::prelude::*;
use toile_view::plot::{Chart, Series};

/// Weights of strips of pairs, which take longest.
const PAIR_WEIGHTS: [f64; 3] = [1.0, 5.0, 10.0];
/// Rigidity of pairs with parallel diagonals along the squares: 4/3 of 0.48.
const ALONG_SQUARES: f64 = 0.64;
const HINGED: [Kind; 2] = [Kind::SINE, Kind::BARAFF_WITKIN];
const MESHES: [Mesh; 4] = [
    Mesh::Equilateral,
    Mesh::Alternating,
    Mesh::Jittered,
    Mesh::OneDiagonal,
];

/// Bends strips of every kind, mesh and weight; returns their rigidity over weight.
pub fn measure(ledger: &mut Ledger) -> Result<Chart, Error> {
    let mut cases = Vec::new();
    for mesh in MESHES {
        cases.extend(PAIR_WEIGHTS.map(|gamma| (Kind::BUCKLING.on(mesh), gamma)));
    }
    for kind in HINGED {
        for mesh in MESHES {
            cases.extend(WEIGHTS.map(|gamma| (kind.on(mesh), gamma)));
        }
    }
    let all: Vec<(Kind, Bent)> = cases
        .into_par_iter()
        .map(|(kind, gamma)| Ok((kind, bend(kind, gamma)?)))
        .collect::<Result<_, Error>>()?;
    let mut imposed = Vec::new();
    for mesh in MESHES {
        imposed.extend([cylinder::hinges(mesh)?, cylinder::pairs(mesh)?]);
    }
    for on_cylinder in &imposed {
        check_imposed(ledger, on_cylinder);
    }
    for (kind, bent) in &all {
        let hinged = is_hinged(*kind);
        let alike = |imposed: &&Imposed| {
            imposed.laws.mesh == kind.mesh && is_hinged(imposed.laws) == hinged
        };
        let on_cylinder = imposed.iter().find(alike);
        ledger.row(bent, on_cylinder);
        let range = on_cylinder.map_or([f64::NAN; 2], |imposed| imposed.found);
        check_bent(ledger, bent, hinged, range);
    }
    Ok(chart(&all))
}

fn is_hinged(kind: Kind) -> bool {
    kind.laws != Kind::BUCKLING.laws
}

fn check_imposed(ledger: &mut Ledger, imposed: &Imposed) {
    let Imposed {
        laws,
        found,
        expected,
    } = imposed;
    let what = if is_hinged(*laws) {
        "hinges, particles on a cylinder"
    } else {
        "pairs, rigid triangles along a cylinder"
    };
    for (which, found, expected) in [
        ("least", found[0], expected[0]),
        ("greatest", found[1], expected[1]),
    ] {
        let band = match laws.mesh {
            // Only that no direction is far off: which points were moved by how much is chance.
            Mesh::Jittered => Band::Between(0.9, 1.3),
            // One edge in sixty has no second triangle.
            _ => Band::Between(0.97 * expected, 1.03 * expected),
        };
        ledger.checks.push(Check::new(
            format!(
                "{what}, {}: {which} rigidity of all directions",
                laws.mesh.name()
            ),
            found,
            band,
        ));
    }
}

/// Checks a strip against the rigidities, from least to greatest, on a cylinder.
fn check_bent(ledger: &mut Ledger, bent: &Bent, hinged: bool, on_cylinder: [f64; 2]) {
    let name = bent.name();
    if bent.mesh == Mesh::Equilateral {
        ledger.checks.push(Check::new(
            format!("{name}: error of H/W (%)"),
            bent.error_percent(),
            Band::Between(-2.0, 2.0),
        ));
    }
    let band = match hinged {
        true => hinged_band(bent, on_cylinder),
        false => Some(pairs_band(bent, on_cylinder)),
    };
    if let Some(band) = band {
        ledger.checks.push(Check::new(
            format!("{name}: rigidity over the one asked for"),
            bent.rigidity_share(),
            band,
        ));
    }
    ledger.checks.push(Check::new(
        format!("{name}: force left, as a share of the weight"),
        bent.residual,
        // So stiff a sheet as pairs need leaves some to rounding.
        Band::AtMost(if hinged { 1e-4 } else { 1e-2 }),
    ));
}

/// Where the rigidity of hinges must lie, where anything is known. Particles off the cylinder can only
/// lower the energy, as long as the membrane has none.
fn hinged_band(bent: &Bent, [_, greatest]: [f64; 2]) -> Option<Band> {
    match bent.mesh {
        Mesh::Jittered => (bent.gamma <= 10.0).then_some(Band::Between(0.8, greatest)),
        Mesh::OneDiagonal | Mesh::Alternating => Some(Band::Between(0.8, 1.0)),
        _ => Some(Band::Between(0.98, 1.02)),
    }
}

/// The same for pairs. Triangles that stay rigid have the cylinder's energies, so nothing is softer than
/// its least direction; a strip that is free to twist is no stiffer than along its own.
fn pairs_band(bent: &Bent, [least, _]: [f64; 2]) -> Band {
    match bent.mesh {
        Mesh::Jittered => Band::AtLeast(0.98 * least),
        Mesh::OneDiagonal => Band::Between(0.98 * least, ALONG_SQUARES),
        _ => Band::Between(0.98, 1.02),
    }
}

fn bend(kind: Kind, gamma: f64) -> Result<Bent, Error> {
    let free_m = Overhang::length_m(kind, 2);
    let rigidity = AREA_DENSITY * GRAVITY * free_m.powi(3) / gamma;
    let hung = Overhang::settle(kind, rigidity, 2)?;
    Ok(Bent {
        laws: kind.name.to_owned(),
        mesh: kind.mesh,
        gamma,
        ratio: -hung.tip.y / hung.tip.x,
        residual: hung.residual,
    })
}

/// Rigidity over weight, one series a kind and mesh.
fn chart(all: &[(Kind, Bent)]) -> Chart {
    let mut chart = Chart::new("Rigidity on triangles")
        .x("Γ = ρ g L³/B", "")
        .y("B_eff/B", "")
        .log_x();
    for group in all.chunk_by(|a, b| a.0 == b.0) {
        let kind = group[0].0;
        // Both forms of hinges are one line.
        if kind.laws == Kind::SINE.laws {
            continue;
        }
        let points: Vec<[f64; 2]> = group
            .iter()
            .map(|(_, bent)| [bent.gamma, bent.rigidity_share()])
            .collect();
        let name = format!("{}, {}", kind.name, kind.mesh.name());
        chart = chart.series(Series::line(name, points));
    }
    chart
}

pub fn notes() -> String {
    format!(
        "Triangles: a strip {} m wide and about {LENGTH_M} m long with edges of {SPACING_M} m, two rows clamped. \
         'On a cylinder' is the rigidity of a large sheet, over the one asked for, from the least to the greatest of \
         all directions: for hinges with every particle on the cylinder, for pairs with triangles that stay rigid and \
         fold as the cylinder has it. Expected is what follows by hand, and on jittered meshes what others of \
         their kind had, moved by amounts not known here: hinges then came out stiffer.\n\
         Equilateral triangles are isotropic, a plate of Poisson's ratio −1/3: its free edges would curl and take \
         up to a ninth of the rigidity, which only a stiff membrane prevents ({STIFF_PER_M2:e} 1/m² times B; with \
         {COTTON_PER_M2:e}, that of the other meshes, Γ = 1 has 0.97). With parallel diagonals the energy on a \
         cylinder is 1 + 2cs + 4c²s² of the plate's, c and s the direction's cosine and sine: 0.75 to 3. A strip along \
         the squares, 1 on a cylinder, twists and gains down to 0.80; with alternating diagonals every other \
         particle moves off the cylinder, and 0.80 to 0.83 is left. So right-angled strips must lie \
         between 0.8 and 1, and irregular ones below the cylinder's greatest, but for Γ = 50 \
         and 100, where curvature within a triangle's size makes irregular meshes stretch: they lock, and have no band.\n\
         Pairs load their membrane by themselves, and it must be so stiff that triangles which do not fold along \
         straight lines lock: irregular ones are stiffer than on their cylinder, the more so the more they bend. With \
         parallel diagonals a strip along the squares, {ALONG_SQUARES} on a cylinder, twists towards its softest \
         direction. The first stage of the search takes some thousands of iterations on these meshes, in which pairs \
         that carry anything up to their buckling load share it out.",
        CELLS_ACROSS * SPACING_M
    )
}
