//! A small character in a GLB file, written number by number, and a motion in a BVH file.

use serde_json::{Value, json};

/// A glTF document and its buffer.
pub struct Document {
    pub json: Value,
    pub bytes: Vec<u8>,
}

impl Document {
    /// Adds numbers as a view.
    pub fn view(&mut self, bytes: &[u8]) -> usize {
        while !self.bytes.len().is_multiple_of(4) {
            self.bytes.push(0);
        }
        let views = self.json["bufferViews"].as_array_mut().unwrap();
        views.push(json!({
            "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len()
        }));
        self.bytes.extend(bytes);
        self.json["bufferViews"].as_array().unwrap().len() - 1
    }

    fn push_accessor(&mut self, accessor: Value) -> usize {
        let accessors = self.json["accessors"].as_array_mut().unwrap();
        accessors.push(accessor);
        accessors.len() - 1
    }

    /// Adds single precision numbers as an accessor.
    pub fn floats(&mut self, kind: &str, width: usize, numbers: &[f32]) -> usize {
        let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
        let view = self.view(&bytes);
        self.push_accessor(json!({
            "bufferView": view, "componentType": 5126, "type": kind, "count": numbers.len() / width
        }))
    }

    /// Adds bytes as an accessor of four numbers a value.
    pub fn bytes4(&mut self, normalized: bool, numbers: &[u8]) -> usize {
        let view = self.view(numbers);
        self.push_accessor(json!({
            "bufferView": view, "componentType": 5121, "normalized": normalized,
            "type": "VEC4", "count": numbers.len() / 4
        }))
    }

    /// Adds vectors of which only some are not zero.
    pub fn sparse(&mut self, count: usize, at: &[u16], vectors: &[[f32; 3]]) -> usize {
        let indices: Vec<u8> = at.iter().flat_map(|n| n.to_le_bytes()).collect();
        let values: Vec<u8> = { vectors.iter().flatten() }
            .flat_map(|n| n.to_le_bytes())
            .collect();
        let (indices, values) = (self.view(&indices), self.view(&values));
        self.push_accessor(json!({
            "componentType": 5126, "type": "VEC3", "count": count,
            "sparse": {
                "count": at.len(),
                "indices": { "bufferView": indices, "componentType": 5123 },
                "values": { "bufferView": values },
            }
        }))
    }

    /// The file.
    pub fn glb(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        json["buffers"] = json!([{ "byteLength": self.bytes.len() }]);
        let mut text = json.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut bytes = self.bytes.clone();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let mut file = b"glTF".to_vec();
        let word = |n: usize| (n as u32).to_le_bytes();
        file.extend(word(2));
        file.extend(word(12 + 8 + text.len() + 8 + bytes.len()));
        file.extend(word(text.len()));
        file.extend(b"JSON");
        file.extend(text);
        file.extend(word(bytes.len()));
        file.extend(b"BIN\0");
        file.extend(bytes);
        file
    }
}

/// An arm of two bones along x, each 2 m long, its shoulder at (0, 1, 0), in a scene of its own scale.
///
/// Nodes: 0 `stand`, 1 `shoulder`, 2 `elbow`, 3 `arm` (the skinned mesh), 4 `hat` (a rigid mesh on the
/// stand), 5 `hand`, 6 `glove` (a mesh with a skin of its own). Clips: `bend` and `wave`.
pub fn arm() -> Document {
    let mut it = Document {
        json: json!({
            "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0, 3, 6] }],
            "nodes": [
                { "name": "stand", "translation": [0, 1, 0], "scale": [2, 2, 2], "children": [1, 4] },
                { "name": "shoulder", "children": [2] },
                { "name": "elbow", "translation": [1, 0, 0], "children": [5] },
                // Where a skinned mesh's own node is means nothing.
                { "name": "arm", "mesh": 0, "skin": 0, "translation": [9, 9, 9], "weights": [0, 0.5] },
                { "name": "hat", "mesh": 1, "translation": [0, 1, 0] },
                { "name": "hand", "translation": [1, 0, 0] },
                { "name": "glove", "mesh": 2, "skin": 1 },
            ],
            "materials": [{ "name": "felt" }],
            "bufferViews": [], "accessors": [],
        }),
        bytes: Vec::new(),
    };
    // Bound where it is at rest. The last vertex is at the elbow and follows both bones.
    let positions = it.floats(
        "VEC3",
        3,
        &[
            0., 1., 0., 0., 2., 0., 1., 1., 0., 4., 1., 0., 4., 2., 0., 2., 1.5, 0.,
        ],
    );
    let joints = it.bytes4(
        false,
        &[
            0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0,
        ],
    );
    let weights = it.bytes4(
        true,
        &[
            255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 51, 0, 0, 0,
        ],
    );
    let more_joints = it.bytes4(false, &[0; 24]);
    let mut more = [0.0; 24];
    more[20] = 0.2;
    let more_weights = it.floats("VEC4", 4, &more);
    let lift = it.sparse(6, &[3], &[[0., 0., 1.]]);
    let widen = it.floats("VEC3", 3, &[[0.0; 15].as_slice(), &[0., 0.2, 0.]].concat());
    // The inverses of where shoulder and elbow are at rest: scaled by 2, at (0, 1, 0) and (2, 1, 0).
    let bind = |x: f32| {
        [
            0.5,
            0.,
            0.,
            0.,
            0.,
            0.5,
            0.,
            0.,
            0.,
            0.,
            0.5,
            0.,
            -0.5 * x,
            -0.5,
            0.,
            1.,
        ]
    };
    let binds = it.floats("MAT4", 16, &[bind(0.0), bind(2.0)].concat());
    let hat = it.floats("VEC3", 3, &[0., 0., 0., 1., 0., 0., 0., 1., 0.]);
    let glove = it.floats("VEC3", 3, &[0., 0., 0., 0.1, 0., 0., 0., 0.1, 0.]);
    let glove_joints = it.bytes4(false, &[0; 12]);
    let glove_weights = it.bytes4(true, &[255, 0, 0, 0, 255, 0, 0, 0, 0, 0, 0, 0]);
    it.json["meshes"] = json!([
        {
            "name": "sleeve", "extras": { "targetNames": ["lift", "widen"] },
            "primitives": [{
                "attributes": {
                    "POSITION": positions, "JOINTS_0": joints, "WEIGHTS_0": weights,
                    "JOINTS_1": more_joints, "WEIGHTS_1": more_weights,
                },
                "indices": it.json["accessors"].as_array().unwrap().len(),
                "targets": [{ "POSITION": lift }, { "POSITION": widen }],
            }]
        },
        { "primitives": [{ "attributes": { "POSITION": hat }, "material": 0 }] },
        { "primitives": [{ "attributes": {
            "POSITION": glove, "JOINTS_0": glove_joints, "WEIGHTS_0": glove_weights } }] },
    ]);
    let indices: Vec<u8> = { [0_u16, 2, 1, 3, 4, 5, 5, 5, 1].iter() }
        .flat_map(|n| n.to_le_bytes())
        .collect();
    let view = it.view(&indices);
    it.push_accessor(json!({
        "bufferView": view, "componentType": 5123, "type": "SCALAR", "count": 9
    }));
    it.json["skins"] = json!([
        { "joints": [1, 2], "inverseBindMatrices": binds },
        { "joints": [5] },
    ]);
    animate(&mut it);
    it
}

/// `bend`: the elbow by a spline from 0 to a right angle about z within 2 s. `wave`: over 1 s, the stand
/// jumps, the hat grows, and the sleeve's weights change.
fn animate(it: &mut Document) {
    let two = it.floats("SCALAR", 1, &[0., 2.]);
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let spline = it.floats(
        "VEC4",
        4,
        &[
            0., 0., 0., 0., 0., 0., 0., 1., 0., 0., 0.5, 0., //
            0., 0., 0.25, 0., 0., 0., half, half, 0., 0., 0., 0.,
        ],
    );
    let one = it.floats("SCALAR", 1, &[0., 1.]);
    let jump = it.floats("VEC3", 3, &[0., 1., 0., 0., 3., 0.]);
    let grow = it.floats("VEC3", 3, &[1., 1., 1., 2., 1., 1.]);
    let weights = it.floats("SCALAR", 1, &[0., 0.5, 1., 0.]);
    it.json["animations"] = json!([
        {
            "name": "bend",
            "samplers": [{ "input": two, "output": spline, "interpolation": "CUBICSPLINE" }],
            "channels": [{ "sampler": 0, "target": { "node": 2, "path": "rotation" } }],
        },
        {
            "name": "wave",
            "samplers": [
                { "input": one, "output": jump, "interpolation": "STEP" },
                { "input": one, "output": grow, "interpolation": "LINEAR" },
                { "input": one, "output": weights },
            ],
            "channels": [
                { "sampler": 0, "target": { "node": 0, "path": "translation" } },
                { "sampler": 1, "target": { "node": 4, "path": "scale" } },
                { "sampler": 2, "target": { "node": 3, "path": "weights" } },
                { "sampler": 0, "target": { "path": "pointer" } },
            ],
        },
    ]);
}

/// An arm that turns about z at the shoulder, then about x, and rises; its hand is at the end.
pub const BVH: &str = "HIERARCHY
ROOT Shoulder
{
	OFFSET 0 0 0
	CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
	JOINT Elbow {
		OFFSET 2 0 0
		CHANNELS 1 Yrotation
		End Site
		{
			OFFSET 1 0 0
		}
	}
}
MOTION
Frames: 3
Frame Time: 0.5
0 0 0  0 0 0  0
0 1 0  90 0 0  0
0 2 0  90 90 0  90
";

/// Two triangles on an arm of two bones, and a helper beside them, in decimetres.
pub const MESH: &str = "v 0 0 0\nv 10 0 0\nv 20 0 0\nv 20 1 0\nv 0 1 0\nv 8 0 0\nv 12 0 0
g body\nf 1 2 5\nf 2 3 4\ng helper\nf 2 6 7\n";

/// MakeHuman's skeleton for it.
pub const SKELETON: &str = r#"{
  "name": "arm",
  "description": "An arm of two bones. What is said here about the skeleton, who made it and what for, is for people, as in the files that MakeHuman comes with.",
  "tags": ["arm", "two bones", "nothing else"],
  "version": 110,
  "bones": {
    "elbow": { "head": "middle", "tail": "end", "parent": "shoulder" },
    "shoulder": { "head": "start", "tail": "middle", "parent": null }
  },
  "joints": { "start": [0], "middle": [5, 6], "end": [2] },
  "weights_file": "arm.mhw"
}"#;

/// Weights for it.
pub const WEIGHTS: &str = r#"{
  "name": "weights of the arm",
  "description": "How much the vertices of an arm follow its two bones: near the middle both.",
  "version": 110,
  "weights": {
  "elbow": [[2, 1.0], [3, 0.5]], "shoulder": [[0, 1], [1, 1], [4, 0.2], [3, 0.5]] } }"#;
