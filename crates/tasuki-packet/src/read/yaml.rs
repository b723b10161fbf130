//! Reads YAML into a document: the plain data part of YAML 1.2, without aliases, tags and merge
//! keys.
//!
//! The parser emits events, and the reader enforces the limits for each event, so that a YAML bomb
//! is rejected before it expands.
//!
//! An unquoted scalar gets its type from its field: `task_id: 42` is a text, `confidence: 0.74` a
//! number. In a field without a known type it is a number only if RFC 8785 would print the same
//! text, so that `1.10` and `012` stay texts.

use std::borrow::Cow;

use granit_parser::{ErrorKind, Event, Options, Parser, ScalarStyle, options};

use super::text;
use crate::document::limits::{DEPTH_MAX, YAML_LINES_MAX};
use crate::document::number::Number;
use crate::document::{Builder, Content, Document, ReadError, too_deep, too_many};
use crate::schema::field::Shape;
use crate::violation::{Code, Span, shorten};

/// Reads one YAML document; `shape` provides the known types.
pub(crate) fn read<'s>(source: &'s str, shape: &'static Shape) -> Result<Document<'s>, ReadError> {
    check_line_count(source)?;
    let mut reader = Reader {
        builder: Builder::with_capacity(source.len() / 16 + 8),
        open: Vec::new(),
        has_document: false,
        has_node: false,
    };
    let mut last = Span::default();
    for next in Parser::new_from_str_with_options(source, parser_options()) {
        let (event, span) = next.map_err(|error| syntax(&error, source))?;
        if let Some(tag) = span.tag_span() {
            return Err(tagged(tag.byte_range().map_or(last, |range| to_span(&range))));
        }
        last = span.byte_range().map_or(last, |range| to_span(&range));
        reader.event(event, last)?;
    }
    if !reader.has_node {
        return Err(ReadError::new(Code::PacketEmpty, last, "the YAML document is empty"));
    }
    let mut document = reader.builder.finish();
    resolve(&mut document, shape)?;
    Ok(document)
}

/// Rejects a source with too many lines before parsing it.
pub(super) fn check_line_count(source: &str) -> Result<(), ReadError> {
    // A line ends with one of the two or with both.
    let lines = text::count(source, b'\n').max(text::count(source, b'\r'));
    if lines <= YAML_LINES_MAX {
        return Ok(());
    }
    Err(too_many("lines", YAML_LINES_MAX, Span::default()))
}

/// Counts the comments of a YAML text, which are not part of a packet.
pub(crate) fn comment_count(source: &str) -> usize {
    let options = options! { emit_comments: true };
    let events = Parser::new_from_str_with_options(source, options);
    events.filter(|event| matches!(event, Ok((Event::Comment(..), _)))).count()
}

fn parser_options() -> Options {
    options! {
        emit_comments: false,
        emit_anchor_events: true,
        emit_unresolved_aliases: true,
        disallow_directives: true,
        flow_nesting_limit: DEPTH_MAX,
        block_nesting_limit: DEPTH_MAX,
    }
}

struct Reader<'s> {
    builder: Builder<'s>,
    open: Vec<OpenCollection>,
    has_document: bool,
    has_node: bool,
}

/// A collection that has not ended yet.
struct OpenCollection {
    node: usize,
    is_object: bool,
    /// In an object: `true` if the next node is a name.
    expects_name: bool,
    names: super::names::Names,
}

impl<'s> Reader<'s> {
    fn event(&mut self, event: Event<'s>, span: Span) -> Result<(), ReadError> {
        match event {
            Event::DocumentStart(..) if self.has_document => {
                Err(ReadError::new(Code::YamlDocuments, span, "more than one YAML document")
                    .hint("put each packet into its own file"))
            }
            Event::DocumentStart(..) => {
                self.has_document = true;
                Ok(())
            }
            Event::Scalar(value, style, ..) => self.scalar(value, style, span),
            Event::SequenceStart(..) => self.start(false, span),
            Event::MappingStart(..) => self.start(true, span),
            Event::Anchor(..) => {
                Err(ReadError::new(Code::YamlAnchor, span, "YAML anchors are not allowed")
                    .hint("write out the value, or quote text that starts with `&`"))
            }
            Event::SequenceEnd | Event::MappingEnd => {
                self.end(span);
                Ok(())
            }
            Event::Alias(_) | Event::UnresolvedAlias(_) => {
                Err(ReadError::new(Code::YamlAlias, span, "YAML aliases are not allowed")
                    .hint("write out the value, or quote text that starts with `*`"))
            }
            _ => Ok(()),
        }
    }

    fn scalar(
        &mut self,
        value: Cow<'s, str>,
        style: ScalarStyle,
        span: Span,
    ) -> Result<(), ReadError> {
        // Quotes, escapes and folding shift the offsets, so the span is the whole scalar.
        text::check(&value, |_| span)?;
        if self.open.last().is_some_and(|open| open.is_object && open.expects_name) {
            return self.name(value, style, span);
        }
        let content = match style {
            ScalarStyle::Plain => Content::Plain(value),
            _ => Content::Text(value),
        };
        self.note_value();
        self.builder.scalar(content, span)
    }

    fn name(
        &mut self,
        name: Cow<'s, str>,
        style: ScalarStyle,
        span: Span,
    ) -> Result<(), ReadError> {
        if name == "<<" && matches!(style, ScalarStyle::Plain) {
            return Err(ReadError::new(Code::YamlMerge, span, "YAML merge keys are not allowed")
                .hint("write out the members"));
        }
        text::check_name(&name, span)?;
        let Some(open) = self.open.last_mut() else { return Ok(()) };
        if open.names.is_repeated(&self.builder, open.node, &name) {
            let message = format!("duplicate key `{}`", shorten::text(&name));
            return Err(ReadError::new(Code::YamlDuplicate, span, message)
                .hint("remove one of them: readers disagree on which one counts"));
        }
        open.expects_name = false;
        self.builder.scalar(Content::Text(name), span)
    }

    fn start(&mut self, is_object: bool, span: Span) -> Result<(), ReadError> {
        if self.open.last().is_some_and(|open| open.is_object && open.expects_name) {
            return Err(ReadError::new(Code::YamlKey, span, "a YAML key must be text")
                .hint("quote the key if it starts with a bracket"));
        }
        self.note_value();
        let content = if is_object { Content::Object } else { Content::List };
        let node = self.builder.open(content, span)?;
        let names = super::names::Names::default();
        self.open.push(OpenCollection { node, is_object, expects_name: is_object, names });
        Ok(())
    }

    fn end(&mut self, span: Span) {
        if let Some(open) = self.open.pop() {
            self.builder.close(open.node, span.end);
        }
    }

    /// Notes that this node is a value, so that the next one in an object is a name.
    fn note_value(&mut self) {
        self.has_node = true;
        if let Some(open) = self.open.last_mut() {
            open.expects_name = open.is_object;
        }
    }
}

fn tagged(span: Span) -> ReadError {
    ReadError::new(Code::YamlTag, span, "YAML tags are not allowed")
        .hint("remove the tag, or quote text that starts with `!`")
}

/// Gives every unquoted scalar its type.
fn resolve(document: &mut Document<'_>, shape: &'static Shape) -> Result<(), ReadError> {
    let mut types = Vec::new();
    expected_types(document.root(), shape, &mut types);
    for (index, expected) in types {
        let entry = &mut document.entries_mut()[index];
        let Content::Plain(text) = &mut entry.content else { continue };
        let text = std::mem::take(text);
        entry.content = typed(text, expected, entry.span)?;
    }
    Ok(())
}

/// The expected type of an unquoted scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    Text,
    Number,
    Flag,
    Anything,
}

fn expected_types(
    node: crate::document::Node<'_, '_>,
    shape: &'static Shape,
    types: &mut Vec<(usize, Expected)>,
) {
    match node.content() {
        Content::Plain(_) => types.push((node.index(), expected(shape))),
        Content::List => {
            let item = shape.item().unwrap_or(&Shape::Any);
            for child in node.items() {
                expected_types(child, item, types);
            }
        }
        Content::Object => {
            for (name, child) in node.members() {
                let member = shape.member(name.as_text().unwrap_or_default());
                expected_types(child, member.unwrap_or(&Shape::Any), types);
            }
        }
        Content::Null | Content::Flag(_) | Content::Number(_) | Content::Text(_) => {}
    }
}

fn expected(shape: &Shape) -> Expected {
    match shape {
        Shape::Named(_, inner) => expected(inner),
        Shape::Text(_) | Shape::Word(_) | Shape::Format(_) => Expected::Text,
        Shape::Integer { .. } | Shape::Number { .. } => Expected::Number,
        Shape::Flag => Expected::Flag,
        // A scalar is text if text is allowed and neither numbers nor flags are.
        Shape::Either(shapes) => {
            let may_be = |wanted| shapes.iter().any(|shape| expected(shape) == wanted);
            let is_text = may_be(Expected::Text);
            if is_text && !may_be(Expected::Number) && !may_be(Expected::Flag) {
                Expected::Text
            } else {
                Expected::Anything
            }
        }
        Shape::List { .. } | Shape::Object(_) | Shape::Map | Shape::Any => Expected::Anything,
    }
}

fn typed(text: Cow<'_, str>, expected: Expected, span: Span) -> Result<Content<'_>, ReadError> {
    if matches!(&*text, "" | "~" | "null") {
        return Ok(Content::Null);
    }
    let flag = match &*text {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    };
    Ok(match (expected, flag) {
        (Expected::Text, _) => Content::Text(text),
        (Expected::Flag | Expected::Anything | Expected::Number, Some(flag)) => Content::Flag(flag),
        (Expected::Flag, None) => Content::Text(text),
        (Expected::Number, None) => known_number(text, span)?,
        (Expected::Anything, None) => match Number::from_plain(&text) {
            Some(number) => Content::Number(number),
            None => Content::Text(text),
        },
    })
}

/// Reads a scalar in a number field, where every JSON spelling counts: `0.70` is 0.7.
fn known_number(text: Cow<'_, str>, span: Span) -> Result<Content<'_>, ReadError> {
    if !super::json::is_json_number(text.as_bytes()) {
        return Ok(Content::Text(text));
    }
    match Number::parse(&text) {
        Ok(number) => Ok(Content::Number(number)),
        Err(code) => Err(text::number(code, &text, span)),
    }
}

fn syntax(error: &granit_parser::ScanError, source: &str) -> ReadError {
    let start = error.marker().byte_offset().unwrap_or(0).min(source.len());
    let start = source.floor_char_boundary(start);
    let end = source[start..].chars().next().map_or(start, |next| start + next.len_utf8());
    let span = to_span(&(start..end));
    match error.kind() {
        ErrorKind::RecursionLimitExceeded => too_deep(span),
        ErrorKind::DirectiveDisallowed => {
            ReadError::new(Code::YamlTag, span, "YAML directives are not allowed")
                .hint("remove the line that starts with `%`")
        }
        _ => ReadError::new(Code::YamlSyntax, span, error.info())
            .hint("check the indentation, and quote text that contains `: ` or ` #`"),
    }
}

fn to_span(range: &std::ops::Range<usize>) -> Span {
    let offset = |at: usize| u32::try_from(at).expect("a source is at most PACKET_BYTES_MAX long");
    Span { start: offset(range.start), end: offset(range.end) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::field;

    fn check(source: &str, expected: &str) {
        let shown = match read(source, &field::PACKET) {
            Ok(document) => document.to_value().to_string(),
            Err(error) => {
                let details = error.into_details();
                format!("{} at {}", details.code, details.span.start)
            }
        };
        assert_eq!(shown, expected, "{}", shorten::text(source));
    }

    #[test]
    fn a_plain_scalar_takes_the_type_of_its_field() {
        check("task_id: 42", r#"{"task_id":"42"}"#);
        check("confidence: 0.70", r#"{"confidence":0.7}"#);
        check("confidence: high", r#"{"confidence":"high"}"#);
        check("completed: [1.10, true, no]", r#"{"completed":["1.10","true","no"]}"#);
        check("cost: {amount: 0.45, tokens: 12}", r#"{"cost":{"amount":"0.45","tokens":12}}"#);
        check("can_intercept: true", r#"{"can_intercept":true}"#);
        check("goal: ~", r#"{"goal":null}"#);
    }

    #[test]
    fn without_a_known_type_only_a_canonical_number_is_a_number() {
        check(
            "context: {a: 22, b: 1.10, c: 012, d: no, e: 1e3, f: 0.74, g: true, h: null, i: '22'}",
            r#"{"context":{"a":22,"b":"1.10","c":"012","d":"no","e":"1e3","f":0.74,"g":true,"h":null,"i":"22"}}"#,
        );
    }

    #[test]
    fn aliases_tags_duplicates_and_floods_are_rejected() {
        check("a: &x 1", "TK-YAML-ANCHOR at 3");
        check("a: *x", "TK-YAML-ALIAS at 3");
        check("a: !!int 1", "TK-YAML-TAG at 3");
        check("<<: {a: 1}", "TK-YAML-MERGE at 0");
        check("a: 1\na: 2", "TK-YAML-DUPLICATE at 5");
        check("a: 1\n---\nb: 2", "TK-YAML-DOCUMENTS at 5");
        check("? [a]\n: 1", "TK-YAML-KEY at 2");
        check("%YAML 1.1\n---\na: 1", "TK-YAML-TAG at 0");
        check("a: \"\\0\"", "TK-TEXT-NUL at 3");
        check(&"[".repeat(200_000), "TK-PACKET-TOO-DEEP at 32");
        check(&"#\n".repeat(20_001), "TK-PACKET-TOO-MANY at 0");
        check(&"\r".repeat(20_001), "TK-PACKET-TOO-MANY at 0");
        check(&format!("? {}\n: 1", "x".repeat(1_001)), "TK-FIELD-LENGTH at 2");
        check("a: 9007199254740993", r#"{"a":"9007199254740993"}"#);
        check("confidence: 9007199254740993", "TK-NUMBER-RANGE at 12");
    }
}
