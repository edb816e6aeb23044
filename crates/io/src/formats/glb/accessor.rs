//! Where the numbers of a glTF document stand in its buffers.

use super::document::{Accessor, Glb};
use crate::formats::Error;

/// Where an accessor's numbers stand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbers {
    /// `None` where they are all zero, but for the sparse ones.
    base: Option<Span>,
    sparse: Option<Sparse>,
    pub width: u64,
    pub count: u64,
    component: Component,
}

/// Values one after the other in a buffer.
#[derive(Clone, Copy, Debug)]
struct Span {
    buffer: usize,
    at: u64,
    stride: u64,
}

/// Some values that are not as the base says.
#[derive(Clone, Copy, Debug)]
struct Sparse {
    count: u64,
    indices: Span,
    index: Component,
    values: Span,
}

impl Numbers {
    /// Whether a buffer has any of them.
    pub(crate) fn is_given(&self) -> bool {
        self.base.is_some() || self.sparse.is_some()
    }
}

impl Glb {
    /// The accessor `index`, which must have one of `widths` as the count of numbers a value.
    pub(crate) fn accessor(&self, index: usize, widths: &[u64]) -> Result<Numbers, Error> {
        let field = || format!("accessors[{index}]");
        let Some(accessor) = self.document.accessors.get(index) else {
            return Err(self.wrong(field(), "an accessor", "none"));
        };
        let width = match accessor.kind.as_str() {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            "MAT4" => 16,
            _ => 0,
        };
        let component_type = accessor.component_type;
        let Some(component) = Component::of(component_type, accessor.normalized) else {
            return Err(self.wrong(field(), "a component type", component_type.to_string()));
        };
        if !widths.contains(&width) {
            let expected = format!("{widths:?} numbers a value");
            return Err(self.wrong(field(), expected, &*accessor.kind));
        }
        // Values that stand nowhere cost nothing to ask for.
        if accessor.buffer_view.is_none() && accessor.count > self.length() {
            let expected = "fewer values than the file has bytes";
            return Err(self.wrong(field(), expected, accessor.count.to_string()));
        }
        let size = width * component.size;
        let base = accessor
            .buffer_view
            .map(|view| self.span(&field(), view, accessor.byte_offset, (accessor.count, size)));
        Ok(Numbers {
            base: base.transpose()?,
            sparse: self.sparse(index, accessor, size)?,
            width,
            count: accessor.count,
            component,
        })
    }

    /// What is said of some values apart.
    fn sparse(
        &self,
        index: usize,
        accessor: &Accessor,
        size: u64,
    ) -> Result<Option<Sparse>, Error> {
        let Some(sparse) = &accessor.sparse else {
            return Ok(None);
        };
        let field = format!("accessors[{index}].sparse");
        if sparse.count > accessor.count {
            let expected = format!("at most {} values", accessor.count);
            return Err(self.wrong(field, expected, sparse.count.to_string()));
        }
        let component_type = sparse.indices.component_type;
        let unsigned = matches!(component_type, 5121 | 5123 | 5125);
        let Some(index) = Component::of(component_type, false).filter(|_| unsigned) else {
            return Err(self.wrong(field, "unsigned indices", component_type.to_string()));
        };
        let span = |view, offset, size| self.span(&field, view, offset, (sparse.count, size));
        let indices = &sparse.indices;
        let values = &sparse.values;
        Ok(Some(Sparse {
            count: sparse.count,
            indices: span(indices.buffer_view, indices.byte_offset, index.size)?,
            index,
            values: span(values.buffer_view, values.byte_offset, size)?,
        }))
    }

    /// Where so many values of so many bytes stand, `offset` bytes into a view.
    fn span(
        &self,
        of: &str,
        view_index: usize,
        offset: u64,
        (count, size): (u64, u64),
    ) -> Result<Span, Error> {
        let field = format!("bufferViews[{view_index}]");
        let Some(view) = self.document.buffer_views.get(view_index) else {
            return Err(self.wrong(field, "a view", "none"));
        };
        let Some(buffer_bytes) = self.buffers.length_of(view.buffer) else {
            return Err(self.wrong(field, "a buffer that exists", view.buffer.to_string()));
        };
        let ends = view.byte_offset.checked_add(view.byte_length);
        if ends.is_none_or(|end| end > buffer_bytes) {
            let expected = format!("a view inside {buffer_bytes} bytes");
            return Err(self.wrong(field, expected, "one beyond"));
        }
        let stride = view.byte_stride.unwrap_or(size).max(size);
        let before_last = count.saturating_sub(1).checked_mul(stride);
        let bytes = before_last
            .and_then(|bytes| bytes.checked_add(size))
            .and_then(|bytes| bytes.checked_add(offset));
        if bytes.is_none_or(|bytes| bytes > view.byte_length) {
            let expected = format!("{count} values inside {} bytes", view.byte_length);
            return Err(self.wrong(of, expected, "more"));
        }
        Ok(Span {
            buffer: view.buffer,
            at: view.byte_offset + offset,
            stride,
        })
    }

    /// `count` values from `first` on, one after the other.
    pub(crate) fn read(
        &mut self,
        numbers: Numbers,
        first: u64,
        count: u64,
    ) -> Result<Vec<f64>, Error> {
        let Numbers {
            width, component, ..
        } = numbers;
        let mut values = match numbers.base {
            Some(span) => self.read_span(span, component, width, (first, count))?,
            None => vec![0.0; (count * width) as usize],
        };
        let Some(sparse) = numbers.sparse else {
            return Ok(values);
        };
        let all = (0, sparse.count);
        let indices = self.read_span(sparse.indices, sparse.index, 1, all)?;
        let others = self.read_span(sparse.values, component, width, all)?;
        let width = width as usize;
        for (index, other) in indices.iter().zip(others.chunks_exact(width)) {
            let index = *index as u64;
            if index >= numbers.count {
                let expected = format!("indices below {}", numbers.count);
                return Err(self.wrong("accessors.sparse", expected, index.to_string()));
            }
            if (first..first + count).contains(&index) {
                let at = (index - first) as usize * width;
                values[at..at + width].copy_from_slice(other);
            }
        }
        Ok(values)
    }

    /// Values of a span, from one on and so many.
    fn read_span(
        &mut self,
        span: Span,
        component: Component,
        width: u64,
        (first, count): (u64, u64),
    ) -> Result<Vec<f64>, Error> {
        if count == 0 {
            return Ok(Vec::new());
        }
        let size = width * component.size;
        let bytes = (count - 1) * span.stride + size;
        let at = span.at + first * span.stride;
        let bytes = self.buffers.read(&mut self.file, span.buffer, at, bytes)?;
        let values = bytes.chunks(span.stride as usize);
        let numbers = values.flat_map(|value| {
            let value = &value[..size as usize];
            value.chunks_exact(component.size as usize)
        });
        Ok(numbers.map(component.number).collect())
    }
}

/// A type of number.
#[derive(Clone, Copy, Debug)]
struct Component {
    size: u64,
    number: fn(&[u8]) -> f64,
}

impl Component {
    fn of(component_type: u32, normalized: bool) -> Option<Self> {
        let (size, number): (u64, fn(&[u8]) -> f64) = match (component_type, normalized) {
            (5120, false) => (1, |b| f64::from(b[0] as i8)),
            (5120, true) => (1, |b| (f64::from(b[0] as i8) / 127.0).max(-1.0)),
            (5121, false) => (1, |b| f64::from(b[0])),
            (5121, true) => (1, |b| f64::from(b[0]) / 255.0),
            (5122, false) => (2, |b| f64::from(i16::from_le_bytes([b[0], b[1]]))),
            (5122, true) => (2, |b| {
                (f64::from(i16::from_le_bytes([b[0], b[1]])) / 32767.0).max(-1.0)
            }),
            (5123, false) => (2, |b| f64::from(u16::from_le_bytes([b[0], b[1]]))),
            (5123, true) => (2, |b| f64::from(u16::from_le_bytes([b[0], b[1]])) / 65535.0),
            (5125, _) => (4, |b| {
                f64::from(u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            }),
            (5126, _) => (4, |b| {
                f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            }),
            _ => return None,
        };
        Some(Self { size, number })
    }
}
