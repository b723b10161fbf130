//! YAML into a document: the plain data part of YAML 1.2, and nothing that runs or repeats.
//!
//! The parser gives events; this reader keeps the limits while they arrive, so that a bomb is
//! refused before it unfolds. A scalar without quotes gets its type from the place it stands in:
//! `task_id: 42` is a text, `confidence: 0.74` a number. Where the field table knows no type it is a
//! number only if RFC 8785 would print the same text, so that `1.10` and `012` survive.

use std::borrow::Cow;

use granit_parser::{ErrorKind, Event, Options, Parser, ScalarStyle, options};

use super::text;
use crate::document::limits::{DEPTH_MAX, YAML_LINES_MAX};
use crate::document::number::Number;
use crate::document::{Builder, Content, Document, ReadError, too_deep, too_many};
use crate::schema::field::Shape;
use crate::violation::{Code, Span, shorten};

/// Reads one YAML document; `shape` says which types are known.
pub(crate) fn read<'s>(source: &'s str, shape: &'static Shape) -> Result<Document<'s>, ReadError> {
    refuse_too_many_lines(source)?;
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
        return Err(ReadError::new(Code::PacketEmpty, last, "the YAML document has no content"));
    }
    let mut document = reader.builder.finish();
    resolve(&mut document, shape)?;
    Ok(document)
}

/// Refuses a flood of lines before anybody looks at one of them.
pub(super) fn refuse_too_many_lines(source: &str) -> Result<(), ReadError> {
    // A line ends with one of the two or with both.
    let lines = text::count(source, b'\n').max(text::count(source, b'\r'));
    if lines <= YAML_LINES_MAX {
        return Ok(());
    }
    Err(too_many("lines", YAML_LINES_MAX, Span::default()))
}

/// How many comments a YAML text has. They are not part of a packet.
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

/// A collection whose end has not come yet.
struct OpenCollection {
    node: usize,
    is_object: bool,
    /// In an object: whether the next node is a name.
    wants_name: bool,
    names: super::names::Names,
}

impl<'s> Reader<'s> {
    fn event(&mut self, event: Event<'s>, span: Span) -> Result<(), ReadError> {
        match event {
            Event::DocumentStart(..) if self.has_document => Err(ReadError::new(
                Code::YamlDocuments,
                span,
                "the file holds more than one YAML document",
            )
            .hint("a packet is one document: split the file")),
            Event::DocumentStart(..) => {
                self.has_document = true;
                Ok(())
            }
            Event::Scalar(value, style, ..) => self.scalar(value, style, span),
            Event::SequenceStart(..) => self.start(false, span),
            Event::MappingStart(..) => self.start(true, span),
            Event::Anchor(..) => {
                Err(ReadError::new(Code::YamlAnchor, span, "a YAML anchor is not read in a packet")
                    .hint("write the value out; for text that begins with `&`, use quotes"))
            }
            Event::SequenceEnd | Event::MappingEnd => {
                self.end(span);
                Ok(())
            }
            Event::Alias(_) | Event::UnresolvedAlias(_) => {
                Err(ReadError::new(Code::YamlAlias, span, "a YAML alias is not read in a packet")
                    .hint("write the value out; for text that begins with `*`, use quotes"))
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
        // Quotes, escapes and folding shift the bytes, so the whole scalar is the place.
        text::check(&value, |_| span)?;
        if self.open.last().is_some_and(|open| open.is_object && open.wants_name) {
            return self.name(value, style, span);
        }
        let content = match style {
            ScalarStyle::Plain => Content::Plain(value),
            _ => Content::Text(value),
        };
        self.value_follows();
        self.builder.scalar(content, span)
    }

    fn name(
        &mut self,
        name: Cow<'s, str>,
        style: ScalarStyle,
        span: Span,
    ) -> Result<(), ReadError> {
        if name == "<<" && matches!(style, ScalarStyle::Plain) {
            return Err(ReadError::new(
                Code::YamlMerge,
                span,
                "a YAML merge key is not read in a packet",
            )
            .hint("write the members out"));
        }
        text::check_name(&name, span)?;
        let Some(open) = self.open.last_mut() else { return Ok(()) };
        if open.names.is_repeated(&self.builder, open.node, &name) {
            let message = format!("the key `{}` stands twice in one mapping", shorten::text(&name));
            return Err(ReadError::new(Code::YamlDuplicate, span, message)
                .hint("keep one of them; readers disagree on which of the two counts"));
        }
        open.wants_name = false;
        self.builder.scalar(Content::Text(name), span)
    }

    fn start(&mut self, is_object: bool, span: Span) -> Result<(), ReadError> {
        if self.open.last().is_some_and(|open| open.is_object && open.wants_name) {
            return Err(ReadError::new(
                Code::YamlKey,
                span,
                "a YAML key that is a list or a mapping",
            )
            .hint("keys are text; quote it if it begins with a bracket"));
        }
        self.value_follows();
        let content = if is_object { Content::Object } else { Content::List };
        let node = self.builder.open(content, span)?;
        let names = super::names::Names::default();
        self.open.push(OpenCollection { node, is_object, wants_name: is_object, names });
        Ok(())
    }

    fn end(&mut self, span: Span) {
        if let Some(open) = self.open.pop() {
            self.builder.close(open.node, span.end);
        }
    }

    /// The node that comes now is a value, so a name comes next.
    fn value_follows(&mut self) {
        self.has_node = true;
        if let Some(open) = self.open.last_mut() {
            open.wants_name = open.is_object;
        }
    }
}

fn tagged(span: Span) -> ReadError {
    ReadError::new(Code::YamlTag, span, "a YAML tag is not read in a packet")
        .hint("remove the tag; for text that begins with `!`, use quotes")
}

/// Gives every plain scalar its type.
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

/// What a plain scalar is expected to be.
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
        // Where a text is one of the alternatives, a scalar is that text, unless a number may
        // stand there too.
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

/// In a field that is a number, any JSON spelling of it counts: `0.70` is 0.7 there.
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
            ReadError::new(Code::YamlTag, span, "a YAML directive is not read in a packet")
                .hint("remove the line that begins with `%`")
        }
        _ => ReadError::new(Code::YamlSyntax, span, error.info())
            .hint("check the indentation, and put text with `: ` or ` #` in quotes"),
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
    fn elsewhere_a_number_is_only_its_canonical_spelling() {
        check(
            "context: {a: 22, b: 1.10, c: 012, d: no, e: 1e3, f: 0.74, g: true, h: null, i: '22'}",
            r#"{"context":{"a":22,"b":"1.10","c":"012","d":"no","e":"1e3","f":0.74,"g":true,"h":null,"i":"22"}}"#,
        );
    }

    #[test]
    fn what_runs_or_repeats_is_refused() {
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
