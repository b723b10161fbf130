//! Full-text search as every store does it: the index finds leaves by the beginnings of words, and
//! the texts of each are compared in full afterwards. The engine splits texts into words.

use std::borrow::Cow;

use tasuki_engine::ports::{Found, LeafRow, Stored};
use tasuki_engine::query::search::{excerpt, has_all, reason, texts, words};

/// LIMIT: leaves indexed in one transaction, so that other writers wait a few milliseconds at most.
/// With far fewer, a search would wait for many fsyncs.
pub(crate) const LEAVES_PER_BATCH: u32 = 512;

/// LIMIT: candidates fetched at once.
pub(crate) const CANDIDATES_PER_PAGE: u32 = 64;

/// LIMIT: characters of a word in the index. Longer words are compared in full afterwards.
const WORD_CHARACTERS_MAX: usize = 48;

/// LIMIT: words of a query that the index matches; the others are matched afterwards.
const WORDS_MATCHED_MAX: usize = 16;

/// Returns each leaf with its words, each word followed by a space. A word may be there twice.
pub(crate) fn words_of(leaves: &[LeafRow], documents: Vec<Stored>) -> Vec<(u64, String)> {
    let mut documents = documents.into_iter().peekable();
    let rows = leaves.iter().map(|leaf| {
        let mut all = String::new();
        while let Some(stored) = documents.next_if(|stored| stored.n <= leaf.n) {
            add_words(&texts(&stored.document), &mut all);
        }
        add_words(&reason(leaf).unwrap_or_default(), &mut all);
        (leaf.n, all)
    });
    rows.collect()
}

fn add_words(text: &str, all: &mut String) {
    for word in words(text).map(truncated) {
        all.push_str(&word);
        all.push(' ');
    }
}

/// Returns the words of a query.
pub(crate) fn asked_words(text: &str) -> Vec<String> {
    let mut asked: Vec<String> = words(text).map(Cow::into_owned).collect();
    asked.sort_unstable();
    asked.dedup();
    asked
}

/// Returns the words that the index matches. They consist of letters and digits, so they need no
/// escaping.
pub(crate) fn matched_words(asked: &[String]) -> Vec<Cow<'_, str>> {
    let mut words: Vec<_> = asked.iter().map(|word| truncated(word.into())).collect();
    // Long words are rare and narrow the result.
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    words.truncate(WORDS_MATCHED_MAX);
    words
}

/// Returns the documents and the reason of a leaf that contain all words.
pub(crate) fn found_in(
    n: u64,
    documents: Vec<Stored>,
    leaf: Option<LeafRow>,
    asked: &[String],
) -> Vec<Found> {
    let mut all = Vec::new();
    for Stored { document, .. } in documents {
        let kind = document.kind.as_str().to_owned();
        all.push((Some(document.handoff), kind, texts(&document)));
    }
    if let Some(leaf) = leaf {
        all.extend(reason(&leaf).map(|why| (leaf.handoff, leaf.kind.name().to_owned(), why)));
    }
    all.retain(|(_, _, text)| has_all(text, asked));
    let found = |(handoff, kind, text): (_, _, String)| Found {
        n,
        handoff,
        kind,
        excerpt: excerpt(&text, asked),
    };
    all.into_iter().map(found).collect()
}

fn truncated(word: Cow<'_, str>) -> Cow<'_, str> {
    // No word has more characters than bytes.
    if word.len() <= WORD_CHARACTERS_MAX {
        return word;
    }
    let end = word.char_indices().nth(WORD_CHARACTERS_MAX).map(|(end, _)| end);
    match (end, word) {
        (Some(end), Cow::Borrowed(word)) => word[..end].into(),
        (Some(end), Cow::Owned(mut word)) => {
            word.truncate(end);
            word.into()
        }
        (None, word) => word,
    }
}
