//! Accessors for the attributes of a leaf.

use std::str::FromStr;

use jiff::Timestamp;
use tasuki_packet::leaf::{Attribute, Leaf};

pub(crate) fn integer(leaf: &Leaf, name: &str) -> Option<u64> {
    match leaf.attributes.get(name) {
        Some(Attribute::Integer(integer)) => Some(*integer),
        _ => None,
    }
}

pub(crate) fn instant(leaf: &Leaf, name: &str) -> Option<Timestamp> {
    match leaf.attributes.get(name) {
        Some(Attribute::Instant(instant)) => Some(*instant),
        _ => None,
    }
}

pub(crate) fn words<'l>(leaf: &'l Leaf, name: &str) -> &'l [&'static str] {
    match leaf.attributes.get(name) {
        Some(Attribute::Words(words)) => words,
        _ => &[],
    }
}

pub(crate) fn id<T: FromStr>(leaf: &Leaf, name: &str) -> Option<T> {
    match leaf.attributes.get(name) {
        Some(Attribute::Id(id)) => id.to_string().parse().ok(),
        _ => None,
    }
}
