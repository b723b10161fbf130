//! Reads JSON into a document, in one pass, with positions, duplicate checks and exact numbers.
//!
//! No library keeps the position of every value and the text of every number and also bounds depth
//! and count (`docs/decisions/0002-own-json-reader.md`).

use std::borrow::Cow;

use super::names::Names;
use super::text;
use crate::document::escape::{plain_ascii_length, plain_length};
use crate::document::number::Number;
use crate::document::{Builder, Content, Document, ReadError};
use crate::violation::{Code, Span, shorten};

/// Reads one JSON document.
pub(crate) fn read(source: &str) -> Result<Document<'_>, ReadError> {
    let mut reader = Reader {
        source,
        bytes: source.as_bytes(),
        at: 0,
        // Measured on packets: a name or a value takes at least 12 bytes of source.
        builder: Builder::with_capacity(source.len() / 12 + 8),
    };
    reader.skip_space();
    reader.value()?;
    reader.skip_space();
    if reader.at < reader.bytes.len() {
        return Err(reader.syntax("unexpected content after the end of the document"));
    }
    Ok(reader.builder.finish())
}

struct Reader<'s> {
    source: &'s str,
    bytes: &'s [u8],
    at: usize,
    builder: Builder<'s>,
}

impl<'s> Reader<'s> {
    fn value(&mut self) -> Result<(), ReadError> {
        match self.peek() {
            Some(b'{') => self.object(),
            Some(b'[') => self.list(),
            Some(b'"') => self.text(),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Content::Flag(true)),
            Some(b'f') => self.word("false", Content::Flag(false)),
            Some(b'n') => self.word("null", Content::Null),
            Some(_) => Err(self.syntax("expected a value")),
            None => Err(self.syntax("unexpected end of the document: expected a value")),
        }
    }

    /// Consumes the opening bracket of an object or a list.
    fn open(&mut self, content: Content<'s>) -> Result<usize, ReadError> {
        let start = self.at;
        self.at += 1;
        let opened = self.builder.open(content, self.span_from(start))?;
        self.skip_space();
        Ok(opened)
    }

    fn object(&mut self) -> Result<(), ReadError> {
        let opened = self.open(Content::Object)?;
        // Uses a set for many members, so that a hostile object takes linear time.
        let mut names = Names::default();
        if self.peek() != Some(b'}') {
            loop {
                self.member(opened, &mut names)?;
                self.skip_space();
                match self.peek() {
                    Some(b',') => self.at += 1,
                    Some(b'}') => break,
                    _ => return Err(self.syntax("expected `,` or `}` after a member")),
                }
                self.skip_space();
            }
        }
        self.at += 1;
        self.builder.close(opened, self.offset());
        Ok(())
    }

    fn member(&mut self, opened: usize, names: &mut Names) -> Result<(), ReadError> {
        if self.peek() != Some(b'"') {
            return Err(self.syntax("expected a member name in double quotes"));
        }
        let start = self.at;
        if let Some(name) = self.plain_string() {
            let span = self.span_from(start);
            self.name(opened, names, name, span)?;
            self.builder.plain_text(name, span)?;
        } else {
            let name = self.unusual_string(start + 1)?;
            let span = self.span_from(start);
            self.name(opened, names, &name, span)?;
            self.builder.scalar(Content::Text(name), span)?;
        }
        self.skip_space();
        if self.peek() != Some(b':') {
            return Err(self.syntax("expected `:` after a member name"));
        }
        self.at += 1;
        self.skip_space();
        self.value()
    }

    /// Rejects a name that is too long or a duplicate.
    fn name(
        &self,
        opened: usize,
        names: &mut Names,
        name: &str,
        span: Span,
    ) -> Result<(), ReadError> {
        text::check_name(name, span)?;
        if !names.is_repeated(&self.builder, opened, name) {
            return Ok(());
        }
        let message = format!("duplicate key `{}`", shorten::text(name));
        Err(ReadError::new(Code::JsonDuplicate, span, message)
            .hint("remove one of them: readers disagree on which one counts"))
    }

    fn list(&mut self) -> Result<(), ReadError> {
        let opened = self.open(Content::List)?;
        if self.peek() != Some(b']') {
            loop {
                self.value()?;
                self.skip_space();
                match self.peek() {
                    Some(b',') => self.at += 1,
                    Some(b']') => break,
                    _ => return Err(self.syntax("expected `,` or `]` after an item")),
                }
                self.skip_space();
            }
        }
        self.at += 1;
        self.builder.close(opened, self.offset());
        Ok(())
    }

    fn text(&mut self) -> Result<(), ReadError> {
        let start = self.at;
        if let Some(text) = self.plain_string() {
            return self.builder.plain_text(text, self.span_from(start));
        }
        let text = self.unusual_string(start + 1)?;
        self.builder.scalar(Content::Text(text), self.span_from(start))
    }

    /// Reads a string of plain ASCII; on any other byte, stops there and returns `None`.
    fn plain_string(&mut self) -> Option<&'s str> {
        let start = self.at + 1;
        self.at = start + plain_ascii_length(&self.bytes[start..]);
        // NUL is a control character, and all other forbidden characters are not ASCII.
        if self.peek() == Some(b'"') {
            let text = &self.source[start..self.at];
            self.at += 1;
            return Some(text);
        }
        None
    }

    /// Reads the rest of a string that has escapes or is not ASCII.
    #[cold]
    fn unusual_string(&mut self, start: usize) -> Result<Cow<'s, str>, ReadError> {
        self.at += plain_length(&self.bytes[self.at..]);
        match self.peek() {
            Some(b'"') => {
                let text = &self.source[start..self.at];
                text::check(text, |bytes| Span {
                    start: offset(start + bytes.start),
                    end: offset(start + bytes.end),
                })?;
                self.at += 1;
                Ok(Cow::Borrowed(text))
            }
            Some(b'\\') => self.escaped_string(start).map(Cow::Owned),
            Some(_) => Err(self.control()),
            None => Err(self.syntax("unterminated string")),
        }
    }

    /// Reads the rest of a string that has at least one escape.
    fn escaped_string(&mut self, start: usize) -> Result<String, ReadError> {
        let mut text = self.source[start..self.at].to_owned();
        loop {
            match self.bytes.get(self.at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    let character = self.escape()?;
                    text.push(character);
                }
                Some(0..=0x1f) => return Err(self.control()),
                Some(_) => {
                    let end = self.at + plain_length(&self.bytes[self.at..]);
                    text.push_str(&self.source[self.at..end]);
                    self.at = end;
                }
                None => return Err(self.syntax("unterminated string")),
            }
        }
        self.at += 1;
        // Escapes shift the offsets, so the span is the whole string.
        text::check(&text, |_| self.span_from(start - 1))?;
        Ok(text)
    }

    fn escape(&mut self) -> Result<char, ReadError> {
        let start = self.at;
        self.at += 2;
        let character = match self.bytes.get(start + 1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(start),
            _ => {
                self.at = start;
                return Err(self.syntax("invalid escape in a string"));
            }
        };
        Ok(character)
    }

    fn unicode_escape(&mut self, start: usize) -> Result<char, ReadError> {
        let first = self.hex4()?;
        let scalar = match first {
            0xd800..=0xdbff if self.bytes[self.at..].starts_with(b"\\u") => {
                self.at += 2;
                let second = self.hex4()?;
                // An unpaired surrogate stays invalid and is rejected below.
                if (0xdc00..=0xdfff).contains(&second) {
                    0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00)
                } else {
                    first
                }
            }
            other => other,
        };
        match char::from_u32(scalar) {
            Some('\0') => Err(text::nul(self.span_from(start))),
            Some(character) => Ok(character),
            None => Err(ReadError::new(
                Code::TextSurrogate,
                self.span_from(start),
                "unpaired surrogate in a string",
            )),
        }
    }

    fn hex4(&mut self) -> Result<u32, ReadError> {
        let digits = self.source.get(self.at..self.at + 4);
        let digits = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let Some(scalar) = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) else {
            return Err(self.syntax("`\\u` must be followed by four hex digits"));
        };
        self.at += 4;
        Ok(scalar)
    }

    fn number(&mut self) -> Result<(), ReadError> {
        let start = self.at;
        let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
        let length = self.bytes[start..].iter().take_while(|byte| is_part(byte)).count();
        let text = &self.source[start..start + length];
        if !is_json_number(text.as_bytes()) {
            return Err(self.syntax("invalid number"));
        }
        self.at += length;
        let span = self.span_from(start);
        let number = Number::parse(text).map_err(|code| text::number(code, text, span))?;
        self.builder.scalar(Content::Number(number), span)
    }

    fn word(&mut self, word: &str, content: Content<'s>) -> Result<(), ReadError> {
        if !self.bytes[self.at..].starts_with(word.as_bytes()) {
            return Err(self.syntax("expected a value"));
        }
        let start = self.at;
        self.at += word.len();
        self.builder.scalar(content, self.span_from(start))
    }

    #[inline]
    fn skip_space(&mut self) {
        // JSON between programs has no white space.
        if self.peek().is_some_and(|byte| byte <= b' ') {
            self.skip_spaces();
        }
    }

    fn skip_spaces(&mut self) {
        let is_space = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        let length = self.bytes[self.at..].iter().take_while(is_space).count();
        self.at += length;
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    #[cold]
    fn control(&self) -> ReadError {
        match self.peek() {
            Some(0) => text::nul(self.span_here()),
            _ => self.syntax("control character in a string: write it as an escape"),
        }
    }

    #[cold]
    fn syntax(&self, message: &str) -> ReadError {
        ReadError::new(Code::JsonSyntax, self.span_here(), message)
    }

    fn offset(&self) -> u32 {
        offset(self.at)
    }

    fn span_here(&self) -> Span {
        let end = self.source[self.at..].chars().next().map_or(self.at, |c| self.at + c.len_utf8());
        Span { start: self.offset(), end: offset(end) }
    }

    fn span_from(&self, start: usize) -> Span {
        Span { start: offset(start), end: self.offset() }
    }
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).expect("a source is at most PACKET_BYTES_MAX long")
}

pub(crate) fn is_json_number(text: &[u8]) -> bool {
    let (whole, rest) = split_digits(text.strip_prefix(b"-").unwrap_or(text));
    if whole.is_empty() || (whole.len() > 1 && whole[0] == b'0') {
        return false;
    }
    let rest = match rest.strip_prefix(b".").map(split_digits) {
        Some(([], _)) => return false,
        Some((_, rest)) => rest,
        None => rest,
    };
    match rest.split_first() {
        None => true,
        Some((b'e' | b'E', signed)) => {
            let digits = signed.strip_prefix(b"+").or(signed.strip_prefix(b"-")).unwrap_or(signed);
            matches!(split_digits(digits), ([_, ..], []))
        }
        Some(_) => false,
    }
}

fn split_digits(text: &[u8]) -> (&[u8], &[u8]) {
    let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    text.split_at(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: &str) {
        let shown = match read(source) {
            Ok(document) => document.to_value().to_string(),
            Err(error) => {
                let details = error.into_details();
                format!("{} at {}", details.code, details.span.start)
            }
        };
        assert_eq!(shown, expected, "{}", shorten::text(source));
    }

    #[test]
    fn a_string_of_any_length_ends_at_its_quote() {
        for length in 0..20 {
            let plain = "é".repeat(length % 3) + &"x".repeat(length);
            check(&format!("[\"{plain}\",1]"), &format!("[\"{plain}\",1]"));
            check(&format!("[\"{plain}\\n{plain}\"]"), &format!("[\"{plain}\\n{plain}\"]"));
            let at = plain.len() + 2;
            check(&format!("[\"{plain}\u{1}{plain}\"]"), &format!("TK-JSON-SYNTAX at {at}"));
            check(&format!("[\"{plain}\u{0}{plain}\"]"), &format!("TK-TEXT-NUL at {at}"));
            check(&format!("[\"{plain}\u{202e}{plain}\"]"), &format!("TK-TEXT-HIDDEN at {at}"));
            check(&format!("[\"{plain}"), &format!("TK-JSON-SYNTAX at {at}"));
        }
    }

    #[test]
    fn a_name_has_a_length_limit() {
        let longest = "é".repeat(1_000);
        check(&format!("{{\"{longest}\":1}}"), &format!("{{\"{longest}\":1}}"));
        check(&format!("{{\"{longest}x\":1}}"), "TK-FIELD-LENGTH at 1");
    }

    #[test]
    fn a_duplicate_is_found_in_an_object_of_any_size() {
        for count in [1, 2, 47, 48, 49, 50, 300] {
            let names: Vec<_> = (0..count).map(|n| format!("\"name{n}\":0")).collect();
            let source = format!("{{{}", names.join(","));
            let at = source.len() + 1;
            check(
                &format!("{source},\"name{}\":1}}", count / 2),
                &format!("TK-JSON-DUPLICATE at {at}"),
            );
            // Same length, first, middle and last byte as another name.
            assert!(read(&format!("{source},\"nbme0\":1}}")).is_ok());
        }
    }
}
