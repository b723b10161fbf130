//! The packet: its members in order, and typed access to those of the format.
//!
//! Unknown members are kept. Accessors never fail: they ignore a member of the wrong type, because
//! validation reports it.

pub(crate) mod aliases;
mod pin;

use serde_json::Value;

use crate::canonical;
use crate::document::{Members, member};
use crate::schema::Kind;

pub use pin::is_pinned;
pub(crate) use pin::words_of;

/// A packet of any kind.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::{Certainty, Kind, Packet};
///
/// let packet = Packet::from_value(json!({
///     "task_id": "export-7",
///     "to_agent": "coder",
///     "completed": [{"text": "Wrote the parser", "state": "verified"}],
/// }))
/// .unwrap();
/// assert_eq!(packet.kind(), Kind::Handoff);
/// assert_eq!(packet.receiver(), Some("coder"));
/// let item = packet.items("completed").next().unwrap();
/// assert_eq!((item.text, item.certainty()), ("Wrote the parser", Certainty::Verified));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Packet {
    members: Members,
}

/// The certainty of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Certainty {
    /// Checked, with evidence.
    Verified,
    /// Assumed without a check.
    Assumed,
    /// Not known, or not stated.
    Unknown,
}

/// An item of a list, written as a string or as an object with `text`.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::Item;
///
/// let value = json!({"text": "Keep the public API", "pinned": true});
/// let item = Item::of(&value).unwrap();
/// assert_eq!(item.text, "Keep the public API");
/// assert!(item.is_pinned());
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Item<'p> {
    /// The text.
    pub text: &'p str,
    /// The members, if the item is an object.
    pub members: Option<&'p Members>,
}

impl Packet {
    /// Creates a packet from its members.
    pub fn new(members: Members) -> Self {
        Self { members }
    }

    /// Creates a packet from a JSON object.
    ///
    /// # Errors
    ///
    /// Returns any other value unchanged.
    pub fn from_value(value: Value) -> Result<Self, Value> {
        match value {
            Value::Object(members) => Ok(Self::new(members)),
            other => Err(other),
        }
    }

    /// Returns all members, in order.
    pub fn members(&self) -> &Members {
        &self.members
    }

    /// Returns the members and drops the packet.
    pub fn into_members(self) -> Members {
        self.members
    }

    /// Returns the packet as a JSON value.
    pub fn to_value(&self) -> Value {
        Value::Object(self.members.clone())
    }

    /// Returns the digest of the canonical bytes.
    pub fn digest(&self) -> String {
        canonical::digest_of_bytes(&canonical::bytes_of_members(&self.members))
    }

    /// Returns the kind that `packet_type` names. A packet without one is a handoff.
    pub fn kind(&self) -> Kind {
        Kind::of(self.text("packet_type"))
    }

    /// Returns a member.
    pub fn get(&self, name: &str) -> Option<&Value> {
        member(&self.members, name)
    }

    /// Returns a member that is a text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }

    /// Returns a member that is a number.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.get(name)?.as_f64()
    }

    /// Returns a member that is an object.
    pub fn object(&self, name: &str) -> Option<&Members> {
        self.get(name)?.as_object()
    }

    /// Returns a member that is a list; empty if it is missing.
    pub fn list(&self, name: &str) -> &[Value] {
        self.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// Returns the items of a list; empty if it is missing.
    pub fn items(&self, name: &str) -> impl Iterator<Item = Item<'_>> {
        self.list(name).iter().filter_map(Item::of)
    }

    /// Returns the receiver: `to_agent`, or `target_agent` in AHP.
    pub fn receiver(&self) -> Option<&str> {
        self.text("to_agent").or_else(|| self.text("target_agent"))
    }

    /// Returns the summary: `summary`, or `handoff_summary` in AHP.
    pub fn summary(&self) -> Option<&str> {
        self.text("summary").or_else(|| self.text("handoff_summary"))
    }
}

impl<'p> Item<'p> {
    /// Reads an item from an entry of a list.
    pub fn of(value: &'p Value) -> Option<Self> {
        match value {
            Value::String(text) => Some(Self { text, members: None }),
            Value::Object(members) => {
                let text = member(members, "text")?.as_str()?;
                Some(Self { text, members: Some(members) })
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
        }
    }

    /// Returns the certainty; [`Certainty::Unknown`] if it is not stated.
    pub fn certainty(&self) -> Certainty {
        match self.member("state") {
            Some("verified") => Certainty::Verified,
            Some("assumed") => Certainty::Assumed,
            _ => Certainty::Unknown,
        }
    }

    /// Returns `true` if every later receiver must get the item verbatim.
    pub fn is_pinned(&self) -> bool {
        self.members.and_then(|members| member(members, "pinned")) == Some(&Value::Bool(true))
    }

    /// Returns a text member of an item that is an object: `id`, `evidence`, `run`.
    pub fn member(&self, name: &str) -> Option<&'p str> {
        member(self.members?, name)?.as_str()
    }
}
