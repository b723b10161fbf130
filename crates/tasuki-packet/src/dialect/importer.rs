//! Imports a document to a packet by a table.
//!
//! A member is consumed only if exporting the packet would write it identically. All other members
//! of the document, whether unknown, of another type or only spelled differently, are kept under
//! `extensions.<dialect>`, from where the exporter restores them.

use serde_json::{Value, json};

use super::convert::{Import, Note};
use super::order::{FIELDS, arrange};
use super::path;
use super::table::{Overflow, Slot, Table};
use crate::dialect::codec::Codec;
use crate::document::{Members, limits, pointer};
use crate::violation::{Code, Violation};

pub(super) fn import(table: &'static Table, source: &Members) -> Result<Import, Violation> {
    let mut importer = Importer::new(table, source);
    importer.unpack_carrier();
    for slot in table.slots {
        importer.read_slot(slot);
    }
    if let Overflow::Open(_) = table.overflow {
        importer.read_fields();
        importer.read_extensions();
    }
    importer.restore_carried();
    if importer.packet.is_empty() {
        return Err(not_this_dialect(table));
    }
    importer.assume();
    Ok(importer.finish())
}

/// An import in progress. Every value of the source is in at least one of the trees.
struct Importer<'s> {
    table: &'static Table,
    source: &'s Members,
    /// The members that are not consumed yet.
    rest: Members,
    /// The fields that an earlier export could not represent in the dialect.
    carried: Members,
    /// The carried fields that an export would write elsewhere.
    refused: Members,
    /// The members for `extensions.<dialect>`.
    kept: Members,
    packet: Members,
    notes: Vec<Note>,
}

impl<'s> Importer<'s> {
    fn new(table: &'static Table, source: &'s Members) -> Self {
        Self {
            table,
            source,
            rest: source.clone(),
            carried: Members::new(),
            refused: Members::new(),
            kept: Members::new(),
            packet: Members::new(),
            notes: Vec::new(),
        }
    }

    fn note(&mut self, pointer: impl Into<String>, message: impl Into<String>) {
        self.notes.push(Note { pointer: pointer.into(), message: message.into() });
    }

    fn keep(&mut self, slot: &Slot, value: Value, why: &str) {
        let dialect = self.table.dialect;
        let message = format!("{why}; the original is kept under `extensions.{dialect}`");
        self.note(path::pointer_of(slot.place), message);
        path::put(&mut self.kept, slot.place, value);
    }

    fn unpack_carrier(&mut self) {
        let Some(carrier) = self.table.overflow.carrier() else { return };
        let holds_any = |value: &Value| value.as_object().is_some_and(|object| !object.is_empty());
        if !path::get(&self.rest, carrier).is_some_and(holds_any) {
            return;
        }
        if let Some(Value::Object(carried)) = path::take(&mut self.rest, carrier) {
            self.carried = carried;
            self.note(
                path::pointer_of(carrier),
                "carries fields of the packet, which are restored",
            );
        }
    }

    fn read_slot(&mut self, slot: &Slot) {
        let value = path::take(&mut self.rest, slot.place);
        if self.restore_whole(slot, value.as_ref()) {
            return;
        }
        let Some(value) = value else { return };
        let field = slot.field.join(".");
        if path::get(&self.packet, slot.field).is_some() {
            return self.keep(slot, value, &format!("is a duplicate of `{field}`"));
        }
        let Some(read) = slot.codec.read(&value) else {
            return self.keep(slot, value, &format!("is not a valid `{field}`"));
        };
        if !self.is_written_back(slot, &read, &value) {
            self.keep(slot, value, &format!("is read as `{}`", shown(&field, &read)));
        } else if slot.place != slot.field {
            self.note(path::pointer_of(slot.place), format!("becomes `{field}`"));
        }
        path::put(&mut self.packet, slot.field, read);
    }

    /// Restores a field of which the document's own member shows only a part.
    fn restore_whole(&mut self, slot: &Slot, value: Option<&Value>) -> bool {
        if slot.is_alias {
            return false;
        }
        let Some(whole) = path::get(&self.carried, slot.field) else { return false };
        let written = slot.codec.write(whole);
        // If the member was changed since the export, it takes precedence over the carried field.
        let is_current = !written.is_whole && written.value.as_ref() == value;
        if let Some(whole) = path::take(&mut self.carried, slot.field) {
            let target = if is_current { &mut self.packet } else { &mut self.refused };
            path::put(target, slot.field, whole);
        }
        is_current
    }

    fn is_written_back(&self, slot: &Slot, read: &Value, value: &Value) -> bool {
        let is_said_twice = |other: &Slot| {
            other.field == slot.field
                && other.place != slot.place
                && path::get(self.source, other.place).is_some()
        };
        if slot.is_alias || self.table.slots.iter().any(is_said_twice) {
            return false;
        }
        // AHP's own packet type is kept, so that its reports and records stay recognizable.
        if slot.codec == Codec::AhpType && read != value {
            return false;
        }
        let written = slot.codec.write(read);
        written.is_whole && written.value.as_ref() == Some(value)
    }

    /// Takes the fields that an open document has under their packet names.
    fn read_fields(&mut self) {
        for name in FIELDS.iter().filter(|name| self.table.has_open_field(name)) {
            let is_said = |value: &Value| !self.table.implies(name, value);
            if self.rest.get(*name).is_some_and(is_said)
                && let Some(value) = self.rest.shift_remove(*name)
            {
                self.packet.insert((*name).to_owned(), value);
            }
        }
    }

    fn read_extensions(&mut self) {
        let Some(Value::Object(extensions)) = self.rest.get("extensions") else { return };
        let reserved = [self.table.dialect.name(), CARRIER_NAME];
        let names: Vec<String> =
            extensions.keys().filter(|name| !reserved.contains(&name.as_str())).cloned().collect();
        for name in &names {
            let place = ["extensions", name.as_str()];
            if let Some(value) = path::take(&mut self.rest, &place) {
                path::put(&mut self.packet, &place, value);
            }
        }
    }

    /// Restores the remaining carried fields. A field that an export of this packet would write
    /// elsewhere stays in place.
    fn restore_carried(&mut self) {
        let Some(carrier) = self.table.overflow.carrier() else { return };
        let is_open = matches!(self.table.overflow, Overflow::Open(_));
        let mut returned = Members::new();
        for (name, value) in std::mem::take(&mut self.carried) {
            let is_elsewhere = self.table.implies(&name, &value)
                || self.table.has_open_field(&name)
                || self.table.is_other_kind(&name, &value);
            let (back, stays) = match name.as_str() {
                "extensions" => self.split_extensions(value, is_open),
                _ if is_elsewhere => (None, Some(value)),
                _ => (Some(value), None),
            };
            returned.extend(back.map(|value| (name.clone(), value)));
            path::merge(&mut self.refused, stays.map(|value| (name, value)).into_iter().collect());
        }
        let taken = path::merge(&mut self.packet, returned);
        path::merge(&mut self.refused, taken);
        if !self.refused.is_empty() {
            let dialect = self.table.dialect;
            let message =
                format!("members that belong elsewhere are kept under `extensions.{dialect}`");
            self.note(path::pointer_of(carrier), message);
            let refused = std::mem::take(&mut self.refused);
            path::put(&mut self.kept, carrier, Value::Object(refused));
        }
    }

    fn split_extensions(&self, value: Value, is_open: bool) -> (Option<Value>, Option<Value>) {
        let own = self.table.dialect.name();
        let Value::Object(extensions) = value else { return (None, Some(value)) };
        if extensions.is_empty() {
            // Beside an extension of this import, it would not be visible that they were empty.
            let is_alone = self.kept.is_empty() && self.rest.is_empty() && self.refused.is_empty();
            let empty = Some(json!({}));
            return if is_alone && !is_open { (empty, None) } else { (None, empty) };
        }
        // An open document has the other extensions in its own `extensions`. Only the member that
        // shares the carrier's name had to be carried.
        let (stays, back): (Members, Members) = extensions
            .into_iter()
            .partition(|(name, _)| name == own || is_open && name != CARRIER_NAME);
        let some = |members: Members| (!members.is_empty()).then_some(Value::Object(members));
        (some(back), some(stays))
    }

    fn assume(&mut self) {
        for (name, value) in self.table.defaults {
            if !self.packet.contains_key(*name) {
                // The null records that the source did not state it.
                self.kept.insert((*name).to_owned(), Value::Null);
                self.assume_one(name, value);
            }
        }
        for (name, value) in self.table.implied {
            if !self.packet.contains_key(*name) {
                self.assume_one(name, value);
            }
        }
    }

    fn assume_one(&mut self, name: &str, value: &str) {
        self.packet.insert(name.to_owned(), json!(value));
        self.note("", format!("`{name}` defaults to `{value}`"));
    }

    fn finish(mut self) -> Import {
        let rest = std::mem::take(&mut self.rest);
        match self.table.overflow {
            Overflow::Payload => self.rest_as_payload(rest),
            Overflow::Open(_) | Overflow::Carried(_) | Overflow::Closed => {
                self.rest_as_extensions(rest);
            }
        }
        if !self.kept.is_empty() {
            let place = ["extensions", self.table.dialect.name()];
            path::put(&mut self.packet, &place, Value::Object(self.kept));
        }
        Import {
            packet: arrange(self.packet, FIELDS),
            dialect: self.table.dialect,
            notes: self.notes,
        }
    }

    fn rest_as_payload(&mut self, rest: Members) {
        for name in rest.keys() {
            let pointer = path::pointer_of(&[name]);
            self.notes.push(Note { pointer, message: format!("becomes `payload.{name}`") });
        }
        if !rest.is_empty() {
            self.packet.insert("payload".to_owned(), Value::Object(rest));
        }
    }

    fn rest_as_extensions(&mut self, rest: Members) {
        // Empty extensions need no extension to record them, unless there already is one.
        if self.kept.is_empty() && Value::Object(rest.clone()) == json!({"extensions": {}}) {
            self.packet.insert("extensions".to_owned(), json!({}));
            return;
        }
        let message = format!("has no field; kept under `extensions.{}`", self.table.dialect);
        note_rest(self.source, &rest, "", &mut |pointer| {
            self.notes.push(Note { pointer: pointer.to_owned(), message: message.clone() });
        });
        // Members kept so far were elsewhere in the source, so there are no conflicts.
        path::merge(&mut self.kept, rest);
    }
}

/// The member of `extensions` that carries fields without a place in the document.
pub(super) const CARRIER_NAME: &str = "tasuki";

/// Returns a field with its value, if that is short enough for a note.
fn shown(field: &str, value: &Value) -> String {
    let is_short = value.as_str().map_or(!value.is_array() && !value.is_object(), |text| {
        text.len() <= limits::NAME_CHARS_MAX
    });
    if is_short { format!("{field}: {value}") } else { field.to_owned() }
}

/// Reports the largest unused parts of the source.
fn note_rest(source: &Members, rest: &Members, place: &str, note: &mut impl FnMut(&str)) {
    for (name, value) in rest {
        let pointer = pointer::join(place, name);
        match (source.get(name), value) {
            (Some(Value::Object(before)), Value::Object(after)) if before != after => {
                note_rest(before, after, &pointer, note);
            }
            _ => note(&pointer),
        }
    }
}

fn not_this_dialect(table: &Table) -> Violation {
    let names: Vec<String> =
        table.slots.iter().map(|slot| format!("`{}`", slot.place.join("."))).collect();
    Violation::new(Code::FieldMissing, "", format!("the document is not {}", table.called))
        .allowed(names.join(", "))
        .hint("select another dialect, or none if the document is already a packet")
}
