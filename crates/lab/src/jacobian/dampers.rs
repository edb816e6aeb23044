//! Dampers of links.

use super::dense::{assemble, differences, zeros};
use super::link::{Law, Link};
use super::{Line, SHIFT_M_PER_S, by_position, no_stretch, probe, stiffness, still_only};
use crate::experiment::Error;
use glam::DVec3;
use toile_sim::{DampingKind, Material};

/// Dampers of stretch links alone, and of all.
pub fn lines(x: &[DVec3], v: &[DVec3], links: &[Link]) -> Result<Vec<Line>, Error> {
    let k_d = 3.0;
    let mut lines = Vec::new();
    for (force, damping, part) in [
        ("axial dampers", DampingKind::Axial, still_only()),
        ("isotropic dampers", DampingKind::Isotropic, still_only()),
        (
            "axial dampers, on bending links too",
            DampingKind::Axial,
            no_stretch(),
        ),
        (
            "isotropic dampers, on bending links too",
            DampingKind::Isotropic,
            no_stretch(),
        ),
    ] {
        let bends = part.bending_warp_n_m > 0.0;
        let material = Material {
            damping_n_s_per_m: k_d,
            damping,
            ..part
        };
        let mut probe = probe(material)?;
        let own = links
            .iter()
            .filter(|link| bends || link.law == Law::Stretch);
        let measured = differences(v, SHIFT_M_PER_S, |v| probe.force(x, v));
        let (elastic, damper) = stiffness(&mut probe, x, v);
        let none = zeros(x.len());
        lines.push(Line::compare(
            (force, "∂f/∂v", "nothing"),
            &damper,
            &measured,
            &none,
        ));
        if damping == DampingKind::Axial {
            let measured = by_position(&mut probe, x, v);
            let blocks = own.map(|link| (link.ends, link.damper_turn(x, v, k_d)));
            let named = assemble(blocks, x.len());
            let names = (force, "∂f/∂x", "all of the dampers': it is unsymmetric");
            lines.push(Line::compare(names, &elastic, &measured, &named));
        }
    }
    Ok(lines)
}
