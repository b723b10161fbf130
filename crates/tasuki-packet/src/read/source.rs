//! The source of a packet: its bytes, its detected form, and the positions of its values.
//!
//! The form is detected from the content, never from a file name. JSON starts with a brace, a YAML
//! packet has its keys at the start of lines, and any other text may contain a packet in a block.

use std::borrow::Cow;
use std::ops::Range;

use super::cursor::Cursor;
use super::markdown::{self, Block, Tag};
use super::{json, yaml};
use crate::document::limits::PACKET_BYTES_MAX;
use crate::document::source_map::SourceMap;
use crate::document::{Document, ReadError, ReadErrorDetails};
use crate::schema::field::{self, Shape};
use crate::violation::{Code, Position, Span, Violation};

/// The form that a packet is written in.
///
/// ```
/// use tasuki_packet::read::{Form, Source};
///
/// let issue = "Please continue:\n\n```tasuki\ngoal: Ship it\n```\n";
/// assert_eq!(Source::packet(issue.as_bytes())?.form(), Form::Markdown);
/// # Ok::<(), tasuki_packet::Violation>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// JSON.
    Json,
    /// YAML.
    Yaml,
    /// A block in a Markdown text.
    Markdown,
    /// Compact JSON in one line, with tables.
    Wire,
}

impl Form {
    /// Every form.
    pub const ALL: &'static [Self] = &[Self::Json, Self::Yaml, Self::Markdown, Self::Wire];

    /// Returns the name of the form.
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Yaml => "yaml",
            Self::Markdown => "markdown",
            Self::Wire => "wire",
        }
    }
}

/// A text that contains a document.
///
/// ```
/// use tasuki_packet::read::Source;
///
/// let source = Source::packet(b"{\"goal\": \"Ship it\", \"goal\": \"Wait\"}")?;
/// let violation = source.read_packet().unwrap_err();
/// assert_eq!(violation.to_string(), "1:21: TK-JSON-DUPLICATE: duplicate key `goal`");
/// # Ok::<(), tasuki_packet::Violation>(())
/// ```
#[derive(Debug, Clone)]
pub struct Source<'b> {
    whole: &'b str,
    form: Form,
    /// The document, which in Markdown is a part of the text.
    content: Cow<'b, str>,
    block: Option<Block>,
}

impl<'b> Source<'b> {
    /// Detects the form of a packet.
    ///
    /// # Errors
    ///
    /// If the input is too large, empty, not UTF-8, or prose without a packet.
    pub fn packet(bytes: &'b [u8]) -> Result<Self, Violation> {
        let whole = text(bytes)?;
        if let Some(form) = json_form(whole).filter(|_| !is_link_before_block(whole)) {
            return Ok(Self::whole(whole, form));
        }
        let source = Self::whole(whole, Form::Yaml);
        yaml::check_line_count(whole).map_err(|error| source.violation(error))?;
        if let Some(form) = yaml_form(whole) {
            return Ok(Self::whole(whole, form));
        }
        let block = markdown::find(whole);
        if !matches!(block, Ok(None)) && is_yaml_mapping(whole) {
            return Ok(Self::whole(whole, Form::Yaml));
        }
        match block? {
            Some(block) => Ok(Self {
                whole,
                form: Form::Markdown,
                content: block.content(whole),
                block: Some(block),
            }),
            None if looks_like_yaml(whole) => Ok(Self::whole(whole, Form::Yaml)),
            None => Err(no_packet(whole)),
        }
    }

    /// Prepares a document that is not a packet: a contract, a variant file, a patch.
    ///
    /// # Errors
    ///
    /// If the input is too large, empty, or not UTF-8.
    pub fn plain(bytes: &'b [u8]) -> Result<Self, Violation> {
        let whole = text(bytes)?;
        let form = json_form(whole).map_or(Form::Yaml, |_| Form::Json);
        Ok(Self::whole(whole, form))
    }

    /// Prepares a document that must be JSON.
    ///
    /// # Errors
    ///
    /// If the input is too large, empty, or not UTF-8.
    pub fn json(bytes: &'b [u8]) -> Result<Self, Violation> {
        text(bytes).map(|whole| Self::whole(whole, Form::Json))
    }

    fn whole(whole: &'b str, form: Form) -> Self {
        let content = Cow::Borrowed(whole);
        Self { whole, form, content, block: None }
    }

    /// Returns the whole text, in which violations count lines.
    pub fn text(&self) -> &'b str {
        self.whole
    }

    /// Returns the form.
    pub fn form(&self) -> Form {
        self.form
    }

    /// Returns the document without the Markdown around it.
    pub fn content(&self) -> &str {
        &self.content
    }

    /// Returns the block of the packet in a Markdown text.
    pub fn block(&self) -> Option<&Block> {
        self.block.as_ref()
    }

    /// Returns the number of YAML comments in the document, which are not part of a packet.
    pub fn comment_count(&self) -> usize {
        if self.is_json() { 0 } else { yaml::comment_count(&self.content) }
    }

    /// Reads the document; `shape` gives unquoted YAML scalars their types.
    ///
    /// # Errors
    ///
    /// The first violation that makes it unreadable, with its position.
    pub fn read(&self, shape: &'static Shape) -> Result<Document<'_>, Violation> {
        let document = if self.is_json() {
            json::read(&self.content)
        } else {
            yaml::read(&self.content, shape)
        };
        document.map_err(|error| self.violation(error))
    }

    /// Reads a packet. The tables of a wire form are not unfolded.
    ///
    /// # Errors
    ///
    /// Same as [`Source::read`].
    pub fn read_packet(&self) -> Result<Document<'_>, Violation> {
        self.read(&field::PACKET)
    }

    /// Reads a contract document.
    ///
    /// # Errors
    ///
    /// Same as [`Source::read`].
    pub fn read_contract(&self) -> Result<Document<'_>, Violation> {
        self.read(&field::CONTRACT)
    }

    /// Reads a document that is not a packet, without known types.
    ///
    /// # Errors
    ///
    /// Same as [`Source::read`].
    pub fn read_plain(&self) -> Result<Document<'_>, Violation> {
        self.read(&Shape::Any)
    }

    /// Sets the positions of violations from their pointers.
    pub fn locate(&self, document: &Document<'_>, violations: &mut [Violation]) {
        let mut source_map = SourceMap::of(document);
        let spans = |violation: &Violation| source_map.span_of(violation);
        self.set_positions(violations, spans);
    }

    /// Sets the positions of violations; `span_of` returns their spans in the content.
    pub(crate) fn set_positions(
        &self,
        violations: &mut [Violation],
        mut span_of: impl FnMut(&Violation) -> Span,
    ) {
        let mut found: Vec<_> = violations
            .iter_mut()
            .filter(|violation| violation.position.is_none())
            .map(|violation| (self.in_whole(span_of(violation)), violation))
            .collect();
        // Sorted, so that lines are counted in one pass.
        found.sort_by_key(|(bytes, _)| bytes.start);
        let mut cursor = Cursor::new(self.whole);
        for (bytes, violation) in found {
            violation.position = Some(cursor.position(bytes));
        }
    }

    /// Returns the position of a span of the content in the whole text.
    pub fn position(&self, span: Span) -> Position {
        Cursor::new(self.whole).position(self.in_whole(span))
    }

    /// Maps a span of the content to the whole text.
    fn in_whole(&self, span: Span) -> Range<usize> {
        let (start, end) = (span.start as usize, span.end as usize);
        let (start, end) = match &self.block {
            Some(block) => (self.offset_in_whole(block, start), self.offset_in_whole(block, end)),
            None => (start, end),
        };
        let start = start.min(self.whole.len());
        start..end.clamp(start, self.whole.len())
    }

    /// Maps an offset: the content has the lines of the block without their indentation.
    fn offset_in_whole(&self, block: &Block, offset: usize) -> usize {
        if block.indent == 0 {
            return block.range.start + offset;
        }
        let before = &self.content[..self.content.floor_char_boundary(offset)];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line_number = before.bytes().filter(|&byte| byte == b'\n').count();
        let length =
            |text: &str, from: usize| text[from..].split_inclusive('\n').next().map_or(0, str::len);
        let mut start = block.range.start;
        for _ in 0..line_number {
            start += length(self.whole, start);
        }
        let removed = length(self.whole, start).saturating_sub(length(&self.content, line_start));
        start + removed + (before.len() - line_start)
    }

    pub(crate) fn is_json(&self) -> bool {
        match self.form {
            Form::Json | Form::Wire => true,
            Form::Yaml => false,
            Form::Markdown => json_form(&self.content).is_some(),
        }
    }

    fn violation(&self, error: ReadError) -> Violation {
        let ReadErrorDetails { code, span, message, hint } = error.into_details();
        let violation = Violation::new(code, "", message).at(self.position(span));
        match hint {
            Some(hint) => violation.hint(hint),
            None => violation,
        }
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
            .at(Cursor::new(valid).position(start..start))
            .found(format!("byte 0x{:02x}", bytes[start]))
            .hint("save the file as UTF-8")
    })?;
    // A byte order mark is not content.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(Violation::new(Code::PacketEmpty, "", "the input is empty")
            .hint("run `tasuki init --packet` to create a packet"));
    }
    Ok(text)
}

/// Returns the violation for oversized input, for callers that know the size before reading.
pub fn too_large(bytes: u64) -> Violation {
    Violation::new(Code::PacketTooLarge, "", "the input is too large")
        .found(format!("{bytes} bytes"))
        .allowed(format!("at most {PACKET_BYTES_MAX} bytes"))
        .hint("move large content into an artifact and refer to it by digest")
}

fn json_form(text: &str) -> Option<Form> {
    let text = text.trim_start();
    match text.strip_prefix('{').map(str::trim_start) {
        Some(rest) if is_wire_marker(rest) => Some(Form::Wire),
        // A slash starts a comment, which people write in JSON but which does not exist in YAML.
        Some(rest) if rest.starts_with(['"', '}', '/']) || rest.is_empty() => Some(Form::Json),
        Some(_) => None,
        None => text.starts_with('[').then_some(Form::Json),
    }
}

/// Returns `true` if a bracket starts Markdown and not a JSON list.
///
/// No JSON string spans lines, so JSON has no code fence at the start of a line.
fn is_link_before_block(text: &str) -> bool {
    text.trim_start().starts_with('[') && !matches!(markdown::find(text), Ok(None))
}

fn is_wire_marker(rest: &str) -> bool {
    let value =
        rest.strip_prefix("\"tasuki\"").and_then(|rest| rest.trim_start().strip_prefix(':'));
    value.is_some_and(|value| value.trim_start().starts_with("\"wire/"))
}

/// Detects YAML with a key of a packet at the start of a line, before any code fence.
fn yaml_form(text: &str) -> Option<Form> {
    let is_fence = |line: &&str| line.starts_with("```") || line.starts_with("~~~");
    if !text.lines().take_while(|line| !is_fence(line)).any(markdown::is_packet_key) {
        return None;
    }
    // Front matter is followed by prose, unlike a second YAML document.
    match markdown::find(text) {
        Ok(Some(block)) if block.tag == Tag::FrontMatter => {
            let [_, after] = block.prose(text);
            let is_yaml = after.is_empty() || after.lines().any(markdown::is_packet_key);
            is_yaml.then_some(Form::Yaml)
        }
        _ => Some(Form::Yaml),
    }
}

/// Returns `true` if the whole text is one mapping, so that a block in it belongs to a member's
/// text.
///
/// Otherwise the author of one text could replace the packet with another one.
fn is_yaml_mapping(text: &str) -> bool {
    looks_like_yaml(text)
        && match yaml::read(text, &Shape::Any) {
            Ok(document) => document.root().is_object(),
            Err(error) => matches!(
                error.into_details().code,
                Code::TextHidden | Code::TextNul | Code::PacketTooDeep | Code::PacketTooMany
            ),
        }
}

/// Returns `true` if the first line with content is an entry of a mapping or a list.
fn looks_like_yaml(text: &str) -> bool {
    if markdown::has_front_matter(text) {
        return false;
    }
    let is_entry = |line: &&str| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with('#') && line != "---"
    };
    let Some(first) = text.lines().find(is_entry) else { return false };
    let key = first.split(": ").next().unwrap_or(first).trim_end_matches(':');
    let is_key = key.len() < first.len()
        && key.chars().all(|character| character.is_alphanumeric() || "_-.\"'".contains(character));
    // A list between headings is Markdown.
    let is_list = first.starts_with('-') && !text.lines().any(|line| line.starts_with("# "));
    is_key || is_list || first.starts_with(['{', '?', '%', '&', '!', '*'])
}

fn no_packet(text: &str) -> Violation {
    let has_blocks = text.lines().any(|line| line.starts_with("```") || line.starts_with('#'));
    if has_blocks {
        return Violation::new(Code::MarkdownNoPacket, "", "no packet found in the Markdown text")
            .allowed("front matter, or a block tagged `tasuki`, `ahp-yaml`, `yaml` or `json`")
            .hint("put the packet into a code block tagged `tasuki`");
    }
    Violation::new(Code::PacketFreeText, "", "expected a packet, found prose")
        .allowed("an object with fields such as `task_id` and `goal`")
        .hint("run `tasuki init --packet` to create a packet")
}
