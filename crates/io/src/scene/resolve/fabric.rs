//! Fabrics written in a scene or in a file of their own.

use super::Checked;
use crate::fabric::{Fabric, Library};
use crate::scene::error::Fault;
use crate::scene::{key, raw, wording};

/// Checks the numbers of every fabric, and that no two have the same name.
pub(in crate::scene) fn fabrics(fabrics: &[Fabric]) -> Checked {
    for (i, fabric) in fabrics.iter().enumerate() {
        let path = key::Path::default().with("fabric").with(i);
        fabric.check().map_err(|problem| {
            let at = problem
                .key
                .iter()
                .fold(path.clone(), |at, k| at.with(k.as_str()));
            let mut fault = Fault::new(at, problem.message);
            fault.on_key = !problem.valid.is_empty();
            let word = problem.key.last().map_or("", String::as_str);
            wording::suggest(fault, word, &problem.valid, "keys here")
        })?;
        if fabrics[..i].iter().any(|f| f.name == fabric.name) {
            let message = format!(
                "found \"{}\" again, expected a name no other fabric here has",
                fabric.name
            );
            return Err(Fault::new(path.with("name"), message));
        }
    }
    Ok(())
}

/// The fabrics of files that `cloths` are made of, each once: a resolved scene carries them itself,
/// so that it gives the same run wherever it is.
pub(super) fn used(library: Library<'_>, cloths: &[raw::Cloth]) -> Vec<Fabric> {
    let mut used: Vec<Fabric> = Vec::new();
    for cloth in cloths {
        let own = library.own.iter().chain(&used);
        if own.clone().any(|fabric| fabric.name == cloth.fabric) {
            continue;
        }
        used.extend(
            library
                .files
                .iter()
                .find(|f| f.name == cloth.fabric)
                .cloned(),
        );
    }
    used
}
