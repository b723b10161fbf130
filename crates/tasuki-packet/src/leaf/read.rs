//! Reads a leaf, and rejects bytes that no writer would have written.

use std::str::FromStr;

use serde_json::Value;

use super::attribute::{Attribute, Attributes, instant};
use super::entry::{
    Actor, ActorKind, Authentication, CLASSES, FORMAT, Leaf, ORIGIN, Regulation, Subject, TAINTS,
};
use super::event::EventType;
use super::hash::Hash;
use crate::document::Members;
use crate::read::Source;

/// The error of reading or writing a leaf.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid leaf: {reason}")]
pub struct ParseLeafError {
    reason: String,
}

impl ParseLeafError {
    pub(super) fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }
}

impl Leaf {
    /// Reads a leaf.
    ///
    /// # Errors
    ///
    /// If the bytes are not exactly what [`Leaf::bytes`] writes.
    pub fn read(bytes: &[u8]) -> Result<Self, ParseLeafError> {
        let unreadable = |violation: crate::Violation| ParseLeafError::new(violation.to_string());
        let source = Source::plain(bytes).map_err(unreadable)?;
        let value = source.read_plain().map_err(unreadable)?.to_value();
        let leaf = value
            .as_object()
            .and_then(leaf)
            .ok_or_else(|| ParseLeafError::new("a member is missing or has the wrong type"))?;
        // One comparison covers member order, spelling and unknown members.
        if leaf.bytes()? != bytes {
            return Err(ParseLeafError::new("the bytes are not canonical"));
        }
        Ok(leaf)
    }
}

fn leaf(members: &Members) -> Option<Leaf> {
    let (project, epoch) = text(members, "log")?.strip_prefix(ORIGIN)?.rsplit_once('/')?;
    let (project, epoch) = (project.parse().ok()?, epoch.parse().ok()?);
    let event = EventType::named(text(members, "type")?)?;
    (text(members, "v")? == FORMAT).then_some(())?;
    Some(Leaf {
        project,
        epoch,
        index: members.get("i")?.as_u64()?,
        number: members.get("n")?.as_u64()?,
        time: instant(text(members, "t")?)?,
        previous: Hash::from_base64(text(members, "prev")?)?,
        event,
        subject: optional(members, "subj", |value| subject(value.as_object()?))?,
        document: optional(members, "doc", hash)?,
        attributes: attributes(members.get("attr")?.as_object()?, event)?,
        actor: actor(members.get("actor")?.as_object()?)?,
        class: optional(members, "class", |value| word(value, CLASSES))?,
        taint: optional(members, "taint", |value| word(value, TAINTS))?,
        regulations: optional(members, "reg", regulations)?.unwrap_or_default(),
        policy: optional(members, "pol", hash)?,
    })
}

fn attributes(members: &Members, event: EventType) -> Option<Attributes> {
    let mut attributes = Attributes::default();
    for (name, kind) in event.required().iter().chain(event.optional()) {
        if let Some(value) = members.get(*name) {
            attributes.insert(name, Attribute::read(value, *kind)?);
        }
    }
    Some(attributes)
}

fn subject(members: &Members) -> Option<Subject> {
    Some(Subject {
        handoff: id(members.get("h")?)?,
        revision: members.get("rev")?.as_u64()?,
        packet: hash(members.get("pc")?)?,
        previous: optional(members, "prev_n", Value::as_u64)?,
    })
}

fn actor(members: &Members) -> Option<Actor> {
    let (kind, authentication) = (text(members, "kind")?, text(members, "auth")?);
    Some(Actor {
        party: optional(members, "id", id)?,
        kind: ActorKind::ALL.into_iter().find(|known| known.word() == kind)?,
        authentication: Authentication::ALL
            .into_iter()
            .find(|known| known.word() == authentication)?,
        credential: optional(members, "cred", id)?,
        on_behalf_of: optional(members, "for", id)?,
    })
}

fn regulations(value: &Value) -> Option<Vec<Regulation>> {
    let rule = |value: &Value| {
        let members = value.as_object()?;
        let (scheme, reference) = (text(members, "s")?.to_owned(), text(members, "r")?.to_owned());
        Some(Regulation { scheme, reference })
    };
    value.as_array()?.iter().map(rule).collect()
}

fn text<'m>(members: &'m Members, name: &str) -> Option<&'m str> {
    members.get(name)?.as_str()
}

/// Reads a member that may be missing.
#[expect(clippy::option_option, reason = "the outer means invalid, the inner means missing")]
fn optional<T>(
    members: &Members,
    name: &str,
    read: impl Fn(&Value) -> Option<T>,
) -> Option<Option<T>> {
    match members.get(name) {
        Some(value) => read(value).map(Some),
        None => Some(None),
    }
}

fn hash(value: &Value) -> Option<Hash> {
    Hash::from_base64(value.as_str()?)
}

fn id<T: FromStr>(value: &Value) -> Option<T> {
    value.as_str()?.parse().ok()
}

fn word(value: &Value, words: &[&'static str]) -> Option<&'static str> {
    words.iter().copied().find(|word| value.as_str() == Some(word))
}
