//! The words of a USDA file, read without holding more than one of them.

use crate::formats::{Error, Place};
use std::fs::File;
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Longest word, and longest text that is kept.
const MAX_WORD: usize = 1 << 12;

/// A place in the file to come back to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    byte: u64,
    line: u64,
}

/// A file that is read byte by byte.
pub(super) struct Scanner {
    path: PathBuf,
    reader: BufReader<File>,
    at: Mark,
}

impl Scanner {
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        let file = File::open(path).map_err(Error::io(path))?;
        Ok(Self {
            path: path.to_owned(),
            reader: BufReader::with_capacity(1 << 16, file),
            at: Mark { byte: 0, line: 1 },
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Here.
    pub(super) fn mark(&self) -> Mark {
        self.at
    }

    /// Goes on at `mark`.
    pub(super) fn go_to(&mut self, mark: Mark) -> Result<(), Error> {
        { self.reader.seek(SeekFrom::Start(mark.byte)) }.map_err(Error::io(&self.path))?;
        self.at = mark;
        Ok(())
    }

    /// What stands here is wrong.
    pub(super) fn malformed(&self, expected: &str, found: impl Into<String>) -> Error {
        Error::malformed(&self.path, Place::Line(self.at.line), expected, found)
    }

    /// The next byte, which stays.
    pub(super) fn peek(&mut self) -> Result<Option<u8>, Error> {
        let buffer = self.reader.fill_buf().map_err(Error::io(&self.path))?;
        Ok(buffer.first().copied())
    }

    /// The next byte, which is taken.
    fn next(&mut self) -> Result<Option<u8>, Error> {
        let byte = self.peek()?;
        if let Some(byte) = byte {
            self.reader.consume(1);
            self.at.byte += 1;
            self.at.line += u64::from(byte == b'\n');
        }
        Ok(byte)
    }

    /// Passes over spaces on this line.
    pub(super) fn blanks(&mut self) -> Result<(), Error> {
        while matches!(self.peek()?, Some(b' ' | b'\t')) {
            self.next()?;
        }
        Ok(())
    }

    /// Passes over spaces, lines and comments.
    pub(super) fn space(&mut self) -> Result<(), Error> {
        loop {
            match self.peek()? {
                Some(b'#') => while !matches!(self.next()?, None | Some(b'\n')) {},
                Some(byte) if byte.is_ascii_whitespace() || byte == b';' => {
                    self.next()?;
                }
                _ => return Ok(()),
            }
        }
    }

    /// Takes `byte` if it comes next.
    pub(super) fn take(&mut self, byte: u8) -> Result<bool, Error> {
        let there = self.peek()? == Some(byte);
        if there {
            self.next()?;
        }
        Ok(there)
    }

    /// Takes `byte`, which must come next, after any space.
    pub(super) fn expect(&mut self, byte: u8) -> Result<(), Error> {
        self.space()?;
        if self.take(byte)? {
            return Ok(());
        }
        let found = match self.peek()? {
            Some(found) => format!("`{}`", char::from(found).escape_default()),
            None => "the end of the file".to_owned(),
        };
        Err(self.malformed(&format!("`{}`", char::from(byte)), found))
    }

    /// A name, a type or a number: everything up to a space or a sign.
    pub(super) fn word(&mut self) -> Result<String, Error> {
        let mut word = Vec::new();
        while let Some(byte) = self.peek()? {
            if !(byte.is_ascii_alphanumeric() || b"_:.[]+-".contains(&byte) || byte >= 0x80) {
                break;
            }
            // An array begins like a type ends.
            if byte == b'[' && word.is_empty() {
                break;
            }
            if word.len() == MAX_WORD {
                return Err(self.malformed("a word", "one without an end"));
            }
            word.push(byte);
            self.next()?;
        }
        if word.is_empty() {
            let found = match self.peek()? {
                Some(found) => format!("`{}`", char::from(found).escape_default()),
                None => "the end of the file".to_owned(),
            };
            return Err(self.malformed("a word", found));
        }
        String::from_utf8(word).map_err(|_| self.malformed("UTF-8 text", "other bytes"))
    }

    /// A number after any space.
    pub(super) fn number<T: std::str::FromStr>(&mut self) -> Result<T, Error> {
        self.space()?;
        let mut word = [0; 64];
        let mut length = 0;
        while let Some(byte) = self.peek()? {
            if !(byte.is_ascii_alphanumeric() || b".+-".contains(&byte)) || length == word.len() {
                break;
            }
            word[length] = byte;
            length += 1;
            self.next()?;
        }
        let word = std::str::from_utf8(&word[..length]).unwrap_or_default();
        { word.parse() }.map_err(|_| self.malformed("a number", format!("`{word}`")))
    }

    /// A text in quotes, after any space.
    pub(super) fn text(&mut self) -> Result<String, Error> {
        self.space()?;
        let mut text = Vec::new();
        self.quoted(|byte| {
            if text.len() < MAX_WORD {
                text.push(byte);
            }
        })?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// Gives every byte of a text in single or triple quotes to `keep`.
    fn quoted(&mut self, mut keep: impl FnMut(u8)) -> Result<(), Error> {
        let quote = match self.next()? {
            Some(quote @ (b'"' | b'\'')) => quote,
            _ => return Err(self.malformed("a text in quotes", "something else")),
        };
        let mut quotes = 1;
        if self.take(quote)? {
            if !self.take(quote)? {
                return Ok(());
            }
            quotes = 3;
        }
        let mut closing = 0;
        loop {
            match self.next()? {
                None => return Err(self.malformed("the end of a text", "the end of the file")),
                Some(byte) if byte == quote => {
                    closing += 1;
                    if closing == quotes {
                        return Ok(());
                    }
                }
                Some(byte) => {
                    (0..std::mem::take(&mut closing)).for_each(|_| keep(quote));
                    match byte {
                        b'\\' => self.next()?.map_or((), &mut keep),
                        _ => keep(byte),
                    }
                }
            }
        }
    }

    /// Passes over a value of any kind.
    pub(super) fn skip_value(&mut self) -> Result<(), Error> {
        self.space()?;
        let mut depth = 0u64;
        loop {
            match self.peek()? {
                None => return Err(self.malformed("the rest of a value", "the end of the file")),
                Some(b'[' | b'(' | b'{') => {
                    depth += 1;
                    self.next()?;
                }
                Some(b']' | b')' | b'}') if depth > 0 => {
                    depth -= 1;
                    self.next()?;
                }
                Some(b'"' | b'\'') => self.quoted(|_| ())?,
                Some(end @ (b'@' | b'<')) => {
                    let end = if end == b'<' { b'>' } else { b'@' };
                    self.next()?;
                    while !self.take(end)? && self.next()?.is_some() {}
                    // A file may be followed by a path inside it.
                    if end == b'@' && self.peek()? == Some(b'<') {
                        continue;
                    }
                }
                Some(b'#') => self.space()?,
                Some(_) if depth > 0 => self.numbers()?,
                Some(_) => drop(self.word()?),
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// Passes over numbers and what stands between them, many bytes at a time.
    fn numbers(&mut self) -> Result<(), Error> {
        let buffer = self.reader.fill_buf().map_err(Error::io(&self.path))?;
        let stops = |byte: &u8| b"[](){}\"'@<#\n".contains(byte);
        let length = buffer.iter().position(stops).unwrap_or(buffer.len());
        if length == 0 {
            return self.next().map(drop);
        }
        self.reader.consume(length);
        self.at.byte += length as u64;
        Ok(())
    }

    /// An array of tuples of `N` numbers, or of plain numbers for 1.
    pub(super) fn array<const N: usize, T>(&mut self) -> Result<Vec<[T; N]>, Error>
    where
        T: std::str::FromStr + Copy + Default,
    {
        self.expect(b'[')?;
        let mut array = Vec::new();
        loop {
            self.space()?;
            if self.take(b']')? {
                return Ok(array);
            }
            let mut tuple = [T::default(); N];
            if N > 1 {
                self.expect(b'(')?;
            }
            for (i, number) in tuple.iter_mut().enumerate() {
                if i > 0 {
                    self.expect(b',')?;
                }
                *number = self.number()?;
            }
            if N > 1 {
                self.expect(b')')?;
            }
            array.push(tuple);
            self.space()?;
            if !self.take(b',')? && self.peek()? != Some(b']') {
                return Err(self.malformed("`,` or `]`", "something else"));
            }
        }
    }
}
