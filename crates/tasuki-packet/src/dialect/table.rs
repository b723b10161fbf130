//! What one shape of document is made of: the table that importer and exporter walk.

use serde_json::Value;

use super::name::Dialect;
use super::order::FIELDS;
use crate::dialect::codec::Codec;
use crate::document::Members;
use crate::schema::Kind;
use crate::violation::{Code, Violation};

/// A path of member names.
pub(super) type Path = &'static [&'static str];

/// One shape of document of a dialect.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) dialect: Dialect,
    /// What the shape is called in a message: `a handoff request`.
    pub(super) called: &'static str,
    pub(super) slots: &'static [Slot],
    /// Members that a document of this shape always has, with the value that their absence means.
    pub(super) defaults: &'static [(&'static str, &'static str)],
    /// Fields that every packet of this shape has and that the document does not spell out.
    pub(super) implied: &'static [(&'static str, &'static str)],
    /// Fields that may stand in for another one that has a slot.
    pub(super) synonyms: &'static [(&'static str, &'static str)],
    /// Where the document keeps what has no slot.
    pub(super) overflow: Overflow,
    /// The order of the document's members.
    pub(super) order: &'static [&'static str],
}

/// A member of the document that is a field of the packet.
#[derive(Debug)]
pub(super) struct Slot {
    /// Where it stands in the document.
    pub(super) place: Path,
    /// Where it stands in the packet.
    pub(super) field: Path,
    pub(super) codec: Codec,
    /// An alias is read, but written only where the source of an import had it.
    pub(super) is_alias: bool,
}

/// Where a document keeps what has no slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Overflow {
    /// Fields stand beside the slots under their own names; the rest is carried at the path.
    Open(Path),
    /// Everything is carried at the path.
    Carried(Path),
    /// Members without a slot are the packet's payload, and only the payload can take them.
    Payload,
    /// Nothing fits.
    Closed,
}

impl Overflow {
    /// Where things are carried, if the document can carry any.
    pub(super) fn carrier(self) -> Option<Path> {
        match self {
            Self::Open(path) | Self::Carried(path) => Some(path),
            Self::Payload | Self::Closed => None,
        }
    }
}

impl Table {
    /// Whether a field stands in the document under its own name, without a slot.
    pub(super) fn stands_open(&self, name: &str) -> bool {
        let is_slot =
            |slot: &Slot| slot.field.first() == Some(&name) || slot.place.first() == Some(&name);
        matches!(self.overflow, Overflow::Open(_))
            && FIELDS.contains(&name)
            && !self.slots.iter().any(is_slot)
    }

    /// Whether this value of this field would make a packet of another kind than the documents of
    /// this shape are for.
    pub(super) fn is_other_kind(&self, field: &str, value: &Value) -> bool {
        let own = self.implied.iter().find(|(name, _)| *name == "packet_type");
        field == "packet_type"
            && own.is_some_and(|(_, own)| Kind::of(value.as_str()) != Kind::of(Some(own)))
    }

    /// Whether the document leaves this value of this field unsaid.
    pub(super) fn implies(&self, field: &str, value: &Value) -> bool {
        self.implied.iter().any(|(name, implied)| *name == field && value == implied)
    }
}

impl Slot {
    /// A member that has another name or another place in the packet.
    pub(super) const fn moved(place: Path, field: Path, codec: Codec) -> Self {
        Self { place, field, codec, is_alias: false }
    }

    /// A member that has the same name in the packet.
    pub(super) const fn same(place: Path, codec: Codec) -> Self {
        Self { place, field: place, codec, is_alias: false }
    }

    /// A second name under which a document may say the same.
    pub(super) const fn alias(place: Path, field: Path, codec: Codec) -> Self {
        Self { place, field, codec, is_alias: true }
    }
}

/// Refuses a packet of any other kind than the one the table's documents are for.
pub(super) fn handoffs_only(table: &Table, packet: &Members) -> Result<(), Violation> {
    let packet_type = packet.get("packet_type").and_then(Value::as_str);
    match (Kind::of(packet_type), packet_type) {
        (Kind::Checkpoint | Kind::Return | Kind::Decision, Some(found)) => {
            let message =
                format!("{} shows a handoff, and the packet is a `{found}`", table.called);
            Err(Violation::new(Code::FieldValue, "/packet_type", message)
                .found(found)
                .allowed("a handoff")
                .hint("export the handoff that it belongs to"))
        }
        _ => Ok(()),
    }
}
