//! The numbers of a PLY file.

use super::header::{self, Element, Encoding, PlyHeader, Property, Scalar};
use crate::formats::{Error, Place};
use std::path::Path;

/// What follows the header, read from its start to its end.
pub(crate) struct Body<'a> {
    path: &'a Path,
    bytes: &'a [u8],
    at: usize,
    line: u64,
    encoding: Encoding,
}

impl<'a> Body<'a> {
    /// Reads the header of a file and stands behind it.
    pub(crate) fn open(path: &'a Path, bytes: &'a [u8]) -> Result<(Self, PlyHeader), Error> {
        let header = header::parse(path, bytes)?;
        let body = Self {
            path,
            bytes,
            at: header.length,
            line: header.lines + 1,
            encoding: header.encoding,
        };
        Ok((body, header))
    }

    /// What stands here is wrong.
    pub(crate) fn malformed(&self, expected: impl Into<String>, found: impl Into<String>) -> Error {
        let place = match self.encoding {
            Encoding::Ascii => Place::Line(self.line),
            Encoding::LittleEndian | Encoding::BigEndian => Place::Byte(self.at as u64),
        };
        Error::malformed(self.path, place, expected, found)
    }

    /// Fewest bytes one number takes.
    fn least(&self, scalar: Scalar) -> u64 {
        match self.encoding {
            // A digit and a space.
            Encoding::Ascii => 2,
            Encoding::LittleEndian | Encoding::BigEndian => scalar.size() as u64,
        }
    }

    /// The file must be able to hold as many numbers as are announced.
    fn require_bytes(&self, bytes: Option<u64>, what: &str) -> Result<(), Error> {
        // The last word of a text needs no space behind it.
        let left = (self.bytes.len() - self.at) as u64 + 1;
        match bytes {
            Some(bytes) if bytes <= left => Ok(()),
            _ => Err(self.malformed(what, format!("{} bytes to the end of the file", left - 1))),
        }
    }

    /// The file must be able to hold an element.
    pub(crate) fn require(&self, element: &Element) -> Result<(), Error> {
        let row = element.properties.iter();
        let row: u64 = { row }
            .map(|p| self.least(p.count.unwrap_or(p.scalar)))
            .sum();
        let (count, name) = (element.count, &element.name);
        // Rows of nothing would take no bytes, however many there are.
        self.require_bytes(
            count.checked_mul(row.max(1)),
            &format!("{count} of `{name}`"),
        )
    }

    /// The next number.
    pub(super) fn number(&mut self, scalar: Scalar) -> Result<f64, Error> {
        match self.encoding {
            Encoding::Ascii => self.word(),
            Encoding::LittleEndian | Encoding::BigEndian => self.binary(scalar),
        }
    }

    fn binary(&mut self, scalar: Scalar) -> Result<f64, Error> {
        let end = self.at + scalar.size();
        let Some(bytes) = self.bytes.get(self.at..end) else {
            return Err(self.malformed("a number", "the end of the file"));
        };
        self.at = end;
        let mut padded = [0; 8];
        padded[..bytes.len()].copy_from_slice(bytes);
        if self.encoding == Encoding::BigEndian {
            padded[..bytes.len()].reverse();
        }
        let bits = u64::from_le_bytes(padded);
        Ok(match scalar {
            Scalar::I8 => f64::from(bits as i8),
            Scalar::U8 => f64::from(bits as u8),
            Scalar::I16 => f64::from(bits as i16),
            Scalar::U16 => f64::from(bits as u16),
            Scalar::I32 => f64::from(bits as i32),
            Scalar::U32 => f64::from(bits as u32),
            Scalar::F32 => f64::from(f32::from_bits(bits as u32)),
            Scalar::F64 => f64::from_bits(bits),
        })
    }

    fn word(&mut self) -> Result<f64, Error> {
        while let Some(byte) = self.bytes.get(self.at).filter(|b| b.is_ascii_whitespace()) {
            self.line += u64::from(*byte == b'\n');
            self.at += 1;
        }
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(u8::is_ascii_whitespace);
        let word = &rest[..length.unwrap_or(rest.len())];
        let number = std::str::from_utf8(word).ok().and_then(|w| w.parse().ok());
        let number = number.ok_or_else(|| {
            let found = String::from_utf8_lossy(&word[..word.len().min(40)]);
            self.malformed("a number", format!("`{found}`"))
        })?;
        self.at += word.len();
        Ok(number)
    }

    /// The length of a list, whose numbers must still be there.
    fn list(&mut self, count: Scalar, scalar: Scalar) -> Result<u64, Error> {
        let found = self.number(count)?;
        let length = found as u64;
        if length as f64 != found {
            return Err(self.malformed("the length of a list", found.to_string()));
        }
        let bytes = length.checked_mul(self.least(scalar));
        self.require_bytes(bytes, &format!("a list of {length}"))?;
        Ok(length)
    }

    /// The numbers of a property, one of them or a list.
    pub(crate) fn numbers(&mut self, property: &Property) -> Result<Vec<f64>, Error> {
        let count = match property.count {
            Some(count) => self.list(count, property.scalar)?,
            None => 1,
        };
        (0..count).map(|_| self.number(property.scalar)).collect()
    }

    /// The corners of a face.
    pub(crate) fn corners(
        &mut self,
        property: &Property,
        corners: &mut Vec<u32>,
    ) -> Result<(), Error> {
        corners.clear();
        for corner in self.numbers(property)? {
            let whole = corner as u32;
            if f64::from(whole) != corner {
                return Err(self.malformed("the index of a vertex", corner.to_string()));
            }
            corners.push(whole);
        }
        Ok(())
    }

    /// Passes over a property.
    pub(crate) fn skip_property(&mut self, property: &Property) -> Result<(), Error> {
        let count = match property.count {
            Some(count) => self.list(count, property.scalar)?,
            None => 1,
        };
        (0..count).try_for_each(|_| self.number(property.scalar).map(drop))
    }

    /// Passes over an element.
    pub(crate) fn skip(&mut self, element: &Element) -> Result<(), Error> {
        if element.properties.is_empty() {
            return Ok(());
        }
        for _ in 0..element.count {
            for property in &element.properties {
                self.skip_property(property)?;
            }
        }
        Ok(())
    }
}
