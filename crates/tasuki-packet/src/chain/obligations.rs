//! Obligations must be preserved: a packet that passes work on keeps what the parent must still
//! return.

use serde_json::Value;

use super::labels::lowered;
use crate::packet::{Item, Packet, is_pinned};
use crate::violation::{Code, Violation, shorten};

/// Lists whose entries bind every holder of the work.
const OWED: [&str; 5] =
    ["return_required", "acceptance", "constraints", "failure_boundary", "sign_offs_due"];

/// Returns the entries of the parent that the child has dropped, and the labels that it has
/// lowered. Pinned entries are left to [`dropped`](super::dropped).
///
/// Only the text is compared: a criterion that has been met or has more evidence is progress.
pub fn dropped_obligations(parent: &Packet, child: &Packet) -> Vec<Violation> {
    let mut violations = Vec::new();
    for name in OWED {
        let carried = entries(child, name);
        let is_carried = |entry: &Value| {
            carried.iter().any(|one| is_same(one, entry) && is_due_as_before(name, one, entry))
        };
        let owed = entries(parent, name).iter().filter(|entry| !is_pinned(entry));
        violations.extend(owed.filter(|entry| !is_carried(entry)).map(|one| dropped(name, one)));
    }
    violations.extend(lowered(parent, child));
    violations
}

/// Returns the entries of a list. A list written as a single text has one.
fn entries<'p>(packet: &'p Packet, name: &str) -> &'p [Value] {
    match packet.get(name) {
        Some(Value::Array(entries)) => entries,
        Some(text @ Value::String(_)) => std::slice::from_ref(text),
        _ => &[],
    }
}

fn is_same(one: &Value, other: &Value) -> bool {
    let text = |value| Item::of(value).map(|item| item.text);
    one == other || text(one).is_some() && text(one) == text(other)
}

/// Returns `true` unless the entry is a sign-off that another party gives, or before another step.
fn is_due_as_before(name: &str, one: &Value, other: &Value) -> bool {
    let is_kept = |member: &&str| one.get(*member) == other.get(*member);
    name != "sign_offs_due" || ["before", "by"].iter().all(is_kept)
}

fn dropped(name: &str, entry: &Value) -> Violation {
    let text = Item::of(entry).map_or_else(|| entry.to_string(), |item| item.text.to_owned());
    let shown = shorten::text(&text);
    let message = format!("`{name}` drops `{shown}` of the previous packet");
    Violation::new(Code::OwedDropped, format!("/{name}"), message)
        .allowed(text)
        .hint("add it; it binds every holder of the work")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(parent: &Value, child: &Value, expected: &[&str]) {
        let [parent, child] =
            [parent, child].map(|value| Packet::from_value(value.clone()).unwrap());
        let found: Vec<String> = dropped_obligations(&parent, &child)
            .iter()
            .map(|violation| {
                format!("{} {}", violation.pointer, violation.allowed.as_ref().unwrap())
            })
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn every_binding_list_is_preserved_entry_by_entry() {
        let parent = json!({
            "return_required": ["status", "verification"],
            "acceptance": [{"id": "tests", "text": "npm test passes", "run": "npm test"}],
            "constraints": ["Do not publish"],
            "failure_boundary": ["Stop before deploying"],
            "notes": ["not binding"],
            "expected_outputs": ["bundle"],
        });
        check(&parent, &parent, &[]);
        check(
            &parent,
            &json!({"return_required": ["verification"], "constraints": []}),
            &[
                "/return_required status",
                "/acceptance npm test passes",
                "/constraints Do not publish",
                "/failure_boundary Stop before deploying",
            ],
        );
        check(&json!({}), &parent, &[]);
    }

    #[test]
    fn only_the_text_is_compared_and_only_in_the_same_list() {
        let parent = json!({"acceptance": [{"id": "tests", "text": "npm test passes"}]});
        check(&parent, &json!({"acceptance": ["npm test passes"]}), &[]);
        let met = json!({"acceptance": [{"text": "npm test passes", "state": "verified"}, "more"]});
        check(&parent, &met, &[]);
        let dropped = ["/acceptance npm test passes"];
        check(&parent, &json!({"acceptance": ["npm test fails"]}), &dropped);
        check(&parent, &json!({"constraints": ["npm test passes"]}), &dropped);
    }

    #[test]
    fn a_list_written_as_one_text_binds_like_any_other() {
        let parent = json!({"constraints": "Do not publish"});
        check(&parent, &json!({}), &["/constraints Do not publish"]);
        check(&parent, &json!({"constraints": ["Do not publish"]}), &[]);
    }

    #[test]
    fn a_pinned_entry_is_reported_once() {
        let parent = json!({"constraints": [{"text": "Do not publish", "pinned": true}]});
        check(&parent, &json!({}), &[]);
    }

    #[test]
    fn the_violation_has_a_hint() {
        let violation = dropped("constraints", &json!("Do not publish"));
        insta::assert_snapshot!(violation, @"TK-OWED-DROPPED: `constraints` drops `Do not publish` of the previous packet");
        insta::assert_snapshot!(violation.hint.unwrap(), @"add it; it binds every holder of the work");
    }
}
