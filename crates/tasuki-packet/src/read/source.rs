//! A packet as somebody sent it: the bytes, the form they turned out to have, and the way back from
//! every value to its line and column.
//!
//! The form is told by content, never by a file's name: JSON begins with a brace, a packet in YAML
//! has its keys at the start of a line, and anything else may hold a packet in a fence.

use std::borrow::Cow;

use super::{json, yaml};
use crate::field::{self, Shape};
use crate::limits::PACKET_BYTES_MAX;
use crate::tree::{Document, Refused};
use crate::violation::{Code, Position, Span, Violation};

/// How a packet is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// JSON.
    Json,
    /// YAML.
    Yaml,
}

impl Form {
    /// The form's name as people write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Yaml => "yaml",
        }
    }
}

/// A text with a document in it.
#[derive(Debug, Clone)]
pub struct Source<'b> {
    whole: &'b str,
    form: Form,
    content: Cow<'b, str>,
    start: usize,
}

impl<'b> Source<'b> {
    /// Looks at the bytes of a packet in any form.
    ///
    /// # Errors
    ///
    /// If they are too many, none, not UTF-8, or prose without a packet in it.
    pub fn packet(bytes: &'b [u8]) -> Result<Self, Violation> {
        let whole = text(bytes)?;
        Ok(Self { whole, form: form_of(whole), content: Cow::Borrowed(whole), start: 0 })
    }

    /// Looks at the bytes of a document that is no packet: a contract, a variant file, a patch.
    ///
    /// # Errors
    ///
    /// If they are too many, none, or not UTF-8.
    pub fn plain(bytes: &'b [u8]) -> Result<Self, Violation> {
        let whole = text(bytes)?;
        Ok(Self { whole, form: form_of(whole), content: Cow::Borrowed(whole), start: 0 })
    }

    /// Reads a document that is no packet: no field has a known type.
    ///
    /// # Errors
    ///
    /// As [`Source::read`].
    pub fn read_plain(&self) -> Result<Document<'_>, Violation> {
        self.read(&Shape::Any)
    }

    /// The whole text, as violations count its lines.
    pub fn text(&self) -> &'b str {
        self.whole
    }

    /// How it is written.
    pub fn form(&self) -> Form {
        self.form
    }

    /// Reads the document; `shape` gives the types of YAML's plain scalars.
    ///
    /// # Errors
    ///
    /// Names the first thing that makes it unreadable, with its place.
    pub fn read(&self, shape: &'static Shape) -> Result<Document<'_>, Violation> {
        let document = match self.form {
            Form::Json => json::read(&self.content),
            Form::Yaml => yaml::read(&self.content, shape),
        };
        document.map_err(|refused| self.violation(refused))
    }

    /// Reads a packet.
    ///
    /// # Errors
    ///
    /// As [`Source::read`].
    pub fn read_packet(&self) -> Result<Document<'_>, Violation> {
        self.read(&field::PACKET)
    }

    /// Adds line and column to violations that have only a pointer.
    pub fn locate(&self, document: &Document<'_>, violations: &mut [Violation]) {
        for violation in violations.iter_mut().filter(|violation| violation.position.is_none()) {
            violation.position = Some(self.position(document.span_of(violation)));
        }
    }

    /// Line and column of a stretch of the content.
    pub fn position(&self, span: Span) -> Position {
        let start = (self.start + span.start as usize).min(self.whole.len());
        let end = (self.start + span.end as usize).clamp(start, self.whole.len());
        position(self.whole, start, end)
    }

    fn violation(&self, refused: Refused) -> Violation {
        let position = self.position(refused.span);
        let violation = Violation::new(refused.code, "", refused.message).at(position);
        match refused.hint {
            Some(hint) => violation.hint(hint),
            None => violation,
        }
    }
}

/// Line and column of the bytes from `start` to `end`.
fn position(whole: &str, start: usize, end: usize) -> Position {
    let before = &whole[..whole.floor_char_boundary(start)];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    Position {
        line: count(before.bytes().filter(|&byte| byte == b'\n').count() + 1),
        column: count(before[line_start..].chars().count() + 1),
        span: Span { start: count(start), end: count(end) },
    }
}

fn text(bytes: &[u8]) -> Result<&str, Violation> {
    if bytes.len() > PACKET_BYTES_MAX {
        return Err(too_large(bytes.len() as u64));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let start = error.valid_up_to();
        let valid = std::str::from_utf8(&bytes[..start]).unwrap_or_default();
        Violation::new(Code::PacketEncoding, "", "the input is not UTF-8")
            .at(position(valid, start, start))
            .found(format!("byte 0x{:02x}", bytes[start]))
            .hint("save the file as UTF-8")
    })?;
    // A byte order mark is no content.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(Violation::new(Code::PacketEmpty, "", "the input has no content")
            .hint("`tasuki init --packet` writes a packet to start from"));
    }
    Ok(text)
}

/// The violation of input that is too large, for callers that know the size before reading.
pub fn too_large(bytes: u64) -> Violation {
    Violation::new(Code::PacketTooLarge, "", "the input is larger than a packet may be")
        .found(format!("{bytes} bytes"))
        .allowed(format!("at most {PACKET_BYTES_MAX} bytes"))
        .hint("move large content into an artifact and refer to it by digest")
}

fn form_of(text: &str) -> Form {
    let text = text.trim_start();
    match text.strip_prefix('{').map(str::trim_start) {
        Some(rest) if rest.starts_with(['"', '}']) || rest.is_empty() => Form::Json,
        _ if text.starts_with('[') => Form::Json,
        _ => Form::Yaml,
    }
}
