//! Numbers of a glTF document on their way into its buffer.

use glam::Vec3;
use serde_json::{Value, json};

const UNSIGNED_SHORT: u32 = 5123;
const UNSIGNED_INT: u32 = 5125;
const FLOAT: u32 = 5126;
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;

/// A buffer and what is in it; every list starts at a multiple of four bytes.
#[derive(Default)]
pub(super) struct Buffer {
    pub bytes: Vec<u8>,
    pub views: Vec<Value>,
    pub accessors: Vec<Value>,
}

impl Buffer {
    /// Adds a list of bytes; returns its accessor.
    fn add(&mut self, bytes: &[u8], target: Option<u32>, mut accessor: Value) -> usize {
        let mut view = json!({
            "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len(),
        });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.bytes.extend_from_slice(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        accessor["bufferView"] = json!(self.views.len());
        self.views.push(view);
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// Adds numbers, `width` of them a value.
    pub fn floats(&mut self, kind: &str, width: usize, numbers: &[f32]) -> usize {
        let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
        let count = numbers.len() / width;
        let accessor = json!({"componentType": FLOAT, "type": kind, "count": count});
        self.add(&bytes, None, accessor)
    }

    /// Adds ascending times, s.
    pub fn times(&mut self, times_s: &[f32]) -> usize {
        let accessor = self.floats("SCALAR", 1, times_s);
        let end = |time: Option<&f32>| json!([f64::from(*time.unwrap_or(&0.0))]);
        self.accessors[accessor]["min"] = end(times_s.first());
        self.accessors[accessor]["max"] = end(times_s.last());
        accessor
    }

    /// Adds a vector a vertex; positions must say how far they reach.
    pub fn vertices(&mut self, vectors: &[Vec3], bounded: bool) -> usize {
        let numbers = vectors.iter().flat_map(Vec3::to_array);
        let bytes: Vec<u8> = numbers.flat_map(f32::to_le_bytes).collect();
        let mut accessor = json!({"componentType": FLOAT, "type": "VEC3", "count": vectors.len()});
        if bounded {
            let low = vectors
                .iter()
                .copied()
                .reduce(Vec3::min)
                .unwrap_or_default();
            let high = vectors
                .iter()
                .copied()
                .reduce(Vec3::max)
                .unwrap_or_default();
            let values = |v: Vec3| json!(v.to_array().map(f64::from));
            accessor["min"] = values(low);
            accessor["max"] = values(high);
        }
        self.add(&bytes, Some(ARRAY_BUFFER), accessor)
    }

    /// Adds four numbers a vertex.
    pub fn floats4(&mut self, numbers: &[f32]) -> usize {
        let accessor = self.floats("VEC4", 4, numbers);
        let view = self.views.len() - 1;
        self.views[view]["target"] = json!(ARRAY_BUFFER);
        accessor
    }

    /// Adds four small numbers a vertex.
    pub fn shorts4(&mut self, numbers: &[u16]) -> usize {
        let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
        let count = numbers.len() / 4;
        let accessor = json!({"componentType": UNSIGNED_SHORT, "type": "VEC4", "count": count});
        self.add(&bytes, Some(ARRAY_BUFFER), accessor)
    }

    /// Adds corners of triangles.
    pub fn indices(&mut self, corners: &[u32]) -> usize {
        let bytes: Vec<u8> = corners.iter().flat_map(|n| n.to_le_bytes()).collect();
        let count = corners.len();
        let accessor = json!({"componentType": UNSIGNED_INT, "type": "SCALAR", "count": count});
        self.add(&bytes, Some(ELEMENT_ARRAY_BUFFER), accessor)
    }
}
