//! The table of one document shape, which drives the importer and the exporter.

use serde_json::Value;

use super::name::Dialect;
use super::order::FIELDS;
use crate::dialect::codec::Codec;
use crate::document::Members;
use crate::schema::Kind;
use crate::violation::{Code, Violation};

pub(super) type Path = &'static [&'static str];

/// One shape of document of a dialect.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) dialect: Dialect,
    /// The name of the shape in messages, such as `a handoff request`.
    pub(super) called: &'static str,
    pub(super) slots: &'static [Slot],
    /// Members that a document of this shape always has, with the value that their absence means.
    pub(super) defaults: &'static [(&'static str, &'static str)],
    /// Fields that every packet of this shape has and that the document does not state.
    pub(super) implied: &'static [(&'static str, &'static str)],
    /// Fields that may replace another one that has a slot.
    pub(super) synonyms: &'static [(&'static str, &'static str)],
    /// The place of fields without a slot.
    pub(super) overflow: Overflow,
    pub(super) order: &'static [&'static str],
}

/// A member of the document that is a field of the packet.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) place: Path,
    pub(super) field: Path,
    pub(super) codec: Codec,
    /// `true` for an alias, which is read, but written only if the source of an import had it.
    pub(super) is_alias: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Overflow {
    /// Fields are beside the slots under their own names; the rest is carried at the path.
    Open(Path),
    /// All fields are carried at the path.
    Carried(Path),
    /// Members without a slot form the packet's payload. Fields other than the payload are lost.
    Payload,
    /// Fields without a slot are lost.
    Closed,
}

impl Overflow {
    /// Returns the path where fields are carried, if the document can carry any.
    pub(super) fn carrier(self) -> Option<Path> {
        match self {
            Self::Open(path) | Self::Carried(path) => Some(path),
            Self::Payload | Self::Closed => None,
        }
    }
}

impl Table {
    /// Returns `true` if the document has a field under its own name, without a slot.
    pub(super) fn has_open_field(&self, name: &str) -> bool {
        let is_slot =
            |slot: &Slot| slot.field.first() == Some(&name) || slot.place.first() == Some(&name);
        matches!(self.overflow, Overflow::Open(_))
            && FIELDS.contains(&name)
            && !self.slots.iter().any(is_slot)
    }

    /// Returns `true` if this value of this field makes a packet of another kind than documents of
    /// this shape represent.
    pub(super) fn is_other_kind(&self, field: &str, value: &Value) -> bool {
        let own = self.implied.iter().find(|(name, _)| *name == "packet_type");
        field == "packet_type"
            && own.is_some_and(|(_, own)| Kind::of(value.as_str()) != Kind::of(Some(own)))
    }

    /// Returns `true` if the document implies this value of this field.
    pub(super) fn implies(&self, field: &str, value: &Value) -> bool {
        self.implied.iter().any(|(name, implied)| *name == field && value == implied)
    }
}

impl Slot {
    /// Creates a slot for a member with another name or path in the packet.
    pub(super) const fn moved(place: Path, field: Path, codec: Codec) -> Self {
        Self { place, field, codec, is_alias: false }
    }

    /// Creates a slot for a member with the same name in the packet.
    pub(super) const fn same(place: Path, codec: Codec) -> Self {
        Self { place, field: place, codec, is_alias: false }
    }

    pub(super) const fn alias(place: Path, field: Path, codec: Codec) -> Self {
        Self { place, field, codec, is_alias: true }
    }
}

/// Rejects a packet of a kind that the table's documents do not represent.
pub(super) fn handoffs_only(table: &Table, packet: &Members) -> Result<(), Violation> {
    let packet_type = packet.get("packet_type").and_then(Value::as_str);
    match (Kind::of(packet_type), packet_type) {
        (Kind::Checkpoint | Kind::Return | Kind::Decision, Some(found)) => {
            let message =
                format!("the packet is a `{found}`, but {} represents a handoff", table.called);
            Err(Violation::new(Code::FieldValue, "/packet_type", message)
                .found(found)
                .allowed("a handoff")
                .hint("export the handoff that it belongs to"))
        }
        _ => Ok(()),
    }
}
