//! One primitive of a glTF mesh: where its lists stand, and how its morph targets move it.

use super::document::{Channel, Glb, Numbers};
use crate::formats::Error;
use glam::{Mat4, Vec3};

/// The mode of a primitive without faces.
const POINTS: u32 = 0;

/// Lists that are morphed, by their place in a target.
pub(super) const POSITIONS: usize = 0;
/// See [`POSITIONS`].
pub(super) const NORMALS: usize = 1;

/// One primitive of one node.
pub(super) struct Piece {
    pub transform: Mat4,
    pub positions: Numbers,
    pub normals: Option<Numbers>,
    pub colours: Option<Numbers>,
    pub uvs: Option<Numbers>,
    pub indices: Option<Numbers>,
    /// Differences of positions and normals, for each target.
    targets: Vec<[Option<Numbers>; 2]>,
    weights: Weights,
}

/// How much of each target is added.
enum Weights {
    Still(Vec<f32>),
    /// Rows of weights, of which every `step`th from `first` on is a key.
    Moving {
        rows: Numbers,
        first: u64,
        step: u64,
    },
}

impl Piece {
    /// Primitive `index` of the mesh of `node`, which moves in so many frames.
    pub(super) fn find(
        glb: &Glb,
        node: usize,
        mesh: usize,
        index: usize,
        frames: u64,
    ) -> Result<Self, Error> {
        let field = || format!("meshes[{mesh}].primitives[{index}]");
        let mesh = &glb.document.meshes[mesh];
        let primitive = &mesh.primitives[index];
        if !matches!(primitive.mode, None | Some(POINTS | 4)) {
            let found = format!("mode {}", primitive.mode.unwrap_or(4));
            return Err(glb.wrong(field(), "triangles or points", found));
        }
        let points = primitive.mode == Some(POINTS);
        if !points && primitive.indices.is_none() {
            return Err(glb.wrong(field(), "triangles with indices", "some without"));
        }
        let numbers = |accessor: Option<&usize>, widths: &[u64]| {
            accessor
                .map(|index| glb.accessor(*index, widths))
                .transpose()
        };
        let positions = numbers(primitive.attributes.get("POSITION"), &[3])?;
        let Some(positions) = positions.filter(|positions| positions.at.is_some()) else {
            return Err(glb.wrong(field(), "positions", "none"));
        };
        let list = |accessor: Option<&usize>, widths: &[u64]| match numbers(accessor, widths)? {
            Some(list) if list.count != positions.count => {
                let expected = format!("{} values, one a vertex", positions.count);
                Err(glb.wrong(field(), expected, list.count.to_string()))
            }
            list => Ok(list),
        };
        let mut targets = Vec::with_capacity(primitive.targets.len());
        for target in &primitive.targets {
            let of = |name| list(target.get(name), &[3]);
            targets.push([of("POSITION")?, of("NORMAL")?]);
        }
        let indices = numbers(primitive.indices.as_ref().filter(|_| !points), &[1])?;
        if indices.is_some_and(|indices| indices.at.is_none()) {
            return Err(glb.wrong(field(), "indices", "none"));
        }
        let own = &glb.document.nodes[node].weights;
        let still = if own.is_empty() { &mesh.weights } else { own };
        let moving = Weights::moving(glb, node, targets.len() as u64, frames)?;
        Ok(Self {
            transform: Mat4::IDENTITY,
            positions,
            normals: list(primitive.attributes.get("NORMAL"), &[3])?,
            colours: list(primitive.attributes.get("COLOR_0"), &[3, 4])?,
            uvs: list(primitive.attributes.get("TEXCOORD_0"), &[2])?,
            indices,
            targets,
            weights: moving.unwrap_or_else(|| Weights::Still(still.clone())),
        })
    }

    /// Positions or normals in frame `k`, in the node's own space.
    pub(super) fn morphed(&self, glb: &mut Glb, k: u64, list: usize) -> Result<Vec<Vec3>, Error> {
        let base = match list {
            NORMALS => self.normals,
            _ => Some(self.positions),
        };
        let Some(base) = base else {
            return Ok(Vec::new());
        };
        let mut vectors = vectors(glb, base)?;
        let weights = self.weights.at(glb, k, self.targets.len() as u64)?;
        for (target, weight) in self.targets.iter().zip(weights) {
            let Some(difference) = target[list].filter(|_| weight != 0.0) else {
                continue;
            };
            let difference = self::vectors(glb, difference)?;
            for (v, d) in vectors.iter_mut().zip(difference) {
                *v += d * weight;
            }
        }
        Ok(vectors)
    }
}

impl Weights {
    /// The table of weights that moves a node.
    fn moving(glb: &Glb, node: usize, targets: u64, frames: u64) -> Result<Option<Self>, Error> {
        let Some(animation) = glb.document.animations.first() else {
            return Ok(None);
        };
        let moves = |c: &&Channel| c.target.path == "weights" && c.target.node == Some(node);
        let Some(channel) = animation.channels.iter().find(moves) else {
            return Ok(None);
        };
        let field = format!("animations[0].samplers[{}]", channel.sampler);
        let Some(sampler) = animation.samplers.get(channel.sampler) else {
            return Err(glb.wrong(field, "a sampler", "none"));
        };
        let times = glb.accessor(sampler.input, &[1])?;
        let rows = glb.accessor(sampler.output, &[1])?;
        // Splines have a tangent before each key and one behind it.
        let spline = sampler.interpolation.as_deref() == Some("CUBICSPLINE");
        let (first, step) = if spline { (1, 3) } else { (0, 1) };
        let expected = frames
            .checked_mul(targets)
            .and_then(|n| n.checked_mul(step));
        if times.count != frames || Some(rows.count) != expected {
            let expected = format!("{frames} times and weights of {targets} targets");
            let found = format!("{} times and {} weights", times.count, rows.count);
            return Err(glb.wrong(field, expected, found));
        }
        Ok(Some(Self::Moving { rows, first, step }))
    }

    /// The weight of each target in frame `k`.
    fn at(&self, glb: &mut Glb, k: u64, targets: u64) -> Result<Vec<f32>, Error> {
        match self {
            Self::Still(weights) => Ok(weights.clone()),
            Self::Moving { rows, first, step } => {
                let row = glb.read(*rows, (k * step + first) * targets, targets)?;
                Ok(row.into_iter().map(|weight| weight as f32).collect())
            }
        }
    }
}

/// All vectors of a list, the first three numbers of each.
pub(super) fn vectors(glb: &mut Glb, list: Numbers) -> Result<Vec<Vec3>, Error> {
    let values = glb.read(list, 0, list.count)?;
    let vector = |v: &[f64]| Vec3::new(v[0] as f32, v[1] as f32, v[2] as f32);
    Ok(values
        .chunks_exact(list.width as usize)
        .map(vector)
        .collect())
}
