//! Full-text search: all words, each as a prefix, ignoring case, newest first.
//!
//! A word is a run of letters and digits. The search covers the string values of documents, not
//! their member names, and the reasons of events. All stores share this tokenization, so they find
//! the same.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

use serde::Deserializer;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use tasuki_packet::id::HandoffId;
use tasuki_packet::leaf::Leaf;

use crate::error::Error;
use crate::model::{Document, DocumentKind, Handoff};
use crate::ports::{Found, LeafRow};
use crate::query::continuation::Reader;

/// Characters in an excerpt.
const EXCERPT_CHARACTERS: usize = 120;

/// LIMIT: matches that are examined for one page of a caller who may not read all of them.
const MATCHES_MAX: u32 = 2_000;

/// LIMIT: matches of one leaf. Continuing a page examines this many again.
const LEAF_MATCHES_MAX: u32 = 256;

/// The end of a page: a leaf, and the number of its matches that were returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchCursor {
    /// The number of the leaf.
    pub n: u64,
    /// The number of matches.
    pub seen: u32,
}

/// A page of results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The results.
    pub found: Vec<Found>,
    /// The cursor to continue from, if there may be more.
    pub next: Option<SearchCursor>,
}

impl Page {
    /// Cuts one page from the readable matches. `searched_until` is the last leaf examined, if
    /// there are more. The next page continues there, even if the caller may not read that leaf.
    fn cut(
        mut found: Vec<Found>,
        after: Option<SearchCursor>,
        limit: u32,
        searched_until: Option<u64>,
    ) -> Self {
        let seen = after.map_or(0, |cursor| cursor.seen);
        found.drain(..found.len().min(count(seen)));
        let has_more = found.len() > count(limit);
        found.truncate(count(limit));
        let end = if has_more { found.last().map(|one| one.n) } else { searched_until };
        let next = end.map(|n| {
            let on_page = found.iter().rev().take_while(|one| one.n == n).count();
            let before = after.filter(|cursor| cursor.n == n).map_or(0, |cursor| cursor.seen);
            SearchCursor {
                n,
                seen: before.saturating_add(u32::try_from(on_page).unwrap_or(u32::MAX)),
            }
        });
        Self { found, next }
    }
}

impl fmt::Display for SearchCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.n, self.seen)
    }
}

impl FromStr for SearchCursor {
    type Err = ParseUrgencyError;

    fn from_str(text: &str) -> Result<Self, ParseUrgencyError> {
        let (n, seen) = text.split_once('-').ok_or(ParseUrgencyError)?;
        let (Ok(n), Ok(seen)) = (n.parse(), seen.parse::<u32>()) else {
            return Err(ParseUrgencyError);
        };
        Ok(Self { n, seen: seen.min(LEAF_MATCHES_MAX) })
    }
}

/// The error for a text that is not a search cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParseUrgencyError;

impl Reader<'_> {
    /// Returns a page of matches that contain all these words, newest first, after a cursor.
    /// Matches that the caller may not read are left out. A page may be short or empty and still
    /// not be the last.
    ///
    /// INVARIANT: a hidden match is left out entirely. Revealing that it exists would allow
    /// guessing the text word by word.
    pub async fn search(
        &self,
        words: &str,
        after: Option<SearchCursor>,
        limit: u32,
    ) -> Result<Page, Error> {
        // The last leaf of the previous page is searched again.
        let before = after.map(|cursor| cursor.n.saturating_add(1));
        let seen = after.map_or(0, |cursor| cursor.seen);
        let wanted = limit.saturating_add(seen).saturating_add(1);
        let mut matches = wanted;
        loop {
            let store = self.store;
            let found = store.search(self.project, words.to_owned(), before, matches).await?;
            let is_all = found.len() < count(matches);
            let searched_until = found.last().map(|one| one.n).filter(|_| !is_all);
            let readable = self.readable(found).await?;
            if is_all || readable.len() >= count(wanted) || matches >= MATCHES_MAX {
                return Ok(Page::cut(readable, after, limit, searched_until));
            }
            matches = matches.saturating_mul(4).min(MATCHES_MAX);
        }
    }

    async fn readable(&self, found: Vec<Found>) -> Result<Vec<Found>, Error> {
        let mut known: HashMap<(HandoffId, u32), bool> = HashMap::new();
        let mut readable = Vec::with_capacity(found.len());
        for one in found {
            let Some(id) = one.handoff else {
                readable.push(one);
                continue;
            };
            let Some(handoff) = self.store.handoff(self.project, id).await? else {
                continue;
            };
            let revision = self.revision_of(&one, &handoff).await?;
            let is_allowed = match known.get(&(id, revision)) {
                Some(is_allowed) => *is_allowed,
                None => self.may_read(&handoff, revision),
            };
            known.insert((id, revision), is_allowed);
            readable.extend(is_allowed.then_some(one));
        }
        Ok(readable)
    }

    /// Returns the revision that the caller must be allowed to read: a packet's own, else the
    /// current.
    async fn revision_of(&self, found: &Found, handoff: &Handoff) -> Result<u32, Error> {
        let current = handoff.facts.revision;
        if found.kind != DocumentKind::Packet.as_str() {
            return Ok(current);
        }
        let leaves = self.store.leaves(self.project, found.n, 1).await?;
        let leaf = leaves.first().and_then(|row| Leaf::read(row.leaf.as_bytes()).ok());
        let named = leaf.and_then(|leaf| u32::try_from(leaf.subject?.revision).ok());
        // Without a leaf, the packet is treated as an older revision.
        Ok(named.unwrap_or(current - 1))
    }
}

fn count(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Returns the string values of a document, one per line.
pub fn texts(document: &Document) -> String {
    let mut texts = String::with_capacity(document.sealed.body.len());
    let mut reader = serde_json::Deserializer::from_str(&document.sealed.body);
    let read = Texts(&mut texts).deserialize(&mut reader).and_then(|()| reader.end());
    if read.is_err() {
        texts.clear();
    }
    texts
}

/// Returns the reason of an event.
pub fn reason(leaf: &LeafRow) -> Option<String> {
    // Most events have none; this avoids parsing them.
    if !leaf.detail.contains("\"reason\"") {
        return None;
    }
    let detail: Value = serde_json::from_str(&leaf.detail).ok()?;
    detail.get("reason")?.as_str().map(str::to_owned)
}

/// Collects strings while parsing, because indexing needs nothing else of the document.
struct Texts<'t>(&'t mut String);

impl<'de> DeserializeSeed<'de> for Texts<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Texts<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.0.push_str(text);
        self.0.push('\n');
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Texts(self.0))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while members.next_key::<IgnoredAny>()?.is_some() {
            members.next_value_seed(Texts(self.0))?;
        }
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }
}

/// Returns `true` if a text contains every word that is searched for.
pub fn has_all(text: &str, asked: &[String]) -> bool {
    asked.iter().all(|word| words(text).any(|found| found.starts_with(word.as_str())))
}

/// Returns an excerpt that starts at the first match.
pub fn excerpt(text: &str, asked: &[String]) -> String {
    let is_other = |piece: &&str| {
        let word = piece.to_lowercase();
        !asked.iter().any(|asked| word.starts_with(asked))
    };
    let pieces = text.split_inclusive(is_separator).skip_while(is_other);
    pieces.flat_map(str::chars).take(EXCERPT_CHARACTERS).collect()
}

/// Returns the words of a text in lower case.
pub fn words(text: &str) -> impl Iterator<Item = Cow<'_, str>> {
    text.split(is_separator).filter(|word| !word.is_empty()).map(lower_case)
}

/// Avoids copying a word that is already in lower case.
fn lower_case(word: &str) -> Cow<'_, str> {
    let is_lower = |byte: u8| byte.is_ascii() && !byte.is_ascii_uppercase();
    if word.bytes().all(is_lower) { word.into() } else { word.to_lowercase().into() }
}

fn is_separator(character: char) -> bool {
    !character.is_alphanumeric()
}
