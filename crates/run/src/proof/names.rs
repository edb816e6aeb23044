//! Triangles and particles in words.

use toile_geometry::{FacePair, Findings};
use toile_sim::Model;

/// Pairs that a warning names; all are counted.
const NAMED_PAIRS: usize = 5;

/// What pairs of triangles are of.
#[derive(Clone, Copy)]
pub enum Of {
    /// Cloth and cloth.
    Cloth,
    /// Cloth and bodies, which are numbered one body after the other.
    ClothAndBodies,
    /// One body, which has been named.
    OneBody,
}

pub fn meet(count: usize) -> String {
    match count {
        1 => "1 pair of triangles meets".to_owned(),
        count => format!("{count} pairs of triangles meet"),
    }
}

/// The first pairs.
pub fn listed(model: &Model, found: &Findings, of: Of) -> String {
    let pair = |FacePair { a, b, .. }: &FacePair| {
        let (a, b) = (*a as usize, *b as usize);
        match of {
            Of::Cloth => format!("{} and {}", of_cloth(model, a), of_cloth(model, b)),
            Of::ClothAndBodies => format!("{} and {}", of_cloth(model, a), of_body(model, b)),
            Of::OneBody => format!("{a} and {b}"),
        }
    };
    let first = found.pairs.iter().take(NAMED_PAIRS);
    let mut text = first.map(pair).collect::<Vec<_>>().join(", ");
    if found.count > NAMED_PAIRS {
        text.push_str(", …");
    }
    text
}

/// A triangle of cloth, with the cloth where there are several.
fn of_cloth(model: &Model, face: usize) -> String {
    let cloth = model.deformables.iter().find(|c| c.faces.contains(&face));
    match cloth {
        Some(cloth) if model.deformables.len() > 1 => format!("{face} of `{}`", cloth.name),
        _ => face.to_string(),
    }
}

/// A triangle of the bodies, by its number in its own.
fn of_body(model: &Model, face: usize) -> String {
    let sizes = model.bodies.iter().map(|body| body.mesh.faces.len());
    match place(sizes, face) {
        Some((body, own)) => format!("{own} of body `{}`", model.bodies[body].name),
        None => face.to_string(),
    }
}

/// Particles, and vertices of bodies, which are numbered after these.
pub fn vertices(model: &Model, vertices: [u32; 4]) -> String {
    let cloths = model.deformables.iter().map(|cloth| cloth.particles.len());
    let bodies = model.bodies.iter().map(|body| body.vertices());
    let named =
        vertices.map(
            |vertex| match place(cloths.clone().chain(bodies.clone()), vertex as usize) {
                Some((k, own)) => match model.deformables.get(k) {
                    Some(cloth) => format!("particle {own} of `{}`", cloth.name),
                    None => {
                        let body = &model.bodies[k - model.deformables.len()];
                        format!("vertex {own} of body `{}`", body.name)
                    }
                },
                None => vertex.to_string(),
            },
        );
    named.join(", ")
}

/// Which of several lists, laid end to end, has an index, and where.
fn place(sizes: impl Iterator<Item = usize>, index: usize) -> Option<(usize, usize)> {
    let mut first = 0;
    for (k, size) in sizes.enumerate() {
        if index < first + size {
            return Some((k, index - first));
        }
        first += size;
    }
    None
}
