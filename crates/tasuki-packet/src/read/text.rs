//! What every form refuses inside a text, and the words for it.

use std::ops::Range;

use crate::limits::INTEGER_MAX;
use crate::tree::Refused;
use crate::violation::{Code, Span};

/// Refuses characters that no packet may carry. `place` says where the bytes of the text stand.
pub(crate) fn check(text: &str, place: impl Fn(Range<usize>) -> Span) -> Result<(), Refused> {
    // A quick look at the bytes first: almost every text has none of them.
    let suspicious = |byte: &u8| matches!(byte, 0 | 0xe2 | 0xf3);
    if !text.as_bytes().iter().any(suspicious) {
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
                return Err(Refused::new(Code::TextHidden, span(), message).hint(
                    "remove it: it makes a text look like another one to whoever must decide",
                ));
            }
            _ => {}
        }
    }
    Ok(())
}

pub(crate) fn nul(span: Span) -> Refused {
    Refused::new(Code::TextNul, span, "a text has the character U+0000")
}

pub(crate) fn number(code: Code, text: &str, span: Span) -> Refused {
    let text = shorten(text);
    let message = match code {
        Code::NumberRange => format!("{text} is beyond the integers that JSON keeps exactly"),
        _ => format!("{text} has more digits than its canonical form can carry"),
    };
    let hint = match code {
        Code::NumberRange => "write it as text in quotes, or stay within 9007199254740991",
        _ => "write it as text in quotes, or with fewer digits",
    };
    debug_assert_eq!(INTEGER_MAX, 9_007_199_254_740_991);
    Refused::new(code, span, message).hint(hint)
}

/// A text cut for a message.
pub(crate) fn shorten(text: &str) -> String {
    const SHOWN_CHARS_MAX: usize = 60;
    let mut shown = String::new();
    for (count, character) in text.chars().enumerate() {
        if count == SHOWN_CHARS_MAX {
            shown.push('…');
            break;
        }
        if character.is_control() {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}
