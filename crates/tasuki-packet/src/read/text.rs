//! What every form refuses inside a text, and the words for it.

use std::ops::Range;

use crate::document::ReadError;
use crate::document::limits::{INTEGER_MAX, MEMBER_NAME_CHARS_MAX};
use crate::violation::{Code, Span, shorten};

/// Refuses characters that no packet may carry. `place` says where the bytes of the text stand.
pub(crate) fn check(text: &str, place: impl Fn(Range<usize>) -> Span) -> Result<(), ReadError> {
    // A quick look at the bytes first: almost every text has none of them. In pieces, each to its
    // end, so that the compiler compares many bytes at once.
    let suspicious = |byte: &u8| matches!(byte, 0 | 0xe2 | 0xf3);
    let any_in = |piece: &[u8]| piece.iter().fold(false, |any, byte| any | suspicious(byte));
    if !text.as_bytes().chunks(64).any(any_in) {
        return Ok(());
    }
    for (at, character) in text.char_indices() {
        let span = || place(at..at + character.len_utf8());
        match character {
            '\0' => return Err(nul(span())),
            // Embeddings and overrides make a text look like another one to the person who decides.
            // Isolates and marks stay: honest right-to-left text uses them.
            '\u{202a}'..='\u{202e}' | '\u{e0000}'..='\u{e007f}' => {
                let scalar = u32::from(character);
                let message = format!("a text has the invisible character U+{scalar:04X}");
                return Err(ReadError::new(Code::TextHidden, span(), message).hint(
                    "remove it: it makes a text look like another one to whoever must decide",
                ));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Refuses a member's name that is too long to be one.
#[inline]
pub(crate) fn check_name(name: &str, span: Span) -> Result<(), ReadError> {
    // A name has at most as many characters as bytes, so most names need no counting.
    if name.len() <= MEMBER_NAME_CHARS_MAX { Ok(()) } else { check_long_name(name, span) }
}

fn check_long_name(name: &str, span: Span) -> Result<(), ReadError> {
    if name.chars().nth(MEMBER_NAME_CHARS_MAX).is_none() {
        return Ok(());
    }
    let message = format!(
        "the name `{}` has more than {MEMBER_NAME_CHARS_MAX} characters",
        shorten::text(name)
    );
    Err(ReadError::new(Code::FieldLength, span, message).hint("move the content into the value"))
}

pub(crate) fn nul(span: Span) -> ReadError {
    ReadError::new(Code::TextNul, span, "a text has the character U+0000")
}

pub(crate) fn number(code: Code, text: &str, span: Span) -> ReadError {
    let text = shorten::text(text);
    let message = match code {
        Code::NumberRange => format!("{text} is beyond the integers that JSON keeps exactly"),
        _ => format!("{text} has more digits than its canonical form can carry"),
    };
    let hint = match code {
        Code::NumberRange => "write it as text in quotes, or stay within 9007199254740991",
        _ => "write it as text in quotes, or with fewer digits",
    };
    debug_assert_eq!(INTEGER_MAX, 9_007_199_254_740_991);
    ReadError::new(code, span, message).hint(hint)
}

/// How often a byte stands in a text.
pub(crate) fn count(text: &str, wanted: u8) -> usize {
    // In short pieces whose count fits a byte: so the compiler compares many bytes at once.
    let pieces = text.as_bytes().chunks(usize::from(u8::MAX));
    pieces.map(|piece| usize::from(piece.iter().map(|&b| u8::from(b == wanted)).sum::<u8>())).sum()
}
