//! What the exact test finds in a state.

use super::Crossings;
use crate::evidence::{Evidence, MOST_PAIRS};
use toile_geometry::intersections::{intersections_between, self_intersections};
use toile_geometry::{FacePair, Findings, TriMesh};
use toile_sim::{Model, State, bodies};

/// What the test found.
pub struct Seen {
    pub cloth: TriMesh,
    pub own: Findings,
    /// The bodies, and what crosses them.
    pub with_bodies: Option<(TriMesh, Findings)>,
}

impl Seen {
    pub fn of(model: &Model, state: &State) -> Result<Self, String> {
        let cloth = mesh_of(model, &state.positions);
        let own = self_intersections(&cloth, MOST_PAIRS).map_err(|e| e.to_string())?;
        let with_bodies = if model.bodies.is_empty() {
            None
        } else {
            let bodies = bodies::mesh(&model.bodies, state.time_s);
            let found = intersections_between(&cloth, &bodies, MOST_PAIRS);
            Some((bodies, found.map_err(|e| e.to_string())?))
        };
        Ok(Self {
            cloth,
            own,
            with_bodies,
        })
    }

    pub fn is_clean_of_bodies(&self) -> bool {
        let with_bodies = self.with_bodies.as_ref();
        with_bodies.is_none_or(|(_, found)| found.is_clean())
    }

    pub fn counts(&self) -> Crossings {
        let with_bodies = self.with_bodies.as_ref();
        Crossings {
            own: Some(self.own.count as u64),
            with_bodies: with_bodies.map(|(_, found)| found.count as u64),
        }
    }

    /// A picture of cloth and bodies in which nothing is marked yet.
    pub fn shown(&self) -> Shown {
        let mut mesh = self.cloth.clone();
        if let Some((bodies, _)) = &self.with_bodies {
            append(&mut mesh, bodies);
        }
        Shown {
            mesh,
            pairs: Vec::new(),
            captions: Vec::new(),
        }
    }
}

/// Pairs of several kinds in one mesh.
pub struct Shown {
    mesh: TriMesh,
    pairs: Vec<FacePair>,
    captions: Vec<String>,
}

impl Shown {
    /// Marks pairs whose triangles are numbered from `first` on.
    pub fn add(&mut self, found: &Findings, first: [u32; 2], caption: String) {
        // No kind may leave others without a place.
        let pairs = found.pairs.iter().take(MOST_PAIRS / 4);
        self.pairs.extend(pairs.map(|pair| FacePair {
            a: pair.a + first[0],
            b: pair.b + first[1],
            ..*pair
        }));
        self.captions.push(caption);
    }

    pub fn evidence(&self) -> Evidence<'_> {
        let caption = format!("at the start, {}", self.captions.join("; "));
        Evidence::of_pairs(&self.mesh, None, &self.pairs, caption)
    }
}

/// What crosses in each body of a model, where it starts.
pub fn of_bodies(model: &Model) -> Result<Vec<Findings>, String> {
    let bodies = model.bodies.iter();
    let found = bodies.map(|body| {
        let mesh = bodies::mesh(std::slice::from_ref(body), 0.0);
        self_intersections(&mesh, MOST_PAIRS).map_err(|e| format!("body `{}`: {e}", body.name))
    });
    found.collect()
}

pub fn mesh_of(model: &Model, positions: &[glam::DVec3]) -> TriMesh {
    TriMesh {
        positions: positions.to_vec(),
        faces: model.mesh.faces.clone(),
    }
}

/// Adds another mesh, whose vertices are numbered after those that are there.
pub fn append(mesh: &mut TriMesh, other: &TriMesh) {
    let first = mesh.positions.len() as u32;
    mesh.positions.extend(&other.positions);
    let faces = other.faces.iter();
    mesh.faces
        .extend(faces.map(|face| face.map(|vertex| vertex + first)));
}
