//! AHP's own line format, which resembles YAML.
//!
//! A document is a flat sequence of `key: value`, `key:` followed by `- item` lines, and `key: >`
//! followed by an indented paragraph. Every value is text: `- Note: a colon` is an item with a
//! colon, not a mapping, and `- *.rs files` is not an alias. A pair of quotes around a value is
//! removed; nothing inside it is escaped. There is no nesting, and no inline list or map.
//!
//! This reader is for AHP documents that the strict YAML reader rejects or misreads.

use serde_json::Value;

use super::ahp::PACKET_TYPES;
use crate::document::limits::{NODES_MAX, PACKET_BYTES_MAX};
use crate::document::{Members, ReadErrorDetails, pointer};
use crate::read::text;
use crate::violation::{Code, Position, Span, Violation};

/// Reads a document in the flat format.
///
/// # Errors
///
/// Returns the first violation, with its line and column.
///
/// ```
/// use tasuki_packet::dialect::flat_yaml;
///
/// let packet = flat_yaml::read("packet_type: task\nnotes:\n- Note: a colon\n").unwrap();
/// assert_eq!(packet["notes"][0], "Note: a colon");
/// ```
pub fn read(text: &str) -> Result<Members, Violation> {
    if text.len() > PACKET_BYTES_MAX {
        let message =
            format!("the input has {} bytes; the limit is {PACKET_BYTES_MAX}", text.len());
        return Err(Violation::new(Code::PacketTooLarge, "", message)
            .hint("move large content to an artifact and refer to it"));
    }
    let mut reader = Reader::default();
    for line in Lines::new(text) {
        reader.read_line(&line)?;
    }
    reader.finish()
}

/// Returns `true` if the text has an AHP `packet_type` and otherwise only flat lines.
///
/// A document with the version of the packet format is not an AHP document: the strict YAML
/// reader's decision on it stands.
pub fn looks_flat(text: &str) -> bool {
    if text.len() > PACKET_BYTES_MAX {
        return false;
    }
    let mut has_type = false;
    let mut context = Context::Start;
    for line in Lines::new(text) {
        let Ok(content) = line.classify(context) else { return false };
        if matches!(content, Content::Key { name: "handoff_version", .. }) {
            return false;
        }
        if let Content::Key { name: "packet_type", value: Opening::Text(word) } = content {
            has_type = PACKET_TYPES.contains(&unquote(word));
        }
        context = content.next(context);
    }
    has_type
}

/// The content that the preceding lines allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Context {
    Start,
    AfterText,
    InList,
    InParagraph,
}

/// A line with content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content<'t> {
    Nothing,
    Key { name: &'t str, value: Opening<'t> },
    Item(&'t str),
    Paragraph(&'t str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opening<'t> {
    Text(&'t str),
    List,
    Paragraph,
}

impl Content<'_> {
    fn next(self, before: Context) -> Context {
        match self {
            Self::Nothing => before,
            Self::Item(_) => Context::InList,
            Self::Paragraph(_) => Context::InParagraph,
            Self::Key { value: Opening::Text(_), .. } => Context::AfterText,
            Self::Key { value: Opening::List, .. } => Context::InList,
            Self::Key { value: Opening::Paragraph, .. } => Context::InParagraph,
        }
    }
}

struct Lines<'t> {
    rest: &'t str,
    number: u32,
    offset: usize,
}

struct Line<'t> {
    text: &'t str,
    number: u32,
    offset: usize,
}

impl<'t> Lines<'t> {
    fn new(text: &'t str) -> Self {
        let rest = text.strip_prefix('\u{feff}').unwrap_or(text);
        Self { rest, number: 0, offset: text.len() - rest.len() }
    }
}

impl<'t> Iterator for Lines<'t> {
    type Item = Line<'t>;

    fn next(&mut self) -> Option<Line<'t>> {
        if self.rest.is_empty() {
            return None;
        }
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        let offset = self.offset;
        // The line ending was one byte, or none at the end of the text.
        self.offset += self.rest.len() - rest.len();
        self.rest = rest;
        self.number += 1;
        let text = line.strip_suffix('\r').unwrap_or(line);
        Some(Line { text, number: self.number, offset })
    }
}

impl<'t> Line<'t> {
    fn classify(&self, context: Context) -> Result<Content<'t>, Violation> {
        let place = |bytes: std::ops::Range<usize>| Span {
            start: clamp(bytes.start),
            end: clamp(bytes.end),
        };
        text::check(self.text, place).map_err(|refused| {
            let ReadErrorDetails { code, span, message, .. } = refused.into_details();
            self.violation(code, span.start as usize..span.end as usize, message)
        })?;
        let trimmed = self.text.trim();
        let is_indented = self.text.starts_with(char::is_whitespace);
        if trimmed.is_empty() {
            return Ok(Content::Nothing);
        }
        // An indented line of a paragraph is always text, even `# 1` and `a: b`.
        if context == Context::InParagraph && is_indented {
            return Ok(Content::Paragraph(trimmed));
        }
        if trimmed.starts_with('#') || context == Context::Start && trimmed == "---" {
            return Ok(Content::Nothing);
        }
        if trimmed == "-" || trimmed.starts_with("- ") || trimmed.starts_with("-\t") {
            return self.item(trimmed, context);
        }
        match key_and_value(trimmed) {
            Some((name, value)) if !is_indented => self.key(name, value),
            Some(_) => Err(self.syntax("nested keys are not allowed")),
            None => Err(self.syntax("expected `key: value` or `- item`")),
        }
    }

    fn item(&self, trimmed: &'t str, context: Context) -> Result<Content<'t>, Violation> {
        let text = trimmed[1..].trim();
        match context {
            Context::InList if text.is_empty() => Err(self.syntax("the list item is blank")),
            Context::InList => Ok(Content::Item(unquote(text))),
            Context::Start => Err(self.syntax("list item without a key")),
            Context::AfterText | Context::InParagraph => {
                Err(self.syntax("list item under a key that already has a value"))
            }
        }
    }

    fn key(&self, name: &'t str, value: &'t str) -> Result<Content<'t>, Violation> {
        let is_enclosed = |open, close| value.starts_with(open) && value.ends_with(close);
        let value = match value {
            "" => Opening::List,
            ">" | ">-" => Opening::Paragraph,
            _ if is_enclosed('[', ']') || is_enclosed('{', '}') => {
                return Err(self.syntax("inline lists and maps are not allowed"));
            }
            _ if value.starts_with(['|', '>']) && value.len() <= 3 => {
                return Err(self.syntax("a paragraph must start with `>`"));
            }
            _ => Opening::Text(unquote(value)),
        };
        Ok(Content::Key { name, value })
    }

    fn syntax(&self, message: &str) -> Violation {
        let start = self.text.len() - self.text.trim_start().len();
        let end = self.text.trim_end().len();
        let message = message.to_owned();
        self.violation(Code::YamlSyntax, start..end, message)
            .allowed("`key: value`, `key:` with `- item` lines, `key: >` with an indented text")
    }

    fn violation(&self, code: Code, bytes: std::ops::Range<usize>, message: String) -> Violation {
        let shown: String = self.text[bytes.clone()].chars().take(SHOWN_CHARS).collect();
        let position = Position {
            line: self.number,
            column: clamp(self.text[..bytes.start].chars().count() + 1),
            span: Span {
                start: clamp(self.offset + bytes.start),
                end: clamp(self.offset + bytes.end),
            },
        };
        Violation::new(code, "", message).at(position).found(shown)
    }
}

/// LIMIT: a report shows the start of a line, not a paragraph.
const SHOWN_CHARS: usize = 60;

/// Sizes are bounded by `PACKET_BYTES_MAX`, far below the limits of a position.
fn clamp(size: usize) -> u32 {
    u32::try_from(size).unwrap_or(u32::MAX)
}

fn key_and_value(trimmed: &str) -> Option<(&str, &str)> {
    let (name, value) = trimmed.split_once(':')?;
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    (!name.is_empty() && name.bytes().all(is_name)).then(|| (name, value.trim_start()))
}

fn unquote(text: &str) -> &str {
    ['"', '\'']
        .iter()
        .find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote))
        .unwrap_or(text)
}

struct Reader {
    members: Members,
    context: Context,
    nodes: usize,
    /// The key that the following lines belong to.
    key: String,
}

impl Default for Reader {
    fn default() -> Self {
        Self { members: Members::new(), context: Context::Start, nodes: 0, key: String::new() }
    }
}

impl Reader {
    fn read_line(&mut self, line: &Line<'_>) -> Result<(), Violation> {
        let content = line.classify(self.context)?;
        match content {
            Content::Nothing => {}
            Content::Key { name, value } => {
                self.count(2, line)?;
                self.open(name, value, line)?;
            }
            Content::Item(text) => {
                self.count(1, line)?;
                if let Some(Value::Array(items)) = self.members.get_mut(&self.key) {
                    items.push(Value::String(text.to_owned()));
                }
            }
            Content::Paragraph(text) => self.continue_paragraph(text),
        }
        self.context = content.next(self.context);
        Ok(())
    }

    fn open(&mut self, name: &str, value: Opening<'_>, line: &Line<'_>) -> Result<(), Violation> {
        let value = match value {
            Opening::Text(text) => Value::String(text.to_owned()),
            Opening::Paragraph => Value::String(String::new()),
            Opening::List => Value::Array(Vec::new()),
        };
        text::check_name(name, Span::default()).map_err(|refused| {
            let ReadErrorDetails { code, message, .. } = refused.into_details();
            line.violation(code, 0..name.len(), message)
        })?;
        if self.members.contains_key(name) {
            let message = format!("duplicate key `{name}`");
            let mut violation = line.violation(Code::YamlDuplicate, 0..name.len(), message);
            violation.pointer = pointer::join("", name);
            return Err(violation.hint("remove one of them"));
        }
        self.members.insert(name.to_owned(), value);
        name.clone_into(&mut self.key);
        Ok(())
    }

    /// Appends to a paragraph, which becomes one line with single spaces between words.
    fn continue_paragraph(&mut self, text: &str) {
        let Some(Value::String(paragraph)) = self.members.get_mut(&self.key) else { return };
        for word in text.split_whitespace() {
            if !paragraph.is_empty() {
                paragraph.push(' ');
            }
            paragraph.push_str(word);
        }
    }

    fn count(&mut self, nodes: usize, line: &Line<'_>) -> Result<(), Violation> {
        self.nodes += nodes;
        if self.nodes <= NODES_MAX {
            return Ok(());
        }
        let message = format!("the document has more than {NODES_MAX} values");
        Err(line.violation(Code::PacketTooMany, 0..line.text.len(), message))
    }

    fn finish(self) -> Result<Members, Violation> {
        if self.members.is_empty() {
            return Err(Violation::new(Code::PacketEmpty, "", "the document is empty"));
        }
        Ok(self.members)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::dialect::{Dialect, detect};

    const EXAMPLE: &str = "\
packet_type: handoff
goal: Implement validator examples
target_agent: executor
constraints:
  - Do not modify protected runtime data
inputs:
  - schemas/packet.schema.json
  - examples/
expected_outputs:
  - validator result
  - changed paths
acceptance:
  - Examples validate successfully
failure_boundary:
  - Stop before publishing external resources
return_required:
  - status
  - changed_paths
  - verification
  - blockers
  - handoff_summary
human_brief: >
  Please implement the validator examples
  and report verification evidence.
";

    #[test]
    fn the_example_is_read() {
        let packet = read(EXAMPLE).expect("flat");
        assert_eq!(packet["goal"], "Implement validator examples");
        assert_eq!(packet["inputs"], json!(["schemas/packet.schema.json", "examples/"]));
        assert_eq!(
            packet["human_brief"],
            "Please implement the validator examples and report verification evidence."
        );
        assert_eq!(packet.len(), 10);
        assert_eq!(detect(&packet), Some(Dialect::Ahp));
        assert!(looks_flat(EXAMPLE));
    }

    #[test]
    fn everything_is_text() {
        let text = "\u{feff}---\r\n# a comment\r\npacket_type: task\r\ngoal: \"a: \"b\"\"\r\n\r\n\
            yes: true\r\nnumber: 1.10\r\nempty:\r\nhash: a # b\r\n\
            notes:\r\n- Note: a colon\r\n- *.rs files\r\n- [ ] a box\r\n- 'quoted'\r\n- - x\r\n\
            brief: >\r\n  one\r\n\r\n    # two\r\n  key: three\r\nlast: [a] b\r\n";
        assert_eq!(
            json!(read(text).expect("flat")),
            json!({
                "packet_type": "task",
                "goal": "a: \"b\"",
                "yes": "true",
                "number": "1.10",
                "empty": [],
                "hash": "a # b",
                "notes": ["Note: a colon", "*.rs files", "[ ] a box", "quoted", "- x"],
                "brief": "one # two key: three",
                "last": "[a] b"
            })
        );
        assert!(looks_flat(text));
    }

    #[test]
    fn unsupported_syntax_is_rejected_with_its_position() {
        for (text, expected) in [
            ("a: 1\n  b: 2", "2:3: TK-YAML-SYNTAX: nested keys are not allowed"),
            ("a:\n- é\nb c", "3:1: TK-YAML-SYNTAX: expected `key: value` or `- item`"),
            ("- a", "1:1: TK-YAML-SYNTAX: list item without a key"),
            ("a: b\n- c", "2:1: TK-YAML-SYNTAX: list item under a key that already has a value"),
            (
                "a: >\n  b\n- c",
                "3:1: TK-YAML-SYNTAX: list item under a key that already has a value",
            ),
            ("a:\n -", "2:2: TK-YAML-SYNTAX: the list item is blank"),
            ("a: [b, c]", "1:1: TK-YAML-SYNTAX: inline lists and maps are not allowed"),
            ("a: {b: c}", "1:1: TK-YAML-SYNTAX: inline lists and maps are not allowed"),
            ("a: |\n  b", "1:1: TK-YAML-SYNTAX: a paragraph must start with `>`"),
            ("a: b\na: c", "2:1: TK-YAML-DUPLICATE: duplicate key `a`"),
            ("a: é\0", "1:5: TK-TEXT-NUL: NUL character (U+0000) in a text"),
            ("\n# nothing\n", "TK-PACKET-EMPTY: the document is empty"),
        ] {
            let violation = read(text).expect_err(text);
            assert_eq!(violation.to_string(), expected);
            if let Some(position) = violation.position {
                assert!(text.is_char_boundary(position.span.start as usize), "{text}");
                assert!(position.span.end as usize <= text.len(), "{text}");
            }
        }
    }

    #[test]
    fn a_span_names_the_bytes_of_the_whole_text() {
        let text = "packet_type: task\r\n  nested: 1\r\n";
        let position = read(text).expect_err("nested").position.expect("a place");
        let bytes = position.span.start as usize..position.span.end as usize;
        assert_eq!(&text[bytes], "nested: 1");
    }

    #[test]
    fn limits_apply_before_anything_is_stored() {
        let large = "a".repeat(PACKET_BYTES_MAX + 1);
        assert_eq!(read(&large).expect_err("too large").code, Code::PacketTooLarge);
        assert!(!looks_flat(&large));
        let many = format!("a:\n{}", "- b\n".repeat(NODES_MAX));
        assert_eq!(read(&many).expect_err("too many").code, Code::PacketTooMany);
        let long = format!("{}: b\n", "a".repeat(1_001));
        assert_eq!(read(&long).expect_err("a long name").code, Code::FieldLength);
    }

    #[test]
    fn only_a_packet_of_this_form_looks_flat() {
        assert!(looks_flat("goal: g\npacket_type: task"));
        assert!(looks_flat("packet_type: task\npacket_type: task"), "a duplicate is for `read`");
        for text in [
            "goal: g",
            "handoff_version: 1.0\npacket_type: task",
            "context:\n  packet_type: task",
            "packet_type: task\ninputs: [a, b]",
            "packet_type: task\ncontext:\n  node: 22",
            "packet_type: task\nbrief: |\n  a",
            "prose that mentions packet_type: task",
            "{\"packet_type\": \"task\"}",
        ] {
            assert!(!looks_flat(text), "{text}");
        }
    }
}
