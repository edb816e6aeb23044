//! Headers of NPY files, NumPy's arrays: type, order and shape in front of the numbers.

const MAGIC: &[u8] = b"\x93NUMPY";

/// The header of an NPY file, version 1.0: padded so that the numbers start at a multiple of 64.
pub(crate) fn header(kind: &str, shape: &[usize]) -> Vec<u8> {
    let sizes: String = shape.iter().map(|n| format!("{n}, ")).collect();
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({sizes}), }}");
    let unpadded = MAGIC.len() + 4 + text.len() + 1;
    text.extend(std::iter::repeat_n(
        ' ',
        unpadded.next_multiple_of(64) - unpadded,
    ));
    text.push('\n');
    let mut bytes = MAGIC.to_vec();
    bytes.extend([1, 0]);
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes
}

/// What a header says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Array {
    /// Type of the numbers, as NumPy writes it: `<f4`.
    pub kind: String,
    /// Length along each axis, the last one varying fastest.
    pub shape: Vec<u64>,
    /// Bytes before the numbers.
    pub data: u64,
}

/// Longest header: a type and a few lengths.
pub(crate) const MAX_HEADER: u64 = 4096;

/// Reads the header at the start of `bytes`, or says what was expected instead.
pub(crate) fn parse(bytes: &[u8]) -> Result<Array, &'static str> {
    let rest = bytes.strip_prefix(MAGIC).ok_or("an NPY array")?;
    let (length, rest) = match rest {
        [1, _, a, b, rest @ ..] => (u32::from(u16::from_le_bytes([*a, *b])), rest),
        [2 | 3, _, a, b, c, d, rest @ ..] => (u32::from_le_bytes([*a, *b, *c, *d]), rest),
        _ => return Err("an NPY array of version 1 to 3"),
    };
    let start = bytes.len() - rest.len();
    let text = rest.get(..length as usize).ok_or("a whole NPY header")?;
    let text = std::str::from_utf8(text).map_err(|_| "an NPY header of text")?;
    let after = |key: &str| {
        let (_, rest) = text.split_once(key)?;
        let (_, value) = rest.split_once(':')?;
        Some(value.trim_start())
    };
    let kind = after("'descr'").and_then(|value| value.strip_prefix('\''));
    let (kind, _) = kind
        .and_then(|value| value.split_once('\''))
        .ok_or("an NPY header with a plain type")?;
    if !after("'fortran_order'").is_some_and(|value| value.starts_with("False")) {
        return Err("an array in C order");
    }
    let shape = after("'shape'").and_then(|value| value.strip_prefix('('));
    let (shape, _) = shape
        .and_then(|value| value.split_once(')'))
        .ok_or("an NPY header with a shape")?;
    let lengths = shape.split(',').map(str::trim).filter(|n| !n.is_empty());
    let shape: Result<Vec<u64>, _> = lengths.map(str::parse).collect();
    Ok(Array {
        kind: kind.to_owned(),
        shape: shape.map_err(|_| "an NPY header with whole lengths")?,
        data: start as u64 + u64::from(length),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_read_back() {
        for shape in [&[][..], &[7], &[240, 10_000, 3]] {
            let bytes = header("<f4", shape);
            assert_eq!(bytes.len() % 64, 0);
            let array = parse(&bytes).unwrap();
            assert_eq!(array.kind, "<f4");
            assert_eq!(array.data, bytes.len() as u64);
            let lengths: Vec<usize> = array.shape.iter().map(|n| *n as usize).collect();
            assert_eq!(lengths, shape);
        }
        let columns =
            b"\x93NUMPY\x01\x00\x3a\x00{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), } ";
        assert_eq!(parse(columns), Err("an array in C order"));
    }
}
