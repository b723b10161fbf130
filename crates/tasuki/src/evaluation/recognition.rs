//! Finds the fields of a packet in prose, by cue words in its sentences.
//!
//! The recognizer stands for what a program can do with a note: it knows no meaning. A field counts
//! as recognized only if the cue is in a sentence that really states it, so a lucky cue elsewhere
//! does not count.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use super::Case;
use super::cues::CUES;

static COMPILED: LazyLock<Vec<(&'static str, Regex)>> = LazyLock::new(|| {
    let compile = |pattern: &str| Regex::new(&format!("(?i){pattern}"));
    CUES.iter().map(|(field, cue)| (*field, compile(cue).expect("a cue is a constant"))).collect()
});

/// The fields that the recognizer found in the note of a case.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Recognition {
    /// Fields that a sentence states and whose cue is in it.
    pub(crate) found: BTreeSet<&'static str>,
    /// Fields with a cue somewhere, but in no sentence that states them.
    pub(crate) wrong: BTreeSet<&'static str>,
}

impl Recognition {
    /// Returns the fields that the recognizer finds in the note of a case.
    pub(crate) fn of(case: &Case) -> Self {
        let mut words: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for stated in &case.stated {
            let all = stated.words.iter().map(String::as_str);
            words.entry(stated.field()).or_default().extend(all);
        }
        let sentences = sentences(&case.prose);
        let mut recognition = Self::default();
        for (field, cue) in COMPILED.iter() {
            let stated = words.get(field).map_or(&[][..], Vec::as_slice);
            let mut cued = sentences.iter().filter(|sentence| cue.is_match(sentence)).peekable();
            if cued.peek().is_none() {
                continue;
            }
            let is_right = cued.any(|sentence| stated.iter().any(|words| overlap(sentence, words)));
            let fields = if is_right { &mut recognition.found } else { &mut recognition.wrong };
            fields.insert(*field);
        }
        recognition
    }
}

/// Returns `true` if one contains the other: quoted words may be a part of a sentence, or several.
fn overlap(sentence: &str, words: &str) -> bool {
    sentence.contains(words) || words.contains(sentence)
}

/// Splits a text into sentences: at line ends, and at `.`, `!` and `?` before white space. A number
/// such as `6.9` has no white space after its point and stays whole.
fn sentences(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    for line in text.lines() {
        let mut start = 0;
        let mut characters = line.char_indices().peekable();
        while let Some((at, character)) = characters.next() {
            let is_end = matches!(character, '.' | '!' | '?' | ';');
            if is_end && characters.peek().is_none_or(|(_, next)| next.is_whitespace()) {
                let end = at + character.len_utf8();
                sentences.push(line[start..end].trim());
                start = end;
            }
        }
        sentences.push(line[start..].trim());
    }
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

#[cfg(test)]
mod tests {
    use tasuki_packet::schema::field;

    use super::*;
    use crate::evaluation::case::tests::sample;

    #[test]
    fn every_cue_is_for_a_field_and_compiles() {
        for (name, _) in COMPILED.iter() {
            assert!(field::index_of(name).is_some(), "{name}");
        }
    }

    #[test]
    fn sentences_end_before_white_space() {
        assert_eq!(
            sentences("It is 6.9 kg. See a.rs!\n\nAna"),
            ["It is 6.9 kg.", "See a.rs!", "Ana"]
        );
    }

    #[test]
    fn a_field_is_recognized_in_the_sentence_that_states_it() {
        let recognition = Recognition::of(&sample());
        for field in ["task_id", "to_agent", "completed", "constraints", "acceptance"] {
            assert!(recognition.found.contains(field), "{field}: {recognition:?}");
        }
        // "Please" asks for something, but the packet has no such field.
        assert!(recognition.wrong.contains("next_request"), "{recognition:?}");
        assert!(!recognition.found.contains("status"), "{recognition:?}");
    }

    #[test]
    fn a_cue_in_another_sentence_does_not_count() {
        let mut case = sample();
        case.prose =
            case.prose.replace("It is done when all 41", "All 41") + "It must pass review.\n";
        case.stated.last_mut().unwrap().words = vec!["All 41 tests pass".to_owned()];
        let recognition = Recognition::of(&case);
        assert!(recognition.wrong.contains("acceptance"), "{recognition:?}");
    }
}
