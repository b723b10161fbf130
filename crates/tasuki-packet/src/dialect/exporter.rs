//! Exports a packet to a document by a table. It reverses the steps of the importer.
//!
//! The original members under `extensions.<dialect>` are restored if they still match the packet. A
//! field that was changed since the import is written with its new value.

use serde_json::{Value, json};

use super::convert::{Export, Lost};
use super::importer::CARRIER_NAME;
use super::order::{FIELDS, arrange};
use super::path;
use super::table::{Overflow, Slot, Table};
use crate::document::{Members, pointer};

pub(super) fn export(table: &'static Table, packet: &Members) -> Export {
    let mut exporter = Exporter::new(table, packet);
    exporter.unpack_extension();
    exporter.use_synonyms();
    exporter.apply_implied();
    for slot in table.slots {
        if exporter.is_first_of_field(slot) {
            exporter.write_field(slot.field);
        }
    }
    match table.overflow {
        Overflow::Open(carrier) => {
            exporter.write_fields();
            exporter.write_extensions();
            exporter.carry(carrier);
        }
        Overflow::Carried(carrier) => exporter.carry(carrier),
        Overflow::Payload => {
            exporter.write_payload();
            exporter.lose_rest();
        }
        Overflow::Closed => exporter.lose_rest(),
    }
    exporter.finish()
}

struct Exporter {
    table: &'static Table,
    /// The part of the packet that is not written yet.
    rest: Members,
    /// The preserved members of the source that have no field in the packet.
    kept: Members,
    carried: Members,
    document: Members,
    lost: Vec<Lost>,
}

impl Exporter {
    fn new(table: &'static Table, packet: &Members) -> Self {
        Self {
            table,
            rest: packet.clone(),
            kept: Members::new(),
            carried: Members::new(),
            document: Members::new(),
            lost: Vec::new(),
        }
    }

    fn lose(&mut self, pointer: String, reason: impl Into<String>) {
        self.lost.push(Lost { pointer, reason: reason.into() });
    }

    fn unpack_extension(&mut self) {
        let place = ["extensions", self.table.dialect.name()];
        if path::get(&self.rest, &place).is_some_and(Value::is_object)
            && let Some(Value::Object(kept)) = path::take(&mut self.rest, &place)
        {
            self.kept = kept;
        }
    }

    fn use_synonyms(&mut self) {
        for (synonym, field) in self.table.synonyms {
            // A value that the slot cannot write must be reported as lost under its own name.
            let fits = |value: &Value| {
                self.table.slots.iter().any(|slot| {
                    slot.field == [*field] && !slot.is_alias && slot.codec.write(value).is_whole
                })
            };
            if !self.rest.contains_key(*field)
                && self.rest.get(*synonym).is_some_and(fits)
                && let Some(value) = self.rest.shift_remove(*synonym)
            {
                self.rest.insert((*field).to_owned(), value);
            }
        }
    }

    /// Drops the fields that the document implies, and adds those that it must state.
    fn apply_implied(&mut self) {
        for (name, value) in self.table.implied {
            if self.rest.get(*name).is_some_and(|stated| stated == value) {
                self.rest.shift_remove(*name);
            }
        }
        for (name, value) in self.table.defaults {
            let was_absent = self.kept.get(*name).is_some_and(Value::is_null);
            if was_absent {
                self.kept.shift_remove(*name);
            }
            match self.rest.get(*name) {
                Some(stated) if was_absent && stated == value => {
                    self.rest.shift_remove(*name);
                }
                None if !was_absent => {
                    self.rest.insert((*name).to_owned(), json!(value));
                }
                Some(_) | None => {}
            }
        }
    }

    fn is_first_of_field(&self, slot: &Slot) -> bool {
        let first = self.table.slots.iter().find(|other| other.field == slot.field);
        first.is_some_and(|first| std::ptr::eq(first, slot))
    }

    fn write_field(&mut self, field: &[&str]) {
        let slots: Vec<&Slot> =
            self.table.slots.iter().filter(|slot| slot.field == field).collect();
        let value = path::get(&self.rest, field).cloned();
        if self.write_as_spelled(&slots, value.as_ref()) {
            path::take(&mut self.rest, field);
            return;
        }
        for slot in &slots {
            self.drop_outdated(slot, value.as_ref());
        }
        if let (Some(slot), Some(value)) = (slots.iter().find(|slot| !slot.is_alias), value) {
            self.write_value(slot, value);
        }
    }

    /// Restores the members of the source, if they still match the packet.
    fn write_as_spelled(&mut self, slots: &[&Slot], value: Option<&Value>) -> bool {
        let still_holds = |slot: &&Slot| {
            path::get(&self.kept, slot.place)
                .and_then(|kept| slot.codec.read(kept))
                .is_some_and(|read| Some(&read) == value)
        };
        let is_spelled = slots.iter().any(still_holds);
        if is_spelled {
            for slot in slots {
                if let Some(kept) = path::take(&mut self.kept, slot.place) {
                    path::put(&mut self.document, slot.place, kept);
                }
            }
        }
        is_spelled
    }

    fn drop_outdated(&mut self, slot: &Slot, value: Option<&Value>) {
        let Some(kept) = path::get(&self.kept, slot.place) else { return };
        let is_readable = slot.codec.read(kept).is_some();
        if value.is_none() && !is_readable {
            return;
        }
        path::take(&mut self.kept, slot.place);
        if !is_readable {
            let pointer = self.pointer_to_kept(slot.place);
            self.lose(pointer, format!("replaced by `{}`", slot.field.join(".")));
        }
    }

    fn write_value(&mut self, slot: &Slot, value: Value) {
        let written = slot.codec.write(&value);
        let Some(native) = written.value else { return };
        path::put(&mut self.document, slot.place, native);
        path::take(&mut self.rest, slot.field);
        if written.is_whole {
            return;
        }
        match self.table.overflow.carrier() {
            Some(_) => path::put(&mut self.carried, slot.field, value),
            None => self.lose(path::pointer_of(slot.field), slot.codec.loss()),
        }
    }

    fn write_fields(&mut self) {
        for name in FIELDS.iter().filter(|name| self.table.has_open_field(name)) {
            if let Some(value) = self.rest.shift_remove(*name) {
                self.document.insert((*name).to_owned(), value);
            }
        }
    }

    fn write_extensions(&mut self) {
        let Some(Value::Object(extensions)) = self.rest.get("extensions") else { return };
        if extensions.is_empty() {
            self.rest.shift_remove("extensions");
            self.document.insert("extensions".to_owned(), json!({}));
            return;
        }
        let names: Vec<String> =
            extensions.keys().filter(|name| *name != CARRIER_NAME).cloned().collect();
        for name in &names {
            let place = ["extensions", name.as_str()];
            if let Some(value) = path::take(&mut self.rest, &place) {
                path::put(&mut self.document, &place, value);
            }
        }
    }

    fn carry(&mut self, carrier: &[&str]) {
        let rest = std::mem::take(&mut self.rest);
        path::merge(&mut self.carried, rest);
        if !self.carried.is_empty() {
            let carried = std::mem::take(&mut self.carried);
            path::put(&mut self.document, carrier, Value::Object(carried));
        }
    }

    fn write_payload(&mut self) {
        let holds_any = |value: &Value| value.as_object().is_some_and(|object| !object.is_empty());
        if !self.rest.get("payload").is_some_and(holds_any) {
            return;
        }
        let Some(Value::Object(payload)) = self.rest.shift_remove("payload") else { return };
        for (name, value) in payload {
            let is_slot = self.table.slots.iter().any(|slot| slot.place == [name.as_str()]);
            if is_slot || self.kept.contains_key(&name) {
                let pointer = path::pointer_of(&["payload", &name]);
                self.lose(pointer, format!("`{name}` has another meaning in the document"));
            } else {
                self.document.insert(name, value);
            }
        }
    }

    fn lose_rest(&mut self) {
        let reason = format!("not supported by `{}`", self.table.dialect);
        for (name, _) in std::mem::take(&mut self.rest) {
            self.lose(pointer::join("", &name), reason.clone());
        }
    }

    fn pointer_to_kept(&self, place: &[&str]) -> String {
        let mut whole = vec!["extensions", self.table.dialect.name()];
        whole.extend_from_slice(place);
        path::pointer_of(&whole)
    }

    fn finish(mut self) -> Export {
        let kept = std::mem::take(&mut self.kept);
        for (name, _) in path::merge(&mut self.document, kept) {
            let pointer = self.pointer_to_kept(&[&name]);
            self.lose(pointer, "replaced by another member of the document");
        }
        Export { document: arrange(self.document, self.table.order), lost: self.lost }
    }
}
