//! The header of a PLY file: what elements follow, and what each of them holds.

use crate::formats::{Error, Place};
use std::path::Path;

/// How numbers are put down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Words of text.
    Ascii,
    /// Bytes, the lowest first.
    LittleEndian,
    /// Bytes, the highest first.
    BigEndian,
}

/// A type of number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "char" | "int8" => Self::I8,
            "uchar" | "uint8" => Self::U8,
            "short" | "int16" => Self::I16,
            "ushort" | "uint16" => Self::U16,
            "int" | "int32" => Self::I32,
            "uint" | "uint32" => Self::U32,
            "float" | "float32" => Self::F32,
            "double" | "float64" => Self::F64,
            _ => return None,
        })
    }

    /// Size in bytes.
    pub(super) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }
}

/// What an element holds under one name.
#[derive(Clone, Debug)]
pub(crate) struct Property {
    pub name: String,
    /// Type of the count, for a list.
    pub count: Option<Scalar>,
    pub scalar: Scalar,
}

impl Property {
    /// Whether these are the corners of a face.
    pub(crate) fn is_corners(&self) -> bool {
        self.count.is_some() && matches!(&*self.name, "vertex_indices" | "vertex_index")
    }
}

/// A list of things of one kind.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    pub name: String,
    pub count: u64,
    pub properties: Vec<Property>,
}

/// All the header says.
#[derive(Clone, Debug)]
pub(crate) struct PlyHeader {
    pub encoding: Encoding,
    pub elements: Vec<Element>,
    pub comments: Vec<String>,
    /// Bytes of the header.
    pub length: usize,
    /// Lines of the header.
    pub lines: u64,
}

/// Longest line of a header: those of other files have no line breaks.
const MAX_LINE: usize = 1 << 16;

/// Reads the header at the start of `bytes`.
pub(super) fn parse(path: &Path, bytes: &[u8]) -> Result<PlyHeader, Error> {
    let mut header = PlyHeader {
        encoding: Encoding::Ascii,
        elements: Vec::new(),
        comments: Vec::new(),
        length: 0,
        lines: 0,
    };
    let mut format_known = false;
    loop {
        let rest = &bytes[header.length..];
        header.lines += 1;
        let line_number = header.lines;
        let fail = move |expected: &str, found: &str| {
            Err(Error::malformed(
                path,
                Place::Line(line_number),
                expected,
                found,
            ))
        };
        let end = rest.iter().take(MAX_LINE).position(|b| *b == b'\n');
        let Some(end) = end else {
            return fail(
                "a PLY header that ends with `end_header`",
                "the end of the file",
            );
        };
        header.length += end + 1;
        let Ok(line) = std::str::from_utf8(&rest[..end]) else {
            return fail("text", "other bytes");
        };
        let line = line.trim();
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        match (line_number, words.as_slice()) {
            (1, ["ply"]) => {}
            (1, _) => return fail("`ply`", "another kind of file"),
            (_, ["format", encoding, "1.0"]) => {
                header.encoding = match *encoding {
                    "ascii" => Encoding::Ascii,
                    "binary_little_endian" => Encoding::LittleEndian,
                    "binary_big_endian" => Encoding::BigEndian,
                    other => return fail("`ascii` or `binary_…_endian`", &quoted(other)),
                };
                format_known = true;
            }
            (_, ["comment" | "obj_info", ..]) => {
                let text = line
                    .split_once(char::is_whitespace)
                    .map_or("", |(_, text)| text);
                header.comments.push(text.to_owned());
            }
            (_, ["element", name, count]) => {
                let Ok(count) = count.parse() else {
                    return fail("a count", &quoted(count));
                };
                header.elements.push(Element {
                    name: (*name).to_owned(),
                    count,
                    properties: Vec::new(),
                });
            }
            (_, ["property", kind @ .., name]) => {
                let Some(element) = header.elements.last_mut() else {
                    return fail("an element before its properties", "none");
                };
                let (count, scalar) = match kind {
                    [scalar] => (None, Scalar::named(scalar)),
                    ["list", count, scalar] => (Scalar::named(count), Scalar::named(scalar)),
                    _ => return fail("a type and a name", &quoted(line)),
                };
                let (Some(scalar), true) = (scalar, count.is_some() == (kind.len() == 3)) else {
                    return fail("a type such as `float`", &quoted(line));
                };
                element.properties.push(Property {
                    name: (*name).to_owned(),
                    count,
                    scalar,
                });
            }
            (_, ["end_header"]) if format_known => return Ok(header),
            (_, ["end_header"]) => return fail("a line `format … 1.0` before the end", "none"),
            _ => return fail("a line of a PLY header", &quoted(line)),
        }
    }
}

/// `text` for a message, cut if it is long.
fn quoted(text: &str) -> String {
    let short: String = text.chars().take(40).collect();
    format!("`{short}`")
}
