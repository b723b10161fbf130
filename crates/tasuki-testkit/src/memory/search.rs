//! Search: all words, each as the beginning of a word, without case, newest first.
//!
//! A word is a run of letters and digits. What is searched are the texts that a document says, not
//! the names of its members, and the reasons of events.

use serde_json::Value;
use tasuki_engine::store::{Found, LeafRow, Stored};

use super::tables::Tables;

/// How much an excerpt shows.
const EXCERPT_CHARACTERS: usize = 120;

impl Tables {
    /// What a document says comes before the reason of the event that brought it.
    pub(super) fn search(&self, query: &str, limit: u32) -> Vec<Found> {
        let asked: Vec<String> = words(query).collect();
        if asked.is_empty() {
            return Vec::new();
        }
        let documents = self.documents.iter().map(|stored| document(stored));
        let reasons = self.leaves.iter().filter_map(|leaf| reason(leaf));
        let mut found: Vec<Found> = documents
            .chain(reasons)
            .filter(|found| has_all(&found.excerpt, &asked))
            .map(|found| Found { excerpt: excerpt(&found.excerpt, &asked), ..found })
            .collect();
        found.sort_by_key(|found| std::cmp::Reverse(found.n));
        found.truncate(limit as usize);
        found
    }
}

/// What may be found, with its whole text for an excerpt.
fn document(stored: &Stored) -> Found {
    let mut excerpt = String::new();
    if let Ok(value) = serde_json::from_str(&stored.document.sealed.body) {
        collect_texts(&value, &mut excerpt);
    }
    let kind = stored.document.kind.as_str().to_owned();
    Found { n: stored.n, handoff: Some(stored.document.handoff), kind, excerpt }
}

fn reason(leaf: &LeafRow) -> Option<Found> {
    let detail: Value = serde_json::from_str(&leaf.detail).ok()?;
    let excerpt = detail.get("reason")?.as_str()?.to_owned();
    Some(Found { n: leaf.n, handoff: leaf.handoff, kind: leaf.kind.name().to_owned(), excerpt })
}

fn collect_texts(value: &Value, texts: &mut String) {
    match value {
        Value::String(text) => {
            texts.push_str(text);
            texts.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| collect_texts(item, texts)),
        Value::Object(members) => members.values().for_each(|one| collect_texts(one, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn has_all(text: &str, asked: &[String]) -> bool {
    asked.iter().all(|word| words(text).any(|found| found.starts_with(word)))
}

/// From the first word that was asked for on.
fn excerpt(text: &str, asked: &[String]) -> String {
    let is_other = |piece: &&str| {
        let word = piece.to_lowercase();
        !asked.iter().any(|asked| word.starts_with(asked))
    };
    let pieces = text.split_inclusive(is_gap).skip_while(is_other);
    pieces.flat_map(str::chars).take(EXCERPT_CHARACTERS).collect()
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(is_gap).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

fn is_gap(character: char) -> bool {
    !character.is_alphanumeric()
}
