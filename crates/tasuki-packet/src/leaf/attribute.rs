//! The attributes of a leaf: integers, ids, instants, words of a closed list and hashes, never
//! text.

use jiff::Timestamp;
use serde_json::Value;

use super::hash::Hash;
use crate::types::id::AnyId;
use crate::types::instant::InstantText;

/// The type of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttributeKind {
    /// An integer that every JSON reader represents exactly.
    Integer,
    /// An id with this prefix.
    Id(&'static str),
    /// An instant.
    Instant,
    /// One of these words.
    Word(&'static [&'static str]),
    /// Some of these words, each once, in the order of the list.
    Words(&'static [&'static str]),
    /// A hash.
    Hash,
}

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attribute {
    /// An integer.
    Integer(u64),
    /// An id of any type.
    Id(AnyId),
    /// An instant.
    Instant(Timestamp),
    /// A word of the list.
    Word(&'static str),
    /// Some words of the list.
    Words(Vec<&'static str>),
    /// A hash.
    Hash(Hash),
}

/// The attributes of one leaf, sorted by name.
///
/// They are few, so they are in a vector.
///
/// ```
/// use tasuki_packet::leaf::{Attribute, Attributes};
///
/// let (rung, because) = (Attribute::Integer(1), Attribute::Word("declined"));
/// let attributes = Attributes::from([("rung", rung), ("because", because)]);
/// assert_eq!(attributes.get("rung"), Some(&Attribute::Integer(1)));
/// assert_eq!(attributes.iter().next().unwrap().0, "because");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attributes(Vec<(&'static str, Attribute)>);

impl Attributes {
    /// Sets an attribute and returns its previous value.
    pub fn insert(&mut self, name: &'static str, attribute: Attribute) -> Option<Attribute> {
        match self.place(name) {
            Ok(place) => Some(std::mem::replace(&mut self.0[place].1, attribute)),
            Err(place) => {
                self.0.insert(place, (name, attribute));
                None
            }
        }
    }

    /// Returns the attribute of this name.
    pub fn get(&self, name: &str) -> Option<&Attribute> {
        self.place(name).ok().map(|place| &self.0[place].1)
    }

    /// Removes the attribute of this name.
    pub fn remove(&mut self, name: &str) -> Option<Attribute> {
        self.place(name).ok().map(|place| self.0.remove(place).1)
    }

    /// Returns all attributes, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Attribute)> {
        self.0.iter().map(|(name, attribute)| (*name, attribute))
    }

    fn place(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(known, _)| known.cmp(&name))
    }
}

impl FromIterator<(&'static str, Attribute)> for Attributes {
    fn from_iter<I: IntoIterator<Item = (&'static str, Attribute)>>(attributes: I) -> Self {
        let mut sorted = Self::default();
        for (name, attribute) in attributes {
            sorted.insert(name, attribute);
        }
        sorted
    }
}

impl<const COUNT: usize> From<[(&'static str, Attribute); COUNT]> for Attributes {
    fn from(attributes: [(&'static str, Attribute); COUNT]) -> Self {
        attributes.into_iter().collect()
    }
}

impl Attribute {
    /// Returns `true` for a value of this type.
    pub(super) fn is(&self, kind: AttributeKind) -> bool {
        match (self, kind) {
            (Self::Integer(integer), AttributeKind::Integer) => {
                *integer <= crate::document::limits::INTEGER_MAX
            }
            (Self::Id(id), AttributeKind::Id(prefix)) => id.prefix() == prefix,
            (Self::Instant(_), AttributeKind::Instant) | (Self::Hash(_), AttributeKind::Hash) => {
                true
            }
            (Self::Word(word), AttributeKind::Word(words)) => words.contains(word),
            (Self::Words(some), AttributeKind::Words(words)) => is_some_of(some, words),
            _ => false,
        }
    }

    /// Reads a value as an attribute of this type.
    pub(super) fn read(value: &Value, kind: AttributeKind) -> Option<Self> {
        let known = |words: &'static [&'static str], word: &Value| {
            words.iter().copied().find(|known| word.as_str() == Some(known))
        };
        let attribute = match kind {
            AttributeKind::Integer => Self::Integer(value.as_u64()?),
            AttributeKind::Id(prefix) => Self::Id(AnyId::read(value.as_str()?, prefix)?),
            AttributeKind::Instant => Self::Instant(instant(value.as_str()?)?),
            AttributeKind::Word(words) => Self::Word(known(words, value)?),
            AttributeKind::Words(words) => {
                let some = value.as_array()?.iter().map(|word| known(words, word));
                Self::Words(some.collect::<Option<_>>()?)
            }
            AttributeKind::Hash => Self::Hash(Hash::from_base64(value.as_str()?)?),
        };
        attribute.is(kind).then_some(attribute)
    }
}

/// Parses an instant in the exact spelling of a leaf.
pub(super) fn instant(text: &str) -> Option<Timestamp> {
    let instant: Timestamp = text.parse().ok()?;
    (InstantText::of(instant).as_bytes() == text.as_bytes()).then_some(instant)
}

fn is_some_of(some: &[&str], words: &[&str]) -> bool {
    let mut rest = words.iter();
    !some.is_empty() && some.iter().all(|word| rest.any(|known| known == word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_sorted_by_name_without_duplicates() {
        let one = Attribute::Integer(1);
        let mut attributes: Attributes =
            [("fence", one.clone()), ("attempt", one.clone()), ("claim", one.clone())].into();
        assert_eq!(attributes.insert("fence", Attribute::Integer(2)), Some(one));
        let names: Vec<&str> = attributes.iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["attempt", "claim", "fence"]);
        assert_eq!(attributes.get("fence"), Some(&Attribute::Integer(2)));
        assert_eq!(attributes.remove("fence"), Some(Attribute::Integer(2)));
        assert_eq!(attributes.get("fence"), None);
    }
}
