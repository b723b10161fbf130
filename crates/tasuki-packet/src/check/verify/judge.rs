//! Judges a return packet against the handoff it answers.

use super::verdict::{FieldCheck, Verdict};
use super::{criteria, outputs};
use crate::document::pointer;
use crate::packet::Packet;
use crate::packet::aliases::{canonical_name, member_for};
use crate::policy::contract::Schemas;
use crate::schema::field::index_of;
use crate::violation::{Code, Violation};

/// Checks whether `return_packet` satisfies `handoff`, and reports what is missing. Only the
/// members kept by `requirements` are read from the handoff.
///
/// `schemas` provides the documents that the `$ref` of an output schema names; nothing is fetched.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::Packet;
/// use tasuki_packet::check::verify::judge;
///
/// let handoff = Packet::from_value(json!({"acceptance": ["npm test passes"]})).unwrap();
/// let answer = Packet::from_value(json!({
///     "packet_type": "return",
///     "status": "completed",
///     "verification": [{"criterion": 0, "result": "pass", "evidence": "log:ci-7"}],
/// }))
/// .unwrap();
/// assert!(judge(&handoff, &answer, &()).done);
/// ```
pub fn judge(handoff: &Packet, return_packet: &Packet, schemas: &dyn Schemas) -> Verdict {
    let mut missing = Vec::new();
    let mut notes = Vec::new();
    missing.extend(check_task(handoff, return_packet));
    missing.extend(check_status(return_packet));
    let fields = check_fields(handoff, return_packet, &mut missing, &mut notes);
    let criteria = criteria::check(handoff, return_packet, &mut missing, &mut notes);
    let outputs = outputs::check(handoff, return_packet, schemas, &mut missing);
    missing.extend(check_verdict(return_packet));
    notes.extend(note_blockers(return_packet));
    Verdict { done: missing.is_empty(), fields, criteria, outputs, missing, notes }
}

fn check_task(handoff: &Packet, return_packet: &Packet) -> Option<Violation> {
    let asked = handoff.text("task_id")?;
    let answered = return_packet.text("task_id")?;
    (asked != answered).then(|| {
        let message = format!("the return is for task `{answered}`, not for `{asked}`");
        Violation::new(Code::ReturnTask, "/task_id", message)
            .found(answered)
            .allowed(asked)
            .hint("submit the return packet of this task")
    })
}

fn check_status(return_packet: &Packet) -> Option<Violation> {
    match return_packet.text("status") {
        Some("completed") => None,
        Some(status) => Some(
            Violation::new(
                Code::ReturnFailed,
                "/status",
                format!("the return has status `{status}`"),
            )
            .found(status)
            .allowed("completed")
            .hint("continue the work, or pass it on with the remaining items"),
        ),
        None => Some(
            Violation::new(Code::ReturnMissing, "/status", "missing required field `status`")
                .allowed("completed")
                .hint("set it to completed, in_progress, blocked or failed"),
        ),
    }
}

fn check_fields(
    handoff: &Packet,
    return_packet: &Packet,
    missing: &mut Vec<Violation>,
    notes: &mut Vec<String>,
) -> Vec<FieldCheck> {
    let mut checks = Vec::new();
    for item in handoff.items("return_required") {
        let name = item.text.trim();
        let member = member_for(name, return_packet);
        // AHP allows sentences, and no member could ever have such a name.
        if member.is_none() && name.contains(char::is_whitespace) && !is_field(name) {
            notes.push(format!("`return_required` asks in words, not checked: {name}"));
            continue;
        }
        // A missing status is reported once.
        if member.is_none() && name != "status" {
            let pointer = pointer::join("", &canonical_name(name));
            let message = format!("missing required field `{name}`");
            let hint = format!("add `{name}`; an empty list means that there are none");
            missing.push(Violation::new(Code::ReturnMissing, pointer, message).hint(hint));
        }
        checks.push(FieldCheck { name: name.to_owned(), member });
    }
    checks
}

fn is_field(name: &str) -> bool {
    index_of(&canonical_name(name)).is_some()
}

fn check_verdict(return_packet: &Packet) -> Option<Violation> {
    (return_packet.text("verdict") == Some("fail")).then(|| {
        Violation::new(Code::ReturnFailed, "/verdict", "the reviewer's verdict is `fail`")
            .found("fail")
            .allowed("pass")
            .hint("fix the reviewer's findings and request another review")
    })
}

/// Blockers do not undo passed criteria, but must not be overlooked.
fn note_blockers(return_packet: &Packet) -> Option<String> {
    let count = return_packet.list("blockers").len();
    let is_completed = return_packet.text("status") == Some("completed");
    (count > 0 && is_completed)
        .then(|| format!("the return is `completed`, but `blockers` is not empty ({count})"))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn judged(handoff: Value, return_packet: Value) -> Verdict {
        let packet = |value| Packet::from_value(value).unwrap();
        judge(&packet(handoff), &packet(return_packet), &())
    }

    fn codes(verdict: &Verdict) -> Vec<String> {
        verdict.missing.iter().map(|v| format!("{} {}", v.code, v.pointer)).collect()
    }

    #[test]
    fn a_required_field_is_met_by_a_member_that_is_present_and_not_null() {
        let handoff = json!({"return_required": [
            "status", "changed paths", {"text": "evidence"}, "handoff_summary", "blockers", "verdict",
        ]});
        let answer = json!({"status": "completed", "changed_paths": [], "evidence_refs": ["log:a"],
            "summary": "all there", "blockers": null});
        let verdict = judged(handoff, answer);
        let members: Vec<Option<&str>> =
            verdict.fields.iter().map(|check| check.member.as_deref()).collect();
        let expected = [
            Some("status"),
            Some("changed_paths"),
            Some("evidence_refs"),
            Some("summary"),
            None,
            None,
        ];
        assert_eq!(members, expected);
        assert_eq!(codes(&verdict), ["TK-RETURN-MISSING /blockers", "TK-RETURN-MISSING /verdict"]);
    }

    #[test]
    fn a_requirement_in_words_does_not_make_the_return_impossible() {
        let handoff = json!({"return_required": ["status", "Tell us what you saw"]});
        let verdict = judged(handoff, json!({"status": "completed"}));
        assert!(verdict.done, "{:?}", verdict.missing);
        assert_eq!(
            verdict.notes,
            ["`return_required` asks in words, not checked: Tell us what you saw"]
        );
    }

    #[test]
    fn a_required_field_with_any_characters_is_one_pointer_token() {
        let handoff = json!({"return_required": ["src/~main"]});
        let verdict = judged(handoff, json!({"status": "completed"}));
        assert_eq!(codes(&verdict), ["TK-RETURN-MISSING /src~1~0main"]);
    }

    #[test]
    fn only_a_completed_return_of_the_same_task_is_done() {
        let handoff = json!({"task_id": "t-1"});
        for (answer, expected) in [
            (json!({"status": "completed"}), vec![]),
            (json!({"status": "completed", "task_id": "t-1", "verdict": "pass"}), vec![]),
            (json!({"status": "completed", "task_id": "t-2"}), vec!["TK-RETURN-TASK /task_id"]),
            (json!({"status": "blocked"}), vec!["TK-RETURN-FAILED /status"]),
            (json!({}), vec!["TK-RETURN-MISSING /status"]),
            (json!({"status": "completed", "verdict": "fail"}), vec!["TK-RETURN-FAILED /verdict"]),
        ] {
            let verdict = judged(handoff.clone(), answer);
            assert_eq!(codes(&verdict), expected);
            assert_eq!(verdict.done, expected.is_empty());
        }
    }

    #[test]
    fn blockers_beside_completed_are_a_note() {
        let verdict = judged(json!({}), json!({"status": "completed", "blockers": ["no access"]}));
        assert!(verdict.done);
        assert_eq!(verdict.notes, ["the return is `completed`, but `blockers` is not empty (1)"]);
    }

    #[test]
    fn the_verdict_reads_as_one_paragraph_and_as_rows() {
        let handoff = json!({
            "acceptance": [{"id": "tests", "text": "npm test passes"}, "Bundle is below 300 kB"],
            "return_required": ["status", "handoff_summary", "changed_paths"],
            "expected_outputs": ["the bundle", {"name": "report"}],
        });
        let answer = json!({
            "status": "completed", "summary": "built", "payload": {"report": {}},
            "verification": [{"criterion": "tests", "result": "pass", "evidence": "log:ci-7"},
                {"criterion": 1, "result": "fail"}],
        });
        let verdict = judged(handoff, answer);
        insta::assert_snapshot!(verdict.text(), @"Not done: 2 of 3 required fields are present, 1 of 2 criteria pass, 2 of 2 outputs are present. Missing required field `changed_paths`. Criterion `Bundle is below 300 kB` failed.");
        let rows: Vec<String> = verdict.rows().iter().map(ToString::to_string).collect();
        insta::assert_snapshot!(rows.join("\n"), @"
        field `status`: present
        field `handoff_summary`: present as `summary`
        field `changed_paths`: missing
        criterion `npm test passes`: pass (log:ci-7)
        criterion `Bundle is below 300 kB`: fail
        output `the bundle`: described in words, not checked
        output `report`: present
        ");
    }
}
