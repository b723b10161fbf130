//! References to handoffs as people type them, such as `export-7` or `export-7@1:82a7b20f5d3c1e0a`.
//!
//! The command line prints them after "Next:", and messages to people contain them. Both must name
//! the same version.

use tasuki_api as api;

use crate::query::resolve::short;

/// Returns a reference to a handoff: its task if that finds it, else its short id.
pub fn handoff(handoff: &api::Handoff) -> String {
    let is_found_by_task = match handoff.state.as_str() {
        "held" | "offered" | "claimed" | "returned" => handoff.child.is_none(),
        "dead" => true,
        _ => false,
    };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    let task = &handoff.task;
    let is_word = !task.starts_with('-') && !task.is_empty() && task.chars().all(is_plain);
    if is_found_by_task && is_word && !is_generated(task) {
        task.clone()
    } else {
        short_id(&handoff.id)
    }
}

/// Returns a reference to the version of a handoff that a decision or verdict is bound to.
pub fn decision(seen: &api::Handoff) -> String {
    format!("{}@{}", handoff(seen), seen.version())
}

/// Returns `true` if the exchange generated the task id, because the packet had none.
pub fn is_generated(task: &str) -> bool {
    task.strip_prefix("tsk_")
        .is_some_and(|digits| digits.len() == 32 && digits.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Returns the last digits of an id, which commands accept in its place.
fn short_id(id: &str) -> String {
    match id.parse() {
        Ok(id) => short(id).trim_start_matches("hof_").to_owned(),
        // The id of a foreign server may be anything.
        Err(_) => id.chars().filter(char::is_ascii_alphanumeric).collect(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn card(more: &Value) -> api::Handoff {
        let mut card = json!({
            "id": "hof_0194f1c2b3d47e8f9a0b1c2d3e4f5a6b", "task": "t", "state": "held",
            "from": "ana", "to": "ben", "goal": "Ship it", "revision": 1, "digest": "sha256:00",
            "risk": "low", "attempt": 1, "submitted_at": "2026-11-15T10:00:00Z",
        });
        for (name, value) in more.as_object().unwrap() {
            card[name] = value.clone();
        }
        serde_json::from_value(card).unwrap()
    }

    #[test]
    fn a_reference_is_the_task_where_that_finds_the_handoff() {
        let check = |more: Value, expected: &str| {
            assert_eq!(handoff(&card(&more)), expected, "{more}");
        };
        check(json!({ "task": "export-7" }), "export-7");
        check(json!({ "task": "export-7", "state": "done" }), "4f5a6b");
        check(json!({ "task": "export-7", "state": "claimed", "child": "hof_1" }), "4f5a6b");
        check(json!({ "task": "two words" }), "4f5a6b");
        check(json!({ "task": "tsk_0194f1c2b3d47e8f9a0b1c2d3e4f5a6b" }), "4f5a6b");
        check(json!({ "id": "hof_1; rm -rf ~", "state": "done" }), "hof1rmrf");
    }

    #[test]
    fn a_decision_names_the_version_that_was_seen() {
        let held = card(&json!({ "task": "export-7" }));
        assert_eq!(decision(&held), format!("export-7@{}", held.version()));
        let returned = card(&json!({ "state": "returned", "return_id": "ret_1" }));
        assert_eq!(decision(&returned), "t@ret_1");
    }
}
