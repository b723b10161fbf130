//! JSON into a document: one pass, with positions, duplicates and exact numbers.
//!
//! A reader of our own, because none of the known ones keeps the place of every value, the text of
//! every number and a bound on depth and count at once (`docs/decisions/0002-own-json-reader.md`).

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
        // Measured on packets: a name or a value takes 12 bytes of source or more.
        builder: Builder::with_capacity(source.len() / 12 + 8),
    };
    reader.skip_space();
    reader.value()?;
    reader.skip_space();
    if reader.at < reader.bytes.len() {
        return Err(reader.syntax("something follows after the end of the document"));
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
            None => Err(self.syntax("the document ends where a value should stand")),
        }
    }

    /// Goes past the bracket of an object or a list.
    fn open(&mut self, content: Content<'s>) -> Result<usize, ReadError> {
        let start = self.at;
        self.at += 1;
        let opened = self.builder.open(content, self.span_from(start))?;
        self.skip_space();
        Ok(opened)
    }

    fn object(&mut self) -> Result<(), ReadError> {
        let opened = self.open(Content::Object)?;
        // A set from a number of members on, so that a hostile object costs no more than its size.
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

    /// Refuses a name that is too long or stands in the object already.
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
        let message = format!("the member `{}` stands twice in one object", shorten::text(name));
        Err(ReadError::new(Code::JsonDuplicate, span, message)
            .hint("keep one of them; readers disagree on which of the two counts"))
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

    /// A string that is plain ASCII up to its closing quote; else it is read as far as it is that.
    fn plain_string(&mut self) -> Option<&'s str> {
        let start = self.at + 1;
        self.at = start + plain_ascii_length(&self.bytes[start..]);
        // NUL is a control character, and whatever else is refused is not ASCII.
        if self.peek() == Some(b'"') {
            let text = &self.source[start..self.at];
            self.at += 1;
            return Some(text);
        }
        None
    }

    /// The rest of a string that is not plain ASCII up to its closing quote.
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
            None => Err(self.syntax("a text is not closed")),
        }
    }

    /// The rest of a string that has at least one escape.
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
                None => return Err(self.syntax("a text is not closed")),
            }
        }
        self.at += 1;
        // Escapes shift the bytes, so the whole text is the place.
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
                return Err(self.syntax("an escape that JSON does not know"));
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
                // An unpaired half stays invalid and is refused below.
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
                "a text has half of a surrogate pair, which is no character",
            )),
        }
    }

    fn hex4(&mut self) -> Result<u32, ReadError> {
        let digits = self.source.get(self.at..self.at + 4);
        let digits = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let Some(scalar) = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) else {
            return Err(self.syntax("`\\u` needs four hex digits"));
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
            return Err(self.syntax("a number that JSON does not know"));
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
        // Programs write none to each other.
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
            _ => self.syntax("a control character inside a text; write it as an escape"),
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
    fn a_text_ends_at_its_quote_wherever_that_stands() {
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
    fn a_name_has_a_longest() {
        let longest = "é".repeat(1_000);
        check(&format!("{{\"{longest}\":1}}"), &format!("{{\"{longest}\":1}}"));
        check(&format!("{{\"{longest}x\":1}}"), "TK-FIELD-LENGTH at 1");
    }

    #[test]
    fn a_name_stands_once_however_many_there_are() {
        for count in [1, 2, 47, 48, 49, 50, 300] {
            let names: Vec<_> = (0..count).map(|n| format!("\"name{n}\":0")).collect();
            let source = format!("{{{}", names.join(","));
            let at = source.len() + 1;
            check(
                &format!("{source},\"name{}\":1}}", count / 2),
                &format!("TK-JSON-DUPLICATE at {at}"),
            );
            // The same length, first, middle and last byte as another one.
            assert!(read(&format!("{source},\"nbme0\":1}}")).is_ok());
        }
    }
}
