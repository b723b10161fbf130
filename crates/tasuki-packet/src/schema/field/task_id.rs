//! The ids of tasks: safe to print, to paste into a command line and to put into a file name.
//!
//! An id comes from another party and is printed as an argument of commands, so its characters are
//! limited. A packet with another id is refused. A document of another system cannot be changed, so
//! its import derives an id instead: the same id for the same original, every time.

use unicode_general_category::{GeneralCategory as Category, get_general_category};
use unicode_normalization::{UnicodeNormalization as _, is_nfc};

use crate::canonical::digest_of_bytes;
use crate::document::limits::TASK_ID_BYTES_MAX;

/// LIMIT: hex digits of the hash in a derived id.
const HASH_DIGITS: usize = 8;

/// The slug of a text that has no letter and no digit.
const SLUG_DEFAULT: &str = "task";

/// Returns `true` if `text` is a task id: letters, marks and digits of any script in NFC, and
/// `._:/#-`, beginning with a letter or digit.
pub(super) fn holds(text: &str) -> bool {
    text.len() <= TASK_ID_BYTES_MAX
        && text.chars().next().is_some_and(is_first)
        && text.chars().all(is_allowed)
        && (text.is_ascii() || is_nfc(text))
}

/// Derives a task id from any text: a slug, a hyphen and 8 hex digits of the text's SHA-256.
///
/// Returns `None` for a blank text, which identifies nothing.
///
/// ```
/// use tasuki_packet::schema::field::derive_task_id;
///
/// let id = derive_task_id("Build 42; touch pwned #").unwrap();
/// assert_eq!(id, "Build-42-touch-pwned-9806ce4b");
/// assert_eq!(derive_task_id("  "), None);
/// ```
pub fn derive(text: &str) -> Option<String> {
    if text.trim().is_empty() {
        return None;
    }
    let digest = digest_of_bytes(text.as_bytes());
    let hash = digest.trim_start_matches("sha256:");
    Some(format!("{}-{}", slug(text), &hash[..HASH_DIGITS]))
}

/// Replaces every run of other characters with one hyphen.
fn slug(text: &str) -> String {
    let mut slug = String::new();
    for character in text.nfc() {
        if slug.len() + character.len_utf8() > TASK_ID_BYTES_MAX - HASH_DIGITS - 1 {
            break;
        }
        match slug.chars().next_back() {
            None if is_first(character) => slug.push(character),
            Some(_) if is_allowed(character) => slug.push(character),
            Some(last) if last != '-' => slug.push('-'),
            None | Some(_) => {}
        }
    }
    // Removing a character may have brought two together that compose.
    let slug: String = slug.trim_end_matches(is_punctuation).nfc().collect();
    if slug.is_empty() { SLUG_DEFAULT.to_owned() } else { slug }
}

fn is_first(character: char) -> bool {
    is_letter_or_digit(character) && !is_invisible(character)
}

fn is_allowed(character: char) -> bool {
    is_punctuation(character)
        || (is_letter_or_digit(character) || is_mark(character)) && !is_invisible(character)
}

fn is_punctuation(character: char) -> bool {
    matches!(character, '.' | '_' | ':' | '/' | '#' | '-')
}

fn is_letter_or_digit(character: char) -> bool {
    character.is_ascii_alphanumeric()
        || !character.is_ascii()
            && matches!(
                get_general_category(character),
                Category::UppercaseLetter
                    | Category::LowercaseLetter
                    | Category::TitlecaseLetter
                    | Category::ModifierLetter
                    | Category::OtherLetter
                    | Category::DecimalNumber
            )
}

/// Returns `true` for a mark. Many scripts cannot write a word without them.
fn is_mark(character: char) -> bool {
    !character.is_ascii()
        && matches!(
            get_general_category(character),
            Category::NonspacingMark | Category::SpacingMark | Category::EnclosingMark
        )
}

/// Returns `true` for the letters and marks that Unicode shows as nothing: two ids that differ only
/// in one of them look the same.
fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{34f}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180b}'..='\u{180d}'
            | '\u{180f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{ffa0}'
            | '\u{e0100}'..='\u{e01ef}'
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_derived_id_shows_what_it_was_derived_from() {
        let derived: Vec<String> = [
            "Build 42",
            "build-42; touch pwned #",
            "../../etc/passwd",
            "Prüfung der Größe",
            "cafe\u{301}",
            "🤝",
            "\u{1b}]0;x\u{7}",
        ]
        .iter()
        .filter_map(|text| derive(text))
        .collect();
        insta::assert_snapshot!(derived.join("\n"), @"
        Build-42-28f0af42
        build-42-touch-pwned-c72a850d
        etc/passwd-3754d6cb
        Prüfung-der-Größe-cc1b18fe
        café-81ef060b
        task-68b979d6
        0-x-7c254a4b
        ");
    }

    #[test]
    fn blank_texts_have_no_id() {
        for text in ["", " ", "\n\t", "\u{a0}"] {
            assert_eq!(derive(text), None, "{text:?}");
        }
    }

    #[test]
    fn letters_that_meet_in_a_slug_are_composed() {
        // The character between the letter and its accent is dropped.
        let derived = derive("e\u{fe0f}\u{301}").unwrap();
        assert!(holds(&derived), "{derived}");
    }

    proptest! {
        #[test]
        fn every_derived_id_is_valid_and_the_same_each_time(text in any::<String>()) {
            if let Some(derived) = derive(&text) {
                prop_assert!(holds(&derived), "{derived:?} of {text:?}");
                prop_assert_eq!(derive(&text), Some(derived));
            }
        }

        #[test]
        fn marks_and_jamo_derive_a_valid_id(
            text in "[a\u{300}-\u{36f}\u{1100}-\u{11ff}\u{ac00}-\u{ac10}\u{fe0f} ]{1,200}"
        ) {
            if let Some(derived) = derive(&text) {
                prop_assert!(holds(&derived), "{derived:?} of {text:?}");
            }
        }

        #[test]
        fn ids_that_are_valid_already_need_no_other(text in "[a-z0-9][a-zA-Z0-9._:/#-]{0,127}") {
            prop_assert!(holds(&text));
        }
    }
}
