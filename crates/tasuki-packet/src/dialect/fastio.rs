//! The `handoff.json` of a shared workspace.
//!
//! It is a packet with three more members: the handoff it belongs to, its state, and the time of
//! the last update. They describe the handoff and not the work, so an import preserves them
//! separately. Files of other writers may have the packet one level deeper; `#` in the extension
//! then records the name of that member.

use serde_json::{Value, json};

use super::codec::read_task_id;
use super::convert::{Export, Import, Lost, Note};
use super::name::Dialect;
use super::order::arrange;
use super::path;
use crate::document::{Members, pointer};
use crate::violation::{Code, Violation};

const EXTRAS: &[&str] = &["handoff", "state", "updated_at"];

/// The member names that are tried first.
const WRAPPERS: &[&str] = &["packet", "handoff_packet"];

const TASK: &str = "task_id";

/// The member of the extension that records which member of the file held the packet.
const HOLDER: &str = "#";

/// Returns `true` if these members can only be a packet.
pub(super) fn is_packet(members: &Members) -> bool {
    let has_version = members.get("handoff_version").is_some_and(Value::is_string);
    let kind = members.get("packet_type").and_then(Value::as_str);
    has_version || kind.is_some_and(|kind| PACKET_TYPES.contains(&kind))
}

/// Returns `true` if a packet states its handoff and the state of that handoff.
pub(super) fn has_extras(members: &Members) -> bool {
    let handoff = members.get("handoff").and_then(Value::as_str);
    handoff.is_some_and(|id| id.starts_with("hof_"))
        && (members.contains_key("state") || members.contains_key("updated_at"))
}

/// Returns the member that holds the packet, if there is exactly one candidate.
pub(super) fn wrapper(document: &Members) -> Option<&str> {
    let holds_packet =
        |name: &str| document.get(name).and_then(Value::as_object).is_some_and(is_packet);
    if let Some(name) = WRAPPERS.iter().find(|name| holds_packet(name)) {
        return Some(name);
    }
    let mut holders = document.keys().filter(|name| holds_packet(name));
    let only = holders.next()?;
    holders.next().is_none().then_some(only.as_str())
}

pub(super) fn import(document: &Members) -> Result<Import, Violation> {
    let mut notes = Vec::new();
    let (mut packet, kept) = if is_packet(document) {
        clean(document.clone(), "", &mut notes)
    } else {
        unwrap(document, wrapper(document).ok_or_else(no_packet)?, &mut notes)
    };
    if !kept.is_empty() {
        // Empty extensions are restored from the preserved members; here they would hide that they
        // were empty.
        path::put(&mut packet, &["extensions", Dialect::Fastio.name()], Value::Object(kept));
    }
    let packet = arrange(packet, &["handoff_version"]);
    Ok(Import { packet, dialect: Dialect::Fastio, notes })
}

/// Exports a packet as a `handoff.json`.
///
/// The three extra members come from the import, or from the packet if the caller added them.
pub(super) fn export(packet: &Members) -> Export {
    let mut packet = packet.clone();
    let place = ["extensions", Dialect::Fastio.name()];
    let mut kept = Members::new();
    if path::get(&packet, &place).is_some_and(Value::is_object)
        && let Some(Value::Object(own)) = path::take(&mut packet, &place)
    {
        kept = own;
    }
    let holder = kept.shift_remove(HOLDER);
    let Some(holder) = holder.as_ref().and_then(Value::as_str) else {
        let lost = put_back(&mut packet, kept, "");
        return Export { document: packet, lost };
    };
    let aside = kept.get(holder).and_then(Value::as_object).cloned().unwrap_or_default();
    let lost = put_back(&mut packet, aside, holder);
    kept.insert(holder.to_owned(), Value::Object(packet));
    Export { document: kept, lost }
}

const PACKET_TYPES: &[&str] = &[
    "handoff",
    "checkpoint",
    "return",
    "decision",
    "context",
    "task",
    "verification_report",
    "decision_record",
];

/// Separates the members of a file's packet into the packet and the preserved members.
fn clean(mut packet: Members, place: &str, notes: &mut Vec<Note>) -> (Members, Members) {
    let mut aside = Members::new();
    for name in EXTRAS {
        if let Some(value) = packet.shift_remove(*name) {
            let pointer = pointer::join(place, name);
            notes.push(note(&pointer, "describes the handoff; kept under `extensions.fastio`"));
            aside.insert((*name).to_owned(), value);
        }
    }
    if !packet.contains_key("handoff_version") {
        packet.insert("handoff_version".to_owned(), json!("1.0"));
        // The null records that the file did not state it.
        aside.insert("handoff_version".to_owned(), Value::Null);
        notes.push(note("", "`handoff_version` defaults to `1.0`"));
    }
    derive_task(&mut packet, &mut aside, place, notes);
    let is_wrapped = !place.is_empty();
    put_extensions_aside(&mut packet, &mut aside, is_wrapped);
    (packet, aside)
}

/// Replaces a task id that a packet does not allow by the one derived from it.
fn derive_task(packet: &mut Members, aside: &mut Members, place: &str, notes: &mut Vec<Note>) {
    let Some(Value::String(original)) = packet.get(TASK) else { return };
    let derived = read_task_id(original);
    if derived == *original {
        return;
    }
    let message = format!("is read as {derived}; the original is kept under `extensions.fastio`");
    notes.push(note(&pointer::join(place, TASK), &message));
    aside.extend(packet.insert(TASK.to_owned(), derived).map(|value| (TASK.to_owned(), value)));
}

/// Restores the original of a derived task id.
fn restore_task(packet: &mut Members, aside: &mut Members) {
    let Some(Value::String(original)) = aside.get(TASK) else { return };
    if packet.get(TASK) == Some(&read_task_id(original))
        && let Some(original) = aside.shift_remove(TASK)
    {
        packet.insert(TASK.to_owned(), original);
    }
}

/// Preserves members that would conflict with the extension that this import adds.
fn put_extensions_aside(packet: &mut Members, aside: &mut Members, is_wrapped: bool) {
    let own = ["extensions", Dialect::Fastio.name()];
    if let Some(value) = path::take(packet, &own) {
        path::put(aside, &own, value);
    }
    let Some(extensions) = packet.get("extensions") else { return };
    let is_lost_in_own = *extensions == json!({}) && (is_wrapped || !aside.is_empty());
    if (is_lost_in_own || !extensions.is_object())
        && let Some(extensions) = packet.shift_remove("extensions")
    {
        aside.insert("extensions".to_owned(), extensions);
    }
}

fn unwrap(document: &Members, holder: &str, notes: &mut Vec<Note>) -> (Members, Members) {
    let packet = document.get(holder).and_then(Value::as_object).cloned().unwrap_or_default();
    notes.push(note(&pointer::join("", holder), "is the packet"));
    for name in document.keys().filter(|name| *name != holder) {
        let pointer = pointer::join("", name);
        notes.push(note(&pointer, "is outside the packet; kept under `extensions.fastio`"));
    }
    let (packet, aside) = clean(packet, &pointer::join("", holder), notes);
    let mut kept = document.clone();
    kept.insert(holder.to_owned(), Value::Object(aside));
    kept.insert(HOLDER.to_owned(), json!(holder));
    (packet, kept)
}

/// Restores the members that `clean` removed.
fn put_back(packet: &mut Members, mut aside: Members, holder: &str) -> Vec<Lost> {
    if aside.get("handoff_version").is_some_and(Value::is_null) {
        aside.shift_remove("handoff_version");
        if packet.get("handoff_version").is_some_and(|version| version == "1.0") {
            packet.shift_remove("handoff_version");
        }
    }
    restore_task(packet, &mut aside);
    let mut place = vec!["extensions", Dialect::Fastio.name()];
    place.extend((!holder.is_empty()).then_some(holder));
    let place = path::pointer_of(&place);
    let lose = |(name, _): (String, Value)| Lost {
        pointer: pointer::join(&place, &name),
        reason: format!("replaced by `{name}` of the packet"),
    };
    path::merge(packet, aside).into_iter().map(lose).collect()
}

fn note(pointer: &str, message: &str) -> Note {
    Note { pointer: pointer.to_owned(), message: message.to_owned() }
}

fn no_packet() -> Violation {
    Violation::new(Code::FieldMissing, "", "the document contains no packet")
        .allowed("a packet, or an object with one member that is a packet")
        .hint("a packet has `handoff_version`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::round_trip::{imported, losses, members, returns};

    const ID: &str = "hof_0197a3c45d6e7f809a1b2c3d4e5f6071";

    #[test]
    fn the_packet_is_separated_from_the_state_of_its_handoff() {
        let file = json!({
            "handoff_version": "1.0",
            "task_id": "t",
            "goal": "ship",
            "x_own": [1],
            "handoff": ID,
            "state": "held",
            "updated_at": "2026-11-15T10:00:00.000000Z"
        });
        let packet = imported(Dialect::Fastio, &file).packet;
        assert_eq!(
            json!(packet),
            json!({
                "handoff_version": "1.0",
                "task_id": "t",
                "goal": "ship",
                "x_own": [1],
                "extensions": {"fastio": {
                    "handoff": ID, "state": "held", "updated_at": "2026-11-15T10:00:00.000000Z"
                }}
            })
        );
        returns(Dialect::Fastio, &file);
    }

    #[test]
    fn a_packet_one_level_deeper_is_found_and_put_back_there() {
        let packet = json!({"handoff_version": "1.0", "task_id": "t"});
        for file in [
            json!({"packet": packet, "workspace": "ws_1"}),
            json!({"handoff_packet": packet, "other": packet}),
            json!({"anything": packet, "meta": {}, "handoff_version": 5}),
            json!({"packet": {"packet_type": "task", "goal": "g", "extensions": {}}}),
            json!({"packet": {"handoff_version": "1.0", "state": "x", "extensions": {"fastio": 1}}}),
        ] {
            let import = imported(Dialect::Fastio, &file);
            assert!(import.packet.contains_key("task_id") || import.packet.len() > 1, "{file}");
            returns(Dialect::Fastio, &file);
        }
    }

    #[test]
    fn unusual_files_round_trip_unchanged() {
        for file in [
            json!({"packet_type": "task", "goal": "g"}),
            json!({"handoff_version": "1.0", "extensions": {}}),
            json!({"handoff_version": "1.0", "extensions": {}, "state": "x"}),
            json!({"handoff_version": "1.0", "extensions": "text", "state": "x"}),
            json!({"handoff_version": "1.0", "extensions": {"fastio": {"a": 1}, "b": 2}}),
            json!({"handoff_version": null, "packet_type": "task"}),
        ] {
            returns(Dialect::Fastio, &file);
        }
    }

    #[test]
    fn a_state_from_the_caller_takes_precedence() {
        let packet = members(&json!({
            "handoff_version": "1.0",
            "state": "claimed",
            "extensions": {"fastio": {"state": "held", "handoff": ID}}
        }));
        let export = export(&packet);
        assert_eq!(
            json!(export.document),
            json!({"handoff_version": "1.0", "state": "claimed", "handoff": ID})
        );
        insta::assert_snapshot!(losses(&export), @"/extensions/fastio/state: replaced by `state` of the packet");
    }

    #[test]
    fn a_file_without_a_packet_is_refused() {
        for file in [json!({}), json!({"a": {"b": 1}}), json!({"packet": []})] {
            assert!(import(&members(&file)).is_err(), "{file}");
        }
        let packet = json!({"handoff_version": "1.0"});
        let either = json!({"a": packet, "b": packet});
        assert!(import(&members(&either)).is_err(), "two packets, neither of a known name");
    }
}
