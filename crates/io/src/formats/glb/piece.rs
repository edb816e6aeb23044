//! One primitive of a glTF mesh: where its lists stand, and how its morph targets move it.

use super::accessor::Numbers;
use super::document::{Channel, Glb};
use crate::formats::Error;
use glam::{Mat4, Vec3};

/// The mode of a primitive without faces.
const POINTS: u32 = 0;
/// The mode of a primitive with three corners a triangle.
const TRIANGLES: u32 = 4;
/// The mode of a primitive whose corners make a triangle with the two before them.
const STRIP: u32 = 5;
/// The mode of a primitive whose corners make a triangle with the one before and the first.
const FAN: u32 = 6;

/// Lists that are morphed, by their place in a target.
pub(super) const POSITIONS: usize = 0;
/// See [`POSITIONS`].
pub(super) const NORMALS: usize = 1;

/// One primitive of one node.
pub(crate) struct Piece {
    pub transform: Mat4,
    mode: u32,
    pub material: Option<usize>,
    pub positions: Numbers,
    pub normals: Option<Numbers>,
    pub colours: Option<Numbers>,
    pub uvs: Option<Numbers>,
    indices: Option<Numbers>,
    /// Differences of positions and normals, for each target.
    pub targets: Vec<[Option<Numbers>; 2]>,
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
        let mut piece = Self::still(glb, mesh, index)?;
        let targets = piece.targets.len() as u64;
        let own = &glb.document.nodes[node].weights;
        let weights = match own.is_empty() {
            true => &glb.document.meshes[mesh].weights,
            false => own,
        };
        let moving = Weights::moving(glb, node, targets, frames)?;
        piece.weights = moving.unwrap_or_else(|| Weights::Still(weights.clone()));
        Ok(piece)
    }

    /// Primitive `index` of a mesh, unmorphed.
    pub(crate) fn still(glb: &Glb, mesh: usize, index: usize) -> Result<Self, Error> {
        let field = || format!("meshes[{mesh}].primitives[{index}]");
        let mesh = &glb.document.meshes[mesh];
        let primitive = &mesh.primitives[index];
        let mode = primitive.mode.unwrap_or(TRIANGLES);
        if !matches!(mode, POINTS | TRIANGLES | STRIP | FAN) {
            return Err(glb.wrong(field(), "triangles or points", format!("mode {mode}")));
        }
        let points = mode == POINTS;
        let numbers = |accessor: Option<&usize>, widths: &[u64]| {
            accessor
                .map(|index| glb.accessor(*index, widths))
                .transpose()
        };
        let positions = numbers(primitive.attributes.get("POSITION"), &[3])?;
        let Some(positions) = positions.filter(Numbers::is_given) else {
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
        if indices.is_some_and(|indices| !indices.is_given()) {
            return Err(glb.wrong(field(), "indices", "none"));
        }
        Ok(Self {
            transform: Mat4::IDENTITY,
            mode,
            material: primitive.material,
            positions,
            normals: list(primitive.attributes.get("NORMAL"), &[3])?,
            colours: list(primitive.attributes.get("COLOR_0"), &[3, 4])?,
            uvs: list(primitive.attributes.get("TEXCOORD_0"), &[2])?,
            indices,
            targets,
            weights: Weights::Still(Vec::new()),
        })
    }

    /// How many corners its triangles have.
    pub(crate) fn corners(&self) -> u64 {
        let corners = self.indices.map_or(self.positions.count, |list| list.count);
        match self.mode {
            POINTS => 0,
            TRIANGLES => corners,
            _ => corners.saturating_mul(3),
        }
    }

    /// Its triangles, with their fronts outside: a mirrored node turns them over.
    pub(crate) fn triangles(&self, glb: &mut Glb) -> Result<Vec<[u32; 3]>, Error> {
        let count = self.positions.count;
        let corners = match self.indices {
            Some(indices) => glb.read(indices, 0, indices.count)?,
            None => (0..count).map(|v| v as f64).collect(),
        };
        let is_vertex = |v: &f64| *v < count as f64 && v.fract() == 0.0;
        if let Some(wrong) = corners.iter().find(|v| !is_vertex(v)) {
            let expected = format!("indices below {count}");
            return Err(glb.wrong("indices", expected, wrong.to_string()));
        }
        let corners: Vec<u32> = corners.into_iter().map(|v| v as u32).collect();
        let mut triangles: Vec<[u32; 3]> = match self.mode {
            POINTS => Vec::new(),
            TRIANGLES => corners.as_chunks::<3>().0.to_vec(),
            STRIP => { corners.windows(3).enumerate() }
                .map(|(k, v)| match k % 2 {
                    0 => [v[0], v[1], v[2]],
                    _ => [v[0], v[2], v[1]],
                })
                .collect(),
            _ => { corners.windows(2).skip(1) }
                .map(|v| [corners[0], v[0], v[1]])
                .collect(),
        };
        if self.transform.determinant() < 0.0 {
            triangles.iter_mut().for_each(|corners| corners.swap(1, 2));
        }
        Ok(triangles)
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
