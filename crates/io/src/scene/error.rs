//! The one error a bad scene gives: what, where, and the source line.

use super::key;
use annotate_snippets::{AnnotationKind, Level, Origin, Renderer, Snippet};
use std::fmt;
use std::ops::Range;

/// What is wrong with a value, before it is known where that value was written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fault {
    /// Path of the value.
    pub key: key::Path,
    /// What was found and what was expected.
    pub message: String,
    /// A way out, where one is known.
    pub help: Option<String>,
    /// Whether the key itself is at fault, rather than its value.
    pub on_key: bool,
}

impl Fault {
    pub fn new(key: key::Path, message: impl Into<String>) -> Self {
        Self {
            key,
            message: message.into(),
            help: None,
            on_key: false,
        }
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Why a scene was refused. Its `Display` is the whole message with the source line, ready to
/// be printed after `error: `.
#[derive(Clone, Debug, PartialEq)]
pub struct Error(Box<Parts>);

#[derive(Clone, Debug, PartialEq)]
struct Parts {
    origin: String,
    line: Option<usize>,
    column: Option<usize>,
    key: Option<String>,
    message: String,
    rendered: String,
}

impl Error {
    /// An error of the file as a whole.
    pub(super) fn of_file(origin: &str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self(Box::new(Parts {
            rendered: format!("{origin}: {message}"),
            origin: origin.to_owned(),
            line: None,
            column: None,
            key: None,
            message,
        }))
    }

    /// An error in a `--set` argument.
    pub(super) fn of_argument(argument: &str, fault: &Fault) -> Self {
        let origin = format!("--set {argument}");
        let place = Origin::path(origin.as_str());
        let group = Level::ERROR
            .no_name()
            .primary_title(title(fault))
            .element(place);
        let help = fault.help.as_deref().map(|h| Level::HELP.message(h));
        let rendered = Renderer::plain().render(&[group.elements(help)]);
        Self(Box::new(Parts {
            rendered,
            line: None,
            column: None,
            key: Some(fault.key.to_string()),
            message: fault.message.clone(),
            origin,
        }))
    }

    /// An error at a span of the file's text.
    pub(super) fn of_span(origin: &str, text: &str, span: Range<usize>, fault: &Fault) -> Self {
        let span = within_one_line(text, span);
        let (line, column) = position(text, span.start);
        let group = Level::ERROR.no_name().primary_title(title(fault));
        // An empty text has no line to show.
        let group = if text.is_empty() {
            group.element(Origin::path(origin).line(line).char_column(column))
        } else {
            group.element(
                Snippet::source(text)
                    .path(origin)
                    .annotation(AnnotationKind::Primary.span(span)),
            )
        };
        let help = fault.help.as_deref().map(|h| Level::HELP.message(h));
        let key = fault.key.to_string();
        Self(Box::new(Parts {
            rendered: Renderer::plain().render(&[group.elements(help)]),
            origin: origin.to_owned(),
            line: Some(line),
            column: Some(column),
            key: (!key.is_empty()).then_some(key),
            message: fault.message.clone(),
        }))
    }

    /// The file, or the `--set` argument, that holds the error.
    pub fn path(&self) -> &str {
        &self.0.origin
    }

    /// Line in the file, counted from 1.
    pub fn line(&self) -> Option<usize> {
        self.0.line
    }

    /// Character in the line, counted from 1.
    pub fn column(&self) -> Option<usize> {
        self.0.column
    }

    /// Path of the value at fault.
    pub fn key(&self) -> Option<&str> {
        self.0.key.as_deref()
    }

    /// What was found and what was expected, without the place.
    pub fn message(&self) -> &str {
        &self.0.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.rendered)
    }
}

impl std::error::Error for Error {}

fn title(fault: &Fault) -> String {
    match fault.key.to_string() {
        key if key.is_empty() => fault.message.clone(),
        key => format!("{key}: {}", fault.message),
    }
}

/// The part of `span` on its first line, on character boundaries.
fn within_one_line(text: &str, span: Range<usize>) -> Range<usize> {
    let start = text.floor_char_boundary(span.start);
    let line_end = text[start..].find('\n').map_or(text.len(), |n| start + n);
    let line = text[..line_end].trim_end_matches('\r').len();
    let end = text.ceil_char_boundary(span.end).min(line.max(start));
    start..end.max(start)
}

/// Line and column of a byte, counted from 1.
pub(super) fn position(text: &str, byte: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(byte)];
    let line_start = before.rfind('\n').map_or(0, |n| n + 1);
    let line = before.matches('\n').count() + 1;
    (line, before[line_start..].chars().count() + 1)
}
