//! Finds words and phrases in text: whole words, case-insensitively, all in one pass.
//!
//! A text is split into words at every character that is neither a letter nor a digit. A phrase is
//! a sequence of words, regardless of the separators between them. `wire transfer` therefore
//! matches `Wire-Transfer` and `wire_transfer_id`, and `cat` does not match `concatenate`. The
//! search takes linear time in the text, regardless of the number of words.

use std::collections::HashMap;
use std::ops::Range;

/// LIMIT: words per phrase. A longer phrase is a document.
const PHRASE_WORDS_MAX: usize = 16;

/// Words and phrases, each with the index of its rule.
#[derive(Debug, Clone, Default)]
pub(super) struct Words {
    by_first: HashMap<String, Vec<Phrase>>,
    /// The lengths of first words, one bit each. The last bit stands for all longer words.
    lengths: u64,
}

#[derive(Debug, Clone)]
struct Phrase {
    rest: Vec<String>,
    rule: usize,
}

/// A text split into words. One instance is reused for many texts to reuse its memory.
#[derive(Debug, Default)]
pub(super) struct Cut {
    folded: String,
    words: Vec<Range<usize>>,
}

pub(super) const WORD_FORM: &str =
    "1 to 16 words of letters and digits, starting and ending with one of them";

/// Returns `true` if the text is a valid phrase, which starts and ends with a letter or digit.
pub(super) fn is_phrase(text: &str) -> bool {
    let text = text.trim();
    let is_closed =
        text.starts_with(char::is_alphanumeric) && text.ends_with(char::is_alphanumeric);
    let mut cut = Cut::default();
    cut.cut(text);
    is_closed && (1..=PHRASE_WORDS_MAX).contains(&cut.words.len())
}

impl Words {
    pub(super) fn insert(&mut self, phrase: &str, rule: usize) {
        let mut cut = Cut::default();
        cut.cut(phrase);
        let mut words = cut.words();
        let Some(first) = words.next() else { return };
        let rest = words.map(str::to_owned).collect();
        self.lengths |= length_bit(first);
        self.by_first.entry(first.to_owned()).or_default().push(Phrase { rest, rule });
    }

    /// Calls `hit` with the rule of each phrase that occurs in the text.
    pub(super) fn find(&self, text: &str, cut: &mut Cut, mut hit: impl FnMut(usize)) {
        if self.by_first.is_empty() {
            return;
        }
        cut.cut(text);
        for (index, word) in cut.words().enumerate() {
            // The length excludes most words without hashing them.
            if self.lengths & length_bit(word) == 0 {
                continue;
            }
            let Some(phrases) = self.by_first.get(word) else { continue };
            for phrase in
                phrases.iter().filter(|phrase| cut.continues_with(index + 1, &phrase.rest))
            {
                hit(phrase.rule);
            }
        }
    }
}

impl Cut {
    fn cut(&mut self, text: &str) {
        self.folded.clear();
        self.words.clear();
        let mut start = 0;
        for character in text.chars() {
            if character.is_ascii_alphanumeric() {
                self.folded.push(character.to_ascii_lowercase());
            } else if character.is_alphanumeric() {
                self.folded.extend(character.to_lowercase());
            } else if !is_invisible(character) {
                self.end_word(&mut start);
            }
        }
        self.end_word(&mut start);
    }

    fn end_word(&mut self, start: &mut usize) {
        if *start < self.folded.len() {
            self.words.push(*start..self.folded.len());
            *start = self.folded.len();
        }
    }

    fn words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(|range| &self.folded[range.clone()])
    }

    fn continues_with(&self, from: usize, rest: &[String]) -> bool {
        let following = self.words.get(from..from + rest.len());
        following.is_some_and(|ranges| {
            ranges.iter().zip(rest).all(|(range, word)| self.folded[range.clone()] == **word)
        })
    }
}

fn length_bit(word: &str) -> u64 {
    1 << word.len().min(63)
}

/// Returns `true` for invisible characters, which do not separate words.
fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
        | '\u{2060}'..='\u{2064}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(phrase: &str, text: &str, expected: bool) {
        let mut words = Words::default();
        words.insert(phrase, 7);
        let mut hits = Vec::new();
        words.find(text, &mut Cut::default(), |rule| hits.push(rule));
        assert_eq!(!hits.is_empty(), expected, "`{phrase}` in `{text}`");
        assert!(hits.iter().all(|rule| *rule == 7));
    }

    #[test]
    fn a_word_is_found_whole_and_in_any_case() {
        check("refund", "Please REFUND the order.", true);
        check("refund", "refund", true);
        check("Refund", "(refund)", true);
        check("refund", "refunded", false);
        check("refund", "prerefund", false);
        check("refund", "issue_refund(42)", true);
        check("gefährlich", "GEFÄHRLICH!", true);
        check("refund", "", false);
    }

    #[test]
    fn a_phrase_is_found_with_any_separators_between_its_words() {
        check("wire transfer", "a wire  transfer", true);
        check("wire transfer", "Wire-Transfer", true);
        check("wire-transfer", "wire\ntransfer", true);
        check("wire transfer", "wire", false);
        check("wire transfer", "transfer wire", false);
        check("wire transfer", "wire wire transfer", true);
    }

    #[test]
    fn an_invisible_character_does_not_hide_a_word() {
        check("refund", "re\u{200b}fund", true);
        check("refund", "re\u{ad}fund", true);
    }

    #[test]
    fn an_invalid_phrase_is_rejected() {
        for text in ["refund", "wire transfer", "follow-up", "4.2", "返金"] {
            assert!(is_phrase(text), "{text}");
        }
        let long = "a ".repeat(17);
        for text in ["C++", ".net", "$", "", "-", long.as_str()] {
            assert!(!is_phrase(text), "{text}");
        }
    }
}
