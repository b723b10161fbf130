//! Counts the tokens of a text for a model.
//!
//! The vocabularies of some model families are not published, so a count is an estimate for them.
//! Text for people labels it with [`LABEL`]. The vocabulary is unpacked on first use and cached.

use tiktoken_rs::{CoreBPE, cl100k_base_singleton, o200k_base_singleton};

/// The label of a count in text for people.
pub const LABEL: &str = "≈ o200k";

/// LIMIT: bytes of one run of white space, or of other characters, that is counted at once. The
/// tokenizer panics on several hundred thousand consecutive spaces and is slow on one endless word.
/// Longer runs are counted in parts, which is off by about one token per part. Ordinary text has no
/// such runs and is counted exactly.
const RUN_BYTES_MAX: usize = 1024;

/// A vocabulary for counting tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    /// The newer and larger vocabulary, and the default.
    #[default]
    O200kBase,
    /// The older vocabulary.
    Cl100kBase,
}

/// Returns the number of tokens of a text in `o200k_base`. Special tokens count as plain text.
///
/// ```
/// assert_eq!(tasuki_packet::render::tokens::count("Ship the web part"), 4);
/// ```
pub fn count(text: &str) -> usize {
    Encoding::O200kBase.count(text)
}

impl Encoding {
    /// Returns the encoding with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "o200k_base" => Some(Self::O200kBase),
            "cl100k_base" => Some(Self::Cl100kBase),
            _ => None,
        }
    }

    /// Returns the common name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::O200kBase => "o200k_base",
            Self::Cl100kBase => "cl100k_base",
        }
    }

    /// Returns the number of tokens of a text. Special tokens count as plain text.
    pub fn count(self, text: &str) -> usize {
        let vocabulary = self.vocabulary();
        parts(text).map(|part| vocabulary.count_ordinary(part)).sum()
    }

    fn vocabulary(self) -> &'static CoreBPE {
        match self {
            Self::O200kBase => o200k_base_singleton(),
            Self::Cl100kBase => cl100k_base_singleton(),
        }
    }
}

/// Splits a text into parts without a run longer than [`RUN_BYTES_MAX`].
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (part, after) = rest.split_at(part_length(rest));
        rest = after;
        (!part.is_empty()).then_some(part)
    })
}

fn part_length(text: &str) -> usize {
    let mut run_start = 0;
    let mut run_is_space = None;
    for (index, character) in text.char_indices() {
        let is_space = character.is_whitespace();
        if run_is_space != Some(is_space) {
            run_is_space = Some(is_space);
            run_start = index;
        } else if index - run_start >= RUN_BYTES_MAX {
            return index;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_text_is_counted_exactly() {
        let text = "# Goal\n\nShip the web part: 漢字, naïve, `a/b.rs`.\n".repeat(200);
        for encoding in [Encoding::O200kBase, Encoding::Cl100kBase] {
            let exact = encoding.vocabulary().count_ordinary(&text);
            assert_eq!(encoding.count(&text), exact, "{}", encoding.name());
        }
        assert_eq!(count(""), 0);
    }

    #[test]
    fn special_tokens_are_ordinary_text() {
        assert!(count("<|endoftext|>") > 1);
    }

    #[test]
    fn one_endless_run_gets_a_sensible_count() {
        for run in [" ", "a", "!", "漢"] {
            let text = run.repeat(10_000);
            let exact = Encoding::O200kBase.vocabulary().count_ordinary(&text);
            let parts = parts(&text).count();
            assert!(parts > 1, "{run:?} is counted in parts");
            assert!(count(&text).abs_diff(exact) <= parts, "{run:?}: {} and {exact}", count(&text));
        }
    }

    #[test]
    fn parts_put_together_are_the_text() {
        let text = format!("{}{}{}b", " ".repeat(5000), "漢".repeat(3000), "\n".repeat(1025));
        assert_eq!(parts(&text).collect::<String>(), text);
        assert!(parts(&text).all(|part| part.len() <= 2 * RUN_BYTES_MAX + 4));
    }

    #[test]
    fn encodings_are_known_by_name() {
        for encoding in [Encoding::O200kBase, Encoding::Cl100kBase] {
            assert_eq!(Encoding::from_name(encoding.name()), Some(encoding));
        }
        assert_eq!(Encoding::from_name("gpt2"), None);
    }
}
