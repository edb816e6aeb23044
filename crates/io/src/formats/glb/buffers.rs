//! Where the numbers of a glTF document are: in the file, in files beside it, or in the document.

use super::document::BufferEntry;
use crate::formats::binary::Binary;
use crate::formats::{Error, Place};
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

/// All buffers of a document.
pub(super) struct Buffers(Vec<Buffer>);

enum Buffer {
    /// Bytes of the file itself.
    Own(Range<u64>),
    /// A file beside it.
    Beside(Binary),
    /// Bytes of the document.
    Inline(Vec<u8>),
}

impl Buffers {
    /// The buffers of the file at `path`; `own` is what a binary file brings along.
    pub(super) fn find(
        path: &Path,
        entries: &[BufferEntry],
        own: Option<Range<u64>>,
    ) -> Result<Self, Error> {
        let mut buffers = Vec::with_capacity(entries.len());
        // The first buffer of a binary file is its own, even where the document does not say so.
        if let Some(own) = own.filter(|_| entries.first().is_none_or(|e| e.uri.is_none())) {
            buffers.push(Buffer::Own(own));
        }
        for (index, entry) in entries.iter().enumerate().skip(buffers.len()) {
            let wrong = |expected: &str, found: &str| {
                let place = Place::Field(format!("buffers[{index}].uri"));
                let found: String = found.chars().take(60).collect();
                Error::malformed(path, place, expected, format!("`{found}`"))
            };
            let uri = entry.uri.as_deref().unwrap_or_default();
            let buffer = if let Some(data) = uri.strip_prefix("data:") {
                let text = data.split_once(";base64,").map(|(_, text)| text);
                let bytes = text.and_then(|text| decode_base64(text.as_bytes()));
                Buffer::Inline(bytes.ok_or_else(|| wrong("base64 data", uri))?)
            } else {
                let beside = file_beside(path, uri);
                let expected = "a file in the document's folder or below, or data";
                Buffer::Beside(Binary::open(&beside.ok_or_else(|| wrong(expected, uri))?)?)
            };
            if buffer.length() < entry.byte_length {
                let expected = format!("{} bytes", entry.byte_length);
                let place = Place::Field(format!("buffers[{index}]"));
                let found = format!("{} bytes", buffer.length());
                return Err(Error::malformed(path, place, expected, found));
            }
            buffers.push(buffer);
        }
        Ok(Self(buffers))
    }

    /// Bytes of all.
    pub(super) fn length(&self) -> u64 {
        let lengths = self.0.iter().map(Buffer::length);
        lengths.fold(0, u64::saturating_add)
    }

    /// Bytes of one, if there is one.
    pub(super) fn length_of(&self, buffer: usize) -> Option<u64> {
        self.0.get(buffer).map(Buffer::length)
    }

    /// Bytes of one, which has them.
    pub(super) fn read(
        &mut self,
        file: &mut Binary,
        buffer: usize,
        at: u64,
        bytes: u64,
    ) -> Result<Vec<u8>, Error> {
        match &mut self.0[buffer] {
            Buffer::Own(own) => file.read(own.start + at, bytes, "numbers"),
            Buffer::Beside(beside) => beside.read(at, bytes, "numbers"),
            Buffer::Inline(data) => Ok(data[at as usize..(at + bytes) as usize].to_vec()),
        }
    }
}

impl Buffer {
    fn length(&self) -> u64 {
        match self {
            Self::Own(own) => own.end - own.start,
            Self::Beside(file) => file.length(),
            Self::Inline(data) => data.len() as u64,
        }
    }
}

/// The file a relative address means. A document has no business above its own folder.
fn file_beside(path: &Path, uri: &str) -> Option<PathBuf> {
    let relative = PathBuf::from(decode_percent(uri)?);
    let is_below = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    let is_name = !uri.is_empty() && !uri.contains(':') && relative.components().all(is_below);
    is_name.then(|| path.with_file_name("").join(relative))
}

/// Text in which `%20` stands for a space, and so on.
fn decode_percent(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        bytes.push(match (first, after) {
            (b'%', [high, low, after @ ..]) => {
                rest = after;
                let digit = |byte: &u8| char::from(*byte).to_digit(16);
                (16 * digit(high)? + digit(low)?) as u8
            }
            _ => *first,
        });
    }
    String::from_utf8(bytes).ok()
}

/// Three bytes for four letters; `=` fills up the end.
fn decode_base64(text: &[u8]) -> Option<Vec<u8>> {
    let end = text.iter().rposition(|letter| *letter != b'=')?;
    let text = &text[..=end];
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 2);
    for letters in text.chunks(4) {
        let mut bits = 0_u32;
        for &letter in letters {
            let six = match letter {
                b'A'..=b'Z' => letter - b'A',
                b'a'..=b'z' => letter - b'a' + 26,
                b'0'..=b'9' => letter - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                _ => return None,
            };
            bits = bits << 6 | u32::from(six);
        }
        bits <<= 6 * (4 - letters.len());
        let whole = match letters.len() {
            1 => return None,
            letters => letters - 1,
        };
        bytes.extend(&bits.to_be_bytes()[1..=whole]);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_decoded() {
        for (text, expected) in [
            ("TWFu", Some(&b"Man"[..])),
            ("TWE=", Some(b"Ma")),
            ("TQ==", Some(b"M")),
            ("/+8A", Some(&[0xff, 0xef, 0])),
            ("TWFuT", None),
            ("TW?u", None),
        ] {
            assert_eq!(
                decode_base64(text.as_bytes()).as_deref(),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn addresses_lead_below_the_folder() {
        let at = Path::new("/models/dress.gltf");
        let file = |uri| file_beside(at, uri);
        assert_eq!(file("a%20b.bin"), Some("/models/a b.bin".into()));
        assert_eq!(file("./bin/a.bin"), Some("/models/./bin/a.bin".into()));
        for outside in [
            "",
            "/etc/passwd",
            "../a.bin",
            "b/../../a",
            "http://x/a",
            "%2e%2e/a",
        ] {
            assert_eq!(file(outside), None, "{outside}");
        }
        let plain = file_beside(Path::new("dress.gltf"), "a.bin");
        assert_eq!(plain, Some("a.bin".into()));
    }
}
