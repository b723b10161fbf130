//! The packet: an ordered tree of members, and a typed view of the ones the format knows.
//!
//! Unknown members stay where they are. The view never fails: a member of another type than the
//! field table says is simply not seen, because whether a packet is valid is said by `validate`.

pub(crate) mod aliases;

use serde_json::Value;

use crate::canonical;
use crate::document::{Members, member};
use crate::schema::Kind;

/// One packet of any kind.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Packet {
    members: Members,
}

/// How well a statement is founded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Certainty {
    /// Somebody checked it.
    Verified,
    /// Taken for granted.
    Assumed,
    /// Nobody knows, or nobody said.
    Unknown,
}

/// One item of a list, written as a plain string or as an object with `text`.
#[derive(Debug, Clone, Copy)]
pub struct Item<'p> {
    /// What it says.
    pub text: &'p str,
    /// The members of an item that is written as an object.
    pub members: Option<&'p Members>,
}

impl Packet {
    /// A packet of these members, as they are.
    pub fn new(members: Members) -> Self {
        Self { members }
    }

    /// A packet of a JSON value; the value comes back if it is no object.
    pub fn from_value(value: Value) -> Result<Self, Value> {
        match value {
            Value::Object(members) => Ok(Self::new(members)),
            other => Err(other),
        }
    }

    /// All members in their order.
    pub fn members(&self) -> &Members {
        &self.members
    }

    /// Gives the members back.
    pub fn into_members(self) -> Members {
        self.members
    }

    /// The packet as a JSON value.
    pub fn to_value(&self) -> Value {
        Value::Object(self.members.clone())
    }

    /// The digest over the canonical bytes.
    pub fn digest(&self) -> String {
        canonical::digest_of_bytes(&canonical::bytes_of_members(&self.members))
    }

    /// The kind that `packet_type` names; a packet without it is a handoff.
    pub fn kind(&self) -> Kind {
        Kind::of(self.text("packet_type"))
    }

    /// Any member.
    pub fn get(&self, name: &str) -> Option<&Value> {
        member(&self.members, name)
    }

    /// A member that is a text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }

    /// A member that is a number.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.get(name)?.as_f64()
    }

    /// A member that is an object.
    pub fn object(&self, name: &str) -> Option<&Members> {
        self.get(name)?.as_object()
    }

    /// A member that is a list; an absent one is empty.
    pub fn list(&self, name: &str) -> &[Value] {
        self.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// The items of a list of statements; an absent one is empty.
    pub fn items(&self, name: &str) -> impl Iterator<Item = Item<'_>> {
        self.list(name).iter().filter_map(Item::of)
    }

    /// Who it is for: `to_agent`, or AHP's `target_agent`.
    pub fn receiver(&self) -> Option<&str> {
        self.text("to_agent").or_else(|| self.text("target_agent"))
    }

    /// The summary, or AHP's `handoff_summary`.
    pub fn summary(&self) -> Option<&str> {
        self.text("summary").or_else(|| self.text("handoff_summary"))
    }
}

impl<'p> Item<'p> {
    /// The item that a list member holds, if it is one.
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

    /// How well it is founded; nothing said is unknown.
    pub fn certainty(&self) -> Certainty {
        match self.member("state") {
            Some("verified") => Certainty::Verified,
            Some("assumed") => Certainty::Assumed,
            _ => Certainty::Unknown,
        }
    }

    /// Whether it must reach every later receiver verbatim.
    pub fn is_pinned(&self) -> bool {
        self.members.and_then(|members| member(members, "pinned")) == Some(&Value::Bool(true))
    }

    /// A text member of an item that is written as an object: `id`, `evidence`, `run`.
    pub fn member(&self, name: &str) -> Option<&'p str> {
        member(self.members?, name)?.as_str()
    }
}
