//! Checks of texts and numbers that are the same in every form.

use std::ops::Range;

use crate::document::ReadError;
use crate::document::limits::{INTEGER_MAX, MEMBER_NAME_CHARS_MAX};
use crate::violation::{Code, Span, shorten};

/// Rejects characters that a packet must not contain; `span_of` maps a byte range of the text.
pub(crate) fn check(text: &str, span_of: impl Fn(Range<usize>) -> Span) -> Result<(), ReadError> {
    // Almost no text has one of these bytes. The fixed-size chunks let the compiler vectorize the
    // search.
    let suspicious = |byte: &u8| matches!(byte, 0 | 0xe2 | 0xf3);
    let any_in = |piece: &[u8]| piece.iter().fold(false, |any, byte| any | suspicious(byte));
    if !text.as_bytes().chunks(64).any(any_in) {
        return Ok(());
    }
    for (at, character) in text.char_indices() {
        let span = || span_of(at..at + character.len_utf8());
        match character {
            '\0' => return Err(nul(span())),
            // Embeddings and overrides make a text look different to the person who decides.
            // Isolates and marks are allowed, because ordinary right-to-left text needs them.
            '\u{202a}'..='\u{202e}' | '\u{e0000}'..='\u{e007f}' => {
                let scalar = u32::from(character);
                let message = format!("invisible character U+{scalar:04X} in a text");
                return Err(ReadError::new(Code::TextHidden, span(), message).hint(
                    "remove it: it makes the text look different to the person who decides",
                ));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Rejects a member name that is too long.
#[inline]
pub(crate) fn check_name(name: &str, span: Span) -> Result<(), ReadError> {
    // A name has at most as many characters as bytes, so most names need no count.
    if name.len() <= MEMBER_NAME_CHARS_MAX { Ok(()) } else { check_long_name(name, span) }
}

fn check_long_name(name: &str, span: Span) -> Result<(), ReadError> {
    if name.chars().nth(MEMBER_NAME_CHARS_MAX).is_none() {
        return Ok(());
    }
    let message = format!(
        "the key `{}` is longer than {MEMBER_NAME_CHARS_MAX} characters",
        shorten::text(name)
    );
    Err(ReadError::new(Code::FieldLength, span, message).hint("move the content into the value"))
}

pub(crate) fn nul(span: Span) -> ReadError {
    ReadError::new(Code::TextNul, span, "NUL character (U+0000) in a text")
}

pub(crate) fn number(code: Code, text: &str, span: Span) -> ReadError {
    let text = shorten::text(text);
    let message = match code {
        Code::NumberRange => format!("{text} is outside the range of exact integers"),
        _ => format!("{text} has more digits than a JSON number keeps"),
    };
    let hint = match code {
        Code::NumberRange => {
            "put it in quotes, or keep it between -9007199254740991 and 9007199254740991"
        }
        _ => "put it in quotes, or use fewer digits",
    };
    debug_assert_eq!(INTEGER_MAX, 9_007_199_254_740_991);
    ReadError::new(code, span, message).hint(hint)
}

/// Counts a byte in a text.
pub(crate) fn count(text: &str, wanted: u8) -> usize {
    // Chunks whose count fits into a byte let the compiler vectorize the count.
    let pieces = text.as_bytes().chunks(usize::from(u8::MAX));
    pieces.map(|piece| usize::from(piece.iter().map(|&b| u8::from(b == wanted)).sum::<u8>())).sum()
}
