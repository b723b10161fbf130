//! Search: all words, each as the beginning of a word, without case, newest first.
//!
//! A word is a run of letters and digits. What is searched are the texts that a document says, not
//! the names of its members, and the reasons of events. Every store finds the same by these.

use serde_json::Value;

use crate::document::Document;
use crate::store::LeafRow;

/// How much an excerpt shows.
const EXCERPT_CHARACTERS: usize = 120;

/// The texts that a document says, a line each.
pub fn texts(document: &Document) -> String {
    let mut texts = String::new();
    if let Ok(value) = serde_json::from_str(&document.sealed.body) {
        collect(&value, &mut texts);
    }
    texts
}

/// The reason that an event gives.
pub fn reason(leaf: &LeafRow) -> Option<String> {
    let detail: Value = serde_json::from_str(&leaf.detail).ok()?;
    detail.get("reason")?.as_str().map(str::to_owned)
}

fn collect(value: &Value, texts: &mut String) {
    match value {
        Value::String(text) => {
            texts.push_str(text);
            texts.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Object(members) => members.values().for_each(|one| collect(one, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Whether a text has a word for each that is asked for.
pub fn has_all(text: &str, asked: &[String]) -> bool {
    asked.iter().all(|word| words(text).any(|found| found.starts_with(word)))
}

/// The text from the first word that was asked for on.
pub fn excerpt(text: &str, asked: &[String]) -> String {
    let is_other = |piece: &&str| {
        let word = piece.to_lowercase();
        !asked.iter().any(|asked| word.starts_with(asked))
    };
    let pieces = text.split_inclusive(is_gap).skip_while(is_other);
    pieces.flat_map(str::chars).take(EXCERPT_CHARACTERS).collect()
}

/// The words of a text, without case.
pub fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(is_gap).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

fn is_gap(character: char) -> bool {
    !character.is_alphanumeric()
}
