//! Search: all words, each as the beginning of a word, without case, newest first.
//!
//! A word is a run of letters and digits. What is searched are the texts that a document says, not
//! the names of its members, and the reasons of events. Every store finds the same by these.

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

/// How much an excerpt shows.
const EXCERPT_CHARACTERS: usize = 120;

/// LIMIT: places that are looked at for one page of a caller who may not read all of them.
const PLACES_MAX: u32 = 2_000;

/// LIMIT: places of one leaf. So many are looked at again, and a page goes on behind them.
const OF_LEAF_MAX: u32 = 256;

/// Where a page ends: a leaf, and how many of its places the caller has had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchCursor {
    /// The number of the leaf.
    pub n: u64,
    /// How many places.
    pub seen: u32,
}

/// What was found, and where to go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// What was found.
    pub found: Vec<Found>,
    /// The end of the page, if there may be more behind it.
    pub next: Option<SearchCursor>,
}

impl Page {
    /// The page among what the caller may read. `looked_until` is the last leaf that was looked at, if it
    /// was not the last of all: the caller goes on from there, whether or not it could read that one.
    fn cut(
        mut found: Vec<Found>,
        behind: Option<SearchCursor>,
        limit: u32,
        looked_until: Option<u64>,
    ) -> Self {
        let seen = behind.map_or(0, |place| place.seen);
        found.drain(..found.len().min(count(seen)));
        let has_more = found.len() > count(limit);
        found.truncate(count(limit));
        let end = if has_more { found.last().map(|one| one.n) } else { looked_until };
        let next = end.map(|n| {
            let on_page = found.iter().rev().take_while(|one| one.n == n).count();
            let before = behind.filter(|place| place.n == n).map_or(0, |place| place.seen);
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

    fn from_str(written: &str) -> Result<Self, ParseUrgencyError> {
        let (n, seen) = written.split_once('-').ok_or(ParseUrgencyError)?;
        let (Ok(n), Ok(seen)) = (n.parse(), seen.parse::<u32>()) else {
            return Err(ParseUrgencyError);
        };
        Ok(Self { n, seen: seen.min(OF_LEAF_MAX) })
    }
}

/// A text that names no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParseUrgencyError;

impl Reader<'_> {
    /// A page of what has all these words, newest first, behind a place, without what the caller may not
    /// read. It may be short, or empty, and still not be the last.
    ///
    /// INVARIANT: a place that is kept back is left out, not only its text: whoever could see that
    /// a word is there could guess the text word by word.
    pub async fn search(
        &self,
        words: &str,
        behind: Option<SearchCursor>,
        limit: u32,
    ) -> Result<Page, Error> {
        // The leaf that the page before ended with is looked at again.
        let before = behind.map(|place| place.n.saturating_add(1));
        let seen = behind.map_or(0, |place| place.seen);
        let wanted = limit.saturating_add(seen).saturating_add(1);
        let mut places = wanted;
        loop {
            let store = self.store;
            let found = store.search(self.project, words.to_owned(), before, places).await?;
            let is_all = found.len() < count(places);
            let looked_until = found.last().map(|one| one.n).filter(|_| !is_all);
            let readable = self.readable(found).await?;
            if is_all || readable.len() >= count(wanted) || places >= PLACES_MAX {
                return Ok(Page::cut(readable, behind, limit, looked_until));
            }
            places = places.saturating_mul(4).min(PLACES_MAX);
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

    /// The revision whose reader may read this: a packet's own, and for all that was said about a
    /// handoff the current one.
    async fn revision_of(&self, found: &Found, handoff: &Handoff) -> Result<u32, Error> {
        let current = handoff.facts.revision;
        if found.kind != DocumentKind::Packet.as_str() {
            return Ok(current);
        }
        let leaves = self.store.leaves(self.project, found.n, 1).await?;
        let leaf = leaves.first().and_then(|row| Leaf::read(row.leaf.as_bytes()).ok());
        let named = leaf.and_then(|leaf| u32::try_from(leaf.subject?.revision).ok());
        // Without a leaf to tell by, it is not the current one.
        Ok(named.unwrap_or(current - 1))
    }
}

fn count(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// The texts that a document says, a line each.
pub fn texts(document: &Document) -> String {
    let mut texts = String::with_capacity(document.sealed.body.len());
    let mut reader = serde_json::Deserializer::from_str(&document.sealed.body);
    let read = Texts(&mut texts).deserialize(&mut reader).and_then(|()| reader.end());
    if read.is_err() {
        texts.clear();
    }
    texts
}

/// The reason that an event gives.
pub fn reason(leaf: &LeafRow) -> Option<String> {
    // Most events give none, and need not be read to see that.
    if !leaf.detail.contains("\"reason\"") {
        return None;
    }
    let detail: Value = serde_json::from_str(&leaf.detail).ok()?;
    detail.get("reason")?.as_str().map(str::to_owned)
}

/// Collects texts while they are read: a document that is indexed is needed for nothing else.
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

/// Whether a text has a word for each that is asked for.
pub fn has_all(text: &str, asked: &[String]) -> bool {
    asked.iter().all(|word| words(text).any(|found| found.starts_with(word.as_str())))
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
pub fn words(text: &str) -> impl Iterator<Item = Cow<'_, str>> {
    text.split(is_gap).filter(|word| !word.is_empty()).map(without_case)
}

/// Most words are written small and stay where they are.
fn without_case(word: &str) -> Cow<'_, str> {
    let is_small = |byte: u8| byte.is_ascii() && !byte.is_ascii_uppercase();
    if word.bytes().all(is_small) { word.into() } else { word.to_lowercase().into() }
}

fn is_gap(character: char) -> bool {
    !character.is_alphanumeric()
}
