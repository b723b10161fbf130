//! Finding words and phrases in text: whole words, in any case, all of them in one pass.
//!
//! A text is cut into words where letters and digits end; a phrase is a row of words, whatever
//! stands between them. So `wire transfer` is found in `Wire-Transfer` and in `wire_transfer_id`,
//! and `cat` is not found in `concatenate`. The time is linear in the text, however many words are
//! looked for.

use std::collections::HashMap;
use std::ops::Range;

/// LIMIT: words of one phrase. Whoever looks for a longer one looks for a document.
const PHRASE_WORDS_MAX: usize = 16;

/// Words and phrases, each with the number of the rule it belongs to.
#[derive(Debug, Clone, Default)]
pub(super) struct Words {
    by_first: HashMap<String, Vec<Phrase>>,
    /// The lengths that first words have, one bit each, the last for all that are longer.
    lengths: u64,
}

#[derive(Debug, Clone)]
struct Phrase {
    rest: Vec<String>,
    rule: usize,
}

/// A text cut into words. One is used for many texts, so that its memory is.
#[derive(Debug, Default)]
pub(super) struct Cut {
    folded: String,
    words: Vec<Range<usize>>,
}

/// Why something cannot be looked for as a word, and what can.
pub(super) const WORD_FORM: &str =
    "1 to 16 words of letters and digits, beginning and ending with one";

/// Whether this can be looked for: it begins and ends with a letter or digit.
pub(super) fn is_phrase(text: &str) -> bool {
    let text = text.trim();
    let is_closed =
        text.starts_with(char::is_alphanumeric) && text.ends_with(char::is_alphanumeric);
    let mut cut = Cut::default();
    cut.cut(text);
    is_closed && (1..=PHRASE_WORDS_MAX).contains(&cut.words.len())
}

impl Words {
    /// Adds a phrase of a rule.
    pub(super) fn insert(&mut self, phrase: &str, rule: usize) {
        let mut cut = Cut::default();
        cut.cut(phrase);
        let mut words = cut.words();
        let Some(first) = words.next() else { return };
        let rest = words.map(str::to_owned).collect();
        self.lengths |= length_bit(first);
        self.by_first.entry(first.to_owned()).or_default().push(Phrase { rest, rule });
    }

    /// Calls `hit` with the rule of each phrase that is in the text.
    pub(super) fn find(&self, text: &str, cut: &mut Cut, mut hit: impl FnMut(usize)) {
        if self.by_first.is_empty() {
            return;
        }
        cut.cut(text);
        for (index, word) in cut.words().enumerate() {
            // Most words of a packet are told apart by their length, without hashing them.
            if self.lengths & length_bit(word) == 0 {
                continue;
            }
            let Some(phrases) = self.by_first.get(word) else { continue };
            for phrase in phrases.iter().filter(|phrase| cut.goes_on(index + 1, &phrase.rest)) {
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
            } else if !is_unseen(character) {
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

    fn goes_on(&self, from: usize, rest: &[String]) -> bool {
        let following = self.words.get(from..from + rest.len());
        following.is_some_and(|ranges| {
            ranges.iter().zip(rest).all(|(range, word)| self.folded[range.clone()] == **word)
        })
    }
}

fn length_bit(word: &str) -> u64 {
    1 << word.len().min(63)
}

/// Characters that nobody sees: one inside a word does not make it another word.
fn is_unseen(character: char) -> bool {
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
    fn a_phrase_is_found_whatever_stands_between_its_words() {
        check("wire transfer", "a wire  transfer", true);
        check("wire transfer", "Wire-Transfer", true);
        check("wire-transfer", "wire\ntransfer", true);
        check("wire transfer", "wire", false);
        check("wire transfer", "transfer wire", false);
        check("wire transfer", "wire wire transfer", true);
    }

    #[test]
    fn an_unseen_character_does_not_hide_a_word() {
        check("refund", "re\u{200b}fund", true);
        check("refund", "re\u{ad}fund", true);
    }

    #[test]
    fn what_is_no_word_cannot_be_looked_for() {
        for text in ["refund", "wire transfer", "follow-up", "4.2", "返金"] {
            assert!(is_phrase(text), "{text}");
        }
        let long = "a ".repeat(17);
        for text in ["C++", ".net", "$", "", "-", long.as_str()] {
            assert!(!is_phrase(text), "{text}");
        }
    }
}
